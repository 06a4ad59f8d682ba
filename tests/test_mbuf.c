/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completions to mbufs, with expectations written down by hand: what each byte
 * of a CQE becomes under each setting, and each way of the vector functions.
 * test_mbuf_random.c compares the two functions of mbuf.h with each other,
 * test_mbuf_referee.c both with the real driver.
 */
#include <errno.h>
#include <rte_mbuf_dyn.h>
#include <string.h>

#include "cqesim/mbuf.h"
#include "test.h"
#include "test_mbuf.h"

#define TIME_FLAG (UINT64_C(1) << 23)
#define META_FLAG (UINT64_C(1) << 35)
#define VLAN      (RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED)
#define GOOD      (RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD)

/* ---- a ring written by hand ---- */

#define SLOTS 64u

struct rig {
	uint8_t ring[SLOTS * 64] __attribute__((aligned(64)));
	struct rte_mbuf mbuf[SLOTS + 1];
	struct rte_mbuf *mbufs[SLOTS + 1];
	struct cqesim_cq_reader reader;
	struct cqesim_mbuf_rx rx;
};

static struct rig rig;

/* A ring not yet written to, and mbufs full of old memory. */
static void rig_up(const struct cqesim_cq_shape *shape, const struct cqesim_mbuf_config *config)
{
	struct cqesim_cq_shape s = *shape;

	s.log_size = 6;
	cqesim_cq_init_ring(rig.ring, &s);
	memset(rig.mbuf, 0xa5, sizeof(rig.mbuf));
	for (unsigned i = 0; i <= SLOTS; i++) {
		rig.mbufs[i] = &rig.mbuf[i];
		rig.mbuf[i].ol_flags = RTE_MBUF_F_RX_QINQ;
	}
	ck_assert_int_eq(
		cqesim_cq_reader_init(&rig.reader, rig.ring, &s, CQESIM_INVALIDATE_DPDK_VEC), 0);
	ck_assert_int_eq(cqesim_mbuf_rx_init(&rig.rx, config), 0);
}

/*
 * An IPv4 UDP packet of 100 bytes, checksums good, VLAN 0x2064 stripped, hash
 * 0x11223344, tag 0x010203, metadata 0xcafe0001, time 0x0000000500000007.
 */
static uint8_t *packet(unsigned slot)
{
	static const uint8_t cqe[64] = {
		[12] = 0x11, 0x22,        0x33, 0x44, /* hash */
		[28] = 0x06, 0x29,        0x20, 0x64, /* L3 and L4 good; UDP, IPv4, VLAN; TCI */
		[32] = 0x01,                          /* segments */
		[36] = 0xca, 0xfe,        0x00, 0x01, /* metadata */
		[47] = 100,                           /* length */
		[51] = 0x05, [55] = 0x07,             /* time */
		[57] = 0x01, 0x02,        0x03,       /* tag */
		[63] = 0x20,                          /* RESP_SEND */
	};

	return memcpy(rig.ring + (size_t)slot * 64, cqe, 64);
}

/* A title of n packets; its minis, all zero but for lengths 60, 61 ..., in slots 1, 8, 16 ... */
static void session(unsigned n)
{
	uint8_t *title = packet(0);

	title[47] = (uint8_t)n;
	title[63] = 0x2c;
	for (unsigned i = 0; i < n; i++) {
		uint8_t *mini = rig.ring + (i < 8 ? 64 : i / 8 * 512) + i % 8 * 8;

		memset(mini, 0, 8);
		mini[7] = (uint8_t)(60 + i);
	}
}

static uint8_t *mini(unsigned i)
{
	return rig.ring + (i < 8 ? 64 : i / 8 * 512) + i % 8 * 8;
}

static void read_all(int count)
{
	ck_assert_int_eq(cqesim_mbuf_poll(&rig.rx, &rig.reader, rig.mbufs, SLOTS, NULL), count);
}

static const struct cqesim_cq_shape hash = {.format = CQESIM_MINI_HASH};
static const struct cqesim_cq_shape ftag = {.format = CQESIM_MINI_FTAG_STRIDX};
static const struct cqesim_cq_shape l34h = {.format = CQESIM_MINI_L34H_STRIDX};

static struct cqesim_mbuf_config config(unsigned path)
{
	return (struct cqesim_mbuf_config){
		.path = path,
		.rss = true,
		.csum = true,
		.vlan_strip = true,
		.mark = true,
		.timestamp = true,
		.timestamp_offset = TIME_OFFSET,
		.timestamp_flag = TIME_FLAG,
		.metadata = true,
		.metadata_offset = META_OFFSET,
		.metadata_flag = META_FLAG,
	};
}

static uint64_t time_in(const struct rte_mbuf *m)
{
	return *RTE_MBUF_DYNFIELD(m, TIME_OFFSET, const uint64_t *);
}

static uint32_t metadata_in(const struct rte_mbuf *m)
{
	return *RTE_MBUF_DYNFIELD(m, META_OFFSET, const uint32_t *);
}

/* ---- packet types ---- */

START_TEST(packet_types)
{
	const uint32_t v4 = RTE_PTYPE_L3_IPV4_EXT_UNKNOWN, v6 = RTE_PTYPE_L3_IPV6_EXT_UNKNOWN;
	const uint32_t in4 = RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN;
	const uint32_t in6 = RTE_PTYPE_INNER_L3_IPV6_EXT_UNKNOWN, l2 = RTE_PTYPE_L2_ETHER;
	const struct {
		uint8_t info, hdr;
		uint32_t type;
	} want[] = {
		{0, 0x00, l2},
		{0, 0x08, l2 | v4 | RTE_PTYPE_L4_NONFRAG},
		{0, 0x04, l2 | v6 | RTE_PTYPE_L4_NONFRAG},
		{0, 0x18, l2 | v4 | RTE_PTYPE_L4_TCP},
		{0, 0x38, l2 | v4 | RTE_PTYPE_L4_TCP}, /* ack, no data */
		{0, 0x44, l2 | v6 | RTE_PTYPE_L4_TCP}, /* ack and data */
		{0, 0x28, l2 | v4 | RTE_PTYPE_L4_UDP},
		{0, 0x24, l2 | v6 | RTE_PTYPE_L4_UDP},
		{0, 0x2b, l2 | v4 | RTE_PTYPE_L4_UDP}, /* VLAN and IP options do not matter */
		{0, 0x88, l2 | v4 | RTE_PTYPE_L4_FRAG},
		{0, 0x84, l2 | v6 | RTE_PTYPE_L4_FRAG},
		{0, 0xa8, l2 | v4 | RTE_PTYPE_L4_FRAG}, /* its first part */
		{3, 0xc4, l2 | v6 | in6 | RTE_PTYPE_INNER_L4_FRAG},
		/* outer IPv6, but not tunneled */
		{2, 0x28, l2 | v4 | RTE_PTYPE_L4_UDP},
		{2, 0x00, 0},
		/* tunneled: nothing known inside, then IPv4 and IPv6 inside */
		{1, 0x00, l2 | v4},
		{3, 0x00, l2 | v6},
		{1, 0x28, l2 | v4 | in4 | RTE_PTYPE_INNER_L4_UDP},
		{3, 0x28, l2 | v6 | in4 | RTE_PTYPE_INNER_L4_UDP},
		{1, 0x14, l2 | v4 | in6 | RTE_PTYPE_INNER_L4_TCP},
		{3, 0x04, l2 | v6 | in6 | RTE_PTYPE_INNER_L4_NONFRAG},
		{1, 0x88, l2 | v4 | in4 | RTE_PTYPE_INNER_L4_FRAG},
		/* bits of byte 0 above 1 do not matter */
		{0xf9, 0x28, l2 | v4 | in4 | RTE_PTYPE_INNER_L4_UDP},
		/* what the driver's table does not have */
		{0, 0x0c, 0}, /* both L3 */
		{0, 0x58, 0}, /* L4 5 */
		{0, 0x20, 0}, /* L4 without L3 */
		{0, 0x80, 0}, /* fragment without L3 */
		{0, 0xa0, 0}, /* fragment with L4, without L3 */
		{0, 0xd8, 0}, /* fragment, L4 5 */
		{3, 0xfc, RTE_PTYPE_ALL_MASK},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ck_assert_msg(cqesim_mbuf_packet_type(want[i].info, want[i].hdr) == want[i].type,
			      "info %#x header %#x: %#x, not %#x", want[i].info, want[i].hdr,
			      cqesim_mbuf_packet_type(want[i].info, want[i].hdr), want[i].type);
	/* The numbers too: they are DPDK's ABI. */
	ck_assert_uint_eq(cqesim_mbuf_packet_type(0, 0x28), 0x291);
	ck_assert_uint_eq(cqesim_mbuf_packet_type(1, 0x14), 0x01600091);
}
END_TEST

/* ---- one completion ---- */

START_TEST(everything)
{
	struct cqesim_mbuf_config c = config(CQESIM_MBUF_SCALAR);
	struct rte_mbuf old;

	rig_up(&hash, &c);
	old = rig.mbuf[0];
	packet(0);
	read_all(1);
	const struct rte_mbuf *m = &rig.mbuf[0];
	ck_assert_uint_eq(m->packet_type, 0x291);
	ck_assert_uint_eq(m->pkt_len, 100);
	ck_assert_uint_eq(m->data_len, 100);
	ck_assert_uint_eq(m->vlan_tci, 0x2064);
	ck_assert_uint_eq(m->hash.rss, 0x11223344);
	ck_assert_uint_eq(m->hash.fdir.hi, 0x030200);
	ck_assert_uint_eq(time_in(m), 0x0000000500000007);
	ck_assert_uint_eq(metadata_in(m), 0xcafe0001);
	ck_assert_uint_eq(m->ol_flags, RTE_MBUF_F_RX_RSS_HASH | GOOD | VLAN | RTE_MBUF_F_RX_FDIR |
					       RTE_MBUF_F_RX_FDIR_ID | TIME_FLAG | META_FLAG);
	/* All the rest is as it was, and so is the next mbuf. */
	old.packet_type = m->packet_type;
	old.pkt_len = m->pkt_len;
	old.data_len = m->data_len;
	old.vlan_tci = m->vlan_tci;
	old.hash.fdir = m->hash.fdir;
	old.ol_flags = m->ol_flags;
	memcpy((uint8_t *)&old + TIME_OFFSET, (const uint8_t *)m + TIME_OFFSET, 12);
	ck_assert_mem_eq(&old, m, sizeof(old));
	for (size_t i = offsetof(struct rte_mbuf, packet_type); i < sizeof(*m); i++)
		ck_assert_uint_eq(((const uint8_t *)(m + 1))[i], 0xa5);
}
END_TEST

START_TEST(nothing)
{
	struct cqesim_mbuf_config c = {.path = CQESIM_MBUF_SCALAR};

	rig_up(&hash, &c);
	packet(0);
	read_all(1);
	ck_assert_uint_eq(rig.mbuf[0].ol_flags, 0);
	ck_assert_uint_eq(rig.mbuf[0].packet_type, 0x291);
	ck_assert_uint_eq(rig.mbuf[0].pkt_len, 100);
	/* Vector: checksums and VLAN are told unasked. */
	c.path = CQESIM_MBUF_VEC;
	rig_up(&hash, &c);
	packet(0);
	read_all(1);
	ck_assert_uint_eq(rig.mbuf[0].ol_flags, GOOD | VLAN);
	ck_assert_uint_eq(rig.mbuf[0].vlan_tci, 0x2064);
}
END_TEST

/* Flags by byte 28 and bit 0 of byte 29. */
START_TEST(checksums_and_vlan)
{
	struct cqesim_mbuf_config c = {.csum = true};
	static const struct {
		uint8_t ok, hdr;
		uint64_t flags;
	} want[] = {
		{0x00, 0x29, 0},
		{0x01, 0x29, 0}, /* L2 good: no flag for that */
		{0x02, 0x29, RTE_MBUF_F_RX_IP_CKSUM_GOOD},
		{0x04, 0x29, RTE_MBUF_F_RX_L4_CKSUM_GOOD},
		{0xff, 0x28, GOOD},
	};

	for (unsigned i = 0; i < 5; i++)
		for (unsigned strip = 0; strip < 2; strip++) {
			c.vlan_strip = strip;
			rig_up(&hash, &c);
			packet(0)[28] = want[i].ok;
			rig.ring[29] = want[i].hdr;
			read_all(1);
			ck_assert_uint_eq(rig.mbuf[0].ol_flags,
					  want[i].flags | (strip && i != 4 ? VLAN : 0));
		}
}
END_TEST

START_TEST(hash_of_zero)
{
	struct cqesim_mbuf_config c = {.rss = true};

	for (unsigned vec = 0; vec < 2; vec++) {
		c.path = vec ? CQESIM_MBUF_VEC_RSS : CQESIM_MBUF_SCALAR;
		rig_up(&hash, &c);
		memset(packet(0) + 12, 0, 4);
		read_all(1);
		ck_assert_uint_eq(rig.mbuf[0].ol_flags, vec ? RTE_MBUF_F_RX_RSS_HASH : 0);
		ck_assert_uint_eq(rig.mbuf[0].hash.rss, vec ? 0 : rig.mbuf[0].hash.rss);
	}
}
END_TEST

START_TEST(marks)
{
	struct cqesim_mbuf_config c = {.mark = true};
	static const struct {
		uint8_t tag[3];
		uint64_t flags;
		uint32_t mark;
	} want[] = {
		{{0, 0, 0}, 0, 0},
		{{0xff, 0xff, 0xff}, RTE_MBUF_F_RX_FDIR, 0},
		{{0x01, 0, 0}, RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID, 0},
		{{0xf1, 0xff, 0xff}, RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID, 0xfffff0},
		{{0x35, 0x12, 0}, RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID, 0x1234},
	};

	for (unsigned i = 0; i < 10; i++) {
		uint64_t flags = want[i % 5].flags;

		/* DPDK 24.11 may have a flag more with a number. */
		c.mark_flags = i < 5 ? 0 : RTE_MBUF_F_RX_FDIR_ID | META_FLAG;
		rig_up(&hash, &c);
		memcpy(packet(0) + 57, want[i % 5].tag, 3);
		read_all(1);
		if (i >= 5 && flags & RTE_MBUF_F_RX_FDIR_ID)
			flags |= META_FLAG;
		ck_assert_uint_eq(rig.mbuf[0].ol_flags, flags);
		if (flags & RTE_MBUF_F_RX_FDIR_ID)
			ck_assert_uint_eq(rig.mbuf[0].hash.fdir.hi, want[i % 5].mark);
	}
}
END_TEST

START_TEST(dynamic_fields)
{
	struct cqesim_mbuf_config c = config(CQESIM_MBUF_SCALAR);

	/* 5 seconds and 7 nanoseconds; the port uses half of the metadata. */
	c.real_time = true;
	c.metadata_mask = 0xffff;
	rig_up(&hash, &c);
	packet(0);
	memset(packet(1) + 36, 0xff, 2);
	memset(rig.ring + 64 + 38, 0, 2);
	read_all(2);
	ck_assert_uint_eq(time_in(&rig.mbuf[0]), 5000000007);
	ck_assert_uint_eq(metadata_in(&rig.mbuf[0]), 1);
	ck_assert(rig.mbuf[0].ol_flags & META_FLAG);
	/* Nothing is left of this one. */
	ck_assert(!(rig.mbuf[1].ol_flags & META_FLAG));
	ck_assert_uint_eq(metadata_in(&rig.mbuf[1]), 0xa5a5a5a5);
}
END_TEST

START_TEST(frame_check_sequence)
{
	struct cqesim_mbuf_config c = {.crc_present = true};

	for (unsigned vec = 0; vec < 2; vec++) {
		c.path = vec ? CQESIM_MBUF_VEC : CQESIM_MBUF_SCALAR;
		rig_up(&hash, &c);
		packet(0);
		packet(1)[47] = 3; /* shorter than that: nothing is left */
		read_all(2);
		ck_assert_uint_eq(rig.mbuf[0].pkt_len, 96);
		ck_assert_uint_eq(rig.mbuf[0].data_len, 96);
		ck_assert_uint_eq(rig.mbuf[1].pkt_len, 0);
		ck_assert_uint_eq(rig.mbuf[1].data_len, 0);
	}
}
END_TEST

START_TEST(long_packets)
{
	struct cqesim_mbuf_config c = {.crc_present = true};

	for (unsigned vec = 0; vec < 2; vec++) {
		c.path = vec ? CQESIM_MBUF_VEC_LENGTH : CQESIM_MBUF_SCALAR;
		rig_up(&hash, &c);
		packet(0)[45] = 1; /* 65536 + 100 */
		read_all(1);
		ck_assert_uint_eq(rig.mbuf[0].pkt_len, vec ? 96 : 65632);
		ck_assert_uint_eq(rig.mbuf[0].data_len, 96);
	}
}
END_TEST

START_TEST(joined_segments)
{
	struct cqesim_mbuf_config c = {.crc_present = true};

	for (unsigned vec = 0; vec < 2; vec++) {
		c.path = vec ? CQESIM_MBUF_VEC_LRO : CQESIM_MBUF_SCALAR;
		rig_up(&hash, &c);
		rig.mbuf[0].tso_segsz = 7;
		packet(0)[32] = 3;
		read_all(1);
		ck_assert_uint_eq(rig.mbuf[0].ol_flags, vec ? 0 : RTE_MBUF_F_RX_LRO);
		ck_assert_uint_eq(rig.mbuf[0].tso_segsz, vec ? 7 : 32);
		ck_assert_uint_eq(rig.mbuf[0].pkt_len, 96);
	}
}
END_TEST

/* The kind of tunnel comes from flow rules, for tunneled packets alone. */
START_TEST(tunnels)
{
	struct cqesim_mbuf_config c = {.tunnel = RTE_PTYPE_TUNNEL_VXLAN | RTE_PTYPE_L4_UDP};

	rig_up(&hash, &c);
	packet(0)[0] = 1;
	packet(1)[0] = 2;
	read_all(2);
	ck_assert_uint_eq(rig.mbuf[0].packet_type,
			  RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | RTE_PTYPE_L4_UDP |
				  RTE_PTYPE_TUNNEL_VXLAN | RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN |
				  RTE_PTYPE_INNER_L4_UDP);
	ck_assert_uint_eq(rig.mbuf[1].packet_type, 0x291);
}
END_TEST

/* A buffer that is attached stays so; the vector functions attach later. */
START_TEST(attached_buffers)
{
	struct cqesim_mbuf_config c = {0};

	for (unsigned vec = 0; vec < 2; vec++) {
		uint64_t kept = vec ? 0 : RTE_MBUF_F_EXTERNAL;

		c.path = vec ? CQESIM_MBUF_VEC_FLAGS : CQESIM_MBUF_SCALAR;
		rig_up(&hash, &c);
		packet(0);
		packet(1)[63] = 0xe0;
		rig.mbuf[0].ol_flags |= RTE_MBUF_F_EXTERNAL;
		rig.mbuf[1].ol_flags |= RTE_MBUF_F_EXTERNAL;
		read_all(2);
		ck_assert_uint_eq(rig.mbuf[0].ol_flags, kept);
		ck_assert_uint_eq(rig.mbuf[1].ol_flags, kept);
	}
}
END_TEST

START_TEST(no_packets)
{
	struct cqesim_cq_shape striding = {.format = CQESIM_MINI_CSUM_STRIDX, .log_stride = 11};
	struct cqesim_mbuf_config c = config(CQESIM_MBUF_SCALAR);

	for (unsigned path = 0; path < 2; path++) {
		c.path = path ? CQESIM_MBUF_VEC : CQESIM_MBUF_SCALAR;
		rig_up(&striding, &c);
		for (unsigned i = 0; i < 3; i++)
			packet(i)[63] = (uint8_t)((12 + i) << 4);
		packet(3)[44] = 0x80; /* filler */
		packet(4)[45] = 1;    /* one stride */
		read_all(5);
		for (unsigned i = 0; i < 4; i++) {
			ck_assert_uint_eq(rig.mbuf[i].packet_type, CQESIM_MBUF_NO_PACKET);
			ck_assert_uint_eq(rig.mbuf[i].pkt_len, 0);
			ck_assert_uint_eq(rig.mbuf[i].data_len, 0);
			ck_assert_uint_eq(rig.mbuf[i].ol_flags, 0);
		}
		ck_assert_uint_eq(rig.mbuf[4].packet_type, 0x291);
		ck_assert_uint_eq(rig.mbuf[4].pkt_len, 100);
	}
}
END_TEST

/* ---- sessions ---- */

START_TEST(hash_session)
{
	struct cqesim_mbuf_config c = config(CQESIM_MBUF_SCALAR);

	for (unsigned vec = 0; vec < 2; vec++) {
		c.path = vec ? CQESIM_MBUF_VEC : CQESIM_MBUF_SCALAR;
		rig_up(&hash, &c);
		session(9);
		for (unsigned i = 0; i < 9; i++)
			mini(i)[3] = (uint8_t)i; /* hash i */
		read_all(9);
		for (unsigned i = 0; i < 9; i++) {
			const struct rte_mbuf *m = &rig.mbuf[i];
			uint64_t rss = i || vec ? RTE_MBUF_F_RX_RSS_HASH : 0;

			ck_assert_uint_eq(m->pkt_len, 60 + i);
			ck_assert_uint_eq(m->data_len, 60 + i);
			ck_assert_uint_eq(m->packet_type, 0x291);
			ck_assert_uint_eq(m->vlan_tci, 0x2064);
			ck_assert_uint_eq(m->hash.fdir.hi, 0x030200);
			ck_assert_uint_eq(metadata_in(m), 0xcafe0001);
			ck_assert_uint_eq(m->ol_flags, rss | GOOD | VLAN | RTE_MBUF_F_RX_FDIR |
							       RTE_MBUF_F_RX_FDIR_ID | TIME_FLAG |
							       META_FLAG);
			ck_assert_uint_eq(m->hash.rss, i);
			ck_assert_uint_eq(time_in(m),
					  i && vec ? 0xa5a5a5a5a5a5a5a5 : 0x0000000500000007);
		}
	}
}
END_TEST

/* Formats without a hash: scalar takes the title's, vector none. */
START_TEST(csum_session)
{
	struct cqesim_cq_shape csum = {.format = CQESIM_MINI_CSUM};
	struct cqesim_mbuf_config c = {.rss = true};

	for (unsigned vec = 0; vec < 2; vec++) {
		c.path = vec ? CQESIM_MBUF_VEC : CQESIM_MBUF_SCALAR;
		rig_up(&csum, &c);
		session(2);
		packet(2);
		read_all(3);
		for (unsigned i = 0; i < 3; i++) {
			bool told = !vec || i == 2;

			ck_assert_uint_eq(rig.mbuf[i].ol_flags,
					  (told ? RTE_MBUF_F_RX_RSS_HASH : 0) |
						  (vec ? GOOD | VLAN : 0));
			ck_assert_uint_eq(rig.mbuf[i].hash.rss, told ? 0x11223344 : 0);
		}
	}
}
END_TEST

/* In formats without a hash the vector functions have 32 bits for flags, and extend the sign. */
START_TEST(flags_of_32_bits)
{
	struct cqesim_cq_shape csum = {.format = CQESIM_MINI_CSUM};
	struct cqesim_mbuf_config c = {
		.path = CQESIM_MBUF_VEC,
		.timestamp = true,
		.timestamp_offset = TIME_OFFSET,
		.timestamp_flag = UINT64_C(1) << 31,
	};

	rig_up(&csum, &c);
	session(2);
	packet(2);
	read_all(3);
	ck_assert_uint_eq(rig.mbuf[1].ol_flags, UINT64_C(0xffffffff80000000) | GOOD | VLAN);
	ck_assert_uint_eq(rig.mbuf[2].ol_flags, UINT64_C(0x80000000) | GOOD | VLAN);
	c.timestamp_flag <<= 1;
	rig_up(&csum, &c);
	packet(0);
	read_all(1);
	ck_assert_uint_eq(rig.mbuf[0].ol_flags, GOOD | VLAN);
	c.path = CQESIM_MBUF_SCALAR;
	rig_up(&csum, &c);
	session(2);
	read_all(2);
	ck_assert_uint_eq(rig.mbuf[1].ol_flags, UINT64_C(1) << 32);
}
END_TEST

static const uint64_t id_flags = RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID;

/* Tags of minis: bytes 0-1 are bits 15:0, byte 4 bits 23:16. */
START_TEST(ftag_session)
{
	struct cqesim_mbuf_config c = {.mark = true};

	for (unsigned vec = 0; vec < 2; vec++) {
		c.path = vec ? CQESIM_MBUF_VEC_FTAG_KEPT | CQESIM_MBUF_VEC_FTAG_DEFAULT
			     : CQESIM_MBUF_SCALAR;
		rig_up(&ftag, &c);
		session(9);
		/* 0: 0x010203; 2: all ones; 4: none, but the same place as 0; 8: again */
		mini(0)[4] = 1;
		mini(0)[0] = 2;
		mini(0)[1] = 3;
		mini(2)[4] = mini(2)[0] = mini(2)[1] = 0xff;
		read_all(9);
		ck_assert_uint_eq(rig.mbuf[0].ol_flags, id_flags);
		ck_assert_uint_eq(rig.mbuf[0].hash.fdir.hi, 0x030200);
		ck_assert_uint_eq(rig.mbuf[1].ol_flags, 0);
		ck_assert_uint_eq(rig.mbuf[2].ol_flags, vec ? id_flags : RTE_MBUF_F_RX_FDIR);
		if (vec)
			ck_assert_uint_eq(rig.mbuf[2].hash.fdir.hi, 0xfffffe);
		for (unsigned i = 3; i < 9; i++)
			ck_assert_uint_eq(rig.mbuf[i].ol_flags,
					  vec && (i % 4 == 0 || i % 4 == 2) ? id_flags : 0);
		if (vec)
			ck_assert_uint_eq(rig.mbuf[4].hash.fdir.hi, 0xffffffff);
		ck_assert_uint_eq(rig.mbuf[8].pkt_len, 68);
	}
}
END_TEST

/* Header types of minis are in byte 0. */
START_TEST(l34h_session)
{
	struct cqesim_mbuf_config c = {
		.vlan_strip = true,
		.tunnel = RTE_PTYPE_TUNNEL_GRE,
	};
	const uint32_t udp = 0x291, tcp = 0x191;

	for (unsigned vec = 0; vec < 2; vec++) {
		c.path = vec ? CQESIM_MBUF_VEC_L34H_VLAN : CQESIM_MBUF_SCALAR;
		rig_up(&l34h, &c);
		session(6);
		for (unsigned i = 0; i < 6; i++)
			mini(i)[0] = i % 2 ? 0x28 : 0x18;
		mini(1)[0] |= 1;
		mini(7)[0] = 1; /* not one of the session's */
		read_all(6);
		for (unsigned i = 0; i < 6; i++) {
			/* Vector: place 2 (3 - 1), kept; and place 0 of the second four (3 - 3). */
			bool vlan = vec ? i == 2 || i == 4 : i == 1;

			ck_assert_uint_eq(rig.mbuf[i].packet_type, i % 2 ? udp : tcp);
			ck_assert_uint_eq(rig.mbuf[i].ol_flags, vlan ? VLAN : 0);
			ck_assert_uint_eq(rig.mbuf[i].vlan_tci, 0x2064);
		}
	}
}
END_TEST

START_TEST(l34h_tunnels)
{
	struct cqesim_mbuf_config c = {.tunnel = RTE_PTYPE_TUNNEL_GRE};
	const uint32_t type = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN |
			      RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN | RTE_PTYPE_INNER_L4_TCP;

	for (unsigned vec = 0; vec < 2; vec++) {
		c.path = vec ? CQESIM_MBUF_VEC_L34H_TUNNEL : CQESIM_MBUF_SCALAR;
		rig_up(&l34h, &c);
		session(2);
		rig.ring[0] = 1;
		mini(1)[0] = 0x18;
		read_all(2);
		ck_assert_uint_eq(rig.mbuf[1].packet_type, type | (vec ? 0 : RTE_PTYPE_TUNNEL_GRE));
	}
}
END_TEST

/* Enhanced layout: an array of `n` minis in a slot, all zero but for lengths 60, 61 ... */
static uint8_t *array(unsigned slot, unsigned n)
{
	uint8_t *a = rig.ring + (size_t)slot * 64;

	memset(a, 0, 64);
	for (unsigned i = 0; i < n; i++)
		a[i * 8 + 7] = (uint8_t)(60 + i);
	a[63] = (uint8_t)((n - 1) << 4 | 3 << 2);
	return a;
}

START_TEST(enhanced_arrays)
{
	struct cqesim_cq_shape shape = {.layout = CQESIM_CQ_ENHANCED};
	struct cqesim_mbuf_config c = config(CQESIM_MBUF_SCALAR);

	for (unsigned vec = 0; vec < 2; vec++) {
		c.path = vec ? CQESIM_MBUF_VEC : CQESIM_MBUF_SCALAR;
		rig_up(&shape, &c);
		packet(0);
		array(1, 3)[3] = 9; /* the first one's hash */
		array(4, 1);
		read_all(5);
		for (unsigned i = 0; i < 5; i++) {
			const struct rte_mbuf *m = &rig.mbuf[i];
			uint64_t rss = i < 2 || vec ? RTE_MBUF_F_RX_RSS_HASH : 0;

			ck_assert_uint_eq(m->ol_flags,
					  rss | GOOD | VLAN | id_flags | TIME_FLAG | META_FLAG);
			ck_assert_uint_eq(m->pkt_len, i == 0 ? 100 : 60 + (i - 1) % 3);
			ck_assert_uint_eq(time_in(m),
					  i && vec ? 0xa5a5a5a5a5a5a5a5 : 0x0000000500000007);
		}
		ck_assert_uint_eq(rig.mbuf[1].hash.rss, 9);
	}
}
END_TEST

/* The vector functions take bits 0 and 1 of the first mini's type for the title's pkt_info. */
START_TEST(enhanced_l34h)
{
	struct cqesim_cq_shape shape = {.format = CQESIM_MINI_L34H_STRIDX,
					.layout = CQESIM_CQ_ENHANCED};
	struct cqesim_mbuf_config c = {0};

	for (unsigned vec = 0; vec < 2; vec++) {
		c.path = vec ? CQESIM_MBUF_VEC_L34H_INFO : CQESIM_MBUF_SCALAR;
		rig_up(&shape, &c);
		packet(0)[0] = 3;
		uint8_t *minis = array(1, 2);
		minis[0] = 0x29;
		minis[8] = 0x18;
		read_all(3);
		ck_assert_uint_eq(rig.mbuf[1].packet_type, vec ? 0x02400091 : 0x024000e1);
		ck_assert_uint_eq(rig.mbuf[2].packet_type, vec ? 0x01400091 : 0x014000e1);
	}
}
END_TEST

/* Marks stay from array to array as long as they follow each other. */
START_TEST(enhanced_marks_kept)
{
	struct cqesim_cq_shape shape = {.format = CQESIM_MINI_FTAG_STRIDX,
					.layout = CQESIM_CQ_ENHANCED};
	struct cqesim_mbuf_config c = {.path = CQESIM_MBUF_VEC_FTAG_KEPT, .mark = true};

	rig_up(&shape, &c);
	memset(packet(0) + 57, 0, 3);
	array(1, 2)[9] = 1; /* the second one's tag */
	array(3, 2);
	memset(packet(5) + 57, 0, 3);
	array(6, 2);
	read_all(8);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(rig.mbuf[i].ol_flags, i == 2 || i == 4 ? id_flags : 0);
	/* Nor over a time in which nothing came. */
	array(8, 2)[9] = 1;
	read_all(2);
	array(10, 2);
	read_all(2);
	ck_assert_uint_eq(rig.mbuf[1].ol_flags, 0);
}
END_TEST

/* ---- the rest ---- */

/* Where things end: `max`, a malformed entry, an empty ring. */
START_TEST(as_the_reader)
{
	struct cqesim_mbuf_config c = {0};
	struct cqesim_cq_fault fault = {0};

	rig_up(&hash, &c);
	session(9);
	packet(9);
	packet(10)[63] = 0x70; /* no such opcode */
	packet(11);
	ck_assert_int_eq(cqesim_mbuf_poll(&rig.rx, &rig.reader, rig.mbufs, 4, &fault), 4);
	ck_assert_uint_eq(rig.reader.ci, 0);
	ck_assert_uint_eq(rig.mbuf[3].pkt_len, 63);
	ck_assert_uint_eq(rig.mbuf[4].pkt_len, 0xa5a5a5a5);
	ck_assert_int_eq(cqesim_mbuf_poll(&rig.rx, &rig.reader, rig.mbufs, 64, &fault), 6);
	ck_assert_uint_eq(rig.mbuf[0].pkt_len, 64);
	ck_assert_uint_eq(rig.mbuf[5].pkt_len, 100);
	ck_assert_int_eq(cqesim_mbuf_poll(&rig.rx, &rig.reader, rig.mbufs, 64, &fault), -EBADMSG);
	ck_assert_uint_eq(fault.kind, CQESIM_CQ_FAULT_OPCODE);
	ck_assert_uint_eq(fault.slot, 10);
	read_all(1);
	read_all(0);
	ck_assert_uint_eq(rig.ring[63], 0xf0);
	ck_assert_uint_eq(rig.ring[8 * 64 + 63], 0xf0);
	ck_assert_uint_eq(rig.ring[9 * 64 + 63], 0x20);
}
END_TEST

START_TEST(settings_refused)
{
	struct cqesim_mbuf_config good = config(CQESIM_MBUF_VEC), c = good;
	struct cqesim_mbuf_rx rx;
	int size = sizeof(struct rte_mbuf);

	ck_assert_int_eq(cqesim_mbuf_rx_init(&rx, &good), 0);
	c.path = 0x2000;
	ck_assert_int_eq(cqesim_mbuf_rx_init(&rx, &c), -EINVAL);
	const int bad_times[] = {-8, 4, size - 4, size, 1 << 30};
	for (unsigned i = 0; i < 5; i++) {
		c = good;
		c.timestamp_offset = bad_times[i];
		ck_assert_int_eq(cqesim_mbuf_rx_init(&rx, &c), -EINVAL);
		c.timestamp = false; /* not looked at then */
		ck_assert_int_eq(cqesim_mbuf_rx_init(&rx, &c), 0);
	}
	const int bad_metas[] = {-4, 2, size - 2, size};
	for (unsigned i = 0; i < 4; i++) {
		c = good;
		c.metadata_offset = bad_metas[i];
		ck_assert_int_eq(cqesim_mbuf_rx_init(&rx, &c), -EINVAL);
		c.metadata = false;
		ck_assert_int_eq(cqesim_mbuf_rx_init(&rx, &c), 0);
	}
	c = good;
	c.timestamp_offset = size - 8;
	c.metadata_offset = size - 4;
	ck_assert_int_eq(cqesim_mbuf_rx_init(&rx, &c), 0);
}
END_TEST

START_TEST(names)
{
	unsigned named = 0;

	for (unsigned i = 0; i < 32; i++) {
		const char *name = cqesim_mbuf_difference_name(1u << i);

		ck_assert(!name == !cqesim_mbuf_difference_text(1u << i));
		if (name)
			named |= 1u << i;
	}
	ck_assert_uint_eq(named, CQESIM_MBUF_VEC);
	ck_assert_str_eq(cqesim_mbuf_difference_name(CQESIM_MBUF_VEC_FTAG_KEPT), "FTAG_KEPT");
	ck_assert_str_eq(cqesim_mbuf_difference_text(CQESIM_MBUF_VEC_LENGTH),
			 "lengths have 16 bits");
	ck_assert_ptr_null(cqesim_mbuf_difference_name(0));
	ck_assert_ptr_null(cqesim_mbuf_difference_name(3));
}
END_TEST

Suite *suite_mbuf(void)
{
	Suite *s = suite_create("mbuf");
	TCase *t = tcase_create("mbuf");

	tcase_add_test(t, packet_types);
	tcase_add_test(t, everything);
	tcase_add_test(t, nothing);
	tcase_add_test(t, checksums_and_vlan);
	tcase_add_test(t, hash_of_zero);
	tcase_add_test(t, marks);
	tcase_add_test(t, dynamic_fields);
	tcase_add_test(t, frame_check_sequence);
	tcase_add_test(t, long_packets);
	tcase_add_test(t, joined_segments);
	tcase_add_test(t, tunnels);
	tcase_add_test(t, attached_buffers);
	tcase_add_test(t, no_packets);
	tcase_add_test(t, hash_session);
	tcase_add_test(t, csum_session);
	tcase_add_test(t, flags_of_32_bits);
	tcase_add_test(t, ftag_session);
	tcase_add_test(t, l34h_session);
	tcase_add_test(t, l34h_tunnels);
	tcase_add_test(t, enhanced_arrays);
	tcase_add_test(t, enhanced_l34h);
	tcase_add_test(t, enhanced_marks_kept);
	tcase_add_test(t, as_the_reader);
	tcase_add_test(t, settings_refused);
	tcase_add_test(t, names);
	suite_add_tcase(s, t);
	suite_add_tcase(s, test_mbuf_random());
	suite_add_tcase(s, test_mbuf_referee());
	return s;
}

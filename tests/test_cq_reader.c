/* SPDX-License-Identifier: BSD-3-Clause */
/* cq: the reader, over rings built by hand. */
#include <errno.h>
#include <stdlib.h>

#include "cq_images.h"

static void expect(const struct cqesim_completion *c, uint32_t i, uint32_t session_n,
		   uint32_t session_i)
{
	bool same = c->meta.byte_cnt == length_of(i) && c->meta.rx_hash_res == hash_of(i) &&
		    c->meta.rx_hash_type == 0x84 && c->meta.csum == 0xabcd &&
		    c->meta.hds_ip_ext == 7 && c->meta.l4_l3_hdr_type == 0x28 &&
		    c->meta.flow_tag == 0xabcdef && c->meta.user_index == 0x12345 &&
		    c->meta.vlan_info == 0 && c->meta.pkt_info == 0 &&
		    c->timestamp == 1000000 + i - session_i &&
		    c->wqe_counter == (uint16_t)(0x4000 + i) && c->session_n == session_n &&
		    c->session_i == session_i && c->opcode == 2 && c->syndrome == 0 &&
		    c->vendor_err_synd == 0;

	ck_assert_msg(same, "packet %u (%u of %u): length %u, hash %08x, counter %04x, %u of %u", i,
		      session_i, session_n, c->meta.byte_cnt, c->meta.rx_hash_res, c->wqe_counter,
		      c->session_i, c->session_n);
}

START_TEST(reader_waits)
{
	uint8_t *ring = fresh(3);
	struct cqesim_cq_reader r = reader(ring, 3);
	struct cqesim_completion out[9];

	memset(out, 0x77, sizeof(out));
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 9, NULL), 0);
	/* rdma-core's way to start a ring; and any opcode 15, whatever its lower bits */
	static const uint8_t no[] = {0xf0, 0xf1, 0xfc, 0xfd, 0xf2, 0xff, 0xfe,
				     /* the other lap's owner bit */
				     0x21, 0x2d, 0xe1, 0xd1, 0x01, 0x25};
	for (size_t i = 0; i < COUNT(no); i++) {
		ring[63] = no[i];
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 9, NULL), 0);
		ck_assert_uint_eq(r.ci, 0);
	}
	image_plain(ring, 3, 0, 0);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 0, NULL), 0);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 9, NULL), 1);
	expect(out, 0, 0, 0);
	ck_assert_int_eq(out[1].opcode, 0x77);
	/* Second lap: now the bit must be set. */
	for (uint32_t k = 1; k < 8; k++)
		image_plain(ring, 3, k, k);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 9, NULL), 7);
	static const uint8_t no_odd[] = {0x20, 0x2c, 0xf0, 0xf1, 0xfd, 0xff, 0xe0, 0x00};
	for (size_t i = 0; i < COUNT(no_odd); i++) {
		ring[63] = no_odd[i];
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 9, NULL), 0);
	}
	ring[63] = 0x21;
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 9, NULL), 1);
	ck_assert_uint_eq(out[0].index, 8);
	free(ring);
}
END_TEST

START_TEST(reader_plain)
{
	uint8_t *ring = fresh(3), *before = test_cq_ring(3);
	struct cqesim_cq_reader r = reader(ring, 3);
	struct cqesim_completion out[9];

	for (uint32_t k = 0; k < 80; k += 8) {
		for (uint32_t i = 0; i < 8; i++)
			image_plain(ring, 3, k + i, k + i);
		memcpy(before, ring, 512);
		/* 3, 4, and the last slot of the ring */
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 3, NULL), 3);
		ck_assert_uint_eq(r.ci, k + 3);
		ck_assert_int_eq(cqesim_cq_poll(&r, out + 3, 4, NULL), 4);
		ck_assert_int_eq(cqesim_cq_poll(&r, out + 7, 2, NULL), 1);
		ck_assert_int_eq(cqesim_cq_poll(&r, out + 8, 1, NULL), 0);
		for (uint32_t i = 0; i < 8; i++) {
			expect(&out[i], k + i, 0, 0);
			ck_assert_uint_eq(out[i].index, k + i);
		}
		ck_assert_uint_eq(r.ci, k + 8);
		/* Plain slots are not rewritten: the lap bit is enough. */
		same_ring(ring, before, 3, "plain slots");
	}
	free(ring);
	free(before);
}
END_TEST

/* Inline data formats and other opcodes are one completion each. */
START_TEST(reader_opcodes)
{
	static const uint8_t op_own[] = {0x00, 0x10, 0x24, 0x28, 0x30, 0x42, 0x60, 0xc0};
	uint8_t *ring = fresh(3);
	struct cqesim_cq_reader r = reader(ring, 3);
	struct cqesim_completion out[8];

	for (uint32_t k = 0; k < 8; k++) {
		image_plain(ring, 3, k, k);
		ring[k * 64 + 63] = op_own[k];
	}
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 8, NULL), 8);
	for (uint32_t k = 0; k < 8; k++) {
		ck_assert_uint_eq(out[k].opcode, op_own[k] >> 4);
		ck_assert_uint_eq(out[k].meta.byte_cnt, length_of(k));
		ck_assert_uint_eq(out[k].session_n, 0);
		ck_assert_uint_eq(out[k].syndrome, 0);
	}
	free(ring);
}
END_TEST

START_TEST(reader_errors)
{
	uint8_t *ring = fresh(2);
	struct cqesim_cq_reader r = reader(ring, 2);
	struct cqesim_completion out[4];

	memset(ring, 0, 256);
	image_plain(ring, 2, 0, 0);
	ring[64 + 54] = 0x51;
	ring[64 + 55] = 0x04;
	ring[64 + 60] = 0x12;
	ring[64 + 61] = 0x34;
	ring[64 + 63] = 0xe0;
	ring[128 + 54] = 0x88;
	ring[128 + 55] = 0x13;
	ring[128 + 63] = 0xd0;
	/* An error is one slot even where the format says compressed. */
	ring[192 + 55] = 0x22;
	ring[192 + 47] = 4;
	ring[192 + 63] = 0xec;
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), 4);
	expect(out, 0, 0, 0);
	ck_assert_uint_eq(out[1].opcode, CQESIM_OP_RESP_ERR);
	ck_assert_uint_eq(out[1].syndrome, CQESIM_SYNDROME_LOCAL_PROT);
	ck_assert_uint_eq(out[1].vendor_err_synd, 0x51);
	ck_assert_uint_eq(out[1].wqe_counter, 0x1234);
	ck_assert_uint_eq(out[1].session_n, 0);
	ck_assert_uint_eq(out[1].timestamp, 0); /* its bytes are syndromes here */
	ck_assert_uint_eq(out[2].opcode, CQESIM_OP_REQ_ERR);
	ck_assert_uint_eq(out[2].syndrome, 0x13);
	ck_assert_uint_eq(out[2].vendor_err_synd, 0x88);
	ck_assert_uint_eq(out[3].opcode, CQESIM_OP_RESP_ERR);
	ck_assert_uint_eq(out[3].syndrome, 0x22);
	ck_assert_uint_eq(out[3].session_n, 0);
	ck_assert_uint_eq(r.ci, 4);
	free(ring);
}
END_TEST

/* What the three drivers leave in the slots of a session, by hand. */
static void image_consumed(uint8_t *ring, unsigned log_size, uint32_t k, uint32_t n,
			   enum cqesim_invalidate invalidate)
{
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *op_own = slot(ring, log_size, k + i) + 63;

		if (invalidate == CQESIM_INVALIDATE_DPDK_SCALAR)
			*op_own = i ? 0xf0 : *op_own;
		else if (invalidate == CQESIM_INVALIDATE_DPDK_VEC)
			*op_own = 0xf0;
		else /* the owner bit of the lap that the slot was in */
			*op_own = lap(log_size, k + i);
	}
}

/* All lengths, start slots and burst sizes, for one of the drivers' ways. */
START_TEST(reader_sessions)
{
	enum cqesim_invalidate invalidate = (enum cqesim_invalidate)_i;
	const unsigned log_size = 5;
	const uint32_t size = 32;
	uint8_t *ring = test_cq_ring(log_size), *want = test_cq_ring(log_size);
	struct cqesim_completion out[64];

	for (uint32_t k = 0; k < 2 * size; k += k % 8 == 6 ? 1 : 3)
		for (uint32_t n = 2; n <= size; n++)
			for (uint32_t burst = 1; burst <= n + 1; burst += burst < 10 ? 1 : 5) {
				struct cqesim_cq_reader r;

				cqesim_cq_reader_init(
					&r, ring,
					&(struct cqesim_cq_shape){.log_size = log_size,
								  .format = CQESIM_MINI_HASH},
					invalidate);
				/* As after k plain completions, before any later one. */
				for (uint32_t s = 0; s < size; s++)
					image_plain(ring, log_size,
						    s >= k % size ? k - k % size + s - size
								  : k - k % size + s,
						    s);
				r.ci = k;
				image_session(ring, log_size, k, n, 5);
				memcpy(want, ring, (size_t)64 << log_size);
				uint32_t got = 0;
				while (got < n) {
					int rc = cqesim_cq_poll(&r, out, burst, NULL);
					uint32_t due = n - got < burst ? n - got : burst;

					ck_assert_int_eq(rc, (int)due);
					for (uint32_t i = 0; i < due; i++)
						expect(&out[i], 5 + got + i, n, got + i);
					got += due;
					/* Until the last is out, the slots are not given back. */
					ck_assert_uint_eq(r.ci, got < n ? k : k + n);
					if (got < n)
						same_ring(ring, want, log_size, "half read");
				}
				image_consumed(want, log_size, k, n, invalidate);
				same_ring(ring, want, log_size, "consumed");
				ck_assert_int_eq(cqesim_cq_poll(&r, out, burst, NULL), 0);
			}
	free(ring);
	free(want);
}
END_TEST

/* One call goes over plain entries and sessions alike. */
START_TEST(reader_mixes)
{
	uint8_t *ring = fresh(5);
	struct cqesim_cq_reader r = reader(ring, 5);
	struct cqesim_completion out[64];

	image_plain(ring, 5, 0, 0);
	image_session(ring, 5, 1, 10, 1);
	image_session(ring, 5, 11, 2, 11);
	image_plain(ring, 5, 13, 13);
	image_session(ring, 5, 14, 18, 14); /* ends with the ring */
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 64, NULL), 32);
	for (uint32_t i = 0; i < 32; i++)
		expect(&out[i], i,
		       i == 0 || i == 13 ? 0
		       : i < 11          ? 10
		       : i < 13          ? 2
					 : 18,
		       i == 0 || i == 13 ? 0
		       : i < 11          ? i - 1
		       : i < 13          ? i - 11
					 : i - 14);
	ck_assert_uint_eq(r.ci, 32);
	free(ring);
}
END_TEST

START_TEST(reader_formats)
{
	static const uint8_t mini[2][8] = {{0x81, 0x82, 0x83, 0x84, 0x85, 0x06, 0x07, 0x08},
					   {0x91, 0x92, 0x93, 0x94, 0x15, 0x16, 0x17, 0x18}};
	/* What minis say is theirs, the rest is the title's; counters count on without an index. */
	static const struct {
		uint32_t hash, tag, length;
		uint16_t csum, counter;
		uint8_t type;
	} want[CQESIM_MINI_FORMATS][2] = {
		{{0x81828384, 0xabcdef, 0x85060708, 0xabcd, 0x4000, 0x28},
		 {0x91929394, 0xabcdef, 0x15161718, 0xabcd, 0x4001, 0x28}},
		{{0x9e3779b9, 0xabcdef, 0x85060708, 0x8182, 0x4000, 0x28},
		 {0x9e3779b9, 0xabcdef, 0x15161718, 0x9192, 0x4001, 0x28}},
		{{0x9e3779b9, 0x858182, 0x060708, 0xabcd, 0x8384, 0x28},
		 {0x9e3779b9, 0x159192, 0x161718, 0xabcd, 0x9394, 0x28}},
		{{0x9e3779b9, 0xabcdef, 0x85060708, 0x8182, 0x8384, 0x28},
		 {0x9e3779b9, 0xabcdef, 0x15161718, 0x9192, 0x9394, 0x28}},
		{{0x9e3779b9, 0xabcdef, 0x85060708, 0xabcd, 0x8384, 0x81},
		 {0x9e3779b9, 0xabcdef, 0x15161718, 0xabcd, 0x9394, 0x91}},
	};
	uint8_t *ring = fresh(3);
	struct cqesim_cq_reader r;
	struct cqesim_completion out[3];

	ck_assert_int_eq(cqesim_cq_reader_init(
				 &r, ring,
				 &(struct cqesim_cq_shape){.log_size = 3,
							   .format = (enum cqesim_mini_format)_i,
							   .any_length = true},
				 0),
			 0);
	image_session(ring, 3, 0, 2, 0);
	memcpy(ring + 64, mini, 16);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 3, NULL), 2);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(out[i].meta.rx_hash_res, want[_i][i].hash);
		ck_assert_uint_eq(out[i].meta.flow_tag, want[_i][i].tag);
		ck_assert_uint_eq(out[i].meta.byte_cnt, want[_i][i].length);
		ck_assert_uint_eq(out[i].meta.csum, want[_i][i].csum);
		ck_assert_uint_eq(out[i].wqe_counter, want[_i][i].counter);
		ck_assert_uint_eq(out[i].meta.l4_l3_hdr_type, want[_i][i].type);
		ck_assert_uint_eq(out[i].timestamp, 1000000);
		ck_assert_uint_eq(out[i].meta.user_index, 0x12345);
	}
	free(ring);
}
END_TEST

START_TEST(counter_wraps_in_session)
{
	uint8_t *ring = fresh(3);
	struct cqesim_cq_reader r = reader(ring, 3);
	struct cqesim_completion out[4];

	image_session(ring, 3, 0, 4, 0);
	ring[60] = 0xff;
	ring[61] = 0xfe;
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), 4);
	ck_assert_uint_eq(out[0].wqe_counter, 0xfffe);
	ck_assert_uint_eq(out[1].wqe_counter, 0xffff);
	ck_assert_uint_eq(out[2].wqe_counter, 0);
	ck_assert_uint_eq(out[3].wqe_counter, 1);
	free(ring);
}
END_TEST

START_TEST(reader_malformed)
{
	static const struct {
		uint32_t count;
		enum cqesim_cq_fault_kind kind;
	} c[] = {
		{0, CQESIM_CQ_FAULT_SESSION_SHORT},
		{1, CQESIM_CQ_FAULT_SESSION_SHORT},
		{17, CQESIM_CQ_FAULT_SESSION_LONG},
		{0x10000, CQESIM_CQ_FAULT_SESSION_LONG},
		{0x80000002, CQESIM_CQ_FAULT_SESSION_LONG},
		{0xffffffff, CQESIM_CQ_FAULT_SESSION_LONG},
	};
	struct cqesim_completion out[16];
	struct cqesim_cq_fault fault;

	for (size_t i = 0; i < COUNT(c); i++) {
		uint8_t *ring = fresh(4);
		struct cqesim_cq_reader r = reader(ring, 4);

		/* In the second lap: 20 and 21 good, 22 malformed, 23-25 a session. */
		r.ci = 20;
		image_plain(ring, 4, 20, 20);
		image_plain(ring, 4, 21, 21);
		image_session(ring, 4, 22, 2, 0);
		be32(ring + 6 * 64 + 44, c[i].count);
		image_session(ring, 4, 23, 3, 23);
		memset(&fault, 0, sizeof(fault));
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), 2);
		ck_assert_int_eq(fault.kind, CQESIM_CQ_FAULT_NONE);
		expect(&out[0], 20, 0, 0);
		expect(&out[1], 21, 0, 0);
		ck_assert_uint_eq(r.ci, 22);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), -EBADMSG);
		ck_assert_int_eq(fault.kind, c[i].kind);
		ck_assert_uint_eq(fault.index, 22);
		ck_assert_uint_eq(fault.slot, 6);
		ck_assert_uint_eq(fault.found, c[i].count);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), 3);
		for (uint32_t p = 0; p < 3; p++)
			expect(&out[p], 23 + p, 3, p);
		ck_assert_uint_eq(r.ci, 26);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), 0);
		/* Nobody need listen. */
		r.ci = 22;
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), -EBADMSG);
		free(ring);
	}
	ck_assert_str_ne(cqesim_cq_fault_name(CQESIM_CQ_FAULT_SESSION_SHORT),
			 cqesim_cq_fault_name(CQESIM_CQ_FAULT_SESSION_LONG));
	ck_assert_str_ne(cqesim_cq_fault_name(CQESIM_CQ_FAULT_SESSION_SHORT),
			 cqesim_cq_fault_name(CQESIM_CQ_FAULT_NONE));
}
END_TEST

START_TEST(smallest_rings)
{
	struct cqesim_completion out[4];
	uint8_t cqe[64];

	/* One slot: nothing but plain completions, the lap bit turns with each. */
	uint8_t *ring = fresh(0);
	struct cqesim_cq_writer w = writer(ring, 0, 64, true);
	struct cqesim_cq_reader r = reader(ring, 0);
	for (uint32_t i = 0; i < 10; i++) {
		packet(cqe, i);
		ck_assert_uint_lt(cqesim_cq_session_open(&w, cqe), 2);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), 0);
		cqesim_cq_write(&w, cqe, 2, 0);
		ck_assert_uint_eq(ring[63], 0x20 | (i & 1));
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), 1);
		expect(out, i, 0, 0);
	}
	/* Its title could have no array. */
	image_plain(ring, 0, 10, 0);
	ring[63] = 0x2c;
	ring[47] = 2;
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), -EBADMSG);
	free(ring);

	/* Two and four slots: full sessions from every slot, lap after lap. */
	for (unsigned log_size = 1; log_size <= 2; log_size++) {
		uint32_t size = 1u << log_size, i = 0;

		ring = fresh(log_size);
		w = writer(ring, log_size, size, true);
		r = reader(ring, log_size);
		for (unsigned turn = 0; turn < 20; turn++) {
			write_session(&w, size, i);
			ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), (int)size);
			for (uint32_t p = 0; p < size; p++)
				expect(&out[p], i + p, size, p);
			i += size;
			packet(cqe, i);
			cqesim_cq_write(&w, cqe, 2, 0);
			ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), 1);
			expect(out, i++, 0, 0);
		}
		free(ring);
	}
}
END_TEST

/* Indices are 32 bits and wrap; slots and laps go on as if they did not. */
START_TEST(index_wraps)
{
	uint8_t *ring = fresh(3), cqe[64];
	struct cqesim_cq_writer w = writer(ring, 3, 8, true);
	struct cqesim_cq_reader r = reader(ring, 3);
	struct cqesim_completion out[8];

	w.pi = r.ci = 0xfffffff5; /* in an odd lap; so the slots hold an even one's */
	for (uint32_t s = 0; s < 8; s++)
		ring[s * 64 + 63] = 0x20;
	for (uint32_t i = 0; i < 40;) {
		write_session(&w, 5, i);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 8, NULL), 5);
		for (uint32_t p = 0; p < 5; p++)
			expect(&out[p], i + p, 5, p);
		i += 5;
		packet(cqe, i);
		cqesim_cq_write(&w, cqe, 2, 0);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 8, NULL), 1);
		expect(out, i++, 0, 0);
		ck_assert_uint_eq(w.pi, 0xfffffff5 + i);
		ck_assert_uint_eq(r.ci, 0xfffffff5 + i);
	}
	free(ring);
}
END_TEST

START_TEST(doorbell_record)
{
	struct cqesim_cq_reader r = {.ci = 0xab123456};
	union {
		uint32_t word;
		uint8_t byte[4];
	} db = {0xffffffff};
	static const uint8_t want[4] = {0x00, 0x12, 0x34, 0x56};

	cqesim_cq_doorbell(&r, &db.word);
	ck_assert_mem_eq(db.byte, want, 4);
}
END_TEST

void test_cq_reader(Suite *s)
{
	TCase *t = tcase_create("reader");

	tcase_add_test(t, reader_waits);
	tcase_add_test(t, reader_plain);
	tcase_add_test(t, reader_opcodes);
	tcase_add_test(t, reader_errors);
	tcase_add_loop_test(t, reader_sessions, 0, 3);
	tcase_add_test(t, reader_mixes);
	tcase_add_loop_test(t, reader_formats, 0, CQESIM_MINI_FORMATS);
	tcase_add_test(t, counter_wraps_in_session);
	tcase_add_test(t, reader_malformed);
	tcase_add_test(t, smallest_rings);
	tcase_add_test(t, index_wraps);
	tcase_add_test(t, doorbell_record);
	tcase_set_timeout(t, 120);
	suite_add_tcase(s, t);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptions: the bytes that they stand for, written down by hand, and what
 * is said about mistakes in them.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "test_describe.h"

/* "0f", "3c" ... at a place of the slot; everything else must be 0. */
static void expect_slot(const uint8_t *ring, unsigned slot, const char *const *places)
{
	uint8_t want[64] = {0};

	for (; *places; places++) {
		unsigned at, value;
		int used;
		const char *p = *places;

		ck_assert_int_eq(sscanf(p, "%u:%n", &at, &used), 1);
		for (p += used; sscanf(p, "%2x%n", &value, &used) == 1; p += used)
			want[at++] = (uint8_t)value;
	}
	for (unsigned i = 0; i < 64; i++)
		ck_assert_msg(ring[64 * slot + i] == want[i], "slot %u, byte %u: %02x, not %02x",
			      slot, i, ring[64 * slot + i], want[i]);
}
#define EXPECT(ring, slot, ...) expect_slot(ring, slot, (const char *const[]){__VA_ARGS__, NULL})

/* ---- completions ---- */

START_TEST(fields)
{
	struct cqesim_description *d = description(
		"tunneled: yes\nouter_l3_type: IPv6\nwqe_id: 0x1234\nrx_hash_res: 0xdeadbeef\n"
		"hash_ip: IPv4\nhash_l4: udp\ncsum: 65535\nl3_ok: true\nl4_ok: 1\nl2_ok: on\n"
		"vlan_stripped: yes\nl3_hdr_type: IPv4\nl4_hdr_type: TCP_ACK_with-data\nip_frag: "
		"1\n"
		"pcp: 5\nvid: 0x123\nuser_index: 0xabcdef\nflow_table_metadata: 0x01020304\n"
		"byte_cnt: 1514\ntimestamp: 0x1112131415161718\nflow_tag: 0x212223\n"
		"wqe_counter: 0x3132\nsignature: 0x41\nse: yes\nowner: 1\n"
		"lro: {tcp_psh: 1, min_ttl: 64, tcp_win: 0x5152, ack_seq_num: 0x61626364, num_seg: "
		"3}\n");
	uint8_t *ring = written(d, NULL);

	ck_assert(!d->has_ring);
	ck_assert_uint_eq(cqesim_description_bytes(d), 64);
	/* byte 29: fragment, TCP ACK with data (4), IPv4 (2), VLAN stripped */
	EXPECT(ring, 0, "0:03", "2:1234", "4:40 40 5152 61626364 deadbeef", "16:84", "20:ffff",
	       "28:07 c9 a123", "32:03 abcdef 01020304", "44:000005ea 1112131415161718",
	       "57:212223 3132 41 23");
	free(ring);
	cqesim_description_free(d);
}
END_TEST

START_TEST(views)
{
	struct cqesim_description *d = description(
		"- {opcode: REQ_ERR, syndrome: RNR_RETRY_EXC_ERR, vendor_err_synd: 0x87,\n"
		"   wqe_opcode: SEND, qpn: 0x123, wqe_counter: 0x1e2, hw_err_synd: 1, srqn: 2}\n"
		"- {view: sig, expected_reftag: 1, mkey: 0x777, err_offset: 512, qpn: 5}\n"
		"- {view: req, send_opcode: RDMA_READ, qpn: 9, byte_cnt: 4096}\n"
		"- {view: bare}\n"
		"- {opcode: 9, owner: 1}\n"
		"- {opcode: RESP_SEND_IMM, tm: {success: 0x80000000, hw_phase_cnt: 7}, app: 1}\n"
		"- {shampo: {match: 1, flush: 1, header_size: 66, header_entry_index: 3,\n"
		"   data_offset: 128}}\n");
	uint8_t *ring = written(d, NULL);

	ck_assert_uint_eq(d->cqes, 7);
	ck_assert_uint_eq(cqesim_description_bytes(d), 7 * 64);
	EXPECT(ring, 0, "35:02", "52:01 00 87 16 0a 000123 01e2 00 d0");
	/* Where no wqe_counter is given, it counts on. */
	EXPECT(ring, 1, "27:01", "36:00000777 0000000000000200", "59:05", "63:c0");
	EXPECT(ring, 2, "44:00001000", "56:10 000009 01e3", "63:00");
	EXPECT(ring, 3, "63:50");
	EXPECT(ring, 4, "63:91");
	EXPECT(ring, 5, "0:80000000 0007", "40:01", "60:01e4", "63:30");
	EXPECT(ring, 6, "4:06 42 0003 00000080", "60:01e5", "63:20");
	free(ring);
	cqesim_description_free(d);
}
END_TEST

START_TEST(raw_over)
{
	char text[600];

	/* Bytes 0, 1, ... 63; the last is opcode 3, format 3, owner 1, what stays but for the
	 * opcode. */
	char digits[129];
	for (unsigned i = 0; i < 64; i++)
		snprintf(digits + 2 * i, 3, "%02x", i);
	snprintf(text, sizeof(text), "[{raw: \"%s\"}, {raw: \"%s\", opcode: RESP_SEND, vid: 0}]",
		 digits, digits);
	struct cqesim_description *d = description(text);
	uint8_t *ring = written(d, NULL);
	for (unsigned i = 0; i < 64; i++) {
		ck_assert_uint_eq(ring[i], i);
		ck_assert_uint_eq(ring[64 + i], i == 30 ? 0x10 : i == 31 ? 0 : i == 63 ? 0x2f : i);
	}
	free(ring);
	cqesim_description_free(d);
}
END_TEST

START_TEST(inline_data)
{
	struct cqesim_description *d = description(
		"ring: {log_cqe_n: 1, cqe_size: 128}\n"
		"entries:\n"
		"  - {inline: 68 65 6c 6c 6f, user_index: 2}\n"
		"  - {inline: "
		"'000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20'}\n");
	struct cqesim_cq_reader reader;
	struct cqesim_completion c;
	uint8_t *ring = written(d, &reader);
	size_t bytes;

	/* Up to 32 bytes in the CQE itself, format 1; more in the first half of the slot, format 2.
	 */
	EXPECT(ring, 1, "0:68656c6c6f", "35:02", "47:05", "63:24");
	ck_assert_uint_eq(ring[128 + 127], 0x28);
	ck_assert_uint_eq(ring[128 + 64 + 47], 33);
	ck_assert_uint_eq(ring[128], 0);
	ck_assert_uint_eq(ring[128 + 32], 32);
	ck_assert_int_eq(cqesim_cq_poll(&reader, &c, 1, NULL), 1);
	const uint8_t *data = cqesim_cq_inline_data(&reader, &c, &bytes);
	ck_assert_uint_eq(bytes, 5);
	ck_assert_mem_eq(data, "hello", 5);
	free(ring);
	cqesim_description_free(d);
}
END_TEST

/* ---- rings ---- */

START_TEST(session)
{
	struct cqesim_description *d = example("session.yaml");
	uint8_t *ring = written(d, NULL);

	/* Never written: as drivers fill a ring. */
	EXPECT(ring, 0, "62:ff f1");
	EXPECT(ring, 4, "12:abcd0001", "29:28", "44:000005ea", "60:0004", "63:20");
	/* The title announces nine; its hash is its own packet's. */
	EXPECT(ring, 5, "15:10", "28:06 48", "47:09", "60:0005", "63:2c");
	EXPECT(ring, 6, "0:00000010 0000003c 00000011 0000003d", "16:00000012 0000003e",
	       "24:00000012 0000003e", "32:00000012 0000003e", "40:00000012 0000003e",
	       "48:00000012 0000003e", "56:00000012 0000003e");
	EXPECT(ring, 7, "62:ff f1");
	EXPECT(ring, 13, "0:00000018 00000046");
	EXPECT(ring, 14, "62:ff f1");
	free(ring);
	cqesim_description_free(d);
}
END_TEST

START_TEST(second_lap)
{
	struct cqesim_description *d =
		description("{\"ring\": {\"log_cqe_n\": 2, \"start\": 5, \"init\": \"zero\"},\n"
			    " \"entries\": [{\"session\": {\"minis\": [{\"byte_cnt\": 60}, "
			    "{\"byte_cnt\": 61}]}},\n"
			    "              {\"byte_cnt\": 62}]}");
	struct cqesim_cq_reader reader;
	uint8_t *ring = written(d, &reader);

	EXPECT(ring, 0, "63:00");
	EXPECT(ring, 1, "47:02", "60:0005", "63:2d");
	EXPECT(ring, 2, "4:0000003c", "12:0000003d");
	EXPECT(ring, 3, "47:3e", "60:0007", "63:21");
	ck_assert_uint_eq(reader.ci, 5);
	free(ring);
	cqesim_description_free(d);
}
END_TEST

START_TEST(enhanced)
{
	struct cqesim_description *d = example("enhanced.yaml");
	uint8_t *ring = written(d, NULL);

	/* 8256 = 258 * 32: lap 258, of which the count keeps 2; the owner bit is 0. */
	EXPECT(ring, 0, "29:04", "47:3c", "57:123456 2040 02 20");
	/* Tag bits 15:0, stride index, bits 23:16, length; wqe_counter, count, seven minis. */
	EXPECT(ring, 1, "0:0001 2041 0000003c", "8:dcba 2042 fe0005ea", "16:dcba 2043 fe0005ea",
	       "24:dcba 2044 fe0005ea", "32:dcba 2045 fe0005ea", "40:dcba 2046 fe0005ea",
	       "48:dcba 2047 fe0005ea", "60:2041 02 6c");
	EXPECT(ring, 2, "62:ff f1");
	EXPECT(ring, 15, "29:08", "47:5a", "57:000002 204f 02 20");
	EXPECT(ring, 16, "0:0003 2050 0000005b", "60:2050 02 0c");
	free(ring);
	cqesim_description_free(d);
}
END_TEST

START_TEST(striding)
{
	struct cqesim_description *d = example("striding.yaml");
	uint8_t *ring = written(d, NULL);

	/* Odd numbers: the second halves of slots of 128 bytes. */
	EXPECT(ring, 1, "2:0003", "44:0001003c", "63:20");
	EXPECT(ring, 3, "2:0003", "20:1111", "47:03", "60:0001", "63:2c");
	/* 1000 bytes are 4 strides of 256, 256 one, 257 two. */
	EXPECT(ring, 5, "0:1111 0001 000403e8", "8:2222 0005 00010100", "16:3333 0006 00020101");
	EXPECT(ring, 9, "2:0003", "44:80380000", "60:0008", "63:20");
	EXPECT(ring, 11, "2:0004", "44:0001003c", "63:20");
	free(ring);
	cqesim_description_free(d);
}
END_TEST

START_TEST(requester)
{
	struct cqesim_description *d =
		description("ring: {log_cqe_n: 3, mini_format: req}\n"
			    "entries:\n"
			    "  - session:\n"
			    "      title: {qpn: 0x55}\n"
			    "      minis:\n"
			    "        - {wqe_counter: 3, send_opcode: SEND, byte_cnt: 0}\n"
			    "        - {wqe_counter: 9, send_opcode: RDMA_READ, byte_cnt: 512}\n");
	uint8_t *ring = written(d, NULL);

	EXPECT(ring, 0, "47:02", "56:0a 000055 0003", "63:0c");
	EXPECT(ring, 1, "0:0003 0a00 00000000 0009 1000 00000200");
	free(ring);
	cqesim_description_free(d);
}
END_TEST

/* What a device would not write is put over what it would. */
START_TEST(put_over)
{
	struct cqesim_description *d = description(
		"ring: {log_cqe_n: 3}\n"
		"entries:\n"
		"  - {byte_cnt: 60, owner: 1, signature: 0x5a, se: 1}\n"
		"  - session:\n"
		"      title: {byte_cnt: 7, rx_hash_res: 9, opcode: RESP_SEND_IMM, owner: 1}\n"
		"      minis: [{byte_cnt: 60, rx_hash_res: 1}, {raw: 0102030405060708}]\n"
		"  - hole: 2\n"
		"  - {byte_cnt: 61}\n");
	uint8_t *ring = written(d, NULL);

	EXPECT(ring, 0, "47:3c", "62:5a 23");
	EXPECT(ring, 1, "15:09", "47:07", "60:0001", "63:3d");
	EXPECT(ring, 2, "0:00000001 0000003c 0102030405060708");
	EXPECT(ring, 3, "62:ff f1");
	EXPECT(ring, 5, "47:3d", "60:0003", "63:20");
	free(ring);
	cqesim_description_free(d);
	d = description("ring: {log_cqe_n: 3, layout: enhanced}\n"
			"entries:\n"
			"  - {byte_cnt: 60, signature: 3}\n"
			"  - array: [{byte_cnt: 61}]\n"
			"    tail: {minis: 8, iteration_count: 5, wqe_counter: 0x7777}\n");
	ring = written(d, NULL);
	EXPECT(ring, 0, "47:3c", "62:03 20");
	EXPECT(ring, 1, "7:3d", "60:7777 05 8c");
	free(ring);
	cqesim_description_free(d);
}
END_TEST

/* Where "batch" stands, the driver reads and gives slots back. */
START_TEST(laps)
{
	struct cqesim_description *d = example("laps.yaml");
	struct cqesim_cq_reader reader;
	uint8_t *ring = written(d, &reader);

	ck_assert_uint_eq(d->ci, 11);
	ck_assert_uint_eq(reader.ci, 11);
	/* Session at indices 6 to 9: slots 6, 7, 0, 1.  Linux: the owner bit of the lap just read.
	 */
	ck_assert_uint_eq(ring[64 * 6 + 63], 0x00);
	ck_assert_uint_eq(ring[64 * 7 + 63], 0x00);
	ck_assert_uint_eq(ring[64 * 0 + 63], 0x01);
	ck_assert_uint_eq(ring[64 * 1 + 63], 0x01);
	/* The packet at index 10 is of lap 1. */
	ck_assert_uint_eq(ring[64 * 2 + 63], 0x21);
	free(ring);
	cqesim_description_free(d);
}
END_TEST

struct calls {
	unsigned written, read;
	uint32_t index[16], max[4];
	int fail_at;
};

static int on_written(void *context, uint32_t index, const uint8_t *slot)
{
	struct calls *c = context;

	ck_assert_ptr_nonnull(slot);
	c->index[c->written % 16] = index;
	return (int)++c->written == c->fail_at ? 77 : 0;
}

static int on_read(void *context, struct cqesim_cq_reader *reader, uint32_t max)
{
	struct calls *c = context;

	reader->ci += 4; /* as if all were read */
	c->max[c->read++] = max;
	return 0;
}

START_TEST(watched)
{
	struct cqesim_description *d =
		description("ring: {log_cqe_n: 2, start: 6}\n"
			    "entries:\n"
			    "  - session: {minis: [{byte_cnt: 60}, {byte_cnt: 60}]}\n"
			    "  - {byte_cnt: 1, repeat: 2}\n"
			    "  - batch: 3\n"
			    "  - {byte_cnt: 1}\n"
			    "  - batch: all\n");
	struct calls calls = {0};
	struct cqesim_description_watch watch = {&calls, on_written, on_read};
	struct cqesim_cq_reader reader;
	struct cqesim_error err;
	uint8_t *ring = ring_of(d);

	ck_assert_int_eq(
		cqesim_description_write(d, ring, CQESIM_INVALIDATE_LINUX, &reader, &watch, &err),
		0);
	/* Array before title; then in order. */
	static const uint32_t order[] = {7, 6, 8, 9, 10};
	ck_assert_uint_eq(calls.written, 5);
	ck_assert_mem_eq(calls.index, order, sizeof(order));
	ck_assert_uint_eq(calls.read, 2);
	ck_assert_uint_eq(calls.max[0], 3);
	ck_assert_uint_eq(calls.max[1], UINT32_MAX);
	ck_assert_uint_eq(reader.invalidate, CQESIM_INVALIDATE_LINUX);
	calls = (struct calls){.fail_at = 3};
	ck_assert_int_eq(
		cqesim_description_write(d, ring, CQESIM_INVALIDATE_LINUX, &reader, &watch, &err),
		77);
	ck_assert_uint_eq(calls.written, 3);
	free(ring);
	cqesim_description_free(d);
}
END_TEST

/* ---- mistakes ---- */

#define RING "ring: {log_cqe_n: 4}\nentries:\n"
#define ENH  "ring: {log_cqe_n: 4, layout: enhanced}\nentries:\n"

static const struct {
	const char *text, *message;
} mistakes[] = {
	/* the text */
	{"", "d:1: nothing described"},
	{"# only this\n", "d:1: nothing described"},
	{"[]", "d:1: nothing described"},
	{"{}", "d:1: nothing described"},
	{"hello", "d:1: expected a completion's fields, a list of them, or ring and entries"},
	{"a: [\n", "d:2: not YAML: did not find expected node content"},
	{"\n{byte_cnt: 1]", "d:2: not YAML: "},
	{"byte_cnt: 1\nbyte_cnt: 2\n", "d:2: key 'byte_cnt' given twice, first in line 1"},
	{"- &a {byte_cnt: 1}\n- *a\n",
	 "d:1: anchors and aliases (& and *) are not for descriptions"},
	{"byte_cnt: 1\n---\nbyte_cnt: 2\n", "d:2: a second document; expected one"},
	{"[[[[[[[[[1]]]]]]]]]", "d:1: nested too deeply"},
	{"? [a]\n: 1\n", "d:1: a key must be a word"},
	/* values */
	{"byte_cnt: 0x100000000\n", "d:1: byte_cnt: 0x100000000 does not fit in 32 bits, the "
				    "largest is 4294967295 (0xffffffff)"},
	{"\n\nflow_tag: 16777216\n", "d:3: flow_tag: 16777216 does not fit in 24 bits"},
	{"byte_cnt: -1\n",
	 "d:1: byte_cnt: expected a number up to 4294967295 (0xffffffff), not '-1'"},
	{"byte_cnt: 1.5\n", "d:1: byte_cnt: expected a number"},
	{"byte_cnt: 0x\n", "d:1: byte_cnt: expected a number"},
	{"byte_cnt: 99999999999999999999\n", "d:1: byte_cnt: expected a number"},
	{"byte_cnt:\n", "d:1: byte_cnt: expected a number"},
	{"byte_cnt: [1]\n", "d:1: byte_cnt: expected a value, not a list"},
	{"l3_hdr_type: IPv5\n", "d:1: l3_hdr_type: expected a number up to 3 (0x3), or a name: "
				"none, IPv6, IPv4, not 'IPv5'"},
	{"l3_ok: maybe\n", "d:1: l3_ok: expected a number up to 1 (0x1), yes or no, not 'maybe'"},
	{"owner: 2\n", "d:1: owner: 2 does not fit in 1 bit,"},
	{"opcode: RECV\n",
	 "d:1: opcode: expected a number up to 15 (0xf), or a name: REQ, RESP_WR_IMM"},
	{"raw: 00\n", "d:1: raw: 1 bytes, expected 64"},
	{"raw: 0\n", "d:1: raw: 1 hex digits, expected two a byte and at most 64 bytes"},
	{"raw: 0g\n", "d:1: raw: expected hex digits, not 'g' behind 1 of them"},
	{"inline: 0102030405060708091011121314151617181920212223242526272829303132 33\n",
	 "d:1: inline: 33 bytes, expected at most 32 (64 with cqe_size: 128)"},
	{"repeat: 0\n", "d:1: repeat: expected a whole number, 1 to 1048576, not 0"},
	{"- {repeat: 65536}\n- {}\n", "d:2: more than 65536 completions without a ring"},
	/* keys */
	{"byte_count: 60\n",
	 "d:1: byte_count: no field of a receive completion; is byte_cnt meant?"},
	{"syndrome: 5\n", "d:1: syndrome: no field of a receive completion, but of view err"},
	{"colour: red\n",
	 "d:1: colour: no field of a receive completion; cqesim formats rx lists them"},
	{"opcode: REQ_ERR\nvlan_info: 1\n",
	 "d:2: vlan_info: no field of an error completion, but of view"},
	{"lro: {tcp_pshh: 1}\n",
	 "d:1: tcp_pshh: no field of a large receive offload; is tcp_psh meant?"},
	{"lro: 1\n", "d:1: lro: expected fields with values, not a single value"},
	{"view: err\n", "d:1: view: err needs an opcode beside it, REQ_ERR or RESP_ERR"},
	{"view: tx\n", "d:1: view: expected one of rx, err, sig, req, bare, not tx"},
	{"opcode: RESP_SEND\nview: req\n", "d:2: view: an opcode of 2 (RESP_SEND) is rx, not req"},
	{"l4_l3_hdr_type: 0x28\nl3_hdr_type: IPv4\n",
	 "d:2: l3_hdr_type: gives bits of byte 29 that l4_l3_hdr_type gives in line 1 too"},
	{"byte_cnt: 60\nstriding: {length: 60}\n",
	 "d:2: length: gives bits of byte 46 that byte_cnt gives in line 1 too"},
	{"rx_hash_res: 1\ninline: 01\n",
	 "d:2: inline: lies in bytes 0 to 31, where rx_hash_res of line 1"},
	{"format: 1\ninline: 01\n",
	 "d:2: inline: the format follows from the data, leave format out"},
	{"length: 60\n", "d:1: length: no field of a receive completion"}, /* no striding ring */
	{"- 5\n", "d:1: expected the fields of a completion, not a single value"},
	{"- session: {minis: []}\n",
	 "d:1: session: needs a ring: keys ring and entries at the top"},
	{"batch: all\n", "d:1: batch: needs a ring"},
	/* the ring */
	{"ring: {log_cqe_n: 4}\n", "d:1: the key 'entries' is missing"},
	{"entries: []\n", "d:1: the key 'ring' is missing"},
	{"ring: 4\nentries: []\n",
	 "d:1: ring: expected keys such as log_cqe_n, not a single value"},
	{"ring: {log_cqe_n: 4}\nentries: 4\n", "d:2: entries: expected a list, not a single value"},
	{"ring: {}\nentries: []\n", "d:1: ring: log_cqe_n is missing: log2 of the ring's slots"},
	{"ring: {log_cqe_n: 17}\nentries: []\n",
	 "d:1: log_cqe_n: expected a whole number, 0 to 16, not 17"},
	{"ring: {log_cqe_n: 4, size: 3}\nentries: []\n",
	 "d:1: size: unknown key; a ring has log_cqe_n,"},
	{"ring:\n  log_cqe_n: 4\n  layout: best\nentries: []\n",
	 "d:3: layout: expected one of basic, enhanced, not best"},
	{"ring: {log_cqe_n: 4, mini_format: md5}\nentries: []\n",
	 "d:1: mini_format: expected one of hash, csum, ftag_stridx, csum_stridx, l34h_stridx, "
	 "req, "
	 "req_iter, not md5"},
	{"ring: {log_cqe_n: 4, cqe_size: 96}\nentries: []\n",
	 "d:1: cqe_size: expected 64 or 128, not 96"},
	{"ring: {log_cqe_n: 4, log_stride: 17}\nentries: []\n",
	 "d:1: log_stride: expected a whole"},
	{"ring: {log_cqe_n: 4, cross: maybe}\nentries: []\n",
	 "d:1: cross: expected yes or no, not maybe"},
	{"ring: {log_cqe_n: 4, driver: freebsd}\nentries: []\n",
	 "d:1: driver: expected one of dpdk-scalar, dpdk-vec, linux, not freebsd"},
	{"ring: {log_cqe_n: 4, init: random}\nentries: []\n",
	 "d:1: init: expected one of driver, zero"},
	{"ring: {log_cqe_n: 4, start: 4294967296}\nentries: []\n",
	 "d:1: start: expected a whole number"},
	{"ring: {log_cqe_n: 4}\nentries: []\nrepeat: 2\n",
	 "d:3: repeat: unknown key; a description has ring and entries"},
	/* entries */
	{RING "- session: 5\n", "d:3: session: expected title and minis, not a single value"},
	{RING "- session: {title: {}}\n", "d:3: session: minis are missing"},
	{RING "- session: {minis: 1}\n",
	 "d:3: minis: expected a list of mini-CQEs, not a single value"},
	{RING "- session: {minis: []}\n",
	 "d:3: minis: expected a list of mini-CQEs, not an empty one"},
	{RING "- session: {minis: [{byte_cnt: 60}]}\n",
	 "d:3: session: one packet; a device writes that as a plain completion"},
	{RING "- session: {minis: [{byte_cnt: 60}, {}]}\n",
	 "d:3: byte_cnt is missing: each packet has its length"},
	{RING "- session:\n    minis:\n    - {byte_cnt: 60}\n    - {byte_cnt: 60, csum: 1}\n",
	 "d:6: csum: hash minis carry rx_hash_res, byte_cnt; the rest is the title's"},
	{RING "- session: {minis: [{byte_cnt: 60}, {byte_cnt: 60, lenght: 1}]}\n",
	 "d:3: lenght: no field of a receive completion"},
	{RING "- session: {minis: [{byte_cnt: 60}, {raw: 00, byte_cnt: 60}]}\n",
	 "d:3: byte_cnt: raw says it all"},
	{RING "- session: {minis: [{byte_cnt: 60}, {raw: 00}]}\n", "d:3: raw: 1 bytes, expected 8"},
	{RING "- session: {minis: [{byte_cnt: 60, repeat: 17}]}\n",
	 "d:3: more than 16 mini-CQEs, which is the most here"},
	{RING "- {byte_cnt: 60}\n- session: {minis: [{byte_cnt: 60, repeat: 16}]}\n",
	 "d:4: session: the ring of 16 slots is full, 1 are not read yet; \"batch: all\""},
	{RING "- {byte_cnt: 60}\n- batch: all\n- session: {minis: [{byte_cnt: 60, repeat: 16}]}\n",
	 "d:5: session: 16 packets from slot 1 on cross the ring's end (15 fit); \"cross: yes\" in "
	 "ring"},
	{RING "- session: {title: {opcode: REQ_ERR}, minis: [{byte_cnt: 1}, {byte_cnt: 1}]}\n",
	 "d:3: title: REQ_ERR cannot be a title"},
	{RING "- session: {title: {repeat: 2}, minis: [{byte_cnt: 1}, {byte_cnt: 1}]}\n",
	 "d:3: repeat: not for a title"},
	{RING "- session: {minis: []}\n  byte_cnt: 60\n",
	 "d:4: byte_cnt: unknown key; an entry with a session has session, repeat, note"},
	{RING "- session: {minis: [], packets: 3}\n",
	 "d:3: packets: unknown key; a session has title, minis, note"},
	{RING "- array: []\n", "d:3: array: the basic layout has sessions instead"},
	{ENH "- session: {minis: []}\n", "d:3: session: the enhanced layout has arrays instead"},
	{ENH "- array: [{byte_cnt: 60}]\n",
	 "d:3: array: no completion before it that could be its title"},
	{ENH "- {opcode: RESP_ERR}\n- array: [{byte_cnt: 60}]\n",
	 "d:4: array: no completion before it"},
	{ENH "- {byte_cnt: 1}\n- hole: 1\n- array: [{byte_cnt: 60}]\n",
	 "d:5: array: no completion"},
	{ENH "- {byte_cnt: 1}\n- array: [{byte_cnt: 60, repeat: 8}]\n",
	 "d:4: more than 7 mini-CQEs, which is the most here"},
	{ENH "- {byte_cnt: 1}\n- array: [{byte_cnt: 60}]\n  tail: {opcode: 1}\n",
	 "d:5: opcode: no field of a mini array, enhanced layout"},
	{"ring: {log_cqe_n: 4, mini_format: ftag_stridx}\nentries:\n"
	 "- session: {minis: [{byte_cnt: 60}, {byte_cnt: 0x1000000}]}\n",
	 "d:3: byte_cnt: 0x1000000 does not fit in the 24 bits of ftag_stridx minis"},
	{RING "- {repeat: 17}\n", "d:3: the ring of 16 slots is full, 16 are not read yet"},
	{RING "- hole: 17\n", "d:3: hole: expected a whole number, 1 to 16, not 17"},
	{RING "- hole: 16\n- {}\n", "d:4: the ring of 16 slots is full"},
	{RING "- batch: some\n", "d:3: batch: expected a whole number, 1 to 1048576, not some"},
	{RING "- {batch: all, byte_cnt: 2}\n",
	 "d:3: byte_cnt: unknown key; an entry with a batch has batch, note"},
	{RING "- []\n", "d:3: expected the fields of a completion, not a list"},
	{"ring: {log_cqe_n: 0}\nentries:\n- session: {minis: [{byte_cnt: 1}, {byte_cnt: 1}]}\n",
	 "d:3: more than 1 mini-CQEs, which is the most here"},
};

START_TEST(refused)
{
	const char *text = mistakes[_i].text, *message = mistakes[_i].message;
	struct cqesim_description *d;
	struct cqesim_error err = {""};

	ck_assert_int_eq(cqesim_description_parse(&d, "d", text, strlen(text), &err), -EINVAL);
	ck_assert_msg(!strncmp(err.text, message, strlen(message)), "%s\nnot: %s\nfor:\n%s",
		      err.text, message, text);
	cqesim_description_free(d);
	/* Nobody needs to ask why. */
	ck_assert_int_eq(cqesim_description_parse(&d, "d", text, strlen(text), NULL), -EINVAL);
	cqesim_description_free(d);
}
END_TEST

START_TEST(too_many)
{
	struct cqesim_description *d;
	struct cqesim_error err = {""};
	char text[40000] = "ring: {log_cqe_n: 16}\nentries:\n";

	for (int i = 0; i < 17; i++)
		strcat(text, "- {repeat: 65536}\n- batch: all\n");
	ck_assert_int_eq(cqesim_description_parse(&d, "d", text, strlen(text), &err), -EINVAL);
	ck_assert_str_eq(err.text, "d:35: more than 1048576 completions in one description");
	cqesim_description_free(d);
	strcpy(text, "{");
	for (int i = 0; i < 101; i++)
		sprintf(text + strlen(text), "k%d: 1,", i);
	ck_assert_int_eq(cqesim_description_parse(&d, "d", text, strlen(text), &err), -EINVAL);
	ck_assert_str_eq(err.text, "d:1: more than 100 keys in one place");
	cqesim_description_free(d);
}
END_TEST

START_TEST(no_such_file)
{
	struct cqesim_description *d;
	struct cqesim_error err = {""};

	ck_assert_int_eq(cqesim_description_load(&d, "/no/such/file", &err), -ENOENT);
	ck_assert_str_eq(err.text, "/no/such/file: No such file or directory");
	ck_assert_ptr_null(d);
	ck_assert_int_eq(cqesim_description_load(&d, test_top_srcdir(), &err), -EISDIR);
	ck_assert_ptr_nonnull(strstr(err.text, ": Is a directory"));
	ck_assert_int_eq(cqesim_description_load(&d, "/dev/zero", &err), -EINVAL);
	ck_assert_str_eq(err.text, "/dev/zero: larger than 1 MiB, which no description is");
	cqesim_description_free(NULL);
}
END_TEST

/* ---- what is said about the format ---- */

/* Each example in the manual's yaml and json blocks is good, and there are some. */
START_TEST(manual)
{
	char path[4096], row[1024], *text = NULL;
	size_t size = 0;
	unsigned blocks = 0;
	FILE *out = NULL;

	snprintf(path, sizeof(path), "%s/doc/descriptions.md", test_top_srcdir());
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	while (fgets(row, sizeof(row), f)) {
		bool starts = !strncmp(row, "```yaml", 7) || !strncmp(row, "```json", 7);

		if (starts) {
			out = open_memstream(&text, &size);
		} else if (out && !strncmp(row, "```", 3)) {
			fclose(out);
			out = NULL;
			cqesim_description_free(description(text));
			free(text);
			blocks++;
		} else if (out) {
			fputs(row, out);
		}
	}
	fclose(f);
	ck_assert_ptr_null(out);
	ck_assert_uint_ge(blocks, 5);
}
END_TEST

START_TEST(names_of_drivers)
{
	for (int i = 0; i <= CQESIM_INVALIDATE_LINUX; i++)
		ck_assert_int_eq(
			cqesim_invalidate_parse(cqesim_invalidate_name((enum cqesim_invalidate)i)),
			i);
	ck_assert_int_eq(cqesim_invalidate_parse("dpdk"), -EINVAL);
	ck_assert_str_eq(cqesim_invalidate_name((enum cqesim_invalidate)3), "unknown");
	ck_assert_str_eq(cqesim_invalidate_name(CQESIM_INVALIDATE_LINUX), "linux");
}
END_TEST

Suite *suite_describe(void)
{
	Suite *s = suite_create("describe");
	TCase *tc = tcase_create("bytes");

	tcase_add_test(tc, fields);
	tcase_add_test(tc, views);
	tcase_add_test(tc, raw_over);
	tcase_add_test(tc, inline_data);
	tcase_add_test(tc, session);
	tcase_add_test(tc, second_lap);
	tcase_add_test(tc, enhanced);
	tcase_add_test(tc, striding);
	tcase_add_test(tc, requester);
	tcase_add_test(tc, put_over);
	tcase_add_test(tc, laps);
	tcase_add_test(tc, watched);
	tcase_add_test(tc, names_of_drivers);
	suite_add_tcase(s, tc);
	tc = tcase_create("mistakes");
	tcase_add_loop_test(tc, refused, 0, sizeof(mistakes) / sizeof(mistakes[0]));
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, too_many);
	tcase_add_test(tc, no_such_file);
	tcase_add_test(tc, manual);
	suite_add_tcase(s, tc);
	add_describe_random(s);
	add_walk(s);
	add_describe_cli(s);
	return s;
}

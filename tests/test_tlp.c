/* SPDX-License-Identifier: BSD-3-Clause */
/* tlp: headers against bytes written by hand from the specification's layout; the file, block by
 * block. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cqesim/tlp.h"
#include "test.h"
#include "test_pcie.h"

static uint8_t bytes[CQESIM_TLP_BYTES_MAX];

/* n of bytes[], in hex. */
static void is(int n, int expected, const char *hex)
{
	char text[3 * 64 + 1] = "";

	ck_assert_int_eq(n, expected);
	for (int i = 0; i < (int)strlen(hex) / 2; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	ck_assert_str_eq(text, hex);
}

START_TEST(write_request)
{
	static const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct cqesim_tlp t = {
		.type = CQESIM_TLP_MWR,
		.address = 0x123456789abcdef0,
		.length = 8,
		.requester = 0x0100,
		.tag = 5,
		.data = data,
	};
	/* MWr, 4 DW, 2 DWs; requester 01:00.0, tag 5, all bytes of the first and the last DW. */
	is(cqesim_tlp_encode(&t, 64, bytes), 24,
	   "60000002010005ff123456789abcdef00102030405060708");
	/* Below 4 GiB the header has 3 DWs, also with 64-bit addressing. */
	t.address = 0x89abcdec;
	is(cqesim_tlp_encode(&t, 64, bytes), 20, "40000002010005ff89abcdec0102030405060708");
	/* Three bytes from the second on: one DW, enables 1110; no last DW. */
	t.address = 0x1001;
	t.length = 3;
	is(cqesim_tlp_encode(&t, 64, bytes), 16, "400000010100050e0000100000010203");
	/* Six bytes from the fourth on: enables 1000, all of the second, last 0001. */
	t.address = 0x1003;
	t.length = 6;
	is(cqesim_tlp_encode(&t, 64, bytes), 24,
	   "4000000301000518000010000000000102030405060000"
	   "00");
	t.data = NULL;
	is(cqesim_tlp_encode(&t, 64, bytes), 24,
	   "400000030100051800001000000000000000000000000000");
}
END_TEST

START_TEST(read_request)
{
	struct cqesim_tlp t = {
		.type = CQESIM_TLP_MRD,
		.address = 0x100000000,
		.length = 4096,
		.requester = 0x0100,
		.tag = 0x305, /* bits 9 and 8 stand in byte 1 */
	};
	/* 1024 DWs are written as 0. */
	is(cqesim_tlp_encode(&t, 64, bytes), 16, "20880000010005ff0000000100000000");
	t.address = 0x2000;
	t.length = 4;
	t.tag = 0x105;
	is(cqesim_tlp_encode(&t, 32, bytes), 12, "000800010100050f00002000");
}
END_TEST

START_TEST(completion)
{
	static const uint8_t data[] = {0xaa, 0xbb, 0xcc, 0xdd};
	struct cqesim_tlp t = {
		.type = CQESIM_TLP_CPLD,
		.address = 0x1234567c,
		.length = 4,
		.byte_count = 4096,
		.requester = 0x0100,
		.completer = 0,
		.tag = 0x205,
		.data = data,
	};
	/* CplD, 1 DW; completer 00:00.0, 4096 bytes left: 0; 01:00.0, tag, lower address 7c. */
	is(cqesim_tlp_encode(&t, 64, bytes), 16,
	   "4a80000100000000"
	   "0100057caabbccdd");
	t.byte_count = 68;
	is(cqesim_tlp_encode(&t, 64, bytes), 16,
	   "4a80000100000044"
	   "0100057caabbccdd");
}
END_TEST

START_TEST(refused)
{
	struct cqesim_tlp t = {.type = CQESIM_TLP_MWR, .address = 1, .length = 0};

	ck_assert_int_eq(cqesim_tlp_encode(&t, 64, bytes), -EINVAL);
	t.length = 4096; /* from an odd byte these are 1025 DWs */
	ck_assert_int_eq(cqesim_tlp_encode(&t, 64, bytes), -EINVAL);
	t.address = UINT64_C(1) << 32;
	t.length = 4;
	ck_assert_int_eq(cqesim_tlp_encode(&t, 32, bytes), -EINVAL);
}
END_TEST

/* ---- the file ---- */

static char path[4096];

static uint8_t *slurp(size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *all = malloc(1 << 20);

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(all);
	*size = fread(all, 1, 1 << 20, f);
	fclose(f);
	return all;
}

static struct cqesim_tlp_dump *create(uint64_t limit)
{
	struct cqesim_link link = make(base(3, 16, 256));
	struct cqesim_tlp_dump *d;
	struct cqesim_error err = {""};

	snprintf(path, sizeof(path), "%s/tlp.pcapng", test_tmpdir());
	unlink(path);
	ck_assert_msg(!cqesim_tlp_dump_create(&d, path, &link, limit, &err), "%s", err.text);
	return d;
}

static uint32_t word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

START_TEST(blocks)
{
	struct cqesim_tlp_dump *d = create(0);
	uint64_t written, left_out;
	uint8_t cqe[64];
	size_t size;

	memset(cqe, 0x5a, sizeof(cqe));
	/* 300 bytes at 0x1000: 256 and 44; a read of 64 with its completion. */
	cqesim_tlp_dump_write(d, 5000000000123999, 0x1000, 300, cqe, sizeof(cqe), "packet data");
	cqesim_tlp_dump_read(d, 5000000000456000, 5000000600456000, 0x2000, 64, cqe, sizeof(cqe),
			     "WQEs");
	cqesim_tlp_dump_counts(d, &written, &left_out);
	ck_assert_uint_eq(written, 4);
	ck_assert_uint_eq(left_out, 0);
	ck_assert_int_eq(access(path, F_OK), -1); /* not before it is whole */
	ck_assert_int_eq(cqesim_tlp_dump_close(d, true, NULL), 0);

	static const struct {
		uint32_t type, captured, flags;
		uint64_t ns;
	} expected[] = {
		{0x0a0d0d0a, 0, 0, 0},           {1, 0, 0, 0},
		{6, 12 + 256, 2, 5000000000123}, {6, 12 + 44, 2, 5000000000123},
		{6, 12, 2, 5000000000456},       {6, 12 + 64, 1, 5000000600456},
	};
	uint8_t *all = slurp(&size);
	size_t at = 0, block = 0;
	for (; at < size; block++) {
		const uint8_t *b = all + at;
		uint32_t length = word(b + 4);

		ck_assert_uint_lt(block, 6);
		ck_assert_uint_eq(word(b), expected[block].type);
		ck_assert_uint_eq(length % 4, 0);
		ck_assert_uint_le(at + length, size);
		ck_assert_uint_eq(word(b + length - 4), length); /* at both ends */
		if (word(b) == 6) {
			uint32_t n = word(b + 20);

			ck_assert_uint_eq((uint64_t)word(b + 12) << 32 | word(b + 16),
					  expected[block].ns);
			ck_assert_uint_eq(n, expected[block].captured);
			ck_assert_uint_eq(word(b + 24), n);
			/* Flags and the end of the options stand last. */
			ck_assert_uint_eq(word(b + length - 12), expected[block].flags);
		}
		at += length;
	}
	ck_assert_uint_eq(block, 6);
	/* Interface: USER0; 64 bytes there were, the rest of the packet's data is 0. */
	const uint8_t *interface = all + word(all + 4);
	ck_assert_uint_eq(word(interface + 8), 147);
	const uint8_t *first = interface + word(interface + 4) + 28;
	ck_assert_uint_eq(first[0], 0x40);
	ck_assert_uint_eq(first[12 + 63], 0x5a);
	ck_assert_uint_eq(first[12 + 64], 0);
	free(all);
}
END_TEST

START_TEST(limit)
{
	struct cqesim_tlp_dump *d = create(3);
	uint64_t written, left_out;

	for (unsigned i = 0; i < 10; i++)
		cqesim_tlp_dump_write(d, i, 0x1000, 64, NULL, 0, "CQE");
	cqesim_tlp_dump_counts(d, &written, &left_out);
	ck_assert_uint_eq(written, 3);
	ck_assert_uint_eq(left_out, 7);
	ck_assert_int_eq(cqesim_tlp_dump_close(d, false, NULL), 0);
	ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

/* Does Wireshark read it, with our dissector? */
START_TEST(wireshark)
{
	char command[9000], line[512];
	const char *expected[] = {"2|MWr 0x0000000120000000, 64 B|plain CQE",
				  "2|MRd 0x00002000, 64 B, tag 0|WQEs",
				  "1|CplD tag 0, 64 B, 64 B of the request left|WQEs"};

	if (system("tshark --version >/dev/null 2>&1")) {
		test_skip("tlp wireshark", "no tshark on this machine");
		return;
	}
	struct cqesim_tlp_dump *d = create(0);
	cqesim_tlp_dump_write(d, 1, 0x120000000, 64, NULL, 0, "plain CQE");
	cqesim_tlp_dump_read(d, 2, 3, 0x2000, 64, NULL, 0, "WQEs");
	ck_assert_int_eq(cqesim_tlp_dump_close(d, true, NULL), 0);
	snprintf(command, sizeof(command),
		 "tshark -X lua_script:'%s/tools/tlp.lua' -r '%s' -T fields -E separator='|' "
		 "-e frame.packet_flags_direction -e _ws.col.Info -e frame.comment 2>/dev/null",
		 test_top_srcdir(), path);
	FILE *f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
		line[strcspn(line, "\n")] = '\0';
		const char *at =
			line + strspn(line, "0x"); /* the flag's notation differs by version */
		while (*at == '0')
			at++;
		ck_assert_str_eq(at, expected[i]);
	}
	ck_assert_ptr_null(fgets(line, sizeof(line), f));
	pclose(f);
}
END_TEST

Suite *suite_tlp(void)
{
	Suite *s = suite_create("tlp");
	TCase *t = tcase_create("tlp");

	tcase_set_timeout(t, 60); /* Wireshark takes its time to start */
	tcase_add_test(t, write_request);
	tcase_add_test(t, read_request);
	tcase_add_test(t, completion);
	tcase_add_test(t, refused);
	tcase_add_test(t, blocks);
	tcase_add_test(t, limit);
	tcase_add_test(t, wireshark);
	suite_add_tcase(s, t);
	return s;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* pcie: rates, TLP costs, splitting, against figures worked out by hand and the reference tables.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/pcie.h"
#include "test.h"
#include "test_pcie.h"

START_TEST(rates)
{
	/* GT/s x lanes x code: Gen3 x8 63.015 Gb/s; with one SKP block after 370: x 370/371. */
	struct cqesim_link l = make(base(3, 8, 256));
	ck_assert_double_eq_tol(l.raw_bps, 8e9 * 8 * 128 / 130, 1);
	ck_assert_double_eq_tol(cqesim_link_rate(&l), 8e9 * 128 / 130 * 370 / 371, 1e-3);
	l = make(base(1, 1, 128));
	ck_assert_double_eq_tol(l.raw_bps, 2e9, 1);
	ck_assert_double_eq_tol(cqesim_link_rate(&l), 250e6 * 1534 / 1538, 1e-3);
	l = make(base(5, 16, 256));
	ck_assert_double_eq_tol(l.raw_bps, 32e9 * 16 * 128 / 130, 1);
	/* 64 GT/s x 16 = 128 GB/s, of which flits leave 236 bytes in 256. */
	l = make(base(6, 16, 256));
	ck_assert_double_eq_tol(l.raw_bps, 1024e9, 1);
	ck_assert_double_eq_tol(cqesim_link_rate(&l), 118e9, 1e-3);
	l = make(base(3, 12, 256));
	ck_assert_double_eq_tol(l.raw_bps, 8e9 * 12 * 128 / 130, 1);
}
END_TEST

START_TEST(headers)
{
	struct cqesim_link_config c = base(3, 16, 256);
	struct cqesim_link l = make(c);
	struct cqesim_tlps t = cqesim_link_write(&l, 0, 60), q, a;
	ck_assert_uint_eq(t.count, 1);
	ck_assert_uint_eq(t.payload, 60);
	ck_assert_uint_eq(t.wire, 84);
	t = cqesim_link_write(&l, 0x1000, 64);
	ck_assert_uint_eq(t.wire, 88);
	cqesim_link_read(&l, 0, 64, &q, &a);
	ck_assert_uint_eq(q.wire, 24);
	ck_assert_uint_eq(a.wire, 84);
	c.addr_bits = 32;
	l = make(c);
	ck_assert_uint_eq(cqesim_link_write(&l, 0, 60).wire, 80);
	c.ecrc = true;
	l = make(c);
	ck_assert_uint_eq(cqesim_link_write(&l, 0, 60).wire, 84);
	t = cqesim_link_write(&l, 0, 0);
	ck_assert_uint_eq(t.count, 0);

	/* A PASID prefix: on requests, not on completions. */
	c = base(3, 16, 256);
	c.prefixes = 1;
	l = make(c);
	ck_assert_uint_eq(cqesim_link_write(&l, 0, 60).wire, 88);
	cqesim_link_read(&l, 0, 64, &q, &a);
	ck_assert_uint_eq(q.wire, 28);
	ck_assert_uint_eq(a.wire, 84);

	/* FLIT mode: headers without framing, and DLLPs have bytes of their own. */
	l = make(base(6, 16, 256));
	ck_assert_uint_eq(cqesim_link_write(&l, 0, 60).wire, 76);
	cqesim_link_read(&l, 0, 64, &q, &a);
	ck_assert_uint_eq(q.wire, 16);
	ck_assert_uint_eq(a.wire, 76);
	ck_assert_double_eq(cqesim_link_dllp_up(&l, 100), 0);
	ck_assert_double_eq(cqesim_link_dllp_down(&l, 100, 100), 0);
}

/* A data credit for each 16 bytes begun, TLP by TLP. */
static void credits_of(const struct cqesim_link *l, uint64_t address, uint32_t length,
		       uint64_t credits)
{
	ck_assert_uint_eq(cqesim_link_write(l, address, length).credits, credits);
}

START_TEST(data_credits)
{
	struct cqesim_link l = make(base(3, 16, 256));

	credits_of(&l, 0, 0, 0);
	credits_of(&l, 0, 1, 1);
	credits_of(&l, 0, 16, 1);
	credits_of(&l, 0, 17, 2);
	credits_of(&l, 3, 14, 2); /* 17 bytes with the lead, 5 DWs */
	credits_of(&l, 0, 64, 4);
	credits_of(&l, 0, 1514, 95); /* 5 x 16, and 234 bytes: 59 DWs, 15 credits */
	credits_of(&l, 4096 - 4, 8, 2);
}
END_TEST

START_TEST(cuts)
{
	struct cqesim_link l = make(base(3, 16, 256));
	/* 1500 bytes at 0: five of 256, one of 220. */
	struct cqesim_tlps t = cqesim_link_write(&l, 0, 1500);
	ck_assert_uint_eq(t.count, 6);
	ck_assert_uint_eq(t.wire, 6 * 24 + 1500);
	/* Crossing 4 KiB: 100 bytes, then 156. */
	t = cqesim_link_write(&l, 4096 - 100, 256);
	ck_assert_uint_eq(t.count, 2);
	ck_assert_uint_eq(t.wire, 2 * 24 + 256);
	/* Three bytes that straddle a DW boundary are two DWs. */
	t = cqesim_link_write(&l, 3, 3);
	ck_assert_uint_eq(t.count, 1);
	ck_assert_uint_eq(t.wire, 24 + 8);
	/* MPS counts whole DWs: from offset 1, 255 bytes fit and the last is alone. */
	t = cqesim_link_write(&l, 1, 256);
	ck_assert_uint_eq(t.count, 2);
	ck_assert_uint_eq(t.wire, 24 + 256 + 24 + 4);
}
END_TEST

START_TEST(bad_values)
{
	struct cqesim_link link;
	struct cqesim_error err;
	struct {
		const char *what;
		struct cqesim_link_config c;
	} bad[] = {
		{"generation", base(0, 8, 256)}, {"generation", base(7, 8, 256)},
		{"lanes", base(3, 3, 256)},      {"lanes", base(3, 64, 256)},
		{"mps", base(3, 8, 64)},         {"mps", base(3, 8, 300)},
		{"mrrs", base(3, 8, 256)},       {"rcb", base(3, 8, 256)},
		{"addr_bits", base(3, 8, 256)},  {"ack_every", base(3, 8, 256)},
		{"efficiency", base(3, 8, 256)}, {"SKP", base(3, 8, 256)},
		{"prefixes", base(3, 8, 256)},
	};
	bad[6].c.mrrs = 8192;
	bad[7].c.rcb = 32;
	bad[8].c.addr_bits = 48;
	bad[9].c.ack_every = 0.5;
	bad[10].c.efficiency = 1.01;
	bad[11].c.skp_blocks = 0;
	bad[12].c.prefixes = 5;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_lt(cqesim_link_init(&link, &bad[i].c, &err), 0);
		ck_assert_msg(strstr(err.text, bad[i].what) != NULL, "%zu: %s", i, err.text);
	}
}
END_TEST

START_TEST(pacer_is_exact)
{
	struct cqesim_link_config c = base(3, 16, 256);
	c.efficiency = 0.97;
	struct cqesim_link l = make(c);
	struct cqesim_pacer p;
	ck_assert_int_eq(cqesim_link_pacer(&l, &p), 0);
	/* A million steps of 180 bytes and one of 180 million come out the same. */
	struct cqesim_pacer once = p;
	for (int i = 0; i < 1000000; i++)
		cqesim_pacer_advance(&p, 180);
	cqesim_pacer_advance(&once, UINT64_C(180000000));
	ck_assert_uint_eq(p.ps, once.ps);
	ck_assert_uint_eq(p.rem, once.rem);
	double seconds = 180e6 / (8e9 * 2 * 128 / 130 * 370 / 371 * 0.97);
	ck_assert_double_eq_tol((double)p.ps, seconds * 1e12, 10);
}
END_TEST

/* Every row of splits.csv. */
START_TEST(reference_splits)
{
	const char *dir = test_shared_dir();
	char path[4096], line[512];

	if (!dir) {
		test_skip("pcie reference_splits", "../shared not found");
		return;
	}
	snprintf(path, sizeof(path), "%s/pcie/splits.csv", dir);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
	unsigned rows = 0;
	while (fgets(line, sizeof(line), f)) {
		char *field[12], *at = line;
		for (int i = 0; i < 12; i++)
			field[i] = strsep(&at, ",\n");
		ck_assert_ptr_nonnull(field[11]);
		unsigned gen = (unsigned)atoi(field[1]);
		struct cqesim_link_config c = base(gen, 8, (unsigned)atoi(field[2]));
		if (*field[3])
			c.mrrs = (unsigned)atoi(field[3]);
		if (*field[4])
			c.rcb = (unsigned)atoi(field[4]);
		c.cpl_per_rcb = !strcmp(field[5], "rcb");
		struct cqesim_link l = make(c);
		uint64_t addr = strtoull(field[6], NULL, 0);
		uint32_t len = (uint32_t)atoi(field[7]);
		struct cqesim_tlps up, down = {0};
		if (!strcmp(field[0], "write"))
			up = cqesim_link_write(&l, addr, len);
		else
			cqesim_link_read(&l, addr, len, &up, &down);
		ck_assert_msg(up.count == strtoull(field[8], NULL, 0) &&
				      up.wire == strtoull(field[9], NULL, 0) &&
				      down.count == strtoull(field[10], NULL, 0) &&
				      down.wire == strtoull(field[11], NULL, 0),
			      "%s gen %u mps %u mrrs %u rcb %u %s, %u bytes at %llu: %llu TLPs "
			      "%llu B up, "
			      "%llu TLPs %llu B down",
			      field[0], gen, c.mps, c.mrrs, c.rcb, field[5], len,
			      (unsigned long long)addr, (unsigned long long)up.count,
			      (unsigned long long)up.wire, (unsigned long long)down.count,
			      (unsigned long long)down.wire);
		rows++;
	}
	fclose(f);
	ck_assert_uint_gt(rows, 1000);
}
END_TEST

Suite *suite_pcie(void)
{
	Suite *s = suite_create("pcie");
	TCase *t = tcase_create("pcie");

	tcase_add_test(t, rates);
	tcase_add_test(t, headers);
	tcase_add_test(t, data_credits);
	tcase_add_test(t, cuts);
	tcase_add_test(t, bad_values);
	tcase_add_test(t, pacer_is_exact);
	tcase_add_test(t, reference_splits);
	suite_add_tcase(s, t);
	suite_add_tcase(s, tcase_pcie_server());
	suite_add_tcase(s, tcase_pcie_property());
	return s;
}

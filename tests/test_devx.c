/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devx: commands as bytes, written from mlx5_prm.h's offsets and not with the code
 * under test; what they do to the card, and what is answered.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include "test_devx.h"

static struct devx_rig rig;

static void open_rig(void)
{
	devx_rig_open(&rig, CQESIM_COMP_OFF);
}

static void close_rig(void)
{
	devx_rig_close(&rig);
}

/* ---- receive queues ---- */

START_TEST(cq_and_rq)
{
	struct emu_object *cq = devx_make_cq(&rig, 0), *rq;
	uint32_t cqn = devx_number(&rig), rqn;
	const uint8_t *cqe = devx_rig_umem(&rig, 0);
	uint8_t expected[64];

	rq = devx_make_rq(&rig, cqn);
	rqn = devx_number(&rig);
	ck_assert_int_eq(devx_move_rq(&rig, rq, rqn, 0, 1), 0);
	devx_post(&rig, 2);
	ck_assert_uint_eq(devx_receive(7), 1);
	devx_frame(expected, 7);
	ck_assert_mem_eq(rig.buffers, expected, 64);
	/* byte_cnt 64; op_own: opcode 2 (a receive completion), owner 0 in the first round */
	ck_assert_uint_eq(cqe[47], 64);
	ck_assert_uint_eq(cqe[63], 0x20);
	ck_assert_uint_eq(cqe[64 + 63], 0xf1);

	/* The command's rq_state is checked; 3 is ERR. */
	ck_assert_int_ne(devx_move_rq(&rig, rq, rqn, 0, 1), 0);
	ck_assert_uint_eq(rig.out[0], BAD_RES_STATE);
	ck_assert_int_eq(devx_move_rq(&rig, rq, rqn, 1, 3), 0);
	devx_begin(&rig, 0x90b);
	devx_bytes(&rig, 8, "00");
	cqesim_be_store(rig.in + 8, 4, rqn);
	ck_assert_int_eq(emu_devx_query(rq, rig.in, 16, rig.out, 272), 0);
	ck_assert_mem_eq(rig.out + 32, "\x10\x34\x00\x00", 4); /* state 3 beside vsd and flush */
	ck_assert_mem_eq(rig.out + 112, "\x00\x04\x00\x08", 4);
	/* The flush entry: error opcode 14 with the owner bit, syndrome 5. */
	ck_assert_uint_eq(cqe[64 + 63] >> 4, 14);
	ck_assert_uint_eq(cqe[64 + 55], 5);
	ck_assert_int_eq(devx_move_rq(&rig, rq, rqn, 3, 0), 0);

	/* Its CQ is in use, and so is the memory of both. */
	ck_assert_int_eq(emu_devx_destroy(cq), EBUSY);
	ck_assert_int_eq(emu_umem_remove(rig.umem[0]), EBUSY);
	ck_assert_int_eq(emu_devx_destroy(rq), 0);
	ck_assert_int_eq(emu_devx_destroy(cq), 0);
}
END_TEST

/* 22.11's numbers: mini_cqe_res_format in bits 0x12, 0x13 of the cqc, _ext in 0x5c, 0x5d. */
START_TEST(mini_formats)
{
	static const struct {
		const char *first, *third; /* dwords 0 and 2 of the cqc */
		bool hash;                 /* minis begin with the hash ... */
	} row[] = {
		{"02004000", "00000000", true},
		{"02004000", "00000004", false}, /* ... or with the header type: L34H */
	};

	devx_rig_close(&rig);
	devx_rig_open(&rig, CQESIM_COMP_AGGRESSIVE);
	for (size_t i = 0; i < COUNT(row); i++) {
		struct emu_object *cq, *rq;
		const uint8_t *ring = devx_rig_umem(&rig, 0);
		char id[9];

		snprintf(id, sizeof(id), "%08x", rig.umem[0]);
		devx_begin(&rig, 0x400);
		devx_bytes(&rig, 16, row[i].first);
		devx_bytes(&rig, 20, id);
		devx_bytes(&rig, 24, row[i].third);
		devx_bytes(&rig, 28, "08000000");
		devx_bytes(&rig, 72, "0000000000004000");
		devx_bytes(&rig, 88, id);
		devx_bytes(&rig, 92, "80");
		memset(devx_rig_umem(&rig, 0), 0xf1, 0x4000);
		cq = devx_made(&rig, 272);
		rq = devx_make_rq(&rig, devx_number(&rig));
		uint32_t rqn = devx_number(&rig);
		ck_assert_int_eq(devx_move_rq(&rig, rq, rqn, 0, 1), 0);
		devx_post(&rig, 4);
		for (unsigned n = 0; n < 4; n++)
			ck_assert_uint_eq(devx_receive(7), 1);
		ck_assert_int_eq(devx_move_rq(&rig, rq, rqn, 1, 0), 0);
		/* A title and its array; the title's mini is the array's first. */
		ck_assert_uint_eq(ring[63] >> 2 & 3, 3);
		if (row[i].hash) {
			ck_assert_mem_eq(ring + 64, ring + 12, 4);
		} else {
			ck_assert_uint_eq(ring[64], ring[29]);
			ck_assert_mem_eq(ring + 65, "\0", 1);
		}
		ck_assert_uint_eq(ring[64 + 7], 64);
		ck_assert_int_eq(emu_devx_destroy(rq), 0);
		ck_assert_int_eq(emu_devx_destroy(cq), 0);
		memset(devx_rig_umem(&rig, 1), 0, UMEM_BYTES);
	}
}
END_TEST

START_TEST(cq_refusals)
{
	static const struct {
		size_t at;
		const char *bytes;
		unsigned status;
	} row[] = {
		{16, "00000000", BAD_PARAM},       /* no umem for the record */
		{92, "00", BAD_PARAM},             /* none for the ring */
		{88, "00000063", BAD_RES},         /* no such umem */
		{20, "00000063", BAD_RES},         /* nor for the record */
		{28, "0a000000", BAD_RES},         /* 64 KiB in 32 */
		{28, "1f000000", BAD_RES},         /* 2^31 entries */
		{80, "0000000000008000", BAD_RES}, /* begins at its end */
		{80, "ffffffffffffffc0", BAD_RES},
		{80, "0000000000000008", BAD_PARAM}, /* not a multiple of 64 */
		{72, "0000000000007ffc", BAD_RES},   /* half a doorbell record */
		{72, "0000000000004004", BAD_PARAM},
		{16, "02200000", BAD_PARAM}, /* cqe_sz 128 */
		{16, "02005000", BAD_PARAM}, /* format 1 with ext 1 below */
	};

	for (size_t i = 0; i < COUNT(row); i++) {
		char id[9];

		snprintf(id, sizeof(id), "%08x", rig.umem[0]);
		devx_begin(&rig, 0x400);
		devx_bytes(&rig, 16, "02000000");
		devx_bytes(&rig, 20, id);
		devx_bytes(&rig, 24, "00000000");
		devx_bytes(&rig, 28, "08000000");
		devx_bytes(&rig, 72, "0000000000004000");
		devx_bytes(&rig, 88, id);
		devx_bytes(&rig, 92, "80");
		devx_bytes(&rig, row[i].at, row[i].bytes);
		if (i == COUNT(row) - 1)
			devx_bytes(&rig, 24, "00000004");
		unsigned status = devx_refused(&rig, 272);
		ck_assert_msg(status == row[i].status, "row %zu: status 0x%x", i, status);
	}
	/* Nothing is in use. */
	ck_assert_int_eq(emu_umem_remove(rig.umem[0]), 0);
	ck_assert_int_eq(emu_umem_add(devx_rig_umem(&rig, 0), UMEM_BYTES, &rig.umem[0]), 0);
}
END_TEST

START_TEST(rq_refusals)
{
	struct emu_object *cq = devx_make_cq(&rig, 0);
	uint32_t cqn = devx_number(&rig);
	static const struct {
		size_t at;
		const char *bytes;
		unsigned status;
	} row[] = {
		{40, "00000063", BAD_RES},       /* CQ */
		{44, "63", BAD_RES},             /* counter_set_id */
		{32, "10140000", BAD_RES_STATE}, /* made ready */
		{32, "11040000", BAD_PARAM},     /* RMP */
		{32, "10060000", BAD_PARAM},     /* hairpin */
		{80, "00000000", BAD_PARAM},     /* linked list */
		{80, "30000000", BAD_PARAM},     /* striding with WQEs of 16 bytes */
		{112, "00030008", BAD_PARAM},    /* WQEs of 8 */
		{112, "0004000c", BAD_RES},      /* 4096 of 16 bytes */
		{112, "000f001f", BAD_RES},
		{116, "80000000", BAD_PARAM}, /* the ring is not in user memory */
		{120, "00000063", BAD_RES},
		{124, "00000063", BAD_RES},
	};
	uint8_t good[272];

	emu_devx_destroy(devx_make_rq(&rig, cqn));
	memcpy(good, rig.in, sizeof(good));
	for (size_t i = 0; i < COUNT(row); i++) {
		memcpy(rig.in, good, sizeof(good));
		devx_bytes(&rig, row[i].at, row[i].bytes);
		unsigned status = devx_refused(&rig, 272);
		ck_assert_msg(status == row[i].status, "row %zu: status 0x%x", i, status);
	}
	ck_assert_int_eq(emu_devx_destroy(cq), 0);
}
END_TEST

/* DPDK's MPRQ defaults: 2^6 strides of 2^11 bytes; -3 in four bits is 13. */
START_TEST(striding)
{
	struct emu_object *cq = devx_make_cq(&rig, 0), *rq;
	uint32_t cqn = devx_number(&rig);
	uint8_t *ring = devx_rig_umem(&rig, 1);

	emu_devx_destroy(devx_make_rq(&rig, cqn));
	devx_bytes(&rig, 80, "30000000");
	devx_bytes(&rig, 112, "00050002");
	/* 0x134..: number of strides, 0x13d..: bytes of one (2^6 << 5) */
	devx_bytes(&rig, 116, "c0000d05");
	rq = devx_made(&rig, 272);
	uint32_t rqn = devx_number(&rig);
	ck_assert_int_eq(devx_move_rq(&rig, rq, rqn, 0, 1), 0);
	/* One WQE, its data segment behind the next segment: 32 KiB would not do. */
	cqesim_be_store(ring + 16, 4, 65536);
	cqesim_be_store(ring + 20, 4, rig.lkey);
	cqesim_be_store(ring + 24, 8, (uintptr_t)rig.buffers);
	cqesim_be_store(ring + 0x1000, 4, 1);
	ck_assert_uint_eq(devx_receive(1) + devx_receive(2), 2);
	uint8_t expected[64];
	devx_frame(expected, 2);
	ck_assert_mem_eq(rig.buffers + 2048, expected, 64);
	ck_assert_int_eq(emu_devx_destroy(rq), 0);
	ck_assert_int_eq(emu_devx_destroy(cq), 0);
}
END_TEST

/* ---- VLAN stripping while the queue runs ---- */

START_TEST(modify_vsd)
{
	struct emu_object *cq = devx_make_cq(&rig, 0), *rq = devx_make_rq(&rig, devx_number(&rig));
	uint32_t rqn = devx_number(&rig);

	ck_assert_int_eq(devx_move_rq(&rig, rq, rqn, 0, 1), 0);
	devx_begin(&rig, 0x909);
	cqesim_be_store(rig.in + 8, 4, 0x10000000 | rqn);
	devx_bytes(&rig, 16, "0000000000000002"); /* modify_bitmask: VSD */
	devx_bytes(&rig, 32, "00100000");         /* vsd 0, state 1 */
	ck_assert_int_eq(emu_devx_modify(rq, rig.in, 272, rig.out, 16), 0);
	devx_begin(&rig, 0x90b);
	cqesim_be_store(rig.in + 8, 4, rqn);
	ck_assert_int_eq(emu_devx_query(rq, rig.in, 16, rig.out, 272), 0);
	ck_assert_mem_eq(rig.out + 32, "\x00\x14\x00\x00", 4);
	/* A bit that there is not; nothing changes. */
	devx_begin(&rig, 0x909);
	cqesim_be_store(rig.in + 8, 4, 0x10000000 | rqn);
	devx_bytes(&rig, 16, "0000000000000012");
	devx_bytes(&rig, 32, "10000000");
	ck_assert_int_ne(emu_devx_modify(rq, rig.in, 272, rig.out, 16), 0);
	ck_assert_uint_eq(rig.out[0], BAD_PARAM);
	ck_assert_int_eq(emu_devx_destroy(rq), 0);
	ck_assert_int_eq(emu_devx_destroy(cq), 0);
}
END_TEST

/* ---- send queues ---- */

START_TEST(td_tis_sq)
{
	struct emu_object *td, *tis, *cq, *sq;
	uint32_t tdn, tisn, cqn, sqn;

	devx_begin(&rig, 0x816);
	td = devx_made(&rig, 16);
	tdn = devx_number(&rig);
	devx_begin(&rig, 0x912);
	cqesim_be_store(rig.in + 68, 4, tdn + 1); /* transport_domain: 0x128 of the tisc */
	ck_assert_uint_eq(devx_refused(&rig, 192), BAD_RES);
	cqesim_be_store(rig.in + 68, 4, tdn);
	tis = devx_made(&rig, 192);
	tisn = devx_number(&rig);
	cq = devx_make_cq(&rig, 3);
	cqn = devx_number(&rig);

	devx_begin(&rig, 0x904);
	devx_bytes(&rig, 32, "18000000"); /* flush_in_error_en, allow_multi_pkt_send_wqe */
	cqesim_be_store(rig.in + 40, 4, cqn);
	devx_bytes(&rig, 64, "0001"); /* tis_lst_sz */
	cqesim_be_store(rig.in + 76, 4, tisn);
	devx_bytes(&rig, 80, "10000000");
	devx_bytes(&rig, 96, "0000000000004000");
	devx_bytes(&rig, 112, "00060008");
	devx_bytes(&rig, 116, "c0000000");
	cqesim_be_store(rig.in + 120, 4, rig.umem[2]);
	cqesim_be_store(rig.in + 124, 4, rig.umem[2]);
	sq = devx_made(&rig, 272);
	sqn = devx_number(&rig);
	devx_bytes(&rig, 112, "00050008");
	ck_assert_uint_eq(devx_refused(&rig, 272), BAD_PARAM);
	devx_bytes(&rig, 112, "00060008");
	cqesim_be_store(rig.in + 76, 4, tisn + 1);
	ck_assert_uint_eq(devx_refused(&rig, 272), BAD_RES);

	devx_begin(&rig, 0x905);
	cqesim_be_store(rig.in + 8, 4, sqn);
	devx_bytes(&rig, 32, "00100000");
	ck_assert_int_eq(emu_devx_modify(sq, rig.in, 272, rig.out, 16), 0);
	devx_begin(&rig, 0x907);
	cqesim_be_store(rig.in + 8, 4, sqn);
	ck_assert_int_eq(emu_devx_query(sq, rig.in, 16, rig.out, 272), 0);
	ck_assert_mem_eq(rig.out + 32, "\x18\x10\x00\x00", 4);

	/* TISs by number; number 0 is that of all QPs of verbs. */
	devx_begin(&rig, 0x915);
	cqesim_be_store(rig.in + 8, 4, tisn);
	ck_assert_int_eq(emu_devx_query(tis, rig.in, 16, rig.out, 176), 0);
	ck_assert_uint_eq(cqesim_be_load(rig.out + 16 + 0x24, 4), tdn);
	cqesim_be_store(rig.in + 8, 4, 0);
	ck_assert_int_eq(emu_devx_query(tis, rig.in, 16, rig.out, 176), EREMOTEIO);
	ck_assert_int_eq(emu_devx_qp_query(rig.in, 16, rig.out, 176), 0);
	ck_assert_uint_eq(cqesim_be_load(rig.out + 16 + 0x24, 4), 0);
	ck_assert_int_eq(emu_devx_qp_query(rig.in, 16, rig.out, 16), EREMOTEIO);

	ck_assert_int_eq(emu_devx_destroy(tis), EBUSY);
	ck_assert_int_eq(emu_devx_destroy(td), EBUSY);
	ck_assert_int_eq(emu_devx_destroy(sq), 0);
	ck_assert_int_eq(emu_devx_destroy(cq), 0);
	ck_assert_int_eq(emu_devx_destroy(tis), 0);
	ck_assert_int_eq(emu_devx_destroy(td), 0);
}
END_TEST

Suite *suite_devx(void)
{
	Suite *s = suite_create("devx");
	TCase *t = tcase_create("queues");

	tcase_add_checked_fixture(t, open_rig, close_rig);
	tcase_add_test(t, cq_and_rq);
	tcase_add_test(t, mini_formats);
	tcase_add_test(t, cq_refusals);
	tcase_add_test(t, rq_refusals);
	tcase_add_test(t, striding);
	tcase_add_test(t, modify_vsd);
	tcase_add_test(t, td_tis_sq);
	suite_add_tcase(s, t);
	test_devx_answers(s);
	test_devx_hostile(s);
	test_devx_dpdk(s);
	return s;
}

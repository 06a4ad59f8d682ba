/* SPDX-License-Identifier: BSD-3-Clause */
/* devx: steering, counters, capabilities, and what every command has in common. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "test.h"
#include "emu/devx.h"
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

/* ---- steering ---- */

/* A table of one entry, and a TIR that hashes addresses and ports of UDP over IPv4. */
START_TEST(rqt_and_tir)
{
	struct emu_object *cq = devx_make_cq(&rig, 0), *rq = devx_make_rq(&rig, devx_number(&rig));
	uint32_t rqn = devx_number(&rig), rqtn;
	struct emu_object *rqt, *tir;

	devx_begin(&rig, 0x916);
	devx_bytes(&rig, 32 + 20, "00000800"); /* rqt_max_size */
	devx_bytes(&rig, 32 + 24, "00000001"); /* rqt_actual_size */
	cqesim_be_store(rig.in + 272, 4, rqn);
	ck_assert_uint_eq(devx_refused(&rig, 272), BAD_PARAM); /* the list is cut off */
	rqt = devx_made(&rig, 276);
	rqtn = devx_number(&rig);
	cqesim_be_store(rig.in + 272, 4, rqn + 1);
	ck_assert_uint_eq(devx_refused(&rig, 276), BAD_RES);
	devx_bytes(&rig, 32 + 24, "00000000");
	ck_assert_uint_eq(devx_refused(&rig, 276), BAD_PARAM);

	devx_begin(&rig, 0x900);
	devx_bytes(&rig, 36, "10000000");      /* disp_type: indirect */
	cqesim_be_store(rig.in + 64, 4, rqtn); /* indirect_table */
	devx_bytes(&rig, 68, "20000000");      /* Toeplitz */
	for (unsigned i = 0; i < 40; i++)
		rig.in[72 + i] = (uint8_t)i;
	devx_bytes(&rig, 112, "4000000f"); /* IPv4, UDP, all four fields */
	tir = devx_made(&rig, 272);
	devx_bytes(&rig, 112, "4000000d"); /* one address alone */
	ck_assert_uint_eq(devx_refused(&rig, 272), BAD_PARAM);
	devx_bytes(&rig, 112, "4000000f");
	devx_bytes(&rig, 68, "10000000"); /* XOR8 */
	ck_assert_uint_eq(devx_refused(&rig, 272), BAD_PARAM);
	devx_bytes(&rig, 68, "20000000");
	cqesim_be_store(rig.in + 64, 4, rqtn + 1);
	ck_assert_uint_eq(devx_refused(&rig, 272), BAD_RES);

	ck_assert_int_eq(devx_move_rq(&rig, rq, rqn, 0, 1), 0);
	devx_post(&rig, 8);
	ck_assert_uint_eq(devx_receive(53), 1);
	/* The hash is of that key: not 0, and rx_hash_type says addresses and UDP ports. */
	const uint8_t *cqe = devx_rig_umem(&rig, 0);
	uint64_t hash = cqesim_be_load(cqe + 12, 4);
	ck_assert_uint_ne(hash, 0);
	/* The hash is of addresses alone after this, and then no port changes it. */
	devx_begin(&rig, 0x901);
	devx_bytes(&rig, 8, "00");
	cqesim_be_store(rig.in + 8, 4, 1);
	devx_bytes(&rig, 16, "0000000000000004"); /* modify_bitmask: HASH */
	devx_bytes(&rig, 68, "20000000");
	for (unsigned i = 0; i < 40; i++)
		rig.in[72 + i] = (uint8_t)i;
	devx_bytes(&rig, 112, "00000003");
	int rc = emu_devx_modify(tir, rig.in, 272, rig.out, 16);
	ck_assert_msg(!rc, "status 0x%x", rig.out[0]);
	ck_assert_uint_eq(devx_receive(53) + devx_receive(54), 2);
	ck_assert_uint_ne(cqesim_be_load(cqe + 64 + 12, 4), hash);
	ck_assert_uint_eq(cqesim_be_load(cqe + 64 + 12, 4), cqesim_be_load(cqe + 128 + 12, 4));

	ck_assert_int_eq(emu_devx_destroy(rqt), EBUSY);
	ck_assert_int_eq(emu_devx_destroy(tir), 0);
	ck_assert_int_eq(emu_devx_destroy(rqt), 0);
	ck_assert_int_eq(emu_devx_destroy(rq), 0);
	ck_assert_int_eq(emu_devx_destroy(cq), 0);
}
END_TEST

/* LRO in a TIR: word 48 is period << 12 | mask << 8 | largest size in units of 256 bytes. */
START_TEST(tir_lro)
{
	struct emu_object *cq = devx_make_cq(&rig, 0), *rq = devx_make_rq(&rig, devx_number(&rig));
	uint32_t rqn = devx_number(&rig);
	struct cqesim_profile *device = emu.device;

	devx_begin(&rig, 0x900); /* disp_type 0: direct */
	cqesim_be_store(rig.in + 60, 4, rqn);
	cqesim_be_store(rig.in + 48, 4, 40u << 12 | 3u << 8 | 0xff);
	struct emu_object *tir = devx_made(&rig, 272);
	cqesim_be_store(rig.in + 48, 4, 40u << 12 | 4u << 8 | 0xff); /* no such kind */
	ck_assert_uint_eq(devx_refused(&rig, 272), BAD_PARAM);
	cqesim_be_store(rig.in + 48, 4, 40u << 12 | 3u << 8); /* no size */
	ck_assert_uint_eq(devx_refused(&rig, 272), BAD_PARAM);
	/* ConnectX-4 has none. */
	struct cqesim_error err = {""};
	ck_assert_msg(
		!cqesim_profile_load(&emu.device, CQESIM_PROFILE_DEVICE, "connectx-4lx", &err),
		"%s", err.text);
	cqesim_be_store(rig.in + 48, 4, 40u << 12 | 3u << 8 | 0xff);
	ck_assert_uint_eq(devx_refused(&rig, 272), BAD_PARAM);
	cqesim_profile_free(emu.device);
	emu.device = device;
	/* Given periods: the largest that is not longer, or the smallest. */
	static const struct {
		unsigned asked, taken;
	} period[] = {{0, 8},   {7, 8},   {8, 8},       {15, 8},
		      {16, 16}, {40, 32}, {1024, 1024}, {65535, 1024}};
	for (size_t i = 0; i < COUNT(period); i++)
		ck_assert_uint_eq(devx_lro_period_us(period[i].asked), period[i].taken);
	/* It can be changed afterwards, and the same values are refused. */
	devx_begin(&rig, 0x901);
	cqesim_be_store(rig.in + 8, 4, 1);
	devx_bytes(&rig, 16, "0000000000000001"); /* modify_bitmask: LRO */
	cqesim_be_store(rig.in + 48, 4, 8u << 12 | 1u << 8 | 0x10);
	ck_assert_int_eq(emu_devx_modify(tir, rig.in, 272, rig.out, 16), 0);
	cqesim_be_store(rig.in + 48, 4, 8u << 12 | 8u << 8 | 0x10);
	ck_assert_int_ne(emu_devx_modify(tir, rig.in, 272, rig.out, 16), 0);
	ck_assert_int_eq(emu_devx_destroy(tir), 0);
	ck_assert_int_eq(emu_devx_destroy(rq), 0);
	ck_assert_int_eq(emu_devx_destroy(cq), 0);
}
END_TEST

/* ---- counters ---- */

static unsigned lost(struct emu_object *counter, unsigned id, bool clear)
{
	uint8_t in[32] = {0x07, 0x73}, out[256];

	in[24] = clear ? 0x80 : 0;
	in[31] = (uint8_t)id;
	ck_assert_int_eq(counter ? emu_devx_query(counter, in, 32, out, 256)
				 : emu_devx_general(in, 32, out, 256),
			 0);
	return (unsigned)cqesim_be_load(out + 48, 4); /* out_of_buffer: 0x180 */
}

START_TEST(q_counter)
{
	struct emu_object *counter, *cq, *rq;
	unsigned id;

	devx_begin(&rig, 0x771);
	counter = devx_made(&rig, 16);
	id = rig.out[11];
	ck_assert_mem_eq(rig.out + 8, "\0\0\0", 3);
	cq = devx_make_cq(&rig, 0);
	rq = devx_make_rq(&rig, devx_number(&rig));
	/* The number in the command must be the object's. */
	ck_assert_int_eq(devx_move_rq(&rig, rq, 2, 0, 1), EREMOTEIO);
	ck_assert_uint_eq(rig.out[0], BAD_RES);
	ck_assert_int_eq(devx_move_rq(&rig, rq, 1, 0, 1), 0);
	devx_post(&rig, 1);
	ck_assert_uint_eq(devx_receive(1) + devx_receive(2) + devx_receive(3), 1);
	ck_assert_uint_eq(lost(counter, id, false), 2);
	ck_assert_uint_eq(lost(NULL, id, true), 2);
	ck_assert_uint_eq(lost(counter, id, false), 0);
	ck_assert_uint_eq(devx_receive(4), 0);
	ck_assert_uint_eq(lost(counter, id, false), 1);
	ck_assert_int_eq(emu_devx_destroy(rq), 0);
	ck_assert_int_eq(emu_devx_destroy(cq), 0);
	ck_assert_int_eq(emu_devx_destroy(counter), 0);
}
END_TEST

/* ---- capabilities ---- */

static const uint8_t *caps(unsigned op_mod, uint8_t out[16 + 4096])
{
	uint8_t in[16] = {0x01, 0x00};

	in[7] = (uint8_t)op_mod;
	ck_assert_int_eq(emu_devx_general(in, 16, out, 16 + 4096), 0);
	return out + 16;
}

static bool bit(const uint8_t *raw, unsigned n)
{
	return raw[n / 8] >> (7 - n % 8) & 1;
}

START_TEST(capabilities)
{
	struct cqesim_error err = {""};
	uint8_t out[16 + 4096];
	const uint8_t *c;

	ck_assert_msg(!cqesim_profile_load(&emu.device, CQESIM_PROFILE_DEVICE, "connectx-5", &err),
		      "%s", err.text);
	c = caps(0x1, out);
	ck_assert(bit(c, 0x21c));                                   /* eth_net_offloads */
	ck_assert(bit(c, 0x5bf) && bit(c, 0x5ba) && bit(c, 0x5b9)); /* compression, formats */
	ck_assert(!bit(c, 0x5b0) && !bit(c, 0x5bb));                /* enhanced layout */
	ck_assert_uint_eq(cqesim_be_load(c + 0x4e0 / 8, 4), 78125); /* device_frequency_khz */
	ck_assert_uint_eq(c[0xc8 / 8], 22);                         /* log_max_cq_sz */
	ck_assert_uint_eq(c[0x393 / 8] & 0x1f, 11);                 /* log_max_rqt_size */
	ck_assert_uint_eq(cqesim_be_load(c + 0x5d0 / 8, 2), 64);    /* cqe_compression_max_num */
	/* What must stay away: hca_cap_2, eswitch_manager, nic_flow_table, qos, roce, hairpin. */
	ck_assert(!bit(c, 0x20) && !bit(c, 0x1a7) && !bit(c, 0x1a6) && !bit(c, 0x21b) &&
		  !bit(c, 0x21d) && !bit(c, 0x3c0));
	ck_assert_uint_eq(cqesim_be_load(c + 0x400 / 8, 8), 0); /* general_obj_types */
	c = caps(0x3, out);
	ck_assert(bit(c, 0) && bit(c, 1) && bit(c, 2) && bit(c, 7)); /* csum, vlan, lro, insert */
	ck_assert(bit(c, 0x12) && !bit(c, 0x13));                    /* wqe_inline_mode 2 */
	ck_assert_uint_eq(cqesim_be_load(c + 0x180 / 8, 4), 8);      /* lro timer 0 */
	ck_assert_uint_eq(cqesim_be_load(c + 0x50 / 8, 2), 1348);    /* lro_min_mss_size */
	c = caps(0xf, out);
	for (unsigned i = 0; i < 4096; i++)
		ck_assert_uint_eq(c[i], 0);
	c = caps(0x41, out); /* hca_cap_2 */
	for (unsigned i = 0; i < 4096; i++)
		ck_assert_uint_eq(c[i], 0);
	cqesim_profile_free(emu.device);

	ck_assert_int_eq(
		cqesim_profile_load(&emu.device, CQESIM_PROFILE_DEVICE, "connectx-7", &err), 0);
	c = caps(0x1, out);
	ck_assert(bit(c, 0x5b0));
	cqesim_profile_free(emu.device);
	ck_assert_int_eq(
		cqesim_profile_load(&emu.device, CQESIM_PROFILE_DEVICE, "connectx-4lx", &err), 0);
	c = caps(0x1, out);
	ck_assert(bit(c, 0x5bf) && !bit(c, 0x5ba) && !bit(c, 0x5b9));
	c = caps(0x3, out);
	ck_assert(!bit(c, 2) && !bit(c, 0x12));
	cqesim_profile_free(emu.device);
	emu.device = NULL;

	/* A group that there is not: crypto; and an output that ends within the answer. */
	uint8_t in[16] = {0x01, 0x00, [7] = 0x35}, head[20];
	ck_assert_int_ne(emu_devx_general(in, 16, out, sizeof(out)), 0);
	ck_assert_uint_eq(out[0], BAD_PARAM);
	in[7] = 1;
	head[19] = 0xee;
	ck_assert_int_eq(emu_devx_general(in, 16, head, 19), 0);
	ck_assert_uint_eq(head[19], 0xee);
}
END_TEST

START_TEST(vport)
{
	uint8_t in[16] = {0x07, 0x54}, out[272];

	ck_assert_int_eq(emu_devx_general(in, 16, out, 272), 0);
	/* mtu at 16 + 0x26; permanent_address at 16 + 0xf4, two bytes are reserved */
	ck_assert_mem_eq(out + 16 + 0x26, "\x05\xdc", 2);
	ck_assert_mem_eq(out + 16 + 0xf4, "\0\0\x02\x11\x22\x33\x44\x55", 8);
	in[8] = 0x80; /* other_vport */
	ck_assert_int_ne(emu_devx_general(in, 16, out, 272), 0);
	ck_assert_uint_eq(out[0], BAD_RES);
}
END_TEST

/* ---- the envelope ---- */

START_TEST(envelope)
{
	uint8_t in[16] = {0x0b, 0x13}, out[16];
	struct emu_object *td, *other;

	ck_assert_int_ne(emu_devx_general(in, 16, out, 16), 0);
	ck_assert_uint_eq(out[0], BAD_OP);
	ck_assert_mem_eq(out + 4, "\xc0\xe5\x00\x01", 4);
	in[0] = 0x01, in[1] = 0x00;
	ck_assert_int_ne(emu_devx_general(in, 15, out, 16), 0);
	ck_assert_uint_eq(out[0], BAD_INP_LEN);
	ck_assert_int_ne(emu_devx_general(in, 4, out, 16), 0);
	ck_assert_uint_eq(out[0], BAD_INP_LEN);
	ck_assert_int_ne(emu_devx_general(in, 16, out, 15), 0);
	ck_assert_uint_eq(out[0], BAD_OUTP_LEN);
	ck_assert_int_eq(emu_devx_general(in, 16, out, 7), EINVAL);
	/* Objects are made by emu_devx_create alone, which makes nothing else. */
	devx_begin(&rig, 0x816);
	ck_assert_int_ne(emu_devx_general(rig.in, 16, out, 16), 0);
	ck_assert_uint_eq(out[0], BAD_OP);
	devx_begin(&rig, 0x100);
	ck_assert_uint_eq(devx_refused(&rig, 16), BAD_OP);
	/* Another object's number. */
	devx_begin(&rig, 0x771);
	td = devx_made(&rig, 16);
	uint32_t first = devx_number(&rig);
	other = devx_made(&rig, 16);
	ck_assert_uint_ne(devx_number(&rig), first);
	uint8_t query[32] = {0x07, 0x73}, answer[256];
	query[31] = (uint8_t)first;
	ck_assert_int_eq(emu_devx_query(td, query, 32, answer, 256), 0);
	ck_assert_int_ne(emu_devx_query(other, query, 32, answer, 256), 0);
	ck_assert_uint_eq(answer[0], BAD_RES);
	ck_assert_int_eq(emu_devx_destroy(td), 0);
	ck_assert_int_eq(emu_devx_destroy(other), 0);
}
END_TEST

START_TEST(umems)
{
	uint8_t memory[100];
	uint32_t id = 0;

	ck_assert_int_eq(emu_umem_add(NULL, 1, &id), EINVAL);
	ck_assert_int_eq(emu_umem_add(memory, 0, &id), EINVAL);
	ck_assert_int_eq(emu_umem_add(memory, 100, &id), 0);
	ck_assert_ptr_eq(emu_umem_at(id, 0, 100), memory);
	ck_assert_ptr_eq(emu_umem_at(id, 99, 1), memory + 99);
	ck_assert_ptr_null(emu_umem_at(id, 99, 2));
	ck_assert_ptr_null(emu_umem_at(id, 101, 0));
	ck_assert_ptr_null(emu_umem_at(id, UINT64_MAX, 2));
	ck_assert_ptr_null(emu_umem_at(0, 0, 1));
	ck_assert_ptr_null(emu_umem_at(id + 1, 0, 1));
	ck_assert_int_eq(emu_umem_remove(id), 0);
	ck_assert_int_eq(emu_umem_remove(id), ENOENT);
	ck_assert_ptr_null(emu_umem_at(id, 0, 1));
}
END_TEST

void test_devx_answers(Suite *s)
{
	TCase *t = tcase_create("answers");

	tcase_add_checked_fixture(t, open_rig, close_rig);
	tcase_add_test(t, rqt_and_tir);
	tcase_add_test(t, tir_lro);
	tcase_add_test(t, q_counter);
	tcase_add_test(t, capabilities);
	tcase_add_test(t, vport);
	tcase_add_test(t, envelope);
	tcase_add_test(t, umems);
	suite_add_tcase(s, t);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devx: commands that no driver would send: random lengths, random bytes, and good
 * ones with a few bytes changed.  Whatever happens, nothing outside of in and out is
 * touched (a memory checker sees their ends), an answer is either fine or has status and
 * syndrome, and all that was made can be destroyed again.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include "test_devx.h"

#define COMMANDS 100000u
#define KEPT     64u

static struct devx_rig rig;

static uint64_t draw(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static const uint16_t opcodes[] = {
	0x100, 0x754, 0x800, 0x816, 0x771, 0x773, 0x939, 0x93b, 0x400, 0x402, 0x908, 0x909,
	0x90b, 0x904, 0x905, 0x907, 0x916, 0x917, 0x900, 0x901, 0x912, 0x913, 0x915,
};

/* Plausible small numbers rather than noise, since noise is refused at the first look. */
static void fill(uint8_t *in, size_t length, uint64_t *state)
{
	unsigned density = (unsigned)draw(state) % 4;

	memset(in, 0, length);
	for (size_t i = 0; i < length && density; i++)
		if (draw(state) % (density * 16) == 0)
			in[i] = (uint8_t)(draw(state) % (draw(state) & 1 ? 256 : 5));
	if (length >= 2 && draw(state) % 50) {
		uint16_t opcode = opcodes[draw(state) % COUNT(opcodes)];

		in[0] = (uint8_t)(opcode >> 8);
		in[1] = (uint8_t)opcode;
	}
}

/* Commands that succeed, to start from. */
static void change_good(uint8_t *in, size_t length, uint64_t *state)
{
	struct emu_object *cq = devx_make_cq(&rig, draw(state) & 1 ? 0 : 3);
	uint32_t cqn = devx_number(&rig);

	if (draw(state) & 1)
		emu_devx_destroy(devx_make_rq(&rig, cqn));
	memcpy(in, rig.in, length < sizeof(rig.in) ? length : sizeof(rig.in));
	ck_assert_int_eq(emu_devx_destroy(cq), 0);
	for (unsigned n = (unsigned)draw(state) % 4; n && length; n--)
		in[draw(state) % length] = (uint8_t)draw(state);
}

static void check_answer(int rc, const uint8_t *out, size_t outlen)
{
	if (rc == EINVAL && outlen < 8)
		return;
	ck_assert_uint_ge(outlen, 8);
	if (!rc) {
		ck_assert_mem_eq(out, "\0\0\0\0\0\0\0\0", 8);
		return;
	}
	ck_assert_int_eq(rc, EREMOTEIO);
	ck_assert_uint_ne(out[0], 0);
	ck_assert_mem_eq(out + 4, "\xc0\xe5\x00", 3);
}

static int give(const uint8_t *in, size_t inlen, uint8_t *out, size_t outlen,
		struct emu_object **kept, uint64_t *state)
{
	struct emu_object **slot = &kept[draw(state) % KEPT];
	struct emu_object *made;
	int rc;

	switch (draw(state) % 4) {
	case 0:
		return emu_devx_general(in, inlen, out, outlen);
	case 1:
		return *slot ? emu_devx_modify(*slot, in, inlen, out, outlen)
			     : emu_devx_general(in, inlen, out, outlen);
	case 2:
		return *slot ? emu_devx_query(*slot, in, inlen, out, outlen)
			     : emu_devx_general(in, inlen, out, outlen);
	default:
		if (*slot && emu_devx_destroy(*slot))
			return emu_devx_general(in, inlen, out, outlen);
		rc = emu_devx_create(in, inlen, out, outlen, &made);
		ck_assert(!rc == !!made);
		*slot = made;
		return rc;
	}
}

static void destroy_all(struct emu_object **kept)
{
	/* Those that others refer to need another round. */
	for (unsigned round = 0; round < 5; round++)
		for (unsigned i = 0; i < KEPT; i++)
			if (kept[i] && !emu_devx_destroy(kept[i]))
				kept[i] = NULL;
	for (unsigned i = 0; i < KEPT; i++)
		ck_assert_ptr_null(kept[i]);
}

START_TEST(random_commands)
{
	struct emu_object *kept[KEPT] = {NULL};
	uint64_t state = 6;
	unsigned fine = 0;

	devx_rig_open(&rig, CQESIM_COMP_AGGRESSIVE);
	for (unsigned n = 0; n < COMMANDS; n++) {
		size_t inlen = draw(&state) % 8 ? 272 + 4 * (draw(&state) % 8) : draw(&state) % 300;
		size_t outlen = draw(&state) % 8 ? 272 : draw(&state) % 300;
		/* Of the very size, so that a memory checker sees their ends. */
		uint8_t *in = malloc(inlen ? inlen : 1), *out = malloc(outlen ? outlen : 1);
		int rc;

		ck_assert(in && out);
		fill(in, inlen, &state);
		if (inlen >= 272 && draw(&state) % 3 == 0)
			change_good(in, inlen, &state);
		rc = give(in, inlen, out, outlen, kept, &state);
		check_answer(rc, out, outlen);
		fine += !rc;
		free(in);
		free(out);
	}
	/* Not all was refused, or nothing much was tried. */
	ck_assert_uint_gt(fine, COMMANDS / 20);
	ck_assert_uint_lt(fine, COMMANDS);
	destroy_all(kept);
	devx_rig_close(&rig);
}
END_TEST

void test_devx_hostile(Suite *s)
{
	TCase *t = tcase_create("hostile");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, random_commands);
	suite_add_tcase(s, t);
}

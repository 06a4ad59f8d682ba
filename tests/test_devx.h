/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_devx.h - the rig of DevX's tests: a card, one page of user memory for each
 * ring, commands written byte by byte as a driver sends them.
 */
#ifndef CQESIM_TEST_DEVX_H
#define CQESIM_TEST_DEVX_H

#include <check.h>
#include <stddef.h>
#include <string.h>

#include "emu/emu.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* mlx5_ifc.h MLX5_CMD_STAT_* */
enum {
	BAD_OP = 0x2,
	BAD_PARAM = 0x3,
	BAD_RES = 0x5,
	BAD_RES_STATE = 0x9,
	BAD_INP_LEN = 0x50,
	BAD_OUTP_LEN = 0x51
};

#define UMEM_BYTES 32768u

struct devx_rig {
	uint8_t *memory; /* a umem each: CQ, RQ, SQ, SQ's CQ */
	uint32_t umem[4];
	uint8_t buffers[65536]; /* registered: lkey */
	uint32_t lkey;
	uint8_t in[272 + 4 * 8], out[272];
};

/* A card without limits and with long sessions; emu is set up around it. */
void devx_rig_open(struct devx_rig *rig, enum cqesim_compression compression);
/* All objects must be gone. */
void devx_rig_close(struct devx_rig *rig);
static inline uint8_t *devx_rig_umem(const struct devx_rig *rig, unsigned i)
{
	return rig->memory + i * UMEM_BYTES;
}

/* Bytes at an offset of the command to come. */
void devx_begin(struct devx_rig *rig, unsigned opcode);
void devx_bytes(struct devx_rig *rig, size_t at, const char *hex);

/* Create with `in` as it stands; the answer must be fine. */
struct emu_object *devx_made(struct devx_rig *rig, size_t inlen);
/* Status in the answer of a create that must fail. */
unsigned devx_refused(struct devx_rig *rig, size_t inlen);
uint32_t devx_number(const struct devx_rig *rig);

/* The usual objects; numbers in hex as two digits, cut from commands of the real driver. */
struct emu_object *devx_make_cq(struct devx_rig *rig, unsigned umem);
struct emu_object *devx_make_rq(struct devx_rig *rig, unsigned cqn);
/* Modify with rq_state `from` and state `to`; 0 or errno. */
int devx_move_rq(struct devx_rig *rig, struct emu_object *rq, unsigned rqn, unsigned from,
		 unsigned to);

/* Ethernet, IPv4, UDP, to one of 65536 ports. */
void devx_frame(uint8_t frame[64], unsigned port);
/* One arrives: 1 when it was delivered. */
unsigned devx_receive(unsigned port);
/* Buffers of 256 bytes, one after the other. */
void devx_post(struct devx_rig *rig, unsigned count);

void test_devx_answers(Suite *s);
void test_devx_hostile(Suite *s);
void test_devx_dpdk(Suite *s);

#endif

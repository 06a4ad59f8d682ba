/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devx.h - what the files of DevX share: commands, objects, and how a command is
 * refused.  All of it runs with emu's lock held.
 *
 *   devx_fields.h, devx_layout.*  where everything stands in a command
 *   devx_exec.c      the table of commands: lengths, references, answers
 *   devx_queues.c    completion, receive and send queues
 *   devx_steering.c  RQT, TIR, TIS
 *   devx_objects.c   the list of objects; counters and what is but a number
 *   devx_caps.c      capabilities
 *   devx_umem.c      user memory
 */
#ifndef CQESIM_DEVX_H
#define CQESIM_DEVX_H

#include "emu/devx_layout.h"
#include "emu/emu.h"

/* Kinds of objects: K(id, name, how many there may be). */
#define DEVX_KINDS(K)                                                                              \
	K(NONE, "none", 0)                                                                         \
	K(PD, "pd", 0x8000)                                                                        \
	K(TD, "transport_domain", 0x8000)                                                          \
	K(Q_COUNTER, "q_counter", 0xff) /* counter_set_id has eight bits */                        \
	K(FLOW_COUNTER, "flow_counter", 0x8000)                                                    \
	K(CQ, "cq", 0x8000)                                                                        \
	K(RQ, "rq", 0x8000)                                                                        \
	K(SQ, "sq", 0x8000)                                                                        \
	K(RQT, "rqt", 0x8000)                                                                      \
	K(TIR, "tir", 0x8000)                                                                      \
	K(TIS, "tis", 0x8000)
#define DEVX_KIND_ID(id, name, most) DEVX_##id,
enum devx_kind { DEVX_KINDS(DEVX_KIND_ID) DEVX_KIND_COUNT };
#undef DEVX_KIND_ID

/* Status of an answer (rdma-core mlx5_ifc.h, MLX5_CMD_STAT_*). */
enum devx_status {
	DEVX_OK = 0x0,
	DEVX_BAD_OP = 0x2,
	DEVX_BAD_PARAM = 0x3,
	DEVX_BAD_RES = 0x5,
	DEVX_RES_BUSY = 0x6,
	DEVX_LIM_ERR = 0x8,
	DEVX_BAD_RES_STATE = 0x9,
	DEVX_BAD_INP_LEN = 0x50,
	DEVX_BAD_OUTP_LEN = 0x51,
};

/*
 * Why a command is refused: S(id, status, text).  The numbers in the answer are the
 * library's own, 0xc0e50000 and the row: real firmware's are not public.
 */
#define DEVX_SYNDROMES(S)                                                                          \
	S(FINE, OK, "fine")                                                                        \
	S(UNKNOWN_OPCODE, BAD_OP, "a command that the emulated card does not have")                \
	S(WRONG_CALL, BAD_OP, "the command was not given by the call that it needs")               \
	S(SHORT_INPUT, BAD_INP_LEN, "the input is too short")                                      \
	S(SHORT_OUTPUT, BAD_OUTP_LEN, "the output is too short")                                   \
	S(NO_OBJECT, BAD_RES, "there is no object of that number, or it is another one")           \
	S(NO_REFERENCE, BAD_RES, "an object that is referred to does not exist")                   \
	S(NO_UMEM, BAD_RES, "a ring or doorbell record is not within its user memory")             \
	S(NOT_UMEM, BAD_PARAM, "rings and doorbell records must be given as user memory")          \
	S(MISALIGNED, BAD_PARAM, "a ring or doorbell record is not aligned")                       \
	S(BUSY, RES_BUSY, "the object is in use by another one")                                   \
	S(LIMIT, LIM_ERR, "no more objects, or no more memory")                                    \
	S(REFUSED, BAD_PARAM, "the card does not take such values")                                \
	S(CAPABILITY, BAD_PARAM, "no such group of capabilities")                                  \
	S(CQE_SIZE, BAD_PARAM, "completions of 128 bytes are not emulated")                        \
	S(MINI_FORMAT, BAD_PARAM, "no such mini-CQE format or layout")                             \
	S(WQ_TYPE, BAD_PARAM, "the type or stride of the work queue is not emulated")              \
	S(QUEUE_KIND, BAD_PARAM, "hairpin, RMP and internal queues are not emulated")              \
	S(STATE, BAD_RES_STATE, "the queue is not in that state, or cannot go to the other")       \
	S(MODIFY_BITS, BAD_PARAM, "this cannot be modified")                                       \
	S(TABLE_SIZE, BAD_PARAM, "the indirection table has no entry, too many, or is cut off")    \
	S(HASH, BAD_PARAM, "this hash function or choice of fields is not emulated")               \
	S(COUNTERS, BAD_PARAM, "counters cannot be written to memory")                             \
	S(LRO, BAD_PARAM, "no LRO of that kind or size")
#define DEVX_SYNDROME_ID(id, status, text) DEVX_SYND_##id,
enum devx_syndrome { DEVX_SYNDROMES(DEVX_SYNDROME_ID) DEVX_SYND_COUNT };
#undef DEVX_SYNDROME_ID
#define DEVX_SYNDROME_BASE 0xc0e50000u

/* rqc, sqc and tirc are the longest. */
#define DEVX_CONTEXT_BYTES 240u

struct emu_object {
	struct emu_object *next;
	enum devx_kind kind;
	uint32_t number;  /* as commands have it */
	uint32_t card;    /* number in the card; 0: the card knows nothing of it */
	uint32_t umem[2]; /* in use by ring and doorbell record; 0: none */
	uint64_t base;    /* Q_COUNTER: what the card had counted when it was made or cleared */
	uint8_t context[DEVX_CONTEXT_BYTES];
};

/* A command in progress; lengths and `object` have been checked when its function runs. */
struct devx_call {
	const uint8_t *in;
	size_t inlen;
	uint8_t *out; /* zeros */
	size_t outlen;
	struct emu_object *object; /* the new one, or the one that the command names */
};

/* ---- devx_objects.c ---- */

struct emu_object *devx_object_find(enum devx_kind kind, uint64_t number);
/* NULL: no memory, or too many.  Not in the list yet. */
struct emu_object *devx_object_new(enum devx_kind kind);
/* Into the list; without a number it gets one. */
void devx_object_add(struct emu_object *object);
/* Frees it; no other object refers to it. */
void devx_object_remove(struct emu_object *object);
bool devx_object_in_use(const struct emu_object *object);
const char *devx_kind_name(enum devx_kind kind);

enum devx_syndrome devx_alloc_number(struct devx_call *call);
enum devx_syndrome devx_alloc_q_counter(struct devx_call *call);
enum devx_syndrome devx_query_q_counter(struct devx_call *call);
enum devx_syndrome devx_query_flow_counter(struct devx_call *call);

/* ---- devx_umem.c ---- */

struct devx_place {
	uint32_t umem;
	uint64_t offset;
	size_t length;
	unsigned align;
};
/* *memory: NULL when it is not there. */
enum devx_syndrome devx_locate(const struct devx_place *place, void **memory);
/* An object's ring and doorbell record, which were located; until it is destroyed. */
void devx_hold(struct emu_object *object, uint32_t ring, uint32_t record);
void devx_release(struct emu_object *object);

/* ---- devx_caps.c ---- */

enum devx_syndrome devx_query_hca_cap(struct devx_call *call);
enum devx_syndrome devx_query_nic_vport(struct devx_call *call);
/*
 * Does the device join segments?  And the period that it takes for one that was asked for: the
 * largest that is not longer, or the smallest (assumed).
 */
bool devx_lro_allowed(void);
uint32_t devx_lro_period_us(uint64_t asked_us);

/* ---- devx_queues.c ---- */

/* From what a function of card.h returned. */
enum devx_syndrome devx_of_card(int error);
enum devx_syndrome devx_create_cq(struct devx_call *call);
enum devx_syndrome devx_query_cq(struct devx_call *call);
enum devx_syndrome devx_create_rq(struct devx_call *call);
enum devx_syndrome devx_modify_rq(struct devx_call *call);
enum devx_syndrome devx_query_rq(struct devx_call *call);
enum devx_syndrome devx_create_sq(struct devx_call *call);
enum devx_syndrome devx_modify_sq(struct devx_call *call);
enum devx_syndrome devx_query_sq(struct devx_call *call);

/* ---- devx_steering.c ---- */

enum devx_syndrome devx_create_rqt(struct devx_call *call);
enum devx_syndrome devx_modify_rqt(struct devx_call *call);
enum devx_syndrome devx_create_tir(struct devx_call *call);
enum devx_syndrome devx_modify_tir(struct devx_call *call);
enum devx_syndrome devx_create_tis(struct devx_call *call);
enum devx_syndrome devx_modify_tis(struct devx_call *call);
enum devx_syndrome devx_query_tis(struct devx_call *call);

#endif

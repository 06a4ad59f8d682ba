/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devx_exec.c - the commands: which there are, how long they must be, which object
 * they name; carrying them out and answering.  A command that is refused leaves everything
 * as it was; its answer has a status and a syndrome (devx.h), and it is said on
 * standard error, since a driver seldom says more than that something failed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/devx.h"

/* Through which call a command comes. */
enum verb { GENERAL, CREATE, MODIFY, QUERY };

struct command {
	const char *name;
	uint16_t opcode;
	enum verb verb;
	enum devx_kind kind;
	uint16_t in_bytes, out_bytes; /* at least; tables and statistics may follow */
	uint16_t bit, bits;           /* where the number of its object is; CREATE: in `out` */
	const char *layout;           /* of its context, for the log; or NULL */
	uint16_t at;                  /* where that begins, in bytes */
	enum devx_syndrome (*run)(struct devx_call *call);
};

#define NUMBER(layout, field)           DEVX_AT_##layout##_##field, DEVX_BITS_##layout##_##field
#define CONTEXT(layout, command, field) #layout, DEVX_AT_##command##_##field / 8
#define NO_NUMBER                       0, 0
#define NO_CONTEXT                      NULL, 0

/* Opcodes: mlx5_prm.h MLX5_CMD_OP_*; QUERY_SQ and QUERY_CQ from v24.11, MODIFY_TIS from Linux. */
static const struct command commands[] = {
	{"QUERY_HCA_CAP", 0x100, GENERAL, DEVX_NONE, 16, 16, NO_NUMBER, NO_CONTEXT,
	 devx_query_hca_cap},
	{"QUERY_NIC_VPORT_CONTEXT", 0x754, GENERAL, DEVX_NONE, 16, 272, NO_NUMBER, NO_CONTEXT,
	 devx_query_nic_vport},
	{"ALLOC_PD", 0x800, CREATE, DEVX_PD, 16, 16, NUMBER(alloc_pd_out, pd), NO_CONTEXT,
	 devx_alloc_number},
	{"ALLOC_TRANSPORT_DOMAIN", 0x816, CREATE, DEVX_TD, 16, 16,
	 NUMBER(alloc_transport_domain_out, transport_domain), NO_CONTEXT, devx_alloc_number},
	{"ALLOC_Q_COUNTER", 0x771, CREATE, DEVX_Q_COUNTER, 16, 16,
	 NUMBER(alloc_q_counter_out, counter_set_id), NO_CONTEXT, devx_alloc_q_counter},
	{"QUERY_Q_COUNTER", 0x773, QUERY, DEVX_Q_COUNTER, 32, 256,
	 NUMBER(query_q_counter_in, counter_set_id), NO_CONTEXT, devx_query_q_counter},
	{"ALLOC_FLOW_COUNTER", 0x939, CREATE, DEVX_FLOW_COUNTER, 16, 16,
	 NUMBER(alloc_flow_counter_out, flow_counter_id), NO_CONTEXT, devx_alloc_number},
	{"QUERY_FLOW_COUNTER", 0x93b, QUERY, DEVX_FLOW_COUNTER, 32, 16,
	 NUMBER(query_flow_counter_in, flow_counter_id), NO_CONTEXT, devx_query_flow_counter},
	{"CREATE_CQ", 0x400, CREATE, DEVX_CQ, 272, 16, NUMBER(create_cq_out, cqn),
	 CONTEXT(cqc, create_cq_in, cq_context), devx_create_cq},
	{"QUERY_CQ", 0x402, QUERY, DEVX_CQ, 16, 272, NUMBER(query_cq_in, cqn), NO_CONTEXT,
	 devx_query_cq},
	{"CREATE_RQ", 0x908, CREATE, DEVX_RQ, 272, 16, NUMBER(create_rq_out, rqn),
	 CONTEXT(rqc, create_rq_in, ctx), devx_create_rq},
	{"MODIFY_RQ", 0x909, MODIFY, DEVX_RQ, 272, 16, NUMBER(modify_rq_in, rqn),
	 CONTEXT(rqc, modify_rq_in, ctx), devx_modify_rq},
	{"QUERY_RQ", 0x90b, QUERY, DEVX_RQ, 16, 272, NUMBER(query_rq_in, rqn), NO_CONTEXT,
	 devx_query_rq},
	{"CREATE_SQ", 0x904, CREATE, DEVX_SQ, 272, 16, NUMBER(create_sq_out, sqn),
	 CONTEXT(sqc, create_sq_in, ctx), devx_create_sq},
	{"MODIFY_SQ", 0x905, MODIFY, DEVX_SQ, 272, 16, NUMBER(modify_sq_in, sqn),
	 CONTEXT(sqc, modify_sq_in, ctx), devx_modify_sq},
	{"QUERY_SQ", 0x907, QUERY, DEVX_SQ, 16, 272, NUMBER(query_sq_in, sqn), NO_CONTEXT,
	 devx_query_sq},
	{"CREATE_RQT", 0x916, CREATE, DEVX_RQT, 272, 16, NUMBER(create_rqt_out, rqtn),
	 CONTEXT(rqtc, create_rqt_in, rqt_context), devx_create_rqt},
	{"MODIFY_RQT", 0x917, MODIFY, DEVX_RQT, 272, 16, NUMBER(modify_rqt_in, rqtn),
	 CONTEXT(rqtc, modify_rqt_in, rqt_context), devx_modify_rqt},
	{"CREATE_TIR", 0x900, CREATE, DEVX_TIR, 272, 16, NUMBER(create_tir_out, tirn),
	 CONTEXT(tirc, create_tir_in, ctx), devx_create_tir},
	{"MODIFY_TIR", 0x901, MODIFY, DEVX_TIR, 272, 16, NUMBER(modify_tir_in, tirn),
	 CONTEXT(tirc, modify_tir_in, ctx), devx_modify_tir},
	{"CREATE_TIS", 0x912, CREATE, DEVX_TIS, 192, 16, NUMBER(create_tis_out, tisn),
	 CONTEXT(tisc, create_tis_in, ctx), devx_create_tis},
	{"MODIFY_TIS", 0x913, MODIFY, DEVX_TIS, 192, 16, NUMBER(modify_tis_in, tisn),
	 CONTEXT(tisc, modify_tis_in, ctx), devx_modify_tis},
	{"QUERY_TIS", 0x915, QUERY, DEVX_TIS, 16, 176, NUMBER(query_tis_in, tisn), NO_CONTEXT,
	 devx_query_tis},
};

static const struct command *command_of(uint64_t opcode)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].opcode == opcode)
			return &commands[i];
	return NULL;
}

static const struct {
	enum devx_status status;
	const char *text;
} syndromes[] = {
#define ROW(id, status, text) {DEVX_##status, text},
	DEVX_SYNDROMES(ROW)
#undef ROW
};

_Static_assert((int)DEVX_AT_rqc_wq == (int)DEVX_AT_sqc_wq, "one offset for both");

static void print_context(char *text, size_t size, const struct command *command,
			  const uint8_t *raw)
{
	size_t used;

	devx_print(text, size, command->layout, raw);
	if (strcmp(command->layout, "rqc") && strcmp(command->layout, "sqc"))
		return;
	used = strlen(text);
	if (used + 6 >= size)
		return;
	memcpy(text + used, ", wq ", 6);
	devx_print(text + used + 5, size - used - 5, "wq", DEVX_PART(raw, rqc, wq));
}

/* The answer's head, and a line in the log.  0, or EREMOTEIO: "see status", as Linux says it. */
static int answer(const struct devx_call *call, const struct command *command,
		  enum devx_syndrome synd)
{
	uint64_t opcode = call->inlen >= 4 ? DEVX_GET(call->in, in, opcode) : 0;
	char context[400] = "";

	if (command && command->layout && call->inlen >= command->in_bytes)
		print_context(context, sizeof(context), command, call->in + command->at);
	if (!synd) {
		if (call->object)
			emu_log("%s %s %u%s%s", command->name, devx_kind_name(command->kind),
				call->object->number, *context ? ": " : "", context);
		else
			emu_log("%s op_mod 0x%x", command->name,
				(unsigned)DEVX_GET(call->in, in, op_mod));
		return 0;
	}
	DEVX_SET(call->out, out, status, syndromes[synd].status);
	DEVX_SET(call->out, out, syndrome, DEVX_SYNDROME_BASE + synd);
	emu_warn("DevX command 0x%x %s (%zu bytes in, %zu out) refused, status 0x%x syndrome 0x%x: "
		 "%s%s%s",
		 (unsigned)opcode, command ? command->name : "", call->inlen, call->outlen,
		 syndromes[synd].status, DEVX_SYNDROME_BASE + synd, syndromes[synd].text,
		 *context ? "; " : "", context);
	return EREMOTEIO;
}

/* The object that a command names; one that came with the call must be that one. */
static enum devx_syndrome find_object(const struct command *command, struct devx_call *call,
				      struct emu_object *given)
{
	call->object =
		devx_object_find(command->kind, devx_load(call->in, command->bit, command->bits));
	return call->object && (!given || given == call->object) ? DEVX_SYND_FINE
								 : DEVX_SYND_NO_OBJECT;
}

static enum devx_syndrome check(const struct command *command, enum verb verb,
				const struct devx_call *call)
{
	if (call->inlen < 8)
		return DEVX_SYND_SHORT_INPUT;
	if (!command)
		return DEVX_SYND_UNKNOWN_OPCODE;
	/* Objects may be named in a general command as well, but not made. */
	if (verb != command->verb && (verb != GENERAL || command->verb == CREATE))
		return DEVX_SYND_WRONG_CALL;
	if (call->inlen < command->in_bytes)
		return DEVX_SYND_SHORT_INPUT;
	if (call->outlen < command->out_bytes)
		return DEVX_SYND_SHORT_OUTPUT;
	return DEVX_SYND_FINE;
}

static enum devx_syndrome run_create(const struct command *command, struct devx_call *call)
{
	enum devx_syndrome synd;

	call->object = devx_object_new(command->kind);
	if (!call->object)
		return DEVX_SYND_LIMIT;
	synd = command->run(call);
	if (synd) {
		free(call->object);
		call->object = NULL;
		return synd;
	}
	devx_object_add(call->object);
	devx_store(call->out, command->bit, command->bits, call->object->number);
	return DEVX_SYND_FINE;
}

/* EINVAL where there is not even room for a status. */
static int execute(enum verb verb, struct devx_call *call, struct emu_object *given)
{
	const struct command *command;
	enum devx_syndrome synd;

	if (!call->out || call->outlen < 8 || (!call->in && call->inlen))
		return EINVAL;
	memset(call->out, 0, call->outlen);
	command = call->inlen >= 8 ? command_of(DEVX_GET(call->in, in, opcode)) : NULL;
	synd = check(command, verb, call);
	if (!synd && command->verb == CREATE)
		synd = run_create(command, call);
	else if (!synd && command->kind != DEVX_NONE)
		synd = find_object(command, call, given);
	if (!synd && command->verb != CREATE)
		synd = command->run(call);
	return answer(call, command, synd);
}

/* ---- called by the exported functions ---- */

int emu_devx_general(const void *in, size_t inlen, void *out, size_t outlen)
{
	struct devx_call call = {.in = in, .inlen = inlen, .out = out, .outlen = outlen};

	return execute(GENERAL, &call, NULL);
}

int emu_devx_create(const void *in, size_t inlen, void *out, size_t outlen, struct emu_object **obj)
{
	struct devx_call call = {.in = in, .inlen = inlen, .out = out, .outlen = outlen};
	int rc = execute(CREATE, &call, NULL);

	*obj = rc ? NULL : call.object;
	return rc;
}

int emu_devx_modify(struct emu_object *obj, const void *in, size_t inlen, void *out, size_t outlen)
{
	struct devx_call call = {.in = in, .inlen = inlen, .out = out, .outlen = outlen};

	return obj ? execute(MODIFY, &call, obj) : EINVAL;
}

int emu_devx_query(struct emu_object *obj, const void *in, size_t inlen, void *out, size_t outlen)
{
	struct devx_call call = {.in = in, .inlen = inlen, .out = out, .outlen = outlen};

	return obj ? execute(QUERY, &call, obj) : EINVAL;
}

/*
 * With dv_flow_en=0 DPDK makes its send queues by verbs, asks for their transport domain in
 * this way (mlx5_devx_cmd_qp_query_tis_td), and puts that into its TIRs.
 */
int emu_devx_qp_query(const void *in, size_t inlen, void *out, size_t outlen)
{
	const uint8_t *raw = in;

	if (!in || !out || inlen < DEVX_BYTES_query_tis_in || outlen < DEVX_BYTES_query_tis_out ||
	    DEVX_GET(raw, in, opcode) != 0x915 || DEVX_GET(raw, query_tis_in, tisn))
		return emu_devx_general(in, inlen, out, outlen);
	memset(out, 0, outlen);
	return 0;
}

static int destroy_in_card(const struct emu_object *object)
{
	if (!object->card)
		return 0;
	switch (object->kind) {
	case DEVX_CQ:
		return cqesim_card_destroy_cq(emu.card, object->card);
	case DEVX_RQ:
		return cqesim_card_destroy_rq(emu.card, object->card);
	case DEVX_SQ:
		return cqesim_card_destroy_sq(emu.card, object->card);
	case DEVX_RQT:
		return cqesim_card_destroy_rqt(emu.card, object->card);
	case DEVX_TIR:
		return cqesim_card_destroy_tir(emu.card, object->card);
	default:
		return 0;
	}
}

int emu_devx_destroy(struct emu_object *obj)
{
	int rc;

	if (!obj)
		return EINVAL;
	rc = devx_object_in_use(obj) ? -EBUSY : destroy_in_card(obj);
	if (rc) {
		emu_warn("%s %u cannot be destroyed: %s", devx_kind_name(obj->kind), obj->number,
			 rc == -EBUSY ? "another object refers to it" : strerror(-rc));
		return -rc;
	}
	emu_log("destroyed %s %u", devx_kind_name(obj->kind), obj->number);
	devx_release(obj);
	devx_object_remove(obj);
	return 0;
}

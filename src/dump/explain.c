/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A failed completion in a sentence that somebody tired understands: on which host,
 * what was it about, first error or consequence.  What each syndrome means is the
 * InfiniBand architecture's (completion return status, volume 1, 11.6.2); names are
 * DV's.
 */
#include <string.h>

#include "dump/dump_internal.h"

/* ---- facts ---- */

/* All bytes of the field stood in the input. */
static bool whole(const struct cqesim_dump_item *item, const struct cqesim_field *f)
{
	uint64_t bytes = (UINT64_C(1) << f->bytes) - 1;

	return (item->known >> f->byte & bytes) == bytes;
}

static bool get(const struct cqesim_dump_item *item, const struct cqesim_layout *view,
		const char *name, uint64_t *value)
{
	const struct cqesim_field *f = cqesim_layout_field(view, name);

	if (!f || !whole(item, f))
		return false;
	*value = cqesim_field_get(f, item->raw);
	return true;
}

static void error_facts(const struct cqesim_dump_item *item, struct cqesim_dump_facts *f)
{
	const struct cqesim_layout *view = cqesim_cqe_view_named("err");
	uint64_t v, type;

	if (get(item, view, "syndrome", &v)) {
		f->syndrome = (uint8_t)v;
		f->known |= CQESIM_FACT_SYNDROME;
		f->known &= ~(uint32_t)CQESIM_FACT_STATUS; /* follows from it */
	}
	if (get(item, view, "vendor_err_synd", &v)) {
		f->vendor_err_synd = (uint8_t)v;
		f->known |= CQESIM_FACT_VENDOR;
	}
	if (get(item, view, "hw_err_synd", &v) && get(item, view, "hw_synd_type", &type)) {
		f->hw_err_synd = (uint8_t)v;
		f->hw_synd_type = (uint8_t)type >> 4;
		f->known |= CQESIM_FACT_HW;
	}
	if (f->opcode == CQESIM_OP_REQ_ERR && get(item, view, "wqe_opcode", &v)) {
		f->send_opcode = (uint8_t)v;
		f->known |= CQESIM_FACT_SEND_OPCODE;
	}
	if (get(item, view, "srqn", &v) && v & 0xffffff) {
		f->srqn = (uint32_t)v & 0xffffff;
		f->known |= CQESIM_FACT_SRQN;
	}
}

static void good_facts(const struct cqesim_dump_item *item, struct cqesim_dump_facts *f)
{
	uint64_t v;

	if (f->opcode == CQESIM_OP_REQ &&
	    get(item, cqesim_cqe_view(item->raw), "send_opcode", &v)) {
		f->send_opcode = (uint8_t)v;
		f->known |= CQESIM_FACT_SEND_OPCODE;
	}
}

void cqesim_dump_facts(const struct cqesim_dump_item *item, struct cqesim_dump_facts *f)
{
	const struct cqesim_layout *view = cqesim_cqe_view(item->raw);
	bool bytes = item->kind == CQESIM_DUMP_CQE && item->known >> 63;
	uint64_t v;

	*f = item->stated;
	if (bytes) {
		f->opcode = item->raw[CQESIM_OP_OWN_BYTE] >> 4;
		f->known |= CQESIM_FACT_OPCODE;
		/* Receive queues of Ethernet leave the number 0; the text may know it. */
		if (get(item, view, "qpn", &v) && (v || !(f->known & CQESIM_FACT_QPN))) {
			f->qpn = (uint32_t)v & 0xffffff;
			f->known |= CQESIM_FACT_QPN;
		}
		if (get(item, view, "wqe_counter", &v)) {
			f->wqe_index = (uint32_t)v;
			f->known |= CQESIM_FACT_WQE;
		}
		if (f->opcode == CQESIM_OP_REQ_ERR || f->opcode == CQESIM_OP_RESP_ERR)
			error_facts(item, f);
		else
			good_facts(item, f);
	}
	if (!(f->known & CQESIM_FACT_SYNDROME) && f->known & CQESIM_FACT_STATUS &&
	    cqesim_dump_status_syndrome(f->status)) {
		f->syndrome = (uint8_t)cqesim_dump_status_syndrome(f->status);
		f->known |= CQESIM_FACT_SYNDROME;
	}
	if (!(f->known & CQESIM_FACT_STATUS) && f->known & CQESIM_FACT_SYNDROME &&
	    cqesim_dump_syndrome_status(f->syndrome) != 255) {
		f->status = (uint8_t)cqesim_dump_syndrome_status(f->syndrome);
		f->known |= CQESIM_FACT_STATUS;
	}
}

bool cqesim_dump_is_error(const struct cqesim_dump_item *item)
{
	unsigned opcode = item->raw[CQESIM_OP_OWN_BYTE] >> 4;

	if (item->kind == CQESIM_DUMP_STATEMENT)
		return true;
	return item->kind == CQESIM_DUMP_CQE && !(item->flags & CQESIM_DUMP_ARRAY) &&
	       (item->known >> 63 ? opcode == CQESIM_OP_REQ_ERR || opcode == CQESIM_OP_RESP_ERR ||
					    opcode == CQESIM_OP_SIG_ERR
				  : item->flags & CQESIM_DUMP_ANNOUNCED);
}

bool cqesim_dump_is_flush(const struct cqesim_dump_item *item)
{
	struct cqesim_dump_facts f;

	if (!cqesim_dump_is_error(item))
		return false;
	cqesim_dump_facts(item, &f);
	return f.known & CQESIM_FACT_SYNDROME && f.syndrome == CQESIM_SYNDROME_WR_FLUSH;
}

uint8_t cqesim_dump_signature_residual(const uint8_t raw[64])
{
	uint8_t x = 0xff;

	for (unsigned i = 0; i < 64; i++)
		x ^= i == CQESIM_OP_OWN_BYTE ? raw[i] & (uint8_t)~CQESIM_OWNER_MASK : raw[i];
	return x;
}

/* ---- sentences ---- */

/* %s is the request or the receive. */
struct cause {
	uint8_t syndrome;
	uint8_t requester, responder; /* enum cqesim_dump_where */
	const char *request, *receive;
};

#define L CQESIM_DUMP_LOCAL
#define R CQESIM_DUMP_REMOTE
#define P CQESIM_DUMP_PATH
#define C CQESIM_DUMP_CONSEQUENCE
static const struct cause causes[] = {
	{0x01, L, L, "On this host: the card refused %s, its length is not allowed.",
	 "On this host: a message from the peer did not fit into %s."},
	{0x02, L, L,
	 "On this host: the card could not carry out %s; the request itself is malformed or not "
	 "allowed on this queue.",
	 "On this host: the card could not use %s; the receive request itself is malformed or not "
	 "allowed on this queue."},
	{0x04, L, L,
	 "On this host: the card was not allowed to touch the local memory of %s: memory key, "
	 "address, length or protection domain do not fit.",
	 "On this host: the card was not allowed to write a message into the memory of %s: memory "
	 "key, address, length or protection domain do not fit."},
	{0x05, C, C,
	 "A consequence, not the cause: %s was flushed, its queue was in the error state already.",
	 "A consequence, not the cause: %s was flushed, its queue was in the error state already."},
	{0x06, L, L,
	 "On this host: the card refused %s, which was to change a memory registration or bind a "
	 "memory window.",
	 "On this host: the card refused a change of a memory registration, %s."},
	{0x10, P, P, "Between the hosts: the peer's answer to %s was not one that fits.",
	 "Between the hosts: what came for %s does not fit."},
	{0x11, L, L, "On this host: the card was not allowed to touch local memory for %s.",
	 "On this host: a request of the peer was not allowed to touch local memory; told by %s."},
	{0x12, R, L,
	 "On the peer: it refused %s as invalid: the kind of request, its length, or the way the "
	 "queue is set up.",
	 "On this host: what the peer sent is an invalid request here; told by %s."},
	{0x13, R, L,
	 "On the peer: it did not let %s touch its memory: rkey, address, length or permission do "
	 "not fit.",
	 "On this host: the peer's request was not allowed to touch memory here; told by %s."},
	{0x14, R, L,
	 "On the peer: something failed there while it handled %s. The cause stands in the peer's "
	 "log.",
	 "On this host: something failed while it handled the peer's request; told by %s."},
	{0x15, P, P,
	 "No answer from the peer: %s was sent again until the retries were used up. The peer is "
	 "gone or not set up, or packets are lost on the way.",
	 "No answer from the peer; told by %s."},
	{0x16, R, R,
	 "On the peer: it had no receive posted for %s, again and again until the retries were "
	 "used up.",
	 "On the peer: it had no receive posted; told by %s."},
	{0x22, R, L, "On the peer: it aborted %s.", "On this host: %s was aborted."},
};
#undef L
#undef R
#undef P
#undef C

static const struct cause *cause_of(const struct cqesim_dump_facts *f)
{
	for (size_t i = 0;
	     f->known & CQESIM_FACT_SYNDROME && i < sizeof(causes) / sizeof(causes[0]); i++)
		if (causes[i].syndrome == f->syndrome)
			return &causes[i];
	return NULL;
}

static bool is_receive(const struct cqesim_dump_facts *f)
{
	return f->known & CQESIM_FACT_OPCODE && f->opcode == CQESIM_OP_RESP_ERR;
}

enum cqesim_dump_where cqesim_dump_where(const struct cqesim_dump_facts *f)
{
	const struct cause *c = cause_of(f);

	if (f->known & CQESIM_FACT_OPCODE && f->opcode == CQESIM_OP_SIG_ERR)
		return CQESIM_DUMP_LOCAL;
	if (!c)
		return CQESIM_DUMP_NOWHERE;
	return (enum cqesim_dump_where)(is_receive(f) ? c->responder : c->requester);
}

const char *dump_operation(unsigned send_opcode)
{
	const char *name = cqesim_send_opcode_name(send_opcode);

	return strcmp(name, "unknown") ? name : NULL;
}

static const char *queue_name(const struct cqesim_dump_facts *f)
{
	static const char *const name[] = {
		[CQESIM_DUMP_QP] = "QP",
		[CQESIM_DUMP_SQ] = "send queue",
		[CQESIM_DUMP_RQ] = "receive queue",
		[CQESIM_DUMP_SRQ] = "QP (shared receive queue)",
		[CQESIM_DUMP_DCI] = "DCI",
		[CQESIM_DUMP_DCT] = "DCT",
	};
	return f->queue < sizeof(name) / sizeof(name[0]) ? name[f->queue] : "QP";
}

/* "the RDMA_WRITE with WQE index 3 on QP 0x169" */
static void subject(const struct cqesim_dump_facts *f, char *text, size_t size)
{
	struct dump_text t = {text, size};
	const char *operation =
		f->known & CQESIM_FACT_SEND_OPCODE ? dump_operation(f->send_opcode) : NULL;

	if (is_receive(f))
		dump_say(&t, "the receive");
	else if (operation)
		dump_say(&t, "the %s", operation);
	else
		dump_say(&t, "a request");
	if (f->known & CQESIM_FACT_WQE)
		dump_say(&t, " with WQE index %u", f->wqe_index);
	if (f->known & CQESIM_FACT_QPN)
		dump_say(&t, " on %s 0x%x", queue_name(f), f->qpn);
	else if (f->known & CQESIM_FACT_SRQN && is_receive(f))
		dump_say(&t, " on SRQ 0x%x", f->srqn);
	else if (f->known & CQESIM_FACT_CQN)
		dump_say(&t, " of CQ 0x%x", f->cqn);
}

static void codes(const struct cqesim_dump_facts *f, struct dump_text *t)
{
	const char *sep = " (";

	if (f->known & CQESIM_FACT_SYNDROME) {
		dump_say(t, "%s%s, syndrome 0x%02x", sep, cqesim_syndrome_name(f->syndrome),
			 f->syndrome);
		sep = ", ";
	} else if (f->known & CQESIM_FACT_STATUS) {
		dump_say(t, "%s%s, status %u", sep, cqesim_dump_status_name(f->status), f->status);
		sep = ", ";
	}
	if (f->known & CQESIM_FACT_VENDOR) {
		dump_say(t, "%svendor syndrome 0x%02x", sep, f->vendor_err_synd);
		sep = ", ";
	}
	if (f->known & CQESIM_FACT_HW && (f->hw_err_synd || f->hw_synd_type)) {
		dump_say(t, "%shw syndrome %u/%u", sep, f->hw_synd_type, f->hw_err_synd);
		sep = ", ";
	}
	if (*sep == ',')
		dump_say(t, ")");
}

static void missing_bytes(const struct cqesim_dump_item *item, struct dump_text *t)
{
	const char *sep = "";

	if (item->kind != CQESIM_DUMP_CQE || item->known == ~UINT64_C(0))
		return;
	dump_say(t, " Not all of its bytes stand there; missing: ");
	for (unsigned i = 0; i < 64;) {
		unsigned from = i;

		while (i < 64 && !(item->known >> i & 1))
			i++;
		if (i == from) {
			i++;
			continue;
		}
		if (i - from > 1)
			dump_say(t, "%s%u-%u", sep, from, i - 1);
		else
			dump_say(t, "%s%u", sep, from);
		sep = ", ";
	}
	dump_say(t, ".");
}

static void explain_error(const struct cqesim_dump_item *item, struct dump_text *t)
{
	struct cqesim_dump_facts f;
	char what[160], sentence[512];
	const struct cause *c;

	cqesim_dump_facts(item, &f);
	subject(&f, what, sizeof(what));
	c = cause_of(&f);
	struct dump_text s = {sentence, sizeof(sentence)};
	if (c) {
		const char *text = is_receive(&f) ? c->receive : c->request;
		const char *place = strstr(text, "%s");

		dump_say(&s, "%.*s%s%s", (int)(place - text), text, what, place + 2);
	} else if (f.known & (CQESIM_FACT_SYNDROME | CQESIM_FACT_STATUS)) {
		dump_say(&s, "An error completion for %s; its %s has no meaning that is public.",
			 what, f.known & CQESIM_FACT_SYNDROME ? "syndrome" : "status");
	} else if (f.known & CQESIM_FACT_VENDOR) {
		dump_say(&s, "An error completion for %s, told by its vendor syndrome alone.",
			 what);
	} else {
		dump_say(&s, "An error completion for %s; the line does not say which error.",
			 what);
	}
	/* The codes go before the full stop of the first sentence. */
	char *stop = strstr(sentence, ". ");
	if (!stop)
		stop = sentence + strlen(sentence) - 1;
	dump_say(t, "%.*s", (int)(stop - sentence), sentence);
	codes(&f, t);
	dump_say(t, "%s", stop);
	if (item->flags & CQESIM_DUMP_CONFLICT)
		dump_say(t,
			 " What the text beside it says differs from the bytes; the bytes count.");
}

static void explain_wqe(const struct cqesim_dump_item *item, struct dump_text *t)
{
	/* First dword: opmod, index, opcode; second: QPN and size (DV mlx5_wqe_ctrl_seg). */
	const char *operation = item->known & 8 ? dump_operation(item->raw[3]) : NULL;

	dump_say(t, "A work request, not a completion: %llu bytes of ",
		 (unsigned long long)item->size);
	if (operation && (item->known & 0xff) == 0xff)
		dump_say(t, "the %s with WQE index %u on QP 0x%x", operation,
			 item->raw[1] << 8 | item->raw[2],
			 item->raw[4] << 16 | item->raw[5] << 8 | item->raw[6]);
	else
		dump_say(t, "a WQE");
	if (item->stated.known & CQESIM_FACT_WQ_SIZE)
		dump_say(t, ", in a work queue of %u", item->stated.wq_size);
	dump_say(t, ".");
}

void cqesim_dump_explain(const struct cqesim_dump_item *item, char *text, size_t size)
{
	struct dump_text t = {text, size};

	if (size)
		*text = '\0';
	switch (item->kind) {
	case CQESIM_DUMP_CQE:
		if (cqesim_dump_is_error(item) && item->raw[63] >> 4 != CQESIM_OP_SIG_ERR)
			explain_error(item, &t);
		else
			dump_explain_good(item, &t);
		missing_bytes(item, &t);
		break;
	case CQESIM_DUMP_STATEMENT:
		explain_error(item, &t);
		break;
	case CQESIM_DUMP_COUNTER:
		if (item->flags & CQESIM_DUMP_TABLE)
			dump_say(&t, "A cell of a table by number of queues.");
		else
			dump_say(&t, "%s%s.", cqesim_dump_counter_text(item->name),
				 item->flags & CQESIM_DUMP_RATE ? ", per second" : "");
		break;
	case CQESIM_DUMP_WQE:
		explain_wqe(item, &t);
		break;
	default:
		if (item->reason == CQESIM_DUMP_HEX && item->value > 1)
			dump_say(&t, "%llu blocks of bytes that are no mlx5 completions.",
				 (unsigned long long)item->value);
		else
			dump_say(&t, "%s", cqesim_dump_reason_text(item->reason));
		if (item->reason == CQESIM_DUMP_HEX)
			dump_say(&t, " (%llu bytes)", (unsigned long long)item->size);
		break;
	}
}

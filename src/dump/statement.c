/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One line: does it tell of a failed completion, announce bytes, or of something
 * else that looks alike?  Statements may go on in the next line; the one that does
 * is kept pending until a line comes that does not belong to it.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "dump/dump_internal.h"

/* Lines within which a statement goes on. */
#define NEXT_LINES 3u
/* Statements in a row that say the same, before they are only counted. */
#define ALIKE_MAX 1000u
/* Queues whose statements may alternate in such a row. */
#define ALIKE_QUEUES 16u
/* Items and lines within which a program's line may be about an old card's error. */
#define OLD_ITEMS 4u
#define OLD_LINES 30u

/* ---- a statement ---- */

static bool is_statement(const struct dump_line *l, bool stamped)
{
	const struct dump_words *w = l->w;
	bool about = MARKED(w, MARK_COMPLETION) || MARKED(w, MARK_FAILED) || MARKED(w, MARK_MLX5);
	bool verbs = MARKED(w, MARK_NCCL) || MARKED(w, MARK_SPDK) || MARKED(w, MARK_OPENIB) ||
		     MARKED(w, MARK_LIBFABRIC) || MARKED(w, MARK_UCX) || MARKED(w, MARK_RPCRDMA);
	bool storage = MARKED(w, MARK_ISER) || MARKED(w, MARK_SRP) || MARKED(w, MARK_LNET);

	/* Programs in debug mode tell of good completions too. */
	if (line_knows(l, CQESIM_FACT_STATUS) && !w->facts.status && !w->facts.syndrome)
		return false;
	if (MARKED(w, MARK_GOT_COMPLETION) || MARKED(w, MARK_ERROR_CQE_ON) ||
	    MARKED(w, MARK_UNEXPECTED_CQE) || MARKED(w, MARK_WC_ERROR) || MARKED(w, MARK_QP_ERROR))
		return true;
	if (MARKED(w, MARK_REQUESTER) || MARKED(w, MARK_RESPONDER))
		return line_knows(l, CQESIM_FACT_CQN);
	if (MARKED(w, MARK_ERR_CQE_ON))
		return line_knows(l, CQESIM_FACT_QPN);
	if (line_knows(l, CQESIM_FACT_VENDOR))
		return about || verbs || storage || l->w->has_syndrome ||
		       line_knows(l, CQESIM_FACT_STATUS);
	if (MARKED(w, MARK_NAMED_STATUS) || MARKED(w, MARK_NAMED_SYNDROME))
		return line_reports(l, stamped);
	if (storage && w->keyed_status && w->facts.status && MARKED(w, MARK_FAILED))
		return true;
	if (MARKED(w, MARK_CQE_ERR)) /* io_uring has CQEs as well */
		return w->has_syndrome && MARKED(w, MARK_MLX5);
	if (w->has_syndrome)
		return MARKED(w, MARK_COMPLETION);
	/* A number alone: only where it says that it is about a completion. */
	return w->numbered_status && w->facts.status && MARKED(w, MARK_COMPLETION) &&
	       (verbs || line_has(l, "cq") || line_has(l, "wc"));
}

/* Was this vendor's code ever seen with that syndrome? */
static bool seen_together(uint8_t vendor, uint8_t syndrome)
{
	for (unsigned i = 0; i < cqesim_dump_vendor_count; i++)
		if (cqesim_dump_vendors[i].vendor_err_synd == vendor &&
		    cqesim_dump_vendors[i].syndrome == syndrome)
			return true;
	return false;
}

/* "vendor_err 81" with status 12 is 0x81, with status 4 it is 81. */
static void settle_vendor(const struct dump_words *w, struct cqesim_dump_facts *f)
{
	uint8_t syndrome = f->known & CQESIM_FACT_SYNDROME
				   ? f->syndrome
				   : (uint8_t)cqesim_dump_status_syndrome(f->status);

	if (w->vendor_plain && f->known & CQESIM_FACT_VENDOR &&
	    f->known & (CQESIM_FACT_SYNDROME | CQESIM_FACT_STATUS) &&
	    !seen_together(f->vendor_err_synd, syndrome) &&
	    seen_together(w->vendor_other, syndrome))
		f->vendor_err_synd = w->vendor_other;
}

/* Numbers whose meaning depends on who says them, and what the words imply. */
static void settle(const struct dump_line *l, struct cqesim_dump_item *item)
{
	const struct dump_words *w = l->w;
	struct cqesim_dump_facts *f = &item->stated;
	bool ucx = item->source == CQESIM_DUMP_BY_UCX;

	*f = w->facts;
	f->known &= ~(uint32_t)CQESIM_FACT_LENGTH;
	/* "SEND" alone may be any word; beside a WQE it is the request. */
	if (!ucx && item->source != CQESIM_DUMP_BY_SPDK && !line_has(l, "wqe_opcode_qpn"))
		f->known &= ~(uint32_t)CQESIM_FACT_SEND_OPCODE;
	/* "remote access error syndrome 0x88": UCX of 2017 meant the vendor's. */
	if (f->known & CQESIM_FACT_SYNDROME && cqesim_dump_syndrome_status(f->syndrome) == 255 &&
	    !(f->known & CQESIM_FACT_VENDOR) && (f->syndrome >= 0x30)) {
		f->known = (f->known & ~(uint32_t)CQESIM_FACT_SYNDROME) | CQESIM_FACT_VENDOR;
		f->vendor_err_synd = f->syndrome;
		f->syndrome = 0;
	}
	/* "UCX FATAL Error on QP": that the line says fatal is no status beside a code. */
	if (w->weak_status && f->known & (CQESIM_FACT_SYNDROME | CQESIM_FACT_VENDOR)) {
		f->known &= ~(uint32_t)CQESIM_FACT_STATUS;
		f->status = 0;
	}
	settle_vendor(w, f);
	bool mlx5e = item->source == CQESIM_DUMP_BY_MLX5_CORE;
	uint64_t opcode = mlx5e && w->has_opcode ? w->opcode : w->has_op ? w->op : 0;
	if (opcode == CQESIM_OP_REQ_ERR || opcode == CQESIM_OP_RESP_ERR) {
		f->opcode = (uint8_t)opcode;
		f->known |= CQESIM_FACT_OPCODE;
	} else if (w->has_op && item->source == CQESIM_DUMP_BY_DPDK && w->op <= 0xff) {
		f->send_opcode = (uint8_t)w->op;
		f->known |= CQESIM_FACT_SEND_OPCODE;
	}
	if (mlx5e && f->known & CQESIM_FACT_OPCODE && f->queue == CQESIM_DUMP_QP)
		f->queue = opcode == CQESIM_OP_RESP_ERR ? CQESIM_DUMP_RQ : CQESIM_DUMP_SQ;
	if (ucx && line_has(l, "SRQ QP"))
		f->queue = CQESIM_DUMP_SRQ;
	else if (ucx && line_has(l, "DCI QP"))
		f->queue = CQESIM_DUMP_DCI;
	if (f->known & CQESIM_FACT_OPCODE)
		return;
	if (MARKED(w, MARK_REQUESTER) || line_has(l, "send completion") ||
	    (f->known & CQESIM_FACT_SEND_OPCODE) ||
	    (MARKED(w, MARK_ERR_CQE_ON) && f->queue == CQESIM_DUMP_SQ) ||
	    (f->queue == CQESIM_DUMP_SQ && item->source == CQESIM_DUMP_BY_DPDK)) {
		f->opcode = CQESIM_OP_REQ_ERR;
		f->known |= CQESIM_FACT_OPCODE;
	} else if (MARKED(w, MARK_RESPONDER) || line_has(l, "recv completion") ||
		   line_has(l, "receive completion") || (f->queue == CQESIM_DUMP_RQ) ||
		   (ucx && (f->queue == CQESIM_DUMP_SRQ || line_has(l, "next_wqe") ||
			    line_has(l, "strides ")))) {
		f->opcode = CQESIM_OP_RESP_ERR;
		f->known |= CQESIM_FACT_OPCODE;
	}
}

/* Facts that two statements both have and that differ. */
static bool contradict(const struct cqesim_dump_facts *a, const struct cqesim_dump_facts *b)
{
	uint32_t both = a->known & b->known;

	return (both & CQESIM_FACT_SYNDROME && a->syndrome != b->syndrome) ||
	       (both & CQESIM_FACT_VENDOR && a->vendor_err_synd != b->vendor_err_synd) ||
	       (both & CQESIM_FACT_STATUS && a->status != b->status) ||
	       (both & CQESIM_FACT_QPN && a->qpn != b->qpn) ||
	       (both & CQESIM_FACT_CQN && a->cqn != b->cqn) ||
	       (both & CQESIM_FACT_WQE && a->wqe_index != b->wqe_index) ||
	       (both & CQESIM_FACT_OPCODE && a->opcode != b->opcode);
}

#define JOIN(fact, field)                                                                          \
	if (from->known & ~to->known & (fact))                                                     \
	to->field = from->field

static void join(struct cqesim_dump_facts *to, const struct cqesim_dump_facts *from)
{
	JOIN(CQESIM_FACT_SYNDROME, syndrome);
	JOIN(CQESIM_FACT_VENDOR, vendor_err_synd);
	JOIN(CQESIM_FACT_HW, hw_err_synd);
	JOIN(CQESIM_FACT_HW, hw_synd_type);
	JOIN(CQESIM_FACT_OPCODE, opcode);
	JOIN(CQESIM_FACT_STATUS, status);
	JOIN(CQESIM_FACT_QPN, qpn);
	JOIN(CQESIM_FACT_QPN, queue);
	JOIN(CQESIM_FACT_REMOTE_QPN, remote_qpn);
	JOIN(CQESIM_FACT_CQN, cqn);
	JOIN(CQESIM_FACT_SRQN, srqn);
	JOIN(CQESIM_FACT_WQE, wqe_index);
	JOIN(CQESIM_FACT_CI, ci);
	JOIN(CQESIM_FACT_WQ_CI, wq_ci);
	JOIN(CQESIM_FACT_WQ_SIZE, wq_size);
	JOIN(CQESIM_FACT_SEND_OPCODE, send_opcode);
	JOIN(CQESIM_FACT_LKEY, lkey);
	JOIN(CQESIM_FACT_RKEY, rkey);
	to->known |= from->known;
}

/* Lines that only make sense behind another one. */
static bool continues(const struct dump_finder *f, const struct dump_line *l,
		      const struct cqesim_dump_item *item)
{
	const struct dump_words *w = l->w;
	const struct cqesim_dump_item *p = &f->pending;
	uint32_t news = item->stated.known & ~p->stated.known;

	if (!f->has_pending || f->lines.line - p->last_line > NEXT_LINES ||
	    contradict(&p->stated, &item->stated))
		return false;
	/* "WC error: 4," and in the next line "Message: local protection error". */
	if (!news)
		return MARKED(w, MARK_NAMED_STATUS) && item->source == CQESIM_DUMP_BY_VERBS &&
		       !MARKED(w, MARK_COMPLETION) && f->lines.line - p->last_line == 1 &&
		       item->stated.known == CQESIM_FACT_STATUS;
	if (MARKED(w, MARK_UCX_QP))
		return p->source == CQESIM_DUMP_BY_UCX;
	if (MARKED(w, MARK_POLL_ONE) && !MARKED(w, MARK_REQUESTER) && !MARKED(w, MARK_RESPONDER))
		return p->source == CQESIM_DUMP_BY_MLX5_IB;
	if (MARKED(w, MARK_PERFTEST) && p->source == CQESIM_DUMP_BY_PERFTEST)
		return line_knows(l, CQESIM_FACT_VENDOR);
	/* The rest of a wrapped line names nobody. */
	return item->source == CQESIM_DUMP_BY_VERBS && !MARKED(w, MARK_MLX5) &&
	       !MARKED(w, MARK_COMPLETION) && f->lines.line - p->last_line <= 2;
}

static void begin(const struct dump_finder *f, struct cqesim_dump_item *item,
		  enum cqesim_dump_kind kind)
{
	memset(item, 0, sizeof(*item));
	item->kind = kind;
	item->line = item->last_line = f->lines.line;
	item->offset = f->lines.offset;
	item->clock = f->lines.clock;
	item->time_ns = f->lines.stamp_ns;
	item->same_as = CQESIM_DUMP_NONE;
}

#define SAME(fact, field) (!(a->known & (fact)) || a->field == b->field)

/* Says one line of one queue what the other says? */
static bool alike(const struct cqesim_dump_item *x, const struct cqesim_dump_item *y)
{
	const struct cqesim_dump_facts *a = &x->stated, *b = &y->stated;

	return x->kind == y->kind && x->source == y->source && a->known == b->known &&
	       SAME(CQESIM_FACT_SYNDROME, syndrome) && SAME(CQESIM_FACT_VENDOR, vendor_err_synd) &&
	       SAME(CQESIM_FACT_STATUS, status) && SAME(CQESIM_FACT_OPCODE, opcode) &&
	       SAME(CQESIM_FACT_QPN, qpn) && SAME(CQESIM_FACT_CQN, cqn) &&
	       !strcmp(x->device, y->device) && !strcmp(x->addresses, y->addresses);
}

/* One of the last items that says the same, or NULL. */
static struct cqesim_dump_item *like(const struct cqesim_dump *out,
				     const struct cqesim_dump_item *p)
{
	for (uint32_t back = 1; back <= ALIKE_QUEUES && back <= out->count; back++)
		if (alike(&out->items[out->count - back], p))
			return &out->items[out->count - back];
	return NULL;
}

/* Of very many in a row that say the same only the first are kept, the others counted. */
static void add_statement(struct dump_finder *f, const struct cqesim_dump_item *p)
{
	struct cqesim_dump_item *before = like(f->out, p), *item;

	f->alike = before ? f->alike + 1 : 0;
	if (f->alike >= ALIKE_MAX) {
		before->more++;
		before->last_line = p->last_line;
		return;
	}
	item = dump_add(f);
	if (item)
		*item = *p;
}

void statement_flush(struct dump_finder *f, bool rows)
{
	struct cqesim_dump_item *p = &f->pending;
	/* Bytes right behind a kernel's statement are those of its completion. */
	bool kernel = p->source == CQESIM_DUMP_BY_MLX5_IB || p->source == CQESIM_DUMP_BY_MLX5_CORE;

	if (!f->has_pending)
		return;
	f->has_pending = false;
	if (f->pending_heads ||
	    (rows && kernel && f->lines.line - p->last_line <= NEXT_LINES && p->stated.known &&
	     !(p->stated.known == (CQESIM_FACT_QPN | CQESIM_FACT_OPCODE)))) {
		rows_heading(f, f->pending_heads ? f->pending_what : HEADS_CQE, p,
			     f->pending_length);
	} else {
		add_statement(f, p);
	}
	f->pending_heads = false;
}

static void set_heading(struct dump_finder *f, enum dump_heads what, uint64_t length)
{
	f->pending_heads = true;
	f->pending_what = what;
	f->pending_length = length;
}

static void set_pending(struct dump_finder *f, const struct cqesim_dump_item *item)
{
	statement_flush(f, false);
	f->pending = *item;
	f->has_pending = true;
	f->pending_heads = false;
}

static void add_foreign(struct dump_finder *f, const struct dump_line *l,
			enum cqesim_dump_reason reason)
{
	struct cqesim_dump_item *item;

	/* What a program said of the same queue just before. */
	if (reason == CQESIM_DUMP_OLD_CARD && f->has_pending && !f->pending_heads &&
	    f->pending.stated.known & l->w->facts.known & CQESIM_FACT_QPN &&
	    f->pending.stated.qpn == l->w->facts.qpn)
		f->has_pending = false;
	statement_flush(f, false);
	item = dump_add(f);
	if (!item)
		return;
	begin(f, item, CQESIM_DUMP_FOREIGN);
	item->reason = reason;
	item->stated = l->w->facts;
	if (MARKED(l->w, MARK_ASYNC_EVENT) || reason == CQESIM_DUMP_CQ_EVENT)
		line_device(l, item);
	if (reason == CQESIM_DUMP_OLD_CARD)
		f->old_card = f->out->count;
}

/* ---- a line ---- */

static bool has_machine_code(const struct dump_line *l)
{
	const char *p = MARKED(l->w, MARK_CODE) ? memmem(l->text, l->length, "Code: ", 6) : NULL;

	return p && l->text + l->length - p > 30 && isxdigit((unsigned char)p[6]) &&
	       isxdigit((unsigned char)p[7]) && p[8] == ' ';
}

/*
 * SPDK's nvme_rdma ends with "CQ error, abort requests after transport retry counter
 * exceeded" whatever the status was: a constant, and no error of its own.
 */
static void afterwards(struct dump_finder *f, struct cqesim_dump_item *item)
{
	if (f->has_pending)
		f->pending.last_line = f->lines.line;
	if (f->has_pending || f->out->count)
		return;
	memset(&item->stated, 0, sizeof(item->stated));
	set_pending(f, item);
}

/* A program's line about the queue of an old card, whose driver told of it already. */
static bool of_old_card(const struct dump_finder *f, const struct cqesim_dump_item *item)
{
	const struct cqesim_dump *out = f->out;

	if (!(item->stated.known & CQESIM_FACT_QPN))
		return false;
	for (uint32_t back = 1; back <= OLD_ITEMS && back <= out->count; back++) {
		const struct cqesim_dump_item *old = &out->items[out->count - back];

		if (old->kind == CQESIM_DUMP_FOREIGN && old->reason == CQESIM_DUMP_OLD_CARD &&
		    old->stated.known & CQESIM_FACT_QPN && old->stated.qpn == item->stated.qpn &&
		    item->line - old->last_line <= OLD_LINES)
			return true;
	}
	return false;
}

static void heading_or_statement(struct dump_finder *f, const struct dump_line *l)
{
	const struct dump_words *w = l->w;
	struct cqesim_dump_item item;
	uint64_t length = line_knows(l, CQESIM_FACT_LENGTH) ? w->facts.length : 0;
	bool dump = MARKED(w, MARK_DUMP_CQE), ring = MARKED(w, MARK_DUMP_RING);
	bool wqe = MARKED(w, MARK_DUMP_WQE);
	bool statement = is_statement(l, f->lines.clock != CQESIM_DUMP_NO_TIME);

	begin(f, &item, CQESIM_DUMP_STATEMENT);
	item.source = line_source(l);
	settle(l, &item);
	line_device(l, &item);
	line_addresses(l, &item);
	if (MARKED(w, MARK_AFTERWARDS))
		return afterwards(f, &item);
	if (of_old_card(f, &item))
		return;
	if (wqe && !MARKED(w, MARK_ERROR_CQE_ON)) {
		set_pending(f, &item);
		set_heading(f, HEADS_WQE, length);
		return;
	}
	/* "dump error cqe" says nothing of its own: it belongs to the line before. */
	if ((dump || ring) && !statement) {
		/* The source that prints it, perhaps cut at its "\n". */
		if (l->text[l->length - 1] == ';' || (line_has(l, "(") && line_has(l, ", \"")))
			return;
		bool joins = dump && f->has_pending && !f->pending_heads &&
			     f->lines.line - f->pending.last_line <= NEXT_LINES &&
			     f->pending.source == CQESIM_DUMP_BY_MLX5_IB;

		if (joins)
			f->pending.last_line = f->lines.line;
		else
			set_pending(f, &item);
		set_heading(f, ring ? HEADS_RING : HEADS_CQE, length);
		return;
	}
	if (continues(f, l, &item)) {
		join(&f->pending.stated, &item.stated);
		f->pending.last_line = f->lines.line;
		if (!*f->pending.device)
			memcpy(f->pending.device, item.device, sizeof(item.device));
		return;
	}
	if (!statement || line_is_code(l)) {
		f->out->mentions += MARKED(w, MARK_NAMED_STATUS) || MARKED(w, MARK_NAMED_SYNDROME);
		return;
	}
	set_pending(f, &item);
	bool mlx5e = MARKED(w, MARK_ERROR_CQE_ON) && item.source == CQESIM_DUMP_BY_MLX5_CORE;
	bool libmlx5 = item.source == CQESIM_DUMP_BY_LIBMLX5 && !item.stated.known;
	if (dump || mlx5e || libmlx5)
		set_heading(f, HEADS_CQE, length);
}

void statement_take(struct dump_finder *f, const char *text, size_t length)
{
	struct dump_line l = {.text = text, .length = length, .w = &f->words};
	enum cqesim_dump_reason reason;

	if (f->has_pending && f->lines.line - f->pending.last_line > NEXT_LINES)
		statement_flush(f, false);
	if (line_of_old_card(f, text, length))
		return;
	if (f->old_card && f->lines.line - f->out->items[f->old_card - 1].last_line > NEXT_LINES)
		f->old_card = 0;
	dump_words(text, length, &f->words);
	/* Numbers of memory keys alone belong to the request before. */
	if (!f->words.marks && !f->words.facts.known && !f->words.has_syndrome)
		return;
	if (has_machine_code(&l))
		return add_foreign(f, &l, CQESIM_DUMP_CODE);
	reason = line_foreign(&l);
	if (reason != CQESIM_DUMP_NO_REASON && !line_is_code(&l))
		return add_foreign(f, &l, reason);
	heading_or_statement(f, &l);
}

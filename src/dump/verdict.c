/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several errors: which one is the cause.  Flushed work never is.  Of the others the
 * first, by time stamps where all have them, else by place.  An error that this host
 * was only told of by its peer is explained by the peer's own, if that is here too.
 */
#include <string.h>

#include "dump/dump_internal.h"

static bool counts(const struct cqesim_dump_item *item)
{
	return cqesim_dump_is_error(item) && item->same_as == CQESIM_DUMP_NONE;
}

static bool could_be_cause(const struct cqesim_dump_item *item)
{
	struct cqesim_dump_facts f;

	if (!counts(item) || cqesim_dump_is_flush(item))
		return false;
	/* A heading without bytes or codes cannot be told from a flush. */
	cqesim_dump_facts(item, &f);
	return (f.known & (CQESIM_FACT_SYNDROME | CQESIM_FACT_STATUS | CQESIM_FACT_VENDOR)) != 0;
}

/* Further back than lines get mixed up: another boot, or another host. */
#define CLOCK_JUMP_NS UINT64_C(1000000000)

/*
 * Do all that could be the cause carry times of one clock?  Seconds since boot are
 * one clock only as long as they do not jump back.
 */
static bool times_compare(const struct cqesim_dump *dump)
{
	enum cqesim_dump_clock clock = CQESIM_DUMP_NO_TIME;
	uint64_t latest = 0;

	for (uint32_t i = 0; i < dump->count; i++) {
		const struct cqesim_dump_item *item = &dump->items[i];

		if (!could_be_cause(item))
			continue;
		if (item->clock == CQESIM_DUMP_NO_TIME ||
		    (clock != CQESIM_DUMP_NO_TIME && item->clock != clock) ||
		    (item->clock == CQESIM_DUMP_SECONDS && latest > item->time_ns + CLOCK_JUMP_NS))
			return false;
		clock = item->clock;
		latest = item->time_ns > latest ? item->time_ns : latest;
	}
	return clock != CQESIM_DUMP_NO_TIME;
}

static uint32_t earliest(const struct cqesim_dump *dump, bool by_time, uint32_t *candidates)
{
	uint32_t root = CQESIM_DUMP_NONE;

	*candidates = 0;
	for (uint32_t i = 0; i < dump->count; i++) {
		const struct cqesim_dump_item *item = &dump->items[i];

		if (!could_be_cause(item))
			continue;
		/* What somebody said to be an error outranks what only looks like one. */
		bool shape = item->flags & CQESIM_DUMP_BY_SHAPE;
		bool root_shape =
			root != CQESIM_DUMP_NONE && dump->items[root].flags & CQESIM_DUMP_BY_SHAPE;
		if (root != CQESIM_DUMP_NONE && shape && !root_shape)
			continue;
		if (root_shape && !shape) {
			root = CQESIM_DUMP_NONE;
			*candidates = 0;
		}
		++*candidates;
		if (root == CQESIM_DUMP_NONE ||
		    (by_time && item->time_ns < dump->items[root].time_ns))
			root = i;
	}
	return root;
}

/* The receiver's own error that a sender was told of as REMOTE_OP_ERR or REMOTE_INVAL_REQ_ERR. */
static uint32_t peers_own(const struct cqesim_dump *dump, uint32_t root)
{
	struct cqesim_dump_facts f, g;

	cqesim_dump_facts(&dump->items[root], &f);
	if (!(f.known & CQESIM_FACT_SYNDROME) || (f.syndrome != 0x14 && f.syndrome != 0x12) ||
	    (f.known & CQESIM_FACT_OPCODE && f.opcode == CQESIM_OP_RESP_ERR))
		return CQESIM_DUMP_NONE;
	for (uint32_t i = 0; i < dump->count; i++) {
		if (i == root || !could_be_cause(&dump->items[i]))
			continue;
		cqesim_dump_facts(&dump->items[i], &g);
		if (g.known & CQESIM_FACT_OPCODE && g.opcode == CQESIM_OP_RESP_ERR &&
		    cqesim_dump_where(&g) == CQESIM_DUMP_LOCAL)
			return i;
	}
	return CQESIM_DUMP_NONE;
}

static void place(const struct cqesim_dump *dump, uint32_t i, struct dump_text *t)
{
	const struct cqesim_dump_item *item = &dump->items[i];

	dump_say(t, "number %u", i + 1);
	if (item->line)
		dump_say(t, " (line %llu)", (unsigned long long)item->line);
	else if (item->flags & CQESIM_DUMP_IN_RING)
		dump_say(t, " (slot %u)", item->slot);
}

/* ---- whose consequence is a flush ---- */

/* Queues that met an error; more are not told apart. */
#define QUEUES_MAX 256u

struct queues {
	uint32_t qpn[QUEUES_MAX], count;
	bool unknown; /* an error whose queue is not known, or too many */
};

static bool has_queue(const struct queues *q, uint32_t qpn)
{
	for (uint32_t i = 0; i < q->count; i++)
		if (q->qpn[i] == qpn)
			return true;
	return false;
}

static void add_queue(struct queues *q, uint32_t qpn)
{
	if (has_queue(q, qpn))
		return;
	if (q->count < QUEUES_MAX)
		q->qpn[q->count++] = qpn;
	else
		q->unknown = true;
}

/* Which completions are the cause: the root, and what the peer was told of it. */
struct causes {
	uint32_t root, told;
};

static bool is_cause(const struct cqesim_dump *dump, uint32_t i, const struct causes *c)
{
	uint32_t same = dump->items[i].same_as;

	return i == c->root || i == c->told ||
	       (same != CQESIM_DUMP_NONE && (same == c->root || same == c->told));
}

static void failed_queues(const struct cqesim_dump *dump, const struct causes *c,
			  struct queues *root, struct queues *all)
{
	for (uint32_t i = 0; i < dump->count; i++) {
		struct cqesim_dump_facts f;

		/* What repeats an error may know its queue. */
		if (!cqesim_dump_is_error(&dump->items[i]) || cqesim_dump_is_flush(&dump->items[i]))
			continue;
		cqesim_dump_facts(&dump->items[i], &f);
		if (f.known & CQESIM_FACT_QPN) {
			add_queue(all, f.qpn);
			if (is_cause(dump, i, c))
				add_queue(root, f.qpn);
		} else if (could_be_cause(&dump->items[i])) {
			all->unknown = true;
		}
		if (f.known & CQESIM_FACT_REMOTE_QPN) {
			add_queue(all, f.remote_qpn);
			if (is_cause(dump, i, c))
				add_queue(root, f.remote_qpn);
		}
	}
}

/* Flushed requests by what their queue has to do with the errors. */
struct flushed {
	uint64_t of_root, of_error, of_other, unknown;
};

static void sort_flushes(const struct cqesim_dump *dump, const struct causes *c, struct flushed *n)
{
	struct queues root = {.count = 0}, all = {.count = 0};
	struct cqesim_dump_facts f, r;

	failed_queues(dump, c, &root, &all);
	cqesim_dump_facts(&dump->items[c->root], &r);
	for (uint32_t i = 0; i < dump->count; i++) {
		const struct cqesim_dump_item *item = &dump->items[i];
		uint64_t lines = 1 + item->more;

		if (!counts(item) || !cqesim_dump_is_flush(item))
			continue;
		cqesim_dump_facts(item, &f);
		bool qpn = f.known & CQESIM_FACT_QPN;
		if (qpn && has_queue(&root, f.qpn))
			n->of_root += lines;
		else if (qpn && has_queue(&all, f.qpn))
			n->of_error += lines;
		else if (qpn && !all.unknown)
			n->of_other += lines;
		else if (f.known & r.known & CQESIM_FACT_CQN && f.cqn == r.cqn)
			n->of_root += lines;
		else
			n->unknown += lines;
	}
}

static void say_some(struct dump_text *t, uint64_t n, const char *one, const char *several)
{
	if (n)
		dump_say(t, " %llu flushed %s", (unsigned long long)n, n == 1 ? one : several);
}

static void say_flushes(const struct cqesim_dump *dump, const struct causes *c, struct dump_text *t)
{
	struct flushed n = {0};

	sort_flushes(dump, c, &n);
	say_some(t, n.of_root, "request is only its consequence.",
		 "requests are only its consequence.");
	say_some(t, n.of_error, "request follows from another of the errors.",
		 "requests follow from the other errors.");
	say_some(t, n.unknown, "request may be its consequence; the queues are not all known.",
		 "requests may be its consequence; the queues are not all known.");
	say_some(t, n.of_other,
		 "request is of another queue than any error here: its cause is not in this "
		 "input.",
		 "requests are of other queues than any error here: their cause is not in this "
		 "input.");
}

/* ---- all of it ---- */

static uint32_t capped(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void count_all(const struct cqesim_dump *dump, struct cqesim_dump_verdict *v)
{
	uint64_t errors = 0, flushes = 0;

	for (uint32_t i = 0; i < dump->count; i++) {
		const struct cqesim_dump_item *item = &dump->items[i];

		if (counts(item)) {
			errors += 1 + item->more;
			flushes += cqesim_dump_is_flush(item) ? 1 + item->more : 0;
		}
		v->completions += item->kind == CQESIM_DUMP_CQE && !cqesim_dump_is_error(item);
	}
	v->errors = capped(errors);
	v->flushes = capped(flushes);
}

void cqesim_dump_verdict(const struct cqesim_dump *dump, struct cqesim_dump_verdict *v)
{
	struct dump_text t = {v->text, sizeof(v->text)};
	bool by_time = times_compare(dump);
	uint32_t candidates, own;

	memset(v, 0, sizeof(*v));
	count_all(dump, v);
	v->root = earliest(dump, by_time, &candidates);
	if (v->root == CQESIM_DUMP_NONE) {
		if (v->flushes)
			dump_say(&t, "Only flushed work: the cause is not in this input. Look "
				     "earlier in the "
				     "log, or in the peer's.");
		return;
	}
	struct causes causes = {.root = v->root, .told = v->root};
	own = peers_own(dump, v->root);
	if (own != CQESIM_DUMP_NONE) {
		dump_say(&t, "The cause is most likely ");
		place(dump, own, &t);
		dump_say(&t, ": the receiver's own error. What ");
		place(dump, v->root, &t);
		dump_say(&t, " tells is what the sender hears of such an error.");
		v->root = causes.root = own;
	} else if (candidates == 1) {
		dump_say(&t, "A first error, not a flush: ");
		place(dump, v->root, &t);
		dump_say(&t, " is the cause as far as this input tells.");
	} else {
		dump_say(&t, "The first of %u errors that are no flushes is ", candidates);
		place(dump, v->root, &t);
		dump_say(&t, ", by %s.", by_time ? "time stamps" : "its place in the input");
	}
	if (v->flushes)
		say_flushes(dump, &causes, &t);
}

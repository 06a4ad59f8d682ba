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

void cqesim_dump_verdict(const struct cqesim_dump *dump, struct cqesim_dump_verdict *v)
{
	struct dump_text t = {v->text, sizeof(v->text)};
	bool by_time = times_compare(dump);
	uint32_t candidates, own;

	memset(v, 0, sizeof(*v));
	for (uint32_t i = 0; i < dump->count; i++) {
		v->errors += counts(&dump->items[i]);
		v->flushes += counts(&dump->items[i]) && cqesim_dump_is_flush(&dump->items[i]);
		v->completions += dump->items[i].kind == CQESIM_DUMP_CQE &&
				  !cqesim_dump_is_error(&dump->items[i]);
	}
	v->root = earliest(dump, by_time, &candidates);
	if (v->root == CQESIM_DUMP_NONE) {
		if (v->flushes)
			dump_say(&t, "Only flushed work: the cause is not in this input. Look "
				     "earlier in the "
				     "log, or in the peer's.");
		return;
	}
	own = peers_own(dump, v->root);
	if (own != CQESIM_DUMP_NONE) {
		dump_say(&t, "The cause is most likely ");
		place(dump, own, &t);
		dump_say(&t, ": the receiver's own error. What ");
		place(dump, v->root, &t);
		dump_say(&t, " tells is what the sender hears of such an error.");
		v->root = own;
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
		dump_say(&t, " %u flushed %s only its consequence.", v->flushes,
			 v->flushes == 1 ? "request is" : "requests are");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The link as a server in time: see pcie.h. */
#include <errno.h>

#include "cqesim/pcie.h"

/* Loans that are out at most: no more TLPs than header credits, or than data credits. */
static uint32_t loans(uint32_t headers, uint64_t data)
{
	uint64_t most = !headers || (data && data < headers) ? data : headers;
	uint32_t size = 1;

	if (!most)
		return 0;
	while (size < most && size < UINT32_C(1) << 31)
		size <<= 1;
	return size;
}

uint32_t cqesim_link_server_loans(const struct cqesim_link_latency *l)
{
	uint32_t n = 0;

	if (l->credit_return_ps)
		n += loans(l->posted_headers, l->posted_data) + loans(l->read_headers, 0);
	if (l->rtt_ps)
		n += loans(l->tags, 0);
	return n;
}

static struct cqesim_link_loan *pool_init(struct cqesim_link_pool *pool, uint32_t headers,
					  uint64_t data, struct cqesim_link_loan *loan)
{
	uint32_t size = loans(headers, data);

	*pool = (struct cqesim_link_pool){.headers = headers, .data = data};
	if (!size)
		return loan;
	pool->loan = loan;
	pool->mask = size - 1;
	return loan + size;
}

int cqesim_link_server_init(struct cqesim_link_server *s, const struct cqesim_link *link,
			    const struct cqesim_link_latency *l, struct cqesim_link_loan *loan)
{
	if (cqesim_link_server_loans(l) && !loan)
		return -EINVAL;
	*s = (struct cqesim_link_server){
		.ack_each = 1 / link->config.ack_every,
		.update_each = 1 / link->config.fc_every,
		.dllp_bytes = link->dllp_bytes,
		.rtt_ps = l->rtt_ps,
		.credit_return_ps = l->credit_return_ps,
	};
	if (l->credit_return_ps) {
		loan = pool_init(&s->posted, l->posted_headers, l->posted_data, loan);
		loan = pool_init(&s->reads, l->read_headers, 0, loan);
	}
	if (l->rtt_ps)
		pool_init(&s->tags, l->tags, 0, loan);

	int rc = cqesim_link_pacer(link, &s->up.pacer);
	s->down.pacer = s->requests = s->up.pacer;
	return rc;
}

static bool limited(const struct cqesim_link_pool *pool)
{
	return pool->headers || pool->data;
}

/*
 * From when on there is a header credit and so many data credits.  What is back
 * by then is taken back.  A TLP larger than all credits waits for all of them:
 * a device that sends it sets itself no such MPS.
 */
static uint64_t pool_wait(struct cqesim_link_pool *pool, uint64_t now_ps, uint64_t data)
{
	uint64_t at_ps = now_ps;

	while (pool->count) {
		const struct cqesim_link_loan *first = &pool->loan[pool->head & pool->mask];
		bool enough = (!pool->headers || pool->count < pool->headers) &&
			      (!pool->data || pool->data_out + data <= pool->data);

		if (enough && first->back_ps > now_ps)
			break;
		if (first->back_ps > at_ps)
			at_ps = first->back_ps;
		pool->data_out -= first->data;
		pool->head++;
		pool->count--;
	}
	pool->stalled_ps += at_ps - now_ps;
	return at_ps;
}

static void pool_lend(struct cqesim_link_pool *pool, uint64_t back_ps, uint64_t data)
{
	uint32_t at = pool->head + pool->count++;

	pool->loan[at & pool->mask] = (struct cqesim_link_loan){.back_ps = back_ps, .data = data};
	pool->data_out += data;
}

/* Whole DLLPs of what is owed; the rest waits for more. */
static uint64_t due(double *owed)
{
	uint64_t n = (uint64_t)*owed;

	*owed -= (double)n;
	return n;
}

/*
 * Bytes in one direction, ready at ready_ps.  DLLPs that are owed went in what
 * was idle before, or go first.
 */
static uint64_t serve(const struct cqesim_link_server *s, struct cqesim_link_way *way,
		      uint64_t ready_ps, uint64_t bytes)
{
	if (way->acks >= 1 || way->updates >= 1) {
		uint64_t dllps = (due(&way->acks) + due(&way->updates)) * s->dllp_bytes;

		way->bytes += dllps;
		cqesim_pacer_advance(&way->pacer, dllps);
	}
	way->bytes += bytes;
	cqesim_pacer_not_before(&way->pacer, ready_ps);
	cqesim_pacer_advance(&way->pacer, bytes);
	return cqesim_pacer_done_ps(&way->pacer);
}

/* A TLP's answers in the other direction. */
static void owe(const struct cqesim_link_server *s, struct cqesim_link_way *way, uint64_t tlps,
		bool posted)
{
	way->acks += (double)tlps * s->ack_each;
	if (posted)
		way->updates += (double)tlps * s->update_each;
}

/* When a TLP's turn is, among those that are served in order. */
static uint64_t turn(const struct cqesim_pacer *pacer, uint64_t ready_ps)
{
	return pacer->ps > ready_ps ? pacer->ps : ready_ps;
}

/* The i-th of n parts of a sum; all parts make the sum. */
static uint64_t part(uint64_t sum, uint64_t i, uint64_t n)
{
	return n == 1 ? sum : sum * (i + 1) / n - sum * i / n;
}

/* Credits of a TLP that began at go_ps come back when it is there, at the earliest. */
static uint64_t credits_back_ps(const struct cqesim_link_server *s, uint64_t go_ps,
				uint64_t done_ps)
{
	uint64_t back_ps = go_ps + s->credit_return_ps;

	return back_ps > done_ps ? back_ps : done_ps;
}

/* When the completions of a request can begin, so that an idle link ends them a round trip after
 * its turn. */
static uint64_t answer_ps(struct cqesim_link_server *s, uint64_t go_ps, uint64_t asked_ps,
			  uint64_t bytes)
{
	if (bytes != s->alone_bytes) { /* most are like the one before */
		struct cqesim_pacer alone = s->down.pacer;

		alone.ps = alone.rem = 0;
		cqesim_pacer_advance(&alone, bytes);
		s->alone_bytes = bytes;
		s->alone_ps = alone.ps;
	}
	uint64_t lasts_ps = s->alone_ps;
	uint64_t first_ps = s->rtt_ps > lasts_ps ? go_ps + s->rtt_ps - lasts_ps : 0;

	return first_ps > asked_ps ? first_ps : asked_ps;
}

uint64_t cqesim_link_server_write_any(struct cqesim_link_server *s, uint64_t ready_ps,
				      const struct cqesim_tlps *t)
{
	uint64_t done_ps = ready_ps;

	owe(s, &s->down, t->count, true);
	if (!limited(&s->posted))
		return serve(s, &s->up, ready_ps, t->wire);
	/* TLP by TLP: the first ones' credits may be back before the last ones go. */
	for (uint64_t i = 0; i < t->count; i++) {
		uint64_t data = part(t->credits, i, t->count);
		uint64_t turn_ps = turn(&s->up.pacer, ready_ps);
		uint64_t go_ps = pool_wait(&s->posted, turn_ps, data);

		done_ps = serve(s, &s->up, go_ps, part(t->wire, i, t->count));
		pool_lend(&s->posted, credits_back_ps(s, go_ps, done_ps), data);
	}
	return done_ps;
}

/* The same as pool_wait for one header, and nothing changes. */
static uint64_t header_ps(const struct cqesim_link_pool *pool, uint64_t now_ps)
{
	if (!pool->headers || pool->count < pool->headers)
		return now_ps;
	uint32_t at = pool->head + pool->count - pool->headers;
	uint64_t back_ps = pool->loan[at & pool->mask].back_ps;

	return back_ps > now_ps ? back_ps : now_ps;
}

uint64_t cqesim_link_server_read_ps(const struct cqesim_link_server *s, uint64_t ready_ps)
{
	return header_ps(&s->tags, header_ps(&s->reads, turn(&s->requests, ready_ps)));
}

uint64_t cqesim_link_server_read(struct cqesim_link_server *s, uint64_t ready_ps,
				 const struct cqesim_tlps *requests,
				 const struct cqesim_tlps *completions)
{
	uint64_t back_ps = ready_ps;

	for (uint64_t i = 0; i < requests->count; i++) {
		uint64_t go_ps = turn(&s->requests, ready_ps);
		uint64_t wire = part(requests->wire, i, requests->count);

		if (limited(&s->reads))
			go_ps = pool_wait(&s->reads, go_ps, 0);
		if (limited(&s->tags))
			go_ps = pool_wait(&s->tags, go_ps, 0);
		serve(s, &s->up, ready_ps, wire);
		cqesim_pacer_not_before(&s->requests, go_ps);
		cqesim_pacer_advance(&s->requests, wire);
		uint64_t asked_ps = cqesim_pacer_done_ps(&s->requests);
		s->asked_ps = go_ps;
		uint64_t bytes = part(completions->wire, i, requests->count);

		owe(s, &s->down, 1, false);
		back_ps = serve(s, &s->down, answer_ps(s, go_ps, asked_ps, bytes), bytes);
		owe(s, &s->up, part(completions->count, i, requests->count), false);
		if (limited(&s->reads))
			pool_lend(&s->reads, credits_back_ps(s, go_ps, asked_ps), 0);
		if (limited(&s->tags))
			pool_lend(&s->tags, back_ps, 0);
	}
	return back_ps;
}

uint64_t cqesim_link_server_host_write(struct cqesim_link_server *s, uint64_t ready_ps,
				       const struct cqesim_tlps *t)
{
	/* An endpoint acknowledges and returns credits upstream. */
	owe(s, &s->up, t->count, true);
	return serve(s, &s->down, ready_ps, t->wire);
}

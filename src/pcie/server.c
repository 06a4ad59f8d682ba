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
		.ack_bytes = link->dllp_bytes / link->config.ack_every,
		.fc_bytes = link->dllp_bytes / link->config.fc_every,
		.rtt_ps = l->rtt_ps,
		.credit_return_ps = l->credit_return_ps,
	};
	if (l->credit_return_ps) {
		loan = pool_init(&s->posted, l->posted_headers, l->posted_data, loan);
		loan = pool_init(&s->reads, l->read_headers, 0, loan);
	}
	if (l->rtt_ps)
		pool_init(&s->tags, l->tags, 0, loan);

	int rc = cqesim_link_pacer(link, &s->up);
	s->down = s->up;
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

/*
 * Bytes in one direction, ready at ready_ps.  DLLPs that are owed went in what
 * was idle before, or go first.
 */
static uint64_t serve(struct cqesim_pacer *way, double *dllp, uint64_t *served, uint64_t ready_ps,
		      uint64_t bytes)
{
	uint64_t owed = (uint64_t)*dllp;

	*dllp -= (double)owed;
	*served += owed + bytes;
	cqesim_pacer_advance(way, owed);
	cqesim_pacer_not_before(way, ready_ps);
	cqesim_pacer_advance(way, bytes);
	return cqesim_pacer_done_ps(way);
}

/* The i-th of n parts of a sum; all parts make the sum. */
static uint64_t part(uint64_t sum, uint64_t i, uint64_t n)
{
	return sum * (i + 1) / n - sum * i / n;
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
static uint64_t answer_ps(const struct cqesim_link_server *s, uint64_t go_ps, uint64_t asked_ps,
			  uint64_t bytes)
{
	uint64_t lasts_ps = (uint64_t)((unsigned __int128)bytes * s->down.num / s->down.den);
	uint64_t first_ps = s->rtt_ps > lasts_ps ? go_ps + s->rtt_ps - lasts_ps : 0;

	return first_ps > asked_ps ? first_ps : asked_ps;
}

uint64_t cqesim_link_server_write(struct cqesim_link_server *s, uint64_t ready_ps,
				  const struct cqesim_tlps *t)
{
	uint64_t done_ps = ready_ps;

	s->down_dllp += (double)t->count * (s->ack_bytes + s->fc_bytes);
	if (!limited(&s->posted))
		return serve(&s->up, &s->up_dllp, &s->up_bytes, ready_ps, t->wire);
	/* TLP by TLP: the first ones' credits may be back before the last ones go. */
	for (uint64_t i = 0; i < t->count; i++) {
		uint64_t data = part(t->credits, i, t->count);
		uint64_t turn_ps = s->up.ps > ready_ps ? s->up.ps : ready_ps;
		uint64_t go_ps = pool_wait(&s->posted, turn_ps, data);

		done_ps =
			serve(&s->up, &s->up_dllp, &s->up_bytes, go_ps, part(t->wire, i, t->count));
		pool_lend(&s->posted, credits_back_ps(s, go_ps, done_ps), data);
	}
	return done_ps;
}

uint64_t cqesim_link_server_read(struct cqesim_link_server *s, uint64_t ready_ps,
				 const struct cqesim_tlps *requests,
				 const struct cqesim_tlps *completions)
{
	uint64_t back_ps = ready_ps;

	for (uint64_t i = 0; i < requests->count; i++) {
		uint64_t go_ps = s->up.ps > ready_ps ? s->up.ps : ready_ps;

		if (limited(&s->reads))
			go_ps = pool_wait(&s->reads, go_ps, 0);
		if (limited(&s->tags))
			go_ps = pool_wait(&s->tags, go_ps, 0);
		uint64_t asked_ps = serve(&s->up, &s->up_dllp, &s->up_bytes, go_ps,
					  part(requests->wire, i, requests->count));
		uint64_t bytes = part(completions->wire, i, requests->count);

		s->down_dllp += s->ack_bytes;
		back_ps = serve(&s->down, &s->down_dllp, &s->down_bytes,
				answer_ps(s, go_ps, asked_ps, bytes), bytes);
		s->up_dllp += (double)part(completions->count, i, requests->count) * s->ack_bytes;
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
	s->up_dllp += (double)t->count * (s->ack_bytes + s->fc_bytes);
	return serve(&s->down, &s->down_dllp, &s->down_bytes, ready_ps, t->wire);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver's and the application's side of a striding queue: how many packets a
 * call returns, which are copied and which are handed on in their strides, when a
 * WQE is used up, and with which buffer it is posted again.
 *
 *   WQE's strides      in use ──► used up ──► has a buffer ──► posted
 *                                    │            ▲
 *                     held by packets│            │ its own, or a spare one
 *                                    ▼            │
 *   its buffer         waits for the application ─┘
 *
 * How many packets a call of DPDK's vector function returns follows PMD
 * rxq_burst_mprq_v and mlx5_rx_mprq_replenish_bulk_mbuf: as src/host/vec.c, but
 * within the packet buffers at hand, of which `replenish` or fewer are taken at a
 * time; and a round that found nothing but fillers is the call's last.  A session
 * longer than that is counted (overruns): it is returned here as it is in the ring,
 * while PMD rxq_cq_decompress_v writes its lengths past its packet buffers and then
 * believes those that it finds in others.  Sessions of up to 64 in rings of 256
 * strides or more always have room.
 */
#include <errno.h>
#include <stdlib.h>

#include "host_internal.h"

#define NO_BUFFER UINT32_MAX

/* ---- set-up ---- */

static bool config_is_good(const struct cqesim_host_striding *c)
{
	uint32_t wqes = UINT32_C(1) << c->shape.log_wqes;

	return !cqesim_strides_check(&c->shape, true, NULL) && c->buffers >= wqes &&
	       c->buffers < NO_BUFFER && c->refill && c->refill <= wqes &&
	       c->buffer_stride >= cqesim_strides_wqe_bytes(&c->shape) &&
	       (unsigned)c->retire <= CQESIM_RETIRE_NEXT_FOUND &&
	       host_cycles_are_good(c->attach_cycles) && host_cycles_are_good(c->copy_cycles) &&
	       (!c->hold_every || c->hold_packets || c->hold_ps);
}

static void post(struct cqesim_host_queue *q, uint32_t place)
{
	struct host_striding *s = q->striding;
	struct cqesim_rq_seg seg = {
		.address = s->config.address + s->buffer[place] * s->config.buffer_stride,
		.lkey = s->config.lkey,
		.length = (uint32_t)cqesim_strides_wqe_bytes(&s->config.shape),
	};

	cqesim_striding_post(&s->poster, (uint16_t)place, &seg);
}

int host_striding_create(struct cqesim_host_queue *q, const struct cqesim_host_striding *c)
{
	if (!config_is_good(c))
		return -EINVAL;
	struct host_striding *s = q->striding = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->config = *c;
	s->wqes = UINT32_C(1) << c->shape.log_wqes;
	s->strides = cqesim_strides_per_wqe(&c->shape);
	s->attach = host_milli(c->attach_cycles);
	s->copy = host_milli(c->copy_cycles);
	s->mbufs = s->wqes * s->strides;
	s->buffer = calloc(s->wqes, sizeof(*s->buffer));
	s->held = calloc(c->buffers, sizeof(*s->held));
	s->in_ring = calloc(c->buffers, sizeof(*s->in_ring));
	s->spare = calloc(c->buffers, sizeof(*s->spare));
	s->returned = calloc(q->burst, sizeof(*s->returned));
	if (!s->buffer || !s->held || !s->in_ring || !s->spare || !s->returned)
		return -ENOMEM;
	int rc = cqesim_striding_poster_init(&s->poster, c->ring, &c->shape, c->dbrec);
	if (rc)
		return rc;
	for (uint32_t i = c->buffers; i-- > s->wqes;)
		s->spare[s->spares++] = i;
	s->attach_allowed = s->spares > 0;
	for (uint32_t i = 0; i < s->wqes; i++) {
		s->buffer[i] = i;
		s->in_ring[i] = true;
		post(q, i);
	}
	cqesim_striding_doorbell(&s->poster);
	q->stats.buffers_max = s->wqes;
	return 0;
}

void host_striding_free(struct host_striding *s)
{
	if (!s)
		return;
	free(s->buffer);
	free(s->held);
	free(s->in_ring);
	free(s->spare);
	free(s->returned);
	free(s->kept);
	free(s);
}

/* ---- buffers ---- */

/* Buffers for the WQEs that are used up, in their order, as far as there are. */
static void fill(struct cqesim_host_queue *q)
{
	struct host_striding *s = q->striding;

	for (; s->filled != s->used_up; s->filled++) {
		uint32_t *buffer = &s->buffer[s->filled & (s->wqes - 1)];

		if (*buffer != NO_BUFFER)
			continue;
		if (!s->spares)
			return;
		*buffer = s->spare[--s->spares];
		s->in_ring[*buffer] = true;
		q->stats.replaced++;
		if (s->config.buffers - s->spares > q->stats.buffers_max)
			q->stats.buffers_max = s->config.buffers - s->spares;
	}
}

/* The application is done with a packet. */
static void release(struct cqesim_host_queue *q, uint32_t buffer)
{
	struct host_striding *s = q->striding;

	if (--s->held[buffer] || s->in_ring[buffer])
		return;
	s->spare[s->spares++] = buffer;
	fill(q);
}

/* The WQE that completions are about is used up; the next one follows. */
static void use_up(struct cqesim_host_queue *q)
{
	struct host_striding *s = q->striding;
	uint32_t *buffer = &s->buffer[s->used_up & (s->wqes - 1)];
	bool held = s->held[*buffer] != 0;

	if (held) {
		s->in_ring[*buffer] = false;
		*buffer = NO_BUFFER;
	}
	s->used_up++;
	s->consumed = 0;
	fill(q);
	q->stats.waited += s->filled != s->used_up;
	/* PMD mprq_buf_replace: it takes the next replacement when it has used one, or has none. */
	if (held || !s->attach_allowed)
		s->attach_allowed = s->spares > 0;
}

/* ---- the application ---- */

static bool over(const struct host_striding *s, uint64_t now_ps)
{
	const struct cqesim_host_striding *c = &s->config;

	if (!s->kept_count)
		return false;
	if (c->hold_packets && s->kept_count > c->hold_packets)
		return true;
	return c->hold_ps && now_ps - s->kept[s->kept_first & (s->kept_room - 1)].ps >= c->hold_ps;
}

static int keep(struct host_striding *s, uint32_t buffer, uint64_t now_ps)
{
	if (s->kept_count == s->kept_room) {
		uint64_t room = s->kept_room ? 2 * s->kept_room : 64;
		struct host_kept *grown = calloc(room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		for (uint64_t i = 0; i < s->kept_count; i++)
			grown[i] = s->kept[(s->kept_first + i) & (s->kept_room - 1)];
		free(s->kept);
		s->kept = grown;
		s->kept_room = room;
		s->kept_first = 0;
	}
	s->kept[(s->kept_first + s->kept_count++) & (s->kept_room - 1)] =
		(struct host_kept){now_ps, buffer};
	return 0;
}

void host_striding_between(struct cqesim_host_queue *q)
{
	struct host_striding *s = q->striding;
	bool posted = false;

	while (!q->framing && s->returned_count) /* a frame is the application's when it is whole */
		release(q, s->returned[--s->returned_count]);
	while (over(s, q->core.ps)) {
		s->kept_count--;
		release(q, s->kept[s->kept_first++ & (s->kept_room - 1)].buffer);
	}
	if (s->kept_count > q->stats.kept_max)
		q->stats.kept_max = s->kept_count;
	if (s->filled - s->posted >= s->config.refill)
		for (; s->posted != s->filled; s->posted++) {
			post(q, s->posted & (s->wqes - 1));
			posted = true;
		}
	if (posted)
		cqesim_striding_doorbell(&s->poster);
	if (s->config.retire == CQESIM_RETIRE_NEXT_LOOK && s->consumed == s->strides)
		use_up(q); /* posted at the end of the call that begins now */
}

uint64_t host_striding_until(const struct cqesim_host_queue *q, uint64_t until_ps)
{
	const struct host_striding *s = q->striding;

	if (s->filled - s->posted >= s->config.refill)
		return q->core.ps;
	if (s->filled != s->used_up && s->kept_count && s->config.hold_ps) {
		uint64_t ps = s->kept[s->kept_first & (s->kept_room - 1)].ps;

		/* Later than any clock: never. */
		if (!__builtin_add_overflow(ps, s->config.hold_ps, &ps) && ps < until_ps)
			return ps > q->core.ps ? ps - 1 : q->core.ps;
	}
	return until_ps;
}

/* ---- a call ---- */

/* Up to the burst, whatever is visible. */
static void simple_call(struct cqesim_host_queue *q, struct host_call *call)
{
	unsigned *fillers = q->striding->config.fillers_count ? &call->fillers : &(unsigned){0};

	call->packets = host_take_rest(q, call, q->burst);
	while (call->packets + *fillers < q->burst && host_peek(q)) {
		if (host_peek_filler(q))
			call->fillers += host_take_entry(q, call, 1);
		else
			call->packets +=
				host_take_entry(q, call, q->burst - call->packets - *fillers);
	}
}

/* Packet buffers from the pool: up to `replenish`, not past the end of their ring. */
static bool take_mbufs(struct cqesim_host_queue *q)
{
	struct host_striding *s = q->striding;
	uint32_t all = s->wqes * s->strides, missing = all - s->mbufs;
	uint32_t to_end = all - ((q->index + s->mbufs) & (all - 1));

	if (missing < q->replenish || s->mbufs > q->replenish + VEC_PER_ROUND)
		return false;
	s->mbufs += host_min(host_min(missing - VEC_PER_LOOP, to_end), q->replenish);
	return true;
}

void host_striding_empty(struct cqesim_host_queue *q, uint64_t calls)
{
	while (q->vec && calls && take_mbufs(q))
		calls--;
}

/*
 * One round of a call that still wants so many packets.  False: it is the call's
 * last.  After the rest of a session the driver looks where that rest began, whose
 * slots it has invalidated itself (cq_idx is taken before cq_ci moves on), so new
 * entries wait for the next round or, if there was room for four, the next call.
 */
static bool vec_round(struct cqesim_host_queue *q, struct host_call *call, unsigned want)
{
	struct host_striding *s = q->striding;

	take_mbufs(q);
	want = host_min(host_min(want, VEC_PER_ROUND), s->mbufs);
	unsigned rest = host_take_rest(q, call, want), got = 0, fillers = 0;
	uint32_t to_end = q->reader.mask + 1 - (q->index & q->reader.mask);

	want = host_min((want - rest) / VEC_PER_LOOP * VEC_PER_LOOP, to_end);
	if (!rest) {
		while (got < want && host_peek(q) == 1) {
			fillers += host_peek_filler(q);
			got += host_take_entry(q, call, 1);
		}
		if (got < want && host_peek(q)) {
			q->stats.overruns += host_peek(q) > s->mbufs - got;
			got += host_take_entry(q, call, want - got);
		}
	}
	s->mbufs -= rest + got;
	call->fillers += fillers;
	call->packets += rest + got - fillers;
	return rest ? !want : got > fillers;
}

void host_striding_call(struct cqesim_host_queue *q, struct host_call *call)
{
	if (!q->vec) {
		simple_call(q, call);
		return;
	}
	while (vec_round(q, call, q->burst - call->packets) && call->packets < q->burst)
		;
}

/* Is the packet copied?  Otherwise its strides stay in use. */
static bool is_copied(struct cqesim_host_queue *q, const struct cqesim_completion *c)
{
	const struct host_striding *s = q->striding;
	const struct cqesim_host_striding *config = &s->config;
	uint64_t room = (uint64_t)c->strides << config->shape.log_stride_bytes;

	if (c->meta.byte_cnt <= config->memcpy_bytes)
		return true;
	if (config->copy_if_none && !s->attach_allowed) {
		q->stats.copied_in_need++;
		return true;
	}
	return c->meta.byte_cnt + config->headroom > room;
}

static int packet(struct cqesim_host_queue *q, const struct cqesim_completion *c, uint64_t *cost)
{
	struct host_striding *s = q->striding;
	uint32_t buffer = s->buffer[s->used_up & (s->wqes - 1)];

	if (is_copied(q, c)) {
		uint64_t lines = (c->meta.byte_cnt + 63) / 64;

		q->stats.copied++;
		q->stats.copied_bytes += c->meta.byte_cnt;
		lines -= lines != 0;
		q->stats.copied_lines += lines;
		*cost += lines * s->copy;
		return 0;
	}
	*cost += s->attach;
	s->held[buffer]++;
	if (s->config.hold_every && ++s->keep_counter == s->config.hold_every) {
		s->keep_counter = 0;
		return keep(s, buffer, q->core.ps);
	}
	s->returned[s->returned_count++] = buffer;
	return 0;
}

int host_striding_read(struct cqesim_host_queue *q, const struct cqesim_completion *c, unsigned n,
		       const struct host_call *call, uint64_t *cost)
{
	struct host_striding *s = q->striding;

	for (unsigned i = 0; i < n; i++) {
		int rc = 0;

		if (c[i].opcode >= CQESIM_OP_SIG_ERR)
			continue;
		if (s->consumed == s->strides)
			use_up(q);
		s->consumed += c[i].strides;
		if (s->consumed > s->strides) {
			q->fault = (struct cqesim_cq_fault){
				.index = c[i].index,
				.slot = c[i].index & q->reader.mask,
			};
			return -EBADMSG;
		}
		if (c[i].filler) {
			q->stats.fillers++;
			*cost += q->plain; /* as a packet: it is looked at in the same way */
		} else {
			rc = packet(q, &c[i], cost);
		}
		if (rc)
			return rc;
		if (s->config.retire == CQESIM_RETIRE_AT_ONCE && s->consumed == s->strides)
			use_up(q);
	}
	/* The loop came round once more and found nothing. */
	if (s->config.retire == CQESIM_RETIRE_NEXT_LOOK && call->packets < q->burst &&
	    s->consumed == s->strides)
		use_up(q);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rings that no device writes: whatever they hold, the reader reads nothing
 * outside the ring (it lies between pages that may not be touched), comes to an
 * end, returns nothing twice, finds the same whatever the bursts, names what is
 * wrong, and can go on afterwards.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test_cq_property.h"

#define HOSTILE_LOOPS 8
#define HOSTILE_RINGS 60000u

/* ---- memory with nothing beside it ---- */

struct guarded {
	uint8_t *map, *ring;
	size_t map_bytes;
};

#define LARGEST ((size_t)128 << 8)

/* A map for the largest ring; the pages before and after cannot be read. */
static struct guarded guarded_map(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t inner = (LARGEST + page - 1) / page * page;
	struct guarded g = {.map_bytes = inner + 2 * page};

	g.map = mmap(NULL, g.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(g.map != MAP_FAILED);
	ck_assert_int_eq(mprotect(g.map + page, inner, PROT_READ | PROT_WRITE), 0);
	return g;
}

/* Put a ring at the end of the memory, or at its beginning. */
static void guarded_place(struct guarded *g, size_t bytes, bool at_end)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	g->ring = at_end ? g->map + g->map_bytes - page - bytes : g->map + page;
}

/* ---- contents ---- */

struct attack {
	struct ring_config config; /* shape and start */
	uint64_t random;
	struct guarded ours, twin; /* the same ring twice */
	struct guarded spare;
	uint32_t number, events;
	uint64_t kinds[CQESIM_CQ_FAULTS];
};

static void broken(const struct attack *a, const char *what)
{
	const struct cqesim_cq_shape *s = &a->config.shape;

	ck_abort_msg("ring %u (%s, 2^%u slots of %u bytes, %s, stride 2^%u), event %u: %s; "
		     "to repeat: CQESIM_SEED=%#" PRIx64 " tests/check_cqesim property",
		     a->number, cqesim_mini_format_name(s->format), s->log_size,
		     s->cqe_128 ? 128 : 64, s->layout ? "enhanced" : "basic", s->log_stride,
		     a->events, what, property_master_seed());
}

static uint32_t below(struct attack *a, uint32_t n)
{
	return ring_below(&a->random, n);
}

static uint32_t slots(const struct attack *a)
{
	return UINT32_C(1) << a->config.shape.log_size;
}

static uint8_t *slot_of(const struct attack *a, uint8_t *ring, uint32_t index)
{
	unsigned half = a->config.shape.cqe_128;

	return ring + ((size_t)(index & (slots(a) - 1)) << (6 + half)) + 64 * half;
}

static void fill_random(struct attack *a, uint8_t *ring)
{
	size_t bytes = cqesim_cq_ring_bytes(&a->config.shape);

	for (size_t i = 0; i < bytes; i += 8) {
		uint64_t r = ring_random(&a->random);
		memcpy(ring + i, &r, 8);
	}
}

/* Counts and lengths that somebody might trust. */
static uint32_t hostile_count(struct attack *a)
{
	const uint32_t n = slots(a);
	const uint32_t counts[] = {0,      1,       2,          7,          8,
				   9,      n - 1,   n,          n + 1,      2 * n,
				   0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};

	return below(a, 3) ? counts[below(a, sizeof(counts) / sizeof(counts[0]))] : 1 + below(a, n);
}

/* An entry that the reader will take for its own, at least in one of the next laps. */
static void tempt(struct attack *a, uint8_t *ring, uint32_t index)
{
	static const uint8_t opcodes[] = {0, 2, 2, 2, 2, 2, 3, 5, 6, 7, 9, 11, 12, 13, 14, 15};
	uint8_t *slot = slot_of(a, ring, index);
	uint32_t lap = (index >> a->config.shape.log_size) + (below(a, 8) ? 0 : below(a, 3));
	unsigned opcode = opcodes[below(a, sizeof(opcodes))];
	unsigned format = below(a, 2) ? 3 : below(a, 4);

	if (a->config.shape.layout == CQESIM_CQ_ENHANCED && format == 3)
		opcode = below(a, 8) ? below(a, 7) : below(a, 16);
	slot[62] = (uint8_t)lap;
	slot[63] = CQESIM_OP_OWN(opcode, format, lap & 1);
	if (below(a, 2))
		cqesim_be_store(slot + 44, 4, hostile_count(a));
	/* Lengths of minis that pass, so that sessions go on. */
	for (unsigned m = 0; m < 8 && below(a, 4); m++)
		cqesim_be_store(slot + 8 * m + 4, m == 7 ? 2 : 4, 1 + below(a, 1500));
}

static void fill_tempting(struct attack *a, uint8_t *ring)
{
	fill_random(a, ring);
	for (uint32_t i = 0; i < slots(a); i++)
		if (below(a, 16))
			tempt(a, ring, a->config.start + i);
}

static void keep(void *context, uint32_t slot, const uint8_t bytes[64])
{
	struct attack *a = context;

	memcpy(slot_of(a, a->ours.ring, slot), bytes, 64);
}

static void no_poll(void *context, uint32_t most)
{
	(void)context;
	(void)most;
}

/* What a device writes, and then damage. */
static void fill_damaged(struct attack *a, uint8_t *ring)
{
	size_t bytes = cqesim_cq_ring_bytes(&a->config.shape);
	struct ring_device d;

	cqesim_cq_init_ring(ring, &a->config.shape);
	if (ring_device_init(&d, &a->config, a, keep, no_poll))
		broken(a, "no device");
	ring_device_batch(&d);
	ring_device_free(&d);
	for (uint32_t i = below(a, 20); i; i--)
		switch (below(a, 4)) {
		case 0: /* a bit */
			ring[below(a, (uint32_t)bytes)] ^= (uint8_t)(1 << below(a, 8));
			break;
		case 1: /* a byte */
			ring[below(a, (uint32_t)bytes)] = (uint8_t)ring_random(&a->random);
			break;
		case 2: /* a slot in the place of another */
			memmove(slot_of(a, ring, below(a, slots(a))),
				slot_of(a, ring, below(a, slots(a))), 64);
			break;
		default:
			tempt(a, ring, a->config.start + below(a, slots(a)));
		}
}

static void draw_attack(struct attack *a)
{
	size_t bytes;

	do
		ring_config_draw_free(&a->config, 1, ring_random(&a->random));
	while (a->config.shape.log_size > 8);
	bytes = cqesim_cq_ring_bytes(&a->config.shape);
	bool at_end = below(a, 2);
	guarded_place(&a->ours, bytes, at_end);
	guarded_place(&a->twin, bytes, !at_end);
	guarded_place(&a->spare, bytes, at_end);
	switch (below(a, 4)) {
	case 0:
		fill_random(a, a->ours.ring);
		break;
	case 1:
	case 2:
		fill_tempting(a, a->ours.ring);
		break;
	default:
		fill_damaged(a, a->ours.ring);
	}
	memcpy(a->twin.ring, a->ours.ring, bytes);
}

/* ---- what the reader makes of it ---- */

/* A completion or a fault. */
struct event {
	struct cqesim_completion c;
	struct cqesim_packet p;
	struct cqesim_cq_fault f;
};

/* Far more than can be: each slot is taken once a lap, and few laps can be made of one ring. */
#define MOST_EVENTS (8u * 256u + 16u)

static uint32_t most_events(const struct attack *a)
{
	return a->config.shape.layout == CQESIM_CQ_ENHANCED ? 8 * slots(a) + 8 : 2 * slots(a);
}

/* Everything there is, whole or short, in bursts of up to `burst`; how many events. */
static uint32_t read_all(struct attack *a, struct cqesim_cq_reader *r, bool whole, uint32_t burst,
			 struct event *e)
{
	struct cqesim_completion c[80];
	struct cqesim_packet p[80];
	struct cqesim_cq_fault f = {0};
	uint32_t count = 0;

	for (;;) {
		uint32_t max = 1 + below(a, burst), before = r->ci;
		int n = whole ? cqesim_cq_poll(r, c, max, &f)
			      : cqesim_cq_poll_packets(r, p, max, &f);

		if (n == 0)
			return count;
		if (n > (int)max || (n < 0 && n != -EBADMSG))
			broken(a, "more than was asked for, or another error");
		if (r->ci - before > 2 * slots(a) + 8 * max)
			broken(a, "the consumer index goes backwards");
		if (count + (uint32_t)(n < 0 ? 1 : n) > most_events(a))
			broken(a, "no end");
		if (n < 0) {
			e[count++] = (struct event){.f = f};
			continue;
		}
		for (int i = 0; i < n; i++, count++) {
			e[count] = (struct event){0};
			if (whole)
				e[count].c = c[i];
			else
				e[count].p = p[i];
		}
	}
}

/* A session of a number and with a length that the reader has promised to refuse otherwise. */
static bool plausible(const struct attack *a, const struct cqesim_completion *c)
{
	bool enhanced = a->config.shape.layout == CQESIM_CQ_ENHANCED;
	bool sent_work = a->config.shape.format >= CQESIM_MINI_FORMATS;
	uint32_t most = enhanced && slots(a) > 7 ? 7 : slots(a);

	return c->session_n >= (enhanced ? 1 : 2) && c->session_n <= most &&
	       c->session_i < c->session_n &&
	       (sent_work || c->filler || (c->meta.byte_cnt && c->meta.byte_cnt <= 0xffff));
}

/* Index and number in the session of each event rise: nothing is returned twice. */
static void check_order(struct attack *a, const struct event *e, uint32_t count)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < count; i++) {
		bool fault = e[i].f.kind != CQESIM_CQ_FAULT_NONE;
		uint32_t index = (fault ? e[i].f.index : e[i].c.index) - a->config.start;
		uint32_t part = fault ? e[i].f.mini : e[i].c.session_i;
		uint64_t place = ((uint64_t)index << 32 | part) + 1;

		a->events = i;
		if (place <= last)
			broken(a, "the same place again");
		last = place;
		if (!fault && e[i].c.session_n && !plausible(a, &e[i].c))
			broken(a, "a session that cannot be");
		if (!fault)
			continue;
		a->kinds[e[i].f.kind]++;
		if (e[i].f.slot != (e[i].f.index & (slots(a) - 1)))
			broken(a, "a fault whose slot is not that of its index");
	}
}

static void check_same(struct attack *a, const struct event *x, const struct event *y,
		       uint32_t count, bool short_form)
{
	for (uint32_t i = 0; i < count; i++) {
		bool good = !memcmp(&x[i].f, &y[i].f, sizeof(x[i].f));

		a->events = i;
		if (x[i].f.kind == CQESIM_CQ_FAULT_NONE)
			good &= short_form ? property_agree(&y[i].p, &x[i].c)
					   : ring_same_completion(&x[i].c, &y[i].c);
		if (!good)
			broken(a, short_form ? "the short form differs"
					     : "other bursts, another result");
	}
}

static struct cqesim_cq_reader reader(const struct attack *a, uint8_t *ring,
				      enum cqesim_invalidate invalidate)
{
	struct cqesim_cq_reader r;

	if (cqesim_cq_reader_init(&r, ring, &a->config.shape, invalidate))
		broken(a, "no reader");
	cqesim_cq_reader_seek(&r, a->config.start);
	return r;
}

/* A ring at rest: the check finds something or not, and changes nothing. */
static void check_at_rest(struct attack *a, const struct cqesim_cq_reader *r)
{
	size_t bytes = cqesim_cq_ring_bytes(&a->config.shape);
	struct cqesim_cq_reader before = *r;
	struct cqesim_cq_fault f = {0};

	memcpy(a->spare.ring, a->ours.ring, bytes);
	int err = cqesim_cq_check(r, &f);
	if (err && (err != -EBADMSG ||
		    (f.kind != CQESIM_CQ_FAULT_OUT_OF_ORDER && f.kind != CQESIM_CQ_FAULT_AHEAD)))
		broken(a, "an odd result of the check");
	a->kinds[f.kind] += err != 0;
	if (memcmp(a->spare.ring, a->ours.ring, bytes) || memcmp(&before, r, sizeof(before)))
		broken(a, "the check has changed something");
}

/* Good entries where the reader stands come out as if nothing had been. */
static void go_on(struct attack *a, struct cqesim_cq_reader *r)
{
	struct cqesim_completion c[16];
	struct cqesim_cq_writer w;
	uint32_t size = slots(a), plain = 1 + below(a, size < 4 ? size : 4);
	uint32_t least = a->config.shape.layout == CQESIM_CQ_ENHANCED ? 1 : 2, minis = 0;
	uint8_t cqe[64] = {0};

	if (cqesim_cq_writer_init(&w, a->ours.ring, &a->config.shape, 7, true))
		broken(a, "no writer");
	cqesim_cq_writer_seek(&w, r->ci);
	for (uint32_t i = 0; i < plain; i++) {
		cqesim_be_store(cqe + 44, 4, 100 + i);
		cqesim_cq_write(&w, cqe, CQESIM_OP_RESP_SEND, CQESIM_FORMAT_PLAIN);
	}
	if (plain + least <= size && cqesim_cq_session_open(&w, cqe) >= least) {
		minis = least;
		for (uint32_t i = 1; i < minis; i++)
			cqesim_cq_session_add(&w, cqe);
		cqesim_cq_session_close(&w);
	}
	int n = cqesim_cq_poll(r, c, plain + minis, NULL);
	if (n != (int)(plain + minis))
		broken(a, "good entries are not read any more");
	for (uint32_t i = 0; i < plain + minis; i++)
		if (c[i].meta.byte_cnt != 100 + (i < plain ? i : plain - 1) ||
		    c[i].session_n != (i < plain ? 0 : minis))
			broken(a, "good entries are not read as what they are");
}

static void attack(struct attack *a)
{
	static struct event first[MOST_EVENTS], second[MOST_EVENTS];
	enum cqesim_invalidate invalidate = (enum cqesim_invalidate)below(a, 3);

	draw_attack(a);
	bool short_form = below(a, 2);
	a->events = 0;
	struct cqesim_cq_reader r = reader(a, a->ours.ring, invalidate);
	struct cqesim_cq_reader twin = reader(a, a->twin.ring, invalidate);
	uint32_t count = read_all(a, &r, true, 80, first);
	check_order(a, first, count);
	if (read_all(a, &twin, !short_form, below(a, 2) ? 1 : 80, second) != count ||
	    twin.ci != r.ci)
		broken(a, "other bursts, another number of results");
	check_same(a, first, second, count, short_form);
	if (memcmp(a->ours.ring, a->twin.ring, cqesim_cq_ring_bytes(&a->config.shape)))
		broken(a, "other bursts, another ring left behind");
	if (r.n)
		broken(a, "a session without end");
	check_at_rest(a, &r);
	go_on(a, &r);
}

START_TEST(hostile_rings)
{
	static struct attack a;
	uint32_t rings = property_count(HOSTILE_RINGS);

	a = (struct attack){
		.random = property_seed(3000 + (unsigned)_i),
		.ours = guarded_map(),
		.twin = guarded_map(),
		.spare = guarded_map(),
	};
	for (; a.number < rings; a.number++)
		attack(&a);
	/* The test reaches what it is about. */
	for (int k = CQESIM_CQ_FAULT_NONE + 1; k < CQESIM_CQ_FAULTS; k++)
		ck_assert_msg(a.kinds[k], "never seen: %s",
			      cqesim_cq_fault_name((enum cqesim_cq_fault_kind)k));
}
END_TEST

void property_hostile(Suite *s)
{
	TCase *t = tcase_create("hostile");

	tcase_set_timeout(t, 3600);
	tcase_add_loop_test(t, hostile_rings, 0, HOSTILE_LOOPS);
	suite_add_tcase(s, t);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_ring.c - any ring content, any device: four readers side by side.
 *
 * Input: shape (3 bytes), first index (4), number of slots to fill and their
 * bytes, then actions until the end: polls, and writes of a device that keeps
 * no rule.  One reader polls as the input says, one for a completion at a time,
 * one for the short kind, and the model of ring_model.h says what must come
 * out.  Each has a ring of its own, which ends at a page that cannot be
 * touched and (with ASan) begins behind bytes that must not.
 */
#include <errno.h>
#include <sys/mman.h>
#if defined(__SANITIZE_ADDRESS__)
#define RING_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RING_ASAN
#endif
#endif
#ifdef RING_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, n)   ((void)(at))
#define ASAN_UNPOISON_MEMORY_REGION(at, n) ((void)(at))
#endif

#include "cqesim/cq.h"
#include "fuzz.h"
#include "ring_model.h"

#define LOG_MAX    8u
#define BURST_MAX  63u
#define AREA_BYTES (128u << LOG_MAX) /* whole pages */
#define PAGE_BYTES 4096u

enum { BURSTS, SINGLE, SHORT, MODEL, RINGS };

struct input {
	const uint8_t *at, *end;
};

static uint8_t take(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static uint32_t take32(struct input *in)
{
	uint32_t v = 0;
	for (unsigned i = 0; i < 4; i++)
		v = v << 8 | take(in);
	return v;
}

/* Small numbers take a byte, so that they come up more often. */
static uint32_t take_number(struct input *in)
{
	uint8_t first = take(in);
	return first < 0xf0 ? first : take32(in);
}

struct bench {
	struct cqesim_cq_shape shape;
	uint8_t *ring[RINGS];
	size_t ring_bytes, slot_bytes;
	struct cqesim_cq_reader reader[MODEL];
	struct model model;
	uint32_t pi;   /* where the device writes next */
	uint32_t base; /* first index not yet looked at when the ring last changed */
	bool any;      /* something was returned: */
	uint32_t last_index, last_i;
};

/* Room for a ring that ends where a page without access begins. */
static uint8_t *place_ring(unsigned which, size_t bytes)
{
	static uint8_t *areas[RINGS];
	if (!areas[which]) {
		uint8_t *map = mmap(NULL, AREA_BYTES + 2 * PAGE_BYTES, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		FUZZ_NEED(map != MAP_FAILED);
		areas[which] = map + PAGE_BYTES;
		FUZZ_NEED(mprotect(areas[which], AREA_BYTES, PROT_READ | PROT_WRITE) == 0);
	}
	ASAN_POISON_MEMORY_REGION(areas[which], AREA_BYTES);
	uint8_t *ring = areas[which] + AREA_BYTES - bytes;
	ASAN_UNPOISON_MEMORY_REGION(ring, bytes);
	return ring;
}

static void set_up(struct bench *b, struct input *in)
{
	uint8_t size = take(in), kind = take(in), more = take(in);
	b->shape = (struct cqesim_cq_shape){
		.log_size = size % (LOG_MAX + 1),
		.format = (enum cqesim_mini_format)(kind % CQESIM_MINI_ALL_FORMATS),
		.layout = more & 1 ? CQESIM_CQ_ENHANCED : CQESIM_CQ_BASIC,
		.cqe_128 = more & 2,
		.any_length = more & 8,
		.log_stride = more >> 2 & 1 ? more >> 4 : 0,
	};
	enum cqesim_invalidate invalidate = (enum cqesim_invalidate)(size / 16 % 3);
	uint32_t start = take32(in);
	b->ring_bytes = cqesim_cq_ring_bytes(&b->shape);
	b->slot_bytes = b->ring_bytes >> b->shape.log_size;
	for (unsigned i = 0; i < RINGS; i++) {
		b->ring[i] = place_ring(i, b->ring_bytes);
		cqesim_cq_init_ring(b->ring[i], &b->shape);
	}
	for (unsigned i = 0; i < MODEL; i++) {
		FUZZ_REQUIRE(cqesim_cq_reader_init(&b->reader[i], b->ring[i], &b->shape,
						   invalidate) == 0);
		cqesim_cq_reader_seek(&b->reader[i], start);
	}
	b->model = (struct model){
		.ring = b->ring[MODEL], .shape = b->shape, .invalidate = invalidate, .ci = start};
	b->pi = b->base = start;
}

/* --- the device --- */

/* The same bytes into all rings. */
static void put(struct bench *b, uint32_t index, unsigned offset, const void *bytes, size_t n)
{
	size_t slot = index & ((UINT32_C(1) << b->shape.log_size) - 1);
	for (unsigned i = 0; i < RINGS; i++)
		memcpy(b->ring[i] + slot * b->slot_bytes + b->slot_bytes - 64 + offset, bytes, n);
	/* What is being read was looked at; all that follows may be new. */
	b->base = b->model.ci + b->model.n;
}

static void fill_slots(struct bench *b, struct input *in)
{
	for (unsigned n = take(in); n; n--) {
		uint8_t bytes[64];
		for (unsigned i = 0; i < sizeof(bytes); i++)
			bytes[i] = take(in);
		put(b, b->pi + n - 1, 0, bytes, sizeof(bytes));
	}
}

/* An entry as a device writes it, but with whatever opcode, format and count. */
static void write_entry(struct bench *b, struct input *in)
{
	uint8_t cqe[64], op_own = take(in) & 0xfc, salt = take(in);
	uint32_t lap = b->pi >> b->shape.log_size, slots = UINT32_C(1) << b->shape.log_size;
	uint32_t count = take_number(in);
	bool enhanced = b->shape.layout == CQESIM_CQ_ENHANCED;
	for (unsigned i = 0; i < sizeof(cqe); i++)
		cqe[i] = (uint8_t)(salt + 7 * i);
	for (unsigned i = 0; i < 4; i++)
		cqe[44 + i] = (uint8_t)(count >> (24 - 8 * i));
	if (enhanced)
		cqe[62] = (uint8_t)lap;
	cqe[63] = op_own | (lap & 1);
	put(b, b->pi, 0, cqe, sizeof(cqe));
	uint32_t indices = 1;
	if ((op_own >> 2 & 3) == 3)
		indices = enhanced ? (op_own >> 4) + 1u : count;
	b->pi += indices && indices <= slots ? indices : 1;
}

/* A mini, near where the device is. */
static void write_mini(struct bench *b, struct input *in, unsigned place)
{
	uint8_t bytes[8];
	uint32_t index = b->pi + (uint32_t)(int8_t)take(in);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = take(in);
	put(b, index, place % 8 * 8, bytes, sizeof(bytes));
}

static void write_byte(struct bench *b, struct input *in, unsigned offset)
{
	uint32_t index = b->pi + (uint32_t)(int8_t)take(in);
	uint8_t byte = take(in);
	put(b, index, offset, &byte, 1);
}

/* --- what must hold --- */

static void check_advance(struct bench *b, const struct cqesim_completion *c)
{
	int32_t step = (int32_t)(c->index - b->last_index);
	if (b->any)
		FUZZ_REQUIRE(step > 0 || (step == 0 && c->session_i > b->last_i));
	FUZZ_REQUIRE(c->session_n ? c->session_i < c->session_n : !c->session_i);
	b->any = true;
	b->last_index = c->index;
	b->last_i = c->session_i;
}

static void check_shared(const struct bench *b, const struct cqesim_completion *c,
			 const struct model_event *e)
{
	bool minis = e->session_n != 0, error = e->opcode == 13 || e->opcode == 14;
	enum cqesim_mini_format format = b->shape.format;
	FUZZ_REQUIRE(c->meta.vlan_info == model_be(e->shared + 30, 2));
	FUZZ_REQUIRE(c->meta.pkt_info == e->shared[0]);
	FUZZ_REQUIRE(c->meta.hds_ip_ext == e->shared[28]);
	FUZZ_REQUIRE(c->meta.user_index == model_be(e->shared + 33, 3));
	if (!error || minis)
		FUZZ_REQUIRE((uint32_t)c->timestamp == model_be(e->shared + 52, 4));
	FUZZ_REQUIRE(c->meta.rx_hash_res == (minis && format == CQESIM_MINI_HASH
						     ? model_be(e->own, 4)
						     : model_be(e->shared + 12, 4)));
	FUZZ_REQUIRE(c->meta.l4_l3_hdr_type ==
		     (minis && format == CQESIM_MINI_L34H_STRIDX ? e->own[0] : e->shared[29]));
	bool csum = format == CQESIM_MINI_CSUM || format == CQESIM_MINI_CSUM_STRIDX;
	FUZZ_REQUIRE(c->meta.csum ==
		     (minis && csum ? model_be(e->own, 2) : model_be(e->shared + 20, 2)));
}

static void check_completion(struct bench *b, const struct cqesim_completion *c)
{
	struct model_event e;
	model_step(&b->model, &e);
	FUZZ_REQUIRE(e.kind == MODEL_COMPLETION);
	FUZZ_REQUIRE(c->index == e.index && c->opcode == e.opcode);
	FUZZ_REQUIRE(c->session_n == e.session_n && c->session_i == e.session_i);
	FUZZ_REQUIRE(c->meta.byte_cnt == e.length && c->wqe_counter == e.wqe_counter);
	FUZZ_REQUIRE(c->strides == e.strides && c->filler == e.filler);
	check_shared(b, c, &e);
	check_advance(b, c);

	size_t bytes;
	const uint8_t *data = cqesim_cq_inline_data(&b->reader[BURSTS], c, &bytes);
	if (data) {
		/* In the ring, and there for reading. */
		FUZZ_REQUIRE(data >= b->ring[BURSTS] &&
			     bytes <= (size_t)(b->ring[BURSTS] + b->ring_bytes - data));
		uint8_t copy[64];
		FUZZ_REQUIRE(bytes <= sizeof(copy));
		memcpy(copy, data, bytes);
	}
}

static void check_fault(struct bench *b, const struct cqesim_cq_fault *f)
{
	struct model_event e;
	model_step(&b->model, &e);
	FUZZ_REQUIRE(e.kind == MODEL_FAULT);
	FUZZ_REQUIRE(f->kind == e.fault && f->index == e.index && f->found == e.found);
	FUZZ_REQUIRE(f->mini == e.mini);
	FUZZ_REQUIRE(f->slot == (f->index & ((UINT32_C(1) << b->shape.log_size) - 1)));
	fuzz_require_message(cqesim_cq_fault_name(f->kind));
}

/* The readers stand where the model does, and left the same behind. */
static void check_state(const struct bench *b)
{
	const uint32_t slots = UINT32_C(1) << b->shape.log_size;
	/*
	 * Of a ring that nobody writes: each slot opens one entry at most.  A
	 * session can lead past the ring's end; in the enhanced layout, where
	 * holes keep their count, entries can lie in the holes of others.
	 */
	const uint32_t most = b->shape.layout == CQESIM_CQ_ENHANCED ? 7 * slots : 2 * slots - 1;
	FUZZ_REQUIRE((int32_t)(b->model.ci - b->base) <= (int32_t)most);
	for (unsigned i = 0; i < MODEL; i++) {
		FUZZ_REQUIRE(b->reader[i].ci == b->model.ci && b->reader[i].n == b->model.n);
		FUZZ_REQUIRE(!b->model.n || b->reader[i].i == b->model.i);
		FUZZ_REQUIRE(memcmp(b->ring[i], b->ring[MODEL], b->ring_bytes) == 0);
	}
}

static bool same(const struct cqesim_completion *a, const struct cqesim_completion *b)
{
	/* The last bytes are padding. */
	return !memcmp(a, b, offsetof(struct cqesim_completion, vendor_err_synd) + 1);
}

static bool same_packet(const struct cqesim_packet *p, const struct cqesim_completion *c)
{
	bool error = c->opcode >= CQESIM_OP_SIG_ERR && c->opcode <= CQESIM_OP_RESP_ERR;
	bool none = c->filler || (error && !c->session_n);
	return p->length == (none ? 0 : c->meta.byte_cnt) && p->wqe_counter == c->wqe_counter &&
	       p->rx_hash_res == c->meta.rx_hash_res && p->vlan_info == c->meta.vlan_info &&
	       p->pkt_info == c->meta.pkt_info && p->hds_ip_ext == c->meta.hds_ip_ext &&
	       p->l4_l3_hdr_type == c->meta.l4_l3_hdr_type && p->opcode == c->opcode;
}

static int poll_once(struct bench *b, unsigned burst)
{
	struct cqesim_completion many[BURST_MAX + 1], one;
	struct cqesim_packet packets[BURST_MAX + 1];
	struct cqesim_cq_fault fault = {0}, again = {0};
	int n = cqesim_cq_poll(&b->reader[BURSTS], many, burst, &fault);
	int m = cqesim_cq_poll_packets(&b->reader[SHORT], packets, burst, &again);
	FUZZ_REQUIRE(n == m && n <= (int)burst);
	if (n < 0) {
		FUZZ_REQUIRE(n == -EBADMSG && memcmp(&fault, &again, sizeof(fault)) == 0);
		FUZZ_REQUIRE(cqesim_cq_poll(&b->reader[SINGLE], &one, 1, &again) == n);
		FUZZ_REQUIRE(memcmp(&fault, &again, sizeof(fault)) == 0);
		check_fault(b, &fault);
	}
	for (int i = 0; i < n; i++) {
		FUZZ_REQUIRE(cqesim_cq_poll(&b->reader[SINGLE], &one, 1, NULL) == 1);
		FUZZ_REQUIRE(same(&one, &many[i]));
		FUZZ_REQUIRE(same_packet(&packets[i], &one));
		check_completion(b, &many[i]);
	}
	if (n == 0 && burst) {
		struct model_event e;
		FUZZ_REQUIRE(cqesim_cq_poll(&b->reader[SINGLE], &one, 1, &fault) == 0);
		model_step(&b->model, &e);
		FUZZ_REQUIRE(e.kind == MODEL_NOTHING);
	}
	return n;
}

static void poll_all(struct bench *b, unsigned burst)
{
	int n = poll_once(b, burst);
	/*
	 * Fewer than asked for: nothing or a fault comes next.  Let all see it before a
	 * device changes what only some have looked at.
	 */
	if (n > 0 && n < (int)burst)
		FUZZ_REQUIRE(poll_once(b, burst) <= 0);
	check_state(b);
}

/* Of a ring at rest: what is at fault lies ahead of the reader, in the ring. */
static void check_rest(const struct bench *b)
{
	struct cqesim_cq_fault f = {0};
	int rc = cqesim_cq_check(&b->reader[BURSTS], &f);
	FUZZ_REQUIRE(rc == 0 || rc == -EBADMSG);
	if (rc) {
		uint32_t ahead = f.index - b->model.ci;
		FUZZ_REQUIRE(ahead <= UINT32_C(1) << b->shape.log_size);
		fuzz_require_message(cqesim_cq_fault_name(f.kind));
	}
	check_state(b);
}

FUZZ_TARGET(ring)
{
	struct input in = {.at = data, .end = data + size};
	struct bench b = {0};
	set_up(&b, &in);
	fill_slots(&b, &in);
	while (in.at < in.end) {
		uint8_t op = take(&in), arg = op >> 2;
		switch (op & 3) {
		case 0:
			poll_all(&b, arg);
			if (!arg)
				check_rest(&b);
			break;
		case 1:
			write_entry(&b, &in);
			break;
		case 2:
			write_mini(&b, &in, arg);
			break;
		default:
			write_byte(&b, &in, arg);
		}
	}
	/* To the end of what is there. */
	uint32_t before;
	do {
		before = b.model.ci + b.model.i;
		poll_all(&b, BURST_MAX);
	} while (before != b.model.ci + b.model.i);
	check_rest(&b);
	return 0;
}

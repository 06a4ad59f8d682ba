/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walks: the steps through small rings, written down by hand; texts that fit the
 * page and documents that are documents for every example; any ring at all is
 * walked to an end.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>

#include "cqesim/walk.h"
#include "test_describe.h"

static struct cqesim_walk *walk_of(uint8_t *ring, const struct cqesim_cq_shape *shape,
				   enum cqesim_invalidate driver, uint32_t ci)
{
	struct cqesim_walk *w;
	struct cqesim_error err = {""};

	ck_assert_msg(!cqesim_walk_create(&w, ring, shape, driver, ci, &err), "%s", err.text);
	return w;
}

static struct cqesim_walk_step next(struct cqesim_walk *w)
{
	struct cqesim_walk_step s;

	ck_assert_int_eq(cqesim_walk_step(w, &s), 0);
	return s;
}

/* What one step says, in short: kind, index, slot, lap, mini's place, length, index afterwards. */
#define STEP(s, kind_, ci_, slot_, lap_, after_)                                                   \
	do {                                                                                       \
		ck_assert_str_eq(cqesim_walk_kind_name((s).kind), kind_);                          \
		ck_assert_uint_eq((s).ci, ci_);                                                    \
		ck_assert_uint_eq((s).slot, slot_);                                                \
		ck_assert_uint_eq((s).lap, lap_);                                                  \
		ck_assert_uint_eq((s).ci_after, after_);                                           \
	} while (0)
#define MINI(s, n_, i_, slot_, byte_, length_)                                                     \
	do {                                                                                       \
		ck_assert_uint_eq((s).session_n, n_);                                              \
		ck_assert_uint_eq((s).session_i, i_);                                              \
		ck_assert_uint_eq((s).mini_slot, slot_);                                           \
		ck_assert_uint_eq((s).mini_byte, byte_);                                           \
		ck_assert_uint_eq((s).mini[7], length_);                                           \
		ck_assert_uint_eq((s).completion.meta.byte_cnt, length_);                          \
		ck_assert_uint_eq((s).left, n_ - 1 - i_);                                          \
	} while (0)

/* A session of nine that crosses the end of a ring of eight, as each driver gives it back. */
START_TEST(session)
{
	static const char text[] =
		"ring: {log_cqe_n: 4, cross: yes, start: 12}\n"
		"entries:\n"
		"  - {byte_cnt: 200}\n"
		"  - session: {minis: [{byte_cnt: 60}, {byte_cnt: 61}, {byte_cnt: 62},\n"
		"      {byte_cnt: 63}, {byte_cnt: 64}, {byte_cnt: 65}, {byte_cnt: 66},\n"
		"      {byte_cnt: 67}, {byte_cnt: 68}]}\n";
	struct cqesim_description *d = description(text);
	uint8_t *ring = written(d, NULL);
	struct cqesim_walk *w = walk_of(ring, &d->shape, (enum cqesim_invalidate)_i, 12);
	struct cqesim_walk_step s = next(w);

	STEP(s, "plain", 12, 12, 0, 13);
	ck_assert_uint_eq(s.op_own, 0x20);
	ck_assert_uint_eq(s.owner_wanted, 0);
	ck_assert_uint_eq(s.completion.meta.byte_cnt, 200);
	ck_assert_uint_eq(s.session_n, 0);
	ck_assert_uint_eq(s.changes, 0);
	s = next(w);
	STEP(s, "title", 13, 13, 0, 13);
	ck_assert_uint_eq(s.op_own, 0x2c);
	ck_assert_uint_eq(s.byte_cnt, 9);
	MINI(s, 9, 0, 14, 0, 60);
	for (unsigned i = 1; i < 8; i++) {
		s = next(w);
		STEP(s, "mini", 13, 13, 0, 13);
		MINI(s, 9, i, 14, 8 * i, 60 + i);
		ck_assert_uint_eq(s.changes, 0);
	}
	/* The second array is eight slots behind the title: slot 5 of the next lap. */
	s = next(w);
	STEP(s, "mini", 13, 13, 0, 22);
	MINI(s, 9, 8, 5, 0, 68);
	/* Slot 13 held 2c, 14 the end of a mini (67), 5 an array's 0, the others 0xf1. */
	if (_i == CQESIM_INVALIDATE_DPDK_VEC) {
		ck_assert_uint_eq(s.changes, 9);
		for (unsigned i = 0; i < 9; i++) {
			ck_assert_uint_eq(s.change[i].slot, (13 + i) % 16);
			ck_assert_uint_eq(s.change[i].byte, 63);
			ck_assert_uint_eq(s.change[i].to, 0xf0);
		}
		ck_assert_uint_eq(s.change[0].from, 0x2c);
		ck_assert_uint_eq(s.change[1].from, 67);
		ck_assert_uint_eq(s.change[2].from, 0xf1);
		ck_assert_uint_eq(s.change[8].from, 0);
	} else if (_i == CQESIM_INVALIDATE_DPDK_SCALAR) {
		ck_assert_uint_eq(s.changes, 8); /* not the title's */
		ck_assert_uint_eq(s.change[0].slot, 14);
	} else {
		/* Linux: the owner bit of the lap just read: 0, past the end 1. */
		ck_assert_uint_eq(s.changes, 9);
		for (unsigned i = 0; i < 9; i++)
			ck_assert_uint_eq(s.change[i].to, i >= 3);
	}
	s = next(w);
	STEP(s, "stop", 22, 6, 1, 22);
	ck_assert_uint_eq(s.owner_wanted, 1);
	ck_assert_uint_eq(s.op_own, 0xf1);
	ck_assert_uint_eq(w->packets, 10);
	ck_assert_uint_eq(w->faults, 0);
	ck_assert_uint_eq(w->steps, 11);
	cqesim_walk_destroy(w);
	free(ring);
	cqesim_description_free(d);
}
END_TEST

/* The eighth mini ends in the byte that is rewritten: it is told as it was read. */
START_TEST(last_mini)
{
	struct cqesim_description *d = description("ring: {log_cqe_n: 4}\n"
						   "entries: [{session: {minis: [{byte_cnt: 60, "
						   "rx_hash_res: 0x01020304, repeat: 8}]}}]\n");
	uint8_t *ring = written(d, NULL);
	struct cqesim_walk *w = walk_of(ring, &d->shape, CQESIM_INVALIDATE_DPDK_SCALAR, 0);
	struct cqesim_walk_step s = {.kind = CQESIM_WALK_STOP};
	static const uint8_t mini[] = {1, 2, 3, 4, 0, 0, 0, 60};

	for (unsigned i = 0; i < 8; i++)
		s = next(w);
	STEP(s, "mini", 0, 0, 0, 8);
	MINI(s, 8, 7, 1, 56, 60);
	ck_assert_mem_eq(s.mini, mini, sizeof(mini));
	ck_assert_uint_eq(s.change[0].slot, 1);
	ck_assert_uint_eq(s.change[0].from, 60);
	ck_assert_uint_eq(ring[64 + 63], 0xf0);
	cqesim_walk_destroy(w);
	free(ring);
	cqesim_description_free(d);
}
END_TEST

START_TEST(arrays)
{
	struct cqesim_description *d = example("enhanced.yaml");
	uint8_t *ring = written(d, NULL);
	struct cqesim_walk *w = walk_of(ring, &d->shape, CQESIM_INVALIDATE_DPDK_VEC, d->start);
	struct cqesim_walk_step s = next(w);

	STEP(s, "plain", 8256, 0, 258, 8257);
	ck_assert_uint_eq(s.count, 2);
	ck_assert_uint_eq(s.count_wanted, 2);
	ck_assert_uint_eq(s.completion.meta.flow_tag, 0x123456);
	s = next(w);
	STEP(s, "array", 8257, 1, 258, 8257);
	MINI(s, 7, 0, 1, 0, 60);
	ck_assert_uint_eq(s.completion.meta.l4_l3_hdr_type, 0x04); /* the title's */
	for (unsigned i = 1; i < 7; i++)
		s = next(w);
	STEP(s, "mini", 8257, 1, 258, 8264);
	ck_assert_uint_eq(s.mini_byte, 48);
	ck_assert_uint_eq(s.left, 0);
	ck_assert_uint_eq(s.completion.meta.flow_tag, 0xfedcba);
	ck_assert_uint_eq(s.changes, 0);
	for (unsigned i = 0; i < 7; i++)
		s = next(w);
	STEP(s, "mini", 8264, 8, 258, 8271);
	s = next(w);
	STEP(s, "plain", 8271, 15, 258, 8272);
	s = next(w);
	STEP(s, "array", 8272, 16, 258, 8273);
	MINI(s, 1, 0, 16, 0, 91);
	ck_assert_uint_eq(s.completion.meta.l4_l3_hdr_type, 0x08);
	s = next(w);
	STEP(s, "stop", 8273, 17, 258, 8273);
	ck_assert_uint_eq(s.count, 0xff);
	cqesim_walk_destroy(w);
	free(ring);
	cqesim_description_free(d);
}
END_TEST

START_TEST(faults)
{
	struct cqesim_description *d = example("faults.yaml");
	uint8_t *ring = written(d, NULL);
	struct cqesim_walk *w = walk_of(ring, &d->shape, CQESIM_INVALIDATE_DPDK_SCALAR, 0);
	struct cqesim_walk_step s = next(w);
	struct cqesim_cq_fault missing;

	STEP(s, "fault", 0, 0, 0, 1);
	ck_assert_int_eq(s.fault.kind, CQESIM_CQ_FAULT_SESSION_SHORT);
	ck_assert_uint_eq(s.fault.found, 1);
	ck_assert_uint_eq(s.session_n, 0);
	s = next(w);
	STEP(s, "fault", 1, 1, 0, 2);
	ck_assert_int_eq(s.fault.kind, CQESIM_CQ_FAULT_OPCODE);
	ck_assert_uint_eq(s.fault.found, 9);
	s = next(w);
	STEP(s, "title", 2, 2, 0, 2);
	s = next(w);
	STEP(s, "fault", 2, 2, 0, 2);
	ck_assert_int_eq(s.fault.kind, CQESIM_CQ_FAULT_MINI_LENGTH);
	ck_assert_uint_eq(s.session_n, 3);
	ck_assert_uint_eq(s.session_i, 1);
	ck_assert_uint_eq(s.mini_slot, 3);
	ck_assert_uint_eq(s.mini_byte, 8);
	ck_assert_uint_eq(s.left, 1);
	s = next(w);
	STEP(s, "mini", 2, 2, 0, 5);
	ck_assert_uint_eq(s.completion.meta.byte_cnt, 62);
	ck_assert_uint_eq(s.changes, 2);
	s = next(w);
	STEP(s, "plain", 5, 5, 0, 6);
	s = next(w);
	STEP(s, "stop", 6, 6, 0, 6);
	ck_assert_uint_eq(w->packets, 3);
	ck_assert_uint_eq(w->faults, 3);
	/* Slot 7 was written although slot 6 was not. */
	ck_assert_int_eq(cqesim_cq_check(&w->reader, &missing), -EBADMSG);
	ck_assert_uint_eq(missing.slot, 7);
	cqesim_walk_destroy(w);
	free(ring);
	cqesim_description_free(d);
}
END_TEST

/* A first mini at fault, in a session and in an array: how many there were to be is still told. */
START_TEST(first_mini)
{
	struct cqesim_description *d =
		description("ring: {log_cqe_n: 3}\n"
			    "entries:\n"
			    "  - session: {minis: [{byte_cnt: 0}, {byte_cnt: 0}]}\n");
	uint8_t *ring = written(d, NULL);
	struct cqesim_walk *w = walk_of(ring, &d->shape, CQESIM_INVALIDATE_LINUX, 0);
	struct cqesim_walk_step s = next(w);

	STEP(s, "fault", 0, 0, 0, 0);
	ck_assert_uint_eq(s.session_n, 2);
	ck_assert_uint_eq(s.session_i, 0);
	ck_assert_uint_eq(s.left, 1);
	s = next(w);
	STEP(s, "fault", 0, 0, 0, 2);
	ck_assert_uint_eq(s.session_i, 1);
	ck_assert_uint_eq(s.mini_slot, 1);
	ck_assert_uint_eq(s.mini_byte, 8);
	ck_assert_uint_eq(s.left, 0);
	cqesim_walk_destroy(w);
	free(ring);
	cqesim_description_free(d);
	d = description("ring: {log_cqe_n: 3, layout: enhanced}\n"
			"entries: [{byte_cnt: 60}, {array: [{byte_cnt: 0}]}]\n");
	ring = written(d, NULL);
	w = walk_of(ring, &d->shape, CQESIM_INVALIDATE_LINUX, 0);
	next(w);
	s = next(w);
	STEP(s, "fault", 1, 1, 0, 2);
	ck_assert_uint_eq(s.session_n, 1);
	ck_assert_uint_eq(s.mini_slot, 1);
	cqesim_walk_destroy(w);
	free(ring);
	cqesim_description_free(d);
}
END_TEST

/* What the device writes in between is told once, and is no change of software's. */
START_TEST(device_writes)
{
	struct cqesim_cq_shape shape = {.log_size = 2};
	uint8_t ring[4 * 64] __attribute__((aligned(64)));
	struct cqesim_cq_writer writer;
	uint8_t cqe[64] = {0};

	cqesim_cq_init_ring(ring, &shape);
	ck_assert_int_eq(cqesim_cq_writer_init(&writer, ring, &shape, 4, false), 0);
	struct cqesim_walk *w = walk_of(ring, &shape, CQESIM_INVALIDATE_LINUX, 0);
	struct cqesim_walk_step s = next(w);
	STEP(s, "stop", 0, 0, 0, 0);
	ck_assert_uint_eq(s.wrote_count, 0);
	ck_assert_uint_eq(s.time_ps, UINT64_MAX);
	cqe[47] = 60;
	cqesim_cq_write(&writer, cqe, CQESIM_OP_RESP_SEND, 0);
	cqesim_cq_write(&writer, cqe, CQESIM_OP_RESP_SEND, 0);
	ck_assert_int_eq(cqesim_walk_wrote(w, 0), 0);
	ck_assert_int_eq(cqesim_walk_wrote(w, 5), 0); /* an index does as well */
	cqesim_walk_time(w, 123);
	s = next(w);
	STEP(s, "plain", 0, 0, 0, 1);
	ck_assert_uint_eq(s.wrote_count, 2);
	ck_assert_uint_eq(s.wrote[0], 0);
	ck_assert_uint_eq(s.wrote[1], 1);
	ck_assert_uint_eq(s.changes, 0);
	ck_assert_uint_eq(s.time_ps, 123);
	s = next(w);
	ck_assert_uint_eq(s.wrote_count, 0);
	/* Whoever else writes is found out at the next stop. */
	ring[3 * 64 + 5] = 0xaa;
	s = next(w);
	STEP(s, "stop", 2, 2, 0, 2);
	ck_assert_uint_eq(s.changes, 1);
	ck_assert_uint_eq(s.change[0].slot, 3);
	ck_assert_uint_eq(s.change[0].byte, 5);
	ck_assert_uint_eq(s.change[0].to, 0xaa);
	cqesim_walk_destroy(w);
	ck_assert_int_eq(cqesim_walk_create(&w, ring + 1, &shape, CQESIM_INVALIDATE_LINUX, 0, NULL),
			 -EINVAL);
	cqesim_walk_destroy(w);
	cqesim_walk_destroy(NULL);
}
END_TEST

/* ---- texts and documents ---- */

static const char *const examples[] = {"session.yaml",  "laps.yaml",   "enhanced.yaml",
				       "striding.yaml", "faults.yaml", "errors.json"};
#define EXAMPLES (sizeof(examples) / sizeof(examples[0]))

/* A walk to the end, in words or as a document. */
static char *told(const struct cqesim_description *d, bool json, size_t *size)
{
	uint8_t *ring = written(d, NULL);
	struct cqesim_walk *w = walk_of(ring, &d->shape, d->driver, d->ci);
	struct cqesim_walk_step s;
	char *text;
	FILE *to = open_memstream(&text, size);
	bool first = true;

	ck_assert_int_eq(json ? cqesim_walk_json_head(w, d->file, to)
			      : cqesim_walk_text_head(w, d->file, to),
			 0);
	do {
		s = next(w);
		ck_assert_int_eq(json ? cqesim_walk_json(w, &s, first, to)
				      : cqesim_walk_text(w, &s, false, to),
				 0);
		first = false;
	} while (s.kind != CQESIM_WALK_STOP);
	ck_assert_int_eq(json ? cqesim_walk_json_end(w, &s, false, NULL, to)
			      : cqesim_walk_text_end(w, &s, false, to),
			 0);
	fclose(to);
	cqesim_walk_destroy(w);
	free(ring);
	return text;
}

START_TEST(pages)
{
	struct cqesim_description *d = example(examples[_i]);
	size_t size;
	char *text = told(d, false, &size);

	ck_assert_uint_eq(strlen(text), size);
	for (const char *p = text; *p; p += strcspn(p, "\n") + 1)
		ck_assert_msg(strcspn(p, "\n") <= 100, "%.120s", p);
	ck_assert_ptr_nonnull(strstr(text, "Stopped at slot "));
	ck_assert_ptr_null(strchr(text, '\033'));
	free(text);
	cqesim_description_free(d);
}
END_TEST

START_TEST(words)
{
	struct cqesim_description *d = example("session.yaml");
	size_t size;
	char *text = told(d, false, &size);

	static const char *const said[] = {
		"a ring of 16 slots of 64 bytes, basic layout, hash mini-CQEs",
		"step 1: consumer index 4 = slot 4 of lap 0\n",
		"byte 63 of slot 5: 0x2c = opcode 2 (RESP_SEND), format 3 (compressed), owner 0\n",
		"owner 0, lap 0 wants 0: software's\n",
		"bytes 44 to 47 = 9: the title of a session of 9 packets, indices 5 to 13\n",
		"mini 0 in slot 6, bytes 0 to 7: 00 00 00 10 00 00 00 3c = rx_hash_res, byte_cnt\n",
		"packet 1 of 9: 60 bytes, RSS hash 0x00000010, IPv4, TCP ACK with data",
		"consumer index 5 still, doorbell record 0x000005; 8 packets of the session left\n",
		"mini 8 in slot 13, bytes 0 to 7: 00 00 00 18 00 00 00 46",
		"op_own of slots 6 to 13: 0xf0 (was 3e f1 f1 f1 f1 f1 f1 00)\n",
		"consumer index 14, doorbell record 0x00000e\n",
		"owner 1, lap 0 wants 0, and opcode 15 is never software's: hardware's\n",
		"Stopped at slot 14: owner 1, lap 0 wants 0,",
		"10 completions read, 0 faults. No other slot",
	};
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		const char *at = strstr(text, said[i]);

		if (!at) { /* where the line was broken */
			char *flat = strdup(text);
			for (char *p = flat; *p; p++)
				if (*p == '\n')
					*p = ' ';
			at = strstr(flat, said[i]);
			free(flat);
		}
		ck_assert_msg(at != NULL, "\"%s\" is not said", said[i]);
	}
	free(text);
	cqesim_description_free(d);
}
END_TEST

START_TEST(documents)
{
	struct cqesim_description *d = example(examples[_i]);
	size_t size;
	char *text = told(d, true, &size);
	json_error_t error;
	json_t *doc = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error), *step;
	size_t i, good = 0, bad = 0;

	ck_assert_msg(doc != NULL, "%s: line %d: %s", examples[_i], error.line, error.text);
	json_array_foreach(json_object_get(doc, "steps"), i, step)
	{
		ck_assert_int_eq(json_integer_value(json_object_get(step, "step")),
				 (json_int_t)i + 1);
		good += json_is_object(json_object_get(step, "completion"));
		bad += json_is_object(json_object_get(step, "fault"));
	}
	ck_assert_uint_ge(i, 1);
	ck_assert_uint_eq(good + bad, i - 1); /* the last is the stop */
	ck_assert_int_eq(json_integer_value(json_object_get(doc, "completions")), (json_int_t)good);
	ck_assert_int_eq(json_integer_value(json_object_get(doc, "faults")), (json_int_t)bad);
	ck_assert(json_is_null(json_object_get(doc, "error")));
	bool faults = !strcmp(examples[_i], "faults.yaml");
	ck_assert_int_eq(json_is_object(json_object_get(doc, "missing")), faults);
	json_decref(doc);
	free(text);
	cqesim_description_free(d);
}
END_TEST

/* ---- any ring at all ---- */

static uint64_t random_bits(uint64_t *state, unsigned n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * UINT64_C(0x2545f4914f6cdd1d) >> (64 - n);
}

/* Mostly what looks like a completion of this lap or the next. */
static uint8_t *random_ring(uint64_t *state, const struct cqesim_cq_shape *shape)
{
	size_t bytes = cqesim_cq_ring_bytes(shape), slot = bytes >> shape->log_size;
	uint8_t *ring = aligned_alloc(64, bytes);

	for (size_t i = 0; i < bytes; i++)
		ring[i] = (uint8_t)random_bits(state, 8);
	for (size_t i = slot; i <= bytes; i += slot) {
		memset(ring + i - 20, 0, 3); /* a small byte_cnt */
		if (!random_bits(state, 3))
			continue;
		ring[i - 2] = (uint8_t)random_bits(state, 1);
		ring[i - 1] = (uint8_t)(random_bits(state, 2) << 4 |
					(random_bits(state, 1) ? 0x0c : 0) | random_bits(state, 1));
	}
	return ring;
}

START_TEST(any_ring)
{
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15) + (unsigned)_i, found = 0;
	FILE *to = fopen("/dev/null", "w");

	for (unsigned round = 0; round < 400; round++) {
		struct cqesim_cq_shape shape = {
			.log_size = (unsigned)random_bits(&state, 16) % 7,
			.format = (enum cqesim_mini_format)(random_bits(&state, 16) %
							    CQESIM_MINI_ALL_FORMATS),
			.layout = (enum cqesim_cq_layout)random_bits(&state, 1),
			.cqe_128 = random_bits(&state, 1),
			.log_stride = round % 2 ? 6 : 0,
		};
		uint8_t *ring = random_ring(&state, &shape);
		struct cqesim_walk *w = walk_of(ring, &shape, (enum cqesim_invalidate)(round % 3),
						(uint32_t)random_bits(&state, 1) << shape.log_size);
		struct cqesim_walk_step s;

		do {
			s = next(w);
			ck_assert_int_eq(cqesim_walk_text(w, &s, false, to), 0);
			ck_assert_int_eq(cqesim_walk_json(w, &s, false, to), 0);
			/* No lap without end, nothing outside the ring. */
			ck_assert_uint_le(w->steps, 3000);
			ck_assert_uint_lt(s.slot, 1u << shape.log_size);
			ck_assert_uint_lt(s.mini_slot, 1u << shape.log_size);
			ck_assert_int_ge((int32_t)(s.ci_after - s.ci), 0);
		} while (s.kind != CQESIM_WALK_STOP);
		found += w->packets;
		ck_assert_int_eq(cqesim_walk_text_end(w, &s, false, to), 0);
		cqesim_walk_destroy(w);
		free(ring);
	}
	ck_assert_uint_gt(found, 100);
	fclose(to);
}
END_TEST

void add_walk(Suite *s)
{
	TCase *tc = tcase_create("walk");

	tcase_add_loop_test(tc, session, 0, 3);
	tcase_add_test(tc, last_mini);
	tcase_add_test(tc, arrays);
	tcase_add_test(tc, faults);
	tcase_add_test(tc, first_mini);
	tcase_add_test(tc, device_writes);
	tcase_add_loop_test(tc, pages, 0, EXAMPLES);
	tcase_add_test(tc, words);
	tcase_add_loop_test(tc, documents, 0, EXAMPLES);
	tcase_add_loop_test(tc, any_ring, 0, 5);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
}

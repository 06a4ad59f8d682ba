/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries of a description as ring writes.  What a device would write comes from
 * the writer of cq.h; what the description gives beyond that (an owner bit, a
 * count, raw bytes) is put over the slots before anybody reads them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "describe/internal.h"

/* Of 128-byte slots the second half, where the CQE is. */
static uint8_t *cqe_at(const struct play *p, uint32_t index)
{
	return cqesim_cq_writer_slot(&p->w, index);
}

/* The bits of `set` are as in `from`. */
static void put_over(uint8_t *cqe, const uint8_t set[64], const uint8_t from[64])
{
	for (unsigned i = 0; i < CQESIM_CQE_BYTES; i++)
		cqe[i] = (uint8_t)((cqe[i] & ~set[i]) | (from[i] & set[i]));
}

/* May n more indices be written?  A device must not overtake the driver. */
static int make_room(struct play *p, const node *entry, uint32_t n)
{
	uint32_t slots = p->w.mask + 1, unread = p->w.pi - p->reader->ci;

	/* In a ring full of zeros the driver finds more than was written. */
	if (unread > slots)
		unread = 0;
	if (n > slots - unread)
		return refuse(&p->c, entry,
			      "the ring of %u slots is full, %u are not read yet; \"batch: all\" "
			      "before this has the driver read",
			      slots, unread);
	p->completions += n;
	if (p->completions > CQESIM_DESCRIPTION_COMPLETIONS)
		return refuse(&p->c, entry, "more than %u completions in one description",
			      CQESIM_DESCRIPTION_COMPLETIONS);
	return 0;
}

/* Tell of the slots that were written since the entry began at `first`. */
static int announce(struct play *p, uint32_t first)
{
	size_t front = p->w.log_slot == 7 ? CQESIM_CQE_BYTES : 0;
	int rc = 0;

	for (unsigned i = 0; i < p->noted_count && !rc && p->watch && p->watch->written; i++) {
		uint32_t index = first + ((p->noted[i] - first) & p->w.mask);

		rc = p->watch->written(p->watch->context, index, cqe_at(p, index) - front);
	}
	p->noted_count = 0;
	return rc;
}

/* What wqe_counter goes on by after this completion. */
static uint16_t counter_step(const struct play *p, const uint8_t cqe[64])
{
	struct cqesim_cqe_striding s;

	if (!p->c.d->shape.log_stride || strcmp(cqesim_cqe_view(cqe)->name, "rx"))
		return 1;
	cqesim_cqe_striding_decode(cqe, &s);
	if (p->c.d->shape.format == CQESIM_MINI_FTAG_STRIDX && !s.strides)
		return (uint16_t)((s.length + (1u << p->c.d->shape.log_stride) - 1) >>
				  p->c.d->shape.log_stride);
	return s.strides;
}

static void count(struct play *p, uint8_t cqe[64], bool counted)
{
	const struct cqesim_field *f = cqesim_layout_field(cqesim_cqe_view(cqe), "wqe_counter");

	if (f && counted)
		cqesim_field_set(f, cqe, p->counter);
	if (f)
		p->counter = (uint16_t)(cqesim_field_get(f, cqe) + counter_step(p, cqe));
}

/* ---- plain completions ---- */

static int write_plain(struct play *p, const node *entry, const struct made *m)
{
	uint8_t cqe[64];
	uint32_t index = p->w.pi;
	int rc = make_room(p, entry, 1);

	if (rc)
		return rc;
	memcpy(cqe, m->cqe, sizeof(cqe));
	count(p, cqe, m->counted);
	uint8_t op_own = cqe[CQESIM_OP_OWN_BYTE];
	unsigned opcode = op_own >> 4, format = op_own >> 2 & 3;
	if (m->has_half)
		memcpy(cqe_at(p, index) - CQESIM_CQE_BYTES, m->half, CQESIM_CQE_BYTES);
	if (m->has_data)
		rc = cqesim_cq_write_inline(&p->w, cqe, opcode, m->data, m->data_bytes);
	else
		cqesim_cq_write(&p->w, cqe, opcode, format);
	if (rc)
		return refuse(&p->c, entry, "%zu bytes of inline data do not fit", m->data_bytes);
	uint8_t set[64] = {0};
	for (unsigned i = 62; i < CQESIM_CQE_BYTES; i++) /* what the writer made itself */
		set[i] = m->set[i];
	put_over(cqe_at(p, index), set, cqe);
	p->has_title = p->w.has_title && format != CQESIM_FORMAT_COMPRESSED;
	memcpy(p->title, cqe, sizeof(cqe));
	return announce(p, index);
}

static int play_plain(struct play *p, const node *entry)
{
	struct made m;
	int rc = cqe_make(&p->c, entry, false, &m);

	for (uint64_t i = 0; i < m.repeat && !rc; i++)
		rc = write_plain(p, entry, &m);
	return rc;
}

/* ---- sessions and arrays ---- */

static int no_room(const struct play *p, const node *entry, uint32_t n, uint32_t room)
{
	uint32_t slot = p->w.pi & p->w.mask;

	if (p->w.room_is_ring_end)
		return refuse(&p->c, entry,
			      "%u packets from slot %u on cross the ring's end (%u fit); \"cross: "
			      "yes\" in ring allows it",
			      n, slot, room);
	return refuse(&p->c, entry, "%u packets, but a ring of %u slots takes %u", n, p->w.mask + 1,
		      room);
}

/* The minis, written as one session or array. */
static int write_minis(struct play *p, const node *entry, struct made_mini *mini, uint32_t n)
{
	uint8_t cqe[64];

	for (uint32_t i = 0; i < n; i++) {
		memcpy(cqe, mini[i].cqe, sizeof(cqe));
		count(p, cqe, mini[i].counted);
		if (i) {
			cqesim_cq_session_add(&p->w, cqe);
			continue;
		}
		uint32_t room = cqesim_cq_session_open(&p->w, cqe);
		if (room < n)
			return no_room(p, entry, n, room);
	}
	uint32_t first = p->w.pi;
	cqesim_cq_session_close(&p->w);
	for (uint32_t i = 0; i < n; i++) {
		unsigned byte;
		uint32_t slots = mini_place(p->w.layout, i, &byte);

		if (mini[i].is_raw)
			memcpy(cqe_at(p, first + slots) + byte, mini[i].raw, CQESIM_MINI_BYTES);
	}
	return 0;
}

/* One key with that name, and of the others none but these. */
static int only_keys(const struct context *c, const node *map, const char *const *allowed,
		     const char *what)
{
	for (const node *n = map->first; n; n = n->next) {
		unsigned i = 0;

		while (allowed[i] && strcmp(allowed[i], n->key))
			i++;
		if (allowed[i])
			continue;
		char list[120] = "";
		for (i = 0; allowed[i]; i++) {
			strcat(list, i ? ", " : "");
			strcat(list, allowed[i]);
		}
		return refuse(c, n, "unknown key; %s has %s", what, list);
	}
	return 0;
}

static int session_title(struct play *p, const node *session, struct made *title)
{
	static const char *const keys[] = {"title", "minis", "note", NULL};
	static const node no_fields = {.kind = NODE_MAP};
	const node *n = node_get(session, "title");
	int rc = 0;

	if (session->kind != NODE_MAP)
		return refuse(&p->c, session, "expected title and minis, not %s",
			      node_kind_name(session));
	rc = only_keys(&p->c, session, keys, "a session");
	if (!rc && !node_get(session, "minis"))
		rc = refuse(&p->c, session, "minis are missing");
	if (!rc)
		rc = cqe_make(&p->c, n ? n : &no_fields, true, title);
	if (!rc && n && (strcmp(title->view->name, "rx") && strcmp(title->view->name, "req")))
		rc = refuse(&p->c, n, "%s cannot be a title",
			    cqesim_opcode_name(title->cqe[CQESIM_OP_OWN_BYTE] >> 4));
	return rc;
}

static int write_session(struct play *p, const node *entry, const struct made *title,
			 struct made_mini *mini, uint32_t n)
{
	uint32_t first = p->w.pi;
	const struct cqesim_field *f = cqesim_layout_field(title->view, "wqe_counter");
	int rc = make_room(p, entry, n);

	if (!rc && !title->counted)
		p->counter = (uint16_t)cqesim_field_get(f, title->cqe);
	if (!rc)
		rc = write_minis(p, entry, mini, n);
	if (rc)
		return rc;
	put_over(cqe_at(p, first), title->set, title->cqe);
	return announce(p, first);
}

static int play_session(struct play *p, const node *entry)
{
	static const char *const keys[] = {"session", "repeat", "note", NULL};
	const node *session = node_get(entry, "session");
	struct made_mini *mini = NULL;
	struct made title;
	uint64_t repeat;
	uint32_t n;
	int rc = only_keys(&p->c, entry, keys, "an entry with a session");

	if (!rc && p->w.layout == CQESIM_CQ_ENHANCED)
		rc = refuse(&p->c, session, "the enhanced layout has arrays instead");
	if (!rc)
		rc = cqe_repeat(&p->c, entry, &repeat);
	if (!rc)
		rc = session_title(p, session, &title);
	if (!rc)
		rc = cqe_make_minis(&p->c, node_get(session, "minis"), title.cqe, p->w.mask + 1,
				    &mini, &n);
	if (!rc && n < 2)
		rc = refuse(&p->c, session,
			    "one packet; a device writes that as a plain completion");
	for (uint64_t i = 0; !rc && i < repeat; i++)
		rc = write_session(p, session, &title, mini, n);
	free(mini);
	return rc;
}

static int write_array(struct play *p, const node *array, struct made_mini *mini, uint32_t n,
		       const struct made *tail)
{
	uint32_t index = p->w.pi;
	int rc = make_room(p, array, n);

	if (!rc)
		rc = write_minis(p, array, mini, n);
	if (rc)
		return rc;
	put_over(cqe_at(p, index), tail->set, tail->cqe);
	return announce(p, index);
}

static int play_array(struct play *p, const node *entry)
{
	static const char *const keys[] = {"array", "tail", "repeat", "note", NULL};
	const node *array = node_get(entry, "array"), *over = node_get(entry, "tail");
	struct made_mini *mini = NULL;
	struct made tail = {.repeat = 1};
	uint64_t repeat;
	uint32_t n;
	int rc = only_keys(&p->c, entry, keys, "an entry with an array");

	if (!rc && p->w.layout != CQESIM_CQ_ENHANCED)
		rc = refuse(&p->c, array, "the basic layout has sessions instead");
	if (!rc && !p->has_title)
		rc = refuse(&p->c, array, "no completion before it that could be its title");
	if (!rc)
		rc = cqe_repeat(&p->c, entry, &repeat);
	if (!rc && over)
		rc = cqe_make_over(&p->c, over, cqesim_cqe_view_named("array"), &tail);
	if (!rc)
		rc = cqe_make_minis(&p->c, array, p->title, CQESIM_ENHANCED_MINIS, &mini, &n);
	for (uint64_t i = 0; !rc && i < repeat; i++)
		rc = write_array(p, array, mini, n, &tail);
	free(mini);
	return rc;
}

/* ---- what is not written ---- */

static int play_batch(struct play *p, const node *entry)
{
	static const char *const keys[] = {"batch", "note", NULL};
	const node *n = node_get(entry, "batch");
	struct cqesim_completion out[16];
	uint64_t max = UINT32_MAX;
	int rc = only_keys(&p->c, entry, keys, "an entry with a batch");

	if (!rc && (n->kind != NODE_TEXT || strcmp(n->text, "all")))
		rc = value_number(&p->c, n, 1, CQESIM_DESCRIPTION_COMPLETIONS, &max);
	if (rc)
		return rc;
	if (p->watch && p->watch->read)
		return p->watch->read(p->watch->context, p->reader, (uint32_t)max);
	while (max) {
		int got = cqesim_cq_poll(p->reader, out, max < 16 ? (unsigned)max : 16, NULL);

		if (!got)
			break;
		if (got > 0) /* what is malformed is passed over */
			max -= (unsigned)got;
	}
	return 0;
}

/* Slots that the device leaves as they are. */
static int play_hole(struct play *p, const node *entry)
{
	static const char *const keys[] = {"hole", "note", NULL};
	uint64_t slots;
	int rc = only_keys(&p->c, entry, keys, "an entry with a hole");

	if (!rc)
		rc = value_number(&p->c, node_get(entry, "hole"), 1, p->w.mask + 1, &slots);
	if (!rc)
		rc = make_room(p, entry, (uint32_t)slots);
	if (rc)
		return rc;
	cqesim_cq_writer_seek(&p->w, p->w.pi + (uint32_t)slots);
	p->has_title = false;
	return 0;
}

int entry_play(struct play *p, const node *entry)
{
	static const struct {
		const char *key;
		int (*play)(struct play *p, const node *entry);
	} kinds[] = {
		{"session", play_session},
		{"array", play_array},
		{"batch", play_batch},
		{"hole", play_hole},
	};

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const node *n = node_get(entry, kinds[i].key);

		if (n && !p->c.d->has_ring)
			return refuse(&p->c, n, "needs a ring: keys ring and entries at the top");
		if (n)
			return kinds[i].play(p, entry);
	}
	return play_plain(p, entry);
}

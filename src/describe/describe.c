/* SPDX-License-Identifier: BSD-3-Clause */
/* A description as a whole: read, tried, written.  See describe.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml_events.h"
#include "describe/internal.h"

static const char *const driver_names[] = {"dpdk-scalar", "dpdk-vec", "linux", NULL};

const char *cqesim_invalidate_name(enum cqesim_invalidate driver)
{
	return (unsigned)driver <= CQESIM_INVALIDATE_LINUX ? driver_names[driver] : "unknown";
}

int cqesim_invalidate_parse(const char *name)
{
	for (int i = 0; driver_names[i]; i++)
		if (!strcmp(name, driver_names[i]))
			return i;
	return -EINVAL;
}

/* ---- the ring ---- */

static int take_number(const struct context *c, const node *n, uint64_t high, uint64_t *v)
{
	return value_number(c, n, 0, high, v);
}

static int take_ring_key(const struct context *c, const node *n, struct cqesim_description *d)
{
	static const char *const layouts[] = {"basic", "enhanced", NULL};
	static const char *const inits[] = {"driver", "zero", NULL};
	const char *formats[CQESIM_MINI_ALL_FORMATS + 1] = {NULL};
	uint64_t number = 0;
	unsigned word = 0;
	int rc = 0;

	for (unsigned i = 0; i < CQESIM_MINI_ALL_FORMATS; i++)
		formats[i] = cqesim_mini_format_name((enum cqesim_mini_format)i);
	if (!strcmp(n->key, "log_cqe_n")) {
		rc = take_number(c, n, CQESIM_DESCRIPTION_LOG_MAX, &number);
		d->shape.log_size = (unsigned)number;
	} else if (!strcmp(n->key, "layout")) {
		rc = value_word(c, n, layouts, &word);
		d->shape.layout = (enum cqesim_cq_layout)word;
	} else if (!strcmp(n->key, "mini_format")) {
		rc = value_word(c, n, formats, &word);
		d->shape.format = (enum cqesim_mini_format)word;
	} else if (!strcmp(n->key, "cqe_size")) {
		rc = value_number(c, n, 64, 128, &number);
		if (!rc && number != 64 && number != 128)
			rc = refuse(c, n, "expected 64 or 128, not %s", n->text);
		d->shape.cqe_128 = number == 128;
	} else if (!strcmp(n->key, "log_stride")) {
		rc = take_number(c, n, 16, &number);
		d->shape.log_stride = (unsigned)number;
	} else if (!strcmp(n->key, "any_length")) {
		rc = value_flag(c, n, &d->shape.any_length);
	} else if (!strcmp(n->key, "cross")) {
		rc = value_flag(c, n, &d->cross);
	} else if (!strcmp(n->key, "start")) {
		rc = take_number(c, n, UINT32_MAX, &number);
		d->start = (uint32_t)number;
	} else if (!strcmp(n->key, "init")) {
		rc = value_word(c, n, inits, &word);
		d->zeroed = word == 1;
	} else if (!strcmp(n->key, "driver")) {
		rc = value_word(c, n, driver_names, &word);
		d->driver = (enum cqesim_invalidate)word;
	} else if (strcmp(n->key, "note")) {
		rc = refuse(c, n,
			    "unknown key; a ring has log_cqe_n, layout, mini_format, cqe_size, "
			    "log_stride, any_length, cross, start, init, driver");
	}
	return rc;
}

static int take_ring(const struct context *c, struct cqesim_description *d)
{
	const node *ring = node_get(d->root, "ring"), *entries = node_get(d->root, "entries");

	for (const node *n = d->root->first; n; n = n->next)
		if (n != ring && n != entries && strcmp(n->key, "note"))
			return refuse(c, n, "unknown key; a description has ring and entries");
	if (!ring || !entries)
		return refuse(c, d->root, "the key '%s' is missing", ring ? "entries" : "ring");
	if (ring->kind != NODE_MAP)
		return refuse(c, ring, "expected keys such as log_cqe_n, not %s",
			      node_kind_name(ring));
	if (entries->kind != NODE_LIST)
		return refuse(c, entries, "expected a list, not %s", node_kind_name(entries));
	for (const node *n = ring->first; n; n = n->next) {
		int rc = take_ring_key(c, n, d);

		if (rc)
			return rc;
	}
	if (!node_get(ring, "log_cqe_n"))
		return refuse(c, ring, "log_cqe_n is missing: log2 of the ring's slots");
	return 0;
}

/* A list of completions without a ring: how many, and what ring would hold them. */
static int take_list(const struct context *c, struct cqesim_description *d)
{
	uint64_t cqes = 0, repeat;

	for (const node *n = d->root->kind == NODE_LIST ? d->root->first : d->root; n;
	     n = n->next) {
		int rc = cqe_repeat(c, n, &repeat);

		if (rc)
			return rc;
		cqes += repeat;
		if (cqes > 1u << CQESIM_DESCRIPTION_LOG_MAX)
			return refuse(c, n, "more than %u completions without a ring",
				      1u << CQESIM_DESCRIPTION_LOG_MAX);
	}
	d->cqes = (uint32_t)cqes;
	while (1u << d->shape.log_size < d->cqes)
		d->shape.log_size++;
	return 0;
}

static int take_root(const struct context *c, struct cqesim_description *d)
{
	node *root = d->root;

	if (!root || (root->kind == NODE_LIST && !root->count) ||
	    (root->kind == NODE_MAP && !root->count))
		return cqesim_fail(c->err, -EINVAL, "%s:%u: nothing described", d->file,
				   root ? root->line : 1);
	if (root->kind == NODE_TEXT)
		return refuse(c, root,
			      "expected a completion's fields, a list of them, or ring and "
			      "entries");
	d->has_ring = node_get(root, "ring") || node_get(root, "entries");
	return d->has_ring ? take_ring(c, d) : take_list(c, d);
}

/* ---- writing ---- */

static void note_slot(void *context, uint32_t slot, const uint8_t bytes[64])
{
	struct play *p = context;

	(void)bytes;
	p->noted[p->noted_count++] = slot;
}

static int set_up(struct play *p, uint8_t *ring, enum cqesim_invalidate driver)
{
	const struct cqesim_description *d = p->c.d;
	uint32_t slots = UINT32_C(1) << d->shape.log_size;
	bool enhanced = d->shape.layout == CQESIM_CQ_ENHANCED;
	/* A ring of one slot takes no session, which the writer finds out by itself. */
	uint32_t max = enhanced ? CQESIM_ENHANCED_MINIS : slots < 2 ? 2 : slots;

	if (d->zeroed)
		memset(ring, 0, cqesim_cq_ring_bytes(&d->shape));
	else
		cqesim_cq_init_ring(ring, &d->shape);
	int rc = cqesim_cq_writer_init(&p->w, ring, &d->shape, max, d->cross);
	if (!rc)
		rc = cqesim_cq_reader_init(p->reader, ring, &d->shape, driver);
	if (rc)
		return cqesim_fail(p->c.err, rc, "%s: no such ring or driver", d->file);
	cqesim_cq_writer_seek(&p->w, d->start);
	cqesim_cq_reader_seek(p->reader, d->start);
	p->w.observer = note_slot;
	p->w.observer_context = p;
	p->counter = (uint16_t)d->start;
	p->noted = calloc(slots + 2, sizeof(*p->noted));
	return p->noted ? 0 : no_memory(&p->c);
}

int cqesim_description_write(const struct cqesim_description *d, uint8_t *ring,
			     enum cqesim_invalidate driver, struct cqesim_cq_reader *reader,
			     const struct cqesim_description_watch *watch, struct cqesim_error *err)
{
	struct play p = {.c = {.d = d, .err = err}, .watch = watch, .reader = reader};
	int rc = set_up(&p, ring, driver);

	const node *entry = d->has_ring ? node_get(d->root, "entries") : d->root;
	if (entry->kind == NODE_LIST)
		entry = entry->first;
	else if (entry != d->root)
		entry = NULL;
	for (; entry && !rc; entry = entry->next)
		rc = entry_play(&p, entry);
	free(p.noted);
	return rc;
}

/* All mistakes in it show when it is read, not when it is half written. */
static int try_it(struct cqesim_description *d, struct cqesim_error *err)
{
	struct cqesim_cq_reader reader = {.ci = 0};
	uint8_t *ring = aligned_alloc(64, cqesim_cq_ring_bytes(&d->shape));

	if (!ring)
		return cqesim_fail(err, -ENOMEM, "%s: out of memory", d->file);
	int rc = cqesim_description_write(d, ring, d->driver, &reader, NULL, err);
	d->ci = reader.ci;
	free(ring);
	return rc;
}

/* ---- reading ---- */

int cqesim_description_parse(struct cqesim_description **out, const char *name, const void *text,
			     size_t size, struct cqesim_error *err)
{
	struct cqesim_description *d = calloc(1, sizeof(*d));

	*out = d;
	if (d)
		d->file = strdup(name);
	if (!d || !d->file)
		return cqesim_fail(err, -ENOMEM, "%s: out of memory", name);
	int rc = node_parse(d->file, text, size, &d->root, err);
	if (!rc)
		rc = take_root(&(struct context){.d = d, .err = err}, d);
	if (!rc)
		rc = try_it(d, err);
	return rc;
}

int cqesim_description_load(struct cqesim_description **out, const char *file,
			    struct cqesim_error *err)
{
	unsigned char *data;
	size_t size;

	*out = NULL;
	int rc = yaml_read_file(file, "description", true, &data, &size, err);
	if (rc)
		return rc;
	rc = cqesim_description_parse(out, strcmp(file, "-") ? file : "standard input", data, size,
				      err);
	free(data);
	return rc;
}

void cqesim_description_free(struct cqesim_description *d)
{
	if (!d)
		return;
	node_free(d->root);
	free(d->file);
	free(d);
}

size_t cqesim_description_bytes(const struct cqesim_description *d)
{
	return d->has_ring ? cqesim_cq_ring_bytes(&d->shape) : (size_t)d->cqes * CQESIM_CQE_BYTES;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim walk: a ring at rest, of a description or an image. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cqesim/describe.h"
#include "walk_run.h"

/* The rest of a walk through a ring at rest; an exit code. */
static int finish(struct walking *k, int rc, struct cqesim_error *err)
{
	if (!rc)
		rc = walk_on(k, UINT64_MAX, err);
	if (!rc || rc == -ECANCELED)
		rc = walk_end(k, NULL, err);
	if (rc == -EPIPE)
		return close_stdout();
	if (rc)
		complain("%s", err->text);
	return rc ? EXIT_INPUT : close_stdout();
}

/* ---- a description ---- */

struct described {
	struct walking *k;
	const struct cqesim_description *d;
	uint8_t *ring;
	enum cqesim_invalidate driver;
	struct cqesim_error *err;
};

/* The ring is ready only when the writing has begun. */
static int ensure(struct described *c)
{
	if (c->k->walk)
		return 0;
	return walk_begin(c->k, c->ring, &c->d->shape, c->driver, c->d->start, c->err);
}

static int on_write(void *context, uint32_t index, const uint8_t *slot)
{
	struct described *c = context;
	int rc = ensure(c);

	(void)slot;
	return rc ? rc : cqesim_walk_wrote(c->k->walk, index);
}

static int on_read(void *context, struct cqesim_cq_reader *reader, uint32_t max)
{
	struct described *c = context;
	int rc = ensure(c);

	if (!rc)
		rc = walk_on(c->k, max, c->err);
	if (!rc)
		*reader = c->k->walk->reader; /* so the writer knows what was read */
	return rc;
}

int walk_description(struct walking *k)
{
	struct cqesim_description *d = NULL;
	struct cqesim_error err = {""};
	struct cqesim_cq_reader reader;
	int rc = cqesim_description_load(&d, k->o->input, &err);

	if (rc) {
		complain("%s", err.text);
		cqesim_description_free(d);
		return EXIT_INPUT;
	}
	struct described c = {
		.k = k,
		.d = d,
		.ring = aligned_alloc(64, cqesim_cq_ring_bytes(&d->shape)),
		.driver = k->o->driver < 0 ? d->driver : (enum cqesim_invalidate)k->o->driver,
		.err = &err,
	};
	struct cqesim_description_watch watch = {
		.context = &c, .written = on_write, .read = on_read};
	k->source = d->file;
	rc = c.ring ? cqesim_description_write(d, c.ring, c.driver, &reader, &watch, &err)
		    : cqesim_fail(&err, -ENOMEM, "out of memory");
	if (!rc)
		rc = ensure(&c);
	int code = finish(k, rc, &err);
	free(c.ring);
	cqesim_description_free(d);
	return code;
}

/* ---- an image ---- */

#define IMAGE_MAX ((size_t)128 << CQESIM_CQ_LOG_MAX)

/* All bytes of the file, at 64-byte alignment. */
static int read_image(const char *file, uint8_t **image, size_t *size, struct cqesim_error *err)
{
	FILE *f = strcmp(file, "-") ? fopen(file, "rb") : stdin;
	const char *name = f == stdin ? "standard input" : file;
	size_t room = 1 << 16, got;
	int rc = 0;

	*image = NULL;
	*size = 0;
	if (!f)
		return cqesim_fail(err, -errno, "%s: %s", file, strerror(errno));
	do {
		uint8_t *grown = NULL;

		if (*size == room || !*image) {
			room = *image ? 2 * room : room;
			grown = aligned_alloc(64, room);
			if (!grown) {
				rc = cqesim_fail(err, -ENOMEM, "out of memory");
				break;
			}
			if (*image)
				memcpy(grown, *image, *size);
			free(*image);
			*image = grown;
		}
		got = fread(*image + *size, 1, room - *size, f);
		*size += got;
	} while (got && *size <= IMAGE_MAX);
	if (!rc && ferror(f))
		rc = cqesim_fail(err, -EIO, "%s: %s", name, strerror(errno));
	if (f != stdin)
		fclose(f);
	return rc;
}

/* How many slots: as was said, or as the size says. */
static int size_ring(const struct walk_options *o, const char *name, struct cqesim_cq_shape *shape,
		     size_t size, struct cqesim_error *err)
{
	unsigned slot = shape->cqe_128 ? 128 : 64, log = 0;

	while (log < CQESIM_CQ_LOG_MAX && (size_t)slot << log < size)
		log++;
	if (o->log_size >= 0)
		log = (unsigned)o->log_size;
	shape->log_size = log;
	if (cqesim_cq_ring_bytes(shape) == size)
		return 0;
	if (o->log_size < 0)
		return cqesim_fail(err, -EINVAL,
				   "%s: %zu bytes, expected a power of two of slots of %u bytes",
				   name, size, slot);
	return cqesim_fail(err, -EINVAL, "%s: %zu bytes, expected %zu for 2^%u slots of %u bytes",
			   o->image, size, cqesim_cq_ring_bytes(shape), log, slot);
}

int walk_image(struct walking *k)
{
	const struct walk_options *o = k->o;
	struct cqesim_cq_shape shape = o->shape;
	enum cqesim_invalidate driver =
		o->driver < 0 ? CQESIM_INVALIDATE_DPDK_SCALAR : (enum cqesim_invalidate)o->driver;
	struct cqesim_error err = {""};
	uint8_t *image;
	size_t size;
	int rc = read_image(o->image, &image, &size, &err);

	if (o->format >= 0)
		shape.format = (enum cqesim_mini_format)o->format;
	k->source = strcmp(o->image, "-") ? o->image : "standard input";
	if (!rc)
		rc = size_ring(o, k->source, &shape, size, &err);
	if (!rc)
		rc = walk_begin(k, image, &shape, driver, o->ci, &err);
	int code = finish(k, rc, &err);
	free(image);
	return code;
}

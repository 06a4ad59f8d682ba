/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * describe.h - rings and completions from a short description in YAML or JSON,
 * for tests and teaching.  doc/descriptions.md is the manual of the format.
 *
 * A description is text that says what a device is to write: completions,
 * sessions, arrays, and where the driver is to read in between.  Fields are
 * called as in cqe_layout.h.  All bytes are made by the writer of cq.h and the
 * tables of cqe.h; what a device would not write (a wrong owner bit, a count
 * that is too large) is put over them afterwards.
 */
#ifndef CQESIM_DESCRIBE_H
#define CQESIM_DESCRIBE_H

#include "cqesim/common.h"
#include "cqesim/cq.h"

/* Largest ring that a description may ask for, and the most completions in one. */
#define CQESIM_DESCRIPTION_LOG_MAX     16u
#define CQESIM_DESCRIPTION_COMPLETIONS (1u << 20)

struct cqesim_description_node; /* the text as a tree */

/* Fields are for reading only. */
struct cqesim_description {
	char *file; /* as messages name it */
	struct cqesim_description_node *root;
	/* A description without a ring is a list of so many plain completions, of 64 bytes each. */
	bool has_ring;
	uint32_t cqes;
	/* Without a ring: the smallest that holds them, in lap 0. */
	struct cqesim_cq_shape shape;
	bool cross;     /* sessions may cross the ring's end */
	bool zeroed;    /* the ring starts with zeros instead of as drivers fill it */
	uint32_t start; /* index of the first completion */
	enum cqesim_invalidate driver; /* that reads in between */
	uint32_t ci; /* where it stands at the end, with what was not read before it */
};

/*
 * Read a file ("-" is standard input), or size bytes that messages call `name`.
 * The whole description is tried, so that cqesim_description_write cannot fail
 * for what stands in it.  -EINVAL with *err (file, line, key, what was
 * expected), -ENOMEM, or the system's error.  Free *d in any case.
 */
CQESIM_API int cqesim_description_load(struct cqesim_description **d, const char *file,
				       struct cqesim_error *err);
CQESIM_API int cqesim_description_parse(struct cqesim_description **d, const char *name,
					const void *text, size_t size, struct cqesim_error *err);
CQESIM_API void cqesim_description_free(struct cqesim_description *d);

/* Bytes of what it describes: the ring, or 64 for each completion. */
CQESIM_API size_t cqesim_description_bytes(const struct cqesim_description *d);

/* Who wants to look on while a ring is written.  Values other than 0 end the writing. */
struct cqesim_description_watch {
	void *context;
	/* The slot of this index was written; all of its bytes, 64 or 128.  May be NULL. */
	int (*written)(void *context, uint32_t index, const uint8_t *slot);
	/*
	 * The driver is called: read up to `max` completions with the reader, or all
	 * (UINT32_MAX).  NULL: they are read and thrown away.
	 */
	int (*read)(void *context, struct cqesim_cq_reader *reader, uint32_t max);
};

/*
 * Write the ring: cqesim_cq_ring_bytes(&d->shape), aligned to 64 bytes.  *reader
 * is the driver's, made here with `driver`; afterwards it stands where software
 * goes on.  Returns 0, what `watch` (may be NULL) returned, or as
 * cqesim_description_load.
 */
CQESIM_API int cqesim_description_write(const struct cqesim_description *d, uint8_t *ring,
					enum cqesim_invalidate driver,
					struct cqesim_cq_reader *reader,
					const struct cqesim_description_watch *watch,
					struct cqesim_error *err);

/* "dpdk-scalar", "dpdk-vec", "linux"; the number of that name, or -EINVAL. */
CQESIM_API const char *cqesim_invalidate_name(enum cqesim_invalidate driver);
CQESIM_API int cqesim_invalidate_parse(const char *name);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ring writes in a file, in the format that pmd_referee reads, so that a real
 * driver's receive code can be run over exactly the bytes of a replay.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/outfile.h"
#include "sim_internal.h"

#define FEED_MAGIC "CQFEED01"
#define FEED_POLL UINT32_C(0xffffffff)

struct cqesim_feed {
	struct outfile out;
	bool written; /* since the last poll */
};

int cqesim_feed_create(struct cqesim_feed **out, const char *path, struct cqesim_error *err)
{
	struct cqesim_feed *feed = calloc(1, sizeof(*feed));

	*out = NULL;
	if (!feed)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	int rc = outfile_open(&feed->out, path, err);
	if (rc) {
		free(feed);
		return rc;
	}
	fwrite(FEED_MAGIC, 1, sizeof(FEED_MAGIC) - 1, feed->out.stream);
	*out = feed;
	return 0;
}

static void word(struct cqesim_feed *feed, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, feed->out.stream); /* little-endian, as this host is */
}

static void written(void *context, unsigned queue, uint32_t slot, uint8_t *bytes)
{
	struct cqesim_feed *feed = context;

	if (queue)
		return;
	word(feed, slot);
	fwrite(bytes, 1, CQESIM_CQE_BYTES, feed->out.stream);
	feed->written = true;
}

/* Wherever our driver polls, the other one may take all there is: it is never behind ours. */
static int polled(void *context, unsigned queue, const struct cqesim_completion *c, unsigned n)
{
	struct cqesim_feed *feed = context;

	(void)c;
	(void)n;
	if (!queue && feed->written) {
		word(feed, FEED_POLL);
		feed->written = false;
	}
	return ferror(feed->out.stream) ? -EIO : 0;
}

struct cqesim_ring_observer cqesim_feed_observer(struct cqesim_feed *feed)
{
	return (struct cqesim_ring_observer){
		.context = feed,
		.written = written,
		.polled = polled,
	};
}

int cqesim_feed_close(struct cqesim_feed *feed, bool keep, struct cqesim_error *err)
{
	if (!feed)
		return 0;
	int rc = outfile_close(&feed->out, keep, err);

	free(feed);
	return rc;
}

/* A path as a shell takes it literally. */
static int quote(char *to, size_t size, const char *path)
{
	size_t n = 0;

	if (!path[strcspn(path, " \t\n\"'\\$`*?[]{}()<>|&;#~!")])
		return snprintf(to, size, "%s", path) < (int)size ? 0 : -ENAMETOOLONG;
	to[n++] = '\'';
	for (; *path; path++) {
		if (n + 6 > size)
			return -ENAMETOOLONG;
		if (*path == '\'')
			n += (size_t)sprintf(to + n, "'\\''");
		else
			to[n++] = *path;
	}
	to[n++] = '\'';
	to[n] = '\0';
	return 0;
}

int cqesim_feed_command(const struct cqesim_result *r, const char *path, char *text, size_t size,
			struct cqesim_error *err)
{
	const struct cqesim_sim_config *c = r->config;
	const char *mode = cqesim_profile_text(c->driver, CQESIM_DRV_REFEREE_MODE);
	char quoted[4096];

	if (!strcmp(mode, "none"))
		return cqesim_fail(err, -ENOTSUP,
				   "driver %s has no receive function in pmd_referee (DPDK's only)",
				   c->driver->name);
	if (quote(quoted, sizeof(quoted), path))
		return cqesim_fail(err, -ENAMETOOLONG, "%s: name too long", path);
	unsigned log_cq = (unsigned)__builtin_ctz(c->cq_size);
	unsigned log_ring = (unsigned)__builtin_ctz(c->ring);
	bool vec = !strcmp(mode, "vec");
	if (vec && log_cq != log_ring)
		return cqesim_fail(err, -ENOTSUP,
				   "the vector receive function takes no completion ring (%u) of another size "
				   "than the receive queue (%u)",
				   c->cq_size, c->ring);
	if (vec && cqesim_profile_flag(c->device, CQESIM_DEV_COMP_CROSS))
		return cqesim_fail(err, -ENOTSUP,
				   "sessions may cross the ring's end, which the vector receive function does not "
				   "bear: use --driver dpdk-mlx5-scalar");
	if (log_cq > 15 || (vec && log_cq < 4))
		return cqesim_fail(err, -ENOTSUP, "pmd_referee takes no ring of %u entries",
				   c->cq_size);
	/* The vector function looks at nothing when asked for fewer than four. */
	unsigned burst = c->burst < 4 ? 4 : c->burst > 1024 ? 1024 : c->burst;
	int n = snprintf(text, size,
			 "pmd_referee --feed %s --mode %s --mcqe-format %s --log-cqe-n %u --log-elts-n %u "
			 "--burst %u%s",
			 quoted, mode, cqesim_mini_format_name(r->mini_format), log_cq, log_ring,
			 burst, c->keep_fcs ? " --crc-present 1" : "");
	return n < (int)size ? 0 : cqesim_fail(err, -ENAMETOOLONG, "%s: name too long", path);
}

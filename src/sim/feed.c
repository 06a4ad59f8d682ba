/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ring writes in a file, in the format that pmd_referee reads, so that a real
 * driver's receive code can be run over exactly the bytes of a replay.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/outfile.h"
#include "sim/feed_format.h"
#include "sim/ring_log.h"
#include "sim/sim_internal.h"

struct cqesim_feed {
	struct outfile out;
	unsigned burst;
	struct ring_log log;
	int failed;
};

int cqesim_feed_create(struct cqesim_feed **out, const char *path, unsigned burst,
		       struct cqesim_error *err)
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
	feed->burst = burst;
	feed_begin(feed->out.stream);
	*out = feed;
	return 0;
}

static void written(void *context, unsigned queue, uint32_t slot, uint8_t *bytes)
{
	struct cqesim_feed *feed = context;

	if (!queue && !feed->failed)
		feed->failed = ring_log_written(&feed->log, slot, bytes);
}

static void published(void *context, unsigned queue, uint64_t visible_ps)
{
	struct cqesim_feed *feed = context;

	if (!queue)
		ring_log_published(&feed->log, visible_ps);
}

static int polled(void *context, unsigned queue, uint64_t now_ps, const struct cqesim_completion *c,
		  unsigned n)
{
	struct cqesim_feed *feed = context;
	const struct ring_write *w;

	(void)c;
	(void)n;
	if (queue)
		return 0;
	while ((w = ring_log_take(&feed->log, now_ps)))
		feed_slot(feed->out.stream, w->slot, w->bytes);
	feed_call(feed->out.stream, feed->burst);
	if (!feed->failed && ferror(feed->out.stream))
		feed->failed = errno ? -errno : -EIO;
	return feed->failed;
}

struct cqesim_ring_observer cqesim_feed_observer(struct cqesim_feed *feed)
{
	return (struct cqesim_ring_observer){
		.context = feed,
		.written = written,
		.published = published,
		.polled = polled,
	};
}

int cqesim_feed_flush(struct cqesim_feed *feed, struct cqesim_error *err)
{
	if (!feed || (!fflush(feed->out.stream) && !ferror(feed->out.stream)))
		return 0;
	int rc = errno ? -errno : -EIO;
	return cqesim_fail(err, rc, "%s: cannot write: %s", feed->out.path, strerror(-rc));
}

int cqesim_feed_close(struct cqesim_feed *feed, bool keep, struct cqesim_error *err)
{
	int rc = 0;

	if (!feed)
		return 0;
	if (feed->failed) {
		keep = false;
		rc = cqesim_fail(err, feed->failed, "%s: cannot write: %s", feed->out.path,
				 strerror(-feed->failed));
	}
	int closed = outfile_close(&feed->out, keep, rc ? NULL : err);
	if (!rc)
		rc = closed;
	ring_log_free(&feed->log);
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

/* What the receive functions of DPDK, or those of pmd_referee, do not do.  NULL: all is well. */
static const char *unsupported(const struct cqesim_result *r, bool vec, char *text, size_t size)
{
	const struct cqesim_sim_config *c = r->config;
	unsigned log_cq = (unsigned)__builtin_ctz(c->cq_size);

	if (vec && c->cq_size != c->ring)
		snprintf(
			text, size,
			"the vector receive function takes no completion ring (%u) of another size "
			"than the receive queue (%u)",
			c->cq_size, c->ring);
	else if (vec && cqesim_profile_flag(c->device, CQESIM_DEV_COMP_CROSS))
		return "sessions may cross the ring's end, which the vector receive function does "
		       "not bear: use --driver dpdk-mlx5-scalar";
	else if (vec && r->layout == CQESIM_CQ_ENHANCED)
		return "the vector receive function takes all arrays that follow one another in "
		       "one "
		       "call, which the model of it does not: use --driver dpdk-mlx5-scalar";
	else if (!vec && r->mini_format == CQESIM_MINI_L34H_STRIDX)
		return "the scalar receive functions of DPDK before 24.11.6 take the header type "
		       "of l34h_stridx from another byte: use --driver dpdk-mlx5-vec";
	else if (log_cq > 15 || (vec && log_cq < 4))
		snprintf(text, size, "pmd_referee takes no ring of %u entries", c->cq_size);
	else if (!r->rq.striding && r->rq.segments > 1)
		return "pmd_referee takes no packets of several segments";
	else if (r->rq.striding && (c->ring > 1u << 15 || r->rq.strides.log_strides > 15))
		snprintf(text, size, "pmd_referee takes no receive queue of %u strides", c->ring);
	else if (r->rq.striding && r->rq.strides.two_byte_shift)
		return "DPDK's drivers never ask for the two-byte shift";
	else if (r->rq.striding && vec && c->keep_fcs)
		return "with the FCS kept, DPDK's vector function crashes at a filler";
	else
		return NULL;
	return text;
}

int cqesim_feed_command(const struct cqesim_result *r, const char *path, char *text, size_t size,
			struct cqesim_error *err)
{
	const struct cqesim_sim_config *c = r->config;
	const char *mode = cqesim_profile_text(c->driver, CQESIM_DRV_REFEREE_MODE);
	bool vec = !strcmp(mode, "vec"), striding = r->rq.striding;
	char quoted[4096], why[256], strides[128] = "";

	if (!strcmp(mode, "none"))
		return cqesim_fail(err, -ENOTSUP,
				   "driver %s has no receive function in pmd_referee (DPDK's only)",
				   c->driver->name);
	if (quote(quoted, sizeof(quoted), path))
		return cqesim_fail(err, -ENAMETOOLONG, "%s: name too long", path);
	const char *reason = unsupported(r, vec, why, sizeof(why));
	if (reason)
		return cqesim_fail(err, -ENOTSUP, "%s", reason);
	if (striding) {
		mode = vec ? "mprq_vec" : "mprq";
		snprintf(strides, sizeof(strides),
			 " --log-strd-num %u --log-strd-sz %u --mprq-memcpy %s",
			 r->rq.strides.log_strides, r->rq.strides.log_stride_bytes,
			 cqesim_profile_text(c->driver, CQESIM_DRV_MEMCPY));
	}
	unsigned burst = c->burst < 1024 ? c->burst : 1024;
	int n = snprintf(
		text, size,
		"pmd_referee --feed %s --mode %s --mcqe-format %s --log-cqe-n %u --log-elts-n %u "
		"--burst %u%s%s%s",
		quoted, mode, cqesim_mini_format_name(r->mini_format),
		(unsigned)__builtin_ctz(c->cq_size), (unsigned)__builtin_ctzll(r->rq.wqes), burst,
		strides, c->keep_fcs ? " --crc-present 1" : "",
		r->layout == CQESIM_CQ_ENHANCED ? " --layout enhanced" : "");
	return n < (int)size ? 0 : cqesim_fail(err, -ENAMETOOLONG, "%s: name too long", path);
}

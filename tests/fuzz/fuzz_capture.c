/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_capture.c - any bytes as a capture file: the reader of station 1, and
 * the classification of station 2 for every frame that it hands out.
 *
 * The input is the file, nothing else, so that each of the corpus can be opened
 * by other tools too.  It is read three ways: as a regular file, as a pipe
 * (stdio reads the first itself, the other through cookie functions), and
 * twice over with an FCS looked for, a rate and a packet left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <zlib.h>

#include "cqesim/port.h"
#include "cqesim/trace.h"
#include "fuzz.h"

/*
 * A compressed capture of a few KiB can hold millions of packets; seconds
 * of work in one input would find less than many inputs do.
 */
#define PACKETS_MAX 1000u
/* Rounds of the third reading. */
#define ROUNDS 2u

/* What one reading came to; two of the same bytes must come to the same. */
struct outcome {
	int rc; /* of opening, or the call for a batch that failed; 0 */
	uint64_t frames, digest;
	struct cqesim_trace_stats stats;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	return (h ^ v) * UINT64_C(0x100000001b3); /* FNV-1a, a word at a time */
}

/* --- the port --- */

static void port_config(struct cqesim_port_config *config, bool all)
{
	*config = (struct cqesim_port_config){
		.queues = all ? 7 : 1,
		.rss_fields = CQESIM_RSS_IPV4 | CQESIM_RSS_IPV6,
		.max_frame = 1500 + CQESIM_MTU_OVERHEAD,
		.checksums = CQESIM_CHECKSUMS_L3,
	};
	FUZZ_REQUIRE(cqesim_rss_key_parse(all ? "microsoft" : "mlx5", config->rss_key, NULL) == 0);
	if (!all)
		return;
	config->rss_fields |= CQESIM_RSS_TCP | CQESIM_RSS_UDP;
	config->rss_symmetric = config->vlan_strip = config->keep_fcs = config->want_csum = true;
	config->checksums = CQESIM_CHECKSUMS_VERIFY;
}

/* One port that does little, one that does all it can. */
static const struct cqesim_port *port(bool all)
{
	static struct cqesim_port ports[2];
	static bool ready[2];
	if (!ready[all]) {
		struct cqesim_port_config config;
		port_config(&config, all);
		FUZZ_REQUIRE(cqesim_port_init(&ports[all], &config, NULL) == 0);
		ready[all] = true;
	}
	return &ports[all];
}

/* All but the last segment are full, the last holds what is left (padded, if it is short). */
static void check_segments(const struct cqesim_frame *f, const struct cqesim_rx *rx)
{
	const uint32_t max = 1500 + CQESIM_MTU_OVERHEAD;
	unsigned n = cqesim_port_segments(f, rx, max);
	if (!n)
		return;
	uint64_t before = (uint64_t)(n - 1) * (max - rx->hdr_len);
	FUZZ_REQUIRE(before + rx->hdr_len <= f->orig_len && f->orig_len - before <= max);
	uint32_t rest = (uint32_t)(f->orig_len - before);
	FUZZ_REQUIRE(cqesim_port_segment_len(f, rx, max, n - 1) ==
		     (rest < CQESIM_MIN_FRAME ? CQESIM_MIN_FRAME : rest));
	FUZZ_REQUIRE(n == 1 || cqesim_port_segment_len(f, rx, max, n - 2) == max);
	FUZZ_REQUIRE(cqesim_port_segment_len(f, rx, max, n) == 0);
}

/*
 * Frames lie side by side in a batch, so reads past the end of one show only in
 * a copy of its own.  What is said of it must not depend on its neighbours.
 */
static void classify_alone(const struct cqesim_port *p, const struct cqesim_frame *f,
			   const struct cqesim_rx *in_batch)
{
	struct cqesim_frame copy = *f;
	struct cqesim_rx alone;
	uint8_t *bytes = malloc(f->cap_len);
	FUZZ_NEED(bytes || !f->cap_len);
	if (f->cap_len)
		memcpy(bytes, f->data, f->cap_len);
	copy.data = bytes;
	memset(&alone, 0, sizeof(alone));
	cqesim_port_classify(p, &copy, 1, &alone);
	FUZZ_REQUIRE(memcmp(&alone, in_batch, sizeof(alone)) == 0);
	free(bytes);
}

static uint64_t classify(const struct cqesim_port *p, const struct cqesim_frame *frames, unsigned n,
			 uint64_t digest)
{
	static struct cqesim_port_stats stats;
	struct cqesim_rx rx[CQESIM_BATCH];
	memset(rx, 0, n * sizeof(rx[0]));
	cqesim_port_classify(p, frames, n, rx);
	cqesim_port_count(&stats, rx, n);
	for (unsigned i = 0; i < n; i++) {
		FUZZ_REQUIRE(rx[i].queue < 7);
		FUZZ_REQUIRE(rx[i].view < 1u << CQESIM_VIEW_BITS);
		FUZZ_REQUIRE(rx[i].hdr_len <= frames[i].len);
		if (rx[i].oversize)
			check_segments(&frames[i], &rx[i]);
		classify_alone(p, &frames[i], &rx[i]);
		digest = mix(digest, rx[i].meta.rx_hash_res ^ (uint64_t)rx[i].view << 32);
	}
	return digest;
}

/* --- the reader --- */

static void check_frames(const struct cqesim_frame *frames, int n, struct outcome *o,
			 uint64_t *last_ps)
{
	for (int i = 0; i < n; i++) {
		const struct cqesim_frame *f = &frames[i];
		FUZZ_REQUIRE(f->orig_len > 0 && f->cap_len <= f->orig_len);
		FUZZ_REQUIRE(f->len ==
			     (f->orig_len < CQESIM_MIN_FRAME ? CQESIM_MIN_FRAME : f->orig_len));
		FUZZ_REQUIRE(f->time_ps >= *last_ps && f->time_ps <= CQESIM_CLOCK_END_PS);
		*last_ps = f->time_ps;
		o->digest = mix(mix(o->digest, f->time_ps), f->orig_len);
		o->digest = mix(o->digest, crc32(0, f->data, f->cap_len));
	}
	o->frames += (unsigned)n;
}

static void check_stats(const struct cqesim_trace_stats *s, const struct outcome *o)
{
	FUZZ_REQUIRE(s->frames == o->frames);
	FUZZ_REQUIRE(s->packets == s->frames + s->skipped[CQESIM_SKIP_ZERO_LENGTH]);
	FUZZ_REQUIRE(s->padded <= s->frames && s->cut <= s->frames);
	FUZZ_REQUIRE(s->clock_steps <= s->time_backwards);
	FUZZ_REQUIRE(s->truncated == (*s->truncated_where != 0));
	FUZZ_REQUIRE(!s->skipped[CQESIM_SKIP_ZERO_LENGTH] == !*s->zero_where);
	FUZZ_REQUIRE(s->fcs == CQESIM_FCS_ABSENT || s->fcs == CQESIM_FCS_PRESENT || !s->packets);
}

static struct outcome read_all(const char *path, const struct cqesim_trace_config *config)
{
	struct cqesim_trace *trace = NULL;
	struct cqesim_error err = {""};
	struct outcome o = {.digest = UINT64_C(0xcbf29ce484222325)};
	uint64_t last_ps = 0;
	o.rc = cqesim_trace_open(&trace, &path, 1, config, &err);
	if (o.rc) {
		FUZZ_REQUIRE(o.rc == -EINVAL || o.rc == -EPROTONOSUPPORT);
		fuzz_require_message(err.text);
		return o;
	}
	const struct cqesim_frame *frames;
	int n;
	while ((n = cqesim_trace_next(trace, &frames, &err)) > 0) {
		FUZZ_REQUIRE(n <= (int)CQESIM_BATCH);
		check_frames(frames, n, &o, &last_ps);
		for (int all = 0; all < 2; all++)
			o.digest = classify(port(all), frames, (unsigned)n, o.digest);
	}
	o.rc = n;
	if (n < 0) {
		FUZZ_REQUIRE(n == -EINVAL);
		fuzz_require_message(err.text);
		/* A broken input stays broken. */
		FUZZ_REQUIRE(cqesim_trace_next(trace, &frames, NULL) == n);
	}
	o.stats = *cqesim_trace_stats(trace);
	check_stats(&o.stats, &o);
	cqesim_trace_close(trace);
	return o;
}

static struct outcome read_file(int fd, const struct cqesim_trace_config *config)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return read_all(path, config);
}

/* The same bytes through a pipe, as far as one takes them without a reader. */
static void read_pipe(const uint8_t *data, size_t size, const struct cqesim_trace_config *config,
		      const struct outcome *file)
{
	int ends[2];
	FUZZ_NEED(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
	ssize_t put = write(ends[1], data, size);
	close(ends[1]);
	if (put == (ssize_t)size) {
		FUZZ_NEED(fcntl(ends[0], F_SETFL, 0) == 0);
		struct outcome o = read_file(ends[0], config);
		FUZZ_REQUIRE(o.rc == file->rc);
		FUZZ_REQUIRE(o.frames == file->frames && o.digest == file->digest);
		FUZZ_REQUIRE(o.stats.truncated == file->stats.truncated);
		FUZZ_REQUIRE(o.stats.capture_bytes == file->stats.capture_bytes);
	}
	close(ends[0]);
}

FUZZ_TARGET(capture)
{
	static int fd = -1;
	const struct cqesim_trace_config plain = {.limit = PACKETS_MAX};
	const struct cqesim_trace_config odd = {
		.fcs = CQESIM_FCS_AUTO,
		.rate = {.kind = CQESIM_RATE_SPEEDUP, .num = 7, .den = 3},
		.skip = 1,
		.limit = PACKETS_MAX,
		.repeat = ROUNDS,
		.strict = true,
	};
	fuzz_memory_file(&fd, data, size);
	struct outcome once = read_file(fd, &plain);
	if (size)
		read_pipe(data, size, &plain, &once);
	struct outcome twice = read_file(fd, &odd);
	FUZZ_REQUIRE(twice.frames <= ROUNDS * once.stats.packets);
	FUZZ_REQUIRE(!once.stats.truncated || once.stats.packets == PACKETS_MAX || twice.rc < 0);
	return 0;
}

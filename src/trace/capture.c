/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capture files through libpcap.
 *
 * A batch is read in two steps: collect() lets libpcap hand over records as
 * they are, cook() turns them into frames: lengths, times, what to leave out.
 * libpcap reuses its buffer, so the records of a batch are copied into an
 * arena; only one that does not fit stays where it is and ends the batch.
 */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "trace_internal.h"

/* A batch of small frames, or some thirty large ones: stays in the L2 cache. */
#define ARENA_BYTES 65536u
/* Copies start on 8 bytes. */
#define ARENA_ALIGN 8u
/* Smallest frame with its FCS: what is shorter has none or is no frame. */
#define MIN_FRAME_WITH_FCS (CQESIM_MIN_FRAME + CQESIM_FCS_BYTES)

/* A record as libpcap gives it. */
struct raw_record {
	int64_t ns;
	uint64_t offset; /* in the decompressed file */
	const uint8_t *data;
	uint32_t stored, length;
};

struct capture {
	struct cqesim_trace base;
	char **paths;
	size_t n_paths, path;
	uint64_t rounds_left;
	bool first_round, round_moved; /* this round: skipped or handed out something */
	uint64_t skip_left;

	struct trace_source *source;
	pcap_t *pcap;
	FILE *stream;          /* of pcap, for ftello() */
	bool seconds_u32;      /* classic pcap: 32 bits of seconds */
	uint32_t record_bytes; /* header of each record, when nothing else is between them */
	uint32_t snaplen;
	bool file_over;
	uint64_t record;     /* records read of this file */
	uint64_t offset;     /* where the next one starts */
	uint64_t past_bytes; /* of the files before this one */

	enum cqesim_fcs fcs; /* AUTO: not yet known */
	struct trace_clock clock;

	size_t n; /* records collected */
	uint32_t arena_used;
	struct raw_record raw[CQESIM_BATCH];
	uint8_t arena[ARENA_BYTES];

	int failure; /* to be told again and again */
	struct cqesim_error failure_text;
};

/* --- opening and closing files --- */

static void close_file(struct capture *c)
{
	if (c->source)
		c->past_bytes += c->source->seekable ? c->offset : c->source->read_bytes;
	if (c->pcap)
		pcap_close(c->pcap);
	c->pcap = NULL;
	trace_source_close(c->source);
	c->source = NULL;
}

static int refuse_link_type(const char *name, int dlt, struct cqesim_error *err)
{
	const char *type = pcap_datalink_val_to_name(dlt);
	return cqesim_fail(
		err, -EPROTONOSUPPORT,
		"%s: link type %s (%d) is not Ethernet; cqesim reads Ethernet captures only", name,
		type ? type : "unknown", dlt);
}

/* What the file itself says about an FCS: in units of 16 bits (draft-ietf-opsawg-pcap). */
static enum cqesim_fcs fcs_of_file(pcap_t *pcap)
{
	int ext = pcap_datalink_ext(pcap);
	if (LT_FCS_LENGTH_PRESENT(ext) && LT_FCS_LENGTH((unsigned)ext) == CQESIM_FCS_BYTES / 2)
		return CQESIM_FCS_PRESENT;
	if (LT_FCS_LENGTH_PRESENT(ext) && LT_FCS_LENGTH((unsigned)ext) == 0)
		return CQESIM_FCS_ABSENT;
	return CQESIM_FCS_AUTO;
}

static void set_fcs(struct capture *c, enum cqesim_fcs fcs)
{
	c->fcs = fcs;
	if (c->first_round && c->path == 0 && fcs != CQESIM_FCS_AUTO)
		c->base.stats.fcs = fcs;
}

/*
 * Bytes before each packet, or 0 when only ftello() can tell where a record
 * starts: in pcapng, in exotic variants of pcap, and in compressed files.
 */
static uint32_t record_header_bytes(const struct trace_source *s)
{
	static const uint8_t magics[][4] = {
		{0xd4, 0xc3, 0xb2, 0xa1}, /* microseconds */
		{0xa1, 0xb2, 0xc3, 0xd4},
		{0x4d, 0x3c, 0xb2, 0xa1}, /* nanoseconds */
		{0xa1, 0xb2, 0x3c, 0x4d},
	};
	for (size_t i = 0; s->format == TRACE_PLAIN && i < sizeof(magics) / 4; i++)
		if (!memcmp(s->in, magics[i], 4))
			return 16;
	return 0;
}

static int open_file(struct capture *c, struct cqesim_error *err)
{
	struct trace_source *s;
	int rc = trace_source_open(&s, c->paths[c->path], err);
	if (rc)
		return rc;
	c->source = s;
	char reason[PCAP_ERRBUF_SIZE] = "";
	FILE *stream = s->stream;
	c->pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO,
							   reason);
	if (!c->pcap) {
		if (*s->problem)
			rc = cqesim_fail(err, -EINVAL, "%s: %s", s->name, s->problem);
		else
			rc = cqesim_fail(err, -EINVAL, "%s: not a pcap or pcapng capture: %s",
					 s->name, reason);
		close_file(c);
		return rc;
	}
	s->stream = NULL;
	c->stream = stream;
	if (pcap_datalink(c->pcap) != DLT_EN10MB) {
		rc = refuse_link_type(s->name, pcap_datalink(c->pcap), err);
		close_file(c);
		return rc;
	}
	/* libpcap reports pcapng as version 1, classic pcap as 2 and up. */
	c->seconds_u32 = pcap_major_version(c->pcap) != 1;
	c->record_bytes = record_header_bytes(s);
	c->snaplen = (uint32_t)pcap_snapshot(c->pcap);
	c->file_over = false;
	c->record = 0;
	c->offset = (uint64_t)ftello(stream);
	if (c->first_round)
		c->base.stats.files++;
	enum cqesim_fcs fcs = c->base.config.fcs;
	set_fcs(c, fcs == CQESIM_FCS_AUTO ? fcs_of_file(c->pcap) : fcs);
	return 0;
}

/* The file is over: 1 when another one is open, 0 at the end of the trace. */
static int next_file(struct capture *c, struct cqesim_error *err)
{
	close_file(c);
	bool round = ++c->path == c->n_paths;
	if (round) {
		/* A round without a single packet would go on for ever. */
		if (--c->rounds_left == 0 || !c->round_moved)
			return 0;
		c->path = 0;
		c->first_round = c->round_moved = false;
	}
	trace_clock_file(&c->clock, round);
	int rc = open_file(c, err);
	return rc ? rc : 1;
}

/* --- collecting records --- */

static void take(u_char *user, const struct pcap_pkthdr *h, const u_char *bytes)
{
	struct capture *c = (struct capture *)user;
	size_t n = c->n++;
	uint32_t stored = h->caplen;
	const uint8_t *data = bytes;
	if (stored <= ARENA_BYTES - c->arena_used) {
		data = memcpy(c->arena + c->arena_used, bytes, stored);
		/* ARENA_BYTES is a multiple of ARENA_ALIGN. */
		c->arena_used += (stored + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	} else {
		pcap_breakloop(c->pcap);
	}
	c->raw[n] = (struct raw_record){
		.ns = trace_clock_ns(h->ts.tv_sec, h->ts.tv_usec, c->seconds_u32),
		.offset = c->offset,
		.data = data,
		.stored = stored,
		.length = h->len,
	};
	c->record++;
	/* Of a record above the snapshot length libpcap does not say how long it was. */
	if (c->record_bytes && stored < c->snaplen)
		c->offset += c->record_bytes + stored;
	else
		c->offset = (uint64_t)ftello(c->stream);
}

static void where(char *text, size_t size, const struct capture *c, uint64_t record,
		  uint64_t offset, const char *what)
{
	snprintf(text, size, "%s: packet %llu at byte %llu: %s", c->source->name,
		 (unsigned long long)record, (unsigned long long)offset, what);
}

static void fail(struct capture *c, int code, const char *text)
{
	c->failure = cqesim_fail(&c->failure_text, code, "%s", text);
}

static void end_early(struct capture *c, const char *what)
{
	struct cqesim_trace_stats *stats = &c->base.stats;
	char text[sizeof(stats->truncated_where)];
	where(text, sizeof(text), c, c->record + 1, c->offset, what);
	if (!stats->truncated)
		memcpy(stats->truncated_where, text, sizeof(text));
	stats->truncated = true;
	if (c->base.config.strict)
		fail(c, -EINVAL, text);
}

/* libpcap stopped: in the middle of a record, or at something that it does not like. */
static void broken_off(struct capture *c)
{
	char text[sizeof(c->failure_text.text)];
	const char *words = pcap_geterr(c->pcap);
	c->file_over = true;
	if (*c->source->problem) {
		where(text, sizeof(text), c, c->record + 1, c->offset, c->source->problem);
		fail(c, -EINVAL, text);
	} else if (!strncmp(words, "truncated ", 10)) {
		end_early(c, "the file ends inside a record");
	} else {
		where(text, sizeof(text), c, c->record + 1, c->offset, words);
		fail(c, ferror(c->stream) ? -EIO : -EINVAL, text);
	}
}

/* Up to `want` records of the current file. */
static void collect(struct capture *c, size_t want)
{
	c->n = 0;
	c->arena_used = 0;
	while (c->n == 0 && !c->file_over) {
		int rc = pcap_dispatch(c->pcap, (int)want, take, (u_char *)c);
		if (rc == PCAP_ERROR_BREAK)
			continue; /* asked for by the last record of the batch before */
		if (rc < 0) {
			broken_off(c);
		} else if (rc == 0) {
			c->file_over = true;
			if (c->source->truncated)
				end_early(c, "the compressed data ends early");
		}
	}
	uint64_t now = c->source->seekable ? c->offset : c->source->read_bytes;
	c->base.stats.bytes_read = c->past_bytes + now;
}

/* --- from records to frames --- */

static bool ends_with_fcs(const struct raw_record *r)
{
	uint32_t n = r->length - CQESIM_FCS_BYTES;
	const uint8_t *fcs = r->data + n;
	/* IEEE 802.3, 3.2.9: the CRC-32 that zlib computes, least significant byte first. */
	uint32_t stored = (uint32_t)fcs[0] | (uint32_t)fcs[1] << 8 | (uint32_t)fcs[2] << 16 |
			  (uint32_t)fcs[3] << 24;
	return crc32(0, r->data, n) == stored;
}

static void detect_fcs(struct capture *c)
{
	size_t checked = 0, right = 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct raw_record *r = &c->raw[i];
		if (r->length < MIN_FRAME_WITH_FCS || r->stored < r->length)
			continue;
		checked++;
		right += ends_with_fcs(r);
	}
	set_fcs(c, right > checked / 2 ? CQESIM_FCS_PRESENT : CQESIM_FCS_ABSENT);
}

static void zero_length(struct capture *c, size_t i)
{
	struct cqesim_trace_stats *stats = &c->base.stats;
	if (!stats->skipped[CQESIM_SKIP_ZERO_LENGTH]++)
		where(stats->zero_where, sizeof(stats->zero_where), c, c->record - c->n + i + 1,
		      c->raw[i].offset, "not a single byte on the wire");
}

/* Leave out what --skip asks for: how many of the records. */
static size_t skip(struct capture *c)
{
	size_t n = c->skip_left < c->n ? (size_t)c->skip_left : c->n;
	c->skip_left -= n;
	c->base.stats.skipped[CQESIM_SKIP_REQUESTED] += n;
	c->round_moved = c->round_moved || n;
	return n;
}

/* The frames of what was collected: how many. */
static int cook(struct capture *c)
{
	struct cqesim_trace_stats *stats = &c->base.stats;
	struct cqesim_frame *f = c->base.frames;
	uint64_t length_sum = 0, stored_sum = 0, wire_sum = 0;
	uint32_t longer = 0, cut = 0, padded = 0;
	if (c->fcs == CQESIM_FCS_AUTO && c->n)
		detect_fcs(c);
	const uint32_t fcs = c->fcs == CQESIM_FCS_PRESENT ? CQESIM_FCS_BYTES : 0;
	const size_t first = skip(c);
	for (size_t i = first; i < c->n; i++) {
		const struct raw_record *r = &c->raw[i];
		length_sum += r->length;
		stored_sum += r->stored;
		longer += r->stored > r->length;
		if (r->length <= fcs) {
			zero_length(c, i);
			continue;
		}
		f->data = r->data;
		f->orig_len = r->length - fcs;
		f->cap_len = r->stored < f->orig_len ? r->stored : f->orig_len;
		f->len = f->orig_len < CQESIM_MIN_FRAME ? CQESIM_MIN_FRAME : f->orig_len;
		cut += f->cap_len < f->orig_len;
		padded += f->orig_len < CQESIM_MIN_FRAME;
		wire_sum += (uint64_t)f->len + CQESIM_FCS_BYTES;
		uint64_t gap = trace_clock_gap(&c->clock, r->ns, stats);
		f->time_ps = trace_timer_stamp(&c->base.timer, gap, f->len, &stats->gaps_clamped);
		stats->last_ps = f->time_ps;
		f++;
	}
	const size_t n = (size_t)(f - c->base.frames);
	stats->packets += c->n - first;
	stats->capture_bytes += length_sum;
	stats->stored_bytes += stored_sum;
	stats->stored_longer += longer;
	stats->frames += n;
	stats->wire_bytes += wire_sum;
	stats->cut += cut;
	stats->padded += padded;
	c->round_moved = c->round_moved || n;
	return (int)n;
}

static int capture_next(struct cqesim_trace *trace, struct cqesim_error *err)
{
	struct capture *c = (struct capture *)trace;
	for (;;) {
		if (c->failure)
			return cqesim_fail(err, c->failure, "%s", c->failure_text.text);
		size_t want = CQESIM_BATCH;
		if (trace->config.limit) {
			uint64_t left = trace->config.limit - trace->stats.packets;
			if (!left)
				return 0;
			if (c->skip_left < want && left < want - c->skip_left)
				want = (size_t)(c->skip_left + left);
		}
		if (!c->source)
			return 0;
		if (c->file_over) {
			int rc = next_file(c, &c->failure_text);
			if (rc < 0)
				c->failure = rc;
			continue;
		}
		collect(c, want);
		int n = cook(c);
		if (n)
			return n;
	}
}

static void capture_close(struct cqesim_trace *trace)
{
	struct capture *c = (struct capture *)trace;
	close_file(c);
	for (size_t i = 0; i < c->n_paths; i++)
		free(c->paths[i]);
	free(c->paths);
}

/* --- opening --- */

/* The sizes of all files, 0 when one is not a regular file; missing ones are told now. */
static int add_up(struct capture *c, struct cqesim_error *err)
{
	uint64_t total = 0;
	bool known = true, stdin_used = false;
	for (size_t i = 0; i < c->n_paths; i++) {
		struct stat st;
		if (!strcmp(c->paths[i], "-")) {
			if (stdin_used || c->rounds_left > 1)
				return cqesim_fail(err, -EINVAL,
						   "standard input can be read only once");
			stdin_used = true;
			known = known && fstat(0, &st) == 0 && S_ISREG(st.st_mode);
		} else if (stat(c->paths[i], &st)) {
			char name[TRACE_NAME_MAX + 4];
			int code = errno;
			trace_source_name(name, c->paths[i]);
			return cqesim_fail(err, -code, "%s: %s", name, strerror(code));
		} else {
			known = known && S_ISREG(st.st_mode);
			/* A pipe opened once more would wait for a writer for ever. */
			if (c->rounds_left > 1 && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))) {
				char name[TRACE_NAME_MAX + 4];
				trace_source_name(name, c->paths[i]);
				return cqesim_fail(err, -EINVAL,
						   "%s: no regular file, it can be read only once",
						   name);
			}
		}
		total += known ? (uint64_t)st.st_size : 0;
	}
	if (known && !__builtin_mul_overflow(total, c->rounds_left, &total))
		c->base.stats.bytes_total = total;
	return 0;
}

static int copy_paths(struct capture *c, const char *const *paths, size_t n)
{
	c->paths = calloc(n, sizeof(*c->paths));
	for (; c->paths && c->n_paths < n; c->n_paths++) {
		c->paths[c->n_paths] = strdup(paths[c->n_paths]);
		if (!c->paths[c->n_paths])
			return -ENOMEM;
	}
	return c->paths ? 0 : -ENOMEM;
}

int cqesim_trace_open(struct cqesim_trace **trace, const char *const *paths, size_t n,
		      const struct cqesim_trace_config *config, struct cqesim_error *err)
{
	static const struct trace_ops ops = {.next = capture_next, .close = capture_close};
	if (!n)
		return cqesim_fail(err, -EINVAL, "no capture file given");
	struct capture *c = calloc(1, sizeof(*c));
	if (!c || copy_paths(c, paths, n)) {
		if (c)
			capture_close(&c->base);
		free(c);
		return cqesim_fail(err, -ENOMEM, "out of memory");
	}
	c->base.ops = &ops;
	if (config)
		c->base.config = *config;
	c->skip_left = c->base.config.skip;
	c->rounds_left = c->base.config.repeat ? c->base.config.repeat : 1;
	c->first_round = true;
	c->base.stats.fcs_detected = c->base.config.fcs == CQESIM_FCS_AUTO;
	c->base.stats.packets_total = c->base.config.limit;
	int rc = trace_timer_init(&c->base.timer, &c->base.config.rate, err);
	if (!rc)
		rc = add_up(c, err);
	if (!rc)
		rc = open_file(c, err);
	if (rc) {
		cqesim_trace_close(&c->base);
		return rc;
	}
	*trace = &c->base;
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace_files.h - for the tests of station 1: captures put together byte by
 * byte, after the format descriptions (pcap-savefile(5),
 * draft-ietf-opsawg-pcapng), so that libpcap does not judge itself; traces
 * read to the end; synthetic frames taken apart.
 */
#ifndef CQESIM_TRACE_FILES_H
#define CQESIM_TRACE_FILES_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/trace.h"
#include "test.h"

#define PS_PER_US UINT64_C(1000000)
#define DAY_PS    (UINT64_C(86400) * CQESIM_PS_PER_S)

/* The other parts of the suite. */
void add_trace_times(Suite *suite);
void add_trace_input(Suite *suite);
void add_trace_synthetic(Suite *suite);
void add_trace_numbered(Suite *suite);
void add_trace_write(Suite *suite);

/* --- putting captures together --- */

struct bytes {
	uint8_t *at;
	size_t n;
	bool big; /* byte order */
};

static inline void put(struct bytes *b, const void *data, size_t n)
{
	b->at = realloc(b->at, b->n + n + 1);
	ck_assert_ptr_nonnull(b->at);
	if (data)
		memcpy(b->at + b->n, data, n);
	else
		memset(b->at + b->n, 0, n);
	b->n += n;
}

static inline void put16(struct bytes *b, unsigned v)
{
	uint8_t big[] = {(uint8_t)(v >> 8), (uint8_t)v}, little[] = {(uint8_t)v, (uint8_t)(v >> 8)};
	put(b, b->big ? big : little, 2);
}

static inline void put32(struct bytes *b, uint32_t v)
{
	put16(b, b->big ? v >> 16 : v & 0xffff);
	put16(b, b->big ? v & 0xffff : v >> 16);
}

static inline void pcap_header(struct bytes *b, bool nano, uint32_t snaplen, uint32_t link)
{
	put32(b, nano ? 0xa1b23c4d : 0xa1b2c3d4);
	put16(b, 2);
	put16(b, 4);
	put32(b, 0);
	put32(b, 0);
	put32(b, snaplen);
	put32(b, link);
}

/* A record whose first byte is `mark`. */
static inline void record(struct bytes *b, uint32_t sec, uint32_t sub, uint32_t stored,
			  uint32_t length, uint8_t mark)
{
	put32(b, sec);
	put32(b, sub);
	put32(b, stored);
	put32(b, length);
	put(b, NULL, stored);
	if (stored)
		b->at[b->n - stored] = mark;
}

static inline const char *save(const char *name, const void *data, size_t n)
{
	static char paths[8][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 8];
	snprintf(path, PATH_MAX, "%s/%s", test_tmpdir(), name);
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(data ? data : "", 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
	return path;
}

static inline const char *save_bytes(const char *name, struct bytes *b)
{
	const char *path = save(name, b->at, b->n);
	free(b->at);
	*b = (struct bytes){0};
	return path;
}

/* --- reading them --- */

#define MAX_READ 2000

struct result {
	int rc; /* of the last call: 0 at a good end */
	size_t n;
	struct cqesim_frame frames[MAX_READ]; /* without data */
	uint8_t first[MAX_READ];              /* byte of each */
	struct cqesim_trace_stats stats;
	struct cqesim_error err;
};

static inline struct result read_trace(struct cqesim_trace *t)
{
	static struct result r;
	memset(&r, 0, sizeof(r));
	const struct cqesim_frame *f;
	uint64_t last = 0;
	while ((r.rc = cqesim_trace_next(t, &f, &r.err)) > 0) {
		ck_assert_int_le(r.rc, CQESIM_BATCH);
		for (int i = 0; i < r.rc; i++) {
			ck_assert_uint_lt(r.n, MAX_READ);
			ck_assert_uint_le(f[i].cap_len, f[i].orig_len);
			ck_assert_uint_ge(f[i].time_ps, last);
			last = f[i].time_ps;
			r.frames[r.n] = f[i];
			r.first[r.n++] = f[i].cap_len ? f[i].data[0] : 0;
		}
	}
	r.stats = *cqesim_trace_stats(t);
	/* What ended stays ended, what failed stays failed. */
	ck_assert_int_eq(cqesim_trace_next(t, &f, NULL), r.rc);
	cqesim_trace_close(t);
	ck_assert_uint_eq(r.stats.frames, r.n);
	return r;
}

static inline struct result read_paths(const char *const *paths, size_t n,
				       const struct cqesim_trace_config *config)
{
	struct cqesim_trace *t = NULL;
	struct cqesim_error err = {""};
	int rc = cqesim_trace_open(&t, paths, n, config, &err);
	ck_assert_msg(rc == 0, "%s", err.text);
	return read_trace(t);
}

static inline struct result read_path(const char *path, const struct cqesim_trace_config *config)
{
	return read_paths(&path, 1, config);
}

static inline void open_fails(const char *path, int code, const char *words)
{
	struct cqesim_trace *t = NULL;
	struct cqesim_error err = {""};
	ck_assert_int_eq(cqesim_trace_open(&t, &path, 1, NULL, &err), code);
	ck_assert_ptr_null(t);
	char want[PATH_MAX + 300];
	snprintf(want, sizeof(want), "%s: %s", path, words);
	ck_assert_str_eq(err.text, want);
}

static inline void three_packets(struct bytes *b)
{
	pcap_header(b, false, 65535, 1);
	record(b, 1, 0, 60, 60, 1);
	record(b, 2, 0, 60, 60, 2);
	record(b, 3, 0, 60, 60, 3);
}

/* --- synthetic workloads --- */

static inline struct cqesim_trace *open_workload(const char *spec,
						 const struct cqesim_trace_config *config)
{
	struct cqesim_trace *t = NULL;
	struct cqesim_error err = {""};
	int rc = cqesim_trace_open_synthetic(&t, spec, 100000000000, config, &err);
	ck_assert_msg(rc == 0, "%s: %s", spec, err.text);
	return t;
}

static inline unsigned get16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

/* RFC 1071: the sum over data with a right checksum in it is all ones. */
static inline uint64_t add_words(const uint8_t *p, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += (uint64_t)p[i] << (i % 2 ? 0 : 8);
	return sum;
}

static inline bool all_ones(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

struct tuple {
	uint8_t addresses[32];
	uint8_t ports[4];
	uint8_t proto;
};

/* Take a whole frame apart and check all that can be wrong. */
static inline struct tuple check_frame(const uint8_t *p, size_t n, unsigned vlan, bool ipv6,
				       bool tcp)
{
	struct tuple t;
	memset(&t, 0, sizeof(t));
	size_t at = 12;
	ck_assert_uint_eq(p[0] & 1, 0); /* unicast */
	if (vlan) {
		ck_assert_uint_eq(get16(p + at), 0x8100);
		ck_assert_uint_eq(get16(p + at + 2), vlan);
		at += 4;
	}
	ck_assert_uint_eq(get16(p + at), ipv6 ? 0x86dd : 0x0800);
	const uint8_t *ip = p + at + 2, *l4 = ip + (ipv6 ? 40 : 20);
	size_t ip_bytes = n - at - 2, l4_bytes = ip_bytes - (ipv6 ? 40 : 20);
	t.proto = ip[ipv6 ? 6 : 9];
	ck_assert_uint_eq(t.proto, tcp ? 6 : 17);
	ck_assert_uint_eq(ip[0] >> 4, ipv6 ? 6 : 4);
	uint64_t pseudo = t.proto + l4_bytes;
	if (ipv6) {
		ck_assert_uint_eq(get16(ip + 4), l4_bytes);
		memcpy(t.addresses, ip + 8, 32);
		pseudo += add_words(ip + 8, 32);
	} else {
		ck_assert_uint_eq(ip[0] & 15, 5);
		ck_assert_uint_eq(get16(ip + 2), ip_bytes);
		ck_assert(all_ones(add_words(ip, 20)));
		memcpy(t.addresses, ip + 12, 8);
		pseudo += add_words(ip + 12, 8);
	}
	memcpy(t.ports, l4, 4);
	if (tcp) {
		ck_assert_uint_eq(l4[12] >> 4, 5);
	} else {
		ck_assert_uint_eq(get16(l4 + 4), l4_bytes);
		ck_assert_uint_ne(get16(l4 + 6), 0);
	}
	ck_assert(all_ones(pseudo + add_words(l4, l4_bytes)));
	return t;
}

/* What is handed out, with the zeros that follow. */
static inline struct tuple check_handed(const struct cqesim_frame *f, unsigned vlan, bool ipv6,
					bool tcp)
{
	uint8_t whole[9700] = {0};
	ck_assert_uint_le(f->len, sizeof(whole));
	ck_assert_uint_eq(f->orig_len, f->len);
	ck_assert(f->cap_len == f->len || f->cap_len == 128);
	memcpy(whole, f->data, f->cap_len);
	return check_frame(whole, f->len, vlan, ipv6, tcp);
}

#endif

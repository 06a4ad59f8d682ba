/* SPDX-License-Identifier: BSD-3-Clause */
/* Station 1: capture formats, lengths, damage, and real captures with another tool's counts. */
#include <errno.h>
#include <jansson.h>

#include "trace_files.h"

/* --- formats --- */

START_TEST(classic_pcap)
{
	struct bytes b = {.big = _i & 1};
	bool nano = _i & 2;
	pcap_header(&b, nano, 65535, 1);
	record(&b, 1000, 999999, 60, 60, 1);
	record(&b, 1001, 1, 42, 1514, 2);
	record(&b, 1001, 1, 14, 14, 3);
	struct result r = read_path(save_bytes("classic.pcap", &b), NULL);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, 3);
	ck_assert_uint_eq(r.frames[0].time_ps, 0);
	ck_assert_uint_eq(r.frames[1].time_ps, nano ? CQESIM_PS_PER_S - 999998000 : 2 * PS_PER_US);
	ck_assert_uint_eq(r.frames[2].time_ps, r.frames[1].time_ps);
	ck_assert_uint_eq(r.frames[1].cap_len, 42);
	ck_assert_uint_eq(r.frames[1].orig_len, 1514);
	ck_assert_uint_eq(r.frames[1].len, 1514);
	ck_assert_uint_eq(r.frames[2].orig_len, 14);
	ck_assert_uint_eq(r.frames[2].len, 60);
	ck_assert_uint_eq(r.first[1], 2);
	ck_assert_uint_eq(r.stats.packets, 3);
	ck_assert_uint_eq(r.stats.capture_bytes, 60 + 1514 + 14);
	ck_assert_uint_eq(r.stats.stored_bytes, 60 + 42 + 14);
	ck_assert_uint_eq(r.stats.wire_bytes, 64 + 1518 + 64);
	ck_assert_uint_eq(r.stats.cut, 1);
	ck_assert_uint_eq(r.stats.padded, 1);
	ck_assert_uint_eq(r.stats.files, 1);
	ck_assert_uint_eq(r.stats.bytes_total, 24 + 16 + 60 + 16 + 42 + 16 + 14);
	ck_assert_uint_eq(r.stats.bytes_read, r.stats.bytes_total);
	ck_assert(!r.stats.truncated);
}
END_TEST

/* A block: type, length twice, body padded to 4 bytes. */
static void block(struct bytes *b, uint32_t type, const struct bytes *body)
{
	uint32_t padded = ((uint32_t)body->n + 3) & ~3u;
	put32(b, type);
	put32(b, padded + 12);
	put(b, body->at, body->n);
	put(b, NULL, padded - body->n);
	put32(b, padded + 12);
	free(body->at);
}

static void section(struct bytes *b, uint32_t snaplen, uint8_t tsresol)
{
	struct bytes shb = {.big = b->big}, idb = {.big = b->big}, nrb = {.big = b->big};
	put32(&shb, 0x1a2b3c4d);
	put16(&shb, 1);
	put16(&shb, 0);
	put(&shb, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	put16(&shb, 1); /* comment */
	put16(&shb, 5);
	put(&shb, "hello\0\0\0", 8);
	put32(&shb, 0);
	block(b, 0x0a0d0d0a, &shb);
	put16(&idb, 1);
	put16(&idb, 0);
	put32(&idb, snaplen);
	put16(&idb, 9); /* if_tsresol */
	put16(&idb, 1);
	put(&idb, (uint8_t[]){tsresol, 0, 0, 0}, 4);
	put32(&idb, 0);
	block(b, 1, &idb);
	put16(&nrb, 1); /* an IPv4 address with its name */
	put16(&nrb, 6);
	put(&nrb, "\x7f\0\0\1a\0\0\0", 8);
	put32(&nrb, 0);
	block(b, 4, &nrb);
}

static void enhanced_packet(struct bytes *b, uint64_t t, uint32_t stored, uint32_t length,
			    uint8_t mark)
{
	struct bytes p = {.big = b->big};
	put32(&p, 0);
	put32(&p, (uint32_t)(t >> 32));
	put32(&p, (uint32_t)t);
	put32(&p, stored);
	put32(&p, length);
	put(&p, NULL, (stored + 3) & ~3u);
	p.at[20] = mark;
	put16(&p, 2); /* flags */
	put16(&p, 4);
	put32(&p, 1);
	put32(&p, 0);
	block(b, 6, &p);
}

static void simple_packet(struct bytes *b, uint32_t length)
{
	struct bytes p = {.big = b->big};
	put32(&p, length);
	put(&p, NULL, length);
	block(b, 3, &p);
}

START_TEST(pcapng)
{
	struct bytes b = {.big = _i};
	section(&b, 2048, 9);
	enhanced_packet(&b, 5000000000123, 61, 61, 7);
	enhanced_packet(&b, 5000000000124, 62, 1500, 8);
	struct result r = read_path(save_bytes("a.pcapng", &b), NULL);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, 2);
	ck_assert_uint_eq(r.frames[1].time_ps, 1000);
	ck_assert_uint_eq(r.frames[1].orig_len, 1500);
	ck_assert_uint_eq(r.frames[1].cap_len, 62);
	ck_assert_uint_eq(r.first[0], 7);
	ck_assert_uint_eq(r.first[1], 8);

	/* Simple packets carry no time; seconds of 64 bits are no reason to wrap at 2106. */
	section(&b, 2048, 6);
	simple_packet(&b, 100);
	enhanced_packet(&b, UINT64_C(5000000000) * 1000000, 60, 60, 9);
	r = read_path(save_bytes("b.pcapng", &b), NULL);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, 2);
	ck_assert_uint_eq(r.frames[0].orig_len, 100);
	ck_assert_uint_eq(r.stats.gaps_clamped, 1);
	ck_assert_uint_eq(r.frames[1].time_ps, 100 * DAY_PS);
}
END_TEST

START_TEST(large_records_keep_their_bytes)
{
	struct bytes b = {0};
	pcap_header(&b, false, 262144, 1);
	static const uint32_t sizes[] = {262144, 60, 65536, 65535, 1, 9000, 262143, 64, 262144};
	for (unsigned round = 0; round < 40; round++)
		for (unsigned i = 0; i < 9; i++) {
			record(&b, round, i, sizes[i], sizes[i], (uint8_t)i);
			memset(b.at + b.n - sizes[i], (int)(round * 9 + i), sizes[i]);
		}
	const char *path = save_bytes("large.pcap", &b);
	struct cqesim_trace *t;
	ck_assert_int_eq(cqesim_trace_open(&t, &path, 1, NULL, NULL), 0);
	const struct cqesim_frame *f;
	unsigned seen = 0;
	for (int n; (n = cqesim_trace_next(t, &f, NULL)) > 0;)
		for (int i = 0; i < n; i++, seen++) {
			ck_assert_uint_eq(f[i].cap_len, sizes[seen % 9]);
			for (uint32_t k = 0; k < f[i].cap_len; k++)
				if (f[i].data[k] != (uint8_t)seen)
					ck_abort_msg("record %u byte %u", seen, k);
		}
	ck_assert_uint_eq(seen, 360);
	cqesim_trace_close(t);
}
END_TEST

START_TEST(refusals)
{
	struct bytes b = {0};
	open_fails("/nonexistent/x.pcap", -ENOENT, "No such file or directory");
	open_fails(test_tmpdir(), -EISDIR, "Is a directory");
	open_fails(save("empty", "", 0), -EINVAL,
		   "not a pcap or pcapng capture: the file is empty");
	open_fails(save("text", "hello, world\n", 13), -EINVAL,
		   "not a pcap or pcapng capture: unknown file format");
	open_fails(save("x.xz",
			"\xfd"
			"7zXZ\0",
			6),
		   -EINVAL, "xz-compressed; gzip and zstd are read, plain is fastest");
	open_fails(save("gz", "\x1f\x8b\x07\0\0\0\0\0\0\0\0\0", 12), -EINVAL,
		   "corrupt gzip data: unknown compression method");
	pcap_header(&b, false, 65535, 113);
	open_fails(save_bytes("sll.pcap", &b), -EPROTONOSUPPORT,
		   "link type LINUX_SLL (113) is not Ethernet; cqesim reads Ethernet captures "
		   "only");
	/* The header itself is cut: no capture, whatever libpcap counts. */
	const char *few = save("short", "\xd4\xc3\xb2\xa1\2\0", 6);
	struct cqesim_trace *t;
	struct cqesim_error err;
	ck_assert_int_eq(cqesim_trace_open(&t, &few, 1, NULL, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "short: not a pcap or pcapng capture: truncated "));
	/* Of several files the missing one is told at once. */
	pcap_header(&b, false, 65535, 1);
	const char *two[] = {save_bytes("ok.pcap", &b), "/nonexistent/y.pcap"};
	ck_assert_int_eq(cqesim_trace_open(&t, two, 2, NULL, NULL), -ENOENT);
	ck_assert_int_eq(cqesim_trace_open(&t, two, 0, NULL, NULL), -EINVAL);
	/* Control characters of a name do not get out. */
	const char *odd = "/nonexistent/a\nb\x1b[0m";
	ck_assert_int_eq(cqesim_trace_open(&t, &odd, 1, NULL, &err), -ENOENT);
	ck_assert_str_eq(err.text, "/nonexistent/a?b?[0m: No such file or directory");
}
END_TEST

/* --- damage --- */

START_TEST(truncated)
{
	/* Inside a record, and inside the header of one. */
	static const size_t cuts[] = {24 + 76 + 76 + 20, 24 + 76 + 76 + 15};
	struct bytes b = {0};
	three_packets(&b);
	b.n = cuts[_i];
	const char *path = save_bytes("cut.pcap", &b);
	struct result r = read_path(path, NULL);
	char where[PATH_MAX + 100];
	snprintf(where, sizeof(where), "%s: packet 3 at byte 176: the file ends inside a record",
		 path);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, 2);
	ck_assert(r.stats.truncated);
	ck_assert_str_eq(r.stats.truncated_where, where);

	r = read_path(path, &(struct cqesim_trace_config){.strict = true});
	ck_assert_int_eq(r.rc, -EINVAL);
	ck_assert_uint_eq(r.n, 2);
	ck_assert_str_eq(r.err.text, where);

	/* The next file goes on, at the time of the last frame. */
	three_packets(&b);
	const char *two[] = {path, save_bytes("whole.pcap", &b)};
	r = read_paths(two, 2, NULL);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, 5);
	ck_assert_uint_eq(r.frames[1].time_ps, CQESIM_PS_PER_S);
	ck_assert_uint_eq(r.frames[2].time_ps, CQESIM_PS_PER_S);
	ck_assert_uint_eq(r.frames[4].time_ps, 3 * CQESIM_PS_PER_S);
	ck_assert_uint_eq(r.stats.files, 2);
}
END_TEST

START_TEST(truncated_pcapng)
{
	struct bytes b = {0};
	section(&b, 2048, 6);
	enhanced_packet(&b, 1, 60, 60, 7);
	size_t third = b.n;
	enhanced_packet(&b, 2, 60, 60, 8);
	size_t end = b.n;
	uint8_t *all = b.at;
	for (size_t cut = third + 1; cut < end; cut++) {
		const char *path = save("cut.pcapng", all, cut);
		struct result r = read_path(path, NULL);
		char where[PATH_MAX + 100];
		snprintf(where, sizeof(where),
			 "%s: packet 2 at byte %zu: the file ends inside a record", path, third);
		ck_assert_int_eq(r.rc, 0);
		ck_assert_uint_eq(r.n, 1);
		ck_assert_str_eq(r.stats.truncated_where, where);
	}
	free(all);
}
END_TEST

START_TEST(impossible_lengths)
{
	struct bytes b = {0};
	three_packets(&b);
	put32(&b, 4);
	put32(&b, 0);
	put32(&b, 300000);
	put32(&b, 300000);
	put(&b, NULL, 300000);
	const char *path = save_bytes("long.pcap", &b);
	struct result r = read_path(path, NULL);
	char want[PATH_MAX + 100];
	snprintf(want, sizeof(want),
		 "%s: packet 4 at byte 252: invalid packet capture length 300000, bigger than "
		 "snaplen of 65535",
		 path);
	ck_assert_int_eq(r.rc, -EINVAL);
	ck_assert_uint_eq(r.n, 3);
	ck_assert_str_eq(r.err.text, want);
	ck_assert(!r.stats.truncated);

	/* Interfaces with different link types: libpcap's words with the place. */
	section(&b, 2048, 6);
	enhanced_packet(&b, 1, 60, 60, 7);
	size_t at = b.n;
	struct bytes idb = {0};
	put16(&idb, 113);
	put16(&idb, 0);
	put32(&idb, 2048);
	block(&b, 1, &idb);
	path = save_bytes("mixed.pcapng", &b);
	r = read_path(path, NULL);
	snprintf(want, sizeof(want),
		 "%s: packet 2 at byte %zu: an interface has a type 113 different from the type "
		 "of the first interface",
		 path, at);
	ck_assert_int_eq(r.rc, -EINVAL);
	ck_assert_uint_eq(r.n, 1);
	ck_assert_str_eq(r.err.text, want);
}
END_TEST

START_TEST(odd_lengths)
{
	struct bytes b = {0};
	pcap_header(&b, false, 100, 1);
	record(&b, 500, 0, 0, 0, 0);   /* no frame at all: does not start the clock */
	record(&b, 7, 0, 90, 80, 1);   /* stored longer */
	record(&b, 8, 0, 120, 200, 2); /* above the snapshot length: libpcap cuts */
	record(&b, 9, 0, 10, 0, 3);    /* zero length, with bytes */
	record(&b, 10, 0, 0, 70, 4);   /* nothing stored */
	const char *path = save_bytes("odd.pcap", &b);
	struct result r = read_path(path, NULL);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, 3);
	ck_assert_uint_eq(r.frames[0].cap_len, 80);
	ck_assert_uint_eq(r.frames[0].time_ps, 0);
	ck_assert_uint_eq(r.frames[1].cap_len, 100);
	ck_assert_uint_eq(r.frames[1].orig_len, 200);
	ck_assert_uint_eq(r.frames[2].cap_len, 0);
	ck_assert_uint_eq(r.frames[2].time_ps, 3 * CQESIM_PS_PER_S);
	ck_assert_uint_eq(r.stats.packets, 5);
	ck_assert_uint_eq(r.stats.skipped[CQESIM_SKIP_ZERO_LENGTH], 2);
	ck_assert_uint_eq(r.stats.stored_longer, 2);
	ck_assert_uint_eq(r.stats.cut, 2);
	char where[PATH_MAX + 100];
	snprintf(where, sizeof(where), "%s: packet 1 at byte 24: not a single byte on the wire",
		 path);
	ck_assert_str_eq(r.stats.zero_where, where);

	/* The place is right behind a record that libpcap cut, too. */
	pcap_header(&b, false, 100, 1);
	record(&b, 8, 0, 120, 200, 2);
	record(&b, 9, 0, 0, 0, 0);
	path = save_bytes("odd2.pcap", &b);
	r = read_path(path, NULL);
	snprintf(where, sizeof(where), "%s: packet 2 at byte 160: not a single byte on the wire",
		 path);
	ck_assert_str_eq(r.stats.zero_where, where);
}
END_TEST

/* --- real captures --- */

static uint64_t number(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static void compare_real(const char *name, const json_t *entry, const char *path)
{
	const json_t *pcap = json_object_get(entry, "libpcap");
	const char *reason = json_string_value(json_object_get(pcap, "error"));
	bool opens = json_is_true(json_object_get(pcap, "opened"));
	bool gz = !strcmp(name + strlen(name) - 3, ".gz");
	struct cqesim_trace *t = NULL;
	struct cqesim_error err = {""};
	int rc = cqesim_trace_open(&t, &path, 1, NULL, &err);
	if (!opens && !gz) {
		ck_assert_msg(rc == -EINVAL && strstr(err.text, reason), "%s: %s", name, err.text);
		return;
	}
	if (opens && number(pcap, "linktype") != 1) {
		ck_assert_msg(rc == -EPROTONOSUPPORT, "%s: %s", name, err.text);
		return;
	}
	ck_assert_msg(rc == 0, "%s", err.text);
	/* Read without a limit on the number of frames: more than struct result holds. */
	const struct cqesim_frame *f;
	while ((rc = cqesim_trace_next(t, &f, &err)) > 0)
		;
	struct cqesim_trace_stats s = *cqesim_trace_stats(t);
	cqesim_trace_close(t);
	/*
	 * tshark and libpcap part where records are longer than the snapshot
	 * length, and tshark has no number for original lengths above 2^31.
	 */
	bool unknown = number(json_object_get(entry, "tshark"), "orig_len_unknown") > 0;
	bool agree = json_is_true(json_object_get(entry, "tshark_and_libpcap_agree"));
	bool tshark = gz || (agree && !unknown);
	const json_t *truth = tshark ? entry : pcap;
	ck_assert_msg(s.packets == number(truth, "packets"), "%s: packets", name);
	ck_assert_msg(s.capture_bytes == number(truth, "sum_orig_len"), "%s: sum_orig_len", name);
	ck_assert_msg(s.stored_bytes == number(truth, "sum_cap_len"), "%s: sum_cap_len", name);
	bool cut = reason && !gz && strstr(reason, "truncated");
	ck_assert_msg(s.truncated == cut, "%s: truncated", name);
	if (reason && !gz && !cut)
		ck_assert_msg(rc == -EINVAL && strstr(err.text, reason), "%s: %s", name, err.text);
	else
		ck_assert_msg(rc == 0, "%s: %s", name, err.text);
}

START_TEST(real_captures)
{
	if (!test_shared_dir()) {
		test_skip("trace: real captures", "../shared not found");
		return;
	}
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/traces/real/index.json", test_shared_dir());
	json_t *index = json_load_file(path, 0, NULL);
	ck_assert_ptr_nonnull(index);
	json_t *files = json_object_get(index, "files");
	ck_assert_uint_ge(json_array_size(files), 150);
	size_t i;
	json_t *entry;
	json_array_foreach(files, i, entry)
	{
		const char *name = json_string_value(json_object_get(entry, "file"));
		snprintf(path, sizeof(path), "%s/traces/real/%s", test_shared_dir(), name);
		compare_real(name, entry, path);
	}
	json_decref(index);
}
END_TEST

Suite *suite_trace(void)
{
	Suite *s = suite_create("trace");
	TCase *c = tcase_create("captures");
	tcase_add_loop_test(c, classic_pcap, 0, 4);
	tcase_add_loop_test(c, pcapng, 0, 2);
	tcase_add_test(c, large_records_keep_their_bytes);
	tcase_add_test(c, refusals);
	tcase_add_loop_test(c, truncated, 0, 2);
	tcase_add_test(c, truncated_pcapng);
	tcase_add_test(c, impossible_lengths);
	tcase_add_test(c, odd_lengths);
	tcase_add_test(c, real_captures);
	tcase_set_timeout(c, 120);
	suite_add_tcase(s, c);
	add_trace_times(s);
	add_trace_input(s);
	add_trace_synthetic(s);
	add_trace_numbered(s);
	add_trace_write(s);
	return s;
}

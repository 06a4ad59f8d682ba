/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_cli_input.c - what the program says of captures that are broken, odd or
 * not there: exit 1 and one line with file and place, or exit 0 and the right
 * counts.  The captures are put together byte by byte.
 */
#include <sys/stat.h>
#include <zlib.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "cli_run.h"
#include "trace_files.h"

/* ---- files that are no captures ---- */

START_TEST(no_captures)
{
	char missing[PATH_MAX], place[64];
	struct bytes b = {0};

	snprintf(missing, sizeof(missing), "%s/missing.pcap", test_tmpdir());
	fails(cli("replay", missing), 1, missing, "No such file");
	fails(cli("replay", test_tmpdir()), 1, test_tmpdir(), "directory");
	fails(cli("replay", ""), 1, NULL, NULL);
	const char *path = save("empty.pcap", NULL, 0);
	fails(cli("replay", path), 1, path, "not a pcap or pcapng capture");
	fails(cli("replay", "/dev/null"), 1, "/dev/null", "not a pcap or pcapng capture");
	fails(cli("replay", "-"), 1, "standard input", "not a pcap or pcapng capture");
	path = save("text.pcap", "To be, or not to be, that is the question.\n", 43);
	fails(cli("replay", path), 1, path, "not a pcap or pcapng capture");
	fails(cli_from(path, "replay", "-"), 1, "standard input", "not a pcap or pcapng capture");
	/* A file header that stops at every one of its bytes. */
	pcap_header(&b, false, 65535, 1);
	for (size_t n = 1; n < 24; n++) {
		path = save("header.pcap", b.at, n);
		fails(cli("replay", path), 1, path, "not a pcap or pcapng capture");
	}
	free(b.at);

	/* The second of two: nothing is reported of the first. */
	struct bytes good = {0};
	three_packets(&good);
	const char *first = save_bytes("first.pcap", &good);
	fails(cli("replay", first, missing), 1, missing, "No such file");
	fails(cli("replay", "--json", first, path), 1, path, "not a pcap or pcapng capture");

	if (geteuid() == 0) {
		test_skip("cli unreadable", "root reads everything");
		return;
	}
	snprintf(place, sizeof(place), "unreadable.pcap");
	three_packets(&good);
	path = save_bytes(place, &good);
	ck_assert_int_eq(chmod(path, 0), 0);
	fails(cli("replay", path), 1, path, "Permission denied");
}
END_TEST

START_TEST(other_link_types)
{
	static const struct {
		unsigned type;
		const char *name;
	} types[] = {
		{0, "NULL"},        {9, "PPP"},    {105, "IEEE802_11"},
		{113, "LINUX_SLL"}, {228, "IPV4"}, {9999, "9999"},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct bytes b = {0};
		pcap_header(&b, false, 65535, types[i].type);
		record(&b, 1, 0, 60, 60, 1);
		const char *path = save_bytes("other.pcap", &b);
		fails(cli("replay", path), 1, path, types[i].name);
		fails(cli("replay", "--json", path), 1, path, "is not Ethernet");
	}
}
END_TEST

/* ---- classic pcap that is broken ---- */

START_TEST(too_long_a_record)
{
	struct bytes b = {0};

	/* The first record is at byte 24, the second 16 + 60 further on. */
	pcap_header(&b, false, 65535, 1);
	record(&b, 1, 0, 60, 60, 1);
	record(&b, 2, 0, 300000, 300000, 2);
	const char *path = save_bytes("snaplen.pcap", &b);
	fails(cli("replay", path), 1, path, "packet 2 at byte 100");
	fails(cli("replay", "--json", path), 1, path, "packet 2 at byte 100");
	/* A length out of nowhere, of which the file has not a byte. */
	pcap_header(&b, false, 65535, 1);
	record(&b, 1, 0, 60, 60, 1);
	put32(&b, 2);
	put32(&b, 0);
	put32(&b, 0xffffffff);
	put32(&b, 0xffffffff);
	path = save_bytes("absurd.pcap", &b);
	fails(cli("replay", path), 1, path, "packet 2 at byte 100");
	/* As many as are wanted come before it. */
	json_t *doc = good_json(cli("replay", "--json", "--limit", "1", path), 0);
	ck_assert_uint_eq(count_at(doc, "packets"), 1);
	json_decref(doc);
}
END_TEST

START_TEST(truncated)
{
	struct bytes b = {0};
	three_packets(&b);
	const size_t whole = b.n, record_bytes = 16 + 60;

	/* Wherever it ends within the third record. */
	for (size_t cut = 1; cut < record_bytes; cut += 5) {
		const char *path = save("cut.pcap", b.at, whole - cut);
		struct output o = cli("replay", path);
		ck_assert_int_eq(o.code, 0);
		ck_assert_ptr_nonnull(strstr(o.out, "truncated"));
		ck_assert_ptr_nonnull(strstr(o.err, "truncated"));
		ck_assert_ptr_nonnull(strstr(o.err, "packet 3 at byte 176"));
		ck_assert_uint_eq(lines_of(o.err), 1);
		output_free(&o);
		json_t *doc = good_json(cli("replay", "--json", "--quiet", path), 0);
		ck_assert_uint_eq(count_at(doc, "packets"), 2);
		ck_assert_uint_eq(count_at(doc, "delivered"), 2);
		ck_assert(json_is_true(at(doc, "truncated")));
		ck_assert_ptr_nonnull(
			strstr(json_string_value(at(doc, "truncated_where")), "byte 176"));
		json_decref(doc);
		fails(cli("replay", "--strict", path), 1, path, "packet 3 at byte 176");
		fails(cli("replay", "--strict", "--json", path), 1, path, "packet 3 at byte 176");
	}
	/* On the border it is just a shorter capture. */
	json_t *doc = good_json(cli("replay", "--strict", "--json",
				    save("shorter.pcap", b.at, whole - record_bytes)),
				0);
	ck_assert_uint_eq(count_at(doc, "packets"), 2);
	ck_assert(json_is_false(at(doc, "truncated")));
	json_decref(doc);
	free(b.at);
}
END_TEST

START_TEST(zero_length)
{
	struct bytes b = {0};

	pcap_header(&b, false, 65535, 1);
	record(&b, 1, 0, 0, 0, 0);
	record(&b, 2, 0, 60, 60, 1);
	record(&b, 3, 0, 0, 0, 0);
	const char *path = save_bytes("zero.pcap", &b);
	json_t *doc = good_json(cli("replay", "--json", path), 1);
	ck_assert_uint_eq(count_at(doc, "packets"), 3);
	ck_assert_uint_eq(count_at(doc, "skipped.zero_length"), 2);
	ck_assert_uint_eq(count_at(doc, "delivered"), 1);
	ck_assert_uint_eq(count_at(doc, "classes.other"), 3);
	ck_assert_uint_eq(count_at(doc, "classes.l4_none"), 3);
	json_decref(doc);
	struct output o = cli("replay", path);
	ck_assert_ptr_nonnull(strstr(o.err, "zero-length"));
	ck_assert_ptr_nonnull(strstr(o.err, path));
	ck_assert_ptr_nonnull(strstr(o.err, "byte 24"));
	output_free(&o);
	json_decref(good_json(cli("replay", "--json", "--quiet", path), 0));
	/* Nothing but such records. */
	pcap_header(&b, false, 65535, 1);
	record(&b, 1, 0, 0, 0, 0);
	doc = good_json(cli("replay", "--json", "--quiet", save_bytes("zeros.pcap", &b)), 0);
	ck_assert_uint_eq(count_at(doc, "packets"), 1);
	ck_assert_uint_eq(count_at(doc, "delivered"), 0);
	json_decref(doc);
}
END_TEST

START_TEST(odd_times)
{
	static const uint32_t seconds[] = {0, 0xffffffff, 0x7fffffff, 0x80000000, 1, 0};
	struct bytes b = {0};

	pcap_header(&b, false, 65535, 1);
	for (unsigned i = 0; i < 6; i++)
		record(&b, seconds[i], i % 2 ? 0xffffffff : 0, 60, 60, (uint8_t)i);
	const char *path = save_bytes("times.pcap", &b);
	json_t *doc = good_json(cli("replay", "--json", path), 0);
	ck_assert_uint_eq(count_at(doc, "delivered"), 6);
	ck_assert_uint_ge(count_at(doc, "time.backwards"), 2);
	ck_assert_uint_ge(count_at(doc, "time.gaps_clamped"), 1);
	ck_assert_double_le(number_at(doc, "time.duration_s"), 201.0 * 86400);
	json_decref(doc);
	/* All stamps zero: the wire keeps them apart. */
	pcap_header(&b, true, 65535, 1);
	for (unsigned i = 0; i < 100; i++)
		record(&b, 0, 0, 60, 60, 0);
	doc = good_json(cli("replay", "--json", save_bytes("zero-times.pcap", &b)), 0);
	ck_assert_uint_eq(count_at(doc, "delivered"), 100);
	ck_assert_double_eq_tol(number_at(doc, "time.duration_s"), 100 * 84 * 80e-12, 84 * 80e-12);
	json_decref(doc);
}
END_TEST

/* ---- frames that are odd ---- */

/* A frame of eight VLAN tags, IPv6 with two extension headers, and TCP. */
static size_t deep_frame(uint8_t frame[200], unsigned tags)
{
	static const uint8_t ipv6[] = {0x60, 0, 0, 0, 0, 36, 0, 64};
	uint8_t *p = frame;

	memset(frame, 0, 200);
	frame[0] = frame[6] = 2;
	for (p = frame + 12; tags--; p += 4) {
		p[0] = 0x81;
		p[3] = 5;
	}
	*p++ = 0x86;
	*p++ = 0xdd;
	memcpy(p, ipv6, sizeof(ipv6)); /* 36 bytes follow, the first of hop-by-hop */
	p[23] = 1;
	p[39] = 2;
	p += 40;
	p[0] = 60; /* destination options next */
	p += 8;
	p[0] = 6;
	p += 8;
	p[1] = 80;
	p[12] = 0x50;
	p[13] = 0x10;
	return (size_t)(p + 20 - frame);
}

START_TEST(deep_vlan)
{
	uint8_t frame[200];
	struct bytes b = {0};

	pcap_header(&b, false, 65535, 1);
	for (unsigned tags = 0; tags <= 8; tags++) {
		size_t n = deep_frame(frame, tags);
		record(&b, tags, 0, 0, 0, 0);
		b.n -= 16; /* the same record again, with bytes */
		put32(&b, tags);
		put32(&b, 0);
		put32(&b, (uint32_t)n);
		put32(&b, (uint32_t)n);
		put(&b, frame, n);
	}
	json_t *doc = good_json(cli("replay", "--json", save_bytes("vlans.pcap", &b)), 0);
	ck_assert_uint_eq(count_at(doc, "delivered"), 9);
	ck_assert_uint_eq(count_at(doc, "classes.vlan"), 8);
	ck_assert_uint_eq(count_at(doc, "classes.qinq"), 7);
	ck_assert_uint_eq(count_at(doc, "classes.ipv6"), 9);
	ck_assert_uint_eq(count_at(doc, "classes.tcp"), 9);
	json_decref(doc);
}
END_TEST

/* The chain of headers stops after each of its bytes: cut when captured, and sent so. */
START_TEST(cut_headers)
{
	uint8_t frame[200];
	struct bytes b = {0};
	size_t n = deep_frame(frame, 8);

	pcap_header(&b, false, 65535, 1);
	for (size_t cut = 1; cut <= n; cut++)
		for (int sent = 0; sent < 2; sent++) {
			put32(&b, (uint32_t)cut);
			put32(&b, 0);
			put32(&b, (uint32_t)cut);
			put32(&b, (uint32_t)(sent ? cut : n));
			put(&b, frame, cut);
		}
	const char *path = save_bytes("cut.pcap", &b);
	json_t *doc = good_json(cli("replay", "--json", path), 0);
	ck_assert_uint_eq(count_at(doc, "packets"), 2 * n);
	ck_assert_uint_eq(count_at(doc, "delivered"), 2 * n);
	ck_assert_uint_ge(count_at(doc, "classes.short"), n - 20);
	ck_assert_uint_eq(count_at(doc, "classes.ipv4"), 0);
	ck_assert_uint_gt(count_at(doc, "classes.ipv6"), 0);
	ck_assert_uint_eq(count_at(doc, "classes.ipv6") + count_at(doc, "classes.other"), 2 * n);
	json_decref(doc);
	json_decref(
		good_json(cli("replay", "--json", "--checksums", "verify", "--mini-format", "csum",
			      "--segment", "--mtu", "68", "--cqe-comp", "aggressive", path),
			  0));
}
END_TEST

/* ---- pcapng ---- */

/* A block; its length can be made wrong. */
static void block(struct bytes *b, uint32_t type, const struct bytes *body, int32_t wrong,
		  int32_t wrong_at_end)
{
	uint32_t length = 12 + (uint32_t)body->n;

	put32(b, type);
	put32(b, length + (uint32_t)wrong);
	put(b, body->at, body->n);
	put32(b, length + (uint32_t)wrong_at_end);
}

static void section(struct bytes *b)
{
	struct bytes body = {0};

	put32(&body, 0x1a2b3c4d);
	put16(&body, 1);
	put16(&body, 0);
	put32(&body, 0xffffffff);
	put32(&body, 0xffffffff);
	block(b, 0x0a0d0d0a, &body, 0, 0);
	free(body.at);
}

static void interface(struct bytes *b, unsigned link_type, bool options)
{
	struct bytes body = {0};

	put16(&body, link_type);
	put16(&body, 0);
	put32(&body, 65535);
	if (options) {
		put16(&body, 2); /* if_name */
		put16(&body, 4);
		put(&body, "eth0", 4);
		put16(&body, 9); /* if_tsresol: nanoseconds */
		put16(&body, 1);
		put(&body, "\x09\0\0\0", 4);
		put32(&body, 0);
	}
	block(b, 1, &body, 0, 0);
	free(body.at);
}

static void packet(struct bytes *b, uint32_t number, uint32_t stored, uint32_t claimed,
		   int32_t wrong_at_end)
{
	struct bytes body = {0};

	put32(&body, number);
	put32(&body, 0);
	put32(&body, 1000);
	put32(&body, claimed);
	put32(&body, claimed);
	put(&body, NULL, stored);
	block(b, 6, &body, 0, wrong_at_end);
	free(body.at);
}

static void other_block(struct bytes *b, uint32_t type, const char *bytes, size_t n)
{
	struct bytes body = {0};

	put(&body, bytes, n);
	block(b, type, &body, 0, 0);
	free(body.at);
}

START_TEST(good_pcapng)
{
	struct bytes b = {0};

	section(&b);
	interface(&b, 1, true);
	interface(&b, 1, false);
	packet(&b, 0, 60, 60, 0);
	/* Name resolution: 10.0.0.1 is "host"; statistics; custom; a type that nobody knows. */
	other_block(&b, 4, "\1\0\11\0\12\0\0\1host\0\0\0\0\0\0\0\0", 20);
	other_block(&b, 5, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
	other_block(&b, 0x0bad, "\0\0\0\0abcd", 8);
	other_block(&b, 0x7777, "whatever it holds...", 20);
	packet(&b, 1, 60, 60, 0);
	json_t *doc = good_json(cli("replay", "--json", save_bytes("good.pcapng", &b)), 0);
	ck_assert_uint_eq(count_at(doc, "packets"), 2);
	ck_assert_uint_eq(count_at(doc, "capture_bytes"), 120);
	json_decref(doc);
}
END_TEST

START_TEST(broken_pcapng)
{
	enum { HEAD = 28 + 20, PACKET = 12 + 20 + 60 };
	struct bytes b = {0};
	const char *path;

	/* The lengths before and behind a block differ. */
	section(&b);
	interface(&b, 1, false);
	packet(&b, 0, 60, 60, 0);
	packet(&b, 0, 60, 60, 4);
	path = save_bytes("lengths.pcapng", &b);
	fails(cli("replay", path), 1, path, "packet 2 at byte 140");
	ck_assert_uint_eq(HEAD + PACKET, 140);
	/* A length that is no multiple of four, too small, or absurd. */
	static const uint32_t lengths[] = {93, 8, 0, 0x7ffffff0, 0xfffffff0};
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		section(&b);
		interface(&b, 1, false);
		packet(&b, 0, 60, 60, 0);
		put32(&b, 6);
		put32(&b, lengths[i]);
		put(&b, NULL, 200);
		path = save_bytes("length.pcapng", &b);
		fails(cli("replay", path), 1, path, "packet 2 at byte 140");
	}
	/* More packet than block. */
	section(&b);
	interface(&b, 1, false);
	packet(&b, 0, 60, 2000, 0);
	path = save_bytes("inner.pcapng", &b);
	fails(cli("replay", path), 1, path, "packet 1 at byte 48");
	/* An interface that nobody described; none at all. */
	section(&b);
	interface(&b, 1, false);
	packet(&b, 7, 60, 60, 0);
	path = save_bytes("interface.pcapng", &b);
	fails(cli("replay", path), 1, path, "packet 1 at byte 48");
	section(&b);
	path = save_bytes("section.pcapng", &b);
	fails(cli("replay", path), 1, path, "not a pcap or pcapng capture");
	/* Interfaces of two link types. */
	section(&b);
	interface(&b, 1, false);
	interface(&b, 113, false);
	packet(&b, 0, 60, 60, 0);
	packet(&b, 1, 60, 60, 0);
	path = save_bytes("mixed.pcapng", &b);
	fails(cli("replay", path), 1, path, "different from the type of the first");
	/* One that is not Ethernet. */
	section(&b);
	interface(&b, 113, false);
	packet(&b, 0, 60, 60, 0);
	path = save_bytes("sll.pcapng", &b);
	fails(cli("replay", path), 1, path, "LINUX_SLL");
	/* The file ends inside a block. */
	section(&b);
	interface(&b, 1, false);
	packet(&b, 0, 60, 60, 0);
	packet(&b, 0, 60, 60, 0);
	for (size_t cut = 1; cut < PACKET; cut += 9) {
		path = save("cut.pcapng", b.at, b.n - cut);
		json_t *doc = good_json(cli("replay", "--json", path), 1);
		ck_assert_uint_eq(count_at(doc, "packets"), 1);
		ck_assert(json_is_true(at(doc, "truncated")));
		json_decref(doc);
		fails(cli("replay", "--strict", path), 1, path, "packet 2 at byte 140");
	}
	free(b.at);
}
END_TEST

/* Whatever byte is changed: an answer or one line, never a crash, never a hang. */
START_TEST(spoilt_bytes)
{
	struct bytes pcap = {0}, ng = {0};
	uint64_t seed = 99;

	three_packets(&pcap);
	section(&ng);
	interface(&ng, 1, true);
	for (int i = 0; i < 3; i++)
		packet(&ng, 0, 60, 60, 0);
	for (unsigned i = 0; i < 300; i++) {
		struct bytes *b = i % 2 ? &pcap : &ng;
		size_t where = i / 2 < 60 ? i / 2 : (size_t)(seed >> 40) % b->n;
		uint8_t before = b->at[where];

		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		b->at[where] = i % 3 ? (uint8_t)(seed >> 33) : 0xff;
		const char *path = save("spoilt", b->at, b->n);
		struct output o = cli("replay", "--json", "--quiet", path);
		ck_assert_msg(o.code == 0 || o.code == 1, "byte %zu: exit %d, signal %d", where,
			      o.code, o.signal);
		if (o.code) {
			fails(o, 1, path, NULL);
		} else {
			json_decref(good_json(o, 0));
		}
		b->at[where] = before;
	}
	free(pcap.at);
	free(ng.at);
}
END_TEST

/* ---- several files, standard input, compressed files ---- */

START_TEST(several_files)
{
	struct bytes b = {0};

	three_packets(&b);
	const char *three = save_bytes("three.pcap", &b);
	pcap_header(&b, true, 65535, 1);
	record(&b, 5, 0, 100, 1000, 1);
	const char *one = save_bytes("one.pcap", &b);
	json_t *doc = good_json(cli("replay", "--json", three, one, three), 0);
	ck_assert_uint_eq(count_at(doc, "packets"), 7);
	ck_assert_uint_eq(count_at(doc, "capture_bytes"), 180 + 1000 + 180);
	ck_assert_uint_eq(count_at(doc, "trace.files"), 3);
	ck_assert_uint_eq(count_at(doc, "trace.cut"), 1);
	json_decref(doc);
	/* One of them from standard input. */
	doc = good_json(cli_from(three, "replay", "--json", one, "-"), 0);
	ck_assert_uint_eq(count_at(doc, "packets"), 4);
	json_decref(doc);
	fails(cli_from(three, "replay", "-", "-"), 1, "standard input", NULL);
	fails(cli_from(three, "replay", "--repeat", "2", "-"), 1, "standard input", NULL);
}
END_TEST

START_TEST(compressed)
{
	struct bytes b = {0};
	char path[PATH_MAX];

	three_packets(&b);
	snprintf(path, sizeof(path), "%s/three.pcap.gz", test_tmpdir());
	gzFile z = gzopen(path, "wb");
	ck_assert_ptr_nonnull(z);
	ck_assert_int_eq(gzwrite(z, b.at, (unsigned)b.n), (int)b.n);
	ck_assert_int_eq(gzclose(z), Z_OK);
	json_t *doc = good_json(cli("replay", "--json", path), 0);
	ck_assert_uint_eq(count_at(doc, "packets"), 3);
	json_decref(doc);
	doc = good_json(cli_from(path, "replay", "--json", "-"), 0);
	ck_assert_uint_eq(count_at(doc, "packets"), 3);
	json_decref(doc);
	/* A gzip file that stops early is a truncated capture. */
	size_t n;
	char *whole = slurp(path, &n);
	const char *cut = save("cut.gz", whole, n - 9);
	struct output o = cli("replay", "--json", "--quiet", cut);
	ck_assert_int_eq(o.code, 0);
	ck_assert_ptr_nonnull(strstr(o.out, "\"truncated\": true"));
	output_free(&o);
	fails(cli("replay", "--strict", cut), 1, cut, NULL);
	free(whole);
#ifdef HAVE_ZSTD
	uint8_t packed[1024];
	size_t size = ZSTD_compress(packed, sizeof(packed), b.at, b.n, 1);
	ck_assert(!ZSTD_isError(size));
	doc = good_json(cli("replay", "--json", save("three.pcap.zst", packed, size)), 0);
	ck_assert_uint_eq(count_at(doc, "packets"), 3);
	json_decref(doc);
#endif
	free(b.at);
}
END_TEST

void add_cli_input(Suite *suite)
{
	TCase *t = tcase_create("input");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, no_captures);
	tcase_add_test(t, other_link_types);
	tcase_add_test(t, too_long_a_record);
	tcase_add_test(t, truncated);
	tcase_add_test(t, zero_length);
	tcase_add_test(t, odd_times);
	tcase_add_test(t, deep_vlan);
	tcase_add_test(t, cut_headers);
	tcase_add_test(t, good_pcapng);
	tcase_add_test(t, broken_pcapng);
	tcase_add_test(t, spoilt_bytes);
	tcase_add_test(t, several_files);
	tcase_add_test(t, compressed);
	suite_add_tcase(suite, t);
}

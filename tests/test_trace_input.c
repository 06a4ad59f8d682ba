/* SPDX-License-Identifier: BSD-3-Clause */
/* Station 1: compressed files and standard input. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "trace_files.h"

static void gzip(struct bytes *to, const uint8_t *data, size_t n)
{
	z_stream z = {0};
	size_t room = deflateBound(&z, n) + 100;
	uint8_t *out = malloc(room);
	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (uint8_t *)data;
	z.avail_in = (uInt)n;
	z.next_out = out;
	z.avail_out = (uInt)room;
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	put(to, out, z.total_out);
	deflateEnd(&z);
	free(out);
}

static void many_packets(struct bytes *b, unsigned n)
{
	pcap_header(b, false, 65535, 1);
	for (unsigned i = 0; i < n; i++) {
		record(b, i, 0, 200, 200, (uint8_t)i);
		for (unsigned k = 1; k < 200; k++) /* does not compress well */
			b->at[b->n - k] = (uint8_t)((i * 256 + k) * (i + k) * 2654435761u >> 23);
	}
}

static void check_many(const struct result *r, size_t n)
{
	ck_assert_uint_eq(r->n, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(r->first[i], (uint8_t)i);
		ck_assert_uint_eq(r->frames[i].time_ps, i * CQESIM_PS_PER_S);
	}
}

START_TEST(gzip_files)
{
	struct bytes b = {0}, z = {0};
	many_packets(&b, 1500);
	/* Two members, the border inside a record, and padding with zeros. */
	gzip(&z, b.at, 100001);
	size_t first = z.n;
	gzip(&z, b.at + 100001, b.n - 100001);
	size_t end = z.n;
	put(&z, NULL, 512);
	struct result r = read_path(save("m.pcap.gz", z.at, z.n), NULL);
	ck_assert_int_eq(r.rc, 0);
	check_many(&r, 1500);
	ck_assert(!r.stats.truncated);
	ck_assert_uint_eq(r.stats.bytes_total, z.n);
	ck_assert_uint_eq(r.stats.bytes_read, z.n);

	/* Cut inside the second member: a truncated capture. */
	const char *path = save("cut.pcap.gz", z.at, end - 20000);
	r = read_path(path, NULL);
	ck_assert_int_eq(r.rc, 0);
	ck_assert(r.stats.truncated && r.n > 400 && r.n < 1500);
	check_many(&r, r.n);
	char where[PATH_MAX + 100];
	snprintf(where, sizeof(where), "%s: packet %zu at byte %zu: the ", path, r.n + 1,
		 24 + r.n * 216);
	ck_assert_int_eq(strncmp(r.stats.truncated_where, where, strlen(where)), 0);
	r = read_path(path, &(struct cqesim_trace_config){.strict = true});
	ck_assert_int_eq(r.rc, -EINVAL);

	/* Only the trailer is missing: all packets are there, the file still ends early. */
	path = save("cut2.pcap.gz", z.at, end - 3);
	r = read_path(path, NULL);
	check_many(&r, 1500);
	snprintf(where, sizeof(where),
		 "%s: packet 1501 at byte 324024: the compressed data ends early", path);
	ck_assert_str_eq(r.stats.truncated_where, where);

	/* Damage in the second member is an error; what came before stands. */
	z.at[first + 30000] ^= 0xff;
	z.at[end - 5] ^= 0xff;
	path = save("bad.pcap.gz", z.at, z.n);
	r = read_path(path, NULL);
	ck_assert_int_eq(r.rc, -EINVAL);
	ck_assert_uint_gt(r.n, 400);
	ck_assert_ptr_nonnull(strstr(r.err.text, "corrupt gzip data: "));
	z.at[first + 30000] ^= 0xff;
	path = save("bad2.pcap.gz", z.at, z.n);
	r = read_path(path, NULL);
	ck_assert_int_eq(r.rc, -EINVAL);
	ck_assert_ptr_nonnull(strstr(r.err.text, "corrupt gzip data: incorrect data check"));
	free(b.at);
	free(z.at);
}
END_TEST

START_TEST(zstd_files)
{
	struct bytes b = {0}, z = {0};
	many_packets(&b, 1500);
#ifdef HAVE_ZSTD
	size_t room = ZSTD_compressBound(b.n);
	uint8_t *out = malloc(room);
	put(&z, "\x50\x2a\x4d\x18\x04\0\0\0abcd", 12); /* a frame to be skipped, as pzstd writes */
	put(&z, out, ZSTD_compress(out, room, b.at, 100001, 3));
	size_t n = ZSTD_compress(out, room, b.at + 100001, b.n - 100001, 3);
	put(&z, out, n);
	free(out);
	struct result r = read_path(save("m.pcap.zst", z.at, z.n), NULL);
	ck_assert_int_eq(r.rc, 0);
	check_many(&r, 1500);
	ck_assert(!r.stats.truncated);

	r = read_path(save("cut.pcap.zst", z.at, z.n - 1000), NULL);
	ck_assert_int_eq(r.rc, 0);
	ck_assert(r.stats.truncated && r.n < 1500);
	check_many(&r, r.n);

	memset(z.at + z.n - n, 'x', 4); /* where the second frame begins */
	r = read_path(save("bad.pcap.zst", z.at, z.n), NULL);
	ck_assert_int_eq(r.rc, -EINVAL);
	ck_assert_ptr_nonnull(strstr(r.err.text, "corrupt zstd data: "));
#else
	put(&z, "\x28\xb5\x2f\xfd\0\0\0\0", 8);
	open_fails(save("m.pcap.zst", z.at, z.n), -EINVAL,
		   "zstd-compressed; this build has no libzstd");
#endif
	free(b.at);
	free(z.at);
}
END_TEST

/* Write to a pipe from a child, byte by byte at first, and make it standard input. */
static int feed_stdin(const uint8_t *data, size_t n)
{
	int ends[2], saved = dup(0);
	ck_assert_int_eq(pipe(ends), 0);
	if (fork() == 0) {
		for (size_t i = 0; i < n;) {
			ssize_t w = write(ends[1], data + i, i < 100 ? 1 : n - i);
			if (w <= 0)
				_exit(1);
			i += (size_t)w;
		}
		_exit(0);
	}
	close(ends[1]);
	dup2(ends[0], 0);
	close(ends[0]);
	return saved;
}

START_TEST(standard_input)
{
	struct bytes b = {0}, z = {0};
	many_packets(&b, 1500);
	gzip(&z, b.at, b.n);
	const struct bytes *sent = _i ? &z : &b;
	int saved = feed_stdin(sent->at, sent->n);
	struct result r = read_path("-", NULL);
	ck_assert_int_eq(r.rc, 0);
	check_many(&r, 1500);
	ck_assert_uint_eq(r.stats.bytes_total, 0);
	ck_assert_uint_eq(r.stats.bytes_read, sent->n);

	dup2(saved, 0);
	close(saved);
	saved = feed_stdin(sent->at, sent->n - 30);
	r = read_path("-", NULL);
	ck_assert(r.stats.truncated);
	ck_assert_int_eq(strncmp(r.stats.truncated_where, "standard input: packet ", 23), 0);
	dup2(saved, 0);
	close(saved);

	struct cqesim_trace *t;
	struct cqesim_error err;
	const char *twice[] = {"-", "-"};
	ck_assert_int_eq(cqesim_trace_open(&t, twice, 2, NULL, &err), -EINVAL);
	ck_assert_str_eq(err.text, "standard input can be read only once");
	struct cqesim_trace_config c = {.repeat = 2};
	ck_assert_int_eq(cqesim_trace_open(&t, twice, 1, &c, &err), -EINVAL);
	ck_assert_str_eq(err.text, "standard input can be read only once");

	/* Nor can a pipe with a name: opened again it would wait for ever. */
	char fifo[4096];
	snprintf(fifo, sizeof(fifo), "%s/repeated.fifo", test_tmpdir());
	unlink(fifo);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	const char *path = fifo;
	ck_assert_int_eq(cqesim_trace_open(&t, &path, 1, &c, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "it can be read only once"));
	free(b.at);
	free(z.at);
}
END_TEST

void add_trace_input(Suite *suite)
{
	TCase *c = tcase_create("input");
	tcase_add_test(c, gzip_files);
	tcase_add_test(c, zstd_files);
	tcase_add_loop_test(c, standard_input, 0, 2);
	tcase_set_timeout(c, 120);
	suite_add_tcase(suite, c);
}

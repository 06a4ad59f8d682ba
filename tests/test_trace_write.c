/* SPDX-License-Identifier: BSD-3-Clause */
/* Station 1: traces written to files and read again; nothing left behind on failure. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace_files.h"

static unsigned files_in(const char *folder)
{
	unsigned n = 0;
	DIR *d = opendir(folder);
	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

START_TEST(write_and_read_again)
{
	char folder[PATH_MAX - 100], path[PATH_MAX];
	snprintf(folder, sizeof(folder), "%s/written", test_tmpdir());
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	snprintf(path, sizeof(path), "%s/out.pcap", folder);
	uint64_t packets = 0;
	struct cqesim_trace *t = open_workload("packets=600,flows=5,frame=imix,rate=3.5Mpps", NULL);
	ck_assert_int_eq(cqesim_trace_write_pcap(t, path, &packets, NULL), 0);
	cqesim_trace_close(t);
	ck_assert_uint_eq(packets, 600);
	ck_assert_uint_eq(files_in(folder), 1);
	struct stat st;
	ck_assert_int_eq(stat(path, &st), 0);
	/* 24 bytes, and 16 for each record; 350, 200 and 50 frames. */
	ck_assert_int_eq(st.st_size, 24 + 600 * 16 + 350 * 60 + 200 * 590 + 50 * 1514);
	FILE *file = fopen(path, "rb");
	uint8_t head[24];
	ck_assert_uint_eq(fread(head, 1, 24, file), 24);
	fclose(file);
	ck_assert_int_eq(
		memcmp(head, "\x4d\x3c\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\1\0\0\0", 24), 0);

	const char *paths[] = {path};
	ck_assert_int_eq(cqesim_trace_open(&t, paths, 1, NULL, NULL), 0);
	const struct cqesim_frame *f;
	uint64_t at = 0;
	for (int n; (n = cqesim_trace_next(t, &f, NULL)) > 0;)
		for (int i = 0; i < n; i++, at++) {
			ck_assert_uint_eq(f[i].cap_len, f[i].orig_len); /* whole frames */
			check_frame(f[i].data, f[i].cap_len, 0, false, false);
			ck_assert_uint_eq(f[i].time_ps, at * 2000000 / 7 / 1000 * 1000);
		}
	ck_assert_uint_eq(at, 600);
	cqesim_trace_close(t);

	/* Over an existing file, through a link; a capture keeps its cuts. */
	char link[PATH_MAX];
	snprintf(link, sizeof(link), "%s/link.pcap", folder);
	ck_assert_int_eq(symlink("out.pcap", link), 0);
	struct bytes b = {0};
	pcap_header(&b, false, 65535, 1);
	record(&b, 77, 0, 40, 1500, 5);
	record(&b, 78, 3, 20, 20, 6);
	const char *in = save_bytes("cutframes.pcap", &b);
	ck_assert_int_eq(cqesim_trace_open(&t, &in, 1, NULL, NULL), 0);
	ck_assert_int_eq(cqesim_trace_write_pcap(t, link, &packets, NULL), 0);
	cqesim_trace_close(t);
	ck_assert_uint_eq(packets, 2);
	ck_assert_uint_eq(files_in(folder), 2);
	ck_assert_int_eq(lstat(link, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	struct result r = read_path(path, NULL);
	ck_assert_uint_eq(r.n, 2);
	ck_assert_uint_eq(r.frames[0].cap_len, 40);
	ck_assert_uint_eq(r.frames[0].orig_len, 1500);
	ck_assert_uint_eq(r.frames[1].time_ps, CQESIM_PS_PER_S + 3 * PS_PER_US);
	ck_assert_uint_eq(r.first[0], 5);
}
END_TEST

static void write_fails(struct cqesim_trace *t, const char *path, int code, const char *words)
{
	struct cqesim_error err = {""};
	uint64_t packets;
	ck_assert_int_eq(cqesim_trace_write_pcap(t, path, &packets, &err), code);
	ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
	cqesim_trace_close(t);
}

START_TEST(write_failures)
{
	char folder[PATH_MAX - 100], path[PATH_MAX];
	snprintf(folder, sizeof(folder), "%s/failed", test_tmpdir());
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	snprintf(path, sizeof(path), "%s/out.pcap", folder);
	write_fails(open_workload("packets=1", NULL), "/dev/full", -ENOSPC,
		    "/dev/full: No space left on device");
	write_fails(open_workload("packets=100k", NULL), "/dev/full", -ENOSPC,
		    "/dev/full: No space left on device");
	write_fails(open_workload("packets=1", NULL), folder, -EISDIR, ": Is a directory");
	write_fails(open_workload("packets=1", NULL), "/nonexistent/x.pcap", -ENOENT,
		    "/nonexistent/x.pcap: No such file or directory");
	/* A broken input leaves the old file alone and no new one behind. */
	struct bytes b = {0};
	three_packets(&b);
	b.at[24 + 76 + 76 + 8 + 3] = 0x7f; /* a stored length of 2 GB */
	const char *in = save_bytes("broken.pcap", &b);
	for (int i = 0; i < 2; i++) {
		struct cqesim_trace *t;
		ck_assert_int_eq(cqesim_trace_open(&t, &in, 1, NULL, NULL), 0);
		write_fails(t, path, -EINVAL, "packet 3 at byte 176: invalid packet capture");
		ck_assert_uint_eq(files_in(folder), (unsigned)i);
		FILE *f = fopen(path, "wb"); /* the second time there is one */
		fclose(f);
	}
	struct stat st;
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	struct cqesim_trace *t = open_workload("packets=1000", NULL);
	ck_assert_int_eq(cqesim_trace_write_pcap(t, "/dev/null", NULL, NULL), 0);
	cqesim_trace_close(t);
	ck_assert_int_eq(stat("/dev/null", &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(write_to_standard_output)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/stdout.pcap", test_tmpdir());
	fflush(stdout);
	int saved = dup(1), fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	dup2(fd, 1);
	close(fd);
	struct cqesim_trace *t = open_workload("packets=10", NULL);
	int rc = cqesim_trace_write_pcap(t, "-", NULL, NULL);
	dup2(saved, 1);
	close(saved);
	cqesim_trace_close(t);
	ck_assert_int_eq(rc, 0);
	struct result r = read_path(path, NULL);
	ck_assert_uint_eq(r.n, 10);
}
END_TEST

void add_trace_write(Suite *suite)
{
	TCase *c = tcase_create("write");
	tcase_add_test(c, write_and_read_again);
	tcase_add_test(c, write_failures);
	tcase_add_test(c, write_to_standard_output);
	suite_add_tcase(suite, c);
}

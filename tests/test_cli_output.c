/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_cli_output.c - output that cannot be written, runs that are interrupted:
 * one line, the right exit status, and no file that looks like a result.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "cli_run.h"
#include "trace_files.h"

static const char *capture(void)
{
	struct bytes b = {0};

	three_packets(&b);
	return save_bytes("three.pcap", &b);
}

/* An empty folder; the path is valid until the next call. */
static const char *folder(void)
{
	static char path[PATH_MAX];
	static int number;

	snprintf(path, sizeof(path), "%s/out-%d-%d", test_tmpdir(), getpid(), number++);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	return path;
}

static unsigned entries(const char *path)
{
	struct dirent *e;
	unsigned n = 0;
	DIR *d = opendir(path);

	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d)) != NULL)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

/* ---- where it works ---- */

START_TEST(files)
{
	const char *dir = folder(), *path = capture();
	char report[PATH_MAX + 16], feed[PATH_MAX + 16], link[PATH_MAX + 16];
	struct stat st;

	snprintf(report, sizeof(report), "%s/report", dir);
	snprintf(feed, sizeof(feed), "%s/feed", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	struct output o = cli("replay", "--json", "--output", report, path);
	ck_assert_int_eq(o.code, 0);
	ck_assert_str_eq(o.out, "");
	ck_assert_str_eq(o.err, "");
	output_free(&o);
	json_error_t error;
	json_t *doc = json_load_file(report, 0, &error);
	ck_assert_msg(doc != NULL, "%s", error.text);
	json_decref(doc);
	/* Readable as the umask says. */
	mode_t mask = umask(0);
	umask(mask);
	ck_assert_int_eq(stat(report, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0666 & ~mask);

	/* A file that is there is replaced, through a link too; the link stays. */
	ck_assert_int_eq(symlink("report", link), 0);
	o = cli("replay", "--csv", "--output", link, path);
	ck_assert_int_eq(o.code, 0);
	output_free(&o);
	ck_assert_int_eq(lstat(link, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	char *text = slurp(report, NULL);
	ck_assert_ptr_eq(strstr(text, "queue,"), text);
	free(text);

	/* A feed: its magic, and the command that fits in the report. */
	o = cli("replay", "--dump-cq", feed, path);
	ck_assert_int_eq(o.code, 0);
	ck_assert_ptr_nonnull(strstr(o.out, "pmd_referee --feed "));
	ck_assert_ptr_nonnull(strstr(o.out, feed));
	output_free(&o);
	size_t size;
	text = slurp(feed, &size);
	ck_assert_int_eq(memcmp(text, "CQFEED01", 8), 0);
	ck_assert_uint_ge(size, 8 + 3 * (4 + 64) + 8);
	free(text);
	/* Beside a document the command must not spoil it. */
	json_decref(good_json(cli("replay", "--json", "--compare", "--dump-cq", feed, path), 3));
	ck_assert_uint_eq(entries(dir), 3);
	/* What is replaced keeps its mode. */
	ck_assert_int_eq(chmod(report, 0600), 0);
	o = cli("replay", "--csv", "--output", report, path);
	ck_assert_int_eq(o.code, 0);
	output_free(&o);
	ck_assert_int_eq(stat(report, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
}
END_TEST

/* The capture itself is no place for an output. */
START_TEST(output_is_input)
{
	const char *path = capture(), *dir = folder();
	char other[PATH_MAX + 16];
	size_t before, after;

	free(slurp(path, &before));
	snprintf(other, sizeof(other), "%s/link", dir);
	ck_assert_int_eq(symlink(path, other), 0);
	fails(cli("replay", "--output", path, path), 2, "--output", "the capture to be replayed");
	fails(cli("replay", "--output", other, path), 2, "--output", "the capture to be replayed");
	fails(cli("replay", "--dump-cq", path, path), 2, "--dump-cq", "the capture to be replayed");
	fails(cli("replay", "--dump-cq", "", path), 2, "--dump-cq", "expected a file name");
	free(slurp(path, &after));
	ck_assert_uint_eq(before, after);
}
END_TEST

/* ---- where it does not ---- */

/* Two outputs in one place would write over each other. */
START_TEST(outputs_in_one_place)
{
	const char *dir = folder(), *path = capture();
	char out[PATH_MAX + 16];

	snprintf(out, sizeof(out), "%s/out", dir);
	fails(cli("replay", "--dump-tlp", out, "--output", out, path), 2, "--dump-tlp", NULL);
	fails(cli("replay", "--dump-tlp", out, "--dump-cq", out, path), 2, "dump-cq", NULL);
	fails(cli("replay", "--timeline", out, "--dump-cq", out, path), 2, "--timeline", NULL);
	fails(cli("replay", "--dump-tlp", "-", path), 2, "--dump-tlp -", NULL);
	ck_assert_uint_eq(entries(dir), 0);
	struct output o = cli("replay", "--quiet", "--dump-tlp", out, path);
	ck_assert_int_eq(o.code, 0);
	ck_assert_ptr_nonnull(strstr(o.out, "TLPs; to look into it"));
	ck_assert_uint_eq(entries(dir), 1);
	output_free(&o);
}
END_TEST

START_TEST(cannot_be_written)
{
	const char *path = capture(), *dir = folder();
	char there[PATH_MAX + 16], feed[PATH_MAX + 16];

	fails(cli("replay", "--output", "/nonexistent/report", path), 1, "/nonexistent/report",
	      "cannot write");
	fails(cli("replay", "--output", dir, path), 1, dir, "directory");
	fails(cli("replay", "--dump-cq", "/nonexistent/feed", path), 1, "/nonexistent/feed",
	      "cannot write");
	fails(cli("replay", "--dump-cq", dir, path), 1, dir, "directory");
	fails(cli("gen", "--synthetic", "packets=10", "/nonexistent/file"), 1, "/nonexistent/file",
	      NULL);
	fails(cli("gen", "--synthetic", "packets=10", dir), 1, dir, "directory");
	ck_assert_uint_eq(entries(dir), 0);

	/* A run that fails leaves neither report nor feed, and an older report alone. */
	struct bytes b = {0};
	pcap_header(&b, false, 65535, 1);
	for (unsigned i = 0; i < 1000; i++)
		record(&b, i, 0, 60, 60, 1);
	record(&b, 1000, 0, 300000, 300000, 2);
	const char *broken = save_bytes("broken.pcap", &b);
	snprintf(there, sizeof(there), "%s/report", dir);
	snprintf(feed, sizeof(feed), "%s/feed", dir);
	fails(cli("replay", "--output", there, "--dump-cq", feed, broken), 1, broken,
	      "packet 1001");
	ck_assert_uint_eq(entries(dir), 0);
	struct output o = cli("replay", "--csv", "--output", there, path);
	ck_assert_int_eq(o.code, 0);
	output_free(&o);
	fails(cli("replay", "--json", "--output", there, broken), 1, broken, NULL);
	ck_assert_uint_eq(entries(dir), 1);
	char *text = slurp(there, NULL);
	ck_assert_ptr_eq(strstr(text, "queue,"), text);
	free(text);
	/* The report fails after the run: no feed either. */
	unlink(there);
	fails(cli("replay", "--output", "/nonexistent/report", "--dump-cq", feed, path), 1,
	      "/nonexistent/report", NULL);
	ck_assert_uint_eq(entries(dir), 0);
}
END_TEST

/* The standard output that is full, closed, or a pipe that nobody reads. */
START_TEST(bad_standard_output)
{
	static const char *const args[][6] = {
		{"replay", "--json", NULL}, /* and the capture */
		{"replay", "--csv", NULL},
		{"replay", NULL},
		{"replay", "--compare", NULL},
		{"--help", NULL},
		{"replay", "--help", NULL},
		{"--version", NULL},
		{"models", NULL},
		{"models", "--json", NULL},
		{"models", "show", "connectx-5", NULL},
		{"models", "show", "connectx-5", "--json", NULL},
		{"gen", "--synthetic", "packets=100", "-", NULL},
	};
	const char *path = capture();
	char err[PATH_MAX];
	int ends[2];

	snprintf(err, sizeof(err), "%s/err", test_tmpdir());
	ck_assert_int_eq(pipe(ends), 0);
	close(ends[0]);
	int readable = open("/dev/null", O_RDONLY);
	const struct streams bad[] = {
		{.out = "/dev/full", .err = err},
		{.out_fd = ends[1], .err = err},
		{.out_fd = readable, .err = err}, /* as when it is closed: cannot be written to */
	};
	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++)
		for (size_t k = 0; k < 3; k++) {
			const char *with[8] = {NULL};
			struct output o = {0};
			unsigned n = 0;

			for (; args[i][n]; n++)
				with[n] = args[i][n];
			if (i < 4)
				with[n] = path;
			cli_wait(cli_start(&bad[k], with), &o);
			o.out = strdup("");
			o.err = slurp(err, NULL);
			ck_assert_msg(o.code == 1, "case %zu, %zu: exit %d, signal %d: %s", i, k,
				      o.code, o.signal, o.err);
			/* A reader that has enough is nothing to complain about in a report. */
			if (k == 1 && !*o.err) {
				output_free(&o);
				continue;
			}
			fails(o, 1, "standard output", NULL);
		}
	close(ends[1]);
	close(readable);
	fails(cli("gen", "--synthetic", "packets=100k", "/dev/full"), 1, "/dev/full",
	      "No space left");
	fails(cli("replay", "--output", "/dev/full", path), 1, "/dev/full", "No space left");
	fails(cli("replay", "--json", "--output", "/dev/full", path), 1, "/dev/full",
	      "No space left");
	fails(cli("replay", "--dump-cq", "/dev/full", "--synthetic", "packets=100k"), 1,
	      "/dev/full", "No space left");
	/* So few packets that it shows only when the feed is closed: the report was given before.
	 */
	struct output o = cli("replay", "--dump-cq", "/dev/full", path);
	ck_assert_int_eq(o.code, 1);
	ck_assert_uint_eq(lines_of(o.err), 1);
	ck_assert_ptr_nonnull(strstr(o.err, "/dev/full: cannot write: No space left"));
	output_free(&o);
}
END_TEST

/* Without a standard output at all a feed must not become one. */
START_TEST(closed_standard_output)
{
	const char *dir = folder(), *path = capture();
	char command[4 * PATH_MAX], feed[PATH_MAX + 16];

	snprintf(feed, sizeof(feed), "%s/feed", dir);
	snprintf(command, sizeof(command), "'%s' replay --dump-cq '%s' '%s' >&- 2>/dev/null",
		 cli_program(), feed, path);
	int status = system(command);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 1);
	ck_assert_uint_eq(entries(dir), 0);
	/* With no standard stream at all it still works. */
	snprintf(command, sizeof(command), "'%s' replay --json --output '%s' '%s' <&- >&- 2>&-",
		 cli_program(), feed, path);
	ck_assert_int_eq(system(command), 0);
	json_t *doc = json_load_file(feed, 0, NULL);
	ck_assert_ptr_nonnull(doc);
	json_decref(doc);
}
END_TEST

/* ---- interrupted ---- */

static void wait_a_moment(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Long runs, killed in the middle: nothing is left. */
START_TEST(killed)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
	const char *dir = folder();
	char file[PATH_MAX + 16], out[PATH_MAX], err[PATH_MAX];

	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	snprintf(file, sizeof(file), "%s/file", dir);
	snprintf(out, sizeof(out), "%s/out", test_tmpdir());
	snprintf(err, sizeof(err), "%s/err", test_tmpdir());
	for (int i = 0; i < 3; i++) {
		const struct streams s = {.out = out, .err = err};
		struct output o;
		pid_t pid =
			cli_start(&s, (const char *const[]){"replay", "--dump-cq", file,
							    "--synthetic", "packets=10G", NULL});

		while (!entries(dir)) {
			ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
			wait_a_moment();
		}
		ck_assert_int_ne(access(file, F_OK), 0); /* not under its name yet */
		wait_a_moment();
		kill(pid, signals[i]);
		cli_wait(pid, &o);
		ck_assert_int_eq(o.signal, signals[i]);
		ck_assert_uint_eq(entries(dir), 0);

		pid = cli_start(
			&s, (const char *const[]){"gen", "--synthetic", "packets=10G", file, NULL});
		for (int k = 0; k < 10; k++)
			wait_a_moment();
		kill(pid, signals[i]);
		cli_wait(pid, &o);
		ck_assert_int_eq(o.signal, signals[i]);
		ck_assert_uint_eq(entries(dir), 0);
	}
	unlink(out);
}
END_TEST

/* ---- progress ---- */

/* What a terminal at standard error gets to see of a run of half a second and more. */
static size_t on_terminal(const char *more, char *text, size_t size)
{
	char out[PATH_MAX];
	size_t n = 0;
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	struct output o;

	ck_assert_int_ge(master, 0);
	ck_assert(!grantpt(master) && !unlockpt(master));
	int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(terminal, 0);
	snprintf(out, sizeof(out), "%s/out", test_tmpdir());
	pid_t pid = cli_start(
		&(struct streams){.out = out, .err_fd = terminal},
		(const char *const[]){"replay", "--synthetic", "packets=12M", more, NULL});
	close(terminal);
	for (ssize_t got; n < size - 1 && (got = read(master, text + n, size - 1 - n)) > 0;)
		n += (size_t)got;
	text[n] = '\0';
	cli_wait(pid, &o);
	close(master);
	ck_assert_int_eq(o.code, 0);
	return n;
}

START_TEST(progress)
{
	char text[16384];
	int probe = posix_openpt(O_RDWR | O_NOCTTY);

	if (probe < 0) {
		test_skip("cli progress", "no pseudo-terminals here");
		return;
	}
	close(probe);

	/* With a terminal: rate, share and time left, over one line that is cleared in the end. */
	ck_assert_uint_gt(on_terminal(NULL, text, sizeof(text)), 0);
	ck_assert_ptr_nonnull(strstr(text, "M packets"));
	ck_assert_ptr_nonnull(strstr(text, "left"));
	ck_assert_ptr_null(strchr(text, '\n'));
	ck_assert_str_eq(text + strlen(text) - 4, "\r\033[K");
	ck_assert_uint_eq(on_terminal("--quiet", text, sizeof(text)), 0);
	/* Without one nothing. */
	struct output o = cli("replay", "--synthetic", "packets=12M");
	ck_assert_int_eq(o.code, 0);
	ck_assert_str_eq(o.err, "");
	ck_assert_ptr_null(strchr(o.out, '\r'));
	ck_assert_ptr_null(strchr(o.out, '\033'));
	output_free(&o);
}
END_TEST

void add_cli_output(Suite *suite)
{
	TCase *t = tcase_create("output");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, files);
	tcase_add_test(t, output_is_input);
	tcase_add_test(t, outputs_in_one_place);
	tcase_add_test(t, cannot_be_written);
	tcase_add_test(t, bad_standard_output);
	tcase_add_test(t, closed_standard_output);
	tcase_add_test(t, killed);
	tcase_add_test(t, progress);
	suite_add_tcase(suite, t);
}

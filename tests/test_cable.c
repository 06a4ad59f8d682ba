/* SPDX-License-Identifier: BSD-3-Clause */
/* The cable between two cards: its file, who has an end of it, and those that are killed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_cable.h"

START_TEST(ends)
{
	struct cqesim_error err = {""};
	struct cable a = taken(path()), b = taken(path()), c;
	struct stat st;

	ck_assert_uint_eq(a.end, 0);
	ck_assert_uint_eq(b.end, 1);
	ck_assert_int_eq(stat(path(), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(st.st_size, sizeof(struct cable_file));
	ck_assert_int_eq(cable_take(&c, path(), &err), -EBUSY);
	ck_assert_ptr_nonnull(strstr(err.text, path()));
	ck_assert_ptr_nonnull(strstr(err.text, "both are taken"));
	cable_leave(&c); /* nothing */
	cable_leave(&a);
	ck_assert(is_there());
	a = taken(path());
	ck_assert_uint_eq(a.end, 0);
	cable_leave(&b);
	cable_leave(&a);
	ck_assert(!is_there());
	cable_leave(&a);
	a = taken(path());
	ck_assert_uint_eq(a.end, 0);
	cable_leave(&a);
	ck_assert(!is_there());
}
END_TEST

/* A program has its launcher's end, also when that is gone; nobody else's. */
START_TEST(join)
{
	struct cqesim_error err = {""};
	struct cable launcher = taken(path()), program, other;

	ck_assert_int_eq(cable_join(&program, path(), 1, launcher.token, &err), -EBUSY);
	ck_assert_int_eq(cable_join(&program, path(), 0, launcher.token + 1, &err), -EBUSY);
	ck_assert_ptr_nonnull(strstr(err.text, path()));
	ck_assert_int_eq(cable_join(&program, path(), 0, launcher.token, &err), 0);
	ck_assert_int_eq(cable_plug(&program, &err), 0);
	cable_leave(&launcher);
	other = taken(path());
	ck_assert_uint_eq(other.end, 1);
	ck_assert_int_eq(cable_plug(&other, &err), 0);
	ck_assert(cable_is_up(&other));
	ck_assert_int_eq(put_number(&other, 1), 0);
	ck_assert(get_number(&program, 1));
	cable_leave(&other);
	ck_assert(!cable_is_up(&program));
	cable_leave(&program);
	ck_assert(!is_there());
	/* One end, one card. */
	launcher = taken(path());
	ck_assert_int_eq(cable_join(&program, path(), 0, launcher.token, &err), 0);
	ck_assert_int_eq(cable_join(&other, path(), 0, launcher.token, &err), 0);
	ck_assert_int_eq(cable_plug(&program, &err), 0);
	ck_assert_int_lt(cable_plug(&other, &err), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "another card"));
	cable_leave(&other);
	cable_leave(&launcher);
	ck_assert(is_there());
	cable_leave(&program);
	ck_assert(!is_there());
	ck_assert_int_eq(cable_join(&program, path(), 0, launcher.token, &err), -ENOENT);
}
END_TEST

/* Lost while nobody is there, and not what the next one finds. */
START_TEST(down)
{
	struct cqesim_error err = {""};
	struct cable a = plugged(path()), b = taken(path());

	ck_assert_int_eq(put_number(&a, 0), 0); /* a launcher alone is no card */
	ck_assert_uint_eq(a.counts.down, 1);
	ck_assert_uint_eq(a.counts.out, 0);
	ck_assert_int_eq(cable_plug(&b, &err), 0);
	ck_assert(!get_number(&b, 0));
	for (uint32_t n = 0; n < 10; n++)
		ck_assert_int_eq(put_number(&a, n), 0);
	ck_assert_uint_eq(a.counts.down, 1);
	for (uint32_t n = 0; n < 4; n++)
		ck_assert(get_number(&b, n));
	ck_assert_uint_eq(cable_left(&a), 0);
	cable_unplug(&b);
	ck_assert_uint_eq(cable_left(&a), 6);
	ck_assert_int_eq(put_number(&a, 10), 0);
	ck_assert_uint_eq(a.counts.down, 2);
	ck_assert_int_eq(cable_plug(&b, &err), 0);
	ck_assert(!get_number(&b, 0));
	ck_assert_uint_eq(cable_left(&a), 6);
	ck_assert_int_eq(put_number(&a, 11), 0);
	ck_assert(get_number(&b, 11));
	/* The sender goes: what is on the way arrives. */
	ck_assert_int_eq(put_number(&a, 12), 0);
	ck_assert_uint_eq(cable_on_the_way(&a), 1);
	cable_leave(&a);
	ck_assert(get_number(&b, 12));
	/* A sender that comes anew has not lost what its predecessor did. */
	a = plugged(path());
	ck_assert_uint_eq(cable_left(&a), 0);
	ck_assert_int_eq(put_number(&a, 13), 0);
	ck_assert(get_number(&b, 13));
	cable_leave(&b);
	cable_leave(&a);
	ck_assert(!is_there());
}
END_TEST

/* ---- files that are something else ---- */

static void write_at(off_t offset, const void *bytes, size_t n)
{
	int fd = open(path(), O_WRONLY | O_CREAT, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, bytes, n, offset), (ssize_t)n);
	close(fd);
}

/* Refused in a line that says which and what; still there, and as it was. */
static void refused(const char *words)
{
	struct cqesim_error err = {""};
	struct stat before, after;
	struct cable c;

	ck_assert_int_eq(lstat(path(), &before), 0);
	ck_assert_int_eq(cable_take(&c, path(), &err), -EINVAL);
	ck_assert_msg(strstr(err.text, path()) && strstr(err.text, words) &&
			      strstr(err.text, "expected a cable") && !strchr(err.text, '\n'),
		      "%s", err.text);
	ck_assert_int_eq(lstat(path(), &after), 0);
	ck_assert_int_eq(before.st_size, after.st_size);
	ck_assert_int_eq(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	ck_assert_int_eq(cable_join(&c, path(), 0, 0, &err), -EINVAL);
}

/* What a killed launcher leaves. */
static void left_behind(void)
{
	pid_t pid = fork();

	if (!pid) {
		plugged(path());
		kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert(is_there());
}

START_TEST(foreign)
{
	const uint32_t bad = 999;

	write_at(0, "something", 9);
	refused("9 bytes");
	unlink(path());
	left_behind();
	ck_assert_int_eq(truncate(path(), sizeof(struct cable_file) - 1), 0);
	refused("bytes");
	ck_assert_int_eq(truncate(path(), sizeof(struct cable_file) + 1), 0);
	refused("bytes");
	ck_assert_int_eq(truncate(path(), sizeof(struct cable_file)), 0);
	write_at(0, "x", 1);
	refused("something else");
	unlink(path());
	left_behind();
	write_at(offsetof(struct cable_file, version), &bad, sizeof(bad));
	refused("version 999");
	unlink(path());
	left_behind();
	write_at(offsetof(struct cable_file, slots), &bad, sizeof(bad));
	refused("other sizes");
	unlink(path());
	left_behind();
	ck_assert_int_eq(chmod(path(), 0644), 0);
	refused("mode not 0600");
	unlink(path());
	ck_assert_int_eq(symlink("elsewhere", path()), 0);
	refused("symbolic link");
	unlink(path());
	ck_assert_int_eq(mkfifo(path(), 0600), 0);
	refused("no regular file");
	unlink(path());
}
END_TEST

START_TEST(nowhere)
{
	struct cqesim_error err = {""};
	struct cable c;

	ck_assert_int_lt(cable_take(&c, "/nowhere/at/all", &err), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/at/all"));
	ck_assert_int_lt(cable_take(&c, test_tmpdir(), &err), 0); /* a folder */
	ck_assert_ptr_nonnull(strstr(err.text, test_tmpdir()));
}
END_TEST

/* An empty file, as mktemp makes it, and one whose maker got no further. */
START_TEST(unfinished)
{
	for (unsigned i = 0; i < 2; i++) {
		write_at(0, "", 0);
		chmod(path(), 0644);
		ck_assert_int_eq(truncate(path(), i ? sizeof(struct cable_file) : 0), 0);
		if (i)
			chmod(path(), 0600);
		struct cable a = plugged(path()), b = plugged(path());
		ck_assert_int_eq(put_number(&a, 5), 0);
		ck_assert(get_number(&b, 5));
		cable_leave(&a);
		cable_leave(&b);
		ck_assert(!is_there());
	}
}
END_TEST

Suite *suite_cable(void)
{
	Suite *suite = suite_create("cable");
	TCase *tc = tcase_create("file");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, ends);
	tcase_add_test(tc, join);
	tcase_add_test(tc, down);
	tcase_add_test(tc, foreign);
	tcase_add_test(tc, nowhere);
	tcase_add_test(tc, unfinished);
	suite_add_tcase(suite, tc);
	add_cable_processes(suite);
	add_cable_ring(suite);
	return suite;
}

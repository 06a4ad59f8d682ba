/* SPDX-License-Identifier: BSD-3-Clause */
/* For the suites that run programs on the emulated card. */
#ifndef CARD_RUN_H
#define CARD_RUN_H

#include <dirent.h>
#include <sys/stat.h>

#include "cli_run.h"

/* The other part of the suite card_cli. */
void add_card_symbols(Suite *suite);

/* The folder in which launchers make theirs. */
static inline const char *folders(void)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/card.%d", test_tmpdir(), getpid());
	mkdir(path, 0700);
	setenv("TMPDIR", path, 1);
	return path;
}

/* Entries of a folder; 0 if there is none. */
static inline unsigned entries(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	unsigned n = 0;

	while (folder && (entry = readdir(folder)) != NULL)
		n += entry->d_name[0] != '.';
	if (folder)
		closedir(folder);
	return n;
}

static inline unsigned left_over(void)
{
	return entries(folders());
}

/* Was the library built, which all but usage needs? */
static inline bool has_library(const char *test)
{
	folders();
	struct output o = cli("card", "--no-eal-args", "--", "true");
	bool missing = o.code == 1 && strstr(o.err, "cqesim was built without it");

	ck_assert_msg(missing || o.code == 0, "exit %d: %s", o.code, o.err);
	output_free(&o);
	if (missing)
		test_skip(test, "libcqesim-card.so was not built");
	return !missing;
}

static inline void has(const char *text, const char *words)
{
	ck_assert_msg(strstr(text, words) != NULL, "no \"%s\" in\n%s", words, text);
}

/* Version of the driver that a report tells of: 22.11.11 is 221111; 0: it does not. */
static inline unsigned driver_version(json_t *doc)
{
	const char *text = json_string_value(at(doc, "setup.driver"));
	unsigned year, month, minor;

	if (!text || sscanf(text, "DPDK %u.%u.%u", &year, &month, &minor) != 3)
		return 0;
	return year * 10000 + month * 100 + minor;
}

static inline bool has_driver(const char *test)
{
	if (!has_library(test))
		return false;
	if (system("ldconfig -p 2>/dev/null | grep -q librte_net_mlx5") &&
	    system("ls /usr/lib/*/librte_net_mlx5.so.* >/dev/null 2>&1")) {
		test_skip(test, "DPDK's mlx5 driver is not installed");
		return false;
	}
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		test_skip(test, "it takes two CPUs");
		return false;
	}
	return true;
}

static inline bool has_testpmd(const char *test)
{
	if (!has_driver(test))
		return false;
	if (system("command -v dpdk-testpmd >/dev/null 2>&1")) {
		test_skip(test, "dpdk-testpmd is not installed");
		return false;
	}
	return true;
}

#endif

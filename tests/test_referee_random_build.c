/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The judge for random rings: the receive code of the real DPDK driver, of
 * release 22.11 and of 24.11, built from ../shared/referee in a copy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "test_referee_random.h"

#define LOG "referee-random.log"

static bool run(const char *command)
{
	return system(command) == 0;
}

/* Does the program there run with a driver of this release? */
static bool is_release(const char *program, bool newer)
{
	char command[1024], line[128] = "";
	bool found;

	snprintf(command, sizeof(command), "'%s' --version 2>&1", program);
	FILE *f = popen(command, "r");
	if (!f)
		return false;
	found = fgets(line, sizeof(line), f) && strstr(line, newer ? "DPDK 24.11" : "DPDK 22.11");
	pclose(f);
	return found;
}

/* A program that is there already, in a folder like the one that we build in. */
static bool there(struct referee *r, const char *folder, bool newer)
{
	static const char *const places[] = {"build", "build-24.11"};

	/* On a machine with DPDK 24.11 the plain build is the newer one. */
	for (unsigned i = 0; i < 2; i++) {
		snprintf(r->path, sizeof(r->path), "%.400s/%s/pmd_referee", folder, places[i]);
		if (access(r->path, X_OK) == 0 && is_release(r->path, newer))
			return true;
	}
	return false;
}

/* A copy that can be built in, made once. */
static bool copy(const char *folder)
{
	const char *shared = test_shared_dir();
	char command[8192], source[4096];

	snprintf(source, sizeof(source), "%s/pmd_referee.c", folder);
	if (access(source, R_OK) == 0)
		return true;
	snprintf(command, sizeof(command), "cp -r '%s/referee' '%s' && chmod -R u+w '%s'", shared,
		 folder, folder);
	return run(command);
}

/* Runs `how` in the copy once, whether it works or not: a download that failed is not tried again.
 */
static void build(const char *folder, const char *how)
{
	char command[8192], mark[1024];

	snprintf(mark, sizeof(mark), "%s/tried-%s", folder, how[0] == 'm' ? "22.11" : "24.11");
	FILE *f = fopen(mark, "wx");
	if (!f)
		return;
	fclose(f);
	snprintf(command, sizeof(command),
		 "cd '%s' && env -u CFLAGS -u LDFLAGS -u CC %s >>'%s/" LOG "' 2>&1", folder, how,
		 test_tmpdir());
	(void)!run(command);
}

bool referee_find(struct referee *r, bool newer, const char **why)
{
	const char *made = getenv("CQESIM_REFEREE"), *shared = test_shared_dir();
	char folder[512], source[4096];

	r->newer = newer;
	*why = newer ? "CQESIM_REFEREE has no pmd_referee with DPDK 24.11"
		     : "CQESIM_REFEREE has no pmd_referee with DPDK 22.11";
	if (made)
		return there(r, made, newer);
	*why = "../shared not found";
	if (!shared)
		return false;
	snprintf(source, sizeof(source), "%s/referee/pmd_referee.c", shared);
	*why = "../shared/referee not found";
	if (access(source, R_OK))
		return false;
	snprintf(folder, sizeof(folder), "%s/referee", test_tmpdir());
	*why = "../shared/referee cannot be copied";
	if (!copy(folder))
		return false;
	build(folder, "make");
	if (newer && !there(r, folder, true))
		build(folder, "timeout 300 ./build-24.11.sh");
	*why = newer ? "pmd_referee with DPDK 24.11 cannot be built (Debian 13's libdpdk-dev is "
		       "fetched for it)"
		     : "pmd_referee does not build with DPDK 22.11 (needs libdpdk-dev, "
		       "libibverbs-dev, libbsd-dev, libnuma-dev)";
	return there(r, folder, newer);
}

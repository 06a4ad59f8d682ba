/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The real driver for the suite bursts: pmd_referee with the calls of
 * test_referee_bursts_calls.c, built in a copy, with DPDK 22.11 and 24.11.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "test_referee_bursts.h"
#include "test_referee_random.h"

/*
 * How it is built with 24.11: as the suite random found it, whose unpacked
 * package serves here as well.  NULL and a reason if that suite cannot have it.
 */
static const char *newer_recipe(const char **why)
{
	static char recipe[1024];
	struct referee there;

	if (!referee_find(&there, true, why))
		return NULL;
	char *slash = strrchr(there.path, '/');

	*slash = 0;
	if (strcmp(strrchr(there.path, '/'), "/build-24.11"))
		return "make BUILD=build-24.11"; /* the machine's own */
	snprintf(recipe, sizeof(recipe),
		 "mkdir build-24.11 && ln -s \"$(realpath '%s')/debian\" build-24.11/debian && "
		 "./build-24.11.sh",
		 there.path);
	return recipe;
}

const char *bursts_driver(bool newer, const char **why)
{
	static char path[512];
	const char *shared = test_shared_dir(), *top = test_top_srcdir(), *recipe = "make";
	char folder[256], command[16384];

	*why = "../shared/referee not found";
	snprintf(command, sizeof(command), "%s/referee/pmd_referee.c", shared ? shared : "");
	if (!shared || access(command, R_OK) || (newer && !(recipe = newer_recipe(why))))
		return NULL;
	snprintf(folder, sizeof(folder), "%s/bursts-%s", test_tmpdir(), newer ? "24.11" : "22.11");
	snprintf(path, sizeof(path), "%s/build%s/pmd_referee", folder, newer ? "-24.11" : "");
	snprintf(command, sizeof(command),
		 "test -e '%s' || { cp -r '%s/referee' '%s' && chmod -R u+w '%s' && cd '%s' && "
		 "mv pmd_referee.c program.c && "
		 "cp '%s/tests/test_referee_bursts_calls.c' pmd_referee.c && "
		 "unset CFLAGS LDFLAGS CC && %s; } >'%s.log' 2>&1",
		 folder, shared, folder, folder, folder, top, recipe, folder);
	(void)!system(command);
	snprintf(command, sizeof(command), "'%s' --version 2>&1 | grep -q 'DPDK %s'", path,
		 newer ? "24.11" : "22.11");
	*why = newer ? "pmd_referee does not build with DPDK 24.11"
		     : "pmd_referee does not build with DPDK 22.11 (needs libdpdk-dev, "
		       "libibverbs-dev, libbsd-dev, libnuma-dev)";
	return system(command) ? NULL : path;
}

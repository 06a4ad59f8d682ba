/* SPDX-License-Identifier: BSD-3-Clause */
/* referee_run.h - pmd_referee, the real driver's receive code over a ring in memory: built, run. */
#ifndef CQESIM_REFEREE_RUN_H
#define CQESIM_REFEREE_RUN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

/* As the referee's README describes its binary records. */
struct record {
	uint64_t number, ol_flags, timestamp;
	uint32_t length, ptype, rss, mark;
	uint16_t vlan, valid, stride, descriptor;
};
_Static_assert(sizeof(struct record) == 48, "record size");
#define VALID_RSS  1
#define VALID_VLAN 2
#define VALID_MARK 4
#define VALID_TIME 8

static inline bool run(const char *command)
{
	return system(command) == 0;
}

/* Copies the referee's folder and makes `what` there with `command`; NULL and a reason if not. */
static inline const char *referee_make(char path[512], const char *what, const char *command,
				       const char *needs, const char **why)
{
	const char *shared = test_shared_dir(), *tmp = test_tmpdir();
	char source[4096], line[8192];

	*why = "../shared not found";
	if (!shared)
		return NULL;
	snprintf(source, sizeof(source), "%s/referee/pmd_referee.c", shared);
	if (access(source, R_OK)) {
		*why = "../shared/referee not found";
		return NULL;
	}
	snprintf(path, 512, "%s/referee/%s/pmd_referee", tmp, what);
	if (access(path, X_OK) == 0)
		return path;
	snprintf(line, sizeof(line),
		 "{ test -d '%s/referee' || cp -r '%s/referee' '%s/referee'; } && "
		 "chmod -R u+w '%s/referee' && cd '%s/referee' && "
		 "env -u CFLAGS -u LDFLAGS -u CC %s >'%s/referee-%s.log' 2>&1",
		 tmp, shared, tmp, tmp, tmp, command, tmp, what);
	if (!run(line)) {
		*why = needs;
		return NULL;
	}
	return path;
}

/* Builds pmd_referee once for all tests (each runs in its own process); NULL and a reason if not.
 */
static inline const char *referee(const char **why)
{
	static char path[512];

	return referee_make(path, "build", "make",
			    "pmd_referee does not build (needs libdpdk-dev, libibverbs-dev, "
			    "libbsd-dev, libnuma-dev)",
			    why);
}

/* The same with DPDK 24.11, which knows the enhanced layout; fetches a package the first time. */
static inline const char *referee_24_11(const char **why)
{
	static char path[512];

	return referee_make(path, "build-24.11", "timeout 300 ./build-24.11.sh",
			    "pmd_referee for DPDK 24.11 does not build (needs the package "
			    "libdpdk-dev of Debian 13 from a mirror)",
			    why);
}

#endif

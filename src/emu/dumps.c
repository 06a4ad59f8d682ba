/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver's dump files: when a queue fails it opens /var/log/dpdk_mlx5_port_...
 * (PMD mlx5_dump_debug_information), or the same in the working folder where it may
 * not.  With --dumps FOLDER they are made there.
 */
#include <dlfcn.h>
#include <string.h>

#include "emu/internal.h"

#undef fopen64

EMU_API FILE *fopen64(const char *path, const char *mode)
{
	static FILE *(*next)(const char *, const char *);
	static const char prefix[] = "/var/log/dpdk_mlx5_port_";
	char elsewhere[sizeof(((struct emu_settings *)0)->dumps) + 256];

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "fopen64");
	if (emu.settings && *emu.settings->dumps && !strncmp(path, prefix, sizeof(prefix) - 1)) {
		snprintf(elsewhere, sizeof(elsewhere), "%s/%s", emu.settings->dumps,
			 strrchr(path, '/') + 1);
		path = elsewhere;
	}
	return next(path, mode);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output files that appear only when they are complete: written under a
 * temporary name in the same folder, renamed at the end.  "-" is standard
 * output; what exists and is no regular file (a pipe, /dev/null) is written to
 * directly.
 */
#ifndef CQESIM_OUTFILE_H
#define CQESIM_OUTFILE_H

#include <stdio.h>

#include "cqesim/common.h"

struct outfile {
	FILE *stream;
	char *path;
	char *temporary; /* NULL: written directly */
};

int outfile_open(struct outfile *out, const char *path, struct cqesim_error *err);
/* keep: flush, check, give it its name; otherwise, and on any failure, remove it. */
int outfile_close(struct outfile *out, bool keep, struct cqesim_error *err);
/* Remove what is unfinished; async-signal-safe, for use when a signal ends the program. */
void outfile_remove_all(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Many runs of cqesim replay, some at a time. */
#ifndef CQESIM_REPLAY_MANY_H
#define CQESIM_REPLAY_MANY_H

#include <stdbool.h>

/* Job `i` of them: an exit code. */
typedef int (*many_job)(void *context, unsigned i);

/*
 * All jobs, in order of their numbers, up to `threads` at a time; what they do must depend on their
 * number alone.  None begins after one has failed; the first one's exit code.
 */
int many_run(unsigned jobs, unsigned threads, bool quiet, many_job job, void *context);

#endif

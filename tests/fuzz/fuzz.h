/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz.h - what the fuzz targets share.  A target is one function that takes
 * any bytes.  libFuzzer calls it LLVMFuzzerTestOneInput; the test runner, which
 * holds all of them, calls it fuzz_NAME and hands it the files of the corpus.
 */
#ifndef CQESIM_FUZZ_H
#define CQESIM_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef FUZZ_IN_TESTS
#define FUZZ_TARGET(name) int fuzz_##name(const uint8_t *data, size_t size)
#else
#define FUZZ_TARGET(name)                                                                          \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                              \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
#endif

/* 0, as libFuzzer wants it: the input may stay in the corpus. */
int fuzz_capture(const uint8_t *data, size_t size);
int fuzz_profile(const uint8_t *data, size_t size);
int fuzz_ring(const uint8_t *data, size_t size);
int fuzz_dump(const uint8_t *data, size_t size);
int fuzz_sysinfo(const uint8_t *data, size_t size);

/* A property that must hold whatever the input is: a finding if it does not. */
#define FUZZ_REQUIRE(condition)                                                                    \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The same for what the environment has to give: no memory, no files. */
#define FUZZ_NEED(condition)                                                                       \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			perror(#condition);                                                        \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* What struct cqesim_error promises: one line, not empty. */
static inline void fuzz_require_message(const char *text)
{
	FUZZ_REQUIRE(*text);
	for (; *text; text++)
		FUZZ_REQUIRE((unsigned char)*text >= 0x20 && *text != 0x7f);
}

/* A file in memory that holds these bytes; *fd is opened on the first call. */
static inline void fuzz_memory_file(int *fd, const uint8_t *data, size_t size)
{
	if (*fd < 0)
		*fd = memfd_create("cqesim-fuzz", MFD_CLOEXEC);
	FUZZ_NEED(*fd >= 0);
	FUZZ_NEED(ftruncate(*fd, 0) == 0);
	FUZZ_NEED(pwrite(*fd, data, size, 0) == (ssize_t)size);
}

#endif

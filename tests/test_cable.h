/* SPDX-License-Identifier: BSD-3-Clause */
/* For the tests of the cable between two cards: frames that hold their number. */
#ifndef TEST_CABLE_H
#define TEST_CABLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cqesim/trace.h"
#include "emu/cable.h"
#include "test.h"

void add_cable_processes(Suite *suite);
void add_cable_ring(Suite *suite);

/* Of every length, the longest and shortest often. */
static inline uint32_t frame_length(uint32_t number)
{
	const uint32_t span = CABLE_FRAME_MAX - CQESIM_MIN_FRAME + 1;

	if (number % 64 == 7)
		return CABLE_FRAME_MAX;
	if (number % 16 == 3)
		return CQESIM_MIN_FRAME + number * 7919 % span;
	return CQESIM_MIN_FRAME + number % 90;
}

static inline uint8_t frame_byte(uint32_t number, uint32_t at)
{
	return (uint8_t)(number * 31 + at * 7 + (at >> 8));
}

static inline int put_number(struct cable *c, uint32_t number)
{
	static _Thread_local uint8_t frame[CABLE_FRAME_MAX];
	uint32_t length = frame_length(number);

	for (uint32_t i = 0; i < length; i++)
		frame[i] = frame_byte(number, i);
	return cable_put(c, frame, length);
}

/* The next frame, which has to be of this number; false: there is none. */
static inline bool get_number(struct cable *c, uint32_t number)
{
	/* As long as it may be, so that a sanitizer sees what is written beyond. */
	uint8_t *frame = malloc(CABLE_FRAME_MAX);
	uint32_t behind, length = cable_get(c, frame, &behind);

	if (length) {
		ck_assert_uint_eq(length, frame_length(number));
		for (uint32_t i = 0; i < length; i++)
			if (frame[i] != frame_byte(number, i))
				ck_abort_msg("frame %u, byte %u", number, i);
		cable_taken(c, behind, 1, length);
	}
	free(frame);
	return length != 0;
}

/* The same in children. */
static inline const char *path(void)
{
	static char text[PATH_MAX];

	snprintf(text, sizeof(text), "%s/cable", test_tmpdir());
	return text;
}

static inline struct cable taken(const char *at)
{
	struct cqesim_error err = {""};
	struct cable c;

	ck_assert_msg(!cable_take(&c, at, &err), "%s", err.text);
	return c;
}

static inline struct cable plugged(const char *at)
{
	struct cqesim_error err = {""};
	struct cable c = taken(at);

	ck_assert_msg(!cable_plug(&c, &err), "%s", err.text);
	return c;
}

static inline bool is_there(void)
{
	struct stat st;

	return !lstat(path(), &st);
}

#endif

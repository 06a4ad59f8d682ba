/* SPDX-License-Identifier: BSD-3-Clause */
/* The statistics of shared.h: one writer, readers that look whether they were disturbed. */
#include <string.h>

#include "emu/shared.h"

#define TRIES 1000u

void emu_shared_begin(struct emu_shared *shared)
{
	__atomic_store_n(&shared->sequence, shared->sequence + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

void emu_shared_end(struct emu_shared *shared)
{
	__atomic_store_n(&shared->sequence, shared->sequence + 1, __ATOMIC_RELEASE);
}

void emu_shared_read(const struct emu_shared *shared, struct emu_statistics *copy)
{
	for (unsigned i = 0; i < TRIES; i++) {
		uint32_t before = __atomic_load_n(&shared->sequence, __ATOMIC_ACQUIRE);

		memcpy(copy, &shared->statistics, sizeof(*copy));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(before & 1) && before == __atomic_load_n(&shared->sequence, __ATOMIC_RELAXED))
			return;
	}
}

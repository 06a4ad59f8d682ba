/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that goes away under the card.  A real card's pages are pinned: a program
 * that ends in the middle of things (rte_exit gives EAL's memory back while ports
 * run) does it no harm.  This one stops first.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emu/emu.h"

static bool used_by_card(const uint8_t *memory, size_t length)
{
	bool used = false;

	emu_lock();
	for (uint32_t i = 0; i < emu.regions.count && !used; i++) {
		const struct emu_region *r = &emu.regions.region[i];

		used = r->lkey && emu_overlap(memory, length, r->memory, r->length);
	}
	used = used || emu_umem_overlaps(memory, length);
	emu_unlock();
	return used;
}

EMU_API int munmap(void *memory, size_t length)
{
	if (emu.ready && used_by_card(memory, length))
		emu_engine_halt();
	return (int)syscall(SYS_munmap, memory, length);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registered memory.  An lkey is a place in the table, shifted as real ones are:
 * their low 8 bits are a variant that no driver looks at.  Places are used again.
 */
#include <errno.h>
#include <stdlib.h>

#include "emu/emu.h"

#define LKEY_SHIFT 8
/* The first lkey: real ones are not small, and 0x100 is rdma-core's for "invalid". */
#define FIRST 16u

static struct emu_region *find(uint32_t lkey)
{
	uint32_t place = (lkey >> LKEY_SHIFT) - FIRST;

	if (place >= emu.regions.count || emu.regions.region[place].lkey != lkey)
		return NULL;
	return &emu.regions.region[place];
}

static struct emu_region *free_place(void)
{
	struct emu_regions *r = &emu.regions;

	for (uint32_t i = 0; i < r->count; i++)
		if (!r->region[i].lkey)
			return &r->region[i];
	if (r->count == r->room) {
		uint32_t room = r->room ? 2 * r->room : 64;
		struct emu_region *more = realloc(r->region, room * sizeof(*more));

		if (!more)
			return NULL;
		r->region = more;
		r->room = room;
	}
	return &r->region[r->count++];
}

int emu_region_add(void *addr, size_t length, uint64_t iova, uint32_t *lkey)
{
	struct emu_region *region = free_place();

	if (!region)
		return -ENOMEM;
	*lkey = (uint32_t)(region - emu.regions.region + FIRST) << LKEY_SHIFT;
	*region = (struct emu_region){
		.memory = addr,
		.iova = iova,
		.length = length,
		.lkey = *lkey,
	};
	return 0;
}

int emu_region_remove(uint32_t lkey)
{
	struct emu_region *region = find(lkey);

	if (!region)
		return -ENOENT;
	region->lkey = 0;
	return 0;
}

void *emu_translate(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	const struct emu_region *region = find(lkey);

	(void)context;
	if (!region || address < region->iova || address - region->iova > region->length ||
	    length > region->length - (address - region->iova))
		return NULL;
	return region->memory + (address - region->iova);
}

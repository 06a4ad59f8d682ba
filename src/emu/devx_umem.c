/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devx_umem.c - user memory that DevX commands refer to by number and offset: rings
 * and doorbell records.  Memory that a queue lies in stays until the queue is
 * destroyed, as the firmware sees to as well.
 */
#include <errno.h>
#include <stdlib.h>

#include "emu/devx.h"

static struct umem {
	uint8_t *memory; /* NULL: free */
	size_t size;
	unsigned uses;
} * umems; /* by number, from 1 */
static uint32_t umem_count;

static struct umem *umem_of(uint32_t id)
{
	return id && id <= umem_count && umems[id - 1].memory ? &umems[id - 1] : NULL;
}

static uint32_t free_slot(void)
{
	struct umem *more;
	uint32_t i;

	for (i = 0; i < umem_count; i++)
		if (!umems[i].memory)
			return i + 1;
	more = realloc(umems, (umem_count + 1) * sizeof(*umems));
	if (!more)
		return 0;
	umems = more;
	return ++umem_count;
}

int emu_umem_add(void *addr, size_t size, uint32_t *umem_id)
{
	uint32_t id;

	if (!addr || !size)
		return EINVAL;
	id = free_slot();
	if (!id)
		return ENOMEM;
	umems[id - 1] = (struct umem){.memory = addr, .size = size};
	*umem_id = id;
	emu_log("umem %u: %zu bytes at %p", id, size, addr);
	return 0;
}

int emu_umem_remove(uint32_t umem_id)
{
	struct umem *umem = umem_of(umem_id);

	if (!umem)
		return ENOENT;
	if (umem->uses) {
		emu_warn("umem %u is given back while %u parts of queues lie in it", umem_id,
			 umem->uses);
		return EBUSY;
	}
	*umem = (struct umem){0};
	while (umem_count && !umems[umem_count - 1].memory)
		umem_count--;
	if (!umem_count) {
		free(umems);
		umems = NULL;
	}
	return 0;
}

bool emu_umem_overlaps(const void *memory, size_t length)
{
	for (uint32_t i = 0; i < umem_count; i++)
		if (umems[i].memory && emu_overlap(memory, length, umems[i].memory, umems[i].size))
			return true;
	return false;
}

void *emu_umem_at(uint32_t umem_id, uint64_t offset, size_t length)
{
	const struct umem *umem = umem_of(umem_id);

	if (!umem || offset > umem->size || length > umem->size - offset)
		return NULL;
	return umem->memory + offset;
}

enum devx_syndrome devx_locate(const struct devx_place *place, void **memory)
{
	*memory = emu_umem_at(place->umem, place->offset, place->length);
	if (!*memory)
		return DEVX_SYND_NO_UMEM;
	return (uintptr_t)*memory % place->align ? DEVX_SYND_MISALIGNED : DEVX_SYND_FINE;
}

void devx_hold(struct emu_object *object, uint32_t ring, uint32_t record)
{
	object->umem[0] = ring;
	object->umem[1] = record;
	umem_of(ring)->uses++;
	umem_of(record)->uses++;
}

void devx_release(struct emu_object *object)
{
	for (unsigned i = 0; i < 2; i++)
		if (object->umem[i])
			umem_of(object->umem[i])->uses--;
}

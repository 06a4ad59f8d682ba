/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devx_objects.c - the list of objects that DevX commands made, and those that are
 * little more than a number: protection and transport domains, counters.
 */
#include <stdlib.h>
#include <string.h>

#include "emu/devx.h"

static struct emu_object *objects;
static uint32_t object_counts[DEVX_KIND_COUNT], last_numbers[DEVX_KIND_COUNT];

#define KIND_NAME(id, name, most) name,
static const char *const kind_names[] = {DEVX_KINDS(KIND_NAME)};
#undef KIND_NAME
#define KIND_MOST(id, name, most) most,
static const uint32_t kind_limits[] = {DEVX_KINDS(KIND_MOST)};
#undef KIND_MOST

const char *devx_kind_name(enum devx_kind kind)
{
	return kind_names[kind];
}

struct emu_object *devx_object_find(enum devx_kind kind, uint64_t number)
{
	struct emu_object *o = objects;

	while (o && (o->kind != kind || o->number != number))
		o = o->next;
	return o;
}

struct emu_object *devx_object_new(enum devx_kind kind)
{
	struct emu_object *object;

	if (object_counts[kind] >= kind_limits[kind])
		return NULL;
	object = calloc(1, sizeof(*object));
	if (object)
		object->kind = kind;
	return object;
}

/* Numbers are not used again soon, so that one that is out of date is noticed. */
static uint32_t fresh_number(enum devx_kind kind)
{
	uint32_t *last = &last_numbers[kind];

	do {
		*last = *last % kind_limits[kind] + 1;
	} while (devx_object_find(kind, *last));
	return *last;
}

void devx_object_add(struct emu_object *object)
{
	if (!object->number)
		object->number = fresh_number(object->kind);
	object_counts[object->kind]++;
	object->next = objects;
	objects = object;
}

void devx_object_remove(struct emu_object *object)
{
	struct emu_object **link = &objects;

	while (*link != object)
		link = &(*link)->next;
	*link = object->next;
	object_counts[object->kind]--;
	free(object);
}

/* References that the card does not watch; to numbers of DevX itself. */
static bool refers(const struct emu_object *from, const struct emu_object *to)
{
	switch (to->kind) {
	case DEVX_TD:
		return (from->kind == DEVX_TIS &&
			DEVX_GET(from->context, tisc, transport_domain) == to->number) ||
		       (from->kind == DEVX_TIR &&
			DEVX_GET(from->context, tirc, transport_domain) == to->number);
	case DEVX_TIS:
		return from->kind == DEVX_SQ && DEVX_GET(from->context, sqc, tis_lst_sz) &&
		       DEVX_GET(from->context, sqc, tis_num_0) == to->number;
	case DEVX_RQT:
		return from->kind == DEVX_TIR && DEVX_GET(from->context, tirc, disp_type) == 1 &&
		       DEVX_GET(from->context, tirc, indirect_table) == to->number;
	case DEVX_Q_COUNTER:
		return from->kind == DEVX_RQ &&
		       DEVX_GET(from->context, rqc, counter_set_id) == to->number;
	default:
		return false;
	}
}

bool devx_object_in_use(const struct emu_object *object)
{
	for (const struct emu_object *o = objects; o; o = o->next)
		if (refers(o, object))
			return true;
	return false;
}

enum devx_syndrome devx_alloc_number(struct devx_call *call)
{
	(void)call;
	return DEVX_SYND_FINE;
}

/* The card counts for all its queues together, and so do all counters: a port has one. */
static uint64_t out_of_buffer(void)
{
	return cqesim_card_stats(emu.card)->lost[CQESIM_RX_OUT_OF_BUFFER];
}

enum devx_syndrome devx_alloc_q_counter(struct devx_call *call)
{
	call->object->base = out_of_buffer();
	return DEVX_SYND_FINE;
}

enum devx_syndrome devx_query_q_counter(struct devx_call *call)
{
	uint64_t now = out_of_buffer();

	DEVX_SET(call->out, query_q_counter_out, out_of_buffer, now - call->object->base);
	if (DEVX_GET(call->in, query_q_counter_in, clear))
		call->object->base = now;
	return DEVX_SYND_FINE;
}

/* Rules count nothing: packets and octets stay 0. */
enum devx_syndrome devx_query_flow_counter(struct devx_call *call)
{
	if (DEVX_GET(call->in, query_flow_counter_in, dump_to_memory))
		return DEVX_SYND_COUNTERS;
	return DEVX_SYND_FINE;
}

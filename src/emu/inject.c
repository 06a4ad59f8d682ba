/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --inject: which queue of the card is "queue N".  Receive queues count in the order
 * in which buffers are posted to them first, since a drop queue gets none; send
 * queues as they are made.  When a program makes its queues anew, what has not
 * happened yet is for the new ones.
 */
#include "emu/internal.h"

#define QUEUES 256u

static struct {
	uint32_t number[2][QUEUES]; /* receive and send queues, in their order */
	unsigned count[2];
	bool done[EMU_INJECTS_MAX];
	uint64_t injected;
} inject;

/* Its place, or count if it has none. */
static unsigned find(bool send, uint32_t number)
{
	unsigned i = 0;

	while (i < inject.count[send] && inject.number[send][i] != number)
		i++;
	return i;
}

static void add(bool send, uint32_t number)
{
	unsigned at = find(send, number);

	if (at < inject.count[send] || at == QUEUES)
		return;
	inject.number[send][inject.count[send]++] = number;
	for (unsigned i = 0; i < emu.settings->injects; i++) {
		const struct emu_inject *e = &emu.settings->inject[i];
		const struct cqesim_card_injection injection = {
			.queue = send ? CQESIM_OBJECT_SQ : CQESIM_OBJECT_RQ,
			.number = number,
			.packet = e->packet,
			.syndrome = e->syndrome,
		};

		if (!inject.done[i] && e->send == send && e->queue == at)
			cqesim_card_inject(emu.card, &injection);
	}
}

static void forget(bool send, uint32_t number)
{
	unsigned at = find(send, number);

	if (at == inject.count[send])
		return;
	inject.count[send]--;
	for (; at < inject.count[send]; at++)
		inject.number[send][at] = inject.number[send][at + 1];
}

/* Of those that this may have been, the earliest. */
static void happened(bool send, uint32_t number, uint32_t syndrome)
{
	unsigned at = find(send, number), which = EMU_INJECTS_MAX;

	inject.injected++;
	for (unsigned i = 0; i < emu.settings->injects; i++) {
		const struct emu_inject *e = &emu.settings->inject[i];

		if (!inject.done[i] && e->send == send && e->queue == at &&
		    e->syndrome == syndrome &&
		    (which == EMU_INJECTS_MAX || e->packet < emu.settings->inject[which].packet))
			which = i;
	}
	if (which < EMU_INJECTS_MAX)
		inject.done[which] = true;
}

void emu_inject_event(const struct cqesim_card_event *event)
{
	bool send = event->object == CQESIM_OBJECT_SQ;

	if (!emu.settings->injects || (!send && event->object != CQESIM_OBJECT_RQ))
		return;
	if (event->kind == (send ? CQESIM_EVENT_CREATE : CQESIM_EVENT_POST))
		add(send, event->number);
	else if (event->kind == CQESIM_EVENT_DESTROY)
		forget(send, event->number);
	else if (event->kind == CQESIM_EVENT_INJECT)
		happened(send, event->number, event->index);
}

void emu_inject_statistics(struct emu_statistics *s)
{
	s->injected = inject.injected;
}

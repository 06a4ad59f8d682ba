/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of completion queues, for programs that sleep: who wants them, and the
 * descriptors that become readable.  With the lock, but for the reading.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "emu/internal.h"

struct subscription {
	struct subscription *next;
	uint32_t cqn;
	int fd;          /* an eventfd that counts: one is taken by each read */
	uint64_t cookie; /* the subscriber's word for the queue */
	unsigned pending;
};
static struct subscription *list;

int emu_notify_add(uint32_t cqn, int fd, uint64_t cookie)
{
	struct subscription *s = malloc(sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct subscription){.next = list, .cqn = cqn, .fd = fd, .cookie = cookie};
	int rc = cqesim_card_notify_cq(emu.card, cqn);
	if (rc) {
		free(s);
		return rc;
	}
	list = s;
	return 0;
}

static void remove_all(uint32_t cqn, int fd)
{
	for (struct subscription **at = &list; *at;) {
		struct subscription *s = *at;

		if (s->cqn != cqn && s->fd != fd) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		free(s);
	}
}

void emu_notify_forget(int fd)
{
	remove_all(0, fd);
}

void emu_notify_event(const struct cqesim_card_event *event)
{
	static const uint64_t one = 1;

	if (event->object != CQESIM_OBJECT_CQ)
		return;
	if (event->kind == CQESIM_EVENT_DESTROY)
		remove_all(event->number, -1);
	if (event->kind != CQESIM_EVENT_NOTIFY)
		return;
	for (struct subscription *s = list; s; s = s->next)
		if (s->cqn == event->number && write(s->fd, &one, sizeof(one)) == sizeof(one))
			s->pending++;
}

int emu_notify_read(int fd, uint64_t *cookie)
{
	uint64_t count;
	int rc = -EAGAIN; /* its queue has gone in the meantime */

	if (read(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		return -errno;
	emu_lock();
	for (struct subscription *s = list; s && rc; s = s->next)
		if (s->fd == fd && s->pending) {
			s->pending--;
			*cookie = s->cookie;
			rc = 0;
		}
	emu_unlock();
	return rc;
}

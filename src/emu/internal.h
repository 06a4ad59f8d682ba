/* SPDX-License-Identifier: BSD-3-Clause */
/* internal.h - what engine, source, sink and set-up of the preload library share. */
#ifndef CQESIM_EMU_INTERNAL_H
#define CQESIM_EMU_INTERNAL_H

#include "emu/emu.h"

/* ---- source.c: frames that come from outside, and those that are looped ---- */

int emu_source_open(struct cqesim_error *err);
/* Give the card what is due; with the lock held.  Returns how many frames. */
unsigned emu_source_run(uint64_t now_ps);
/* A receive queue was made, changed or destroyed: wait until one takes packets again. */
void emu_source_pause(void);
bool emu_source_running(void);
/* Running, and there is something that arrives: begun (--wait) and not at its end. */
bool emu_source_active(void);
void emu_source_statistics(struct emu_statistics *s);

/* ---- sink.c: frames that the program sends ---- */

int emu_sink_open(struct cqesim_error *err);
void emu_sink_close(void);
/* What is not written yet, is; once in a while. */
void emu_sink_flush(void);
void emu_sink_statistics(struct emu_statistics *s);
/* The loop's oldest frames, up to max; then they are done with. */
unsigned emu_loop_peek(struct cqesim_frame *frames, unsigned max);
void emu_loop_take(unsigned n);

/* ---- plug.c: a cable to another card ---- */

int emu_cable_open(struct cqesim_error *err);
void emu_cable_close(void);
/* A device is open: frames come, and the other side's are not lost. */
void emu_cable_plug(void);
void emu_cable_unplug(void);
/* Once in a round, before the others. */
void emu_cable_time(uint64_t now_ps);
/* The oldest frames that came, up to max; then so many of them are done with. */
unsigned emu_cable_peek(const struct cqesim_frame **frames, unsigned max);
void emu_cable_take(unsigned n);
/* Has the port sent what was before? */
bool emu_cable_may_send(void);
/* As cable_put. */
int emu_cable_send(const uint8_t *frame, uint32_t length);
void emu_cable_statistics(struct emu_statistics *s);

/* ---- order.c: do packets come back in the order in which they arrived? ---- */

/* The frames with a number each in their source address (until the next call), or as they are. */
const struct cqesim_frame *emu_order_mark(const struct cqesim_frame *frames, unsigned n);
/* Of the n frames, those after so many come again: so do their numbers. */
void emu_order_taken(unsigned taken, unsigned n);
void emu_order_sent(const struct cqesim_sent_frame *frame);
void emu_order_forget(uint32_t sqn);
void emu_order_statistics(struct emu_statistics *s);

/* ---- inject.c ---- */

/* Watches queues come and go, and tells the card where errors are wanted. */
void emu_inject_event(const struct cqesim_card_event *event);
void emu_inject_statistics(struct emu_statistics *s);

/* ---- notify.c: events of completion queues ---- */

/* fd: an eventfd, of semaphores.  -ENOENT, -ENOMEM. */
int emu_notify_add(uint32_t cqn, int fd, uint64_t cookie);
/* A channel goes. */
void emu_notify_forget(int fd);
void emu_notify_event(const struct cqesim_card_event *event);
/* The next event; waits if the descriptor does.  -EAGAIN: there is none. */
int emu_notify_read(int fd, uint64_t *cookie);

/* ---- events.c ---- */

void emu_events_flush(void);
void emu_events_statistics(struct emu_statistics *s);

#endif

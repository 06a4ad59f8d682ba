/* SPDX-License-Identifier: BSD-3-Clause */
/* internal.h - what engine, source, sink and set-up of the preload library share. */
#ifndef CQESIM_EMU_INTERNAL_H
#define CQESIM_EMU_INTERNAL_H

#include "emu/emu.h"

/* ---- source.c: frames that come from outside, and those that are looped ---- */

int emu_source_open(struct cqesim_error *err);
/*
 * Give the card what is due; with the lock held.  Returns how many frames; *next_ps: when
 * the next is due, UINT64_MAX: unknown or never.
 */
unsigned emu_source_run(uint64_t now_ps, uint64_t *next_ps);
/* A receive queue was made, changed or destroyed: wait until one takes packets again. */
void emu_source_pause(void);
bool emu_source_running(void);
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

/* ---- events.c ---- */

void emu_events_flush(void);
void emu_events_statistics(struct emu_statistics *s);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * emu.h - inside libcqesim-card.so, the library that is loaded before a DPDK
 * program: what its parts share.  The exported functions are those of libibverbs
 * and libmlx5 that DPDK's driver refers to; everything here is hidden.
 *
 *   setup.c      reading the settings that the launcher left, creating the card
 *   engine.c     the thread that makes time go on
 *   regions.c    registered memory
 *   source.c, sink.c, events.c  what arrives, what is sent, what is told
 *   cable.c, cable_ring.c, plug.c  the cable to another program's card
 *   verbs.c, verbs_*.c  libibverbs and the operations of its context
 *   dv.c         mlx5dv: capabilities, queues with options, what is behind an object
 *   dr.c, dr_actions.c  steering objects, and the rules that the card has of them
 *   devx_calls.c the exported mlx5dv_devx_* functions; devx*.c: what they do
 *   inject.c, order.c  errors on purpose, and whether packets come back in order
 *   dumps.c, unmap.c  fopen64 and munmap of the program
 *   shim.c       the network interface that is not there
 *   shared.c     statistics that outlive the program, read by the launcher
 */
#ifndef CQESIM_EMU_H
#define CQESIM_EMU_H

#include <pthread.h>
#include <stdio.h>

#include "cqesim/card.h"
#include "cqesim/profile.h"
#include "emu/shared.h"

#define EMU_API __attribute__((visibility("default")))

/* A registered range: a device address in [iova, iova + length) is `memory` + address - iova. */
struct emu_region {
	uint8_t *memory;
	uint64_t iova, length;
	uint32_t lkey; /* 0: free */
};

struct emu_regions {
	struct emu_region *region; /* by lkey >> 8, - 1 */
	uint32_t count, room;
};

struct emu {
	pthread_mutex_t lock;
	unsigned waiters; /* atomic: commands that want the lock; the engine lets them go first */
	struct cqesim_card *card; /* created with the first device that is opened */
	struct emu_regions regions;
	struct cqesim_profile *device, *link;
	const struct emu_settings *settings;
	struct emu_shared *shared; /* read by the launcher */
	bool ready;                /* the card is there */
	bool devx;                 /* mlx5dv_open_device works */
	bool verbose;              /* log calls */
	char folder[512];          /* the launcher's; "": nobody launched us */
	uint8_t mac[6];
	uint32_t mtu;
	uint64_t port_bps;  /* speed of the port */
	/*
	 * Of the free-running clock in completions: assumed, but not 1 GHz, which DPDK's driver takes
	 * for a card whose stamps are seconds and nanoseconds (PMD mlx5_rt_timestamp_config).
	 */
	uint32_t clock_khz;
};
extern struct emu emu;

/*
 * The exported functions take the lock around whatever touches the card or the
 * tables here; the functions below, and those of devx*.c, are called with it held.
 * The engine holds it for short batches, so after a destroy it is not in the object.
 */
void emu_lock(void);
void emu_unlock(void);

/* Card time in ps; never decreases. */
uint64_t emu_now_ps(void);

/* ---- registered memory ---- */

/* -ENOMEM. */
int emu_region_add(void *addr, size_t length, uint64_t iova, uint32_t *lkey);
/* -ENOENT. */
int emu_region_remove(uint32_t lkey);
/* A struct cqesim_card_config's translate; context is not used. */
void *emu_translate(void *context, uint32_t lkey, uint64_t address, uint32_t length);

/* ---- DevX (devx*.c); commands are what mlx5_prm.h has, big-endian ---- */

struct emu_object; /* what a create command made */

/* Commands without an object.  0, or a positive errno; out has a status and syndrome then. */
int emu_devx_general(const void *in, size_t inlen, void *out, size_t outlen);
int emu_devx_create(const void *in, size_t inlen, void *out, size_t outlen,
		    struct emu_object **obj);
int emu_devx_modify(struct emu_object *obj, const void *in, size_t inlen, void *out, size_t outlen);
int emu_devx_query(struct emu_object *obj, const void *in, size_t inlen, void *out, size_t outlen);
int emu_devx_destroy(struct emu_object *obj);
/* The card's number of a TIR; 0: the card has it not. */
uint32_t emu_devx_tir(const struct emu_object *obj);
/* Likewise of a CQ. */
uint32_t emu_devx_cq(const struct emu_object *obj);
/* About a QP that verbs made: its TIS has number and transport domain 0. */
int emu_devx_qp_query(const void *in, size_t inlen, void *out, size_t outlen);

/* User memory.  Positive errno as above. */
int emu_umem_add(void *addr, size_t size, uint32_t *umem_id);
int emu_umem_remove(uint32_t umem_id);
/* Do two pieces of memory share a byte? */
static inline bool emu_overlap(const void *a, size_t a_length, const void *b, size_t b_length)
{
	return (const uint8_t *)a < (const uint8_t *)b + b_length &&
	       (const uint8_t *)b < (const uint8_t *)a + a_length;
}
/* Does some of it lie here? */
bool emu_umem_overlaps(const void *memory, size_t length);
/* NULL: no such memory, or it is not as long. */
void *emu_umem_at(uint32_t umem_id, uint64_t offset, size_t length);

/* ---- setup.c, engine.c ---- */

/* Make the card, once; false: there is none (and why is said). */
bool emu_setup(void);
/* The card's thread runs while a device is open; positive errno.  Without the lock. */
int emu_engine_start(void);
void emu_engine_stop(void);
/* For good: memory that the card uses goes away.  Without the lock. */
void emu_engine_halt(void);
/* For the card's configuration: events and sent frames (events.c, sink.c). */
void emu_event(void *context, const struct cqesim_card_event *event);
int emu_sent(void *context, const struct cqesim_sent_frame *frame);
int emu_events_open(struct cqesim_error *err);
void emu_events_close(void);

/* ---- log ---- */

/* With --verbose: one line on standard error, "cqesim card: ...". */
void emu_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Always. */
void emu_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A function that nothing was known to call: said always, errno is EOPNOTSUPP. */
void emu_unsupported(const char *function);

#endif

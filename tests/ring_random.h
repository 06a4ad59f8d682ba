/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random completion rings, and what must come out of them.
 *
 * A ring_device writes packets with all their fields through cqesim_cq_writer,
 * from bytes that it lays out itself, and notes for each what a reader must
 * return.  A ring_config says what may occur; it is drawn at random from a seed
 * (ring_config_draw), within what a driver's receive function can take: what is
 * legal for whom, and why, stands in ring_config.c and ring_random.c beside each
 * rule, from the referee's README ("What to know when comparing with it") and
 * from PMD v22.11.11 and v24.11.6.
 *
 * The same seed gives the same ring, byte for byte.
 */
#ifndef CQESIM_RING_RANDOM_H
#define CQESIM_RING_RANDOM_H

#include "cqesim/cq.h"

#if defined(__SANITIZE_ADDRESS__)
#define RING_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RING_SANITIZED 1
#endif
#endif
#ifndef RING_SANITIZED
#define RING_SANITIZED 0
#endif

/* ---- random numbers: splitmix64 ---- */

static inline uint64_t ring_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* 0 .. n-1, for n up to 2^32. */
static inline uint32_t ring_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((ring_random(state) >> 32) * n >> 32);
}

static inline uint32_t ring_between(uint64_t *state, uint32_t low, uint32_t high)
{
	return low + ring_below(state, high - low + 1);
}

/* True in `of_1024` of 1024 cases. */
static inline bool ring_chance(uint64_t *state, unsigned of_1024)
{
	return (ring_random(state) >> 54) < of_1024;
}

/* CQESIM_SEED, or the clock. */
uint64_t ring_master_seed(void);
/* Is CQESIM_LONG set, and not 0? */
bool ring_long_run(void);

/* ---- what a ring may hold ---- */

/* The driver's receive functions; RING_FREE: our reader alone, everything that the format allows.
 */
enum ring_path { RING_SCALAR, RING_VEC, RING_MPRQ, RING_MPRQ_VEC, RING_OOO, RING_FREE };

struct ring_config {
	uint64_t seed; /* of the ring's contents */
	enum ring_path path;
	bool newer; /* DPDK 24.11, else 22.11 */
	struct cqesim_cq_shape shape;
	uint32_t start;   /* producer and consumer index at the beginning */
	uint32_t packets; /* completions to write, at least */

	/* the queue */
	unsigned log_elts;    /* receive descriptors */
	unsigned log_strides; /* striding: strides in each, 0: not striding */
	unsigned data_room;   /* longest packet */
	unsigned memcpy_len;  /* striding: up to this length the driver copies */
	unsigned burst;
	bool rss, csum, vlan_strip, mark, timestamp, crc;

	/* the traffic; chances are of 1024 */
	unsigned session; /* an entry is a session, or array */
	unsigned error;   /* ... an error that is not critical */
	unsigned critical;
	unsigned poll;    /* after an entry: the driver is called for some packets */
	uint32_t longest; /* session */
	bool whole;       /* the first entry is a session as long as the ring (basic layout) */
	uint32_t batch;  /* most completions between two times that the driver reads all there is */
	bool cross;      /* sessions may cross the ring's end */
	bool at_end;     /* arrays (enhanced) may end with the ring */
	bool title_last; /* a title (enhanced) may lie in the last slot */
	bool fillers;    /* plain ones */
	bool session_fillers;
	bool wide_strides; /* packets may take more strides than they need */
	bool vlan_minis;   /* L34H minis may have the VLAN bit */
	bool tunnels;
	bool zero_tags; /* packets without flow tag */
	bool in_order;  /* wqe_counter is the descriptor's number */
	bool junk;      /* bytes that mean nothing to an Ethernet receive function are random */
};

static inline bool ring_path_striding(enum ring_path path)
{
	return path == RING_MPRQ || path == RING_MPRQ_VEC;
}

static inline bool ring_path_vec(enum ring_path path)
{
	return path == RING_VEC || path == RING_MPRQ_VEC;
}

const char *ring_path_name(enum ring_path path);

/* Can minis of this format be read by this function? */
bool ring_pair_legal(enum ring_path path, enum cqesim_mini_format format);

/*
 * Draw a configuration for a driver's function; packets is what it is to write,
 * log_size the ring's size, or 0: any.
 */
void ring_config_draw(struct ring_config *c, enum ring_path path, bool newer,
		      enum cqesim_cq_layout layout, enum cqesim_mini_format format,
		      uint32_t packets, unsigned log_size, uint64_t seed);

/* Draw one for our reader alone: any shape, any contents. */
void ring_config_draw_free(struct ring_config *c, uint32_t packets, uint64_t seed);

/* ---- the device ---- */

/* What becomes of a completion in a driver. */
enum ring_fate {
	RING_DELIVERED,
	RING_LOST, /* came after a critical error, in the same batch */
};

struct ring_device {
	const struct ring_config *config;
	uint64_t random;
	uint8_t *ring; /* the device's own */
	struct cqesim_cq_writer w;

	/* what our reader must return, in order */
	struct cqesim_completion *sent;
	uint8_t *fate;
	size_t count, room;
	uint32_t criticals, errors;

	/* told of each slot written, and when the driver reads: `most` packets, 0: all there are */
	void *context;
	void (*written)(void *context, uint32_t slot, const uint8_t bytes[64]);
	void (*polled)(void *context, uint32_t most);

	/* the rest is the device's own business */
	struct cqesim_completion title; /* enhanced: the last plain one */
	bool title_doubtful;            /* ... which a driver may not have kept */
	uint16_t counter;               /* next wqe_counter, if minis have none */
	uint16_t descriptor, stride;    /* striding: where the next packet goes */
	uint32_t since, strides_since;  /* that the driver was last seen to read everything */
	uint32_t strides_free;          /* then */
	uint32_t posted;                /* buffers that the driver surely had then */
	bool plain_only;                /* until then */
	bool no_poll, lost;
	unsigned fillers_in_session;
	uint32_t minis_left; /* of the session being published */
};

/* -ENOMEM, or 0. */
int ring_device_init(struct ring_device *d, const struct ring_config *config, void *context,
		     void (*written)(void *, uint32_t, const uint8_t[64]),
		     void (*polled)(void *, uint32_t));
/* Write a batch: up to config->batch completions, and have everything read. */
void ring_device_batch(struct ring_device *d);
void ring_device_free(struct ring_device *d);

/* Are they the same, as far as both are defined? */
bool ring_same_completion(const struct cqesim_completion *a, const struct cqesim_completion *b);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a random ring may hold, drawn from a seed: for a driver's receive
 * function what it can take, for our reader anything.  Facts about the driver
 * are from the referee's README and NOTES, or from PMD where a function is named.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ring_random.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

uint64_t ring_master_seed(void)
{
	const char *seed = getenv("CQESIM_SEED");
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return seed ? strtoull(seed, NULL, 0) : (uint64_t)t.tv_sec << 20 ^ (uint64_t)t.tv_nsec;
}

bool ring_long_run(void)
{
	const char *set = getenv("CQESIM_LONG");

	return set && strcmp(set, "0");
}

const char *ring_path_name(enum ring_path path)
{
	static const char *const name[] = {"scalar", "vec", "mprq", "mprq_vec", "ooo", "free"};

	return name[path];
}

bool ring_pair_legal(enum ring_path path, enum cqesim_mini_format format)
{
	if (format >= CQESIM_MINI_FORMATS)
		return path == RING_FREE;
	/* README: mprq takes the stride from the mini, in any format. */
	return path != RING_MPRQ || (format != CQESIM_MINI_HASH && format != CQESIM_MINI_CSUM);
}

static unsigned pick(uint64_t *s, const unsigned *of, unsigned count)
{
	return of[ring_below(s, count)];
}
#define PICK(s, ...)                                                                               \
	pick(s, (const unsigned[]){__VA_ARGS__}, COUNT(((const unsigned[]){__VA_ARGS__})))

/* Indices at which something turns over are drawn more often than others. */
static uint32_t draw_start(uint64_t *s, unsigned log_size, unsigned bits)
{
	uint32_t all = bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
	uint32_t size = UINT32_C(1) << log_size;

	switch (ring_below(s, 6)) {
	case 0:
		return 0;
	case 1: /* the beginning of any lap */
		return (uint32_t)ring_random(s) & all & ~(size - 1);
	case 2: /* soon past the last index */
		return all - ring_below(s, 4 * size);
	case 3: /* soon past 16 bits, which is what scalar 22.11 keeps after a session */
		return 0x10000 - ring_below(s, size < 0x4000 ? 4 * size : 0x10000);
	case 4: /* lap 255 or 256: the count of the enhanced layout turns over */
		return (256 * size - ring_below(s, size) - 1) & all;
	default:
		return (uint32_t)ring_random(s) & all;
	}
}

/*
 * Strides and descriptors.  The referee's buffers are to stay below 48 MB, and
 * its descriptors few, as it looks at all of them before each call.
 */
static void draw_strides(struct ring_config *c, uint64_t *s)
{
	unsigned log_size = c->shape.log_size;

	if (c->path == RING_MPRQ_VEC) { /* as many strides as completion entries */
		c->log_strides = ring_between(s, log_size > 9 ? log_size - 8 : 1,
					      log_size < 11 ? log_size - 1 : 10);
		c->log_elts = log_size - c->log_strides;
	} else {
		c->log_strides = ring_between(s, 1, 8);
		c->log_elts = ring_between(s, 1, c->log_strides > 6 ? 14 - c->log_strides : 8);
	}
	c->shape.log_stride = ring_between(s, 6, 11);
	while ((((uint64_t)4 << c->log_elts) + 64) << (c->log_strides + c->shape.log_stride) >
	       48u << 20)
		c->shape.log_stride--;
	c->memcpy_len = PICK(s, 128, 128, 128, 0, 65535, 500);
}

/* Longest packet: the referee makes packet buffers of that size, 128 MB of them at most. */
static void draw_data_room(struct ring_config *c, uint64_t *s)
{
	uint64_t buffers = 4096 + (1u << (c->log_elts + c->log_strides));

	c->data_room = PICK(s, 2048, 2048, 2048, 4096, 9728, 16384);
	while (c->data_room > 2048 && buffers * (c->data_room + 512) > 128u << 20)
		c->data_room /= 2;
}

static void draw_offloads(struct ring_config *c, uint64_t *s)
{
	c->rss = ring_chance(s, 900);
	c->csum = ring_chance(s, 800);
	c->vlan_strip = ring_chance(s, 800);
	c->mark = ring_chance(s, 600);
	c->timestamp = ring_chance(s, 128);
	c->crc = ring_chance(s, 128);
}

static void draw_traffic(struct ring_config *c, uint64_t *s)
{
	uint32_t size = UINT32_C(1) << c->shape.log_size;

	c->session = PICK(s, 0, 100, 500, 700, 900, 1000);
	c->longest = PICK(s, 4, 9, 64, 64, size, size);
	c->longest = c->longest < 2 ? 2 : c->longest;
	c->batch = PICK(s, size, size, 64, 200);
	c->poll = PICK(s, 0, 0, 50, 300);
	c->error = PICK(s, 0, 0, 10, 60);
	c->critical = PICK(s, 0, 0, 1, 4);
	c->junk = true;
	c->zero_tags = true;
	c->tunnels = true;
	c->fillers = true;
	c->session_fillers = true;
	c->vlan_minis = true;
	c->wide_strides = ring_chance(s, 200);
	c->cross = ring_chance(s, 768);
	c->at_end = true;
	c->title_last = true;
}

/* README "The vector functions do not mask indices within a session", and more. */
static void restrict_vec(struct ring_config *c, uint64_t *s)
{
	bool enhanced = c->shape.layout == CQESIM_CQ_ENHANCED;
	enum cqesim_mini_format format = c->shape.format;

	c->cross = false;
	c->wide_strides = false; /* mprq_vec counts strides itself, from the lengths */
	c->title_last = false;   /* in the enhanced layout it is not taken for one */
	if (c->path == RING_VEC)
		c->at_end = ring_chance(s, 512); /* needs a slot past the end that may be read */
	/* Only the ring's last slot is a place from which recovery ends well: see ring_random.c. */
	c->critical = c->critical ? 200 : 0;
	/* README: with crc, a filler of length 0 makes mprq_vec crash. */
	if (c->crc)
		c->fillers = c->session_fillers = false;
	if (!enhanced)
		return;
	/*
	 * PMD rxq_cq_decompress_v: pkt_info is read from the entry that it decodes,
	 * which in this layout is the array, so that is the first mini's type.
	 */
	if (format == CQESIM_MINI_L34H_STRIDX)
		c->tunnels = c->vlan_minis = false;
	/* Marks stay from array to array, however many are decoded in one go. */
	if (format == CQESIM_MINI_FTAG_STRIDX && c->path == RING_VEC)
		c->zero_tags = false;
	/* README: an attached title and a filler in an array crash mprq_vec. */
	if (format == CQESIM_MINI_HASH && c->memcpy_len < c->data_room)
		c->session_fillers = false;
}

void ring_config_draw(struct ring_config *c, enum ring_path path, bool newer,
		      enum cqesim_cq_layout layout, enum cqesim_mini_format format,
		      uint32_t packets, unsigned log_size, uint64_t seed)
{
	static const unsigned bursts[] = {4, 5, 7, 8, 31, 32, 32, 32, 33, 63, 64, 65, 128, 300};
	unsigned smallest = ring_path_vec(path) ? 4 : 1;
	uint64_t s = seed;

	*c = (struct ring_config){
		.seed = ring_random(&s),
		.path = path,
		.newer = newer,
		.packets = packets,
		.shape.format = format,
		.shape.layout = layout,
	};
	c->shape.log_size =
		ring_chance(&s, 880) ? ring_between(&s, smallest, 11) : ring_between(&s, 12, 15);
	if (log_size)
		c->shape.log_size = log_size;
	c->start = draw_start(&s, c->shape.log_size, newer ? 24 : 32);
	c->log_elts = c->shape.log_size;
	if (ring_path_striding(path))
		draw_strides(c, &s);
	draw_data_room(c, &s);
	draw_offloads(c, &s);
	draw_traffic(c, &s);
	c->burst = pick(&s, bursts, COUNT(bursts));
	if (!ring_path_vec(path) && ring_chance(&s, 200))
		c->burst = ring_between(&s, 1, 3); /* vec returns nothing for fewer than 4 */
	c->in_order = path == RING_OOO;
	/* For the vector functions a session of the whole ring must begin with it. */
	c->whole = layout == CQESIM_CQ_BASIC && c->session && ring_chance(&s, 400);
	if (c->whole)
		c->start &= ~((UINT32_C(1) << c->shape.log_size) - 1);
	/* Tag bits 23:16 lie where filler and strides would. */
	if (format == CQESIM_MINI_FTAG_STRIDX)
		c->session_fillers = false;
	if (ring_path_vec(path)) {
		restrict_vec(c, &s);
	} else if (layout == CQESIM_CQ_ENHANCED && c->session) {
		/* README: recovery goes by owner bits, of which arrays leave any behind. */
		c->critical = 0;
	}
}

void ring_config_draw_free(struct ring_config *c, uint32_t packets, uint64_t seed)
{
	uint64_t s = seed;

	*c = (struct ring_config){
		.seed = ring_random(&s),
		.path = RING_FREE,
		.packets = packets,
		.shape.format = (enum cqesim_mini_format)ring_below(&s, CQESIM_MINI_ALL_FORMATS),
		.shape.layout = (enum cqesim_cq_layout)ring_below(&s, 2),
		.shape.log_size = ring_chance(&s, 900) ? ring_below(&s, 9) : ring_below(&s, 14),
		.shape.cqe_128 = ring_chance(&s, 300),
	};
	c->start = draw_start(&s, c->shape.log_size, 32);
	if (c->shape.format < CQESIM_MINI_FORMATS && ring_chance(&s, 512)) {
		draw_strides(c, &s);
		c->log_elts = ring_between(&s, 1, 16 - c->log_strides);
		c->shape.log_stride = ring_between(&s, 1, 14);
	}
	c->data_room = c->log_strides ? 0xffff : 0x7fffffff;
	draw_traffic(c, &s);
	if (c->shape.format == CQESIM_MINI_FTAG_STRIDX)
		c->session_fillers = false;
}

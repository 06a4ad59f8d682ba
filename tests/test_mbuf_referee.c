/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The real driver fills mbufs (pmd_referee), cqesim_mbuf_poll fills mbufs, from
 * the same random rings: for every mini format, receive function and setting of
 * rss, csum, vlan_strip, mark, timestamp and crc_present, every field of every
 * packet must be the same.  What is not compared, and why, is in one place:
 * differ().  For the vector functions it is also shown that each named
 * difference is needed: without it, the same comparison fails.
 */
#include <rte_mbuf_dyn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cqesim/mbuf.h"
#include "ring_random.h"
#include "test.h"
#include "test_mbuf.h"
#include "test_referee_random.h"

/* Dynamic flags are given out from the first free one on; the referee asks for no other. */
#define TIME_FLAG (UINT64_C(1) << 23)
#define VLAN      (RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED)

/* Settings, as bits. */
enum { RSS = 1, CSUM = 2, STRIP = 4, MARK = 8, TIME = 16, CRC = 32, SETTINGS = 64 };
/* The referee mostly waits for its own start, so that many run side by side. */
#define SIDE_BY_SIDE 8

/* Packets of a feed: with two feeds and eight settings each, a million for each pair. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
#define PACKETS (SANITIZED ? 3000u : 63000u)

/* ---- a feed, in memory and as a file ---- */

struct feed {
	struct ring_config config;
	struct ring_device device;
	uint64_t random;
	uint8_t *bytes;
	size_t size, room;
	uint8_t *ring[2]; /* what the feed is played into: for mbufs, for completions */
};

enum { END_OF_BATCH = 0xffffffff, POLL_AT_MOST = 0xfffffffd };

static void append(struct feed *f, const void *bytes, size_t n)
{
	if (f->size + n > f->room) {
		f->room = 2 * (f->size + n);
		f->bytes = realloc(f->bytes, f->room);
		ck_assert_ptr_nonnull(f->bytes);
	}
	memcpy(f->bytes + f->size, bytes, n);
	f->size += n;
}

/*
 * What the device's traffic has not got, as its own reader's test has no use for
 * it: joined segments (not in a striding RQ, where the driver, rewriting the
 * header, may write past the last stride), lengths of more than 16 bits for the
 * function that cuts them, and minis beyond the session's end that say "VLAN".
 */
static void change(struct feed *f, uint32_t slot, uint8_t bytes[64])
{
	const struct ring_config *c = &f->config;
	bool array = bytes[63] >> 2 & 1 && c->shape.layout == CQESIM_CQ_ENHANCED;
	bool entry = slot == (f->device.w.pi & f->device.w.mask) && !array;

	if (entry && !c->shape.log_stride && ring_chance(&f->random, 64))
		bytes[32] = (uint8_t)ring_below(&f->random, 4);
	if (entry && c->path == RING_VEC && !(bytes[63] & 0x0c) && ring_chance(&f->random, 64))
		bytes[45] = 1;
	if (entry || c->shape.format != CQESIM_MINI_L34H_STRIDX)
		return;
	for (unsigned i = 0; i < (array ? 60 : 64); i += 8) {
		static const uint8_t unused[8];

		if (!memcmp(bytes + i, unused, array && i == 56 ? 4 : 8))
			bytes[i] = (uint8_t)ring_below(&f->random, 2);
	}
}

static void on_write(void *context, uint32_t slot, const uint8_t bytes[64])
{
	struct feed *f = context;
	uint8_t changed[64];

	memcpy(changed, bytes, sizeof(changed));
	change(f, slot, changed);
	append(f, &slot, 4);
	append(f, changed, sizeof(changed));
}

static void on_poll(void *context, uint32_t most)
{
	uint32_t word = most ? POLL_AT_MOST : END_OF_BATCH;

	append(context, &word, 4);
	if (most)
		append(context, &most, 4);
}

static void feed_path(char path[512])
{
	snprintf(path, 512, "%s/mbuf.feed", test_tmpdir());
}

static void feed_make(struct feed *f)
{
	char path[512];

	append(f, "CQFEED01", 8);
	f->random = f->config.seed;
	ck_assert_int_eq(ring_device_init(&f->device, &f->config, f, on_write, on_poll), 0);
	while (f->device.count < f->config.packets)
		ring_device_batch(&f->device);
	ring_device_free(&f->device);
	feed_path(path);
	FILE *file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(f->bytes, 1, f->size, file), f->size);
	ck_assert_int_eq(fclose(file), 0);
	for (unsigned i = 0; i < 2; i++) {
		f->ring[i] = aligned_alloc(64, cqesim_cq_ring_bytes(&f->config.shape));
		ck_assert_ptr_nonnull(f->ring[i]);
	}
}

static void feed_free(struct feed *f)
{
	free(f->bytes);
	free(f->ring[0]);
	free(f->ring[1]);
}

/* ---- the driver's mbufs ---- */

static void records_path(char path[512], unsigned settings)
{
	snprintf(path, 512, "%s/mbuf.records.%u", test_tmpdir(), settings);
}

static void one_command(char *line, size_t size, const char *program, const struct feed *f,
			unsigned settings)
{
	const struct ring_config *c = &f->config;
	char feed[512], records[512], strides[128] = "";
	bool enhanced = c->shape.layout == CQESIM_CQ_ENHANCED;

	feed_path(feed);
	records_path(records, settings);
	if (c->log_strides)
		snprintf(strides, sizeof(strides),
			 "--log-strd-num %u --log-strd-sz %u --mprq-memcpy %u", c->log_strides,
			 c->shape.log_stride, c->memcpy_len);
	snprintf(line, size,
		 "%s --feed %s --mode %s --mcqe-format %s --layout %s --log-cqe-n %u "
		 "--log-elts-n %u %s --burst %u --data-room %u --cq-ci %u --slack %u "
		 "--rss %d --csum %d --vlan-strip %d --mark %d --timestamp %d --crc-present %d "
		 "--out summary --records %s",
		 program, feed, ring_path_name(c->path), cqesim_mini_format_name(c->shape.format),
		 enhanced ? "enhanced" : "basic", c->shape.log_size, c->log_elts, strides, c->burst,
		 c->data_room, c->start, enhanced && c->path == RING_VEC, !!(settings & RSS),
		 !!(settings & CSUM), !!(settings & STRIP), !!(settings & MARK),
		 !!(settings & TIME), !!(settings & CRC), records);
}

/* Run the referee with each of the settings. */
static void run_settings(const char *program, const struct feed *f, const unsigned *settings,
			 unsigned count)
{
	char line[4096], failed[512], *all = malloc(SIDE_BY_SIDE * (sizeof(line) + 1200));

	ck_assert_ptr_nonnull(all);
	snprintf(failed, sizeof(failed), "%s/mbuf.failed", test_tmpdir());
	for (unsigned i = 0; i < count; i += SIDE_BY_SIDE) {
		size_t at = 0;

		for (unsigned j = i; j < count && j < i + SIDE_BY_SIDE; j++) {
			one_command(line, sizeof(line), program, f, settings[j]);
			at += (size_t)sprintf(all + at, "{ %s >/dev/null || echo '%s' >%s; } & ",
					      line, line, failed);
		}
		sprintf(all + at, "wait");
		ck_assert_int_eq(system(all), 0);
		ck_assert_msg(access(failed, F_OK) != 0, "see %s: the referee refuses the feed",
			      failed);
	}
	free(all);
}

static struct referee_record *records_read(unsigned settings, size_t *count)
{
	char path[512];

	records_path(path, settings);
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s is missing", path);
	fseek(f, 0, SEEK_END);
	*count = (size_t)ftell(f) / sizeof(struct referee_record);
	rewind(f);
	struct referee_record *r = malloc((*count + 1) * sizeof(*r));
	ck_assert_ptr_nonnull(r);
	ck_assert_uint_eq(fread(r, sizeof(*r), *count, f), *count);
	fclose(f);
	unlink(path);
	return r;
}

/* ---- ours ---- */

#define MOST 64u

struct player {
	const struct feed *feed;
	struct cqesim_mbuf_rx rx;
	struct cqesim_cq_reader reader[2];
	struct rte_mbuf mbuf[MOST];
	struct rte_mbuf *mbufs[MOST];
	struct cqesim_completion completions[MOST];
	const struct referee_record *records;
	size_t count, next;
	size_t wrong;     /* packets that differ */
	char first[1024]; /* the first of them */
};

static struct player player;

static bool wrong(struct player *p, const char *field, uint64_t driver, uint64_t ours)
{
	if (driver == ours)
		return false;
	if (!p->wrong)
		snprintf(p->first, sizeof(p->first), "packet %zu: %s is %#llx, the driver's %#llx",
			 p->next, field, (unsigned long long)ours, (unsigned long long)driver);
	return true;
}

/*
 * Not compared:
 * - RTE_MBUF_F_EXTERNAL, which tells where the data lies;
 * - the VLAN of L34H packets in sessions of the scalar functions of 22.11, which
 *   look for it in the wrong byte (corrected in 24.11.6);
 * - time stamps that the vector functions do not write: old memory.
 */
static bool differ(struct player *p, const struct referee_record *r, const struct rte_mbuf *m,
		   const struct cqesim_completion *c)
{
	const struct ring_config *g = &p->feed->config;
	bool vec = ring_path_vec(g->path), session = c->session_n != 0;
	bool old_l34h = g->shape.format == CQESIM_MINI_L34H_STRIDX && session && !g->newer && !vec;
	bool old_time = p->rx.config.path & CQESIM_MBUF_VEC_TIMESTAMP && session &&
			(c->session_i || g->shape.layout == CQESIM_CQ_ENHANCED);
	uint64_t flags = ~(RTE_MBUF_F_EXTERNAL | (old_l34h ? VLAN : 0));
	uint64_t driver = r->ol_flags & flags;

	return wrong(p, "ol_flags", driver, m->ol_flags & flags) ||
	       wrong(p, "pkt_len", r->length, m->pkt_len) ||
	       wrong(p, "data_len", r->length & 0xffff, m->data_len) ||
	       wrong(p, "packet_type", r->ptype, m->packet_type) ||
	       (driver & RTE_MBUF_F_RX_RSS_HASH && wrong(p, "hash.rss", r->rss, m->hash.rss)) ||
	       (driver & RTE_MBUF_F_RX_VLAN && wrong(p, "vlan_tci", r->vlan, m->vlan_tci)) ||
	       (driver & RTE_MBUF_F_RX_FDIR_ID &&
		wrong(p, "hash.fdir.hi", r->mark, m->hash.fdir.hi)) ||
	       (driver & TIME_FLAG && !old_time &&
		wrong(p, "time stamp", r->timestamp,
		      *RTE_MBUF_DYNFIELD(m, TIME_OFFSET, const uint64_t *)));
}

/* Read what there is, at most `most` (0: all), and compare. */
static void play_reads(struct player *p, uint32_t most)
{
	uint32_t left = most ? most : UINT32_MAX;

	while (left) {
		unsigned max = left < MOST ? left : MOST;
		int got = cqesim_mbuf_poll(&p->rx, &p->reader[0], p->mbufs, max, NULL);

		ck_assert_int_eq(cqesim_cq_poll(&p->reader[1], p->completions, max, NULL), got);
		ck_assert_int_ge(got, 0);
		for (int i = 0; i < got; i++) {
			if (p->completions[i].filler) {
				ck_assert_uint_eq(p->mbuf[i].packet_type, CQESIM_MBUF_NO_PACKET);
				ck_assert_uint_eq(p->mbuf[i].pkt_len, 0);
				continue;
			}
			ck_assert_msg(p->next < p->count, "the driver has %zu packets", p->count);
			p->wrong +=
				differ(p, &p->records[p->next], &p->mbuf[i], &p->completions[i]);
			p->next++;
		}
		if ((unsigned)got < max)
			return;
		left -= most ? max : 0;
	}
}

/* Plays the feed; how many packets differ from the driver's. */
static size_t play(const struct feed *f, unsigned path, unsigned settings,
		   const struct referee_record *records, size_t count)
{
	const struct cqesim_mbuf_config config = {
		.path = path,
		.rss = settings & RSS,
		.csum = settings & CSUM,
		.vlan_strip = settings & STRIP,
		.mark = settings & MARK,
		.timestamp = settings & TIME,
		.crc_present = settings & CRC,
		.timestamp_offset = TIME_OFFSET,
		.timestamp_flag = TIME_FLAG,
	};
	const uint8_t *at = f->bytes + 8, *end = f->bytes + f->size;
	uint32_t word, most;

	player = (struct player){.feed = f, .records = records, .count = count};
	ck_assert_int_eq(cqesim_mbuf_rx_init(&player.rx, &config), 0);
	for (unsigned i = 0; i < MOST; i++)
		player.mbufs[i] = &player.mbuf[i];
	for (unsigned i = 0; i < 2; i++) {
		cqesim_cq_init_ring(f->ring[i], &f->config.shape);
		ck_assert_int_eq(cqesim_cq_reader_init(&player.reader[i], f->ring[i],
						       &f->config.shape,
						       ring_path_vec(f->config.path)
							       ? CQESIM_INVALIDATE_DPDK_VEC
							       : CQESIM_INVALIDATE_DPDK_SCALAR),
				 0);
		cqesim_cq_reader_seek(&player.reader[i], f->config.start);
	}
	while (at < end) {
		memcpy(&word, at, 4);
		at += 4;
		if (word == END_OF_BATCH) {
			play_reads(&player, 0);
		} else if (word == POLL_AT_MOST) {
			memcpy(&most, at, 4);
			at += 4;
			play_reads(&player, most);
		} else {
			memcpy(f->ring[0] + (size_t)word * 64, at, 64);
			memcpy(f->ring[1] + (size_t)word * 64, at, 64);
			at += 64;
		}
	}
	ck_assert_uint_eq(player.next, count);
	return player.wrong;
}

/* ---- the matrix ---- */

/* No kind of tunnel can be set in the referee, and no flag above bit 30 is given out. */
#define UNSEEN ((unsigned)(CQESIM_MBUF_VEC_FLAGS | CQESIM_MBUF_VEC_L34H_TUNNEL))

/* Differences without which the comparison failed somewhere. */
static unsigned needed;

/* Those that are not known to be needed yet and could show in this feed. */
static unsigned doubtful(const struct ring_config *c)
{
	unsigned all = ring_path_vec(c->path) ? CQESIM_MBUF_VEC & ~UNSEEN & ~needed : 0;

	if (c->shape.format != CQESIM_MINI_FTAG_STRIDX)
		all &= ~(unsigned)(CQESIM_MBUF_VEC_FTAG_KEPT | CQESIM_MBUF_VEC_FTAG_DEFAULT);
	if (c->shape.format != CQESIM_MINI_L34H_STRIDX)
		all &= ~(unsigned)(CQESIM_MBUF_VEC_L34H_VLAN | CQESIM_MBUF_VEC_L34H_INFO);
	if (c->shape.layout == CQESIM_CQ_BASIC)
		all &= ~(unsigned)CQESIM_MBUF_VEC_L34H_INFO;
	return all;
}

static void compare(const char *program, const struct feed *f, const unsigned *settings,
		    unsigned count)
{
	const struct ring_config *c = &f->config;
	unsigned path = ring_path_vec(c->path) ? CQESIM_MBUF_VEC : CQESIM_MBUF_SCALAR;

	run_settings(program, f, settings, count);
	for (unsigned i = 0; i < count; i++) {
		size_t packets;
		struct referee_record *records = records_read(settings[i], &packets);

		size_t different = play(f, path, settings[i], records, packets);
		ck_assert_msg(
			!different,
			"%s %s, %s layout, settings %#x, %s, seed %llu: %zu of %zu differ; %s",
			ring_path_name(c->path), cqesim_mini_format_name(c->shape.format),
			c->shape.layout == CQESIM_CQ_ENHANCED ? "enhanced" : "basic", settings[i],
			c->newer ? "24.11" : "22.11", (unsigned long long)c->seed, different,
			packets, player.first);
		ck_assert_uint_ge(packets, c->packets / 2);
		for (unsigned bit = 1; bit < path; bit <<= 1)
			if (doubtful(c) & bit &&
			    play(f, path & ~bit, settings[i], records, packets))
				needed |= bit;
		free(records);
	}
}

/* `most` of the settings with or without frame check sequence, at random. */
static unsigned draw_settings(unsigned settings[SETTINGS], bool crc, unsigned most, uint64_t *seeds)
{
	unsigned all = SETTINGS / 2;

	for (unsigned i = 0; i < all; i++)
		settings[i] = i | (crc ? CRC : 0);
	for (unsigned i = 0; i < all; i++) {
		unsigned j = ring_between(seeds, i, all - 1), other = settings[j];

		settings[j] = settings[i];
		settings[i] = other;
	}
	return most < all ? most : all;
}

/* A pair of receive function and format: two feeds, one of them with frame check sequences. */
static void pair(const struct referee *driver, enum ring_path path, enum cqesim_cq_layout layout,
		 enum cqesim_mini_format format, unsigned most, uint64_t *seeds)
{
	bool vec = ring_path_vec(path), enhanced = layout == CQESIM_CQ_ENHANCED;

	for (unsigned crc = 0; crc < 2; crc++) {
		struct feed f = {0};
		struct ring_config *c = &f.config;
		unsigned settings[SETTINGS];

		/* Small buffers: the driver's memory is made anew for each run. */
		do
			ring_config_draw(c, path, driver->newer, layout, format, PACKETS,
					 ring_between(seeds, 4, 9), ring_random(seeds));
		while (c->log_elts + c->log_strides + c->shape.log_stride > 20);
		c->data_room = 2048;
		c->error = c->critical = 0; /* no packets */
		c->crc = crc;
		if (crc && vec)
			c->fillers = c->session_fillers = false;
		/* What the reader's test must do without as cqesim_cq_poll has no such ways. */
		c->tunnels = c->vlan_minis = c->zero_tags = true;
		/* Arrays that are there when the driver looks are one to it: look at all at once.
		 */
		if (enhanced && path == RING_VEC)
			c->poll = 0;
		feed_make(&f);
		compare(driver->path, &f, settings, draw_settings(settings, crc, most, seeds));
		feed_free(&f);
	}
}

static uint64_t first_seed(const char *what)
{
	const char *given = getenv("CQESIM_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);

	printf("%s: CQESIM_SEED=%llu\n", what, (unsigned long long)seed);
	fflush(stdout);
	return seed;
}

/* All pairs, each with 2 x most settings, or all 64. */
static void matrix(const struct referee *driver, enum cqesim_cq_layout layout, unsigned most)
{
	uint64_t seeds = first_seed(driver->newer ? "mbuf, DPDK 24.11" : "mbuf, DPDK 22.11");
	const char *more = getenv("CQESIM_LONG");

	if (more && strcmp(more, "0") != 0)
		most = SETTINGS;
	for (enum ring_path path = RING_SCALAR; path <= RING_MPRQ_VEC; path++)
		for (unsigned i = 0; i < CQESIM_MINI_FORMATS; i++) {
			enum cqesim_mini_format format = (enum cqesim_mini_format)i;

			if (ring_pair_legal(path, format))
				pair(driver, path, layout, format, most, &seeds);
		}
}

/* Every named difference was needed but those that the referee cannot show, and `not_here`. */
static void differences_needed(unsigned not_here)
{
	for (unsigned bit = 1; bit < CQESIM_MBUF_VEC; bit <<= 1)
		ck_assert_msg((needed | UNSEEN | not_here) & bit, "nothing shows that %s is needed",
			      cqesim_mbuf_difference_name(bit));
}

START_TEST(with_22_11)
{
	struct referee driver;
	const char *why;

	if (!referee_find(&driver, false, &why)) {
		test_skip("mbuf with_22_11", why);
		return;
	}
	matrix(&driver, CQESIM_CQ_BASIC, 8);
	differences_needed(CQESIM_MBUF_VEC_L34H_INFO);
}
END_TEST

START_TEST(with_24_11)
{
	struct referee driver;
	const char *why;

	if (!referee_find(&driver, true, &why)) {
		test_skip("mbuf with_24_11", why);
		return;
	}
	matrix(&driver, CQESIM_CQ_BASIC, 2);
	matrix(&driver, CQESIM_CQ_ENHANCED, 8);
	differences_needed(0);
}
END_TEST

TCase *test_mbuf_referee(void)
{
	TCase *t = tcase_create("referee");

	tcase_set_timeout(t, getenv("CQESIM_LONG") ? 7200 : 2400);
	tcase_add_test(t, with_22_11);
	tcase_add_test(t, with_24_11);
	return t;
}

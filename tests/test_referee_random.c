/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random rings, read by our reader and by the real DPDK driver: every legal pair
 * of mini format and receive function, basic layout with DPDK 22.11 and 24.11,
 * enhanced layout with 24.11, a million packets each.
 *
 * The seed is printed; CQESIM_SEED=N repeats a run, CQESIM_RING='24.11 basic vec
 * hash 3' one ring of it, whose feed is then left in the current folder.
 * CQESIM_LONG=1 tries twenty times as much, with every ring size in turn.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"
#include "test_referee_random.h"

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

#define FEED_BATCH 0xffffffffu
#define FEED_POLL  0xfffffffdu

/* Rings that the driver reads at the same time as the next one is written. */
#define JOBS 3

static uint64_t master_seed;

/* One mini format with one receive function. */
struct pair {
	char name[64];
	struct referee referee;
	enum ring_path path;
	enum cqesim_cq_layout layout;
	enum cqesim_mini_format format;
	uint64_t packets, exceptions[REFEREE_EXCEPTIONS_MAX];
	unsigned rings;
	double seconds;
};

/* One ring: written and read by us, being read by the driver. */
struct job {
	struct pair *pair;
	unsigned number;
	struct ring_config config;
	struct ring_device device;
	struct cqesim_cq_reader reader;
	uint8_t *image; /* the ring that our reader reads */
	size_t got;
	uint64_t deliverable;
	uint8_t *feed;
	size_t feed_size, feed_room;
	uint64_t random;
	pid_t pid;
	char feed_path[512], records_path[512], ring_path[512], out_path[512];
};

/* ---- a failure, and how to see it again ---- */

static void wrong(const struct job *j, const char *text)
{
	ck_abort_msg("%s: ring %u: %s\nto repeat: CQESIM_SEED=%#" PRIx64
		     " CQESIM_RING='%s %u' tests/check_cqesim random",
		     j->pair->name, j->number, text, master_seed, j->pair->name, j->number);
}

/* ---- our reader, and the feed for theirs ---- */

static void feed_bytes(struct job *j, const void *bytes, size_t size)
{
	if (j->feed_size + size > j->feed_room) {
		j->feed_room = 2 * (j->feed_room + size);
		j->feed = realloc(j->feed, j->feed_room);
		ck_assert_ptr_nonnull(j->feed);
	}
	memcpy(j->feed + j->feed_size, bytes, size);
	j->feed_size += size;
}

static void written(void *context, uint32_t slot, const uint8_t bytes[64])
{
	struct job *j = context;

	memcpy(j->image + (size_t)slot * 64, bytes, 64);
	feed_bytes(j, &slot, sizeof(slot));
	feed_bytes(j, bytes, 64);
}

static void compare(struct job *j, const struct cqesim_completion *c)
{
	char text[256];

	if (j->got < j->device.count && ring_same_completion(c, &j->device.sent[j->got]))
		return;
	snprintf(text, sizeof(text),
		 "our reader's completion %zu of %zu (index %u, %u of %u) is not what was sent",
		 j->got, j->device.count, c->index, c->session_i, c->session_n);
	wrong(j, text);
}

/* At most `most` packets, in bursts of any size; 0: all there are. */
static void read_image(struct job *j, uint32_t most)
{
	struct cqesim_completion out[64];
	struct cqesim_cq_fault fault;
	uint32_t left = most ? most : UINT32_MAX;

	while (left) {
		uint32_t burst = 1 + ring_below(&j->random, 64);
		int n = cqesim_cq_poll(&j->reader, out, burst < left ? burst : left, &fault);

		if (n < 0)
			wrong(j, cqesim_cq_fault_name(fault.kind));
		if (n <= 0)
			break;
		for (int i = 0; i < n; i++, j->got++) {
			const struct cqesim_completion *c = &out[i];

			compare(j, c);
			j->deliverable += !c->filler && c->opcode != CQESIM_OP_RESP_ERR &&
					  j->device.fate[j->got] == RING_DELIVERED;
			/* From here on what is judged is what our reader said. */
			j->device.sent[j->got] = *c;
		}
		left -= (uint32_t)n;
	}
}

static void polled(void *context, uint32_t most)
{
	static const uint32_t batch[3] = {FEED_BATCH, FEED_BATCH, FEED_BATCH};
	struct job *j = context;

	/*
	 * Several times: a call that finds nothing but errors or fillers returns
	 * nothing either, and mprq_vec posts buffers by and by.
	 */
	if (most) {
		feed_bytes(j, (const uint32_t[]){FEED_POLL, most}, 8);
		read_image(j, 1 + ring_below(&j->random, most));
	} else {
		feed_bytes(j, batch, j->config.path == RING_MPRQ_VEC ? 12 : 8);
		read_image(j, 0);
	}
}

/* A new ring as a driver of that release leaves it to the device. */
static uint8_t *fresh_image(const struct ring_config *c)
{
	size_t bytes = cqesim_cq_ring_bytes(&c->shape);
	uint8_t *image = aligned_alloc(64, bytes);

	ck_assert_ptr_nonnull(image);
	memset(image, 0, bytes);
	for (size_t slot = 0; slot < bytes; slot += 64) {
		image[slot + 62] = c->newer ? 0xff : 0;
		image[slot + 63] = 0xf1;
	}
	return image;
}

/* ---- theirs ---- */

static unsigned add_args(const struct job *j, char args[][32], unsigned n)
{
	const struct ring_config *c = &j->config;
	const struct {
		const char *name;
		uint32_t value;
	} numbers[] = {
		{"--log-cqe-n", c->shape.log_size}, {"--log-elts-n", c->log_elts},
		{"--burst", c->burst},		    {"--rss", c->rss},
		{"--csum", c->csum},		    {"--vlan-strip", c->vlan_strip},
		{"--mark", c->mark},		    {"--timestamp", c->timestamp},
		{"--crc-present", c->crc},	    {"--cq-ci", c->start},
		{"--data-room", c->data_room},	    {"--mprq-memcpy", c->memcpy_len},
		{"--log-strd-num", c->log_strides}, {"--log-strd-sz", c->shape.log_stride},
	};
	unsigned count = sizeof(numbers) / sizeof(numbers[0]);

	if (!c->log_strides)
		count -= 3;
	for (unsigned i = 0; i < count; i++) {
		snprintf(args[n++], 32, "%s", numbers[i].name);
		snprintf(args[n++], 32, "%u", numbers[i].value);
	}
	return n;
}

static void spawn(struct job *j, const char *const *argv)
{
	posix_spawn_file_actions_t files;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 1, j->out_path, O_WRONLY | O_CREAT | O_TRUNC,
					 0666);
	posix_spawn_file_actions_adddup2(&files, 1, 2);
	if (posix_spawn(&j->pid, j->pair->referee.path, &files, NULL, (char *const *)argv, environ))
		wrong(j, "the referee cannot be started");
	posix_spawn_file_actions_destroy(&files);
}

static void run_referee(struct job *j)
{
	char args[64][32] = {"pmd_referee", "--mode", "", "--mcqe-format", "", "--layout", "",
			     "--out", "summary", "--slack", ""};
	const char *argv[80];
	unsigned n = 11;
	bool enhanced = j->pair->layout == CQESIM_CQ_ENHANCED;

	snprintf(args[2], 32, "%s", ring_path_name(j->pair->path));
	snprintf(args[4], 32, "%s", cqesim_mini_format_name(j->pair->format));
	snprintf(args[6], 32, "%s", enhanced ? "enhanced" : "basic");
	/* README: what vec needs to look at the slot after an array at the ring's end. */
	snprintf(args[10], 32, "%u", enhanced && j->pair->path == RING_VEC && j->config.at_end);
	n = add_args(j, args, n);
	for (unsigned i = 0; i < n; i++)
		argv[i] = args[i];
	const char *const files[] = {"--feed", j->feed_path, "--records", j->records_path,
				     "--dump-ring", j->ring_path, NULL};
	memcpy(argv + n, files, sizeof(files));
	if (getenv("CQESIM_RING")) {
		for (unsigned i = 0; argv[i]; i++)
			printf("%s%s", i ? " " : "", argv[i]);
		printf("\n");
	}
	spawn(j, argv);
}

/* The whole file, with a 0 behind it. */
static uint8_t *load(const struct job *j, const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = NULL;

	if (!f)
		wrong(j, "the referee wrote no such file");
	if (!fseek(f, 0, SEEK_END)) {
		*size = (size_t)ftell(f);
		rewind(f);
		bytes = malloc(*size + 1);
	}
	if (!bytes || fread(bytes, 1, *size, f) != *size)
		wrong(j, "the referee's file cannot be read");
	fclose(f);
	bytes[*size] = 0;
	return bytes;
}

static uint64_t number_of(const char *text, const char *key)
{
	char quoted[64];
	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	const char *at = strstr(text, quoted);

	if (!at)
		return 0;
	at += strlen(quoted);
	return *at == 't' ? 1 : strtoull(at, NULL, 10);
}

static struct referee_summary summary_of(const struct job *j)
{
	size_t size;
	char *text = (char *)load(j, j->out_path, &size);
	const char *last = strstr(text, "{\"packets\":");

	if (!last) {
		char all[1024];
		snprintf(all, sizeof(all), "the referee says: %.900s", text);
		wrong(j, all);
	}
	struct referee_summary s = {
		.packets = number_of(last, "packets"),
		.errors = number_of(last, "errors"),
		.queue_modifies = number_of(last, "queue_modifies"),
		.rewrites = number_of(last, "rewrites"),
		.nombuf = number_of(last, "rx_nombuf"),
		.false_external = number_of(last, "false_external"),
		.slack_written = number_of(last, "slack_written"),
		.cq_ci = (uint32_t)number_of(last, "cq_ci"),
		.fault = number_of(last, "fault"),
		.runaway = number_of(last, "runaway"),
	};
	free(text);
	return s;
}

/* ---- one ring ---- */

static void name_files(struct job *j)
{
	const char *folder = getenv("CQESIM_RING") ? "." : test_tmpdir();
	unsigned id = j->number % JOBS;

	snprintf(j->feed_path, sizeof(j->feed_path), "%s/ring.%u.feed", folder, id);
	snprintf(j->records_path, sizeof(j->records_path), "%s/ring.%u.records", folder, id);
	snprintf(j->ring_path, sizeof(j->ring_path), "%s/ring.%u.image", folder, id);
	snprintf(j->out_path, sizeof(j->out_path), "%s/ring.%u.out", folder, id);
}

static uint64_t seed_of(const char *name, unsigned number)
{
	uint64_t h = master_seed;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
	h ^= number;
	return ring_random(&h);
}

static void write_feed(struct job *j)
{
	FILE *f = fopen(j->feed_path, "wb");

	if (!f || fwrite("CQFEED01", 1, 8, f) != 8 ||
	    fwrite(j->feed, 1, j->feed_size, f) != j->feed_size || fclose(f))
		wrong(j, "the feed cannot be written");
}

/* Write a ring, read it, and have the driver start to read it. */
static void start(struct job *j, struct pair *pair, unsigned number, uint32_t packets,
		  unsigned log_size)
{
	*j = (struct job){.pair = pair, .number = number};
	j->random = seed_of(pair->name, number);
	ring_config_draw(&j->config, pair->path, pair->referee.newer, pair->layout, pair->format,
			 packets, log_size, j->random);
	name_files(j);
	j->image = fresh_image(&j->config);
	ck_assert_int_eq(cqesim_cq_reader_init(&j->reader, j->image, &j->config.shape,
					       ring_path_vec(pair->path)
						       ? CQESIM_INVALIDATE_DPDK_VEC
						       : CQESIM_INVALIDATE_DPDK_SCALAR),
			 0);
	cqesim_cq_reader_seek(&j->reader, j->config.start);
	ck_assert_int_eq(ring_device_init(&j->device, &j->config, j, written, polled), 0);
	/* Where much is lost to critical errors, enough is enough. */
	while (j->deliverable < packets && j->device.count < 4 * (size_t)packets)
		ring_device_batch(&j->device);
	if (j->got != j->device.count)
		wrong(j, "our reader has not returned everything");
	write_feed(j);
	free(j->feed);
	j->feed = NULL;
	run_referee(j);
}

/* Wait for the driver, compare, and tidy up. */
static void finish(struct job *j)
{
	char text[1024];
	size_t size = 0, ring_size = 0;
	int status;

	if (!j->pid)
		return;
	ck_assert_int_eq(waitpid(j->pid, &status, 0), j->pid);
	struct referee_summary summary = summary_of(j);
	uint8_t *records = load(j, j->records_path, &size);
	uint8_t *ring = load(j, j->ring_path, &ring_size);
	const struct referee_case c = {
		.config = &j->config,
		.got = j->device.sent,
		.fate = j->device.fate,
		.count = j->device.count,
		.errors = j->device.errors,
		.criticals = j->device.criticals,
		.end = j->reader.ci,
		.ring = j->image,
		.records = (const struct referee_record *)records,
		.record_count = size / sizeof(struct referee_record),
		.summary = &summary,
		.driver_ring = ring,
	};
	if (ring_size != cqesim_cq_ring_bytes(&j->config.shape))
		wrong(j, "the driver's ring has another size");
	referee_judge(&c, j->pair->exceptions, text, sizeof(text));
	if (*text)
		wrong(j, text);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		wrong(j, "the referee ended badly");
	j->pair->packets += j->deliverable;
	j->pair->rings++;
	free(records);
	free(ring);
	free(j->image);
	ring_device_free(&j->device);
	j->pid = 0;
}

/* ---- a pair, and all of a receive function ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void report(const struct pair *p)
{
	printf("random: %s: %" PRIu64 " packets, %u rings, %.1f s", p->name, p->packets, p->rings,
	       p->seconds);
	for (unsigned i = 0; i < referee_exceptions; i++)
		if (p->exceptions[i])
			printf("; %s: %" PRIu64, referee_exception_name(i), p->exceptions[i]);
	printf("\n");
	fflush(stdout);
}

static void try_pair(struct pair *p)
{
	const char *only = getenv("CQESIM_RING"); /* the name and a number */
	bool more = getenv("CQESIM_LONG") && strcmp(getenv("CQESIM_LONG"), "0");
	uint64_t quota = SANITIZED ? 60000 : more ? 20000000 : 1000000;
	uint32_t each = SANITIZED ? 15000 : 125000;
	unsigned smallest = ring_path_vec(p->path) ? 4 : 1;
	struct job jobs[JOBS] = {{0}};
	uint64_t planned = 0;
	double begin = now();
	unsigned n = 0;

	if (only)
		n = (unsigned)strtoul(only + strlen(p->name), NULL, 10);
	for (; planned < quota; n++) {
		struct job *j = &jobs[n % JOBS];

		finish(j);
		start(j, p, n, each, more ? smallest + n % (16 - smallest) : 0);
		planned += only ? quota : j->deliverable;
	}
	for (unsigned i = 0; i < JOBS; i++)
		finish(&jobs[(n + i) % JOBS]);
	p->seconds = now() - begin;
	report(p);
	if (!only)
		ck_assert_uint_ge(p->packets, quota);
}

/* Which driver, and which layout: the index of the loop is one of these times a path. */
static const struct {
	bool newer;
	enum cqesim_cq_layout layout;
} drivers[] = {
	{false, CQESIM_CQ_BASIC},
	{true, CQESIM_CQ_BASIC},
	{true, CQESIM_CQ_ENHANCED},
};
static const enum ring_path paths[] = {RING_SCALAR, RING_VEC, RING_MPRQ, RING_MPRQ_VEC, RING_OOO};
#define PATHS   (sizeof(paths) / sizeof(paths[0]))
#define DRIVERS (sizeof(drivers) / sizeof(drivers[0]))

START_TEST(pairs)
{
	unsigned d = (unsigned)_i / PATHS;
	const char *why, *only = getenv("CQESIM_RING");
	struct pair p = {.path = paths[(unsigned)_i % PATHS], .layout = drivers[d].layout};
	char name[64];

	snprintf(name, sizeof(name), "%s %s %s", drivers[d].newer ? "24.11" : "22.11",
		 p.layout == CQESIM_CQ_ENHANCED ? "enhanced" : "basic", ring_path_name(p.path));
	if (only && (strncmp(only, name, strlen(name)) || only[strlen(name)] != ' '))
		return;
	if (!referee_find(&p.referee, drivers[d].newer, &why)) {
		char what[128];
		snprintf(what, sizeof(what), "random %s", name);
		test_skip(what, why);
		return;
	}
	/* The same memory for one ring after the other. */
	mallopt(M_MMAP_THRESHOLD, 1 << 28);
	mallopt(M_TRIM_THRESHOLD, 1 << 29);
	for (int f = 0; f < CQESIM_MINI_FORMATS; f++) {
		p.format = (enum cqesim_mini_format)f;
		snprintf(p.name, sizeof(p.name), "%s %s", name, cqesim_mini_format_name(p.format));
		if (!ring_pair_legal(p.path, p.format))
			continue;
		if (only && (strncmp(only, p.name, strlen(p.name)) || only[strlen(p.name)] != ' '))
			continue;
		p.packets = p.rings = 0;
		memset(p.exceptions, 0, sizeof(p.exceptions));
		try_pair(&p);
	}
}
END_TEST

Suite *suite_random(void)
{
	Suite *s = suite_create("random");
	TCase *t = tcase_create("pairs");
	const char *seed = getenv("CQESIM_SEED");
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	master_seed = (uint64_t)time.tv_sec << 20 ^ (uint64_t)time.tv_nsec;
	if (seed)
		master_seed = strtoull(seed, NULL, 0);
	printf("random: CQESIM_SEED=%#" PRIx64 "\n", master_seed);
	fflush(stdout);
	tcase_set_timeout(t, getenv("CQESIM_LONG") ? 7200 : 1200);
	tcase_add_loop_test(t, pairs, 0, (int)(PATHS * DRIVERS));
	suite_add_tcase(s, t);
	return s;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One random ring: written by a device, read by our reader, which must return
 * exactly what was sent, and handed to the referee as a feed; then judged.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "test_referee_random.h"

#define FEED_BATCH 0xffffffffu
#define FEED_POLL  0xfffffffdu

/* ---- a failure, and how to see it again ---- */

static void wrong(const struct job *j, const char *text)
{
	ck_abort_msg("%s: ring %u: %s\nto repeat: CQESIM_SEED=%#" PRIx64
		     "%s CQESIM_RING='%s %u' tests/check_cqesim random",
		     j->pair->name, j->number, text, j->pair->seed,
		     ring_long_run() ? " CQESIM_LONG=1" : "", j->pair->name, j->number);
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
		{"--log-cqe-n", c->shape.log_size},
		{"--log-elts-n", c->log_elts},
		{"--burst", c->burst},
		{"--rss", c->rss},
		{"--csum", c->csum},
		{"--vlan-strip", c->vlan_strip},
		{"--mark", c->mark},
		{"--timestamp", c->timestamp},
		{"--crc-present", c->crc},
		{"--cq-ci", c->start},
		{"--data-room", c->data_room},
		{"--mprq-memcpy", c->memcpy_len},
		{"--log-strd-num", c->log_strides},
		{"--log-strd-sz", c->shape.log_stride},
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
	char args[64][32] = {
		"pmd_referee", "--mode",  "", "--mcqe-format", "", "--layout", "", "--out",
		"summary",     "--slack", ""};
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
	const char *const files[] = {"--feed",      j->feed_path, "--records", j->records_path,
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
		.rq_ci = (uint32_t)number_of(last, "rq_ci"),
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
	unsigned id = j->number % REFEREE_JOBS;

	snprintf(j->feed_path, sizeof(j->feed_path), "%s/ring.%u.feed", folder, id);
	snprintf(j->records_path, sizeof(j->records_path), "%s/ring.%u.records", folder, id);
	snprintf(j->ring_path, sizeof(j->ring_path), "%s/ring.%u.image", folder, id);
	snprintf(j->out_path, sizeof(j->out_path), "%s/ring.%u.out", folder, id);
}

static uint64_t seed_of(const struct pair *pair, unsigned number)
{
	uint64_t h = pair->seed;

	for (const char *name = pair->name; *name; name++)
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
void referee_start(struct job *j, struct pair *pair, unsigned number, uint32_t packets,
		   unsigned log_size)
{
	*j = (struct job){.pair = pair, .number = number};
	j->random = seed_of(pair, number);
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

static void note_contents(struct job *j)
{
	struct contents *h = &j->pair->held;
	unsigned log_size = j->config.shape.log_size;
	uint32_t size = UINT32_C(1) << log_size;

	h->laps += (j->reader.ci - j->config.start) >> log_size;
	h->errors += j->device.errors + j->device.criticals;
	h->smallest = h->smallest && h->smallest < log_size ? h->smallest : log_size;
	h->largest = h->largest > log_size ? h->largest : log_size;
	for (size_t i = 0; i < j->device.count; i++) {
		const struct cqesim_completion *c = &j->device.sent[i];
		uint32_t end = (c->index & (size - 1)) + c->session_n;

		h->fillers += c->filler;
		if (!c->session_n || c->session_i)
			continue;
		h->sessions++;
		h->over_end += end > size;
		h->up_to_end += end == size;
		h->whole_ring += c->session_n == size;
		h->longest = h->longest > c->session_n ? h->longest : c->session_n;
	}
}

/* Wait for the driver, compare, and tidy up. */
void referee_finish(struct job *j)
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
	note_contents(j);
	j->pair->packets += j->deliverable;
	j->pair->rings++;
	free(records);
	free(ring);
	free(j->image);
	ring_device_free(&j->device);
	j->pid = 0;
}

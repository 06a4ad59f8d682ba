/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The size of every burst: random workloads are replayed, and the driver of DPDK
 * 22.11, and of 24.11, itself is called on the same ring, in the same state, as
 * often as the simulated one was, empty calls included.  Each call must return as
 * many packets, and the receive doorbell must stand at the same buffer before it.
 * What of the driver's own looks odd is followed:
 *
 *   vec        leaves up to three entries when a session's rest comes first, or
 *              when they lie in the last buffers posted
 *   mprq_vec   finds nothing new in a round that returned a session's rest; ends
 *              after a round of nothing but fillers, or when fewer than four packet
 *              buffers lie before the end of their ring
 *
 * One thing cannot be: mprq_vec loses the lengths of a session that is longer than
 * the packet buffers at hand, see test_referee_bursts_overrun.c.  A workload is
 * compared up to the call that finds the first of these, and how many ended so is
 * printed.
 *
 * The seed is printed; CQESIM_SEED=N CQESIM_BURSTS='22.11 vec 12' repeats one
 * workload, whose files stay in the current folder; CQESIM_LONG=1 makes a million
 * calls with each release.  24.11 is tried where the suite random would:
 * with CQESIM_REFEREE in the folder that it names.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/host_internal.h"
#include "ring_random.h"
#include "sim/feed_format.h"
#include "sim/ring_log.h"
#include "sim/sim_internal.h"
#include "test.h"
#include "test_referee_bursts.h"

/*
 * So many empty calls in a row are made, all that there were up to this: a driver
 * has posted what it can after two, and mprq_vec has all packet buffers after six.
 */
#define EMPTY_MAX 10u
/* Calls that find something in the ring, in each mode, and from so many workloads. */
#define CALLS         UINT64_C(25000)
#define CALLS_LONG    UINT64_C(260000)
#define WORKLOADS_MIN 12u
/* The receive doorbell before the first call is not asked. */
#define UNKNOWN UINT32_MAX

static const struct {
	const char *name, *driver;
} modes[BURSTS_MODES] = {
	{"scalar", "dpdk-mlx5-scalar"},
	{"vec", "dpdk-mlx5-vec"},
	{"mprq", "dpdk-mlx5-mprq"},
	{"mprq_vec", "dpdk-mlx5-mprq-vec"},
};

static const char *const releases[] = {"22.11", "24.11"};

static uint64_t master_seed;

/* ---- the simulated one ---- */

/* What a call must have returned, and the buffers posted before it. */
struct call {
	uint32_t packets, posted;
};

struct run {
	struct bursts_workload workload;
	bool newer; /* DPDK 24.11 */
	unsigned number;
	char description[512];
	struct cqesim_sim *sim;
	struct ring_log log;
	FILE *feed;
	struct call *call;
	size_t calls, room;
	uint64_t polls, empty_polls; /* of the simulation, seen so far */
	uint64_t bursts;             /* calls that found something */
	bool cut;                    /* what came after is not comparable */
};

/* Of all workloads of a mode. */
static struct {
	uint64_t bursts, full, fillers_only, empty, packets, lost, cut;
} total;

__attribute__((noreturn)) static void wrong(const struct run *r, const char *text)
{
	const char *release = releases[r->newer], *name = modes[r->workload.mode].name;

	ck_abort_msg("%s %s %u: %s: %s\nto repeat: CQESIM_SEED=%#" PRIx64
		     " CQESIM_BURSTS='%s %s %u' tests/check_cqesim bursts",
		     release, name, r->number, r->description, text, master_seed, release, name,
		     r->number);
}

static void add_call(struct run *r, uint32_t packets, uint32_t posted)
{
	if (r->calls == r->room) {
		r->room = r->room ? 2 * r->room : 4096;
		r->call = realloc(r->call, r->room * sizeof(*r->call));
		ck_assert_ptr_nonnull(r->call);
	}
	r->call[r->calls++] = (struct call){packets, posted};
	feed_call(r->feed, r->workload.burst);
}

static void written(void *context, unsigned queue, uint32_t slot, uint8_t *bytes)
{
	struct run *r = context;

	(void)queue;
	ck_assert_int_eq(ring_log_written(&r->log, slot, bytes), 0);
}

static void published(void *context, unsigned queue, uint64_t visible_ps)
{
	struct run *r = context;

	(void)queue;
	ring_log_published(&r->log, visible_ps);
}

/* The device may use buffers up to here, by what was done before this call. */
static uint32_t posted(const struct run *r)
{
	const struct cqesim_host_queue *host = r->sim->queue[0].host;

	/* Cyclic and scalar: posted at the end of the call before, told to the device now. */
	if (r->workload.mode == BURSTS_SCALAR)
		return host->poster.pi;
	return (uint16_t)cqesim_be_load((const uint8_t *)&r->sim->queue[0].dbrec[0], 4);
}

/* Did this call, or one before, find a session that mprq_vec has no packet buffers for? */
static bool overran(const struct run *r)
{
	return cqesim_host_stats(r->sim->queue[0].host)->overruns != 0;
}

static int polled(void *context, unsigned queue, uint64_t now_ps, const struct cqesim_completion *c,
		  unsigned n)
{
	struct run *r = context;
	const struct cqesim_host_stats *s = cqesim_host_stats(r->sim->queue[0].host);
	/* Calls that found entries and took none, for want of packet buffers, count as empty. */
	uint64_t empty = s->empty_polls - r->empty_polls + (s->polls - r->polls - 1);
	const struct ring_write *w;
	uint32_t packets = 0;

	(void)queue;
	if (overran(r)) {
		r->cut = true;
		return 0;
	}
	r->empty_polls = s->empty_polls;
	r->polls = s->polls;
	for (unsigned i = 0; i < empty && i < EMPTY_MAX; i++)
		add_call(r, 0, UNKNOWN);
	while ((w = ring_log_take(&r->log, now_ps)))
		feed_slot(r->feed, w->slot, w->bytes);
	for (unsigned i = 0; i < n; i++)
		packets += !c[i].filler;
	add_call(r, packets, r->bursts ? posted(r) : UNKNOWN);
	r->bursts++;
	total.packets += packets;
	total.full += packets == r->workload.burst;
	total.fillers_only += !packets;
	return 0;
}

static void set(struct run *r, struct cqesim_profile *p, const char *name, unsigned value)
{
	struct cqesim_error err = {""};
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	if (cqesim_profile_set(p, name, text, &err))
		wrong(r, err.text);
}

static struct cqesim_profile *load(enum cqesim_profile_kind kind, const char *name)
{
	struct cqesim_error err = {""};
	struct cqesim_profile *p;

	ck_assert_msg(!cqesim_profile_load(&p, kind, name, &err), "%s", err.text);
	return p;
}

/* Replay into a feed; the command that reads it. */
static void simulate(struct run *r, const char *feed_path, char *command, size_t size)
{
	struct bursts_workload *w = &r->workload;
	struct cqesim_ring_observer observer = {r, written, published, polled};
	struct cqesim_error err = {""};
	struct cqesim_sim_config config = {
		.device = load(CQESIM_PROFILE_DEVICE, "connectx-5"),
		.link = load(CQESIM_PROFILE_LINK, w->link),
		.driver = load(CQESIM_PROFILE_DRIVER, modes[w->mode].driver),
		.host = load(CQESIM_PROFILE_HOST, "generic"),
		.application = load(CQESIM_PROFILE_APPLICATION, "rxonly"),
		.queues = 1,
		.ring = 1u << w->log_ring,
		.burst = w->burst,
		.comp = w->comp,
		.mini_format = (int)w->format,
		.observer = &observer,
	};
	struct cqesim_profile *device = (struct cqesim_profile *)config.device;
	struct cqesim_profile *driver = (struct cqesim_profile *)config.driver;
	struct cqesim_profile *host = (struct cqesim_profile *)config.host;
	struct cqesim_profile *application = (struct cqesim_profile *)config.application;

	set(r, device, "cqe_compression_max_num", w->comp_max);
	set(r, device, "cqe_compression_timeout", w->comp_timeout_ns);
	if (cqesim_profile_set(device, "session_crosses_ring_end", w->comp_cross ? "yes" : "no",
			       &err))
		wrong(r, err.text);
	set(r, application, "app_cycles", w->app_cycles);
	set(r, application, "app_poll_cycles", w->poll_cycles);
	if (w->log_strides) {
		set(r, driver, "strides", 1u << w->log_strides);
		set(r, driver, "stride", 1u << w->log_stride_len);
		set(r, driver, "memcpy", w->memcpy_len);
	}
	r->feed = fopen(feed_path, "wb");
	ck_assert_ptr_nonnull(r->feed);
	feed_begin(r->feed);
	double clock_hz = cqesim_profile_num(host, CQESIM_HOST_CLOCK) * 1e9;
	if (cqesim_sim_create(&r->sim, &config, &err) || bursts_feed(w, r->sim, clock_hz, &err) ||
	    cqesim_feed_command(cqesim_sim_result(r->sim), feed_path, command, size, &err))
		wrong(r, err.text);
	total.lost += cqesim_sim_lost(r->sim);
	if (ferror(r->feed) || fclose(r->feed))
		wrong(r, "the feed cannot be written");
	cqesim_sim_destroy(r->sim);
	cqesim_profile_free(device);
	cqesim_profile_free((struct cqesim_profile *)config.link);
	cqesim_profile_free(driver);
	cqesim_profile_free(host);
	cqesim_profile_free(application);
}

/* ---- call by call ---- */

static void compare(struct run *r, const char *calls_path)
{
	FILE *f = fopen(calls_path, "rb");
	uint32_t said[2], posted = UNKNOWN;
	uint64_t bursts = 0;
	char text[256];

	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i < r->calls; i++) {
		const struct call *c = &r->call[i];

		if (fread(said, sizeof(said), 1, f) != 1)
			wrong(r, "the driver was called less often");
		bursts += c->packets != 0;
		if (c->posted != UNKNOWN && (uint16_t)c->posted != (uint16_t)posted) {
			snprintf(text, sizeof(text),
				 "before call %zu of %zu (%" PRIu64
				 " with packets) the doorbell is "
				 "at %u, DPDK's at %u",
				 i, r->calls, bursts, c->posted & 0xffff, posted & 0xffff);
			wrong(r, text);
		}
		if (said[0] != c->packets) {
			snprintf(text, sizeof(text),
				 "call %zu of %zu (%" PRIu64 " with packets) returns %u, DPDK's %u",
				 i, r->calls, bursts, c->packets, said[0]);
			wrong(r, text);
		}
		posted = said[1];
	}
	/* The referee's own, at the end. */
	if (!r->cut && (fread(said, sizeof(said), 1, f) != 1 || said[0]))
		wrong(r, "something is left in the driver's ring");
	fclose(f);
}

static void try_workload(const char *program, bool newer, enum bursts_mode mode, unsigned number)
{
	const char *folder = getenv("CQESIM_BURSTS") ? "." : test_tmpdir();
	char feed[256], calls[256], command[2048], line[4096];
	struct run r = {.newer = newer, .number = number};
	uint64_t seed = master_seed;

	seed = ring_random(&seed) ^ ((uint64_t)mode << 32 | number);
	bursts_draw(&r.workload, mode, ring_random(&seed));
	bursts_describe(&r.workload, r.description, sizeof(r.description));
	snprintf(feed, sizeof(feed), "%.200s/bursts.feed", folder);
	snprintf(calls, sizeof(calls), "%.200s/bursts.calls", folder);
	simulate(&r, feed, command, sizeof(command));
	ck_assert(!strncmp(command, "pmd_referee ", 12));
	snprintf(line, sizeof(line), "CQESIM_CALLS='%s' '%s' %s --out summary >'%s.out' 2>&1",
		 calls, program, command + 12, calls);
	if (getenv("CQESIM_BURSTS"))
		printf("%s\n%s\n", r.description, line);
	int status = system(line);
	compare(&r, calls);
	if (status && !r.cut)
		wrong(&r, "the referee ended badly");
	total.bursts += r.bursts;
	total.cut += r.cut;
	total.empty += r.calls - r.bursts;
	ring_log_free(&r.log);
	free(r.call);
}

/* The workload that CQESIM_BURSTS asks for, of this release and mode; 22.11 may be left out. */
static bool asked(const char *only, bool newer, enum bursts_mode mode, unsigned *number)
{
	char release[8], name[16];

	if (sscanf(only, "%7s %15s %u", release, name, number) != 3) {
		strcpy(release, releases[0]);
		if (sscanf(only, "%15s %u", name, number) != 2)
			ck_abort_msg("CQESIM_BURSTS='%s': expected e.g. '24.11 vec 12'", only);
	}
	return !strcmp(release, releases[newer]) && !strcmp(name, modes[mode].name);
}

START_TEST(bursts)
{
	enum bursts_mode mode = (enum bursts_mode)(_i % BURSTS_MODES);
	bool newer = _i / BURSTS_MODES;
	const char *why, *program, *only = getenv("CQESIM_BURSTS");
	uint64_t want = ring_long_run() ? CALLS_LONG : CALLS;
	char name[64];
	unsigned number = 0;

	if (only && !asked(only, newer, mode, &number))
		return;
	program = bursts_driver(newer, &why);
	if (only) {
		ck_assert_msg(program, "%s", why);
		try_workload(program, newer, mode, number);
		return;
	}
	snprintf(name, sizeof(name), "bursts %s %s", releases[newer], modes[mode].name);
	if (!program) {
		test_skip(name, why);
		return;
	}
	while (total.bursts < want || number < WORKLOADS_MIN)
		try_workload(program, newer, mode, number++);
	printf("%s: %u workloads, %" PRIu64 " packets (and %" PRIu64 " lost) in %" PRIu64
	       " calls, %" PRIu64 " full ones, %" PRIu64 " with fillers alone; and %" PRIu64
	       " empty calls\n",
	       name, number, total.packets, total.lost, total.bursts, total.full,
	       total.fillers_only, total.empty);
	if (total.cut)
		printf("%s: %" PRIu64 " of the workloads were compared up to a session longer than "
		       "the driver's packet buffers at hand\n",
		       name, total.cut);
	fflush(stdout);
	ck_assert_uint_gt(total.full, 0);
	ck_assert_uint_lt(total.full, total.bursts);
	ck_assert_uint_gt(total.lost, 0);
}
END_TEST

Suite *suite_bursts(void)
{
	Suite *s = suite_create("bursts");
	TCase *t = tcase_create("bursts");

	master_seed = ring_master_seed();
	printf("bursts: CQESIM_SEED=%#" PRIx64 "\n", master_seed);
	fflush(stdout);
	tcase_set_timeout(t, ring_long_run() ? 36000 : 1200);
	tcase_add_loop_test(t, bursts, 0, 2 * BURSTS_MODES);
	suite_add_tcase(s, t);
	suite_add_tcase(s, bursts_overrun());
	return s;
}

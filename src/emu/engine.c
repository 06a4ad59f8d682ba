/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread that makes the card's time go on.  It holds the lock for a short batch
 * at a time and lets whoever wants it go first, so that commands do not wait long
 * and nothing is in an object after its destroy call.
 *
 * The card's time is real time, divided by the time scale, since the card was made.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "emu/emu.h"
#include "emu/internal.h"

#define SEND_BUDGET 64u
/* Real time between two copies of the statistics into shared memory. */
#define PUBLISH_NS 10000000u
/* Rounds without work until other threads on this CPU get their turn, and until we sleep. */
#define YIELD_AFTER 64u
#define SLEEP_AFTER 20000u
#define SLEEP_NS    20000

static struct {
	pthread_t thread;
	bool started;
	unsigned users; /* open devices */
	bool stop;      /* atomic */
	uint64_t start_ns, last_ps;
	uint64_t running_ns, running_since_ns;
	uint64_t packets, first_ns, last_ns; /* delivered and sent, and when it last was so many */
	uint64_t published_ns;
	uint64_t out_of_buffer; /* as last written to the counter file */
	cpu_set_t original;     /* where the process could run when the library was loaded */
} engine;

static uint64_t real_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t emu_now_ps(void)
{
	uint64_t ns = real_ns() - engine.start_ns;
	uint64_t ps = (uint64_t)((double)ns * 1000 / emu.settings->time_scale);

	if (ps > engine.last_ps)
		engine.last_ps = ps;
	return engine.last_ps;
}

/* ---- where the thread runs ---- */

__attribute__((constructor)) static void at_load(void)
{
	sched_getaffinity(0, sizeof(engine.original), &engine.original);
}

/* EAL's own threads, which sleep; with "-l 1" of two CPUs they are bound to the other one. */
static bool sleeps(pid_t tid)
{
	/* DPDK 22.11 and, with "dpdk-", from 23.11 on */
	static const char *const names[] = {"eal-intr-thread", "rte_mp_handle", "dpdk-intr",
					    "dpdk-mp-msg"};
	char path[64], name[32] = "";

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, name, sizeof(name) - 1);
	close(fd);
	name[n > 0 ? n - 1 : 0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/*
 * CPUs to which another thread is bound alone: a DPDK program's workers, which are there
 * before devices are probed, and poll.
 */
static void bound_cpus(cpu_set_t *bound)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	cpu_set_t set;

	CPU_ZERO(bound);
	while (tasks && (entry = readdir(tasks)) != NULL) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid > 0 && tid != gettid() && !sched_getaffinity(tid, sizeof(set), &set) &&
		    CPU_COUNT(&set) == 1 && !sleeps(tid))
			CPU_OR(bound, bound, &set);
	}
	if (tasks)
		closedir(tasks);
}

/*
 * Free CPUs if there are any.  Else the one of the thread that opens the device, if there
 * are workers: it is EAL's main thread, which mostly sleeps where others poll.
 */
static void choose_cpus(cpu_set_t *set)
{
	cpu_set_t bound, own, busy;

	if (emu.settings->cpu >= 0) {
		CPU_ZERO(set);
		CPU_SET((unsigned)emu.settings->cpu, set);
		return;
	}
	bound_cpus(&bound);
	if (sched_getaffinity(0, sizeof(own), &own) || CPU_COUNT(&own) != 1)
		CPU_ZERO(&own);
	CPU_OR(&busy, &bound, &own);
	CPU_AND(&busy, &busy, &engine.original);
	CPU_XOR(set, &engine.original, &busy);
	if (!CPU_COUNT(set))
		*set = CPU_COUNT(&bound) && CPU_COUNT(&own) ? own : engine.original;
}

/* ---- statistics ---- */

/* What the verbs world of the driver reads as "missed". */
static void write_counter_file(uint64_t out_of_buffer)
{
	char path[640];

	if (out_of_buffer == engine.out_of_buffer)
		return;
	engine.out_of_buffer = out_of_buffer;
	snprintf(path, sizeof(path), "%s/sys/class/infiniband/%s/ports/1/hw_counters/out_of_buffer",
		 emu.folder, EMU_DEVICE);
	/*
	 * Always of one length, in one write and never cut to nothing: a driver that reads an empty
	 * file takes it for 0, and then for a counter that has gone through 2^32.
	 */
	char line[24];
	int n = snprintf(line, sizeof(line), "%020llu\n", (unsigned long long)out_of_buffer);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (pwrite(fd, line, (size_t)n, 0) != n)
		engine.out_of_buffer = 0; /* again next time */
	close(fd);
}

static void publish(uint64_t now_ns)
{
	struct emu_shared *shared = emu.shared;
	struct emu_statistics *s = &shared->statistics;
	bool running = emu_source_running();

	emu_shared_begin(shared);
	s->real_ns = now_ns - engine.start_ns;
	s->running_ns = engine.running_ns;
	s->packets_ns = engine.last_ns - engine.first_ns;
	s->card_ps = engine.last_ps;
	s->devx = emu.devx;
	s->card = *cqesim_card_stats(emu.card);
	s->nic = *cqesim_card_nic_stats(emu.card);
	s->regions = 0;
	for (uint32_t i = 0; i < emu.regions.count; i++)
		s->regions += emu.regions.region[i].lkey != 0;
	emu_source_statistics(s);
	emu_sink_statistics(s);
	emu_cable_statistics(s);
	emu_events_statistics(s);
	emu_order_statistics(s);
	emu_inject_statistics(s);
	if (running || s->card.sent)
		s->phase = EMU_PHASE_RUNNING;
	emu_shared_end(shared);
	write_counter_file(s->card.lost[CQESIM_RX_OUT_OF_BUFFER]);
	engine.published_ns = now_ns;
}

/* ---- the loop ---- */

/* starved: packets came, and all of them were lost. */
static bool work(bool *starved)
{
	const struct cqesim_card_stats *stats = cqesim_card_stats(emu.card);
	uint64_t delivered = stats->delivered;
	uint64_t now_ps = emu_now_ps();
	unsigned done = emu_source_run(now_ps);

	*starved = done && stats->delivered == delivered;
	return done + cqesim_card_step(emu.card, now_ps, SEND_BUDGET) > 0;
}

static void account_time(uint64_t now_ns, bool running)
{
	if (engine.running_since_ns)
		engine.running_ns += now_ns - engine.running_since_ns;
	engine.running_since_ns = running ? now_ns : 0;

	const struct cqesim_card_stats *stats = cqesim_card_stats(emu.card);
	uint64_t packets = stats->delivered + stats->sent;
	if (packets == engine.packets)
		return;
	engine.packets = packets;
	engine.last_ns = now_ns;
	if (!engine.first_ns)
		engine.first_ns = now_ns;
}

static void *engine_main(void *unused)
{
	static const struct timespec nap = {.tv_nsec = SLEEP_NS};
	unsigned idle = 0, round = 0;
	bool starved = false;

	while (!__atomic_load_n(&engine.stop, __ATOMIC_ACQUIRE)) {
		while (__atomic_load_n(&emu.waiters, __ATOMIC_ACQUIRE))
			sched_yield();
		pthread_mutex_lock(&emu.lock);
		idle = work(&starved) ? 0 : idle + 1;
		if (!(++round & 63) || idle) {
			uint64_t now_ns = real_ns();

			account_time(now_ns, emu_source_active());
			if (now_ns - engine.published_ns >= PUBLISH_NS) {
				publish(now_ns);
				emu_sink_flush();
				emu_events_flush();
			}
		}
		pthread_mutex_unlock(&emu.lock);
		if (idle >= SLEEP_AFTER)
			nanosleep(&nap, NULL);
		else if (idle >= YIELD_AFTER || starved) /* the program may wait for this CPU */
			sched_yield();
	}
	return unused;
}

int emu_engine_start(void)
{
	cpu_set_t set;
	pthread_attr_t attr;

	if (engine.users++)
		return 0;
	if (!engine.start_ns)
		engine.start_ns = real_ns();
	engine.stop = false;
	engine.running_since_ns = 0;
	emu_cable_plug();
	choose_cpus(&set);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	int rc = pthread_create(&engine.thread, &attr, engine_main, NULL);
	if (rc == EINVAL) { /* not a CPU that we may use */
		emu_warn("no such CPU for the card's thread, it runs anywhere");
		rc = pthread_create(&engine.thread, NULL, engine_main, NULL);
	}
	pthread_attr_destroy(&attr);
	if (rc) {
		emu_cable_unplug();
		engine.users = 0;
		return rc;
	}
	pthread_setname_np(engine.thread, "cqesim-card");
	engine.started = true;
	emu.shared->statistics.phase = EMU_PHASE_OPENED;
	return 0;
}

void emu_engine_stop(void)
{
	if (engine.users > 1) {
		engine.users--;
		return;
	}
	engine.users = 0;
	if (!engine.started)
		return;
	__atomic_store_n(&engine.stop, true, __ATOMIC_RELEASE);
	pthread_join(engine.thread, NULL);
	engine.started = false;
	emu_cable_unplug();
	emu_lock();
	emu_sink_flush();
	emu_events_flush();
	publish(real_ns());
	emu.shared->statistics.phase = EMU_PHASE_CLOSED;
	emu_unlock();
}

void emu_engine_halt(void)
{
	if (!engine.started || pthread_equal(pthread_self(), engine.thread))
		return;
	emu_warn("memory that the card uses is unmapped while a queue may be open: it stops");
	engine.users = 1;
	emu_engine_stop();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Speed, side by side in one run: a bare libpcap read loop over a capture of
 * 64-byte frames, the replay of that file, the replay of the same packets from
 * the synthetic source.  bench_ring.c has the rings alone.
 *
 * usage: bench [PACKETS [FOLDER]]   (10000000 packets; a file of 76 bytes each in FOLDER or .)
 */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cqesim/cqesim.h"

#define ROUNDS 5

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(1);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

/* ---- whole runs: million packets per second ---- */

static double bare_loop(const char *path, uint64_t packets)
{
	char err[PCAP_ERRBUF_SIZE];
	pcap_t *p = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, err);
	struct pcap_pkthdr *h;
	const u_char *data;
	uint64_t n = 0;
	uint64_t bytes = 0;

	if (!p)
		die(path, err);
	double start = seconds();
	while (pcap_next_ex(p, &h, &data) == 1) {
		n++;
		bytes += h->len + data[0];
	}
	double t = seconds() - start;
	pcap_close(p);
	if (n != packets || bytes < packets * 60)
		die(path, "packets are missing");
	return (double)n / t / 1e6;
}

struct machine {
	struct cqesim_profile *device, *link, *driver, *host, *forwarder;
};

static void load(struct cqesim_profile **p, enum cqesim_profile_kind kind, const char *name)
{
	struct cqesim_error err = {""};

	if (cqesim_profile_load(p, kind, name, &err))
		die(name, err.text);
}

struct setup {
	const char *name, *rate;
	unsigned queues;
	enum cqesim_comp_choice comp;
	bool forward; /* an application that sends every packet on */
};

/* The library's part of "cqesim replay", with or without a file. */
static double replay(const struct machine *m, const struct setup *s, const char *path,
		     const char *spec, uint64_t packets)
{
	struct cqesim_error err = {""};
	struct cqesim_sim_config config = {
		.device = m->device,
		.link = m->link,
		.driver = m->driver,
		.host = m->host,
		.application = s->forward ? m->forwarder : NULL,
		.forward = s->forward,
		.queues = s->queues,
		.comp = s->comp,
		.mini_format = -1,
		.checksums = CQESIM_CHECKSUMS_L3,
	};
	struct cqesim_trace_config tc = {0};
	struct cqesim_port *port = malloc(sizeof(*port));
	struct cqesim_port_stats *stats = calloc(1, sizeof(*stats));
	struct cqesim_replay r = {.port = port, .port_stats = stats, .sims = 1};
	const uint64_t line = 100000000000;

	if (cqesim_rate_parse(s->rate, line, &tc.rate, &err) ||
	    cqesim_sim_port(port, &config, &err) || cqesim_sim_create(&r.sim[0], &config, &err) ||
	    (path ? cqesim_trace_open(&r.trace, &path, 1, &tc, &err)
		  : cqesim_trace_open_synthetic(&r.trace, spec, line, &tc, &err)))
		die(s->name, err.text);
	double start = seconds();
	if (cqesim_replay_run(&r, &err))
		die(s->name, err.text);
	double t = seconds() - start;
	const struct cqesim_result *result = cqesim_sim_result(r.sim[0]);
	if (result->arrived != packets || result->delivered != packets)
		die(s->name, "packets are missing: this set-up drops some");
	cqesim_trace_close(r.trace);
	cqesim_sim_destroy(r.sim[0]);
	free(port);
	free(stats);
	return (double)packets / t / 1e6;
}

int main(int argc, char **argv)
{
	/* Rates at which nothing is lost, so that every packet goes all the way. */
	static const struct setup setups[] = {
		{"1 queue at 40 Mpps, plain CQEs", "40Mpps", 1, CQESIM_COMP_CHOOSE_OFF, false},
		{"1 queue at 40 Mpps, compressed", "40Mpps", 1, CQESIM_COMP_CHOOSE_AGGRESSIVE,
		 false},
		{"4 queues at 100 Mpps, plain CQEs", "100Mpps", 4, CQESIM_COMP_CHOOSE_OFF, false},
		{"4 queues at 100 Mpps, compressed", "100Mpps", 4, CQESIM_COMP_CHOOSE_AGGRESSIVE,
		 false},
		{"8 queues at 100 Mpps, plain CQEs", "100Mpps", 8, CQESIM_COMP_CHOOSE_OFF, false},
		{"8 queues at 60 Mpps, plain CQEs, sent on", "60Mpps", 8, CQESIM_COMP_CHOOSE_OFF,
		 .forward = true},
		{"8 queues at 60 Mpps, compressed, sent on", "60Mpps", 8,
		 CQESIM_COMP_CHOOSE_AGGRESSIVE, .forward = true},
	};
	enum { SETUPS = sizeof(setups) / sizeof(setups[0]) };
	uint64_t packets = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	char path[4096], spec[128];
	double bare[ROUNDS], file[SETUPS][ROUNDS], synthetic[SETUPS][ROUNDS];
	struct cqesim_error err = {""};
	struct cqesim_trace_config tc = {0};
	struct cqesim_trace *trace;
	struct machine m;
	uint64_t written;

	if (!packets)
		die("PACKETS", "expected a number above 0");
	load(&m.device, CQESIM_PROFILE_DEVICE, "connectx-5-ex");
	load(&m.link, CQESIM_PROFILE_LINK, "gen4x16");
	load(&m.driver, CQESIM_PROFILE_DRIVER, "dpdk-mlx5-vec");
	load(&m.host, CQESIM_PROFILE_HOST, "generic");
	load(&m.forwarder, CQESIM_PROFILE_APPLICATION, "testpmd-io");
	snprintf(path, sizeof(path), "%s/cqesim-bench-%d.pcap", argc > 2 ? argv[2] : ".",
		 (int)getpid());
	snprintf(spec, sizeof(spec), "frame=64,flows=1024,packets=%llu",
		 (unsigned long long)packets);
	if (cqesim_trace_open_synthetic(&trace, spec, 100000000000, &tc, &err) ||
	    cqesim_trace_write_pcap(trace, path, &written, &err))
		die(path, err.text);
	cqesim_trace_close(trace);

	for (unsigned r = 0; r < ROUNDS; r++) {
		bare[r] = bare_loop(path, packets);
		for (unsigned s = 0; s < SETUPS; s++) {
			file[s][r] = replay(&m, &setups[s], path, NULL, packets);
			synthetic[s][r] = replay(&m, &setups[s], NULL, spec, packets);
		}
	}
	unlink(path);

	double base = median(bare, ROUNDS), plain_file = 1, plain_synthetic = 1;

	printf("million packets/s, %llu 64-byte packets of 1024 flows, median of %d rounds, one "
	       "thread\n\n",
	       (unsigned long long)packets, ROUNDS);
	printf("  %-36s %8.2f   x bare loop   x plain replay\n", "bare libpcap loop over the file",
	       base);
	for (unsigned s = 0; s < SETUPS; s++) {
		double f = median(file[s], ROUNDS), y = median(synthetic[s], ROUNDS);

		if (!s) { /* what the others are compared with */
			plain_file = f;
			plain_synthetic = y;
		}
		printf("  %s\n", setups[s].name);
		printf("    %-34s %8.2f   %.2f          %.2f\n", "replay of the file", f, f / base,
		       f / plain_file);
		printf("    %-34s %8.2f   %.2f          %.2f\n", "replay, synthetic source", y,
		       y / base, y / plain_synthetic);
	}

	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("\nresident memory, at most: %.1f MiB\n", (double)usage.ru_maxrss / 1024);
	cqesim_profile_free(m.device);
	cqesim_profile_free(m.link);
	cqesim_profile_free(m.driver);
	cqesim_profile_free(m.host);
	cqesim_profile_free(m.forwarder);
	return 0;
}

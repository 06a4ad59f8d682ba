/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Speed of the ring writer and reader, in cycles per packet, next to the real
 * driver's receive function over the same ring in the same run (pmd_referee
 * --bench).  Both read a ring that was just copied into place, 64 packets a
 * call, and only the calls are timed; what is printed is the median of the
 * rounds, of that the best of TURNS turns that alternate between the programs,
 * as the machine may be shared.
 *
 * What is compared: "packets" delivers length, hash, header type and VLAN of
 * each packet into an array, "whole" all that a completion says.  The driver
 * fills mbufs and also takes new buffers from the pool and posts them.
 *
 * usage: bench_ring [REFEREE [REFEREE-24.11]]   (the second for the enhanced layout)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "bench_mbuf.h"
#include "cqesim/cqesim.h"

enum { TURNS = 5, ROUNDS = 400, WARM = 32, BURST = 64 };

static void die(const char *what, const char *why)
{
	fprintf(stderr, "bench_ring: %s: %s\n", what, why);
	exit(1);
}

#if defined(__x86_64__)
static uint64_t ticks(void)
{
	return __rdtsc();
}
#define TICK "TSC cycles"
#else
static uint64_t ticks(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
#define TICK "ns"
#endif

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

/* ---- rings: one round of each lap parity ---- */

struct image {
	struct cqesim_cq_shape shape;
	size_t bytes, slots;
	unsigned session; /* packets a session; enhanced: a title and arrays of 7 */
	uint8_t *lap[2];  /* as the device left it, at index 0 and one lap later */
	uint8_t *ring;
};

static void one_packet(struct cqesim_cq_writer *w, unsigned session, uint32_t i)
{
	struct cqesim_rxmeta m = {.byte_cnt = 60,
				  .rx_hash_res = 0x9e3779b9u * i,
				  .hds_ip_ext = 7,
				  .l4_l3_hdr_type = CQESIM_HDR_L3_IPV4 | CQESIM_HDR_L4_UDP};
	uint8_t cqe[64] __attribute__((aligned(64)));

	cqesim_cqe_put_rx(cqe, &m, 0, i, (uint16_t)i);
	if (w->layout == CQESIM_CQ_ENHANCED ? i % 64 == 0 || session < 2 : session < 2) {
		cqesim_cq_session_close(w);
		cqesim_cq_write(w, cqe, CQESIM_OP_RESP_SEND, CQESIM_FORMAT_PLAIN);
		return;
	}
	if (!w->n)
		cqesim_cq_session_open(w, cqe);
	else
		cqesim_cq_session_add(w, cqe);
	if (w->n == w->room)
		cqesim_cq_session_close(w);
}

static void image_make(struct image *m, unsigned log_size, enum cqesim_cq_layout layout,
		       unsigned session)
{
	struct cqesim_cq_writer w;

	*m = (struct image){.shape = {.log_size = log_size, .layout = layout}, .session = session};
	m->bytes = cqesim_cq_ring_bytes(&m->shape);
	m->slots = (size_t)1 << log_size;
	for (unsigned i = 0; i < 3; i++) {
		uint8_t *ring = aligned_alloc(4096, m->bytes);

		if (!ring)
			die("ring", "out of memory");
		*(i < 2 ? &m->lap[i] : &m->ring) = ring;
		cqesim_cq_init_ring(ring, &m->shape);
		if (cqesim_cq_writer_init(&w, ring, &m->shape, session < 2 ? 2 : session, false))
			die("ring", "no such shape");
		cqesim_cq_writer_seek(&w, i % 2 << log_size);
		for (uint32_t p = 0; p < m->slots; p++)
			one_packet(&w, session, p);
		cqesim_cq_session_close(&w);
	}
}

static void image_free(struct image *m)
{
	free(m->lap[0]);
	free(m->lap[1]);
	free(m->ring);
}

/* The ring as the device would have it in this lap. */
static void image_put(struct image *m, uint32_t lap)
{
	memcpy(m->ring, m->lap[lap & 1], m->bytes);
	if (m->shape.layout != CQESIM_CQ_ENHANCED)
		return;
	/* Every slot that counts has this lap's count; the others are holes. */
	for (size_t i = 0; i < m->slots; i++)
		if (m->ring[i * 64 + 62] == (lap & 1))
			m->ring[i * 64 + 62] = (uint8_t)lap;
}

/* ---- ours ---- */

enum what { PACKETS, WHOLE, MBUFS };

static int one_call(struct cqesim_cq_reader *r, enum what what)
{
	static struct cqesim_completion whole[BURST];
	static struct cqesim_packet packets[BURST];

	switch (what) {
	case PACKETS:
		return cqesim_cq_poll_packets(r, packets, BURST, NULL);
	case WHOLE:
		return cqesim_cq_poll(r, whole, BURST, NULL);
	default:
		return bench_mbuf_poll(r, BURST);
	}
}

static double ours(struct image *m, enum what what)
{
	struct cqesim_cq_reader r;
	double cycles[ROUNDS];

	if (cqesim_cq_reader_init(&r, m->ring, &m->shape, CQESIM_INVALIDATE_DPDK_VEC))
		die("ring", "no such shape");
	for (unsigned round = 0; round < WARM + ROUNDS; round++) {
		uint64_t spent = 0;
		size_t got = 0;

		image_put(m, round);
		for (;;) {
			uint64_t t0 = ticks();
			int n = one_call(&r, what);
			uint64_t t1 = ticks();

			if (n <= 0)
				break;
			spent += t1 - t0;
			got += (size_t)n;
		}
		if (got != m->slots)
			die("ring", "not what was written");
		if (round >= WARM)
			cycles[round - WARM] = (double)spent / (double)got;
	}
	return median(cycles, ROUNDS);
}

static double writing(struct image *m)
{
	struct cqesim_cq_writer w;
	double cycles[ROUNDS];

	if (cqesim_cq_writer_init(&w, m->ring, &m->shape, m->session < 2 ? 2 : m->session, false))
		die("ring", "no such shape");
	for (unsigned round = 0; round < WARM + ROUNDS; round++) {
		uint64_t t0 = ticks();

		for (uint32_t p = 0; p < m->slots; p++)
			one_packet(&w, m->session, p);
		cqesim_cq_session_close(&w);
		uint64_t t1 = ticks();
		if (round >= WARM)
			cycles[round - WARM] = (double)(t1 - t0) / (double)m->slots;
	}
	return median(cycles, ROUNDS);
}

/* ---- the driver ---- */

/* Median cycles per packet that the referee prints for this ring, or a negative number. */
static double driver(const char *referee, struct image *m)
{
	char path[] = "/tmp/cqesim-bench-XXXXXX", command[8192], line[4096];
	double cycles = -1;
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, m->lap[0], m->bytes) != (ssize_t)m->bytes)
		die(path, "cannot be written");
	close(fd);
	snprintf(command, sizeof(command),
		 "'%s' --ring %s --mode vec --slack 1 --layout %s --log-cqe-n %u --bench %d "
		 "--burst %d "
		 "2>/dev/null",
		 referee, path, m->shape.layout == CQESIM_CQ_ENHANCED ? "enhanced" : "basic",
		 m->shape.log_size, ROUNDS, BURST);
	FILE *f = popen(command, "r");
	while (f && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, "\"call_cycles_per_packet\"");
		const char *median_at = at ? strstr(at, "\"median\":") : NULL;

		if (median_at)
			cycles = strtod(median_at + strlen("\"median\":"), NULL);
	}
	if (f)
		pclose(f);
	unlink(path);
	return cycles;
}

static void smaller(double *least, double v)
{
	if (v >= 0 && (*least < 0 || v < *least))
		*least = v;
}

static void cell(double v)
{
	if (v < 0)
		printf(" %9s", "-");
	else
		printf(" %9.1f", v);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		enum cqesim_cq_layout layout;
		unsigned session;
	} content[] = {
		{"plain", CQESIM_CQ_BASIC, 1},
		{"sessions of 8", CQESIM_CQ_BASIC, 8},
		{"sessions of 32", CQESIM_CQ_BASIC, 32},
		{"sessions of 64", CQESIM_CQ_BASIC, 64},
		{"enhanced, 1 + 9 x 7", CQESIM_CQ_ENHANCED, 7},
	};
	const char *referee[2] = {NULL, NULL}; /* of each layout */
	bool mbufs = bench_mbuf_init(BURST);

	for (int i = 0; i < 2 && i + 1 < argc; i++)
		if (access(argv[i + 1], X_OK) == 0)
			referee[i] = argv[i + 1];
	printf("%s per packet; driver: DPDK's vector function%s\n\n", TICK,
	       referee[0] ? "" : " (pmd_referee is not there)");
	printf("  %-32s %9s %9s %9s %9s %9s %9s\n", "", "write", "packets", "whole", "mbufs",
	       "driver", "packets/driver");
	for (unsigned log_size = 9; log_size <= 12; log_size += 3)
		for (size_t c = 0; c < sizeof(content) / sizeof(content[0]); c++) {
			double least[5] = {-1, -1, -1, -1, -1};
			struct image m;
			char name[64];

			image_make(&m, log_size, content[c].layout, content[c].session);
			for (unsigned turn = 0; turn < TURNS; turn++) {
				if (m.shape.layout == CQESIM_CQ_BASIC)
					smaller(&least[0], writing(&m));
				smaller(&least[1], ours(&m, PACKETS));
				smaller(&least[2], ours(&m, WHOLE));
				if (mbufs)
					smaller(&least[3], ours(&m, MBUFS));
				if (referee[m.shape.layout])
					smaller(&least[4], driver(referee[m.shape.layout], &m));
			}
			snprintf(name, sizeof(name), "%u slots, %s", 1u << log_size,
				 content[c].name);
			printf("  %-32s", name);
			for (unsigned i = 0; i < 5; i++)
				cell(least[i]);
			if (least[4] > 0)
				printf(" %9.2f", least[1] / least[4]);
			putchar('\n');
			fflush(stdout);
			image_free(&m);
		}
	return 0;
}

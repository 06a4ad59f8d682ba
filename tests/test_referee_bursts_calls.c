/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Not part of the test program: it is compiled together with pmd_referee.c, in a
 * copy, in place of it.  The referee calls the driver until it has the packets
 * asked for or two calls in a row returned nothing; here the driver's function
 * runs once for each count in the feed, and what it returned and the receive
 * doorbell after it go to the file that CQESIM_CALLS names, 32 bits each.
 */
#define mlx5_rx_burst          call_scalar
#define mlx5_rx_burst_vec      call_vec
#define mlx5_rx_burst_mprq     call_mprq
#define mlx5_rx_burst_mprq_vec call_mprq_vec
#include "program.c"
#undef mlx5_rx_burst
#undef mlx5_rx_burst_vec
#undef mlx5_rx_burst_mprq
#undef mlx5_rx_burst_mprq_vec

extern burst_fn mlx5_rx_burst, mlx5_rx_burst_vec, mlx5_rx_burst_mprq, mlx5_rx_burst_mprq_vec;

static void note(uint32_t packets)
{
	static FILE *calls;
	const char *path = getenv("CQESIM_CALLS");
	uint32_t said[2] = {packets, be32toh(rt.rq_db)};

	if (!calls && (!path || !(calls = fopen(path, "wb"))))
		die(EXIT_USAGE, "CQESIM_CALLS: no file for the calls");
	if (fwrite(said, sizeof(said), 1, calls) != 1)
		die(EXIT_INTERNAL, "%s: cannot write", path);
}

static uint16_t once(burst_fn *receive, void *queue, struct rte_mbuf **packets, uint16_t most)
{
	static unsigned repeats; /* of the referee's own accord */

	if (repeats) {
		repeats--;
		return 0;
	}
	uint16_t n = receive(queue, packets, most);

	if (!n)
		repeats = 1;
	else if (n < most)
		repeats = 2;
	note(n);
	return n;
}

uint16_t call_scalar(void *queue, struct rte_mbuf **packets, uint16_t most)
{
	return once(mlx5_rx_burst, queue, packets, most);
}

uint16_t call_vec(void *queue, struct rte_mbuf **packets, uint16_t most)
{
	return once(mlx5_rx_burst_vec, queue, packets, most);
}

uint16_t call_mprq(void *queue, struct rte_mbuf **packets, uint16_t most)
{
	return once(mlx5_rx_burst_mprq, queue, packets, most);
}

uint16_t call_mprq_vec(void *queue, struct rte_mbuf **packets, uint16_t most)
{
	return once(mlx5_rx_burst_mprq_vec, queue, packets, most);
}

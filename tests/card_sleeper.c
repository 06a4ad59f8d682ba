/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DPDK program that sleeps until its receive queues have something:
 *
 *   cqesim card --source numbered:udp --rate 2kpps --limit 2k -- tests/card_sleeper -l 1 -- 2000
 *
 * Exit status 0: packets came, and none of them was found by a time-out of the sleep.
 */
#include <inttypes.h>
#include <stdlib.h>

#include <rte_ethdev.h>
#include <rte_interrupts.h>

#define QUEUES     2u
#define BURST      32u
#define SLEEP_MS   1000
#define PATIENCE_S 10

static void must(bool good, const char *what)
{
	if (!good)
		rte_exit(1, "%s: %s\n", what, rte_strerror(rte_errno));
}

static void start(void)
{
	struct rte_eth_conf conf = {
		.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP,
		.intr_conf.rxq = 1,
	};
	struct rte_mempool *pool = rte_pktmbuf_pool_create(
		"mbufs", 4095, 64, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);

	must(pool != NULL, "mbufs");
	must(!rte_eth_dev_configure(0, QUEUES, 1, &conf), "configure");
	for (uint16_t q = 0; q < QUEUES; q++)
		must(!rte_eth_rx_queue_setup(0, q, 256, SOCKET_ID_ANY, NULL, pool),
		     "receive queue");
	must(!rte_eth_tx_queue_setup(0, 0, 256, SOCKET_ID_ANY, NULL), "send queue");
	must(!rte_eth_promiscuous_enable(0) && !rte_eth_dev_start(0), "start");
	for (uint16_t q = 0; q < QUEUES; q++)
		must(!rte_eth_dev_rx_intr_ctl_q(0, q, RTE_EPOLL_PER_THREAD, RTE_INTR_EVENT_ADD,
						(void *)(uintptr_t)q),
		     "interrupt");
}

static unsigned poll_all(void)
{
	struct rte_mbuf *mbufs[BURST];
	unsigned received = 0;

	for (uint16_t q = 0; q < QUEUES; q++) {
		uint16_t n = rte_eth_rx_burst(0, q, mbufs, BURST);

		rte_pktmbuf_free_bulk(mbufs, n);
		received += n;
	}
	return received;
}

int main(int argc, char **argv)
{
	uint64_t received = 0, wanted, sleeps = 0, time_outs = 0, late = 0;
	int used = rte_eal_init(argc, argv);

	must(used >= 0 && used + 1 < argc, "EAL, or the number of packets");
	wanted = strtoull(argv[used + 1], NULL, 10);
	start();
	while (received < wanted && time_outs < PATIENCE_S) {
		struct rte_epoll_event events[QUEUES];
		unsigned n = poll_all();

		received += n;
		if (n)
			continue;
		for (uint16_t q = 0; q < QUEUES; q++)
			must(!rte_eth_dev_rx_intr_enable(0, q), "enable");
		n = poll_all(); /* what came before it was enabled */
		received += n;
		int ready = n ? 0 : rte_epoll_wait(RTE_EPOLL_PER_THREAD, events, QUEUES, SLEEP_MS);
		sleeps += !n;
		for (uint16_t q = 0; q < QUEUES; q++)
			rte_eth_dev_rx_intr_disable(0, q); /* EAGAIN where nothing came */
		if (n || ready)
			continue;
		time_outs++;
		n = poll_all();
		late += n;
		received += n;
	}
	printf("received %" PRIu64 " of %" PRIu64 ", %" PRIu64 " sleeps, %" PRIu64
	       " packets were found by time-outs\n",
	       received, wanted, sleeps, late);
	must(!rte_eth_dev_stop(0) && !rte_eth_dev_close(0), "close");
	rte_eal_cleanup();
	return !received || late;
}

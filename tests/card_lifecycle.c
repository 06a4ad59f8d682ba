/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DPDK program that starts and stops its port, changes the MTU, stops and starts
 * queues, round after round, and forwards what it receives in between:
 *
 *   cqesim card --sink loop --check-order --limit 200 --rate posted -- \
 *       tests/card_lifecycle -l 1 -- 1000
 *
 * Exit status 0: packets came after every step, and neither memory nor open files grew.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>

#define BURST       32u
#define DESCRIPTORS 256u
#define QUEUES      2u
#define MBUFS       4096u
/* Packets that must have come after a step, and how long it may take. */
#define WANTED     64u
#define PATIENCE_S 5
/* Rounds after which nothing more should be allocated for good. */
#define WARM_UP 5u
#define GROWTH  65536u

static uint64_t received, sent;

static void must(int rc, const char *what, unsigned round)
{
	if (rc)
		rte_exit(1, "round %u: %s: %s\n", round, what, rte_strerror(rc < 0 ? -rc : rc));
}

static unsigned forward(uint16_t queue)
{
	struct rte_mbuf *pkts[BURST];
	uint16_t n = rte_eth_rx_burst(0, queue, pkts, BURST);
	uint16_t m = n ? rte_eth_tx_burst(0, queue, pkts, n) : 0;

	received += n;
	sent += m;
	if (m < n)
		rte_pktmbuf_free_bulk(pkts + m, n - m);
	return n;
}

/* Until so many packets have come on the queues of this mask. */
static void run(unsigned mask, const char *after, unsigned round)
{
	uint64_t end = rte_get_timer_cycles() + PATIENCE_S * rte_get_timer_hz();
	unsigned n = 0;

	while (n < WANTED) {
		for (uint16_t q = 0; q < QUEUES; q++)
			if (mask & 1u << q)
				n += forward(q);
		if (rte_get_timer_cycles() > end)
			rte_exit(1, "round %u: after %s %u packets came, %u were wanted\n", round,
				 after, n, WANTED);
	}
}

static void set_up(struct rte_mempool *pool)
{
	struct rte_eth_conf conf = {
		.rxmode = {.mq_mode = RTE_ETH_MQ_RX_RSS, .mtu = 1500},
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP,
	};

	must(rte_eth_dev_configure(0, QUEUES, QUEUES, &conf), "configure", 0);
	for (uint16_t q = 0; q < QUEUES; q++) {
		must(rte_eth_rx_queue_setup(0, q, DESCRIPTORS, SOCKET_ID_ANY, NULL, pool),
		     "rx_queue_setup", 0);
		must(rte_eth_tx_queue_setup(0, q, DESCRIPTORS, SOCKET_ID_ANY, NULL),
		     "tx_queue_setup", 0);
	}
	must(rte_eth_promiscuous_enable(0), "promiscuous_enable", 0);
}

static void one_round(unsigned round)
{
	static const uint16_t mtus[] = {1400, 1500, 9000, 1500};
	uint16_t q = (uint16_t)(round % QUEUES);

	must(rte_eth_dev_start(0), "start", round);
	run(3, "start", round);
	must(rte_eth_dev_rx_queue_stop(0, q), "rx_queue_stop", round);
	must(rte_eth_dev_rx_queue_start(0, q), "rx_queue_start", round);
	run(1u << q, "rx_queue_start", round);
	must(rte_eth_dev_tx_queue_stop(0, q), "tx_queue_stop", round);
	must(rte_eth_dev_tx_queue_start(0, q), "tx_queue_start", round);
	run(3, "tx_queue_start", round);
	must(rte_eth_dev_set_mtu(0, mtus[round % 4]), "set_mtu", round);
	run(3, "set_mtu", round);
	must(rte_eth_dev_stop(0), "stop", round);
}

static unsigned open_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n;
}

struct use {
	size_t heap, eal;
	unsigned files;
};

static struct use in_use(void)
{
	struct rte_malloc_socket_stats stats = {0};

	rte_malloc_get_socket_stats((int)rte_socket_id(), &stats);
	return (struct use){mallinfo2().uordblks, stats.heap_allocsz_bytes, open_files()};
}

/* Only the card's own descriptor opens it again; 24.11's driver does that with its copy. */
static bool imports_strangers(void)
{
	void *(*import)(int);

	*(void **)&import = dlsym(RTLD_DEFAULT, "ibv_import_device");
	return !import || import(STDIN_FILENO);
}

int main(int argc, char **argv)
{
	int eaten = rte_eal_init(argc, argv);
	struct use before = {0}, after;

	if (eaten < 0 || eaten + 1 >= argc)
		rte_exit(2, "usage: card_lifecycle EAL-ARGUMENTS -- ROUNDS\n");
	unsigned rounds = (unsigned)atoi(argv[eaten + 1]);
	if (!rte_eth_dev_is_valid_port(0))
		rte_exit(1, "there is no port\n");
	if (imports_strangers())
		rte_exit(1, "standard input was taken for the card\n");
	struct rte_mempool *pool = rte_pktmbuf_pool_create(
		"packets", MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	if (!pool)
		rte_exit(1, "no memory for packets\n");
	set_up(pool);
	for (unsigned round = 0; round < rounds; round++) {
		if (round == WARM_UP)
			before = in_use();
		one_round(round);
	}
	after = in_use();
	must(rte_eth_dev_close(0), "close", rounds);
	unsigned held = rte_mempool_in_use_count(pool);
	printf("%u rounds, %" PRIu64 " received, %" PRIu64 " sent, %u mbufs not given back\n",
	       rounds, received, sent, held);
	printf("in use after round %u and at the end: heap %zu and %zu, EAL's %zu and %zu, files "
	       "%u "
	       "and %u\n",
	       WARM_UP, before.heap, after.heap, before.eal, after.eal, before.files, after.files);
	bool grown =
		rounds > WARM_UP && (after.heap > before.heap + GROWTH ||
				     after.eal > before.eal + GROWTH || after.files > before.files);
	rte_eal_cleanup();
	return held || grown;
}

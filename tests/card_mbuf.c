/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DPDK program that checks every mbuf it receives from `cqesim card --source
 * numbered:MIX`, field by field and byte by byte, against what was sent.
 *
 *   cqesim card --source numbered:all --rate posted --limit 1M -- \
 *       tests/card_mbuf -l 1 -- --mix all --packets 1000000
 *
 * With --version it tells that of its DPDK and ends.  The last line says what was received and what
 * differed.  Exit status 0: nothing differed and nothing is missing that no counter knows; 1:
 * something; 2: bad usage.
 */
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_mbuf_dyn.h>
#include <rte_version.h>

#include "card_mbuf.h"

#define FIRST_S   10.0
#define BURST_MAX 256u

static const uint8_t key[40] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static struct state state = {
	.o = {.mix = "udp",
	      .packets = 1000000,
	      .queues = 1,
	      .burst = 64,
	      .descriptors = 1024,
	      .idle_s = 10,
	      .mbuf_bytes = 2048},
};

static void usage(void)
{
	rte_exit(2, "usage: card_mbuf EAL-ARGUMENTS -- [--mix NAME] [--packets N] [--queues N] "
		    "[--burst N] [--descriptors N] [--mbuf N] [--vlan-strip] [--timestamp] "
		    "[--keep-crc] [--scatter] [--no-hash] [--l34h] [--enhanced] [--isolated] "
		    "[--mark ID] [--lro BYTES] [--idle S]\n");
}

static void parse(struct options *o, int argc, char **argv)
{
	static const struct option list[] = {
		{"mix", required_argument, NULL, 'm'},
		{"packets", required_argument, NULL, 'n'},
		{"queues", required_argument, NULL, 'q'},
		{"burst", required_argument, NULL, 'b'},
		{"descriptors", required_argument, NULL, 'd'},
		{"mbuf", required_argument, NULL, 'M'},
		{"vlan-strip", no_argument, NULL, 'v'},
		{"timestamp", no_argument, NULL, 't'},
		{"keep-crc", no_argument, NULL, 'k'},
		{"scatter", no_argument, NULL, 's'},
		{"no-hash", no_argument, NULL, 'h'},
		{"l34h", no_argument, NULL, 'l'},
		{"enhanced", no_argument, NULL, 'e'},
		{"isolated", no_argument, NULL, 'i'},
		{"mark", required_argument, NULL, 'K'},
		{"lro", required_argument, NULL, 'L'},
		{"idle", required_argument, NULL, 'I'},
		{NULL, 0, NULL, 0},
	};
	int c;

	optind = 1;
	while ((c = getopt_long(argc, argv, "", list, NULL)) != -1)
		switch (c) {
		case 'm':
			o->mix = optarg;
			break;
		case 'n':
			o->packets = strtoull(optarg, NULL, 10);
			break;
		case 'q':
			o->queues = (unsigned)atoi(optarg);
			break;
		case 'b':
			o->burst = (unsigned)atoi(optarg);
			break;
		case 'd':
			o->descriptors = (unsigned)atoi(optarg);
			break;
		case 'M':
			o->mbuf_bytes = (unsigned)atoi(optarg);
			break;
		case 'I':
			o->idle_s = atof(optarg);
			break;
		case 'v':
			o->vlan_strip = true;
			break;
		case 't':
			o->timestamp = true;
			break;
		case 'k':
			o->keep_crc = true;
			break;
		case 's':
			o->scatter = true;
			break;
		case 'l':
			o->l34h = o->no_hash = true;
			break;
		case 'e':
			o->enhanced = true;
			break;
		case 'K':
			o->mark = true;
			o->mark_id = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'i':
			o->isolated = true;
			break;
		case 'L':
			o->lro = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'h':
			o->no_hash = true;
			break;
		default:
			usage();
		}
	if (optind != argc || !o->packets || !o->queues || o->queues > QUEUES_MAX || !o->burst ||
	    o->burst > BURST_MAX)
		usage();
}

static void must(int rc, const char *what)
{
	if (rc < 0)
		rte_exit(1, "%s: %s\n", what, rte_strerror(-rc));
}

static void configure(struct state *s)
{
	const struct options *o = &s->o;
	struct rte_eth_conf conf = {
		.rxmode = {.mq_mode = RTE_ETH_MQ_RX_RSS,
			   .mtu = s->table.largest > 1518 ? s->table.largest : 1500,
			   .offloads = RTE_ETH_RX_OFFLOAD_CHECKSUM | RTE_ETH_RX_OFFLOAD_RSS_HASH},
		.rx_adv_conf.rss_conf = {.rss_key = (uint8_t *)(uintptr_t)key,
					 .rss_key_len = sizeof(key),
					 .rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP |
						   RTE_ETH_RSS_TCP},
	};
	uint16_t rxd = (uint16_t)o->descriptors, txd = 256;

	if (o->isolated)
		conf.rx_adv_conf.rss_conf.rss_key = NULL;

	if (o->vlan_strip)
		conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	if (o->timestamp)
		conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_TIMESTAMP;
	if (o->keep_crc)
		conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_KEEP_CRC;
	if (o->scatter)
		conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_SCATTER;
	if (o->lro) {
		conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_TCP_LRO;
		conf.rxmode.max_lro_pkt_size = o->lro;
	}
	must(rte_eth_dev_configure(s->port, (uint16_t)o->queues, 1, &conf), "configure");
	must(rte_eth_dev_adjust_nb_rx_tx_desc(s->port, &rxd, &txd), "descriptors");
	uint32_t largest = o->lro > s->table.largest ? o->lro : s->table.largest;
	unsigned segments = 1 + largest / (o->mbuf_bytes - 64);
	struct rte_mempool *pool = rte_pktmbuf_pool_create(
		"mbufs", 2 * rxd * o->queues * (o->scatter ? segments : 1) + 4096, 256, 0,
		(uint16_t)(o->mbuf_bytes + RTE_PKTMBUF_HEADROOM), SOCKET_ID_ANY);
	must(pool ? 0 : -rte_errno, "mbufs");
	for (uint16_t q = 0; q < o->queues; q++)
		must(rte_eth_rx_queue_setup(s->port, q, rxd, SOCKET_ID_ANY, NULL, pool),
		     "receive queue");
	must(rte_eth_tx_queue_setup(s->port, 0, txd, SOCKET_ID_ANY, NULL), "send queue");
}

static void start(struct state *s)
{
	struct rte_eth_dev_info info;
	struct rte_eth_burst_mode mode;
	struct rte_eth_rss_reta_entry64 reta[16];
	uint8_t used_key[sizeof(key)];

	struct rte_eth_rss_conf rss = {.rss_key = used_key, .rss_key_len = sizeof(used_key)};

	configure(s);
	must(rte_eth_dev_info_get(s->port, &info), "device");
	/* The table that we say: entry i to queue i mod queues, in an order of our own. */
	unsigned size = info.reta_size ? info.reta_size : 1;
	if (size > RTE_DIM(reta) * RTE_ETH_RETA_GROUP_SIZE)
		rte_exit(1, "indirection table of %u entries\n", size);
	must(rte_eth_promiscuous_enable(s->port), "promiscuous");
	memset(reta, 0, sizeof(reta));
	for (unsigned i = 0; i < size; i++) {
		reta[i / RTE_ETH_RETA_GROUP_SIZE].mask |= UINT64_C(1)
							  << i % RTE_ETH_RETA_GROUP_SIZE;
		reta[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE] =
			(uint16_t)((i + i / s->o.queues) % s->o.queues);
	}
	if (s->o.queues > 1) {
		if (size == 1) /* the driver's starting size is the number of queues */
			rte_exit(1, "no indirection table\n");
		must(rte_eth_dev_rss_reta_update(s->port, reta, (uint16_t)size), "table");
	}
	/* Without rules the card hashes with the driver's own key. */
	must(rte_eth_dev_rss_hash_conf_get(s->port, &rss), "key");
	expect(s, s->o.isolated ? used_key : key, reta, size);
	if (s->o.timestamp)
		must(rte_mbuf_dyn_rx_timestamp_register(&s->time_offset, &s->time_flag), "time");
	must(rte_eth_dev_start(s->port), "start");
	if (s->o.mark)
		flow_rules(s, key);
	must(rte_eth_rx_burst_mode_get(s->port, 0, &mode), "mode");
	s->scalar = !strstr(mode.info, "Vector");
	s->mprq = strstr(mode.info, "MPRQ") || strstr(mode.info, "Multi-Packet");
	printf("mode: %s, %u queues, table of %u\n", mode.info, s->o.queues, size);
}

static uint64_t lost(const struct state *s)
{
	struct rte_eth_stats stats;

	must(rte_eth_stats_get(s->port, &stats), "statistics");
	return stats.imissed + stats.ierrors + stats.rx_nombuf;
}

/* Seconds that packets came. */
static double receive(struct state *s)
{
	struct rte_mbuf *mbufs[BURST_MAX];
	double hz = (double)rte_get_tsc_hz();
	uint64_t first = 0, last = rte_rdtsc(), idle = 0;

	while (s->received < s->o.packets) {
		unsigned got = 0;

		for (uint16_t q = 0; q < s->o.queues; q++) {
			unsigned n = rte_eth_rx_burst(s->port, q, mbufs, (uint16_t)s->o.burst);

			check_burst(s, q, mbufs, n);
			rte_pktmbuf_free_bulk(mbufs, n);
			got += n;
		}
		if (got || !(++idle & 63)) {
			uint64_t now = rte_rdtsc();

			if (got) {
				first = first ? first : now;
				last = now;
			} else {
				sched_yield(); /* the card may want this CPU */
			}
			if (got)
				continue;
			if ((double)(now - last) / hz > (first ? s->o.idle_s : FIRST_S))
				break;
			if (first && (double)(now - last) / hz > 0.05 &&
			    s->received + lost(s) >= s->o.packets)
				break;
		}
	}
	return (double)(last - first) / hz;
}

static int report(const struct state *s, double seconds)
{
	uint64_t known = lost(s), missing = s->o.packets - s->received;
	bool complete = s->received <= s->o.packets && missing == known;
	bool hashed_everywhere = true;

	for (unsigned q = 0; q < s->o.queues; q++) {
		printf("queue %u: %" PRIu64 " packets\n", q, s->of_queue[q]);
		hashed_everywhere &= s->of_queue[q] > 0;
	}
	if (s->o.mark)
		printf("marked: %" PRIu64 "\n", s->marked);
	if (s->o.lro)
		printf("joined: %" PRIu64 " packets of %" PRIu64 " segments, at most %" PRIu64 "\n",
		       s->joined, s->joined_segments, s->joined_most);
	printf("kinds:");
	for (unsigned k = 0; k < NUMBERED_KINDS; k++)
		printf(" %" PRIu64, s->kinds[k]);
	printf("\n");
	for (unsigned d = 0; d < DIFF_KINDS; d++)
		if (s->different[d])
			printf("differs: %s %" PRIu64 "\n", difference_name(d), s->different[d]);
	for (unsigned k = 0; k < KNOWN_KINDS; k++)
		if (s->known[k])
			printf("known: %s %" PRIu64 "\n", known_name(k), s->known[k]);
	if (!complete)
		printf("incomplete: %" PRIu64 " of %" PRIu64
		       " packets missing, counters of the port "
		       "know %" PRIu64 "\n",
		       missing, s->o.packets, known);
	printf("result: %" PRIu64 " packets, %" PRIu64 " segments, %" PRIu64 " lost, %" PRIu64
	       " differences, %.2f Mpps\n",
	       s->received, s->segments, known, s->differences,
	       seconds > 0 ? (double)s->received / seconds / 1e6 : 0);
	return s->differences || !complete || !hashed_everywhere || (s->o.mark && !s->marked) ||
	       (s->o.lro && !s->joined);
}

/* The one that is met, not the one that this was built with. */
static void find_version(struct state *s)
{
	unsigned year, month, minor;

	if (sscanf(rte_version(), "DPDK %u.%u.%u", &year, &month, &minor) != 3)
		rte_exit(1, "%s: no version\n", rte_version());
	s->version = year * 10000 + month * 100 + minor;
	printf("driver: %s\n", rte_version());
}

int main(int argc, char **argv)
{
	struct state *s = &state;
	struct cqesim_error err = {""};

	find_version(s);
	if (argc == 2 && !strcmp(argv[1], "--version"))
		return 0;
	int used = rte_eal_init(argc, argv);
	must(used < 0 ? -rte_errno : 0, "EAL");
	parse(&s->o, argc - used, argv + used);
	if (numbered_make(&s->table, s->o.mix, &err))
		rte_exit(2, "%s\n", err.text);
	if (rte_eth_dev_count_avail() != 1)
		rte_exit(1, "%u ports, expected 1\n", rte_eth_dev_count_avail());
	s->port = (uint16_t)rte_eth_find_next(0);
	start(s);
	lro_begin(s);
	int code = report(s, receive(s));

	rte_eth_dev_stop(s->port);
	rte_eth_dev_close(s->port);
	numbered_free(&s->table);
	free(s->stripped);
	free(s->packet);
	free(s->wanted);
	rte_eal_cleanup();
	return code;
}

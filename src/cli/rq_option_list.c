/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim rq: the help text and the names of the options. */
#include "rq_options.h"

const char rq_help[] =
	"usage: cqesim rq QUEUE... [--packets LIST | FILE...] [OPTIONS]\n"
	"       cqesim rq QUEUE [--fit LOST,...]... --burst N,... [OPTIONS]\n"
	"       cqesim rq --hw-gro|--lro [--packets LIST | FILE...] [OPTIONS]\n"
	"       cqesim rq FILE...\n"
	"\n"
	"Draws where each packet lands in the WQEs and strides of a receive queue; tells\n"
	"the queue's memory and what packets waste of it; how many packets of a burst find\n"
	"no buffer; which segments hardware GRO or LRO joins; and, of a capture alone,\n"
	"which stride size suits its lengths. Lengths are without FCS.\n"
	"\n"
	"Queues (up to four; the options behind one belong to it)\n"
	"  --cyclic               one packet a WQE:\n"
	"    --wqes N               WQEs, a power of two (1024); also --entries\n"
	"    --segments N           data segments of a WQE (1)\n"
	"    --buffer-bytes N       of each segment (2048)\n"
	"    --headroom N           of the first, not written (0)\n"
	"    --cq-factor 1|2        completions' places per WQE (1)\n"
	"  --striding             many packets a WQE:\n"
	"    --wqes N               (8)\n"
	"    --strides N            of a WQE (4096)\n"
	"    --stride-bytes N       64 to 8192 (64)\n"
	"    --shift                packets begin two bytes after their stride\n"
	"    --linked-list          WQEs are posted again in any order, as Linux does\n"
	"  --header-entries N     header/data split: entries of 256 bytes (0)\n"
	"\n"
	"Packets\n"
	"  --packets LIST         60,1514x3,imix:20   lengths, repeated, or a mix of 60, 590, "
	"1514\n"
	"  --limit N              take so many of a capture (40, or all where none is drawn)\n"
	"  --hold N               software keeps every Nth packet for good\n"
	"  --memcpy N             but copies those of up to N bytes (0; DPDK: 128)\n"
	"  --spare N              buffers that take a kept one's place (0)\n"
	"  --no-refill            WQEs are not posted again\n"
	"  --page-bytes N         cyclic: buffers are fragments of such pages, recycled\n"
	"    --pool-cache N         pages that wait for reuse (1024)\n"
	"    --hold-for N           packets until software gives a buffer back (0)\n"
	"  --width N              columns (those of the terminal, or 100)\n"
	"\n"
	"Memory\n"
	"  --queues N             also for N queues together (1)\n"
	"  --llc BYTES            last-level cache, for instance 20MiB\n"
	"  --ddio-share PERCENT   of it for the card's writes (10)\n"
	"\n"
	"Bursts\n"
	"  --burst N,...          packets, at a full ring, back to back\n"
	"  --drain-ratio R        packets that software takes in the time in which one comes;\n"
	"                         a queue's own, as are\n"
	"  --fit LOST,...         published losses: the ratios that reproduce them are found\n"
	"  --post-bulk N          WQEs are posted again N at a time (1)\n"
	"  --burst-bytes N        length of the packets (60)\n"
	"  --rounding N           of the published losses (1024)\n"
	"  --gain P-P             stated gain in packet rate in percent, to compare with\n"
	"\n"
	"Aggregation\n"
	"  --hw-gro, --lro        join segments, headers split from data, or as one packet\n"
	"  --mtu N                sets the defaults below as Linux would (1500)\n"
	"  --rx-buf-len BYTES     data buffers, 4KiB to 128KiB (4KiB; LRO 64KiB)\n"
	"  --contexts N           flows open at a time (1; LRO 32)\n"
	"  --max-bytes N  --max-segments N  --min-payload N  --timeout-us N\n"
	"  --header-entries N     header buffer (a power of two)\n"
	"  --one-completion       one completion a session, not one a segment\n"
	"  --count-bytes          payload counts towards --max-bytes, not whole buffers\n"
	"  of a list: --flows N (1) take turns, --header-bytes N (66), --gap-ns N between\n"
	"  packets (0); letters behind a length: p PSH, f FIN, s SYN, r RST, g the segment\n"
	"  before is missing\n"
	"\n"
	"  --json                 one JSON document, see doc/rq.md\n"
	"\n"
	"Exit status: 0 good, 1 bad input, 2 bad usage.\n";

const struct option rq_long_options[] = {
	{"cyclic", no_argument, NULL, OPT_CYCLIC},
	{"striding", no_argument, NULL, OPT_STRIDING},
	{"wqes", required_argument, NULL, OPT_WQES},
	{"entries", required_argument, NULL, OPT_WQES},
	{"segments", required_argument, NULL, OPT_SEGMENTS},
	{"buffer-bytes", required_argument, NULL, OPT_BUFFER},
	{"headroom", required_argument, NULL, OPT_HEADROOM},
	{"cq-factor", required_argument, NULL, OPT_CQ_FACTOR},
	{"strides", required_argument, NULL, OPT_STRIDES},
	{"stride-bytes", required_argument, NULL, OPT_STRIDE_BYTES},
	{"shift", no_argument, NULL, OPT_SHIFT},
	{"linked-list", no_argument, NULL, OPT_LINKED},
	{"header-entries", required_argument, NULL, OPT_ENTRIES},
	{"packets", required_argument, NULL, OPT_PACKETS},
	{"limit", required_argument, NULL, OPT_LIMIT},
	{"hold", required_argument, NULL, OPT_HOLD},
	{"memcpy", required_argument, NULL, OPT_MEMCPY},
	{"spare", required_argument, NULL, OPT_SPARE},
	{"no-refill", no_argument, NULL, OPT_NO_REFILL},
	{"page-bytes", required_argument, NULL, OPT_PAGE},
	{"pool-cache", required_argument, NULL, OPT_POOL_CACHE},
	{"hold-for", required_argument, NULL, OPT_HOLD_FOR},
	{"width", required_argument, NULL, OPT_WIDTH},
	{"queues", required_argument, NULL, OPT_QUEUES},
	{"llc", required_argument, NULL, OPT_LLC},
	{"ddio-share", required_argument, NULL, OPT_DDIO},
	{"burst", required_argument, NULL, OPT_BURST},
	{"drain-ratio", required_argument, NULL, OPT_RATIO},
	{"fit", required_argument, NULL, OPT_FIT},
	{"post-bulk", required_argument, NULL, OPT_POST},
	{"burst-bytes", required_argument, NULL, OPT_BURST_BYTES},
	{"rounding", required_argument, NULL, OPT_ROUNDING},
	{"gain", required_argument, NULL, OPT_GAIN},
	{"hw-gro", no_argument, NULL, OPT_GRO},
	{"lro", no_argument, NULL, OPT_LRO},
	{"mtu", required_argument, NULL, OPT_MTU},
	{"rx-buf-len", required_argument, NULL, OPT_BUF_LEN},
	{"contexts", required_argument, NULL, OPT_CONTEXTS},
	{"max-bytes", required_argument, NULL, OPT_MAX_BYTES},
	{"max-segments", required_argument, NULL, OPT_MAX_SEGMENTS},
	{"min-payload", required_argument, NULL, OPT_MIN_PAYLOAD},
	{"timeout-us", required_argument, NULL, OPT_TIMEOUT},
	{"one-completion", no_argument, NULL, OPT_ONE},
	{"count-bytes", no_argument, NULL, OPT_COUNT_BYTES},
	{"flows", required_argument, NULL, OPT_FLOWS},
	{"header-bytes", required_argument, NULL, OPT_HEADER_BYTES},
	{"gap-ns", required_argument, NULL, OPT_GAP},
	{"json", no_argument, NULL, OPT_JSON},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

const char *rq_option_name(int option)
{
	for (size_t i = 0; rq_long_options[i].name; i++)
		if (rq_long_options[i].val == option)
			return rq_long_options[i].name;
	return "?";
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim gen: a synthetic workload as a capture file. */
#include <string.h>

#include "cli.h"
#include "cqesim/trace.h"

#define COMMAND "gen"

static const char help_text[] =
	"usage: cqesim gen [OPTIONS] OUT.pcap\n"
	"\n"
	"Writes a synthetic workload to a capture file (nanosecond pcap, frames without\n"
	"FCS; - is standard output). The file appears when it is complete.\n"
	"\n"
	"  --synthetic SPEC   frame=64,flows=1024,rate=line,packets=10M and so on:\n"
	"                       frame=N | N:WEIGHT+N:WEIGHT... | imix   with FCS, as on the wire\n"
	"                       flows=N  packets=N  rate=R  proto=udp|tcp  l3=ipv4|ipv6  vlan=ID\n"
	"                     (default: frame=64,flows=1024,rate=line,packets=1M)\n"
	"  --rate R           142Mpps | 100G | 80% | line, instead of the rate in SPEC\n"
	"  --line-rate GBPS   what \"line\" and percentages mean, in Gb/s (100)\n"
	"  --quiet            say nothing\n"
	"\n"
	"Exit status: 0 good, 1 bad input or output, 2 bad usage.\n";

enum { OPT_SYNTHETIC = 256, OPT_RATE, OPT_LINE_RATE, OPT_QUIET, OPT_HELP };

static const struct option long_options[] = {
	{"synthetic", required_argument, NULL, OPT_SYNTHETIC},
	{"rate", required_argument, NULL, OPT_RATE},
	{"line-rate", required_argument, NULL, OPT_LINE_RATE},
	{"quiet", no_argument, NULL, OPT_QUIET},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};

int cmd_gen(int argc, char **argv)
{
	const char *spec = "frame=64,flows=1024,rate=line,packets=1M", *rate = NULL;
	struct cqesim_trace_config config = {0};
	struct cqesim_error err = {""};
	struct cqesim_trace *trace;
	uint64_t gbps = 100, packets;
	bool quiet = false;
	int c;

	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		switch (c) {
		case 'h':
		case OPT_HELP:
			fputs(help_text, stdout);
			return close_stdout();
		case OPT_SYNTHETIC:
			spec = optarg;
			break;
		case OPT_RATE:
			rate = optarg;
			break;
		case OPT_LINE_RATE:
			if (!parse_count(optarg, 1, 800, false, &gbps))
				return usage_error(COMMAND,
						   "--line-rate %s: expected 1 to 800 (Gb/s)",
						   optarg);
			break;
		case OPT_QUIET:
			quiet = true;
			break;
		default:
			return bad_option(COMMAND, argv, c);
		}
	}
	if (argc - optind != 1)
		return usage_error(COMMAND, "expected one output file");
	if (rate && cqesim_rate_parse(rate, gbps * 1000000000, &config.rate, &err))
		return usage_error(COMMAND, "--%s", err.text);
	if (cqesim_trace_open_synthetic(&trace, spec, gbps * 1000000000, &config, &err))
		return usage_error(COMMAND, "--synthetic %s: %s", spec, err.text);

	int rc = cqesim_trace_write_pcap(trace, argv[optind], &packets, &err);
	if (rc)
		complain("%s", err.text);
	else if (!quiet && strcmp(argv[optind], "-"))
		printf("%s: %llu packets\n", argv[optind], (unsigned long long)packets);
	cqesim_trace_close(trace);
	return rc ? EXIT_INPUT : close_stdout();
}

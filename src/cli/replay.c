/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim replay: options to configuration, run, report. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "common/outfile.h"
#include "cqesim/report.h"
#include "cqesim/sim.h"
#include "progress.h"

#define COMMAND "replay"
#define SETS_MAX 64

enum format { TEXT, JSON, CSV };

/* What the command line says. */
struct options {
	const char *device, *link, *driver, *host;
	const char *rate, *synthetic, *dump_cq, *output, *rss_key, *rss_fields;
	const char *set[SETS_MAX];
	unsigned sets;
	struct cqesim_trace_config trace;
	struct cqesim_sim_config sim;
	uint8_t key[CQESIM_RSS_KEY_BYTES];
	bool compare, quiet;
	enum format format;
};

/* What a run needs, to be given back at the end. */
struct run {
	struct cqesim_profile *device, *link, *driver, *host;
	struct cqesim_trace *trace;
	struct cqesim_port *port;
	struct cqesim_port_stats *port_stats;
	struct cqesim_feed *feed;
	struct cqesim_ring_observer observer;
	struct cqesim_replay replay;
	unsigned main;
};

static const char help_text[] =
	"usage: cqesim replay [OPTIONS] FILE...\n"
	"       cqesim replay [OPTIONS] --synthetic SPEC\n"
	"\n"
	"Replays Ethernet captures (pcap, pcapng, .gz, .zst; - is standard input) or a\n"
	"synthetic workload through a model of an mlx5 card, its PCIe link, driver and\n"
	"poll loop. Every packet is written to a completion ring and read back.\n"
	"\n"
	"The machine\n"
	"  --device NAME        connectx-4lx, connectx-5 (default), ... see cqesim models\n"
	"  --link NAME          gen3x8, gen4x16,mps=512 ...; default: the device's slot\n"
	"  --driver NAME        dpdk-mlx5-vec (default), dpdk-mlx5-scalar, linux-mlx5e\n"
	"  --host NAME          generic (default), ...\n"
	"  --set KEY=VALUE      override a parameter of any of the four (repeatable)\n"
	"  --queues N           receive queues, a core each (1)\n"
	"  --ring N             descriptors per queue (driver's)\n"
	"  --cq-size N          completion ring entries (as the driver chooses)\n"
	"  --burst N            packets asked for per poll (driver's)\n"
	"  --mtu N              frames up to N + 18 bytes are received (9216)\n"
	"  --segment            cut longer TCP/UDP packets (captures after TSO/GRO)\n"
	"  --cqe-comp off|balanced|aggressive\n"
	"                       sets the driver's cqe_comp_en and the firmware's policy\n"
	"  --mini-format hash|csum|ftag_stridx|csum_stridx|l34h_stridx\n"
	"  --rss-key KEY        mlx5, microsoft or 80 hex digits\n"
	"  --rss-fields LIST    of ipv4, ipv6, tcp, udp; or none\n"
	"  --compare            off, balanced and aggressive side by side\n"
	"\n"
	"The traffic\n"
	"  --synthetic SPEC     frame=64,flows=1024,rate=line,packets=10M (or frame=imix)\n"
	"  --rate R             142Mpps | 100G | 80% | line | x2 | asis (as captured)\n"
	"  --repeat N, --limit N, --skip N\n"
	"  --fcs absent|present|auto    do stored frames end in their FCS? (absent)\n"
	"  --keep-fcs           the card delivers the FCS too\n"
	"  --checksums trust|l3|verify  which checksums are checked (l3)\n"
	"  --strict             a truncated capture is an error\n"
	"\n"
	"The result\n"
	"  --json, --csv        instead of text\n"
	"  --output FILE        instead of standard output\n"
	"  --dump-cq FILE       ring writes as a feed for pmd_referee (with --queues 1)\n"
	"  --quiet              no progress, no warnings\n"
	"\n"
	"Exit status: 0 good, 1 bad input, 2 bad usage, 3 internal error.\n";

enum {
	OPT_DEVICE = 256, OPT_LINK, OPT_DRIVER, OPT_HOST, OPT_SET, OPT_QUEUES, OPT_RING, OPT_CQ_SIZE,
	OPT_BURST, OPT_MTU, OPT_SEGMENT, OPT_CQE_COMP, OPT_MINI_FORMAT, OPT_RSS_KEY, OPT_RSS_FIELDS,
	OPT_COMPARE, OPT_SYNTHETIC, OPT_RATE, OPT_REPEAT, OPT_LIMIT, OPT_SKIP, OPT_FCS, OPT_KEEP_FCS,
	OPT_CHECKSUMS, OPT_STRICT, OPT_JSON, OPT_CSV, OPT_OUTPUT, OPT_DUMP_CQ, OPT_QUIET, OPT_HELP,
};

static const struct option long_options[] = {
	{"device", required_argument, NULL, OPT_DEVICE},
	{"link", required_argument, NULL, OPT_LINK},
	{"driver", required_argument, NULL, OPT_DRIVER},
	{"host", required_argument, NULL, OPT_HOST},
	{"set", required_argument, NULL, OPT_SET},
	{"queues", required_argument, NULL, OPT_QUEUES},
	{"ring", required_argument, NULL, OPT_RING},
	{"cq-size", required_argument, NULL, OPT_CQ_SIZE},
	{"burst", required_argument, NULL, OPT_BURST},
	{"mtu", required_argument, NULL, OPT_MTU},
	{"segment", no_argument, NULL, OPT_SEGMENT},
	{"cqe-comp", required_argument, NULL, OPT_CQE_COMP},
	{"mini-format", required_argument, NULL, OPT_MINI_FORMAT},
	{"rss-key", required_argument, NULL, OPT_RSS_KEY},
	{"rss-fields", required_argument, NULL, OPT_RSS_FIELDS},
	{"compare", no_argument, NULL, OPT_COMPARE},
	{"synthetic", required_argument, NULL, OPT_SYNTHETIC},
	{"rate", required_argument, NULL, OPT_RATE},
	{"repeat", required_argument, NULL, OPT_REPEAT},
	{"limit", required_argument, NULL, OPT_LIMIT},
	{"skip", required_argument, NULL, OPT_SKIP},
	{"fcs", required_argument, NULL, OPT_FCS},
	{"keep-fcs", no_argument, NULL, OPT_KEEP_FCS},
	{"checksums", required_argument, NULL, OPT_CHECKSUMS},
	{"strict", no_argument, NULL, OPT_STRICT},
	{"json", no_argument, NULL, OPT_JSON},
	{"csv", no_argument, NULL, OPT_CSV},
	{"output", required_argument, NULL, OPT_OUTPUT},
	{"dump-cq", required_argument, NULL, OPT_DUMP_CQ},
	{"quiet", no_argument, NULL, OPT_QUIET},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};

/* A word of a list: its place, or -1. */
static int choose(const char *word, const char *const *list)
{
	for (int i = 0; list[i]; i++)
		if (!strcmp(word, list[i]))
			return i;
	return -1;
}

static int parse_unsigned(const char *option, const char *text, unsigned low, unsigned high,
			  unsigned *value)
{
	uint64_t v;

	if (!parse_count(text, low, high, false, &v))
		return usage_error(COMMAND, "--%s %s: expected a whole number, %u to %u", option,
				   text, low, high);
	*value = (unsigned)v;
	return 0;
}

static int parse_packets(const char *option, const char *text, uint64_t low, uint64_t *value)
{
	if (!parse_count(text, low, UINT64_MAX / 2, true, value))
		return usage_error(COMMAND,
				   "--%s %s: expected a whole number from %llu, with k, M or G if you like",
				   option, text, (unsigned long long)low);
	return 0;
}

static int parse_word(const char *option, const char *text, const char *const *list, int *value)
{
	*value = choose(text, list);
	if (*value >= 0)
		return 0;
	char words[128] = "";
	for (int i = 0; list[i]; i++) {
		strcat(words, i ? ", " : "");
		strcat(words, list[i]);
	}
	return usage_error(COMMAND, "--%s %s: expected one of %s", option, text, words);
}

static int parse_option(struct options *o, int c, const char *arg)
{
	static const char *const comp[] = {"off", "balanced", "aggressive", NULL};
	static const char *const fcs[] = {"absent", "present", "auto", NULL};
	static const char *const sums[] = {"trust", "l3", "verify", NULL};
	static const char *const mini[] = {"hash", "csum", "ftag_stridx", "csum_stridx",
					   "l34h_stridx", NULL};
	int word, rc;

	switch (c) {
	case OPT_DEVICE: o->device = arg; return 0;
	case OPT_LINK: o->link = arg; return 0;
	case OPT_DRIVER: o->driver = arg; return 0;
	case OPT_HOST: o->host = arg; return 0;
	case OPT_RATE: o->rate = arg; return 0;
	case OPT_SYNTHETIC: o->synthetic = arg; return 0;
	case OPT_DUMP_CQ: o->dump_cq = arg; return 0;
	case OPT_OUTPUT: o->output = arg; return 0;
	case OPT_RSS_KEY: o->rss_key = arg; return 0;
	case OPT_RSS_FIELDS: o->rss_fields = arg; return 0;
	case OPT_SEGMENT: o->sim.segment = true; return 0;
	case OPT_KEEP_FCS: o->sim.keep_fcs = true; return 0;
	case OPT_COMPARE: o->compare = true; return 0;
	case OPT_STRICT: o->trace.strict = true; return 0;
	case OPT_QUIET: o->quiet = true; return 0;
	case OPT_JSON:
	case OPT_CSV:
		if (o->format != TEXT && o->format != (c == OPT_JSON ? JSON : CSV))
			return usage_error(COMMAND, "--json and --csv exclude each other");
		o->format = c == OPT_JSON ? JSON : CSV;
		return 0;
	case OPT_SET:
		if (!strchr(arg, '=') || *arg == '=')
			return usage_error(COMMAND, "--set %s: expected KEY=VALUE", arg);
		if (o->sets == SETS_MAX)
			return usage_error(COMMAND, "--set: no more than %d", SETS_MAX);
		o->set[o->sets++] = arg;
		return 0;
	case OPT_QUEUES:
		return parse_unsigned("queues", arg, 1, CQESIM_QUEUES_MAX, &o->sim.queues);
	case OPT_RING:
		return parse_unsigned("ring", arg, 4, 32768, &o->sim.ring);
	case OPT_CQ_SIZE:
		return parse_unsigned("cq-size", arg, 4, 1u << CQESIM_CQ_LOG_MAX, &o->sim.cq_size);
	case OPT_BURST:
		return parse_unsigned("burst", arg, 1, CQESIM_BURST_MAX, &o->sim.burst);
	case OPT_MTU:
		return parse_unsigned("mtu", arg, 68, 65535, &o->sim.mtu);
	case OPT_REPEAT:
		return parse_packets("repeat", arg, 1, &o->trace.repeat);
	case OPT_LIMIT:
		return parse_packets("limit", arg, 1, &o->trace.limit);
	case OPT_SKIP:
		return parse_packets("skip", arg, 0, &o->trace.skip);
	case OPT_CQE_COMP:
		rc = parse_word("cqe-comp", arg, comp, &word);
		if (!rc)
			o->sim.comp = (enum cqesim_comp_choice)(CQESIM_COMP_CHOOSE_OFF + word);
		return rc;
	case OPT_MINI_FORMAT:
		return parse_word("mini-format", arg, mini, &o->sim.mini_format);
	case OPT_FCS:
		rc = parse_word("fcs", arg, fcs, &word);
		if (!rc)
			o->trace.fcs = (enum cqesim_fcs)word;
		return rc;
	case OPT_CHECKSUMS:
		rc = parse_word("checksums", arg, sums, &word);
		if (!rc)
			o->sim.checksums = (enum cqesim_checksums)word;
		return rc;
	default:
		return usage_error(COMMAND, "unknown option");
	}
}

/* 0, an exit code, or -1 when --help was all. */
static int parse(struct options *o, int argc, char **argv)
{
	int c, rc;

	*o = (struct options){
		.device = "connectx-5",
		.driver = "dpdk-mlx5-vec",
		.host = "generic",
		.sim = {.queues = 1, .mini_format = -1, .checksums = CQESIM_CHECKSUMS_L3},
	};
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c == OPT_HELP || c == 'h') {
			fputs(help_text, stdout);
			return -1;
		}
		if (c == '?' || c == ':')
			return bad_option(COMMAND, argv, c);
		rc = parse_option(o, c, optarg);
		if (rc)
			return rc;
	}
	if (o->synthetic && optind < argc)
		return usage_error(COMMAND, "--synthetic and capture files (%s) exclude each other",
				   argv[optind]);
	if (!o->synthetic && optind == argc)
		return usage_error(COMMAND, "expected capture files, or --synthetic");
	if (o->dump_cq && o->sim.queues != 1)
		return usage_error(COMMAND, "--dump-cq needs --queues 1");
	if (o->dump_cq && !strcmp(o->dump_cq, "-") && (!o->output || !strcmp(o->output, "-")))
		return usage_error(COMMAND, "--dump-cq -: the report goes there too (see --output)");
	return 0;
}

/* The profile that has the key takes the value. */
static int apply_set(struct run *run, const char *set, struct cqesim_error *err)
{
	struct cqesim_profile *const profiles[] = {run->device, run->link, run->driver, run->host};
	const char *value = strchr(set, '=') + 1;
	char key[64];

	snprintf(key, sizeof(key), "%.*s", (int)(value - 1 - set), set);
	for (unsigned i = 0; i < 4; i++) {
		int rc = cqesim_profile_set(profiles[i], key, value, err);
		if (rc != -ENOENT)
			return rc;
	}
	return cqesim_fail(err, -EINVAL,
			   "--set %s: no such parameter (cqesim models show NAME lists them)", set);
}

/* Is it the name that is wrong, and not a file or folder of profiles? */
static bool name_is_wrong(enum cqesim_profile_kind kind, const char *name, int rc)
{
	bool good;

	if (kind == CQESIM_PROFILE_LINK) { /* all links share a file: is that one good? */
		struct cqesim_profile *any = NULL;

		good = !cqesim_profile_load(&any, kind, "gen1x1", NULL);
		cqesim_profile_free(any);
		return good;
	}
	if (rc != -ENOENT || strchr(name, '/') || strstr(name, ".yaml"))
		return false;
	char **names = cqesim_profile_names(kind, NULL);
	good = names != NULL;
	cqesim_profile_names_free(names);
	return good;
}

static int load_profile(struct cqesim_profile **profile, enum cqesim_profile_kind kind,
			const char *name, bool typed)
{
	struct cqesim_error err = {""};
	int rc = cqesim_profile_load(profile, kind, name, &err);

	if (!rc)
		return EXIT_GOOD;
	if (typed && name_is_wrong(kind, name, rc))
		return usage_error(COMMAND, "--%s: %s", cqesim_profile_kind_name(kind), err.text);
	complain("%s", err.text);
	return EXIT_INPUT;
}

/* An exit code. */
static int load_profiles(struct run *run, struct options *o)
{
	struct cqesim_error err = {""};
	int code = load_profile(&run->device, CQESIM_PROFILE_DEVICE, o->device, true);

	if (!code)
		code = load_profile(&run->link, CQESIM_PROFILE_LINK,
				    o->link ? o->link
					    : cqesim_profile_text(run->device, CQESIM_DEV_LINK),
				    o->link != NULL);
	if (!code)
		code = load_profile(&run->driver, CQESIM_PROFILE_DRIVER, o->driver, true);
	if (!code)
		code = load_profile(&run->host, CQESIM_PROFILE_HOST, o->host, true);
	if (code)
		return code;
	int rc = 0;
	for (unsigned i = 0; i < o->sets && !rc; i++)
		rc = apply_set(run, o->set[i], &err);
	if (!rc && o->rss_fields)
		rc = cqesim_profile_set(run->driver, "rss_fields", o->rss_fields, &err);
	if (!rc && o->rss_key) {
		rc = cqesim_rss_key_parse(o->rss_key, o->key, &err);
		if (!rc)
			rc = cqesim_profile_set(run->driver, "rss_key", o->rss_key, &err);
	}
	o->sim.device = run->device;
	o->sim.link = run->link;
	o->sim.driver = run->driver;
	o->sim.host = run->host;
	return rc ? usage_error(COMMAND, "%s", err.text) : EXIT_GOOD;
}

/* The simulation asked for; with --compare all three policies, that one among them. */
static int create_sims(struct run *run, const struct options *o, struct cqesim_error *err)
{
	static const enum cqesim_comp_choice policies[] = {
		CQESIM_COMP_CHOOSE_OFF, CQESIM_COMP_CHOOSE_BALANCED, CQESIM_COMP_CHOOSE_AGGRESSIVE,
	};
	struct cqesim_sim_config c = o->sim;
	enum cqesim_comp_choice wanted = c.comp;

	if (wanted == CQESIM_COMP_AS_PROFILED) {
		if (!cqesim_profile_flag(run->driver, CQESIM_DRV_CQE_COMP_EN))
			wanted = CQESIM_COMP_CHOOSE_OFF;
		else if (!strcmp(cqesim_profile_text(run->device, CQESIM_DEV_CQE_COMPRESSION),
				 "aggressive"))
			wanted = CQESIM_COMP_CHOOSE_AGGRESSIVE;
		else
			wanted = CQESIM_COMP_CHOOSE_BALANCED;
	}
	for (unsigned i = 0; i < 3; i++) {
		bool is_main = policies[i] == wanted;

		if (!is_main && !o->compare)
			continue;
		if (is_main)
			run->main = run->replay.sims;
		c.comp = is_main ? o->sim.comp : policies[i];
		c.observer = is_main && run->feed ? &run->observer : NULL;
		int rc = cqesim_sim_create(&run->replay.sim[run->replay.sims], &c, err);
		if (rc)
			return rc;
		run->replay.sims++;
	}
	return 0;
}

static int open_trace(struct run *run, struct options *o, const char *const *files, size_t n,
		      struct cqesim_error *err)
{
	double gbps = cqesim_profile_num(run->device, CQESIM_DEV_PORT_SPEED);
	uint64_t line_bps = (uint64_t)(gbps * 1e9 + 0.5);
	int rc = 0;

	if (o->rate)
		rc = cqesim_rate_parse(o->rate, line_bps, &o->trace.rate, err);
	if (rc)
		return rc;
	if (o->synthetic)
		return cqesim_trace_open_synthetic(&run->trace, o->synthetic, line_bps, &o->trace,
						   err);
	return cqesim_trace_open(&run->trace, files, n, &o->trace, err);
}

/* Exit code of a failure at set-up: what the user typed, or what a file holds. */
static int set_up(struct run *run, struct options *o, const char *const *files, size_t n,
		  struct cqesim_error *err)
{
	struct cqesim_rate rate;
	int rc = o->rate ? cqesim_rate_parse(o->rate, 1000000000, &rate, err) : 0;

	if (rc)
		return usage_error(COMMAND, "--%s", err->text);
	int code = load_profiles(run, o);
	if (code)
		return code;
	rc = open_trace(run, o, files, n, err);
	if (rc == -EINVAL && o->synthetic)
		return usage_error(COMMAND, "--synthetic %s: %s", o->synthetic, err->text);
	if (rc)
		goto input;
	run->port = malloc(sizeof(*run->port));
	run->port_stats = calloc(1, sizeof(*run->port_stats));
	if (!run->port || !run->port_stats) {
		rc = cqesim_fail(err, -ENOMEM, "out of memory");
		goto input;
	}
	if (o->dump_cq) {
		unsigned burst = o->sim.burst ? o->sim.burst
					      : (unsigned)cqesim_profile_u64(run->driver, CQESIM_DRV_BURST);

		rc = cqesim_feed_create(&run->feed, o->dump_cq, burst, err);
		if (rc)
			goto input;
		run->observer = cqesim_feed_observer(run->feed);
	}
	rc = create_sims(run, o, err);
	if (rc == -EINVAL)
		return usage_error(COMMAND, "%s", err->text);
	if (!rc)
		rc = cqesim_sim_port(run->port, &o->sim, err);
	if (rc)
		goto input;
	run->replay.trace = run->trace;
	run->replay.port = run->port;
	run->replay.port_stats = run->port_stats;
	return EXIT_GOOD;
input:
	complain("%s", err->text);
	return EXIT_INPUT;
}

/* What the reader of a report should know even if he reads only standard error. */
static void warn(const struct run *run)
{
	const struct cqesim_trace_stats *s = cqesim_trace_stats(run->trace);

	if (s->truncated)
		complain("warning: truncated: %s", s->truncated_where);
	if (s->skipped[CQESIM_SKIP_ZERO_LENGTH])
		complain("warning: %llu zero-length packets skipped, the first: %s",
			 (unsigned long long)s->skipped[CQESIM_SKIP_ZERO_LENGTH], s->zero_where);
}

/* What to do with the feed; beside a document for programs it goes where people look. */
static void describe_feed(const struct options *o, const struct cqesim_result *result, FILE *report)
{
	FILE *to = o->format == TEXT ? report : stderr;
	struct cqesim_error err = {""};
	char command[8192];

	if (!cqesim_feed_command(result, o->dump_cq, command, sizeof(command), &err))
		fprintf(to, "\nThe feed %s holds the ring's writes; to run DPDK's receive code over it:\n  %s\n",
			o->dump_cq, command);
	else
		fprintf(to, "\nThe feed %s holds the ring's writes. No referee command: %s\n", o->dump_cq,
			err.text);
}

static int report(struct run *run, const struct options *o, const char *source)
{
	struct cqesim_report r = {
		.source = source,
		.trace = cqesim_trace_stats(run->trace),
		.port = run->port_stats,
		.results = run->replay.sims,
		.main = run->main,
	};
	struct cqesim_error err = {""};
	struct outfile out;
	int rc;

	for (unsigned i = 0; i < r.results; i++)
		r.result[i] = cqesim_sim_result(run->replay.sim[i]);
	rc = outfile_open(&out, o->output ? o->output : "-", &err);
	if (rc)
		goto fail;
	rc = cqesim_feed_flush(run->feed, &err); /* all written before the report speaks of it */
	if (rc) {
		outfile_close(&out, false, NULL);
		goto fail;
	}
	rc = o->format == JSON	? cqesim_report_json(&r, out.stream, &err)
	     : o->format == CSV ? cqesim_report_csv(&r, out.stream, &err)
				: cqesim_report_text(&r, out.stream, &err);
	if (rc && o->output && strcmp(o->output, "-"))
		cqesim_fail(&err, rc, "%s: cannot write: %s", o->output, strerror(-rc));
	if (!rc && o->dump_cq)
		describe_feed(o, r.result[r.main], out.stream);
	if (!rc) {
		rc = cqesim_feed_close(run->feed, true, &err);
		run->feed = NULL;
	}
	if (rc)
		outfile_close(&out, false, NULL);
	else
		rc = outfile_close(&out, true, &err);
	if (!rc)
		return EXIT_GOOD;
fail:
	complain("%s", err.text);
	return EXIT_INPUT;
}

static void clean_up(struct run *run)
{
	cqesim_feed_close(run->feed, false, NULL);
	for (unsigned i = 0; i < run->replay.sims; i++)
		cqesim_sim_destroy(run->replay.sim[i]);
	cqesim_trace_close(run->trace);
	free(run->port_stats);
	free(run->port);
	cqesim_profile_free(run->host);
	cqesim_profile_free(run->driver);
	cqesim_profile_free(run->link);
	cqesim_profile_free(run->device);
}

/* "a.pcap, b.pcap" for the report. */
static char *source_text(const struct options *o, const char *const *files, size_t n)
{
	size_t size = 16 + (o->synthetic ? strlen(o->synthetic) : 0);

	for (size_t i = 0; i < n; i++)
		size += strlen(files[i]) + 16;
	char *text = calloc(1, size);
	if (!text)
		return NULL;
	if (o->synthetic)
		snprintf(text, size, "synthetic: %s", o->synthetic);
	for (size_t i = 0; i < n; i++) {
		strcat(text, i ? ", " : "");
		strcat(text, strcmp(files[i], "-") ? files[i] : "standard input");
	}
	return text;
}

int cmd_replay(int argc, char **argv)
{
	struct options o;
	struct run run = {0};
	struct cqesim_error err = {""};
	struct progress progress;
	int code = parse(&o, argc, argv);

	if (code)
		return code < 0 ? close_stdout() : code;
	const char *const *files = (const char *const *)argv + optind;
	size_t n = (size_t)(argc - optind);

	code = set_up(&run, &o, files, n, &err);
	if (!code) {
		if (progress_start(&progress, o.quiet)) {
			run.replay.progress = progress_show;
			run.replay.progress_context = &progress;
		}
		int rc = cqesim_replay_run(&run.replay, &err);
		progress_end(&progress);
		if (rc) {
			struct cqesim_error feed = {""};

			/* If it was the feed that could not be written, then that is what to tell. */
			if (cqesim_feed_close(run.feed, false, &feed))
				err = feed;
			run.feed = NULL;
			complain("%s", err.text);
			code = rc == -EBADMSG ? EXIT_INTERNAL : EXIT_INPUT;
		}
	}
	if (!code) {
		char *source = source_text(&o, files, n);

		if (!o.quiet)
			warn(&run);
		code = report(&run, &o, source ? source : "");
		free(source);
	}
	clean_up(&run);
	return code;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of cqesim replay, word by word. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "replay_options.h"

#define COMMAND   "replay"
#define TLP_LIMIT 1000000u /* some 150 MB */
/* Of a call's cycles, more or less, when --jitter says only a seed. */
#define JITTER_SHARE 0.1

enum {
	OPT_DEVICE = 256,
	OPT_LINK,
	OPT_DRIVER,
	OPT_HOST,
	OPT_APP,
	OPT_JITTER,
	OPT_SET,
	OPT_QUEUES,
	OPT_RING,
	OPT_RQ,
	OPT_WQES,
	OPT_HOLD,
	OPT_CQ_SIZE,
	OPT_BURST,
	OPT_MTU,
	OPT_SEGMENT,
	OPT_CQE_COMP,
	OPT_CQE_LAYOUT,
	OPT_MINI_FORMAT,
	OPT_RSS_KEY,
	OPT_RSS_FIELDS,
	OPT_COMPARE,
	OPT_FORWARD,
	OPT_TX_INLINE,
	OPT_TX_MPW,
	OPT_TX_RING,
	OPT_SYNTHETIC,
	OPT_RATE,
	OPT_REPEAT,
	OPT_LIMIT,
	OPT_SKIP,
	OPT_FCS,
	OPT_KEEP_FCS,
	OPT_CHECKSUMS,
	OPT_STRICT,
	OPT_JSON,
	OPT_CSV,
	OPT_OUTPUT,
	OPT_DUMP_CQ,
	OPT_DUMP_TLP,
	OPT_DUMP_TLP_LIMIT,
	OPT_QUIET,
	OPT_SWEEP,
	OPT_NDR,
	OPT_THREADS,
	OPT_COUNTERS,
	OPT_TIMELINE,
	OPT_TIMELINE_QUEUES,
	OPT_BIN,
	OPT_HELP,
};

static const struct option long_options[] = {
	{"device", required_argument, NULL, OPT_DEVICE},
	{"link", required_argument, NULL, OPT_LINK},
	{"driver", required_argument, NULL, OPT_DRIVER},
	{"host", required_argument, NULL, OPT_HOST},
	{"app", required_argument, NULL, OPT_APP},
	{"jitter", required_argument, NULL, OPT_JITTER},
	{"set", required_argument, NULL, OPT_SET},
	{"queues", required_argument, NULL, OPT_QUEUES},
	{"ring", required_argument, NULL, OPT_RING},
	{"rq", required_argument, NULL, OPT_RQ},
	{"wqes", required_argument, NULL, OPT_WQES},
	{"hold", required_argument, NULL, OPT_HOLD},
	{"cq-size", required_argument, NULL, OPT_CQ_SIZE},
	{"burst", required_argument, NULL, OPT_BURST},
	{"mtu", required_argument, NULL, OPT_MTU},
	{"segment", no_argument, NULL, OPT_SEGMENT},
	{"cqe-comp", required_argument, NULL, OPT_CQE_COMP},
	{"cqe-layout", required_argument, NULL, OPT_CQE_LAYOUT},
	{"mini-format", required_argument, NULL, OPT_MINI_FORMAT},
	{"rss-key", required_argument, NULL, OPT_RSS_KEY},
	{"rss-fields", required_argument, NULL, OPT_RSS_FIELDS},
	{"compare", no_argument, NULL, OPT_COMPARE},
	{"forward", no_argument, NULL, OPT_FORWARD},
	{"tx-inline", required_argument, NULL, OPT_TX_INLINE},
	{"tx-mpw", required_argument, NULL, OPT_TX_MPW},
	{"tx-ring", required_argument, NULL, OPT_TX_RING},
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
	{"dump-tlp", required_argument, NULL, OPT_DUMP_TLP},
	{"dump-tlp-limit", required_argument, NULL, OPT_DUMP_TLP_LIMIT},
	{"quiet", no_argument, NULL, OPT_QUIET},
	{"sweep", required_argument, NULL, OPT_SWEEP},
	{"ndr", no_argument, NULL, OPT_NDR},
	{"threads", required_argument, NULL, OPT_THREADS},
	{"counters", no_argument, NULL, OPT_COUNTERS},
	{"timeline", required_argument, NULL, OPT_TIMELINE},
	{"timeline-queues", no_argument, NULL, OPT_TIMELINE_QUEUES},
	{"bin", required_argument, NULL, OPT_BIN},
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
		return usage_error(
			COMMAND,
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

/* "1ms": a number and a unit. */
static bool parse_time(const char *text, uint64_t *ps)
{
	static const struct {
		const char *unit;
		double ps;
	} units[] = {{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}};
	char *end;
	double value = strtod(text, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end != text && !strcmp(end, units[i].unit) && value > 0 &&
		    value * units[i].ps >= 1 && value * units[i].ps < 1e18) {
			*ps = (uint64_t)(value * units[i].ps + 0.5);
			return true;
		}
	return false;
}

/* One KEY=VALUE of --hold. */
static bool parse_hold_item(const char *item, struct cqesim_hold *hold)
{
	uint64_t every;

	if (!strncmp(item, "every=", 6)) {
		if (!parse_count(item + 6, 1, UINT32_MAX, true, &every))
			return false;
		hold->every = (uint32_t)every;
		return true;
	}
	if (!strncmp(item, "packets=", 8))
		return parse_count(item + 8, 1, UINT64_MAX / 2, true, &hold->packets);
	return !strncmp(item, "time=", 5) && parse_time(item + 5, &hold->ps);
}

static int parse_hold(const char *text, struct cqesim_hold *hold)
{
	struct cqesim_hold h = {.every = 1};
	char words[256], *at = words, *item;
	bool good = strlen(text) < sizeof(words);

	snprintf(words, sizeof(words), "%s", text);
	while (good && (item = strsep(&at, ",")) != NULL)
		good = parse_hold_item(item, &h);
	if (!good || (!h.packets && !h.ps))
		return usage_error(
			COMMAND,
			"--hold %s: expected packets=N or time=T or both, and every=K if "
			"you like, for instance every=10,packets=1000,time=1ms",
			text);
	*hold = h;
	return 0;
}

/* One KEY=VALUE of --jitter. */
static bool parse_jitter_item(const char *item, struct cqesim_host_away *away)
{
	char *end;

	if (!strncmp(item, "share=", 6)) {
		if (!isdigit((unsigned char)item[6]) && item[6] != '.')
			return false;
		away->share = strtod(item + 6, &end);
		return !*end && away->share >= 0 && away->share <= 1;
	}
	if (!strncmp(item, "every=", 6))
		return parse_time(item + 6, &away->every_ps);
	return !strncmp(item, "length=", 7) && parse_time(item + 7, &away->length_ps);
}

static int parse_jitter(const char *text, struct cqesim_host_away *away)
{
	struct cqesim_host_away a = {.share = JITTER_SHARE};
	char words[256], seen[5] = "", *at = words, *item;
	bool good = strlen(text) < sizeof(words);

	snprintf(words, sizeof(words), "%s", text);
	item = strsep(&at, ",");
	/* Each queue has the next seed: none of them may be 0. */
	good = good && parse_count(item, 1, UINT64_MAX / 2, false, &a.seed);
	while (good && (item = strsep(&at, ",")) != NULL) {
		/* The first letters differ: each key once. */
		good = !strchr(seen, *item) && parse_jitter_item(item, &a);
		seen[strlen(seen)] = *item;
	}
	if (!good || !a.every_ps != !a.length_ps)
		return usage_error(
			COMMAND,
			"--jitter %s: expected a seed from 1 and, if you like, once each "
			"share=S (0 to 1) and both every=T and length=T, for instance "
			"7,share=0.1,every=1ms,length=20us",
			text);
	*away = a;
	return 0;
}

static int choose_format(struct options *o, enum format format)
{
	if (o->format != TEXT && o->format != format)
		return usage_error(COMMAND, "--json, --csv and --counters exclude each other");
	o->format = format;
	return 0;
}

static int parse_option(struct options *o, int c, const char *arg)
{
	static const char *const comp[] = {"off", "balanced", "aggressive", NULL};
	static const char *const fcs[] = {"absent", "present", "auto", NULL};
	static const char *const sums[] = {"trust", "l3", "verify", NULL};
	static const char *const rq[] = {"cyclic", "striding", NULL};
	static const char *const layout[] = {"basic", "enhanced", NULL};
	static const char *const mini[] = {"hash",        "csum",        "ftag_stridx",
					   "csum_stridx", "l34h_stridx", NULL};
	int word, rc;

	switch (c) {
	case OPT_DEVICE:
		o->device = arg;
		return 0;
	case OPT_LINK:
		o->link = arg;
		return 0;
	case OPT_DRIVER:
		o->driver = arg;
		return 0;
	case OPT_HOST:
		o->host = arg;
		return 0;
	case OPT_APP:
		o->app = arg;
		return 0;
	case OPT_JITTER:
		return parse_jitter(arg, &o->sim.away);
	case OPT_RATE:
		o->rate = arg;
		return 0;
	case OPT_SYNTHETIC:
		o->synthetic = arg;
		return 0;
	case OPT_DUMP_CQ:
		o->dump_cq = arg;
		return 0;
	case OPT_DUMP_TLP:
		o->dump_tlp = arg;
		return 0;
	case OPT_DUMP_TLP_LIMIT:
		if (!parse_count(arg, 0, UINT64_MAX, true, &o->dump_tlp_limit))
			return usage_error(COMMAND,
					   "--dump-tlp-limit %s: expected a whole number, k, M and "
					   "G allowed",
					   arg);
		return 0;
	case OPT_OUTPUT:
		o->output = arg;
		return 0;
	case OPT_RSS_KEY:
		o->rss_key = arg;
		return 0;
	case OPT_RSS_FIELDS:
		o->rss_fields = arg;
		return 0;
	case OPT_SEGMENT:
		o->sim.segment = true;
		return 0;
	case OPT_KEEP_FCS:
		o->sim.keep_fcs = true;
		return 0;
	case OPT_FORWARD:
		o->sim.forward = true;
		return 0;
	case OPT_COMPARE:
		o->compare = true;
		return 0;
	case OPT_STRICT:
		o->trace.strict = true;
		return 0;
	case OPT_QUIET:
		o->quiet = true;
		return 0;
	case OPT_NDR:
		o->ndr = true;
		return 0;
	case OPT_TIMELINE:
		o->timeline = arg;
		return 0;
	case OPT_TIMELINE_QUEUES:
		o->timeline_queues = true;
		return 0;
	case OPT_BIN:
		return parse_time(arg, &o->bin_ps)
			       ? 0
			       : usage_error(COMMAND,
					     "--bin %s: expected a time in ns, us, ms or s, for "
					     "instance 10us",
					     arg);
	case OPT_THREADS:
		return parse_unsigned("threads", arg, 1, THREADS_MAX, &o->threads);
	case OPT_SWEEP:
		if (o->sweep)
			return usage_error(COMMAND, "--sweep: one of them only");
		o->sweep = arg;
		return 0;
	case OPT_JSON:
		return choose_format(o, JSON);
	case OPT_CSV:
		return choose_format(o, CSV);
	case OPT_COUNTERS:
		return choose_format(o, COUNTERS);
	case OPT_SET:
		if (!strchr(arg, '=') || *arg == '=')
			return usage_error(COMMAND, "--set %s: expected KEY=VALUE", arg);
		if (o->sets == SETS_MAX)
			return usage_error(COMMAND, "--set: no more than %d", SETS_MAX);
		o->set[o->sets++] = arg;
		return 0;
	case OPT_QUEUES:
		return parse_unsigned("queues", arg, 1, CQESIM_QUEUES_MAX, &o->sim.queues);
	case OPT_TX_INLINE:
		return parse_unsigned("tx-inline", arg, 0, 65536, &o->sim.tx_inline);
	case OPT_TX_MPW:
		return parse_unsigned("tx-mpw", arg, 1, 61, &o->sim.tx_mpw);
	case OPT_TX_RING:
		return parse_unsigned("tx-ring", arg, 1, CQESIM_TX_RING_MAX, &o->sim.tx_ring);
	case OPT_RING:
		return parse_unsigned("ring", arg, 4, 32768, &o->sim.ring);
	case OPT_WQES:
		return parse_unsigned("wqes", arg, 2, 32768, &o->sim.wqes);
	case OPT_HOLD:
		return parse_hold(arg, &o->sim.hold);
	case OPT_RQ:
		rc = parse_word("rq", arg, rq, &word);
		if (!rc)
			o->sim.rq = (enum cqesim_rq_choice)(CQESIM_RQ_CHOOSE_CYCLIC + word);
		return rc;
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
	case OPT_CQE_LAYOUT:
		rc = parse_word("cqe-layout", arg, layout, &word);
		if (!rc)
			o->sim.layout =
				(enum cqesim_layout_choice)(CQESIM_LAYOUT_CHOOSE_BASIC + word);
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

int replay_option(struct options *o, const char *key, const char *value)
{
	for (const struct option *known = long_options; known->name; known++)
		if (!strcmp(known->name, key))
			return known->has_arg == required_argument
				       ? parse_option(o, known->val, value)
				       : usage_error(COMMAND, "--%s takes no value", key);
	return -ENOENT;
}

/* No two outputs at the same place; the report is at "-" when no file is named. */
static int check_outputs(const struct options *o)
{
	const struct {
		const char *option, *file;
	} to[] = {
		{"output", o->output ? o->output : "-"},
		{"dump-cq", o->dump_cq},
		{"dump-tlp", o->dump_tlp},
		{"timeline", o->timeline},
	};

	for (unsigned i = 1; i < sizeof(to) / sizeof(to[0]); i++)
		for (unsigned k = 0; to[i].file && k < i; k++)
			if (to[k].file && !strcmp(to[i].file, to[k].file) &&
			    strcmp(to[i].file, "/dev/null"))
				return usage_error(COMMAND,
						   "--%s %s: the %s goes there too (see --%s)",
						   to[i].option, to[i].file,
						   k ? to[k].option : "report", to[k].option);
	return 0;
}

/* What exclude each other, or need each other. */
static int check_together(const struct options *o, char *const *files)
{
	bool many = o->sweep || o->ndr;

	if (o->synthetic && *files)
		return usage_error(COMMAND, "--synthetic and capture files (%s) exclude each other",
				   *files);
	if (!o->synthetic && !*files)
		return usage_error(COMMAND, "expected capture files, or --synthetic");
	if (o->sweep && o->ndr)
		return usage_error(COMMAND, "--sweep and --ndr exclude each other");
	if (many && (o->compare || o->dump_cq || o->dump_tlp || o->timeline))
		return usage_error(COMMAND,
				   "--%s goes with none of --compare, --dump-cq, --dump-tlp, "
				   "--timeline",
				   o->sweep ? "sweep" : "ndr");
	if (many && o->format == COUNTERS)
		return usage_error(COMMAND, "--counters is for one run");
	for (char *const *file = files; many && *file; file++)
		if (!strcmp(*file, "-"))
			return usage_error(COMMAND, "--%s: standard input can be read only once",
					   o->sweep ? "sweep" : "ndr");
	if (o->sim.forward && !strcmp(o->app, "xdp-drop"))
		return usage_error(COMMAND, "--forward: xdp-drop sends nothing on (xdp-tx does)");
	if (o->bin_ps && !o->timeline)
		return usage_error(COMMAND, "--bin goes with --timeline");
	if (o->timeline_queues && !o->timeline)
		return usage_error(COMMAND, "--timeline-queues goes with --timeline");
	if (o->dump_cq && o->sim.queues != 1)
		return usage_error(COMMAND, "--dump-cq needs --queues 1");
	return check_outputs(o);
}

int replay_options(struct options *o, int argc, char **argv)
{
	int c, rc;

	*o = (struct options){
		.device = "connectx-5",
		.driver = "dpdk-mlx5-vec",
		.host = "generic",
		.app = "rxonly",
		.dump_tlp_limit = TLP_LIMIT,
		.sim = {.queues = 1, .mini_format = -1, .checksums = CQESIM_CHECKSUMS_L3},
	};
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c == OPT_HELP || c == 'h') {
			fputs(replay_help, stdout);
			return -1;
		}
		if (c == '?' || c == ':')
			return bad_option(COMMAND, argv, c);
		rc = parse_option(o, c, optarg);
		if (rc)
			return rc;
	}
	return check_together(o, argv + optind);
}

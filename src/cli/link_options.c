/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of cqesim link, word by word. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cqesim/trace.h"
#include "link.h"

#define COMMAND LINK_COMMAND

enum {
	OPT_DEVICE = 256,
	OPT_LINK,
	OPT_HOST,
	OPT_APP,
	OPT_DRIVER,
	OPT_EFFICIENCY,
	OPT_PORT_SPEED,
	OPT_PORTS,
	OPT_RATE,
	OPT_QUEUES,
	OPT_RING,
	OPT_CORES,
	OPT_SET,
	OPT_FRAME,
	OPT_RX,
	OPT_TX,
	OPT_FORWARD,
	OPT_PAD,
	OPT_OFFSET,
	OPT_KEEP_FCS,
	OPT_RQ,
	OPT_STRIDES,
	OPT_STRIDE_SIZE,
	OPT_WQE_BYTES,
	OPT_WQE_FETCH,
	OPT_CQE,
	OPT_COMPRESSION,
	OPT_SESSION,
	OPT_COMPRESSED,
	OPT_INTERRUPT_EVERY,
	OPT_DBREC_EVERY,
	OPT_TX_INLINE,
	OPT_TX_INLINE_MIN,
	OPT_TX_MPW,
	OPT_TX_FETCH,
	OPT_TX_CQE_EVERY,
	OPT_TX_DOORBELL_EVERY,
	OPT_BLUEFIELD,
	OPT_SWEEP,
	OPT_TABLE,
	OPT_BANDWIDTH,
	OPT_COMBINATIONS,
	OPT_PUBLISHED,
	OPT_JSON,
	OPT_CSV,
	OPT_TEXT,
	OPT_LOCAL,
	OPT_CARD,
	OPT_HELP,
};

#define TAKES(name, opt)                                                                           \
	{                                                                                          \
		name, required_argument, NULL, opt                                                 \
	}
#define FLAG(name, opt)                                                                            \
	{                                                                                          \
		name, no_argument, NULL, opt                                                       \
	}
static const struct option long_options[] = {
	TAKES("device", OPT_DEVICE),
	TAKES("link", OPT_LINK),
	TAKES("host", OPT_HOST),
	TAKES("app", OPT_APP),
	TAKES("driver", OPT_DRIVER),
	TAKES("efficiency", OPT_EFFICIENCY),
	TAKES("port-speed", OPT_PORT_SPEED),
	TAKES("ports", OPT_PORTS),
	TAKES("rate", OPT_RATE),
	TAKES("queues", OPT_QUEUES),
	TAKES("ring", OPT_RING),
	TAKES("cores", OPT_CORES),
	TAKES("set", OPT_SET),
	TAKES("frame", OPT_FRAME),
	FLAG("rx", OPT_RX),
	FLAG("tx", OPT_TX),
	FLAG("forward", OPT_FORWARD),
	FLAG("pad", OPT_PAD),
	TAKES("offset", OPT_OFFSET),
	FLAG("keep-fcs", OPT_KEEP_FCS),
	TAKES("rq", OPT_RQ),
	TAKES("strides", OPT_STRIDES),
	TAKES("stride-size", OPT_STRIDE_SIZE),
	TAKES("wqe-bytes", OPT_WQE_BYTES),
	TAKES("wqe-fetch", OPT_WQE_FETCH),
	TAKES("cqe", OPT_CQE),
	TAKES("compression", OPT_COMPRESSION),
	TAKES("session", OPT_SESSION),
	TAKES("compressed", OPT_COMPRESSED),
	TAKES("interrupt-every", OPT_INTERRUPT_EVERY),
	TAKES("dbrec-every", OPT_DBREC_EVERY),
	TAKES("tx-inline", OPT_TX_INLINE),
	TAKES("tx-inline-min", OPT_TX_INLINE_MIN),
	TAKES("tx-mpw", OPT_TX_MPW),
	TAKES("tx-fetch", OPT_TX_FETCH),
	TAKES("tx-cqe-every", OPT_TX_CQE_EVERY),
	TAKES("tx-doorbell-every", OPT_TX_DOORBELL_EVERY),
	FLAG("bluefield", OPT_BLUEFIELD),
	FLAG("blueflame", OPT_BLUEFIELD),
	TAKES("sweep", OPT_SWEEP),
	FLAG("table", OPT_TABLE),
	FLAG("bandwidth", OPT_BANDWIDTH),
	FLAG("combinations", OPT_COMBINATIONS),
	TAKES("published", OPT_PUBLISHED),
	TAKES("lspci", OPT_TEXT),
	TAKES("dmesg", OPT_TEXT),
	TAKES("ethtool", OPT_TEXT),
	FLAG("local", OPT_LOCAL),
	TAKES("card", OPT_CARD),
	FLAG("json", OPT_JSON),
	FLAG("csv", OPT_CSV),
	FLAG("help", OPT_HELP),
	{NULL, 0, NULL, 0},
};

static int word(const char *option, const char *text, const char *const *words, int *value)
{
	char all[128] = "";

	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], text)) {
			*value = i;
			return 0;
		}
		strcat(all, i ? ", " : "");
		strcat(all, words[i]);
	}
	return usage_error(COMMAND, "--%s %s: expected one of %s", option, text, all);
}

static int view(struct link_options *o, enum link_view wanted)
{
	if (o->view != LINK_ANSWER && o->view != wanted)
		return usage_error(COMMAND, "--sweep, --table, --bandwidth and --combinations "
					    "exclude each other");
	o->view = wanted;
	return 0;
}

static int direction(struct link_options *o, enum cqesim_rxtx wanted)
{
	if (o->direction_given && o->direction != wanted)
		return usage_error(COMMAND, "--rx, --tx and --forward exclude each other");
	o->direction = wanted;
	o->direction_given = true;
	return 0;
}

static int published(struct link_options *o, const char *text)
{
	struct cqesim_rate rate;
	struct cqesim_error err;

	if (cqesim_rate_parse(text, 0, &rate, &err) || rate.kind != CQESIM_RATE_PPS)
		return usage_error(
			COMMAND, "--published %s: expected packets per second, as 86.8Mpps", text);
	o->published_pps = (double)rate.num / (double)rate.den;
	return 0;
}

static int parse_words(struct link_options *o, int c, const char *arg)
{
	static const char *const rqs[] = {"cyclic", "striding", NULL};
	static const char *const cqes[] = {"64", "128", "128pad", NULL};
	static const char *const modes[] = {"off",    "arrays",   "burst", "exact",
					    "stream", "enhanced", NULL};
	int value, rc = 0;

	switch (c) {
	case OPT_RQ:
		rc = word("rq", arg, rqs, &value);
		o->striding = !rc && value;
		return rc;
	case OPT_CQE:
		return word("cqe", arg, cqes, &o->cqe);
	case OPT_COMPRESSION:
		rc = word("compression", arg, modes, &value);
		if (!rc)
			o->compression = value ? (int)CQESIM_CQE_ARRAYS + value - 1
					       : (int)CQESIM_CQE_PLAIN64;
		return rc;
	case OPT_SESSION:
		if (!link_fraction(arg, false, &o->session) || o->session.num < o->session.den)
			return usage_error(COMMAND, "--session %s: expected packets, 1 or more",
					   arg);
		return 0;
	case OPT_COMPRESSED:
		if (!link_fraction(arg, true, &o->compressed) ||
		    o->compressed.num > o->compressed.den)
			return usage_error(COMMAND, "--compressed %s: expected 0 to 1, or percent",
					   arg);
		return 0;
	case OPT_SET:
		if (!strchr(arg, '=') || *arg == '=')
			return usage_error(COMMAND, "--set %s: expected KEY=VALUE", arg);
		if (o->sets == LINK_SETS_MAX)
			return usage_error(COMMAND, "--set: no more than %d", LINK_SETS_MAX);
		o->set[o->sets++] = arg;
		return 0;
	case OPT_TEXT:
		if (o->texts == LINK_TEXTS_MAX)
			return usage_error(COMMAND,
					   "no more than %d files of lspci, dmesg and "
					   "ethtool",
					   LINK_TEXTS_MAX);
		o->text[o->texts++] = arg;
		return 0;
	case OPT_LINK:
		if (o->links == LINK_LINKS_MAX)
			return usage_error(COMMAND, "--link: no more than %d", LINK_LINKS_MAX);
		o->link[o->links++] = arg;
		return 0;
	case OPT_RX:
	case OPT_TX:
	case OPT_FORWARD:
		return direction(o, c == OPT_RX   ? CQESIM_RX
				    : c == OPT_TX ? CQESIM_TX
						  : CQESIM_FORWARD);
	case OPT_JSON:
	case OPT_CSV:
		if (o->format != LINK_TEXT && o->format != (c == OPT_JSON ? LINK_JSON : LINK_CSV))
			return usage_error(COMMAND, "--json and --csv exclude each other");
		o->format = c == OPT_JSON ? LINK_JSON : LINK_CSV;
		return 0;
	case OPT_SWEEP:
		rc = view(o, LINK_SWEEP);
		return rc ? rc : link_axis_range(o, arg);
	case OPT_TABLE:
		return view(o, LINK_TABLE);
	case OPT_BANDWIDTH:
		return view(o, LINK_BANDWIDTH);
	case OPT_COMBINATIONS:
		return view(o, LINK_COMBINATIONS);
	case OPT_PUBLISHED:
		return published(o, arg);
	default:
		return usage_error(COMMAND, "unknown option");
	}
}

/* Options that are a word or a flag and nothing to check. */
static bool parse_plain(struct link_options *o, int c, const char *arg)
{
	switch (c) {
	case OPT_DEVICE:
		o->device = arg;
		return true;
	case OPT_HOST:
		o->host = arg;
		return true;
	case OPT_APP:
		o->app = arg;
		return true;
	case OPT_DRIVER:
		o->driver = arg;
		return true;
	case OPT_EFFICIENCY:
		o->efficiency = arg;
		return true;
	case OPT_PORT_SPEED:
		o->port_speed = arg;
		return true;
	case OPT_RATE:
		o->rate = arg;
		return true;
	case OPT_LOCAL:
		o->local = true;
		return true;
	case OPT_CARD:
		o->card = arg;
		return true;
	case OPT_PAD:
		o->pad = true;
		return true;
	case OPT_KEEP_FCS:
		o->keep_fcs = true;
		return true;
	case OPT_BLUEFIELD:
		o->blueflame = true;
		return true;
	default:
		return false;
	}
}

static int parse(struct link_options *o, int c, const char *name, const char *arg)
{
	static const struct {
		int option;
		size_t field;
		uint64_t low, high;
	} numbers[] = {
#define N(opt, field, low, high) {opt, offsetof(struct link_options, field), low, high}
		N(OPT_PORTS, ports, 1, 1024),
		N(OPT_QUEUES, queues, 1, 65536),
		N(OPT_RING, ring, 1, 1048576),
		N(OPT_CORES, cores, 1, 65536),
		N(OPT_OFFSET, offset, 0, 4095),
		N(OPT_STRIDES, strides, 8, 65536),
		N(OPT_STRIDE_SIZE, stride_size, 64, 8192),
		N(OPT_WQE_BYTES, wqe_bytes, 16, 4096),
		N(OPT_WQE_FETCH, wqe_fetch, 4, 65536),
		N(OPT_INTERRUPT_EVERY, interrupt_every, 0, 1000000),
		N(OPT_DBREC_EVERY, dbrec_every, 0, 1000000),
		N(OPT_TX_INLINE, tx_inline, 0, 65536),
		N(OPT_TX_INLINE_MIN, tx_inline_min, 0, 65536),
		N(OPT_TX_MPW, tx_mpw, 1, 61),
		N(OPT_TX_FETCH, tx_fetch, 0, 65536),
		N(OPT_TX_CQE_EVERY, tx_cqe_every, 1, 1000000),
		N(OPT_TX_DOORBELL_EVERY, tx_doorbell_every, 1, 1000000),
#undef N
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].option == c)
			return link_number(name, arg, numbers[i].low, numbers[i].high,
					   (long *)((char *)o + numbers[i].field));
	if (c == OPT_FRAME)
		return link_list("frame", arg, 1, 65536, &o->frames);
	return parse_plain(o, c, arg) ? 0 : parse_words(o, c, arg);
}

int link_options(struct link_options *o, int argc, char **argv)
{
	int c, rc, index = 0;

	*o = (struct link_options){
		.host = "generic",
		.app = "rxonly",
		.compression = -1,
		.offset = -1,
		.strides = -1,
		.stride_size = -1,
		.wqe_bytes = -1,
		.wqe_fetch = -1,
		.queues = -1,
		.ports = -1,
		.ring = -1,
		.cores = -1,
		.interrupt_every = -1,
		.dbrec_every = -1,
		.tx_inline = -1,
		.tx_inline_min = -1,
		.tx_mpw = -1,
		.tx_fetch = -1,
		.tx_cqe_every = -1,
		.tx_doorbell_every = -1,
	};
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":h", long_options, &index)) != -1) {
		if (c == OPT_HELP || c == 'h') {
			fputs(link_help, stdout);
			return -1;
		}
		if (c == '?' || c == ':')
			return bad_option(COMMAND, argv, c);
		rc = parse(o, c, long_options[index].name, optarg);
		if (rc)
			return rc;
	}
	if (optind < argc)
		return usage_error(COMMAND, "unexpected word %s", argv[optind]);
	rc = link_check(o);
	if (!o->driver)
		o->driver = LINK_DRIVER;
	return rc;
}

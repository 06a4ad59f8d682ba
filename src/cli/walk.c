/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim walk: a ring, step by step, from a description, an image or a trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "cqesim/describe.h"
#include "cqesim/sim.h"
#include "walk_run.h"

#define COMMAND "walk"

static const char help_text[] =
	"usage: cqesim walk [OPTIONS] DESCRIPTION\n"
	"       cqesim walk [OPTIONS] --ring IMAGE\n"
	"       cqesim walk [OPTIONS] CAPTURE | --synthetic SPEC\n"
	"       cqesim walk [OPTIONS] TRACE\n"
	"\n"
	"Steps through a completion ring as a driver reads it: what it looks at, what it\n"
	"concludes, what it rewrites. The ring is that of a description (YAML or JSON, see\n"
	"cqesim encode; - is standard input), an image of one, or what a replay of packets\n"
	"writes into a small ring; or what happened on an emulated card (TRACE is of\n"
	"cqesim card --trace).\n"
	"\n"
	"  --driver dpdk-scalar|dpdk-vec|linux  who reads (the description says, or dpdk-scalar;\n"
	"                       of packets dpdk-vec)\n"
	"  --packets N          of packets: replay so many (32); else: read so many completions\n"
	"  --steps N            end after so many steps\n"
	"  --json               instead of text\n"
	"  --color              with colours, on a terminal\n"
	"\n"
	"Of an image or of packets\n"
	"  --log-cqe-n N        2^N slots (image: as its size says; packets: 6)\n"
	"  --mini-format hash|csum|ftag_stridx|csum_stridx|l34h_stridx|req|req_iter  (hash)\n"
	"Of an image\n"
	"  --layout basic|enhanced      (basic)\n"
	"  --cqe-size 64|128            (64)\n"
	"  --log-stride N       striding RQ: 2^N bytes a stride (0: none)\n"
	"  --any-length         lengths above 65535 are none of a damaged ring (RDMA)\n"
	"  --cq-ci I           consumer index to start from: slot and lap follow from it (0)\n"
	"Of packets\n"
	"  --device NAME        (connectx-5)\n"
	"  --cqe-comp off|balanced|aggressive   (aggressive)\n"
	"Of a card's trace\n"
	"  --cq N               completion queue N (that of the first packet received)\n"
	"\n"
	"Exit status: 0 good, 1 bad input, 2 bad usage, 3 internal error.\n";

enum {
	OPT_RING = 256,
	OPT_SYNTHETIC,
	OPT_DRIVER,
	OPT_PACKETS,
	OPT_STEPS,
	OPT_JSON,
	OPT_COLOR,
	OPT_LOG_CQE_N,
	OPT_MINI_FORMAT,
	OPT_LAYOUT,
	OPT_CQE_SIZE,
	OPT_LOG_STRIDE,
	OPT_CQ_CI,
	OPT_ANY_LENGTH,
	OPT_DEVICE,
	OPT_CQE_COMP,
	OPT_CQ,
};

static const struct option long_options[] = {
	{"ring", required_argument, NULL, OPT_RING},
	{"synthetic", required_argument, NULL, OPT_SYNTHETIC},
	{"driver", required_argument, NULL, OPT_DRIVER},
	{"packets", required_argument, NULL, OPT_PACKETS},
	{"steps", required_argument, NULL, OPT_STEPS},
	{"json", no_argument, NULL, OPT_JSON},
	{"color", no_argument, NULL, OPT_COLOR},
	{"log-cqe-n", required_argument, NULL, OPT_LOG_CQE_N},
	{"mini-format", required_argument, NULL, OPT_MINI_FORMAT},
	{"layout", required_argument, NULL, OPT_LAYOUT},
	{"cqe-size", required_argument, NULL, OPT_CQE_SIZE},
	{"log-stride", required_argument, NULL, OPT_LOG_STRIDE},
	{"cq-ci", required_argument, NULL, OPT_CQ_CI},
	{"cqe-ci", required_argument, NULL, OPT_CQ_CI}, /* another spelling */
	{"any-length", no_argument, NULL, OPT_ANY_LENGTH},
	{"device", required_argument, NULL, OPT_DEVICE},
	{"cqe-comp", required_argument, NULL, OPT_CQE_COMP},
	{"cq", required_argument, NULL, OPT_CQ},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* ---- printing ---- */

int walk_begin(struct walking *k, uint8_t *ring, const struct cqesim_cq_shape *shape,
	       enum cqesim_invalidate driver, uint32_t ci, struct cqesim_error *err)
{
	int rc = cqesim_walk_create(&k->walk, ring, shape, driver, ci, err);

	k->first = true;
	if (!rc)
		rc = k->o->json ? cqesim_walk_json_head(k->walk, k->source, stdout)
				: cqesim_walk_text_head(k->walk, k->source, stdout);
	return rc;
}

int walk_on(struct walking *k, uint64_t max, struct cqesim_error *err)
{
	const struct walk_options *o = k->o;

	/* Nothing was written since nothing was found. */
	if (!k->first && k->last.kind == CQESIM_WALK_STOP && k->walk->wrote_taken)
		return 0;
	while (max) {
		int rc = cqesim_walk_step(k->walk, &k->last);

		if (!rc)
			rc = o->json ? cqesim_walk_json(k->walk, &k->last, k->first, stdout)
				     : cqesim_walk_text(k->walk, &k->last, o->colour, stdout);
		if (rc)
			return cqesim_fail(err, rc, "out of memory");
		k->first = false;
		if (ferror(stdout))
			return cqesim_fail(err, -EPIPE, "standard output: cannot write");
		/* In a trace it is packets of the capture that --packets counts. */
		bool enough = o->packets && k->walk->time_ps == UINT64_MAX &&
			      k->walk->packets >= o->packets;
		k->cut = enough || (o->steps && k->walk->steps >= o->steps);
		if (k->cut)
			return -ECANCELED;
		if (k->last.kind == CQESIM_WALK_STOP)
			return 0;
		max -= k->last.kind != CQESIM_WALK_FAULT;
	}
	return 0;
}

int walk_end(struct walking *k, const char *error, struct cqesim_error *err)
{
	/* What stopped it is no end of the ring if the last step found something. */
	bool cut = k->cut && k->last.kind != CQESIM_WALK_STOP;
	int rc = 0;

	if (k->o->json)
		rc = cqesim_walk_json_end(k->walk, &k->last, cut, error, stdout);
	else if (!error)
		rc = cqesim_walk_text_end(k->walk, &k->last, cut, stdout);
	return rc ? cqesim_fail(err, rc, "out of memory") : 0;
}

/* ---- options ---- */

static int parse_word(const char *option, const char *text, const char *const *list, int *value)
{
	char words[160] = "";

	for (*value = 0; list[*value]; ++*value) {
		if (!strcmp(text, list[*value]))
			return 0;
		strcat(words, *value ? ", " : "");
		strcat(words, list[*value]);
	}
	return usage_error(COMMAND, "--%s %s: expected one of %s", option, text, words);
}

static int parse_number(const char *option, const char *text, uint64_t low, uint64_t high,
			uint64_t *value)
{
	if (parse_count(text, low, high, high == UINT64_MAX, value))
		return 0;
	return usage_error(COMMAND, "--%s %s: expected a whole number, %llu to %llu", option, text,
			   (unsigned long long)low, (unsigned long long)high);
}

/* What says how a ring looks. */
static int parse_shape(struct walk_options *o, int c, const char *arg)
{
	static const char *const layouts[] = {"basic", "enhanced", NULL};
	static const char *const sizes[] = {"64", "128", NULL};
	const char *formats[CQESIM_MINI_ALL_FORMATS + 1] = {NULL};
	uint64_t number = 0;
	int word = 0, code;

	for (int i = 0; i < CQESIM_MINI_ALL_FORMATS; i++)
		formats[i] = cqesim_mini_format_name((enum cqesim_mini_format)i);
	switch (c) {
	case OPT_LOG_CQE_N:
		code = parse_number("log-cqe-n", arg, 0, CQESIM_CQ_LOG_MAX, &number);
		o->log_size = (int)number;
		return code;
	case OPT_MINI_FORMAT:
		return parse_word("mini-format", arg, formats, &o->format);
	case OPT_LAYOUT:
		code = parse_word("layout", arg, layouts, &word);
		o->shape.layout = (enum cqesim_cq_layout)word;
		break;
	case OPT_CQE_SIZE:
		code = parse_word("cqe-size", arg, sizes, &word);
		o->shape.cqe_128 = word == 1;
		break;
	case OPT_LOG_STRIDE:
		code = parse_number("log-stride", arg, 0, 16, &number);
		o->shape.log_stride = (unsigned)number;
		break;
	case OPT_ANY_LENGTH:
		o->shape.any_length = true;
		code = 0;
		break;
	default: /* OPT_CQ_CI */
		code = parse_number("cq-ci", arg, 0, UINT32_MAX, &number);
		o->ci = (uint32_t)number;
	}
	o->shaped = true;
	return code;
}

static int parse_option(struct walk_options *o, int c, const char *arg)
{
	static const char *const comp[] = {"off", "balanced", "aggressive", NULL};
	uint64_t number = 0;
	int word = 0, code;

	switch (c) {
	case OPT_RING:
		o->image = arg;
		return 0;
	case OPT_SYNTHETIC:
		o->synthetic = arg;
		return 0;
	case OPT_DEVICE:
		o->device = arg;
		return 0;
	case OPT_DRIVER:
		return parse_driver(COMMAND, arg, &o->driver);
	case OPT_PACKETS:
		return parse_number("packets", arg, 1, UINT64_MAX, &o->packets);
	case OPT_CQ:
		code = parse_number("cq", arg, 1, 0xffffff, &number);
		o->cq = (uint32_t)number;
		return code;
	case OPT_STEPS:
		return parse_number("steps", arg, 1, UINT64_MAX, &o->steps);
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_COLOR:
		o->colour = isatty(STDOUT_FILENO);
		return 0;
	case OPT_CQE_COMP:
		code = parse_word("cqe-comp", arg, comp, &word);
		o->comp = CQESIM_COMP_CHOOSE_OFF + word;
		return code;
	default:
		return parse_shape(o, c, arg);
	}
}

/* Options that say nothing about what is to be walked. */
static int check(const struct walk_options *o, bool packets, bool card)
{
	if ((o->image != NULL) + (o->synthetic != NULL) + (o->input != NULL) != 1)
		return usage_error(COMMAND, "expected one of a description, a capture, --ring and "
					    "--synthetic");
	if (o->shaped && !o->image)
		return usage_error(COMMAND, "--layout, --cqe-size, --log-stride, --any-length and "
					    "--cq-ci are for --ring");
	if ((o->log_size >= 0 || o->format >= 0) && !o->image && !packets)
		return usage_error(COMMAND, "--log-cqe-n and --mini-format: the description says "
					    "that");
	if (o->cq && !card)
		return usage_error(COMMAND, "--cq is for the trace of an emulated card");
	if ((o->device || o->comp) && !packets)
		return usage_error(COMMAND, "--device and --cqe-comp are for packets");
	return 0;
}

/* Is the file a capture (pcap, pcapng, or compressed, which no description is)? */
static bool is_capture(const char *file)
{
	static const uint8_t magic[][4] = {
		{0xd4, 0xc3, 0xb2, 0xa1}, {0xa1, 0xb2, 0xc3, 0xd4}, {0x4d, 0x3c, 0xb2, 0xa1},
		{0xa1, 0xb2, 0x3c, 0x4d}, {0x0a, 0x0d, 0x0d, 0x0a}, {0x28, 0xb5, 0x2f, 0xfd},
		{0x1f, 0x8b, 0x08, 0x00}, {0x1f, 0x8b, 0x08, 0x08},
	};
	uint8_t bytes[4] = {0};
	struct stat st;
	bool known = false;

	/* What cannot be read twice is not looked into. */
	if (!strcmp(file, "-") || stat(file, &st) || !S_ISREG(st.st_mode))
		return false;
	FILE *f = fopen(file, "rb");
	if (!f)
		return false;
	if (fread(bytes, 1, sizeof(bytes), f) == sizeof(bytes))
		for (size_t i = 0; i < sizeof(magic) / sizeof(magic[0]); i++)
			known |= !memcmp(bytes, magic[i], sizeof(bytes));
	fclose(f);
	return known;
}

int cmd_walk(int argc, char **argv)
{
	struct walk_options o = {.driver = -1, .log_size = -1, .format = -1};
	struct walking k = {.o = &o};
	int c, code = 0;

	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(help_text, stdout);
			return close_stdout();
		}
		if (c == '?' || c == ':')
			return bad_option(COMMAND, argv, c);
		code = parse_option(&o, c, optarg);
		if (code)
			return code;
	}
	if (argc - optind > 1)
		return usage_error(COMMAND, "expected one input, and %s is a second",
				   argv[optind + 1]);
	if (optind < argc)
		o.input = argv[optind];
	bool packets = o.synthetic || (o.input && is_capture(o.input));
	bool card = o.input && !packets && walk_is_card_trace(o.input);
	code = check(&o, packets, card);
	if (!code)
		code = card      ? walk_card(&k)
		       : packets ? walk_trace(&k)
		       : o.image ? walk_image(&k)
				 : walk_description(&k);
	cqesim_walk_destroy(k.walk);
	return code;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim decode: completions in logs, dumps and rings, in words. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

#define COMMAND "decode"

static const char help_text[] =
	"usage: cqesim decode [OPTIONS] [FILE]\n"
	"       cqesim decode --ring [--log-cqe-n N] [OPTIONS] [FILE]\n"
	"       cqesim decode --feed [OPTIONS] [FILE]\n"
	"       cqesim decode --vendor CODE\n"
	"\n"
	"Finds mlx5 completions in a text with anything around them (dmesg, journals, output\n"
	"of rdma-core, DPDK, UCX, NCCL, perftest, SPDK; hex in any of the usual notations)\n"
	"and says what each means, which was first, and what to look at next. Reads standard\n"
	"input without FILE or for -. A file of 64-byte entries is taken as it is.\n"
	"\n"
	"  --annotate         bytes with the fields under them, instead of the table of fields\n"
	"  --all              all fields of all completions, repetitions too\n"
	"  --json             for programs; see doc/json.md\n"
	"  --vendor CODE      what is publicly known of a vendor syndrome (0x51 or 81; all)\n"
	"\n"
	"A completion ring, read as a driver reads it:\n"
	"  --ring             FILE is the ring's memory\n"
	"  --feed             FILE is a feed (CQFEED01): writes to a ring, in batches\n"
	"  --log-cqe-n N      log2 of the number of entries (from the size)\n"
	"  --cq-ci I          consumer index at which reading starts (0)\n"
	"  --layout L         basic or enhanced (basic)\n"
	"  --mini-format F    hash, csum, ftag_stridx, csum_stridx, l34h_stridx, req, req_iter\n"
	"                     (hash)\n"
	"  --cqe-size N       64 or 128 (64)\n"
	"  --log-stride N     striding receive queue: log2 of a stride's bytes\n"
	"  --any-length       lengths above 65535 are none of a damaged ring (RDMA)\n"
	"\n"
	"Exit status: 0 good, 1 nothing of mlx5 was found, or bad input, 2 bad usage.\n";

enum {
	OPT_ANNOTATE = 256,
	OPT_ALL,
	OPT_JSON,
	OPT_VENDOR,
	OPT_RING,
	OPT_FEED,
	OPT_LOG,
	OPT_CI,
	OPT_LAYOUT,
	OPT_FORMAT,
	OPT_SIZE,
	OPT_STRIDE,
	OPT_LENGTH,
	OPT_HELP,
};

static const struct option long_options[] = {
	{"annotate", no_argument, NULL, OPT_ANNOTATE},
	{"all", no_argument, NULL, OPT_ALL},
	{"json", no_argument, NULL, OPT_JSON},
	{"vendor", required_argument, NULL, OPT_VENDOR},
	{"ring", no_argument, NULL, OPT_RING},
	{"feed", no_argument, NULL, OPT_FEED},
	{"log-cqe-n", required_argument, NULL, OPT_LOG},
	{"cq-ci", required_argument, NULL, OPT_CI},
	{"layout", required_argument, NULL, OPT_LAYOUT},
	{"mini-format", required_argument, NULL, OPT_FORMAT},
	{"cqe-size", required_argument, NULL, OPT_SIZE},
	{"log-stride", required_argument, NULL, OPT_STRIDE},
	{"any-length", no_argument, NULL, OPT_LENGTH},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};

/* ---- input ---- */

static int too_large(const char *source)
{
	complain("%s: larger than %llu MiB; cut out the part around the error", source,
		 (unsigned long long)(CQESIM_DUMP_MAX_BYTES >> 20));
	return EXIT_INPUT;
}

static int read_all(FILE *f, const char *source, uint8_t **bytes, uint64_t *size)
{
	size_t room = 0, n = 0, got;
	uint8_t *p = NULL;

	do {
		if (n == room) {
			uint8_t *more = realloc(p, room = room ? 2 * room : 65536);

			if (!more) {
				free(p);
				complain("%s: out of memory", source);
				return EXIT_INPUT;
			}
			p = more;
		}
		got = fread(p + n, 1, room - n, f);
		n += got;
	} while (got && n <= CQESIM_DUMP_MAX_BYTES);
	if (ferror(f)) {
		complain("%s: cannot read: %s", source, strerror(errno));
		free(p);
		return EXIT_INPUT;
	}
	if (n > CQESIM_DUMP_MAX_BYTES) {
		free(p);
		return too_large(source);
	}
	*bytes = p;
	*size = n;
	return EXIT_GOOD;
}

static int read_input(const char *path, uint8_t **bytes, uint64_t *size)
{
	FILE *f = stdin;
	int code;

	if (!path || !strcmp(path, "-"))
		return read_all(stdin, "standard input", bytes, size);
	f = fopen(path, "rb");
	if (!f) {
		complain("%s: cannot open: %s", path, strerror(errno));
		return EXIT_INPUT;
	}
	code = read_all(f, path, bytes, size);
	fclose(f);
	return code;
}

/* ---- text ---- */

/* Anything of mlx5, or nothing but things that look alike? */
static bool found_something(const struct cqesim_dump *dump)
{
	for (uint32_t i = 0; i < dump->count; i++)
		if (dump->items[i].kind != CQESIM_DUMP_FOREIGN)
			return true;
	return false;
}

static void unread(const struct cqesim_dump *dump, const char *source)
{
	if (dump->binary)
		complain(
			"%s: more than %u completions; the last %llu of %llu bytes were not looked "
			"at",
			source, CQESIM_DUMP_MAX_ITEMS, (unsigned long long)dump->unread,
			(unsigned long long)dump->bytes);
	else
		complain("%s: more than %u completions, statements and counters; the last %llu of "
			 "%llu lines were not looked at, split the input",
			 source, CQESIM_DUMP_MAX_ITEMS, (unsigned long long)dump->unread,
			 (unsigned long long)dump->lines);
}

static int decode_log(const uint8_t *bytes, uint64_t size, const struct decode_options *o)
{
	struct cqesim_error err = {""};
	struct cqesim_dump dump;
	int code = EXIT_GOOD;

	if (cqesim_dump_find(&dump, bytes, size, &err)) {
		complain("%s: %s", o->source, err.text);
		return EXIT_INPUT;
	}
	if (dump.count || o->json) {
		if (o->json)
			decode_json(&dump, o);
		else
			decode_text(&dump, o);
	}
	const char *sep = "";
	char mentions[160] = "";
	if (dump.mentions) {
		sep = "; ";
		decode_mentions(&dump, mentions, sizeof(mentions));
	}
	if (!dump.count) {
		complain("%s: no completion, and no line or counter that tells of one, in %llu "
			 "lines%s%s",
			 o->source, (unsigned long long)dump.lines, sep, mentions);
		code = EXIT_INPUT;
	} else if (!found_something(&dump)) {
		complain("%s: nothing in it is an mlx5 completion%s%s", o->source, sep, mentions);
		code = EXIT_INPUT;
	}
	if (dump.unread) {
		unread(&dump, o->source);
		code = EXIT_INPUT;
	}
	cqesim_dump_free(&dump);
	int written = close_stdout();
	return written ? written : code;
}

/* ---- vendor syndromes ---- */

static void vendor_row(uint8_t code, uint8_t syndrome, int hw)
{
	struct cqesim_dump_facts f = {.known = CQESIM_FACT_VENDOR, .vendor_err_synd = code};
	char text[CQESIM_DUMP_TEXT];

	if (hw >= 0) {
		f.known |= CQESIM_FACT_HW | CQESIM_FACT_SYNDROME;
		f.hw_err_synd = (uint8_t)hw;
		f.syndrome = syndrome;
	}
	cqesim_dump_vendor_text(&f, text, sizeof(text));
	decode_wrap(text, 4, 0);
}

static int vendor(const char *text)
{
	bool all = !strcmp(text, "all"), known = false;
	char *end;

	errno = 0;
	unsigned long code = strtoul(text, &end, 0);
	if (!all && (errno || *end || *text < '0' || *text > '9' || code > 0xff))
		return usage_error(COMMAND,
				   "--vendor %s: expected 0 to 255, 0x for hexadecimal, or all",
				   text);
	for (unsigned i = 0; i < cqesim_dump_vendor_count; i++) {
		const struct cqesim_dump_vendor *v = &cqesim_dump_vendors[i];

		if (!all && v->vendor_err_synd != code)
			continue;
		known = true;
		vendor_row(v->vendor_err_synd, v->syndrome, v->hw_err_synd);
	}
	if (!known)
		vendor_row((uint8_t)code, 0, -1);
	return close_stdout();
}

/* ---- options ---- */

static int ring_option(int c, struct decode_options *o)
{
	uint64_t v;
	int format;

	switch (c) {
	case OPT_LOG:
		if (!parse_count(optarg, 0, CQESIM_CQ_LOG_MAX, false, &v))
			return usage_error(COMMAND, "--log-cqe-n %s: expected 0 to %u", optarg,
					   CQESIM_CQ_LOG_MAX);
		o->shape.log_size = (unsigned)v;
		o->has_size = true;
		return 0;
	case OPT_CI:
		if (!parse_count(optarg, 0, UINT32_MAX, false, &v))
			return usage_error(COMMAND, "--cq-ci %s: expected 0 to %u", optarg,
					   UINT32_MAX);
		o->ci = (uint32_t)v;
		return 0;
	case OPT_LAYOUT:
		if (strcmp(optarg, "basic") && strcmp(optarg, "enhanced"))
			return usage_error(COMMAND, "--layout %s: expected basic or enhanced",
					   optarg);
		o->shape.layout = *optarg == 'e' ? CQESIM_CQ_ENHANCED : CQESIM_CQ_BASIC;
		return 0;
	case OPT_FORMAT:
		format = cqesim_mini_format_parse(optarg);
		if (format < 0)
			return usage_error(
				COMMAND,
				"--mini-format %s: expected hash, csum, ftag_stridx, csum_stridx, "
				"l34h_stridx, req or req_iter",
				optarg);
		o->shape.format = (enum cqesim_mini_format)format;
		return 0;
	case OPT_SIZE:
		if (strcmp(optarg, "64") && strcmp(optarg, "128"))
			return usage_error(COMMAND, "--cqe-size %s: expected 64 or 128", optarg);
		o->shape.cqe_128 = *optarg == '1';
		return 0;
	default: /* OPT_STRIDE */
		if (!parse_count(optarg, 1, 16, false, &v))
			return usage_error(COMMAND, "--log-stride %s: expected 1 to 16", optarg);
		o->shape.log_stride = (unsigned)v;
		return 0;
	}
}

int cmd_decode(int argc, char **argv)
{
	struct decode_options o = {0};
	const char *about_ring = NULL, *code_wanted = NULL, *path;
	uint8_t *bytes = NULL;
	uint64_t size = 0;
	int c, code;

	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		switch (c) {
		case 'h':
		case OPT_HELP:
			fputs(help_text, stdout);
			return close_stdout();
		case OPT_ANNOTATE:
			o.annotate = true;
			break;
		case OPT_ALL:
			o.all = true;
			break;
		case OPT_JSON:
			o.json = true;
			break;
		case OPT_VENDOR:
			code_wanted = optarg;
			break;
		case OPT_RING:
			o.ring = true;
			break;
		case OPT_FEED:
			o.feed = true;
			break;
		case OPT_LENGTH:
			o.shape.any_length = true;
			about_ring = "--any-length";
			break;
		case OPT_LOG:
		case OPT_CI:
		case OPT_LAYOUT:
		case OPT_FORMAT:
		case OPT_SIZE:
		case OPT_STRIDE:
			about_ring = argv[optind - 1];
			code = ring_option(c, &o);
			if (code)
				return code;
			break;
		default:
			return bad_option(COMMAND, argv, c);
		}
	}
	if (code_wanted && (optind < argc || o.ring || o.feed || o.json || about_ring))
		return usage_error(COMMAND, "--vendor CODE goes alone, without a file");
	if (code_wanted)
		return vendor(code_wanted);
	if (argc - optind > 1)
		return usage_error(COMMAND, "expected one file; cat joins several");
	if (o.ring && o.feed)
		return usage_error(COMMAND, "--ring and --feed exclude each other");
	if (about_ring && !o.ring && !o.feed)
		return usage_error(COMMAND, "options about a ring need --ring or --feed");
	path = optind < argc ? argv[optind] : NULL;
	o.source = path && strcmp(path, "-") ? path : "standard input";
	code = read_input(path, &bytes, &size);
	if (code)
		return code;
	if (!o.ring && size >= 8 && !memcmp(bytes, "CQFEED01", 8))
		o.feed = true;
	code = o.ring || o.feed ? decode_ring(bytes, size, &o) : decode_log(bytes, size, &o);
	free(bytes);
	return code;
}

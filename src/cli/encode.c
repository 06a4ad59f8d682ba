/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim encode: completions and rings from a description. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "common/outfile.h"
#include "cqesim/describe.h"
#include "sim/feed_format.h"

#define COMMAND "encode"

static const char help_text[] =
	"usage: cqesim encode [OPTIONS] [DESCRIPTION]\n"
	"\n"
	"Makes completions and completion rings from a description in YAML or JSON (a\n"
	"file; without one, or with -, standard input). doc/descriptions.md tells what\n"
	"stands in one; cqesim formats lists the fields.\n"
	"\n"
	"Without one of these options the bytes are written as they lie in memory: the\n"
	"whole ring, or the completions one after the other.\n"
	"  --hex                    a line of 128 hex digits for each slot that was written\n"
	"                           (256 with cqe_size: 128)\n"
	"  --dump libmlx5|kernel|hexdump\n"
	"                           the same slots as rdma-core, Linux or DPDK print them\n"
	"  --feed                   the writes in order, as pmd_referee reads them\n"
	"\n"
	"  --all                    --hex, --dump: all slots of the ring\n"
	"  --driver dpdk-scalar|dpdk-vec|linux\n"
	"                           who reads at \"batch\" (the description says, or dpdk-scalar)\n"
	"  --output FILE, -o FILE   instead of standard output\n"
	"  --quiet                  do not tell how to go on\n"
	"\n"
	"Exit status: 0 good, 1 bad description or output, 2 bad usage.\n";

enum { OPT_HEX = 256, OPT_DUMP, OPT_FEED, OPT_ALL, OPT_DRIVER, OPT_QUIET };

static const struct option long_options[] = {
	{"hex", no_argument, NULL, OPT_HEX},
	{"dump", required_argument, NULL, OPT_DUMP},
	{"feed", no_argument, NULL, OPT_FEED},
	{"all", no_argument, NULL, OPT_ALL},
	{"driver", required_argument, NULL, OPT_DRIVER},
	{"output", required_argument, NULL, 'o'},
	{"quiet", no_argument, NULL, OPT_QUIET},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

enum form { IMAGE, HEX, LIBMLX5, KERNEL, HEXDUMP, FEED };

struct options {
	enum form form;
	int driver; /* -1: the description's */
	bool all, quiet;
	const char *input, *output;
};

/* What is written, and where to. */
struct job {
	const struct cqesim_description *d;
	const struct options *o;
	uint8_t *ring;
	uint32_t *index; /* of what was last written to each slot */
	bool *written;
	FILE *to;
};

/* ---- the forms ---- */

static size_t slot_bytes(const struct job *j)
{
	return j->d->shape.cqe_128 ? 128 : 64;
}

static void print_hex(const struct job *j, const uint8_t *slot)
{
	for (size_t i = 0; i < slot_bytes(j); i++)
		fprintf(j->to, "%02x", slot[i]);
	fputc('\n', j->to);
}

static bool is_error(const uint8_t *cqe)
{
	unsigned opcode = cqe[CQESIM_OP_OWN_BYTE] >> 4;

	return opcode == CQESIM_OP_REQ_ERR || opcode == CQESIM_OP_RESP_ERR;
}

/* Rows of four words, most significant byte first (rdma-core, dump_cqe in cq.c). */
static void print_libmlx5(const struct job *j, const uint8_t *cqe)
{
	if (is_error(cqe))
		fputs("mlx5: localhost: got completion with error:\n", j->to);
	for (unsigned i = 0; i < 64; i += 16)
		fprintf(j->to, "%08x %08x %08x %08x\n", (unsigned)cqesim_be_load(cqe + i, 4),
			(unsigned)cqesim_be_load(cqe + i + 4, 4),
			(unsigned)cqesim_be_load(cqe + i + 8, 4),
			(unsigned)cqesim_be_load(cqe + i + 12, 4));
}

/* print_hex_dump rows, below the line that mlx5e writes for a failed completion. */
static void print_kernel(const struct job *j, const uint8_t *cqe, uint32_t index)
{
	struct cqesim_cqe_err e;

	cqesim_cqe_err_decode(cqe, &e);
	if (is_error(cqe))
		fprintf(j->to,
			"Error cqe on cqn 0x0, ci 0x%x, qn 0x%x, opcode 0x%x, syndrome 0x%x, "
			"vendor "
			"syndrome 0x%x\n",
			index & ((1u << j->d->shape.log_size) - 1), e.qpn, e.opcode, e.syndrome,
			e.vendor_err_synd);
	for (unsigned i = 0; i < 64; i += 16) {
		fprintf(j->to, "%08x:", i);
		for (unsigned k = 0; k < 16; k++)
			fprintf(j->to, " %02x", cqe[i + k]);
		fputc('\n', j->to);
	}
}

/* rte_hexdump (DPDK lib/eal/common/eal_common_hexdump.c); the address is the place in the ring. */
static void print_hexdump(const struct job *j, const uint8_t *cqe, const uint8_t *slot)
{
	fprintf(j->to, "%s: at [0x%zx], len=64\n", is_error(cqe) ? "MLX5 Error CQE" : "MLX5 CQE",
		(size_t)(slot - j->ring));
	for (unsigned i = 0; i < 64; i += 16) {
		fprintf(j->to, "%08X:", i);
		for (unsigned k = 0; k < 16; k++)
			fprintf(j->to, " %02X", cqe[i + k]);
		fputs(" | ", j->to);
		for (unsigned k = 0; k < 16; k++)
			fputc(cqe[i + k] >= ' ' && cqe[i + k] < 0x7f ? cqe[i + k] : '.', j->to);
		fputc('\n', j->to);
	}
}

/* The slots that were written, each as one dump. */
static void print_slots(const struct job *j)
{
	uint32_t slots = j->d->has_ring ? UINT32_C(1) << j->d->shape.log_size : j->d->cqes;

	for (uint32_t i = 0; i < slots; i++) {
		const uint8_t *slot = j->ring + i * slot_bytes(j);
		const uint8_t *cqe = slot + slot_bytes(j) - CQESIM_CQE_BYTES;

		if (!j->written[i] && !j->o->all)
			continue;
		if (j->o->form == HEX)
			print_hex(j, slot);
		else if (j->o->form == LIBMLX5)
			print_libmlx5(j, cqe);
		else if (j->o->form == KERNEL)
			print_kernel(j, cqe, j->index[i]);
		else
			print_hexdump(j, cqe, slot);
	}
}

/* ---- the writing ---- */

static int on_write(void *context, uint32_t index, const uint8_t *slot)
{
	const struct job *j = context;
	uint32_t i = index & ((UINT32_C(1) << j->d->shape.log_size) - 1);

	j->index[i] = index;
	j->written[i] = true;
	if (j->o->form == FEED)
		feed_slot(j->to, i, slot);
	return 0;
}

static int on_read(void *context, struct cqesim_cq_reader *reader, uint32_t max)
{
	const struct job *j = context;
	struct cqesim_completion c;
	int got = 1;

	if (j->o->form == FEED && max == UINT32_MAX)
		feed_word(j->to, FEED_BATCH);
	else if (j->o->form == FEED)
		feed_call(j->to, max);
	for (; max && got; max -= got > 0)
		got = cqesim_cq_poll(reader, &c, 1, NULL);
	return 0;
}

static int write_all(struct job *j, struct cqesim_cq_reader *reader, struct cqesim_error *err)
{
	struct cqesim_description_watch watch = {
		.context = j, .written = on_write, .read = on_read};
	enum cqesim_invalidate driver =
		j->o->driver < 0 ? j->d->driver : (enum cqesim_invalidate)j->o->driver;
	uint32_t slots = UINT32_C(1) << j->d->shape.log_size;

	j->ring = aligned_alloc(64, cqesim_cq_ring_bytes(&j->d->shape));
	j->index = calloc(slots, sizeof(*j->index));
	j->written = calloc(slots, sizeof(*j->written));
	if (!j->ring || !j->index || !j->written)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	if (j->o->form == FEED)
		feed_begin(j->to);
	int rc = cqesim_description_write(j->d, j->ring, driver, reader, &watch, err);
	if (!rc && j->o->form == IMAGE)
		fwrite(j->ring, 1, cqesim_description_bytes(j->d), j->to);
	else if (!rc && j->o->form != FEED)
		print_slots(j);
	return rc;
}

/* How to go on with a file that was written. */
static void tell(const struct job *j, const struct cqesim_cq_reader *reader)
{
	const struct cqesim_description *d = j->d;
	const struct cqesim_cq_shape *s = &d->shape;
	const char *file = j->o->output;

	if (j->o->quiet || !file || !strcmp(file, "-") || !d->has_ring)
		return;
	if (j->o->form == FEED)
		printf("pmd_referee --feed %s", file);
	else if (j->o->form == IMAGE)
		printf("cqesim walk --ring %s", file);
	else
		return;
	printf(" --log-cqe-n %u", s->log_size);
	if (s->format != CQESIM_MINI_HASH)
		printf(" --%s %s", j->o->form == FEED ? "mcqe-format" : "mini-format",
		       cqesim_mini_format_name(s->format));
	if (s->layout == CQESIM_CQ_ENHANCED)
		fputs(" --layout enhanced", stdout);
	if (s->cqe_128)
		fputs(" --cqe-size 128", stdout);
	if (s->log_stride)
		printf(j->o->form == FEED ? " --mode mprq --log-strd-sz %u" : " --log-stride %u",
		       s->log_stride);
	if (s->any_length && j->o->form == IMAGE)
		fputs(" --any-length", stdout);
	uint32_t ci = j->o->form == FEED ? d->start : reader->ci;
	if (ci)
		printf(" --cq-ci %u", ci);
	putchar('\n');
}

static int run(const struct options *o, const struct cqesim_description *d,
	       struct cqesim_error *err)
{
	struct job j = {.d = d, .o = o};
	struct cqesim_cq_reader reader = {.ci = 0};
	struct outfile out;
	int rc = outfile_open(&out, o->output ? o->output : "-", err);

	if (rc)
		return rc;
	j.to = out.stream;
	rc = write_all(&j, &reader, err);
	if (rc)
		outfile_close(&out, false, NULL);
	else
		rc = outfile_close(&out, true, err);
	if (!rc)
		tell(&j, &reader);
	free(j.ring);
	free(j.index);
	free(j.written);
	return rc;
}

/* ---- options ---- */

static int set_form(struct options *o, enum form form)
{
	if (o->form != IMAGE && o->form != form)
		return usage_error(COMMAND, "--hex, --dump and --feed exclude each other");
	o->form = form;
	return 0;
}

static int parse_dump(struct options *o, const char *word)
{
	if (!strcmp(word, "libmlx5"))
		return set_form(o, LIBMLX5);
	if (!strcmp(word, "kernel"))
		return set_form(o, KERNEL);
	if (!strcmp(word, "hexdump"))
		return set_form(o, HEXDUMP);
	return usage_error(COMMAND, "--dump %s: expected one of libmlx5, kernel, hexdump", word);
}

static int parse_option(struct options *o, int c, const char *arg)
{
	switch (c) {
	case OPT_HEX:
		return set_form(o, HEX);
	case OPT_FEED:
		return set_form(o, FEED);
	case OPT_DUMP:
		return parse_dump(o, arg);
	case OPT_ALL:
		o->all = true;
		return 0;
	case OPT_DRIVER:
		return parse_driver(COMMAND, arg, &o->driver);
	case OPT_QUIET:
		o->quiet = true;
		return 0;
	default: /* 'o' */
		if (!*arg)
			return usage_error(COMMAND, "--output: expected a file name");
		o->output = arg;
		return 0;
	}
}

/* 0, an exit code, or -1 when --help was all. */
static int parse(struct options *o, int argc, char **argv)
{
	int c;

	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":ho:", long_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(help_text, stdout);
			return -1;
		}
		if (c == '?' || c == ':')
			return bad_option(COMMAND, argv, c);
		int code = parse_option(o, c, optarg);
		if (code)
			return code;
	}
	if (argc - optind > 1)
		return usage_error(COMMAND, "expected one description, and %s is a second",
				   argv[optind + 1]);
	if (optind < argc)
		o->input = argv[optind];
	if (o->all && (o->form == IMAGE || o->form == FEED))
		return usage_error(COMMAND, "--all is for --hex and --dump");
	bool binary = o->form == IMAGE || o->form == FEED;
	if (binary && (!o->output || !strcmp(o->output, "-")) && isatty(STDOUT_FILENO))
		return usage_error(COMMAND, "bytes are not for a terminal: --output FILE, --hex or "
					    "--dump");
	return 0;
}

/* Would the output take the description's place? */
static bool overwrites(const struct options *o)
{
	struct stat in, out;

	return o->output && strcmp(o->input, "-") && !stat(o->output, &out) &&
	       S_ISREG(out.st_mode) && !stat(o->input, &in) && in.st_dev == out.st_dev &&
	       in.st_ino == out.st_ino;
}

int cmd_encode(int argc, char **argv)
{
	struct options o = {.driver = -1, .input = "-"};
	struct cqesim_description *d = NULL;
	struct cqesim_error err = {""};
	int code = parse(&o, argc, argv);

	if (code)
		return code < 0 ? close_stdout() : code;
	if (overwrites(&o))
		return usage_error(COMMAND, "--output %s: that is the description", o.output);
	int rc = cqesim_description_load(&d, o.input, &err);
	if (!rc && o.form == FEED && (!d->has_ring || d->shape.cqe_128))
		rc = cqesim_fail(&err, -EINVAL, "%s: a feed is of a ring with cqe_size: 64",
				 d->file);
	if (!rc)
		rc = run(&o, d, &err);
	cqesim_description_free(d);
	if (rc) {
		complain("%s", err.text);
		return EXIT_INPUT;
	}
	return close_stdout();
}

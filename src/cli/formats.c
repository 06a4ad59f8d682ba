/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqesim formats: the layout tables, for people, programs and doc/formats.md.
 * All that is printed comes from cqe_layout.h.
 */
#include <jansson.h>
#include <string.h>

#include "cli.h"
#include "cqesim/cqe.h"

#define COMMAND "formats"

static const char help_text[] =
	"usage: cqesim formats [--json | --markdown] [NAME]...\n"
	"\n"
	"Prints where each field of a completion lies, what it means and whose source says\n"
	"so. NAME is a view of the 64 bytes (rx, err, sig, req, bare; overlays: lro, shampo,\n"
	"tm, striding, array) or a mini-CQE (hash, csum, ftag_stridx, csum_stridx,\n"
	"l34h_stridx, req_mini, req_iter_mini); without one all are printed.\n"
	"\n"
	"  --json       machine-readable\n"
	"  --markdown   as doc/formats.md\n"
	"\n"
	"Exit status: 0 good, 1 output failed, 2 bad usage.\n";

static const struct option long_options[] = {
	{"json", no_argument, NULL, 'j'},
	{"markdown", no_argument, NULL, 'm'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

enum style { TEXT, MARKDOWN, JSON };

/* One row, whatever table it comes from; bits are counted from the low end of the bytes. */
struct row {
	const char *name;
	unsigned byte, bytes, shift, bits;
	const char *meaning, *source;
};

/* "44-47", "63". */
static const char *byte_span(const struct row *r, char text[16])
{
	snprintf(text, 16, r->bytes > 1 ? "%u-%u" : "%u", r->byte, r->byte + r->bytes - 1);
	return text;
}

/* "7:4", "0"; nothing if all bits of the bytes are the field's. */
static const char *bit_span(const struct row *r, char text[16])
{
	if (!r->shift && r->bits == 8 * r->bytes)
		return "";
	snprintf(text, 16, r->bits > 1 ? "%2$u:%1$u" : "%u", r->shift, r->shift + r->bits - 1);
	return text;
}

static void print_head(enum style style, const char *name, const char *title)
{
	if (style == MARKDOWN)
		printf("\n## %s: %s\n\n| byte | bits | field | meaning | source |\n"
		       "|---|---|---|---|---|\n",
		       name, title);
	else
		printf("%s: %s\n  %-6s %-6s %-20s %s\n", name, title, "byte", "bits", "field",
		       "meaning (source)");
}

static void print_row(enum style style, const struct row *r, bool part)
{
	char bytes[16], bits[16];

	if (style == MARKDOWN)
		printf("| %s | %s | %s`%s` | %s | %s |\n", byte_span(r, bytes), bit_span(r, bits),
		       part ? "&nbsp;&nbsp;" : "", r->name, r->meaning, r->source);
	else
		printf("  %-6s %-6s %s%-*s %s (%s)\n", byte_span(r, bytes), bit_span(r, bits),
		       part ? "  " : "", part ? 18 : 20, r->name, r->meaning, r->source);
}

static json_t *json_row(const struct row *r)
{
	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:s, s:s}", "name", r->name, "byte",
			 (int)r->byte, "bytes", (int)r->bytes, "shift", (int)r->shift, "bits",
			 (int)r->bits, "meaning", r->meaning, "source", r->source);
}

static void put_row(enum style style, const struct row *r, bool part, json_t *into)
{
	if (style == JSON)
		json_array_append_new(into, json_row(r));
	else
		print_row(style, r, part);
}

/* Names of values, where a field has them. */
static void put_values(enum style style, const struct row *r, json_t *into)
{
	json_t *values = json_object();
	bool first = true;

	for (unsigned v = 0; v < (r->bits < 8 ? 1u << r->bits : 256); v++) {
		const char *name = cqesim_value_name(r->name, v);
		char number[16];

		if (!name)
			continue;
		snprintf(number, sizeof(number), r->bits < 8 ? "%u" : "0x%02x", v);
		if (style == JSON)
			json_object_set_new(values, number, json_string(name));
		else
			printf("%s%s %s", first ? "" : ", ", number, name);
		first = false;
	}
	if (style == JSON && json_object_size(values))
		json_object_set(into, r->name, values);
	json_decref(values);
}

static bool has_values(const struct row *r)
{
	for (unsigned v = 0; v < 256 && (r->bits >= 8 || v >> r->bits == 0); v++)
		if (cqesim_value_name(r->name, v))
			return true;
	return false;
}

static void put_view(enum style style, const struct cqesim_layout *l, json_t *all)
{
	json_t *fields = json_array(), *parts = json_array(), *values = json_object();

	if (style != JSON)
		print_head(style, l->name, l->title);
	for (unsigned i = 0; i < l->count; i++) {
		const struct cqesim_field *f = &l->fields[i];
		struct row r = {f->name, f->byte,    f->bytes, f->shift,
				f->bits, f->meaning, f->source};

		put_row(style, &r, false, fields);
		for (unsigned p = 0; p < l->part_count; p++)
			if (!strcmp(l->parts[p].field, f->name)) {
				const struct cqesim_part *part = &l->parts[p];
				struct row sub = {part->name,  f->byte,    f->bytes,
						  part->shift, part->bits, part->meaning,
						  part->source};

				put_row(style, &sub, true, parts);
			}
	}
	/* Values: of fields, then of parts. */
	for (unsigned i = 0; i < l->count + l->part_count; i++) {
		struct row r = {0};

		if (i < l->count) {
			r.name = l->fields[i].name;
			r.bits = l->fields[i].bits;
		} else {
			r.name = l->parts[i - l->count].name;
			r.bits = l->parts[i - l->count].bits;
		}
		if (!has_values(&r))
			continue;
		if (style != JSON)
			printf(style == MARKDOWN ? "\n`%s`: " : "  %s: ", r.name);
		put_values(style, &r, values);
		if (style != JSON)
			putchar('\n');
	}
	if (style == JSON)
		json_array_append_new(all,
				      json_pack("{s:s, s:s, s:i, s:O, s:O, s:O}", "name", l->name,
						"title", l->title, "bytes", 64, "fields", fields,
						"parts", parts, "values", values));
	else if (style == TEXT)
		putchar('\n');
	json_decref(fields);
	json_decref(parts);
	json_decref(values);
}

/* The requester's minis share their names with a view, so they are called req_mini here. */
static const char *mini_name(enum cqesim_mini_format format, char text[32])
{
	snprintf(text, 32, "%s%s", cqesim_mini_format_name(format),
		 format >= CQESIM_MINI_FORMATS ? "_mini" : "");
	return text;
}

static void put_mini(enum style style, enum cqesim_mini_format format, json_t *all)
{
	unsigned count;
	const struct cqesim_mini_field *f = cqesim_mini_fields(format, &count);
	json_t *fields = json_array();
	char name[32];

	mini_name(format, name);
	if (style != JSON)
		print_head(style, name, "mini-CQE, 8 bytes");
	for (unsigned i = 0; i < count; i++) {
		struct row r = {f[i].name, f[i].byte,    f[i].bytes, f[i].shift,
				f[i].bits, f[i].meaning, f[i].source};

		put_row(style, &r, false, fields);
	}
	if (style == JSON)
		json_array_append_new(all, json_pack("{s:s, s:s, s:i, s:O}", "name", name, "title",
						     "mini-CQE", "bytes", 8, "fields", fields));
	else if (style == TEXT)
		putchar('\n');
	json_decref(fields);
}

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = optind; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return optind == argc;
}

static bool is_name(const char *name)
{
	char text[32];

	if (cqesim_cqe_view_named(name))
		return true;
	for (int f = 0; f < CQESIM_MINI_ALL_FORMATS; f++)
		if (!strcmp(name, mini_name((enum cqesim_mini_format)f, text)))
			return true;
	return false;
}

static const char markdown_intro[] =
	"# Completion formats\n"
	"\n"
	"Made by `cqesim formats --markdown` from the tables of `include/cqesim/cqe_layout.h`,\n"
	"which also make the encoder and the decoder; a test sees to it that this page is "
	"current.\n"
	"\n"
	"Fields of more than one byte are big-endian; bits are counted from the low end of the\n"
	"bytes in the first column. Bytes that are not listed are reserved. A 128-byte CQE has "
	"these\n"
	"64 bytes in its second half. What a ring of them looks like, in the basic and in the\n"
	"enhanced layout, stands at the head of `include/cqesim/cq.h` and in the guide.\n"
	"\n"
	"Sources: PRM-H is `mlx5_prm.h` of DPDK, DV is `mlx5dv.h` and RDMA `providers/mlx5` of\n"
	"rdma-core, KRN is `include/linux/mlx5/device.h` of Linux, PMD is `drivers/net/mlx5` of\n"
	"DPDK, REF is what the running driver does.\n";

int cmd_formats(int argc, char **argv)
{
	enum style style = TEXT;
	json_t *views = json_array(), *minis = json_array();
	char name[32];
	int c;

	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c == 'h')
			fputs(help_text, stdout);
		else if (c != 'j' && c != 'm')
			bad_option(COMMAND, argv, c);
		if (c != 'j' && c != 'm') {
			json_decref(views);
			json_decref(minis);
			return c == 'h' ? close_stdout() : EXIT_USAGE;
		}
		style = c == 'j' ? JSON : MARKDOWN;
	}
	for (int i = optind; i < argc; i++)
		if (!is_name(argv[i])) {
			json_decref(views);
			json_decref(minis);
			return usage_error(COMMAND, "no view or mini-CQE '%s'", argv[i]);
		}
	if (style == MARKDOWN && optind == argc)
		fputs(markdown_intro, stdout);
	for (unsigned i = 0; i < cqesim_cqe_view_count; i++)
		if (wanted(cqesim_cqe_views[i].name, argc, argv))
			put_view(style, &cqesim_cqe_views[i], views);
	for (int f = 0; f < CQESIM_MINI_ALL_FORMATS; f++)
		if (wanted(mini_name((enum cqesim_mini_format)f, name), argc, argv))
			put_mini(style, (enum cqesim_mini_format)f, minis);
	if (style == JSON) {
		json_t *root = json_pack("{s:O, s:O}", "views", views, "minis", minis);

		json_dumpf(root, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(root);
	}
	json_decref(views);
	json_decref(minis);
	return close_stdout();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim link --peer: figures as text, JSON and CSV. */
#include <jansson.h>
#include <stdio.h>

#include "link_peer_run.h"

/* A figure and the corrections behind it. */
struct row {
	const struct cqesim_peer_fix_info *fix; /* NULL: all together, or what was asked for */
	enum cqesim_peer_model model;
	uint32_t size;
	struct cqesim_peer_result result;
};

static struct row run(const struct peer_question *q, unsigned fixes,
		      const struct cqesim_peer_fix_info *fix, enum cqesim_peer_model model,
		      uint32_t size)
{
	struct row row = {.fix = fix, .model = model, .size = size};
	struct cqesim_peer_config c = q->config;

	c.fixes = fixes;
	cqesim_peer_run(&c, model, q->direction, peer_bytes(model, size), &row.result);
	return row;
}

/* How far the peer's rate is off, in percent of the right one. */
static double error_percent(const struct row *peer, const struct row *right)
{
	return (peer->result.transactions / right->result.transactions - 1) * 100;
}

static bool differs(const struct row *a, const struct row *b)
{
	const struct cqesim_peer_result *x = &a->result, *y = &b->result;

	return x->transactions != y->transactions || x->up_bytes != y->up_bytes ||
	       x->down_bytes != y->down_bytes || x->usable_gbps != y->usable_gbps;
}

/* Columns of a table, which are no matter of one model. */
static bool of_table(unsigned fix)
{
	return fix & (CQESIM_PEER_FIX_ETHERNET | CQESIM_PEER_FIX_COLUMN);
}

static const char *direction_of(const struct peer_question *q, enum cqesim_peer_model model)
{
	return cqesim_peer_is_card(model) ? cqesim_peer_direction_name(q->direction) : "";
}

/* ---- text ---- */

static void print_link(const struct cqesim_peer_config *c)
{
	printf("pcie-model on Gen%u x%u, MPS %u, MRRS %u, RCB %u%s, %u-bit addresses%s\n",
	       c->generation, c->lanes, c->mps, c->mrrs, c->rcb,
	       c->rcb_chunks ? " (completions of that)" : "", c->addr_bits,
	       c->ecrc ? ", ECRC" : "");
	printf("raw %.3f Gb/s, for TLPs %.3f Gb/s; corrected:", cqesim_peer_raw(c),
	       cqesim_peer_usable(c));
	for (unsigned i = 0; i < CQESIM_PEER_FIXES; i++)
		if (c->fixes & cqesim_peer_fixes[i].fix)
			printf(" %s", cqesim_peer_fixes[i].name);
	printf("%s\n\n", c->fixes ? "" : " nothing");
}

static void print_rows(const struct peer_question *q)
{
	print_link(&q->config);
	printf("%-15s %6s %10s %10s %10s %10s  %s\n", "", "size", "up B", "down B", "Gb/s", "M/s",
	       "limit");
	for (unsigned m = 0; m < q->model_count; m++)
		for (unsigned s = 0; s < q->size_count; s++) {
			struct row row = run(q, q->config.fixes, NULL, q->models[m], q->sizes[s]);
			char name[32];

			snprintf(name, sizeof(name), "%s %s", cqesim_peer_model_name(row.model),
				 direction_of(q, row.model));
			printf("%-15s %6u %10.3f %10.3f %10.3f %10.3f  %s\n", name, row.size,
			       row.result.up_bytes, row.result.down_bytes, row.result.payload_gbps,
			       row.result.transactions / 1e6,
			       cqesim_peer_bound_name(row.result.bound));
		}
}

static void print_compared(const struct row *peer, const struct row *row, const char *name)
{
	char line[8] = "";

	if (row->fix)
		snprintf(line, sizeof(line), "%u", row->fix->line);
	printf("%4s  %-12s %9.3f %9.3f %9.3f %9.3f %9.3f  ", line, name, row->result.usable_gbps,
	       row->result.up_bytes, row->result.down_bytes, row->result.payload_gbps,
	       row->result.transactions / 1e6);
	if (row == peer)
		puts(cqesim_peer_bound_name(row->result.bound));
	else
		printf("%-7s %+7.2f %%\n", cqesim_peer_bound_name(row->result.bound),
		       error_percent(peer, row));
}

static void compare_text(const struct peer_question *q, enum cqesim_peer_model model, uint32_t size)
{
	struct row peer = run(q, 0, NULL, model, size);
	struct row all = run(q, q->config.fixes, NULL, model, size);
	struct peer_question plain = *q;
	bool none = false;

	plain.config.fixes = 0;
	print_link(&plain.config);
	printf("%s%s%s, %u bytes%s\n\n", cqesim_peer_model_name(model),
	       cqesim_peer_is_card(model) ? " " : "", direction_of(q, model), size,
	       cqesim_peer_is_card(model) ? " with FCS" : "");
	printf("%4s  %-12s %9s %9s %9s %9s %9s  %-7s %s\n", "line", "corrected", "for TLPs", "up B",
	       "down B", "Gb/s", "M/s", "limit", "peer off");
	print_compared(&peer, &peer, "nothing");
	for (unsigned i = 0; i < CQESIM_PEER_FIXES; i++) {
		const struct cqesim_peer_fix_info *fix = &cqesim_peer_fixes[i];
		struct row row = run(q, fix->fix, fix, model, size);

		if (q->config.fixes & fix->fix && differs(&peer, &row))
			print_compared(&peer, &row, fix->name);
	}
	if (q->config.fixes & (q->config.fixes - 1)) /* more than one */
		print_compared(&peer, &all, "all of them");
	for (unsigned i = 0; i < CQESIM_PEER_FIXES; i++) {
		const struct cqesim_peer_fix_info *fix = &cqesim_peer_fixes[i];
		struct row row = run(q, fix->fix, fix, model, size);

		if (!(q->config.fixes & fix->fix) || of_table(fix->fix) || differs(&peer, &row))
			continue;
		printf("%s%s (%u)", none ? ", " : "\nno difference here: ", fix->name, fix->line);
		none = true;
	}
	if (none)
		putchar('\n');
}

/* ---- CSV ---- */

static void csv_row(const struct peer_question *q, const struct row *peer, const struct row *row,
		    const char *corrected)
{
	const struct cqesim_peer_result *r = &row->result;

	printf("%s,%s,%u,%s,%.6f,%.6f,%.6f,%.1f,%.6f,%s,%.6f\n", cqesim_peer_model_name(row->model),
	       direction_of(q, row->model), row->size, corrected, r->usable_gbps, r->up_bytes,
	       r->down_bytes, r->transactions, r->payload_gbps, cqesim_peer_bound_name(r->bound),
	       error_percent(peer, row));
}

static void csv(const struct peer_question *q)
{
	puts("model,direction,size,corrected,usable_gbps,up_bytes,down_bytes,transactions_per_"
	     "second,"
	     "payload_gbps,limit,peer_off_percent");
	for (unsigned m = 0; m < q->model_count; m++)
		for (unsigned s = 0; s < q->size_count; s++) {
			struct row peer = run(q, 0, NULL, q->models[m], q->sizes[s]);
			struct row all = run(q, q->config.fixes, NULL, q->models[m], q->sizes[s]);

			if (q->compare || !q->config.fixes)
				csv_row(q, &peer, &peer, "");
			for (unsigned i = 0; q->compare && i < CQESIM_PEER_FIXES; i++) {
				const struct cqesim_peer_fix_info *fix = &cqesim_peer_fixes[i];
				struct row row = run(q, fix->fix, fix, q->models[m], q->sizes[s]);

				if (q->config.fixes & fix->fix && !of_table(fix->fix))
					csv_row(q, &peer, &row, fix->name);
			}
			if (q->config.fixes)
				csv_row(q, &peer, &all, "all");
		}
}

/* ---- JSON ---- */

static json_t *json_figures(const struct row *row)
{
	const struct cqesim_peer_result *r = &row->result;

	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:s}", "usable_gbps", r->usable_gbps,
			 "up_bytes", r->up_bytes, "down_bytes", r->down_bytes,
			 "transactions_per_second", r->transactions, "payload_gbps",
			 r->payload_gbps, "limit", cqesim_peer_bound_name(r->bound));
}

static json_t *json_corrected(const struct peer_question *q, const struct row *peer)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < CQESIM_PEER_FIXES; i++) {
		const struct cqesim_peer_fix_info *fix = &cqesim_peer_fixes[i];
		struct row row = run(q, fix->fix, fix, peer->model, peer->size);

		if (!(q->config.fixes & fix->fix) || of_table(fix->fix))
			continue;
		json_t *entry = json_figures(&row);
		json_object_set_new(entry, "line", json_integer(fix->line));
		json_object_set_new(entry, "fix", json_string(fix->name));
		json_object_set_new(entry, "what", json_string(fix->what));
		json_object_set_new(entry, "peer_off_percent",
				    json_real(error_percent(peer, &row)));
		json_array_append_new(list, entry);
	}
	return list;
}

static json_t *json_result(const struct peer_question *q, enum cqesim_peer_model model,
			   uint32_t size)
{
	struct row peer = run(q, 0, NULL, model, size);
	struct row all = run(q, q->config.fixes, NULL, model, size);
	json_t *o = json_figures(q->compare ? &peer : &all);

	json_object_set_new(o, "model", json_string(cqesim_peer_model_name(model)));
	if (cqesim_peer_is_card(model))
		json_object_set_new(o, "direction",
				    json_string(cqesim_peer_direction_name(q->direction)));
	json_object_set_new(o, "size", json_integer(size));
	if (q->compare) {
		json_t *together = json_figures(&all);

		json_object_set_new(together, "peer_off_percent",
				    json_real(error_percent(&peer, &all)));
		json_object_set_new(o, "corrected", json_corrected(q, &peer));
		json_object_set_new(o, "all_corrected", together);
	}
	return o;
}

static void json(const struct peer_question *q)
{
	const struct cqesim_peer_config *c = &q->config;
	json_t *fixes = json_array(), *results = json_array(), *root;

	for (unsigned i = 0; i < CQESIM_PEER_FIXES; i++)
		if (c->fixes & cqesim_peer_fixes[i].fix)
			json_array_append_new(fixes, json_string(cqesim_peer_fixes[i].name));
	for (unsigned m = 0; m < q->model_count; m++)
		for (unsigned s = 0; s < q->size_count; s++)
			json_array_append_new(results, json_result(q, q->models[m], q->sizes[s]));
	root = json_pack("{s:s, s:{s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:b, s:f}, s:o, s:o}", "peer",
			 "pcie-bench/pcie-model 40703cf", "link", "generation", (int)c->generation,
			 "lanes", (int)c->lanes, "mps", (int)c->mps, "mrrs", (int)c->mrrs, "rcb",
			 (int)c->rcb, "addr_bits", (int)c->addr_bits, "ecrc", c->ecrc, "rcb_chunks",
			 c->rcb_chunks, "raw_gbps", cqesim_peer_raw(c), "fixes", fixes, "results",
			 results);
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
}

void peer_print(const struct peer_question *q)
{
	if (q->json)
		json(q);
	else if (q->csv)
		csv(q);
	else
		print_rows(q);
}

void peer_compare(const struct peer_question *q)
{
	if (q->json || q->csv) {
		peer_print(q);
		return;
	}
	for (unsigned m = 0; m < q->model_count; m++)
		for (unsigned s = 0; s < q->size_count; s++) {
			if (m + s)
				putchar('\n');
			compare_text(q, q->models[m], q->sizes[s]);
		}
}

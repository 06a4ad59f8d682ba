/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer for programs: JSON, and a table with a line for each packet size. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli.h"
#include "link.h"

#define M       1e6
#define GBE_100 100e9

static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static void put(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}

static json_t *exact(struct cqesim_fraction f)
{
	char text[CQESIM_FRACTION_TEXT];
	json_t *o = json_object();

	put(o, "value", json_real(cqesim_fraction_value(f)));
	put(o, "exact", json_string(cqesim_fraction_text(f, text)));
	return o;
}

static json_t *bytes(const struct cqesim_fraction by_cause[CQESIM_CAUSES],
		     struct cqesim_fraction all)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < CQESIM_CAUSES; i++)
		put(o, cqesim_cause_key(i), exact(by_cause[i]));
	put(o, "total", exact(all));
	return o;
}

static json_t *limits(const struct link_run *run, const struct cqesim_ceiling *r)
{
	json_t *list = json_array();

	for (unsigned b = 0; b < CQESIM_BOUNDS; b++) {
		const struct cqesim_param *p = link_bound_param(run, r, b);
		json_t *o = json_object();

		put(o, "limit", json_string(cqesim_bound_key(b)));
		put(o, "name", json_string(cqesim_bound_name(b)));
		put(o, "mpps", real(r->bound_pps[b] / M));
		put(o, "over_binding", real(r->bound_pps[b] / r->pps - 1));
		put(o, "parameter", p ? json_string(p->key) : json_null());
		put(o, "grade", p ? json_string(cqesim_grade_name(p->grade)) : json_null());
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *line_rates(const struct cqesim_ceiling_config *c, const struct cqesim_ceiling *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; link_speeds[i]; i++) {
		double line = cqesim_line_pps(link_speeds[i] * 1e9, c->frame_bytes);
		json_t *o = json_object();

		put(o, "gbps", json_integer(link_speeds[i]));
		put(o, "line_mpps", json_real(line / M));
		put(o, "share", real(r->link_pps / line));
		put(o, "share_at_efficiency", real(link_carries(r) / line));
		put(o, "pcie_util_up", json_real(cqesim_ceiling_use(r, r->up_bytes, line)));
		put(o, "pcie_util_down", json_real(cqesim_ceiling_use(r, r->down_bytes, line)));
		json_array_append_new(list, o);
	}
	return list;
}

static const char *rq_name(const struct cqesim_ceiling_config *c)
{
	return !c->mlx5 ? "descriptors" : c->rx_strides ? "striding" : "cyclic";
}

static struct cqesim_fraction session_of(const struct cqesim_ceiling_config *c)
{
	return c->mlx5 && c->cqe_mode >= CQESIM_CQE_ARRAYS ? c->session
							   : (struct cqesim_fraction){1, 1};
}

static const char *cqe_mode_of(const struct cqesim_ceiling_config *c)
{
	return c->mlx5 ? cqesim_cqe_mode_name(c->cqe_mode) : "descriptors";
}

static json_t *config(const struct cqesim_ceiling_config *c)
{
	static const char *const directions[] = {"rx", "tx", "forward"};
	json_t *o = json_object();

	put(o, "gen", json_integer(c->link.generation));
	put(o, "lanes", json_integer(c->link.lanes));
	put(o, "mps", json_integer(c->link.mps));
	put(o, "mrrs", json_integer(c->link.mrrs));
	put(o, "efficiency", json_real(c->link.efficiency));
	put(o, "direction", json_string(directions[c->direction]));
	put(o, "frame_bytes", json_integer(c->frame_bytes));
	put(o, "pad", json_boolean(c->pad));
	put(o, "data_offset", json_integer(c->data_offset));
	put(o, "rq", json_string(rq_name(c)));
	put(o, "wqe_bytes", json_integer(c->rx_desc_bytes));
	put(o, "wqe_fetch_bytes", json_integer(c->rx_desc_fetch));
	put(o, "strides", c->rx_strides ? json_integer(c->rx_strides) : json_null());
	put(o, "stride_bytes", c->rx_strides ? json_integer(c->stride_bytes) : json_null());
	put(o, "cqe_mode", json_string(cqe_mode_of(c)));
	put(o, "session_packets", json_real(cqesim_fraction_value(session_of(c))));
	put(o, "compressed_share", json_real(cqesim_fraction_value(c->compressed)));
	put(o, "ports", json_integer(c->ports));
	put(o, "queues", json_integer(c->queues));
	put(o, "ring_entries", json_integer(c->ring_entries));
	return o;
}

static json_t *mpps(const struct cqesim_ceiling *r)
{
	json_t *o = json_object();

	put(o, "tlp_only", real(r->tlp_only_pps / M));
	put(o, "link", real(r->link_pps / M));
	put(o, "link_at_efficiency", real(link_carries(r) / M));
	put(o, "ceiling", real(r->pps / M));
	return o;
}

static json_t *point(const struct link_run *run, const struct cqesim_ceiling_config *c,
		     const struct cqesim_ceiling *r)
{
	double line = cqesim_line_pps(GBE_100, c->frame_bytes);
	json_t *o = json_object(), *b = json_object();
	char text[1024];

	link_sentence(run, c, r, text, sizeof(text));
	put(o, "answer", json_string(text));
	put(o, "config", config(c));
	put(b, "up", bytes(r->up, r->up_bytes));
	put(b, "down", bytes(r->down, r->down_bytes));
	put(o, "bytes_per_packet", b);
	put(o, "mpps", mpps(r));
	put(o, "bound", json_string(r->link_bound == CQESIM_BOUND_UP ? "up" : "down"));
	put(o, "binding", json_string(cqesim_bound_key(r->binding)));
	put(o, "next", json_string(cqesim_bound_key(r->next)));
	put(o, "share_of_100GbE", real(r->link_pps / line));
	put(o, "pcie_util_up_at_100GbE", json_real(cqesim_ceiling_use(r, r->up_bytes, line)));
	put(o, "pcie_util_down_at_100GbE", json_real(cqesim_ceiling_use(r, r->down_bytes, line)));
	put(o, "limits", limits(run, r));
	put(o, "line_rates", line_rates(c, r));
	put(o, "ring_bytes", json_integer((json_int_t)r->ring_bytes));
	put(o, "ddio_bytes", c->ddio_bytes ? json_integer((json_int_t)c->ddio_bytes) : json_null());
	return o;
}

static json_t *remarks(const struct link_run *run)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < run->remark_count; i++)
		json_array_append_new(list, json_string(run->remarks[i]));
	return list;
}

int link_print_list(const struct link_run *run, json_t *list)
{
	json_t *doc = json_object();

	put(doc, "remarks", remarks(run));
	put(doc, "results", list);
	if (!json_dumpf(doc, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)))
		putchar('\n');
	json_decref(doc);
	return 0;
}

int link_json(struct link_run *run, const struct link_values *points, enum link_axis axis)
{
	json_t *doc = json_object(), *list = json_array();
	struct cqesim_error err = {""};
	int code = 0;

	put(doc, "device", json_string(run->device->name));
	put(doc, "link", json_string(run->link->name));
	put(doc, "host", json_string(run->host->name));
	put(doc, "remarks", remarks(run));
	put(doc, "results", list);
	for (unsigned i = 0; !code && i < points->count; i++) {
		struct cqesim_ceiling_config c = link_point(run, axis, points->value[i]);
		struct cqesim_ceiling r;

		if (cqesim_ceiling(&r, &c, &err))
			code = link_refuse(&err);
		else
			json_array_append_new(list, point(run, &c, &r));
	}
	if (!code && !json_dumpf(doc, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)))
		putchar('\n');
	json_decref(doc);
	return code;
}

/* ---- CSV ---- */

static void csv_head(void)
{
	fputs("gen,lanes,mps,rq,wqe_fetch_B,pad,cqe_mode,session_packets,up_data_B,up_cqe_B,"
	      "up_wqe_B,up_dllp_B,up_B,down_wqe_B,down_dllp_B,down_B,up_exact,down_exact,"
	      "mpps_tlp_only,mpps,bound,share_of_100GbE,pcie_util_up_at_100GbE,"
	      "pcie_util_down_at_100GbE,direction,frame_B,strides,stride_B,wqe_B",
	      stdout);
	for (unsigned i = CQESIM_CAUSE_TX_DATA; i < CQESIM_CAUSE_DLLP; i++)
		printf(",up_%s_B,down_%s_B", cqesim_cause_key(i), cqesim_cause_key(i));
	puts(",efficiency,mpps_at_efficiency,binding,mpps_binding,next,mpps_next,queues");
}

static void csv_bytes(struct cqesim_fraction f)
{
	char text[CQESIM_FRACTION_TEXT];

	printf(",%s", cqesim_fraction_decimals(f, 6, text));
}

static void csv_row(const struct cqesim_ceiling_config *c, const struct cqesim_ceiling *r)
{
	static const char *const directions[] = {"rx", "tx", "forward"};
	const struct cqesim_fraction standard[] = {
		r->up[CQESIM_CAUSE_RX_DATA],
		r->up[CQESIM_CAUSE_RX_CQE],
		r->up[CQESIM_CAUSE_RX_WQE],
		r->up[CQESIM_CAUSE_DLLP],
		r->up_bytes,
		r->down[CQESIM_CAUSE_RX_WQE],
		r->down[CQESIM_CAUSE_DLLP],
		r->down_bytes,
	};
	double line = cqesim_line_pps(GBE_100, c->frame_bytes);
	char up[CQESIM_FRACTION_TEXT], down[CQESIM_FRACTION_TEXT];
	struct cqesim_fraction n = session_of(c);

	printf("%u,%u,%u,%s,%u,%d,%s,%s", c->link.generation, c->link.lanes, c->link.mps,
	       rq_name(c), c->rx_desc_fetch, c->pad, cqe_mode_of(c),
	       n.den == 1 ? cqesim_fraction_text(n, up) : cqesim_fraction_decimals(n, 6, up));
	for (unsigned i = 0; i < sizeof(standard) / sizeof(standard[0]); i++)
		csv_bytes(standard[i]);
	printf(",%s,%s,%.6f,%.6f,%s,%.6f,%.6f,%.6f", cqesim_fraction_text(r->up_bytes, up),
	       cqesim_fraction_text(r->down_bytes, down), r->tlp_only_pps / M, r->link_pps / M,
	       r->link_bound == CQESIM_BOUND_UP ? "up" : "down", r->link_pps / line,
	       cqesim_ceiling_use(r, r->up_bytes, line),
	       cqesim_ceiling_use(r, r->down_bytes, line));
	printf(",%s,%u,%u,%u,%u", directions[c->direction], c->frame_bytes, c->rx_strides,
	       c->rx_strides ? c->stride_bytes : 0, c->rx_desc_bytes);
	for (unsigned i = CQESIM_CAUSE_TX_DATA; i < CQESIM_CAUSE_DLLP; i++) {
		csv_bytes(r->up[i]);
		csv_bytes(r->down[i]);
	}
	printf(",%.9g,%.6f,%s,%.6f,%s,%.6f,%u\n", c->link.efficiency, link_carries(r) / M,
	       cqesim_bound_key(r->binding), r->pps / M, cqesim_bound_key(r->next),
	       r->bound_pps[r->next] / M, c->queues);
}

int link_csv(struct link_run *run, const struct link_values *points, enum link_axis axis)
{
	struct cqesim_error err = {""};

	for (unsigned i = 0; i < points->count; i++) {
		struct cqesim_ceiling_config c = link_point(run, axis, points->value[i]);
		struct cqesim_ceiling r;

		if (cqesim_ceiling(&r, &c, &err))
			return link_refuse(&err);
		if (!i) {
			link_print_remarks(run);
			csv_head();
		}
		csv_row(&c, &r);
	}
	return 0;
}

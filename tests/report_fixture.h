/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_fixture.h - profiles and results by hand for test_report.c, and how
 * it looks at what was written.  Included once.
 */
#ifndef CQESIM_REPORT_FIXTURE_H
#define CQESIM_REPORT_FIXTURE_H

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/report.h"
#include "test.h"

/* ---- profiles and results by hand ---- */

/* Bytes per second of 16 lanes at 8 GT/s, 128b/130b, one SKP block per 370 blocks. */
#define GEN3X16 (16e9 * 128 / 130 * 370 / 371)

static struct cqesim_profile device, link_profile, driver, host;

#define TEXTS(name, list)                                                                          \
	static const char *const name##_keys[] = {list(KEY)};                                      \
	static const char *const name##_units[] = {list(UNIT)};                                    \
	static const char name##_types[] = {list(TYPE)}
#define KEY(id, key, type, unit, lo, hi, meaning)  #key,
#define UNIT(id, key, type, unit, lo, hi, meaning) unit,
#define TYPE(id, key, type, unit, lo, hi, meaning) #type[0],
TEXTS(device, CQESIM_DEVICE_PARAMS);
TEXTS(link, CQESIM_LINK_PARAMS);
TEXTS(driver, CQESIM_DRIVER_PARAMS);
TEXTS(host, CQESIM_HOST_PARAMS);

static void fill(struct cqesim_profile *p, enum cqesim_profile_kind kind, char *name,
		 const char *const *keys, const char *const *units, const char *types,
		 unsigned count)
{
	static char title[] = "a title", source[] = "a source";

	memset(p, 0, sizeof(*p));
	p->kind = kind;
	p->name = name;
	p->title = title;
	p->count = count;
	for (unsigned i = 0; i < count; i++) {
		static char zero[] = "0";

		p->param[i].key = keys[i];
		p->param[i].unit = units[i];
		p->param[i].type = types[i];
		p->param[i].meaning = "a meaning";
		p->param[i].grade = CQESIM_GRADE_DOCUMENTED;
		p->param[i].text = zero;
		p->param[i].source = source;
	}
}

static void put(struct cqesim_profile *p, unsigned id, char *text)
{
	p->param[id].text = text;
	p->param[id].number = atof(text);
}

static void profiles(void)
{
	static char connectx[] = "card-a", gen3x16[] = "gen3x16", dpdk[] = "driver-a",
		    generic[] = "host-a";
	static char t100[] = "100", t200[] = "200", t64[] = "64", t256[] = "256", t512[] = "512",
		    t097[] = "0.97", hash[] = "hash", on[] = "on", t1024[] = "1024", t32[] = "32",
		    mlx5[] = "mlx5", t26[] = "2.6", aggressive[] = "aggressive",
		    fields[] = "pkt_info l4_l3_hdr_type opcode",
		    note[] = "Not published. Second sentence.";

	fill(&device, CQESIM_PROFILE_DEVICE, connectx, device_keys, device_units, device_types,
	     CQESIM_DEVICE_PARAM_COUNT);
	put(&device, CQESIM_DEV_PORT_SPEED, t100);
	put(&device, CQESIM_DEV_MAX_PPS, t200);
	put(&device, CQESIM_DEV_CQE_COMPRESSION, aggressive);
	put(&device, CQESIM_DEV_COMP_MAX_NUM, t64);
	put(&device, CQESIM_DEV_COMP_COMPARE, fields);
	device.param[CQESIM_DEV_COMP_COMPARE].grade = CQESIM_GRADE_ASSUMED;
	device.param[CQESIM_DEV_COMP_COMPARE].note = note;
	device.param[CQESIM_DEV_COMP_MAX_NUM].grade = CQESIM_GRADE_ASSUMED;
	device.param[CQESIM_DEV_COMP_MAX_NUM].has_range = true;
	device.param[CQESIM_DEV_COMP_MAX_NUM].low = 8;
	device.param[CQESIM_DEV_COMP_MAX_NUM].high = 1024;
	fill(&link_profile, CQESIM_PROFILE_LINK, gen3x16, link_keys, link_units, link_types,
	     CQESIM_LINK_PARAM_COUNT);
	link_profile.generation = 3;
	link_profile.lanes = 16;
	put(&link_profile, CQESIM_LINK_MPS, t256);
	put(&link_profile, CQESIM_LINK_MRRS, t512);
	put(&link_profile, CQESIM_LINK_RCB, t64);
	put(&link_profile, CQESIM_LINK_EFFICIENCY, t097);
	fill(&driver, CQESIM_PROFILE_DRIVER, dpdk, driver_keys, driver_units, driver_types,
	     CQESIM_DRIVER_PARAM_COUNT);
	put(&driver, CQESIM_DRV_CQE_COMP_EN, on);
	put(&driver, CQESIM_DRV_MINI_FORMAT, hash);
	put(&driver, CQESIM_DRV_RING, t1024);
	put(&driver, CQESIM_DRV_BURST, t32);
	put(&driver, CQESIM_DRV_RSS_KEY, mlx5);
	fill(&host, CQESIM_PROFILE_HOST, generic, host_keys, host_units, host_types,
	     CQESIM_HOST_PARAM_COUNT);
	put(&host, CQESIM_HOST_CLOCK, t26);
}

struct fixture {
	struct cqesim_sim_config config;
	struct cqesim_result result;
	struct cqesim_queue_result queue;
	struct cqesim_host_stats host;
};

static void configure(struct fixture *f, enum cqesim_comp_choice comp)
{
	memset(f, 0, sizeof(*f));
	f->config = (struct cqesim_sim_config){
		.device = &device,
		.link = &link_profile,
		.driver = &driver,
		.host = &host,
		.queues = 1,
		.ring = 1024,
		.cq_size = 1024,
		.burst = 32,
		.mtu = 9216,
		.comp = comp,
	};
	f->result.config = &f->config;
	f->result.max_frame = 9234;
	f->result.queue = &f->queue;
	f->result.queues = 1;
	f->queue.host = &f->host;
	f->result.plain_cqe_bytes = 88;
	f->result.link_rate = GEN3X16;
	f->result.limit_pps[CQESIM_LIMIT_DEVICE] = 200e6;
}

static void tlps(struct cqesim_result *r, enum cqesim_traffic kind, uint64_t n, uint64_t payload,
		 uint64_t wire)
{
	r->nic.traffic[kind] = (struct cqesim_tlps){.count = n, .payload = payload, .wire = wire};
	r->bytes_per_packet[kind] = (double)wire / (double)r->delivered;
}

/* 1000 of 1250 frames of 64 bytes delivered, as plain CQEs; 8.4 us at line rate. */
static void flood(struct fixture *f)
{
	struct cqesim_result *r = &f->result;

	configure(f, CQESIM_COMP_CHOOSE_OFF);
	r->arrived = 1250;
	r->arrived_wire_bytes = 1250 * 64;
	r->mix_wire_bytes = 84;
	r->delivered = 1000;
	r->delivered_bytes = 60000;
	r->dropped[CQESIM_DROP_OVERSIZE] = 20;
	r->dropped[CQESIM_DROP_BUFFER_FULL] = 200;
	r->dropped[CQESIM_DROP_OUT_OF_BUFFER] = 30;
	r->duration_ps = 8400000;
	r->end_ps = 10000000;
	r->laps = 7;
	tlps(r, CQESIM_TRAFFIC_DATA, 1000, 60000, 84000);
	tlps(r, CQESIM_TRAFFIC_CQE, 1000, 64000, 88000);
	tlps(r, CQESIM_TRAFFIC_WQE_REQUEST, 250, 0, 6000);
	tlps(r, CQESIM_TRAFFIC_WQE_COMPLETION, 250, 16000, 21000);
	r->dllp_per_packet[CQESIM_UP] = 2;
	r->dllp_per_packet[CQESIM_DOWN] = 34;
	r->per_packet[CQESIM_UP] = 180;
	r->per_packet[CQESIM_DOWN] = 55;
	r->link_max_pps = GEN3X16 / 180;
	r->link_binding = CQESIM_UP;
	r->offered_pps = 1250 / 8.4e-6;
	r->line_pps = 100e9 / 672;
	r->limit_pps[CQESIM_LIMIT_PORT] = r->line_pps;
	r->limit_pps[CQESIM_LIMIT_LINK] = 0.97 * r->link_max_pps;
	r->limit_pps[CQESIM_LIMIT_HOST] = 120e6;
	r->binding = CQESIM_LIMIT_LINK;
	r->nic.plain = 1000;
	/* 100 polls: 60 of 5, 39 of 16, one of 76: 300 + 624 + 76 = 1000 packets. */
	f->host.burst_hist[5] = 60;
	f->host.burst_hist[16] = 39;
	f->host.burst_hist[76] = 1;
	f->host.polls = 100;
	f->host.empty_polls = 40;
	f->host.bytes = 60000;
	f->host.busy_ps = 2500000;
	f->host.occupancy_sum = 1200;
	f->host.occupancy_max = 600;
	f->host.occupancy_hist[0] = 75;
	f->host.occupancy_hist[9] = 25;
	r->host = f->host;
	f->queue.offered = 1230;
	f->queue.delivered = 1000;
	memcpy(f->queue.dropped, r->dropped, sizeof(f->queue.dropped));
	f->queue.dropped[CQESIM_DROP_OVERSIZE] = 0;
}

/* As the flood, but 960 of the packets in 60 sessions of 16. */
static void compressed(struct fixture *f)
{
	struct cqesim_result *r = &f->result;

	flood(f);
	f->config.comp = CQESIM_COMP_CHOOSE_AGGRESSIVE;
	r->compression = CQESIM_COMP_AGGRESSIVE;
	r->cqe_comp_en = true;
	/* 40 plain, 60 titles, 120 arrays: 220 x 88 = 19360 B, 19.36 a packet; saved 68.64. */
	tlps(r, CQESIM_TRAFFIC_CQE, 40, 40 * 64, 40 * 88);
	tlps(r, CQESIM_TRAFFIC_TITLE, 60, 60 * 64, 60 * 88);
	tlps(r, CQESIM_TRAFFIC_MINI, 120, 120 * 64, 120 * 88);
	r->per_packet[CQESIM_UP] = 84 + 19.36 + 8;
	r->link_max_pps = GEN3X16 / 111.36;
	r->limit_pps[CQESIM_LIMIT_LINK] = 0.97 * r->link_max_pps;
	r->limit_pps[CQESIM_LIMIT_HOST] = 160e6;
	r->nic.plain = 40;
	r->nic.lone = 3;
	r->nic.sessions = 60;
	r->nic.session_packets = 960;
	r->nic.arrays = 120;
	r->nic.session_hist[16] = 60;
	r->nic.session_ends[CQESIM_END_MISMATCH] = 50;
	r->nic.session_ends[CQESIM_END_RING] = 13;
	for (unsigned i = 0; i < cqesim_cqe_rx_field_count; i++)
		if (!strcmp(cqesim_cqe_rx_fields[i].name, "l4_l3_hdr_type"))
			r->nic.mismatch[i] = 50;
}

static void trace_stats(struct cqesim_trace_stats *t)
{
	memset(t, 0, sizeof(*t));
	t->packets = 1252;
	t->frames = 1250;
	t->capture_bytes = 75000;
	t->stored_bytes = 70000;
	t->wire_bytes = 80000;
	t->skipped[CQESIM_SKIP_ZERO_LENGTH] = 2;
	t->padded = 3;
	t->time_backwards = 4;
	t->last_ps = 8393280;
	t->files = 1;
}

static void port_stats(struct cqesim_port_stats *s)
{
	memset(s, 0, sizeof(*s));
	s->by_view[CQESIM_VIEW_IPV4 | CQESIM_VIEW_TCP] = 700;
	s->by_view[CQESIM_VIEW_IPV4 | CQESIM_VIEW_UDP | CQESIM_VIEW_VXLAN] = 200;
	s->by_view[CQESIM_VIEW_IPV6 | CQESIM_VIEW_FRAGMENT] = 250;
	s->by_view[CQESIM_VIEW_L4_NONE | CQESIM_VIEW_VLAN] = 100;
	s->by_l4_l3[2 << 2 | 4 << 4] = 700;     /* IPv4, TCP with ack and data */
	s->by_l4_l3[2 << 2 | 2 << 4 | 2] = 200; /* IPv4, UDP, options */
	s->by_l4_l3[1 << 2 | 0x80] = 250;       /* IPv6 fragment */
	s->by_l4_l3[0] = 100;
	s->by_flags[7] = 1000;
	s->by_flags[1] = 250;
	s->hashed = 1150;
	s->nic_vlan = 100;
}

struct bench {
	struct fixture a, b, c;
	struct cqesim_trace_stats trace;
	struct cqesim_port_stats port;
	struct cqesim_report report;
};

static struct bench *bench(void)
{
	static struct bench s;

	profiles();
	trace_stats(&s.trace);
	port_stats(&s.port);
	flood(&s.a);
	compressed(&s.b);
	configure(&s.c, CQESIM_COMP_CHOOSE_BALANCED);
	s.report = (struct cqesim_report){
		.source = "x.pcap",
		.trace = &s.trace,
		.port = &s.port,
		.results = 1,
		.result = {&s.a.result},
	};
	return &s;
}

/* ---- output to memory ---- */

typedef int (*writer)(const struct cqesim_report *, FILE *, struct cqesim_error *);

static char *written(writer write, const struct cqesim_report *report)
{
	struct cqesim_error err = {""};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	ck_assert_msg(write(report, f, &err) == 0, "%s", err.text);
	fclose(f);
	return text;
}

static json_t *json_of(const struct cqesim_report *report)
{
	char *text = written(cqesim_report_json, report);
	json_error_t e;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &e);

	ck_assert_msg(root != NULL, "line %d: %s", e.line, e.text);
	free(text);
	return root;
}

/* "a.b.c" */
static json_t *at(json_t *o, const char *path)
{
	char copy[128], *rest = copy, *key;

	snprintf(copy, sizeof(copy), "%s", path);
	while ((key = strsep(&rest, ".")) != NULL) {
		o = json_object_get(o, key);
		ck_assert_msg(o != NULL, "no %s in %s", key, path);
	}
	return o;
}

static void has_int(json_t *root, const char *path, long long value)
{
	json_t *v = at(root, path);

	ck_assert_msg(json_is_integer(v) && json_integer_value(v) == value, "%s: %lld, not %lld",
		      path, json_integer_value(v), value);
}

static void has_real(json_t *root, const char *path, double value)
{
	json_t *v = at(root, path);

	ck_assert_msg(json_is_number(v) && fabs(json_number_value(v) - value) <= 1e-9 * fabs(value),
		      "%s: %.15g, not %.15g", path, json_number_value(v), value);
}

static void has_text(json_t *root, const char *path, const char *value)
{
	json_t *v = at(root, path);

	ck_assert_msg(json_is_string(v), "%s is no string", path);
	ck_assert_str_eq(json_string_value(v), value);
}

static void contains(const char *text, const char *what)
{
	ck_assert_msg(strstr(text, what) != NULL, "missing: %s\nin:\n%.2000s", what, text);
}

/* The same, wherever lines were broken. */
static void says(const char *text, const char *what)
{
	char *flat = malloc(strlen(text) + 1), *end = flat;

	ck_assert_ptr_nonnull(flat);
	for (; *text; text++)
		if (*text != '\n' && *text != ' ')
			*end++ = *text;
		else if (end == flat || end[-1] != ' ')
			*end++ = ' ';
	*end = '\0';
	contains(flat, what);
	free(flat);
}

static void lacks(const char *text, const char *what)
{
	ck_assert_msg(strstr(text, what) == NULL, "should not be there: %s\nin:\n%.2000s", what,
		      text);
}

static unsigned widest(const char *text)
{
	unsigned most = 0, n = 0;

	for (; *text; text++) {
		if (*text == '\n')
			n = 0;
		else if (((unsigned char)*text & 0xc0) != 0x80)
			n++;
		if (n > most)
			most = n;
	}
	return most;
}

#endif

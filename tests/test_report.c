/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report: a result built by hand (64-byte frames on Gen3 x16, bytes by
 * the PCIe formulas: 84 + 88 + 6 + 2 up, 21 + 34 down) in text, JSON and CSV, and
 * results that hold nothing.
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "report_fixture.h"

/* ---- JSON ---- */

START_TEST(json_flood)
{
	struct bench *s = bench();
	json_t *j = json_of(&s->report);

	has_text(j, "source", "x.pcap");
	has_text(j, "version", cqesim_version());
	ck_assert(json_is_false(at(j, "truncated")));
	has_int(j, "packets", 1252);
	has_int(j, "capture_bytes", 75000);
	has_int(j, "stored_bytes", 70000);
	has_int(j, "wire_bytes", 80000);
	has_int(j, "classes.ipv4", 900);
	has_int(j, "classes.ipv6", 250);
	has_int(j, "classes.other", 100);
	has_int(j, "classes.tcp", 700);
	has_int(j, "classes.udp", 200);
	has_int(j, "classes.l4_other", 250);
	has_int(j, "classes.l4_none", 100);
	has_int(j, "classes.vlan", 100);
	has_int(j, "classes.qinq", 0);
	has_int(j, "classes.fragment", 250);
	has_int(j, "classes.vxlan", 200);
	has_int(j, "classes.tunnel", 200);
	has_int(j, "classes.short", 0);
	has_int(j, "skipped.zero_length", 2);
	has_int(j, "skipped.requested", 0);
	has_int(j, "delivered", 1000);
	has_int(j, "dropped.oversize", 20);
	has_int(j, "dropped.rx_discards_phy", 200);
	has_int(j, "dropped.rx_out_of_buffer", 30);
	has_int(j, "dropped.other", 0);
	has_real(j, "time.duration_s", 8.4e-6);
	has_int(j, "time.backwards", 4);
	has_text(j, "link.name", "gen3x16");
	has_int(j, "link.generation", 3);
	has_int(j, "link.lanes", 16);
	has_int(j, "link.mps", 256);
	has_real(j, "link.up_bytes_per_packet", 180);
	has_real(j, "link.down_bytes_per_packet", 55);
	has_real(j, "link.max_pps", GEN3X16 / 180);
	has_real(j, "link.expected_pps", GEN3X16 / 180 * 0.97);
	has_text(j, "link.binding", "up");
	ck_assert(json_is_false(at(j, "link.has_room")));
	/* 1000 packets in 8.4 us: 180000 B / 8.4 us = 21428.57 MB/s. */
	has_real(j, "link.utilisation_at_trace_rate.up", 180000 / 8.4e-6 / (GEN3X16));
	has_real(j, "link.utilisation_at_line_rate.down", 55 * 100e9 / 672 / GEN3X16);
	has_int(j, "link.traffic.packet_data.tlps", 1000);
	has_int(j, "link.traffic.packet_data.payload_bytes", 60000);
	has_real(j, "link.traffic.plain_cqes.bytes_per_packet", 88);
	has_text(j, "link.traffic.wqe_requests.direction", "up");
	has_text(j, "link.traffic.wqe_completions.direction", "down");
	has_real(j, "link.dllp_bytes_per_packet.down", 34);
	has_text(j, "limits.binding", "link");
	has_real(j, "limits.host_pps", 120e6);
	has_text(j, "compression.policy", "off");
	ck_assert(json_is_null(at(j, "compression.packets_per_session")));
	has_real(j, "compression.saved_bytes_per_packet", 0);
	has_real(j, "bursts.mean", 10);
	has_int(j, "bursts.p50", 5);
	has_int(j, "bursts.p90", 16);
	has_int(j, "bursts.p99", 16);
	has_int(j, "bursts.max", 76);
	has_int(j, "bursts.polls", 100);
	has_int(j, "bursts.empty_polls", 40);
	char *hist = json_dumps(at(j, "bursts.histogram"), JSON_COMPACT);
	ck_assert_str_eq(hist, "[[5,60],[16,39],[76,1]]");
	free(hist);
	has_real(j, "ring.occupancy_mean", 12);
	has_int(j, "ring.occupancy_max", 600);
	has_int(j, "ring.laps", 7);
	json_t *q = json_array_get(at(j, "queues"), 0);
	has_int(q, "offered", 1230);
	has_real(q, "busy_share", 0.25);
	has_int(j, "nic_view.l3.ipv4", 900);
	has_int(j, "nic_view.l3.ipv6", 250);
	has_int(j, "nic_view.l3.none", 100);
	has_int(j, "nic_view.l4.tcp_ack_data", 700);
	has_int(j, "nic_view.l4.udp", 200);
	has_int(j, "nic_view.l4.none", 350);
	has_int(j, "nic_view.ip_options", 200);
	has_int(j, "nic_view.fragment", 250);
	has_int(j, "nic_view.l2_ok", 1250);
	has_int(j, "nic_view.l4_ok", 1000);
	ck_assert(json_object_get(j, "compare") == NULL);
	json_decref(j);
}
END_TEST

START_TEST(json_assumptions)
{
	struct bench *s = bench();
	json_t *j = json_of(&s->report), *list = at(j, "assumptions"), *o;
	size_t i;
	bool max_num = false, comp_en = false;

	ck_assert_uint_eq(json_array_size(list),
			  CQESIM_DEVICE_PARAM_COUNT + CQESIM_LINK_PARAM_COUNT +
				  CQESIM_DRIVER_PARAM_COUNT + CQESIM_HOST_PARAM_COUNT);
	json_array_foreach(list, i, o)
	{
		const char *key = json_string_value(at(o, "key"));

		if (!strcmp(key, "cqe_compression_max_num")) {
			max_num = true;
			has_text(o, "kind", "device");
			has_text(o, "profile", "card-a");
			has_int(o, "value", 64);
			has_text(o, "unit", "packets");
			has_text(o, "grade", "assumed");
			ck_assert(json_number_value(json_array_get(at(o, "range"), 1)) == 1024);
		}
		if (!strcmp(key, "cqe_comp_en")) { /* the profile says on, the option off */
			comp_en = true;
			has_text(o, "value", "off");
			has_text(o, "grade", "user");
			ck_assert(json_is_null(at(o, "unit")));
		}
		if (!strcmp(key, "ring")) {
			has_int(o, "value", 1024);
			has_text(o, "grade", "documented");
		}
	}
	ck_assert(max_num && comp_en);
	json_decref(j);
}
END_TEST

START_TEST(json_options_overrule)
{
	struct bench *s = bench();
	uint8_t key[CQESIM_RSS_KEY_BYTES];
	json_t *j, *list, *o;
	size_t i;

	memset(key, 0xa5, sizeof(key));
	s->a.config.ring = 256;
	s->a.config.burst = 8;
	s->a.config.rss_key = key;
	s->a.config.comp = CQESIM_COMP_CHOOSE_BALANCED;
	s->a.result.cqe_comp_en = true;
	s->a.result.compression = CQESIM_COMP_BALANCED;
	j = json_of(&s->report);
	list = at(j, "assumptions");
	unsigned user = 0;
	json_array_foreach(list, i, o)
	{
		const char *name = json_string_value(at(o, "key"));

		user += !strcmp(json_string_value(at(o, "grade")), "user");
		if (!strcmp(name, "ring"))
			has_int(o, "value", 256);
		if (!strcmp(name, "burst"))
			has_int(o, "value", 8);
		if (!strcmp(name, "cqe_compression"))
			has_text(o, "value", "balanced");
		if (!strcmp(name, "rss_key")) {
			char hex[81];

			for (unsigned b = 0; b < 40; b++)
				memcpy(hex + 2 * b, "a5", 3);
			has_text(o, "value", hex);
		}
	}
	ck_assert_uint_eq(user, 4);
	json_decref(j);
}
END_TEST

START_TEST(json_compare)
{
	struct bench *s = bench();
	json_t *j;

	s->report.results = 3;
	s->report.result[1] = &s->c.result;
	s->report.result[2] = &s->b.result;
	s->report.main = 2;
	j = json_of(&s->report);
	has_text(j, "compression.policy", "aggressive");
	has_real(j, "compression.bytes_per_packet", 19.36);
	has_real(j, "compression.saved_bytes_per_packet", 68.64);
	has_real(j, "compression.saved_bytes", 68640);
	has_real(j, "compression.packets_per_session", 16);
	has_real(j, "compression.share_compressed", 0.96);
	has_int(j, "compression.session_ends.mismatch", 50);
	has_int(j, "compression.session_ends.ring_end", 13);
	has_int(j, "compression.mismatch.l4_l3_hdr_type", 50);
	has_int(j, "compression.lone", 3);
	char *fields = json_dumps(at(j, "compression.compared_fields"), JSON_COMPACT);
	ck_assert_str_eq(fields, "[\"pkt_info\",\"l4_l3_hdr_type\",\"opcode\"]");
	free(fields);
	ck_assert_uint_eq(json_object_size(at(j, "compare")), 3);
	has_real(j, "compare.off.link.up_bytes_per_packet", 180);
	has_real(j, "compare.aggressive.link.up_bytes_per_packet", 111.36);
	has_int(j, "compare.off.delivered", 1000);
	has_int(j, "compare.off.dropped.rx_discards_phy", 200);
	has_text(j, "compare.aggressive.compression.policy", "aggressive");
	has_int(j, "compare.aggressive.bursts.p90", 16);
	has_int(j, "compare.balanced.delivered", 0);
	ck_assert(json_is_null(at(j, "compare.balanced.link.max_pps")));
	json_decref(j);
}
END_TEST

/* No number is NaN or infinite when there is nothing to divide by. */
START_TEST(nothing_delivered)
{
	struct bench *s = bench();
	char *text;
	json_t *j;

	configure(&s->a, CQESIM_COMP_CHOOSE_AGGRESSIVE);
	s->a.result.cqe_comp_en = true;
	s->a.result.compression = CQESIM_COMP_AGGRESSIVE;
	memset(&s->trace, 0, sizeof(s->trace));
	memset(&s->port, 0, sizeof(s->port));
	for (unsigned arrived = 0; arrived < 3; arrived += 2) {
		s->a.result.arrived = arrived;
		s->a.result.arrived_wire_bytes = 64 * arrived;
		s->a.result.dropped[CQESIM_DROP_OVERSIZE] = arrived;
		text = written(cqesim_report_text, &s->report);
		lacks(text, "nan");
		lacks(text, "inf ");
		says(text, "n/a");
		says(text, "No packet was delivered");
		if (arrived)
			says(text, "2 of 2 packets (100.0 %) not delivered: 2 oversize.");
		else
			says(text, "Nothing was replayed");
		free(text);
		j = json_of(&s->report); /* the parser refuses NaN */
		ck_assert(json_is_null(at(j, "link.up_bytes_per_packet")));
		ck_assert(json_is_null(at(j, "link.binding")));
		ck_assert(json_is_null(at(j, "bursts.mean")));
		ck_assert(json_is_null(at(j, "time.offered_pps")));
		has_int(j, "delivered", 0);
		json_decref(j);
		text = written(cqesim_report_csv, &s->report);
		contains(text, "\r\n0,0,0,0,0,0,0,0,0,0,,,,,,,0,\r\n");
		free(text);
	}
}
END_TEST

START_TEST(json_source_not_utf8)
{
	struct bench *s = bench();
	json_t *j;
	char *text;

	s->report.source = "caf\xc3\xa9 \xff\xc0\xaf \xed\xa0\x80 \x1b[31m";
	j = json_of(&s->report);
	has_text(j, "source", "caf\xc3\xa9 \\xff\\xc0\\xaf \\xed\\xa0\\x80 \x1b[31m");
	json_decref(j);
	text = written(cqesim_report_text, &s->report);
	contains(text, "caf\xc3\xa9 \\xff\\xc0\\xaf \\xed\\xa0\\x80 \\x1b[31m");
	lacks(text, "\x1b");
	free(text);
}
END_TEST

START_TEST(json_stable)
{
	struct bench *s = bench();
	char *a = written(cqesim_report_json, &s->report);
	char *b = written(cqesim_report_json, &s->report);

	ck_assert_str_eq(a, b);
	/* Keys stand in the order in which they are described. */
	ck_assert(strstr(a, "\"packets\"") < strstr(a, "\"classes\""));
	ck_assert(strstr(a, "\"link\"") < strstr(a, "\"limits\""));
	free(a);
	free(b);
}
END_TEST

/* ---- text ---- */

START_TEST(text_flood)
{
	struct bench *s = bench();
	char *text = written(cqesim_report_text, &s->report);

	says(text, "gen3x16 carries 84.67 Mpps of this mix (87.29 Mpps");
	says(text, "line rate of 148.81 Mpps");
	says(text, "250 of 1,250 packets (20.0 %) not delivered: 20 oversize, 200 rx_discards_phy, 30 ");
	says(text, "Completions cost 88.00 B of PCIe per packet");
	says(text, "PCIe: 180.00 B up and 55.00 B down per packet");
	says(text, "1,252 read, 1,250 replayed");
	says(text, "2 packets skipped: records without a single byte");
	says(text, "4 packets with a time before an earlier one");
	says(text, "IPv4 900 (72.0 %)");
	says(text, "Captured after TSO or GRO? Try --segment");
	says(text, "the host is too slow or the ring too small");
	says(text, "the link or the pipeline is too slow");
	says(text, "Every one of 1,000 delivered packets was read back");
	says(text, "went round 7 times");
	says(text, "50 %: 5, 90 %: 16, 99 %: 16, largest: 76, limit: 32 packets");
	says(text, "If the PCIe link did not limit, the host cores would, at 1.42 times");
	/* 64 packets, 8 to 1,024: the range, and the first sentence of a note only. */
	says(text, "64 packets (assumed, range 8 to 1,024): a source.");
	says(text, "(assumed): Not published.");
	lacks(text, "Second sentence");
	says(text, "off (user): given by an option.");
	ck_assert_uint_le(widest(text), 100);
	free(text);
}
END_TEST

START_TEST(text_rows_align)
{
	struct bench *s = bench();
	char *text = written(cqesim_report_text, &s->report);

	contains(text,
		 "  packet data     up           1,000          60,000          84,000     84.00  "
		 "10,000.00  12,500.00\n");
	contains(text,
		 "  sum down        down           250          16,000          21,000     55.00   "
		 "6,547.62   8,184.52\n");
	contains(text,
		 "  link in use     up                                                          "
		 "    136.4 %    170.5 %\n");
	free(text);
}
END_TEST

START_TEST(text_compare)
{
	struct bench *s = bench();
	char *text;

	s->report.results = 3;
	s->report.result[1] = &s->c.result;
	s->report.result[2] = &s->b.result;
	s->report.main = 2;
	text = written(cqesim_report_text, &s->report);
	contains(text, "                                              off          balanced      "
		       "aggressive *\n");
	contains(text,
		 "  completions, B/packet                      88.00               n/a             "
		 "19.36\n");
	contains(text,
		 "  packets per session                          n/a               n/a             "
		 "16.00\n");
	says(text, "Compression (aggressive): 96.0 % of packets in sessions of 16.00 packets");
	says(text, "68.64 B per packet, 68,640 B in all");
	contains(text, "l4_l3_hdr_type                              50    79.4 %\n");
	says(text, "session_compare, graded assumed");
	ck_assert_uint_le(widest(text), 100);
	free(text);
}
END_TEST

/* Where the link binds nothing, it says so. */
START_TEST(text_room)
{
	struct bench *s = bench();
	struct cqesim_result *r = &s->a.result;
	char *text;

	r->limit_pps[CQESIM_LIMIT_LINK] = 170e6;
	r->link_max_pps = 175e6;
	r->link_has_room = true;
	r->binding = CQESIM_LIMIT_HOST;
	memset(r->dropped, 0, sizeof(r->dropped));
	r->arrived = 1000;
	r->offered_pps = 85e6;
	text = written(cqesim_report_text, &s->report);
	says(text, "This trace offers 85.00 Mpps on average; gen3x16 carries 170.00 Mpps");
	says(text, "2.00 times that.");
	says(text, "At the port's line rate of 148.81 Mpps the link has room; the polling cores are "
		   "the limit: 120.00 Mpps.");
	says(text, "No packet was lost: 1,000 of 1,000 delivered.");
	says(text, "Drops: none");
	free(text);
}
END_TEST

START_TEST(text_other_locale)
{
	struct bench *s = bench();
	char *text;

	if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
		test_skip("text_other_locale", "no locale with a decimal comma");
		return;
	}
	text = written(cqesim_report_text, &s->report);
	says(text, "87.29 Mpps");
	free(text);
	setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(trace_notes)
{
	struct bench *s = bench();
	char *text;

	s->trace.truncated = true;
	strcpy(s->trace.truncated_where, "x.pcap: packet 1253 at byte 90000");
	s->trace.clock_steps = 1;
	s->trace.gaps_clamped = 2;
	s->trace.cut = 5;
	s->trace.fcs = CQESIM_FCS_PRESENT;
	s->trace.fcs_detected = true;
	s->report.fcs_note = "looked at 32 frames";
	text = written(cqesim_report_text, &s->report);
	says(text, "truncated: x.pcap: packet 1253 at byte 90000; what was read before counts");
	says(text, "1 packet of these more than a second back");
	says(text, "2 packets after a gap of over 100 days");
	says(text, "5 packets stored shorter");
	says(text, "include the 4 bytes of the FCS (detected)");
	says(text, "looked at 32 frames");
	free(text);
	json_t *j = json_of(&s->report);
	ck_assert(json_is_true(at(j, "truncated")));
	has_text(j, "truncated_where", "x.pcap: packet 1253 at byte 90000");
	has_text(j, "trace.fcs", "present");
	json_decref(j);
}
END_TEST

/* ---- CSV ---- */

START_TEST(csv_queues)
{
	struct bench *s = bench();
	char *text = written(cqesim_report_csv, &s->report);

	ck_assert_str_eq(
		text, "queue,offered,delivered,dropped_oversize,dropped_rx_discards_phy,"
		      "dropped_rx_out_of_buffer,dropped_other,bytes,polls,empty_polls,burst_mean,"
		      "burst_p50,burst_p90,burst_p99,burst_max,occupancy_mean,occupancy_max,"
		      "busy_share\r\n"
		      "0,1230,1000,0,200,30,0,60000,100,40,10.000,5,16,16,76,12.000,600,0.250000"
		      "\r\n");
	free(text);
	s->report.results = 2;
	s->report.result[1] = &s->b.result;
	text = written(cqesim_report_csv, &s->report);
	contains(text, "compression,queue,");
	contains(text, "\r\noff,0,1230,");
	contains(text, "\r\naggressive,0,1230,");
	free(text);
}
END_TEST

/* ---- errors ---- */

START_TEST(full_device)
{
	static const writer writers[] = {cqesim_report_text, cqesim_report_json, cqesim_report_csv};
	struct bench *s = bench();

	for (unsigned i = 0; i < 3; i++) {
		struct cqesim_error err = {""};
		FILE *f = fopen("/dev/full", "w");

		if (!f) {
			test_skip("full_device", "no /dev/full");
			return;
		}
		ck_assert_int_eq(writers[i](&s->report, f, &err), -ENOSPC);
		ck_assert_str_eq(err.text, "output file: No space left on device");
		fclose(f);
	}
}
END_TEST

START_TEST(no_main_result)
{
	struct bench *s = bench();
	struct cqesim_error err = {""};

	s->report.main = 1;
	ck_assert_int_eq(cqesim_report_text(&s->report, stdout, &err), -EINVAL);
	ck_assert_int_eq(cqesim_report_json(&s->report, stdout, &err), -EINVAL);
	ck_assert_int_eq(cqesim_report_csv(&s->report, stdout, &err), -EINVAL);
	ck_assert_str_eq(err.text, "report: main result 1 of 1 does not exist");
}
END_TEST

/* ---- profiles ---- */

START_TEST(profile_both)
{
	struct cqesim_error err;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	profiles();
	ck_assert_int_eq(cqesim_report_profile_text(&device, f, &err), 0);
	fclose(f);
	contains(text, "device card-a: a title\n");
	says(text, "cqe_compression_max_num = 64 packets [assumed, range 8 to 1024 packets]");
	says(text, "one of: balanced|aggressive");
	contains(text, "note:   Not published. Second sentence.");
	free(text);

	f = open_memstream(&text, &size);
	ck_assert_int_eq(cqesim_report_profile_json(&link_profile, f, &err), 0);
	fclose(f);
	json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(j);
	has_text(j, "kind", "link");
	has_int(j, "generation", 3);
	ck_assert_uint_eq(json_array_size(at(j, "parameters")), CQESIM_LINK_PARAM_COUNT);
	json_t *ecrc = json_array_get(at(j, "parameters"), CQESIM_LINK_ECRC);
	ck_assert_uint_eq(json_array_size(at(ecrc, "allowed")), 2);
	has_real(json_array_get(at(j, "parameters"), CQESIM_LINK_EFFICIENCY), "value", 0.97);
	json_decref(j);
	free(text);
}
END_TEST

Suite *suite_report(void)
{
	Suite *s = suite_create("report");
	TCase *t = tcase_create("report");

	tcase_add_test(t, json_flood);
	tcase_add_test(t, json_assumptions);
	tcase_add_test(t, json_options_overrule);
	tcase_add_test(t, json_compare);
	tcase_add_test(t, nothing_delivered);
	tcase_add_test(t, json_source_not_utf8);
	tcase_add_test(t, json_stable);
	tcase_add_test(t, text_flood);
	tcase_add_test(t, text_rows_align);
	tcase_add_test(t, text_compare);
	tcase_add_test(t, text_room);
	tcase_add_test(t, text_other_locale);
	tcase_add_test(t, trace_notes);
	tcase_add_test(t, csv_queues);
	tcase_add_test(t, full_device);
	tcase_add_test(t, no_main_result);
	tcase_add_test(t, profile_both);
	suite_add_tcase(s, t);
	return s;
}

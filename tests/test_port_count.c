/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_port_count.c - counters, segments, the agreement of the fast and the
 * general path, and real captures counted against what tshark counts in them.
 */
#include <jansson.h>
#include <pcap/pcap.h>
#include <stdio.h>

#include "port_frames.h"

static struct cqesim_port_stats counted;

START_TEST(counts)
{
	struct cqesim_port_config c = config();
	struct cqesim_rx rx[4];

	setup_port(&c);
	start(30), udp(53), ip4(17, 0, 0), tag(1, 0x0800), eth(0x8100);
	rx[0] = classify(0);
	start(30), udp(53), ip4(17, 0, 0), eth(0x0800);
	rx[1] = classify(0);
	start(30), tcp(TCP_ACK, 0), ip6(6), ip4(41, 0, 0), eth(0x0800);
	rx[2] = classify(0);
	start(46), eth(0x0806);
	rx[3] = classify(0);
	memset(&counted, 0, sizeof(counted));
	cqesim_port_count(&counted, rx, 4);
	cqesim_port_count(&counted, rx, 1);
	ck_assert_uint_eq(cqesim_port_views(&counted, 0, 0), 5);
	ck_assert_uint_eq(cqesim_port_views(&counted, V4, 0), 4);
	ck_assert_uint_eq(cqesim_port_views(&counted, V4 | VUDP, VLAN), 1);
	ck_assert_uint_eq(cqesim_port_views(&counted, VLAN, 0), 2);
	ck_assert_uint_eq(cqesim_port_views(&counted, 0, V4 | V6), 1);
	ck_assert_uint_eq(counted.by_l4_l3[N4 | NUDP], 3);
	ck_assert_uint_eq(counted.by_l4_l3[N6 | NDATA], 1);
	ck_assert_uint_eq(counted.by_l4_l3[0], 1);
	ck_assert_uint_eq(counted.by_flags[ALLOK], 4);
	ck_assert_uint_eq(counted.by_flags[L2], 1);
	ck_assert_uint_eq(counted.nic_tunnel, 1);
	ck_assert_uint_eq(counted.nic_vlan, 2);
	ck_assert_uint_eq(counted.hashed, 4);
}
END_TEST

START_TEST(segments)
{
	struct cqesim_port_config c = config();

	setup_port(&c);
	start(3000), tcp(TCP_ACK, 3), ip4(6, 0, 0), eth(0x0800);
	struct cqesim_rx rx = classify(0);
	struct cqesim_frame f = {.data = pkt.buf + pkt.off,
				 .cap_len = length(),
				 .orig_len = length(),
				 .len = length()};

	ck_assert_uint_eq(rx.hdr_len, 66);
	ck_assert_uint_eq(rx.oversize, 1);
	/* 1448 + 1448 + 104 bytes of data. */
	ck_assert_uint_eq(cqesim_port_segments(&f, &rx, 1514), 3);
	ck_assert_uint_eq(cqesim_port_segment_len(&f, &rx, 1514, 0), 1514);
	ck_assert_uint_eq(cqesim_port_segment_len(&f, &rx, 1514, 1), 1514);
	ck_assert_uint_eq(cqesim_port_segment_len(&f, &rx, 1514, 2), 66 + 104);
	ck_assert_uint_eq(cqesim_port_segment_len(&f, &rx, 1514, 3), 0);
	/* Exactly full; one byte more. */
	ck_assert_uint_eq(cqesim_port_segments(&f, &rx, 66 + 1500), 2);
	ck_assert_uint_eq(cqesim_port_segment_len(&f, &rx, 66 + 1500, 1), 66 + 1500);
	ck_assert_uint_eq(cqesim_port_segments(&f, &rx, 66 + 1499), 3);
	ck_assert_uint_eq(cqesim_port_segment_len(&f, &rx, 66 + 1499, 2), 66 + 2);
	ck_assert_uint_eq(cqesim_port_segments(&f, &rx, 66), 0);
	/* Only the lengths of the wire count, not what was captured. */
	f.cap_len = 66;
	f.orig_len = f.len = 66 + 10 * 1448;
	ck_assert_uint_eq(cqesim_port_segments(&f, &rx, 1514), 10);
	/* Padding of a short last segment. */
	start(1459), udp(53), ip4(17, 0, 0), eth(0x0800);
	rx = classify(0);
	f = (struct cqesim_frame){.data = pkt.buf + pkt.off,
				  .cap_len = length(),
				  .orig_len = length(),
				  .len = length()};
	ck_assert_uint_eq(cqesim_port_segments(&f, &rx, 1500), 2);
	ck_assert_uint_eq(cqesim_port_segment_len(&f, &rx, 1500, 1), 60);
	/* What has no headers to repeat cannot be cut. */
	start(2000), ip4(17, MF, 0), eth(0x0800);
	rx = classify(0);
	ck_assert_uint_eq(cqesim_port_segments(&f, &rx, 1500), 0);
	ck_assert_uint_eq(cqesim_port_segment_len(&f, &rx, 1500, 0), 0);
}
END_TEST

/* Random bytes after plausible headers: both paths agree, and nothing reads too far. */
START_TEST(mutations)
{
	struct cqesim_port_config c = config();
	unsigned fast = 0;

	srand(11);
	for (unsigned round = 0; round < 60000; round++) {
		if (round % 5000 == 0) {
			c.want_csum = round / 5000 & 1;
			c.checksums = round / 5000 % 3;
			c.rss_symmetric = round / 5000 & 2;
			c.rss_fields = (unsigned)rand() & 15;
			setup_port(&c);
		}
		start((unsigned)rand() % 40);
		if (round & 1)
			tcp(TCP_ACK, 0), ip4(6, 0, 0);
		else
			udp(round & 2 ? 53 : 4789), ip4(17, 0, 0);
		eth(0x0800);
		for (int i = rand() % 3; i > 0; i--)
			pkt.buf[pkt.off + 12 + (unsigned)rand() % (length() - 12)] =
				(uint8_t)rand();
		unsigned cap = rand() % 3 ? 0 : 1 + (unsigned)rand() % length();
		struct cqesim_rx rx = classify(cap); /* compares */
		struct cqesim_frame f = {.data = pkt.buf + pkt.off,
					 .cap_len = length(),
					 .orig_len = length(),
					 .len = length()};
		fast += port_classify_fast(&port, &f, &rx);
	}
	ck_assert_uint_gt(fast, 20000);
	ck_assert_uint_lt(fast, 55000);
}
END_TEST

static uint64_t zero_length, took_fast_path;

static void count_capture(pcap_t *pcap)
{
	struct pcap_pkthdr *h;
	const uint8_t *data;

	while (pcap_next_ex(pcap, &h, &data) == 1) {
		if (!h->len) { /* the trace station hands none out; tshark counts it */
			zero_length++;
			continue;
		}
		struct cqesim_frame f = {.data = data,
					 .cap_len = h->caplen < h->len ? h->caplen : h->len,
					 .orig_len = h->len,
					 .len = h->len < 60 ? 60 : h->len};
		struct cqesim_rx rx, other;

		cqesim_port_classify(&port, &f, 1, &rx);
		port_classify_general(&port, &f, &other);
		ck_assert_mem_eq(&rx, &other, sizeof(rx));
		if (port_classify_fast(&port, &f, &other)) {
			ck_assert_mem_eq(&rx, &other, sizeof(rx));
			took_fast_path++;
		}
		cqesim_port_count(&counted, &rx, 1);
	}
}

static void compare(const char *file, const char *what, json_t *want, uint64_t all, uint64_t none,
		    uint64_t more)
{
	uint64_t got = cqesim_port_views(&counted, (unsigned)all, (unsigned)none) + more;

	ck_assert_msg(json_is_integer(want), "%s: no count of %s", file, what);
	ck_assert_msg(got == (uint64_t)json_integer_value(want), "%s: %s: %llu, tshark counts %lld",
		      file, what, (unsigned long long)got, (long long)json_integer_value(want));
}

static void compare_capture(const char *file, json_t *tshark)
{
	json_t *l3 = json_object_get(tshark, "l3"), *l4 = json_object_get(tshark, "l4");

	compare(file, "packets", json_object_get(tshark, "packets"), 0, 0, zero_length);
	compare(file, "ipv4", json_object_get(l3, "ipv4"), V4, 0, 0);
	compare(file, "ipv6", json_object_get(l3, "ipv6"), V6, 0, 0);
	compare(file, "other", json_object_get(l3, "other"), 0, V4 | V6, zero_length);
	compare(file, "tcp", json_object_get(l4, "tcp"), VTCP, 0, 0);
	compare(file, "udp", json_object_get(l4, "udp"), VUDP, 0, 0);
	compare(file, "other l4", json_object_get(l4, "other"), 0, VTCP | VUDP | NONE, 0);
	compare(file, "no l4", json_object_get(l4, "none"), NONE, 0, zero_length);
	compare(file, "tagged", json_object_get(tshark, "vlan_tagged"), VLAN, 0, 0);
	compare(file, "two tags", json_object_get(tshark, "vlan_two_or_more"), QINQ, 0, 0);
	compare(file, "fragments", json_object_get(tshark, "ip_fragment"), FRAG, 0, 0);
}

START_TEST(captures)
{
	const char *shared = test_shared_dir();
	char path[4096], text[PCAP_ERRBUF_SIZE];
	struct cqesim_port_config c = config();
	unsigned files = 0;
	json_t *file;
	size_t i;

	if (!shared) {
		test_skip("port: captures", "../shared not found");
		return;
	}
	c.want_csum = true;
	setup_port(&c);
	snprintf(path, sizeof(path), "%s/traces/real/index.json", shared);
	json_t *index = json_load_file(path, 0, NULL);
	ck_assert_ptr_nonnull(index);
	json_array_foreach(json_object_get(index, "files"), i, file)
	{
		const char *name = json_string_value(json_object_get(file, "file"));

		if (strcmp(json_string_value(json_object_get(file, "kind")), "ethernet") ||
		    !json_is_true(json_object_get(file, "tshark_and_libpcap_agree")))
			continue;
		snprintf(path, sizeof(path), "%s/traces/real/%s", shared, name);
		pcap_t *pcap = pcap_open_offline(path, text);
		ck_assert_msg(pcap != NULL, "%s: %s", name, text);
		memset(&counted, 0, sizeof(counted));
		zero_length = 0;
		count_capture(pcap);
		pcap_close(pcap);
		compare_capture(name, json_object_get(file, "tshark"));
		files++;
	}
	json_decref(index);
	ck_assert_uint_ge(files, 120);
	ck_assert_uint_gt(took_fast_path, 50000);
}
END_TEST

TCase *tcase_port_count(void)
{
	TCase *t = tcase_create("count");

	tcase_add_test(t, counts);
	tcase_add_test(t, segments);
	tcase_add_test(t, mutations);
	tcase_set_timeout(t, 60);
	return t;
}

TCase *tcase_port_captures(void)
{
	TCase *t = tcase_create("captures");

	tcase_add_test(t, captures);
	tcase_set_timeout(t, 120);
	return t;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* test_port_rss.c - the Toeplitz hash, its keys and symmetry, and steering. */
#include <arpa/inet.h>
#include <errno.h>

#include "port_frames.h"

#ifdef HAVE_DPDK_THASH
#include <rte_thash.h>
#endif

/* Vectors of Microsoft's "Verifying the RSS Hash Calculation". */
static const struct {
	const char *src, *dst;
	uint16_t src_port, dst_port;
	uint32_t addresses, tcp;
} vectors[] = {
	{"66.9.149.187", "161.142.100.80", 2794, 1766, 0x323e8fc2, 0x51ccc178},
	{"199.92.111.2", "65.69.140.83", 14230, 4739, 0xd718262a, 0xc626b0ea},
	{"24.19.198.95", "12.22.207.184", 12898, 38024, 0xd2d0a5de, 0x5c2b394a},
	{"38.27.205.30", "209.142.163.6", 48228, 2217, 0x82989176, 0xafc7327f},
	{"153.39.163.191", "202.188.127.2", 44251, 1303, 0x5d1809c5, 0x10e828a2},
	{"3ffe:2501:200:1fff::7", "3ffe:2501:200:3::1", 2794, 1766, 0x2cc18cd5, 0x40207d3d},
	{"3ffe:501:8::260:97ff:fe40:efab", "ff02::1", 14230, 4739, 0x0f0c461c, 0xdde51bbf},
	{"3ffe:1900:4545:3:200:f8ff:fe21:67cf", "fe80::200:f8ff:fe21:67cf", 44251, 38024,
	 0x4b61e985, 0x02d1feef},
};
#define VECTORS (sizeof(vectors) / sizeof(vectors[0]))

/* TCP or UDP packet of vector i, either direction. */
static void vector_frame(unsigned i, bool is_tcp, bool back)
{
	bool v6 = strchr(vectors[i].src, ':');
	unsigned n = v6 ? 16 : 4;
	uint8_t *l4, *ip;

	start(8);
	if (is_tcp)
		tcp(TCP_ACK, 0);
	else
		udp(1);
	l4 = pkt.buf + pkt.off;
	put16(l4 + (back ? 2 : 0), vectors[i].src_port);
	put16(l4 + (back ? 0 : 2), vectors[i].dst_port);
	ip = v6 ? ip6(is_tcp ? 6 : 17) : ip4(is_tcp ? 6 : 17, 0, 0);
	ip += v6 ? 8 : 12;
	ck_assert_int_eq(inet_pton(v6 ? AF_INET6 : AF_INET, vectors[i].src, ip + (back ? n : 0)),
			 1);
	ck_assert_int_eq(inet_pton(v6 ? AF_INET6 : AF_INET, vectors[i].dst, ip + (back ? 0 : n)),
			 1);
	eth(v6 ? 0x86dd : 0x0800);
}

START_TEST(rss_vectors)
{
	struct cqesim_port_config c = config();
	const unsigned ip = CQESIM_RSS_IPV4 | CQESIM_RSS_IPV6;

	ck_assert_int_eq(cqesim_rss_key_parse("microsoft", c.rss_key, NULL), 0);
	for (unsigned i = 0; i < VECTORS; i++) {
		for (unsigned is_tcp = 0; is_tcp < 2; is_tcp++) {
			vector_frame(i, is_tcp, false);
			c.rss_fields = ip | CQESIM_RSS_TCP | CQESIM_RSS_UDP;
			setup_port(&c);
			ck_assert_uint_eq(classify(0).meta.rx_hash_res, vectors[i].tcp);
			c.rss_fields = ip | (is_tcp ? CQESIM_RSS_UDP : CQESIM_RSS_TCP);
			setup_port(&c);
			ck_assert_uint_eq(classify(0).meta.rx_hash_res, vectors[i].addresses);
			ck_assert_uint_eq(classify(0).meta.rx_hash_type, i < 5 ? H4 : H6);
			/* Ports need the IP bit. */
			c.rss_fields = (i < 5 ? CQESIM_RSS_IPV6 : CQESIM_RSS_IPV4) |
				       CQESIM_RSS_TCP | CQESIM_RSS_UDP;
			setup_port(&c);
			ck_assert_uint_eq(classify(0).meta.rx_hash_res, 0);
			ck_assert_uint_eq(classify(0).meta.rx_hash_type, 0);
			ck_assert_uint_eq(classify(0).queue, 0);
		}
	}
}
END_TEST

/* The definition: for every set bit, the 32 bits of the key from there on. */
static uint32_t plain_toeplitz(const uint8_t *key, const uint8_t *input, unsigned len)
{
	uint32_t hash = 0;

	for (unsigned i = 0; i < 8 * len; i++) {
		if (!(input[i / 8] >> (7 - i % 8) & 1))
			continue;
		for (unsigned b = 0; b < 32; b++)
			hash ^= (uint32_t)(key[(i + b) / 8] >> (7 - (i + b) % 8) & 1) << (31 - b);
	}
	return hash;
}

START_TEST(rss_symmetric)
{
	struct cqesim_port_config c = config();
	struct in_addr s, d;

	c.rss_symmetric = true;
	setup_port(&c);
	for (unsigned i = 0; i < VECTORS; i++) {
		for (unsigned is_tcp = 0; is_tcp < 2; is_tcp++) {
			vector_frame(i, is_tcp, false);
			struct cqesim_rx there = classify(0);
			vector_frame(i, is_tcp, true);
			struct cqesim_rx back = classify(0);
			ck_assert_uint_eq(there.meta.rx_hash_res, back.meta.rx_hash_res);
			ck_assert_uint_eq(there.queue, back.queue);
		}
	}
	/* (src | dst, src ^ dst): Linux, Documentation/networking/scaling.rst. */
	inet_pton(AF_INET, vectors[0].src, &s);
	inet_pton(AF_INET, vectors[0].dst, &d);
	uint8_t input[12];
	uint32_t words[2] = {s.s_addr | d.s_addr, s.s_addr ^ d.s_addr};
	memcpy(input, words, 8);
	put16(input + 8, 2794 | 1766);
	put16(input + 10, 2794 ^ 1766);
	vector_frame(0, true, false);
	ck_assert_uint_eq(classify(0).meta.rx_hash_res, plain_toeplitz(c.rss_key, input, 12));
	c.rss_fields = CQESIM_RSS_IPV4;
	setup_port(&c);
	ck_assert_uint_eq(classify(0).meta.rx_hash_res, plain_toeplitz(c.rss_key, input, 8));
}
END_TEST

START_TEST(toeplitz)
{
	struct cqesim_port_config c = config();
	uint8_t input[36];

	srand(7);
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < sizeof(c.rss_key); i++)
			c.rss_key[i] = (uint8_t)(rand() >> 5);
		setup_port(&c);
		for (unsigned len = 0; len <= 36; len++) {
			for (unsigned i = 0; i < len; i++)
				input[i] = (uint8_t)(rand() >> 5);
			uint32_t hash = cqesim_port_toeplitz(&port, input, len);
			ck_assert_uint_eq(hash, plain_toeplitz(c.rss_key, input, len));
#ifdef HAVE_DPDK_THASH
			uint32_t words[9] = {0};
			for (unsigned i = 0; i < len; i++)
				words[i / 4] |= (uint32_t)input[i] << (24 - 8 * (i % 4));
			ck_assert_uint_eq(hash, rte_softrss(words, (len + 3) / 4, c.rss_key));
#endif
		}
	}
}
END_TEST

START_TEST(indirection)
{
	struct cqesim_port_config c = config();
	struct cqesim_error err;
	uint16_t reta[8] = {5, 4, 3, 2, 1, 0, 5, 4};

	c.queues = 6;
	setup_port(&c);
	for (unsigned i = 0; i < VECTORS; i++) {
		vector_frame(i, true, false);
		struct cqesim_rx rx = classify(0);
		ck_assert_uint_eq(rx.queue, rx.meta.rx_hash_res % 512 % 6);
	}
	c.reta = reta;
	c.reta_size = 8;
	setup_port(&c);
	for (unsigned i = 0; i < VECTORS; i++) {
		vector_frame(i, true, false);
		struct cqesim_rx rx = classify(0);
		ck_assert_uint_eq(rx.queue, reta[rx.meta.rx_hash_res & 7]);
	}
	reta[7] = 6;
	ck_assert_int_eq(cqesim_port_init(&port, &c, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "entry 7: queue 6"));
	c.reta = NULL;
	c.reta_size = 12;
	ck_assert_int_eq(cqesim_port_init(&port, &c, &err), -EINVAL);
	c.reta_size = 2048;
	ck_assert_int_eq(cqesim_port_init(&port, &c, NULL), -EINVAL);
	c.reta = reta;
	c.reta_size = 0;
	ck_assert_int_eq(cqesim_port_init(&port, &c, NULL), -EINVAL);
	c.reta = NULL;
	c.queues = 0;
	ck_assert_int_eq(cqesim_port_init(&port, &c, NULL), -EINVAL);
	c.queues = CQESIM_RETA_MAX + 1;
	ck_assert_int_eq(cqesim_port_init(&port, &c, NULL), -EINVAL);
	c.queues = CQESIM_RETA_MAX;
	c.reta_size = CQESIM_RETA_MAX;
	setup_port(&c);
	vector_frame(0, true, false);
	ck_assert_uint_eq(classify(0).queue, classify(0).meta.rx_hash_res % 1024);
	c.queues = 1;
	c.reta_size = 0;
	setup_port(&c);
	ck_assert_uint_eq(classify(0).queue, 0);
	c.rss_fields = 1 << 4;
	ck_assert_int_eq(cqesim_port_init(&port, &c, NULL), -EINVAL);
}
END_TEST

START_TEST(texts)
{
	uint8_t key[CQESIM_RSS_KEY_BYTES], before[CQESIM_RSS_KEY_BYTES];
	struct cqesim_error err;
	unsigned fields;
	char hex[82] = {0};

	ck_assert_int_eq(cqesim_rss_key_parse("mlx5", key, NULL), 0);
	/* As it stands in DPDK's library, librte_net_mlx5. */
	ck_assert_mem_eq(key,
			 "\x2c\xc6\x81\xd1\x5b\xdb\xf4\xf7\xfc\xa2\x83\x19\xdb\x1a\x3e\x94"
			 "\x6b\x9e\x38\xd9\x2c\x9c\x03\xd1\xad\x99\x44\xa7\xd9\x56\x3d\x59"
			 "\x06\x3c\x25\xf3\xfc\x1f\xdc\x2a",
			 sizeof(key));
	ck_assert_int_eq(cqesim_rss_key_parse("microsoft", key, NULL), 0);
	ck_assert_uint_eq(key[0], 0x6d);
	ck_assert_uint_eq(key[39], 0xfa);
	memcpy(before, key, sizeof(key));
	memset(hex, 'a', 80);
	hex[1] = 'B';
	ck_assert_int_eq(cqesim_rss_key_parse(hex, key, NULL), 0);
	ck_assert_uint_eq(key[0], 0xab);
	ck_assert_uint_eq(key[39], 0xaa);
	memcpy(key, before, sizeof(key));
	hex[79] = 'g';
	ck_assert_int_eq(cqesim_rss_key_parse(hex, key, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "80 hex digits"));
	hex[79] = '\0';
	ck_assert_int_eq(cqesim_rss_key_parse(hex, key, NULL), -EINVAL);
	hex[79] = hex[80] = '0';
	ck_assert_int_eq(cqesim_rss_key_parse(hex, key, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rss_key_parse("", key, NULL), -EINVAL);
	ck_assert_mem_eq(key, before, sizeof(key));

	ck_assert_int_eq(cqesim_rss_fields_parse("ipv4,tcp", &fields, NULL), 0);
	ck_assert_uint_eq(fields, CQESIM_RSS_IPV4 | CQESIM_RSS_TCP);
	ck_assert_int_eq(cqesim_rss_fields_parse(" udp ipv6, ", &fields, NULL), 0);
	ck_assert_uint_eq(fields, CQESIM_RSS_IPV6 | CQESIM_RSS_UDP);
	ck_assert_int_eq(cqesim_rss_fields_parse("none", &fields, NULL), 0);
	ck_assert_uint_eq(fields, 0);
	ck_assert_int_eq(cqesim_rss_fields_parse("ipv4,sctp", &fields, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "\"sctp\""));
	ck_assert_int_eq(cqesim_rss_fields_parse("ipv", &fields, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rss_fields_parse("none,ipv4", &fields, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rss_fields_parse(" , ", &fields, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rss_fields_parse("", &fields, NULL), -EINVAL);
}
END_TEST

TCase *tcase_port_rss(void)
{
	TCase *t = tcase_create("rss");

	tcase_add_test(t, rss_vectors);
	tcase_add_test(t, rss_symmetric);
	tcase_add_test(t, toeplitz);
	tcase_add_test(t, indirection);
	tcase_add_test(t, texts);
	return t;
}

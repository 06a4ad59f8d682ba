/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sysinfo: texts of lspci, dmesg and ethtool (tests/sysinfo; made up in the
 * tools' formats), whole, quoted, cut and damaged.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_sysinfo.h"

static struct cqesim_sysinfo info;

static const struct cqesim_sysinfo_card *read_card(const char *file, const char *name)
{
	struct cqesim_error err = {""};

	ck_assert_msg(!cqesim_sysinfo_read(sysinfo_file(file), &info, &err), "%s", err.text);
	const struct cqesim_sysinfo_card *card = cqesim_sysinfo_pick(&info, name, &err);
	ck_assert_msg(card != NULL, "%s", err.text);
	return card;
}

static void width_is(struct cqesim_sysinfo_width w, unsigned generation, unsigned lanes)
{
	ck_assert_uint_eq(w.generation, generation);
	ck_assert_uint_eq(w.lanes, lanes);
}

/* A Gen4 x16 card in a Gen3 x8 slot; its second port, the port above and a disk besides. */
START_TEST(narrow_slot)
{
	const struct cqesim_sysinfo_card *card = read_card("lspci-narrow.txt", NULL);

	ck_assert_uint_eq(info.card_count, 2);
	ck_assert_str_eq(card->address, "0000:3b:00.0");
	ck_assert_str_eq(card->description, "Mellanox Technologies MT28800 Family [ConnectX-5 Ex]");
	ck_assert_str_eq(card->driver, "mlx5_core");
	ck_assert(card->network && !card->virtual_function && !card->denied);
	ck_assert_int_eq(card->numa_node, 1);
	ck_assert_uint_eq(card->vendor, 0x15b3);
	width_is(card->negotiated, 3, 8);
	width_is(card->capable, 4, 16);
	width_is(card->slot, 3, 8);
	width_is(card->path, 0, 0);
	/* DevCtl, not DevCap. */
	ck_assert_uint_eq(card->mps, 256);
	ck_assert_uint_eq(card->mps_capable, 512);
	ck_assert_uint_eq(card->mrrs, 512);
	ck_assert_uint_eq(card->rcb, 64);
	ck_assert_int_eq(card->ecrc, CQESIM_SYSINFO_OFF);
	ck_assert_int_eq(card->relaxed_ordering, CQESIM_SYSINFO_ON);
	ck_assert_int_eq(card->extended_tags, CQESIM_SYSINFO_ON);
	ck_assert_int_eq(card->ten_bit_tags, CQESIM_SYSINFO_OFF);
	ck_assert(cqesim_sysinfo_degraded(card));
	ck_assert_double_eq_tol(cqesim_sysinfo_gbps(card->negotiated), 63.015, 0.001);
	ck_assert(sysinfo_says(&info, card,
			       "The link is narrower and slower than the card: 8 GT/s x8, the card "
			       "can 16 GT/s x16; 63.0 of 252.1 Gb/s"));
	ck_assert(sysinfo_says(&info, card, "the slot has no more"));
	ck_assert_uint_eq(info.lines, info.lspci_lines + info.ignored_lines);
	ck_assert_uint_eq(info.ignored_lines, 4); /* empty ones */
}
END_TEST

START_TEST(trained_down)
{
	const struct cqesim_sysinfo_card *card = read_card("lspci-trained-down.txt", NULL);

	width_is(card->slot, 3, 16);
	ck_assert(sysinfo_says(&info, card, "the slot has more"));
	ck_assert(sysinfo_says(&info, card, "MaxPayload is 128 bytes, the card can 512"));
}
END_TEST

START_TEST(into_a_link)
{
	const struct cqesim_sysinfo_card *card = read_card("lspci-narrow.txt", NULL);
	struct cqesim_link_config c = {.generation = 5, .lanes = 4, .ecrc = true, .addr_bits = 32};

	ck_assert_uint_eq(cqesim_sysinfo_link(card, &c), 6);
	ck_assert_uint_eq(c.generation, 3);
	ck_assert_uint_eq(c.lanes, 8);
	ck_assert_uint_eq(c.mps, 256);
	ck_assert_uint_eq(c.mrrs, 512);
	ck_assert_uint_eq(c.rcb, 64);
	ck_assert(!c.ecrc);
	ck_assert_uint_eq(c.addr_bits, 32); /* not said */
	struct cqesim_sysinfo_card nothing = {.numa_node = -1};
	ck_assert_uint_eq(cqesim_sysinfo_link(&nothing, &c), 0);
	ck_assert_uint_eq(c.generation, 3);
}
END_TEST

/* The same card in all the ways in which people hand it on. */
START_TEST(other_forms)
{
	static const char *const files[] = {"lspci-quoted.txt", "lspci-flat.txt", "lspci-old.txt",
					    "lspci-numbers.txt"};

	for (unsigned i = 0; i < 4; i++) {
		memset(&info, 0, sizeof(info));
		const struct cqesim_sysinfo_card *card = read_card(files[i], "3b:00.0");

		ck_assert_msg(info.card_count == 1, "%s", files[i]);
		width_is(card->negotiated, 3, 8);
		width_is(card->capable, 4, 16);
		ck_assert_uint_eq(card->mps, 256);
		ck_assert_uint_eq(card->mrrs, 512);
		ck_assert_uint_eq(card->vendor, 0x15b3);
		ck_assert_int_eq(card->relaxed_ordering,
				 i == 2 ? CQESIM_SYSINFO_OFF : CQESIM_SYSINFO_ON);
		ck_assert_int_eq(card->ecrc, i == 2 ? CQESIM_SYSINFO_ON : CQESIM_SYSINFO_OFF);
		ck_assert_uint_eq(card->device, i == 3 ? 0x1019 : 0);
	}
	memset(&info, 0, sizeof(info));
	const struct cqesim_sysinfo_card *card = read_card("lspci-infiniband.txt", NULL);
	width_is(card->negotiated, 5, 16);
	ck_assert_uint_eq(card->device, 0x1021);
	ck_assert(!cqesim_sysinfo_degraded(card));
}
END_TEST

START_TEST(choosing)
{
	struct cqesim_error err;

	read_card("lspci-two-cards.txt", "0001:01:00.0");
	ck_assert_ptr_null(cqesim_sysinfo_pick(&info, NULL, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "0000:3b:00.0, 0001:01:00.0"));
	ck_assert_str_eq(cqesim_sysinfo_pick(&info, "3b:00.0", &err)->address, "0000:3b:00.0");
	ck_assert_str_eq(cqesim_sysinfo_pick(&info, "0000:3B:00.0", &err)->address, "0000:3b:00.0");
	ck_assert_ptr_null(cqesim_sysinfo_pick(&info, "01:00.0", &err)); /* domain 0 */
	ck_assert_ptr_nonnull(strstr(err.text, "01:00.0"));
	ck_assert_ptr_null(cqesim_sysinfo_pick(&info, "eth0", &err));
	ck_assert_ptr_null(cqesim_sysinfo_pick(&info, "", &err));
	/* Mellanox's before others. */
	memset(&info, 0, sizeof(info));
	ck_assert_str_eq(read_card("lspci-other-card.txt", NULL)->address, "0000:3b:00.0");
	ck_assert_uint_eq(info.card_count, 2);
	/* The card before its virtual functions. */
	memset(&info, 0, sizeof(info));
	ck_assert_str_eq(read_card("lspci-virtual-functions.txt", NULL)->address, "0000:3b:00.0");
	const struct cqesim_sysinfo_card *vf = cqesim_sysinfo_pick(&info, "3b:00.2", &err);
	ck_assert(vf->virtual_function);
	width_is(cqesim_sysinfo_bottleneck(vf), 0, 0);
	ck_assert(sysinfo_says(&info, vf, "a virtual function has none of its own"));
	memset(&info, 0, sizeof(info));
	ck_assert_ptr_null(cqesim_sysinfo_pick(&info, NULL, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "no network card"));
}
END_TEST

START_TEST(not_root)
{
	const struct cqesim_sysinfo_card *card = read_card("lspci-unprivileged.txt", NULL);

	ck_assert(card->denied);
	ck_assert(sysinfo_says(&info, card, "run it as root"));
	ck_assert(!cqesim_sysinfo_degraded(card));
}
END_TEST

START_TEST(kernel_log)
{
	struct cqesim_error err;
	const struct cqesim_sysinfo_card *card = read_card("dmesg.txt", NULL);

	ck_assert_uint_eq(info.dmesg_lines, 2);
	ck_assert_uint_eq(info.ignored_lines, 5);
	ck_assert_str_eq(card->address, "0000:3b:00.0"); /* not the disk */
	ck_assert_str_eq(card->driver, "mlx5_core");
	width_is(card->path, 3, 8);
	ck_assert_str_eq(card->path_at, "0000:3a:00.0");
	ck_assert_double_eq_tol(card->path_gbps, 63.008, 1e-9);
	width_is(card->capable, 4, 16);
	width_is(cqesim_sysinfo_bottleneck(card), 3, 8);
	ck_assert(sysinfo_says(&info, card,
			       "the narrowest link on the way to the host is at 0000:3a:00.0"));
	ck_assert_ptr_nonnull(cqesim_sysinfo_pick(&info, "5e:00.0", &err));
	memset(&info, 0, sizeof(info));
	card = read_card("dmesg-old.txt", NULL);
	width_is(card->path, 2, 4);
	width_is(card->capable, 2, 8);
	ck_assert_str_eq(card->driver, "ixgbe");
	memset(&info, 0, sizeof(info));
	card = read_card("dmesg-full.txt", NULL);
	width_is(card->path, 4, 16);
	ck_assert(!cqesim_sysinfo_degraded(card));
}
END_TEST

START_TEST(counters)
{
	struct cqesim_error err = {""};

	ck_assert_int_eq(cqesim_sysinfo_read(sysinfo_file("ethtool.txt"), &info, &err), 0);
	ck_assert_uint_eq(info.statistics, 1);
	ck_assert_uint_eq(info.ethtool_lines, 19);
	ck_assert_uint_eq(info.counters[CQESIM_SYSINFO_COMPRESS_BLKS], 125000);
	ck_assert_uint_eq(info.counters[CQESIM_SYSINFO_STALLED_WR], 42);
	ck_assert_uint_eq(info.counters[CQESIM_SYSINFO_STALLED_WR_EVENTS], 318);
	ck_assert_uint_eq(info.counters[CQESIM_SYSINFO_OUT_OF_BUFFER], 77);
	ck_assert_uint_eq(info.has, (1u << CQESIM_SYSINFO_COUNTERS) - 1);
	ck_assert_double_eq_tol(cqesim_sysinfo_session(&info), 7.5, 1e-12);
	ck_assert(sysinfo_says(&info, NULL, "sessions of 7.50 packets on average; 93.8 % of"));
	ck_assert(sysinfo_says(&info, NULL, "for 42 % of the time; above 30 % in 318 seconds"));
	ck_assert(sysinfo_says(&info, NULL, "rx_discards_phy: 4711 packets"));
	ck_assert(sysinfo_says(&info, NULL, "rx_out_of_buffer: 77 packets"));
	ck_assert(!sysinfo_says(&info, NULL, "outbound_pci_buffer_overflow"));
	ck_assert(!sysinfo_says(&info, NULL, "stalled_rd"));
	/* A later text goes before it, whole. */
	ck_assert_int_eq(cqesim_sysinfo_read(sysinfo_file("ethtool-grep.txt"), &info, &err), 0);
	ck_assert_double_eq_tol(cqesim_sysinfo_session(&info), 8, 1e-12);
	ck_assert_uint_eq(info.statistics, 2);
	ck_assert_uint_eq(info.counters[CQESIM_SYSINFO_OUT_OF_BUFFER], 0);
	ck_assert(sysinfo_says(&info, NULL, "2 texts of ethtool -S"));
}
END_TEST

/* All of them in one text, or one after the other: the same. */
START_TEST(together)
{
	static struct cqesim_sysinfo other;
	struct cqesim_error err = {""};
	const struct cqesim_sysinfo_card *card = read_card("mixed.txt", NULL);

	width_is(card->negotiated, 3, 8);
	width_is(card->path, 3, 8);
	ck_assert_double_eq_tol(cqesim_sysinfo_session(&info), 7.5, 1e-12);
	ck_assert(info.lspci_lines && info.dmesg_lines == 2 && info.ethtool_lines == 19);
	static const char *const parts[] = {"dmesg.txt", "ethtool.txt", "lspci-narrow.txt"};
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(cqesim_sysinfo_read(sysinfo_file(parts[i]), &other, &err), 0);
	const struct cqesim_sysinfo_card *same = cqesim_sysinfo_pick(&other, NULL, &err);
	ck_assert_ptr_nonnull(same);
	ck_assert_mem_eq(same, card, sizeof(*card));
	ck_assert_mem_eq(other.counters, info.counters, sizeof(info.counters));
}
END_TEST

static int parse(const char *text, struct cqesim_error *err)
{
	return cqesim_sysinfo_parse(text, strlen(text), "text", &info, err);
}

START_TEST(nothing_known)
{
	struct cqesim_error err;

	read_card("dmesg.txt", NULL);
	struct cqesim_sysinfo before = info;
	ck_assert_int_eq(parse("hello\nworld\n", &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "text: nothing known in 2 lines"));
	ck_assert_int_eq(parse("", &err), -EINVAL);
	ck_assert_mem_eq(&before, &info, sizeof(info));
	ck_assert_int_eq(cqesim_sysinfo_read("/nowhere/at/all", &info, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/at/all"));
	ck_assert_int_eq(cqesim_sysinfo_read(test_tmpdir(), &info, &err), -EISDIR);
	ck_assert_mem_eq(&before, &info, sizeof(info));
}
END_TEST

/* Values that there are not are not said. */
START_TEST(odd_values)
{
	struct cqesim_error err = {""};

	ck_assert_int_eq(parse("00:00.0 Ethernet controller: x\n"
			       "\t\tDevCtl:\tMaxPayload 300 bytes, MaxReadReq 99999999999999999999 "
			       "bytes\n"
			       "\t\tLnkCap:\tSpeed 12GT/s, Width x3\n"
			       "\t\tLnkSta:\tSpeed 8GT/s, Width x64\n"
			       "\t\tLnkCtl:\tRCB 32 bytes\n"
			       "NUMA node: 99999999999\n",
			       &err),
			 0);
	const struct cqesim_sysinfo_card *card = &info.cards[0];
	ck_assert_uint_eq(card->mps, 0);
	ck_assert_uint_eq(card->mrrs, 0);
	ck_assert_uint_eq(card->rcb, 0);
	width_is(card->capable, 0, 0);
	width_is(card->negotiated, 0, 0);
	ck_assert_int_eq(card->numa_node, -1);
	ck_assert(sysinfo_says(&info, card, "width and speed of its link are not said"));
	ck_assert_int_eq(parse("rx_cqe_compress_blks: 99999999999999999999999\n", &err), -EINVAL);
	ck_assert_int_eq(parse("rx_cqe_compress_blks: 5 apples\n", &err), -EINVAL);
	ck_assert_int_eq(parse("x 0000:00:00.0: 1 Gb/s available PCIe bandwidth\n", &err), -EINVAL);
	ck_assert_int_eq(parse("rx_cqe_compress_blks: 0\n", &err), 0);
	ck_assert(sysinfo_says(&info, NULL, "No completion was compressed"));
}
END_TEST

/* 5, 8 and 10 bits of tag; what DevCap says the card could is not what is in use. */
START_TEST(tags)
{
	static const struct {
		const char *registers;
		unsigned tags;
	} cases[] = {
		{"DevCtl:\tRlxdOrd+ ExtTag-", 32},
		{"DevCtl:\tRlxdOrd+ ExtTag+", 256},
		{"DevCap:\tMaxPayload 512 bytes, ExtTag+", 0},
		{"DevCtl:\tExtTag+\n\t\tDevCtl2: LTR- 10BitTagReq- OBFF Disabled", 256},
		{"DevCtl:\tExtTag+\n\t\tDevCap2: 10BitTagComp+ 10BitTagReq+ OBFF", 256},
		{"DevCtl:\tExtTag+\n\t\tDevCtl2: LTR- 10BitTagReq+ OBFF Disabled", 768},
		{"DevCtl2: Completion Timeout: 50us to 50ms, 10BitTagReq+", 768},
		{"LnkSta:\tSpeed 8GT/s, Width x8", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cqesim_error err = {""};
		char text[256];

		memset(&info, 0, sizeof(info));
		snprintf(text, sizeof(text), "3b:00.0 Ethernet controller: x\n\t\t%s\n",
			 cases[i].registers);
		ck_assert_int_eq(parse(text, &err), 0);
		ck_assert_msg(cqesim_sysinfo_tags(&info.cards[0]) == cases[i].tags, "%s: %u", text,
			      cqesim_sysinfo_tags(&info.cards[0]));
	}
}
END_TEST

/* Counters that cannot be: errors with their line; counters that contradict each other: said. */
START_TEST(wrong_counters)
{
	struct cqesim_error err = {""};

	ck_assert_int_eq(parse("rx_packets: 7\nrx_cqe_compress_blks: 18446744073709551616\n", &err),
			 -EINVAL);
	ck_assert_str_eq(err.text, "text: line 2: a counter of more than 64 bits");
	ck_assert_uint_eq(info.has, 0);
	ck_assert_int_eq(parse("rx_packets: 18446744073709551615\n", &err), 0);
	ck_assert_int_eq(
		parse("NIC statistics:\n rx0_cqe_compress_pkts: 99999999999999999999\n", &err),
		-EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "text: line 2: "));
	ck_assert_int_eq(parse("NIC statistics:\n"
			       " rx0_cqe_compress_pkts: 18446744073709551615\n"
			       " rx1_cqe_compress_pkts: 1\n",
			       &err),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "text: line 3: the sum"));
	/* A counter that nobody asks for is none of these. */
	ck_assert_int_eq(parse("NIC statistics:\n rx_other: 99999999999999999999\n", &err), 0);
	/* 65535 packets to a block, and one more. */
	ck_assert_int_eq(parse("rx_cqe_compress_blks: 2\nrx_cqe_compress_pkts: 131070\n", &err), 0);
	ck_assert_double_eq_tol(cqesim_sysinfo_session(&info), 65535, 1e-9);
	ck_assert_int_eq(parse("rx_cqe_compress_blks: 2\nrx_cqe_compress_pkts: 131071\n", &err),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "text: line 2: rx_cqe_compress_pkts"));
	ck_assert_int_eq(parse("rx3_cqe_compress_blks: 1\nrx3_cqe_compress_pkts: 65536\n", &err),
			 -EINVAL);

	ck_assert_int_eq(parse("rx_packets: 2\nrx_cqe_compress_blks: 10\n"
			       "rx_cqe_compress_pkts: 5\n",
			       &err),
			 0);
	ck_assert_double_eq(cqesim_sysinfo_session(&info), 0);
	ck_assert(sysinfo_says(&info, NULL, "contradict each other: rx_cqe_compress_pkts 5, but"));
	ck_assert(sysinfo_says(&info, NULL, "rx_cqe_compress_pkts 5 of rx_packets 2"));
	ck_assert(!sysinfo_says(&info, NULL, "sessions of 0.50"));
	ck_assert(!sysinfo_says(&info, NULL, "%"));
	/* One of two counters says nothing. */
	ck_assert_int_eq(parse("rx_cqe_compress_blks: 10\n", &err), 0);
	ck_assert(!sysinfo_says(&info, NULL, "contradict"));
}
END_TEST

/* More cards than there is room for are counted. */
START_TEST(many_cards)
{
	char *text = malloc(200 * 64), *p = text;
	struct cqesim_error err = {""};

	for (unsigned i = 0; i < 200; i++)
		p += sprintf(p, "%02x:00.0 Ethernet controller: one\n", i);
	ck_assert_int_eq(cqesim_sysinfo_parse(text, (size_t)(p - text), "text", &info, &err), 0);
	ck_assert_uint_eq(info.card_count, CQESIM_SYSINFO_CARDS);
	ck_assert_uint_eq(info.cards_left_out, 200 - CQESIM_SYSINFO_CARDS);
	ck_assert(sysinfo_says(&info, NULL, "more than 64 network devices"));
	ck_assert_ptr_null(cqesim_sysinfo_pick(&info, NULL, &err));
	free(text);
}
END_TEST

/* Cut anywhere, changed anywhere: no crash, and what was said stays within what there is. */
START_TEST(damaged)
{
	static const char *const files[] = {"mixed.txt", "lspci-quoted.txt", "dmesg-old.txt"};
	static char text[65536];
	uint64_t state = 1;

	for (unsigned f = 0; f < 3; f++) {
		FILE *in = fopen(sysinfo_file(files[f]), "rb");
		ck_assert_ptr_nonnull(in);
		size_t size = fread(text, 1, sizeof(text), in);
		fclose(in);
		for (unsigned i = 0; i < 3000; i++) {
			struct cqesim_error err;
			size_t n;

			state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
			n = (size_t)(state >> 33) % (size + 1);
			text[n % size] = (char)(state >> 20);
			/* A copy that a memory checker sees the end of. */
			char *copy = malloc(n ? n : 1);
			memcpy(copy, text, n);
			memset(&info, 0, sizeof(info));
			int rc = cqesim_sysinfo_parse(copy, n, "text", &info, &err);
			ck_assert(rc == 0 || rc == -EINVAL);
			for (uint32_t c = 0; c < info.card_count; c++) {
				ck_assert_uint_le(info.cards[c].capable.lanes, 32);
				ck_assert_uint_le(info.cards[c].mps, 4096);
			}
			free(copy);
		}
	}
}
END_TEST

START_TEST(long_lines)
{
	size_t size = 3u << 20;
	char *text = malloc(size);
	struct cqesim_error err;
	static const char line[] = "\nNIC statistics:\n rx_out_of_buffer: 5\n";

	memset(text, 'x', size);
	memcpy(text + size - strlen(line), line, strlen(line));
	ck_assert_int_eq(cqesim_sysinfo_parse(text, size, "text", &info, &err), 0);
	ck_assert_uint_eq(info.counters[CQESIM_SYSINFO_OUT_OF_BUFFER], 5);
	ck_assert_uint_eq(info.lines, 3);
	ck_assert_uint_eq(info.ignored_lines, 1);
	memset(text, '\0', size);
	ck_assert_int_eq(cqesim_sysinfo_parse(text, size, "text", &info, &err), -EINVAL);
	free(text);
}
END_TEST

START_TEST(too_large)
{
	char path[PATH_MAX];
	struct cqesim_error err;

	snprintf(path, sizeof(path), "%s/large.%d", test_tmpdir(), getpid());
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(ftruncate(fileno(f), (off_t)CQESIM_SYSINFO_BYTES + 1), 0);
	fclose(f);
	ck_assert_int_eq(cqesim_sysinfo_read(path, &info, &err), -E2BIG);
	ck_assert_ptr_nonnull(strstr(err.text, "64 MiB"));
	unlink(path);
}
END_TEST

Suite *suite_sysinfo(void)
{
	Suite *s = suite_create("sysinfo");
	TCase *tc = tcase_create("texts");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, narrow_slot);
	tcase_add_test(tc, trained_down);
	tcase_add_test(tc, into_a_link);
	tcase_add_test(tc, other_forms);
	tcase_add_test(tc, choosing);
	tcase_add_test(tc, not_root);
	tcase_add_test(tc, kernel_log);
	tcase_add_test(tc, counters);
	tcase_add_test(tc, together);
	tcase_add_test(tc, nothing_known);
	tcase_add_test(tc, odd_values);
	tcase_add_test(tc, tags);
	tcase_add_test(tc, wrong_counters);
	tcase_add_test(tc, many_cards);
	tcase_add_test(tc, damaged);
	tcase_add_test(tc, long_lines);
	tcase_add_test(tc, too_large);
	suite_add_tcase(s, tc);
	add_sysinfo_local(s);
	return s;
}

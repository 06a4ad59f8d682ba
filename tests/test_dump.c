/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The finder: one completion in every notation that people post.  The files in
 * tests/dumps/ were written from these 64 bytes by xxd, hexdump, od and by hand
 * after the format strings of the kernel, rdma-core, DPDK, gdb and crash.
 */
#include "test_dump.h"

#define ALL    (~UINT64_C(0))
#define HEADED CQESIM_DUMP_ANNOUNCED
#define SHAPE  CQESIM_DUMP_BY_SHAPE
#define SWAP   CQESIM_DUMP_SWAPPED

/* Where the completion is, in which notation, who wrote it; how many items there are in all. */
static const struct example {
	const char *file;
	enum cqesim_dump_notation notation;
	enum cqesim_dump_source source;
	uint32_t flags;
	uint64_t line, last_line;
	uint64_t missing;
	unsigned item, items;
} examples[] = {
	{"libmlx5.log", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_LIBMLX5, HEADED, 2, 6, 0, 0, 1},
	{"libmlx5-glued.log", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_LIBMLX5, HEADED, 1, 5, 0, 0, 2},
	{"libmlx5-timed.log", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_LIBMLX5, HEADED, 1, 5, 0, 0, 1},
	{"libmlx5-json.log", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_LIBMLX5, HEADED, 1, 5, 0, 0, 1},
	{"libmlx5-escaped.log", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_LIBMLX5, HEADED, 1, 1, 0, 0, 1},
	{"libmlx5-mpi.log", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_LIBMLX5, HEADED, 1, 5, 0, 0, 1},
	{"terminal.log", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_LIBMLX5, HEADED, 1, 5, 0, 0, 1},
	{"web-page.log", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_LIBMLX5, HEADED, 3, 8, 0, 0, 1},
	{"kernel.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_MLX5_IB, HEADED, 1, 5, 0, 0, 1},
	{"kernel-status.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_MLX5_IB, HEADED, 1, 6, 0, 0, 1},
	{"kernel-thread.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_MLX5_IB, HEADED, 1, 5, 0, 0, 1},
	{"kernel-wrapped.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_MLX5_IB, HEADED, 1, 10, 0, 0, 1},
	{"kernel-words.log", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_MLX5_IB, HEADED, 1, 5, 0, 0, 1},
	{"kernel-journal.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_MLX5_CORE, HEADED, 1, 5, 0, 0, 3},
	{"mail-quoted.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_MLX5_IB, HEADED, 1, 5, 0, 0, 1},
	{"mail-printable.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_MLX5_IB, HEADED, 3, 9, 0, 0, 1},
	{"doubled.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 1, 8, 0, 0, 1},
	{"surplus.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_MLX5_CORE, HEADED | CQESIM_DUMP_SURPLUS,
	 1, 6, 0, 0, 1},
	{"dpdk-cqe.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_DPDK, HEADED, 1, 5, 0, 0, 1},
	{"dpdk-swapped.log", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_DPDK, HEADED | SWAP, 1, 5, 0, 0, 2},
	{"dpdk-file.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_DPDK, HEADED | CQESIM_DUMP_IN_RING, 4,
	 36, 0, 5, 10},
	{"wide.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_MLX5_IB, HEADED | CQESIM_DUMP_WIDE, 1, 9, 0,
	 0, 1},
	{"last-row.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 2, 2, 0xffffffffffff, 0,
	 1},
	{"row-missing.log", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_MLX5_IB, HEADED, 1, 4, 0xffff0000, 0,
	 1},
	{"xxd.txt", CQESIM_DUMP_WORDS, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 1, 4, 0, 0, 1},
	{"xxd-little.txt", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_UNKNOWN, SHAPE | SWAP, 1, 4, 0, 0, 1},
	{"xxd-plain.txt", CQESIM_DUMP_DIGITS, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 1, 3, 0, 0, 1},
	{"hexdump-c.txt", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 1, 4, 0, 0, 1},
	{"hexdump.txt", CQESIM_DUMP_WORDS, CQESIM_DUMP_BY_UNKNOWN, SHAPE | SWAP, 1, 5, 0, 0, 1},
	{"od-x1.txt", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 1, 5, 0, 0, 1},
	{"od-x4.txt", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_UNKNOWN, SHAPE | SWAP, 1, 5, 0, 0, 1},
	{"od-ax.txt", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 1, 4, 0, 0, 1},
	{"gdb-xb.txt", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 2, 9, 0, 0, 1},
	{"gdb-xw.txt", CQESIM_DUMP_DWORDS, CQESIM_DUMP_BY_UNKNOWN, SHAPE | SWAP, 2, 5, 0, 0, 1},
	{"gdb-xg.txt", CQESIM_DUMP_QWORDS, CQESIM_DUMP_BY_UNKNOWN, SHAPE | SWAP, 1, 4, 0, 0, 1},
	{"gdb-p.txt", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 2, 2, 0, 0, 1},
	{"crash-rd.txt", CQESIM_DUMP_QWORDS, CQESIM_DUMP_BY_UNKNOWN, SHAPE | SWAP, 2, 5, 0, 0, 1},
	{"c-array.txt", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 2, 5, 0, 0, 1},
	{"digits.txt", CQESIM_DUMP_DIGITS, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 1, 1, 0, 0, 1},
	{"colons.txt", CQESIM_DUMP_DIGITS, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 1, 1, 0, 0, 1},
	{"spaced.txt", CQESIM_DUMP_BYTES, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 1, 1, 0, 0, 1},
	{"error.bin", CQESIM_DUMP_BINARY, CQESIM_DUMP_BY_UNKNOWN, SHAPE, 0, 0, 0, 0, 1},
};
#define EXAMPLES (sizeof(examples) / sizeof(examples[0]))

START_TEST(notation)
{
	const struct example *e = &examples[_i];
	struct cqesim_dump d = dump_of_example(e->file);

	ck_assert_msg(d.count == e->items, "%s: %u items", e->file, d.count);
	const struct cqesim_dump_item *item = &d.items[e->item];
	ck_assert_msg(item->kind == CQESIM_DUMP_CQE, "%s: kind %d", e->file, item->kind);
	ck_assert_msg(item->known == (ALL & ~e->missing), "%s: known 0x%llx", e->file,
		      (unsigned long long)item->known);
	for (unsigned i = 0; i < 64; i++)
		ck_assert_msg(item->raw[i] == (e->missing >> i & 1 ? 0 : dump_error[i]),
			      "%s: byte %u is 0x%02x", e->file, i, item->raw[i]);
	ck_assert_msg(item->notation == e->notation, "%s: notation %d", e->file, item->notation);
	ck_assert_msg(item->source == e->source, "%s: source %d", e->file, item->source);
	ck_assert_msg(item->flags == e->flags, "%s: flags 0x%x", e->file, item->flags);
	ck_assert_msg(item->line == e->line && item->last_line == e->last_line,
		      "%s: lines %llu-%llu", e->file, (unsigned long long)item->line,
		      (unsigned long long)item->last_line);
	cqesim_dump_free(&d);
}
END_TEST

/* Without a name at its end, or with Windows line ends, it is the same. */
START_TEST(line_ends)
{
	const struct example *e = &examples[_i];
	char folder[4096];
	size_t size, n = 0;

	if (!strcmp(e->file, "error.bin") || !strcmp(e->file, "mail-quoted.log"))
		return;
	snprintf(folder, sizeof(folder), "%.4000s/tests/dumps", test_top_srcdir());
	char *text = dump_file(folder, e->file, &size), *crlf = malloc(2 * size);
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\n')
			crlf[n++] = '\r';
		crlf[n++] = text[i];
	}
	struct cqesim_dump whole = dump_of(crlf, n), cut = dump_of(text, size - 1);
	ck_assert_msg(whole.count == e->items && cut.count == e->items, "%s: %u and %u items",
		      e->file, whole.count, cut.count);
	ck_assert_mem_eq(whole.items[e->item].raw, cut.items[e->item].raw, 64);
	ck_assert_uint_eq(whole.items[e->item].known, ALL & ~e->missing);
	ck_assert_uint_eq(cut.items[e->item].known, ALL & ~e->missing);
	cqesim_dump_free(&whole);
	cqesim_dump_free(&cut);
	free(text);
	free(crlf);
}
END_TEST

/* Rows of two CPUs: offsets tell them apart. */
START_TEST(interleaved_rows)
{
	static const uint8_t second[16] = {0,    0,    0x88, 0x13, 0x10, 0,
					   0xa1, 0xb3, 0x0c, 0x3e, 0x11, 0xd3};
	const char *const files[] = {"interleaved-kernel.log", "interleaved-libmlx5.log"};
	struct cqesim_dump d = dump_of_example(files[_i]);

	ck_assert_uint_eq(d.count, 2);
	ck_assert_mem_eq(d.items[0].raw, dump_error, 64);
	ck_assert_mem_eq(d.items[1].raw + 52, second, 12);
	ck_assert_uint_eq(d.items[1].raw[35], 0x20);
	ck_assert_uint_eq(d.items[0].known, ALL);
	ck_assert_uint_eq(d.items[1].known, ALL);
	/* Without offsets it is a guess, and says so. */
	ck_assert_uint_eq(d.items[0].flags & CQESIM_DUMP_MIXED, _i ? CQESIM_DUMP_MIXED : 0);
	ck_assert_str_eq(d.items[0].device, _i ? "a" : "mlx5_0");
	ck_assert_str_eq(d.items[1].device, _i ? "b" : "mlx5_1");
	cqesim_dump_free(&d);
}
END_TEST

START_TEST(work_requests_are_none)
{
	struct cqesim_dump d = dump_of_example("kernel-journal.log");
	const struct cqesim_dump_item *wqe = &d.items[1];

	ck_assert_int_eq(wqe->kind, CQESIM_DUMP_WQE);
	ck_assert_uint_eq(wqe->size, 48);
	ck_assert_uint_eq(wqe->stated.wq_size, 1024);
	ck_assert_uint_eq(wqe->stated.wqe_index, 0xc3d);
	ck_assert_uint_eq(wqe->raw[3], 8);
	/* What the heading said went to the completion, the line behind it tells of the same. */
	ck_assert_uint_eq(d.items[0].stated.cqn, 0x817);
	ck_assert_uint_eq(d.items[0].stated.ci, 8);
	ck_assert_int_eq(d.items[2].kind, CQESIM_DUMP_STATEMENT);
	ck_assert_uint_eq(d.items[2].same_as, 0);
	cqesim_dump_free(&d);
	/* A request's words are in the order of those of the completion before. */
	d = dump_of_example("dpdk-swapped.log");
	ck_assert_int_eq(d.items[1].kind, CQESIM_DUMP_WQE);
	ck_assert_uint_eq(d.items[1].raw[3], 8);
	ck_assert_uint_eq(d.items[1].raw[6], 0xb2);
	cqesim_dump_free(&d);
}
END_TEST

/* DPDK prints the whole ring: each slot is one, those inside a session are none. */
START_TEST(ring_in_a_text)
{
	struct cqesim_dump d = dump_of_example("dpdk-file.log");
	char text[CQESIM_DUMP_TEXT];

	ck_assert_int_eq(d.items[0].kind, CQESIM_DUMP_STATEMENT);
	ck_assert_uint_eq(d.items[0].same_as, 5);
	ck_assert_uint_eq(d.items[0].stated.cqn, 128);
	ck_assert_uint_eq(d.items[0].stated.wq_ci, 3134);
	ck_assert_uint_eq(d.items[0].stated.ci, 4);
	for (unsigned slot = 0; slot < 8; slot++) {
		ck_assert_int_eq(d.items[1 + slot].kind, CQESIM_DUMP_CQE);
		ck_assert_uint_eq(d.items[1 + slot].slot, slot);
		ck_assert_uint_eq(!!(d.items[1 + slot].flags & CQESIM_DUMP_ARRAY),
				  slot == 2 || slot == 3);
	}
	cqesim_dump_explain(&d.items[1], text, sizeof(text));
	ck_assert_str_eq(text, "Received 60 bytes into the buffer with WQE index 9, IPv4, TCP ACK "
			       "with data, L3 and L4 checksums good, RSS hash 0x11223344, flow tag "
			       "0x00002a.");
	cqesim_dump_explain(&d.items[2], text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "compressed session of 3 packets"));
	cqesim_dump_explain(&d.items[7], text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "An empty slot"));
	cqesim_dump_free(&d);
}
END_TEST

/* Hex that is no completion is called that, not decoded. */
START_TEST(other_hex)
{
	static const char packet[] = "IP 10.0.0.1 > 10.0.0.2\n"
				     "\t0x0000:  4500 0054 0000 4000 4001 26a7 0a00 0001\n"
				     "\t0x0010:  0a00 0002 0800 7d0c 0001 0001 1122 3344\n"
				     "\t0x0020:  5566 7788 99aa bbcc ddee ff00 1122 3344\n"
				     "\t0x0030:  5566 7788 99aa bbcc ddee ff00 1122 3344\n"
				     "end\n";
	static const char oops[] = "[ 1.0] Code: 48 89 45 d0 48 8b 45 d0 48 89 c7 e8 00 00 00 00 "
				   "48 8b 45 d0 <0f> 0b 48 8b\n";
	static const char zeros[] = "mlx5 here:\n"
				    "00000000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
				    "00000010: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
				    "00000020: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
				    "00000030: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n";
	static const struct {
		const char *text;
		enum cqesim_dump_reason reason;
	} cases[] = {
		{packet, CQESIM_DUMP_HEX}, {oops, CQESIM_DUMP_CODE}, {zeros, CQESIM_DUMP_ZEROS}};

	for (unsigned i = 0; i < 3; i++) {
		struct cqesim_dump d = dump_of(cases[i].text, strlen(cases[i].text));

		ck_assert_uint_eq(d.count, 1);
		ck_assert_int_eq(d.items[0].kind, CQESIM_DUMP_FOREIGN);
		ck_assert_int_eq(d.items[0].reason, cases[i].reason);
		cqesim_dump_free(&d);
	}
}
END_TEST

/* An announced completion without bytes, or with a few of them, is not forgotten. */
START_TEST(incomplete)
{
	static const char nothing[] = "mlx5: host1: got completion with error:\nthe end\n";
	static const char half[] = "mlx5: host1: got completion with error:\n"
				   "00000000 00000000 00000000 00000000\n"
				   "00000000 00000000 00000000 00000000\n";
	char text[CQESIM_DUMP_TEXT];
	struct cqesim_dump d = dump_of(nothing, strlen(nothing));

	ck_assert_uint_eq(d.count, 1);
	ck_assert_int_eq(d.items[0].kind, CQESIM_DUMP_STATEMENT);
	ck_assert_int_eq(d.items[0].source, CQESIM_DUMP_BY_LIBMLX5);
	cqesim_dump_free(&d);
	d = dump_of(half, strlen(half));
	ck_assert_uint_eq(d.count, 1);
	ck_assert_int_eq(d.items[0].kind, CQESIM_DUMP_CQE);
	ck_assert_uint_eq(d.items[0].known, UINT64_C(0xffffffff));
	cqesim_dump_explain(&d.items[0], text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "missing: 32-63"));
	cqesim_dump_free(&d);
}
END_TEST

/* A row of the ring's text: 16 bytes at an offset, of which the last is given. */
static size_t row(char *text, unsigned offset, const char *last)
{
	return (size_t)sprintf(text, "%08X: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 %s\n",
			       offset, last);
}

/* What fuzzing found: a slot of which nothing is there, and a short row that comes again. */
START_TEST(gaps_and_short_rows)
{
	static const char twice[] = "00000000: 01 02\n"
				    "00000000: 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10\n";
	char text[4096];
	size_t n = (size_t)sprintf(text, "MLX5 Error CQ: at [0x7f], len=192\n");

	for (unsigned offset = 0; offset < 192; offset += 16)
		if (offset < 64 || offset >= 128)
			n += row(text + n, offset, offset % 64 == 48 ? "f1" : "00");
	struct cqesim_dump d = dump_of(text, n);
	ck_assert_uint_eq(d.count, 2);
	ck_assert_uint_eq(d.items[0].slot, 0);
	ck_assert_uint_eq(d.items[1].slot, 2);
	ck_assert_uint_eq(d.items[1].known, ALL);
	cqesim_dump_free(&d);
	char *copy = strdup(twice); /* on the heap, for what watches its ends */
	d = dump_of(copy, strlen(copy));
	ck_assert_uint_le(d.count, 2);
	cqesim_dump_free(&d);
	free(copy);
}
END_TEST

START_TEST(counters)
{
	static const char more[] =
		"Ethtool(mlx5p1  ) stat:     74194573 (     74,194,573) <= rx_xdp_drop /sec\n"
		"/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_buffer:3\n"
		"link mlx5_0/1 rx_write_requests 5 out_of_buffer 7 local_ack_timeout_err 9\n"
		"| RXQs DROP | no_touch RX=1024 | read RX=512 |\n"
		"|-----------+------------------+-------------|\n"
		"|         2 |         45463076 |             |\n"
		"rx12_cqe_compress_blks: 18446744073709551615\n"
		"rx_packets: 18446744073709551616\n";
	struct cqesim_dump d = dump_of_example("counters.txt");

	ck_assert_uint_eq(d.count, 8);
	ck_assert_uint_eq(d.other_counters, 1);
	ck_assert_str_eq(d.items[3].name, "rx_cqe_compress_pkts");
	ck_assert_uint_eq(d.items[3].value, 600000);
	cqesim_dump_free(&d);
	d = dump_of(more, strlen(more));
	ck_assert_uint_eq(d.count, 6);
	ck_assert_uint_eq(d.items[0].value, 74194573);
	ck_assert_uint_eq(d.items[0].flags, CQESIM_DUMP_RATE);
	ck_assert_uint_eq(d.items[1].value, 3);
	ck_assert_uint_eq(d.items[2].value, 7);
	ck_assert_str_eq(d.items[3].name, "local_ack_timeout_err");
	ck_assert_str_eq(d.items[4].name, "no_touch RX=1024, 2 queues");
	ck_assert_uint_eq(d.items[4].value, 45463076);
	ck_assert_uint_eq(d.items[5].value, UINT64_MAX);
	ck_assert_str_eq(cqesim_dump_counter_text("rx12_cqe_compress_blks"),
			 cqesim_dump_counter_text("rx_cqe_compress_blks"));
	ck_assert_ptr_null(cqesim_dump_counter_text("rx_unheard_of"));
	cqesim_dump_free(&d);
}
END_TEST

Suite *suite_dump(void)
{
	Suite *s = suite_create("dump");
	TCase *tc = tcase_create("find");

	tcase_add_loop_test(tc, notation, 0, EXAMPLES);
	tcase_add_loop_test(tc, line_ends, 0, EXAMPLES);
	tcase_add_loop_test(tc, interleaved_rows, 0, 2);
	tcase_add_test(tc, work_requests_are_none);
	tcase_add_test(tc, ring_in_a_text);
	tcase_add_test(tc, other_hex);
	tcase_add_test(tc, incomplete);
	tcase_add_test(tc, gaps_and_short_rows);
	tcase_add_test(tc, counters);
	suite_add_tcase(s, tc);
	add_dump_words(s);
	add_dump_verdict(s);
	add_dump_shared(s);
	add_dump_plausible(s);
	add_dump_random(s);
	add_dump_cli(s);
	return s;
}

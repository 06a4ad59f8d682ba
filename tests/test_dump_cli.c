/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim decode: options, reports, exit codes, and the examples of its chapter. */
#include "chapter.h"
#include "cqesim/cq.h"
#include "test_dump.h"

static const char *example(const char *name)
{
	static char path[2][PATH_MAX];
	static unsigned turn;

	turn ^= 1;
	snprintf(path[turn], sizeof(path[turn]), "%s/tests/dumps/%s", test_top_srcdir(), name);
	return path[turn];
}

/* A file of these bytes in the folder for such. */
static const char *scratch(const char *name, const void *bytes, size_t size)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s.%d", test_tmpdir(), name, getpid());
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
	fclose(f);
	return path;
}

static void says(const struct output *o, const char *words)
{
	ck_assert_msg(strstr(o->out, words) != NULL, "no \"%s\" in:\n%s", words, o->out);
}

START_TEST(text_report)
{
	struct output o = cli("decode", example("kernel-journal.log"));

	ck_assert_msg(o.code == 0, "%d: %s", o.code, o.err);
	says(&o, "10 lines: 1 failed completion, 1 repetition, 1 work request\n");
	says(&o, "A first error, not a flush: number 1 (line 1)");
	says(&o, "1  lines 1-5, printed as bytes, by mlx5_core, 0000:3b:00.1 eth1\n");
	says(&o, "    On this host: the card was not allowed to touch the local memory of the "
		 "RDMA_WRITE "
		 "with WQE\n");
	says(&o,
	     "Vendor syndrome 0x53 (83): what it means is not publicly documented. Always seen");
	says(&o, "    Next:\n      - ");
	says(&o, "    54         vendor_err_synd      0x53 (83) ");
	says(&o, "    63 7:4     opcode               0xd (13) REQ_ERR ");
	says(&o, "    57-59      qpn                  0x00a1b2 (41394) ");
	says(&o, "CQN 0x817, CQ index 0x8");
	says(&o, "3  line 10, by mlx5_core, 0000:3b:00.1 eth1\n");
	says(&o, "    The same error as number 1, it seems.\n");
	/* The first line has the path of the file. */
	for (const char *line = strchr(o.out, '\n') + 1; *line; line += strcspn(line, "\n") + 1) {
		size_t n = strcspn(line, "\n");

		ck_assert_msg(n <= 100, "long line: %.*s", (int)n, line);
		ck_assert_msg(!n || line[n - 1] != ' ', "space at the end: %.*s", (int)n, line);
	}
	output_free(&o);
}
END_TEST

START_TEST(annotated)
{
	struct output o = cli("decode", "--annotate", example("kernel.log"));

	ck_assert_int_eq(o.code, 0);
	says(&o, "    0x30   00 00 00 00 9d 20 53 04 08 00 a1 b2 0c 3d 7e d2\n"
		 "           .. .. .. .. ee ff gg hh ii jj jj jj kk kk ll mm\n"
		 "            e  52        hw_err_synd = 0x9d (157)\n");
	says(&o, "            m  63 7:4    opcode = 0xd (13) REQ_ERR\n");
	output_free(&o);
	o = cli("decode", "--annotate", example("row-missing.log"));
	says(&o, "    0x10   -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- --\n");
	says(&o, "20-21     ib_stride_index = not in the input\n");
	output_free(&o);
}
END_TEST

/* The keys by which an error completion's values are mostly asked for. */
START_TEST(json_report)
{
	json_t *doc = good_json(cli("decode", "--json", example("kernel-journal.log")), 0);
	json_t *item = json_array_get(at(doc, "items"), 0);

	ck_assert_uint_eq(count_at(doc, "verdict.root"), 1);
	ck_assert_uint_eq(count_at(doc, "verdict.errors"), 1);
	ck_assert_uint_eq(json_array_size(at(doc, "items")), 3);
	ck_assert_str_eq(json_string_value(at(item, "kind")), "completion");
	ck_assert_str_eq(json_string_value(at(item, "by")), "mlx5_core");
	ck_assert_str_eq(json_string_value(at(item, "device")), "0000:3b:00.1 eth1");
	ck_assert_str_eq(json_string_value(at(item, "hex")),
			 "0000000000000000000000000000000000000000000000000000000000000000"
			 "0000001f000000000000000000000000000000009d2053040800a1b20c3d7ed2");
	ck_assert_uint_eq(count_at(item, "error.opcode"), 13);
	ck_assert_uint_eq(count_at(item, "error.syndrome"), 4);
	ck_assert_str_eq(json_string_value(at(item, "error.syndrome_name")), "LOCAL_PROT_ERR");
	ck_assert_uint_eq(count_at(item, "error.vendor_err_synd"), 0x53);
	ck_assert_str_eq(json_string_value(at(item, "error.ucx_style_hw_synd")), "2/157");
	ck_assert_uint_eq(count_at(item, "error.qpn"), 0xa1b2);
	ck_assert_uint_eq(count_at(item, "error.wqe_counter"), 0xc3d);
	ck_assert_uint_eq(count_at(item, "error.srqn_uidx"), 31);
	ck_assert_uint_eq(count_at(item, "stated.cqn"), 0x817);
	ck_assert_str_eq(json_string_value(at(item, "stated.queue")), "sq");
	ck_assert_str_eq(json_string_value(at(item, "where")), "local");
	ck_assert_str_eq(json_string_value(at(item, "vendor.grade")), "C");
	ck_assert(json_is_null(at(item, "vendor.meaning")));
	ck_assert_uint_ge(json_array_size(at(item, "next")), 1);
	/* Every field of the view, with its value. */
	json_t *fields = at(item, "fields"), *field;
	size_t i, seen = 0;
	json_array_foreach(fields, i, field)
	{
		if (strcmp(json_string_value(at(field, "name")), "qpn"))
			continue;
		seen++;
		ck_assert_uint_eq(count_at(field, "byte"), 57);
		ck_assert_uint_eq(count_at(field, "value"), 0xa1b2);
		ck_assert_str_eq(json_string_value(at(field, "hex")), "0xa1b2");
	}
	ck_assert_uint_eq(seen, 1);
	ck_assert_uint_eq(count_at(json_array_get(at(doc, "items"), 2), "same_as"), 1);
	ck_assert_uint_eq(count_at(json_array_get(at(doc, "items"), 1), "size"), 48);
	json_decref(doc);
}
END_TEST

/* Each example gives a document; nothing that a log holds can break it. */
START_TEST(json_of_anything)
{
	static const char odd[] = "infiniband a\"b\\c\001\377: x: WC error: 4, m\n";
	const char *path = scratch("odd", odd, sizeof(odd) - 1);
	json_t *doc = good_json(cli("decode", "--json", path), 0);
	json_t *item = json_array_get(at(doc, "items"), 0);

	ck_assert_str_eq(json_string_value(at(item, "device")), "a\"b\\c  ");
	ck_assert_uint_eq(count_at(item, "facts.syndrome"), 4);
	json_decref(doc);
	static const char *const files[] = {"dpdk-file.log", "counters.txt", "nccl.log",
					    "ucx.log",       "received.txt", "title.txt",
					    "last-row.log",  "ring.bin"};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		doc = good_json(cli("decode", "--json", example(files[i])), 0);
		ck_assert_uint_ge(json_array_size(at(doc, "items")), 1);
		json_decref(doc);
	}
}
END_TEST

START_TEST(standard_input)
{
	struct output o = cli_from(example("libmlx5.log"), "decode");

	ck_assert_int_eq(o.code, 0);
	says(&o, "standard input, 7 lines: 1 failed completion\n");
	output_free(&o);
	o = cli_from(example("libmlx5.log"), "decode", "-");
	ck_assert_int_eq(o.code, 0);
	says(&o, "standard input, 7 lines: 1 failed completion\n");
	output_free(&o);
}
END_TEST

START_TEST(nothing_of_mlx5)
{
	static const char text[] = "a line\nanother\n";
	struct output o = cli("decode", example("not-mlx5.log"));

	/* What they are is said; that they are none makes the exit status. */
	ck_assert_int_eq(o.code, 1);
	says(&o, "Not an mlx5 completion: an older Mellanox card");
	says(&o, "the firmware refused a command");
	ck_assert_ptr_nonnull(strstr(o.err, "nothing in it is an mlx5 completion"));
	output_free(&o);
	fails(cli("decode", scratch("plain", text, sizeof(text) - 1)), 1, "no completion",
	      "2 lines");
	fails(cli("decode", scratch("empty", text, 0)), 1, "no completion", "0 lines");
	fails(cli("decode", scratch("binary", "\0\1\2\3", 4)), 1, "binary data of 4 bytes", NULL);
	fails(cli("decode", "/nowhere/at/all"), 1, "/nowhere/at/all", "cannot open");
	fails(cli("decode", test_tmpdir()), 1, test_tmpdir(), "cannot read");
}
END_TEST

START_TEST(usage)
{
	struct output o = cli("decode", "--help");

	ck_assert_int_eq(o.code, 0);
	says(&o, "usage: cqesim decode");
	output_free(&o);
	fails(cli("decode", "a", "b"), 2, "expected one file", NULL);
	fails(cli("decode", "--what"), 2, "unknown option --what", NULL);
	fails(cli("decode", "--vendor", "0x1ff"), 2, "--vendor 0x1ff", "0 to 255");
	fails(cli("decode", "--vendor", "x"), 2, "--vendor x", NULL);
	fails(cli("decode", "--vendor", "0x51", "a"), 2, "--vendor", "without a file");
	fails(cli("decode", "--vendor", "0x51", "--json"), 2, "--vendor", "alone");
	fails(cli("decode", "--log-cqe-n", "4", "a"), 2, "need --ring or --feed", NULL);
	fails(cli("decode", "--ring", "--feed", "a"), 2, "exclude each other", NULL);
	fails(cli("decode", "--ring", "--layout", "other", "a"), 2, "--layout other", "basic");
	fails(cli("decode", "--ring", "--cqe-size", "32", "a"), 2, "--cqe-size 32", "64 or 128");
	fails(cli("decode", "--ring", "--mini-format", "x", "a"), 2, "--mini-format x",
	      "l34h_stridx");
	fails(cli("decode", "--ring", "--log-cqe-n", "23", "a"), 2, "--log-cqe-n 23", "0 to 22");
}
END_TEST

START_TEST(vendor_option)
{
	struct output o = cli("decode", "--vendor", "0x78");

	ck_assert_int_eq(o.code, 0);
	says(&o, "Vendor syndrome 0x78 (120): with hw syndrome 0x08");
	says(&o, "Grade B");
	says(&o, "Grade C");
	output_free(&o);
	o = cli("decode", "--vendor", "112");
	ck_assert_str_eq(o.out, "Vendor syndrome 0x70 (112): not publicly documented.\n");
	output_free(&o);
	o = cli("decode", "--vendor", "all");
	says(&o, "(50)");
	says(&o, "(249)");
	output_free(&o);
}
END_TEST

/* The code of a card that the line does not name. */
START_TEST(unnamed_card)
{
	struct output o = cli("decode", example("nccl.log"));

	says(&o, "2 lines: 2 failed completions\n");
	says(&o, "The line does not name the card");
	output_free(&o);
	o = cli("decode", example("ucx.log"));
	ck_assert_ptr_null(strstr(o.out, "The line does not name the card"));
	output_free(&o);
}
END_TEST

START_TEST(repeated_lines)
{
	char text[8192] = "";

	for (unsigned i = 0; i < 20; i++)
		strcat(text,
		       "[1.0] infiniband a: mlx5_poll_one:1: Responder error cqe on cqn 0x406:\n"
		       "[1.0] infiniband a: mlx5_poll_one:2: syndrome 0x5, vendor syndrome 0xf9\n");
	const char *path = scratch("repeated", text, strlen(text));
	struct output o = cli("decode", path);

	ck_assert_int_eq(o.code, 0);
	says(&o, "19 more that say the same, up to number 20 (line 40).\n");
	says(&o, "Only flushed work");
	output_free(&o);
	o = cli("decode", "--all", path);
	ck_assert_ptr_null(strstr(o.out, "more that say the same"));
	output_free(&o);
}
END_TEST

/* Prose alone is nothing found; beside an error it is told in one line. */
START_TEST(mentioned_only)
{
	static const char prose[] = "See the manual for IBV_WC_REM_ACCESS_ERR.\n"
				    "If the error is \"local protection error\", look there.\n";
	static const char error[] = "rpcrdma: Recv: local length error (1/0xd7)\n";
	char text[512];

	fails(cli("decode", scratch("prose", prose, strlen(prose))), 1, "no completion",
	      "2 lines mention");
	snprintf(text, sizeof(text), "%s%s", prose, error);
	struct output o = cli("decode", scratch("both", text, strlen(text)));
	ck_assert_int_eq(o.code, 0);
	says(&o, "3 lines: 1 failed completion\n");
	says(&o, "\n2 lines mention the name of such an error without reporting one.\n");
	output_free(&o);
	json_t *doc = good_json(cli("decode", "--json", scratch("both", text, strlen(text))), 0);
	ck_assert_uint_eq(count_at(doc, "mentions"), 2);
	json_decref(doc);
}
END_TEST

/* What did not fit is told, and the exit code tells it too. */
START_TEST(more_than_fits)
{
	static const char line[] = "rx_packets: 1\n";
	size_t n = sizeof(line) - 1, lines = CQESIM_DUMP_MAX_ITEMS + 5;
	char *text = malloc(n * lines);

	for (size_t i = 0; i < lines; i++)
		memcpy(text + n * i, line, n);
	struct output o = cli("decode", scratch("many", text, n * lines));
	free(text);
	ck_assert_int_eq(o.code, 1);
	says(&o, "The last 5 lines were not looked at");
	ck_assert_msg(strstr(o.err, "the last 5 of 262149 lines were not looked at") != NULL, "%s",
		      o.err);
	ck_assert_ptr_null(strstr(o.err, "line 0"));
	output_free(&o);
}
END_TEST

/* 64 bytes in one line and nothing else: a SIG_ERR without a heading. */
START_TEST(signature_line)
{
	char text[130];

	memset(text, '0', 128);
	memcpy(text + 78, "77", 2);
	memcpy(text + 126, "c0\n", 4);
	struct output o = cli("decode", scratch("sig", text, strlen(text)));
	ck_assert_int_eq(o.code, 0);
	says(&o, "1 failed completion");
	says(&o, "memory key 0x77 does not match its signature");
	output_free(&o);
}
END_TEST

/* "cqesim decode | head" ends without a word. */
START_TEST(reader_gone)
{
	const char *program = cli_program(), *path = scratch("gone", "", 0);
	size_t size;
	int out[2], status;

	ck_assert_int_eq(pipe(out), 0);
	close(out[0]);
	pid_t child = fork();
	if (!child) {
		int err = open(path, O_WRONLY);

		dup2(out[1], STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		execl(program, program, "decode", "--vendor", "all", (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 1);
	char *said = slurp(path, &size);
	ck_assert_str_eq(said, "");
	free(said);
}
END_TEST

/* ---- rings ---- */

/* Error at slot 4 behind a plain completion and a session of three (tests/dumps/ring.bin). */
START_TEST(ring_image)
{
	json_t *doc = good_json(
		cli("decode", "--ring", "--log-cqe-n", "3", "--json", example("ring.bin")), 0);
	json_t *items = at(doc, "items");

	ck_assert_uint_eq(json_array_size(items), 5);
	ck_assert_uint_eq(count_at(doc, "packets"), 4);
	ck_assert_uint_eq(count_at(doc, "sessions"), 1);
	ck_assert_uint_eq(count_at(doc, "errors"), 1);
	ck_assert_uint_eq(count_at(doc, "faults"), 0);
	ck_assert_uint_eq(count_at(doc, "cq_ci"), 5);
	ck_assert_uint_eq(count_at(json_array_get(items, 0), "byte_cnt"), 60);
	for (unsigned i = 0; i < 3; i++) {
		json_t *packet = json_array_get(items, 1 + i);

		ck_assert_uint_eq(count_at(packet, "session_n"), 3);
		ck_assert_uint_eq(count_at(packet, "session_i"), i);
		ck_assert_uint_eq(count_at(packet, "byte_cnt"), 64 + i);
		ck_assert_uint_eq(count_at(packet, "rx_hash_res"), (uint64_t)(i + 1) << 24);
		ck_assert_uint_eq(count_at(packet, "wqe_counter"), 10 + i);
	}
	ck_assert_uint_eq(count_at(json_array_get(items, 4), "error.qpn"), 0xa1b2);
	json_decref(doc);
	struct output o = cli("decode", "--ring", example("ring.bin"));
	ck_assert_int_eq(o.code, 0);
	says(&o, "index 1, slot 1: Packet 2 of 3 of its session: 65 bytes, WQE counter 11");
	says(&o,
	     "5 completions, 4 packets (3 in 1 sessions), 1 errors, 0 faults; consumer index 5\n");
	output_free(&o);
	/* On the next lap all of them are the card's. */
	o = cli("decode", "--ring", "--cq-ci", "8", example("ring.bin"));
	says(&o, "Nothing at this consumer index is software's.");
	output_free(&o);
}
END_TEST

START_TEST(ring_of_another_size)
{
	static const uint8_t bytes[192];
	const char *path = scratch("ring", bytes, sizeof(bytes));

	fails(cli("decode", "--ring", path), 1, "192 bytes are no power of two of 64-byte entries",
	      NULL);
	fails(cli("decode", "--ring", "--log-cqe-n", "2", path), 1, "192 bytes",
	      "2^2 entries of 64 bytes has 256");
}
END_TEST

START_TEST(damaged_ring)
{
	uint8_t ring[4 * 64] = {0};
	struct output o;

	/* A session of nine in a ring of four. */
	ring[44 + 3] = 9;
	ring[63] = CQESIM_OP_OWN(CQESIM_OP_RESP_SEND, CQESIM_FORMAT_COMPRESSED, 0);
	for (unsigned slot = 1; slot < 4; slot++)
		ring[64 * slot + 63] = 0xf1;
	const char *path = scratch("damaged", ring, sizeof(ring));

	o = cli("decode", "--ring", path);
	ck_assert_int_eq(o.code, 1);
	says(&o, "index 0, slot 0: ");
	says(&o, cqesim_cq_fault_name(CQESIM_CQ_FAULT_SESSION_LONG));
	ck_assert_ptr_nonnull(strstr(o.err, "1 fault in the ring"));
	output_free(&o);
}
END_TEST

/* ---- feeds ---- */

static size_t feed_slot(uint8_t *feed, size_t at, uint32_t slot, uint8_t length, uint8_t op_own)
{
	memcpy(feed + at, &slot, 4);
	memset(feed + at + 4, 0, 64);
	feed[at + 4 + 47] = length;
	feed[at + 4 + 63] = op_own;
	return at + 68;
}

static size_t feed_word(uint8_t *feed, size_t at, uint32_t word)
{
	memcpy(feed + at, &word, 4);
	return at + 4;
}

START_TEST(feed)
{
	uint8_t bytes[1024] = "CQFEED01";
	size_t n = 8;
	char path[PATH_MAX];

	n = feed_slot(bytes, n, 0, 60, 0x20);
	n = feed_slot(bytes, n, 1, 61, 0x20);
	n = feed_word(bytes, n, 0xfffffffd);
	n = feed_word(bytes, n, 1); /* read one */
	n = feed_word(bytes, n, 0xffffffff);
	n = feed_slot(bytes, n, 0, 62, 0x21); /* the next lap */
	snprintf(path, sizeof(path), "%s", scratch("feed", bytes, n));
	json_t *doc = good_json(cli("decode", "--json", path), 0); /* known by its first letters */
	json_t *items = at(doc, "items");
	ck_assert_uint_eq(count_at(doc, "slots"), 2);
	ck_assert_uint_eq(json_array_size(items), 3);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(count_at(json_array_get(items, i), "index"), i);
		ck_assert_uint_eq(count_at(json_array_get(items, i), "byte_cnt"), 60 + i);
		ck_assert_uint_eq(count_at(json_array_get(items, i), "batch"), i == 2);
	}
	json_decref(doc);
	fails(cli("decode", "--feed", "--log-cqe-n", "0", path), 1, "offset 76: slot 1", "below 1");
	fails(cli("decode", "--feed", scratch("cut", bytes, n - 1)), 1, "offset 156",
	      "ends inside a record");
	fails(cli("decode", "--feed", scratch("none", "hello, world", 12)), 1, "offset 0",
	      "CQFEED01");
}
END_TEST

/* ---- the chapter ---- */

START_TEST(chapter)
{
	chapter_check("dumps.md", -1, 6, 30);
}
END_TEST

void add_dump_cli(Suite *suite)
{
	TCase *tc = tcase_create("program");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, text_report);
	tcase_add_test(tc, annotated);
	tcase_add_test(tc, json_report);
	tcase_add_test(tc, json_of_anything);
	tcase_add_test(tc, standard_input);
	tcase_add_test(tc, nothing_of_mlx5);
	tcase_add_test(tc, usage);
	tcase_add_test(tc, vendor_option);
	tcase_add_test(tc, unnamed_card);
	tcase_add_test(tc, repeated_lines);
	tcase_add_test(tc, mentioned_only);
	tcase_add_test(tc, more_than_fits);
	tcase_add_test(tc, signature_line);
	tcase_add_test(tc, reader_gone);
	tcase_add_test(tc, ring_image);
	tcase_add_test(tc, ring_of_another_size);
	tcase_add_test(tc, damaged_ring);
	tcase_add_test(tc, feed);
	tcase_add_test(tc, chapter);
	suite_add_tcase(suite, tc);
}

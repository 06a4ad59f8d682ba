/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim encode and cqesim walk as people and scripts meet them. */
#include <sys/stat.h>

#include "cli_run.h"
#include "test_describe.h"
#include "trace_files.h"

static const char *path_of(const char *name)
{
	static char path[4][PATH_MAX];
	static unsigned n;

	n = (n + 1) % 4;
	snprintf(path[n], sizeof(path[n]), "%s/tests/describe/%s", test_top_srcdir(), name);
	return path[n];
}

static const char *temporary(const char *name)
{
	static char path[4][PATH_MAX];
	static unsigned n;

	n = (n + 1) % 4;
	snprintf(path[n], sizeof(path[n]), "%s/%s", test_tmpdir(), name);
	return path[n];
}

static const char *save_words(const char *name, const char *text)
{
	const char *path = temporary(name);
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
	return path;
}

/* Standard output of a run that went well; to be freed. */
static char *out_of(struct output o)
{
	ck_assert_msg(o.code == 0, "exit %d, signal %d: %s", o.code, o.signal, o.err);
	ck_assert_str_eq(o.err, "");
	free(o.err);
	return o.out;
}

START_TEST(image)
{
	const char *file = temporary("ring.img");
	struct output o = cli("encode", "-o", file, path_of("session.yaml"));
	struct cqesim_description *d = example("session.yaml");
	uint8_t *ring = written(d, NULL);
	size_t size;

	char *out = out_of(o), want[PATH_MAX + 200];
	snprintf(want, sizeof(want), "cqesim walk --ring %s --log-cqe-n 4 --cq-ci 4\n", file);
	ck_assert_str_eq(out, want);
	free(out);
	char *bytes = slurp(file, &size);
	ck_assert_uint_eq(size, 1024);
	ck_assert_mem_eq(bytes, ring, size);
	free(bytes);
	/* The same through pipes, and from standard input. */
	o = cli_from(path_of("session.yaml"), "encode");
	ck_assert_uint_eq(o.out_size, 1024);
	ck_assert_mem_eq(o.out, ring, 1024);
	output_free(&o);
	o = cli_from(path_of("session.yaml"), "encode", "--quiet", "-", "--output", "-");
	ck_assert_uint_eq(o.out_size, 1024);
	output_free(&o);
	free(ring);
	cqesim_description_free(d);
}
END_TEST

START_TEST(texts)
{
	static const char cqe[] =
		"opcode: REQ_ERR\nsyndrome: 0x13\nvendor_err_synd: 0x88\n"
		"wqe_opcode: RDMA_WRITE\nqpn: 0x803\nwqe_counter: 0x1e\nsignature: 0x42\n";
	static const struct {
		const char *form, *want;
	} forms[] = {
		{"libmlx5", "mlx5: localhost: got completion with error:\n"
			    "00000000 00000000 00000000 00000000\n"
			    "00000000 00000000 00000000 00000000\n"
			    "00000000 00000000 00000000 00000000\n"
			    "00000000 00008813 08000803 001e42d0\n"},
		{"kernel", "Error cqe on cqn 0x0, ci 0x0, qn 0x803, opcode 0xd, syndrome 0x13, "
			   "vendor syndrome 0x88\n"
			   "00000000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
			   "00000010: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
			   "00000020: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
			   "00000030: 00 00 00 00 00 00 88 13 08 00 08 03 00 1e 42 d0\n"},
		{"hexdump",
		 "MLX5 Error CQE: at [0x0], len=64\n"
		 "00000000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | ................\n"
		 "00000010: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | ................\n"
		 "00000020: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | ................\n"
		 "00000030: 00 00 00 00 00 00 88 13 08 00 08 03 00 1E 42 D0 | ..............B.\n"},
	};
	const char *file = save_words("cqe.yaml", cqe);

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		char *out = out_of(cli("encode", "--dump", forms[i].form, file));

		ck_assert_str_eq(out, forms[i].want);
		free(out);
	}
	char *out = out_of(cli("encode", "--hex", file));
	ck_assert_uint_eq(strlen(out), 129);
	ck_assert_str_eq(out + 104, "0000881308000803001e42d0\n");
	free(out);
}
END_TEST

/* Of a ring the slots that were written, or all. */
START_TEST(slots)
{
	char *out = out_of(cli("encode", "--hex", path_of("session.yaml")));

	ck_assert_uint_eq(lines_of(out), 4); /* 4, 5, 6, 13 */
	ck_assert_uint_eq(strlen(out), 4 * 129);
	free(out);
	out = out_of(cli("encode", "--hex", "--all", path_of("session.yaml")));
	ck_assert_uint_eq(lines_of(out), 16);
	free(out);
	out = out_of(cli("encode", "--hex", path_of("striding.yaml")));
	ck_assert_uint_eq(lines_of(out), 6);
	ck_assert_uint_eq(strlen(out), 6 * 257);
	free(out);
	out = out_of(cli("encode", "--hex", path_of("errors.json")));
	ck_assert_uint_eq(lines_of(out), 5);
	free(out);
	out = out_of(cli("encode", "--dump", "hexdump", path_of("striding.yaml")));
	ck_assert_uint_eq(lines_of(out), 6 * 5);
	ck_assert_ptr_nonnull(strstr(out, "MLX5 CQE: at [0x80], len=64\n"));
	free(out);
}
END_TEST

static uint32_t word_at(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v)); /* little-endian, as the host */
	return v;
}

START_TEST(feed)
{
	struct output o = cli("encode", "--feed", path_of("laps.yaml"));
	const char *p = o.out;
	static const struct {
		uint32_t word, count; /* UINT32_MAX: a slot */
	} records[] = {
		{0, UINT32_MAX}, {1, UINT32_MAX}, {2, UINT32_MAX}, {3, UINT32_MAX},
		{4, UINT32_MAX}, {5, UINT32_MAX}, {0xffffffff, 0}, {7, UINT32_MAX},
		{6, UINT32_MAX}, {0xfffffffd, 2}, {2, UINT32_MAX}, {0xffffffff, 0},
	};

	ck_assert_int_eq(o.code, 0);
	ck_assert_int_eq(strncmp(p, "CQFEED01", 8), 0);
	p += 8;
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		ck_assert_uint_lt((size_t)(p - o.out), o.out_size);
		ck_assert_uint_eq(word_at(p), records[i].word);
		p += 4;
		if (records[i].count == UINT32_MAX) {
			p += 64;
		} else if (records[i].word == 0xfffffffd) {
			ck_assert_uint_eq(word_at(p), records[i].count);
			p += 4;
		}
	}
	ck_assert_uint_eq((size_t)(p - o.out), o.out_size);
	output_free(&o);
	const char *file = temporary("laps.feed");
	char *out = out_of(cli("encode", "--feed", "-o", file, path_of("laps.yaml")));
	ck_assert_ptr_nonnull(strstr(out, " --log-cqe-n 3 --mcqe-format csum\n"));
	free(out);
	fails(cli("encode", "--feed", path_of("errors.json")), 1, "a feed is of a ring", NULL);
	fails(cli("encode", "--feed", path_of("striding.yaml")), 1, "cqe_size: 64", NULL);
}
END_TEST

START_TEST(bad_encode)
{
	static const struct {
		const char *a, *b, *words;
	} cases[] = {
		{"--dump", "xxd", "libmlx5, kernel, hexdump"},
		{"--driver", "windows", "dpdk-scalar, dpdk-vec, linux"},
		{"--hex", "--feed", "exclude each other"},
		{"--all", "--feed", "--all is for --hex and --dump"},
		{"--output", "", "expected a file name"},
		{"--colour", "red", "--colour"},
		{"--hex=1", "a", "--hex=1"},
		{"a", "b", "is a second"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		fails(cli("encode", cases[i].a, cases[i].b), 2, cases[i].words, "--help");
	fails(cli("encode", "--dump"), 2, "--dump needs a value", NULL);
	fails(cli("encode", "/no/such/file"), 1, "/no/such/file: No such file", NULL);
	fails(cli_from("/dev/null", "encode"), 1, "standard input:1: nothing described", NULL);
	const char *bad = save_words("bad.yaml", "byte_cnt: 60\nbyte_count: 61\n");
	fails(cli("encode", bad), 1, "bad.yaml:2: byte_count: no field of a receive completion",
	      NULL);
	/* The output is not touched by what fails, and is never the description. */
	const char *kept = save_words("kept.img", "old");
	fails(cli("encode", "-o", kept, bad), 1, "bad.yaml:2:", NULL);
	char *old = slurp(kept, NULL);
	ck_assert_str_eq(old, "old");
	free(old);
	fails(cli("encode", "-o", bad, bad), 2, "that is the description", NULL);
	fails(cli("encode", "-o", "/no/such/folder/x", path_of("laps.yaml")), 1, "cannot write",
	      NULL);
}
END_TEST

/* ---- walk ---- */

/* The description, its image and the image from a pipe are one walk. */
START_TEST(same_walk)
{
	const char *file = temporary("same.img");
	char *out = out_of(cli("encode", "-o", file, path_of("enhanced.yaml"))), *options, *a, *b;

	options = strstr(out, "--log-cqe-n");
	ck_assert_str_eq(options, "--log-cqe-n 5 --mini-format ftag_stridx --layout enhanced "
				  "--cq-ci 8256\n");
	free(out);
	a = out_of(cli("walk", path_of("enhanced.yaml")));
	b = out_of(cli("walk", "--ring", file, "--log-cqe-n", "5", "--layout", "enhanced",
		       "--mini-format", "ftag_stridx", "--cq-ci", "8256"));
	/* But for the heading, and what the device wrote before the first step. */
	ck_assert_str_eq(strchr(strstr(a, "step 1:"), '\n'), strchr(strstr(b, "step 1:"), '\n'));
	ck_assert_ptr_nonnull(strstr(a, "The device writes slots 0, 1, 8, 15, 16.\nstep 1: "));
	ck_assert_ptr_null(strstr(b, "The device"));
	free(b);
	b = out_of(cli_from(file, "walk", "--ring", "-", "--layout", "enhanced", "--mini-format",
			    "ftag_stridx", "--cq-ci", "8256"));
	ck_assert_str_eq(strchr(strstr(a, "step 1:"), '\n'), strchr(strstr(b, "step 1:"), '\n'));
	free(a);
	free(b);
}
END_TEST

START_TEST(walk_with_batches)
{
	json_t *doc = good_json(cli("walk", "--json", path_of("laps.yaml")), 0), *step;
	static const char *const kinds[] = {"plain", "plain", "plain", "plain", "plain",
					    "plain", "stop",  "title", "mini",  "mini",
					    "mini",  "plain", "stop"};
	size_t i;

	ck_assert_uint_eq(count_at(doc, "completions"), 11);
	ck_assert_uint_eq(count_at(doc, "stopped_at"), 11);
	ck_assert_uint_eq(count_at(doc, "ring.slots"), 8);
	ck_assert_str_eq(json_string_value(at(doc, "driver")), "linux");
	json_array_foreach(at(doc, "steps"), i, step)
	{
		ck_assert_uint_lt(i, sizeof(kinds) / sizeof(kinds[0]));
		ck_assert_str_eq(json_string_value(at(step, "kind")), kinds[i]);
		size_t wrote = json_array_size(at(step, "device_wrote"));
		ck_assert_uint_eq(wrote, i == 0 ? 6 : i == 7 ? 2 : i == 9 ? 1 : 0);
	}
	ck_assert_uint_eq(i, sizeof(kinds) / sizeof(kinds[0]));
	/* The session at indices 6 to 9: two slots in lap 0, two in lap 1. */
	step = json_array_get(at(doc, "steps"), 10);
	ck_assert_uint_eq(count_at(step, "index"), 6);
	ck_assert_uint_eq(count_at(step, "index_after"), 10);
	ck_assert_uint_eq(count_at(step, "session.mini.slot"), 7);
	ck_assert_uint_eq(count_at(step, "session.mini.byte"), 24);
	ck_assert_str_eq(json_string_value(at(step, "session.mini.hex")), "0002000000000041");
	json_decref(doc);
}
END_TEST

START_TEST(limits)
{
	json_t *doc = good_json(cli("walk", "--json", "--steps", "7", path_of("laps.yaml")), 0);

	ck_assert_uint_eq(json_array_size(at(doc, "steps")), 7);
	json_decref(doc);
	doc = good_json(cli("walk", "--json", "--packets", "8", path_of("laps.yaml")), 0);
	ck_assert_uint_eq(json_array_size(at(doc, "steps")), 9); /* one is a stop in between */
	ck_assert_uint_eq(count_at(doc, "completions"), 8);
	ck_assert(json_is_null(at(doc, "stopped_at")));
	json_decref(doc);
	char *out = out_of(cli("walk", "--steps", "2", "--color", path_of("session.yaml")));
	ck_assert_ptr_nonnull(strstr(out, "Ended after 2 steps, as asked for"));
	ck_assert_ptr_null(strchr(out, '\033')); /* no terminal */
	free(out);
	out = out_of(cli("walk", path_of("faults.yaml")));
	ck_assert_ptr_nonnull(strstr(out, "completions read, 3 faults. But slot 7 (index 7)"));
	free(out);
}
END_TEST

/* The ring of a replay: all packets come by, whoever reads. */
START_TEST(packets)
{
	static const char *const drivers[] = {"dpdk-scalar", "dpdk-vec", "linux"};
	struct bytes b = {0};

	three_packets(&b);
	const char *file = save_bytes("walked.pcap", &b);
	json_t *doc = good_json(cli("walk", "--json", file), 0);
	ck_assert_uint_eq(count_at(doc, "completions"), 3);
	ck_assert_uint_eq(count_at(doc, "ring.slots"), 64);
	ck_assert_str_eq(json_string_value(at(doc, "source")), file);
	json_decref(doc);
	for (int i = 0; i < 3; i++) {
		struct output o =
			cli("walk", "--json", "--driver", drivers[i], "--packets", "300",
			    "--log-cqe-n", "5", "--synthetic", "frame=64,flows=3,rate=1Mpps");
		unsigned lost = 0;
		int warned = sscanf(o.err, "cqesim: warning: %u of 300 packets found no place",
				    &lost) == 1;
		doc = good_json(o, (unsigned)warned);
		/* What the ring had no place for is told; many laps of the rest. */
		ck_assert_uint_eq(count_at(doc, "completions"), 300 - lost);
		ck_assert_uint_eq(count_at(doc, "stopped_at"), 300 - lost);
		ck_assert_uint_lt(lost, 60);
		ck_assert_uint_eq(count_at(doc, "faults"), 0);
		ck_assert(json_is_null(at(doc, "missing")));
		ck_assert_str_eq(json_string_value(at(doc, "driver")), drivers[i]);
		json_t *step;
		size_t k, sessions = 0;
		json_array_foreach(at(doc, "steps"), k, step) sessions +=
			!strcmp(json_string_value(at(step, "kind")), "title");
		ck_assert_uint_gt(sessions, 5);
		json_decref(doc);
	}
	doc = good_json(cli("walk", "--json", "--cqe-comp", "off", "--steps", "5", "--synthetic",
			    "frame=64"),
			0);
	ck_assert_uint_eq(json_array_size(at(doc, "steps")), 5);
	json_decref(doc);
}
END_TEST

START_TEST(bad_walk)
{
	const char *ring = path_of("session.yaml");
	const char *image = temporary("bad.img");
	static const struct {
		const char *option, *value, *words;
	} cases[] = {
		{"--driver", "windows", "dpdk-scalar, dpdk-vec, linux"},
		{"--layout", "best", "basic, enhanced"},
		{"--mini-format", "md5", "hash, csum"},
		{"--cqe-size", "32", "64, 128"},
		{"--log-cqe-n", "23", "0 to 22"},
		{"--log-stride", "17", "0 to 16"},
		{"--cq-ci", "4294967296", "0 to 4294967295"},
		{"--packets", "0", "1 to"},
		{"--steps", "x", "1 to"},
		{"--cqe-comp", "maybe", "off, balanced, aggressive"},
		{"--layout", "enhanced", "are for --ring"},
		{"--log-cqe-n", "4", "the description says"},
		{"--device", "connectx-5", "are for packets"},
		{"--ring", "x", "expected one of"},
		{"--bogus", "x", "--bogus"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		fails(cli("walk", cases[i].option, cases[i].value, ring), 2, cases[i].words,
		      "--help");
	fails(cli("walk"), 2, "expected one of", NULL);
	fails(cli("walk", "a", "b"), 2, "is a second", NULL);
	fails(cli("walk", "/no/such/file"), 1, "/no/such/file: No such file", NULL);
	fails(cli("walk", "--ring", "/no/such/file"), 1, "/no/such/file: No such file", NULL);
	fails(cli("walk", "--ring", test_top_srcdir()), 1, "Is a directory", NULL);
	free(out_of(cli("encode", "-o", image, ring)));
	fails(cli("walk", "--ring", image, "--log-cqe-n", "5"), 1, "1024 bytes, expected 2048",
	      "2^5 slots of 64 bytes");
	fails(cli("walk", "--ring", save_words("odd.img", "12345")), 1,
	      "5 bytes, expected a power of two", NULL);
	fails(cli_from("/dev/null", "walk", "--ring", "-"), 1, "0 bytes, expected", NULL);
	fails(cli("walk", "--synthetic", "frame=1"), 1, "frame", NULL);
	fails(cli("walk", "--synthetic", "frame=64", "--device", "connectx-99"), 1, "connectx-99",
	      NULL);
	fails(cli("walk", "--synthetic", "frame=64", "--log-cqe-n", "1"), 1, "ring", NULL);
	fails(cli("walk", "--synthetic", "frame=64", "--mini-format", "req"), 1, "mini-CQE format",
	      NULL);
}
END_TEST

START_TEST(help_texts)
{
	static const char *const options[] = {
		"--hex",    "--dump",    "--feed",     "--all",       "--driver", "--output",
		"--quiet",  "--ring",    "--steps",    "--json",      "--color",  "--cq-ci",
		"--layout", "--packets", "--cqe-size", "--log-stride"};
	char *encode = out_of(cli("encode", "--help")), *walk = out_of(cli("walk", "-h"));

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		ck_assert_msg(strstr(encode, options[i]) || strstr(walk, options[i]), "%s",
			      options[i]);
	free(encode);
	free(walk);
}
END_TEST

/* ---- decode of encode ---- */

/* A description with all the fields that decode tells of each completion. */
static char *described_again(json_t *decoded)
{
	json_t *list = json_array(), *item, *field;
	size_t i, k;

	json_array_foreach(at(decoded, "items"), i, item)
	{
		json_t *cqe = json_object();

		json_object_set(cqe, "view", at(item, "view"));
		json_array_foreach(at(item, "fields"), k, field) json_object_set(
			cqe, json_string_value(at(field, "name")), at(field, "value"));
		json_array_append_new(list, cqe);
	}
	char *text = json_dumps(list, JSON_INDENT(1));
	json_decref(list);
	return text;
}

START_TEST(decode_of_list)
{
	const char *file = temporary("list.bin");

	free(out_of(cli("encode", "-o", file, path_of("errors.json"))));
	json_t *decoded = good_json(cli("decode", "--json", "--all", file), 0);
	ck_assert_uint_eq(json_array_size(at(decoded, "items")), 5);
	char *text = described_again(decoded);
	char *again = out_of(cli("encode", "--hex", save_words("again.json", text)));
	char *first = out_of(cli("encode", "--hex", path_of("errors.json")));
	ck_assert_str_eq(again, first);
	free(again);
	free(first);
	free(text);
	json_decref(decoded);
}
END_TEST

/* The completions that decode finds in an image are those that the reader finds. */
START_TEST(decode_of_ring)
{
	static const struct {
		const char *name, *log, *layout, *format, *size, *stride;
	} rings[] = {
		{"session.yaml", "4", "basic", "hash", "64", NULL},
		{"enhanced.yaml", "5", "enhanced", "ftag_stridx", "64", NULL},
		{"striding.yaml", "4", "basic", "csum_stridx", "128", "8"},
	};
	struct cqesim_description *d = example(rings[_i].name);
	struct cqesim_cq_reader reader;
	uint8_t *ring = written(d, &reader);
	const char *file = temporary("decoded.img");
	char ci[16];
	json_t *item;
	size_t i;

	snprintf(ci, sizeof(ci), "%u", d->ci);
	free(out_of(cli("encode", "--quiet", "-o", file, path_of(rings[_i].name))));
	const char *args[] = {"decode", "--json", "--ring", "--log-cqe-n", rings[_i].log,
			      "--layout", rings[_i].layout, "--mini-format", rings[_i].format,
			      "--cqe-size", rings[_i].size, "--cq-ci", ci, file,
			      /* only where there are strides */
			      rings[_i].stride ? "--log-stride" : NULL, rings[_i].stride, NULL};
	json_t *decoded = good_json(cli_args(NULL, args), 0);
	json_array_foreach(at(decoded, "items"), i, item)
	{
		struct cqesim_completion c;

		ck_assert_int_eq(cqesim_cq_poll(&reader, &c, 1, NULL), 1);
		ck_assert_uint_eq(count_at(item, "index"), c.index);
		ck_assert_uint_eq(count_at(item, "session_n"), c.session_n);
		ck_assert_uint_eq(count_at(item, "session_i"), c.session_i);
		ck_assert_uint_eq(count_at(item, "byte_cnt"), c.meta.byte_cnt);
		ck_assert_uint_eq(count_at(item, "rx_hash_res"), c.meta.rx_hash_res);
		ck_assert_uint_eq(count_at(item, "csum"), c.meta.csum);
		ck_assert_uint_eq(count_at(item, "flow_tag"), c.meta.flow_tag);
		ck_assert_uint_eq(count_at(item, "l4_l3_hdr_type"), c.meta.l4_l3_hdr_type);
		ck_assert_uint_eq(count_at(item, "wqe_counter"), c.wqe_counter);
		ck_assert_uint_eq(count_at(item, "strides"), c.strides);
		ck_assert_int_eq(json_is_true(at(item, "filler")), c.filler);
	}
	ck_assert_uint_ge(i, 7);
	ck_assert_int_eq(cqesim_cq_poll(&reader, &(struct cqesim_completion){0}, 1, NULL), 0);
	json_decref(decoded);
	free(ring);
	cqesim_description_free(d);
}
END_TEST

/* Every sh block of the manual runs, all in one folder and in order. */
START_TEST(manual_runs)
{
	char path[PATH_MAX], row[1024], script[PATH_MAX], command[3 * PATH_MAX], program[PATH_MAX];
	FILE *out = NULL;
	unsigned blocks = 0;

	ck_assert_ptr_nonnull(realpath(cli_program(), program));
	snprintf(path, sizeof(path), "%s/doc/descriptions.md", test_top_srcdir());
	snprintf(script, sizeof(script), "%s/block.sh", test_tmpdir());
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	while (fgets(row, sizeof(row), f)) {
		if (!strcmp(row, "```sh\n")) {
			out = fopen(script, "w");
			ck_assert_ptr_nonnull(out);
			fprintf(out, "set -e\ncd '%s'\ncqesim() { '%s' \"$@\"; }\n", test_tmpdir(),
				program);
		} else if (out && !strncmp(row, "```", 3)) {
			fclose(out);
			out = NULL;
			snprintf(command, sizeof(command), "sh '%s' >'%s/block.out' 2>&1", script,
				 test_tmpdir());
			int rc = system(command);
			snprintf(row, sizeof(row), "%.900s/block.out", test_tmpdir());
			char *text = slurp(row, NULL);
			ck_assert_msg(rc == 0, "block %u: %d: %.1000s", blocks, rc, text);
			ck_assert_msg(strlen(text) > 100, "block %u: %s", blocks, text);
			free(text);
			blocks++;
		} else if (out) {
			fputs(row, out);
		}
	}
	fclose(f);
	ck_assert_uint_ge(blocks, 4);
}
END_TEST

/* What the manual shows of the walk is what the program says. */
START_TEST(manual_shows)
{
	char path[PATH_MAX], row[1024];
	const char *yaml =
		save_words("shown.yaml", "ring: {log_cqe_n: 4, mini_format: hash, start: 20}\n"
					 "entries:\n"
					 "  - {byte_cnt: 1514, rx_hash_res: 0xabcd0001, "
					 "l3_hdr_type: IPv4, l4_hdr_type: UDP}\n"
					 "  - session:\n"
					 "      title: {l3_hdr_type: IPv4, l4_hdr_type: UDP}\n"
					 "      minis: [{byte_cnt: 60, rx_hash_res: 0x10}, "
					 "{byte_cnt: 61, rx_hash_res: 0x11}]\n");
	char *out = out_of(cli("walk", yaml));
	unsigned rows = 0;
	bool fenced = false;

	snprintf(path, sizeof(path), "%s/doc/descriptions.md", test_top_srcdir());
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	while (fgets(row, sizeof(row), f)) {
		if (!strncmp(row, "```", 3))
			fenced = !fenced;
		if (fenced || strncmp(row, "    ", 4))
			continue;
		ck_assert_msg(strstr(out, row + 4) != NULL, "not said: %s", row);
		rows++;
	}
	fclose(f);
	ck_assert_uint_ge(rows, 20);
	free(out);
}
END_TEST

void add_describe_cli(Suite *s)
{
	TCase *tc = tcase_create("program");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, image);
	tcase_add_test(tc, texts);
	tcase_add_test(tc, slots);
	tcase_add_test(tc, feed);
	tcase_add_test(tc, bad_encode);
	tcase_add_test(tc, same_walk);
	tcase_add_test(tc, walk_with_batches);
	tcase_add_test(tc, limits);
	tcase_add_test(tc, packets);
	tcase_add_test(tc, bad_walk);
	tcase_add_test(tc, help_texts);
	tcase_add_test(tc, decode_of_list);
	tcase_add_loop_test(tc, decode_of_ring, 0, 3);
	tcase_add_test(tc, manual_runs);
	tcase_add_test(tc, manual_shows);
	suite_add_tcase(s, tc);
}

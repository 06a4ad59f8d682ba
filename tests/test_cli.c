/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_cli.c - the program as people and scripts meet it: commands, options,
 * exit status, the documents that it writes.  Bad captures are in
 * test_cli_input.c, output that fails or is interrupted in test_cli_output.c.
 */
#include "cli_run.h"
#include "trace_files.h"

static const char *capture(void)
{
	struct bytes b = {0};

	three_packets(&b);
	return save_bytes("three.pcap", &b);
}

/* ---- help ---- */

START_TEST(help)
{
	static const char *const options[] = {
		"--device",  "--link",      "--driver",    "--queues",   "--ring",
		"--cq-size", "--burst",     "--mtu",       "--cqe-comp", "--mini-format",
		"--rss-key", "--fcs",       "--rate",      "--repeat",   "--limit",
		"--skip",    "--synthetic", "--compare",   "--dump-cq",  "--json",
		"--csv",     "--quiet",     "--strict",    "--segment",  "--set",
		"--host",    "--output",    "--checksums", "--keep-fcs", "--rss-fields",
	};
	static const char *const commands[] = {"replay", "gen", "formats", "models"};
	struct output o = cli("--help");

	ck_assert_int_eq(o.code, 0);
	ck_assert_str_eq(o.err, "");
	for (int i = 0; i < 3; i++) {
		ck_assert_ptr_nonnull(strstr(o.out, commands[i]));
		struct output a = cli(commands[i], "--help"), b = cli("help", commands[i]),
			      c = cli(commands[i], "-h");
		ck_assert_int_eq(a.code, 0);
		ck_assert_str_eq(a.err, "");
		ck_assert_str_eq(a.out, b.out);
		ck_assert_str_eq(a.out, c.out);
		ck_assert_ptr_eq(strstr(a.out, "usage: cqesim "), a.out);
		for (size_t k = 0; i == 0 && k < sizeof(options) / sizeof(options[0]); k++)
			ck_assert_msg(strstr(a.out, options[k]) != NULL, "%s", options[k]);
		output_free(&a);
		output_free(&b);
		output_free(&c);
	}
	output_free(&o);
	o = cli("--version");
	ck_assert_int_eq(o.code, 0);
	ck_assert_ptr_eq(strstr(o.out, "cqesim "), o.out);
	output_free(&o);
	/* No command: told how, but it is an error. */
	o = cli_args(NULL, (const char *const[]){NULL});
	ck_assert_int_eq(o.code, 2);
	ck_assert_str_eq(o.out, "");
	ck_assert_ptr_nonnull(strstr(o.err, "usage: cqesim"));
	output_free(&o);
}
END_TEST

/* ---- bad usage ---- */

START_TEST(bad_usage)
{
	static const struct {
		const char *option, *value, *words;
	} cases[] = {
		{"--device", "connectx-99", "connectx-5"}, /* tells those there are */
		{"--device", "", "connectx-5"},
		{"--link", "gen9x16", "gen9x16"},
		{"--link", "gen3x5", "gen3x5"},
		{"--link", "gen3x16,mps=100", "mps"},
		{"--link", "gen3x16,color=red", "color"},
		{"--driver", "e1000", "dpdk-mlx5-vec"},
		{"--host", "mainframe", "generic"},
		{"--set", "nonsense", "KEY=VALUE"},
		{"--set", "=1", "KEY=VALUE"},
		{"--set", "nonsense=1", "nonsense"},
		{"--set", "wqe_fetch=63", "wqe_fetch"},
		{"--set", "wqe_fetch=", "wqe_fetch"},
		{"--set", "efficiency=2", "efficiency"},
		{"--set", "clock=nan", "clock"},
		{"--set", "cqe_compression=always", "cqe_compression"},
		{"--queues", "0", "1 to 1024"},
		{"--queues", "1025", "1 to 1024"},
		{"--queues", "-1", "1 to 1024"},
		{"--queues", "2.5", "1 to 1024"},
		{"--queues", "two", "1 to 1024"},
		{"--queues", "", "1 to 1024"},
		{"--queues", "99999999999999999999", "1 to 1024"},
		{"--ring", "2", "4 to 32768"},
		{"--ring", "65536", "4 to 32768"},
		{"--ring", "1000", "power of two"},
		{"--cq-size", "3", "4"},
		{"--cq-size", "1000", "power of two"},
		{"--cq-size", "512", "at least"}, /* below the ring's 1024 */
		{"--burst", "0", "1 to 4096"},
		{"--burst", "4097", "1 to 4096"},
		{"--burst", "3", "4"}, /* the vector function */
		{"--mtu", "67", "68 to 65535"},
		{"--mtu", "65536", "68 to 65535"},
		{"--cqe-comp", "on", "off, balanced, aggressive"},
		{"--mini-format", "md5", "hash, csum"},
		{"--rss-key", "abcd", "80 hex digits"},
		{"--rss-fields", "ipv5", "ipv4"},
		{"--rate", "fast", "fast"},
		{"--rate", "0", "zero"},
		{"--rate", "-1Mpps", "-1Mpps"},
		{"--repeat", "0", "from 1"},
		{"--repeat", "x", "from 1"},
		{"--limit", "0", "from 1"},
		{"--limit", "10T", "from 1"},
		{"--limit", "18446744073709551616", "from 1"},
		{"--skip", "-5", "from 0"},
		{"--fcs", "maybe", "absent, present, auto"},
		{"--checksums", "all", "trust, l3, verify"},
		{"--dump-cq", "-", "--output"},
	};
	const char *path = capture();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct output o = cli("replay", cases[i].option, cases[i].value, path);

		ck_assert_msg(o.code == 2, "%s %s: exit %d: %s", cases[i].option, cases[i].value,
			      o.code, o.err);
		fails(o, 2, cases[i].words, "--help");
		/* A value that is missing, and one that is given to what takes none. */
		fails(cli("replay", cases[i].option), 2, cases[i].option, "needs a value");
	}
	fails(cli("replay"), 2, "capture files", "--synthetic");
	fails(cli("replay", "--json=1", path), 2, "--json", NULL);
	fails(cli("replay", "--json", "--csv", path), 2, "--json", "--csv");
	fails(cli("replay", "--csv", "--json", path), 2, "--json", "--csv");
	fails(cli("replay", "--frobnicate", path), 2, "--frobnicate", NULL);
	fails(cli("replay", "-z", path), 2, "-z", NULL);
	fails(cli("replay", "--dump-cq", "feed", "--queues", "2", path), 2, "--dump-cq",
	      "--queues");
	fails(cli("replay", "--synthetic", "frame=64", path), 2, "--synthetic", path);
	fails(cli("frobnicate"), 2, "frobnicate", NULL);
	fails(cli("--frobnicate"), 2, "--frobnicate", NULL);
	fails(cli("help", "frobnicate"), 2, "frobnicate", NULL);
}
END_TEST

START_TEST(bad_workloads)
{
	static const struct {
		const char *spec, *words;
	} cases[] = {
		{"color=red", "color"}, {"frame", "frame"},       {"frame=63", "64"},
		{"frame=9623", "9622"}, {"frame=64:0", "frame"},  {"flows=0", "flows"},
		{"flows=17M", "flows"}, {"packets=0", "packets"}, {"rate=warp", "warp"},
		{"proto=sctp", "sctp"}, {"l3=ipx", "ipx"},        {"vlan=4096", "vlan"},
	};
	char out[PATH_MAX];

	snprintf(out, sizeof(out), "%s/never.pcap", test_tmpdir());
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fails(cli("replay", "--synthetic", cases[i].spec), 2, cases[i].words,
		      "--synthetic");
		fails(cli("gen", "--synthetic", cases[i].spec, out), 2, cases[i].words,
		      "--synthetic");
	}
	fails(cli("replay", "--synthetic", "packets=10", "--rate", "x2"), 2, "--synthetic", NULL);
	fails(cli("gen"), 2, "one output file", NULL);
	fails(cli("gen", out, out), 2, "one output file", NULL);
	fails(cli("gen", "--rate", "warp", out), 2, "warp", NULL);
	fails(cli("gen", "--line-rate", "0", out), 2, "--line-rate", NULL);
	fails(cli("gen", "--line-rate", "900", out), 2, "--line-rate", NULL);
	fails(cli("gen", "--frobnicate", out), 2, "--frobnicate", NULL);
	ck_assert_int_ne(access(out, F_OK), 0);
}
END_TEST

/* ---- documents ---- */

START_TEST(json_keys)
{
	static const char *const counts[] = {
		"packets",
		"capture_bytes",
		"wire_bytes",
		"delivered",
		"classes.ipv4",
		"classes.ipv6",
		"classes.other",
		"classes.tcp",
		"classes.udp",
		"classes.vlan",
		"classes.fragment",
		"skipped.requested",
		"skipped.zero_length",
		"dropped.oversize",
		"dropped.rx_discards_phy",
		"dropped.rx_out_of_buffer",
	};
	static const char *const numbers[] = {
		"link.up_bytes_per_packet",
		"link.down_bytes_per_packet",
		"link.max_pps",
		"link.expected_pps",
	};
	json_t *doc = good_json(cli("replay", "--json", capture()), 0);

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		count_at(doc, counts[i]);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		ck_assert_double_gt(number_at(doc, numbers[i]), 0);
	ck_assert_str_eq(json_string_value(at(doc, "link.binding")), "up");
	ck_assert_uint_eq(count_at(doc, "packets"), 3);
	ck_assert_uint_eq(count_at(doc, "capture_bytes"), 180);
	ck_assert_uint_eq(count_at(doc, "wire_bytes"), 192);
	ck_assert_uint_eq(count_at(doc, "delivered"), 3);
	ck_assert_uint_eq(count_at(doc, "classes.other"), 3);
	ck_assert_ptr_null(json_object_get(doc, "compare"));
	json_decref(doc);

	doc = good_json(cli("replay", "--json", "--compare", capture()), 0);
	static const char *const policies[] = {"off", "balanced", "aggressive"};
	for (int i = 0; i < 3; i++) {
		char key[64];
		snprintf(key, sizeof(key), "compare.%s.delivered", policies[i]);
		ck_assert_uint_eq(count_at(doc, key), 3);
		snprintf(key, sizeof(key), "compare.%s.link.max_pps", policies[i]);
		number_at(doc, key);
		snprintf(key, sizeof(key), "compare.%s.compression.policy", policies[i]);
		ck_assert_str_eq(json_string_value(at(doc, key)), policies[i]);
	}
	json_decref(doc);

	/* Nothing at all: still one document, without numbers that nobody can say. */
	struct bytes b = {0};
	pcap_header(&b, false, 65535, 1);
	doc = good_json(cli("replay", "--json", save_bytes("none.pcap", &b)), 0);
	ck_assert_uint_eq(count_at(doc, "packets"), 0);
	ck_assert(json_is_null(at(doc, "link.up_bytes_per_packet")));
	ck_assert(json_is_null(at(doc, "link.max_pps")));
	json_decref(doc);
}
END_TEST

static unsigned columns(const char *line)
{
	unsigned n = 1;

	for (; *line && *line != '\n'; line++)
		n += *line == ',';
	return n;
}

START_TEST(csv)
{
	struct output o = cli("replay", "--csv", "--queues", "4", "--synthetic",
			      "frame=64,flows=100,rate=1Mpps,packets=5000");
	uint64_t delivered = 0;

	ck_assert_int_eq(o.code, 0);
	ck_assert_str_eq(o.err, "");
	ck_assert_uint_eq(lines_of(o.out), 5);
	ck_assert_ptr_eq(strstr(o.out, "queue,offered,delivered,"), o.out);
	unsigned wide = columns(o.out), queue = 0;
	for (const char *line = strchr(o.out, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		unsigned number;
		unsigned long long offered, read;

		ck_assert_uint_eq(columns(line), wide);
		ck_assert_int_eq(sscanf(line, "%u,%llu,%llu,", &number, &offered, &read), 3);
		ck_assert_uint_eq(number, queue++);
		delivered += read;
	}
	ck_assert_uint_eq(delivered, 5000);
	output_free(&o);
	o = cli("replay", "--csv", "--compare", "--queues", "4", "--synthetic", "packets=100");
	ck_assert_int_eq(o.code, 0);
	ck_assert_uint_eq(lines_of(o.out), 1 + 3 * 4);
	output_free(&o);
}
END_TEST

/* What the issue asks: ../shared/pcie/reference.csv, gen3x16, MPS 256, plain. */
START_TEST(flood)
{
	json_t *doc = good_json(cli("replay", "--json", "--synthetic",
				    "frame=64,flows=1024,rate=line,packets=1M", "--device",
				    "connectx-5", "--link", "gen3x16", "--cqe-comp", "off"),
				0);

	ck_assert_uint_eq(count_at(doc, "packets"), 1000000);
	ck_assert_uint_eq(count_at(doc, "capture_bytes"), 60000000);
	ck_assert_uint_eq(count_at(doc, "wire_bytes"), 64000000);
	ck_assert_double_eq_tol(number_at(doc, "link.up_bytes_per_packet"), 180, 1e-9);
	ck_assert_double_eq_tol(number_at(doc, "link.down_bytes_per_packet"), 55, 1e-9);
	/* 126.031 Gb/s x 370 of 371 blocks / 8 / 180 */
	ck_assert_double_eq_tol(number_at(doc, "link.max_pps") / 87285460, 1, 1e-6);
	ck_assert_double_eq_tol(number_at(doc, "link.expected_pps") / (0.97 * 87285460), 1, 1e-6);
	ck_assert_str_eq(json_string_value(at(doc, "link.binding")), "up");
	json_decref(doc);
}
END_TEST

/* The same packets from the file that gen writes and from the workload itself. */
START_TEST(gen_and_replay)
{
	static const char *const specs[] = {
		"frame=64,flows=1024,rate=line,packets=20000",
		"frame=imix,flows=7,rate=3Mpps,packets=5000,proto=tcp",
		"frame=9018,flows=3,rate=line,packets=100,l3=ipv6,vlan=12",
	};
	static const char *const same[] = {
		"packets",      "capture_bytes", "wire_bytes",  "delivered",    "classes.ipv4",
		"classes.ipv6", "classes.tcp",   "classes.udp", "classes.vlan", "delivered_bytes",
	};
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/generated.pcap", test_tmpdir());
	for (int i = 0; i < 3; i++) {
		struct output o = cli("gen", "--synthetic", specs[i], path);
		ck_assert_msg(o.code == 0, "%s", o.err);
		ck_assert_ptr_nonnull(strstr(o.out, "packets\n"));
		output_free(&o);
		json_t *a = good_json(cli("replay", "--json", path), 0);
		json_t *b = good_json(cli("replay", "--json", "--synthetic", specs[i]), 0);
		for (size_t k = 0; k < sizeof(same) / sizeof(same[0]); k++)
			ck_assert_msg(count_at(a, same[k]) == count_at(b, same[k]), "%s: %s",
				      specs[i], same[k]);
		ck_assert(json_equal(at(a, "nic_view"), at(b, "nic_view")));
		ck_assert_double_eq_tol(number_at(a, "link.up_bytes_per_packet"),
					number_at(b, "link.up_bytes_per_packet"), 1e-9);
		json_decref(a);
		json_decref(b);
	}
	/* To standard output, and --quiet. */
	struct output o = cli("gen", "--synthetic", specs[2], "-");
	ck_assert_int_eq(o.code, 0);
	ck_assert_uint_eq(o.out_size, 24 + 100 * (16 + 9014));
	output_free(&o);
	o = cli("gen", "--quiet", "--synthetic", specs[2], path);
	ck_assert_str_eq(o.out, "");
	ck_assert_str_eq(o.err, "");
	output_free(&o);
}
END_TEST

START_TEST(same_bytes_again)
{
	const char *path = capture();

	for (int i = 0; i < 2; i++) {
		struct output a = cli("replay", "--compare", i ? "--json" : "--quiet", path),
			      b = cli("replay", "--compare", i ? "--json" : "--quiet", path);
		ck_assert_int_eq(a.code, 0);
		ck_assert_uint_gt(a.out_size, 1000);
		ck_assert_uint_eq(a.out_size, b.out_size);
		ck_assert_str_eq(a.out, b.out);
		output_free(&a);
		output_free(&b);
	}
}
END_TEST

/* --limit, --skip, --repeat, --fcs, --mtu: what arrives. */
START_TEST(what_is_replayed)
{
	const char *path = capture();
	static const struct {
		const char *option, *value;
		unsigned packets, skipped, oversize, wire;
	} cases[] = {
		{"--limit", "2", 2, 0, 0, 2 * 64},     {"--skip", "1", 2, 1, 0, 2 * 64},
		{"--skip", "1k", 0, 3, 0, 0},          {"--repeat", "100", 300, 0, 0, 300 * 64},
		{"--fcs", "present", 3, 0, 0, 3 * 64}, /* 56 bytes and their FCS: padded */
		{"--mtu", "68", 3, 0, 0, 3 * 64},      {"--rate", "line", 3, 0, 0, 3 * 64},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *doc = good_json(
			cli("replay", "--json", cases[i].option, cases[i].value, path), 0);
		ck_assert_uint_eq(count_at(doc, "packets"), cases[i].packets);
		ck_assert_uint_eq(count_at(doc, "skipped.requested"), cases[i].skipped);
		ck_assert_uint_eq(count_at(doc, "dropped.oversize"), cases[i].oversize);
		ck_assert_uint_eq(count_at(doc, "wire_bytes"), cases[i].wire);
		json_decref(doc);
	}
}
END_TEST

/* Options that only must be taken, and told again in the report. */
START_TEST(options_are_taken)
{
	json_t *doc = good_json(cli("replay", "--json", "--device", "connectx-6-dx", "--link",
				    "gen4x8,mps=512", "--driver", "dpdk-mlx5-scalar", "--host",
				    "epyc-7742", "--queues", "3", "--ring", "256", "--cq-size",
				    "1024", "--burst", "17", "--mtu", "1500", "--cqe-comp",
				    "aggressive", "--mini-format", "csum", "--rss-key", "microsoft",
				    "--rss-fields", "ipv4", "--checksums", "verify", "--keep-fcs",
				    "--set", "wqe_fetch=256", "--quiet", capture()),
				0);

	ck_assert_str_eq(json_string_value(at(doc, "setup.device.name")), "connectx-6-dx");
	ck_assert_uint_eq(count_at(doc, "link.generation"), 4);
	ck_assert_uint_eq(count_at(doc, "link.lanes"), 8);
	ck_assert_uint_eq(count_at(doc, "link.mps"), 512);
	ck_assert_str_eq(json_string_value(at(doc, "setup.driver.name")), "dpdk-mlx5-scalar");
	ck_assert_str_eq(json_string_value(at(doc, "setup.host.name")), "epyc-7742");
	ck_assert_uint_eq(count_at(doc, "setup.queues"), 3);
	ck_assert_uint_eq(count_at(doc, "setup.ring"), 256);
	ck_assert_uint_eq(count_at(doc, "setup.cq_size"), 1024);
	ck_assert_uint_eq(count_at(doc, "setup.burst"), 17);
	ck_assert_uint_eq(count_at(doc, "setup.mtu"), 1500);
	ck_assert_uint_eq(count_at(doc, "setup.max_frame"), 1518);
	ck_assert_str_eq(json_string_value(at(doc, "setup.checksums")), "verify");
	ck_assert(json_is_true(at(doc, "setup.keep_fcs")));
	ck_assert_str_eq(json_string_value(at(doc, "compression.policy")), "aggressive");
	ck_assert_str_eq(json_string_value(at(doc, "compression.mini_format")), "csum");
	ck_assert_uint_eq(count_at(doc, "delivered_bytes"), 3 * 64); /* with FCS */

	json_t *entry;
	size_t i;
	unsigned by_user = 0;
	json_array_foreach(at(doc, "assumptions"), i, entry) by_user +=
		!strcmp(json_string_value(at(entry, "grade")), "user");
	ck_assert_uint_ge(by_user, 4); /* mps, wqe_fetch, rss_key, rss_fields at least */
	json_decref(doc);
}
END_TEST

/* ---- models ---- */

START_TEST(models)
{
	static const char *const names[] = {
		"connectx-4lx",  "connectx-5",       "connectx-5-ex", "connectx-6-dx", "connectx-7",
		"dpdk-mlx5-vec", "dpdk-mlx5-scalar", "linux-mlx5e",   "generic",       "gen3x16",
	};
	struct output o = cli("models");
	json_t *list = good_json(cli("models", "--json"), 0);

	ck_assert_int_eq(o.code, 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *kind;
		json_t *of_kind, *name;
		bool listed = false;
		size_t k;

		json_object_foreach(list, kind, of_kind) json_array_foreach(of_kind, k, name)
			listed |= !strcmp(json_string_value(name), names[i]);
		ck_assert_msg(listed, "%s", names[i]);
		if (i < 9)
			ck_assert_msg(strstr(o.out, names[i]) != NULL, "%s", names[i]);
		struct output text = cli("models", "show", names[i]);
		ck_assert_int_eq(text.code, 0);
		ck_assert_ptr_nonnull(strstr(text.out, names[i]));
		ck_assert_ptr_nonnull(strstr(text.out, "assumed"));
		output_free(&text);
		json_t *doc = good_json(cli("models", "show", "--json", names[i]), 0);
		ck_assert_str_eq(json_string_value(at(doc, "name")), names[i]);
		json_decref(doc);
	}
	json_decref(list);
	output_free(&o);
	fails(cli("models", "show", "connectx-99"), 1, "connectx-99", NULL);
	fails(cli("models", "show", "gen9x9"), 1, "gen9x9", NULL);
	fails(cli("models", "show"), 2, "show NAME", NULL);
	fails(cli("models", "show", "a", "b"), 2, "show NAME", NULL);
	fails(cli("models", "list"), 2, "show NAME", NULL);
	fails(cli("models", "--frobnicate"), 2, "--frobnicate", NULL);
}
END_TEST

/* A folder of models that is not there, and a file that is no profile: bad input. */
START_TEST(broken_models)
{
	struct bytes b = {0};
	static const char text[] = "kind: device\nname: spoilt\ntitle: A card\nport_speed: fast\n";

	put(&b, text, sizeof(text) - 1);
	const char *yaml = save_bytes("spoilt.yaml", &b), *path = capture();
	fails(cli("replay", "--device", yaml, path), 1, yaml, "port_speed");
	fails(cli("models", "show", yaml), 1, yaml, "port_speed");
	fails(cli("replay", "--device", "./nothing.yaml", path), 1, "nothing.yaml", NULL);
	cli_program();
	setenv("CQESIM_MODELS", "/nonexistent/models", 1);
	fails(cli("models"), 1, "/nonexistent/models", NULL);
	fails(cli("models", "--json"), 1, "/nonexistent/models", NULL);
	fails(cli("models", "show", "gen3x16"), 1, "/nonexistent/models", NULL);
	fails(cli("replay", path), 1, "/nonexistent/models", NULL);
	fails(cli("replay", "--device", "connectx-5", path), 1, "/nonexistent/models", NULL);
}
END_TEST

/* Pairs that depend on each other fit in any order; a pair that does not fit is refused. */
START_TEST(sets_in_any_order)
{
	static const char *const good[][2] = {
		{"backpressure_on=4000", "backpressure_off=1000"},
		{"backpressure_off=1000", "backpressure_on=4000"},
		{"backpressure_off=60000", "backpressure_on=90000"},
		{"backpressure_on=90000", "backpressure_off=60000"},
	};

	for (unsigned i = 0; i < 4; i++) {
		struct output o = cli("replay", "--synthetic", "packets=100", "--set", good[i][0],
				      "--set", good[i][1]);
		ck_assert_msg(o.code == 0, "%s: %s", good[i][0], o.err);
		output_free(&o);
	}
	fails(cli("replay", "--synthetic", "packets=100", "--set", "backpressure_on=4000", "--set",
		  "backpressure_off=5000"),
	      2, "backpressure", NULL);
}
END_TEST

Suite *suite_cli(void)
{
	Suite *s = suite_create("cli");
	TCase *t = tcase_create("usage");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, sets_in_any_order);
	tcase_add_test(t, help);
	tcase_add_test(t, bad_usage);
	tcase_add_test(t, bad_workloads);
	tcase_add_test(t, json_keys);
	tcase_add_test(t, csv);
	tcase_add_test(t, flood);
	tcase_add_test(t, gen_and_replay);
	tcase_add_test(t, same_bytes_again);
	tcase_add_test(t, what_is_replayed);
	tcase_add_test(t, options_are_taken);
	tcase_add_test(t, models);
	tcase_add_test(t, broken_models);
	suite_add_tcase(s, t);
	add_cli_input(s);
	add_cli_output(s);
	add_cli_formats(s);
	return s;
}

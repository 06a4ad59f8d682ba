/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_profile.c - profiles: what is shipped loads and holds the figures of
 * its sources, and what is wrong in a file is said with file, line and key.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cqesim/profile.h"
#include "test.h"

static const enum cqesim_profile_kind DEVICE = CQESIM_PROFILE_DEVICE, LINK = CQESIM_PROFILE_LINK,
				      DRIVER = CQESIM_PROFILE_DRIVER, HOST = CQESIM_PROFILE_HOST;

/* A small profile that is right; the cases below spoil one line of it. */
static const char *const good_host[] = {
	/* 1 */ "kind: host",
	/* 2 */ "name: h",
	/* 3 */ "title: A host",
	/* 4 */ "clock: {value: 2.5, unit: GHz, grade: documented, source: a book}",
	/* 5 */
	"miss_cycles: {value: 10, unit: cycles, grade: assumed, range: [0, 20], source: none}",
	/* 6 */
	"memory_cycles: {value: 5, unit: cycles, grade: measured, source: a bench, note: hm}",
	/* 7 */ "lines: {value: 0, unit: 1, grade: driver, source: code}",
	/* 8 */ "ddio_share: {value: 0, unit: bytes, grade: driver, source: code}",
	/* 9 */ "away_every: {value: 0, unit: us, grade: driver, source: code}",
	/* 10 */ "away_length: {value: 0, unit: us, grade: driver, source: code}",
};
#define LINES (sizeof(good_host) / sizeof(good_host[0]))

static void use_shipped_models(void)
{
	char *models;
	ck_assert_int_gt(asprintf(&models, "%s/models", test_top_srcdir()), 0);
	ck_assert_int_eq(setenv("CQESIM_MODELS", models, 1), 0);
	free(models);
}

/* A folder of these tests' own. */
static const char *own_dir(void)
{
	static char path[4000];
	snprintf(path, sizeof(path), "%s/profile", test_tmpdir());
	ck_assert(mkdir(path, 0700) == 0 || errno == EEXIST);
	return path;
}

/* Write bytes to own_dir/NAME; the path is valid until the next call. */
static const char *write_bytes(const char *name, const void *bytes, size_t size)
{
	static char path[4096];
	snprintf(path, sizeof(path), "%s/%s", own_dir(), name);
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
	ck_assert_int_eq(fclose(f), 0);
	return path;
}

static const char *write_text(const char *name, const char *text)
{
	return write_bytes(name, text, strlen(text));
}

/* good_host with line `line` replaced ("" drops it); line 0 changes nothing. */
static const char *write_host(unsigned line, const char *instead)
{
	char text[4096] = "";
	for (unsigned i = 1; i <= LINES; i++) {
		const char *l = i == line ? instead : good_host[i - 1];
		if (*l) {
			strcat(text, l);
			strcat(text, "\n");
		}
	}
	return write_text("h.yaml", text);
}

/* A shipped file with the first `from` replaced, in own_dir; *line: where that is. */
static const char *write_edited(const char *shipped, const char *from, const char *to,
				unsigned *line)
{
	char path[4096];
	static char text[65536], out[65536];
	snprintf(path, sizeof(path), "%s/models/%s", test_top_srcdir(), shipped);
	FILE *f = fopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	char *at = strstr(text, from);
	ck_assert_msg(at != NULL, "'%s' is not in %s", from, shipped);
	*line = 1;
	for (const char *c = text; c < at; c++)
		*line += *c == '\n';
	snprintf(out, sizeof(out), "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	return write_text(strrchr(shipped, '/') + 1, out);
}

/* The file must be refused with exactly "FILE<message>". */
static void expect_refusal(const char *file, enum cqesim_profile_kind kind, const char *message)
{
	struct cqesim_profile *p = (void *)1;
	struct cqesim_error err = {""};
	char expected[8192];
	ck_assert_int_eq(cqesim_profile_load(&p, kind, file, &err), -EINVAL);
	ck_assert_ptr_null(p);
	snprintf(expected, sizeof(expected), "%s%s", file, message);
	ck_assert_str_eq(err.text, expected);
}

static struct cqesim_profile *load(enum cqesim_profile_kind kind, const char *name)
{
	struct cqesim_profile *p = NULL;
	struct cqesim_error err = {""};
	int ret = cqesim_profile_load(&p, kind, name, &err);
	ck_assert_msg(ret == 0, "%s: %s", name, err.text);
	ck_assert_ptr_nonnull(p);
	return p;
}

/* Everything that the header promises of a loaded profile. */
static void check_complete(const struct cqesim_profile *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		const struct cqesim_param *q = &p->param[i];
		ck_assert_str_ne(q->key, "");
		ck_assert_str_ne(q->meaning, "");
		ck_assert_str_ne(q->text, "");
		ck_assert_str_ne(q->source, "");
		ck_assert_ptr_null(strchr(q->source, '\n'));
		ck_assert_int_lt(q->grade, CQESIM_GRADE_USER);
		if (q->has_range) {
			ck_assert(q->low <= q->number && q->number <= q->high);
		} else if (q->type != 'S') {
			ck_assert_msg(q->grade < CQESIM_GRADE_FITTED, "%s %s: no range", p->name,
				      q->key);
		}
		if (q->grade == CQESIM_GRADE_FITTED || q->grade == CQESIM_GRADE_MEASURED)
			ck_assert_msg(q->note != NULL, "%s %s: no arithmetic shown", p->name,
				      q->key);
	}
}

START_TEST(shipped_profiles_load)
{
	static const unsigned counts[] = {CQESIM_DEVICE_PARAM_COUNT, CQESIM_LINK_PARAM_COUNT,
					  CQESIM_DRIVER_PARAM_COUNT, CQESIM_HOST_PARAM_COUNT,
					  CQESIM_APPLICATION_PARAM_COUNT};
	static const unsigned at_least[] = {11, 42, 9, 3, 12};
	use_shipped_models();
	for (unsigned k = 0; k < CQESIM_PROFILE_KINDS; k++) {
		struct cqesim_error err = {""};
		char **names = cqesim_profile_names(k, &err);
		ck_assert_msg(names != NULL, "%s", err.text);
		unsigned n = 0;
		for (; names[n]; n++) {
			struct cqesim_profile *p = load(k, names[n]);
			ck_assert_str_eq(p->name, names[n]);
			ck_assert_int_eq(p->kind, (int)k);
			ck_assert_uint_eq(p->count, counts[k]);
			ck_assert_str_ne(p->title, "");
			check_complete(p);
			if (k != CQESIM_PROFILE_LINK && n)
				ck_assert_int_lt(strcmp(names[n - 1], names[n]), 0);
			cqesim_profile_free(p);
		}
		ck_assert_uint_ge(n, at_least[k]);
		cqesim_profile_names_free(names);
	}
}
END_TEST

/* The link that a device names must be one that there is. */
START_TEST(device_links_load)
{
	use_shipped_models();
	char **names = cqesim_profile_names(DEVICE, NULL);
	for (char **n = names; *n; n++) {
		struct cqesim_profile *d = load(DEVICE, *n);
		struct cqesim_profile *l = load(LINK, cqesim_profile_text(d, CQESIM_DEV_LINK));
		cqesim_profile_free(l);
		cqesim_profile_free(d);
	}
	cqesim_profile_names_free(names);
}
END_TEST

/* Figures of the sources, written down here once more. */
START_TEST(shipped_values)
{
	use_shipped_models();
	static const struct {
		const char *name;
		double gbps;
		const char *link;
	} devices[] = {
		{"connectx-4lx", 50, "gen3x8"},    {"connectx-5", 100, "gen3x16"},
		{"connectx-5-ex", 100, "gen4x16"}, {"connectx-6-dx", 100, "gen4x16"},
		{"connectx-7", 400, "gen5x16"},
	};
	for (unsigned i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		struct cqesim_profile *p = load(DEVICE, devices[i].name);
		ck_assert_double_eq(cqesim_profile_num(p, CQESIM_DEV_PORT_SPEED), devices[i].gbps);
		ck_assert_str_eq(cqesim_profile_text(p, CQESIM_DEV_LINK), devices[i].link);
		ck_assert_str_eq(cqesim_profile_text(p, CQESIM_DEV_CQE_COMPRESSION), "balanced");
		cqesim_profile_free(p);
	}

	struct cqesim_profile *p = load(DRIVER, "dpdk-mlx5-vec");
	ck_assert(cqesim_profile_flag(p, CQESIM_DRV_CQE_COMP_EN));
	ck_assert(!cqesim_profile_flag(p, CQESIM_DRV_PKT_PAD));
	ck_assert_str_eq(cqesim_profile_text(p, CQESIM_DRV_MINI_FORMAT), "hash");
	ck_assert_uint_eq(cqesim_profile_u64(p, CQESIM_DRV_RING), 1024);
	ck_assert_uint_eq(cqesim_profile_u64(p, CQESIM_DRV_CQ_FACTOR), 1);
	/* Cycles per packet in bursts of 64: plain, and sessions of 8, 16, 32 and 64. */
	double poll = cqesim_profile_num(p, CQESIM_DRV_CYC_POLL) / 64;
	double mini = cqesim_profile_num(p, CQESIM_DRV_CYC_MINI) + poll;
	double session = cqesim_profile_num(p, CQESIM_DRV_CYC_SESSION);
	ck_assert_double_eq_tol(cqesim_profile_num(p, CQESIM_DRV_CYC_PACKET) + poll, 26.7, 0.15);
	ck_assert_double_eq_tol(mini + session / 8, 33.2, 0.15);
	ck_assert_double_eq_tol(mini + session / 16, 26.0, 0.15);
	ck_assert_double_eq_tol(mini + session / 32, 22.6, 0.15);
	ck_assert_double_eq_tol(mini + session / 64, 20.8, 0.15);
	cqesim_profile_free(p);

	p = load(DRIVER, "dpdk-mlx5-scalar");
	poll = cqesim_profile_num(p, CQESIM_DRV_CYC_POLL) / 64;
	ck_assert_double_eq_tol(cqesim_profile_num(p, CQESIM_DRV_CYC_PACKET) + poll, 50.2, 0.15);
	ck_assert_double_eq_tol(cqesim_profile_num(p, CQESIM_DRV_CYC_MINI) + poll, 53.3, 0.15);
	ck_assert_uint_eq(cqesim_profile_u64(p, CQESIM_DRV_CQ_FACTOR), 2);
	cqesim_profile_free(p);

	/* XDP_DROP, one queue at 3.6 GHz: 24379188 packets per second without compression. */
	p = load(DRIVER, "linux-mlx5e");
	struct cqesim_profile *host = load(HOST, "xeon-e5-1650v4");
	double cycles = cqesim_profile_num(p, CQESIM_DRV_CYC_PACKET) +
			cqesim_profile_num(p, CQESIM_DRV_CYC_POLL) /
				cqesim_profile_num(p, CQESIM_DRV_BURST);
	double pps = cqesim_profile_num(host, CQESIM_HOST_CLOCK) * 1e9 / cycles;
	ck_assert_double_eq_tol(pps, 24379188, 0.002 * 24379188);
	ck_assert(cqesim_profile_flag(p, CQESIM_DRV_RSS_SYMMETRIC));
	cqesim_profile_free(host);
	cqesim_profile_free(p);
}
END_TEST

START_TEST(good_file)
{
	struct cqesim_profile *p = load(HOST, write_host(0, ""));
	ck_assert_str_eq(p->name, "h");
	ck_assert_str_eq(p->title, "A host");
	ck_assert_ptr_null(p->notes);
	ck_assert_uint_eq(p->count, 7);
	const struct cqesim_param *clock = &p->param[CQESIM_HOST_CLOCK];
	ck_assert_str_eq(clock->text, "2.5");
	ck_assert_double_eq(clock->number, 2.5);
	ck_assert_int_eq(clock->grade, CQESIM_GRADE_DOCUMENTED);
	ck_assert(!clock->has_range);
	ck_assert_str_eq(clock->source, "a book");
	ck_assert_ptr_null(clock->note);
	const struct cqesim_param *miss = &p->param[CQESIM_HOST_CYC_MISS];
	ck_assert(miss->has_range);
	ck_assert_double_eq(miss->low, 0);
	ck_assert_double_eq(miss->high, 20);
	ck_assert_str_eq(p->param[CQESIM_HOST_CYC_MEMORY].note, "hm");
	cqesim_profile_free(p);
}
END_TEST

/* One line of good_host spoilt; the message without the file's name. */
static const struct {
	unsigned line;
	const char *instead, *message;
} bad_host[] = {
	/* the head */
	{1, "kind: driver", ":1: kind: this is a driver profile, expected a host"},
	{1, "kind: car", ":1: kind: must be device, link, driver, host or application, not 'car'"},
	{1, "", ":1: key 'kind' is missing: a host profile needs it"},
	{2, "", ":1: key 'name' is missing: a host profile needs it"},
	{2, "name: x", ":2: name: must be 'h', as the file's name, not 'x'"},
	{3, "", ":1: key 'title' is missing: a host profile needs it"},
	{3, "title: ''", ":3: title: must not be empty"},
	{3, "title: [a]", ":3: title: Expecting STRING, got event: SEQUENCE_START"},
	/* keys */
	{4, "", ":1: key 'clock' is missing: a host profile needs it"},
	{4, "clok: {value: 2}", ":4: unknown key 'clok' for a host profile"},
	{7, "clock: {value: 2}", ":7: key 'clock' given twice, first in line 4"},
	{4, "? [a]\n: b", ":4: a key must be a word"},
	{4, "clock: 2.5",
	 ":4: clock: must be a parameter: {value: ..., unit: ..., grade: ..., source: ...}"},
	{4, "clock:",
	 ":4: clock: must be a parameter: {value: ..., unit: ..., grade: ..., source: ...}"},
	{4, "clock: {unit: GHz, grade: documented, source: s}", ":4: clock: value is missing"},
	{4, "clock: {value: 2, unit: GHz, source: s}", ":4: clock: grade is missing"},
	{4, "clock: {value: 2, unit: GHz, grade: documented}", ":4: clock: source is missing"},
	{4, "clock: {value: 2, unit: GHz, grade: documented, source: ' '}",
	 ":4: clock: source is empty: say where the value is from"},
	{4, "clock:\n  value: 2\n  unit: GHz\n  values: 3\n  grade: driver\n  source: s",
	 ":7: clock: unknown key 'values': a parameter has value, unit, grade, range, source and "
	 "note"},
	{4, "clock:\n  value: 2\n  unit: GHz\n  value: 3\n  grade: driver\n  source: s",
	 ":7: clock: key 'value' given twice, first in line 5"},
	/* units and grades */
	{4, "clock: {value: 2, unit: MHz, grade: driver, source: s}",
	 ":4: clock: unit must be GHz, not 'MHz'"},
	{4, "clock:\n  value: 2\n  unit: ghz\n  grade: driver\n  source: s",
	 ":6: clock: unit must be GHz, not 'ghz'"},
	{4, "clock: {value: 2, grade: driver, source: s}",
	 ":4: clock: unit is missing: must be GHz"},
	{4, "clock: {value: 2, unit: GHz, grade: guessed, source: s}",
	 ":4: clock: unknown grade 'guessed': must be documented, driver, measured, fitted or "
	 "assumed"},
	{4, "clock: {value: 2, unit: GHz, grade: user, source: s}",
	 ":4: clock: unknown grade 'user': must be documented, driver, measured, fitted or "
	 "assumed"},
	{4, "clock: {value: 2, unit: GHz, grade: 1, source: s}",
	 ":4: clock: unknown grade '1': must be documented, driver, measured, fitted or assumed"},
	/* ranges */
	{5, "miss_cycles: {value: 10, unit: cycles, grade: assumed, source: s}",
	 ":5: miss_cycles: range is missing: grade assumed needs one"},
	{5, "miss_cycles: {value: 10, unit: cycles, grade: fitted, source: s}",
	 ":5: miss_cycles: range is missing: grade fitted needs one"},
	{5, "miss_cycles: {value: 10, unit: cycles, grade: fitted, range: [20, 5], source: s}",
	 ":5: miss_cycles: range: low 20 is above high 5"},
	{5, "miss_cycles: {value: 21, unit: cycles, grade: driver, range: [5, 20], source: s}",
	 ":5: miss_cycles: value 21 is outside its range, 5 to 20"},
	{5, "miss_cycles: {value: 4.99, unit: cycles, grade: driver, range: [5, 20], source: s}",
	 ":5: miss_cycles: value 4.99 is outside its range, 5 to 20"},
	{5, "miss_cycles: {value: 5, unit: cycles, grade: driver, range: [5], source: s}",
	 ":5: miss_cycles: range must be two numbers, [low, high]"},
	{5, "miss_cycles: {value: 5, unit: cycles, grade: driver, range: [5, 6, 7], source: s}",
	 ":5: miss_cycles: range must be two numbers, [low, high]"},
	{5, "miss_cycles: {value: 5, unit: cycles, grade: driver, range: 5, source: s}",
	 ":5: miss_cycles: range must be two numbers, [low, high]"},
	{5, "miss_cycles: {value: 5, unit: cycles, grade: driver, range: [a, 6], source: s}",
	 ":5: miss_cycles: range: low must be a number from 0 to 10000 cycles, not 'a'"},
	{5, "miss_cycles: {value: 5, unit: cycles, grade: driver, range: [0, 2e6], source: s}",
	 ":5: miss_cycles: range: high must be a number from 0 to 10000 cycles, not '2e6'"},
	/* YAML as such */
	{4, "clock: &a {value: 2, unit: GHz, grade: driver, source: s}",
	 ":4: anchors and aliases (& and *) are not for profiles"},
	{4, "clock: *a", ":4: anchors and aliases (& and *) are not for profiles"},
	{4, "clock: {value: [[[[[[[[[[1]]]]]]]]]], unit: GHz}", ":4: nested too deeply"},
	{4, "clock: {value: {a: b}, unit: GHz, grade: driver, source: s}",
	 ":4: clock: value: Expecting STRING, got event: MAPPING_START"},
	{4, "---", ":4: a second document; expected one"},
	{4, "clock: {value: \"2\\0\", unit: GHz, grade: driver, source: s}",
	 ":4: a text holds a NUL character"},
};

START_TEST(bad_host_files)
{
	expect_refusal(write_host(bad_host[_i].line, bad_host[_i].instead), HOST,
		       bad_host[_i].message);
}
END_TEST

/* Values that are no clock rate: the legal range is 0.1 to 10 GHz. */
static const char *const bad_clocks[] = {
	"fast",
	"''",
	"2.5GHz",
	"0x2",
	"nan",
	"NaN",
	".nan",
	"inf",
	"-inf",
	"1e999",
	"-1e999",
	"1e-999",
	"-1",
	"0",
	"0.0999",
	"10.001",
	"1 2",
	"'2 '",
	"1,5",
	"1e",
	"e1",
	".",
	"-",
	"+2",
	"--2",
	"1.2.3",
	"2_000",
	"~",
	"99999999999999999999999999999999999999999",
};

START_TEST(bad_numbers)
{
	char line[200], message[200], shown[60];
	snprintf(line, sizeof(line), "clock: {value: %s, unit: GHz, grade: driver, source: s}",
		 bad_clocks[_i][0] == '1' && strchr(bad_clocks[_i], ',') ? "'1,5'"
									 : bad_clocks[_i]);
	snprintf(shown, sizeof(shown), "%s", bad_clocks[_i]);
	if (shown[0] == '\'') {
		memmove(shown, shown + 1, strlen(shown));
		shown[strlen(shown) - 1] = '\0';
	}
	snprintf(message, sizeof(message),
		 ":4: clock: must be a number from 0.1 to 10 GHz, not '%.40s'", shown);
	expect_refusal(write_host(4, line), HOST, message);
}
END_TEST

START_TEST(good_numbers)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {{"0.1", 0.1}, {"10", 10},       {"25e-1", 2.5}, {".5", 0.5}, {"5.", 5},
		    {"1E1", 10},  {"0.25e+1", 2.5}, {"'3'", 3},     {"002", 2}};
	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		char line[200];
		snprintf(line, sizeof(line),
			 "clock: {value: %s, unit: GHz, grade: driver, source: s}", good[i].text);
		struct cqesim_profile *p = load(HOST, write_host(4, line));
		ck_assert_double_eq(cqesim_profile_num(p, CQESIM_HOST_CLOCK), good[i].value);
		cqesim_profile_free(p);
	}
}
END_TEST

static void expect_syntax_error(const char *bytes, size_t size, const char *message)
{
	struct cqesim_profile *p;
	struct cqesim_error err = {""};
	ck_assert_int_eq(cqesim_profile_load(&p, HOST, write_bytes("e.yaml", bytes, size), &err),
			 -EINVAL);
	ck_assert_msg(strstr(err.text, message) != NULL, "%s", err.text);
}

/* Whole files that are no profile. */
START_TEST(bad_files)
{
	expect_refusal(write_text("e.yaml", ""), HOST, ":1: the file is empty, expected a profile");
	expect_refusal(write_text("e.yaml", "# nothing\n\n"), HOST,
		       ":1: the file is empty, expected a profile");
	expect_refusal(write_text("e.yaml", "\n- a\n- b\n"), HOST,
		       ":2: expected keys and values, such as \"kind: device\"");
	expect_refusal(write_text("e.yaml", "host"), HOST,
		       ":1: expected keys and values, such as \"kind: device\"");
	/* What follows "not YAML" is libyaml's. */
	expect_syntax_error("kind: host\nname: [e\ntitle: {\n", 28, ":3: not YAML: ");
	expect_syntax_error("kind: host\n\tname: e\n", 20, ":2: not YAML: ");
	expect_syntax_error("kind: host\nname: \xff\xfe\n", 20, ":2: not YAML: ");
	expect_syntax_error("kind: host\nname: \0", 18, ":2: not YAML: ");
	expect_syntax_error("kind: host\nname: 'h\n", 20, ": not YAML: ");

	struct cqesim_profile *p;
	struct cqesim_error err;
	ck_assert_int_eq(cqesim_profile_load(&p, HOST, own_dir(), &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, ": not a regular file"));
	ck_assert_int_eq(cqesim_profile_load(&p, HOST, "/dev/zero", &err), -EINVAL);
	ck_assert_str_eq(err.text, "/dev/zero: not a regular file");
	ck_assert_int_eq(cqesim_profile_load(&p, HOST, "./no/such.yaml", &err), -ENOENT);
	ck_assert_str_eq(err.text, "./no/such.yaml: No such file or directory");
	ck_assert_int_eq(cqesim_profile_load(&p, HOST, "no-such.yaml", NULL), -ENOENT);

	/* A pipe without a writer must not be waited for. */
	char fifo[4096];
	snprintf(fifo, sizeof(fifo), "%s/pipe.yaml", own_dir());
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	ck_assert_int_eq(cqesim_profile_load(&p, HOST, fifo, &err), -EINVAL);
	remove(fifo);
}
END_TEST

/* Junk of the largest size, made so that a careless parser would take ages or much memory. */
START_TEST(hostile_files)
{
	static const char *const pieces[] = {
		"[",        "{",  "- ",  "? ", "a: ",       "&a [", "a: {b: c}\n", "!!x ",
		"\"",       "%",  "\n",  " ",  "- - - -\n", "*a ",  "a",           "\xef\xbb\xbf",
		"\xff\xfe", ": ", "|\n", "#\n"};
	size_t size = 1 << 20;
	char *junk = malloc(size + 1);
	ck_assert_ptr_nonnull(junk);
	struct cqesim_profile *p;
	struct cqesim_error err;
	for (unsigned i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t n = strlen(pieces[i]);
		for (size_t at = 0; at < size; at++)
			junk[at] = pieces[i][at % n];
		const char *file = write_bytes("junk.yaml", junk, size);
		ck_assert_int_eq(cqesim_profile_load(&p, HOST, file, &err), -EINVAL);
		ck_assert_ptr_nonnull(strstr(err.text, "junk.yaml:"));
	}
	/* Distinct keys without end. */
	size_t used = 0;
	for (unsigned i = 0; used + 20 < size; i++)
		used += (size_t)sprintf(junk + used, "k%u: 1\n", i);
	expect_refusal(write_bytes("junk.yaml", junk, used), HOST, ":1001: more than 1000 keys");
	/* Aliases that multiply. */
	expect_refusal(write_text("junk.yaml", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"), HOST,
		       ":1: anchors and aliases (& and *) are not for profiles");
	/* One byte too many. */
	memset(junk, '#', size + 1);
	expect_refusal(write_bytes("junk.yaml", junk, size + 1), HOST,
		       ": larger than 1 MiB, which no profile is");
	/* Pseudo-random bytes. */
	uint32_t x = 1;
	for (unsigned round = 0; round < 200; round++) {
		for (size_t at = 0; at < 4096; at++) {
			x = x * 1664525 + 1013904223;
			junk[at] = (char)(x >> 24);
		}
		const char *file = write_bytes("junk.yaml", junk, 4096);
		ck_assert_int_eq(cqesim_profile_load(&p, HOST, file, &err), -EINVAL);
	}
	free(junk);
}
END_TEST

/* Any prefix of a right file is wrong, and is said to be. */
START_TEST(truncated_files)
{
	char path[4096];
	static char text[65536];
	snprintf(path, sizeof(path), "%s/models/devices/connectx-5.yaml", test_top_srcdir());
	FILE *f = fopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(text, 1, sizeof(text), f);
	fclose(f);
	ck_assert_uint_gt(n, 1000);
	/* Without its last parameter: what is cut from that one's note would not be missed. */
	text[n - 1] = '\0';
	n = (size_t)(strstr(text, "\nwrite_latency:") - text);
	struct cqesim_profile *p;
	for (size_t cut = 0; cut < n; cut += 7) {
		const char *file = write_bytes("connectx-5.yaml", text, cut);
		ck_assert_int_eq(cqesim_profile_load(&p, DEVICE, file, NULL), -EINVAL);
		ck_assert_ptr_null(p);
	}
}
END_TEST

/* Rules of single parameters, on edited copies of what is shipped. */
static const struct {
	const char *file, *from, *to;
	enum cqesim_profile_kind kind;
	unsigned below; /* lines from the place of `from` to the line at fault */
	const char *message;
} edits[] = {
	{"devices/connectx-5.yaml", "value: balanced", "value: Balanced", CQESIM_PROFILE_DEVICE, 0,
	 "cqe_compression: must be balanced or aggressive, not 'Balanced'"},
	{"devices/connectx-5.yaml", "value: balanced", "value: balanced\n  unit: text",
	 CQESIM_PROFILE_DEVICE, 1, "cqe_compression: a text has no unit"},
	{"devices/connectx-5.yaml", "value: balanced", "value: balanced\n  range: [1, 2]",
	 CQESIM_PROFILE_DEVICE, 1, "cqe_compression: a text has no range"},
	{"devices/connectx-5.yaml", "value: gen3x16", "value: gen9x16", CQESIM_PROFILE_DEVICE, 0,
	 "link: no PCIe link 'gen9x16': expected genGxL: generation 1..6, lanes 1, 2, 4, 8, 12, 16 "
	 "or 32, as in gen3x16"},
	{"devices/connectx-5.yaml", "value: 64\n  unit: packets", "value: 64.5\n  unit: packets",
	 CQESIM_PROFILE_DEVICE, 0,
	 "cqe_compression_max_num: must be a whole number from 2 to 65535 packets, not '64.5'"},
	{"devices/connectx-5.yaml", "wqe_fetch:\n  value: 64", "wqe_fetch:\n  value: 96",
	 CQESIM_PROFILE_DEVICE, 1,
	 "wqe_fetch: must be a power of two from 16 to 4096 bytes, not '96'"},
	{"devices/connectx-5.yaml", "backpressure_off:\n  value: 8192",
	 "backpressure_off:\n  value: 32769", CQESIM_PROFILE_DEVICE, 1,
	 "backpressure_off: 32769 bytes are above backpressure_on, which is 32768 bytes"},
	{"devices/connectx-5.yaml", "pkt_info rx_hash_type", "pkt_info rx_hash",
	 CQESIM_PROFILE_DEVICE, 0, NULL},
	{"devices/connectx-5.yaml", "pkt_info rx_hash_type", "pkt_info opcode",
	 CQESIM_PROFILE_DEVICE, 0, NULL},
	{"links/pcie.yaml", "value: 256", "value: 300", CQESIM_PROFILE_LINK, 0,
	 "mps: must be a power of two from 128 to 4096 bytes, not '300'"},
	{"drivers/linux-mlx5e.yaml", "value: 1024", "value: 1000", CQESIM_PROFILE_DRIVER, 0,
	 "ring: must be a power of two from 4 to 32768 entries, not '1000'"},
	{"drivers/linux-mlx5e.yaml", "value: microsoft", "value: abc", CQESIM_PROFILE_DRIVER, 0,
	 "rss_key: must be mlx5, microsoft or 80 hex digits, not 'abc'"},
	{"drivers/linux-mlx5e.yaml", "value: ipv4 ipv6 tcp udp", "value: ipv4 sctp",
	 CQESIM_PROFILE_DRIVER, 0,
	 "rss_fields: unknown word 'sctp': must be of ipv4, ipv6, tcp or udp"},
	{"drivers/linux-mlx5e.yaml", "value: ipv4 ipv6 tcp udp", "value: ipv4 tcp ipv4",
	 CQESIM_PROFILE_DRIVER, 0, "rss_fields: 'ipv4' is there twice"},
	{"drivers/linux-mlx5e.yaml", "value: ipv4 ipv6 tcp udp", "value: ipv4 none",
	 CQESIM_PROFILE_DRIVER, 0,
	 "rss_fields: unknown word 'none': must be of ipv4, ipv6, tcp or udp"},
	{"drivers/linux-mlx5e.yaml", "value: ipv4 ipv6 tcp udp", "value: ' '",
	 CQESIM_PROFILE_DRIVER, 0,
	 "rss_fields: must not be empty (the empty list is written 'none')"},
};

START_TEST(edited_files)
{
	unsigned line;
	const char *file = write_edited(edits[_i].file, edits[_i].from, edits[_i].to, &line);
	char message[512];
	if (edits[_i].kind == CQESIM_PROFILE_LINK) {
		/* A link is never loaded by path: stand the copy into a models/ of its own. */
		char dir[4096], to[4200];
		snprintf(dir, sizeof(dir), "%s/links", own_dir());
		mkdir(dir, 0700);
		snprintf(to, sizeof(to), "%s/pcie.yaml", dir);
		ck_assert_int_eq(rename(file, to), 0);
		setenv("CQESIM_MODELS", own_dir(), 1);
		struct cqesim_profile *p;
		struct cqesim_error err;
		ck_assert_int_eq(cqesim_profile_load(&p, LINK, "gen3x16", &err), -EINVAL);
		snprintf(message, sizeof(message), "/links/pcie.yaml:%u: %s",
			 line + edits[_i].below, edits[_i].message);
		ck_assert_msg(strstr(err.text, message) != NULL, "%s", err.text);
		remove(to);
		return;
	}
	if (edits[_i].message) {
		snprintf(message, sizeof(message), ":%u: %s", line + edits[_i].below,
			 edits[_i].message);
		expect_refusal(file, edits[_i].kind, message);
		return;
	}
	/* session_compare may be folded over lines: the key's "value:" line is named. */
	struct cqesim_profile *p;
	struct cqesim_error err;
	ck_assert_int_eq(cqesim_profile_load(&p, edits[_i].kind, file, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, ": session_compare: "));
}
END_TEST

START_TEST(overrides)
{
	use_shipped_models();
	struct cqesim_profile *p = load(DEVICE, "connectx-5");
	struct cqesim_error err;
	struct cqesim_param *q = &p->param[CQESIM_DEV_MAX_PPS];
	ck_assert_int_eq(cqesim_profile_set(p, "max_pps", "120.5", &err), 0);
	ck_assert_double_eq(q->number, 120.5);
	ck_assert_str_eq(q->text, "120.5");
	ck_assert_int_eq(q->grade, CQESIM_GRADE_USER);
	ck_assert(!q->has_range);
	ck_assert_ptr_null(q->note);
	ck_assert_str_eq(q->source, "given by the user");

	/* A refused value changes nothing. */
	ck_assert_int_eq(cqesim_profile_set(p, "max_pps", "-3", &err), -EINVAL);
	ck_assert_str_eq(err.text, "device connectx-5: max_pps: must be a number from 0.1 to 2000 "
				   "Mpps, not '-3'");
	ck_assert_double_eq(q->number, 120.5);

	/* Outside the file's range, but possible: a user may know better. */
	ck_assert_int_eq(cqesim_profile_set(p, "backpressure_on", "20000000", &err), 0);
	ck_assert_int_eq(cqesim_profile_set(p, "backpressure_off", "20000001", &err), -EINVAL);
	ck_assert_str_eq(err.text, "device connectx-5: backpressure_off: 20000001 bytes are above "
				   "backpressure_on, which is 20000000 bytes");
	ck_assert_uint_eq(cqesim_profile_u64(p, CQESIM_DEV_BP_OFF), 8192);
	ck_assert_int_eq(p->param[CQESIM_DEV_BP_OFF].grade, CQESIM_GRADE_ASSUMED);
	ck_assert_ptr_nonnull(p->param[CQESIM_DEV_BP_OFF].note);
	ck_assert_int_eq(cqesim_profile_set(p, "backpressure_on", "0", &err), -EINVAL);
	ck_assert_uint_eq(cqesim_profile_u64(p, CQESIM_DEV_BP_ON), 20000000);

	ck_assert_int_eq(cqesim_profile_set(p, "cqe_compression", "aggressive", &err), 0);
	ck_assert_str_eq(cqesim_profile_text(p, CQESIM_DEV_CQE_COMPRESSION), "aggressive");
	ck_assert_int_eq(cqesim_profile_set(p, "cqe_compression", "", &err), -EINVAL);
	ck_assert_int_eq(cqesim_profile_set(p, "session_compare", " opcode,,flow_tag ", &err), 0);
	ck_assert_str_eq(cqesim_profile_text(p, CQESIM_DEV_COMP_COMPARE), "opcode flow_tag");
	ck_assert_int_eq(cqesim_profile_set(p, "session_compare", "none", &err), 0);
	ck_assert_str_eq(cqesim_profile_text(p, CQESIM_DEV_COMP_COMPARE), "none");
	ck_assert_int_eq(cqesim_profile_set(p, "session_crosses_ring_end", "yes", &err), 0);
	ck_assert(cqesim_profile_flag(p, CQESIM_DEV_COMP_CROSS));

	ck_assert_int_eq(cqesim_profile_set(p, "clock", "3", &err), -ENOENT);
	ck_assert_ptr_nonnull(
		strstr(err.text, "device connectx-5 has no parameter 'clock', but port_speed, "));
	ck_assert_ptr_nonnull(strstr(err.text, "write_latency"));
	ck_assert_int_eq(cqesim_profile_set(p, "", "3", NULL), -ENOENT);
	cqesim_profile_free(p);

	p = load(DRIVER, "dpdk-mlx5-vec");
	ck_assert_int_eq(cqesim_profile_set(p, "rss_key",
					    "0123456789abcdef0123456789ABCDEF0123456789abcdef0123"
					    "456789abcdef0123456789abcdef",
					    &err),
			 0);
	ck_assert_int_eq(cqesim_profile_set(p, "rss_key",
					    "0123456789abcdef0123456789ABCDEF0123456789abcdef0123"
					    "456789abcdef0123456789abcdeg",
					    &err),
			 -EINVAL);
	ck_assert_int_eq(cqesim_profile_set(p, "cqe_comp_en", "off", &err), 0);
	ck_assert(!cqesim_profile_flag(p, CQESIM_DRV_CQE_COMP_EN));
	ck_assert_int_eq(cqesim_profile_set(p, "ring", "32768", &err), 0);
	ck_assert_int_eq(cqesim_profile_set(p, "ring", "65536", &err), -EINVAL);
	ck_assert_int_eq(cqesim_profile_set(p, "ring", "2", &err), -EINVAL);
	cqesim_profile_free(p);
}
END_TEST

START_TEST(links)
{
	use_shipped_models();
	static const unsigned lanes[] = {1, 2, 4, 8, 12, 16, 32};
	char name[32];
	for (unsigned g = 1; g <= 6; g++)
		for (unsigned i = 0; i < 7; i++) {
			snprintf(name, sizeof(name), "gen%ux%u", g, lanes[i]);
			struct cqesim_profile *p = load(LINK, name);
			ck_assert_uint_eq(p->generation, g);
			ck_assert_uint_eq(p->lanes, lanes[i]);
			ck_assert_str_eq(p->name, name);
			cqesim_profile_free(p);
		}
	struct cqesim_profile *p = load(LINK, "gen3x16,mps=128,rcb=128");
	ck_assert_uint_eq(p->generation, 3);
	ck_assert_uint_eq(p->lanes, 16);
	ck_assert_uint_eq(cqesim_profile_u64(p, CQESIM_LINK_MPS), 128);
	ck_assert_uint_eq(cqesim_profile_u64(p, CQESIM_LINK_RCB), 128);
	ck_assert_int_eq(p->param[CQESIM_LINK_RCB].grade, CQESIM_GRADE_USER);
	ck_assert_uint_eq(cqesim_profile_u64(p, CQESIM_LINK_MRRS), 512);
	ck_assert_double_eq(cqesim_profile_num(p, CQESIM_LINK_EFFICIENCY), 0.97);
	ck_assert_double_eq(p->param[CQESIM_LINK_EFFICIENCY].low, 0.94);
	ck_assert_double_eq(p->param[CQESIM_LINK_EFFICIENCY].high, 1.0);
	cqesim_profile_free(p);
}
END_TEST

static const char *const no_links[] = {
	"gen0x16",
	"gen7x16",
	"gen3x3",
	"gen3x",
	"gen3",
	"gen",
	"",
	"pcie",
	"GEN3x16",
	"gen3x64",
	"gen3x016",
	"gen3x16 ",
	" gen3x16",
	"gen33x16",
	"gen3y16",
	"x16",
	"gen3x16;mps=1",
	"gen3x-1",
	"../links/pcie.yaml",
	"gen3x4294967297",
};

START_TEST(bad_links)
{
	use_shipped_models();
	struct cqesim_profile *p;
	struct cqesim_error err;
	for (unsigned i = 0; i < sizeof(no_links) / sizeof(no_links[0]); i++) {
		ck_assert_msg(cqesim_profile_load(&p, LINK, no_links[i], &err) == -EINVAL, "%s",
			      no_links[i]);
		ck_assert_ptr_null(p);
		ck_assert_ptr_nonnull(
			strstr(err.text, "generation 1..6, lanes 1, 2, 4, 8, 12, 16 or 32"));
	}
	static const struct {
		const char *name, *message;
	} bad[] = {
		{"gen3x16,mps=100", "link gen3x16,mps=100: mps: must be a power of two from 128 to "
				    "4096 bytes, not '100'"},
		{"gen3x16,rcb=96",
		 "link gen3x16,rcb=96: rcb: must be a power of two from 64 to 128 "
		 "bytes, not '96'"},
		{"gen3x16,addr_bits=48", "link gen3x16,addr_bits=48: addr_bits: must be a power of "
					 "two from 32 to 64 bits, not '48'"},
		{"gen3x16,", "link gen3x16,: expected key=value after the comma, not ''"},
		{"gen3x16,mps", "link gen3x16,mps: expected key=value after the comma, not 'mps'"},
		{"gen3x16,=4", "link gen3x16,=4: expected key=value after the comma, not '=4'"},
		{"gen3x16,ecrc=maybe", "link gen3x16,ecrc=maybe: ecrc: must be off or on, not "
				       "'maybe'"},
	};
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(cqesim_profile_load(&p, LINK, bad[i].name, &err), -EINVAL);
		ck_assert_str_eq(err.text, bad[i].message);
	}
	ck_assert_int_eq(cqesim_profile_load(&p, LINK, "gen3x16,speed=4", &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "has no parameter 'speed', but mps, mrrs"));
}
END_TEST

START_TEST(names)
{
	use_shipped_models();
	struct cqesim_profile *p;
	struct cqesim_error err;
	ck_assert_int_eq(cqesim_profile_load(&p, DEVICE, "connectx-9000", &err), -ENOENT);
	ck_assert_str_eq(err.text, "no device profile 'connectx-9000'; there are: broadcom-57508, "
				   "connectx-4lx, connectx-5, connectx-5-ex, connectx-5-ex-2018, "
				   "connectx-6-dx, connectx-7, intel-82599-dpdk, intel-82599-kernel, intel-e810, "
				   "intel-xl710, simple-nic");
	ck_assert_int_eq(cqesim_profile_load(&p, HOST, "", &err), -ENOENT);
	ck_assert_int_eq(cqesim_profile_load(&p, HOST, "..", &err), -ENOENT);
	ck_assert_int_eq(cqesim_profile_load(&p, HOST, "bad\nname", &err), -ENOENT);
	ck_assert_ptr_null(strchr(err.text, '\n'));
	char *longer = malloc(70000);
	memset(longer, 'a', 69999);
	longer[69999] = '\0';
	ck_assert_int_lt(cqesim_profile_load(&p, HOST, longer, &err), 0);
	free(longer);
	ck_assert_int_eq(cqesim_profile_load(&p, (enum cqesim_profile_kind)17, "x", &err), -EINVAL);

	/* By path, with and without a folder. */
	char path[4096];
	snprintf(path, sizeof(path), "%s/models/hosts/generic.yaml", test_top_srcdir());
	p = load(HOST, path);
	ck_assert_str_eq(p->name, "generic");
	ck_assert_str_eq(p->file, path);
	cqesim_profile_free(p);

	/* A folder of one's own: its profiles, sorted, and nothing else in it. */
	snprintf(path, sizeof(path), "%s/hosts", own_dir());
	ck_assert_int_eq(mkdir(path, 0700), 0);
	static const char *const files[] = {"hosts/zz.yaml",  "hosts/aa.yaml",  "hosts/.hid.yaml",
					    "hosts/note.txt", "hosts/mm.yaml~", "hosts/.yaml"};
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		write_text(files[i], "");
	setenv("CQESIM_MODELS", own_dir(), 1);
	ck_assert_str_eq(cqesim_profile_folder(), own_dir());
	char **list = cqesim_profile_names(HOST, &err);
	ck_assert_ptr_nonnull(list);
	ck_assert_str_eq(list[0], "aa");
	ck_assert_str_eq(list[1], "zz");
	ck_assert_ptr_null(list[2]);
	cqesim_profile_names_free(list);
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char file[4200];
		snprintf(file, sizeof(file), "%s/%s", own_dir(), files[i]);
		remove(file);
	}
	remove(path);

	/* No such folder. */
	setenv("CQESIM_MODELS", "/no/such/folder", 1);
	ck_assert_str_eq(cqesim_profile_folder(), "/no/such/folder");
	ck_assert_ptr_null(cqesim_profile_names(DEVICE, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/no/such/folder/devices"));
	ck_assert_ptr_null(cqesim_profile_names(LINK, &err));
	ck_assert_int_eq(cqesim_profile_load(&p, DEVICE, "connectx-5", &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "/no/such/folder/devices"));
	ck_assert_int_eq(cqesim_profile_load(&p, LINK, "gen3x16", &err), -ENOENT);
	unsetenv("CQESIM_MODELS");
	ck_assert_ptr_nonnull(cqesim_profile_folder());
}
END_TEST

START_TEST(grade_and_kind_names)
{
	ck_assert_str_eq(cqesim_grade_name(CQESIM_GRADE_DOCUMENTED), "documented");
	ck_assert_str_eq(cqesim_grade_name(CQESIM_GRADE_DRIVER), "driver");
	ck_assert_str_eq(cqesim_grade_name(CQESIM_GRADE_MEASURED), "measured");
	ck_assert_str_eq(cqesim_grade_name(CQESIM_GRADE_FITTED), "fitted");
	ck_assert_str_eq(cqesim_grade_name(CQESIM_GRADE_ASSUMED), "assumed");
	ck_assert_str_eq(cqesim_grade_name(CQESIM_GRADE_USER), "user");
	ck_assert_str_eq(cqesim_grade_name((enum cqesim_grade)99), "unknown");
	ck_assert_str_eq(cqesim_profile_kind_name(CQESIM_PROFILE_DEVICE), "device");
	ck_assert_str_eq(cqesim_profile_kind_name(CQESIM_PROFILE_LINK), "link");
	ck_assert_str_eq(cqesim_profile_kind_name(CQESIM_PROFILE_DRIVER), "driver");
	ck_assert_str_eq(cqesim_profile_kind_name(CQESIM_PROFILE_HOST), "host");
	ck_assert_str_eq(cqesim_profile_kind_name((enum cqesim_profile_kind)99), "unknown");
	cqesim_profile_free(NULL);
	cqesim_profile_names_free(NULL);
}
END_TEST

Suite *suite_profile(void)
{
	Suite *s = suite_create("profile");
	TCase *shipped = tcase_create("shipped");
	tcase_add_test(shipped, shipped_profiles_load);
	tcase_add_test(shipped, device_links_load);
	tcase_add_test(shipped, shipped_values);
	suite_add_tcase(s, shipped);

	TCase *files = tcase_create("files");
	tcase_set_timeout(files, 60);
	tcase_add_test(files, good_file);
	tcase_add_test(files, good_numbers);
	tcase_add_loop_test(files, bad_host_files, 0, sizeof(bad_host) / sizeof(bad_host[0]));
	tcase_add_loop_test(files, bad_numbers, 0, sizeof(bad_clocks) / sizeof(bad_clocks[0]));
	tcase_add_loop_test(files, edited_files, 0, sizeof(edits) / sizeof(edits[0]));
	tcase_add_test(files, bad_files);
	tcase_add_test(files, hostile_files);
	tcase_add_test(files, truncated_files);
	suite_add_tcase(s, files);

	TCase *use = tcase_create("use");
	tcase_add_test(use, overrides);
	tcase_add_test(use, links);
	tcase_add_test(use, bad_links);
	tcase_add_test(use, names);
	tcase_add_test(use, grade_and_kind_names);
	suite_add_tcase(s, use);
	return s;
}

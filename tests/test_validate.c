/* SPDX-License-Identifier: BSD-3-Clause */
/* validate as a library: files, deviations, the cost models by hand, what is promised of the rows.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/validate.h"
#include "test.h"

void add_validate_cli(Suite *suite);

static void use_tree(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/models", test_top_srcdir());
	setenv("CQESIM_MODELS", path, 0);
}

static struct cqesim_experiment *load(const char *name)
{
	struct cqesim_experiment *x = NULL;
	struct cqesim_error err = {""};

	use_tree();
	ck_assert_msg(!cqesim_experiment_load(&x, name, &err), "%s", err.text);
	return x;
}

static struct cqesim_experiment *run(const char *name)
{
	struct cqesim_experiment *x = load(name);
	struct cqesim_error err = {""};

	ck_assert_msg(!cqesim_experiment_run(x, &err), "%s", err.text);
	return x;
}

static const struct cqesim_figure *figure(const struct cqesim_experiment *x, const char *name)
{
	for (unsigned i = 0; i < x->figures; i++)
		if (!strcmp(x->figure[i].name, name))
			return &x->figure[i];
	ck_abort_msg("%s: no figure %s", x->name, name);
	return NULL;
}

#define NEAR(a, b, tolerance)                                                                      \
	ck_assert_msg(fabs((a) - (b)) <= (tolerance), "%s is %g, not %g", #a, (double)(a),         \
		      (double)(b))

/* ---- files ---- */

/* A file named x.yaml with that text, loaded and run; 0 or the error. */
static int try_text(const char *text, struct cqesim_experiment **x, struct cqesim_error *err)
{
	char path[PATH_MAX];
	FILE *f;

	use_tree();
	snprintf(path, sizeof(path), "%s/x.yaml", test_tmpdir());
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	int rc = cqesim_experiment_load(x, path, err);
	if (!rc)
		rc = cqesim_experiment_run(*x, err);
	remove(path);
	return rc;
}

#define HEAD "kind: experiment\nname: x\ntitle: t\nsource: s\n"
#define COST "setup: {clock: 1, copy_busy: 1, copy_byte_cycles: 0.25, copy_segment_cycles: 36}\n"
/* 1 GHz / (0.25 + 36 / (1492 - 52)) = 1e9 / 0.275 bytes = 29.0909 Gb/s */
#define FIGURE(more)                                                                               \
	"figures:\n  - {name: a, unit: Gb/s, measure: copy_gbps, role: predict, when: {mtu: "      \
	"1492}, " more "}\n"

static void refused(const char *text, const char *words)
{
	struct cqesim_experiment *x = NULL;
	struct cqesim_error err = {""};
	int rc = try_text(text, &x, &err);

	ck_assert_msg(rc == -EINVAL, "%d for:\n%s", rc, text);
	ck_assert_msg(strstr(err.text, "x.yaml") != NULL, "no file in: %s", err.text);
	ck_assert_msg(strstr(err.text, words) != NULL, "no \"%s\" in: %s", words, err.text);
	ck_assert_msg(!strchr(err.text, '\n'), "%s", err.text);
	cqesim_experiment_free(x);
}

START_TEST(bad_files)
{
	refused("", "empty");
	refused("kind: device\nname: x\n", "x.yaml:1: kind");
	refused(HEAD, "figures");
	refused(HEAD "colour: red\n", "x.yaml:5: an experiment: key 'colour'");
	refused("kind: experiment\nname: y\ntitle: t\nsource: s\n", "name: expected the file's, x");
	refused("kind: experiment\nname: x\ntitle: t\n" FIGURE("published: 1"), "'source'");
	refused(HEAD FIGURE("rounding: 1"), "'published'");
	refused(HEAD FIGURE("published: one"), "expected a number");
	refused(HEAD FIGURE("published: [2, 1]"), "2 is above 1");
	refused(HEAD FIGURE("published: [1, 2], at_least: yes"), "at_least as well");
	refused(HEAD FIGURE("published: 1, approx: perhaps"), "approx: expected yes");
	refused(HEAD FIGURE("published: 1, rounding: -1"), "positive");
	refused(HEAD FIGURE("published: 1, deviation: [1]"), "deviation: expected a number");
	refused(HEAD "figures:\n  - {name: a, unit: u, measure: guess, role: fit, published: 1}\n",
		"none called guess");
	refused(HEAD "figures:\n  - {name: a, unit: u, measure: none, role: both, published: 1}\n",
		"role: expected fit or predict");
	/* Listed only, or modelled: one of them. */
	refused(HEAD
		"figures:\n  - {name: a, unit: u, measure: none, role: predict, published: 1}\n",
		"none with measure none");
	refused(HEAD COST FIGURE("published: 1") "  - {name: a, unit: u, measure: none, role: none, "
						 "published: 1}\n",
		"two figures");
	/* settings */
	refused(HEAD FIGURE("published: 1"), "no setting clock");
	refused(HEAD "setup: {clock: fast}\n" FIGURE("published: 1"), "clock: fast");
	refused(HEAD "setup: {clock: 11}\n" FIGURE("published: 1"), "0.1 to 10");
	refused(HEAD "setup: {clock: 1, copy_busy: 1, copy_byte_cycles: 0.25, copy_segment_cycles: "
		     "36, colour: 1}\n" FIGURE("published: 1"),
		"asks for colour");
	/* What is wrong with a replay's setting is not told as a lack of memory. */
	refused(HEAD
		"setup: {device: connectx-5, link: gen3x16, driver: linux-mlx5e, host: "
		"xeon-e5-1650v4, queues: 1, ring: 1024, offered: 1Mpps, packets: 10}\nfigures:\n  - {name: a, unit: pps, "
		"measure: delivered, role: predict, published: 1}\n",
		"packets: 10");
}
END_TEST

#define PARAMETERS "parameters:\n  - {key: k, unit: u, note: n, "

START_TEST(bad_parameters)
{
	refused(HEAD COST FIGURE("published: 1") PARAMETERS "grade: assumed, value: 1}\n",
		"'range'");
	refused(HEAD COST FIGURE("published: 1") PARAMETERS
		"grade: assumed, value: 3, range: [1, 2]}\n",
		"does not hold the value 3");
	refused(HEAD COST FIGURE("published: 1") PARAMETERS
		"grade: guessed, value: 1, range: [1, 2]}\n",
		"grade: expected");
	refused(HEAD COST FIGURE("published: 1") PARAMETERS
		"grade: fitted, value: 1, range: [1, 2]}\n",
		"fitted_to is missing");
	/* Nothing may be fitted to what is predicted. */
	refused(HEAD COST FIGURE("published: 1") PARAMETERS
		"grade: fitted, value: 1, range: [1, 2], fitted_to: [a]}\n",
		"\"a\" is to be predicted");
	refused(HEAD COST FIGURE("published: 1") PARAMETERS
		"grade: fitted, value: 1, range: [1, 2], fitted_to: [b]}\n",
		"no such figure");
	refused(HEAD
		"figures:\n  - {name: a, unit: u, measure: copy_gbps, role: fit, published: 1}\n",
		"\"a\": role fit, but no parameter");
	refused(HEAD COST FIGURE("published: 1") PARAMETERS
		"grade: fitted, value: 1.5, whole: yes, range: [1, 2], shared: y}\n",
		"1.5 is not whole");
	/* The partner has 226.9. */
	refused(HEAD COST FIGURE(
			"published: 1") "parameters:\n  - {key: session_cycles, unit: u, note: "
					"n, grade: fitted, value: 18, range: [0, 400], shared: "
					"cx5-xdp-redirect-compression-counters}\n",
		"18, but cx5-xdp-redirect-compression-counters, which it is shared with, has "
		"226.9");
}
END_TEST

START_TEST(unknown_names)
{
	struct cqesim_experiment *x = NULL;
	struct cqesim_error err = {""};

	use_tree();
	ck_assert_int_eq(cqesim_experiment_load(&x, "nothing", &err), -ENOENT);
	ck_assert_ptr_null(x);
	ck_assert_ptr_nonnull(strstr(err.text, "ixgbe-rx-free-thresh"));
	ck_assert_int_eq(cqesim_experiment_load(&x, "./nothing.yaml", &err), -ENOENT);
}
END_TEST

/* ---- deviations ---- */

static void deviates(const char *more, double deviation, bool worse)
{
	char text[2000];
	struct cqesim_experiment *x = NULL;
	struct cqesim_error err = {""};

	snprintf(text, sizeof(text), "%s%s}\n",
		 HEAD COST "figures:\n  - {name: a, unit: Gb/s, measure: copy_gbps, role: predict, "
			   "when: {mtu: 1492}, ",
		 more);
	ck_assert_msg(!try_text(text, &x, &err), "%s", err.text);
	NEAR(x->figure[0].model, 29.0909, 1e-4);
	NEAR(x->figure[0].deviation, deviation, 1e-3);
	ck_assert_msg(x->figure[0].worse == worse, "%s", more);
	cqesim_experiment_free(x);
}

START_TEST(deviations)
{
	deviates("published: 29, deviation: 0.3", 0.3135, false);
	deviates("published: 40, deviation: -27.3", -27.2727, false);
	deviates("published: 40, deviation: -26.8", -27.2727, false); /* within the slack */
	deviates("published: 40, deviation: -26.7", -27.2727, true);
	deviates("published: 40, deviation: 30", -27.2727, false); /* the size counts */
	deviates("published: 40", -27.2727, true);                 /* nothing recorded */
	deviates("published: 29, rounding: 1, deviation: 0", 0, false);
	deviates("published: 28, rounding: 1, deviation: 3.9", 3.8961, false); /* of 28, not 28.5 */
	deviates("published: [25, 30], deviation: 0", 0, false);
	deviates("published: [20, 25], deviation: 16.4", 16.3636, false);
	deviates("published: [30, 35], deviation: -3", -3.0303, false);
	deviates("published: 20, at_least: yes, deviation: 0", 0, false);
	deviates("published: 30, at_least: yes, deviation: -3", -3.0303, false);
}
END_TEST

/* ---- costs, by hand ---- */

START_TEST(buffers_cost)
{
	static const char text[] = HEAD
		"setup: {line_gbps: 100, mtu: 1500, send_bytes: 10000, buffer_ns: 100, send_ns: "
		"1000, send_apart_ns: 2000, kib_ns: 50, kib_apart_ns: 60}\nfigures:\n"
		"  - {name: r, unit: MiB/s, measure: zcrx_rate, role: predict, published: 1, "
		"when: {cores: apart, rx_buf_len: 8192}}\n"
		"  - {name: u, unit: percent, measure: zcrx_user, role: predict, published: 1, "
		"when: {cores: apart, rx_buf_len: 8192}}\n"
		"  - {name: s, unit: percent, measure: zcrx_softirq, role: predict, published: "
		"1, when: {cores: apart, rx_buf_len: 8192}}\n"
		"  - {name: full, unit: MiB/s, measure: zcrx_rate, role: predict, published: "
		"1, when: {cores: same, rx_buf_len: 8192}}\n";
	struct cqesim_experiment *x = NULL;
	struct cqesim_error err = {""};

	ck_assert_msg(!try_text(text, &x, &err), "%s", err.text);
	/*
	 * 12.5e9 x 1448 / 1538 = 11.76853e9 bytes/s.  User: 1.176853e6 sends of 2 us and
	 * 1.436588e6 buffers of 0.1 us: 2.353706 + 0.143659 = 2.497365 s.  Softirq: 11.492705e6
	 * KiB of 60 ns and the buffers: 0.833221 s.  So the user's core is the limit.
	 */
	NEAR(figure(x, "r")->model, 11.76853e9 / 2.497365 / 1048576, 0.05);
	NEAR(figure(x, "u")->model, 100, 1e-6);
	NEAR(figure(x, "s")->model, 83.3221 / 2.497365, 1e-3);
	/* One core: 1.176853 + 0.143659 + 0.574635 + 0.143659 = 2.038806 s */
	NEAR(figure(x, "full")->model, 11.76853e9 / 2.038806 / 1048576, 0.05);
	cqesim_experiment_free(x);
}
END_TEST

START_TEST(free_thresh)
{
	static const char text[] =
		HEAD "setup: {burst: 32, thresh_low: 0, scalar_cycles: 60, vector_cycles: 20, "
		     "forward_cycles: 40, tail_write_cycles: 320}\nfigures:\n"
		     "  - {name: a, unit: percent, measure: free_thresh_gain, role: predict, "
		     "published: 1, when: {thresh_high: 32}}\n"
		     "  - {name: b, unit: percent, measure: free_thresh_gain, role: predict, "
		     "published: 1, when: {thresh_high: 31}}\n";
	struct cqesim_experiment *x = NULL;
	struct cqesim_error err = {""};

	ck_assert_msg(!try_text(text, &x, &err), "%s", err.text);
	/* The vector function writes the tail each 32 packets, too: 10 cycles a packet. */
	NEAR(figure(x, "a")->model, 100 * (110.0 / 70 - 1), 1e-9);
	NEAR(figure(x, "b")->model, 0, 1e-9); /* 31: the same function, a tail each call */
	cqesim_experiment_free(x);
}
END_TEST

/* ---- fitting ---- */

START_TEST(fit_finds)
{
	/* 20 and 25 Gb/s with 1 GHz at MTUs of 1052 and 2052: 0.4 = b + s/1000, 0.32 = b + s/2000.
	 */
	static const char text[] = HEAD
		"setup: {clock: 1, copy_busy: 1}\nfigures:\n"
		"  - {name: a, unit: Gb/s, measure: copy_gbps, role: fit, published: 20, when: "
		"{mtu: 1052}, deviation: 100}\n"
		"  - {name: b, unit: Gb/s, measure: copy_gbps, role: fit, published: 20, when: "
		"{mtu: 2052}, deviation: 100}\n"
		"parameters:\n"
		"  - {key: copy_byte_cycles, value: 0.1, unit: u, grade: fitted, range: [0.01, "
		"2], fitted_to: [a, b], note: n}\n"
		"  - {key: copy_segment_cycles, value: 0, unit: u, grade: assumed, range: [0, "
		"0], note: n}\n";
	struct cqesim_experiment *x = NULL;
	struct cqesim_error err = {""};

	ck_assert_msg(!try_text(text, &x, &err), "%s", err.text);
	NEAR(x->figure[0].deviation, 300, 1e-6);
	ck_assert(x->figure[0].worse);
	ck_assert_msg(!cqesim_experiment_fit(x, &err), "%s", err.text);
	NEAR(x->parameter[0].value, 0.4, 1e-3);
	NEAR(x->parameter[1].value, 0, 0);
	NEAR(x->figure[1].deviation, 0, 0.1);
	cqesim_experiment_free(x);
}
END_TEST

/* Rounded figures leave a stretch of values: its middle is taken. */
START_TEST(fit_middle)
{
	struct cqesim_experiment *x = load("cx4lx-striding-rq-burst-loss");
	struct cqesim_error err = {""};

	x->parameter[0].value = 0.9;
	ck_assert_msg(!cqesim_experiment_fit(x, &err), "%s", err.text);
	NEAR(x->parameter[0].value, (0.093756 + 0.101579) / 2, 3e-4); /* doc/rq.md */
	NEAR(x->parameter[1].value, (0.128000 + 0.157482) / 2, 3e-4);
	cqesim_experiment_free(x);
}
END_TEST

/* A second fit changes nothing, though the replay is not smooth. */
START_TEST(fit_twice)
{
	struct cqesim_experiment *x = load("cx5-xdp-redirect-compression-counters");
	struct cqesim_error err = {""};
	double value[8];

	x->parameter[1].value = 300; /* session_time */
	ck_assert_msg(!cqesim_experiment_fit(x, &err), "%s", err.text);
	NEAR(x->parameter[1].value, 456, 30);
	for (unsigned i = 0; i < x->parameters; i++)
		value[i] = x->parameter[i].value;
	ck_assert_msg(!cqesim_experiment_fit(x, &err), "%s", err.text);
	for (unsigned i = 0; i < x->parameters; i++)
		NEAR(x->parameter[i].value, value[i], 0);
	cqesim_experiment_free(x);
}
END_TEST

/* ---- what experiments fitted is what the profiles say ---- */

START_TEST(profiles_agree)
{
	static const struct {
		const char *experiment, *key;
		enum cqesim_profile_kind kind;
		const char *profile;
		unsigned parameter;
	} same[] = {
		{"cx5-xdp-redirect-compression-counters", "session_time", CQESIM_PROFILE_DEVICE,
		 "connectx-5-ex-2018", CQESIM_DEV_COMP_AGE},
		{"cx5-xdp-redirect-compression-counters", "session_cycles", CQESIM_PROFILE_DRIVER,
		 "linux-mlx5e", CQESIM_DRV_CYC_SESSION},
		{"cx5-xdp-redirect-compression-counters", "app_cycles", CQESIM_PROFILE_APPLICATION,
		 "xdp-redirect", CQESIM_APP_CYC_PACKET},
		{"cx5-xdp-drop-pcie-limit", "packet_cycles", CQESIM_PROFILE_DRIVER, "linux-mlx5e",
		 CQESIM_DRV_CYC_PACKET},
		{"cx5-cqe-compression-aggressive", "app_cycles", CQESIM_PROFILE_APPLICATION,
		 "vpp-ip4", CQESIM_APP_CYC_PACKET},
		{"cx5-cqe-compression-aggressive", "app_poll_cycles", CQESIM_PROFILE_APPLICATION,
		 "vpp-ip4", CQESIM_APP_CYC_POLL},
	};

	for (unsigned i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct cqesim_experiment *x = load(same[i].experiment);
		struct cqesim_profile *p = NULL;
		struct cqesim_error err = {""};
		bool found = false;

		ck_assert_msg(!cqesim_profile_load(&p, same[i].kind, same[i].profile, &err), "%s",
			      err.text);
		for (unsigned k = 0; k < x->parameters; k++) {
			if (strcmp(x->parameter[k].key, same[i].key))
				continue;
			found = true;
			NEAR(same[i].kind == CQESIM_PROFILE_DEVICE
				     ? (double)cqesim_profile_u64(p, same[i].parameter)
				     : cqesim_profile_num(p, same[i].parameter),
			     x->parameter[k].value, 0);
		}
		ck_assert_msg(found, "%s", same[i].key);
		cqesim_profile_free(p);
		cqesim_experiment_free(x);
	}
}
END_TEST

/* ---- what is promised of the published rows ---- */

static void good_experiment(const struct cqesim_experiment *x)
{
	unsigned fitted = 0;

	for (unsigned i = 0; i < x->figures; i++)
		ck_assert_msg(!x->figure[i].worse, "%s: %s is %g %% off, recorded %g", x->name,
			      x->figure[i].name, x->figure[i].deviation, x->figure[i].recorded);
	for (unsigned i = 0; i < x->parameters; i++)
		fitted += x->parameter[i].grade == CQESIM_GRADE_FITTED;
	ck_assert_uint_lt(fitted, x->figures);
}

START_TEST(xdp_drop)
{
	struct cqesim_experiment *x = run("cx5-xdp-drop-pcie-limit");

	good_experiment(x);
	ck_assert_uint_eq(x->figures, 12);
	for (unsigned i = 0; i < x->figures; i++)
		ck_assert_msg(fabs(x->figure[i].deviation) <= 5, "%s: %g %%", x->figure[i].name,
			      x->figure[i].deviation);
	/* 184 bytes a packet at 15.71 GB/s x 0.97 */
	NEAR(figure(x, "off, 6 queues")->model, 82.83e6, 0.1e6);
	ck_assert_uint_ge(x->caveats, 2);
	cqesim_experiment_free(x);
}
END_TEST

START_TEST(vpp)
{
	struct cqesim_experiment *x = run("cx5-cqe-compression-aggressive");
	unsigned fitted = 0;

	good_experiment(x);
	for (unsigned i = 0; i < x->parameters; i++)
		fitted += x->parameter[i].grade == CQESIM_GRADE_FITTED;
	ck_assert_uint_le(fitted, 3);
	/* 247.25 bytes up (234 without DLLPs), 31.42 GB/s at 0.97; see cqesim link --forward */
	NEAR(figure(x, "received, off")->model, 123.4, 0.3);
	ck_assert(figure(x, "gain from compression")->role == CQESIM_FIT); /* fc_every */
	ck_assert(figure(x, "gain from compression")->deviation == 0);
	NEAR(figure(x, "RX descriptors per burst, off")->model, 63, 3);
	NEAR(figure(x, "RX descriptors per burst, aggressive")->model, 240, 12);
	cqesim_experiment_free(x);
}
END_TEST

START_TEST(bursts)
{
	struct cqesim_experiment *x = run("cx4lx-striding-rq-burst-loss");

	good_experiment(x);
	for (unsigned i = 0; i < 10; i++)
		ck_assert_msg(fabs(x->figure[i].model - x->figure[i].published) <= 512, "%s",
			      x->figure[i].name);
	NEAR(figure(x, "buffers per ring, after")->model, 16 * 2048 * 64, 0);
	ck_assert(figure(x, "pktgen packet rate gain")->model > 10); /* the contradiction */
	ck_assert(!figure(x, "netperf TCP stream gain")->modelled);
	cqesim_experiment_free(x);
}
END_TEST

/* All seven; parameters that are shared have one value. */
START_TEST(all_of_them)
{
	struct cqesim_error err = {""};

	use_tree();
	char **names = cqesim_experiment_names(&err);
	ck_assert_msg(names != NULL, "%s", err.text);
	unsigned n = 0;
	for (; names[n]; n++) {
		struct cqesim_experiment *x = load(names[n]);

		for (unsigned i = 0; i < x->parameters; i++) {
			const struct cqesim_fitted *p = &x->parameter[i];
			struct cqesim_experiment *other = p->shared ? load(p->shared) : NULL;
			bool found = !other;

			for (unsigned k = 0; other && k < other->parameters; k++)
				if (!strcmp(other->parameter[k].key, p->key)) {
					found = true;
					NEAR(other->parameter[k].value, p->value, 0);
					ck_assert_uint_gt(other->parameter[k].figures, 0);
				}
			ck_assert_msg(found, "%s: %s", x->name, p->key);
			cqesim_experiment_free(other);
		}
		for (unsigned i = 0; i < x->figures; i++)
			ck_assert(x->figure[i].has_recorded ||
				  !strcmp(x->figure[i].measure, "none"));
		cqesim_experiment_free(x);
	}
	ck_assert_uint_eq(n, 7);
	cqesim_profile_names_free(names);
}
END_TEST

Suite *suite_validate(void)
{
	Suite *s = suite_create("validate");
	TCase *t = tcase_create("library");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, bad_files);
	tcase_add_test(t, bad_parameters);
	tcase_add_test(t, unknown_names);
	tcase_add_test(t, deviations);
	tcase_add_test(t, buffers_cost);
	tcase_add_test(t, free_thresh);
	tcase_add_test(t, fit_finds);
	tcase_add_test(t, fit_middle);
	tcase_add_test(t, fit_twice);
	tcase_add_test(t, profiles_agree);
	tcase_add_test(t, xdp_drop);
	tcase_add_test(t, vpp);
	tcase_add_test(t, bursts);
	tcase_add_test(t, all_of_them);
	suite_add_tcase(s, t);
	add_validate_cli(s);
	return s;
}

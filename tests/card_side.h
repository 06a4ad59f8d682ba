/* SPDX-License-Identifier: BSD-3-Clause */
/* For the tests of cqesim card --cable: one of two launchers, and its end. */
#ifndef CARD_SIDE_H
#define CARD_SIDE_H

#include <signal.h>

#include "card_run.h"
#include "emu/cable.h"

void add_card_cable_launchers(Suite *suite);

#define PATIENCE 60 /* seconds */

static inline const char *path(void)
{
	static char text[PATH_MAX];

	snprintf(text, sizeof(text), "%s/patch.%d", test_tmpdir(), getpid());
	return text;
}

static inline bool is_there(void)
{
	return !access(path(), F_OK);
}

/* ---- one of the two ---- */

struct side {
	char out[PATH_MAX], err[PATH_MAX], report[PATH_MAX], started[PATH_MAX];
	pid_t launcher, program;
};

/* The program is the command's own process. */
static inline struct side start(const char *name, const char *const *options, const char *command)
{
	const char *args[CLI_ARGS_MAX] = {"card", "--cable", path(), "--no-eal-args", "--json"};
	char script[2 * PATH_MAX];
	unsigned n = 5;
	struct side s = {0};

	snprintf(s.out, sizeof(s.out), "%s/%s.out.%d", test_tmpdir(), name, getpid());
	snprintf(s.err, sizeof(s.err), "%s/%s.err.%d", test_tmpdir(), name, getpid());
	snprintf(s.report, sizeof(s.report), "%s/%s.json.%d", test_tmpdir(), name, getpid());
	snprintf(s.started, sizeof(s.started), "%s/%s.started.%d", test_tmpdir(), name, getpid());
	snprintf(script, sizeof(script), "echo $$ >%s; exec %s 2>&1", s.started, command);
	while (*options)
		args[n++] = *options++;
	args[n++] = "--output";
	args[n++] = s.report;
	args[n++] = "--";
	args[n++] = "sh";
	args[n++] = "-c";
	args[n++] = script;
	s.launcher = cli_start(&(struct streams){.out = s.out, .err = s.err}, args);
	for (int wait = 0; !s.program && wait < PATIENCE * 100; wait++) {
		FILE *f = fopen(s.started, "r");

		if (f && fscanf(f, "%d", &s.program) != 1)
			s.program = 0;
		if (f)
			fclose(f);
		usleep(10000);
	}
	char *complaint = slurp(s.err, NULL);
	ck_assert_msg(s.program > 0, "not started: %s", complaint);
	free(complaint);
	unlink(s.err);
	unlink(s.started);
	return s;
}

/* Until it has printed that. */
static inline void until(const struct side *s, const char *words)
{
	for (int wait = 0; wait < PATIENCE * 20; wait++) {
		char *text = slurp(s->out, NULL);
		bool found = strstr(text, words) != NULL;

		free(text);
		if (found)
			return;
		usleep(50000);
	}
	ck_abort_msg("no \"%s\" in %s", words, s->out);
}

/* With this status; its report, if there is one. */
static inline json_t *end(struct side *s, int code)
{
	struct output o = {0};
	json_error_t error;
	json_t *doc = NULL;

	cli_wait(s->launcher, &o);
	char *text = slurp(s->out, NULL);
	ck_assert_msg(o.code == code, "exit %d, signal %d: %s", o.code, o.signal, text);
	free(text);
	if (code >= 0) {
		doc = json_load_file(s->report, 0, &error);
		ck_assert_msg(doc != NULL, "%s", error.text);
		unlink(s->report);
	}
	unlink(s->out);
	return doc;
}

static inline json_t *stop(struct side *s)
{
	kill(s->launcher, SIGINT);
	return end(s, 0);
}

static const char *const no_options[] = {NULL};

#endif

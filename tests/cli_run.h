/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cli_run.h - for the tests of the program: run it with arguments, keep what it
 * wrote and how it ended.
 */
#ifndef CQESIM_CLI_RUN_H
#define CQESIM_CLI_RUN_H

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* The other parts of the suite. */
void add_cli_input(Suite *suite);
void add_cli_output(Suite *suite);
void add_cli_formats(Suite *suite);

#define CLI_ARGS_MAX 80

struct output {
	int code;   /* exit status, -1 when a signal ended it */
	int signal; /* which */
	char *out, *err;
	size_t out_size;
};

static inline const char *cli_program(void)
{
	const char *program = getenv("CQESIM_PROGRAM");
	char models[PATH_MAX];

	snprintf(models, sizeof(models), "%s/models", test_top_srcdir());
	setenv("CQESIM_MODELS", models, 0);
	return program ? program : "./cqesim";
}

static inline char *slurp(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t n = 0, room = 0, got;

	ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));
	do {
		if (room < n + 65537)
			text = realloc(text, room = 2 * room + 65537);
		ck_assert_ptr_nonnull(text);
		got = fread(text + n, 1, 65536, f);
		n += got;
	} while (got);
	fclose(f);
	text[n] = '\0';
	if (size)
		*size = n;
	return text;
}

/* Names of what the standard streams are (in: NULL is /dev/null), or open descriptors. */
struct streams {
	const char *in, *out, *err;
	int out_fd, err_fd; /* where there is no name */
};

/* Starts it; the process to wait for. */
static inline pid_t cli_start(const struct streams *s, const char *const *args)
{
	const char *argv[CLI_ARGS_MAX + 2] = {cli_program()};
	unsigned n = 0;

	while (args[n]) {
		ck_assert_uint_lt(n, CLI_ARGS_MAX);
		argv[n + 1] = args[n];
		n++;
	}
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid)
		return pid;
	int in = open(s->in ? s->in : "/dev/null", O_RDONLY);
	int out = s->out ? open(s->out, O_WRONLY | O_CREAT | O_TRUNC, 0600) : s->out_fd;
	int err = s->err ? open(s->err, O_WRONLY | O_CREAT | O_TRUNC, 0600) : s->err_fd;
	if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(126);
	close(in);
	close(out);
	close(err);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

static inline void cli_wait(pid_t pid, struct output *o)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	o->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	o->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	ck_assert_msg(o->code != 127, "%s cannot be run", cli_program());
}

static inline struct output cli_args(const char *in, const char *const *args)
{
	char out[PATH_MAX], err[PATH_MAX];
	struct output o = {0};

	snprintf(out, sizeof(out), "%s/cli.out.%d", test_tmpdir(), getpid());
	snprintf(err, sizeof(err), "%s/cli.err.%d", test_tmpdir(), getpid());
	cli_wait(cli_start(&(struct streams){.in = in, .out = out, .err = err}, args), &o);
	o.out = slurp(out, &o.out_size);
	o.err = slurp(err, NULL);
	unlink(out);
	unlink(err);
	return o;
}

/* Arguments in a row; standard input from a file (NULL: nothing). */
#define cli_from(in, ...) cli_args(in, (const char *const[]){__VA_ARGS__, NULL})
#define cli(...)          cli_from(NULL, __VA_ARGS__)

static inline void output_free(struct output *o)
{
	free(o->out);
	free(o->err);
	*o = (struct output){0};
}

static inline unsigned lines_of(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Exit 1 (or what is asked for), nothing on standard output, one line that holds the words. */
static inline void fails(struct output o, int code, const char *words1, const char *words2)
{
	ck_assert_msg(o.code == code, "exit %d, signal %d, not %d: %s", o.code, o.signal, code,
		      o.err);
	ck_assert_msg(!*o.out, "on standard output: %.200s", o.out);
	ck_assert_msg(lines_of(o.err) == 1 && o.err[strlen(o.err) - 1] == '\n', "not one line: %s",
		      o.err);
	ck_assert_msg(!strncmp(o.err, "cqesim", 6), "%s", o.err);
	ck_assert_msg(!words1 || strstr(o.err, words1), "no \"%s\" in: %s", words1, o.err);
	ck_assert_msg(!words2 || strstr(o.err, words2), "no \"%s\" in: %s", words2, o.err);
	output_free(&o);
}

/* The document of a run that went well; warnings (lines on standard error) as many as said. */
static inline json_t *good_json(struct output o, unsigned warnings)
{
	json_error_t error;

	ck_assert_msg(o.code == 0, "exit %d, signal %d: %s", o.code, o.signal, o.err);
	ck_assert_msg(lines_of(o.err) == warnings, "%u lines expected: %s", warnings, o.err);
	json_t *doc = json_loadb(o.out, o.out_size, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(doc != NULL, "%s at line %d", error.text, error.line);
	output_free(&o);
	return doc;
}

/* What stands at "link.up_bytes_per_packet"; the key must be there. */
static inline json_t *at(json_t *doc, const char *path)
{
	char key[128];

	for (const char *p = path; *p; p += *p == '.') {
		size_t n = strcspn(p, ".");

		snprintf(key, sizeof(key), "%.*s", (int)n, p);
		doc = json_object_get(doc, key);
		ck_assert_msg(doc != NULL, "no %s in the document", path);
		p += n;
	}
	return doc;
}

static inline uint64_t count_at(json_t *doc, const char *path)
{
	json_t *v = at(doc, path);

	ck_assert_msg(json_is_integer(v), "%s is no whole number", path);
	return (uint64_t)json_integer_value(v);
}

static inline double number_at(json_t *doc, const char *path)
{
	json_t *v = at(doc, path);

	ck_assert_msg(json_is_number(v), "%s is no number", path);
	return json_number_value(v);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chapter.h - pages of doc/ whose examples are run: "    $ cqesim ..." (going on
 * after "\") and, below it, lines of its output in their order; "..." and empty
 * lines stand for what is left out.
 */
#ifndef CQESIM_CHAPTER_H
#define CQESIM_CHAPTER_H

#include "cli_run.h"

#define CHAPTER_COMMAND 1024
#define CHAPTER_LINES   8192

/*
 * A whole line of the output, from here on; spaces at its end are not in the
 * page.  Of pages that wrap long lines: a part of one.
 */
static inline const char *chapter_line(const char *out, const char *from, const char *line,
				       bool wrapped)
{
	size_t n = strlen(line);

	if (wrapped) {
		line += strspn(line, " ");
		const char *part = strstr(from, line);
		return part ? part + strlen(line) : NULL;
	}
	for (const char *p = from; (p = strstr(p, line)); p++)
		if ((p == out || p[-1] == '\n') && p[n + strspn(p + n, " ")] == '\n')
			return p + n;
	return NULL;
}

/* Returns how many lines were found. */
static inline unsigned chapter_example(const char *page, char *command, char *lines, int code)
{
	const char *args[CLI_ARGS_MAX + 1];
	char shown[CHAPTER_COMMAND];
	unsigned n = 0, checked = 0;

	snprintf(shown, sizeof(shown), "%s", command);
	for (char *word = strtok(command, " "); word && n < CLI_ARGS_MAX; word = strtok(NULL, " "))
		args[n++] = word;
	args[n] = NULL;
	struct output o = cli_args(NULL, args);
	ck_assert_msg(code < 0 || o.code == code, "%s: %s: exit %d: %s", page, shown, o.code,
		      o.err);
	const char *from = o.out;
	for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
		const char *word = line + strspn(line, " ");

		if (!*word || !strcmp(word, "..."))
			continue;
		const char *behind = chapter_line(o.out, from, line + 4, code < 0);
		ck_assert_msg(behind != NULL, "%s: %s: no line \"%s\" in\n%.3000s", page, shown,
			      line + 4, from);
		from = behind;
		checked++;
	}
	output_free(&o);
	return checked;
}

/* The command at *p, lines that go on joined. */
static inline void chapter_command(const char **p, char command[CHAPTER_COMMAND])
{
	size_t k = 0, length;

	for (;; k += length) {
		length = strcspn(*p, "\n");
		ck_assert_uint_lt(k + length + 1, CHAPTER_COMMAND);
		memcpy(command + k, *p, length);
		command[k + length] = '\0';
		*p += length;
		if (!length || command[k + length - 1] != '\\')
			return;
		command[k + --length] = '\0';
		++*p;
	}
}

/* The indented lines at *p, empty ones between them included. */
static inline void chapter_lines(const char **p, char lines[CHAPTER_LINES])
{
	size_t n = 0;

	for (;;) {
		size_t empty = strspn(*p, "\n");

		if (!empty || strncmp(*p + empty, "    ", 4) || (*p)[empty + 4] == '$')
			break;
		*p += empty - 1;
		size_t length = strcspn(*p + 1, "\n") + 1;
		ck_assert_uint_lt(n + length, CHAPTER_LINES);
		memcpy(lines + n, *p, length);
		n += length;
		*p += length;
	}
	lines[n] = '\0';
}

/* Run all examples of a page; each ends with this exit code (-1: any,
 * and the page wraps lines); fewer than these are a
 * mistake here.
 */
static inline void chapter_check(const char *page, int code, unsigned examples_min,
				 unsigned lines_min)
{
	static const char mark[] = "\n    $ cqesim ";
	char path[PATH_MAX], command[CHAPTER_COMMAND], lines[CHAPTER_LINES];
	unsigned examples = 0, found = 0;

	snprintf(path, sizeof(path), "%s/doc/%s", test_top_srcdir(), page);
	char *text = slurp(path, NULL), *before = getcwd(NULL, 0);
	const char *p = text;
	/* Files of the source tree are named from its top; the program keeps its place. */
	const char *named = getenv("CQESIM_PROGRAM");
	char *program = realpath(named ? named : "./cqesim", NULL);
	if (program)
		setenv("CQESIM_PROGRAM", program, 1);
	free(program);
	ck_assert_ptr_nonnull(before);
	ck_assert_int_eq(chdir(test_top_srcdir()), 0);
	while ((p = strstr(p, mark))) {
		p += strlen(mark);
		chapter_command(&p, command);
		chapter_lines(&p, lines);
		examples++;
		found += chapter_example(page, command, lines, code);
	}
	ck_assert_int_eq(chdir(before), 0);
	free(before);
	ck_assert_uint_ge(examples, examples_min);
	ck_assert_uint_ge(found, lines_min);
	free(text);
}

#endif

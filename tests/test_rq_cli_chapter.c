/* SPDX-License-Identifier: BSD-3-Clause */
/* The examples of doc/rq.md: each is run, and its lines are looked for in what it writes. */
#include "cli_run.h"

TCase *rq_cli_chapter(void);

/* Run "    $ cqesim rq ..." (going on after "\") and look for the lines that follow it, in order.
 */
static unsigned run_example(char *command, char *lines)
{
	const char *args[CLI_ARGS_MAX + 1];
	char path[CLI_ARGS_MAX][PATH_MAX];
	unsigned n = 0, checked = 0;

	for (char *word = strtok(command, " "); word && n < CLI_ARGS_MAX;
	     word = strtok(NULL, " ")) {
		bool file = !strncmp(word, "traces/", 7);

		snprintf(path[n], sizeof(path[n]), "%s%s%s", file ? test_top_srcdir() : "",
			 file ? "/" : "", word);
		args[n] = path[n];
		n++;
	}
	args[n] = NULL;
	struct output o = cli_args(NULL, args);
	ck_assert_msg(o.code == 0, "%s: %s", args[n - 1], o.err);
	const char *from = o.out;
	for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
		while (*line == ' ')
			line++;
		if (!strcmp(line, "...") || !*line)
			continue;
		const char *there = strstr(from, line);
		ck_assert_msg(there != NULL, "%s: no \"%s\" in\n%s", args[n - 1], line, from);
		from = there + strlen(line);
		checked++;
	}
	output_free(&o);
	return checked;
}

START_TEST(chapter)
{
	char file[PATH_MAX];
	unsigned examples = 0, lines = 0;

	snprintf(file, sizeof(file), "%s/doc/rq.md", test_top_srcdir());
	char *text = slurp(file, NULL), *p = text;
	while ((p = strstr(p, "\n    $ cqesim "))) {
		char command[1024], expected[8192];
		size_t n = 0, length;

		p += strlen("\n    $ cqesim ");
		for (size_t k = 0;; k += length) {
			length = strcspn(p, "\n");
			ck_assert_uint_lt(k + length + 1, sizeof(command));
			memcpy(command + k, p, length);
			command[k + length] = '\0';
			p += length;
			if (p[-1] != '\\')
				break;
			command[k + --length] = '\0';
			p++;
		}
		/* Empty lines may stand in between. */
		for (;;) {
			size_t empty = strspn(p, "\n");

			if (!empty || strncmp(p + empty, "    ", 4) || p[empty + 4] == '$')
				break;
			p += empty - 1;
			length = strcspn(p + 1, "\n") + 1;
			ck_assert_uint_lt(n + length, sizeof(expected));
			memcpy(expected + n, p, length);
			n += length;
			p += length;
		}
		expected[n] = '\0';
		examples++;
		lines += run_example(command, expected);
	}
	ck_assert_uint_ge(examples, 8);
	ck_assert_uint_ge(lines, 50);
	free(text);
}
END_TEST

TCase *rq_cli_chapter(void)
{
	TCase *tc = tcase_create("chapter");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, chapter);
	return tc;
}

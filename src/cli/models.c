/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim models: what profiles there are, and what stands in one. */
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "cqesim/report.h"

#define COMMAND "models"

static const char help_text[] =
	"usage: cqesim models [--json]\n"
	"       cqesim models show NAME [--json]\n"
	"\n"
	"Lists the profiles of devices, links, drivers, hosts and applications, or shows\n"
	"one with the unit, evidence grade, range and source of every parameter. NAME may be a file.\n"
	"Links are named gen1x1 to gen6x32. $CQESIM_MODELS names another folder.\n"
	"\n"
	"Exit status: 0 good, 1 bad profile, 2 bad usage.\n";

static const struct option long_options[] = {
	{"json", no_argument, NULL, 'j'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static void json_string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		putchar((unsigned char)*s < 0x20 ? ' ' : *s);
	}
	putchar('"');
}

static void list_json(char *const *const names[])
{
	puts("{");
	for (int kind = 0; kind < CQESIM_PROFILE_KINDS; kind++) {
		printf("  \"%s\": [", cqesim_profile_kind_name(kind));
		for (unsigned i = 0; names[kind][i]; i++) {
			fputs(i ? ", " : "", stdout);
			json_string(names[kind][i]);
		}
		puts(kind + 1 < CQESIM_PROFILE_KINDS ? "]," : "]");
	}
	puts("}");
}

static void list_text(char *const *const names[])
{
	struct cqesim_error err = {""};

	for (int kind = 0; kind < CQESIM_PROFILE_KINDS; kind++) {
		printf("%s%ss\n", kind ? "\n" : "", cqesim_profile_kind_name(kind));
		if (kind == CQESIM_PROFILE_LINK) {
			printf("  %-18s PCIe links, generation 1 to 6, 1 to 32 lanes\n",
			       "gen1x1 .. gen6x32");
			continue;
		}
		for (unsigned i = 0; names[kind][i]; i++) {
			struct cqesim_profile *p = NULL;

			if (cqesim_profile_load(&p, kind, names[kind][i], &err))
				printf("  %-18s unusable: %s\n", names[kind][i], err.text);
			else
				printf("  %-18s %s\n", names[kind][i], p->title);
			cqesim_profile_free(p);
		}
	}
	puts("\ncqesim models show NAME tells what stands in one.");
}

static int list(bool json)
{
	char **names[CQESIM_PROFILE_KINDS];
	struct cqesim_error err = {""};
	int kinds = 0;

	/* All or nothing: half a document is none. */
	while (kinds < CQESIM_PROFILE_KINDS && (names[kinds] = cqesim_profile_names(kinds, &err)))
		kinds++;
	if (kinds < CQESIM_PROFILE_KINDS)
		complain("%s", err.text);
	else if (json)
		list_json((char *const *const *)names);
	else
		list_text((char *const *const *)names);
	int code = kinds < CQESIM_PROFILE_KINDS ? EXIT_INPUT : close_stdout();
	while (kinds)
		cqesim_profile_names_free(names[--kinds]);
	return code;
}

/* Is there a folder of profiles at all?  If not, *err says so. */
static bool have_models(struct cqesim_error *err)
{
	char **names = cqesim_profile_names(CQESIM_PROFILE_DEVICE, err);
	bool have = names != NULL;

	cqesim_profile_names_free(names);
	return have;
}

static int show(const char *name, bool json)
{
	struct cqesim_error err = {""}, first = {""};
	struct cqesim_profile *p = NULL;
	int rc = -ENOENT;

	/* The kind follows from the name: whichever folder has it. */
	for (int kind = 0; kind < CQESIM_PROFILE_KINDS && !p; kind++) {
		bool by_path = strchr(name, '/') || strstr(name, ".yaml");

		if (kind == CQESIM_PROFILE_LINK && (by_path || strncmp(name, "gen", 3)))
			continue;
		int here = cqesim_profile_load(&p, kind, name, &err);
		if (!here) {
			rc = 0;
		} else if (!*first.text || rc == -ENOENT) {
			first = err;
			rc = here;
		}
	}
	if (p) {
		rc = json ? cqesim_report_profile_json(p, stdout, &err)
			  : cqesim_report_profile_text(p, stdout, &err);
		cqesim_profile_free(p);
		if (!rc)
			return close_stdout();
		first = err;
	} else if (rc == -ENOENT && !strchr(name, '/') && have_models(&first)) {
		complain("no profile '%s'; cqesim models lists them", name);
		return EXIT_INPUT;
	}
	complain("%s", first.text);
	return EXIT_INPUT;
}

int cmd_models(int argc, char **argv)
{
	bool json = false;
	int c;

	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(help_text, stdout);
			return close_stdout();
		}
		if (c != 'j')
			return bad_option(COMMAND, argv, c);
		json = true;
	}
	if (optind == argc)
		return list(json);
	if (!strcmp(argv[optind], "show") && argc - optind == 2)
		return show(argv[optind + 1], json);
	return usage_error(COMMAND, "expected nothing, or show NAME");
}

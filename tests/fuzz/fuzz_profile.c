/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_profile.c - any bytes as a profile file, then changed as from the
 * command line, then printed.
 *
 * The input is the file.  Lines of it that begin with "#set " are, after it
 * was loaded, applied as "--set key=value" would be; a line "#link " names the
 * link that a file of links is loaded as.  Both are comments to YAML.
 */
#include <errno.h>
#include <jansson.h>
#include <sys/stat.h>

#include "cqesim/profile.h"
#include "cqesim/report.h"
#include "fuzz.h"

static const char *const folders[CQESIM_PROFILE_KINDS] = {"devices", "links", "drivers", "hosts",
							  "applications"};

static int memory_fd = -1;
static char models[512];

/* A folder with one profile of each kind: names of one and the same file in memory. */
static void make_models(void)
{
	const char *tmp = getenv("TMPDIR");
	char path[600], target[64];
	snprintf(models, sizeof(models), "%.400s/cqesim-fuzz-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	FUZZ_NEED(mkdtemp(models));
	snprintf(target, sizeof(target), "/proc/self/fd/%d", memory_fd);
	for (unsigned k = 0; k < CQESIM_PROFILE_KINDS; k++) {
		snprintf(path, sizeof(path), "%s/%s", models, folders[k]);
		FUZZ_NEED(mkdir(path, 0700) == 0);
		snprintf(path, sizeof(path), "%s/%s/%s.yaml", models, folders[k],
			 k == CQESIM_PROFILE_LINK ? "pcie" : "fuzz");
		FUZZ_NEED(symlink(target, path) == 0);
	}
	FUZZ_NEED(setenv("CQESIM_MODELS", models, 1) == 0);
}

static void remove_models(void)
{
	char path[600];
	for (unsigned k = 0; k < CQESIM_PROFILE_KINDS; k++) {
		snprintf(path, sizeof(path), "%s/%s/%s.yaml", models, folders[k],
			 k == CQESIM_PROFILE_LINK ? "pcie" : "fuzz");
		unlink(path);
		snprintf(path, sizeof(path), "%s/%s", models, folders[k]);
		rmdir(path);
	}
	rmdir(models);
}

/* The kind that the text asks for; most inputs should not end at the wrong one. */
static enum cqesim_profile_kind kind_of(const char *text)
{
	const char *kind = strstr(text, "kind:");
	for (unsigned k = 0; kind && k < CQESIM_PROFILE_KINDS; k++) {
		const char *name = cqesim_profile_kind_name((enum cqesim_profile_kind)k);
		const char *found = strstr(kind, name);
		if (found && found - kind < 12)
			return (enum cqesim_profile_kind)k;
	}
	return CQESIM_PROFILE_HOST;
}

/* Copies what follows `mark` at the start of a line, to its end; the next place to look, or NULL.
 */
static const char *line_after(const char *text, const char *mark, char *line, size_t room)
{
	const char *at = strstr(text, mark);
	if (!at)
		return NULL;
	at += strlen(mark);
	size_t n = strcspn(at, "\n");
	snprintf(line, room, "%.*s", n < room ? (int)n : (int)room - 1, at);
	return at + n;
}

static void check_param(const struct cqesim_param *q)
{
	FUZZ_REQUIRE(q->key && *q->key && q->meaning && q->unit);
	FUZZ_REQUIRE(q->text && *q->text && q->source && *q->source);
	FUZZ_REQUIRE(!strpbrk(q->text, "\n\r") && !strpbrk(q->source, "\n\r"));
	FUZZ_REQUIRE((unsigned)q->grade < CQESIM_GRADES);
	if (q->type == 'S')
		return;
	FUZZ_REQUIRE(q->number - q->number == 0); /* neither infinite nor no number */
	FUZZ_REQUIRE(q->type == 'D' || q->number == (double)(uint64_t)q->number);
	FUZZ_REQUIRE(!q->has_range || (q->low <= q->number && q->number <= q->high));
}

static void check_profile(const struct cqesim_profile *p)
{
	FUZZ_REQUIRE(p->name && *p->name && p->title && *p->title && p->file);
	FUZZ_REQUIRE(p->count > 0 && p->count <= CQESIM_PARAM_MAX);
	for (unsigned i = 0; i < p->count; i++)
		check_param(&p->param[i]);
}

/* Printing cannot fail for what is in a profile, and the JSON is JSON. */
static void print(const struct cqesim_profile *p)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	FUZZ_NEED(f);
	FUZZ_REQUIRE(cqesim_report_profile_text(p, f, NULL) == 0);
	FUZZ_REQUIRE(fclose(f) == 0 && n > 0);
	free(text);

	f = open_memstream(&text, &n);
	FUZZ_NEED(f);
	FUZZ_REQUIRE(cqesim_report_profile_json(p, f, NULL) == 0);
	FUZZ_REQUIRE(fclose(f) == 0);
	json_t *json = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
	FUZZ_REQUIRE(json);
	json_decref(json);
	free(text);
}

static void apply_sets(struct cqesim_profile *p, const char *text)
{
	char line[256];
	for (unsigned sets = 0;
	     sets < 64 && (text = line_after(text, "\n#set ", line, sizeof(line))); sets++) {
		struct cqesim_error err = {""};
		char *equals = strchr(line, '=');
		if (!equals)
			continue;
		*equals = '\0';
		int rc = cqesim_profile_set(p, line, equals + 1, &err);
		if (rc) {
			FUZZ_REQUIRE(rc == -EINVAL || rc == -ENOENT);
			fuzz_require_message(err.text);
		}
		check_profile(p);
	}
}

static void load(enum cqesim_profile_kind kind, const char *name, const char *text)
{
	struct cqesim_profile *p = (void *)1;
	struct cqesim_error err = {""};
	int rc = cqesim_profile_load(&p, kind, name, &err);
	if (rc) {
		FUZZ_REQUIRE(rc == -EINVAL || (rc == -ENOENT && kind == CQESIM_PROFILE_LINK));
		FUZZ_REQUIRE(!p);
		fuzz_require_message(err.text);
		return;
	}
	FUZZ_REQUIRE(p && p->kind == kind);
	check_profile(p);
	apply_sets(p, text);
	print(p);
	cqesim_profile_free(p);
}

FUZZ_TARGET(profile)
{
	fuzz_memory_file(&memory_fd, data, size);
	if (!*models) {
		make_models();
		atexit(remove_models);
	}
	char *text = malloc(size + 1), name[256] = "gen3x16";
	FUZZ_NEED(text);
	memcpy(text, data, size);
	text[size] = '\0';
	enum cqesim_profile_kind kind = kind_of(text);
	if (kind == CQESIM_PROFILE_LINK)
		line_after(text, "\n#link ", name, sizeof(name));
	load(kind, kind == CQESIM_PROFILE_LINK ? name : "fuzz", text);
	free(text);
	return 0;
}

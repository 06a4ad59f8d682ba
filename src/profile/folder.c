/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * folder.c - where models/ is, and which profiles lie there.
 *
 * In this order: $CQESIM_MODELS; models/ beside an uninstalled program, or
 * share/cqesim/models beside a relocated one; the installed folder; the source
 * folder of the build, if the build system compiled its name in.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/internal.h"

#define SUFFIX ".yaml"

static bool is_models(const char *path)
{
	char probe[PATH_MAX];
	struct stat st;
	if ((size_t)snprintf(probe, sizeof(probe), "%s/devices", path) >= sizeof(probe) ||
	    stat(probe, &st) || !S_ISDIR(st.st_mode))
		return false;
	return (size_t)snprintf(probe, sizeof(probe), "%s/links/pcie.yaml", path) < sizeof(probe) &&
	       !access(probe, R_OK);
}

/* Folder of the running program, without links; false if the system does not say. */
static bool program_folder(char folder[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	if (n <= 0 || n >= PATH_MAX - 1)
		return false;
	folder[n] = '\0';
	char *slash = strrchr(folder, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

static bool is_installed(const char *program)
{
#ifdef CQESIM_BINDIR
	char bindir[PATH_MAX];
	return realpath(CQESIM_BINDIR, bindir) && !strcmp(program, bindir);
#else
	(void)program;
	return false;
#endif
}

/* models/ near the program.  "../.." is for libtool, which puts programs into .libs. */
static bool near_program(char folder[PATH_MAX])
{
	static const char *const places[] = {
		"models",
		"../models",
		"../../models",
		"../share/cqesim/models",
	};
	char program[PATH_MAX], path[PATH_MAX];
	if (!program_folder(program))
		return false;
	size_t i = is_installed(program) ? 3 : 0;
	for (; i < sizeof(places) / sizeof(places[0]); i++)
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", program, places[i]) <
			    sizeof(path) &&
		    is_models(path) && realpath(path, folder))
			return true;
	return false;
}

const char *cqesim_profile_folder(void)
{
	static __thread char folder[PATH_MAX];
	const char *env = getenv("CQESIM_MODELS");
	if (env && *env) {
		/* Used as it is: if it is wrong, the error should name it. */
		snprintf(folder, sizeof(folder), "%s", env);
		return folder;
	}
	if (near_program(folder))
		return folder;
#ifdef CQESIM_PKGDATADIR
	if (is_models(CQESIM_PKGDATADIR "/models"))
		return CQESIM_PKGDATADIR "/models";
#endif
#ifdef CQESIM_SRC_MODELS
	if (is_models(CQESIM_SRC_MODELS))
		return CQESIM_SRC_MODELS;
#endif
#ifdef CQESIM_PKGDATADIR
	return CQESIM_PKGDATADIR "/models";
#else
	return "models";
#endif
}

void cqesim_profile_names_free(char **names)
{
	if (!names)
		return;
	for (char **n = names; *n; n++)
		free(*n);
	free(names);
}

/* All the links that can be named; they share one file. */
static char **link_names(const char *folder, struct cqesim_error *err)
{
	size_t lanes = sizeof(cqesim_link_lanes) / sizeof(cqesim_link_lanes[0]), count = 0;
	char file[PATH_MAX];
	if ((size_t)snprintf(file, sizeof(file), "%s/pcie" SUFFIX, folder) >= sizeof(file) ||
	    access(file, R_OK)) {
		cqesim_fail(err, -ENOENT, "no file pcie" SUFFIX " in %s", folder);
		return NULL;
	}
	char **names = calloc(LINK_GENERATIONS * lanes + 1, sizeof(*names));
	if (!names)
		goto oom;
	for (unsigned g = 1; g <= LINK_GENERATIONS; g++)
		for (size_t l = 0; l < lanes; l++, count++)
			if (asprintf(&names[count], "gen%ux%u", g, cqesim_link_lanes[l]) < 0) {
				names[count] = NULL;
				goto oom;
			}
	return names;
oom:
	cqesim_profile_names_free(names);
	cqesim_fail(err, -ENOMEM, "out of memory");
	return NULL;
}

static bool is_profile_file(const char *file)
{
	size_t n = strlen(file), s = strlen(SUFFIX);
	return file[0] != '.' && n > s && !strcmp(file + n - s, SUFFIX);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **file_names(DIR *dir, struct cqesim_error *err)
{
	size_t count = 0, room = 16;
	char **names = malloc((room + 1) * sizeof(*names));
	for (struct dirent *e; names && (e = readdir(dir));) {
		if (!is_profile_file(e->d_name))
			continue;
		if (count == room) {
			room *= 2;
			char **more = realloc(names, (room + 1) * sizeof(*names));
			if (!more)
				break;
			names = more;
		}
		names[count] = strndup(e->d_name, strlen(e->d_name) - strlen(SUFFIX));
		if (!names[count])
			break;
		count++;
		errno = 0;
	}
	if (!names || errno == ENOMEM) {
		if (names)
			names[count] = NULL;
		cqesim_profile_names_free(names);
		cqesim_fail(err, -ENOMEM, "out of memory");
		return NULL;
	}
	names[count] = NULL;
	qsort(names, count, sizeof(*names), compare);
	return names;
}

char **cqesim_profile_names(enum cqesim_profile_kind kind, struct cqesim_error *err)
{
	if ((unsigned)kind >= CQESIM_PROFILE_KINDS) {
		cqesim_fail(err, -EINVAL, "no kind of profile has the number %d", (int)kind);
		return NULL;
	}
	char folder[PATH_MAX];
	if ((size_t)snprintf(folder, sizeof(folder), "%s/%s", cqesim_profile_folder(),
			     cqesim_kinds[kind].folder) >= sizeof(folder)) {
		cqesim_fail(err, -ENAMETOOLONG, "the name of the models folder is too long");
		return NULL;
	}
	if (kind == CQESIM_PROFILE_LINK)
		return link_names(folder, err);
	DIR *dir = opendir(folder);
	if (!dir) {
		cqesim_fail(err, -errno, "%s: %s (set CQESIM_MODELS to the folder with profiles)",
			    folder, strerror(errno));
		return NULL;
	}
	errno = 0;
	char **names = file_names(dir, err);
	closedir(dir);
	return names;
}

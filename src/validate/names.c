/* SPDX-License-Identifier: BSD-3-Clause */
/* Which experiments lie in models/experiments. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "validate/internal.h"

static int is_experiment(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return entry->d_name[0] != '.' && n > 5 && !strcmp(entry->d_name + n - 5, ".yaml");
}

/* By bytes, whatever the locale. */
static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **cqesim_experiment_names(struct cqesim_error *err)
{
	char folder[PATH_MAX];
	struct dirent **entry;

	snprintf(folder, sizeof(folder), "%s/experiments", cqesim_profile_folder());
	int count = scandir(folder, &entry, is_experiment, NULL);
	if (count < 0) {
		cqesim_fail(err, -errno, "%s: %s (set CQESIM_MODELS to the folder with profiles)",
			    folder, strerror(errno));
		return NULL;
	}
	char **names = calloc((size_t)count + 1, sizeof(*names));
	bool short_of_memory = !names;
	for (int i = 0; i < count; i++) {
		size_t n = strlen(entry[i]->d_name) - strlen(".yaml");

		if (names && !(names[i] = strndup(entry[i]->d_name, n)))
			short_of_memory = true;
		free(entry[i]);
	}
	free(entry);
	if (short_of_memory) {
		for (int i = 0; names && i < count; i++)
			free(names[i]);
		free(names);
		cqesim_fail(err, -ENOMEM, "out of memory");
		return NULL;
	}
	qsort(names, (size_t)count, sizeof(*names), compare);
	return names;
}

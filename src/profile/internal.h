/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * internal.h - what the files of the profile station share.
 *
 * params.c knows the parameters and checks values, index.c and yaml.c turn a
 * file into strings with line numbers, folder.c finds files, profile.c joins them.
 */
#ifndef CQESIM_PROFILE_INTERNAL_H
#define CQESIM_PROFILE_INTERNAL_H

#include "cqesim/profile.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* Longest reason for a refusal; with file, line and key it fits struct cqesim_error. */
#define WHY_SIZE 256

struct param_def {
	const char *key, *unit, *meaning;
	double low, high;
	char type;
};

struct kind_def {
	const char *name, *folder;
	const struct param_def *params;
	unsigned count;
};

extern const struct kind_def cqesim_kinds[CQESIM_PROFILE_KINDS] HIDDEN;

/* Index of a key among a kind's parameters, or -1. */
HIDDEN int cqesim_param_find(enum cqesim_profile_kind kind, const char *key);

/*
 * Check a value.  *canonical (malloced) is the text to keep, *number the value
 * of a number.  -EINVAL: `why` says what was expected and what was found.
 */
HIDDEN int cqesim_param_parse(enum cqesim_profile_kind kind, unsigned id, const char *text,
			      char **canonical, double *number, char why[WHY_SIZE]);

/*
 * Rules between parameters.  -EINVAL: *id is the parameter at fault.
 */
HIDDEN int cqesim_param_cross_check(const struct cqesim_profile *profile, unsigned *id,
				    char why[WHY_SIZE]);

/* "gen3x16": up to a comma or the end, which is left in *rest.  -EINVAL if it is no such name. */
HIDDEN int cqesim_link_name_parse(const char *name, unsigned *generation, unsigned *lanes,
				  const char **rest);
extern const unsigned cqesim_link_lanes[7] HIDDEN;
#define LINK_GENERATIONS 6u
#define LINK_EXPECTED    "expected genGxL: generation 1..6, lanes 1, 2, 4, 8, 12, 16 or 32, as in gen3x16"

/* One parameter as it stands in a file.  Strings that are not there are NULL. */
struct raw_param {
	char *value, *unit, *source, *note;
	char **range;
	unsigned range_count; /* 0 or 2 */
	int grade;
};

struct raw_profile {
	char *kind, *name, *title, *notes;
	struct raw_param param[CQESIM_PARAM_MAX];
};

/* Where the keys of a file stand. */
struct yaml_line {
	char *key, *sub; /* sub is NULL for the key itself */
	unsigned line;
};

struct yaml_index {
	struct yaml_line *lines;
	unsigned count, room;
	char *kind; /* value of the key "kind", NULL if it has none */
};

/*
 * Read and parse a file of the given kind.  Errors name file, line and key.
 * Free *raw with cqesim_yaml_free and the index with cqesim_yaml_index_free.
 */
HIDDEN int cqesim_yaml_load(const char *file, enum cqesim_profile_kind kind,
			    struct raw_profile **raw, struct yaml_index *index,
			    struct cqesim_error *err);
HIDDEN void cqesim_yaml_free(struct raw_profile *raw, enum cqesim_profile_kind kind);
HIDDEN void cqesim_yaml_index_free(struct yaml_index *index);
/* Line of key, or of sub within key; the key's, or 1, when there is none. */
HIDDEN unsigned cqesim_yaml_line(const struct yaml_index *index, const char *key, const char *sub);

/* index.c: walk over the file's events and note where each key stands. */
HIDDEN int cqesim_yaml_walk(const char *file, const unsigned char *data, size_t size,
			    struct yaml_index *index, struct cqesim_error *err);

#endif

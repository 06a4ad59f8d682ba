/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * validate.h - published measurements against the model.
 *
 * An experiment is a YAML file in models/experiments: what was measured and
 * where it is published, how the model is set up for it, which parameters were
 * fitted to which of its figures, and how far the model was off when the file was
 * written.  A run computes each figure anew:
 *
 *   setup + parameters + what the figure says in `when` ──► settings ──► measure
 *
 * A measure is a small model: a replay, the link's closed form, rings under
 * bursts, or cost per byte, segment and buffer.  See src/validate.
 */
#ifndef CQESIM_VALIDATE_H
#define CQESIM_VALIDATE_H

#include "cqesim/common.h"
#include "cqesim/profile.h"

/* A key and its value as text, from a file. */
struct cqesim_setting {
	char *key, *value;
	bool used; /* by the model of a figure, in a run */
};
struct cqesim_settings {
	struct cqesim_setting *setting;
	unsigned count;
};

/* Are parameters fitted to a figure?  One of measure "none" is listed and not modelled. */
enum cqesim_role { CQESIM_FIT, CQESIM_PREDICT, CQESIM_ROLE_NONE };
CQESIM_API const char *cqesim_role_name(enum cqesim_role role);

struct cqesim_figure {
	char *name;
	char *unit;
	char *measure;
	double published; /* what the source states; NAN when it states a range */
	double low, high; /* the range: stated, or given by rounding; high may be INFINITY */
	bool approximate; /* the source says "about" */
	enum cqesim_role role;
	struct cqesim_settings when; /* go before the experiment's setup */
	bool has_recorded;
	double recorded; /* deviation in percent when the file was written */
	char *remark;    /* may be NULL */

	/* After cqesim_experiment_run. */
	bool modelled; /* false: measure "none" */
	double model;
	double deviation; /* percent of the nearer end of the range; 0 inside */
	bool worse;       /* than recorded, by more than CQESIM_VALIDATE_SLACK */
};

/* Percentage points by which a deviation may grow before it counts as worse. */
#define CQESIM_VALIDATE_SLACK 0.5

struct cqesim_fitted {
	char *key; /* of a setting */
	double value;
	char *unit;
	enum cqesim_grade grade;
	double low, high; /* where it is physically plausible */
	unsigned *figure; /* numbers of the figures that it was fitted to ... */
	unsigned figures; /* ... 0: it was not */
	char *note;
	bool used;
	bool whole;   /* a whole number, which a fit rounds it to */
	char *shared; /* name of the experiment that it is shared with; may be NULL */
};

struct cqesim_experiment {
	char *name, *title, *source, *file;
	char **caveat;
	unsigned caveats;
	struct cqesim_settings setup;
	struct cqesim_figure *figure;
	unsigned figures;
	struct cqesim_fitted *parameter;
	unsigned parameters;
};

/*
 * By name, from models/experiments, or by path ('/' in it or ".yaml" at its end).
 * -ENOENT, -EINVAL for a bad file: *err names file, line and key.  A parameter that is shared must
 * have the same value in the other experiment, which is looked for in the same folder, then in
 * models/experiments; a figure of role fit must be in some parameter's fitted_to.
 */
CQESIM_API int cqesim_experiment_load(struct cqesim_experiment **experiment, const char *name,
				      struct cqesim_error *err);
CQESIM_API void cqesim_experiment_free(struct cqesim_experiment *experiment);

/* Names of those in models/experiments, sorted; ends with NULL; cqesim_profile_names_free. */
CQESIM_API char **cqesim_experiment_names(struct cqesim_error *err);

/*
 * Compute all figures.  -EINVAL for settings that cannot be, errors of the replay.
 */
CQESIM_API int cqesim_experiment_run(struct cqesim_experiment *experiment,
				     struct cqesim_error *err);

/*
 * Look for better values of the fitted parameters, one after the other and within
 * their ranges, until all figures that they are fitted to are as near as they get
 * (least squares of the deviations).  The new values are in the experiment
 * afterwards, rounded to four digits, and its figures are computed with them.  A value stays when
 * no other is better by more than a quarter of a percentage point, and the search ends when all
 * stay: fitting again changes nothing.  -ERANGE: they never do.
 */
CQESIM_API int cqesim_experiment_fit(struct cqesim_experiment *experiment,
				     struct cqesim_error *err);

/*
 * Write fitted values, rounded to four digits, and the deviations that they give back into the
 * experiment's file: the numbers change where they stand, all else stays, and the file is replaced
 * as a whole.  -EINVAL: a figure has no key deviation; errors of the run and of the file.
 */
CQESIM_API int cqesim_experiment_write(struct cqesim_experiment *experiment,
				       struct cqesim_error *err);

struct cqesim_validate_summary {
	unsigned experiments, figures, not_modelled;
	unsigned fit, predicted;    /* modelled ones */
	unsigned fitted_parameters; /* those shared between experiments count once */
	unsigned within[3];         /* predictions, within 3, 10 and 25 % */
	unsigned worse;
};
CQESIM_API void cqesim_validate_sum(struct cqesim_experiment *const *experiment, unsigned count,
				    struct cqesim_validate_summary *summary);

#endif

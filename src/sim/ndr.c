/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The highest rate without loss.  Rates between the highest that passed and the
 * lowest that did not are tried until the two are close.  The rate that came out
 * at the top is a good guess, since a machine delivers about as much when more is
 * offered than it can take; the search is right without it, only longer.
 */
#include "cqesim/sim.h"

#define CLOSE 2000u /* 1 in so many */
#define GUESS 500u  /* the guess is tried so much to both sides */

struct search {
	cqesim_ndr_run run;
	void *context;
	struct cqesim_ndr *ndr;
	uint64_t low, high; /* low passed, or is 0; high did not */
};

static int try(struct search *s, uint64_t parts)
{
	struct cqesim_ndr_trial trial = {.parts = parts};
	int rc = s->run(s->context, false, &trial);

	s->ndr->trials++;
	if (rc < 0)
		return rc;
	if (trial.passed) {
		s->low = parts;
		s->ndr->best = trial;
	} else {
		s->high = parts;
		s->ndr->above = trial;
	}
	return 0;
}

static int try_if_between(struct search *s, uint64_t parts)
{
	return parts > s->low && parts < s->high ? try(s, parts) : 0;
}

int cqesim_ndr_search(cqesim_ndr_run run, void *context, struct cqesim_ndr *ndr)
{
	struct search s = {.run = run, .context = context, .ndr = ndr, .high = CQESIM_NDR_PARTS};
	struct cqesim_ndr_trial top = {.parts = CQESIM_NDR_PARTS};

	*ndr = (struct cqesim_ndr){0};
	int rc = run(context, true, &top);
	ndr->trials++;
	if (rc < 0)
		return rc;
	if (top.passed) {
		ndr->found = ndr->at_top = true;
		ndr->best = top;
		return 0;
	}
	ndr->above = top;
	uint64_t guess = (uint64_t)((1 - top.summary.lost_share) * (double)top.parts);
	rc = try_if_between(&s, guess + guess / GUESS);
	if (!rc)
		rc = try_if_between(&s, guess - guess / GUESS);
	while (!rc && s.high - s.low > 1 && (s.high - s.low) > s.low / CLOSE)
		rc = try(&s, s.low + (s.high - s.low) / 2);
	ndr->found = s.low > 0;
	if (!rc && ndr->above.cut_short) { /* what is lost there in all */
		rc = run(context, true, &ndr->above);
		ndr->trials++;
	}
	return rc < 0 ? rc : 0;
}

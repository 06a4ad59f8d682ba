/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures from the link's closed form: what it carries when all that is received is sent on. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cqesim/ceiling.h"
#include "validate/internal.h"

static int ceiling_config(struct evaluation *e, const struct machine *m,
			  enum cqesim_comp_choice comp, struct cqesim_ceiling_config *c)
{
	int rc = cqesim_ceiling_from_profiles(c, m->device, m->link, m->host, e->err);

	if (rc)
		return rc;
	c->frame_bytes = (uint32_t)setting_number_or(e, "frame", 64, 64, 65536, &rc);
	c->pad = cqesim_profile_flag(m->driver, CQESIM_DRV_PKT_PAD);
	c->direction =
		strcmp(setting_word(e, "forward", "off", &rc), "on") ? CQESIM_RX : CQESIM_FORWARD;
	c->tx_mpw = (uint32_t)setting_number_or(e, "tx_mpw", 1, 1, 64, &rc);
	c->tx_inline_max = (uint32_t)setting_number_or(e, "tx_inline", 0, 0, 1024, &rc);
	if (comp == CQESIM_COMP_CHOOSE_AGGRESSIVE) {
		c->cqe_mode = CQESIM_CQE_ARRAYS;
		c->session =
			cqesim_fraction(cqesim_profile_u64(m->device, CQESIM_DEV_COMP_MAX_NUM), 1);
		c->compressed = cqesim_fraction(1, 1);
	}
	return rc;
}

int link_received(struct evaluation *e, const struct machine *m, enum cqesim_comp_choice comp,
		  double *pps)
{
	struct cqesim_ceiling_config c;
	struct cqesim_ceiling out;
	int rc = ceiling_config(e, m, comp, &c);

	*pps = rc ? 0 : setting_rate(e, "offered", &rc);
	if (!rc)
		rc = cqesim_ceiling(&out, &c, e->err);
	if (!rc) {
		*pps = fmin(*pps, out.bound_pps[CQESIM_BOUND_UP]);
		*pps = fmin(*pps, out.bound_pps[CQESIM_BOUND_DOWN]);
	}
	return rc;
}

/* Mpps */
int measure_link_received(struct evaluation *e, double *value)
{
	struct machine m;
	int rc = profiles_load(e, &m);

	if (rc)
		return rc;
	rc = link_received(e, &m, compression_choice(e, &rc), value);
	profiles_free(&m);
	*value *= 1e-6;
	return rc;
}

/* Mpps: what aggressive compression lets through more than none. */
int measure_link_gain(struct evaluation *e, double *value)
{
	struct machine m;
	double off = 0, on = 0;
	int rc = profiles_load(e, &m);

	if (rc)
		return rc;
	rc = link_received(e, &m, CQESIM_COMP_CHOOSE_OFF, &off);
	if (!rc)
		rc = link_received(e, &m, CQESIM_COMP_CHOOSE_AGGRESSIVE, &on);
	profiles_free(&m);
	*value = (on - off) * 1e-6;
	return rc;
}

/* GB/s of plain CQEs at the offered rate, headers not counted */
int measure_cqe_payload(struct evaluation *e, double *value)
{
	int rc = 0;

	*value = setting_rate(e, "offered", &rc) * CQESIM_CQE_BYTES * 1e-9;
	return rc;
}

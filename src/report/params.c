/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * params.c - the parameters in force.  Most stand in a profile as they are;
 * some are overruled by options of their own (--cqe-comp, --ring, --burst ...)
 * and then count as given by the user.
 */
#include <stdio.h>
#include <string.h>

#include "report/report_internal.h"

const char *report_firmware(const struct cqesim_result *r)
{
	switch (r->config->comp) {
	case CQESIM_COMP_CHOOSE_BALANCED:
		return "balanced";
	case CQESIM_COMP_CHOOSE_AGGRESSIVE:
		return "aggressive";
	default:
		return cqesim_profile_text(r->config->device, CQESIM_DEV_CQE_COMPRESSION);
	}
}

const char *report_compression(const struct cqesim_result *r)
{
	if (!r->cqe_comp_en || r->compression == CQESIM_COMP_OFF)
		return "off";
	return r->compression == CQESIM_COMP_BALANCED ? "balanced" : "aggressive";
}

const char *report_choice(const struct cqesim_result *r)
{
	switch (r->config->comp) {
	case CQESIM_COMP_CHOOSE_OFF:
		return "off";
	case CQESIM_COMP_CHOOSE_BALANCED:
		return "balanced";
	case CQESIM_COMP_CHOOSE_AGGRESSIVE:
		return "aggressive";
	default:
		return report_compression(r);
	}
}

const struct cqesim_profile *report_profile(const struct cqesim_result *r,
					    enum cqesim_profile_kind kind)
{
	switch (kind) {
	case CQESIM_PROFILE_DEVICE:
		return r->config->device;
	case CQESIM_PROFILE_LINK:
		return r->config->link;
	case CQESIM_PROFILE_DRIVER:
		return r->config->driver;
	case CQESIM_PROFILE_APPLICATION:
		return r->config->application;
	default:
		return r->config->host;
	}
}

static void overrule_text(struct report_param *p, const char *value)
{
	if (!strcmp(value, p->param->text))
		return;
	p->overridden = true;
	p->grade = CQESIM_GRADE_USER;
	snprintf(p->value, sizeof(p->value), "%s", value);
}

static void overrule_number(struct report_param *p, unsigned value)
{
	if ((double)value == p->param->number)
		return;
	p->overridden = true;
	p->grade = CQESIM_GRADE_USER;
	p->number = value;
	snprintf(p->value, sizeof(p->value), "%u", value);
}

static void overrule_key(struct report_param *p, const uint8_t *key)
{
	uint8_t profiled[CQESIM_RSS_KEY_BYTES];
	char hex[2 * CQESIM_RSS_KEY_BYTES + 1];

	if (!key || (cqesim_rss_key_parse(p->param->text, profiled, NULL) == 0 &&
		     !memcmp(key, profiled, sizeof(profiled))))
		return;
	for (unsigned i = 0; i < CQESIM_RSS_KEY_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", key[i]);
	overrule_text(p, hex);
}

/* The application's burst goes before the driver's, an option before both. */
static bool burst_is_applications(const struct cqesim_result *r)
{
	const struct cqesim_profile *app = r->config->application;

	return app && cqesim_profile_num(app, CQESIM_APP_BURST) == r->config->burst;
}

static void overrule_driver(struct report_param *p, const struct cqesim_result *r, unsigned id)
{
	switch (id) {
	case CQESIM_DRV_CQE_COMP_EN:
		overrule_text(p, r->cqe_comp_en ? "on" : "off");
		break;
	case CQESIM_DRV_MINI_FORMAT:
		overrule_text(p, cqesim_mini_format_name(r->mini_format));
		break;
	case CQESIM_DRV_RQ:
		if (r->config->rq)
			overrule_text(p, r->rq.striding ? "striding" : "cyclic");
		break;
	case CQESIM_DRV_RING:
		overrule_number(p, r->config->ring);
		break;
	case CQESIM_DRV_BURST:
		if (!burst_is_applications(r))
			overrule_number(p, r->config->burst);
		break;
	case CQESIM_DRV_RSS_KEY:
		overrule_key(p, r->config->rss_key);
		break;
	default:
		break;
	}
}

static void overrule_us(struct report_param *p, uint64_t ps)
{
	char text[32];

	if (ps == (uint64_t)(p->param->number * 1e6))
		return;
	snprintf(text, sizeof(text), "%.10g", (double)ps * 1e-6);
	overrule_text(p, text);
	p->number = (double)ps * 1e-6;
}

/* --jitter */
static void overrule_host(struct report_param *p, const struct cqesim_result *r, unsigned id)
{
	if (id == CQESIM_HOST_AWAY_EVERY)
		overrule_us(p, r->config->away.every_ps);
	if (id == CQESIM_HOST_AWAY_LENGTH)
		overrule_us(p, r->config->away.length_ps);
}

static void overrule_application(struct report_param *p, const struct cqesim_result *r, unsigned id)
{
	const struct cqesim_sim_config *c = r->config;

	switch (id) {
	case CQESIM_APP_FRAME:
		overrule_number(p, c->frame);
		break;
	case CQESIM_APP_BURST:
		if (p->param->number > 0)
			overrule_number(p, c->burst);
		break;
	case CQESIM_APP_FORWARD:
		overrule_text(p, c->forward ? "yes" : "no");
		break;
	case CQESIM_APP_TX_MPW:
		overrule_number(p, c->tx_mpw);
		break;
	case CQESIM_APP_TX_INLINE:
		overrule_number(p, c->tx_inline);
		break;
	default:
		break;
	}
}

void report_param(const struct cqesim_result *r, enum cqesim_profile_kind kind, unsigned id,
		  struct report_param *p)
{
	memset(p, 0, sizeof(*p));
	p->profile = report_profile(r, kind);
	p->param = &p->profile->param[id];
	p->grade = p->param->grade;
	p->number = p->param->number;
	if (kind == CQESIM_PROFILE_DRIVER)
		overrule_driver(p, r, id);
	else if (kind == CQESIM_PROFILE_HOST)
		overrule_host(p, r, id);
	else if (kind == CQESIM_PROFILE_APPLICATION)
		overrule_application(p, r, id);
	else if (kind == CQESIM_PROFILE_DEVICE && id == CQESIM_DEV_CQE_COMPRESSION)
		overrule_text(p, report_firmware(r));
}

const char *report_param_text(const struct report_param *p)
{
	return p->overridden ? p->value : p->param->text;
}

const char *report_param_unit(const struct cqesim_param *p)
{
	return p->type == 'S' || !strcmp(p->unit, "1") ? NULL : p->unit;
}

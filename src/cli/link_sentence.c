/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said before any table: remarks, and the answer in a sentence or two. */
#include <math.h>
#include <string.h>

#include "cli.h"
#include "link.h"

#define M 1e6

/* Of headers and data, which have credits of their own, the one that runs out first. */
static unsigned posted_param(const struct link_run *run, const struct cqesim_ceiling *r)
{
	const struct cqesim_link_latency *l = &run->config.latency;
	double each = cqesim_fraction_value(r->credits) / cqesim_fraction_value(r->posted);

	return l->posted_data && (!l->posted_headers || l->posted_data < each * l->posted_headers)
		       ? CQESIM_LINK_POSTED_DATA
		       : CQESIM_LINK_POSTED_HEADERS;
}

static unsigned reads_param(const struct link_run *run)
{
	const struct cqesim_link_latency *l = &run->config.latency;

	return l->read_headers && (!l->tags || l->read_headers < l->tags) ? CQESIM_LINK_READ_HEADERS
									  : CQESIM_LINK_TAGS;
}

const struct cqesim_param *link_bound_param(const struct link_run *run,
					    const struct cqesim_ceiling *r, enum cqesim_bound bound)
{
	switch (bound) {
	case CQESIM_BOUND_UP:
	case CQESIM_BOUND_DOWN:
		return &run->link->param[CQESIM_LINK_EFFICIENCY];
	case CQESIM_BOUND_LINE:
		return &run->device->param[CQESIM_DEV_PORT_SPEED];
	case CQESIM_BOUND_PORT:
		return &run->device->param[CQESIM_DEV_MAX_PPS];
	case CQESIM_BOUND_DEVICE:
		return &run->device->param[CQESIM_DEV_DEVICE_MAX_PPS];
	case CQESIM_BOUND_QUEUES:
		return &run->device->param[CQESIM_DEV_QUEUE_MAX_PPS];
	case CQESIM_BOUND_BUS:
		return &run->device->param[CQESIM_DEV_BUS_CLOCK];
	case CQESIM_BOUND_COMPLETIONS:
		return &run->device->param[CQESIM_DEV_COMPLETION_RATE];
	case CQESIM_BOUND_TAGS:
		return &run->link->param[reads_param(run)];
	case CQESIM_BOUND_CREDITS:
		return &run->link->param[posted_param(run, r)];
	default:
		return NULL;
	}
}

static const char *direction_words(enum cqesim_bound bound)
{
	return bound == CQESIM_BOUND_UP ? "device to host" : "host to device";
}

/* The cause that takes most of a direction's bytes. */
static unsigned largest(const struct cqesim_fraction bytes[CQESIM_CAUSES])
{
	unsigned most = 0;

	for (unsigned i = 1; i < CQESIM_CAUSES; i++)
		if (cqesim_fraction_value(bytes[i]) > cqesim_fraction_value(bytes[most]))
			most = i;
	return most;
}

static const char *grade(const struct cqesim_param *p)
{
	return p ? cqesim_grade_name(p->grade) : "given";
}

/* What the packets would come at: the line, or less when less is offered. */
static double demand(const struct cqesim_ceiling *r)
{
	return fmin(r->bound_pps[CQESIM_BOUND_LINE], r->bound_pps[CQESIM_BOUND_OFFERED]);
}

/* Four or so digits: large packets come in few millions. */
static const char *mpps(double pps, char text[24])
{
	snprintf(text, 24, "%.*f Mpps", pps < 10 * M ? 2 : 1, pps / M);
	return text;
}

static void speeds(const struct link_run *run, const struct cqesim_ceiling_config *c,
		   const struct cqesim_ceiling *r, char *text, size_t size)
{
	const char *gbps = cqesim_profile_text(run->device, CQESIM_DEV_PORT_SPEED);
	char ports[32] = "", rate[24];

	if (c->ports > 1)
		snprintf(ports, sizeof(ports), "%u x ", c->ports);
	if (r->bound_pps[CQESIM_BOUND_OFFERED] < r->bound_pps[CQESIM_BOUND_LINE])
		snprintf(text, size, "the offered rate is %s",
			 mpps(r->bound_pps[CQESIM_BOUND_OFFERED], rate));
	else
		snprintf(text, size, "line rate at %s%s Gb/s is %s", ports, gbps,
			 mpps(r->bound_pps[CQESIM_BOUND_LINE], rate));
}

/* What no rate can be computed of. */
static void add_rings(const struct cqesim_ceiling_config *c, const struct cqesim_ceiling *r,
		      char *text, size_t size)
{
	size_t used = strlen(text);

	if (c->ddio_bytes && r->ring_bytes > c->ddio_bytes && used < size)
		snprintf(text + used, size - used,
			 " But the rings are %.1f times what DMA may fill of the cache: look there "
			 "next.",
			 (double)r->ring_bytes / (double)c->ddio_bytes);
}

/* "it carries 84.7 Mpps of 64-byte frames (87.3 Mpps at an efficiency of 1), line rate ..." */
static void carried(const struct link_run *run, const struct cqesim_ceiling_config *c,
		    const struct cqesim_ceiling *r, char text[256])
{
	char now[24], best[24];
	size_t n = (size_t)snprintf(
		text, 256, "carries %s of %u-byte frames (%s at an efficiency of 1), ",
		mpps(link_carries(r), now), c->frame_bytes, mpps(r->link_pps, best));

	speeds(run, c, r, text + n, 256 - n);
}

/* The lowest of all limits but the link's bytes. */
static unsigned other_limit(const struct cqesim_ceiling *r)
{
	unsigned least = CQESIM_BOUND_LINE;

	for (unsigned b = CQESIM_BOUND_LINE; b < CQESIM_BOUNDS; b++)
		if (r->bound_pps[b] < r->bound_pps[least])
			least = b;
	return least;
}

/*
 * Nobody knows the efficiency exactly.  Where the link carries less than the next
 * limit at the low end of its range, but more at 1, nothing is decided.
 */
static bool undecided(const struct link_run *run, const struct cqesim_ceiling_config *c,
		      const struct cqesim_ceiling *r, char *text, size_t size)
{
	const struct cqesim_param *p = &run->link->param[CQESIM_LINK_EFFICIENCY];
	double e = c->link.efficiency, low = p->has_range ? fmin(p->low, e) : e;
	unsigned other = other_limit(r);
	double limit = r->bound_pps[other];
	char least[24], now[24], most[24], rate[24], at[64] = "", against[128];

	if (p->grade == CQESIM_GRADE_USER || !(r->link_pps * low < limit && limit < r->link_pps))
		return false;
	if (other == CQESIM_BOUND_LINE || other == CQESIM_BOUND_OFFERED)
		speeds(run, c, r, against, sizeof(against));
	else
		snprintf(against, sizeof(against), "the %s is %s", cqesim_bound_name(other),
			 mpps(limit, rate));
	if (low < e)
		snprintf(at, sizeof(at), ", %s at %g", mpps(r->link_pps * e, now), e);
	snprintf(text, size,
		 "Undecided: the link carries %s of %u-byte frames at an efficiency of %g%s and %s "
		 "at 1; %s, which lies between. Whether the link is the limit turns on its "
		 "efficiency, which is %s.",
		 mpps(r->link_pps * low, least), c->frame_bytes, low, at, mpps(r->link_pps, most),
		 against, grade(p));
	add_rings(c, r, text, size);
	return true;
}

void link_sentence(const struct link_run *run, const struct cqesim_ceiling_config *c,
		   const struct cqesim_ceiling *r, char *text, size_t size)
{
	double carries = link_carries(r), wanted = demand(r);
	bool up = r->link_bound == CQESIM_BOUND_UP;
	const struct cqesim_fraction *bytes = up ? r->up : r->down;
	double all = cqesim_fraction_value(up ? r->up_bytes : r->down_bytes);
	unsigned most = largest(bytes);
	char rate[256], limit[24];

	if (undecided(run, c, r, text, size))
		return;
	carried(run, c, r, rate);
	switch (r->binding) {
	case CQESIM_BOUND_UP:
	case CQESIM_BOUND_DOWN:
		snprintf(text, size,
			 "The link is the limit: it %s. %.0f %% of that get through. The direction "
			 "from %s is full; %.0f %% of its bytes are %s.",
			 rate, 100 * carries / wanted, direction_words(r->link_bound),
			 100 * cqesim_fraction_value(bytes[most]) / all, cqesim_cause_name(most));
		return;
	case CQESIM_BOUND_LINE:
	case CQESIM_BOUND_OFFERED:
		snprintf(text, size,
			 "The link has room: it %s. That fills %.0f %% of it; no limit known here "
			 "is below.",
			 rate, 100 * wanted / carries);
		break;
	default:
		snprintf(text, size, "%s: the limit is the %s, %s (%s). The link %s%s.",
			 r->binding == CQESIM_BOUND_TAGS || r->binding == CQESIM_BOUND_CREDITS
				 ? "The link's latency, not its bytes"
				 : "Not the link",
			 cqesim_bound_name(r->binding), mpps(r->pps, limit),
			 grade(link_bound_param(run, r, r->binding)), rate,
			 carries < wanted ? "; beyond the first limit it would be one too" : "");
		break;
	}
	add_rings(c, r, text, size);
}

void link_print_remarks(const struct link_run *run)
{
	for (unsigned i = 0; i < run->remark_count; i++)
		if (run->options->format == LINK_CSV)
			complain("%s", run->remarks[i]);
		else
			link_wrapped(run->remarks[i]);
	if (run->remark_count && run->options->view != LINK_ANSWER &&
	    run->options->format != LINK_CSV)
		putchar('\n');
}

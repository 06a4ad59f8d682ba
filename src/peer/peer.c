/* SPDX-License-Identifier: BSD-3-Clause */
/* The rates that follow from bytes, and names. */
#include "peer_internal.h"

const struct cqesim_peer_fix_info cqesim_peer_fixes[CQESIM_PEER_FIXES] = {
	{CQESIM_PEER_FIX_SHARE, 1, "share",
	 "Ack and UpdateFC take 8 bytes of limit x lanes, not of the limit"},
	{CQESIM_PEER_FIX_MISPRINTS, 2, "misprints",
	 "two entries of the tables as the formula has them"},
	{CQESIM_PEER_FIX_DESCRIPTOR, 3, "descriptor",
	 "the read request of each Rx descriptor counts"},
	{CQESIM_PEER_FIX_POLICY, 4, "policy", "Acks and UpdateFCs answer what is received"},
	{CQESIM_PEER_FIX_SKP, 5, "skp", "one SKP block in 371 from Gen3 on"},
	{CQESIM_PEER_FIX_FLIT, 7, "flit",
	 "Gen6 and 7: 236 of 256 flit bytes, no framing, no DLLPs"},
	{CQESIM_PEER_FIX_ADDRESS, 8, "address",
	 "whole double words, start address, 4 KiB boundaries"},
	{CQESIM_PEER_FIX_COMPLETIONS, 9, "completions",
	 "completions per request, ending on RCB boundaries"},
	{CQESIM_PEER_FIX_PREFIXES, 10, "prefixes", "TLP prefixes, 4 bytes each, on requests"},
	{CQESIM_PEER_FIX_TAGS, 11, "tags", "reads in flight: tags over round trip"},
	{CQESIM_PEER_FIX_CREDITS, 12, "credits", "posted and read credits over their return"},
	{CQESIM_PEER_FIX_ETHERNET, 18, "ethernet",
	 "line rate of the frame, not of one 4 bytes shorter"},
	{CQESIM_PEER_FIX_COLUMN, 19, "column", "the R/W column holds read+write, not read"},
};

/* Header and framing of each kind. */
struct headers {
	unsigned device, host, completion;
};

static struct headers headers(const struct cqesim_peer_config *c)
{
	unsigned each = (peer_flit(c) ? 0 : 8) + (c->ecrc ? 4 : 0);
	unsigned request = each + 4 + (c->addr_bits == 64 ? 12 : 8);
	unsigned prefixes = peer_fixed(c, CQESIM_PEER_FIX_PREFIXES) ? 4 * c->prefixes : 0;

	return (struct headers){request + prefixes, request, each + 12};
}

static double tlp_bytes(const struct peer_flow *f, unsigned request, unsigned completion)
{
	return (double)((f->posted + f->requests) * request + f->completions * completion +
			f->payload);
}

/* DLLPs that answer what has come the other way. */
static double dllp_bytes(const struct cqesim_peer_config *c, const struct peer_flow *received)
{
	uint64_t all = received->posted + received->requests + received->completions;

	if (!peer_fixed(c, CQESIM_PEER_FIX_POLICY) || peer_flit(c))
		return 0;
	return 8.0 * (double)all / c->ack_every + 8.0 * (double)received->posted / c->fc_every;
}

static void bound(struct cqesim_peer_result *r, double most, enum cqesim_peer_bound by)
{
	if (most < r->transactions) {
		r->transactions = most;
		r->bound = by;
	}
}

/* What latency allows: requests and posted TLPs a second. */
static void bound_by_latency(const struct cqesim_peer_config *c, const struct peer_traffic *t,
			     struct cqesim_peer_result *r)
{
	struct cqesim_link_latency tags = c->latency, credits = c->latency;
	double batch = (double)t->batch, most;

	tags.read_headers = 0;
	credits.tags = 0;
	if (t->up.requests && peer_fixed(c, CQESIM_PEER_FIX_TAGS)) {
		most = cqesim_link_reads_max(&tags);
		if (most > 0)
			bound(r, most * batch / (double)t->up.requests, CQESIM_PEER_BOUND_TAGS);
	}
	if (!peer_fixed(c, CQESIM_PEER_FIX_CREDITS))
		return;
	if (t->up.requests) {
		most = cqesim_link_reads_max(&credits);
		if (most > 0)
			bound(r, most * batch / (double)t->up.requests, CQESIM_PEER_BOUND_CREDITS);
	}
	if (t->up.posted) {
		most = cqesim_link_posted_max(&credits,
					      (double)t->up.credits / (double)t->up.posted);
		if (most > 0)
			bound(r, most * batch / (double)t->up.posted, CQESIM_PEER_BOUND_CREDITS);
	}
}

void cqesim_peer_run(const struct cqesim_peer_config *c, enum cqesim_peer_model model,
		     enum cqesim_peer_direction direction, uint32_t size,
		     struct cqesim_peer_result *r)
{
	struct headers h = headers(c);
	struct peer_traffic t;

	peer_traffic(c, model, direction, size, &t);
	double up = tlp_bytes(&t.up, h.device, h.completion) + dllp_bytes(c, &t.down);
	double down = tlp_bytes(&t.down, h.host, h.completion) + dllp_bytes(c, &t.up);
	double batch = (double)t.batch, usable = cqesim_peer_usable(c);

	*r = (struct cqesim_peer_result){
		.raw_gbps = cqesim_peer_raw(c),
		.usable_gbps = usable,
		.up_bytes = up / batch,
		.down_bytes = down / batch,
		.transactions = usable * 1e9 / (up * 8) * batch,
		.bound = CQESIM_PEER_BOUND_UP,
	};
	if (down > 0)
		bound(r, usable * 1e9 / (down * 8) * batch, CQESIM_PEER_BOUND_DOWN);
	bound_by_latency(c, &t, r);
	r->payload_gbps = r->transactions * size * 8 / 1e9;
}

/* Preamble and start 8, header with VLAN tag 18, payload from 42 on, FCS 4, gap 12. */
double cqesim_peer_ethernet_frames(double gbps, uint32_t frame_bytes)
{
	uint32_t frame = frame_bytes < 64 ? 64 : frame_bytes;

	return gbps * 1e9 / ((frame + 20.0) * 8);
}

double cqesim_peer_ethernet_gbps(double gbps, uint32_t frame_bytes)
{
	return cqesim_peer_ethernet_frames(gbps, frame_bytes) * frame_bytes * 8 / 1e9;
}

const char *cqesim_peer_model_name(enum cqesim_peer_model model)
{
	static const char *const names[] = {"write",  "read",   "read+write",
					    "simple", "kernel", "dpdk"};

	return (unsigned)model < CQESIM_PEER_MODELS ? names[model] : "?";
}

const char *cqesim_peer_direction_name(enum cqesim_peer_direction direction)
{
	static const char *const names[] = {"rx", "tx", "bi"};

	return (unsigned)direction < CQESIM_PEER_DIRECTIONS ? names[direction] : "?";
}

const char *cqesim_peer_bound_name(enum cqesim_peer_bound b)
{
	static const char *const names[] = {"up", "down", "tags", "credits"};

	return (unsigned)b <= CQESIM_PEER_BOUND_CREDITS ? names[b] : "?";
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* From traffic to bytes on the link, from bytes and all other limits to packets per second. */
#include <errno.h>
#include <math.h>

#include "ceiling/internal.h"

#define TRANSFER_MAX (1u << 20)

static const struct {
	const char *key, *name;
} causes[CQESIM_CAUSES] = {
	[CQESIM_CAUSE_RX_DATA] = {"rx_data", "packet data received"},
	[CQESIM_CAUSE_RX_CQE] = {"rx_cqe", "receive completions"},
	[CQESIM_CAUSE_RX_WQE] = {"rx_wqe", "receive descriptors"},
	[CQESIM_CAUSE_TX_DATA] = {"tx_data", "packet data sent"},
	[CQESIM_CAUSE_TX_WQE] = {"tx_wqe", "send descriptors"},
	[CQESIM_CAUSE_TX_CQE] = {"tx_cqe", "send completions"},
	[CQESIM_CAUSE_DOORBELL] = {"doorbell", "doorbells and registers"},
	[CQESIM_CAUSE_INTERRUPT] = {"interrupt", "interrupts"},
	[CQESIM_CAUSE_DLLP] = {"dllp", "Acks and flow control"},
};

static const struct {
	const char *key, *name;
} bounds[CQESIM_BOUNDS] = {
	[CQESIM_BOUND_UP] = {"link_up", "link, device to host"},
	[CQESIM_BOUND_DOWN] = {"link_down", "link, host to device"},
	[CQESIM_BOUND_LINE] = {"line_rate", "line rate"},
	[CQESIM_BOUND_OFFERED] = {"offered", "offered rate"},
	[CQESIM_BOUND_PORT] = {"port_packet_rate", "packet rate of the port"},
	[CQESIM_BOUND_DEVICE] = {"device_packet_rate", "packet rate of the device"},
	[CQESIM_BOUND_QUEUES] = {"queue_packet_rate", "packet rate of the queues"},
	[CQESIM_BOUND_BUS] = {"internal_bus", "internal bus of the device"},
	[CQESIM_BOUND_COMPLETIONS] = {"completion_rate", "completion rate of the device"},
	[CQESIM_BOUND_TAGS] = {"tags", "reads in flight"},
	[CQESIM_BOUND_CREDITS] = {"credits", "posted credits"},
	[CQESIM_BOUND_HOST] = {"host", "host cores"},
};

static const char *const cqe_modes[CQESIM_CQE_MODES] = {
	"plain64", "cqe128", "cqe128pad", "arrays", "burst", "exact", "stream", "enhanced",
};

const char *cqesim_cause_name(enum cqesim_cause cause)
{
	return (unsigned)cause < CQESIM_CAUSES ? causes[cause].name : "unknown";
}

const char *cqesim_cause_key(enum cqesim_cause cause)
{
	return (unsigned)cause < CQESIM_CAUSES ? causes[cause].key : "unknown";
}

const char *cqesim_bound_name(enum cqesim_bound bound)
{
	return (unsigned)bound < CQESIM_BOUNDS ? bounds[bound].name : "unknown";
}

const char *cqesim_bound_key(enum cqesim_bound bound)
{
	return (unsigned)bound < CQESIM_BOUNDS ? bounds[bound].key : "unknown";
}

const char *cqesim_cqe_mode_name(enum cqesim_cqe_mode mode)
{
	return (unsigned)mode < CQESIM_CQE_MODES ? cqe_modes[mode] : "unknown";
}

/* ---- bytes ---- */

static void accumulate(struct cqesim_fraction *sum, uint64_t units, struct cqesim_fraction often)
{
	*sum = cqesim_fraction_add(*sum, cqesim_fraction_mul(cqesim_fraction(units, 1), often));
}

/* Bytes of a DLLP that answers one TLP in `every`, which may have six decimals. */
static struct cqesim_fraction dllp(const struct cqesim_link *link, double every)
{
	return cqesim_fraction((uint64_t)link->dllp_bytes * 1000000,
			       (uint64_t)llround(fmin(every, 1e9) * 1e6));
}

/*
 * DLLPs that answer TLPs which came from one side: an Ack for each (or fewer),
 * a flow-control update for each posted one.  They travel the other way.
 */
static void answer(const struct cqesim_link *link, struct cqesim_fraction *back, uint64_t tlps,
		   bool posted, struct cqesim_fraction often)
{
	struct cqesim_fraction each = dllp(link, link->config.ack_every);

	if (posted)
		each = cqesim_fraction_add(each, dllp(link, link->config.fc_every));
	accumulate(back, tlps, cqesim_fraction_mul(each, often));
}

static void count(struct cqesim_ceiling *r, const struct cqesim_transaction *t)
{
	struct cqesim_fraction *up = r->up, *down = r->down;
	struct cqesim_tlps one, two;

	switch (t->access) {
	case CQESIM_DMA_WRITE:
		one = cqesim_link_write(&r->link, t->address, t->bytes);
		accumulate(&up[t->cause], one.wire, t->per_packet);
		answer(&r->link, &down[CQESIM_CAUSE_DLLP], one.count, true, t->per_packet);
		accumulate(&r->posted, one.count, t->per_packet);
		accumulate(&r->credits, one.credits, t->per_packet);
		if (t->cause == CQESIM_CAUSE_RX_CQE || t->cause == CQESIM_CAUSE_TX_CQE)
			accumulate(&r->completions, 1, t->per_packet);
		break;
	case CQESIM_DMA_READ:
		cqesim_link_read(&r->link, t->address, t->bytes, &one, &two);
		accumulate(&up[t->cause], one.wire, t->per_packet);
		accumulate(&down[t->cause], two.wire, t->per_packet);
		answer(&r->link, &up[CQESIM_CAUSE_DLLP], two.count, false, t->per_packet);
		answer(&r->link, &down[CQESIM_CAUSE_DLLP], one.count, false, t->per_packet);
		accumulate(&r->reads, one.count, t->per_packet);
		break;
	case CQESIM_CPU_WRITE:
		one = cqesim_link_write(&r->link, t->address, t->bytes);
		accumulate(&down[t->cause], one.wire, t->per_packet);
		answer(&r->link, &up[CQESIM_CAUSE_DLLP], one.count, true, t->per_packet);
		break;
	case CQESIM_CPU_READ:
		cqesim_link_read(&r->link, t->address, t->bytes, &one, &two);
		accumulate(&down[t->cause], one.wire, t->per_packet);
		accumulate(&up[t->cause], two.wire, t->per_packet);
		answer(&r->link, &down[CQESIM_CAUSE_DLLP], two.count, false, t->per_packet);
		answer(&r->link, &up[CQESIM_CAUSE_DLLP], one.count, false, t->per_packet);
		break;
	}
}

static void start(struct cqesim_ceiling *r)
{
	const struct cqesim_fraction zero = {0, 1};

	*r = (struct cqesim_ceiling){
		.up_bytes = zero,
		.down_bytes = zero,
		.posted = zero,
		.credits = zero,
		.reads = zero,
		.completions = zero,
	};
	for (unsigned i = 0; i < CQESIM_CAUSES; i++)
		r->up[i] = r->down[i] = zero;
}

static int add_up(struct cqesim_ceiling *r, const struct cqesim_transaction *traffic, int n,
		  struct cqesim_error *err)
{
	for (int i = 0; i < n; i++)
		count(r, &traffic[i]);
	for (unsigned i = 0; i < CQESIM_CAUSES; i++) {
		r->up_bytes = cqesim_fraction_add(r->up_bytes, r->up[i]);
		r->down_bytes = cqesim_fraction_add(r->down_bytes, r->down[i]);
	}
	if (!r->up_bytes.den || !r->down_bytes.den || !r->posted.den || !r->credits.den ||
	    !r->reads.den || !r->completions.den)
		return cqesim_fail(err, -ERANGE,
				   "the bytes per packet are a fraction with too large a "
				   "denominator: use rounder numbers");
	return 0;
}

/* ---- packets per second ---- */

/* units of something per second, of which a packet takes `per_packet`. */
static double at_most(double units, struct cqesim_fraction per_packet)
{
	return units > 0 && per_packet.num ? units / cqesim_fraction_value(per_packet) : INFINITY;
}

static double known(double limit)
{
	return limit > 0 ? limit : INFINITY;
}

/* The sum of all causes but the DLLPs. */
static struct cqesim_fraction tlps_only(const struct cqesim_fraction bytes[CQESIM_CAUSES])
{
	struct cqesim_fraction sum = {0, 1};

	for (unsigned i = 0; i < CQESIM_CAUSES; i++)
		if (i != CQESIM_CAUSE_DLLP)
			sum = cqesim_fraction_add(sum, bytes[i]);
	return sum;
}

static void link_bounds(struct cqesim_ceiling *r)
{
	double rate = cqesim_link_rate(&r->link);
	double up = at_most(rate, r->up_bytes), down = at_most(rate, r->down_bytes);
	/* In FLIT mode the 236 of 256 bytes are what the code is elsewhere, and there is no SKP. */
	double raw = r->link.dllp_bytes ? r->link.raw_bps / 8 : rate;

	r->link_bound = up <= down ? CQESIM_BOUND_UP : CQESIM_BOUND_DOWN;
	r->link_pps = fmin(up, down);
	r->tlp_only_pps = fmin(at_most(raw, tlps_only(r->up)), at_most(raw, tlps_only(r->down)));
	r->bound_pps[CQESIM_BOUND_UP] = up * r->link.config.efficiency;
	r->bound_pps[CQESIM_BOUND_DOWN] = down * r->link.config.efficiency;
}

/* The frame in whole beats; taken with its FCS, since that is how sizes are quoted. */
static double bus_pps(const struct cqesim_ceiling_config *c)
{
	if (!(c->bus_hz > 0) || !c->bus_bytes)
		return INFINITY;
	uint32_t beats = (c->frame_bytes + c->bus_bytes - 1) / c->bus_bytes;
	return c->bus_hz / beats * c->ports;
}

static void other_bounds(struct cqesim_ceiling *r, const struct cqesim_ceiling_config *c)
{
	double *pps = r->bound_pps;
	double reads = cqesim_link_reads_max(&c->latency);
	double credits =
		cqesim_fraction_value(r->posted) > 0
			? cqesim_fraction_value(r->credits) / cqesim_fraction_value(r->posted)
			: 0;

	pps[CQESIM_BOUND_LINE] = known(cqesim_line_pps(c->port_bps, c->frame_bytes) * c->ports);
	pps[CQESIM_BOUND_OFFERED] = known(c->offered_pps);
	pps[CQESIM_BOUND_PORT] = known(c->port_pps * c->ports);
	pps[CQESIM_BOUND_DEVICE] = known(c->device_pps);
	pps[CQESIM_BOUND_QUEUES] = known(c->queue_pps * c->queues);
	pps[CQESIM_BOUND_BUS] = bus_pps(c);
	pps[CQESIM_BOUND_COMPLETIONS] = at_most(c->completion_pps, r->completions);
	pps[CQESIM_BOUND_TAGS] = at_most(reads, r->reads);
	pps[CQESIM_BOUND_CREDITS] =
		at_most(cqesim_link_posted_max(&c->latency, credits), r->posted);
	pps[CQESIM_BOUND_HOST] = known(c->host_pps);
}

static void find_binding(struct cqesim_ceiling *r)
{
	r->binding = CQESIM_BOUND_UP;
	for (unsigned b = 1; b < CQESIM_BOUNDS; b++)
		if (r->bound_pps[b] < r->bound_pps[r->binding])
			r->binding = b;
	r->next = r->binding ? CQESIM_BOUND_UP : CQESIM_BOUND_DOWN;
	for (unsigned b = 0; b < CQESIM_BOUNDS; b++)
		if (b != (unsigned)r->binding && r->bound_pps[b] < r->bound_pps[r->next])
			r->next = b;
	r->pps = r->bound_pps[r->binding];
}

/* Cache lines that the rings go through before they come round again. */
static uint64_t ring_bytes(const struct cqesim_ceiling_config *c)
{
	uint64_t completion = c->completion_bytes;

	if (c->direction == CQESIM_TX)
		return 0;
	if (c->mlx5)
		completion = c->cqe_mode == CQESIM_CQE_PLAIN128 || c->cqe_mode == CQESIM_CQE_128PAD
				     ? 128
				     : 64;
	return (uint64_t)c->queues * c->ring_entries *
	       ((ceiling_data_bytes(c) + 63) / 64 * 64 + completion + c->rx_desc_bytes);
}

int cqesim_ceiling(struct cqesim_ceiling *r, const struct cqesim_ceiling_config *c,
		   struct cqesim_error *err)
{
	struct cqesim_transaction traffic[CQESIM_TRANSACTIONS_MAX];
	int rc, n;

	start(r);
	rc = cqesim_link_init(&r->link, &c->link, err);
	if (rc)
		return rc;
	n = cqesim_ceiling_traffic(c, traffic, err);
	if (n < 0)
		return n;
	rc = add_up(r, traffic, n, err);
	if (rc)
		return rc;
	link_bounds(r);
	other_bounds(r, c);
	find_binding(r);
	r->ring_bytes = ring_bytes(c);
	return 0;
}

int cqesim_ceiling_transfers(const struct cqesim_link *link, enum cqesim_transfer_op op,
			     uint64_t address, uint32_t bytes, struct cqesim_transfers *t,
			     struct cqesim_error *err)
{
	struct cqesim_transaction traffic[2];
	struct cqesim_ceiling r;
	int n = 0;

	if (!bytes || bytes > TRANSFER_MAX)
		return cqesim_fail(err, -EINVAL, "a transfer of %u bytes: expected 1 to %u", bytes,
				   TRANSFER_MAX);
	start(&r);
	r.link = *link;
	for (unsigned read = 0; read <= 1; read++)
		if (op == CQESIM_TRANSFER_BOTH ||
		    op == (read ? CQESIM_TRANSFER_READ : CQESIM_TRANSFER_WRITE))
			traffic[n++] = (struct cqesim_transaction){
				.cause = read ? CQESIM_CAUSE_TX_DATA : CQESIM_CAUSE_RX_DATA,
				.access = read ? CQESIM_DMA_READ : CQESIM_DMA_WRITE,
				.bytes = bytes,
				.address = (uint32_t)(address % 4096),
				.per_packet = {1, 1},
			};
	int rc = add_up(&r, traffic, n, err);
	if (rc)
		return rc;
	link_bounds(&r);
	*t = (struct cqesim_transfers){
		.up_bytes = r.up_bytes,
		.down_bytes = r.down_bytes,
		.reads = r.reads,
		.per_second = r.link_pps,
		.bps = r.link_pps * bytes * 8,
		.bound = r.link_bound,
	};
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* From profiles and options to the numbers that port, nic and host take. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim_internal.h"

/* Below, DPDK's vector function could never post buffers again. */
#define VEC_RING_MIN 16u

static int log2_exact(unsigned v)
{
	return v && !(v & (v - 1)) ? __builtin_ctz(v) : -1;
}

static bool is(const struct cqesim_profile *p, unsigned id, const char *word)
{
	return !strcmp(cqesim_profile_text(p, id), word);
}

/* Which of the two switches say what: see cqesim_comp_choice. */
static void compression(struct cqesim_sim *sim)
{
	const struct cqesim_sim_config *c = &sim->config;
	struct cqesim_result *r = &sim->result;

	r->cqe_comp_en = cqesim_profile_flag(c->driver, CQESIM_DRV_CQE_COMP_EN);
	r->compression = is(c->device, CQESIM_DEV_CQE_COMPRESSION, "aggressive")
				 ? CQESIM_COMP_AGGRESSIVE
				 : CQESIM_COMP_BALANCED;
	switch (c->comp) {
	case CQESIM_COMP_CHOOSE_OFF:
		r->cqe_comp_en = false;
		break;
	case CQESIM_COMP_CHOOSE_BALANCED:
		r->cqe_comp_en = true;
		r->compression = CQESIM_COMP_BALANCED;
		break;
	case CQESIM_COMP_CHOOSE_AGGRESSIVE:
		r->cqe_comp_en = true;
		r->compression = CQESIM_COMP_AGGRESSIVE;
		break;
	case CQESIM_COMP_AS_PROFILED:
		break;
	}
	if (!r->cqe_comp_en)
		r->compression = CQESIM_COMP_OFF;
}

int sim_defaults(struct cqesim_sim *sim, struct cqesim_error *err)
{
	struct cqesim_sim_config *c = &sim->config;
	struct cqesim_result *r = &sim->result;

	if (!c->queues || c->queues > CQESIM_QUEUES_MAX)
		return cqesim_fail(err, -EINVAL, "queues %u: expected 1 to %u", c->queues,
				   CQESIM_QUEUES_MAX);
	if (!c->mtu)
		c->mtu = CQESIM_MTU_DEFAULT;
	if (c->mtu < 68 || c->mtu > 65535)
		return cqesim_fail(err, -EINVAL, "mtu %u: expected 68 to 65535", c->mtu);
	if (!c->burst)
		c->burst = (unsigned)cqesim_profile_u64(c->driver, CQESIM_DRV_BURST);
	if (c->burst > CQESIM_BURST_MAX)
		return cqesim_fail(err, -EINVAL, "burst %u: expected 1 to %u", c->burst,
				   CQESIM_BURST_MAX);
	if (is(c->driver, CQESIM_DRV_REFEREE_MODE, "vec") && c->burst < CQESIM_VEC_BURST_MIN)
		return cqesim_fail(
			err, -EINVAL,
			"burst %u: the vector receive function returns nothing when asked for "
			"fewer than %u",
			c->burst, CQESIM_VEC_BURST_MIN);
	compression(sim);
	if (c->mini_format < 0)
		c->mini_format = cqesim_mini_format_parse(
			cqesim_profile_text(c->driver, CQESIM_DRV_MINI_FORMAT));
	if (c->mini_format < 0 || c->mini_format >= CQESIM_MINI_FORMATS)
		return cqesim_fail(err, -EINVAL, "unknown mini-CQE format %d", c->mini_format);
	r->mini_format = (enum cqesim_mini_format)c->mini_format;

	if (!c->ring)
		c->ring = (unsigned)cqesim_profile_u64(c->driver, CQESIM_DRV_RING);
	sim->log_ring = (unsigned)log2_exact(c->ring);
	if (log2_exact(c->ring) < 2 || log2_exact(c->ring) > (int)CQESIM_RQ_LOG_MAX)
		return cqesim_fail(err, -EINVAL, "ring %u: expected a power of two, 4 to 32768",
				   c->ring);
	/* PMD: MLX5_VPMD_RXQ_RPLNSH_THRESH must be above MLX5_VPMD_DESCS_PER_LOOP. */
	if (is(c->driver, CQESIM_DRV_REFEREE_MODE, "vec") && c->ring < VEC_RING_MIN)
		return cqesim_fail(err, -EINVAL,
				   "ring %u: the vector receive function needs %u or more", c->ring,
				   VEC_RING_MIN);
	if (!c->cq_size) {
		c->cq_size = c->ring;
		if (r->cqe_comp_en)
			c->cq_size *= (unsigned)cqesim_profile_u64(c->driver, CQESIM_DRV_CQ_FACTOR);
	}
	if (log2_exact(c->cq_size) < 0 || c->cq_size > 1u << CQESIM_CQ_LOG_MAX)
		return cqesim_fail(err, -EINVAL, "cq-size %u: expected a power of two, up to %u",
				   c->cq_size, 1u << CQESIM_CQ_LOG_MAX);
	if (c->cq_size < c->ring)
		return cqesim_fail(
			err, -EINVAL,
			"cq-size %u: expected at least the ring's %u, or completions would "
			"overrun it",
			c->cq_size, c->ring);
	sim->log_cq = (unsigned)log2_exact(c->cq_size);
	r->max_frame = c->mtu + CQESIM_MTU_OVERHEAD;
	r->config = c;
	return 0;
}

/* The list of CQE fields that must agree within a session, as a mask. */
static int compare_mask(const struct cqesim_profile *device, uint8_t mask[64],
			struct cqesim_error *err)
{
	char words[512], *at = words, *word;

	snprintf(words, sizeof(words), "%s", cqesim_profile_text(device, CQESIM_DEV_COMP_COMPARE));
	memset(mask, 0, 64);
	while ((word = strsep(&at, " ,\t")) != NULL) {
		const struct cqesim_field *field;

		if (!*word)
			continue;
		/* "none" is the empty list; only RESP_SEND gets into sessions at all. */
		if (!strcmp(word, "none") || !strcmp(word, "opcode"))
			continue;
		field = cqesim_cqe_rx_field(word);
		if (!field)
			return cqesim_fail(err, -EINVAL,
					   "session_compare: \"%s\" is not a field of the CQE",
					   word);
		cqesim_field_mask(field, mask);
	}
	return 0;
}

static enum cqesim_write_policy write_policy(const struct cqesim_profile *device)
{
	if (is(device, CQESIM_DEV_COMP_WRITE, "burst"))
		return CQESIM_WRITE_BURST;
	if (is(device, CQESIM_DEV_COMP_WRITE, "exact"))
		return CQESIM_WRITE_EXACT;
	return CQESIM_WRITE_ARRAYS;
}

int sim_nic_config(const struct cqesim_sim *sim, struct cqesim_nic_config *nic,
		   struct cqesim_error *err)
{
	const struct cqesim_profile *dev = sim->config.device, *link = sim->config.link;

	*nic = (struct cqesim_nic_config){
		.link =
			{
				.generation = link->generation,
				.lanes = link->lanes,
				.mps = (unsigned)cqesim_profile_u64(link, CQESIM_LINK_MPS),
				.mrrs = (unsigned)cqesim_profile_u64(link, CQESIM_LINK_MRRS),
				.rcb = (unsigned)cqesim_profile_u64(link, CQESIM_LINK_RCB),
				.addr_bits =
					(unsigned)cqesim_profile_u64(link, CQESIM_LINK_ADDR_BITS),
				.ecrc = cqesim_profile_flag(link, CQESIM_LINK_ECRC),
				.ack_every = cqesim_profile_num(link, CQESIM_LINK_ACK_EVERY),
				.fc_every = cqesim_profile_num(link, CQESIM_LINK_FC_EVERY),
				.skp_blocks =
					(unsigned)cqesim_profile_u64(link, CQESIM_LINK_SKP_BLOCKS),
				.skp_symbols =
					(unsigned)cqesim_profile_u64(link, CQESIM_LINK_SKP_SYMBOLS),
				.efficiency = cqesim_profile_num(link, CQESIM_LINK_EFFICIENCY),
			},
		.max_pps = cqesim_profile_num(dev, CQESIM_DEV_MAX_PPS) * 1e6,
		.rx_buffer_bytes = cqesim_profile_u64(dev, CQESIM_DEV_RX_BUFFER),
		.write_latency_ps = cqesim_profile_u64(dev, CQESIM_DEV_WRITE_LATENCY) * 1000,
		.wqe_fetch_bytes = (unsigned)cqesim_profile_u64(dev, CQESIM_DEV_WQE_FETCH),
		.data_padding = cqesim_profile_flag(sim->config.driver, CQESIM_DRV_PKT_PAD),
		.compression = sim->result.compression,
		.comp_max = (uint32_t)cqesim_profile_u64(dev, CQESIM_DEV_COMP_MAX_NUM),
		.comp_timeout_ps = cqesim_profile_u64(dev, CQESIM_DEV_COMP_TIMEOUT) * 1000,
		.comp_cross = cqesim_profile_flag(dev, CQESIM_DEV_COMP_CROSS),
		.write_policy = write_policy(dev),
		.backpressure_on_bytes = cqesim_profile_u64(dev, CQESIM_DEV_BP_ON),
		.backpressure_off_bytes = cqesim_profile_u64(dev, CQESIM_DEV_BP_OFF),
	};
	return compare_mask(dev, nic->comp_compare, err);
}

struct cqesim_host_config sim_host_config(const struct cqesim_sim *sim)
{
	const struct cqesim_profile *drv = sim->config.driver, *host = sim->config.host;
	double per_packet = cqesim_profile_num(host, CQESIM_HOST_CYC_APP) +
			    cqesim_profile_num(host, CQESIM_HOST_CYC_MISS);
	unsigned replenish = (unsigned)cqesim_profile_u64(drv, CQESIM_DRV_REPLENISH);

	bool vec = is(drv, CQESIM_DRV_REFEREE_MODE, "vec");

	/* PMD MLX5_VPMD_RXQ_RPLNSH_THRESH: a quarter of the ring, four spare entries included. */
	unsigned quarter = (sim->config.ring + (vec ? 4 : 0)) / 4;
	if (replenish > quarter)
		replenish = quarter;
	return (struct cqesim_host_config){
		.rule = vec ? CQESIM_POLL_DPDK_VEC : CQESIM_POLL_SIMPLE,
		.clock_hz = cqesim_profile_num(host, CQESIM_HOST_CLOCK) * 1e9,
		.poll_cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_POLL) +
			       cqesim_profile_num(host, CQESIM_HOST_CYC_CALL),
		.empty_poll_cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_EMPTY),
		.plain_cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_PACKET) + per_packet,
		.mini_cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_MINI) + per_packet,
		.session_cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_SESSION),
		.burst = sim->config.burst,
		.replenish = replenish,
	};
}

enum cqesim_invalidate sim_invalidate(const struct cqesim_sim *sim)
{
	const struct cqesim_profile *drv = sim->config.driver;

	if (is(drv, CQESIM_DRV_INVALIDATE, "linux"))
		return CQESIM_INVALIDATE_LINUX;
	if (is(drv, CQESIM_DRV_INVALIDATE, "dpdk-vec"))
		return CQESIM_INVALIDATE_DPDK_VEC;
	return CQESIM_INVALIDATE_DPDK_SCALAR;
}

int cqesim_sim_port(struct cqesim_port *port, const struct cqesim_sim_config *c,
		    struct cqesim_error *err)
{
	unsigned mtu = c->mtu ? c->mtu : CQESIM_MTU_DEFAULT;
	int format = c->mini_format >= 0 ? c->mini_format
					 : cqesim_mini_format_parse(cqesim_profile_text(
						   c->driver, CQESIM_DRV_MINI_FORMAT));
	struct cqesim_port_config p = {
		.rss_symmetric = cqesim_profile_flag(c->driver, CQESIM_DRV_RSS_SYMMETRIC),
		.queues = c->queues,
		.vlan_strip = cqesim_profile_flag(c->driver, CQESIM_DRV_VLAN_STRIP),
		.keep_fcs = c->keep_fcs,
		.want_csum = format == CQESIM_MINI_CSUM || format == CQESIM_MINI_CSUM_STRIDX,
		.checksums = c->checksums,
		.max_frame = mtu + CQESIM_MTU_OVERHEAD,
	};
	int rc = 0;

	if (c->rss_key)
		memcpy(p.rss_key, c->rss_key, CQESIM_RSS_KEY_BYTES);
	else
		rc = cqesim_rss_key_parse(cqesim_profile_text(c->driver, CQESIM_DRV_RSS_KEY),
					  p.rss_key, err);
	if (!rc)
		rc = cqesim_rss_fields_parse(cqesim_profile_text(c->driver, CQESIM_DRV_RSS_FIELDS),
					     &p.rss_fields, err);
	return rc ? rc : cqesim_port_init(port, &p, err);
}

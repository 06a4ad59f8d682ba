/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devx_caps.c - QUERY_HCA_CAP: what the card says that it can do, and the NIC
 * vport's context.  A field that is not in the tables is 0: absent.  Left out on
 * purpose are qos, roce, eswitch_manager, access_register_user, hca_cap_2,
 * general_obj_types, crypto, nic_flow_table and hairpin: each makes the driver use more
 * commands (design of the emulated card, section 5).
 *
 * Sources: DPDK drivers/common/mlx5/mlx5_devx_cmds.c (what is read) and
 * doc/guides/nics/mlx5.rst (what each generation has); Linux 2020 commit b7cf0806e878
 * (stride index in mini-CQEs: ConnectX-5 and above).  The sizes are the emulation's own
 * limits, not those of firmware.  Assumed, nobody says which generation has them: formats with flow
 * tag and header type from ConnectX-5 on, the enhanced layout from ConnectX-6 Dx on.  LRO:
 * periods and least segment are a ConnectX-6 Dx's (mlx5ctl's README); that others have the same is
 * assumed, and that sizes count from the L2 header.
 */
#include <string.h>

#include "emu/devx.h"

/* What differs between generations. */
struct generation {
	const char *device; /* name of the profile, or its beginning */
	bool stride_index;  /* in mini-CQEs; with it the formats with flow tag and header type */
	bool enhanced;      /* layout of compressed CQEs */
	bool mpw; /* enhanced multi-packet send WQEs, no headers inline (mlx5.rst, txq_mpw_en
		     and txq_inline_min) */
	bool lro; /* mlx5.rst, "LRO ... ConnectX-5" */
	uint8_t steering; /* mlx5_prm.h MLX5_STEERING_LOGIC_FORMAT_* */
};

static const struct generation generations[] = {
	{"connectx-4", false, false, false, false, 0},
	{"connectx-6-dx", true, true, true, true, 1},
	{"connectx-7", true, true, true, true, 2},
	{"", true, false, true, true, 0}, /* ConnectX-5; and whatever else there is a profile of */
};

static const struct generation *generation(void)
{
	const char *name = emu.device ? emu.device->name : "";
	const struct generation *g = generations;

	while (strncmp(name, g->device, strlen(g->device)) != 0)
		g++;
	return g;
}

/* C(field, value); g is the generation. */
#define GENERAL_CAPS(C)                                                                            \
	C(log_max_qp_sz, 15)                                                                       \
	C(log_max_qp, 15)                                                                          \
	C(log_max_cq_sz, 22)                                                                       \
	C(log_max_cq, 15)                                                                          \
	C(log_max_mkey, 23)                                                                        \
	C(log_max_eq, 7)                                                                           \
	C(max_indirection, 4)                                                                      \
	C(log_max_mrw_sz, 64) /* a region may be as long as addresses are */                       \
	C(end_pad, 1)                                                                              \
	C(modify_rq_counter_set_id, 1)                                                             \
	C(eth_virt, 1)                                                                             \
	C(port_type, 1) /* Ethernet */                                                             \
	C(num_ports, 1)                                                                            \
	C(log_max_msg, 30)                                                                         \
	C(cqe_version, 1)                                                                          \
	C(striding_rq, 1)                                                                          \
	C(eth_net_offloads, 1)                                                                     \
	C(cq_oi, 1)                                                                                \
	C(max_wqe_sz_sq, 1008) /* 63 units of 16 bytes: what a WQE's count holds */                \
	C(max_wqe_sz_rq, 16 << CQESIM_RQ_LOG_SEGS_MAX)                                             \
	C(log_max_transport_domain, 15)                                                            \
	C(log_max_pd, 15)                                                                          \
	C(log_max_rq, 15)                                                                          \
	C(log_max_sq, 15)                                                                          \
	C(log_max_tir, 15)                                                                         \
	C(log_max_tis, 15)                                                                         \
	C(basic_cyclic_rcv_wqe, 1)                                                                 \
	C(log_max_rqt, 15)                                                                         \
	C(log_max_rqt_size, 11)                                                                    \
	C(log_max_stride_sz_rq, 4 + CQESIM_RQ_LOG_SEGS_MAX)                                        \
	C(log_min_stride_sz_rq, 4)                                                                 \
	C(log_max_stride_sz_sq, 6)                                                                 \
	C(log_min_stride_sz_sq, 6)                                                                 \
	C(log_max_wq_sz, CQESIM_RQ_LOG_MAX)                                                        \
	C(sq_ts_format, 0) /* a free-running clock alone */                                        \
	C(rq_ts_format, 0)                                                                         \
	C(steering_format_version, g->steering)                                                    \
	C(device_frequency_mhz, emu.clock_khz / 1000)                                              \
	C(device_frequency_khz, emu.clock_khz)                                                     \
	C(enhanced_cqe_compression, g->enhanced)                                                   \
	C(mini_cqe_resp_l3_l4_tag, g->stride_index)                                                \
	C(mini_cqe_resp_flow_tag, g->stride_index)                                                 \
	C(mini_cqe_resp_stride_index, g->stride_index)                                             \
	C(cqe_compression, 1)

#define ETHERNET_CAPS(C)                                                                           \
	C(csum_cap, 1)                                                                             \
	C(vlan_cap, 1)                                                                             \
	C(lro_cap, g->lro)                                                                         \
	C(lro_max_msg_sz_mode, 1) /* counted from the L2 header */                                 \
	C(wqe_vlan_insert, g->mpw)                                                                 \
	C(max_lso_cap, 18)                                                                         \
	C(wqe_inline_mode, g->mpw ? 2 : 0) /* no headers inline, or the L2 header */               \
	C(rss_ind_tbl_cap, 11)                                                                     \
	C(scatter_fcs, 1)                                                                          \
	C(enhanced_multi_pkt_send_wqe, g->mpw)                                                     \
	C(lro_min_mss_size, g->lro ? CQESIM_LRO_MIN_PAYLOAD : 0)

/* Microseconds; the smallest is what DPDK takes by default. */
static const uint32_t lro_periods[4] = {8, 16, 32, 1024};

bool devx_lro_allowed(void)
{
	return generation()->lro;
}

uint32_t devx_lro_period_us(uint64_t asked_us)
{
	unsigned i = sizeof(lro_periods) / sizeof(lro_periods[0]) - 1;

	while (i && lro_periods[i] > asked_us)
		i--;
	return lro_periods[i];
}

static void general_caps(const struct generation *g, uint8_t *caps)
{
#define PUT(field, value) DEVX_SET(caps, cmd_hca_cap, field, value);
	GENERAL_CAPS(PUT)
#undef PUT
	if (!emu.device)
		return;
	/* Its unit is not public; microseconds are assumed. */
	uint64_t timeout = cqesim_profile_u64(emu.device, CQESIM_DEV_COMP_TIMEOUT) / 1000;
	uint64_t most = cqesim_profile_u64(emu.device, CQESIM_DEV_COMP_MAX_NUM);
	DEVX_SET(caps, cmd_hca_cap, cqe_compression_timeout, timeout < 0xffff ? timeout : 0xffff);
	DEVX_SET(caps, cmd_hca_cap, cqe_compression_max_num, most);
}

static void ethernet_caps(const struct generation *g, uint8_t *caps)
{
#define PUT(field, value) DEVX_SET(caps, per_protocol_networking_offload_caps, field, value);
	ETHERNET_CAPS(PUT)
#undef PUT
	uint8_t *periods =
		DEVX_PART(caps, per_protocol_networking_offload_caps, lro_timer_supported_periods);
	for (unsigned i = 0; i < 4 && g->lro; i++)
		cqesim_be_store(periods + 4 * i, 4, lro_periods[i]);
}

enum devx_syndrome devx_query_hca_cap(struct devx_call *call)
{
	uint8_t caps[DEVX_BYTES_cmd_hca_cap] = {0};
	size_t room = call->outlen - DEVX_BYTES_query_hca_cap_out;

	_Static_assert(sizeof(caps) == DEVX_BYTES_per_protocol_networking_offload_caps, "");
	/* Bit 0: the values in force (1) or the largest possible, which are the same here. */
	switch (DEVX_GET(call->in, in, op_mod) >> 1) {
	case 0x0:
		general_caps(generation(), caps);
		break;
	case 0x1:
		ethernet_caps(generation(), caps);
		break;
	case 0x7: /* NIC flow table: nothing beyond the least */
		break;
	case 0x20:
		/*
		 * What came later, although the general group does not point here: HWS of DPDK
		 * 24.11 (dv_flow_en=2) asks all the same, and then says that it is not supported.
		 */
		break;
	default:
		return DEVX_SYND_CAPABILITY;
	}
	memcpy(call->out + DEVX_BYTES_query_hca_cap_out, caps,
	       room < sizeof(caps) ? room : sizeof(caps));
	return DEVX_SYND_FINE;
}

enum devx_syndrome devx_query_nic_vport(struct devx_call *call)
{
	uint8_t *context = DEVX_PART(call->out, query_nic_vport_context_out, nic_vport_context);
	uint8_t *mac = DEVX_PART(context, nic_vport_context, permanent_address);
	uint64_t guid;

	if (DEVX_GET(call->in, query_nic_vport_context_in, other_vport))
		return DEVX_SYND_NO_REFERENCE; /* there are no others */
	DEVX_SET(context, nic_vport_context, mtu, emu.mtu);
	DEVX_SET(mac, mac_address_layout, mac_addr_47_32, cqesim_be_load(emu.mac, 2));
	DEVX_SET(mac, mac_address_layout, mac_addr_31_0, cqesim_be_load(emu.mac + 2, 4));
	/* As real cards do: the MAC with 0x0003 in the middle. */
	guid = cqesim_be_load(emu.mac, 3) << 40 | UINT64_C(3) << 24 |
	       cqesim_be_load(emu.mac + 3, 3);
	DEVX_SET(context, nic_vport_context, system_image_guid, guid);
	DEVX_SET(context, nic_vport_context, port_guid, guid);
	DEVX_SET(context, nic_vport_context, node_guid, guid);
	return DEVX_SYND_FINE;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* libibverbs: what the device and its port say of themselves, and its clock. */
#include <errno.h>
#include <string.h>

#include "emu/verbs.h"

#undef ibv_query_port /* the header wraps the old function */

static void fill_device(struct ibv_device_attr *a)
{
	memset(a, 0, sizeof(*a));
	snprintf(a->fw_ver, sizeof(a->fw_ver), "16.35.2000");
	a->max_mr_size = UINT64_MAX;
	a->page_size_cap = 0xfffff000;
	a->vendor_id = 0x15b3;
	a->vendor_part_id = emu.settings->pci_device;
	a->max_qp = 1 << 17;
	a->max_qp_wr = 32768;
	a->max_sge = 30;
	a->max_sge_rd = 30;
	a->max_cq = 1 << 24;
	a->max_cqe = (1 << 22) - 1;
	a->max_mr = 1 << 24;
	a->max_pd = 1 << 24;
	a->phys_port_cnt = 1;
}

EMU_API int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	(void)context;
	emu_log("ibv_query_device");
	fill_device(attr);
	return 0;
}

int emu_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t size)
{
	struct ibv_device_attr_ex a;

	(void)context;
	(void)input;
	emu_log("query_device_ex");
	memset(&a, 0, sizeof(a));
	fill_device(&a.orig_attr);
	a.completion_timestamp_mask = UINT64_MAX;
	a.hca_core_clock = emu.clock_khz;
	a.device_cap_flags_ex = IBV_DEVICE_RAW_IP_CSUM;
	a.rss_caps.supported_qpts = 1u << IBV_QPT_RAW_PACKET;
	a.rss_caps.max_rwq_indirection_tables = 1 << 20;
	a.rss_caps.max_rwq_indirection_table_size = 2048;
	a.rss_caps.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ;
	a.rss_caps.rx_hash_fields_mask = 0xff;
	a.max_wq_type_rq = 1 << 23;
	a.raw_packet_caps = IBV_RAW_PACKET_CAP_CVLAN_STRIPPING | IBV_RAW_PACKET_CAP_SCATTER_FCS |
			    IBV_RAW_PACKET_CAP_IP_CSUM;
	memcpy(attr, &a, size < sizeof(a) ? size : sizeof(a));
	return 0;
}

/* The smallest InfiniBand rate that is no less, as drivers of Ethernet ports report it. */
static void port_speed(struct ibv_port_attr *a)
{
	a->active_width = 2;                                /* 4X */
	a->active_speed = emu.port_bps > 100000000000  ? 64 /* HDR */
			  : emu.port_bps > 40000000000 ? 32 /* EDR */
			  : emu.port_bps > 10000000000 ? 16 /* FDR */
						       : 1;
}

static void fill_port(struct ibv_port_attr *a)
{
	memset(a, 0, sizeof(*a));
	a->state = IBV_PORT_ACTIVE;
	a->max_mtu = IBV_MTU_4096;
	a->active_mtu = IBV_MTU_1024;
	a->gid_tbl_len = 1;
	a->pkey_tbl_len = 1;
	a->max_msg_sz = 1 << 30;
	a->phys_state = 5; /* link up */
	a->link_layer = IBV_LINK_LAYER_ETHERNET;
	port_speed(a);
}

int emu_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
		   size_t size)
{
	struct ibv_port_attr a;

	(void)context;
	emu_log("query_port %u", port);
	if (port != 1)
		return EINVAL;
	fill_port(&a);
	memcpy(attr, &a, size < sizeof(a) ? size : sizeof(a));
	return 0;
}

/* Binaries of old: the structure ends before the fields that were added later. */
EMU_API int ibv_query_port(struct ibv_context *context, uint8_t port,
			   struct _compat_ibv_port_attr *attr)
{
	return emu_query_port(context, port, (struct ibv_port_attr *)attr,
			      offsetof(struct ibv_port_attr, port_cap_flags2));
}

EMU_API const char *ibv_port_state_str(enum ibv_port_state state)
{
	static const char *const name[] = {"no state change", "down",   "init",
					   "armed",           "active", "active defer"};

	return (unsigned)state < sizeof(name) / sizeof(name[0]) ? name[state] : "unknown";
}

int emu_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	(void)context;
	if (!(values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK))
		return EINVAL;
	emu_lock();
	uint64_t now_ps = emu_now_ps();
	emu_unlock();
	/* As completions have it: ticks of the clock that capabilities tell of. */
	unsigned __int128 ticks = (unsigned __int128)now_ps * emu.clock_khz / 1000000000;
	values->raw_clock.tv_sec = 0;
	values->raw_clock.tv_nsec = (long)ticks;
	values->comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	return 0;
}

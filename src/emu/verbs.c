/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libibverbs: the device, its contexts, protection domains, memory regions and event
 * channels.  Functions have no symbol versions; a reference with a version is satisfied
 * by a definition in a library without a version table.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "emu/verbs.h"

#undef ibv_query_port /* the header wraps the old function */
#undef ibv_reg_mr

/* ---- the device ---- */

static struct ibv_device device = {
	.node_type = IBV_NODE_CA,
	.transport_type = IBV_TRANSPORT_IB,
	.name = EMU_DEVICE,
	.dev_name = "uverbs_" EMU_DEVICE,
};

EMU_API struct ibv_device **ibv_get_device_list(int *num)
{
	struct ibv_device **list = calloc(2, sizeof(*list));

	if (!list) {
		errno = ENOMEM;
		return NULL;
	}
	if (emu_setup()) {
		if (snprintf(device.ibdev_path, sizeof(device.ibdev_path),
			     "%s/sys/class/infiniband/" EMU_DEVICE,
			     emu.folder) >= (int)sizeof(device.ibdev_path)) {
			emu_warn("%s: longer than libibverbs allows", emu.folder);
			free(list);
			errno = ENAMETOOLONG;
			return NULL;
		}
		list[0] = &device;
	}
	if (num)
		*num = list[0] != NULL;
	emu_log("ibv_get_device_list: %d", list[0] != NULL);
	return list;
}

EMU_API void ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

EMU_API const char *ibv_get_device_name(struct ibv_device *dev)
{
	return dev->name;
}

EMU_API int ibv_fork_init(void)
{
	return 0;
}

EMU_API enum ibv_fork_status ibv_is_fork_initialized(void)
{
	return IBV_FORK_UNNEEDED;
}

void *emu_register_page(void)
{
	static void *page;

	if (!page && posix_memalign(&page, 4096, 2 * 4096))
		page = NULL;
	return page;
}

/* ---- what it says of itself ---- */

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

static int query_device_ex(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
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

static int query_port_sized(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
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
	return query_port_sized(context, port, (struct ibv_port_attr *)attr,
				offsetof(struct ibv_port_attr, port_cap_flags2));
}

EMU_API const char *ibv_port_state_str(enum ibv_port_state state)
{
	static const char *const name[] = {"no state change", "down",   "init",
					   "armed",           "active", "active defer"};

	return (unsigned)state < sizeof(name) / sizeof(name[0]) ? name[state] : "unknown";
}

static int query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
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

/* ---- contexts ---- */

static int request_notify(struct ibv_cq *cq, int solicited)
{
	(void)cq;
	(void)solicited;
	return 0; /* no events: polling programs ask for none that they wait for */
}

/* Does the flow tag its packets?  Its specifications follow it, each with its size. */
static bool wants_tag(const struct ibv_flow_attr *attr)
{
	const uint8_t *at = (const uint8_t *)(attr + 1);

	/* PMD fills in no attr->size. */
	for (unsigned i = 0; i < attr->num_of_specs; i++) {
		struct {
			enum ibv_flow_spec_type type;
			uint16_t size;
		} header;

		memcpy(&header, at, sizeof(header));
		if (header.type == IBV_FLOW_SPEC_ACTION_TAG)
			return true;
		at += header.size;
	}
	return false;
}

static struct ibv_flow *create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr)
{
	if (wants_tag(attr))
		return emu_steering_refuse("a flow of verbs with a tag");
	struct ibv_flow *flow = emu_steering_create("ibv_create_flow");

	if (flow)
		flow->context = qp->context;
	return flow;
}

static int destroy_flow(struct ibv_flow *flow)
{
	return emu_steering_destroy(flow);
}

static struct ibv_context *open_context(bool devx)
{
	struct verbs_context *v;

	if (!emu_setup()) {
		errno = ENODEV;
		return NULL;
	}
	v = calloc(1, sizeof(*v));
	if (!v) {
		errno = ENOMEM;
		return NULL;
	}
	v->sz = sizeof(*v);
	v->query_port = query_port_sized;
	v->query_device_ex = query_device_ex;
	v->query_rt_values = query_rt_values;
	v->create_wq = emu_create_wq;
	v->modify_wq = emu_modify_wq;
	v->destroy_wq = emu_destroy_wq;
	v->create_rwq_ind_table = emu_create_table;
	v->destroy_rwq_ind_table = emu_destroy_table;
	v->create_qp_ex = emu_create_qp_ex;
	v->ibv_create_flow = create_flow;
	v->ibv_destroy_flow = destroy_flow;
	v->context.device = &device;
	v->context.ops.req_notify_cq = request_notify;
	v->context.num_comp_vectors = 1;
	v->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	pthread_mutex_init(&v->context.mutex, NULL);
	v->context.cmd_fd = eventfd(0, EFD_CLOEXEC);
	/* DPDK's interrupt thread waits on it. */
	v->context.async_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int rc = emu_engine_start();
	if (rc || v->context.cmd_fd < 0 || v->context.async_fd < 0) {
		errno = rc ? rc : errno;
		close(v->context.cmd_fd);
		close(v->context.async_fd);
		free(v);
		return NULL;
	}
	emu.devx = devx;
	return &v->context;
}

EMU_API struct ibv_context *ibv_open_device(struct ibv_device *dev)
{
	(void)dev;
	emu_log("ibv_open_device");
	return open_context(false);
}

EMU_API struct ibv_context *mlx5dv_open_device(struct ibv_device *dev,
					       struct mlx5dv_context_attr *attr)
{
	(void)dev;
	emu_log("mlx5dv_open_device, flags 0x%x", attr ? attr->flags : 0);
	if (!emu_setup() || !emu.settings->devx) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return open_context(true);
}

EMU_API int ibv_close_device(struct ibv_context *context)
{
	emu_log("ibv_close_device");
	emu_engine_stop();
	close(context->cmd_fd);
	close(context->async_fd);
	pthread_mutex_destroy(&context->mutex);
	free((char *)context - offsetof(struct verbs_context, context));
	return 0;
}

EMU_API struct ibv_context *ibv_import_device(int fd)
{
	(void)fd;
	emu_unsupported(__func__);
	return NULL;
}

EMU_API int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	(void)context;
	(void)event;
	errno = EAGAIN; /* none ever comes */
	return -1;
}

EMU_API void ibv_ack_async_event(struct ibv_async_event *event)
{
	(void)event;
}

/* ---- protection domains and memory ---- */

EMU_API struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	static uint32_t handles;
	struct ibv_pd *pd = calloc(1, sizeof(*pd));

	emu_log("ibv_alloc_pd");
	if (!pd) {
		errno = ENOMEM;
		return NULL;
	}
	pd->context = context;
	pd->handle = __atomic_add_fetch(&handles, 1, __ATOMIC_RELAXED);
	return pd;
}

EMU_API int ibv_dealloc_pd(struct ibv_pd *pd)
{
	emu_log("ibv_dealloc_pd");
	free(pd);
	return 0;
}

EMU_API struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle)
{
	(void)context;
	(void)handle;
	emu_unsupported(__func__);
	return NULL;
}

EMU_API void ibv_unimport_pd(struct ibv_pd *pd)
{
	(void)pd;
	emu_unsupported(__func__);
}

EMU_API struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
					unsigned int access)
{
	struct ibv_mr *mr = calloc(1, sizeof(*mr));

	(void)access;
	if (!mr) {
		errno = ENOMEM;
		return NULL;
	}
	emu_lock();
	int rc = emu_region_add(addr, length, iova, &mr->lkey);
	emu_unlock();
	if (rc) {
		free(mr);
		errno = -rc;
		return NULL;
	}
	mr->context = pd->context;
	mr->pd = pd;
	mr->addr = addr;
	mr->length = length;
	mr->handle = mr->lkey;
	mr->rkey = mr->lkey;
	emu_log("ibv_reg_mr_iova2: %zu bytes at %p, lkey 0x%x", length, addr, mr->lkey);
	return mr;
}

EMU_API int ibv_dereg_mr(struct ibv_mr *mr)
{
	emu_log("ibv_dereg_mr: lkey 0x%x", mr->lkey);
	emu_lock();
	int rc = emu_region_remove(mr->lkey);
	emu_unlock();
	if (!rc)
		free(mr);
	return -rc;
}

/* ---- completion channels: descriptors that never become readable ---- */

EMU_API struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct ibv_comp_channel *channel = calloc(1, sizeof(*channel));

	emu_log("ibv_create_comp_channel");
	if (channel)
		channel->fd = eventfd(0, EFD_CLOEXEC);
	if (!channel || channel->fd < 0) {
		free(channel);
		errno = ENOMEM;
		return NULL;
	}
	channel->context = context;
	return channel;
}

EMU_API int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	close(channel->fd);
	free(channel);
	return 0;
}

EMU_API int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
	(void)channel;
	(void)cq;
	(void)context;
	errno = EAGAIN;
	return -1;
}

EMU_API void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int events)
{
	(void)cq;
	(void)events;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libibverbs: the device, its contexts and their operations.  Functions have no symbol
 * versions; a reference with a version is satisfied by a definition in a library without
 * a version table.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu/verbs.h"

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

/* ---- contexts ---- */

static int request_notify(struct ibv_cq *cq, int solicited)
{
	struct emu_cq *c = (struct emu_cq *)cq;
	uint32_t ci = be32toh(c->dbrec[0]) & 0xffffff;

	/* As libmlx5: sequence number, command, consumer index. */
	uint32_t word = (c->arm_sn++ & 3) << 28 | (solicited ? 1u << 24 : 0) | ci;
	__atomic_store_n(&c->dbrec[1], htobe32(word), __ATOMIC_RELEASE);
	return 0;
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

/* cmd_fd: of the device, from now on the context's; on failure it stays the caller's. */
static struct ibv_context *make_context(bool devx, int cmd_fd)
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
	v->query_port = emu_query_port;
	v->query_device_ex = emu_query_device_ex;
	v->query_rt_values = emu_query_rt_values;
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
	v->context.cmd_fd = cmd_fd;
	/* DPDK's interrupt thread waits on it. */
	v->context.async_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int rc = v->context.async_fd < 0 ? errno : emu_engine_start();
	if (rc) {
		errno = rc;
		close(v->context.async_fd);
		free(v);
		return NULL;
	}
	emu.devx = devx;
	return &v->context;
}

/* Stands for the device's file, by its name: see ibv_import_device. */
static struct ibv_context *open_context(bool devx)
{
	int fd = memfd_create(EMU_DEVICE, MFD_CLOEXEC);
	struct ibv_context *context = fd < 0 ? NULL : make_context(devx, fd);

	if (!context && fd >= 0)
		close(fd);
	return context;
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

/* Another context of a device that is open; DPDK 24.11 does so with a copy of cmd_fd. */
EMU_API struct ibv_context *ibv_import_device(int fd)
{
	static const char ours[] = "/memfd:" EMU_DEVICE " ";
	char path[32], name[sizeof(ours)] = "";

	emu_log("ibv_import_device");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (readlink(path, name, sizeof(ours) - 1) < 0 || strcmp(name, ours)) {
		emu_warn("ibv_import_device: descriptor %d is not of the card", fd);
		errno = EINVAL;
		return NULL;
	}
	return make_context(emu.devx, fd);
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

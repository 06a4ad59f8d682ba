/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exported functions of DevX: they take the lock and hand the command on (see emu.h).
 * Asynchronous completions and events are descriptors that never become readable.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "emu/internal.h"
#include "emu/verbs.h"

#define EVENT_COMPLETION 0 /* mlx5_prm.h MLX5_EVENT_TYPE_COMP */

static unsigned opcode(const void *in, size_t inlen)
{
	const uint8_t *bytes = in;

	return inlen >= 2 ? (unsigned)bytes[0] << 8 | bytes[1] : 0;
}

static unsigned op_mod(const void *in, size_t inlen)
{
	const uint8_t *bytes = in;

	return inlen >= 8 ? (unsigned)bytes[6] << 8 | bytes[7] : 0;
}

/* errno and return value, as rdma-core's functions have both; what works tells of itself. */
static int finish(const char *function, const void *in, size_t inlen, int rc)
{
	if (!rc)
		return 0;
	emu_log("%s: command 0x%03x, op_mod 0x%x, %zu bytes: %s", function, opcode(in, inlen),
		op_mod(in, inlen), inlen, strerror(rc));
	errno = rc;
	return rc;
}

EMU_API int mlx5dv_devx_general_cmd(struct ibv_context *context, const void *in, size_t inlen,
				    void *out, size_t outlen)
{
	(void)context;
	emu_lock();
	int rc = emu_devx_general(in, inlen, out, outlen);
	emu_unlock();
	return finish("devx_general_cmd", in, inlen, rc);
}

EMU_API struct mlx5dv_devx_obj *mlx5dv_devx_obj_create(struct ibv_context *context, const void *in,
						       size_t inlen, void *out, size_t outlen)
{
	struct emu_object *object = NULL;

	(void)context;
	emu_lock();
	int rc = emu_devx_create(in, inlen, out, outlen, &object);
	emu_unlock();
	/* Opaque to programs. */
	return finish("devx_obj_create", in, inlen, rc) ? NULL : (struct mlx5dv_devx_obj *)object;
}

EMU_API int mlx5dv_devx_obj_query(struct mlx5dv_devx_obj *object, const void *in, size_t inlen,
				  void *out, size_t outlen)
{
	emu_lock();
	int rc = emu_devx_query((struct emu_object *)object, in, inlen, out, outlen);
	emu_unlock();
	return finish("devx_obj_query", in, inlen, rc);
}

EMU_API int mlx5dv_devx_obj_modify(struct mlx5dv_devx_obj *object, const void *in, size_t inlen,
				   void *out, size_t outlen)
{
	emu_lock();
	int rc = emu_devx_modify((struct emu_object *)object, in, inlen, out, outlen);
	emu_unlock();
	return finish("devx_obj_modify", in, inlen, rc);
}

EMU_API int mlx5dv_devx_obj_destroy(struct mlx5dv_devx_obj *object)
{
	emu_lock();
	int rc = emu_devx_destroy((struct emu_object *)object);
	emu_unlock();
	return finish("devx_obj_destroy", NULL, 0, rc);
}

EMU_API int mlx5dv_devx_qp_query(struct ibv_qp *qp, const void *in, size_t inlen, void *out,
				 size_t outlen)
{
	(void)qp;
	emu_lock();
	int rc = emu_devx_qp_query(in, inlen, out, outlen);
	emu_unlock();
	return finish("devx_qp_query", in, inlen, rc);
}

EMU_API int mlx5dv_devx_wq_query(struct ibv_wq *wq, const void *in, size_t inlen, void *out,
				 size_t outlen)
{
	(void)wq;
	(void)in;
	(void)inlen;
	(void)out;
	(void)outlen;
	emu_unsupported(__func__);
	return EOPNOTSUPP;
}

/* ---- memory and pages ---- */

EMU_API struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg(struct ibv_context *context, void *addr,
						      size_t size, uint32_t access)
{
	struct mlx5dv_devx_umem *umem = calloc(1, sizeof(*umem));

	(void)context;
	(void)access;
	if (!umem) {
		errno = ENOMEM;
		return NULL;
	}
	emu_lock();
	int rc = emu_umem_add(addr, size, &umem->umem_id);
	emu_unlock();
	emu_log("devx_umem_reg: %zu bytes at %p, number %u", size, addr, umem->umem_id);
	if (rc) {
		free(umem);
		errno = rc;
		return NULL;
	}
	return umem;
}

EMU_API int mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *umem)
{
	emu_log("devx_umem_dereg: number %u", umem->umem_id);
	emu_lock();
	int rc = emu_umem_remove(umem->umem_id);
	emu_unlock();
	if (!rc)
		free(umem);
	return rc;
}

EMU_API struct mlx5dv_devx_uar *mlx5dv_devx_alloc_uar(struct ibv_context *context, uint32_t flags)
{
	static uint32_t last;
	struct mlx5dv_devx_uar *uar = calloc(1, sizeof(*uar));
	uint8_t *page = emu_register_page();

	(void)context;
	emu_log("devx_alloc_uar, flags 0x%x", flags);
	if (!uar || !page) {
		free(uar);
		errno = ENOMEM;
		return NULL;
	}
	uar->base_addr = page;
	uar->reg_addr = page + 0x800; /* the first of the page's doorbell registers */
	uar->page_id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	uar->mmap_off = (off_t)uar->page_id * 4096;
	return uar;
}

EMU_API void mlx5dv_devx_free_uar(struct mlx5dv_devx_uar *uar)
{
	free(uar);
}

EMU_API int mlx5dv_devx_query_eqn(struct ibv_context *context, uint32_t vector, uint32_t *eqn)
{
	(void)context;
	emu_log("devx_query_eqn %u", vector);
	*eqn = vector + 1;
	return 0;
}

EMU_API struct mlx5dv_var *mlx5dv_alloc_var(struct ibv_context *context, uint32_t flags)
{
	(void)context;
	(void)flags;
	emu_unsupported(__func__);
	return NULL;
}

EMU_API void mlx5dv_free_var(struct mlx5dv_var *var)
{
	(void)var;
	emu_unsupported(__func__);
}

EMU_API struct mlx5dv_pp *mlx5dv_pp_alloc(struct ibv_context *context, size_t size,
					  const void *pp_context, uint32_t flags)
{
	(void)context;
	(void)size;
	(void)pp_context;
	(void)flags;
	emu_unsupported(__func__);
	return NULL;
}

EMU_API void mlx5dv_pp_free(struct mlx5dv_pp *pp)
{
	(void)pp;
	emu_unsupported(__func__);
}

/* ---- completions and events ---- */

EMU_API struct mlx5dv_devx_cmd_comp *mlx5dv_devx_create_cmd_comp(struct ibv_context *context)
{
	struct mlx5dv_devx_cmd_comp *comp = calloc(1, sizeof(*comp));

	(void)context;
	emu_log("devx_create_cmd_comp");
	if (comp)
		comp->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!comp || comp->fd < 0) {
		free(comp);
		errno = ENOMEM;
		return NULL;
	}
	return comp;
}

EMU_API void mlx5dv_devx_destroy_cmd_comp(struct mlx5dv_devx_cmd_comp *comp)
{
	close(comp->fd);
	free(comp);
}

EMU_API int mlx5dv_devx_get_async_cmd_comp(struct mlx5dv_devx_cmd_comp *comp,
					   struct mlx5dv_devx_async_cmd_hdr *response, size_t size)
{
	(void)comp;
	(void)response;
	(void)size;
	return EAGAIN;
}

EMU_API int mlx5dv_devx_obj_query_async(struct mlx5dv_devx_obj *object, const void *in,
					size_t inlen, size_t outlen, uint64_t wr_id,
					struct mlx5dv_devx_cmd_comp *comp)
{
	(void)object;
	(void)in;
	(void)inlen;
	(void)outlen;
	(void)wr_id;
	(void)comp;
	emu_unsupported(__func__);
	return EOPNOTSUPP;
}

EMU_API struct mlx5dv_devx_event_channel *
mlx5dv_devx_create_event_channel(struct ibv_context *context,
				 enum mlx5dv_devx_create_event_channel_flags flags)
{
	struct mlx5dv_devx_event_channel *channel = calloc(1, sizeof(*channel));

	(void)context;
	emu_log("devx_create_event_channel, flags 0x%x", (unsigned)flags);
	if (channel)
		channel->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	if (!channel || channel->fd < 0) {
		free(channel);
		errno = ENOMEM;
		return NULL;
	}
	return channel;
}

EMU_API void mlx5dv_devx_destroy_event_channel(struct mlx5dv_devx_event_channel *channel)
{
	emu_lock();
	emu_notify_forget(channel->fd);
	emu_unlock();
	close(channel->fd);
	free(channel);
}

EMU_API int mlx5dv_devx_subscribe_devx_event(struct mlx5dv_devx_event_channel *channel,
					     struct mlx5dv_devx_obj *object, uint16_t size,
					     uint16_t events[], uint64_t cookie)
{
	int rc = 0;

	emu_log("devx_subscribe_devx_event");
	emu_lock();
	uint32_t cqn = object ? emu_devx_cq((struct emu_object *)object) : 0;
	/* Others are told of as well, and never come. */
	for (size_t i = 0; cqn && !rc && i < size / sizeof(*events); i++)
		if (events[i] == EVENT_COMPLETION)
			rc = emu_notify_add(cqn, channel->fd, cookie);
	emu_unlock();
	errno = -rc;
	return rc ? -1 : 0;
}

EMU_API int mlx5dv_devx_subscribe_devx_event_fd(struct mlx5dv_devx_event_channel *channel, int fd,
						struct mlx5dv_devx_obj *object, uint16_t event)
{
	(void)channel;
	(void)fd;
	(void)object;
	(void)event;
	emu_log("devx_subscribe_devx_event_fd");
	return 0;
}

EMU_API ssize_t mlx5dv_devx_get_event(struct mlx5dv_devx_event_channel *channel,
				      struct mlx5dv_devx_async_event_hdr *event, size_t size)
{
	uint64_t cookie = 0;
	int rc = size < sizeof(*event) ? -ENOSPC : emu_notify_read(channel->fd, &cookie);

	if (rc) {
		errno = -rc;
		return -1;
	}
	event->cookie = cookie;
	return (ssize_t)sizeof(*event);
}

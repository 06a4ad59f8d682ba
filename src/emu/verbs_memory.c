/* SPDX-License-Identifier: BSD-3-Clause */
/* libibverbs: protection domains, memory regions and completion channels. */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "emu/internal.h"
#include "emu/verbs.h"

#undef ibv_reg_mr /* the header wraps the old function */

/* ---- protection domains and memory ---- */

/* A protection domain, or another name for one. */
struct emu_pd {
	struct ibv_pd pd;
	bool imported;
	struct emu_pd *next;
};
static struct emu_pd *pds; /* with the lock */

static struct ibv_pd *add_pd(struct ibv_context *context, uint32_t handle, bool imported)
{
	struct emu_pd *pd = calloc(1, sizeof(*pd));

	if (!pd) {
		errno = ENOMEM;
		return NULL;
	}
	pd->pd.context = context;
	pd->pd.handle = handle;
	pd->imported = imported;
	emu_lock();
	pd->next = pds;
	pds = pd;
	emu_unlock();
	return &pd->pd;
}

static void remove_pd(struct ibv_pd *pd)
{
	emu_lock();
	for (struct emu_pd **at = &pds; *at; at = &(*at)->next)
		if (&(*at)->pd == pd) {
			*at = (*at)->next;
			break;
		}
	emu_unlock();
	free(pd);
}

EMU_API struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	static uint32_t handles;

	emu_log("ibv_alloc_pd");
	return add_pd(context, __atomic_add_fetch(&handles, 1, __ATOMIC_RELAXED), false);
}

EMU_API int ibv_dealloc_pd(struct ibv_pd *pd)
{
	emu_log("ibv_dealloc_pd");
	remove_pd(pd);
	return 0;
}

/* Of a context that is open in this process: PMD with devargs cmd_fd and pd_handle. */
EMU_API struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle)
{
	bool found = false;

	emu_log("ibv_import_pd %u", handle);
	emu_lock();
	for (const struct emu_pd *pd = pds; pd; pd = pd->next)
		found |= !pd->imported && pd->pd.handle == handle;
	emu_unlock();
	if (!found) {
		emu_warn("ibv_import_pd: there is no protection domain %u", handle);
		errno = ENOENT;
		return NULL;
	}
	return add_pd(context, handle, true);
}

EMU_API void ibv_unimport_pd(struct ibv_pd *pd)
{
	emu_log("ibv_unimport_pd %u", pd->handle);
	remove_pd(pd);
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

/* PMD has no use for it; programs with queues of their own have. */
EMU_API struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr, (unsigned)access);
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

/* ---- completion channels ---- */

EMU_API struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct ibv_comp_channel *channel = calloc(1, sizeof(*channel));

	emu_log("ibv_create_comp_channel");
	if (channel)
		channel->fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
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
	emu_lock();
	emu_notify_forget(channel->fd);
	emu_unlock();
	close(channel->fd);
	free(channel);
	return 0;
}

EMU_API int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
	uint64_t cookie = 0;
	int rc = emu_notify_read(channel->fd, &cookie);

	if (rc) {
		errno = -rc;
		return -1;
	}
	*cq = (struct ibv_cq *)(uintptr_t)cookie;
	*context = (*cq)->cq_context;
	return 0;
}

EMU_API void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int events)
{
	(void)cq;
	(void)events;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* verbs.h - the library's own objects behind those of libibverbs, for verbs*.c and dv*.c. */
#ifndef CQESIM_EMU_VERBS_H
#define CQESIM_EMU_VERBS_H

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "emu/emu.h"

/*
 * A page to which the program may write: doorbells of sending and arming.  The card looks
 * at the records in memory instead, which are written first.
 */
void *emu_register_page(void);

struct emu_cq {
	struct ibv_cq_ex cq; /* first: ibv_cq begins likewise */
	uint8_t *ring;
	uint32_t *dbrec;
	unsigned log_size;
	uint32_t cqn;
	uint32_t arm_sn; /* request_notify: events asked for */
};

struct emu_wq {
	struct ibv_wq wq;
	uint8_t *ring;
	uint32_t *dbrec;
	unsigned log_size;   /* WQEs */
	unsigned log_stride; /* bytes of one */
	uint32_t rqn;
};

struct emu_table {
	struct ibv_rwq_ind_table table;
	uint32_t rqtn;
};

struct emu_qp {
	struct ibv_qp qp;
	uint8_t *ring; /* sending; NULL: for receiving only */
	uint32_t *dbrec;
	unsigned log_size;
	uint32_t sqn;  /* 0: none */
	uint32_t tirn; /* 0: none */
};

/* verbs_attributes.c: operations of a context. */
int emu_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t size);
int emu_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
		   size_t size);
int emu_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values);

/* verbs_queues.c: operations of a context, and what mlx5dv's functions come to. */
struct emu_cq *emu_cq_create(struct ibv_context *context, uint32_t cqe, void *cq_context,
			     struct ibv_comp_channel *channel, bool compressed,
			     enum cqesim_mini_format format);
struct ibv_wq *emu_wq_create(struct ibv_context *context, struct ibv_wq_init_attr *attr,
			     const struct mlx5dv_striding_rq_init_attr *striding);
struct ibv_wq *emu_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr);
int emu_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr);
int emu_destroy_wq(struct ibv_wq *wq);
struct ibv_rwq_ind_table *emu_create_table(struct ibv_context *context,
					   struct ibv_rwq_ind_table_init_attr *attr);
int emu_destroy_table(struct ibv_rwq_ind_table *table);
/* What queues are made of: a power of two above v, zeroed pages, a doorbell record; ENOMEM. */
unsigned emu_log2_up(uint32_t v);
void *emu_pages(size_t bytes);
uint32_t *emu_doorbell_record(void);
void *emu_no_memory(void);
/* verbs_qp.c */
struct ibv_qp *emu_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);

/* dr.c: an object of steering, of no meaning but that it is there. */
void *emu_steering_create(const char *kind);
/* A rule that the card cannot follow: said, counted, errno set.  NULL. */
void *emu_steering_refuse(const char *why);
int emu_steering_destroy(void *object);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* steering.h - what stands behind an object of steering, for dr.c and dr_actions.c. */
#ifndef CQESIM_EMU_STEERING_H
#define CQESIM_EMU_STEERING_H

#include "emu/verbs.h"

enum action { ACTION_OTHER, ACTION_TIR, ACTION_QP, ACTION_DROP, ACTION_TAG };

/* As large as what a caller may write to (ibv_flow's context and handle). */
struct steering {
	struct ibv_flow flow;
	const char *kind;
	union {
		enum mlx5dv_dr_domain_type domain;
		struct {
			enum mlx5dv_dr_domain_type domain;
			uint32_t level;
		} table;
		struct {
			const struct steering *table;
			uint16_t priority;
			const char *deeper; /* what it looks at that the card does not know */
			struct cqesim_card_match mask;
		} matcher;
		struct {
			enum action is;
			uint32_t tag;
			struct emu_object *tir; /* ACTION_TIR */
			struct emu_qp *qp;      /* ACTION_QP */
		} action;
		uint32_t rule; /* the card's */
	};
};

#endif

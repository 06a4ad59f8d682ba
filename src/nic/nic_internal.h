/* SPDX-License-Identifier: BSD-3-Clause */
/* The device's inside, shared by the files of this folder. */
#ifndef CQESIM_NIC_INTERNAL_H
#define CQESIM_NIC_INTERNAL_H

#include "cqesim/nic.h"

/* TLP costs of a write by length, for addresses on a DW that do not cross 4 KiB. */
#define COST_TABLE 4097u

struct nic_cq {
	uint32_t number;
	unsigned users; /* RQs */
	uint32_t wqes;  /* of these: as many completions can be unread */
	struct cqesim_cq_writer writer;
	uint64_t address;
	bool compress;  /* cqe_comp_en, and the device's policy is not off */
	bool counts_on; /* minis hold no stride index: a session's WQEs follow one another */
	uint8_t compare[64] __attribute__((aligned(64)));
	/* Open sessions in the order of their last packet, oldest first. */
	uint64_t deadline_ps;
	struct nic_cq *older, *newer;
};

struct nic_rq {
	uint32_t number;
	enum cqesim_queue_state state;
	struct cqesim_rq rq;
	struct nic_cq *cq;
	uint64_t address;
	uint32_t user_index;
	struct cqesim_tlps fetch_request, fetch_completion; /* of one block of WQEs */
	uint32_t fetch_mask; /* a fetch brings the WQEs up to the next index that has none of these
				bits */
	bool fetched;        /* the next WQE starts such a group, and its fetch is done */
};

struct cqesim_nic {
	struct cqesim_nic_config config;
	struct cqesim_link link;
	struct cqesim_pacer pipeline; /* units: packets */
	struct cqesim_pacer up;       /* units: bytes up */
	uint64_t buffer_ps, pressure_on_ps, pressure_off_ps;
	uint64_t buffer_guard_ps; /* up to this backlog any packet fits */
	bool pressed; /* balanced: compressing now */
	uint64_t pressed_since_ps;
	double ack_debt; /* completions received that no Ack has answered yet */
	struct cqesim_tlps cost[COST_TABLE];
	struct cqesim_tlps cqe_cost; /* of a plain CQE: rings lie on whole lines */

	void **cq; /* struct nic_cq, by number - 1; NULL: free */
	void **rq; /* struct nic_rq, likewise */
	uint32_t cqs, rqs;
	struct nic_cq *oldest, *newest;
	uint64_t error_cqes, ack_bytes;
	struct cqesim_nic_stats stats;
};

/* session.c: what to do with a completion, and what that costs on the link. */
void nic_complete(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64], uint64_t now_ps,
		  uint32_t bytes_before);
void nic_complete_error(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
			uint64_t now_ps);
void nic_session_close(struct cqesim_nic *nic, struct nic_cq *cq, uint64_t now_ps,
		       enum cqesim_session_end why, uint32_t bytes_before);

/* Cost of a write; the table for what is common, the rules for the rest. */
static inline struct cqesim_tlps nic_write_cost(const struct cqesim_nic *nic, uint64_t address,
						uint32_t length)
{
	if (!(address & 3) && (address & 4095) + length <= 4096)
		return nic->cost[length];
	return cqesim_link_write(&nic->link, address, length);
}

static inline void nic_count(struct cqesim_nic *nic, enum cqesim_traffic kind,
			     const struct cqesim_tlps *t)
{
	cqesim_tlps_add(&nic->stats.traffic[kind], t);
}

/* Let the link carry bytes after what it has already; it never starts before now. */
static inline void nic_send(struct cqesim_nic *nic, uint64_t now_ps, uint32_t bytes)
{
	cqesim_pacer_not_before(&nic->up, now_ps);
	cqesim_pacer_advance(&nic->up, bytes);
}

static inline uint64_t nic_backlog_ps(const struct cqesim_nic *nic, uint64_t now_ps)
{
	return nic->up.ps > now_ps ? nic->up.ps - now_ps : 0;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mistakes that the device makes on purpose, one and once: what is to notice them is
 * tested with these.  All of them lie here; session.c calls these functions in place of
 * the writer's until the mistake is made.
 */
#include <errno.h>
#include <stdlib.h>

#include "nic_internal.h"

#define SLOTS 64u

struct nic_fault {
	enum cqesim_fault kind;
	uint64_t at, packets;
	uint8_t before[SLOTS][CQESIM_CQE_BYTES]; /* slots behind the open session's title */
};

const char *cqesim_fault_name(enum cqesim_fault fault)
{
	static const char *const name[CQESIM_FAULTS] = {
		"none", "owner", "mini_format", "stale_array", "lost_completion", "early_title",
	};
	return (unsigned)fault < CQESIM_FAULTS ? name[fault] : "unknown";
}

int nic_fault_init(struct cqesim_nic *nic)
{
	if (!nic->config.fault)
		return 0;
	nic->fault = calloc(1, sizeof(*nic->fault));
	if (!nic->fault)
		return -ENOMEM;
	nic->fault->kind = nic->config.fault;
	nic->fault->at = nic->config.fault_at;
	return 0;
}

static void done(struct cqesim_nic *nic)
{
	free(nic->fault);
	nic->fault = NULL;
}

void nic_fault_write(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
		     enum cqesim_opcode opcode)
{
	struct nic_fault *f = nic->fault;
	struct cqesim_cq_writer *w = &cq->writer;
	bool due = f->packets++ >= f->at && w->layout == CQESIM_CQ_BASIC;

	if (due && f->kind == CQESIM_FAULT_LOST_COMPLETION) {
		w->pi++;
		done(nic);
	} else if (due && f->kind == CQESIM_FAULT_OWNER) {
		w->pi += w->mask + 1; /* as the next lap would */
		cqesim_cq_write(w, cqe, opcode, CQESIM_FORMAT_PLAIN);
		w->pi -= w->mask + 1;
		done(nic);
	} else {
		cqesim_cq_write(w, cqe, opcode, CQESIM_FORMAT_PLAIN);
	}
}

void nic_fault_open(struct cqesim_nic *nic, const struct nic_cq *cq)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		memcpy(nic->fault->before[i], cqesim_cq_writer_slot(&cq->writer, cq->writer.pi + i),
		       CQESIM_CQE_BYTES);
}

/* Index, from the title, of the slot of the session's last array. */
static uint32_t last_array(uint32_t n)
{
	uint32_t slot = (n - 1) / CQESIM_MINIS_PER_ARRAY * CQESIM_MINIS_PER_ARRAY;

	return slot ? slot : 1;
}

static void swap_arrays(struct nic_fault *f, const struct cqesim_cq_writer *w, uint32_t index,
			uint32_t n)
{
	for (uint32_t i = 0; i < n && i < SLOTS; i += CQESIM_MINIS_PER_ARRAY) {
		uint32_t at = i ? i : 1;
		uint8_t *slot = cqesim_cq_writer_slot(w, index + at), kept[CQESIM_CQE_BYTES];

		memcpy(kept, slot, sizeof(kept));
		memcpy(slot, f->before[at], sizeof(kept));
		memcpy(f->before[at], kept, sizeof(kept));
	}
}

static void spoil_minis(const struct cqesim_cq_writer *w, uint32_t n)
{
	enum cqesim_mini_format other =
		w->format == CQESIM_MINI_HASH ? CQESIM_MINI_CSUM_STRIDX : CQESIM_MINI_HASH;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t array = i / CQESIM_MINIS_PER_ARRAY * CQESIM_MINIS_PER_ARRAY;
		uint8_t *raw = cqesim_cq_writer_slot(w, w->pi + (array ? array : 1)) +
			       i % CQESIM_MINIS_PER_ARRAY * CQESIM_MINI_BYTES;
		struct cqesim_mini mini = {0};

		cqesim_mini_decode(w->format, raw, &mini);
		cqesim_mini_encode(other, &mini, raw);
	}
}

void nic_fault_close(struct cqesim_nic *nic, struct nic_cq *cq)
{
	struct nic_fault *f = nic->fault;
	struct cqesim_cq_writer *w = &cq->writer;
	uint32_t n = w->n, index = w->pi, stale = last_array(n);

	f->packets += n;
	if (f->packets <= f->at || stale >= SLOTS) {
		cqesim_cq_session_close(w);
		return;
	}
	switch (f->kind) {
	case CQESIM_FAULT_LOST_COMPLETION:
		w->n = 0;
		w->pi += n;
		break;
	case CQESIM_FAULT_OWNER:
		/* The same slots: the lap is all that the writer takes from the rest. */
		w->pi += w->mask + 1;
		cqesim_cq_session_close(w);
		w->pi -= w->mask + 1;
		break;
	case CQESIM_FAULT_MINI_FORMAT:
		spoil_minis(w, n);
		cqesim_cq_session_close(w);
		break;
	case CQESIM_FAULT_STALE_ARRAY:
		memcpy(cqesim_cq_writer_slot(w, index + stale), f->before[stale], CQESIM_CQE_BYTES);
		cqesim_cq_session_close(w);
		break;
	case CQESIM_FAULT_EARLY_TITLE:
		swap_arrays(f, w, index, n);
		cqesim_cq_session_close(w);
		if (nic->config.fault_early)
			nic->config.fault_early(nic->config.fault_early_context);
		swap_arrays(f, w, index, n);
		break;
	case CQESIM_FAULT_NONE:
	case CQESIM_FAULTS:
		cqesim_cq_session_close(w);
		break;
	}
	done(nic);
}

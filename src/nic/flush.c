/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a receive queue fails: which errors stop it, and how it gives its WQEs back;
 * how many it has.
 *
 * After the completion that reports the error the queue writes one of syndrome
 * WR_FLUSH for each WQE that was posted, since drivers set flush_in_error_en
 * (PMD mlx5_rxq_create_devx_rq_resources); that it is one per WQE, and that they
 * come at once, is assumed.
 */
#include <errno.h>

#include "nic_internal.h"

/*
 * Does the queue stop?  PMD mlx5_rx_err_handle (from 23.07) resets a queue for these
 * three and passes over all others, as if the queue went on.
 */
static bool stops(uint8_t syndrome)
{
	return syndrome == CQESIM_SYNDROME_LOCAL_QP_OP || syndrome == CQESIM_SYNDROME_LOCAL_PROT ||
	       syndrome == CQESIM_SYNDROME_WR_FLUSH;
}

void nic_fail_rq(struct nic_rq *rq, struct cqesim_cqe_err *err)
{
	err->syndrome = rq->inject ? rq->inject : CQESIM_SYNDROME_LOCAL_PROT;
	rq->inject = 0;
	if (!stops(err->syndrome))
		return;
	rq->state = CQESIM_QUEUE_ERR;
	if (rq->striding) /* the WQE at fault is not given back once more */
		cqesim_strides_finish(&rq->strides.at);
}

int cqesim_nic_inject_error(struct cqesim_nic *nic, uint32_t rqn, uint8_t syndrome)
{
	struct nic_rq *rq = nic_find_rq(nic, rqn);

	if (!rq)
		return -ENOENT;
	rq->inject = syndrome;
	return 0;
}

uint32_t cqesim_nic_rq_credits(struct cqesim_nic *nic, uint32_t rqn)
{
	struct nic_rq *rq = nic_find_rq(nic, rqn);

	if (!rq)
		return 0;
	return rq->striding ? cqesim_striding_rq_credits(&rq->strides) : cqesim_rq_credits(&rq->rq);
}

uint32_t cqesim_nic_flush_rq(struct cqesim_nic *nic, uint32_t rqn, uint64_t now_ps)
{
	struct nic_rq *rq = nic_find_rq(nic, rqn);

	if (!rq || rq->state != CQESIM_QUEUE_ERR)
		return 0;
	uint32_t posted = cqesim_nic_rq_credits(nic, rqn);

	for (uint32_t i = 0; i < posted; i++) {
		uint16_t index = rq->striding ? cqesim_strides_consume(&rq->strides.at)
					      : cqesim_rq_consume(&rq->rq);
		struct cqesim_cqe_err err = {
			.srqn = rq->user_index,
			.syndrome = CQESIM_SYNDROME_WR_FLUSH,
			.eth_wqe_id = rq->striding ? index : 0,
			.wqe_counter = rq->striding ? 0 : index,
		};
		uint8_t raw[64];

		cqesim_cqe_err_encode(&err, raw);
		nic_complete_error(nic, rq->cq, raw, now_ps);
	}
	return posted;
}

/*
 * For writing: a line that another CPU has read comes without its copy there.  Compilers take
 * the instruction for granted only where they are told so; all x86-64 have it or do nothing.
 */
#ifdef __x86_64__
__attribute__((target("prfchw")))
#endif
void cqesim_nic_prefetch(const struct cqesim_nic *nic, uint32_t rqn, uint32_t ahead)
{
	const struct nic_rq *r = nic_find_rq(nic, rqn);

	if (!r || r->state != CQESIM_QUEUE_RDY)
		return;
	const struct cqesim_cq_writer *w = &r->cq->writer;
	__builtin_prefetch(cqesim_cq_writer_slot(w, w->pi + w->n + ahead), 1);
	/* Where strides lie in a buffer follows from the lengths before. */
	if (r->striding || ahead >= cqesim_rq_credits(&r->rq))
		return;
	const uint8_t *wqe =
		r->rq.ring +
		((size_t)((r->rq.ci + ahead) & r->rq.mask) << r->rq.log_segs) * CQESIM_RQ_SEG_BYTES;
	const void *memory =
		r->rq.translate(r->rq.translate_context, (uint32_t)cqesim_be_load(wqe + 4, 4),
				cqesim_be_load(wqe + 8, 8), 1);
	if (memory)
		__builtin_prefetch(memory, 1);
}

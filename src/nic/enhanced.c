/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions in the enhanced layout: see cq.h.  The states and what closes a session
 * are those of session.c; what is written, and when:
 *
 *   open    the completion itself, plain: it is the title, and visible at once
 *   add     into the open array, or the first of a new one
 *           array full (seven minis): write it, the session goes on
 *   close   write the open array, if there is one
 *
 * So a packet waits for its array and not for the whole session.  An array is
 * always written whole, since its last bytes tell of it: no write policy cuts or
 * joins it.  Assumed, since the vendor publishes none of it: cqe_compression_max_num
 * counts the packets of a title, its own included; after a time-out the next packet
 * is a title again, though drivers would take more arrays; a session that may not
 * cross the ring's end ends with it, and has no title in the last slot (which DPDK's
 * vector function does not take for one).
 */
#include "nic_internal.h"

static void write_array(struct cqesim_nic *nic, struct nic_cq *cq, uint64_t now_ps,
			struct nic_load *data)
{
	const struct cqesim_tlps *t = &nic->cqe_cost;

	now_ps = nic_pass_completions(nic, now_ps, 1);
	nic->stats.arrays++;
	nic_count(nic, CQESIM_TRAFFIC_MINI, t);
	nic_load_add(data, t);
	uint64_t turn_ps = nic_send(nic, now_ps, data);
	uint32_t n = cqesim_cq_session_close(&cq->writer);
	if (__builtin_expect(nic->config.operation != NULL, 0))
		nic_watch_ring(nic, cq, CQESIM_TRAFFIC_MINI, turn_ps, cq->writer.pi - n,
			       CQESIM_CQE_BYTES);
	nic_published(nic, cq, n, false);
}

void nic_enhanced_close(struct cqesim_nic *nic, struct nic_cq *cq, uint64_t now_ps,
			struct nic_load *data)
{
	uint32_t n = cq->session_n;

	cq->session_n = 0;
	if (cq->writer.n)
		write_array(nic, cq, now_ps, data);
	if (n == 1)
		nic->stats.lone++;
	else
		nic_count_session(nic, cq, n);
}

/* Written plain, and the title if another packet follows. */
void nic_enhanced_open(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
		       uint64_t now_ps, struct nic_load *data)
{
	uint32_t to_end = cq->writer.mask + 1 - (cq->writer.pi & cq->writer.mask);

	cq->room_is_ring_end = !nic->config.comp_cross && to_end < nic->config.comp_max;
	cq->session_room = cq->room_is_ring_end ? to_end : nic->config.comp_max;
	nic_write_plain(nic, cq, cqe, now_ps, data);
	if (cq->session_room < 2)
		return;
	cq->session_n = 1;
	nic_session_begin(nic, cq, cqe, now_ps);
}

void nic_enhanced_add(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
		      uint64_t now_ps, struct nic_load *data)
{
	if (cq->session_n == 1) { /* what was written plain has become a title */
		nic->stats.plain--;
		nic_count(nic, CQESIM_TRAFFIC_TITLE, &nic->cqe_cost);
	}
	if (cq->writer.n)
		cqesim_cq_session_add(&cq->writer, cqe);
	else
		cqesim_cq_session_open(&cq->writer, cqe);
	cq->session_n++;
	nic_session_goes_on(nic, cq, cqe, now_ps);
	if (cq->session_n == cq->session_room)
		nic_session_close(nic, cq, now_ps,
				  cq->room_is_ring_end ? CQESIM_END_RING : CQESIM_END_MAX, data);
	else if (cq->writer.n == cq->writer.room) {
		nic->stats.full_arrays++;
		write_array(nic, cq, now_ps, data);
	} else
		nic_send(nic, now_ps, data);
}

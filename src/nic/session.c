/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compression policy: plain or session, when a session opens and what
 * closes it.
 *
 *   state        event                              action
 *   -----        -----                              ------
 *   no session   completion, not compressing        write it plain
 *   no session   completion, compressing            open (plain if the ring's end leaves no room)
 *   open         completion that agrees, room left  add; close (MAX or RING) when that filled it
 *   open         completion that differs            close (MISMATCH), then as "no session"
 *   open         compressing no more (balanced)     close (RELIEF), then write plain
 *   open         time-out since the last packet     close (TIMEOUT)
 *   open         queue stops                        close (STOP)
 *
 * "Compressing" is always true for aggressive; for balanced it follows the
 * backlog before the link with two thresholds.  None of this is published by
 * the vendor beyond the policies' names: the parameters stand in models/.
 */
#include "nic_internal.h"

/* Balanced: on above one backlog, off below another. */
static bool compressing(struct cqesim_nic *nic, uint64_t now_ps)
{
	if (nic->config.compression == CQESIM_COMP_AGGRESSIVE)
		return true;

	uint64_t backlog = nic_backlog_ps(nic, now_ps);
	if (nic->pressed) { /* summed up as it goes on: a run may end under pressure */
		nic->stats.pressure_ps += now_ps - nic->pressed_since_ps;
		nic->pressed_since_ps = now_ps;
	}
	if (!nic->pressed && backlog >= nic->pressure_on_ps && backlog) {
		nic->pressed = true;
		nic->pressed_since_ps = now_ps;
	} else if (nic->pressed && backlog <= nic->pressure_off_ps) {
		nic->pressed = false;
	}
	return nic->pressed;
}

static void list_remove(struct cqesim_nic *nic, struct nic_cq *cq)
{
	*(cq->older ? &cq->older->newer : &nic->oldest) = cq->newer;
	*(cq->newer ? &cq->newer->older : &nic->newest) = cq->older;
	cq->older = cq->newer = NULL;
}

static void list_append(struct cqesim_nic *nic, struct nic_cq *cq)
{
	cq->older = nic->newest;
	cq->newer = NULL;
	*(nic->newest ? &nic->newest->newer : &nic->oldest) = cq;
	nic->newest = cq;
}

/* The link carried it; software sees it after the latency. */
static void published(struct cqesim_nic *nic, const struct nic_cq *cq, uint32_t count)
{
	if (nic->config.published)
		nic->config.published(nic->config.published_context, cq->number,
				      cqesim_pacer_done_ps(&nic->up) + nic->config.write_latency_ps,
				      count);
}

static uint64_t slot_address(const struct nic_cq *cq, uint32_t index)
{
	return cq->address + (uint64_t)(index & cq->writer.mask) * CQESIM_CQE_BYTES;
}

static void write_plain(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
			uint64_t now_ps, uint32_t bytes_before)
{
	nic_send(nic, now_ps, bytes_before + (uint32_t)nic->cqe_cost.wire);
	cqesim_cq_write(&cq->writer, cqe, CQESIM_OP_RESP_SEND, CQESIM_FORMAT_PLAIN);
	nic->stats.plain++; /* its bytes: see cqesim_nic_stats */
	published(nic, cq, 1);
}

/* Bytes on the link for title and arrays of the open session of n packets. */
static uint32_t session_cost(struct cqesim_nic *nic, const struct nic_cq *cq, uint32_t n)
{
	const uint32_t per_array = CQESIM_MINIS_PER_ARRAY;
	uint32_t k = cq->writer.pi, bytes = 0;
	/* Title and first array in one write; not when they lie at the ring's two ends. */
	bool joined = nic->config.write_policy == CQESIM_WRITE_BURST &&
		      (k & cq->writer.mask) != cq->writer.mask;
	struct cqesim_tlps t;

	for (uint32_t i = 0; i < n; i += per_array) {
		uint32_t length = CQESIM_CQE_BYTES;

		if (nic->config.write_policy == CQESIM_WRITE_EXACT && n - i < per_array)
			length = (n - i) * CQESIM_MINI_BYTES;
		nic->stats.arrays++;
		if (joined && !i)
			continue; /* goes with the title */
		t = nic_write_cost(nic, slot_address(cq, k + (i ? i : 1)), length);
		nic_count(nic, CQESIM_TRAFFIC_MINI, &t);
		bytes += (uint32_t)t.wire;
	}
	t = nic_write_cost(nic, slot_address(cq, k),
			   joined ? 2 * CQESIM_CQE_BYTES : CQESIM_CQE_BYTES);
	bytes += (uint32_t)t.wire;
	if (joined) { /* one write, accounted half and half: the array is no less a mini array */
		struct cqesim_tlps array = {0, CQESIM_CQE_BYTES, CQESIM_CQE_BYTES};
		nic_count(nic, CQESIM_TRAFFIC_MINI, &array);
		t.payload -= array.payload;
		t.wire -= array.wire;
	}
	nic_count(nic, CQESIM_TRAFFIC_TITLE, &t);
	return bytes;
}

void nic_session_close(struct cqesim_nic *nic, struct nic_cq *cq, uint64_t now_ps,
		       enum cqesim_session_end why, uint32_t bytes_before)
{
	uint32_t n = cq->writer.n;

	list_remove(nic, cq);
	nic->stats.session_ends[why]++;
	if (n == 1) {
		uint8_t cqe[64];

		memcpy(cqe, cq->writer.title, sizeof(cqe));
		cq->writer.n = 0;
		nic->stats.lone++;
		write_plain(nic, cq, cqe, now_ps, bytes_before);
		return;
	}
	nic_send(nic, now_ps, bytes_before + session_cost(nic, cq, n));
	cqesim_cq_session_close(&cq->writer);
	nic->stats.sessions++;
	nic->stats.session_packets += n;
	nic->stats.session_hist[n < CQESIM_SESSION_HIST ? n : CQESIM_SESSION_HIST]++;
	published(nic, cq, n);
}

/* Which compared field differed: the first row of the layout that lies in the differing bits. */
static void count_mismatch(struct cqesim_nic *nic, const struct nic_cq *cq, const uint8_t cqe[64])
{
	for (unsigned i = 0; i < cqesim_cqe_rx_field_count; i++) {
		uint8_t mask[64] = {0};

		cqesim_field_mask(&cqesim_cqe_rx_fields[i], mask);
		for (unsigned b = 0; b < 64; b++)
			mask[b] &= cq->compare[b];
		if (cqesim_cqe_differs(cq->writer.title, cqe, mask)) {
			nic->stats.mismatch[i]++;
			return;
		}
	}
	nic->stats.mismatch[cqesim_cqe_rx_field("wqe_counter") - cqesim_cqe_rx_fields]++;
}

/*
 * Can the completion not be told as one more of the session?  A compared field
 * differs; or the minis leave out the WQE's index and this one does not count
 * on from the title's (queues that share a CQ): no driver could get it right.
 */
static bool differs_from_session(const struct nic_cq *cq, const uint8_t cqe[64])
{
	if (cqesim_cqe_differs(cq->writer.title, cqe, cq->compare))
		return true;
	return cq->counts_on &&
	       cqesim_cqe_get_wqe_counter(cqe) !=
		       (uint16_t)(cqesim_cqe_get_wqe_counter(cq->writer.title) + cq->writer.n);
}

/* Without a new packet until then a session ends; a time-out of "never" is one too. */
static uint64_t deadline(const struct cqesim_nic *nic, uint64_t now_ps)
{
	uint64_t ps = now_ps + nic->config.comp_timeout_ps;

	return ps >= now_ps ? ps : UINT64_MAX;
}

static void open_or_plain(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
			  uint64_t now_ps, uint32_t bytes_before)
{
	if (cqesim_cq_session_open(&cq->writer, cqe) < 2) {
		write_plain(nic, cq, cqe, now_ps, bytes_before);
		return;
	}
	cq->deadline_ps = deadline(nic, now_ps);
	list_append(nic, cq);
	if (bytes_before)
		nic_send(nic, now_ps, bytes_before);
}

void nic_complete(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64], uint64_t now_ps,
		  uint32_t bytes_before)
{
	if (!cq->compress) {
		write_plain(nic, cq, cqe, now_ps, bytes_before);
		return;
	}

	bool compress = compressing(nic, now_ps);
	if (cq->writer.n) {
		bool differs = differs_from_session(cq, cqe);

		if (compress && !differs) {
			cqesim_cq_session_add(&cq->writer, cqe);
			cq->deadline_ps = deadline(nic, now_ps);
			if (cq != nic->newest) {
				list_remove(nic, cq);
				list_append(nic, cq);
			}
			if (cq->writer.n == cq->writer.room)
				nic_session_close(nic, cq, now_ps,
						  cq->writer.room_is_ring_end ? CQESIM_END_RING
									      : CQESIM_END_MAX,
						  bytes_before);
			else
				nic_send(nic, now_ps, bytes_before);
			return;
		}
		if (differs)
			count_mismatch(nic, cq, cqe);
		nic_session_close(nic, cq, now_ps,
				  differs ? CQESIM_END_MISMATCH : CQESIM_END_RELIEF, 0);
	}
	if (compress)
		open_or_plain(nic, cq, cqe, now_ps, bytes_before);
	else
		write_plain(nic, cq, cqe, now_ps, bytes_before);
}

void nic_complete_error(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
			uint64_t now_ps)
{
	if (cq->writer.n)
		nic_session_close(nic, cq, now_ps, CQESIM_END_STOP, 0);
	nic->error_cqes++;
	nic_send(nic, now_ps, (uint32_t)nic->cqe_cost.wire);
	cqesim_cq_write(&cq->writer, cqe, CQESIM_OP_RESP_ERR, CQESIM_FORMAT_PLAIN);
	published(nic, cq, 1);
}

void cqesim_nic_step(struct cqesim_nic *nic, uint64_t now_ps)
{
	while (nic->oldest && nic->oldest->deadline_ps <= now_ps)
		nic_session_close(nic, nic->oldest, nic->oldest->deadline_ps, CQESIM_END_TIMEOUT,
				  0);
}

uint64_t cqesim_nic_next_ps(const struct cqesim_nic *nic)
{
	return nic->oldest ? nic->oldest->deadline_ps : UINT64_MAX;
}

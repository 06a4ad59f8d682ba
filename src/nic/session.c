/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compression policy: plain or session, when a session opens and what
 * closes it.  A queue is in one of three states: off (its driver or the device
 * says so, or balanced sees no pressure), plain (it compresses, no session is
 * open), open.
 *
 *   state  event                              action                       then
 *   -----  -----                              ------                       ----
 *   off    completion                         write it plain               off
 *   off    backlog reaches backpressure_on    (balanced, with the next     plain
 *                                             completion)
 *   plain  backlog falls to backpressure_off  (balanced, likewise)         off
 *   plain  completion                         open a session with it       open
 *   plain  completion in the ring's last      write it plain: no room      plain
 *          slot
 *   open   completion that agrees             add it                       open
 *   open   ... which was the last that fits   close (MAX or RING)          plain
 *   open   completion that differs            close (MISMATCH)             plain, with it
 *   open   completion, and backlog fell to    close (RELIEF)               off, with it
 *          backpressure_off
 *   open   comp_timeout after its last packet close (TIMEOUT)              plain
 *   open   comp_age after its first packet    close (AGE)                  plain
 *   open   a filler comes (striding)          close (FILLER), write the    plain
 *                                             filler plain
 *   open   queue stops, error completion      close (STOP)                 off
 *
 * What open, add and close write depends on the layout.  Basic: nothing is
 * written before the session is closed, then its arrays and the title; one
 * packet alone is written plain.  Enhanced: see enhanced.c.
 *
 * Aggressive is never off.  For balanced the backlog is what waits for the link
 * when a completion is ready, so without bursts it compresses only from the
 * link's saturation on.  None of this is published by the vendor beyond the
 * policies' names: the parameters stand in models/.
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

static void ages_remove(struct cqesim_nic *nic, struct nic_cq *cq)
{
	*(cq->elder ? &cq->elder->younger : &nic->eldest) = cq->younger;
	*(cq->younger ? &cq->younger->elder : &nic->youngest) = cq->elder;
	cq->elder = cq->younger = NULL;
}

static void ages_append(struct cqesim_nic *nic, struct nic_cq *cq)
{
	cq->elder = nic->youngest;
	cq->younger = NULL;
	*(nic->youngest ? &nic->youngest->younger : &nic->eldest) = cq;
	nic->youngest = cq;
}

void nic_session_forget(struct cqesim_nic *nic, struct nic_cq *cq)
{
	list_remove(nic, cq);
	if (nic->config.comp_age_ps)
		ages_remove(nic, cq);
}

static void list_append(struct cqesim_nic *nic, struct nic_cq *cq)
{
	cq->older = nic->newest;
	cq->newer = NULL;
	*(nic->newest ? &nic->newest->newer : &nic->oldest) = cq;
	nic->newest = cq;
}

/* The link carried it; software sees it after the latency. */
void nic_published(struct cqesim_nic *nic, const struct nic_cq *cq, uint32_t count, bool filler)
{
	if (nic->config.published)
		nic->config.published(nic->config.published_context, cq->number,
				      cqesim_pacer_done_ps(&nic->server.up.pacer) +
					      nic->config.write_latency_ps,
				      count, filler);
}

static uint64_t slot_address(const struct nic_cq *cq, uint32_t index)
{
	return cq->address + (uint64_t)(index & cq->writer.mask) * CQESIM_CQE_BYTES;
}

/* The ring holds what was written: for whoever watches. */
void nic_watch_ring(const struct cqesim_nic *nic, const struct nic_cq *cq, enum cqesim_traffic kind,
		    uint64_t time_ps, uint32_t index, uint32_t length)
{
	nic_watch(nic, &(struct cqesim_nic_operation){
			       .kind = kind,
			       .time_ps = time_ps,
			       .address = slot_address(cq, index),
			       .length = length,
			       .data = cq->writer.ring +
				       (size_t)(index & cq->writer.mask) * CQESIM_CQE_BYTES,
			       .data_length = length,
		       });
}

/* What writes completions may do only so many a second. */
uint64_t nic_pass_completions(struct cqesim_nic *nic, uint64_t now_ps, uint32_t writes)
{
	if (__builtin_expect(!nic->config.completion_pps, 1))
		return now_ps;
	return nic_pace(&nic->completions, now_ps, writes);
}

/* One completion as it is, data before it. */
static inline __attribute__((always_inline)) void
write_alone(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
	    enum cqesim_opcode opcode, uint64_t now_ps, struct nic_load *data)
{
	now_ps = nic_pass_completions(nic, now_ps, 1);
	nic_load_add(data, &nic->cqe_cost); /* counted with the others: see cqesim_nic_stats */
	uint64_t turn_ps = nic_send(nic, now_ps, data);
	if (__builtin_expect(nic->fault != NULL, 0))
		nic_fault_write(nic, cq, cqe, opcode);
	else
		cqesim_cq_write(&cq->writer, cqe, opcode, CQESIM_FORMAT_PLAIN);
	if (__builtin_expect(nic->config.operation != NULL, 0))
		nic_watch_ring(nic, cq, CQESIM_TRAFFIC_CQE, turn_ps, cq->writer.pi - 1,
			       CQESIM_CQE_BYTES);
}

void nic_write_plain(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
		     uint64_t now_ps, struct nic_load *data)
{
	write_alone(nic, cq, cqe, CQESIM_OP_RESP_SEND, now_ps, data);
	nic->stats.plain++;
	nic_published(nic, cq, 1, false);
}

/* Title and first array in one write; not when they lie at the ring's two ends. */
static bool joined(const struct cqesim_nic *nic, const struct nic_cq *cq, uint32_t title)
{
	return nic->config.write_policy == CQESIM_WRITE_BURST &&
	       (title & cq->writer.mask) != cq->writer.mask;
}

/* Bytes written of the array that begins with mini i of n. */
static uint32_t array_bytes(const struct cqesim_nic *nic, uint32_t i, uint32_t n)
{
	if (nic->config.write_policy == CQESIM_WRITE_EXACT && n - i < CQESIM_MINIS_PER_ARRAY)
		return (n - i) * CQESIM_MINI_BYTES;
	return CQESIM_CQE_BYTES;
}

/* What title and arrays of the open session of n packets put on the link. */
static void session_cost(struct cqesim_nic *nic, const struct nic_cq *cq, uint32_t n,
			 struct nic_load *load)
{
	uint32_t k = cq->writer.pi;
	bool one = joined(nic, cq, k);
	struct cqesim_tlps t;

	for (uint32_t i = 0; i < n; i += CQESIM_MINIS_PER_ARRAY) {
		nic->stats.arrays++;
		if (one && !i)
			continue; /* goes with the title */
		t = nic_write_cost(nic, slot_address(cq, k + (i ? i : 1)), array_bytes(nic, i, n));
		nic_count(nic, CQESIM_TRAFFIC_MINI, &t);
		nic_load_add(load, &t);
	}
	t = nic_write_cost(nic, slot_address(cq, k), one ? 2 * CQESIM_CQE_BYTES : CQESIM_CQE_BYTES);
	nic_load_add(load, &t);
	if (one) { /* one write, accounted half and half: the array is no less a mini array */
		struct cqesim_tlps array = {.payload = CQESIM_CQE_BYTES,
					    .wire = CQESIM_CQE_BYTES,
					    .credits = CQESIM_CQE_BYTES / 16};
		nic_count(nic, CQESIM_TRAFFIC_MINI, &array);
		t.payload -= array.payload;
		t.wire -= array.wire;
		t.credits -= array.credits;
	}
	nic_count(nic, CQESIM_TRAFFIC_TITLE, &t);
}

/* The writes of a session that was just closed; the title goes last, as it is published last. */
static void watch_session(const struct cqesim_nic *nic, const struct nic_cq *cq, uint32_t n,
			  uint64_t time_ps)
{
	uint32_t k = cq->writer.pi - n;
	bool one = joined(nic, cq, k);

	for (uint32_t i = one ? CQESIM_MINIS_PER_ARRAY : 0; i < n; i += CQESIM_MINIS_PER_ARRAY)
		nic_watch_ring(nic, cq, CQESIM_TRAFFIC_MINI, time_ps, k + (i ? i : 1),
			       array_bytes(nic, i, n));
	nic_watch_ring(nic, cq, CQESIM_TRAFFIC_TITLE, time_ps, k,
		       one ? 2 * CQESIM_CQE_BYTES : CQESIM_CQE_BYTES);
}

void nic_session_close(struct cqesim_nic *nic, struct nic_cq *cq, uint64_t now_ps,
		       enum cqesim_session_end why, struct nic_load *data)
{
	uint32_t n = cq->writer.n;

	nic_session_forget(nic, cq);
	nic->stats.session_ends[why]++;
	if (cq->writer.layout == CQESIM_CQ_ENHANCED) {
		nic_enhanced_close(nic, cq, now_ps, data);
		return;
	}
	if (n == 1) {
		uint8_t cqe[64];

		memcpy(cqe, cq->writer.title, sizeof(cqe));
		cq->writer.n = 0;
		nic->stats.lone++;
		nic_write_plain(nic, cq, cqe, now_ps, data);
		return;
	}
	now_ps =
		nic_pass_completions(nic, now_ps,
				     1 + (n + CQESIM_MINIS_PER_ARRAY - 1) / CQESIM_MINIS_PER_ARRAY -
					     joined(nic, cq, cq->writer.pi));
	session_cost(nic, cq, n, data);
	uint64_t turn_ps = nic_send(nic, now_ps, data);
	if (__builtin_expect(nic->fault != NULL, 0))
		nic_fault_close(nic, cq);
	else
		cqesim_cq_session_close(&cq->writer);
	if (nic->config.operation)
		watch_session(nic, cq, n, turn_ps);
	nic_count_session(nic, cq, n);
	nic_published(nic, cq, n, false);
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

/* A time-out of "never" is one too. */
static uint64_t later(uint64_t now_ps, uint64_t by_ps)
{
	uint64_t ps = now_ps + by_ps;

	return ps >= now_ps ? ps : UINT64_MAX;
}

void nic_session_begin(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
		       uint64_t now_ps)
{
	if (cq->striding)
		cq->strides = nic_strides_of(cqe);
	cq->deadline_ps = later(now_ps, nic->config.comp_timeout_ps);
	list_append(nic, cq);
	if (nic->config.comp_age_ps) {
		cq->ends_ps = later(now_ps, nic->config.comp_age_ps);
		ages_append(nic, cq);
	}
}

void nic_session_goes_on(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
			 uint64_t now_ps)
{
	if (cq->striding)
		cq->strides = (uint16_t)(cq->strides + nic_strides_of(cqe));
	cq->deadline_ps = later(now_ps, nic->config.comp_timeout_ps);
	if (cq != nic->newest) {
		list_remove(nic, cq);
		list_append(nic, cq);
	}
}

static void open_or_plain(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
			  uint64_t now_ps, struct nic_load *data)
{
	if (cqesim_cq_session_open(&cq->writer, cqe) < 2) {
		nic_write_plain(nic, cq, cqe, now_ps, data);
		return;
	}
	if (__builtin_expect(nic->fault != NULL, 0))
		nic_fault_open(nic, cq);
	nic_session_begin(nic, cq, cqe, now_ps);
	if (data->bytes)
		nic_send(nic, now_ps, data);
}

static void add(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64], uint64_t now_ps,
		struct nic_load *data)
{
	cqesim_cq_session_add(&cq->writer, cqe);
	nic_session_goes_on(nic, cq, cqe, now_ps);
	if (cq->writer.n == cq->writer.room)
		nic_session_close(nic, cq, now_ps,
				  cq->writer.room_is_ring_end ? CQESIM_END_RING : CQESIM_END_MAX,
				  data);
	else
		nic_send(nic, now_ps, data);
}

void nic_complete(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64], uint64_t now_ps,
		  struct nic_load *data)
{
	if (!cq->compress) {
		nic_write_plain(nic, cq, cqe, now_ps, data);
		return;
	}
	/* Ready later than it arrived: who is too old by then is closed before. */
	if (__builtin_expect(nic->eldest != NULL, 0) && nic->eldest->ends_ps <= now_ps)
		cqesim_nic_step(nic, now_ps);

	bool enhanced = cq->writer.layout == CQESIM_CQ_ENHANCED;
	bool compress = compressing(nic, now_ps);
	uint32_t n = nic_session_packets(cq);
	if (n) {
		bool differs = nic_differs_from_session(cq, cqe, n);

		if (compress && !differs) {
			if (enhanced)
				nic_enhanced_add(nic, cq, cqe, now_ps, data);
			else
				add(nic, cq, cqe, now_ps, data);
			return;
		}
		if (differs)
			count_mismatch(nic, cq, cqe);
		nic_session_close(nic, cq, now_ps,
				  differs ? CQESIM_END_MISMATCH : CQESIM_END_RELIEF,
				  &(struct nic_load){0});
	}
	if (!compress)
		nic_write_plain(nic, cq, cqe, now_ps, data);
	else if (enhanced)
		nic_enhanced_open(nic, cq, cqe, now_ps, data);
	else
		open_or_plain(nic, cq, cqe, now_ps, data);
}

void nic_complete_filler(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
			 uint64_t now_ps)
{
	if (nic_session_is_open(cq))
		nic_session_close(nic, cq, now_ps, CQESIM_END_FILLER, &(struct nic_load){0});
	write_alone(nic, cq, cqe, CQESIM_OP_RESP_SEND, now_ps, &(struct nic_load){0});
	nic->stats.fillers++;
	nic_published(nic, cq, 1, true);
}

void nic_complete_error(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
			uint64_t now_ps)
{
	if (nic_session_is_open(cq))
		nic_session_close(nic, cq, now_ps, CQESIM_END_STOP, &(struct nic_load){0});
	write_alone(nic, cq, cqe, CQESIM_OP_RESP_ERR, now_ps, &(struct nic_load){0});
	nic->error_cqes++;
	nic_published(nic, cq, 1, false);
}

void cqesim_nic_step(struct cqesim_nic *nic, uint64_t now_ps)
{
	while (nic_session_due(nic, now_ps)) {
		if (nic->lro_due_ps <= now_ps &&
		    (!nic->oldest || nic->lro_due_ps <= nic_next_ps(nic))) {
			nic_lro_expire(nic);
			continue;
		}
		uint64_t ps = nic_next_ps(nic);
		bool idle = nic->oldest->deadline_ps == ps;

		nic_session_close(nic, idle ? nic->oldest : nic->eldest, ps,
				  idle ? CQESIM_END_TIMEOUT : CQESIM_END_AGE,
				  &(struct nic_load){0});
	}
}

uint64_t cqesim_nic_next_ps(const struct cqesim_nic *nic)
{
	uint64_t ps = nic->oldest ? nic_next_ps(nic) : UINT64_MAX;

	return ps < nic->lro_due_ps ? ps : nic->lro_due_ps;
}

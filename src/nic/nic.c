/* SPDX-License-Identifier: BSD-3-Clause */
/* The device object: queues, their states, and a packet's way through: see nic.h. */
#include <errno.h>
#include <stdlib.h>

#include "nic_internal.h"

const char *cqesim_session_end_name(enum cqesim_session_end end)
{
	static const char *const name[CQESIM_SESSION_ENDS] = {
		"mismatch", "max_num", "timeout", "ring_end", "relief", "stop", "filler", "age",
	};
	return (unsigned)end < CQESIM_SESSION_ENDS ? name[end] : "unknown";
}

const char *cqesim_rx_result_name(enum cqesim_rx_result result)
{
	static const char *const name[CQESIM_RX_RESULTS] = {
		"delivered",        "rx_discards_phy", "rx_out_of_buffer",
		"buffer_too_small", "queue_not_ready", "protection_error",
	};
	return (unsigned)result < CQESIM_RX_RESULTS ? name[result] : "unknown";
}

const char *cqesim_traffic_name(enum cqesim_traffic kind)
{
	static const char *const name[CQESIM_TRAFFIC_KINDS] = {
		"packet_data",      "plain_cqes",          "title_cqes",      "mini_arrays",
		"wqe_requests",     "wqe_completions",     "tx_wqe_requests", "tx_wqe_completions",
		"tx_data_requests", "tx_data_completions", "tx_cqes",         "tx_doorbells",
	};
	return (unsigned)kind < CQESIM_TRAFFIC_KINDS ? name[kind] : "unknown";
}

static int check(const struct cqesim_nic_config *c, struct cqesim_error *err)
{
	if ((unsigned)c->compression > CQESIM_COMP_AGGRESSIVE)
		return cqesim_fail(err, -EINVAL,
				   "compression %d: expected off, balanced or aggressive",
				   (int)c->compression);
	if ((unsigned)c->write_policy > CQESIM_WRITE_EXACT)
		return cqesim_fail(err, -EINVAL, "write_policy %d: expected arrays, burst or exact",
				   (int)c->write_policy);
	const struct {
		const char *name;
		double value;
	} rates[] = {
		{"max_pps", c->max_pps},
		{"bus_clock", c->bus_hz},
		{"completion_rate", c->completion_pps},
	};
	for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (rates[i].value && !(rates[i].value >= 1 && rates[i].value <= 1e12))
			return cqesim_fail(err, -EINVAL, "%s %g: expected 1 to 1e12", rates[i].name,
					   rates[i].value);
	if (c->bus_hz && !c->bus_bytes)
		return cqesim_fail(err, -EINVAL, "bus_width: expected more than 0 bytes");
	if (!c->rx_buffer_bytes)
		return cqesim_fail(err, -EINVAL, "rx_buffer: expected more than 0 bytes");
	if (c->wqe_fetch_bytes < 16 || c->wqe_fetch_bytes > 4096 ||
	    (c->wqe_fetch_bytes & (c->wqe_fetch_bytes - 1)))
		return cqesim_fail(err, -EINVAL,
				   "wqe_fetch %u: expected a power of two, 16 to 4096",
				   c->wqe_fetch_bytes);
	if (c->compression != CQESIM_COMP_OFF && c->comp_max < 2)
		return cqesim_fail(err, -EINVAL, "cqe_compression_max_num %u: expected 2 or more",
				   c->comp_max);
	if (c->compression != CQESIM_COMP_OFF && !c->comp_timeout_ps)
		return cqesim_fail(err, -EINVAL, "cqe_compression_timeout: expected more than 0");
	if (c->backpressure_off_bytes > c->backpressure_on_bytes)
		return cqesim_fail(err, -EINVAL, "backpressure_off is above backpressure_on");
	return 0;
}

/* No packet that a queue takes is larger. */
#define LARGEST_PACKET 65536u
#define FCS_BYTES      4u

/* How long the link takes for so many bytes; longer than any clock: as long as clocks run. */
static uint64_t link_ps(const struct cqesim_nic *nic, uint64_t bytes)
{
	const struct cqesim_pacer *up = &nic->server.up.pacer;
	uint64_t t, rem;

	if (!__builtin_mul_overflow(bytes, up->num, &t))
		return up->den == 1 ? t : cqesim_divide(t, up->den, up->inv, &rem);
	unsigned __int128 ps = (unsigned __int128)bytes * up->num / up->den;
	return ps < UINT64_MAX ? (uint64_t)ps : UINT64_MAX;
}

static int rate(struct cqesim_pacer *pacer, double per_second)
{
	return per_second ? cqesim_pacer_init(pacer, (uint64_t)per_second, 1) : 0;
}

static int make_pacers(struct cqesim_nic *nic)
{
	int rc = rate(&nic->pipeline, nic->config.max_pps);

	if (!rc)
		rc = rate(&nic->bus, nic->config.bus_hz);
	return rc ? rc : rate(&nic->completions, nic->config.completion_pps);
}

static int make_server(struct cqesim_nic *nic)
{
	uint32_t loans = cqesim_link_server_loans(&nic->config.latency);

	if (loans && !(nic->loan = calloc(loans, sizeof(*nic->loan))))
		return -ENOMEM;
	return cqesim_link_server_init(&nic->server, &nic->link, &nic->config.latency, nic->loan);
}

int cqesim_nic_create(struct cqesim_nic **out, const struct cqesim_nic_config *config,
		      struct cqesim_error *err)
{
	*out = NULL;
	int rc = check(config, err);
	if (rc)
		return rc;
	struct cqesim_nic *nic = calloc(1, sizeof(*nic));
	if (!nic)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	nic->config = *config;
	nic->second_ps = CQESIM_PS_PER_S;
	nic->lro_due_ps = UINT64_MAX;
	rc = cqesim_link_init(&nic->link, &config->link, err);
	if (!rc) {
		rc = make_server(nic);
		if (!rc)
			rc = make_pacers(nic);
		if (!rc)
			rc = nic_fault_init(nic);
		if (rc)
			cqesim_fail(err, rc, "a rate is out of range");
	}
	if (rc) {
		free(nic->loan);
		free(nic);
		return rc;
	}
	nic->buffer_ps = link_ps(nic, config->rx_buffer_bytes);
	uint64_t largest_ps = link_ps(nic, LARGEST_PACKET);
	nic->buffer_guard_ps = nic->buffer_ps > largest_ps ? nic->buffer_ps - largest_ps : 0;
	nic->pressure_on_ps = link_ps(nic, config->backpressure_on_bytes);
	nic->pressure_off_ps = link_ps(nic, config->backpressure_off_bytes);
	for (uint32_t i = 0; i < COST_TABLE; i++)
		nic->cost[i] = cqesim_link_write(&nic->link, 0, i);
	nic->cqe_cost = nic->cost[CQESIM_CQE_BYTES];
	nic->by_piece =
		config->operation || config->latency.posted_headers || config->latency.posted_data;
	*out = nic;
	return 0;
}

void cqesim_nic_destroy(struct cqesim_nic *nic)
{
	if (!nic)
		return;
	for (uint32_t i = 0; i < nic->rqs; i++) {
		if (nic->rq[i])
			free(((struct nic_rq *)nic->rq[i])->lro);
		free(nic->rq[i]);
	}
	for (uint32_t i = 0; i < nic->cqs; i++)
		free(nic->cq[i]);
	free(nic->rq);
	free(nic->cq);
	free(nic->fault);
	free(nic->loan);
	free(nic);
}

static struct nic_cq *find_cq(const struct cqesim_nic *nic, uint32_t cqn)
{
	return cqn && cqn <= nic->cqs ? nic->cq[cqn - 1] : NULL;
}

/* A free place in a table of objects; grows it by one if there is none. */
static int place(void ***table, uint32_t *count, uint32_t *number)
{
	/* The tables are of void pointers: C lets no other pointer be written through void **. */
	for (uint32_t i = 0; i < *count; i++)
		if (!(*table)[i]) {
			*number = i + 1;
			return 0;
		}
	void **grown = realloc(*table, (*count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	grown[*count] = NULL;
	*table = grown;
	*number = ++*count;
	return 0;
}

int cqesim_nic_create_cq(struct cqesim_nic *nic, const struct cqesim_cq_attr *attr, uint32_t *cqn)
{
	struct nic_cq *cq = aligned_alloc(64, sizeof(*cq)); /* its type asks for whole lines */
	int rc;

	if (!cq)
		return -ENOMEM;
	memset(cq, 0, sizeof(*cq));
	bool compress = attr->cqe_comp_en && nic->config.compression != CQESIM_COMP_OFF;
	/* Queues that receive have receive completions. */
	rc = attr->address % CQESIM_CQE_BYTES || attr->mini_format >= CQESIM_MINI_FORMATS ? -EINVAL
											  : 0;
	if (!rc)
		rc = cqesim_cq_writer_init(&cq->writer, attr->ring,
					   &(struct cqesim_cq_shape){.log_size = attr->log_size,
								     .format = attr->mini_format,
								     .layout = attr->layout},
					   compress ? nic->config.comp_max : 2,
					   nic->config.comp_cross);
	if (!rc)
		rc = place(&nic->cq, &nic->cqs, &cq->number);
	if (rc) {
		free(cq);
		return rc;
	}
	cq->address = attr->address;
	cq->compress = compress;
	cq->counts_on =
		attr->mini_format == CQESIM_MINI_HASH || attr->mini_format == CQESIM_MINI_CSUM;
	cq->writer.observer = attr->observer;
	cq->writer.observer_context = attr->observer_context;
	cq->writer.observe_copies = attr->observer && attr->observe_copies;

	uint8_t carried[64];
	cqesim_mini_carries(attr->mini_format, carried);
	for (unsigned i = 0; i < 64; i++)
		cq->compare[i] = nic->config.comp_compare[i] & (uint8_t)~carried[i];
	nic->cq[cq->number - 1] = cq;
	*cqn = cq->number;
	return 0;
}

/* The queue over the memory that was handed in; how many completions it can leave unread. */
static int make_rq(struct nic_rq *rq, const struct cqesim_rq_attr *a)
{
	rq->striding = a->striding;
	if (a->striding) {
		int rc = cqesim_striding_rq_init(&rq->strides, a->ring, &a->strides, true, a->dbrec,
						 a->translate, a->translate_context, NULL);
		if (rc)
			return rc;
		rq->wqe_mask = (UINT32_C(1) << a->strides.log_wqes) - 1;
		rq->wqe_bytes = CQESIM_STRIDING_WQE_BYTES;
		uint64_t strides = (uint64_t)cqesim_strides_per_wqe(&a->strides)
				   << a->strides.log_wqes;
		rq->room = strides <= UINT32_MAX ? (uint32_t)strides : UINT32_MAX;
		return 0;
	}
	int rc = cqesim_rq_init(&rq->rq, a->ring, a->log_size, a->log_segs, a->dbrec, a->translate,
				a->translate_context);
	rq->wqe_mask = rq->rq.mask;
	rq->wqe_bytes = CQESIM_RQ_SEG_BYTES << a->log_segs;
	rq->room = rq->rq.mask + 1;
	return rc;
}

/* Reads of WQEs bring blocks of wqe_fetch bytes. */
static void plan_fetches(struct cqesim_nic *nic, struct nic_rq *rq, uint64_t address)
{
	uint32_t per_fetch = nic->config.wqe_fetch_bytes / rq->wqe_bytes;

	if (per_fetch > rq->wqe_mask + 1) /* not past the end of a small ring */
		per_fetch = rq->wqe_mask + 1;
	rq->fetch_mask = per_fetch > 1 ? per_fetch - 1 : 0;
	uint32_t fetch = (rq->fetch_mask + 1) * rq->wqe_bytes;
	/* Blocks on multiples of their size, within a page, all cost the same. */
	if (!(address & (fetch - 1)) && fetch <= 4096)
		cqesim_link_read(&nic->link, address, fetch, &rq->fetch_request,
				 &rq->fetch_completion);
	rq->address = address;
}

int cqesim_nic_create_rq(struct cqesim_nic *nic, const struct cqesim_rq_attr *attr, uint32_t *rqn)
{
	struct nic_cq *cq = find_cq(nic, attr->cqn);
	struct nic_rq *rq;
	int rc;

	if (!cq)
		return -ENOENT;
	rq = calloc(1, sizeof(*rq));
	if (!rq)
		return -ENOMEM;
	rc = make_rq(rq, attr);
	if (!rc && rq->room > cq->writer.mask + 1 - cq->room)
		rc = -EINVAL; /* the ring could overrun: see the head of nic.h */
	if (!rc && cq->users && cq->striding != rq->striding)
		rc = -EINVAL;
	if (!rc)
		rc = place(&nic->rq, &nic->rqs, &rq->number);
	if (rc) {
		free(rq);
		return rc;
	}
	plan_fetches(nic, rq, attr->address);
	rq->user_index = attr->user_index & 0xffffff;
	rq->cq = cq;
	cq->users++;
	cq->room += rq->room;
	cq->striding = rq->striding;
	if (cq->striding) /* packets of two WQEs: no driver could tell whose strides they are */
		cqesim_field_mask(cqesim_cqe_rx_field("wqe_id"), cq->compare);
	nic->rq[rq->number - 1] = rq;
	*rqn = rq->number;
	return 0;
}

int cqesim_nic_modify_rq(struct cqesim_nic *nic, uint32_t rqn, enum cqesim_queue_state state,
			 uint64_t now_ps)
{
	struct nic_rq *rq = nic_find_rq(nic, rqn);

	if (!rq)
		return -ENOENT;
	if (!cqesim_queue_may_go(rq->state, state))
		return -EINVAL;
	if (rq->state == CQESIM_QUEUE_RDY)
		nic_lro_stop(rq, now_ps);
	if (rq->state == CQESIM_QUEUE_RDY && nic_session_is_open(rq->cq))
		nic_session_close(nic, rq->cq, now_ps, CQESIM_END_STOP, &(struct nic_load){0});
	if (state == CQESIM_QUEUE_RST) {
		rq->rq.ci = 0;
		rq->any_opened = false;
		rq->fetched_to = 0;
		rq->fetched_on = 0;
		if (rq->striding)
			cqesim_striding_rq_reset(&rq->strides);
	}
	rq->state = state;
	return 0;
}

int cqesim_nic_query_rq(const struct cqesim_nic *nic, uint32_t rqn, enum cqesim_queue_state *state,
			uint16_t *ci)
{
	const struct nic_rq *rq = nic_find_rq(nic, rqn);

	if (!rq)
		return -ENOENT;
	*state = rq->state;
	*ci = rq->striding ? rq->strides.at.index : rq->rq.ci;
	return 0;
}

int cqesim_nic_destroy_rq(struct cqesim_nic *nic, uint32_t rqn)
{
	struct nic_rq *rq = nic_find_rq(nic, rqn);

	if (!rq)
		return -ENOENT;
	rq->cq->users--;
	rq->cq->room -= rq->room;
	nic->rq[rqn - 1] = NULL;
	free(rq->lro);
	free(rq);
	return 0;
}

int cqesim_nic_destroy_cq(struct cqesim_nic *nic, uint32_t cqn)
{
	struct nic_cq *cq = find_cq(nic, cqn);

	if (!cq)
		return -ENOENT;
	if (cq->users)
		return -EBUSY;
	if (nic_session_is_open(cq)) /* never to be published */
		nic_session_forget(nic, cq);
	nic->cq[cqn - 1] = NULL;
	free(cq);
	return 0;
}

uint64_t nic_fetch_wqes(struct cqesim_nic *nic, const struct nic_load *load, uint64_t ready_ps)
{
	const struct nic_rq *rq = load->fetch;
	struct cqesim_tlps request = {0}, completion = {0};
	uint64_t offset = (uint64_t)(load->fetch_index & rq->wqe_mask) * rq->wqe_bytes;
	uint32_t length = load->fetch_count * rq->wqe_bytes;

	if (load->fetch_count == rq->fetch_mask + 1) { /* a whole block */
		request = rq->fetch_request;
		completion = rq->fetch_completion;
	}
	if (!request.count)
		cqesim_link_read(&nic->link, rq->address + offset, length, &request, &completion);
	nic_count(nic, CQESIM_TRAFFIC_WQE_REQUEST, &request);
	nic_count(nic, CQESIM_TRAFFIC_WQE_COMPLETION, &completion);

	uint64_t turn_ps = nic_turn_ps(nic, ready_ps);
	uint64_t back_ps = cqesim_link_server_read(&nic->server, ready_ps, &request, &completion);
	nic_watch(nic, &(struct cqesim_nic_operation){
			       .kind = CQESIM_TRAFFIC_WQE_REQUEST,
			       .time_ps = turn_ps,
			       .back_ps = nic_shown_back_ps(ready_ps, turn_ps, back_ps),
			       .address = rq->address + offset,
			       .length = length,
			       .data = (rq->striding ? rq->strides.ring : rq->rq.ring) + offset,
			       .data_length = length,
		       });
	return nic->server.asked_ps;
}

static void protection_error(struct cqesim_nic *nic, struct nic_rq *rq, uint64_t now_ps)
{
	struct cqesim_cqe_err err = {
		.srqn = rq->user_index,
		.wqe_counter = rq->rq.ci,
	};
	uint8_t raw[64];

	nic_fail_rq(rq, &err);
	cqesim_cqe_err_encode(&err, raw);
	cqesim_rq_consume(&rq->rq);
	nic_complete_error(nic, rq->cq, raw, now_ps);
}

void nic_copy_data(const struct cqesim_rq_seg *seg, int segs, const uint8_t *data, uint32_t len)
{
	for (int i = 0; i < segs && len; i++) {
		uint32_t n = seg[i].length < len ? seg[i].length : len;

		memcpy(seg[i].memory, data, n);
		data += n;
		len -= n;
	}
}

/* The same bytes at the same time, piece by piece. */
uint64_t nic_send_pieces(struct cqesim_nic *nic, uint64_t now_ps, const struct nic_load *load)
{
	struct cqesim_tlps rest = {
		.count = load->tlps, .wire = load->bytes, .credits = load->credits};

	for (unsigned i = 0; i < load->pieces; i++) {
		struct cqesim_nic_operation *o = &nic->piece[i];
		struct cqesim_tlps t = nic_write_cost(nic, o->address, o->length);

		o->time_ps = nic_turn_ps(nic, now_ps);
		nic_watch(nic, o);
		cqesim_link_server_write(&nic->server, now_ps, &t);
		rest.count -= t.count;
		rest.wire -= t.wire;
		rest.credits -= t.credits;
	}
	uint64_t turn_ps = nic_turn_ps(nic, now_ps);
	if (rest.count)
		cqesim_link_server_write(&nic->server, now_ps, &rest);
	return turn_ps;
}

/*
 * Picoseconds of the link's own work that wait.  TLPs that wait for credits are
 * fewer bytes in the buffer than their time: as many as went through a stalling
 * link in that time since it last had nothing to do.
 */
static uint64_t waiting_ps(const struct cqesim_nic *nic, uint64_t now_ps, uint64_t backlog)
{
	uint64_t busy_ps = now_ps + backlog - nic->busy_since_ps;
	uint64_t work_ps = link_ps(nic, nic->server.up.bytes - nic->busy_bytes);

	if (work_ps >= busy_ps)
		return backlog;
	return (uint64_t)((unsigned __int128)backlog * work_ps / busy_ps);
}

/* What waits and the packet itself must fit; far from full that needs no sum. */
static inline bool buffer_is_full(struct cqesim_nic *nic, uint64_t now_ps, uint64_t backlog,
				  uint32_t bytes)
{
	if (!backlog) { /* see waiting_ps */
		nic->busy_since_ps = now_ps;
		nic->busy_bytes = nic->server.up.bytes;
	}
	if (__builtin_expect(backlog <= nic->buffer_guard_ps, 1))
		return false;
	if (nic->server.posted.stalled_ps || nic->server.reads.stalled_ps ||
	    nic->server.tags.stalled_ps)
		backlog = waiting_ps(nic, now_ps, backlog);
	return backlog + link_ps(nic, bytes) > nic->buffer_ps;
}

/* Ready for the link when pipeline and bus are done with it (or now, without limits). */
static inline uint64_t pass_device(struct cqesim_nic *nic, uint64_t now_ps, uint32_t bytes)
{
	const struct cqesim_nic_config *c = &nic->config;
	uint64_t ready_ps = now_ps;

	if (c->max_pps)
		ready_ps = nic_pace(&nic->pipeline, ready_ps, 1);
	if (__builtin_expect(c->bus_hz > 0, 0)) {
		uint64_t beats = (bytes + FCS_BYTES + c->bus_bytes - 1) / c->bus_bytes;

		nic->stats.beats += beats;
		ready_ps = nic_pace(&nic->bus, ready_ps, beats);
	}
	return ready_ps;
}

static inline __attribute__((always_inline)) enum cqesim_rx_result
receive(struct cqesim_nic *nic, struct nic_rq *rq, uint64_t now_ps,
	const struct cqesim_rxmeta *meta, const uint8_t *data, uint32_t cap_len, uint16_t *wqe)
{
	uint64_t backlog = nic_backlog_ps(nic, now_ps);

	if (backlog > nic->stats.backlog_max_ps)
		nic->stats.backlog_max_ps = backlog;
	if (rq->state != CQESIM_QUEUE_RDY)
		return CQESIM_RX_NOT_READY;
	if (buffer_is_full(nic, now_ps, backlog, meta->byte_cnt))
		return CQESIM_RX_BUFFER_FULL;
	uint64_t ready_ps = pass_device(nic, now_ps, meta->byte_cnt);
	if (__builtin_expect(rq->lro != NULL, 0) &&
	    nic_lro_takes(nic, rq, now_ps, ready_ps, data, cap_len, wqe))
		return CQESIM_RX_DELIVERED;
	if (rq->striding)
		return nic_receive_striding(nic, rq, now_ps, ready_ps, meta, data, cap_len, wqe);
	uint32_t posted = cqesim_rq_credits(&rq->rq);
	if (!posted)
		return CQESIM_RX_OUT_OF_BUFFER;

	struct nic_load load = {0};
	if (rq->rq.ci == rq->fetched_to)
		rq->fetched_to += (uint16_t)nic_plan_fetch(&load, rq, rq->rq.ci, posted);

	struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX];
	int segs = cqesim_rq_buffer_fast(&rq->rq, meta->byte_cnt, seg);
	if (__builtin_expect(rq->inject, 0) && segs >= 0)
		segs = -EFAULT;
	if (__builtin_expect(segs < 0, 0)) {
		if (load.fetch)
			nic_send(nic, ready_ps, &load);
		if (segs == -ENOSPC)
			return CQESIM_RX_TOO_LONG;
		protection_error(nic, rq, ready_ps);
		return CQESIM_RX_ERROR;
	}
	uint32_t done = 0;
	for (int i = 0; i < segs; i++) {
		nic_write_data(nic, &load, seg[i].address, seg[i].length, data ? data + done : NULL,
			       cap_len > done ? cap_len - done : 0);
		done += seg[i].length;
	}
	if (nic->config.copy_data)
		nic_copy_data(seg, segs, data, cap_len < meta->byte_cnt ? cap_len : meta->byte_cnt);

	uint8_t cqe[64] __attribute__((aligned(64)));
	uint16_t index = cqesim_rq_consume(&rq->rq);
	cqesim_cqe_put_rx(cqe, meta, rq->user_index, now_ps / 1000, index);
	if (__builtin_expect(!rq->lro, 1) ||
	    !nic_lro_begins(nic, rq, cqe, index, ready_ps, data, cap_len, &load))
		nic_complete(nic, rq->cq, cqe, ready_ps, &load);
	if (wqe)
		*wqe = index;
	return CQESIM_RX_DELIVERED;
}

/* What was stalled in the second that is over; more of them may have passed without a packet. */
static void second_over(struct cqesim_nic *nic, uint64_t now_ps)
{
	struct cqesim_stalls *s = &nic->stats.stalls;
	uint64_t over = (now_ps - nic->second_ps) / CQESIM_PS_PER_S + 1;
	const uint64_t sum[2] = {
		nic->server.posted.stalled_ps,
		nic->server.reads.stalled_ps + nic->server.tags.stalled_ps,
	};

	s->seconds += over;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t stalled = sum[i] - nic->stalled_before_ps[i];

		nic->stalled_before_ps[i] = sum[i];
		s->above[i] += stalled * 100 > CQESIM_PS_PER_S * CQESIM_STALL_EVENT_PERCENT;
		s->last_ps[i] = over == 1 ? stalled : 0;
	}
	nic->second_ps += over * CQESIM_PS_PER_S;
}

enum cqesim_rx_result cqesim_nic_receive(struct cqesim_nic *nic, uint32_t rqn, uint64_t now_ps,
					 const struct cqesim_rxmeta *meta, const uint8_t *data,
					 uint32_t cap_len, uint16_t *wqe)
{
	struct nic_rq *rq = nic_find_rq(nic, rqn);
	enum cqesim_rx_result result = CQESIM_RX_NOT_READY;

	if (nic_session_due(nic, now_ps))
		cqesim_nic_step(nic, now_ps);
	if (__builtin_expect(now_ps >= nic->second_ps, 0))
		second_over(nic, now_ps);
	if (rq)
		result = receive(nic, rq, now_ps, meta, data, cap_len, wqe);
	nic->stats.results[result]++;
	return result;
}

/* What follows from other counters is not counted packet by packet. */
const struct cqesim_nic_stats *cqesim_nic_stats(const struct cqesim_nic *nic)
{
	struct cqesim_nic_stats *s = (struct cqesim_nic_stats *)&nic->stats;
	const struct cqesim_tlps *cqe = &nic->cqe_cost;
	uint64_t cqes = s->plain + s->fillers + nic->error_cqes;

	s->packets = 0;
	for (unsigned i = 0; i < CQESIM_RX_RESULTS; i++)
		s->packets += s->results[i];
	s->wqes = s->results[CQESIM_RX_DELIVERED] - nic->striding_packets - nic->lro_joined +
		  nic->striding_wqes + s->results[CQESIM_RX_ERROR];
	s->traffic[CQESIM_TRAFFIC_CQE] = (struct cqesim_tlps){
		.count = cqes * cqe->count,
		.payload = cqes * cqe->payload,
		.wire = cqes * cqe->wire,
		.credits = cqes * cqe->credits,
	};
	/* With Acks that are due and would go with the next TLP. */
	s->link_busy_bytes =
		nic->server.up.bytes + (uint64_t)nic->server.up.acks * nic->server.dllp_bytes;
	s->link_down_bytes = nic->server.down.bytes;
	s->link_done_ps = cqesim_pacer_done_ps(&nic->server.up.pacer);
	s->stalled_write_ps = nic->server.posted.stalled_ps;
	s->stalled_read_ps = nic->server.reads.stalled_ps + nic->server.tags.stalled_ps;
	s->stalled_ps = s->stalled_write_ps + s->stalled_read_ps;
	return s;
}

const struct cqesim_nic_cq_stats *cqesim_nic_cq_stats(const struct cqesim_nic *nic, uint32_t cqn)
{
	const struct nic_cq *cq = find_cq(nic, cqn);

	return cq ? &cq->stats : NULL;
}

const struct cqesim_placement *cqesim_nic_placement(const struct cqesim_nic *nic, uint32_t rqn)
{
	const struct nic_rq *rq = nic_find_rq(nic, rqn);

	return rq && rq->striding ? &rq->place : NULL;
}

uint64_t cqesim_nic_backlog(const struct cqesim_nic *nic, uint64_t now_ps)
{
	return nic_backlog_ps(nic, now_ps);
}

const struct cqesim_link *cqesim_nic_link(const struct cqesim_nic *nic)
{
	return &nic->link;
}

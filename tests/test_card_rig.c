/* SPDX-License-Identifier: BSD-3-Clause */
/* The card and the driver that the tests of the card are about: see test_card.h. */
#include <stdlib.h>
#include <string.h>

#include "test_card.h"
#include "test_cq.h"

static void *translate(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	const struct card_rig *rig = context;

	if (lkey != CARD_KEY || address < CARD_BASE || address - CARD_BASE > CARD_MEMORY ||
	    length > CARD_MEMORY - (address - CARD_BASE))
		return NULL;
	return rig->memory + (address - CARD_BASE);
}

static int keep_sent(void *context, const struct cqesim_sent_frame *f)
{
	struct card_rig *rig = context;
	unsigned i = rig->sents;

	if (rig->refuse_after && i >= rig->refuse_after)
		return -EAGAIN;
	ck_assert_uint_lt(i, CARD_FRAMES);
	rig->sent[i].sqn = f->sqn;
	rig->sent[i].pieces = f->pieces;
	rig->sent[i].l3_checksum = f->l3_checksum;
	rig->sent[i].l4_checksum = f->l4_checksum;
	rig->sent[i].length = cqesim_sent_frame_copy(f, rig->sent[i].data, CARD_FRAME);
	ck_assert_uint_eq(rig->sent[i].length, f->length);
	rig->sents++;
	return 0;
}

static void note(void *context, const struct cqesim_card_event *e)
{
	struct card_rig *rig = context;
	unsigned i = rig->events++ % CARD_EVENTS;

	rig->event[i].kind = e->kind;
	rig->event[i].object = e->object;
	rig->event[i].number = e->number;
	rig->event[i].index = e->index;
	rig->event[i].text[0] = 0;
	if (e->kind == CQESIM_EVENT_VIOLATION) {
		const char *colon = strchr(e->text, ':');

		ck_assert_ptr_nonnull(colon);
		snprintf(rig->event[i].text, sizeof(rig->event[i].text), "%.*s",
			 (int)(colon - e->text), e->text);
	}
}

void card_rig_config(struct card_rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	rig->memory = calloc(1, CARD_MEMORY);
	rig->config = (struct cqesim_card_config){
		.nic = {.link = {.generation = 2,
				 .lanes = 4,
				 .mps = 256,
				 .mrrs = 512,
				 .rcb = 64,
				 .addr_bits = 64,
				 .ack_every = 1,
				 .fc_every = 1,
				 .skp_blocks = 370,
				 .skp_symbols = 8,
				 .efficiency = 1},
			.rx_buffer_bytes = UINT64_C(1) << 40,
			.wqe_fetch_bytes = 64,
			.compression = CQESIM_COMP_OFF},
		.checksums = CQESIM_CHECKSUMS_VERIFY,
		.check = true,
		.translate = translate,
		.translate_context = rig,
		.send = keep_sent,
		.send_context = rig,
		.event = note,
		.event_context = rig,
		.tell_packets = true,
	};
}

void card_rig_start(struct card_rig *rig)
{
	struct cqesim_error err = {""};
	int rc = cqesim_card_create(&rig->card, &rig->config, &err);

	ck_assert_msg(rc == 0, "%s", err.text);
}

void card_rig_stop(struct card_rig *rig)
{
	cqesim_card_destroy(rig->card);
	for (unsigned i = 0; i < rig->queues; i++) {
		free(rig->queue[i].ring);
		free(rig->queue[i].wqes);
	}
	free(rig->memory);
}

uint8_t *card_rig_memory(struct card_rig *rig, uint32_t bytes)
{
	uint8_t *memory = rig->memory + rig->used;

	rig->used += bytes;
	ck_assert_uint_le(rig->used, CARD_MEMORY);
	return memory;
}

uint64_t card_rig_address(const struct card_rig *rig, const uint8_t *memory)
{
	return CARD_BASE + (uint64_t)(memory - rig->memory);
}

static struct card_queue *add(struct card_rig *rig, unsigned log_size, unsigned cq_log,
			      unsigned wqe_bytes)
{
	struct card_queue *q = &rig->queue[rig->queues++];
	struct cqesim_cq_shape shape = {.log_size = cq_log};

	ck_assert_uint_le(rig->queues, CARD_QUEUES);
	q->log_size = log_size;
	q->cq_log = cq_log;
	q->ring = test_cq_ring(cq_log);
	cqesim_cq_init_ring(q->ring, &shape);
	q->wqes = aligned_alloc(64, (((size_t)wqe_bytes << log_size) + 63) & ~(size_t)63);
	memset(q->wqes, 0, (size_t)wqe_bytes << log_size);
	struct cqesim_card_cq cq = {
		.ring = q->ring,
		.address = 0x400000,
		.log_size = cq_log,
		.cqe_comp_en = rig->compress,
		.dbrec = q->cq_dbrec,
	};
	ck_assert_int_eq(cqesim_card_create_cq(rig->card, &cq, &q->cqn), 0);
	ck_assert_int_eq(
		cqesim_cq_reader_init(&q->reader, q->ring, &shape, CQESIM_INVALIDATE_DPDK_SCALAR),
		0);
	return q;
}

struct card_queue *card_rig_rq_made(struct card_rig *rig, unsigned log_size)
{
	struct card_queue *q = add(rig, log_size, log_size, 16);
	struct cqesim_card_rq rq = {
		.ring = q->wqes,
		.address = 0x200000,
		.log_size = log_size,
		.dbrec = q->dbrec,
		.cqn = q->cqn,
		.vlan_strip = rig->vlan_strip,
		.keep_fcs = rig->keep_fcs,
	};

	q->buffers = card_rig_address(rig, card_rig_memory(rig, CARD_BUFFER << log_size));
	ck_assert_int_eq(cqesim_card_create_rq(rig->card, &rq, &q->number), 0);
	cqesim_rq_poster_init(&q->poster, q->wqes, log_size, 0, q->dbrec);
	return q;
}

void card_rig_post(struct card_rig *rig, struct card_queue *q, unsigned n)
{
	(void)rig;
	for (unsigned i = 0; i < n; i++) {
		struct cqesim_rq_seg seg = {
			.address = q->buffers + (q->poster.pi & q->poster.mask) * CARD_BUFFER,
			.lkey = CARD_KEY,
			.length = CARD_BUFFER,
		};

		cqesim_rq_post(&q->poster, &seg, 1);
	}
	cqesim_rq_doorbell(&q->poster);
}

struct card_queue *card_rig_rq(struct card_rig *rig, unsigned log_size)
{
	struct card_queue *q = card_rig_rq_made(rig, log_size);

	ck_assert_int_eq(cqesim_card_modify_rq(rig->card, q->number, CQESIM_QUEUE_RDY, rig->now_ps),
			 0);
	card_rig_post(rig, q, 1u << log_size);
	return q;
}

struct card_queue *card_rig_sq(struct card_rig *rig, unsigned log_size, unsigned cq_log)
{
	struct card_queue *q = add(rig, log_size, cq_log, 64);
	struct cqesim_card_sq sq = {
		.ring = q->wqes,
		.address = 0x300000,
		.log_size = log_size,
		.dbrec = q->dbrec,
		.cqn = q->cqn,
	};

	ck_assert_int_eq(cqesim_card_create_sq(rig->card, &sq, &q->number), 0);
	ck_assert_int_eq(cqesim_card_modify_sq(rig->card, q->number, CQESIM_QUEUE_RDY, rig->now_ps),
			 0);
	return q;
}

unsigned card_rig_poll(struct card_queue *q, struct cqesim_completion *out, unsigned max)
{
	int n = cqesim_cq_poll(&q->reader, out, max, NULL);

	ck_assert_int_ge(n, 0);
	cqesim_cq_doorbell(&q->reader, q->cq_dbrec);
	return (unsigned)n;
}

static uint32_t sum(const uint8_t *p, uint32_t n, uint32_t start)
{
	for (uint32_t i = 0; i < n; i++)
		start += i & 1 ? p[i] : (uint32_t)p[i] << 8;
	while (start >> 16)
		start = (start & 0xffff) + (start >> 16);
	return start;
}

struct cqesim_frame card_frame(uint8_t *buf, unsigned proto, uint32_t src, uint32_t dst,
			       uint16_t sport, uint16_t dport, uint32_t payload)
{
	uint32_t header = proto == 6 ? 20 : 8, l4 = header + payload;
	uint8_t *ip = buf + 14, *p = ip + 20;

	memset(buf, 0, 34 + l4 < 60 ? 60 : 34 + l4);
	memcpy(buf, "\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x08\0", 14);
	ip[0] = 0x45;
	cqesim_be_store(ip + 2, 2, 20 + l4);
	ip[8] = 64;
	ip[9] = (uint8_t)proto;
	cqesim_be_store(ip + 12, 4, src);
	cqesim_be_store(ip + 16, 4, dst);
	cqesim_be_store(ip + 10, 2, (uint16_t)~sum(ip, 20, 0));
	cqesim_be_store(p, 2, sport);
	cqesim_be_store(p + 2, 2, dport);
	if (proto == 6) {
		p[12] = 0x50;
		p[13] = 0x10;
	} else {
		cqesim_be_store(p + 4, 2, l4);
	}
	for (uint32_t i = 0; i < payload; i++)
		p[header + i] = (uint8_t)(i * 7 + 1);
	cqesim_be_store(p + (proto == 6 ? 16 : 6), 2,
			(uint16_t)~sum(p, l4, sum(ip + 12, 8, proto + l4)));
	uint32_t length = 34 + l4;
	return (struct cqesim_frame){.data = buf,
				     .cap_len = length,
				     .orig_len = length,
				     .len = length < 60 ? 60 : length};
}

bool card_rig_receive(struct card_rig *rig, const struct cqesim_frame *frame)
{
	rig->now_ps += 1000000;
	return cqesim_card_receive(rig->card, rig->now_ps, frame, 1) == 1;
}

bool card_rig_packet(struct card_rig *rig)
{
	uint8_t buf[64];
	struct cqesim_frame f = card_frame(buf, 17, 0x0a000001, 0x0a000002, 1000, 2000, 18);

	return card_rig_receive(rig, &f);
}

uint8_t *card_wqe_at(struct card_queue *q, uint16_t index)
{
	return q->wqes + (size_t)(index & ((1u << q->log_size) - 1)) * 64;
}

void card_wqe_control(struct card_queue *q, unsigned opcode, unsigned units, bool completion)
{
	uint8_t *wqe = card_wqe_at(q, q->pi);

	memset(wqe, 0, 64);
	wqe[1] = (uint8_t)(q->pi >> 8);
	wqe[2] = (uint8_t)q->pi;
	wqe[3] = (uint8_t)opcode;
	cqesim_be_store(wqe + 4, 4, q->number << 8 | units);
	wqe[11] = completion ? 0x08 : 0x04;
}

void card_data_segment(uint8_t *at, uint32_t length, uint32_t lkey, uint64_t address)
{
	cqesim_be_store(at, 4, length);
	cqesim_be_store(at + 4, 4, lkey);
	cqesim_be_store(at + 8, 8, address);
}

void card_post_sq(struct card_queue *q, unsigned blocks)
{
	q->pi = (uint16_t)(q->pi + blocks);
	__atomic_store_n(&q->dbrec[1], __builtin_bswap32(q->pi), __ATOMIC_RELEASE);
}

unsigned card_rig_broken(const struct card_rig *rig, const char *rule)
{
	unsigned n = 0;

	for (unsigned i = 0; i < rig->events && i < CARD_EVENTS; i++)
		n += rig->event[i].kind == CQESIM_EVENT_VIOLATION &&
		     !strcmp(rig->event[i].text, rule);
	return n;
}

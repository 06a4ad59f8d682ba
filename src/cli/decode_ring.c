/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqesim decode --ring and --feed: completion rings as hardware left them, read by
 * the one reader that there is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "sim/feed_format.h"

#define CHUNK 64u

struct ring {
	const struct decode_options *o;
	struct cqesim_cq_shape shape;
	struct cqesim_cq_reader reader;
	uint8_t *bytes;    /* the reader writes into it */
	uint8_t *original; /* as it was before */
	struct decode_writer w;
	uint64_t completions, packets, errors, sessions, session_packets, faults;
	uint64_t batch; /* of a feed; 0: none */
};

static const uint8_t *slot_of(const struct ring *r, uint32_t slot)
{
	return r->original + (r->shape.cqe_128 ? (size_t)slot * 128 + 64 : (size_t)slot * 64);
}

/* What a slot held, as an item, for all that can be said about one. */
static void item_of(const struct ring *r, uint32_t slot, struct cqesim_dump_item *item)
{
	memset(item, 0, sizeof(*item));
	item->kind = CQESIM_DUMP_CQE;
	item->notation = CQESIM_DUMP_BINARY;
	item->known = ~UINT64_C(0);
	item->size = 64;
	item->slot = slot;
	item->same_as = CQESIM_DUMP_NONE;
	memcpy(item->raw, slot_of(r, slot), 64);
}

static const char *l3_name(const struct cqesim_completion *c)
{
	return c->meta.l4_l3_hdr_type & CQESIM_HDR_L3_MASK
		       ? cqesim_value_name("l3_hdr_type", c->meta.l4_l3_hdr_type >> 2 & 3)
		       : NULL;
}

static const char *l4_name(const struct cqesim_completion *c)
{
	return c->meta.l4_l3_hdr_type & CQESIM_HDR_L4_MASK
		       ? cqesim_value_name("l4_hdr_type", c->meta.l4_l3_hdr_type >> 4 & 7)
		       : NULL;
}

/* A packet of a session, or of a striding RQ: what the reader says of it. */
static void packet_text(const struct cqesim_completion *c, char *text, size_t size)
{
	const char *l3 = l3_name(c), *l4 = l4_name(c);
	int n = 0;

	if (c->session_n)
		n = snprintf(text, size, "Packet %u of %u of its session: ", c->session_i + 1,
			     c->session_n);
	if (c->filler)
		n += snprintf(text + n, size - (size_t)n, "a filler, no packet, %u strides unused",
			      c->strides);
	else
		n += snprintf(text + n, size - (size_t)n, "%u bytes, WQE counter %u",
			      c->meta.byte_cnt, c->wqe_counter);
	if (c->strides && !c->filler)
		n += snprintf(text + n, size - (size_t)n, ", %u strides", c->strides);
	if (l3)
		n += snprintf(text + n, size - (size_t)n, ", %s", l3);
	if (l4)
		n += snprintf(text + n, size - (size_t)n, ", %s", l4);
	if (c->meta.rx_hash_res)
		n += snprintf(text + n, size - (size_t)n, ", RSS hash 0x%08x", c->meta.rx_hash_res);
	if (c->meta.flow_tag)
		n += snprintf(text + n, size - (size_t)n, ", flow tag 0x%06x", c->meta.flow_tag);
	snprintf(text + n, size - (size_t)n, ".");
}

static bool by_reader(const struct cqesim_completion *c)
{
	return c->session_n || c->strides || c->filler;
}

static void show_text(struct ring *r, const struct cqesim_completion *c)
{
	uint32_t slot = c->index & r->reader.mask;
	struct cqesim_dump_item item;
	char text[CQESIM_DUMP_TEXT];

	item_of(r, slot, &item);
	if (by_reader(c))
		packet_text(c, text, sizeof(text));
	else
		cqesim_dump_explain(&item, text, sizeof(text));
	int n = printf("index %u, slot %u: ", c->index, slot);
	decode_wrap(text, 4, (unsigned)n);
	if (!c->session_n && (r->o->all || r->o->annotate || cqesim_dump_is_error(&item)))
		decode_details(&item, r->o, 4, true);
}

static void show_json(struct ring *r, const struct cqesim_completion *c)
{
	struct decode_writer *w = &r->w;
	uint32_t slot = c->index & r->reader.mask;
	struct cqesim_dump_item item;
	char text[CQESIM_DUMP_TEXT];
	size_t inlined = 0;

	item_of(r, slot, &item);
	if (by_reader(c))
		packet_text(c, text, sizeof(text));
	else
		cqesim_dump_explain(&item, text, sizeof(text));
	dump_json_open(w, NULL, '{');
	if (r->batch)
		dump_json_uint(w, "batch", r->batch - 1);
	dump_json_uint(w, "index", c->index);
	dump_json_uint(w, "slot", slot);
	dump_json_uint(w, "session_n", c->session_n);
	dump_json_uint(w, "session_i", c->session_i);
	dump_json_uint(w, "opcode", c->opcode);
	dump_json_text(w, "opcode_name", cqesim_opcode_name(c->opcode));
	dump_json_uint(w, "byte_cnt", c->meta.byte_cnt);
	dump_json_uint(w, "rx_hash_res", c->meta.rx_hash_res);
	dump_json_uint(w, "rx_hash_type", c->meta.rx_hash_type);
	dump_json_uint(w, "csum", c->meta.csum);
	dump_json_uint(w, "flow_tag", c->meta.flow_tag);
	dump_json_uint(w, "user_index", c->meta.user_index);
	dump_json_uint(w, "vlan_info", c->meta.vlan_info);
	dump_json_uint(w, "pkt_info", c->meta.pkt_info);
	dump_json_uint(w, "hds_ip_ext", c->meta.hds_ip_ext);
	dump_json_uint(w, "l4_l3_hdr_type", c->meta.l4_l3_hdr_type);
	dump_json_text(w, "l3", l3_name(c));
	dump_json_text(w, "l4", l4_name(c));
	dump_json_uint(w, "flow_table_metadata", c->flow_table_metadata);
	dump_json_uint(w, "timestamp", c->timestamp);
	dump_json_uint(w, "wqe_counter", c->wqe_counter);
	dump_json_uint(w, "wqe_id", c->wqe_id);
	dump_json_uint(w, "strides", c->strides);
	dump_json_bool(w, "filler", c->filler);
	dump_json_uint(w, "lro_num_seg", c->lro_num_seg);
	if (cqesim_cq_inline_data(&r->reader, c, &inlined))
		dump_json_uint(w, "inline_bytes", inlined);
	dump_json_text(w, "sentence", text);
	if (!c->session_n)
		dump_json_completion(w, &item);
	dump_json_close(w, '}');
}

static void tally(struct ring *r, const struct cqesim_completion *c)
{
	r->completions++;
	r->errors += c->opcode == CQESIM_OP_REQ_ERR || c->opcode == CQESIM_OP_RESP_ERR;
	r->packets += c->opcode >= CQESIM_OP_RESP_WR_IMM && c->opcode <= CQESIM_OP_RESP_SEND_INV &&
		      !c->filler;
	r->session_packets += c->session_n != 0;
	r->sessions += c->session_n && !c->session_i;
}

static void fault(struct ring *r, const struct cqesim_cq_fault *f)
{
	r->faults++;
	if (!r->o->json) {
		printf("index %u, slot %u: %s (found %u", f->index, f->slot,
		       cqesim_cq_fault_name(f->kind), f->found);
		if (f->kind == CQESIM_CQ_FAULT_MINI_LENGTH)
			printf(", mini %u", f->mini);
		printf(")\n");
		return;
	}
	dump_json_open(&r->w, NULL, '{');
	if (r->batch)
		dump_json_uint(&r->w, "batch", r->batch - 1);
	dump_json_uint(&r->w, "index", f->index);
	dump_json_uint(&r->w, "slot", f->slot);
	dump_json_text(&r->w, "fault", cqesim_cq_fault_name(f->kind));
	dump_json_uint(&r->w, "mini", f->mini);
	dump_json_uint(&r->w, "found", f->found);
	dump_json_close(&r->w, '}');
}

/* Read what there is, but no more than most. */
static void read_ring(struct ring *r, uint64_t most)
{
	struct cqesim_completion c[CHUNK];
	struct cqesim_cq_fault f;

	while (most) {
		int n = cqesim_cq_poll(&r->reader, c, most < CHUNK ? (unsigned)most : CHUNK, &f);

		if (!n)
			break;
		if (n < 0) {
			fault(r, &f);
			continue;
		}
		for (int i = 0; i < n; i++) {
			tally(r, &c[i]);
			if (r->o->json)
				show_json(r, &c[i]);
			else
				show_text(r, &c[i]);
		}
		most -= (unsigned)n;
	}
}

static void finish(struct ring *r)
{
	struct cqesim_cq_fault f;

	if (cqesim_cq_check(&r->reader, &f))
		fault(r, &f);
	if (r->o->json) {
		dump_json_close(&r->w, ']');
		dump_json_uint(&r->w, "completions", r->completions);
		dump_json_uint(&r->w, "packets", r->packets);
		dump_json_uint(&r->w, "errors", r->errors);
		dump_json_uint(&r->w, "sessions", r->sessions);
		dump_json_uint(&r->w, "session_packets", r->session_packets);
		dump_json_uint(&r->w, "faults", r->faults);
		dump_json_uint(&r->w, "cq_ci", r->reader.ci);
		dump_json_close(&r->w, '}');
		return;
	}
	printf("%s%llu completions, %llu packets (%llu in %llu sessions), %llu errors, %llu "
	       "faults; "
	       "consumer index %u\n",
	       r->completions || r->faults ? "\n" : "", (unsigned long long)r->completions,
	       (unsigned long long)r->packets, (unsigned long long)r->session_packets,
	       (unsigned long long)r->sessions, (unsigned long long)r->errors,
	       (unsigned long long)r->faults, r->reader.ci);
	if (!r->completions && !r->faults)
		decode_wrap(
			"Nothing at this consumer index is software's. --cq-ci says where reading "
			"starts: the index, not the slot, as its upper bits tell the lap.",
			0, 0);
}

static void begin(struct ring *r)
{
	r->w = (struct decode_writer){.first = true};
	if (!r->o->json)
		return;
	dump_json_open(&r->w, NULL, '{');
	dump_json_text(&r->w, "version", cqesim_version());
	dump_json_text(&r->w, "source", r->o->source);
	dump_json_uint(&r->w, "slots", UINT64_C(1) << r->shape.log_size);
	dump_json_text(&r->w, "layout",
		       r->shape.layout == CQESIM_CQ_ENHANCED ? "enhanced" : "basic");
	dump_json_text(&r->w, "mini_format", cqesim_mini_format_name(r->shape.format));
	dump_json_uint(&r->w, "cqe_size", r->shape.cqe_128 ? 128 : 64);
	dump_json_open(&r->w, "items", '[');
}

/* log2 of the slots, or -1. */
static int log_of(uint64_t slots)
{
	for (unsigned i = 0; i <= CQESIM_CQ_LOG_MAX; i++)
		if (slots == UINT64_C(1) << i)
			return (int)i;
	return -1;
}

static int allocate(struct ring *r)
{
	size_t bytes = cqesim_cq_ring_bytes(&r->shape);

	r->bytes = aligned_alloc(64, bytes);
	r->original = malloc(bytes);
	if (!r->bytes || !r->original) {
		complain("out of memory");
		return EXIT_INPUT;
	}
	cqesim_cq_init_ring(r->bytes, &r->shape);
	memcpy(r->original, r->bytes, bytes);
	if (cqesim_cq_reader_init(&r->reader, r->bytes, &r->shape, CQESIM_INVALIDATE_DPDK_SCALAR)) {
		complain("a ring of 2^%u entries in this form cannot be read", r->shape.log_size);
		return EXIT_INPUT;
	}
	cqesim_cq_reader_seek(&r->reader, r->o->ci);
	return EXIT_GOOD;
}

static int image(struct ring *r, const uint8_t *in, uint64_t size)
{
	unsigned slot = r->shape.cqe_128 ? 128 : 64;

	if (!r->o->has_size) {
		int log = size % slot ? -1 : log_of(size / slot);

		if (log < 0) {
			complain("%s: %llu bytes are no power of two of %u-byte entries; expected "
				 "a whole "
				 "ring",
				 r->o->source, (unsigned long long)size, slot);
			return EXIT_INPUT;
		}
		r->shape.log_size = (unsigned)log;
	}
	if (size != cqesim_cq_ring_bytes(&r->shape)) {
		complain("%s: %llu bytes; a ring of 2^%u entries of %u bytes has %llu",
			 r->o->source, (unsigned long long)size, r->shape.log_size, slot,
			 (unsigned long long)cqesim_cq_ring_bytes(&r->shape));
		return EXIT_INPUT;
	}
	int code = allocate(r);
	if (code)
		return code;
	memcpy(r->bytes, in, size);
	memcpy(r->original, in, size);
	begin(r);
	read_ring(r, UINT64_MAX);
	finish(r);
	return EXIT_GOOD;
}

/* ---- feeds ---- */

struct record {
	uint32_t word, call;
	const uint8_t *bytes;
};
#define FEED_END UINT32_C(0xfffffffe)

/* The record at *at; 1, 0 at the end, -1 when it is cut off. */
static int next_record(const uint8_t *in, uint64_t size, uint64_t *at, struct record *rec)
{
	if (*at == size)
		return 0;
	if (size - *at < 4)
		return -1;
	memcpy(&rec->word, in + *at, 4);
	*at += 4;
	if (rec->word == FEED_END)
		return 0;
	if (rec->word == FEED_BATCH)
		return 1;
	uint64_t need = rec->word == FEED_CALL ? 4 : CQESIM_CQE_BYTES;
	if (size - *at < need)
		return -1;
	rec->bytes = in + *at;
	if (rec->word == FEED_CALL)
		memcpy(&rec->call, rec->bytes, 4);
	*at += need;
	return 1;
}

/* Whole and, without --log-cqe-n, how large must the ring be at least? */
static int check_feed(struct ring *r, const uint8_t *in, uint64_t size)
{
	uint64_t at = sizeof(FEED_MAGIC) - 1, from = at, slots = 2;
	uint32_t limit = 1u << (r->o->has_size ? r->shape.log_size : CQESIM_CQ_LOG_MAX);
	struct record rec;
	int more;

	while ((more = next_record(in, size, &at, &rec)) > 0) {
		bool is_slot = rec.word < FEED_CALL;

		if (is_slot && rec.word >= limit) {
			complain("%s: offset %llu: slot %u; expected one below %u", r->o->source,
				 (unsigned long long)from, rec.word, limit);
			return EXIT_INPUT;
		}
		while (is_slot && slots <= rec.word)
			slots *= 2;
		from = at;
	}
	if (more < 0) {
		complain("%s: offset %llu: the feed ends inside a record", r->o->source,
			 (unsigned long long)from);
		return EXIT_INPUT;
	}
	if (!r->o->has_size)
		r->shape.log_size = (unsigned)log_of(slots);
	return EXIT_GOOD;
}

static int feed(struct ring *r, const uint8_t *in, uint64_t size)
{
	uint64_t at = sizeof(FEED_MAGIC) - 1;
	struct record rec;

	if (size < at || memcmp(in, FEED_MAGIC, at)) {
		complain("%s: offset 0: no feed; expected the letters %s", r->o->source,
			 FEED_MAGIC);
		return EXIT_INPUT;
	}
	if (r->shape.cqe_128) {
		complain("%s: feeds have entries of 64 bytes", r->o->source);
		return EXIT_INPUT;
	}
	int code = check_feed(r, in, size);
	if (!code)
		code = allocate(r);
	if (code)
		return code;
	begin(r);
	r->batch = 1;
	while (next_record(in, size, &at, &rec) > 0) {
		if (rec.word == FEED_BATCH || rec.word == FEED_CALL) {
			read_ring(r, rec.word == FEED_CALL ? rec.call : UINT64_MAX);
			r->batch += rec.word == FEED_BATCH;
			continue;
		}
		memcpy(r->bytes + (size_t)rec.word * CQESIM_CQE_BYTES, rec.bytes, CQESIM_CQE_BYTES);
		memcpy(r->original + (size_t)rec.word * CQESIM_CQE_BYTES, rec.bytes,
		       CQESIM_CQE_BYTES);
	}
	read_ring(r, UINT64_MAX);
	finish(r);
	return EXIT_GOOD;
}

int decode_ring(const uint8_t *in, uint64_t size, const struct decode_options *o)
{
	struct ring r = {.o = o, .shape = o->shape};
	int code = o->feed ? feed(&r, in, size) : image(&r, in, size);

	free(r.bytes);
	free(r.original);
	if (code)
		return code;
	if (r.faults)
		complain("%s: %llu fault%s in the ring", o->source, (unsigned long long)r.faults,
			 r.faults == 1 ? "" : "s");
	code = close_stdout();
	return code ? code : r.faults ? EXIT_INPUT : EXIT_GOOD;
}

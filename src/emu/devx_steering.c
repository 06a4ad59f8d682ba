/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devx_steering.c - indirection tables, TIRs and TISs.  Their numbers are DevX's own:
 * a TIR that the card cannot steer to (one that hashes inner headers of tunnels) is recorded
 * and has a number all the same, and one that is modified is a new one to the card.
 */
#include <string.h>

#include "emu/devx.h"

#define RQT_ENTRIES_MAX 2048u

enum { DISP_DIRECT = 0, DISP_INDIRECT = 1 };       /* mlx5_prm.h MLX5_TIRC_DISP_TYPE_* */
enum { HASH_NONE = 0, HASH_TOEPLITZ = 2 };         /* MLX5_RX_HASH_FN_* */
enum { FIELD_ADDRESSES = 0x3, FIELD_PORTS = 0xc }; /* MLX5_RX_HASH_FIELD_SELECT_*, 2 bits each */
enum { LRO_IPV4 = 1, LRO_IPV6 = 2 };               /* MLX5_TIRC_LRO_ENABLE_MASK_* */
enum { MODIFY_RQN_LIST = 1 };                      /* modify_rqt */
/* MLX5_MODIFY_TIR_IN_MODIFY_BITMASK_* */
enum { MODIFY_LRO = 1, MODIFY_TABLE = 2, MODIFY_HASH = 4, MODIFY_SELF_LB = 16 };

/* ---- indirection tables ---- */

/* rqtc is followed by the list; `length` bytes of both are there. */
static enum devx_syndrome read_list(const uint8_t *rqtc, size_t length, uint32_t *rqn,
				    unsigned *count)
{
	size_t n = DEVX_GET(rqtc, rqtc, rqt_actual_size);

	if (!n || n > RQT_ENTRIES_MAX || (length - DEVX_BYTES_rqtc) / 4 < n)
		return DEVX_SYND_TABLE_SIZE;
	if (DEVX_GET(rqtc, rqtc, list_q_type))
		return DEVX_SYND_QUEUE_KIND;
	for (size_t i = 0; i < n; i++)
		rqn[i] = (uint32_t)cqesim_be_load(rqtc + DEVX_BYTES_rqtc + 4 * i, 4) & 0xffffff;
	*count = (unsigned)n;
	return DEVX_SYND_FINE;
}

enum devx_syndrome devx_create_rqt(struct devx_call *call)
{
	const uint8_t *rqtc = DEVX_PART(call->in, create_rqt_in, rqt_context);
	uint32_t rqn[RQT_ENTRIES_MAX];
	unsigned count;
	enum devx_syndrome synd =
		read_list(rqtc, call->inlen - (size_t)(rqtc - call->in), rqn, &count);

	if (!synd)
		synd = devx_of_card(
			cqesim_card_create_rqt(emu.card, rqn, count, &call->object->card));
	if (!synd)
		memcpy(call->object->context, rqtc, DEVX_BYTES_rqtc);
	return synd;
}

enum devx_syndrome devx_modify_rqt(struct devx_call *call)
{
	const uint8_t *rqtc = DEVX_PART(call->in, modify_rqt_in, rqt_context);
	uint32_t rqn[RQT_ENTRIES_MAX];
	unsigned count;
	enum devx_syndrome synd;

	if (DEVX_GET(call->in, modify_rqt_in, modify_bitmask) != MODIFY_RQN_LIST)
		return DEVX_SYND_MODIFY_BITS;
	synd = read_list(rqtc, call->inlen - (size_t)(rqtc - call->in), rqn, &count);
	if (!synd)
		synd = devx_of_card(
			cqesim_card_modify_rqt(emu.card, call->object->card, rqn, count));
	if (!synd)
		DEVX_SET(call->object->context, rqtc, rqt_actual_size, count);
	return synd;
}

/* ---- TIRs ---- */

/* All fields of a pair or none: the card does not hash one address or one port alone. */
static bool whole(uint64_t selected, unsigned pair)
{
	return !(selected & pair) || (selected & pair) == pair;
}

static enum devx_syndrome tir_hash(const uint8_t *tirc, struct cqesim_card_tir *tir)
{
	const uint8_t *outer = DEVX_PART(tirc, tirc, rx_hash_field_selector_outer);
	uint64_t selected = DEVX_GET(outer, rx_hash_field_select, selected_fields);
	bool v6 = DEVX_GET(outer, rx_hash_field_select, l3_prot_type);
	bool udp = DEVX_GET(outer, rx_hash_field_select, l4_prot_type);
	uint64_t function = DEVX_GET(tirc, tirc, rx_hash_fn);

	if (function != HASH_NONE && function != HASH_TOEPLITZ)
		return DEVX_SYND_HASH;
	if (selected & ~(uint64_t)(FIELD_ADDRESSES | FIELD_PORTS) ||
	    !whole(selected, FIELD_ADDRESSES) || !whole(selected, FIELD_PORTS))
		return DEVX_SYND_HASH;
	tir->addresses = selected & FIELD_ADDRESSES;
	tir->ports = selected & FIELD_PORTS;
	/* The types count when there is something of theirs to hash. */
	tir->ipv4 = selected && !v6;
	tir->ipv6 = selected && v6;
	tir->tcp = tir->ports && !udp;
	tir->udp = tir->ports && udp;
	tir->symmetric = DEVX_GET(tirc, tirc, rx_hash_symmetric);
	memcpy(tir->key, DEVX_PART(tirc, tirc, rx_hash_toeplitz_key), CQESIM_RSS_KEY_BYTES);
	return DEVX_SYND_FINE;
}

static enum devx_syndrome tir_attributes(const uint8_t *tirc, struct cqesim_card_tir *tir)
{
	const struct emu_object *rqt;

	*tir = (struct cqesim_card_tir){.direct = true};
	switch (DEVX_GET(tirc, tirc, disp_type)) {
	case DISP_DIRECT:
		tir->rqn = (uint32_t)DEVX_GET(tirc, tirc, inline_rqn);
		return DEVX_SYND_FINE;
	case DISP_INDIRECT:
		rqt = devx_object_find(DEVX_RQT, DEVX_GET(tirc, tirc, indirect_table));
		if (!rqt)
			return DEVX_SYND_NO_REFERENCE;
		tir->direct = false;
		tir->rqtn = rqt->card;
		return tir_hash(tirc, tir);
	default:
		return DEVX_SYND_HASH;
	}
}

/* The largest size is in units of 256 bytes (PMD MLX5_LRO_SEG_CHUNK_SIZE). */
static enum devx_syndrome tir_lro(const uint8_t *tirc, struct cqesim_card_tir *tir)
{
	uint64_t mask = DEVX_GET(tirc, tirc, lro_enable_mask);

	if (!mask)
		return DEVX_SYND_FINE;
	if (mask & ~(uint64_t)(LRO_IPV4 | LRO_IPV6) || !devx_lro_allowed() ||
	    !DEVX_GET(tirc, tirc, lro_max_msg_sz))
		return DEVX_SYND_LRO;
	tir->lro = (struct cqesim_card_lro){
		.ipv4 = mask & LRO_IPV4,
		.ipv6 = mask & LRO_IPV6,
		.max_bytes = (uint32_t)DEVX_GET(tirc, tirc, lro_max_msg_sz) * 256,
		.timeout_ps = devx_lro_period_us(DEVX_GET(tirc, tirc, lro_timeout_period_usecs)) *
			      UINT64_C(1000000),
		.min_payload = CQESIM_LRO_MIN_PAYLOAD,
	};
	return DEVX_SYND_FINE;
}

/* A TIR of this context in the card; *number 0: recorded only. */
static enum devx_syndrome tir_in_card(const uint8_t *tirc, uint32_t *number)
{
	const uint8_t *inner = DEVX_PART(tirc, tirc, rx_hash_field_selector_inner);
	struct cqesim_card_tir tir;
	enum devx_syndrome synd = tir_attributes(tirc, &tir);

	*number = 0;
	if (!synd)
		synd = tir_lro(tirc, &tir);
	if (synd || DEVX_GET(inner, rx_hash_field_select, selected_fields))
		return synd;
	return devx_of_card(cqesim_card_create_tir(emu.card, &tir, number));
}

enum devx_syndrome devx_create_tir(struct devx_call *call)
{
	const uint8_t *tirc = DEVX_PART(call->in, create_tir_in, ctx);
	uint64_t td = DEVX_GET(tirc, tirc, transport_domain);
	enum devx_syndrome synd;

	if (td && !devx_object_find(DEVX_TD, td))
		return DEVX_SYND_NO_REFERENCE;
	synd = tir_in_card(tirc, &call->object->card);
	if (!synd)
		memcpy(call->object->context, tirc, DEVX_BYTES_tirc);
	return synd;
}

/* Takes from `given` what the bits name. */
static void merge_tir(uint8_t *own, uint64_t bits, const uint8_t *given)
{
#define TAKE(field) DEVX_SET(own, tirc, field, DEVX_GET(given, tirc, field))
	if (bits & MODIFY_LRO) {
		TAKE(lro_timeout_period_usecs);
		TAKE(lro_enable_mask);
		TAKE(lro_max_msg_sz);
	}
	if (bits & MODIFY_TABLE)
		TAKE(indirect_table);
	if (bits & MODIFY_HASH) {
		TAKE(rx_hash_symmetric);
		TAKE(rx_hash_fn);
		TAKE(rx_hash_field_selector_outer);
		TAKE(rx_hash_field_selector_inner);
		memcpy(DEVX_PART(own, tirc, rx_hash_toeplitz_key),
		       DEVX_PART(given, tirc, rx_hash_toeplitz_key), CQESIM_RSS_KEY_BYTES);
	}
	if (bits & MODIFY_SELF_LB)
		TAKE(self_lb_block);
#undef TAKE
}

enum devx_syndrome devx_modify_tir(struct devx_call *call)
{
	uint64_t bits = DEVX_GET(call->in, modify_tir_in, modify_bitmask);
	uint8_t context[DEVX_BYTES_tirc];
	uint32_t number;
	enum devx_syndrome synd;

	if (bits & ~(uint64_t)(MODIFY_LRO | MODIFY_TABLE | MODIFY_HASH | MODIFY_SELF_LB))
		return DEVX_SYND_MODIFY_BITS;
	memcpy(context, call->object->context, sizeof(context));
	merge_tir(context, bits, DEVX_PART(call->in, modify_tir_in, ctx));
	synd = tir_in_card(context, &number);
	if (synd)
		return synd;
	/* Rules that led to the old one: it is the same TIR to the driver. */
	if (call->object->card && number)
		cqesim_card_redirect_rules(emu.card, call->object->card, number);
	if (call->object->card)
		cqesim_card_destroy_tir(emu.card, call->object->card);
	call->object->card = number;
	memcpy(call->object->context, context, sizeof(context));
	return DEVX_SYND_FINE;
}

uint32_t emu_devx_tir(const struct emu_object *obj)
{
	return obj->kind == DEVX_TIR ? obj->card : 0;
}

uint32_t emu_devx_cq(const struct emu_object *obj)
{
	return obj->kind == DEVX_CQ ? obj->card : 0;
}

/* ---- TISs: a send queue names one, and nothing follows from it ---- */

enum devx_syndrome devx_create_tis(struct devx_call *call)
{
	const uint8_t *tisc = DEVX_PART(call->in, create_tis_in, ctx);

	if (!devx_object_find(DEVX_TD, DEVX_GET(tisc, tisc, transport_domain)))
		return DEVX_SYND_NO_REFERENCE;
	memcpy(call->object->context, tisc, DEVX_BYTES_tisc);
	return DEVX_SYND_FINE;
}

enum devx_syndrome devx_modify_tis(struct devx_call *call)
{
	const uint8_t *tisc = DEVX_PART(call->in, modify_tis_in, ctx);
	uint64_t domain = DEVX_GET(call->object->context, tisc, transport_domain);

	memcpy(call->object->context, tisc, DEVX_BYTES_tisc);
	DEVX_SET(call->object->context, tisc, transport_domain, domain);
	return DEVX_SYND_FINE;
}

enum devx_syndrome devx_query_tis(struct devx_call *call)
{
	memcpy(DEVX_PART(call->out, query_tis_out, tis_context), call->object->context,
	       DEVX_BYTES_tisc);
	return DEVX_SYND_FINE;
}

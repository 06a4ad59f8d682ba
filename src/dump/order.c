/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What 64 bytes look like, and with it the order in which the bytes of printed words
 * lie in memory.
 */
#include <string.h>

#include "dump/dump_internal.h"

/* Bytes 1, 18, 19 are reserved in every receive completion (PRM-H, KRN). */
static bool good_receive(const uint8_t raw[64])
{
	uint32_t count = cqesim_cqe_get_byte_cnt(raw);

	return !raw[1] && !raw[18] && !raw[19] && (count & 0xffff || count >> 31) &&
	       (raw[29] & 0x0c) != 0x0c;
}

unsigned image_score(const uint8_t raw[64])
{
	unsigned opcode = raw[63] >> 4;

	switch (opcode) {
	case CQESIM_OP_REQ_ERR:
	case CQESIM_OP_RESP_ERR: {
		bool known = cqesim_dump_syndrome_status(raw[55]) != 255;
		bool named = opcode == CQESIM_OP_RESP_ERR || dump_operation(raw[56]);

		return known ? 10 + named : 3;
	}
	case CQESIM_OP_REQ:
		return dump_operation(raw[56]) && (raw[57] | raw[58] | raw[59]) ? 4 : 1;
	case CQESIM_OP_RESP_WR_IMM:
	case CQESIM_OP_RESP_SEND:
	case CQESIM_OP_RESP_SEND_IMM:
	case CQESIM_OP_RESP_SEND_INV:
		return good_receive(raw) ? 4 : 1;
	case CQESIM_OP_RESIZE_CQ:
	case CQESIM_OP_NO_PACKET:
	case CQESIM_OP_SIG_ERR:
		return 2;
	case CQESIM_OP_INVALID:
		return (raw[63] & 0xfe) == 0xf0 ? 2 : 1;
	default:
		return 0;
	}
}

static bool all_zero(const uint8_t *raw, unsigned from, unsigned to)
{
	for (unsigned i = from; i <= to; i++)
		if (raw[i])
			return false;
	return true;
}

/* What a failed completion has in its last row. */
static bool error_row(const uint8_t raw[64])
{
	unsigned opcode = raw[63] >> 4;

	return (opcode == CQESIM_OP_REQ_ERR || opcode == CQESIM_OP_RESP_ERR) && !(raw[63] & 0x0c) &&
	       cqesim_dump_syndrome_status(raw[55]) != 255 &&
	       (dump_operation(raw[56]) || (opcode == CQESIM_OP_RESP_ERR && !raw[56]));
}

/*
 * The rule of shape.  Of the failed requests in public logs, bytes 0-32 and 36-51
 * are zero; of failed receives the ids of the WQE and the stride (2-3, 20-21, PRM-H)
 * and, in public logs, 36-39, 46-47, 50-51 may be used.
 */
bool image_is_error(const uint8_t raw[64])
{
	if (!error_row(raw) || all_zero(raw, 57, 59))
		return false;
	if (raw[63] >> 4 == CQESIM_OP_REQ_ERR)
		return all_zero(raw, 0, 32) && all_zero(raw, 36, 51);
	return all_zero(raw, 0, 1) && all_zero(raw, 4, 19) && all_zero(raw, 22, 32) &&
	       all_zero(raw, 40, 45) && all_zero(raw, 48, 49);
}

/* L3 is none, IPv6 or IPv4, and L4 only where L3 is (PRM-H: MLX5_CQE_L3_HDR_TYPE...). */
static bool legal_headers(const uint8_t raw[64])
{
	unsigned l3 = raw[29] >> 2 & 3, l4 = raw[29] >> 4 & 7;

	return l3 != 3 && l4 <= 4 && (l3 || !l4);
}

bool image_could_be(const uint8_t raw[64])
{
	switch (raw[63] >> 4) {
	case CQESIM_OP_REQ_ERR:
	case CQESIM_OP_RESP_ERR:
		return error_row(raw) && !raw[1];
	case CQESIM_OP_SIG_ERR: /* DV mlx5_sigerr_cqe: the first 16 are reserved */
		return all_zero(raw, 0, 15) && !all_zero(raw, 16, 59);
	case CQESIM_OP_REQ:
		return image_score(raw) >= 4 && all_zero(raw, 0, 31);
	case CQESIM_OP_RESP_WR_IMM:
	case CQESIM_OP_RESP_SEND:
	case CQESIM_OP_RESP_SEND_IMM:
	case CQESIM_OP_RESP_SEND_INV:
		return good_receive(raw) && legal_headers(raw);
	default:
		return false;
	}
}

uint32_t image_session_slots(const uint8_t *raw, uint32_t left)
{
	uint32_t n = cqesim_cqe_get_byte_cnt(raw);

	if (raw[63] >> 4 != CQESIM_OP_RESP_SEND || (raw[63] >> 2 & 3) != CQESIM_FORMAT_COMPRESSED)
		return 0;
	return n >= 2 && n - 1 <= left ? n - 1 : 0;
}

/* A slot that nothing was written to since the driver set up the queue. */
static bool fresh(const uint8_t raw[64])
{
	return (raw[63] & 0xfe) == 0xf0;
}

/* A block of minis of the enhanced layout (its last byte: PMD MLX5_CQE_FORMAT). */
static bool minis(const uint8_t raw[64])
{
	return (raw[63] >> 2 & 3) == CQESIM_FORMAT_COMPRESSED;
}

/* Of the slots with something in them, nine of ten must be plausible. */
bool image_looks_like_ring(const uint8_t *bytes, size_t size)
{
	size_t slots = size / 64, good = 0, bad = 0;

	if (!slots || size % 64)
		return false;
	for (size_t k = 0; k < slots; k++) {
		const uint8_t *raw = bytes + 64 * k;

		if (fresh(raw) || image_could_be(raw))
			good++;
		else if (!all_zero(raw, 0, 63) && !minis(raw))
			bad++;
		k += image_session_slots(raw, (uint32_t)(slots - 1 - k));
	}
	return good && bad * 9 <= good;
}

void image_swap(uint8_t *bytes, size_t size, unsigned unit)
{
	for (size_t i = 0; i + unit <= size; i += unit)
		for (unsigned k = 0; k < unit / 2; k++) {
			uint8_t b = bytes[i + k];

			bytes[i + k] = bytes[i + unit - 1 - k];
			bytes[i + unit - 1 - k] = b;
		}
}

/*
 * Words are printed as numbers: by libmlx5 and old kernels after conversion to the
 * host's order, so that the digits stand as in memory; by DPDK, gdb, od and others
 * without it.  xxd's groups are no numbers.
 */
static bool swapped_by_default(const struct dump_open *d)
{
	switch (d->unit) {
	case 2:
		return !d->colon;
	case 4:
		return d->prefixed || (d->labelled && d->label_digits > 8);
	case 8:
		return true;
	default:
		return false;
	}
}

bool image_swapped(const struct dump_open *d)
{
	uint8_t other[64];
	bool swap = swapped_by_default(d);
	size_t first = 0;

	if (d->unit < 2 || d->unit > 8)
		return false;
	/* A ring: look at the first slot that is not empty. */
	while (first + 128 <= d->size && d->bytes[first + 63] == 0 && d->bytes[first + 60] == 0)
		first += 64;
	if (d->size < first + 64)
		return swap;
	memcpy(other, d->bytes + first, 64);
	image_swap(other, 64, d->unit);
	unsigned as_printed = image_score(d->bytes + first), exchanged = image_score(other);

	/* Where both could be, the one that is in every byte. */
	as_printed += image_is_error(d->bytes + first);
	exchanged += image_is_error(other);
	return as_printed == exchanged ? swap : exchanged > as_printed;
}

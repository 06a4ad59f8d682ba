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
	return as_printed == exchanged ? swap : exchanged > as_printed;
}

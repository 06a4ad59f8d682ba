/* SPDX-License-Identifier: BSD-3-Clause */
/* One TLP as bytes: see tlp.h. */
#include <errno.h>
#include <string.h>

#include "cqesim/cqe.h"
#include "cqesim/tlp.h"

#define FMT_4DW         0x20
#define FMT_DATA        0x40
#define TYPE_MEMORY     0x00
#define TYPE_COMPLETION 0x0a
#define DATA_MAX        4096u

/* Enabled bytes of the first and the last DW. */
static uint8_t byte_enables(uint64_t address, uint32_t length)
{
	unsigned lead = address & 3, end = (unsigned)(address + length) & 3;
	unsigned first = 0xf << lead & 0xf, last = end ? 0xf >> (4 - end) : 0xf;

	if (lead + length <= 4) /* one DW: it has both ends, and there is no last one */
		return (uint8_t)(first & last);
	return (uint8_t)(last << 4 | first);
}

static unsigned put_request(uint8_t *out, const struct cqesim_tlp *tlp, bool wide)
{
	uint64_t address = tlp->address & ~UINT64_C(3);

	out[0] = (uint8_t)(TYPE_MEMORY | (wide ? FMT_4DW : 0) |
			   (tlp->type == CQESIM_TLP_MWR ? FMT_DATA : 0));
	cqesim_be_store(out + 4, 2, tlp->requester);
	out[6] = (uint8_t)tlp->tag;
	out[7] = byte_enables(tlp->address, tlp->length);
	cqesim_be_store(out + 8, wide ? 8 : 4, address);
	return wide ? 16 : 12;
}

static unsigned put_completion(uint8_t *out, const struct cqesim_tlp *tlp)
{
	out[0] = FMT_DATA | TYPE_COMPLETION;
	cqesim_be_store(out + 4, 2, tlp->completer);
	cqesim_be_store(out + 6, 2, tlp->byte_count & 0xfff);
	cqesim_be_store(out + 8, 2, tlp->requester);
	out[10] = (uint8_t)tlp->tag;
	out[11] = tlp->address & 0x7f;
	return 12;
}

int cqesim_tlp_encode(const struct cqesim_tlp *tlp, unsigned addr_bits,
		      uint8_t out[CQESIM_TLP_BYTES_MAX])
{
	bool wide = addr_bits == 64 && tlp->address >> 32;
	unsigned lead = tlp->address & 3;
	uint32_t data = (lead + tlp->length + 3) & ~3u;
	bool completion = tlp->type == CQESIM_TLP_CPLD;

	if (!tlp->length || tlp->length > DATA_MAX || data > DATA_MAX)
		return -EINVAL;
	if (!completion && !wide && tlp->address >> 32)
		return -EINVAL;
	memset(out, 0, 16);
	unsigned header = completion ? put_completion(out, tlp) : put_request(out, tlp, wide);
	out[1] = (uint8_t)((tlp->tag >> 9 & 1) << 7 | (tlp->tag >> 8 & 1) << 3);
	cqesim_be_store(out + 2, 2, data / 4 & 0x3ff);
	if (tlp->type == CQESIM_TLP_MRD)
		return (int)header;
	memset(out + header, 0, data);
	if (tlp->data)
		memcpy(out + header + lead, tlp->data, tlp->length);
	return (int)(header + data);
}

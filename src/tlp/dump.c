/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory operations as a pcapng file of TLPs, an enhanced packet block for each.
 * libpcap writes no pcapng, and the older format has neither directions nor
 * comments.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/outfile.h"
#include "common/pcapng.h"
#include "cqesim/tlp.h"

#define LINKTYPE_USER0 147u

#define TAGS      1024u
#define PS_PER_NS 1000u

struct cqesim_tlp_dump {
	struct outfile out;
	struct cqesim_link link;
	uint64_t limit, written, left_out;
	uint16_t tag;
	struct pcapng file;
	uint8_t block[CQESIM_TLP_BYTES_MAX + 512];
};

static void put_tlp(struct cqesim_tlp_dump *d, uint64_t time_ps, const struct cqesim_tlp *tlp,
		    const char *what)
{
	uint8_t bytes[CQESIM_TLP_BYTES_MAX];
	uint32_t flags = tlp->type == CQESIM_TLP_CPLD ? PCAPNG_INBOUND : PCAPNG_OUTBOUND;

	if (d->limit && d->written == d->limit) {
		d->left_out++;
		return;
	}
	int n = cqesim_tlp_encode(tlp, d->link.config.addr_bits, bytes);
	if (n < 0) { /* an address beyond 32 bits on a link that has no more */
		d->left_out++;
		return;
	}
	d->written++;
	pcapng_packet_begin(&d->file, time_ps / PS_PER_NS, (uint32_t)n);
	pcapng_packet_data(&d->file, bytes, (size_t)n);
	pcapng_option(&d->file, PCAPNG_COMMENT, what, strnlen(what, 256));
	pcapng_option(&d->file, PCAPNG_EPB_FLAGS, &flags, sizeof(flags));
	pcapng_packet_end(&d->file);
}

/* What there is of a piece at `offset` of an operation's data: all of it or, at its end, zeros. */
static const void *piece_data(const void *data, uint32_t data_length, uint32_t offset, uint32_t n,
			      uint8_t room[4096])
{
	if (!data || offset >= data_length)
		return NULL;
	const uint8_t *from = (const uint8_t *)data + offset;
	if (data_length - offset >= n)
		return from;
	memset(room, 0, n);
	memcpy(room, from, data_length - offset);
	return room;
}

void cqesim_tlp_dump_write(struct cqesim_tlp_dump *d, uint64_t time_ps, uint64_t address,
			   uint32_t length, const void *data, uint32_t data_length,
			   const char *what)
{
	uint8_t room[4096];

	for (uint32_t done = 0, n; done < length; done += n) {
		n = cqesim_link_write_piece(&d->link, address + done, length - done);
		put_tlp(d, time_ps,
			&(struct cqesim_tlp){
				.type = CQESIM_TLP_MWR,
				.address = address + done,
				.length = n,
				.requester = CQESIM_TLP_CARD,
				.data = piece_data(data, data_length, done, n, room),
			},
			what);
	}
}

static void put_completions(struct cqesim_tlp_dump *d, uint64_t back_ps,
			    const struct cqesim_tlp *request, uint32_t offset, const void *data,
			    uint32_t data_length, const char *what)
{
	uint8_t room[4096];

	for (uint32_t done = 0, n; done < request->length; done += n) {
		n = cqesim_link_completion_piece(&d->link, request->address + done,
						 request->length - done);
		put_tlp(d, back_ps,
			&(struct cqesim_tlp){
				.type = CQESIM_TLP_CPLD,
				.address = request->address + done,
				.length = n,
				.byte_count = request->length - done,
				.requester = request->requester,
				.completer = CQESIM_TLP_ROOT,
				.tag = request->tag,
				.data = piece_data(data, data_length, offset + done, n, room),
			},
			what);
	}
}

void cqesim_tlp_dump_read(struct cqesim_tlp_dump *d, uint64_t time_ps, uint64_t back_ps,
			  uint64_t address, uint32_t length, const void *data, uint32_t data_length,
			  const char *what)
{
	for (uint32_t done = 0, n; done < length; done += n) {
		n = cqesim_link_request_piece(&d->link, address + done, length - done);
		struct cqesim_tlp request = {
			.type = CQESIM_TLP_MRD,
			.address = address + done,
			.length = n,
			.requester = CQESIM_TLP_CARD,
			.tag = d->tag,
		};

		d->tag = (d->tag + 1) % TAGS;
		put_tlp(d, time_ps, &request, what);
		put_completions(d, back_ps, &request, done, data, data_length, what);
	}
}

void cqesim_tlp_dump_counts(const struct cqesim_tlp_dump *d, uint64_t *written, uint64_t *left_out)
{
	*written = d->written;
	*left_out = d->left_out;
}

int cqesim_tlp_dump_create(struct cqesim_tlp_dump **out, const char *path,
			   const struct cqesim_link *link, uint64_t limit, struct cqesim_error *err)
{
	struct cqesim_tlp_dump *d = calloc(1, sizeof(*d));

	*out = NULL;
	if (!d)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	int rc = outfile_open(&d->out, path, err);
	if (rc) {
		free(d);
		return rc;
	}
	d->link = *link;
	d->limit = limit;
	d->file = (struct pcapng){.stream = d->out.stream, .block = d->block};
	pcapng_head(&d->file, LINKTYPE_USER0, "PCIe");
	*out = d;
	return 0;
}

int cqesim_tlp_dump_close(struct cqesim_tlp_dump *d, bool keep, struct cqesim_error *err)
{
	if (!d)
		return 0;
	int rc = outfile_close(&d->out, keep, err);
	free(d);
	return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory operations as a pcapng file of TLPs (draft-ietf-opsawg-pcapng): a
 * section header, one interface, an enhanced packet block for each TLP.
 * libpcap writes no pcapng, and the older format has neither directions nor
 * comments.  Time stamps are nanoseconds: Wireshark 4.0 overflows on finer ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/outfile.h"
#include "cqesim/tlp.h"

#define BLOCK_SECTION   0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_PACKET    6u
#define SECTION_ORDER   0x1a2b3c4du
#define LINKTYPE_USER0  147u

#define OPTION_COMMENT 1u
#define IF_NAME        2u
#define IF_TSRESOL     9u
#define SHB_USERAPPL   4u
#define EPB_FLAGS      2u
#define FLAG_INBOUND   1u
#define FLAG_OUTBOUND  2u

#define TAGS      1024u
#define PS_PER_NS 1000u

struct cqesim_tlp_dump {
	struct outfile out;
	struct cqesim_link link;
	uint64_t limit, written, left_out;
	uint16_t tag;
	uint8_t block[CQESIM_TLP_BYTES_MAX + 512]; /* the block that is being made */
	size_t at;
};

/* ---- blocks: all in the byte order of this machine, which the section header tells ---- */

static void put(struct cqesim_tlp_dump *d, const void *bytes, size_t n)
{
	memcpy(d->block + d->at, bytes, n);
	d->at += n;
	while (d->at & 3)
		d->block[d->at++] = 0;
}

static void put32(struct cqesim_tlp_dump *d, uint32_t v)
{
	put(d, &v, sizeof(v));
}

static void put_option(struct cqesim_tlp_dump *d, uint16_t code, const void *value, size_t n)
{
	uint16_t head[2] = {code, (uint16_t)n};

	put(d, head, sizeof(head));
	put(d, value, n);
}

static void block_begin(struct cqesim_tlp_dump *d, uint32_t type)
{
	d->at = 0;
	put32(d, type);
	put32(d, 0); /* the length, when it is known */
}

static void block_end(struct cqesim_tlp_dump *d)
{
	put32(d, 0); /* end of options */
	uint32_t length = (uint32_t)d->at + 4;
	put32(d, length);
	memcpy(d->block + 4, &length, sizeof(length));
	fwrite(d->block, 1, d->at, d->out.stream); /* errors are found at the close */
}

static void put_head(struct cqesim_tlp_dump *d)
{
	static const char application[] = "cqesim", name[] = "PCIe";
	const uint64_t unknown = UINT64_MAX; /* length of the section */
	const uint16_t version[2] = {1, 0}, linktype[2] = {LINKTYPE_USER0, 0};
	const uint8_t nanoseconds = 9;

	block_begin(d, BLOCK_SECTION);
	put32(d, SECTION_ORDER);
	put(d, version, sizeof(version));
	put(d, &unknown, sizeof(unknown));
	put_option(d, SHB_USERAPPL, application, sizeof(application) - 1);
	block_end(d);

	block_begin(d, BLOCK_INTERFACE);
	put(d, linktype, sizeof(linktype));
	put32(d, 0); /* no snap length */
	put_option(d, IF_NAME, name, sizeof(name) - 1);
	put_option(d, IF_TSRESOL, &nanoseconds, 1);
	block_end(d);
}

/* ---- TLPs ---- */

static void put_tlp(struct cqesim_tlp_dump *d, uint64_t time_ps, const struct cqesim_tlp *tlp,
		    const char *what)
{
	uint8_t bytes[CQESIM_TLP_BYTES_MAX];
	uint32_t flags = tlp->type == CQESIM_TLP_CPLD ? FLAG_INBOUND : FLAG_OUTBOUND;

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
	block_begin(d, BLOCK_PACKET);
	put32(d, 0);
	put32(d, (uint32_t)(time_ps / PS_PER_NS >> 32));
	put32(d, (uint32_t)(time_ps / PS_PER_NS));
	put32(d, (uint32_t)n);
	put32(d, (uint32_t)n);
	put(d, bytes, (size_t)n);
	put_option(d, OPTION_COMMENT, what, strnlen(what, 256));
	put_option(d, EPB_FLAGS, &flags, sizeof(flags));
	block_end(d);
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
	put_head(d);
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

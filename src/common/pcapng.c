/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "common/pcapng.h"

#define BLOCK_SECTION   0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_PACKET    6u
#define SECTION_ORDER   0x1a2b3c4du

#define SHB_USERAPPL 4u
#define IF_NAME      2u
#define IF_TSRESOL   9u

static void put(struct pcapng *p, const void *bytes, size_t n)
{
	memcpy(p->block + p->at, bytes, n);
	p->at += n;
}

static void pad(struct pcapng *p)
{
	while (p->at & 3)
		p->block[p->at++] = 0;
}

static void put32(struct pcapng *p, uint32_t v)
{
	put(p, &v, sizeof(v));
}

static void begin(struct pcapng *p, uint32_t type)
{
	p->at = 0;
	put32(p, type);
	put32(p, 0); /* the length, when it is known */
}

static void end(struct pcapng *p)
{
	put32(p, 0); /* end of options */
	uint32_t length = (uint32_t)p->at + 4;
	put32(p, length);
	memcpy(p->block + 4, &length, sizeof(length));
	fwrite(p->block, 1, p->at, p->stream);
}

void pcapng_option(struct pcapng *p, uint16_t code, const void *value, size_t n)
{
	uint16_t head[2] = {code, (uint16_t)n};

	pad(p);
	put(p, head, sizeof(head));
	put(p, value, n);
	pad(p);
}

void pcapng_head(struct pcapng *p, uint16_t linktype, const char *interface_name)
{
	static const char application[] = "cqesim";
	const uint64_t unknown = UINT64_MAX; /* length of the section */
	const uint16_t version[2] = {1, 0}, type[2] = {linktype, 0};
	const uint8_t nanoseconds = 9;

	begin(p, BLOCK_SECTION);
	put32(p, SECTION_ORDER);
	put(p, version, sizeof(version));
	put(p, &unknown, sizeof(unknown));
	pcapng_option(p, SHB_USERAPPL, application, sizeof(application) - 1);
	end(p);

	begin(p, BLOCK_INTERFACE);
	put(p, type, sizeof(type));
	put32(p, 0); /* no snap length */
	pcapng_option(p, IF_NAME, interface_name, strnlen(interface_name, 64));
	pcapng_option(p, IF_TSRESOL, &nanoseconds, 1);
	end(p);
}

void pcapng_packet_begin(struct pcapng *p, uint64_t time_ns, uint32_t length)
{
	begin(p, BLOCK_PACKET);
	put32(p, 0); /* the interface */
	put32(p, (uint32_t)(time_ns >> 32));
	put32(p, (uint32_t)time_ns);
	put32(p, length);
	put32(p, length);
}

void pcapng_packet_data(struct pcapng *p, const void *data, size_t n)
{
	put(p, data, n);
}

void pcapng_packet_end(struct pcapng *p)
{
	pad(p);
	end(p);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The rig of DevX's tests; and what the preload library would otherwise give DevX. */
#include <check.h>
#include <stdarg.h>
#include <stdlib.h>

#include "cqesim/trace.h"
#include "test.h"
#include "test_devx.h"

struct emu emu;
static struct devx_rig *rig_in_use;
static uint64_t now_ps;

uint64_t emu_now_ps(void)
{
	return now_ps += 1000;
}

void emu_log(const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	/* Formatted all the same, so that a memory checker sees what it reads. */
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
}

void emu_warn(const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
}

static void *translate(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	uint64_t base = (uintptr_t)rig_in_use->buffers;

	(void)context;
	if (lkey != rig_in_use->lkey || address < base ||
	    address + length > base + sizeof(rig_in_use->buffers))
		return NULL;
	return rig_in_use->buffers + (address - base);
}

void devx_rig_open(struct devx_rig *rig, enum cqesim_compression compression)
{
	static const uint8_t mac[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
	struct cqesim_card_config config = {
		.translate = translate,
		.nic =
			{
				.link = {.generation = 3,
					 .lanes = 16,
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
				.compression = compression,
				.comp_max = 64,
				.comp_timeout_ps = UINT64_C(1000000000),
			},
	};
	struct cqesim_error err = {""};

	memset(rig, 0, sizeof(*rig));
	memset(&emu, 0, sizeof(emu));
	rig_in_use = rig;
	rig->lkey = 0x1000;
	ck_assert_msg(!cqesim_card_create(&emu.card, &config, &err), "%s", err.text);
	emu.clock_khz = 78125;
	emu.mtu = 1500;
	memcpy(emu.mac, mac, sizeof(mac));
	rig->memory = aligned_alloc(4096, COUNT(rig->umem) * UMEM_BYTES);
	ck_assert_ptr_nonnull(rig->memory);
	memset(rig->memory, 0, COUNT(rig->umem) * UMEM_BYTES);
	for (unsigned i = 0; i < COUNT(rig->umem); i++)
		ck_assert_int_eq(emu_umem_add(devx_rig_umem(rig, i), UMEM_BYTES, &rig->umem[i]), 0);
}

void devx_rig_close(struct devx_rig *rig)
{
	for (unsigned i = 0; i < COUNT(rig->umem); i++)
		ck_assert_int_eq(emu_umem_remove(rig->umem[i]), 0);
	cqesim_card_destroy(emu.card);
	emu.card = NULL;
	free(rig->memory);
}

void devx_begin(struct devx_rig *rig, unsigned opcode)
{
	memset(rig->in, 0, sizeof(rig->in));
	rig->in[0] = (uint8_t)(opcode >> 8);
	rig->in[1] = (uint8_t)opcode;
}

static unsigned digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

void devx_bytes(struct devx_rig *rig, size_t at, const char *hex)
{
	while (*hex) {
		if (*hex == ' ') {
			hex++;
			continue;
		}
		ck_assert_uint_lt(at, sizeof(rig->in));
		rig->in[at++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
		hex += 2;
	}
}

struct emu_object *devx_made(struct devx_rig *rig, size_t inlen)
{
	static const uint8_t fine[8];
	struct emu_object *object = NULL;

	memset(rig->out, 0xee, sizeof(rig->out));
	int rc = emu_devx_create(rig->in, inlen, rig->out, 16, &object);
	ck_assert_msg(!rc, "error %d, status 0x%x syndrome 0x%02x%02x", rc, rig->out[0],
		      rig->out[6], rig->out[7]);
	ck_assert_ptr_nonnull(object);
	ck_assert_mem_eq(rig->out, fine, 8);
	ck_assert_uint_eq(rig->out[16], 0xee);
	return object;
}

unsigned devx_refused(struct devx_rig *rig, size_t inlen)
{
	struct emu_object *object = (struct emu_object *)rig;

	memset(rig->out, 0xee, sizeof(rig->out));
	ck_assert_int_ne(emu_devx_create(rig->in, inlen, rig->out, 16, &object), 0);
	ck_assert_ptr_null(object);
	ck_assert_uint_eq(rig->out[16], 0xee);
	/* A syndrome of ours, and no number. */
	ck_assert_mem_eq(rig->out + 4, "\xc0\xe5\x00", 3);
	ck_assert_uint_eq(devx_number(rig), 0);
	return rig->out[0];
}

uint32_t devx_number(const struct devx_rig *rig)
{
	return (uint32_t)rig->out[8] << 24 | (uint32_t)rig->out[9] << 16 |
	       (uint32_t)rig->out[10] << 8 | rig->out[11];
}

/* 256 entries, ring at 0, doorbell record behind it, as DPDK mlx5_devx_cq_create has it. */
struct emu_object *devx_make_cq(struct devx_rig *rig, unsigned umem)
{
	char id[9];

	snprintf(id, sizeof(id), "%08x", rig->umem[umem]);
	devx_begin(rig, 0x400);
	devx_bytes(rig, 16, "02000000");         /* dbr_umem_valid */
	devx_bytes(rig, 20, id);                 /* dbr_umem_id */
	devx_bytes(rig, 28, "08000000");         /* log_cq_size */
	devx_bytes(rig, 72, "0000000000004000"); /* dbr_addr */
	devx_bytes(rig, 88, id);                 /* cq_umem_id */
	devx_bytes(rig, 92, "80");               /* cq_umem_valid */
	memset(devx_rig_umem(rig, umem), 0xf1, 0x4000);
	return devx_made(rig, 272);
}

/* 256 WQEs of one segment; wq begins at 32 + 48 = 80. */
struct emu_object *devx_make_rq(struct devx_rig *rig, unsigned cqn)
{
	char hex[17];

	snprintf(hex, sizeof(hex), "%08x", cqn);
	devx_begin(rig, 0x908);
	devx_bytes(rig, 32, "10040000"); /* vsd, flush_in_error_en */
	devx_bytes(rig, 40, hex);
	devx_bytes(rig, 80, "10000000");         /* wq_type cyclic */
	devx_bytes(rig, 96, "0000000000001000"); /* dbr_addr */
	devx_bytes(rig, 112, "00040008");        /* log_wq_stride, log_wq_sz */
	devx_bytes(rig, 116, "c0000000");        /* umems are valid */
	snprintf(hex, sizeof(hex), "%08x%08x", rig->umem[1], rig->umem[1]);
	devx_bytes(rig, 120, hex);
	return devx_made(rig, 272);
}

int devx_move_rq(struct devx_rig *rig, struct emu_object *rq, unsigned rqn, unsigned from,
		 unsigned to)
{
	char hex[9];

	devx_begin(rig, 0x909);
	snprintf(hex, sizeof(hex), "%x0%06x", from, rqn);
	devx_bytes(rig, 8, hex);
	snprintf(hex, sizeof(hex), "00%x0", to);
	devx_bytes(rig, 32, hex);
	return emu_devx_modify(rq, rig->in, 272, rig->out, 16);
}

/* Ethernet, IPv4, UDP, to one of 65536 ports. */
void devx_frame(uint8_t frame[64], unsigned port)
{
	static const uint8_t head[] = {
		2, 0, 0,  0,  0,    1,    2,  0, 0, 0, 0,  2, 8, 0, 0x45, 0, 0, 50, 0, 0,
		0, 0, 64, 17, 0x66, 0x99, 10, 0, 0, 1, 10, 0, 0, 2, 0,    9, 0, 0,  0, 30,
	};

	memset(frame, 0, 64);
	memcpy(frame, head, sizeof(head));
	frame[36] = (uint8_t)(port >> 8);
	frame[37] = (uint8_t)port;
}

unsigned devx_receive(unsigned port)
{
	uint8_t data[64];
	struct cqesim_frame frame = {.data = data, .cap_len = 64, .orig_len = 64, .len = 64};

	devx_frame(data, port);
	return cqesim_card_receive(emu.card, emu_now_ps(), &frame, 1);
}

/* Buffers of 256 bytes, one after the other. */
void devx_post(struct devx_rig *rig, unsigned count)
{
	uint8_t *wqe = devx_rig_umem(rig, 1);

	for (unsigned i = 0; i < 256; i++, wqe += 16) {
		cqesim_be_store(wqe, 4, 256);
		cqesim_be_store(wqe + 4, 4, rig->lkey);
		cqesim_be_store(wqe + 8, 8, (uintptr_t)rig->buffers + 256 * i);
	}
	cqesim_be_store(devx_rig_umem(rig, 1) + 0x1000, 4, count);
}

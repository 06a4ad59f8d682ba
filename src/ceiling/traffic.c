/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * traffic.c - what a packet makes a card and its driver do: writes, reads and
 * doorbells, each with how often per packet.
 *
 * Sizes of mlx5 by the layouts of Linux (include/linux/mlx5/device.h, qp.h) and
 * DPDK (mlx5_prm.h): CQE 64 bytes, mini-CQE 8, a send WQE of segments of 16
 * bytes in units of 64, its Ethernet segment with the first 2 bytes of inline
 * data, at most 63 segments (a field of 6 bits).
 */
#include <errno.h>

#include "ceiling/internal.h"

#define LINE        64u
#define CQE         64u
#define MINI        8u
#define ARRAY       8u /* minis of an array */
#define ARRAY_ENH   7u /* enhanced: an array has one byte group of its own */
#define SEGMENT     16u
#define ETH_INLINE  2u /* inline bytes within the Ethernet segment */
#define INLINE_WORD 4u /* length word before a packet inlined into a multi-packet WQE */
#define DBREC       4u /* one counter of a doorbell record */
#define MSIX        4u

struct list {
	struct cqesim_transaction *traffic;
	int count;
};

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static void happens(struct list *l, enum cqesim_cause cause, enum cqesim_access access,
		    uint32_t address, uint32_t bytes, struct cqesim_fraction per_packet)
{
	if (!bytes || (per_packet.den && !per_packet.num))
		return;
	l->traffic[l->count++] = (struct cqesim_transaction){
		.cause = cause,
		.access = access,
		.bytes = bytes,
		.address = address,
		.per_packet = per_packet,
	};
}

/* Every so many packets; 0: never. */
static void every(struct list *l, enum cqesim_cause cause, enum cqesim_access access,
		  uint32_t bytes, uint32_t packets)
{
	if (packets)
		happens(l, cause, access, 0, bytes, cqesim_fraction(1, packets));
}

uint32_t ceiling_data_bytes(const struct cqesim_ceiling_config *c)
{
	uint32_t bytes = c->frame_bytes - (c->keep_fcs ? 0 : 4);

	if (c->pad)
		bytes = round_up(c->data_offset + bytes, LINE) - c->data_offset;
	return bytes;
}

/* ---- receiving ---- */

/* Whole strides that a packet takes. */
static uint32_t strides(const struct cqesim_ceiling_config *c)
{
	uint32_t bytes = c->frame_bytes - (c->keep_fcs ? 0 : 4);

	return (bytes + c->stride_bytes - 1) / c->stride_bytes;
}

uint32_t cqesim_ceiling_packets_per_wqe(const struct cqesim_ceiling_config *c)
{
	return c->rx_strides ? c->rx_strides / strides(c) : 1;
}

/* Strides that are left over at the end of a WQE are closed by a completion of their own. */
static bool filler(const struct cqesim_ceiling_config *c)
{
	return c->rx_strides && c->rx_strides % strides(c);
}

/* The writes of a session of n packets, of which there are `often` per packet. */
static void session(struct list *l, enum cqesim_cqe_mode mode, uint32_t n,
		    struct cqesim_fraction often)
{
	const enum cqesim_cause cause = CQESIM_CAUSE_RX_CQE;
	const enum cqesim_access write = CQESIM_DMA_WRITE;
	uint32_t arrays = (n + ARRAY - 1) / ARRAY, whole = n / ARRAY;

	if (mode == CQESIM_CQE_BURST) {
		happens(l, cause, write, 0, 2 * CQE, often);
		arrays--;
	} else {
		happens(l, cause, write, 0, CQE, often);
	}
	switch (mode) {
	case CQESIM_CQE_STREAM:
		happens(l, cause, write, 0, n * MINI, often);
		return;
	case CQESIM_CQE_EXACT:
		happens(l, cause, write, 0, n % ARRAY * MINI, often);
		arrays = whole;
		break;
	case CQESIM_CQE_ENHANCED:
		arrays = (n - 1 + ARRAY_ENH - 1) / ARRAY_ENH;
		break;
	default:
		break;
	}
	happens(l, cause, write, 0, CQE, cqesim_fraction_mul(often, cqesim_fraction(arrays, 1)));
}

/*
 * Sessions of the average length N are taken to have the whole lengths below
 * and above: with f = N - floor(N), a share f of them is one packet longer.
 */
static void sessions(struct list *l, const struct cqesim_ceiling_config *c)
{
	struct cqesim_fraction length = c->session;
	uint32_t n = (uint32_t)(length.num / length.den);
	struct cqesim_fraction part = cqesim_fraction(length.num % length.den, length.den);
	struct cqesim_fraction rest = cqesim_fraction(part.den - part.num, part.den);
	struct cqesim_fraction often =
		cqesim_fraction_mul(c->compressed, cqesim_fraction(length.den, length.num));

	session(l, c->cqe_mode, n, cqesim_fraction_mul(often, rest));
	session(l, c->cqe_mode, n + 1, cqesim_fraction_mul(often, part));
	happens(l, CQESIM_CAUSE_RX_CQE, CQESIM_DMA_WRITE, 0, CQE,
		cqesim_fraction(c->compressed.den - c->compressed.num, c->compressed.den));
}

static void completions(struct list *l, const struct cqesim_ceiling_config *c)
{
	const struct cqesim_fraction each = {1, 1};
	uint32_t plain = c->cqe_mode == CQESIM_CQE_128PAD ? 2 * CQE : CQE;

	if (!c->mlx5) {
		every(l, CQESIM_CAUSE_RX_CQE, CQESIM_DMA_WRITE,
		      c->completion_bytes * c->completion_batch, c->completion_batch);
		return;
	}
	if (c->cqe_mode >= CQESIM_CQE_ARRAYS)
		sessions(l, c);
	else
		happens(l, CQESIM_CAUSE_RX_CQE, CQESIM_DMA_WRITE, 0, plain, each);
	/* Never within a session: as src/nic/striding.c assumes. */
	if (filler(c))
		every(l, CQESIM_CAUSE_RX_CQE, CQESIM_DMA_WRITE, plain,
		      cqesim_ceiling_packets_per_wqe(c));
}

static void receive(struct list *l, const struct cqesim_ceiling_config *c)
{
	happens(l, CQESIM_CAUSE_RX_DATA, CQESIM_DMA_WRITE, c->data_offset, ceiling_data_bytes(c),
		(struct cqesim_fraction){1, 1});
	completions(l, c);
	every(l, CQESIM_CAUSE_RX_WQE, CQESIM_DMA_READ, c->rx_desc_fetch,
	      c->rx_desc_fetch / c->rx_desc_bytes * cqesim_ceiling_packets_per_wqe(c));
	every(l, CQESIM_CAUSE_DOORBELL, CQESIM_CPU_WRITE, c->rx_doorbell_bytes,
	      c->rx_doorbell_every);
	every(l, CQESIM_CAUSE_DOORBELL, CQESIM_CPU_READ, 4, c->rx_head_every);
	every(l, CQESIM_CAUSE_DOORBELL, CQESIM_DMA_READ, DBREC, c->dbrec_every);
}

static void interrupts(struct list *l, const struct cqesim_ceiling_config *c)
{
	every(l, CQESIM_CAUSE_INTERRUPT, CQESIM_DMA_WRITE, c->event_bytes, c->interrupt_every);
	every(l, CQESIM_CAUSE_INTERRUPT, CQESIM_DMA_WRITE, MSIX, c->interrupt_every);
	every(l, CQESIM_CAUSE_INTERRUPT, CQESIM_CPU_WRITE, c->arm_bytes, c->interrupt_every);
}

/* ---- sending ---- */

/* Bytes of a packet that stand in the WQE itself. */
static uint32_t inlined(const struct cqesim_ceiling_config *c, uint32_t bytes)
{
	if (bytes <= c->tx_inline_max)
		return bytes;
	/* A multi-packet WQE holds a packet whole or not at all. */
	if (c->tx_mpw > 1)
		return 0;
	return bytes < c->tx_inline_min ? bytes : c->tx_inline_min;
}

/* Segments of a send WQE: control, Ethernet, data; see the head of this file. */
uint32_t ceiling_wqe_segments(const struct cqesim_ceiling_config *c)
{
	uint32_t bytes = c->frame_bytes - 4, in = inlined(c, bytes), segments = 2;

	if (c->tx_mpw > 1)
		return segments +
		       c->tx_mpw * (in ? round_up(INLINE_WORD + in, SEGMENT) / SEGMENT : 1);
	if (in > ETH_INLINE)
		segments += round_up(in - ETH_INLINE, SEGMENT) / SEGMENT;
	return segments + (in < bytes);
}

static void send_wqes(struct list *l, const struct cqesim_ceiling_config *c)
{
	uint32_t wqe = round_up(ceiling_wqe_segments(c) * SEGMENT, c->tx_desc_bytes);
	struct cqesim_fraction often = cqesim_fraction(1, c->tx_mpw);

	if (c->tx_blueflame) {
		/* Write combining hands over lines. */
		happens(l, CQESIM_CAUSE_TX_WQE, CQESIM_CPU_WRITE, 0, LINE,
			cqesim_fraction_mul(often, cqesim_fraction(wqe / LINE, 1)));
	} else if (c->tx_desc_fetch) {
		happens(l, CQESIM_CAUSE_TX_WQE, CQESIM_DMA_READ, 0, c->tx_desc_fetch,
			cqesim_fraction_mul(often, cqesim_fraction(wqe, c->tx_desc_fetch)));
	} else {
		happens(l, CQESIM_CAUSE_TX_WQE, CQESIM_DMA_READ, 0, wqe, often);
	}
	if (!c->tx_blueflame)
		every(l, CQESIM_CAUSE_DOORBELL, CQESIM_CPU_WRITE, c->tx_doorbell_bytes,
		      c->tx_doorbell_every);
}

static void send(struct list *l, const struct cqesim_ceiling_config *c)
{
	uint32_t bytes = c->frame_bytes - 4, in = c->mlx5 ? inlined(c, bytes) : 0;

	happens(l, CQESIM_CAUSE_TX_DATA, CQESIM_DMA_READ, c->data_offset + in, bytes - in,
		(struct cqesim_fraction){1, 1});
	if (c->mlx5) {
		send_wqes(l, c);
	} else {
		every(l, CQESIM_CAUSE_TX_WQE, CQESIM_DMA_READ, c->tx_desc_fetch,
		      c->tx_desc_fetch / c->tx_desc_bytes);
		every(l, CQESIM_CAUSE_DOORBELL, CQESIM_CPU_WRITE, c->tx_doorbell_bytes,
		      c->tx_doorbell_every);
	}
	every(l, CQESIM_CAUSE_TX_CQE, CQESIM_DMA_WRITE, c->tx_completion_bytes,
	      c->tx_completion_every);
	every(l, CQESIM_CAUSE_DOORBELL, CQESIM_CPU_READ, 4, c->tx_head_every);
}

int cqesim_ceiling_traffic(const struct cqesim_ceiling_config *c,
			   struct cqesim_transaction traffic[CQESIM_TRANSACTIONS_MAX],
			   struct cqesim_error *err)
{
	struct list l = {.traffic = traffic};
	int rc = ceiling_check(c, err);

	if (rc)
		return rc;
	if (c->direction != CQESIM_TX)
		receive(&l, c);
	if (c->direction != CQESIM_RX)
		send(&l, c);
	interrupts(&l, c);
	return l.count;
}

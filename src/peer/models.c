/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the peer's operations and cards transfer.  A card is a list of how often
 * things happen in a batch of packets; the batch is long enough that all of them
 * are whole numbers.  The figures of the 82599 are the peer's reading of Intel's
 * data sheet: 40 descriptors a fetch, 8 a write-back (Tx), fetch and write-back
 * of single ones (Rx); of its drivers: 32 buffers posted at a time, Rx head read
 * every 8 packets, an interrupt every 32.
 */
#include "peer_internal.h"

#define DESCRIPTOR_BYTES 16u
#define POINTER_BYTES    4u
#define INTERRUPT_BYTES  4u

struct card {
	uint64_t batch;
	struct {
		uint64_t tail_writes, fetches, fetch_descriptors;
		uint64_t write_backs, write_back_descriptors, interrupts, head_reads;
	} tx;
	struct {
		uint64_t tail_writes, interrupts, head_reads; /* fetch, write-back: every packet */
	} rx;
};

static const struct card cards[] = {
	[CQESIM_PEER_SIMPLE] =
		{
			.batch = 1,
			.tx = {.tail_writes = 1,
			       .fetches = 1,
			       .fetch_descriptors = 1,
			       .interrupts = 1,
			       .head_reads = 1},
			.rx = {.tail_writes = 1, .interrupts = 1, .head_reads = 1},
		},
	[CQESIM_PEER_KERNEL] =
		{
			.batch = 160,
			.tx = {.tail_writes = 160,
			       .fetches = 160 / 40,
			       .fetch_descriptors = 40,
			       .write_backs = 160 / 8,
			       .write_back_descriptors = 8,
			       .interrupts = 160 / 32,
			       .head_reads = 160},
			.rx = {.tail_writes = 160 / 32,
			       .interrupts = 160 / 32,
			       .head_reads = 160 / 8},
		},
	[CQESIM_PEER_DPDK] =
		{
			.batch = 160,
			.tx = {.tail_writes = 160 / 32,
			       .fetches = 160 / 40,
			       .fetch_descriptors = 40,
			       .write_backs = 160 / 8,
			       .write_back_descriptors = 8},
			.rx = {.tail_writes = 160 / 32},
		},
};

/* The host writes a pointer of the card. */
static void host_write(uint64_t times, struct peer_traffic *t)
{
	t->down.posted += times;
	t->down.payload += times * POINTER_BYTES;
	t->down.credits += times;
}

/* The host reads a pointer of the card. */
static void host_read(uint64_t times, struct peer_traffic *t)
{
	t->down.requests += times;
	t->up.completions += times;
	t->up.payload += times * POINTER_BYTES;
}

static void transmit(const struct cqesim_peer_config *c, const struct card *card, uint32_t size,
		     struct peer_traffic *t)
{
	host_write(card->tx.tail_writes, t);
	peer_read(c, 0, (uint32_t)card->tx.fetch_descriptors * DESCRIPTOR_BYTES, card->tx.fetches,
		  t);
	peer_read(c, c->address, size, card->batch, t);
	peer_write(c, 0, (uint32_t)card->tx.write_back_descriptors * DESCRIPTOR_BYTES,
		   card->tx.write_backs, t);
	peer_write(c, 0, INTERRUPT_BYTES, card->tx.interrupts, t);
	host_read(card->tx.head_reads, t);
}

/*
 * The peer counts what is sent up anew after the descriptor's read request,
 * which so is lost: "=" where "+=" is meant (simple_nic.py, niantic.py).
 */
static void receive(const struct cqesim_peer_config *c, const struct card *card, uint32_t size,
		    struct peer_traffic *t)
{
	uint64_t requests = t->up.requests;

	host_write(card->rx.tail_writes, t);
	peer_read(c, 0, DESCRIPTOR_BYTES, card->batch, t);
	if (!peer_fixed(c, CQESIM_PEER_FIX_DESCRIPTOR))
		t->up.requests = requests;
	peer_write(c, c->address, size, card->batch, t);
	peer_write(c, 0, DESCRIPTOR_BYTES, card->batch, t);
	peer_write(c, 0, INTERRUPT_BYTES, card->rx.interrupts, t);
	host_read(card->rx.head_reads, t);
}

void peer_traffic(const struct cqesim_peer_config *c, enum cqesim_peer_model model,
		  enum cqesim_peer_direction direction, uint32_t size, struct peer_traffic *t)
{
	*t = (struct peer_traffic){.batch = 1};
	if (cqesim_peer_is_card(model)) {
		t->batch = cards[model].batch;
		if (direction != CQESIM_PEER_RX)
			transmit(c, &cards[model], size, t);
		if (direction != CQESIM_PEER_TX)
			receive(c, &cards[model], size, t);
		return;
	}
	if (model != CQESIM_PEER_READ)
		peer_write(c, c->address, size, 1, t);
	if (model != CQESIM_PEER_WRITE)
		peer_read(c, c->address, size, 1, t);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures from costs: receive paths whose rings are not replayed, told by what
 * a byte, a segment, a buffer, a call or a completion costs a core.
 */
#include <math.h>
#include <string.h>

#include "validate/internal.h"

/* Headers and wire overhead of a TCP segment over IPv4 with time stamps. */
#define TCP_HEADERS 52.0 /* of the MTU */
#define WIRE_EXTRA  38.0 /* Ethernet header, FCS, preamble and gap */

/* ---- io_uring zero-copy receive: buffers of rx_buf_len, one user thread, one NAPI core ----
 *
 *   user thread, busy share = rate / send_bytes x send_ns     per receive of what one send sent
 *                           + rate / rx_buf_len x buffer_ns   CQE of io_uring, refill ring
 *   softirq                 = rate / 1024 x kib_ns            segments: protocol, HW-GRO
 *                           + rate / rx_buf_len x buffer_ns   allocation for the card's ring
 *
 * On different cores each side has another cost per send and per KiB: lines that
 * the other core wrote, and waking it up.
 */
struct zcrx {
	double bytes; /* per second */
	double send_ns, kib_ns, buffer_ns;
	double buffers, sends; /* per second */
};

static double busy_user(const struct zcrx *z)
{
	return (z->sends * z->send_ns + z->buffers * z->buffer_ns) * 1e-9;
}

static double busy_softirq(const struct zcrx *z)
{
	return (z->bytes / 1024 * z->kib_ns + z->buffers * z->buffer_ns) * 1e-9;
}

static int zcrx(struct evaluation *e, struct zcrx *z)
{
	int rc = 0;
	bool same = !strcmp(setting_word(e, "cores", NULL, &rc), "same");
	double line = setting_number(e, "line_gbps", 1, 1000, &rc) * 1e9 / 8;
	double mtu = setting_number(e, "mtu", 1000, 10000, &rc);
	double length = setting_number(e, "rx_buf_len", 4096, 131072, &rc);
	double send = setting_number(e, "send_bytes", 1, 1e9, &rc);

	*z = (struct zcrx){
		.bytes = line * (mtu - TCP_HEADERS) / (mtu + WIRE_EXTRA),
		.buffer_ns = setting_number(e, "buffer_ns", 0, 1e6, &rc),
		.send_ns = setting_number(e, same ? "send_ns" : "send_apart_ns", 0, 1e6, &rc),
		.kib_ns = setting_number(e, same ? "kib_ns" : "kib_apart_ns", 0, 1e6, &rc),
	};
	if (rc)
		return rc;
	z->buffers = z->bytes / length;
	z->sends = z->bytes / send;
	/* Where a core cannot keep up, everything is slower by as much. */
	double user = busy_user(z), soft = busy_softirq(z);
	double most = same ? user + soft : fmax(user, soft);
	if (most > 1) {
		z->bytes /= most;
		z->buffers /= most;
		z->sends /= most;
	}
	return 0;
}

/* MiB/s */
int measure_zcrx_rate(struct evaluation *e, double *value)
{
	struct zcrx z;
	int rc = zcrx(e, &z);

	*value = rc ? 0 : z.bytes / (1 << 20);
	return rc;
}

/* percent of a core: usr and sys */
int measure_zcrx_user(struct evaluation *e, double *value)
{
	struct zcrx z;
	int rc = zcrx(e, &z);

	*value = rc ? 0 : 100 * busy_user(&z);
	return rc;
}

/* percent of a core */
int measure_zcrx_softirq(struct evaluation *e, double *value)
{
	struct zcrx z;
	int rc = zcrx(e, &z);

	*value = rc ? 0 : 100 * busy_softirq(&z);
	return rc;
}

/* ---- one core that does all: protocol, and copying or handing on ----
 *
 *   bytes/s = clock x busy / (cycles per byte + cycles per segment / payload of a segment)
 */
static int one_core_gbps(struct evaluation *e, const char *per_byte, const char *per_segment,
			 const char *busy, double *value)
{
	int rc = 0;
	double payload = setting_number(e, "mtu", 576, 10000, &rc) - TCP_HEADERS;
	double clock = setting_number(e, "clock", 0.1, 10, &rc) * 1e9;
	double share = setting_number(e, busy, 0.01, 1, &rc);
	double cycles = setting_number(e, per_byte, 1e-4, 10, &rc) +
			setting_number(e, per_segment, 0, 1e5, &rc) / payload;

	*value = rc ? 0 : clock * share / cycles * 8e-9;
	return rc;
}

/* Gb/s: epoll and read, payload copied */
int measure_copy_gbps(struct evaluation *e, double *value)
{
	return one_core_gbps(e, "copy_byte_cycles", "copy_segment_cycles", "copy_busy", value);
}

/* Gb/s: io_uring zero copy, header split and HW-GRO: a completion a segment all the same */
int measure_zero_copy_gbps(struct evaluation *e, double *value)
{
	return one_core_gbps(e, "zero_copy_byte_cycles", "zero_copy_segment_cycles",
			     "zero_copy_busy", value);
}

/* ---- ixgbe: which receive function, and how often the tail is written ----
 *
 * Bulk allocation needs rx_free_thresh >= RTE_PMD_IXGBE_RX_MAX_BURST (32), and the
 * vector function needs what bulk allocation needs; otherwise packets are received
 * one by one, buffers allocated one by one, and the tail is written at the end of a
 * call when more than rx_free_thresh are held.  The vector function has a rule of its
 * own: 32 buffers at a time (RTE_IXGBE_RXQ_REARM_THRESH), a tail write for each.
 */
#define IXGBE_BULK_MIN 32.0
#define IXGBE_REARM    32.0

static double ixgbe_cycles(struct evaluation *e, double thresh, int *rc)
{
	double burst = setting_number(e, "burst", 1, 512, rc);
	double tail = setting_number(e, "tail_write_cycles", 0, 1e4, rc);
	bool bulk = thresh >= IXGBE_BULK_MIN;
	double receive = setting_number(e, bulk ? "vector_cycles" : "scalar_cycles", 1, 1e4, rc);
	/* Scalar: held buffers grow by the burst until they exceed the threshold. */
	double per_tail = bulk ? IXGBE_REARM : burst * (floor(thresh / burst) + 1);

	return receive + setting_number(e, "forward_cycles", 0, 1e5, rc) + tail / per_tail;
}

/* percent more packets per second and core */
int measure_free_thresh_gain(struct evaluation *e, double *value)
{
	int rc = 0;
	double slow = ixgbe_cycles(e, setting_number(e, "thresh_low", 0, 64, &rc), &rc);
	double fast = ixgbe_cycles(e, setting_number(e, "thresh_high", 0, 64, &rc), &rc);

	*value = rc ? 0 : 100 * (slow / fast - 1);
	return rc;
}

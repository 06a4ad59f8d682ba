/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a config that cannot be, each refused with what was expected. */
#include <errno.h>

#include "ceiling/internal.h"
#include "cqesim/rq.h"

#define BYTES_MAX   65536u
#define EVERY_MAX   1000000u
#define SESSION_MAX 65535u

/* Striding queues as mlx5 has them: cqesim/rq.h, with the extended range of strides. */
#define STRIDES_MIN      (1u << CQESIM_LOG_STRIDES_MIN_EXTENDED)
#define STRIDES_MAX      (1u << CQESIM_LOG_STRIDES_MAX)
#define STRIDE_BYTES_MIN (1u << CQESIM_LOG_STRIDE_BYTES_MIN)
#define STRIDE_BYTES_MAX (1u << CQESIM_LOG_STRIDE_BYTES_MAX)

static int bad(struct cqesim_error *err, const char *what, uint64_t value, const char *expected)
{
	return cqesim_fail(err, -EINVAL, "%s %llu: expected %s", what, (unsigned long long)value,
			   expected);
}

static bool is_fraction(struct cqesim_fraction f, uint64_t low, uint64_t high)
{
	return f.den && f.num / f.den >= low &&
	       (f.num / f.den < high || (f.num / f.den == high && !(f.num % f.den)));
}

static bool is_power(uint32_t value, uint32_t low, uint32_t high)
{
	return value >= low && value <= high && !(value & (value - 1));
}

static int check_receive(const struct cqesim_ceiling_config *c, struct cqesim_error *err)
{
	uint32_t bytes = c->frame_bytes - (c->keep_fcs ? 0 : 4);

	if (!c->rx_desc_bytes || c->rx_desc_bytes > BYTES_MAX)
		return bad(err, "receive descriptor bytes", c->rx_desc_bytes, "1 to 65536");
	if (!c->rx_desc_fetch || c->rx_desc_fetch > BYTES_MAX ||
	    c->rx_desc_fetch % c->rx_desc_bytes)
		return cqesim_fail(err, -EINVAL,
				   "%u bytes of receive descriptors read at a time: expected a "
				   "multiple of %u, the size of one, up to %u",
				   c->rx_desc_fetch, c->rx_desc_bytes, BYTES_MAX);
	if (c->rx_strides && !is_power(c->rx_strides, STRIDES_MIN, STRIDES_MAX))
		return bad(err, "strides", c->rx_strides, "a power of two, 8 to 65536");
	if (c->rx_strides && !is_power(c->stride_bytes, STRIDE_BYTES_MIN, STRIDE_BYTES_MAX))
		return bad(err, "stride bytes", c->stride_bytes, "a power of two, 64 to 8192");
	if (c->rx_strides && (uint64_t)c->rx_strides * c->stride_bytes < bytes)
		return cqesim_fail(err, -EINVAL,
				   "%u strides of %u bytes: a packet of %u bytes does not fit",
				   c->rx_strides, c->stride_bytes, bytes);
	if (!c->mlx5 &&
	    (!c->completion_batch || c->completion_batch > 1024 || c->completion_bytes > 4096))
		return bad(err, "completions per write", c->completion_batch, "1 to 1024");
	if (!c->mlx5)
		return 0;
	if ((unsigned)c->cqe_mode >= CQESIM_CQE_MODES)
		return bad(err, "way of writing CQEs", (uint64_t)c->cqe_mode, "one of the list");
	if (c->cqe_mode >= CQESIM_CQE_ARRAYS && !is_fraction(c->session, 1, SESSION_MAX))
		return cqesim_fail(err, -EINVAL, "packets per session: expected 1 to %u",
				   SESSION_MAX);
	if (c->cqe_mode >= CQESIM_CQE_ARRAYS && !is_fraction(c->compressed, 0, 1))
		return cqesim_fail(err, -EINVAL, "share of compressed packets: expected 0 to 1");
	return 0;
}

static int check_send(const struct cqesim_ceiling_config *c, struct cqesim_error *err)
{
	if (!c->tx_desc_bytes || c->tx_desc_bytes > 4096)
		return bad(err, "send descriptor bytes", c->tx_desc_bytes, "1 to 4096");
	if (c->tx_desc_fetch > BYTES_MAX || c->tx_desc_fetch % c->tx_desc_bytes ||
	    (!c->mlx5 && !c->tx_desc_fetch))
		return cqesim_fail(err, -EINVAL,
				   "%u bytes of send descriptors read at a time: expected a "
				   "multiple of %u, the size of one, up to %u",
				   c->tx_desc_fetch, c->tx_desc_bytes, BYTES_MAX);
	if (c->tx_completion_bytes > BYTES_MAX)
		return bad(err, "send completion bytes", c->tx_completion_bytes, "0 to 65536");
	if (!c->mlx5)
		return 0;
	if (!c->tx_mpw || c->tx_mpw > CEILING_WQE_SEGMENTS_MAX - 2)
		return bad(err, "packets per send WQE", c->tx_mpw, "1 to 61");
	uint32_t segments = ceiling_wqe_segments(c);
	if (segments > CEILING_WQE_SEGMENTS_MAX)
		return cqesim_fail(err, -EINVAL,
				   "a send WQE of %u segments of 16 bytes: it has at most %u; "
				   "inline less, or fewer packets",
				   segments, CEILING_WQE_SEGMENTS_MAX);
	return 0;
}

static int check_every(const struct cqesim_ceiling_config *c, struct cqesim_error *err)
{
	const uint32_t values[] = {
		c->rx_doorbell_every,   c->rx_head_every,     c->dbrec_every,  c->interrupt_every,
		c->tx_completion_every, c->tx_doorbell_every, c->tx_head_every};

	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (values[i] > EVERY_MAX)
			return bad(err, "once per packets", values[i], "0 to 1000000");
	return 0;
}

int ceiling_check(const struct cqesim_ceiling_config *c, struct cqesim_error *err)
{
	int rc;

	if (c->frame_bytes < 64 || c->frame_bytes > BYTES_MAX)
		return bad(err, "frame bytes", c->frame_bytes, "64 to 65536");
	if (c->data_offset > 4095)
		return bad(err, "data offset", c->data_offset, "0 to 4095");
	if ((unsigned)c->direction > CQESIM_FORWARD)
		return bad(err, "direction", (uint64_t)c->direction, "receive, send or forward");
	if (!c->ports || c->ports > 1024)
		return bad(err, "ports", c->ports, "1 to 1024");
	if (!c->queues || c->queues > 65536)
		return bad(err, "queues", c->queues, "1 to 65536");
	rc = c->direction == CQESIM_TX ? 0 : check_receive(c, err);
	if (!rc && c->direction != CQESIM_RX)
		rc = check_send(c, err);
	return rc ? rc : check_every(c, err);
}

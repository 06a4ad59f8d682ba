/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rq.h - what the files of cqesim rq share.
 *
 *   rq.c          which sections, and where they go
 *   rq_options.c  options and what must be together; rq_option_list.c: their names
 *   rq_packets.c  lists of packets, sizes, ratios; frames of captures
 *   rq_draw.c     where each packet lands: software that gives WQEs back, too
 *   rq_picture.c  that as text and JSON
 *   rq_memory.c   footprints, waste, DDIO
 *   rq_burst.c    packets of a burst that are lost; ratios that fit a table
 *   rq_sizes.c    stride sizes for a trace's lengths
 *   rq_merge.c    hardware GRO and LRO
 */
#ifndef CQESIM_CLI_RQ_H
#define CQESIM_CLI_RQ_H

#include <jansson.h>

#include "cli.h"
#include "cqesim/aggregate.h"
#include "cqesim/buffers.h"
#include "cqesim/trace.h"
#include "report/report_internal.h"

#define RQ_COMMAND    "rq"
#define RQ_QUEUES_MAX 4u
#define RQ_ROWS_MAX   64u
#define RQ_FLOWS_MAX  256u
/* Packets of a list, and packets that are drawn. */
#define RQ_LIST_MAX  1000000u
#define RQ_DRAWN_MAX 10000u

/* A ratio of drain to arrival as it was given. */
struct rq_ratio {
	uint64_t num, den;
};

/* A queue on the command line, with what belongs to it. */
struct rq_queue {
	struct cqesim_rq_layout layout;
	bool linked_list;
	uint32_t post_bulk;
	bool has_ratio, has_fit;
	struct rq_ratio ratio;
	uint64_t fit[RQ_ROWS_MAX];
	unsigned fits;
};

/* A packet of a list: frames without FCS, as they come over PCIe. */
struct rq_packet {
	uint32_t length;
	uint8_t tcp_flags;
	bool gap; /* the segment before it was lost */
};

struct rq_options {
	struct rq_queue queue[RQ_QUEUES_MAX];
	unsigned queues;
	bool json;
	unsigned width;

	const char *const *files;
	unsigned file_count;
	struct cqesim_trace_config trace;
	struct rq_packet *packet; /* of --packets, to be freed */
	size_t packets;

	uint32_t hold, memcpy_bytes, spare; /* software that keeps packets */
	bool no_refill;
	uint64_t page_bytes, pool_cache; /* cyclic: pages that buffers are cut from */
	uint32_t hold_for;

	uint64_t burst[RQ_ROWS_MAX];
	unsigned bursts;
	uint32_t burst_bytes;
	uint64_t rounding;
	double gain_low, gain_high; /* percent; both 0: nothing stated */

	uint64_t llc_bytes;
	double ddio_share;
	uint64_t ring_queues;

	bool merge;
	struct cqesim_aggregate_config aggregate;
	uint32_t header_bytes, flows;
	uint64_t gap_ns;
};

/* ---- rq_options.c, rq_option_list.c ---- */

extern const char rq_help[];
/* 0, or EXIT_USAGE after a message; o->packet is to be freed either way. */
int rq_options(int argc, char **argv, struct rq_options *o, bool *help);

/* ---- rq_packets.c ---- */

/* "60,1514x3,imix:20"; letters p, f, s, r, g after a length when marks are allowed. */
int rq_parse_packets(const char *text, bool marks, struct rq_packet **packet, size_t *n,
		     struct cqesim_error *err);
/* Counts separated by commas, at most RQ_ROWS_MAX. */
bool rq_parse_counts(const char *text, uint64_t high, uint64_t *value, unsigned *n);
/* Bytes with KiB, MiB (also K, M). */
bool rq_parse_bytes(const char *text, uint64_t low, uint64_t high, uint64_t *bytes);
/* A decimal from 0 to 1000, with up to nine decimals, kept exactly. */
bool rq_parse_ratio(const char *text, struct rq_ratio *ratio);
/* Percent, 0 to 100; "2-10" for a range. */
bool rq_parse_percent(const char *text, double *low, double *high);

/*
 * Each frame of the files (or of the list, as frames without data) goes to `each`
 * until it returns something else than 0.  0 or EXIT_INPUT after a message.
 */
typedef int (*rq_each)(void *context, const struct cqesim_frame *frame,
		       const struct rq_packet *packet);
int rq_frames(const struct rq_options *o, rq_each each, void *context);
/* What is read: file names or "the packets given", for headings. */
const char *rq_source(const struct rq_options *o);

/* ---- sections; each adds to root when it is not NULL, and prints otherwise ---- */

struct rq_out {
	struct report_json json;
	json_t *root;            /* NULL: text */
	struct report_out *text; /* NULL: JSON */
};

const char *rq_queue_name(const struct rq_queue *q, char *buffer, size_t size);
json_t *rq_queue_json(struct report_json *j, const struct rq_queue *q);

int rq_draw(const struct rq_options *o, struct rq_out *out);
void rq_memory(const struct rq_options *o, struct rq_out *out);
int rq_burst(const struct rq_options *o, struct rq_out *out);
int rq_sizes(const struct rq_options *o, struct rq_out *out);
int rq_merge(const struct rq_options *o, struct rq_out *out);

/* ---- rq_draw.c: what rq_picture.c shows ---- */

enum rq_fate { RQ_PLACED, RQ_OUT_OF_BUFFER, RQ_TOO_LONG };

struct rq_place {
	uint32_t length;
	enum rq_fate fate;
	uint32_t wqe;    /* counted from the first that was begun */
	uint32_t first;  /* stride, or 0 */
	uint32_t pieces; /* strides, or segments */
	uint64_t offset; /* of the first byte in the WQE's buffer */
	uint64_t waste;
	uint32_t filler; /* strides closed before, of the WQE before */
	bool retires, held, copied;
};

struct rq_wqe {
	uint16_t index; /* as the card counts */
	uint32_t slot;
	uint32_t used;   /* strides that are consumed, filler included */
	uint32_t filler; /* of these */
	uint32_t held;   /* packets that software keeps */
	bool closed, posted_again;
};

struct rq_drawing {
	struct rq_place *place;
	size_t places, room;
	struct rq_wqe *wqe;
	uint32_t wqes, wqe_room;
	uint64_t lost, too_long, fillers, filler_strides, held, copied, spare_used;
	uint64_t held_bytes, held_packet_bytes; /* buffers kept, and for what */
	uint64_t not_read;                      /* packets beyond what is drawn */
	struct cqesim_page_pool pool;           /* with page_bytes */
	uint64_t pool_short;
};

void rq_picture_text(const struct rq_options *o, const struct rq_queue *q,
		     const struct rq_drawing *d, struct report_out *out);
json_t *rq_picture_json(struct report_json *j, const struct rq_options *o, const struct rq_queue *q,
			const struct rq_drawing *d);

/* A row of cells, wrapped; lines that are all alike are left out. */
void rq_cells(struct report_out *out, unsigned width, const char *row, uint64_t cells);
/* The letter of a packet. */
char rq_letter(uint64_t packet);

#endif

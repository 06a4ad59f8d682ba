/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim.h - joins port, nic and host for N queues, checks every packet that
 * comes back against what was sent, and gathers the result.
 *
 * Queues meet only in the device, so a queue's core is advanced to the time of
 * each packet that arrives for it and nothing else is ever out of order: exact,
 * without an event heap.
 */
#ifndef CQESIM_SIM_H
#define CQESIM_SIM_H

#include "cqesim/common.h"
#include "cqesim/host.h"
#include "cqesim/nic.h"
#include "cqesim/port.h"
#include "cqesim/profile.h"
#include "cqesim/tlp.h"
#include "cqesim/trace.h"

#define CQESIM_QUEUES_MAX  1024u
#define CQESIM_MTU_DEFAULT 9216u
/* DPDK examples (l2fwd, l3fwd): TX_DESC_DEFAULT 1024. */
#define CQESIM_TX_RING_DEFAULT 1024u
#define CQESIM_TX_RING_MAX     32768u

/* What --cqe-comp sets: the driver's cqe_comp_en and the firmware's policy together. */
enum cqesim_comp_choice {
	CQESIM_COMP_AS_PROFILED,
	CQESIM_COMP_CHOOSE_OFF,
	CQESIM_COMP_CHOOSE_BALANCED,
	CQESIM_COMP_CHOOSE_AGGRESSIVE,
};

/* Layout of compressed sessions; without compression there is none. */
enum cqesim_layout_choice {
	CQESIM_LAYOUT_AS_PROFILED,
	CQESIM_LAYOUT_CHOOSE_BASIC,
	CQESIM_LAYOUT_CHOOSE_ENHANCED,
};

enum cqesim_rq_choice {
	CQESIM_RQ_AS_PROFILED,
	CQESIM_RQ_CHOOSE_CYCLIC,
	CQESIM_RQ_CHOOSE_STRIDING,
};

/* Packets that the application keeps, and with them the buffers of striding WQEs: see host.h. */
struct cqesim_hold {
	uint32_t every;   /* each so many; 0: none */
	uint64_t packets; /* until so many later ones are kept; 0: any number */
	uint64_t ps;      /* or until so long after; 0: any time */
};

/* Sees the ring as it is written and read; for feeds and for tests that damage it. */
struct cqesim_ring_observer {
	void *context;
	/* A slot was written; `slot_bytes` is the ring's own memory. */
	void (*written)(void *context, unsigned queue, uint32_t slot, uint8_t *slot_bytes);
	/* What was written since the last such call can be seen from visible_ps on. */
	void (*published)(void *context, unsigned queue, uint64_t visible_ps);
	/* A poll at now_ps read n completions; a negative value stops the run. */
	int (*polled)(void *context, unsigned queue, uint64_t now_ps,
		      const struct cqesim_completion *completions, unsigned n);
};

struct cqesim_sim_config {
	/* Must outlive the simulation and its result. */
	const struct cqesim_profile *device, *link, *driver, *host;
	const struct cqesim_profile *application; /* NULL: one that costs nothing */
	unsigned queues;                          /* 1..CQESIM_QUEUES_MAX */
	/*
	 * Entries, a power of two; 0: the driver profile's.  Cyclic: WQEs, 4..32768;
	 * striding: strides of all WQEs together, which is what drivers count.
	 */
	unsigned ring;
	unsigned wqes; /* striding: WQEs, a power of two, 2..32768; 0: as many as ring makes */
	enum cqesim_rq_choice rq;
	struct cqesim_hold hold; /* striding only */
	unsigned cq_size;        /* entries, a power of two, >= ring; 0: as the driver does */
	unsigned burst;          /* 0: the application's, or the driver's */
	unsigned frame;          /* see host.h; 0: the application's, or one call */
	unsigned mtu;            /* 0: CQESIM_MTU_DEFAULT */
	enum cqesim_comp_choice comp;
	enum cqesim_layout_choice layout;
	int mini_format; /* enum cqesim_mini_format, -1: the driver profile's */
	bool segment;    /* cut oversize TCP and UDP packets */
	bool keep_fcs;
	enum cqesim_checksums checksums;
	const uint8_t *rss_key; /* CQESIM_RSS_KEY_BYTES; NULL: the driver profile's */
	/*
	 * Every packet is sent on from where it was received, when its poll ends: send WQEs,
	 * data and completions share the link.  A packet that finds the send ring full is
	 * dropped; the cycles are the application's.  What its profile says of these three is
	 * done too.
	 */
	bool forward;
	uint32_t tx_inline; /* packets up to so many bytes stand in the WQE */
	uint32_t tx_mpw;    /* packets per send WQE; 0: 1 */
	/* Packets of a queue that wait to be read by the device, 1..CQESIM_TX_RING_MAX; 0: default.
	 */
	uint32_t tx_ring;

	/* What the cores do besides; every_ps 0: the host profile's.  Each core has its own seed.
	 */
	struct cqesim_host_away away;
	/*
	 * Length of a packet, for the memory that the card fills: see cqesim_memory_result; 0: not
	 * known, then the MTU's, but no longer than 1518 bytes.
	 */
	uint32_t packet_bytes;
	const struct cqesim_ring_observer *observer; /* may be NULL */
	struct cqesim_timeline *timeline;            /* what happened when; may be NULL */
	struct cqesim_tlp_dump *tlp_dump;            /* every access to memory; may be NULL */
};

/* The receive function that a driver's profile names (rx_function). */
CQESIM_API enum cqesim_poll_rule cqesim_sim_poll_rule(const struct cqesim_profile *driver);

/* Packets that each call of the driver asks for, given or of the profiles. */
CQESIM_API unsigned cqesim_sim_burst(const struct cqesim_sim_config *config);

/*
 * What a device's profile and its link's say of the device; padding and compression are the
 * driver's too, and left at 0.  -EINVAL with *err.
 */
CQESIM_API int cqesim_sim_device(const struct cqesim_profile *device,
				 const struct cqesim_profile *link, struct cqesim_nic_config *nic,
				 struct cqesim_error *err);

/* The port that fits such a simulation (shared by all that differ in compression only). */
CQESIM_API int cqesim_sim_port(struct cqesim_port *port, const struct cqesim_sim_config *config,
			       struct cqesim_error *err);

/* Reasons for which packets of the trace were not delivered, beyond trace's skips. */
enum cqesim_drop {
	CQESIM_DROP_OVERSIZE,      /* rx_oversize_pkts_phy: above the MTU */
	CQESIM_DROP_BUFFER_FULL,   /* rx_discards_phy */
	CQESIM_DROP_OUT_OF_BUFFER, /* rx_out_of_buffer */
	CQESIM_DROP_OTHER,         /* buffers too small, queue in error */
	CQESIM_DROPS
};
/* Names as ethtool spells the counters; CQESIM_DROPS: "tx_dropped". */
CQESIM_API const char *cqesim_drop_name(enum cqesim_drop drop);

enum cqesim_direction {
	CQESIM_UP,   /* device to host */
	CQESIM_DOWN, /* host to device */
};

/* What keeps the packet rate from being higher. */
enum cqesim_limit {
	CQESIM_LIMIT_PORT,   /* line rate for this mix of sizes */
	CQESIM_LIMIT_LINK,   /* PCIe, with the profile's efficiency */
	CQESIM_LIMIT_DEVICE, /* pipeline packet rate */
	CQESIM_LIMIT_HOST,   /* the polling cores, with this spread over queues and full bursts */
	/* Only when parameters set them; otherwise INFINITY. */
	CQESIM_LIMIT_BUS,         /* the device's internal bus */
	CQESIM_LIMIT_COMPLETIONS, /* writes of completions, as many per packet as in this run */
	CQESIM_LIMIT_CREDITS,     /* posted TLPs in flight */
	CQESIM_LIMIT_TAGS,        /* reads in flight */
	CQESIM_LIMITS
};
CQESIM_API const char *cqesim_limit_name(enum cqesim_limit limit);

/*
 * Times in classes: below 64 ps one each, above 64 to each power of two, so that a
 * class is no wider than 1/64 of what is in it.
 */
#define CQESIM_DELAY_CLASSES 3776u
struct cqesim_delay {
	uint64_t count;
	double sum_ps;
	uint64_t max_ps;
	uint64_t hist[CQESIM_DELAY_CLASSES];
};
/*
 * The time that at least `percent` of them (0 < percent <= 100) did not exceed: the upper edge of
 * its class, or the longest of all; 0 without any.
 */
CQESIM_API uint64_t cqesim_delay_percentile(const struct cqesim_delay *delay, double percent);

enum cqesim_delay_kind {
	CQESIM_DELAY_VISIBLE,  /* from a packet's arrival until its completion can be seen */
	CQESIM_DELAY_RETURNED, /* until the poll that returns it begins */
	CQESIM_DELAYS
};
CQESIM_API const char *cqesim_delay_name(enum cqesim_delay_kind kind);

struct cqesim_queue_result {
	uint64_t offered; /* packets steered to it */
	uint64_t delivered;
	uint64_t dropped[CQESIM_DROPS];
	uint64_t shortage[CQESIM_SHORTAGES]; /* why packets found no WQE */
	uint64_t sent, tx_dropped;           /* forwarding: the parts of delivered */
	const struct cqesim_host_stats *host;
	/*
	 * As Linux counts them: titles, and their packets.  Basic layout: the title's own is among
	 * these; enhanced: it is a completion like others (see cqesim_sysinfo_session).
	 */
	uint64_t compress_blks, compress_pkts;
};

/* A receive queue's shape, and the memory that the trace took. */
struct cqesim_rq_result {
	bool striding;
	struct cqesim_strides_shape strides; /* striding */
	unsigned segments;                   /* cyclic: of a WQE */
	/* Of one queue. */
	uint64_t wqes;
	uint64_t wqe_ring_bytes, cq_ring_bytes;
	uint64_t wqe_room;     /* bytes of packets that one WQE can take */
	uint64_t buffers;      /* in all; striding: spare ones included */
	uint64_t buffer_bytes; /* of those in the ring */
	/* All queues: room that delivered packets took, what they filled of it, and fillers. */
	uint64_t taken_bytes, packet_bytes, filler_bytes;
};

/*
 * Lines that the card wrote and that have left the cache before the core reads them: a share
 *
 *   missed = max(0, 1 - ddio_share / working set)
 *   working set = queues x (completion ring + lines that packets fill in the ring's buffers)
 *
 * of them, each with memory_cycles.  The core reads `lines` of a packet, and its completion: one
 * line of a plain CQE, an eighth of a line of a mini, one more of a session's title.
 */
struct cqesim_memory_result {
	uint64_t working_set; /* bytes */
	double missed;        /* 0..1; ddio_share not known: 1 */
	double plain_cycles;  /* per packet from a plain CQE, in the host's figures */
	double mini_cycles, session_cycles;
};

struct cqesim_result {
	const struct cqesim_sim_config *config; /* with defaults filled in */
	struct cqesim_rq_result rq;
	struct cqesim_memory_result memory;
	enum cqesim_compression compression; /* in effect */
	bool cqe_comp_en;
	enum cqesim_cq_layout layout; /* likewise: basic without compression */
	enum cqesim_mini_format mini_format;
	uint32_t max_frame;

	/* Packets: as they arrived at the port; segments count, cut packets do not. */
	uint64_t arrived;
	uint64_t arrived_wire_bytes;  /* frame and FCS */
	uint64_t oversize_wire_bytes; /* of these: above the MTU */
	uint64_t segmented;           /* packets that were cut ... */
	uint64_t segments;            /* ... into so many */
	uint64_t delivered;
	uint64_t delivered_bytes; /* sum of byte_cnt */
	uint64_t dropped[CQESIM_DROPS];
	/* Why packets found no WQE: link is part of rx_discards_phy, the rest is rx_out_of_buffer.
	 */
	uint64_t shortage[CQESIM_SHORTAGES];
	/*
	 * Forwarding: what was delivered is sent on, or dropped because the send ring was full.
	 * sent_pps: until the card had read the last one, at sent_end_ps.
	 */
	uint64_t sent, tx_dropped, sent_end_ps;
	double sent_pps;
	uint64_t duration_ps; /* from the first frame's start to the last one's end on the wire */
	uint64_t end_ps;      /* when the last packet was read */

	struct cqesim_nic_stats nic;
	struct cqesim_host_stats host; /* sum over queues */
	/*
	 * Of delivered packets.  All of a session wait for its title (enhanced layout: of
	 * an array, for it to be written), and a packet arrives when the last bit of its
	 * frame does.
	 */
	struct cqesim_delay delay[CQESIM_DELAYS];
	struct cqesim_queue_result *queue;
	unsigned queues;
	uint64_t laps; /* of the completion ring that went round most often */

	/*
	 * Bytes on the link per packet of the mix, which is what the port takes
	 * (all but oversize), delivered or not: packet data as it would be for all,
	 * completions as they were for those delivered, WQE reads as the share of
	 * the WQEs used.  So a ceiling does not depend on what was lost.
	 */
	double bytes_per_packet[CQESIM_TRAFFIC_KINDS];
	double dllp_per_packet[2]; /* by direction */
	double per_packet[2];      /* sum by direction */
	double mix_wire_bytes;     /* frame, FCS, preamble and gap */
	double plain_cqe_bytes;    /* what one plain CQE costs on this link */
	double session_bytes;  /* per packet of a session, title and arrays; 0: there was none */
	double link_rate;      /* bytes per second and direction, efficiency 1 */
	double link_plain_pps; /* ceiling at efficiency 1 with plain CQEs */
	double link_compressed_pps; /* with all packets in sessions as they were; 0: unknown */
	/*
	 * The ceiling at efficiency 1.  Balanced compresses when the link is the
	 * limit, so there it is the larger of the two above; otherwise that of
	 * per_packet.
	 */
	double link_max_pps;
	enum cqesim_direction link_binding;
	uint64_t wire_lag_ps; /* the last frame was so much later on the wire than its time */
	double offered_pps;   /* arrived / duration; 0: fewer than two frames */
	double line_pps;      /* port's line rate for this mix */
	double limit_pps[CQESIM_LIMITS];
	enum cqesim_limit binding;
	bool link_has_room; /* expected link rate >= line rate */
};

/* How long the run took: until the last packet was read, or the last frame had come. */
static inline uint64_t cqesim_run_ps(const struct cqesim_result *r)
{
	return r->end_ps > r->duration_ps ? r->end_ps : r->duration_ps;
}

/* The few numbers by which runs are compared. */
struct cqesim_summary {
	double offered_pps;                 /* 0: fewer than two frames */
	double delivered_pps;               /* while packets arrived */
	uint64_t arrived, delivered, lost;  /* lost: tx_dropped too, which was delivered */
	double lost_share;                  /* of arrived */
	enum cqesim_drop main_drop;         /* of which reason most were lost; CQESIM_DROPS:
					       tx_dropped */
	enum cqesim_shortage main_shortage; /* and why most found no WQE */
	double burst_mean;                  /* packets per poll that found some; 0: none did */
	double core_use;                    /* share of all cores' time in such polls */
	double busiest_use;                 /* of the core that was busiest */
	double cycles_per_packet;           /* in such polls; 0: none delivered */
	enum cqesim_limit binding;          /* the lowest limit ... */
	double binding_pps;                 /* ... of this mix; 0: not known */
};
CQESIM_API void cqesim_summarize(const struct cqesim_result *result,
				 struct cqesim_summary *summary);

/*
 * The run as counters of `ethtool -S`, by the names of Linux's mlx5e driver
 * (Documentation/.../mlx5/counters.rst):  totals, then rx0_packets, rx0_bytes and
 * rx0_cqe_compress_blks and _pkts of each queue.  outbound_pci_stalled_* are percent of the last
 * whole second of simulated time in which packets came; their _events are the seconds above 30
 * percent.  A run without a whole second is taken for one that goes on like its mean.
 */
struct cqesim_counter {
	char name[40];
	uint64_t value;
	bool gauge; /* no sum, a percentage */
};
#define CQESIM_COUNTERS_MAX (32u + 4u * CQESIM_QUEUES_MAX)
/* Fills up to `room` of them; how many there are. */
CQESIM_API unsigned cqesim_counters(const struct cqesim_result *result,
				    struct cqesim_counter *counters, unsigned room);

struct cqesim_sim;

/* -EINVAL with *err for what cannot be, -ENOMEM. */
CQESIM_API int cqesim_sim_create(struct cqesim_sim **sim, const struct cqesim_sim_config *config,
				 struct cqesim_error *err);
CQESIM_API void cqesim_sim_destroy(struct cqesim_sim *sim);

/*
 * n classified frames arrive.  -EBADMSG: what came back is not what was sent,
 * an error of cqesim itself; *err names queue, slot and field.
 */
CQESIM_API int cqesim_sim_feed(struct cqesim_sim *sim, const struct cqesim_frame *frames,
			       const struct cqesim_rx *rx, unsigned n, struct cqesim_error *err);

/* No more frames: close sessions, let the cores read what is left, make the result. */
CQESIM_API int cqesim_sim_finish(struct cqesim_sim *sim, struct cqesim_error *err);

/* Packets lost so far for want of room in the device's buffer, of WQEs or in the send ring. */
CQESIM_API uint64_t cqesim_sim_lost(const struct cqesim_sim *sim);

/* After cqesim_sim_finish; lives as long as the simulation. */
CQESIM_API const struct cqesim_result *cqesim_sim_result(const struct cqesim_sim *sim);

/* ---- the whole way: one reading of a trace through one or several simulations ---- */

#define CQESIM_REPLAY_SIMS_MAX 8u

struct cqesim_replay {
	struct cqesim_trace *trace;
	const struct cqesim_port *port;
	struct cqesim_sim *sim[CQESIM_REPLAY_SIMS_MAX];
	unsigned sims;
	struct cqesim_port_stats *port_stats; /* filled; zeroed by the caller */
	/* Now and then (may be NULL); a value other than 0 ends the run with -EINTR. */
	int (*progress)(void *context, const struct cqesim_trace_stats *stats);
	void *progress_context;
	/*
	 * 2 and more: one reads and classifies, the other simulates.  The results are the same. Not
	 * where the packets' bytes are needed.
	 */
	unsigned threads;
	bool needs_bytes; /* some simulation has segment or tlp_dump */
};

/* Errors of the trace, of cqesim_sim_feed, or -EINTR. */
CQESIM_API int cqesim_replay_run(struct cqesim_replay *replay, struct cqesim_error *err);

/* ---- what happened when ---- */

/* A step of time.  Packets offered and lost are in the step of their arrival. */
struct cqesim_step {
	uint64_t offered, lost[CQESIM_DROPS];
	uint64_t delivered, polls; /* by polls that began in it and found some */
	uint64_t backlog_max_ps;   /* what waited for the link when packets arrived ... */
	double backlog_sum_ps;     /* ... summed over those offered to the device */
	uint64_t occupancy_sum, occupancy_max; /* completions waiting, at those polls */
};
struct cqesim_timeline;
/*
 * step_ps 0: steps become wider as time goes on, so that a run has 100 to 200 of
 * them.  With a step given there may be up to 2^20; then they double too.  queues:
 * how many have steps of their own (and together no more than 2^20 of them); 0: all
 * share theirs.  -ENOMEM.
 */
CQESIM_API int cqesim_timeline_create(struct cqesim_timeline **timeline, uint64_t step_ps,
				      unsigned queues);
CQESIM_API void cqesim_timeline_destroy(struct cqesim_timeline *timeline);
/* The steps so far, from time 0, all *step_ps wide; of a queue, if they have their own. */
CQESIM_API const struct cqesim_step *cqesim_timeline_steps(const struct cqesim_timeline *timeline,
							   unsigned queue, unsigned *count,
							   uint64_t *step_ps);
/* Queues that have steps of their own; 0: they share them. */
CQESIM_API unsigned cqesim_timeline_queues(const struct cqesim_timeline *timeline);

/* ---- the highest rate without loss ---- */

/* Rates are parts of the highest one that makes sense, such as the port's line rate. */
#define CQESIM_NDR_PARTS UINT64_C(10000000)

struct cqesim_ndr_trial {
	uint64_t parts;
	bool passed;        /* set by the trial: nothing lost, and it kept pace */
	bool cut_short;     /* it ended with the first loss: the rest is not known */
	uint64_t behind_ps; /* the last packet was read so long after it had arrived */
	struct cqesim_summary summary;
};

struct cqesim_ndr {
	bool found, at_top;            /* at_top: it is the highest rate, `above` means nothing */
	struct cqesim_ndr_trial best;  /* the highest that passed */
	struct cqesim_ndr_trial above; /* the lowest that did not, run to its end */
	unsigned trials;
};

/*
 * One trial at *trial->parts; whole: to its end, otherwise it may end with the first loss.  A
 * negative value ends the search.
 */
typedef int (*cqesim_ndr_run)(void *context, bool whole, struct cqesim_ndr_trial *trial);

/*
 * The search of RFC 2544, 26.1, by bisection:  best.parts and above.parts are no more than 1
 * in 2000 apart, or one part.  It begins around the rate that was delivered at the top.
 */
CQESIM_API int cqesim_ndr_search(cqesim_ndr_run run, void *context, struct cqesim_ndr *ndr);

/* ---- feeds: ring writes of queue 0 in a file, for checking with a real driver's code ---- */

struct cqesim_feed;

/*
 * Start a feed file: "CQFEED01", then little-endian 32-bit words: a slot number
 * and its 64 bytes; 0xfffffffd and a count where the driver is called for so
 * many packets.  Each call stands where the simulated driver made it, after
 * exactly what it could see, so that both use the same buffers at the same
 * time.  The file appears under its name when it is closed with success.
 */
CQESIM_API int cqesim_feed_create(struct cqesim_feed **feed, const char *path, unsigned burst,
				  struct cqesim_error *err);
CQESIM_API struct cqesim_ring_observer cqesim_feed_observer(struct cqesim_feed *feed);
/* Write out what is buffered; -EIO or the system's error when it cannot be (NULL: nothing to do).
 */
CQESIM_API int cqesim_feed_flush(struct cqesim_feed *feed, struct cqesim_error *err);
/* keep: rename to its name; otherwise nothing is left behind. */
CQESIM_API int cqesim_feed_close(struct cqesim_feed *feed, bool keep, struct cqesim_error *err);

/*
 * The arguments for pmd_referee that fit this simulation's feed, for instance
 * "--log-cqe-n 10 --log-elts-n 10 --mode vec --mcqe-format hash".  -ENOTSUP with *err when its
 * driver has no counterpart there.
 */
CQESIM_API int cqesim_feed_command(const struct cqesim_result *result, const char *path, char *text,
				   size_t size, struct cqesim_error *err);

#endif

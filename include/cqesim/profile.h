/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profile.h - numbers that are not fixed by a wire format: devices, links,
 * drivers, hosts and applications, as YAML files in models/.
 *
 * A profile file is a mapping with the keys kind, name, title, notes
 * (optional) and one key per parameter:
 *
 *     kind: device
 *     name: connectx-5
 *     title: Mellanox ConnectX-5 EN, 100GbE, PCIe Gen3 x16
 *     port_speed: {value: 100, unit: Gb/s, grade: documented, source: "..."}
 *     cqe_compression_max_num: {value: 64, unit: packets, range: [8, 1024],
 *                               grade: assumed, source: "...", note: "..."}
 *
 * Every parameter of the kind must be there, with its unit, an evidence grade
 * and a source; grades fitted and assumed need a range too when the parameter
 * is a number.  Texts have neither unit nor range.  The name is the file's
 * name.  Unknown keys, wrong units and impossible values are errors that name
 * file, line and key.
 */
#ifndef CQESIM_PROFILE_H
#define CQESIM_PROFILE_H

#include "cqesim/common.h"

enum cqesim_profile_kind {
	CQESIM_PROFILE_DEVICE,
	CQESIM_PROFILE_LINK,
	CQESIM_PROFILE_DRIVER,
	CQESIM_PROFILE_HOST,
	CQESIM_PROFILE_APPLICATION,
	CQESIM_PROFILE_KINDS
};

/* How well a value is known. */
enum cqesim_grade {
	CQESIM_GRADE_DOCUMENTED, /* in a specification, manual or product brief */
	CQESIM_GRADE_DRIVER,     /* read in, or seen by running, a public driver */
	CQESIM_GRADE_MEASURED,   /* measured, by the source named */
	CQESIM_GRADE_FITTED,     /* chosen so that a published measurement comes out */
	CQESIM_GRADE_ASSUMED,    /* nobody has published it */
	CQESIM_GRADE_USER,       /* given on the command line */
	CQESIM_GRADES
};
CQESIM_API const char *cqesim_grade_name(enum cqesim_grade grade);
CQESIM_API const char *cqesim_profile_kind_name(enum cqesim_profile_kind kind);

/*
 * The parameters: X(id, key, type, unit, lowest, highest, meaning).
 * type U: unsigned integer; D: decimal; S: text; unit "1": a plain number.
 * For S, lowest and highest are ignored and `unit` lists the words allowed,
 * separated by '|', or is "text" (anything) or "words": a list, see meaning,
 * kept with single spaces; "none" is the empty list.
 * wqe_fetch, mps, mrrs, rcb, addr_bits, ring and cq_factor_compressed must be
 * powers of two, and backpressure_off must not be above backpressure_on.
 */
#define CQESIM_DEVICE_PARAMS(X)                                                                    \
	X(DEV_PORT_SPEED, port_speed, D, "Gb/s", 1, 800, "line rate of one port")                  \
	X(DEV_LINK, link, S, "text", 0, 0, "PCIe slot the card is made for: default of --link")    \
	X(DEV_MAX_PPS, max_pps, D, "Mpps", 0.1, 2000,                                              \
	  "packets per second that the receive pipeline of one port can do")                       \
	X(DEV_RX_BUFFER, rx_buffer, U, "bytes", 4096, 268435456,                                   \
	  "packet buffer in the device, before the PCIe link")                                     \
	X(DEV_CQE_COMPRESSION, cqe_compression, S, "balanced|aggressive", 0, 0,                    \
	  "firmware policy: balanced compresses under PCIe back-pressure, aggressive always")      \
	X(DEV_COMP_MAX_NUM, cqe_compression_max_num, U, "packets", 2, 65535,                       \
	  "longest compression session")                                                           \
	X(DEV_COMP_TIMEOUT, cqe_compression_timeout, U, "ns", 1, 1000000000,                       \
	  "an open session without a new packet is closed after this time")                        \
	X(DEV_COMP_AGE, cqe_compression_age, U, "ns", 0, 1000000000,                               \
	  "a session is closed so long after its first packet; 0: age closes none")                \
	X(DEV_COMP_COMPARE, session_compare, S, "words", 0, 0,                                     \
	  "CQE fields that must agree within a session, unless the mini-CQE carries them")         \
	X(DEV_COMP_CROSS, session_crosses_ring_end, S, "no|yes", 0, 0,                             \
	  "may a session cross the end of the ring")                                               \
	X(DEV_COMP_WRITE, cqe_write_policy, S, "arrays|burst|exact", 0, 0,                         \
	  "how title and mini arrays become TLPs: each a 64-byte write; title and first array "    \
	  "in one; arrays cut to the minis used")                                                  \
	X(DEV_BP_ON, backpressure_on, U, "bytes", 0, 268435456,                                    \
	  "balanced: backlog before the link at which compression starts")                         \
	X(DEV_BP_OFF, backpressure_off, U, "bytes", 0, 268435456,                                  \
	  "balanced: backlog at which compression stops again")                                    \
	X(DEV_WQE_FETCH, wqe_fetch, U, "bytes", 16, 4096, "bytes of WQEs read at a time")          \
	X(DEV_WRITE_LATENCY, write_latency, U, "ns", 0, 100000,                                    \
	  "from the last byte on the link until the CPU can see it")                               \
	X(DEV_QUEUE_MODEL, queue_model, S, "mlx5|descriptors", 0, 0,                               \
	  "mlx5: WQEs and CQEs; descriptors: rings that are read and written back")                \
	X(DEV_DEVICE_MAX_PPS, device_max_pps, D, "Mpps", 0, 10000,                                 \
	  "packets per second of all ports together; 0: not known, no limit")                      \
	X(DEV_QUEUE_MAX_PPS, queue_max_pps, D, "Mpps", 0, 10000,                                   \
	  "packets per second that one queue can do in the device; 0: not known, no limit")        \
	X(DEV_COMPLETION_RATE, completion_rate, D, "M/s", 0, 10000,                                \
	  "writes of completions per second, all queues; 0: not known, no limit")                  \
	X(DEV_BUS_CLOCK, bus_clock, D, "MHz", 0, 10000,                                            \
	  "internal packet bus of a port, beats per second; 0: not known, no limit")               \
	X(DEV_BUS_WIDTH, bus_width, U, "bytes", 1, 4096, "one beat of it")                         \
	X(DEV_RX_DESC, rx_desc, U, "bytes", 4, 4096,                                               \
	  "receive descriptor, or WQE of one segment, read for each packet")                       \
	X(DEV_COMPLETION, completion, U, "bytes", 0, 4096,                                         \
	  "completion or write-back of one packet")                                                \
	X(DEV_COMPLETION_BATCH, completion_batch, U, "packets", 1, 1024,                           \
	  "completions per write; mlx5: compression is another matter")                            \
	X(DEV_RX_DOORBELL, rx_doorbell, U, "bytes", 0, 64,                                         \
	  "register write that posts receive buffers; 0: a record in memory")                      \
	X(DEV_RX_DOORBELL_EVERY, rx_doorbell_every, U, "packets", 0, 65536,                        \
	  "packets per such write")                                                                \
	X(DEV_RX_HEAD_EVERY, rx_head_every, U, "packets", 0, 65536,                                \
	  "packets per register read of the driver when receiving; 0: none")                       \
	X(DEV_INTERRUPT_EVERY, interrupt_every, U, "packets", 0, 65536,                            \
	  "packets per interrupt; 0: the driver polls")                                            \
	X(DEV_EVENT, event, U, "bytes", 0, 256, "written to an event queue before an interrupt")   \
	X(DEV_ARM, arm, U, "bytes", 0, 64, "register write that allows the next interrupt")        \
	X(DEV_TX_DESC, tx_desc, U, "bytes", 4, 4096,                                               \
	  "send descriptor; mlx5: the unit in which send WQEs are counted")                        \
	X(DEV_TX_DESC_FETCH, tx_desc_fetch, U, "bytes", 0, 65536,                                  \
	  "send descriptors read at a time; 0: mlx5 reads each WQE by itself")                     \
	X(DEV_TX_COMPLETION, tx_completion, U, "bytes", 0, 4096,                                   \
	  "one write that tells of packets sent; 0: none")                                         \
	X(DEV_TX_COMPLETION_EVERY, tx_completion_every, U, "packets", 0, 65536,                    \
	  "packets per such write")                                                                \
	X(DEV_TX_DOORBELL, tx_doorbell, U, "bytes", 0, 64, "register write that starts sending")   \
	X(DEV_TX_DOORBELL_EVERY, tx_doorbell_every, U, "packets", 0, 65536,                        \
	  "packets per such write")                                                                \
	X(DEV_TX_HEAD_EVERY, tx_head_every, U, "packets", 0, 65536,                                \
	  "packets per register read of the driver when sending; 0: none")

#define CQESIM_LINK_PARAMS(X)                                                                      \
	X(LINK_MPS, mps, U, "bytes", 128, 4096, "maximum payload size of a TLP")                   \
	X(LINK_MRRS, mrrs, U, "bytes", 128, 4096, "maximum read request size")                     \
	X(LINK_RCB, rcb, U, "bytes", 64, 128, "read completion boundary")                          \
	X(LINK_ADDR_BITS, addr_bits, U, "bits", 32, 64, "address width: 3 or 4 DW headers")        \
	X(LINK_ECRC, ecrc, S, "off|on", 0, 0, "end-to-end CRC, 4 bytes per TLP")                   \
	X(LINK_ACK_EVERY, ack_every, D, "TLPs", 1, 1000, "TLPs received per Ack DLLP")             \
	X(LINK_FC_EVERY, fc_every, D, "TLPs", 1, 1000,                                             \
	  "posted TLPs received per UpdateFC-P DLLP, towards the device")                          \
	X(LINK_SKP_BLOCKS, skp_blocks, U, "blocks", 1, 100000,                                     \
	  "Gen3-5: data blocks between two SKP blocks")                                            \
	X(LINK_SKP_SYMBOLS, skp_symbols, U, "symbols", 1, 1000000,                                 \
	  "Gen1/2: symbols between two SKP sets, the set included")                                \
	X(LINK_EFFICIENCY, efficiency, D, "1", 0.5, 1,                                             \
	  "share of the link's TLP bandwidth that real devices and hosts reach")                   \
	X(LINK_PREFIXES, prefixes, U, "1", 0, 4, "TLP prefixes of 4 bytes on each request")        \
	X(LINK_COMPLETIONS, completions, S, "largest|rcb", 0, 0,                                   \
	  "completions of a read: the largest legal pieces, or cut at each RCB")                   \
	X(LINK_READ_RTT, read_rtt, U, "ns", 1, 1000000,                                            \
	  "from a read request until its first completion")                                        \
	X(LINK_TAGS, tags, U, "reads", 0, 16384, "reads in flight; 0: no limit")                   \
	X(LINK_CREDIT_RETURN, credit_return, U, "ns", 1, 1000000,                                  \
	  "from a TLP until its credits are back")                                                 \
	X(LINK_POSTED_HEADERS, posted_headers, U, "credits", 0, 65535,                             \
	  "posted TLPs in flight that the host takes; 0: no limit")                                \
	X(LINK_POSTED_DATA, posted_data, U, "credits", 0, 1048575,                                 \
	  "their data, in units of 16 bytes; 0: no limit")                                         \
	X(LINK_READ_HEADERS, read_headers, U, "credits", 0, 65535,                                 \
	  "read requests in flight that the host takes; 0: no limit")

#define CQESIM_DRIVER_PARAMS(X)                                                                    \
	X(DRV_CQE_COMP_EN, cqe_comp_en, S, "off|on", 0, 0, "does the driver ask for compression")  \
	X(DRV_RQ, rq, S, "cyclic|striding", 0, 0,                                                  \
	  "receive queue: a WQE for each packet, or WQEs of many strides (MPRQ, MPWQE)")           \
	X(DRV_MINI_FORMAT, mini_format, S, "hash|csum|ftag_stridx|csum_stridx|l34h_stridx", 0, 0,  \
	  "mini-CQE format that it asks for")                                                      \
	X(DRV_CQE_LAYOUT, cqe_layout, S, "basic|enhanced", 0, 0,                                   \
	  "layout of compressed sessions that it asks for")                                        \
	X(DRV_REFEREE_MODE, referee_mode, S, "scalar|vec|none", 0, 0,                              \
	  "receive function of DPDK's mlx5 driver that this is")                                   \
	X(DRV_RX_FUNCTION, rx_function, S,                                                         \
	  "simple|napi|dpdk-vec|ixgbe-scalar|ixgbe-bulk|ixgbe-vec", 0, 0,                          \
	  "rule by which a call ends and buffers are posted, after the functions of that name")    \
	X(DRV_INVALIDATE, invalidate, S, "dpdk-scalar|dpdk-vec|linux", 0, 0,                       \
	  "how op_own of consumed session slots is rewritten")                                     \
	X(DRV_RING, ring, U, "entries", 4, 32768, "receive descriptors per queue")                 \
	X(DRV_CQ_FACTOR, cq_factor_compressed, U, "1", 1, 16,                                      \
	  "completion ring entries per descriptor when compression is on (else 1)")                \
	X(DRV_BURST, burst, U, "packets", 1, 4096, "packets asked for per poll")                   \
	X(DRV_REPLENISH, replenish, U, "packets", 0, 32768,                                        \
	  "buffers are posted when so many were consumed, or a quarter of the ring; ixgbe: "       \
	  "rx_free_thresh")                                                                        \
	X(DRV_WAKEUP, wakeup, S, "poll|interrupt|busy_poll", 0, 0,                                 \
	  "poll: never stops; interrupt: sleeps after a call that was not full (NAPI); "           \
	  "busy_poll: the application's system calls poll")                                        \
	X(DRV_CQ_PERIOD, cq_period, D, "us", 0, 1000000,                                           \
	  "interrupt: an event comes no later after a completion; 0: at once")                     \
	X(DRV_CQ_MAX_COUNT, cq_max_count, U, "packets", 0, 65535,                                  \
	  "interrupt: so many completions make an event; 0: no such limit")                        \
	X(DRV_CQ_PERIOD_MODE, cq_period_mode, S, "eqe|cqe", 0, 0,                                  \
	  "interrupt: the period runs from the last event, or anew from each completion")          \
	X(DRV_IRQ_LATENCY, irq_latency, U, "ns", 0, 1000000,                                       \
	  "from the event until the poll begins")                                                  \
	X(DRV_CYC_IRQ, irq_cycles, D, "cycles", 0, 1000000,                                        \
	  "that an interrupt takes from the core before the poll")                                 \
	X(DRV_CYC_ARM, arm_cycles, D, "cycles", 0, 100000, "to arm again and leave the poll")      \
	X(DRV_CYC_TAIL, tail_cycles, D, "cycles", 0, 10000,                                        \
	  "ixgbe: per write of the tail register")                                                 \
	X(DRV_PKT_PAD, packet_padding, S, "off|on", 0, 0,                                          \
	  "packet data padded to 64-byte lines on the bus")                                        \
	X(DRV_VLAN_STRIP, vlan_strip, S, "off|on", 0, 0, "VLAN stripping")                         \
	X(DRV_RSS_KEY, rss_key, S, "text", 0, 0, "mlx5, microsoft or 80 hex digits")               \
	X(DRV_RSS_FIELDS, rss_fields, S, "words", 0, 0, "of ipv4, ipv6, tcp, udp")                 \
	X(DRV_RSS_SYMMETRIC, rss_symmetric, S, "off|on", 0, 0, "symmetric Toeplitz")               \
	X(DRV_CYC_POLL, poll_cycles, D, "cycles", 0, 100000, "per poll that finds packets")        \
	X(DRV_CYC_EMPTY, empty_poll_cycles, D, "cycles", 1, 100000, "per poll that finds none")    \
	X(DRV_CYC_PACKET, packet_cycles, D, "cycles", 0, 100000,                                   \
	  "per packet, buffer handling included")                                                  \
	X(DRV_CYC_SESSION, session_cycles, D, "cycles", 0, 100000,                                 \
	  "per compression session, on top of its packets")                                        \
	X(DRV_CYC_MINI, mini_cycles, D, "cycles", 0, 100000,                                       \
	  "per packet of a session, instead of packet_cycles")                                     \
	X(DRV_BUFFER, buffer, U, "bytes", 0, 65536,                                                \
	  "cyclic: room of one buffer, longer packets take several; 0: the largest frame")         \
	X(DRV_HEADROOM, headroom, U, "bytes", 0, 4096, "left free before a packet's data")         \
	X(DRV_STRIDES, strides, U, "1", 8, 65536, "striding: strides of a WQE, a power of two")    \
	X(DRV_STRIDE, stride, U, "bytes", 64, 8192, "striding: size of a stride, a power of two")  \
	X(DRV_TWO_BYTE_SHIFT, two_byte_shift, S, "off|on", 0, 0,                                   \
	  "striding: packets begin two bytes after their stride does")                             \
	X(DRV_WQE_ORDER, wqe_order, S, "ring|linked", 0, 0,                                        \
	  "striding: WQEs follow by place in the ring, or by next_wqe_index")                      \
	X(DRV_MEMCPY, memcpy, U, "bytes", 0, 65535,                                                \
	  "striding: packets up to this length are copied, and their strides are free at once")    \
	X(DRV_BUFFERS, wqe_buffers, U, "1", 1, 256,                                                \
	  "striding: buffers that there are for each WQE of the ring, its own included")           \
	X(DRV_NO_BUFFER, no_buffer, S, "copy|wait", 0, 0,                                          \
	  "striding, no buffer left: copy all packets, or a WQE waits until one is released")      \
	X(DRV_REFILL, refill, U, "WQEs", 1, 32768,                                                 \
	  "striding: WQEs are posted when so many are free")                                       \
	X(DRV_CYC_ATTACH, attach_cycles, D, "cycles", 0, 100000,                                   \
	  "striding: per packet handed on in its strides, on top")                                 \
	X(DRV_CYC_COPY, copy_cycles, D, "cycles", 0, 1000,                                         \
	  "striding: per 64-byte line of a copied packet after the first")

#define CQESIM_HOST_PARAMS(X)                                                                      \
	X(HOST_CLOCK, clock, D, "GHz", 0.1, 10, "clock rate of the polling cores")                 \
	X(HOST_CYC_MISS, miss_cycles, D, "cycles", 0, 10000,                                       \
	  "stall per packet for memory that is not in cache, whatever the rings' size")            \
	X(HOST_DDIO, ddio_share, U, "bytes", 0, 1073741824,                                        \
	  "share of the last-level cache that DMA may fill; 0: not known")                         \
	X(HOST_CYC_MEMORY, memory_cycles, D, "cycles", 0, 10000,                                   \
	  "stall per line that the card wrote and that is not in cache any more when it is read")  \
	X(HOST_LINES, lines, D, "1", 0, 1024,                                                      \
	  "lines of 64 bytes of a packet's data that the core reads")                              \
	X(HOST_AWAY_EVERY, away_every, D, "us", 0, 1e9,                                            \
	  "the core does something else once in so long; 0: never")                                \
	X(HOST_AWAY_LENGTH, away_length, D, "us", 0, 1e9, "and for so long")

/* burst and frame 0: what the driver proposes; one call. */
#define CQESIM_APPLICATION_PARAMS(X)                                                               \
	X(APP_BURST, burst, U, "packets", 0, 4096, "packets asked for per call; 0: the driver's")  \
	X(APP_FRAME, frame, U, "packets", 0, 4096,                                                 \
	  "the driver is called again while calls are full, until there are so many; 0: one call") \
	X(APP_CYC_PACKET, app_cycles, D, "cycles", 0, 1000000, "per packet")                       \
	X(APP_CYC_POLL, app_poll_cycles, D, "cycles", 0, 1000000,                                  \
	  "per frame, or per poll, that has packets")                                              \
	X(APP_CYC_CALL, app_call_cycles, D, "cycles", 0, 1000000,                                  \
	  "per call of the driver that returns packets")                                           \
	X(APP_CYC_BYTE, byte_cycles, D, "cycles", 0, 1000, "per byte of packet data")              \
	X(APP_FORWARD, forward, S, "no|yes", 0, 0, "every packet is sent on, as with --forward")   \
	X(APP_TX_MPW, tx_mpw, U, "packets", 1, 61, "packets per send WQE")                         \
	X(APP_TX_INLINE, tx_inline, U, "bytes", 0, 65536,                                          \
	  "packets up to this length stand in the send WQE")

#define CQESIM_PARAM_ID(id, key, type, unit, lo, hi, meaning) CQESIM_##id,
enum cqesim_device_param { CQESIM_DEVICE_PARAMS(CQESIM_PARAM_ID) CQESIM_DEVICE_PARAM_COUNT };
enum cqesim_link_param { CQESIM_LINK_PARAMS(CQESIM_PARAM_ID) CQESIM_LINK_PARAM_COUNT };
enum cqesim_driver_param { CQESIM_DRIVER_PARAMS(CQESIM_PARAM_ID) CQESIM_DRIVER_PARAM_COUNT };
enum cqesim_host_param { CQESIM_HOST_PARAMS(CQESIM_PARAM_ID) CQESIM_HOST_PARAM_COUNT };
enum cqesim_application_param {
	CQESIM_APPLICATION_PARAMS(CQESIM_PARAM_ID) CQESIM_APPLICATION_PARAM_COUNT
};
#define CQESIM_PARAM_MAX 48

/* One parameter as it is in force. */
struct cqesim_param {
	const char *key;     /* as in the file */
	const char *meaning; /* one line */
	char *text;          /* value as written */
	double number;       /* value of types U and D */
	const char *unit;    /* as in the table; for S the words allowed */
	char type;           /* 'U', 'D' or 'S' */
	enum cqesim_grade grade;
	bool has_range;
	double low, high;    /* where the truth lies, as far as known */
	char *source, *note; /* note may be NULL */
};

struct cqesim_profile {
	enum cqesim_profile_kind kind;
	char *name; /* for a link the name asked for, overrides included */
	char *title;
	char *notes; /* may be NULL */
	char *file;
	unsigned generation, lanes; /* links only */
	unsigned count;
	struct cqesim_param param[CQESIM_PARAM_MAX];
};

/*
 * Load a profile by name ("connectx-5"), or by path when the name has a '/' or
 * ends in ".yaml".  A link has no path: its name is genGxL (generation 1..6,
 * lanes 1, 2, 4, 8, 12, 16, 32), and may be followed by overrides:
 * "gen3x16,mps=128,rcb=128"; all links share the file links/pcie.yaml.  Names
 * are looked for in $CQESIM_MODELS, then in the models/ of an uninstalled
 * build, then in $(datadir)/cqesim/models.  -ENOENT when there is none (the
 * error lists the names there are), -EINVAL for a bad file or link name.
 */
CQESIM_API int cqesim_profile_load(struct cqesim_profile **profile, enum cqesim_profile_kind kind,
				   const char *name, struct cqesim_error *err);
CQESIM_API void cqesim_profile_free(struct cqesim_profile *profile);

/*
 * Override one parameter: checked like a file's value, graded "user", without
 * range and note.  -ENOENT: no such key; -EINVAL: a bad value, and *profile is
 * as before.
 */
CQESIM_API int cqesim_profile_set(struct cqesim_profile *profile, const char *key,
				  const char *value, struct cqesim_error *err);
/*
 * The same in each of them that has the key (burst is a driver's and an application's); NULL among
 * them is passed over.  -ENOENT: none has it; otherwise what the first one says that refuses.
 */
CQESIM_API int cqesim_profile_set_each(struct cqesim_profile *const *profiles, unsigned count,
				       const char *key, const char *value,
				       struct cqesim_error *err);
/* The same, of a text KEY=VALUE; -EINVAL also for another one. */
CQESIM_API int cqesim_profile_set_text(struct cqesim_profile *const *profiles, unsigned count,
				       const char *text, struct cqesim_error *err);

/* Values, by the ids of the profile's kind. */
static inline double cqesim_profile_num(const struct cqesim_profile *p, unsigned id)
{
	return p->param[id].number;
}
static inline uint64_t cqesim_profile_u64(const struct cqesim_profile *p, unsigned id)
{
	return (uint64_t)p->param[id].number;
}
static inline const char *cqesim_profile_text(const struct cqesim_profile *p, unsigned id)
{
	return p->param[id].text;
}
/* True for "on" and "yes". */
CQESIM_API bool cqesim_profile_flag(const struct cqesim_profile *p, unsigned id);

/* A link profile as pcie.h takes it; either may be NULL. */
struct cqesim_link_config;
struct cqesim_link_latency;
CQESIM_API void cqesim_profile_link(const struct cqesim_profile *link,
				    struct cqesim_link_config *config,
				    struct cqesim_link_latency *latency);

/*
 * Names of the profiles of a kind, sorted (links: by generation and lanes); an
 * array that ends with NULL, to be freed with cqesim_profile_names_free.  NULL
 * and *err when models/ is missing.
 */
CQESIM_API char **cqesim_profile_names(enum cqesim_profile_kind kind, struct cqesim_error *err);
CQESIM_API void cqesim_profile_names_free(char **names);

/* The folder in use, for messages; never NULL, valid until the thread's next call. */
CQESIM_API const char *cqesim_profile_folder(void);

#endif

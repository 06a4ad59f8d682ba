/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profile.h - numbers that are not fixed by a wire format: devices, links,
 * drivers and hosts, as YAML files in models/.
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
	  "packets per second that the receive pipeline of one port can do")                      \
	X(DEV_RX_BUFFER, rx_buffer, U, "bytes", 4096, 268435456,                                   \
	  "packet buffer in the device, before the PCIe link")                                    \
	X(DEV_CQE_COMPRESSION, cqe_compression, S, "balanced|aggressive", 0, 0,                    \
	  "firmware policy: balanced compresses under PCIe back-pressure, aggressive always")     \
	X(DEV_COMP_MAX_NUM, cqe_compression_max_num, U, "packets", 2, 65535,                       \
	  "longest compression session")                                                          \
	X(DEV_COMP_TIMEOUT, cqe_compression_timeout, U, "ns", 1, 1000000000,                       \
	  "an open session without a new packet is closed after this time")                       \
	X(DEV_COMP_COMPARE, session_compare, S, "words", 0, 0,                                     \
	  "CQE fields that must agree within a session, unless the mini-CQE carries them")        \
	X(DEV_COMP_CROSS, session_crosses_ring_end, S, "no|yes", 0, 0,                             \
	  "may a session cross the end of the ring")                                              \
	X(DEV_COMP_WRITE, cqe_write_policy, S, "arrays|burst|exact", 0, 0,                         \
	  "how title and mini arrays become TLPs: each a 64-byte write; title and first array "   \
	  "in one; arrays cut to the minis used")                                                 \
	X(DEV_BP_ON, backpressure_on, U, "bytes", 0, 268435456,                                    \
	  "balanced: backlog before the link at which compression starts")                        \
	X(DEV_BP_OFF, backpressure_off, U, "bytes", 0, 268435456,                                  \
	  "balanced: backlog at which compression stops again")                                   \
	X(DEV_WQE_FETCH, wqe_fetch, U, "bytes", 16, 4096, "bytes of WQEs read at a time")          \
	X(DEV_WRITE_LATENCY, write_latency, U, "ns", 0, 100000,                                    \
	  "from the last byte on the link until the CPU can see it")

#define CQESIM_LINK_PARAMS(X)                                                                      \
	X(LINK_MPS, mps, U, "bytes", 128, 4096, "maximum payload size of a TLP")                   \
	X(LINK_MRRS, mrrs, U, "bytes", 128, 4096, "maximum read request size")                     \
	X(LINK_RCB, rcb, U, "bytes", 64, 128, "read completion boundary")                          \
	X(LINK_ADDR_BITS, addr_bits, U, "bits", 32, 64, "address width: 3 or 4 DW headers")        \
	X(LINK_ECRC, ecrc, S, "off|on", 0, 0, "end-to-end CRC, 4 bytes per TLP")                   \
	X(LINK_ACK_EVERY, ack_every, D, "TLPs", 1, 1000, "TLPs received per Ack DLLP")             \
	X(LINK_FC_EVERY, fc_every, D, "TLPs", 1, 1000,                                             \
	  "posted TLPs received per UpdateFC-P DLLP, towards the device")                         \
	X(LINK_SKP_BLOCKS, skp_blocks, U, "blocks", 1, 100000,                                     \
	  "Gen3-5: data blocks between two SKP blocks")                                           \
	X(LINK_SKP_SYMBOLS, skp_symbols, U, "symbols", 1, 1000000,                                 \
	  "Gen1/2: symbols between two SKP sets, the set included")                               \
	X(LINK_EFFICIENCY, efficiency, D, "1", 0.5, 1,                                             \
	  "share of the link's TLP bandwidth that real devices and hosts reach")

#define CQESIM_DRIVER_PARAMS(X)                                                                    \
	X(DRV_CQE_COMP_EN, cqe_comp_en, S, "off|on", 0, 0, "does the driver ask for compression")  \
	X(DRV_MINI_FORMAT, mini_format, S, "hash|csum|ftag_stridx|csum_stridx|l34h_stridx", 0, 0,  \
	  "mini-CQE format that it asks for")                                                     \
	X(DRV_REFEREE_MODE, referee_mode, S, "scalar|vec|none", 0, 0,                              \
	  "receive function of DPDK that this is")                                                \
	X(DRV_INVALIDATE, invalidate, S, "dpdk-scalar|dpdk-vec|linux", 0, 0,                       \
	  "how op_own of consumed session slots is rewritten")                                    \
	X(DRV_RING, ring, U, "entries", 4, 32768, "receive descriptors per queue")                 \
	X(DRV_CQ_FACTOR, cq_factor_compressed, U, "1", 1, 16,                                      \
	  "completion ring entries per descriptor when compression is on (else 1)")               \
	X(DRV_BURST, burst, U, "packets", 1, 4096, "packets asked for per poll")                   \
	X(DRV_REPLENISH, replenish, U, "packets", 1, 32768,                                        \
	  "buffers are posted when so many were consumed, or a quarter of the ring")              \
	X(DRV_PKT_PAD, packet_padding, S, "off|on", 0, 0,                                          \
	  "packet data padded to 64-byte lines on the bus")                                       \
	X(DRV_VLAN_STRIP, vlan_strip, S, "off|on", 0, 0, "VLAN stripping")                         \
	X(DRV_RSS_KEY, rss_key, S, "text", 0, 0, "mlx5, microsoft or 80 hex digits")               \
	X(DRV_RSS_FIELDS, rss_fields, S, "words", 0, 0, "of ipv4, ipv6, tcp, udp")                 \
	X(DRV_RSS_SYMMETRIC, rss_symmetric, S, "off|on", 0, 0, "symmetric Toeplitz")               \
	X(DRV_CYC_POLL, poll_cycles, D, "cycles", 0, 100000, "per poll that finds packets")        \
	X(DRV_CYC_EMPTY, empty_poll_cycles, D, "cycles", 1, 100000, "per poll that finds none")    \
	X(DRV_CYC_PACKET, packet_cycles, D, "cycles", 0, 100000,                                   \
	  "per packet, buffer handling included")                                                 \
	X(DRV_CYC_SESSION, session_cycles, D, "cycles", 0, 100000,                                 \
	  "per compression session, on top of its packets")                                       \
	X(DRV_CYC_MINI, mini_cycles, D, "cycles", 0, 100000,                                       \
	  "per packet of a session, instead of packet_cycles")

#define CQESIM_HOST_PARAMS(X)                                                                      \
	X(HOST_CLOCK, clock, D, "GHz", 0.1, 10, "clock rate of the polling cores")                 \
	X(HOST_CYC_APP, app_cycles, D, "cycles", 0, 1000000, "application, per packet")            \
	X(HOST_CYC_MISS, miss_cycles, D, "cycles", 0, 10000,                                       \
	  "stall per packet for memory that is not in cache")                                     \
	X(HOST_CYC_CALL, app_poll_cycles, D, "cycles", 0, 1000000,                                 \
	  "application, per poll that finds packets")

#define CQESIM_PARAM_ID(id, key, type, unit, lo, hi, meaning) CQESIM_##id,
enum cqesim_device_param { CQESIM_DEVICE_PARAMS(CQESIM_PARAM_ID) CQESIM_DEVICE_PARAM_COUNT };
enum cqesim_link_param { CQESIM_LINK_PARAMS(CQESIM_PARAM_ID) CQESIM_LINK_PARAM_COUNT };
enum cqesim_driver_param { CQESIM_DRIVER_PARAMS(CQESIM_PARAM_ID) CQESIM_DRIVER_PARAM_COUNT };
enum cqesim_host_param { CQESIM_HOST_PARAMS(CQESIM_PARAM_ID) CQESIM_HOST_PARAM_COUNT };
#define CQESIM_PARAM_MAX 24

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
	char *name;  /* for a link the name asked for, overrides included */
	char *title;
	char *notes; /* may be NULL */
	char *file;
	unsigned generation, lanes; /* links only */
	unsigned count;
	struct cqesim_param param[CQESIM_PARAM_MAX];
};

/*
 * Load a profile by name ("connectx-5"), or by path when the name has a '/' or
 * ends in ".yaml".  A link has no path: its name is genGxL (generation 1..5,
 * lanes 1, 2, 4, 8, 16, 32), and may be followed by overrides:
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

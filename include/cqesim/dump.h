/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump.h - completions in logs: find them in a text with anything around them,
 * and say in a sentence what each of them means.
 *
 * cqesim_dump_find() takes any bytes whatever and returns what it recognised,
 * in the order of the input: the 64 bytes of a completion in whatever notation
 * somebody printed them, lines in which a driver or a library tells of a failed
 * completion, counters, and things that look alike and are something else.  The
 * fields of a completion come from the tables of cqe.h; nothing is decoded here.
 * No I/O, no globals; time and memory grow with the input, not faster.
 */
#ifndef CQESIM_DUMP_H
#define CQESIM_DUMP_H

#include "cqesim/common.h"

/* More than this is refused, so that a wrong file is not taken for a log. */
#define CQESIM_DUMP_MAX_BYTES (UINT64_C(256) << 20)
/* Most items that are kept; what comes behind them is not looked at, see unread. */
#define CQESIM_DUMP_MAX_ITEMS (UINT32_C(1) << 18)

enum cqesim_dump_kind {
	CQESIM_DUMP_CQE,       /* bytes of a completion, perhaps not all of them */
	CQESIM_DUMP_STATEMENT, /* a line that tells of a failed completion */
	CQESIM_DUMP_COUNTER,   /* a counter of the driver or the card */
	CQESIM_DUMP_WQE,       /* bytes of a work request, printed beside a completion */
	CQESIM_DUMP_FOREIGN,   /* looks alike and is no mlx5 completion: see reason */
	CQESIM_DUMP_KINDS
};
CQESIM_API const char *cqesim_dump_kind_name(enum cqesim_dump_kind kind);

/* How the bytes were written down. */
enum cqesim_dump_notation {
	CQESIM_DUMP_NO_BYTES,
	CQESIM_DUMP_BYTES, /* 00 00 9d 00 ...: kernel, rte_hexdump, xxd -g1, hexdump -C, gdb x/xb */
	CQESIM_DUMP_WORDS, /* 0000 9d00 ...: xxd; words of the host's order: hexdump, od -x */
	CQESIM_DUMP_DWORDS, /* 00000000 9d005304 ...: libmlx5; of the host's order: DPDK, gdb x/xw
			     */
	CQESIM_DUMP_QWORDS, /* 64-bit words: crash, gdb x/xg */
	CQESIM_DUMP_DIGITS, /* one string of 128 digits */
	CQESIM_DUMP_BINARY, /* the bytes themselves */
	CQESIM_DUMP_NOTATIONS
};
CQESIM_API const char *cqesim_dump_notation_name(enum cqesim_dump_notation notation);

/* Who wrote the line. */
enum cqesim_dump_source {
	CQESIM_DUMP_BY_UNKNOWN,
	CQESIM_DUMP_BY_LIBMLX5,   /* rdma-core's "got completion with error" */
	CQESIM_DUMP_BY_MLX5_IB,   /* Linux, drivers/infiniband/hw/mlx5 */
	CQESIM_DUMP_BY_MLX5_CORE, /* Linux, drivers/net/ethernet/mellanox/mlx5 */
	CQESIM_DUMP_BY_DPDK,
	CQESIM_DUMP_BY_UCX, /* and SPDK's and SNAP's copies of its message */
	CQESIM_DUMP_BY_NCCL,
	CQESIM_DUMP_BY_PERFTEST,
	CQESIM_DUMP_BY_SPDK,
	CQESIM_DUMP_BY_OPENMPI,
	CQESIM_DUMP_BY_LIBFABRIC,
	CQESIM_DUMP_BY_RPCRDMA, /* NFS over RDMA */
	CQESIM_DUMP_BY_NVME,
	CQESIM_DUMP_BY_ISER,  /* initiator and target */
	CQESIM_DUMP_BY_SRP,   /* likewise */
	CQESIM_DUMP_BY_LNET,  /* Lustre's ko2iblnd */
	CQESIM_DUMP_BY_VERBS, /* another program that prints an ibv_wc */
	CQESIM_DUMP_SOURCES
};
CQESIM_API const char *cqesim_dump_source_name(enum cqesim_dump_source source);

/* Why something that looks alike is not decoded. */
enum cqesim_dump_reason {
	CQESIM_DUMP_NO_REASON,
	CQESIM_DUMP_OLD_CARD,     /* mlx4 or mthca: another layout, other codes */
	CQESIM_DUMP_OTHER_VENDOR, /* another vendor's card */
	CQESIM_DUMP_COMMAND,      /* syndrome of a firmware command */
	CQESIM_DUMP_CQ_EVENT,     /* event about the completion queue itself */
	CQESIM_DUMP_ASYNC_EVENT,  /* event about a queue pair, DCT, port */
	CQESIM_DUMP_HEALTH,       /* the firmware's health report */
	CQESIM_DUMP_HEX,          /* hex bytes that are no completion */
	CQESIM_DUMP_ZEROS,        /* 64 zero bytes: nothing was written there */
	CQESIM_DUMP_CODE,         /* machine code in a kernel oops */
	CQESIM_DUMP_REASONS
};
CQESIM_API const char *cqesim_dump_reason_name(enum cqesim_dump_reason reason);
/* A sentence. */
CQESIM_API const char *cqesim_dump_reason_text(enum cqesim_dump_reason reason);

/* Which of the facts are known. */
enum cqesim_dump_fact {
	CQESIM_FACT_SYNDROME = 1u << 0,
	CQESIM_FACT_VENDOR = 1u << 1,
	CQESIM_FACT_HW = 1u << 2,     /* hw_err_synd and hw_synd_type */
	CQESIM_FACT_OPCODE = 1u << 3, /* REQ_ERR, RESP_ERR */
	CQESIM_FACT_STATUS = 1u << 4,
	CQESIM_FACT_QPN = 1u << 5,
	CQESIM_FACT_REMOTE_QPN = 1u << 6,
	CQESIM_FACT_CQN = 1u << 7,
	CQESIM_FACT_WQE = 1u << 8,
	CQESIM_FACT_CI = 1u << 9,
	CQESIM_FACT_WQ_CI = 1u << 10,
	CQESIM_FACT_WQ_SIZE = 1u << 11,
	CQESIM_FACT_SEND_OPCODE = 1u << 12,
	CQESIM_FACT_LKEY = 1u << 13,
	CQESIM_FACT_RKEY = 1u << 14,
	CQESIM_FACT_LENGTH = 1u << 15, /* bytes of a dump, as its heading says */
	CQESIM_FACT_SRQN = 1u << 16,
};

/* What kind of queue a number belongs to, where the text says it. */
enum cqesim_dump_queue {
	CQESIM_DUMP_QP,
	CQESIM_DUMP_SQ,
	CQESIM_DUMP_RQ,
	CQESIM_DUMP_SRQ,
	CQESIM_DUMP_DCI,
	CQESIM_DUMP_DCT,
};

/* What a text, or the bytes, say about one completion. */
struct cqesim_dump_facts {
	uint32_t known; /* of enum cqesim_dump_fact */
	uint32_t qpn, remote_qpn, cqn, srqn;
	uint32_t wqe_index;
	uint32_t ci;    /* consumer index of the CQ */
	uint32_t wq_ci; /* of the work queue */
	uint32_t wq_size;
	uint32_t lkey, rkey;
	uint32_t length;
	uint8_t syndrome;
	uint8_t vendor_err_synd;
	uint8_t hw_err_synd;
	uint8_t hw_synd_type; /* 4 bits: bits 7:4 of byte 53 (KRN mlx5_ifc_cqe_error_syndrome_bits)
			       */
	uint8_t opcode;       /* of the completion */
	uint8_t send_opcode;
	uint8_t status; /* ibv_wc_status */
	uint8_t queue;  /* enum cqesim_dump_queue */
};

/* What clock a line's time stamp is from; only times of the same one compare. */
enum cqesim_dump_clock {
	CQESIM_DUMP_NO_TIME,
	CQESIM_DUMP_SECONDS, /* [ 1141.838463]: since boot, or since 1970 */
	CQESIM_DUMP_DAY,     /* 18:06:44 */
	CQESIM_DUMP_YEAR,    /* Jan 10 18:06:44 */
	CQESIM_DUMP_DATE,    /* 2024-01-10T18:06:44 */
};

enum cqesim_dump_flag {
	CQESIM_DUMP_ANNOUNCED = 1u << 0, /* a heading said that it is one */
	CQESIM_DUMP_SWAPPED = 1u << 1,   /* words were in the host's byte order */
	CQESIM_DUMP_MIXED = 1u << 2,     /* rows of several dumps are interleaved */
	CQESIM_DUMP_SURPLUS = 1u << 3,   /* rows have more bytes than their offsets allow */
	CQESIM_DUMP_WIDE = 1u << 4,      /* second half of a 128-byte completion */
	CQESIM_DUMP_IN_RING = 1u << 5,   /* one slot of several; see slot */
	CQESIM_DUMP_CONFLICT = 1u << 6,  /* what the text says and the bytes differ */
	CQESIM_DUMP_BY_SHAPE = 1u << 7,  /* no heading; recognised by its content */
	CQESIM_DUMP_RATE = 1u << 8,      /* counter: per second */
	CQESIM_DUMP_TABLE = 1u << 9,     /* counter: a cell of a table */
	CQESIM_DUMP_ARRAY = 1u << 10,    /* slot of a session: minis or a hole, no completion */
};

#define CQESIM_DUMP_NONE UINT32_MAX

struct cqesim_dump_item {
	enum cqesim_dump_kind kind;
	enum cqesim_dump_notation notation;
	enum cqesim_dump_source source;
	enum cqesim_dump_reason reason;
	uint32_t flags; /* of enum cqesim_dump_flag */
	uint32_t slot;  /* CQESIM_DUMP_IN_RING: which, from 0 */
	uint64_t line;  /* first line, from 1; binary: 0 */
	uint64_t last_line;
	uint64_t offset;  /* of the first line, in bytes */
	uint32_t same_as; /* index of the item that tells of the same error, or CQESIM_DUMP_NONE */
	enum cqesim_dump_clock clock;
	uint64_t time_ns;
	char device[40];                 /* "mlx5_0", "0000:08:00.0 eth2", a host's name; "" */
	struct cqesim_dump_facts stated; /* by the text, not by the bytes */
	uint64_t known;                  /* bit i: byte i of raw stood in the input */
	uint64_t size;                   /* WQE, hex: bytes seen; statement: 0 */
	uint64_t more;       /* lines that say the same of the same queue, counted but not kept */
	uint64_t value;      /* of a counter; hex: how many blocks of bytes */
	uint8_t raw[64];     /* in memory order; CQE, WQE */
	char name[48];       /* of a counter; what a foreign thing is called */
	char addresses[112]; /* addresses as the text has them: "peer 10.0.0.1<4791>"; "" */
};

struct cqesim_dump {
	struct cqesim_dump_item *items;
	uint32_t count;
	uint64_t lines;          /* of the input */
	uint64_t other_counters; /* that are not known here */
	uint64_t mentions;       /* lines with the name of an error that report none: prose, code */
	uint64_t unread;         /* lines (binary: bytes) at the end that were not looked at */
	uint64_t bytes;
	bool binary;
};

/*
 * Look through size bytes.  Where there are more items than can be kept the rest
 * is not looked at: see unread.  -E2BIG when there are too many bytes,
 * -EINVAL for binary data that are no multiple of 64 bytes, -ENOMEM; *err says
 * which.  Finding nothing is no error.
 */
CQESIM_API int cqesim_dump_find(struct cqesim_dump *dump, const void *input, uint64_t size,
				struct cqesim_error *err);
CQESIM_API void cqesim_dump_free(struct cqesim_dump *dump);

/* Everything known about a completion: from its bytes where they are, else from the text. */
CQESIM_API void cqesim_dump_facts(const struct cqesim_dump_item *item,
				  struct cqesim_dump_facts *facts);

/* Is this a failed completion, told by bytes or by a line? */
CQESIM_API bool cqesim_dump_is_error(const struct cqesim_dump_item *item);
/* Is it one that only follows from an earlier failure? */
CQESIM_API bool cqesim_dump_is_flush(const struct cqesim_dump_item *item);

/* Bytes that no field of rdma-core's struct mlx5_err_cqe, nor hw_err_synd and hw_synd_type, covers.
 */
#define CQESIM_DUMP_ERR_RESERVED UINT64_C(0x000ffff0ffffffff)
/*
 * XOR of all bytes but the owner bit, and 0xff: 0 where the signature byte (62)
 * is right for what is in the dump.
 */
CQESIM_API uint8_t cqesim_dump_signature_residual(const uint8_t raw[64]);

/* ---- what it means ---- */

enum cqesim_dump_where {
	CQESIM_DUMP_LOCAL,       /* on the host that printed it */
	CQESIM_DUMP_REMOTE,      /* on the peer */
	CQESIM_DUMP_PATH,        /* between them, or the peer is gone */
	CQESIM_DUMP_CONSEQUENCE, /* nowhere: an earlier error */
	CQESIM_DUMP_NOWHERE,     /* no error, or not known */
};
CQESIM_API const char *cqesim_dump_where_name(enum cqesim_dump_where where);
CQESIM_API enum cqesim_dump_where cqesim_dump_where(const struct cqesim_dump_facts *facts);

#define CQESIM_DUMP_TEXT 1024u
/* One or two sentences, without a newline; cut to size. */
CQESIM_API void cqesim_dump_explain(const struct cqesim_dump_item *item, char *text, size_t size);

/* What to look at next; NULL behind the last line.  Never NULL itself. */
CQESIM_API const char *const *cqesim_dump_advice(const struct cqesim_dump_facts *facts);

/*
 * What is publicly known of a vendor syndrome.  Grades: A a constant or check in
 * public source maintained by the vendor, B a statement of the vendor's engineer
 * about one case, C several independent logs or an experiment that agree, D one
 * log or one user's guess.
 */
struct cqesim_dump_vendor {
	uint8_t vendor_err_synd;
	uint8_t syndrome;    /* it was always seen with; 0: several */
	int16_t hw_err_synd; /* -1: whatever it is */
	char grade;
	const char *with;    /* in words: syndrome and side */
	const char *meaning; /* A and B: what was said; C and D: NULL, nothing is to be said */
	const char *seen;    /* in public with */
	const char *sources;
};
/* The best fitting row, or NULL: not publicly documented. */
CQESIM_API const struct cqesim_dump_vendor *
cqesim_dump_vendor(const struct cqesim_dump_facts *facts);
/* The whole table, in order of value. */
CQESIM_API extern const struct cqesim_dump_vendor cqesim_dump_vendors[];
CQESIM_API extern const unsigned cqesim_dump_vendor_count;
/* The sentence to print about facts->vendor_err_synd. */
CQESIM_API void cqesim_dump_vendor_text(const struct cqesim_dump_facts *facts, char *text,
					size_t size);

/* ibv_wc_status: "LOC_PROT_ERR" ...; "unknown". */
CQESIM_API const char *cqesim_dump_status_name(unsigned status);
/* The syndrome that ends in that status, 0 when there is none; and the other way round, 255. */
CQESIM_API unsigned cqesim_dump_status_syndrome(unsigned status);
CQESIM_API unsigned cqesim_dump_syndrome_status(unsigned syndrome);

/* What a counter counts, or NULL for a counter that is not known here. */
CQESIM_API const char *cqesim_dump_counter_text(const char *name);

/* Several together. */
struct cqesim_dump_verdict {
	uint32_t root;               /* index of the item that is the cause, or CQESIM_DUMP_NONE */
	uint32_t errors;             /* completions that failed, each told once */
	uint32_t flushes;            /* of these, consequences */
	uint32_t completions;        /* that did not fail */
	char text[CQESIM_DUMP_TEXT]; /* which was first, and how that is known */
};
CQESIM_API void cqesim_dump_verdict(const struct cqesim_dump *dump,
				    struct cqesim_dump_verdict *verdict);

#endif

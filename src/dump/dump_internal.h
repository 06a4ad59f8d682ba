/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_internal.h - what the files of the dump station share.
 *
 *   lines.c     the input as clean lines: colours, quotes, escapes, time stamps
 *   tags.c      what tools put in front of each line
 *   words.c     what stands in a line: keys with numbers, names, marks
 *   lexicon.c   the words that are known
 *   who.c       who wrote a line, and is it about a completion at all
 *   statement.c one line, or two that belong together: what it says
 *   hexrow.c    a line as a row of bytes
 *   headings.c  lines that announce bytes
 *   rows.c      rows to dumps: which row belongs to which
 *   odrows.c    the same for od and hexdump, whose offsets have no radix
 *   image.c     dumps to completions: halves, rings, streams
 *   order.c     what 64 bytes look like; byte order
 *   counters.c  counters and tables of them
 *   find.c      all of it together
 *   names.c     enums and verbs status in words
 *   vendor.c    vendor syndromes: what is publicly known
 *   explain.c   a failed completion in a sentence; explain_good.c: any other
 *   advice.c    what to look at next
 *   verdict.c   several: which was first
 */
#ifndef CQESIM_DUMP_INTERNAL_H
#define CQESIM_DUMP_INTERNAL_H

#include "cqesim/cqe.h"
#include "cqesim/dump.h"

/* ---- lines.c ---- */

/* Longer lines are cut at a space. */
#define DUMP_LINE_MAX 16384u

struct dump_lines {
	const uint8_t *in;
	size_t size, pos;
	uint64_t number; /* of the line at pos, from 1 */
	bool quoted_printable;
	uint64_t time_ns; /* the last time stamp */
	/* the line that was read */
	char text[DUMP_LINE_MAX + 1];
	size_t length;
	uint64_t line; /* its number */
	size_t offset; /* of its first byte */
	enum cqesim_dump_clock clock;
	uint64_t stamp_ns;
};
void dump_lines_begin(struct dump_lines *lines, const uint8_t *in, size_t size);
bool dump_lines_next(struct dump_lines *lines);

/* ---- tags.c ---- */

/* What a tool put in front of a line. */
struct dump_tag {
	char kind;     /* 0: none */
	uint32_t text; /* hash of what stands before the number */
	uint64_t number;
	unsigned length; /* characters of the line */
};
/* Take it off, where the lines around have one as well; last: of the line before. */
void tags_strip(struct dump_lines *lines, struct dump_tag *last);
/* Of which rank the line is: its number and 1, or 0. */
uint32_t tags_rank(const struct dump_tag *tag);

/* ---- words.c ---- */

/* What a line mentions. */
enum dump_mark {
	/* headings and statements */
	MARK_GOT_COMPLETION = 0, /* "got completion with error" */
	MARK_DUMP_CQE,           /* a heading: a completion's bytes follow */
	MARK_DUMP_RING,          /* a completion ring's bytes follow */
	MARK_DUMP_WQE,           /* a work request's bytes follow */
	MARK_ERROR_CQE_ON,       /* mlx5e: "Error cqe on cqn" */
	MARK_ERR_CQE_ON,         /* mlx5e: "ERR CQE on SQ:" */
	MARK_REQUESTER,          /* "Requestor error cqe on cqn" */
	MARK_RESPONDER,
	MARK_POLL_ONE,       /* mlx5_poll_one */
	MARK_WC_ERROR,       /* "WC error:" */
	MARK_UNEXPECTED_CQE, /* DPDK: "Unexpected CQE error" */
	MARK_CQE_ERR,        /* "CQE ERR:", "CQE ERROR" */
	MARK_UCX,            /* "(synd ... vend ...)" in ib_mlx5_log.c, or UCX in the line */
	MARK_NCCL,
	MARK_PERFTEST, /* "syndrom", "Failed status" */
	MARK_SPDK,
	MARK_OPENIB,
	MARK_LIBFABRIC,
	MARK_RPCRDMA,
	MARK_NVME,
	MARK_ISER,
	MARK_SRP,
	MARK_LNET,
	MARK_MLX5,           /* mlx5 anywhere */
	MARK_COMPLETION,     /* completion, cqe, CQ, WC: the line is about one */
	MARK_FAILED,         /* failed, error */
	MARK_NAMED_STATUS,   /* a status in words that nothing else uses */
	MARK_NAMED_SYNDROME, /* MLX5_CQE_SYNDROME_... */
	MARK_UCX_QP,         /* "QP 0x169 wqe[3]:" */
	MARK_AFTERWARDS,     /* SPDK: "abort requests after" and a status that never changes */
	MARK_QP_ERROR,       /* mlx5_ib: "QP 137 error: ... (0x41 0x0 0x0)" */
	/* what is something else */
	MARK_MLX4,
	MARK_OLD_ERR, /* "local QP operation err (QPN" of mthca and mlx4 */
	MARK_OTHER_VENDOR,
	MARK_COMMAND, /* firmware commands, DevX */
	MARK_CQ_EVENT,
	MARK_ASYNC_EVENT,
	MARK_HEALTH,
	MARK_CODE,
};
#define MARKED(words, mark) ((words)->marks >> (mark)&1)

struct dump_words {
	uint64_t marks; /* of enum dump_mark */
	struct cqesim_dump_facts facts;
	bool has_opcode, has_op; /* "opcode 0xd", "OP:0xd": what it is depends on who says it */
	uint64_t opcode, op;
	bool has_bracketed; /* syndrome (0x2f1396) */
	uint64_t syndrome;  /* whatever size */
	bool has_syndrome;
	bool numbered_status;
	bool keyed_status;    /* "status 12", "with error 4" */
	bool keyed_syndrome;  /* "syndrome 0x4", not only its name */
	bool vendor_plain;    /* the vendor's code stands without 0x */
	uint8_t vendor_other; /* and this is what it is in the other base */
	bool weak_status;     /* words that mean other things as well */
	size_t end;           /* of what was understood */
};
void dump_words(const char *text, size_t length, struct dump_words *words);

/* ---- lexicon.c ---- */

enum dump_word_kind {
	WORD_MARK,        /* argument: enum dump_mark */
	WORD_NUMBER,      /* a number follows; argument: enum dump_number */
	WORD_STATUS,      /* argument: ibv_wc_status */
	WORD_WEAK_STATUS, /* words that others use as well */
	WORD_SYNDROME,    /* argument: syndrome */
	WORD_OPCODE,      /* argument: opcode of the completion */
	WORD_SEND,        /* argument: send opcode */
};
enum dump_number {
	NUMBER_SYNDROME,
	NUMBER_SYNDROM, /* perftest: the vendor's */
	NUMBER_VENDOR,
	NUMBER_HW_PAIR,
	NUMBER_HW,
	NUMBER_HW_TYPE,
	NUMBER_STATUS,
	NUMBER_FAILED_STATUS,
	NUMBER_WC_ERROR,
	NUMBER_CQE_ERR,
	NUMBER_ERROR,
	NUMBER_QPN,
	NUMBER_OPCODE_QPN, /* as in the completion: operation in the top byte */
	NUMBER_SQN,
	NUMBER_RQN,
	NUMBER_SRQN,
	NUMBER_DCTN,
	NUMBER_REMOTE_QPN,
	NUMBER_CQN,
	NUMBER_WQE,
	NUMBER_CI,
	NUMBER_WQ_CI,
	NUMBER_WQ_SIZE,
	NUMBER_LKEY,
	NUMBER_RKEY,
	NUMBER_OPCODE,
	NUMBER_OP,
	NUMBER_LENGTH,
};
struct dump_word {
	const char *text; /* lower case unless exact */
	uint8_t kind;
	uint8_t argument;
	uint8_t base; /* of a number without 0x: 10 or 16 */
	bool exact;   /* case matters */
	bool part;    /* may be part of a longer word */
};
extern const struct dump_word dump_lexicon[];
extern const unsigned dump_lexicon_count;

/* ---- hexrow.c ---- */

#define HEXROW_MAX (DUMP_LINE_MAX / 2)

struct hexrow {
	enum cqesim_dump_notation notation;
	bool labelled;
	bool colon; /* behind the label */
	unsigned label_digits;
	uint64_t label;                      /* read as hex */
	uint64_t label_octal, label_decimal; /* read as such; UINT64_MAX when it is none */
	bool prefixed;                       /* 0x before each value */
	bool repeat;                         /* a line with nothing but "*" */
	bool bare;                           /* nothing else in the line */
	bool lone_label; /* a label and nothing behind it: the end of od, or a broken line */
	size_t start;    /* where label or first value begins */
	size_t end;      /* behind the last value */
	unsigned unit;   /* bytes in a value */
	unsigned count;  /* bytes */
	uint8_t bytes[HEXROW_MAX];
};
/* Is this line a row of bytes?  Values are stored as their digits stand. */
bool hexrow_parse(const char *text, size_t length, struct hexrow *row);

/* ---- rows.c, image.c ---- */

enum dump_heads { HEADS_CQE, HEADS_RING, HEADS_WQE };

/* A heading that was seen and whose bytes have not come yet. */
struct dump_heading {
	bool used;
	enum dump_heads what;
	uint64_t line;
	uint64_t length;    /* as it says, or 0 */
	uint32_t rank;
	bool has_statement; /* of the line(s) before: goes into the completion */
	struct cqesim_dump_item statement;
};

#define DUMP_OPEN_MAX 16u
/* Dumps that may be printed at the same time, row by row, with nothing to tell them apart. */
#define DUMP_STREAMS_MAX 4u

/* A row of od or hexdump, whose offsets may be octal, decimal or hexadecimal. */
struct dump_od_row {
	uint64_t label[3];
	size_t at; /* of its bytes */
	unsigned count;
	bool starred; /* "*" stood before it */
};

/* Rows that belong together. */
struct dump_open {
	bool used;
	enum cqesim_dump_notation notation;
	bool labelled, colon, prefixed;
	bool od; /* offsets of unknown radix: placed when all are there */
	struct dump_od_row *rows;
	unsigned row_count, row_room;
	bool starred; /* the last line was "*" */
	bool mixed;   /* another one had the same claim to a row */
	unsigned unit;
	unsigned label_digits;
	uint64_t base; /* label of byte 0 */
	uint64_t last_label;
	unsigned row_bytes;  /* of the first row */
	unsigned last_count; /* of the last row */
	unsigned streams;    /* dumps whose rows may be mixed in here */
	uint32_t prefix;
	uint64_t line, last_line, offset;
	enum cqesim_dump_clock clock;
	uint64_t time_ns;
	bool surplus;
	bool lone;  /* nothing but bytes stood in its lines */
	bool other; /* the line before says that it is something else */
	bool named; /* the line before has the word cqe */
	unsigned heading_count;
	struct dump_heading heading[DUMP_STREAMS_MAX]; /* of each stream */
	uint8_t *bytes;
	uint8_t *known; /* 1 where bytes is from the input */
	size_t size, room;
};

struct dump_finder {
	struct cqesim_dump *out;
	struct cqesim_error *err;
	uint32_t room;
	int failed; /* -ENOMEM, -E2BIG */
	struct dump_lines lines;
	struct dump_tag tag;
	uint32_t ranks[64]; /* of the last lines */
	/* the last line of text, or its beginning: does it name the bytes behind it? */
	uint64_t before_line;
	size_t before_length;
	char before[256];
	struct hexrow row;
	struct dump_words words;
	struct dump_open open[DUMP_OPEN_MAX];
	unsigned open_count;
	bool swapped; /* the last completion's words were in the host's order */
	struct dump_heading headings[8];
	struct cqesim_dump_item pending; /* a statement that may go on in the next line */
	bool has_pending;
	uint32_t alike;     /* statements in a row that say the same */
	bool pending_heads; /* bytes are to follow it */
	enum dump_heads pending_what;
	uint64_t pending_length;
	uint32_t old_card;   /* 1 + index of an old card's error, whose dump may follow */
	uint64_t fill_left;  /* bytes that "*" may still stand for */
	uint64_t text_lines; /* lines that are neither bytes nor empty */
	char table[48];      /* first cell of a table's heading */
	char columns[8][32];
	unsigned column_count;
};

/* A new item, zeroed but for what every item has; NULL when find has failed. */
struct cqesim_dump_item *dump_add(struct dump_finder *f);

void rows_take(struct dump_finder *f);
void rows_heading(struct dump_finder *f, enum dump_heads what,
		  const struct cqesim_dump_item *statement, uint64_t length);
/* Those that nothing was added to for a while; all: all. */
void rows_close(struct dump_finder *f, bool all);

/* ---- headings.c ---- */

/* What stands in front of a row, without times: tells streams apart. */
uint32_t rows_prefix(const char *text, size_t length);
/* Does the line before announce bytes of something else? */
bool headings_other(const struct dump_finder *f);
bool headings_named(const struct dump_finder *f);
/* Is there one whose rows have not come? */
bool headings_wait(const struct dump_finder *f);
/* Those that waited too long; all: all. */
void headings_drop(struct dump_finder *f, bool all);
/* For a new dump: those that wait for it, or what stands in front of its rows. */
void headings_take(struct dump_finder *f, struct dump_open *d);

/* Room for size bytes; false when memory is out. */
bool rows_reserve(struct dump_finder *f, struct dump_open *d, size_t size);
/* od and hexdump: a row, and all of them to their places. */
bool odrows_is(const struct hexrow *row);
void odrows_put(struct dump_finder *f, struct dump_open *d);
void odrows_settle(struct dump_finder *f, struct dump_open *d);

void image_close(struct dump_finder *f, struct dump_open *open);
/* How much 64 bytes look like a completion: 0 not, 4 could be, 10 an error completion. */
unsigned image_score(const uint8_t raw[64]);
/*
 * Bytes that nobody announced.  An error completion must be one in every byte; other
 * completions have too little that is fixed, and are believed only where they are named
 * or there is nothing else in the input (could_be), or a whole ring of them (looks_like_ring).
 */
bool image_is_error(const uint8_t raw[64]);
bool image_could_be(const uint8_t raw[64]);
bool image_looks_like_ring(const uint8_t *bytes, size_t size);
/* Of n packets at a session's title, the slots behind it that are no completions. */
uint32_t image_session_slots(const uint8_t *raw, uint32_t left);
/* Were the words of this dump printed in the host's byte order? */
bool image_swapped(const struct dump_open *d);
void image_swap(uint8_t *bytes, size_t size, unsigned unit);
bool image_binary(struct dump_finder *f, const uint8_t *in, size_t size);

/* ---- who.c ---- */

struct dump_line {
	const char *text;
	size_t length;
	const struct dump_words *w;
};
/* Do the words stand in it, in any case? */
bool line_has(const struct dump_line *l, const char *words);
bool line_knows(const struct dump_line *l, uint32_t facts);
/* Addresses of the peer, where the line has them. */
void line_addresses(const struct dump_line *l, struct cqesim_dump_item *item);
/* Source code quoted in a mail. */
bool line_is_code(const struct dump_line *l);
/* Does a line with the name of an error report one, or only speak of it? */
bool line_reports(const struct dump_line *l, bool stamped);
void line_device(const struct dump_line *l, struct cqesim_dump_item *item);
enum cqesim_dump_source line_source(const struct dump_line *l);
enum cqesim_dump_reason line_foreign(const struct dump_line *l);
/* A row of an older card's dump; goes to the item of its message. */
bool line_of_old_card(struct dump_finder *f, const char *text, size_t length);

/* ---- statement.c, counters.c ---- */

/* A line of text, or the text behind a row. */
void statement_take(struct dump_finder *f, const char *text, size_t length);
/* No more is to come for the one that is pending; rows: because bytes follow. */
void statement_flush(struct dump_finder *f, bool rows);
bool counter_take(struct dump_finder *f);

/* ---- texts ---- */

struct dump_text {
	char *at;
	size_t room;
};
void dump_say(struct dump_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* In words, for sentences: "RDMA write"; NULL for numbers without a name. */
const char *dump_operation(unsigned send_opcode);
void dump_explain_good(const struct cqesim_dump_item *item, struct dump_text *t);

#endif

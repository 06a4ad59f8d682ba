/* SPDX-License-Identifier: BSD-3-Clause */
/* card_modes.h - the ways in which the driver can receive, for test_card_dpdk.c. */
#ifndef CARD_MODES_H
#define CARD_MODES_H

#include <stdbool.h>

struct mode {
	const char *name, *launcher; /* an option of cqesim card, or NULL */
	const char *devargs, *mix;
	const char *options[5]; /* of the program; NULL at the end */
	const char *selected;   /* the receive function that the driver is to choose */
	bool compressed;        /* never with time stamps: the driver then asks for plain ones */
	bool in_turn;           /* one of several queues may be full while others are not */
	const char *known;      /* how the driver differs, and must (NULL: not at all) */
	const char *known2;
	unsigned since, until; /* versions of the driver: 24.11.6 is 241106; 0: all */
};

#define SCALAR   "Scalar,"
#define VECTOR   "Vector SSE,"
#define MPRQ     "Multi-Packet RQ,"
#define MPRQ_VEC "MPRQ Vector SSE,"
#define STRIDES  "mprq_en=1,rxqs_min_mprq=1,"
#define FLAG     "scalar_no_rss_flag_for_hash_0"
#define TITLE    "scalar_hash_of_the_title"
#define NO_HASH  "vector_no_hash_in_session"
#define EXTERNAL "mprq_external_buffer"
#define TYPE     "scalar_l34h_no_packet_type"
#define VLAN     "l34h_vlan_flags"
#define TUNNEL   "vector_l34h_tunnel"
#define MARK     "vector_mark_of_another"

/* card_modes_later.c: what takes a later driver than 22.11's, or is another with it. */
extern const struct mode later_modes[];
extern const int later_modes_count;

#endif

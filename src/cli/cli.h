/* SPDX-License-Identifier: BSD-3-Clause */
/* What the commands share: exit codes, messages, strict parsing of arguments. */
#ifndef CQESIM_CLI_H
#define CQESIM_CLI_H

#include <getopt.h>
#include <stdio.h>

#include "cqesim/common.h"

enum {
	EXIT_GOOD = 0,
	EXIT_INPUT = 1,    /* bad input: a file, a profile, an output that cannot be written */
	EXIT_USAGE = 2,    /* bad arguments */
	EXIT_INTERNAL = 3, /* what was read back is not what was sent */
};

int cmd_replay(int argc, char **argv);
int cmd_card(int argc, char **argv);
int cmd_rq(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_models(int argc, char **argv);
int cmd_decode(int argc, char **argv);
int cmd_encode(int argc, char **argv);
int cmd_walk(int argc, char **argv);
int cmd_link(int argc, char **argv);
int cmd_formats(int argc, char **argv);
int cmd_validate(int argc, char **argv);
int cmd_compare(int argc, char **argv);

/* "cqesim: TEXT" on standard error. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same for arguments, with a hint at --help; returns EXIT_USAGE. */
int usage_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What getopt_long returned '?' or ':' for. */
int bad_option(const char *command, char **argv, int c);

/* Whole numbers, with k, M or G (powers of 1000) when suffix is allowed. */
bool parse_count(const char *text, uint64_t low, uint64_t high, bool suffix, uint64_t *value);

/* --driver: who reads a ring (enum cqesim_invalidate); 0, or EXIT_USAGE after a message. */
int parse_driver(const char *command, const char *text, int *driver);

/* Standard output took everything?  Otherwise complains and returns EXIT_INPUT. */
int close_stdout(void);

#endif

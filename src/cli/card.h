/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of cqesim card: options, private folder, program, report. */
#ifndef CQESIM_CLI_CARD_H
#define CQESIM_CLI_CARD_H

#include <signal.h>
#include <sys/types.h>

#include "cqesim/profile.h"
#include "emu/shared.h"

#define CARD_COMMAND  "card"
#define CARD_WRAP_MAX 4096u

struct card_options {
	struct emu_settings settings;
	const char *devargs, *output;
	const char *wrap; /* words before the program, by spaces, < CARD_WRAP_MAX; NULL: none */
	double duration;  /* seconds; 0: until the program ends */
	bool live, json, no_eal_args, print_env;
	bool source_given, sink_given;
	char **program; /* and its arguments; NULL at the end */
};

/* card_options.c: 0, an exit code, or -1 when --help was all. */
int card_options(struct card_options *o, int argc, char **argv);

/* card_values.c: values of options; 0 or EXIT_USAGE, and it was told why. */
int card_copy_text(const char *option, const char *text, char *to, size_t size);
int card_copy_path(const char *option, const char *text, char *to, size_t size);
int card_parse_count(const char *option, const char *text, uint64_t *value);
int card_parse_positive(const char *option, const char *text, double most, double *value);
int card_parse_policy(const char *text, struct emu_settings *s);
int card_parse_source(const char *text, struct emu_settings *s);
int card_parse_sink(const char *text, struct emu_settings *s);
int card_parse_mac(const char *text, uint8_t mac[6]);
int card_parse_fault(const char *text, struct emu_settings *s);
int card_parse_inject(const char *text, struct emu_settings *s);

/* card_profiles.c: profiles as the library will have them, and a look at the source; 0 or an exit
 * code. */
int card_profiles(struct card_options *o, struct cqesim_profile **device,
		  struct cqesim_profile **link);

/* ---- card_folder.c: the private folder with the device tree and the shared file ---- */

struct card_folder {
	char path[256];
	struct emu_shared *shared; /* mapped */
	int lock;                  /* descriptor of the shared file, locked: the folder is in use */
};

/* kept: for a program that is started by hand. */
int card_folder_create(struct card_folder *folder, const struct emu_settings *settings, bool kept,
		       struct cqesim_error *err);
/* Removes it from the file system; the statistics stay mapped. */
void card_folder_remove(struct card_folder *folder);
/* Of a launcher that was killed: folders that nobody has locked. */
void card_folder_sweep(void);

/* ---- card_program.c ---- */

/* The library: beside the build, as named by CQESIM_CARD_LIBRARY, or installed. */
int card_library(char path[4096], struct cqesim_error *err);
/* The program's arguments with those for EAL put in; an array to be freed, not its texts. */
char **card_arguments(const struct card_options *o);
/* Set what the program needs in this process's environment. */
int card_environment(const struct card_folder *folder, const char *library,
		     struct cqesim_error *err);
/* As lines for a shell. */
void card_print_environment(const struct card_folder *folder, const char *library,
			    char *const *arguments);
/* Run it and wait; *status as waitpid has it.  An errno when it could not be started. */
int card_run(const struct card_options *o, const struct card_folder *folder, char *const *arguments,
	     int *status);

/* ---- card_report.c, card_json.c ---- */

struct card_outcome {
	const struct card_options *o;
	const struct cqesim_profile *device, *link;
	const struct emu_statistics *s;
	int status; /* of the program */
};

int card_report_text(const struct card_outcome *c, FILE *out, struct cqesim_error *err);
int card_report_json(const struct card_outcome *c, FILE *out, struct cqesim_error *err);

/* Figures that both have; NAN: not known. */
struct card_figures {
	double seconds;         /* real time in which packets could arrive */
	double packets_seconds; /* from the first to the last that was delivered or sent */
	double card_seconds;    /* the same in the card's time */
	uint64_t lost;
	double bytes[CQESIM_TRAFFIC_KINDS]; /* per packet delivered (Tx: sent) */
	double up, down;                    /* sums for all of them, per packet delivered */
	double use_up, use_down;            /* share of the link over card_seconds */
	double session_mean, compressed;
	double burst_mean;
	double waiting_mean;
};
void card_figures(const struct card_outcome *c, struct card_figures *f);

#endif

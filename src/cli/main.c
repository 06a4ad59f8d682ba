/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim: the commands. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "common/outfile.h"
#include "cqesim/describe.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{"replay", cmd_replay,
	 "replay packet traces through a model of card, PCIe link and driver"},
	{"compare", cmd_compare, "lay a replay beside the ethtool -S counters of a real machine"},
	{"decode", cmd_decode, "explain the completions in a log, a dump or a ring image"},
	{"encode", cmd_encode, "make completions and rings from a description"},
	{"walk", cmd_walk, "step through a completion ring as a driver does, and say why"},
	{"rq", cmd_rq, "draw and measure receive queues: strides, memory, bursts, aggregation"},
	{"link", cmd_link, "how many packets a card and its PCIe link carry at most, without a trace"},
	{"validate", cmd_validate, "published measurements against the model, figure by figure"},
	{"card", cmd_card, "run a DPDK program on an emulated card, and tell what it did"},
	{"gen", cmd_gen, "write a synthetic workload to a capture file"},
	{"formats", cmd_formats, "where each field of a completion lies, and who says so"},
	{"models", cmd_models, "list and show the profiles of devices, links, drivers and hosts"},
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

void complain(const char *fmt, ...)
{
	va_list ap;

	fputs("cqesim: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

int usage_error(const char *command, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "cqesim%s%s: ", command ? " " : "", command ? command : "");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, " (see: cqesim %s%s--help)\n", command ? command : "", command ? " " : "");
	return EXIT_USAGE;
}

int bad_option(const char *command, char **argv, int c)
{
	const char *word = argv[optind - 1];

	if (c == ':')
		return usage_error(command, "option %s needs a value", word);
	if (!strncmp(word, "--", 2) && strchr(word, '='))
		return usage_error(command, "option %s: unknown, or takes no value", word);
	return usage_error(command, "unknown option %s", word);
}

bool parse_count(const char *text, uint64_t low, uint64_t high, bool suffix, uint64_t *value)
{
	char *end;
	uint64_t scale = 1;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	if (errno)
		return false;
	if (suffix && *end && !end[1]) {
		scale = *end == 'k' || *end == 'K' ? 1000
			: *end == 'M'              ? 1000000
			: *end == 'G'              ? 1000000000
						   : 0;
		end++;
	}
	if (*end || !scale || __builtin_mul_overflow((uint64_t)v, scale, value))
		return false;
	return *value >= low && *value <= high;
}

/* Has the reader of a pipe gone?  errno of the write that met it may be lost by now. */
static bool reader_gone(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return errno == EPIPE || (poll(&out, 1, 0) == 1 && out.revents & POLLERR);
}

int parse_driver(const char *command, const char *text, int *driver)
{
	*driver = cqesim_invalidate_parse(text);
	if (*driver >= 0)
		return 0;
	return usage_error(command, "--driver %s: expected one of dpdk-scalar, dpdk-vec, linux",
			   text);
}

int close_stdout(void)
{
	if (ferror(stdout) || fflush(stdout)) {
		if (reader_gone()) /* head has enough: nothing to complain about */
			return EXIT_INPUT;
		complain("standard output: cannot write: %s", strerror(errno ? errno : EIO));
		return EXIT_INPUT;
	}
	return EXIT_GOOD;
}

static int help(FILE *to)
{
	fputs("usage: cqesim COMMAND [ARGUMENTS]\n\n", to);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fputs("\ncqesim COMMAND --help tells the options of a command; the manual is cqesim(1).\n"
	      "Exit status: 0 good, 1 bad input, 2 bad usage, 3 internal error.\n",
	      to);
	return EXIT_GOOD;
}

/* Leave no half-written file behind, then die of the signal as anybody would. */
static void on_signal(int number)
{
	outfile_remove_all();
	signal(number, SIG_DFL);
	raise(number);
}

/*
 * Whoever starts us without a standard stream must not have a file that we open
 * take its place.  What stands in for it can only fail.
 */
static void fill_standard_streams(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			_exit(EXIT_INPUT);
}

int main(int argc, char **argv)
{
	static const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGXFSZ};

	fill_standard_streams();
	signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error like any other */
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		if (signal(fatal[i], on_signal) == SIG_IGN)
			signal(fatal[i], SIG_IGN); /* as nohup wants it */

	const char *word = argc > 1 ? argv[1] : NULL;
	if (!word) {
		help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "version")) {
		printf("cqesim %s\n", cqesim_version());
		return close_stdout();
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
		static char option[] = "--help";

		if (argc < 3) {
			help(stdout);
			return close_stdout();
		}
		word = argv[2];
		argv[2] = option;
		argc = 3;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(word, commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return usage_error(NULL, "unknown command %s", word);
}

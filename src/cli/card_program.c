/* SPDX-License-Identifier: BSD-3-Clause */
/* The program: library and environment, arguments for EAL, and waiting for its end. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "card.h"
#include "cli.h"
#include "report/report_internal.h"

#define LIBRARY "libcqesim-card.so"
/* After SIGINT, until SIGTERM, and after that until SIGKILL. */
#define PATIENCE_S 5.0
/* --duration counts from the first packet, or from so long after the start. */
#define START_S 20.0

/* ---- the library ---- */

static bool readable(const char *path)
{
	return !access(path, R_OK);
}

/* Beside the executable: .libs of a build folder (libtool may have put us there already). */
static bool beside_us(char *path, size_t size)
{
	static const char *const places[] = {".libs/" LIBRARY, LIBRARY};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n <= 0)
		return false;
	self[n] = '\0';
	slash = strrchr(self, '/');
	for (unsigned i = 0; slash && i < 2; i++) {
		int length = snprintf(path, size, "%.*s/%s", (int)(slash - self), self, places[i]);

		if (length > 0 && (size_t)length < size && readable(path))
			return true;
	}
	return false;
}

int card_library(char path[4096], struct cqesim_error *err)
{
	const char *named = getenv("CQESIM_CARD_LIBRARY");

	if (named && *named) {
		snprintf(path, 4096, "%s", named);
		return readable(path) ? 0
				      : cqesim_fail(err, -errno, "CQESIM_CARD_LIBRARY: %s: %s",
						    named, strerror(errno));
	}
	if (beside_us(path, 4096))
		return 0;
	snprintf(path, 4096, "%s/" LIBRARY, CQESIM_PKGLIBDIR);
	if (readable(path))
		return 0;
	return cqesim_fail(
		err, -ENOENT,
		"%s: not there, nor beside this program; cqesim was built without it (it "
		"takes rdma-core's headers, libibverbs-dev) or it was moved: set "
		"CQESIM_CARD_LIBRARY",
		path);
}

/* ---- arguments ---- */

/* An argument for EAL, and the ones that make it unnecessary. */
static const struct {
	const char *unless[6];
} eal[] = {
	{{"--no-huge", "--huge-dir", "--socket-mem", "--in-memory", "--single-file-segments"}},
	{{"-m", "--socket-mem"}},
	{{"--iova-mode"}},
	{{"--no-telemetry", "--telemetry"}},
	{{"--file-prefix", "--in-memory"}},
	{{"-a", "--allow", "-b", "--block", "--no-pci"}},
};
#define EAL_ARGUMENTS (sizeof(eal) / sizeof(eal[0]))

/* "--key", "--key=value"; "-k", "-kVALUE". */
static bool is_option(const char *argument, const char *option)
{
	size_t n = strlen(option);

	if (strncmp(argument, option, n))
		return false;
	return option[1] != '-' || !argument[n] || argument[n] == '=';
}

static bool given(char *const *program, unsigned which)
{
	for (char *const *a = program + 1; *a && strcmp(*a, "--"); a++)
		for (unsigned i = 0; i < 6 && eal[which].unless[i]; i++)
			if (is_option(*a, eal[which].unless[i]))
				return true;
	return false;
}

/* The words of --wrap, which is static; how many. */
static size_t words(const char *text, char **list, size_t most)
{
	static char copy[CARD_WRAP_MAX];
	size_t n = 0;
	char *rest = NULL;

	if (!text)
		return 0;
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *w = strtok_r(copy, " ", &rest); w && n < most; w = strtok_r(NULL, " ", &rest))
		list[n++] = w;
	return n;
}

char **card_arguments(const struct card_options *o)
{
	static char prefix[64], device[4096];
	char *const texts[EAL_ARGUMENTS][2] = {
		{(char *)"--no-huge"},
		{(char *)"-m", (char *)"1024"},
		{(char *)"--iova-mode=va"},
		{(char *)"--no-telemetry"},
		{(char *)"--file-prefix", prefix},
		{(char *)"-a", device},
	};
	size_t count = 0, at = 0;

	size_t wrap = o->wrap ? strlen(o->wrap) : 0; /* words are no more than letters */

	while (o->program[count])
		count++;
	char **list = calloc(wrap + count + 2 * EAL_ARGUMENTS + 1, sizeof(*list));
	if (!list)
		return NULL;
	snprintf(prefix, sizeof(prefix), "cqesim%d", (int)getpid());
	snprintf(device, sizeof(device), EMU_PCI_ADDRESS "%s%s", o->devargs ? "," : "",
		 o->devargs ? o->devargs : "");
	at = words(o->wrap, list, wrap);
	list[at++] = o->program[0];
	for (unsigned i = 0; !o->no_eal_args && i < EAL_ARGUMENTS; i++)
		for (unsigned k = 0; !given(o->program, i) && k < 2 && texts[i][k]; k++)
			list[at++] = texts[i][k];
	for (size_t i = 1; i < count; i++)
		list[at++] = o->program[i];
	return list;
}

/* ---- environment ---- */

struct variable {
	const char *name;
	char value[2 * PATH_MAX];
};
#define VARIABLES 6u

static void variables(const struct card_folder *f, const char *library, struct variable *v)
{
	const char *preload = getenv("LD_PRELOAD");

	v[0].name = "LD_PRELOAD";
	snprintf(v[0].value, sizeof(v[0].value), "%s%s%s", library, preload && *preload ? ":" : "",
		 preload ? preload : "");
	v[1].name = EMU_FOLDER_VARIABLE;
	snprintf(v[1].value, sizeof(v[1].value), "%s", f->path);
	v[2].name = "SYSFS_PCI_DEVICES";
	snprintf(v[2].value, sizeof(v[2].value), "%s/sys/bus/pci/devices", f->path);
	/* EAL's own files: a folder for systemd services goes before the user's. */
	v[3].name = "RUNTIME_DIRECTORY";
	snprintf(v[3].value, sizeof(v[3].value), "%s/run", f->path);
	v[4].name = "XDG_RUNTIME_DIR";
	snprintf(v[4].value, sizeof(v[4].value), "%s/run", f->path);
	/* The library reads the same profiles. */
	v[5].name = "CQESIM_MODELS";
	snprintf(v[5].value, sizeof(v[5].value), "%s", cqesim_profile_folder());
}

int card_environment(const struct card_folder *f, const char *library, struct cqesim_error *err)
{
	struct variable v[VARIABLES];

	variables(f, library, v);
	for (unsigned i = 0; i < VARIABLES; i++)
		if (setenv(v[i].name, v[i].value, 1))
			return cqesim_fail(err, -errno, "%s: %s", v[i].name, strerror(errno));
	return 0;
}

static void print_quoted(const char *text)
{
	if (!text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789_-./:,=+@%")] &&
	    *text) {
		fputs(text, stdout);
		return;
	}
	putchar('\'');
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*text);
	putchar('\'');
}

void card_print_environment(const struct card_folder *f, const char *library,
			    char *const *arguments)
{
	struct variable v[VARIABLES];

	variables(f, library, v);
	printf("# The card's folder stays: rm -r %s when you are done.\n", f->path);
	fputs("env", stdout);
	for (unsigned i = 0; i < VARIABLES; i++) {
		printf(" %s=", v[i].name);
		print_quoted(v[i].value);
	}
	for (char *const *a = arguments; *a; a++) {
		putchar(' ');
		print_quoted(*a);
	}
	putchar('\n');
}

/* ---- running ---- */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct run {
	const struct card_options *o;
	const struct emu_shared *shared;
	pid_t pid;
	double start, stop_at, next_live;
	int told; /* signals sent for --duration: 0, SIGINT, SIGTERM, SIGKILL */
	uint64_t delivered, lost, sent; /* at the last live line */
};

static void live(struct run *r, double now)
{
	struct emu_statistics s;

	if (now < r->next_live)
		return;
	r->next_live += 1;
	emu_shared_read(r->shared, &s);
	uint64_t lost = cqesim_card_lost(&s.card);
	fprintf(stderr,
		"cqesim card: %6.1f s  received %s (%s in all)  lost %s  sent %s  waiting at most "
		"%s\n",
		now - r->start, report_rate((double)(s.card.delivered - r->delivered)).s,
		report_count(s.card.delivered).s, report_count(lost - r->lost).s,
		report_rate((double)(s.card.sent - r->sent)).s, report_count(s.card.waiting_max).s);
	r->delivered = s.card.delivered;
	r->lost = lost;
	r->sent = s.card.sent;
}

/* --duration: SIGINT, and more than that if it does not end. */
static void stop(struct run *r, double now)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGKILL};

	if (r->o->duration <= 0 || r->told == 3)
		return;
	if (!r->told && r->stop_at == INFINITY &&
	    (r->shared->statistics.phase >= EMU_PHASE_RUNNING || now - r->start > START_S))
		r->stop_at = now + r->o->duration;
	if (now < r->stop_at)
		return;
	kill(r->pid, signals[r->told++]);
	r->stop_at = now + PATIENCE_S;
}

/* A terminal's Ctrl-C reaches the program by itself: it is in our process group. */
static void pass_on(const struct run *r, const siginfo_t *info)
{
	if (info->si_code != SI_KERNEL)
		kill(r->pid, info->si_signo);
}

static int wait_for(struct run *r, const sigset_t *signals)
{
	const struct timespec tick = {.tv_nsec = 50000000};
	siginfo_t info;
	int status;

	for (;;) {
		int signal = sigtimedwait(signals, &info, &tick);

		if (signal > 0 && signal != SIGCHLD)
			pass_on(r, &info);
		pid_t ended = waitpid(r->pid, &status, WNOHANG);
		if (ended == r->pid)
			return status;
		double now = now_s();
		if (r->o->live)
			live(r, now);
		stop(r, now);
	}
}

/* In the child. */
static void start_program(char *const *arguments, const sigset_t *old, int report_to)
{
	static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGXFSZ};
	struct sigaction was;

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!sigaction(ours[i], NULL, &was) && was.sa_handler != SIG_IGN)
			signal(ours[i], SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, old, NULL);
	execvp(arguments[0], arguments);
	int error = errno;
	if (write(report_to, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

int card_run(const struct card_options *o, const struct card_folder *folder, char *const *arguments,
	     int *status)
{
	static const int watched[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct run r = {.o = o, .shared = folder->shared, .stop_at = INFINITY};
	sigset_t signals, old;
	int report[2], error = 0;

	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		sigaddset(&signals, watched[i]);
	sigprocmask(SIG_BLOCK, &signals, &old);
	if (pipe2(report, O_CLOEXEC))
		return errno;
	fflush(NULL);
	r.start = now_s();
	r.next_live = r.start + 1;
	r.pid = fork();
	if (!r.pid) {
		close(report[0]);
		start_program(arguments, &old, report[1]);
	}
	int failed = r.pid < 0 ? errno : 0;
	close(report[1]);
	if (!failed && read(report[0], &error, sizeof(error)) == (ssize_t)sizeof(error)) {
		waitpid(r.pid, NULL, 0);
		failed = error;
	}
	close(report[0]);
	if (!failed)
		*status = wait_for(&r, &signals);
	return failed;
}

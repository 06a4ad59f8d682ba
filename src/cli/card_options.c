/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of cqesim card. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "card.h"
#include "cli.h"

static const char help_text[] =
	"usage: cqesim card [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
	"\n"
	"Runs a DPDK program on an emulated mlx5 card: the packaged, unmodified driver\n"
	"creates its queues on it, receives from it and sends to it. No hardware, kernel\n"
	"module, huge pages or privilege. The report tells what driver and program did.\n"
	"\n"
	"The card\n"
	"  --device NAME        profile of the card (connectx-5)\n"
	"  --link NAME          PCIe link: gen3x16, gen4x8 ... (as the device's profile says)\n"
	"  --set KEY=VALUE      a parameter of either (several)\n"
	"  --cqe-comp off|balanced|aggressive   firmware's compression policy\n"
	"  --no-devx            without DevX: the driver falls back to verbs\n"
	"  --time-scale X       a second of the card's takes X here (1)\n"
	"  --cpu N              CPU of the card's thread (one that no DPDK thread is bound to)\n"
	"  --fault KIND[@N]     for developers: after N packets (1000) the card does something\n"
	"                       wrong once: owner, mini_format, stale_array, lost_completion,\n"
	"                       early_title\n"
	"  --check              look at completions that the driver handed back too (slower)\n"
	"  --mac ADDRESS        the port's (02:c0:e5:1a:00:01; at a cable's end B ..:02)\n"
	"  --inject SYNDROME@PACKET[,rq=N|,sq=N]   an error completion instead of that\n"
	"                       packet (from 1) of receive or send queue N (rq=0); several\n"
	"\n"
	"What arrives\n"
	"  --source synthetic:SPEC | FILE | none   frame=64,flows=1024 and so on, see\n"
	"                       cqesim gen; a capture, again and again; nothing\n"
	"                       (synthetic:frame=64,flows=1024)\n"
	"       numbered:MIX    frames that hold their number, for checking receivers: udp,\n"
	"                       tcp, small, all, jumbo, lro\n"
	"  --rate R             142Mpps | 100G | 80% | line | asis | x2, or\n"
	"                       posted: as fast as the program posts buffers, none is lost\n"
	"                       (synthetic: line; capture: asis)\n"
	"  --limit N            end after N packets\n"
	"  --wait S             begin S seconds after there are buffers: testpmd throws away\n"
	"                       what it finds when it begins\n"
	"  --repeat N           go through the source so many times (for ever)\n"
	"  --sink drop|loop|FILE   what the program sends vanishes, arrives again, or is\n"
	"                       written to a pcapng file (drop)\n"
	"  --cable PATH         to another card: two launchers with one PATH send to each other;\n"
	"                       no other source then, unless --source says so\n"
	"  --check-order        number what arrives, in its source address, and see whether it\n"
	"                       is sent in that order\n"
	"\n"
	"The program\n"
	"  --devargs LIST       arguments of the driver: rxq_cqe_comp_en=1,mprq_en=1 ...\n"
	"  --no-eal-args        put in none of EAL's arguments (else those that are missing:\n"
	"                       --no-huge -m --iova-mode --no-telemetry --file-prefix -a)\n"
	"  --wrap WORDS         put these before it: 'gdb --args', 'valgrind', 'perf record' ...\n"
	"  --duration S         stop it with SIGINT after S seconds of packets\n"
	"  --print-env          make the card's folder, print what to set and run, do no more\n"
	"\n"
	"What is told\n"
	"  --live               counters once a second, on standard error\n"
	"  --json               the report as JSON\n"
	"  --output FILE        the report into a file\n"
	"  --trace FILE         every event of the queues, a JSON object a line\n"
	"  --dumps FOLDER       for the driver's dump files of queues that failed (/var/log)\n"
	"  --verbose            every call of the driver, on standard error\n"
	"\n"
	"Exit status: the program's, or 128 and the signal that ended it; 1 bad input, 2 bad\n"
	"usage before it was started.\n";

enum {
	OPT_DEVICE = 256,
	OPT_LINK,
	OPT_SET,
	OPT_CQE_COMP,
	OPT_NO_DEVX,
	OPT_TIME_SCALE,
	OPT_CPU,
	OPT_CHECK,
	OPT_FAULT,
	OPT_SOURCE,
	OPT_RATE,
	OPT_LIMIT,
	OPT_REPEAT,
	OPT_WAIT,
	OPT_SINK,
	OPT_DEVARGS,
	OPT_NO_EAL_ARGS,
	OPT_WRAP,
	OPT_DURATION,
	OPT_PRINT_ENV,
	OPT_LIVE,
	OPT_JSON,
	OPT_OUTPUT,
	OPT_TRACE,
	OPT_VERBOSE,
	OPT_MAC,
	OPT_INJECT,
	OPT_CHECK_ORDER,
	OPT_DUMPS,
	OPT_CABLE,
};

static const struct option long_options[] = {
	{"device", required_argument, NULL, OPT_DEVICE},
	{"link", required_argument, NULL, OPT_LINK},
	{"set", required_argument, NULL, OPT_SET},
	{"cqe-comp", required_argument, NULL, OPT_CQE_COMP},
	{"no-devx", no_argument, NULL, OPT_NO_DEVX},
	{"time-scale", required_argument, NULL, OPT_TIME_SCALE},
	{"cpu", required_argument, NULL, OPT_CPU},
	{"check", no_argument, NULL, OPT_CHECK},
	{"fault", required_argument, NULL, OPT_FAULT},
	{"source", required_argument, NULL, OPT_SOURCE},
	{"rate", required_argument, NULL, OPT_RATE},
	{"limit", required_argument, NULL, OPT_LIMIT},
	{"wait", required_argument, NULL, OPT_WAIT},
	{"repeat", required_argument, NULL, OPT_REPEAT},
	{"sink", required_argument, NULL, OPT_SINK},
	{"devargs", required_argument, NULL, OPT_DEVARGS},
	{"no-eal-args", no_argument, NULL, OPT_NO_EAL_ARGS},
	{"wrap", required_argument, NULL, OPT_WRAP},
	{"duration", required_argument, NULL, OPT_DURATION},
	{"print-env", no_argument, NULL, OPT_PRINT_ENV},
	{"live", no_argument, NULL, OPT_LIVE},
	{"json", no_argument, NULL, OPT_JSON},
	{"output", required_argument, NULL, OPT_OUTPUT},
	{"trace", required_argument, NULL, OPT_TRACE},
	{"verbose", no_argument, NULL, OPT_VERBOSE},
	{"mac", required_argument, NULL, OPT_MAC},
	{"inject", required_argument, NULL, OPT_INJECT},
	{"check-order", no_argument, NULL, OPT_CHECK_ORDER},
	{"cable", required_argument, NULL, OPT_CABLE},
	{"dumps", required_argument, NULL, OPT_DUMPS},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int parse_option(struct card_options *o, int c, const char *arg)
{
	struct emu_settings *s = &o->settings;
	double seconds;
	uint64_t n;

	switch (c) {
	case OPT_DEVICE:
		return card_copy_text("device", arg, s->device, sizeof(s->device));
	case OPT_LINK:
		return card_copy_text("link", arg, s->link, sizeof(s->link));
	case OPT_SET:
		if (!strchr(arg, '=') || *arg == '=')
			return usage_error(CARD_COMMAND, "--set %s: expected KEY=VALUE", arg);
		if (s->sets == EMU_SETS_MAX)
			return usage_error(CARD_COMMAND, "--set: no more than %u", EMU_SETS_MAX);
		return card_copy_text("set", arg, s->set[s->sets++], sizeof(s->set[0]));
	case OPT_CQE_COMP:
		return card_parse_policy(arg, s);
	case OPT_NO_DEVX:
		s->devx = false;
		return 0;
	case OPT_TIME_SCALE:
		return card_parse_positive("time-scale", arg, 1e6, &s->time_scale);
	case OPT_CPU:
		if (!parse_count(arg, 0, 1023, false, &n))
			return usage_error(CARD_COMMAND, "--cpu %s: expected a CPU, 0 to 1023",
					   arg);
		s->cpu = (int)n;
		return 0;
	case OPT_CHECK:
		s->check = true;
		return 0;
	case OPT_FAULT:
		return card_parse_fault(arg, s);
	case OPT_SOURCE:
		o->source_given = true;
		return card_parse_source(arg, s);
	case OPT_RATE:
		return card_copy_text("rate", arg, s->rate, sizeof(s->rate));
	case OPT_LIMIT:
		return card_parse_count("limit", arg, &s->limit);
	case OPT_REPEAT:
		return card_parse_count("repeat", arg, &s->repeat);
	case OPT_WAIT:
		if (card_parse_positive("wait", arg, 1e5, &seconds))
			return EXIT_USAGE;
		s->wait_ps = (uint64_t)(seconds * 1e12);
		return 0;
	case OPT_SINK:
		o->sink_given = true;
		return card_parse_sink(arg, s);
	case OPT_CABLE:
		if (!*arg)
			return usage_error(CARD_COMMAND, "--cable: expected a file's name");
		return card_copy_path("cable", arg, s->cable, sizeof(s->cable));
	case OPT_DEVARGS:
		o->devargs = arg;
		return 0;
	case OPT_NO_EAL_ARGS:
		o->no_eal_args = true;
		return 0;
	case OPT_WRAP:
		if (!arg[strspn(arg, " ")] || strlen(arg) >= CARD_WRAP_MAX)
			return usage_error(CARD_COMMAND,
					   "--wrap: expected words, of less than %u letters in all",
					   CARD_WRAP_MAX);
		o->wrap = arg;
		return 0;
	case OPT_DURATION:
		return card_parse_positive("duration", arg, 1e9, &o->duration);
	case OPT_PRINT_ENV:
		o->print_env = true;
		return 0;
	case OPT_LIVE:
		o->live = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_OUTPUT:
		o->output = arg;
		return 0;
	case OPT_TRACE:
		return card_copy_path("trace", arg, s->trace, sizeof(s->trace));
	case OPT_VERBOSE:
		s->verbose = true;
		return 0;
	case OPT_MAC:
		s->mac_given = true;
		return card_parse_mac(arg, s->mac);
	case OPT_INJECT:
		return card_parse_inject(arg, s);
	case OPT_CHECK_ORDER:
		s->check_order = true;
		return 0;
	case OPT_DUMPS:
		return card_copy_path("dumps", arg, s->dumps, sizeof(s->dumps));
	default:
		return usage_error(CARD_COMMAND, "unknown option");
	}
}

/* A cable is the sink, and the source if no other is given. */
static int lay_cable(struct card_options *o)
{
	struct emu_settings *s = &o->settings;

	if (!*s->cable)
		return 0;
	if (o->sink_given)
		return usage_error(CARD_COMMAND, "--cable: what is sent goes there; no --sink");
	if (!strcmp(s->cable, s->trace))
		return usage_error(CARD_COMMAND, "--trace %s: --cable is there", s->trace);
	if (!o->source_given)
		s->source = EMU_SOURCE_NONE;
	s->sink = EMU_SINK_CABLE;
	s->cable_end = -1;
	return 0;
}

/* The library opens it, when the program opens a device: what is wrong is better told before. */
static int check_writable(const char *path)
{
	char folder[4096];
	struct stat st;

	if (!*path)
		return 0;
	snprintf(folder, sizeof(folder), "%s", path);
	bool there = !stat(path, &st);
	char *slash = strrchr(folder, '/');
	if (!there && slash)
		slash[slash == folder] = '\0';
	if (there && S_ISDIR(st.st_mode))
		errno = EISDIR;
	else if (!access(there ? path : slash ? folder : ".", W_OK))
		return 0;
	complain("%s: cannot be written: %s", path, strerror(errno));
	return EXIT_INPUT;
}

static int check_together(const struct card_options *o)
{
	const struct emu_settings *s = &o->settings;
	struct stat st;

	if (s->time_scale < 1e-3)
		return usage_error(CARD_COMMAND, "--time-scale: expected 0.001 to 1e6");
	if (!*o->program)
		return usage_error(CARD_COMMAND, "expected a program after --");
	if (o->no_eal_args && o->devargs)
		return usage_error(CARD_COMMAND, "--devargs goes into the arguments for EAL, which "
						 "--no-eal-args leaves alone");
	bool waits = s->sink == EMU_SINK_CABLE && !strcmp(s->rate, "posted");
	if (s->source == EMU_SOURCE_NONE && ((*s->rate && !waits) || s->limit || s->repeat))
		return usage_error(CARD_COMMAND, "--rate, --limit and --repeat need a --source");
	if (*s->dumps && (stat(s->dumps, &st) || !S_ISDIR(st.st_mode)))
		return usage_error(CARD_COMMAND, "--dumps %s: not a folder", s->dumps);
	if (s->sink == EMU_SINK_FILE && !strcmp(s->sink_file, s->trace))
		return usage_error(CARD_COMMAND, "--trace %s: --sink goes there too", s->trace);
	if (check_writable(s->trace) || (s->sink == EMU_SINK_FILE && check_writable(s->sink_file)))
		return EXIT_INPUT;
	return 0;
}

int card_options(struct card_options *o, int argc, char **argv)
{
	int c, rc;

	memset(o, 0, sizeof(*o));
	o->settings = (struct emu_settings){
		.device = "connectx-5",
		.source = EMU_SOURCE_SYNTHETIC,
		.source_text = "frame=64,flows=1024",
		.time_scale = 1,
		.cpu = -1,
		.devx = true,
		/* Locally administered, and recognizable. */
		.mac = {0x02, 0xc0, 0xe5, 0x1a, 0x00, 0x01},
	};
	opterr = 0;
	optind = 1;
	/* "+": options end at the program, also without "--". */
	while ((c = getopt_long(argc, argv, "+:h", long_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(help_text, stdout);
			return -1;
		}
		if (c == '?' || c == ':')
			return bad_option(CARD_COMMAND, argv, c);
		rc = parse_option(o, c, optarg);
		if (rc)
			return rc;
	}
	o->program = argv + optind;
	rc = lay_cable(o);
	return rc ? rc : check_together(o);
}

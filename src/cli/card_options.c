/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of cqesim card. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"
#include "cli.h"
#include "cqesim/trace.h"

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
	"  --check              look at completions that the driver handed back too (slower)\n"
	"\n"
	"What arrives\n"
	"  --source synthetic:SPEC | FILE | none   frame=64,flows=1024 and so on, see\n"
	"                       cqesim gen; a capture, again and again; nothing\n"
	"                       (synthetic:frame=64,flows=1024)\n"
	"  --rate R             142Mpps | 100G | 80% | line | asis | x2, or\n"
	"                       posted: as fast as the program posts buffers, none is lost\n"
	"                       (synthetic: line; capture: asis)\n"
	"  --limit N            end after N packets\n"
	"  --wait S             begin S seconds after there are buffers: testpmd throws away\n"
	"                       what it finds when it begins\n"
	"  --repeat N           go through the source so many times (for ever)\n"
	"  --sink drop|loop|FILE   what the program sends vanishes, arrives again, or is\n"
	"                       written to a capture file (drop)\n"
	"\n"
	"The program\n"
	"  --devargs LIST       arguments of the driver: rxq_cqe_comp_en=1,mprq_en=1 ...\n"
	"  --no-eal-args        put in none of EAL's arguments (else those that are missing:\n"
	"                       --no-huge -m --iova-mode --no-telemetry --file-prefix -a)\n"
	"  --duration S         stop it with SIGINT after S seconds of packets\n"
	"  --print-env          make the card's folder, print what to set and run, do no more\n"
	"\n"
	"What is told\n"
	"  --live               counters once a second, on standard error\n"
	"  --json               the report as JSON\n"
	"  --output FILE        the report into a file\n"
	"  --trace FILE         every event of the queues, a JSON object a line\n"
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
	OPT_SOURCE,
	OPT_RATE,
	OPT_LIMIT,
	OPT_REPEAT,
	OPT_WAIT,
	OPT_SINK,
	OPT_DEVARGS,
	OPT_NO_EAL_ARGS,
	OPT_DURATION,
	OPT_PRINT_ENV,
	OPT_LIVE,
	OPT_JSON,
	OPT_OUTPUT,
	OPT_TRACE,
	OPT_VERBOSE,
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
	{"source", required_argument, NULL, OPT_SOURCE},
	{"rate", required_argument, NULL, OPT_RATE},
	{"limit", required_argument, NULL, OPT_LIMIT},
	{"wait", required_argument, NULL, OPT_WAIT},
	{"repeat", required_argument, NULL, OPT_REPEAT},
	{"sink", required_argument, NULL, OPT_SINK},
	{"devargs", required_argument, NULL, OPT_DEVARGS},
	{"no-eal-args", no_argument, NULL, OPT_NO_EAL_ARGS},
	{"duration", required_argument, NULL, OPT_DURATION},
	{"print-env", no_argument, NULL, OPT_PRINT_ENV},
	{"live", no_argument, NULL, OPT_LIVE},
	{"json", no_argument, NULL, OPT_JSON},
	{"output", required_argument, NULL, OPT_OUTPUT},
	{"trace", required_argument, NULL, OPT_TRACE},
	{"verbose", no_argument, NULL, OPT_VERBOSE},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int copy_text(const char *option, const char *text, char *to, size_t size)
{
	if (strlen(text) >= size)
		return usage_error(CARD_COMMAND, "--%s: longer than %zu characters", option,
				   size - 1);
	strcpy(to, text);
	return 0;
}

/* The program may run in another folder than we. */
static int copy_path(const char *option, const char *text, char *to, size_t size)
{
	char *folder = *text == '/' ? NULL : realpath(".", NULL);
	int n = snprintf(to, size, "%s%s%s", folder ? folder : "", folder ? "/" : "", text);

	free(folder);
	if (n < 0 || (size_t)n >= size)
		return usage_error(CARD_COMMAND, "--%s %s: too long", option, text);
	return 0;
}

static int parse_count_option(const char *option, const char *text, uint64_t *value)
{
	if (parse_count(text, 1, UINT64_MAX / 2, true, value))
		return 0;
	return usage_error(CARD_COMMAND,
			   "--%s %s: expected a whole number from 1, with k, M or G if you like",
			   option, text);
}

static int parse_positive(const char *option, const char *text, double most, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && !*end && *value > 0 && *value <= most)
		return 0;
	return usage_error(CARD_COMMAND, "--%s %s: expected a number above 0, up to %g", option,
			   text, most);
}

static int parse_policy(const char *text, struct emu_settings *s)
{
	static const char *const words[] = {
		[CQESIM_COMP_OFF] = "off",
		[CQESIM_COMP_BALANCED] = "balanced",
		[CQESIM_COMP_AGGRESSIVE] = "aggressive",
	};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i])) {
			s->policy_given = true;
			s->policy = (enum cqesim_compression)i;
			return 0;
		}
	return usage_error(CARD_COMMAND, "--cqe-comp %s: expected one of off, balanced, aggressive",
			   text);
}

static int parse_source(const char *text, struct emu_settings *s)
{
	static const char synthetic[] = "synthetic:";

	if (!strcmp(text, "none")) {
		s->source = EMU_SOURCE_NONE;
		return 0;
	}
	if (!strncmp(text, synthetic, sizeof(synthetic) - 1)) {
		s->source = EMU_SOURCE_SYNTHETIC;
		return copy_text("source", text + sizeof(synthetic) - 1, s->source_text,
				 sizeof(s->source_text));
	}
	if (!strcmp(text, "-"))
		return usage_error(CARD_COMMAND,
				   "--source -: standard input is the program's; expected a file");
	s->source = EMU_SOURCE_CAPTURE;
	return copy_path("source", text, s->source_text, sizeof(s->source_text));
}

static int parse_sink(const char *text, struct emu_settings *s)
{
	if (!strcmp(text, "drop"))
		s->sink = EMU_SINK_DROP;
	else if (!strcmp(text, "loop"))
		s->sink = EMU_SINK_LOOP;
	else if (!*text || !strcmp(text, "-"))
		return usage_error(CARD_COMMAND, "--sink %s: expected drop, loop or a file", text);
	else {
		s->sink = EMU_SINK_FILE;
		return copy_path("sink", text, s->sink_file, sizeof(s->sink_file));
	}
	return 0;
}

static int parse_option(struct card_options *o, int c, const char *arg)
{
	struct emu_settings *s = &o->settings;
	double seconds;
	uint64_t n;

	switch (c) {
	case OPT_DEVICE:
		return copy_text("device", arg, s->device, sizeof(s->device));
	case OPT_LINK:
		return copy_text("link", arg, s->link, sizeof(s->link));
	case OPT_SET:
		if (!strchr(arg, '=') || *arg == '=')
			return usage_error(CARD_COMMAND, "--set %s: expected KEY=VALUE", arg);
		if (s->sets == EMU_SETS_MAX)
			return usage_error(CARD_COMMAND, "--set: no more than %u", EMU_SETS_MAX);
		return copy_text("set", arg, s->set[s->sets++], sizeof(s->set[0]));
	case OPT_CQE_COMP:
		return parse_policy(arg, s);
	case OPT_NO_DEVX:
		s->devx = false;
		return 0;
	case OPT_TIME_SCALE:
		return parse_positive("time-scale", arg, 1e6, &s->time_scale);
	case OPT_CPU:
		if (!parse_count(arg, 0, 1023, false, &n))
			return usage_error(CARD_COMMAND, "--cpu %s: expected a CPU, 0 to 1023",
					   arg);
		s->cpu = (int)n;
		return 0;
	case OPT_CHECK:
		s->check = true;
		return 0;
	case OPT_SOURCE:
		return parse_source(arg, s);
	case OPT_RATE:
		return copy_text("rate", arg, s->rate, sizeof(s->rate));
	case OPT_LIMIT:
		return parse_count_option("limit", arg, &s->limit);
	case OPT_REPEAT:
		return parse_count_option("repeat", arg, &s->repeat);
	case OPT_WAIT:
		if (parse_positive("wait", arg, 1e5, &seconds))
			return EXIT_USAGE;
		s->wait_ps = (uint64_t)(seconds * 1e12);
		return 0;
	case OPT_SINK:
		return parse_sink(arg, s);
	case OPT_DEVARGS:
		o->devargs = arg;
		return 0;
	case OPT_NO_EAL_ARGS:
		o->no_eal_args = true;
		return 0;
	case OPT_DURATION:
		return parse_positive("duration", arg, 1e9, &o->duration);
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
		return copy_path("trace", arg, s->trace, sizeof(s->trace));
	case OPT_VERBOSE:
		s->verbose = true;
		return 0;
	default:
		return usage_error(CARD_COMMAND, "unknown option");
	}
}

static int check_together(const struct card_options *o)
{
	const struct emu_settings *s = &o->settings;

	if (!*o->program)
		return usage_error(CARD_COMMAND, "expected a program after --");
	if (o->no_eal_args && o->devargs)
		return usage_error(CARD_COMMAND, "--devargs goes into the arguments for EAL, which "
						 "--no-eal-args leaves alone");
	if (s->source == EMU_SOURCE_NONE && (*s->rate || s->limit || s->repeat))
		return usage_error(CARD_COMMAND, "--rate, --limit and --repeat need a --source");
	if (s->sink == EMU_SINK_FILE && !strcmp(s->sink_file, s->trace))
		return usage_error(CARD_COMMAND, "--trace %s: --sink goes there too", s->trace);
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
	return check_together(o);
}

/* ---- profiles and source, so that what is wrong is told before the program starts ---- */

static int apply_set(const char *set, struct cqesim_profile *device, struct cqesim_profile *link)
{
	struct cqesim_error err = {""};
	const char *value = strchr(set, '=') + 1;
	char key[160];

	snprintf(key, sizeof(key), "%.*s", (int)(value - 1 - set), set);
	int rc = cqesim_profile_set(device, key, value, &err);
	if (rc == -ENOENT)
		rc = cqesim_profile_set(link, key, value, &err);
	if (rc == -ENOENT)
		return usage_error(CARD_COMMAND,
				   "--set %s: no such parameter of device or link (cqesim models "
				   "show NAME lists them)",
				   set);
	return rc ? usage_error(CARD_COMMAND, "%s", err.text) : 0;
}

static int try_source(const struct card_options *o, uint64_t line_bps)
{
	const struct emu_settings *s = &o->settings;
	bool posted = !strcmp(s->rate, "posted");
	struct cqesim_trace_config config = {0};
	struct cqesim_error err = {""};
	struct cqesim_trace *trace;
	const char *path = s->source_text;

	if (*s->rate && !posted && cqesim_rate_parse(s->rate, line_bps, &config.rate, &err))
		return usage_error(CARD_COMMAND, "--%s", err.text);
	if (s->source == EMU_SOURCE_SYNTHETIC) {
		if (cqesim_trace_open_synthetic(&trace, path, line_bps, &config, &err))
			return usage_error(CARD_COMMAND, "--source synthetic:%s: %s", path,
					   err.text);
	} else if (s->source == EMU_SOURCE_CAPTURE) {
		if (cqesim_trace_open(&trace, &path, 1, &config, &err)) {
			complain("%s", err.text);
			return EXIT_INPUT;
		}
	} else {
		return 0;
	}
	cqesim_trace_close(trace);
	return 0;
}

/* PMD mlx5_pci_id_map (bus driver of DPDK); profiles of other names are taken for a ConnectX-5. */
static uint16_t pci_device(const char *name)
{
	static const struct {
		const char *name;
		uint16_t device;
	} known[] = {
		{"connectx-4lx", 0x1015},  {"connectx-5", 0x1017}, {"connectx-5-ex", 0x1019},
		{"connectx-6-dx", 0x101d}, {"connectx-7", 0x1021},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i].name))
			return known[i].device;
	return 0x1017;
}

int card_profiles(struct card_options *o, struct cqesim_profile **device,
		  struct cqesim_profile **link)
{
	struct emu_settings *s = &o->settings;
	struct cqesim_error err = {""};
	int rc = cqesim_profile_load(device, CQESIM_PROFILE_DEVICE, s->device, &err);

	if (!rc && strcmp(cqesim_profile_text(*device, CQESIM_DEV_QUEUE_MODEL), "mlx5"))
		return usage_error(CARD_COMMAND,
				   "--device %s: not a card that the mlx5 driver knows", s->device);
	if (!rc)
		rc = cqesim_profile_load(
			link, CQESIM_PROFILE_LINK,
			*s->link ? s->link : cqesim_profile_text(*device, CQESIM_DEV_LINK), &err);
	if (rc) {
		complain("%s", err.text);
		return EXIT_INPUT;
	}
	s->pci_device = pci_device((*device)->name);
	for (unsigned i = 0; i < s->sets; i++) {
		int code = apply_set(s->set[i], *device, *link);

		if (code)
			return code;
	}
	double gbps = cqesim_profile_num(*device, CQESIM_DEV_PORT_SPEED);
	return try_source(o, (uint64_t)(gbps * 1e9 + 0.5));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles and source, so that what is wrong is told before the program starts. */
#include <errno.h>
#include <string.h>

#include "card.h"
#include "cli.h"
#include "cqesim/trace.h"

static int apply_set(const char *set, struct cqesim_profile *device, struct cqesim_profile *link)
{
	struct cqesim_error err = {""};
	int rc = cqesim_profile_set_text((struct cqesim_profile *[]){device, link}, 2, set, &err);

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
	} else if (s->source == EMU_SOURCE_NUMBERED) {
		if (cqesim_trace_open_numbered(&trace, path, line_bps, &config, &err))
			return usage_error(CARD_COMMAND, "--source %s", err.text);
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

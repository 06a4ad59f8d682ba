/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim card: a DPDK program on an emulated card. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "card.h"
#include "cli.h"
#include "common/outfile.h"

static int write_report(const struct card_outcome *c)
{
	const struct card_options *o = c->o;
	struct outfile out = {.stream = stdout};
	struct cqesim_error err = {""};
	int rc = 0;

	if (o->output)
		rc = outfile_open(&out, o->output, &err);
	if (!rc)
		rc = o->json ? card_report_json(c, out.stream, &err)
			     : card_report_text(c, out.stream, &err);
	if (o->output && out.stream) {
		int closed = outfile_close(&out, !rc, rc ? NULL : &err);

		rc = rc ? rc : closed;
	}
	if (rc)
		complain("%s", err.text);
	return rc ? EXIT_INPUT : EXIT_GOOD;
}

/* The program's own status, as shells have it. */
static int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_program(const struct card_options *o, const struct cqesim_profile *device,
		       const struct cqesim_profile *link, struct card_folder *folder,
		       const char *library, char **arguments)
{
	struct emu_statistics *s = malloc(sizeof(*s));
	struct cqesim_error err = {""};
	int status = 0;

	if (!s) {
		complain("out of memory");
		return EXIT_INPUT;
	}
	if (card_environment(folder, library, &err)) {
		complain("%s", err.text);
		free(s);
		return EXIT_INPUT;
	}
	int failed = card_run(o, folder, arguments, &status);
	card_folder_remove(folder);
	if (failed) {
		complain("%s: cannot be started: %s%s", arguments[0], strerror(failed),
			 failed == ENOENT && !strcmp(arguments[0], "dpdk-testpmd")
				 ? " (Debian has it in dpdk-dev)"
				 : "");
		free(s);
		return EXIT_INPUT;
	}
	emu_shared_read(folder->shared, s);
	struct card_outcome outcome = {
		.o = o, .device = device, .link = link, .s = s, .status = status};
	int code = write_report(&outcome);
	free(s);
	return exit_status(status) ? exit_status(status) : code ? code : close_stdout();
}

static int with_folder(const struct card_options *o, const struct cqesim_profile *device,
		       const struct cqesim_profile *link)
{
	struct cqesim_error err = {""};
	struct card_folder folder;
	char library[4096];

	if (card_library(library, &err)) {
		complain("%s", err.text);
		return EXIT_INPUT;
	}
	char **arguments = card_arguments(o);
	card_folder_sweep();
	if (!arguments || card_folder_create(&folder, &o->settings, o->print_env, &err)) {
		complain("%s", arguments ? err.text : "out of memory");
		free(arguments);
		return EXIT_INPUT;
	}
	int code;
	if (o->print_env) {
		card_print_environment(&folder, library, arguments);
		code = close_stdout();
	} else {
		code = run_program(o, device, link, &folder, library, arguments);
	}
	munmap(folder.shared, sizeof(*folder.shared));
	free(arguments);
	return code;
}

/* A program that is started by hand takes its end of the cable itself. */
static int with_cable(struct card_options *o, const struct cqesim_profile *device,
		      const struct cqesim_profile *link)
{
	struct emu_settings *s = &o->settings;
	struct cqesim_error err = {""};
	struct cable cable;

	if (s->sink != EMU_SINK_CABLE || o->print_env)
		return with_folder(o, device, link);
	if (cable_take(&cable, s->cable, &err)) {
		complain("%s", err.text);
		return EXIT_INPUT;
	}
	s->cable_end = (int)cable.end;
	s->cable_token = cable.token;
	int code = with_folder(o, device, link);
	cable_leave(&cable);
	return code;
}

int cmd_card(int argc, char **argv)
{
	struct cqesim_profile *device = NULL, *link = NULL;
	struct card_options *o = malloc(sizeof(*o));

	if (!o) {
		complain("out of memory");
		return EXIT_INPUT;
	}
	int code = card_options(o, argc, argv);
	if (code < 0) {
		free(o);
		return close_stdout();
	}
	if (!code)
		code = card_profiles(o, &device, &link);
	if (!code)
		code = with_cable(o, device, link);
	cqesim_profile_free(device);
	cqesim_profile_free(link);
	free(o);
	return code;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim rq: receive queues drawn and measured. */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rq.h"

static unsigned terminal_width(void)
{
	struct winsize size;

	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 20)
		return size.ws_col;
	return REPORT_COLUMNS;
}

/* Sections that the options ask for, in the order of what is asked first. */
static int sections(const struct rq_options *o, struct rq_out *out)
{
	int rc = 0;

	if (o->merge)
		return rq_merge(o, out);
	if (o->bursts)
		return rq_burst(o, out);
	if (!o->queues)
		return rq_sizes(o, out);
	if (o->packets || o->file_count)
		rc = rq_draw(o, out);
	if (!rc)
		rq_memory(o, out);
	return rc;
}

/* A failure leaves standard output empty: what was written is kept until the end. */
static int run(const struct rq_options *o)
{
	struct cqesim_error err = {""};
	struct rq_out out = {.root = o->json ? json_object() : NULL};
	struct report_out text;
	char *buffer = NULL;
	size_t size;
	int rc;

	if (o->json) {
		rc = sections(o, &out);
		if (rc) {
			json_decref(out.root);
			return rc;
		}
		rc = report_dump(&out.json, out.root, stdout, &err);
	} else {
		FILE *f = open_memstream(&buffer, &size);

		if (!f) {
			complain("out of memory");
			return EXIT_INPUT;
		}
		report_begin(&text, f);
		out.text = &text;
		rc = sections(o, &out);
		int failed = report_end(&text, &err);
		if (fclose(f) || failed) {
			complain("out of memory");
			rc = rc ? rc : EXIT_INPUT;
		}
		/* The first section's heading needs no empty line before it. */
		if (!rc)
			fwrite(buffer + (*buffer == '\n'), 1, size - (*buffer == '\n'), stdout);
		free(buffer);
		return rc ? rc : close_stdout();
	}
	if (rc) {
		complain("%s", err.text);
		return EXIT_INPUT;
	}
	return close_stdout();
}

int cmd_rq(int argc, char **argv)
{
	struct rq_options o;
	bool help;
	int rc = rq_options(argc, argv, &o, &help);

	if (!rc && help) {
		fputs(rq_help, stdout);
		rc = close_stdout();
	} else if (!rc) {
		if (!o.width)
			o.width = terminal_width();
		rc = run(&o);
	}
	free(o.packet);
	return rc;
}

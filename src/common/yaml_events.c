/* SPDX-License-Identifier: BSD-3-Clause */
/* See yaml_events.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/yaml_events.h"

int yaml_events_open(struct yaml_events *e, const char *file, const char *kind,
		     const unsigned char *data, size_t size, struct cqesim_error *err)
{
	*e = (struct yaml_events){
		.file = file, .kind = kind, .data = data, .size = size, .err = err};
	if (!yaml_parser_initialize(&e->parser)) {
		memset(&e->parser, 0, sizeof(e->parser));
		return cqesim_fail(err, -ENOMEM, "%s: out of memory", file);
	}
	yaml_parser_set_input_string(&e->parser, data, size);
	return 0;
}

void yaml_events_close(struct yaml_events *e)
{
	yaml_event_delete(&e->event);
	yaml_parser_delete(&e->parser);
}

unsigned yaml_events_line(const struct yaml_events *e)
{
	return (unsigned)e->event.start_mark.line + 1;
}

int yaml_events_refuse(struct yaml_events *e, const char *fmt, ...)
{
	char text[sizeof(e->err->text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return cqesim_fail(e->err, -EINVAL, "%s:%u: %s", e->file, yaml_events_line(e), text);
}

/* libyaml's own complaint.  Where bytes are no text at all it gives an offset, not a line. */
static int syntax_error(struct yaml_events *e)
{
	const yaml_parser_t *p = &e->parser;
	unsigned line = (unsigned)p->problem_mark.line + 1;
	if (p->error == YAML_MEMORY_ERROR)
		return cqesim_fail(e->err, -ENOMEM, "%s: out of memory", e->file);
	if (p->error == YAML_READER_ERROR) {
		line = 1;
		for (size_t i = 0; i < p->problem_offset && i < e->size; i++)
			line += e->data[i] == '\n';
	}
	return cqesim_fail(e->err, -EINVAL, "%s:%u: not YAML: %s", e->file, line,
			   p->problem ? p->problem : "syntax error");
}

int yaml_events_next(struct yaml_events *e)
{
	yaml_event_delete(&e->event);
	if (!yaml_parser_parse(&e->parser, &e->event)) {
		memset(&e->event, 0, sizeof(e->event));
		return syntax_error(e);
	}
	const yaml_event_t *ev = &e->event;
	if (ev->type == YAML_ALIAS_EVENT ||
	    (ev->type == YAML_SCALAR_EVENT && ev->data.scalar.anchor) ||
	    (ev->type == YAML_SEQUENCE_START_EVENT && ev->data.sequence_start.anchor) ||
	    (ev->type == YAML_MAPPING_START_EVENT && ev->data.mapping_start.anchor))
		return yaml_events_refuse(e, "anchors and aliases (& and *) are not for %ss",
					  e->kind);
	if (ev->type == YAML_SCALAR_EVENT &&
	    memchr(ev->data.scalar.value, '\0', ev->data.scalar.length))
		return yaml_events_refuse(e, "a text holds a NUL character");
	return 0;
}

static FILE *open_input(const char *file, bool pipes)
{
	if (pipes && !strcmp(file, "-"))
		return stdin;
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	int fd = open(file, O_RDONLY | O_CLOEXEC | (pipes ? 0 : O_NONBLOCK));
	FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");
	if (fd >= 0 && !f) {
		int code = errno;
		close(fd);
		errno = code;
	}
	return f;
}

int yaml_read_file(const char *file, const char *kind, bool pipes, unsigned char **data,
		   size_t *size, struct cqesim_error *err)
{
	struct stat st;
	*data = NULL;
	*size = 0;
	FILE *f = open_input(file, pipes);
	if (!f)
		return cqesim_fail(err, -errno, "%s: %s", file, strerror(errno));
	const char *name = f == stdin ? "standard input" : file;
	int ret = 0;
	if (fstat(fileno(f), &st))
		ret = cqesim_fail(err, -errno, "%s: %s", name, strerror(errno));
	else if (S_ISDIR(st.st_mode) && pipes)
		ret = cqesim_fail(err, -EISDIR, "%s: %s", name, strerror(EISDIR));
	else if (!S_ISREG(st.st_mode) && !pipes)
		ret = cqesim_fail(err, -EINVAL, "%s: not a regular file", name);
	else if (!(*data = malloc(YAML_FILE_MAX_BYTES + 1)))
		ret = cqesim_fail(err, -ENOMEM, "%s: out of memory", name);
	if (!ret) {
		/* One byte more than allowed, so that a longer file shows, whatever stat said. */
		*size = fread(*data, 1, YAML_FILE_MAX_BYTES + 1, f);
		if (ferror(f))
			ret = cqesim_fail(err, -EIO, "%s: cannot be read", name);
		else if (*size > YAML_FILE_MAX_BYTES)
			ret = cqesim_fail(err, -EINVAL, "%s: larger than 1 MiB, which no %s is",
					  name, kind);
	}
	if (ret) {
		free(*data);
		*data = NULL;
	}
	if (f != stdin)
		fclose(f);
	return ret;
}

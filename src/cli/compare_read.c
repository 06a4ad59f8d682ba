/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All counters of a text of `ethtool -S`, by name.  (sysinfo.h knows the ten that
 * speak of the link, and takes the last of several texts.)
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

#define LINE_MAX_BYTES 4096
#define COUNTERS_MAX   1000000u

void statistics_free(struct statistics *s)
{
	free(s->counter);
	*s = (struct statistics){0};
}

const struct cqesim_counter *statistics_find(const struct statistics *s, const char *name)
{
	for (unsigned i = 0; i < s->count; i++)
		if (!strcmp(s->counter[i].name, name))
			return &s->counter[i];
	return NULL;
}

static int add(struct statistics *s, const char *name, size_t length, uint64_t value)
{
	if (s->count == s->room) {
		unsigned room = s->room ? 2 * s->room : 256;
		void *grown = room <= COUNTERS_MAX ? realloc(s->counter, room * sizeof(*s->counter))
						   : NULL;

		if (!grown)
			return -ENOMEM;
		s->counter = grown;
		s->room = room;
	}
	struct cqesim_counter *c = &s->counter[s->count++];
	snprintf(c->name, sizeof(c->name), "%.*s", (int)length, name);
	c->value = value;
	return 0;
}

/* "     name: 123"; 1: it is one, 0: something else, or an error. */
static int counter_line(struct statistics *s, const char *line)
{
	const char *name = line + strspn(line, " \t");
	const char *colon = strrchr(name, ':');
	char *end;

	if (!colon)
		return 0;
	size_t length = (size_t)(colon - name);
	while (length && name[length - 1] == ' ')
		length--;
	const char *digits = colon + 1 + strspn(colon + 1, " \t");
	/* A name is one word; a longer one than we have is none that we look for. */
	if (!length || memchr(name, ' ', length) || !isdigit((unsigned char)*digits))
		return 0;
	errno = 0;
	uint64_t value = strtoull(digits, &end, 10);
	if (end[strspn(end, " \t\r\n")])
		return 0;
	if (errno)
		return -ERANGE;
	if (length >= sizeof(s->counter->name))
		return 1;
	int rc = add(s, name, length, value);
	return rc ? rc : 1;
}

static int read_lines(FILE *f, const char *file, struct statistics *s, struct cqesim_error *err)
{
	char line[LINE_MAX_BYTES];
	unsigned long number = 0;

	while (fgets(line, sizeof(line), f)) {
		number++;
		if (!strchr(line, '\n') && !feof(f))
			return cqesim_fail(err, -EINVAL,
					   "%s: line %lu: expected the text of ethtool -S, not a "
					   "line of more than %d bytes",
					   file, number, LINE_MAX_BYTES - 2);
		int rc = counter_line(s, line);
		if (rc == -ERANGE)
			return cqesim_fail(err, -EINVAL,
					   "%s: line %lu: expected a counter of 64 bits", file,
					   number);
		if (rc < 0)
			return cqesim_fail(err, rc, "%s: line %lu: out of memory", file, number);
		if (!rc && line[strspn(line, " \t\r\n")] &&
		    strncmp(line, "NIC statistics:", strlen("NIC statistics:")) != 0)
			s->other_lines++;
	}
	if (ferror(f))
		return cqesim_fail(err, -errno, "%s: %s", file, strerror(errno));
	if (!s->count)
		return cqesim_fail(err, -EINVAL,
				   "%s: no counter in it: expected the text of ethtool -S", file);
	return 0;
}

int statistics_read(const char *file, struct statistics *s, struct cqesim_error *err)
{
	bool standard = !strcmp(file, "-");
	FILE *f = standard ? stdin : fopen(file, "r");

	*s = (struct statistics){0};
	if (!f)
		return cqesim_fail(err, -errno, "%s: %s", file, strerror(errno));
	int rc = read_lines(f, standard ? "standard input" : file, s, err);
	if (!standard)
		fclose(f);
	if (rc)
		statistics_free(s);
	return rc;
}

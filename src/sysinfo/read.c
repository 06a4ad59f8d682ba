/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and texts: each line is shown to all that may know it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct cqesim_sysinfo_card *sysinfo_card(struct cqesim_sysinfo *info,
					 const struct sysinfo_address *a)
{
	struct cqesim_sysinfo_card *card;
	char address[CQESIM_SYSINFO_ADDRESS] = "";

	sysinfo_address_print(a, address);
	for (uint32_t i = 0; i < info->card_count; i++)
		if (!strcmp(info->cards[i].address, address))
			return &info->cards[i];
	if (info->card_count == CQESIM_SYSINFO_CARDS) {
		info->cards_left_out++;
		return NULL;
	}
	card = &info->cards[info->card_count++];
	*card = (struct cqesim_sysinfo_card){.numa_node = -1};
	memcpy(card->address, address, sizeof(card->address));
	return card;
}

void sysinfo_port_add(struct cqesim_sysinfo *info, uint32_t domain, uint8_t bus,
		      struct cqesim_sysinfo_width capable)
{
	struct cqesim_sysinfo_port *port = info->ports;

	if (!capable.generation || !capable.lanes || !bus)
		return;
	while (port < info->ports + info->port_count &&
	       (port->domain != domain || port->bus != bus))
		port++;
	if (port == info->ports + CQESIM_SYSINFO_PORTS)
		return;
	if (port == info->ports + info->port_count)
		info->port_count++;
	*port = (struct cqesim_sysinfo_port){domain, bus, capable};
}

/* The port above each card, now that all are known. */
static void find_slots(struct cqesim_sysinfo *info)
{
	for (uint32_t i = 0; i < info->card_count; i++) {
		const char *text = info->cards[i].address;
		struct sysinfo_address a;

		if (!sysinfo_address(&text, &a))
			continue;
		for (uint32_t p = 0; p < info->port_count; p++)
			if (info->ports[p].domain == a.domain && info->ports[p].bus == a.bus)
				info->cards[i].slot = info->ports[p].capable;
	}
}

static void one_line(struct sysinfo_reading *r, const char *line)
{
	struct cqesim_sysinfo *info = r->info;

	info->lines++;
	r->line++;
	if (sysinfo_dmesg_line(r, line))
		info->dmesg_lines++;
	else if (sysinfo_ethtool_line(r, line))
		info->ethtool_lines++;
	else if (sysinfo_lspci_line(r, line)) /* last: what follows a device at the margin is its */
		info->lspci_lines++;
	else
		info->ignored_lines++;
}

/* A line as a string: cut when long, nothing in it that a string cannot have. */
static void copy_line(char to[SYSINFO_LINE_MAX], const char *from, size_t length)
{
	size_t n = length < SYSINFO_LINE_MAX - 1 ? length : SYSINFO_LINE_MAX - 1;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)from[i];

		to[i] = c == '\t' ? '\t' : c < 0x20 || c == 0x7f ? ' ' : (char)c;
	}
	to[n] = '\0';
}

static uint64_t known_lines(const struct cqesim_sysinfo *info)
{
	return info->lspci_lines + info->dmesg_lines + info->ethtool_lines;
}

int cqesim_sysinfo_parse(const void *text, size_t size, const char *name,
			 struct cqesim_sysinfo *info, struct cqesim_error *err)
{
	const char *p = text, *end = p + size;
	struct cqesim_sysinfo *next = malloc(sizeof(*next));
	struct sysinfo_reading r = {.info = next};
	char line[SYSINFO_LINE_MAX];

	if (!next)
		return cqesim_fail(err, -ENOMEM, "%s: out of memory", name);
	*next = *info;
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t length = newline ? (size_t)(newline - p) : (size_t)(end - p);

		copy_line(line, p, length);
		one_line(&r, line);
		p += length + 1;
	}
	sysinfo_lspci_end(&r);
	sysinfo_ethtool_end(&r);
	if (r.wrong_line) {
		free(next);
		return cqesim_fail(err, -EINVAL, "%s: line %llu: %s", name,
				   (unsigned long long)r.wrong_line, r.wrong);
	}
	if (known_lines(next) == known_lines(info)) {
		uint64_t lines = next->lines - info->lines;

		free(next);
		return cqesim_fail(err, -EINVAL,
				   "%s: nothing known in %llu line%s: expected text of lspci -vv, "
				   "dmesg or ethtool -S",
				   name, (unsigned long long)lines, lines == 1 ? "" : "s");
	}
	find_slots(next);
	*info = *next;
	free(next);
	return 0;
}

static int read_all(FILE *f, const char *name, char **text, size_t *size, struct cqesim_error *err)
{
	size_t room = 0, n = 0, got;
	char *bytes = NULL, *more;

	do {
		if (n == room) {
			room = room ? 2 * room : 65536;
			more = realloc(bytes, room);
			if (!more) {
				free(bytes);
				return cqesim_fail(err, -ENOMEM, "%s: out of memory", name);
			}
			bytes = more;
		}
		got = fread(bytes + n, 1, room - n, f);
		n += got;
	} while (got && n <= CQESIM_SYSINFO_BYTES);
	if (ferror(f)) {
		int code = errno ? -errno : -EIO;

		free(bytes);
		return cqesim_fail(err, code, "%s: cannot read: %s", name, strerror(-code));
	}
	if (n > CQESIM_SYSINFO_BYTES) {
		free(bytes);
		return cqesim_fail(err, -E2BIG, "%s: more than %u MiB of text", name,
				   CQESIM_SYSINFO_BYTES >> 20);
	}
	*text = bytes;
	*size = n;
	return 0;
}

int cqesim_sysinfo_read(const char *file, struct cqesim_sysinfo *info, struct cqesim_error *err)
{
	bool input = !strcmp(file, "-");
	const char *name = input ? "standard input" : file;
	FILE *f = input ? stdin : fopen(file, "rb");
	char *text = NULL;
	size_t size = 0;
	int rc;

	if (!f)
		return cqesim_fail(err, -errno, "%s: cannot open: %s", name, strerror(errno));
	errno = 0;
	rc = read_all(f, name, &text, &size, err);
	if (!input)
		fclose(f);
	if (rc)
		return rc;
	rc = cqesim_sysinfo_parse(text, size, name, info, err);
	free(text);
	return rc;
}

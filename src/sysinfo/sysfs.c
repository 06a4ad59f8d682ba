/* SPDX-License-Identifier: BSD-3-Clause */
/* A PCI device's files under bus/pci/devices of sysfs. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* The beginning of a file; how many bytes, 0 if there is none. */
static size_t read_file(const char *sysfs, const char *address, const char *name, void *bytes,
			size_t room)
{
	char path[PATH_MAX];
	ssize_t n = 0, got = 1;
	int fd;

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/%s", sysfs, address, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	while (got > 0 && (size_t)n < room) {
		got = read(fd, (char *)bytes + n, room - (size_t)n);
		n += got > 0 ? got : 0;
	}
	close(fd);
	return (size_t)n;
}

static bool read_line(const char *sysfs, const char *address, const char *name, char line[64])
{
	size_t n = read_file(sysfs, address, name, line, 63);

	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return *line;
}

/* "current" or "max": _link_speed and _link_width. */
static struct cqesim_sysinfo_width width(const char *sysfs, const char *address, const char *which)
{
	struct cqesim_sysinfo_width w = {0};
	char name[32], speed[64], lanes[64], x[66];
	const char *p = speed, *q = x;

	snprintf(name, sizeof(name), "%s_link_speed", which);
	if (!read_line(sysfs, address, name, speed))
		return w;
	snprintf(name, sizeof(name), "%s_link_width", which);
	if (!read_line(sysfs, address, name, lanes))
		return w;
	snprintf(x, sizeof(x), "x%s", lanes);
	w.generation = sysinfo_speed(&p);
	w.lanes = sysinfo_lanes(&q);
	return w.generation && w.lanes ? w : (struct cqesim_sysinfo_width){0};
}

static void driver(const char *sysfs, struct cqesim_sysinfo_card *card)
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/driver", sysfs, card->address);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = '\0';
	char *name = strrchr(target, '/');
	name = name ? name + 1 : target;
	sysinfo_copy(card->driver, sizeof(card->driver), name, strlen(name));
}

void sysinfo_sysfs_card(const char *sysfs, struct cqesim_sysinfo_card *card)
{
	uint8_t space[4096];
	char line[64];

	card->negotiated = width(sysfs, card->address, "current");
	card->capable = width(sysfs, card->address, "max");
	if (card->numa_node < 0 && read_line(sysfs, card->address, "numa_node", line) &&
	    *line >= '0' && *line <= '9')
		card->numa_node = atoi(line);
	driver(sysfs, card);
	sysinfo_config_space(space, read_file(sysfs, card->address, "config", space, sizeof(space)),
			     card);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dmesg: what the kernel says of the way from a card to the host (Linux
 * drivers/pci/pci.c, __pcie_print_link_status; before 5.9 without "PCIe" behind
 * the speed):
 *
 *   mlx5_core 0000:3b:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0
 *     GT/s PCIe x8 link at 0000:3a:00.0 (capable of 126.016 Gb/s with 16.0 GT/s
 *     PCIe x8 link)
 *   mlx5_core 0000:3b:00.0: 126.016 Gb/s available PCIe bandwidth (16.0 GT/s PCIe
 *     x8 link)
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static const char available[] = " Gb/s available PCIe bandwidth";

/* "8.0 GT/s PCIe x8" at text. */
static struct cqesim_sysinfo_width width_at(const char *text)
{
	struct cqesim_sysinfo_width w = {0};

	w.generation = sysinfo_speed(&text);
	while (*text == ' ')
		text++;
	w.lanes = sysinfo_lanes(&text);
	return w.generation && w.lanes ? w : (struct cqesim_sysinfo_width){0};
}

/* The address before `end`, with the driver's name before it; *number what stands between. */
static bool speaker(const char *line, const char *end, struct sysinfo_address *a, char driver[32],
		    const char **number)
{
	for (const char *p = line; p < end; p++) {
		const char *behind = p;

		if ((p > line && isalnum((unsigned char)p[-1])) || !sysinfo_address(&behind, a) ||
		    behind >= end)
			continue;
		const char *word = p;
		while (word > line && word[-1] == ' ')
			word--;
		const char *from = word;
		while (from > line && (isalnum((unsigned char)from[-1]) || from[-1] == '_'))
			from--;
		sysinfo_copy(driver, 32, from, (size_t)(word - from));
		while (*behind == ':' || *behind == ' ')
			behind++;
		*number = behind;
		return isdigit((unsigned char)*behind);
	}
	return false;
}

static void limited(struct cqesim_sysinfo_card *card, const char *text)
{
	const char *at = strstr(text, " link at "), *capable = strstr(text, " Gb/s with ");
	struct sysinfo_address a;

	card->path = width_at(text);
	card->path_at[0] = '\0';
	if (at) {
		at += strlen(" link at ");
		if (sysinfo_address(&at, &a))
			sysinfo_address_print(&a, card->path_at);
	}
	if (capable) {
		struct cqesim_sysinfo_width w = width_at(capable + strlen(" Gb/s with "));

		if (w.lanes)
			card->capable = w;
	}
}

/* The drivers of network cards that tell their bandwidth. */
bool sysinfo_network_driver(const char *driver)
{
	static const char *const known[] = {
		"mlx5_core", "mlx4_core", "ixgbe", "i40e",  "ice",   "idpf", "bnxt_en",
		"bnx2x",     "qede",      "cxgb4", "nfp",   "ionic", "sfc",  "hns3",
		"e1000e",    "igb",       "igc",   "r8169", "tg3",   "ena",
	};

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(driver, known[i]))
			return true;
	return false;
}

bool sysinfo_dmesg_line(struct sysinfo_reading *r, const char *line)
{
	static const char by[] = ", limited by ";
	const char *end = strstr(line, available), *number, *rest;
	struct cqesim_sysinfo_card *card;
	struct sysinfo_address a;
	char driver[32] = "";

	if (!end || !speaker(line, end, &a, driver, &number))
		return false;
	rest = end + strlen(available);
	if (strncmp(rest, by, strlen(by)) && strncmp(rest, " (", 2))
		return false;
	card = sysinfo_card(r->info, &a);
	if (!card)
		return true;
	card->path_gbps = strtod(number, NULL);
	/* "pci" speaks for any device, before there is a driver. */
	if (sysinfo_network_driver(driver))
		card->network = true;
	if (!*card->driver && strcmp(driver, "pci"))
		memcpy(card->driver, driver, sizeof(driver));
	if (*rest == ',') {
		limited(card, rest + strlen(by));
		return true;
	}
	card->path = card->capable = width_at(rest + 2);
	card->path_at[0] = '\0';
	return true;
}

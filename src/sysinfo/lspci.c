/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lspci -vv: a line per device at the margin, its registers indented below.  A
 * register begins with its name and a colon and may go on in further lines
 * (pciutils ls-caps.c).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* Where somebody quotes it, "> " or a bar stands in front. */
static const char *indented(const char *line)
{
	while (*line == ' ' || *line == '\t' || *line == '>' || *line == '|')
		line++;
	return line;
}

/* "[15b3:1019]", the last there is; or "15b3:1019" alone, as lspci -n has it. */
static void find_ids(const char *text, struct cqesim_sysinfo_card *card)
{
	unsigned vendor, device;
	int n;

	for (const char *p = text; *p; p++) {
		n = 0;
		if (*p == '[' && sscanf(p, "[%4x:%4x]%n", &vendor, &device, &n) == 2 && n == 11) {
			card->vendor = vendor;
			card->device = device;
		}
	}
	n = 0;
	if (!card->vendor && sscanf(text, "%4x:%4x%n", &vendor, &device, &n) == 2 && n == 9) {
		card->vendor = vendor;
		card->device = device;
	}
	if (!card->vendor && strstr(text, "Mellanox"))
		card->vendor = 0x15b3;
}

static bool network_class(const char *class, size_t length)
{
	static const char *const words[] = {"Ethernet controller", "Infiniband controller",
					    "Network controller"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (length >= strlen(words[i]) && !strncmp(class, words[i], strlen(words[i])))
			return true;
	if (length == 4 && !strncmp(class, "02", 2)) /* lspci -n */
		return true;
	return length > 6 && !strncmp(class + length - 6, "[02", 3); /* lspci -nn */
}

/* "3b:00.0 Ethernet controller: Mellanox ... (rev 01)"; not one that is indented as registers are.
 */
static bool device_line(struct sysinfo_lspci *l, const char *line)
{
	const char *p = indented(line), *colon, *end;
	struct sysinfo_address a;

	if (memchr(line, '\t', (size_t)(p - line)) || !sysinfo_address(&p, &a) || *p++ != ' ')
		return false;
	if (!strncmp(p, "Class ", 6)) /* unknown to lspci's list */
		p += 6;
	colon = strstr(p, ": ");
	if (!colon || colon == p)
		return false;
	*l = (struct sysinfo_lspci){.open = true, .address = a, .secondary = -1};
	l->card.numa_node = -1;
	l->card.network = network_class(p, (size_t)(colon - p));
	p = colon + 2;
	end = strstr(p, " (rev ");
	sysinfo_copy(l->card.description, sizeof(l->card.description), p,
		     end ? (size_t)(end - p) : strlen(p));
	l->card.virtual_function = strstr(p, "Virtual Function") != NULL;
	find_ids(l->card.description, &l->card);
	return true;
}

/* Does the line begin a register or another heading: "LnkCap:", "Kernel driver in use:"? */
static const char *heading(struct sysinfo_lspci *l, const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]))
		n++;
	if (!n || text[n] != ':')
		return text;
	sysinfo_copy(l->section, sizeof(l->section), text, n);
	return text + n + 1;
}

static void width_in(const char *text, struct cqesim_sysinfo_width *width)
{
	const char *speed = strstr(text, "Speed "), *lanes = strstr(text, "Width ");

	if (speed) {
		speed += strlen("Speed ");
		width->generation = sysinfo_speed(&speed);
	}
	if (lanes) {
		lanes += strlen("Width ");
		width->lanes = sysinfo_lanes(&lanes);
	}
}

static void set_size(unsigned *to, unsigned value)
{
	if (value)
		*to = value;
}

static void set_flag(enum cqesim_sysinfo_flag *to, enum cqesim_sysinfo_flag value)
{
	if (value)
		*to = value;
}

static void device_control(struct cqesim_sysinfo_card *card, const char *text)
{
	set_size(&card->mps, sysinfo_payload(text, "MaxPayload"));
	set_size(&card->mrrs, sysinfo_payload(text, "MaxReadReq"));
	set_flag(&card->relaxed_ordering, sysinfo_flag(text, "RlxdOrd"));
	set_flag(&card->extended_tags, sysinfo_flag(text, "ExtTag"));
}

static void register_line(struct sysinfo_lspci *l, const char *text)
{
	struct cqesim_sysinfo_card *card = &l->card;
	const char *s = l->section;
	uint64_t v;

	if (!strcmp(s, "DevCap")) {
		set_size(&card->mps_capable, sysinfo_payload(text, "MaxPayload"));
	} else if (!strcmp(s, "DevCtl")) {
		device_control(card, text);
	} else if (!strcmp(s, "DevCtl2")) {
		set_flag(&card->ten_bit_tags, sysinfo_flag(text, "10BitTagReq"));
	} else if (!strcmp(s, "LnkCap")) {
		width_in(text, &card->capable);
	} else if (!strcmp(s, "LnkSta")) {
		width_in(text, &card->negotiated);
	} else if (!strcmp(s, "LnkCtl")) {
		if (sysinfo_number(text, "RCB", &v) && (v == 64 || v == 128))
			card->rcb = (unsigned)v;
	} else if (!strcmp(s, "AERCap")) { /* older ones: CGenEn */
		set_flag(&card->ecrc, sysinfo_flag(text, "ECRCGenEn"));
		set_flag(&card->ecrc, sysinfo_flag(text, "CGenEn"));
	} else if (!strcmp(s, "Bus")) {
		unsigned bus;
		const char *p = strstr(text, "secondary=");

		if (p && sscanf(p, "secondary=%2x", &bus) == 1)
			l->secondary = (int)bus;
	} else if (!strcmp(s, "Capabilities")) {
		if (strstr(text, "<access denied>"))
			card->denied = true;
	}
}

static void other_line(struct cqesim_sysinfo_card *card, const char *text)
{
	static const char driver[] = "Kernel driver in use: ";
	uint64_t v;

	if (!strncmp(text, driver, strlen(driver)))
		sysinfo_copy(card->driver, sizeof(card->driver), text + strlen(driver),
			     strlen(text) - strlen(driver));
	else if (!strncmp(text, "NUMA node", 9) && sysinfo_number(text, "NUMA node", &v) &&
		 v < 1024)
		card->numa_node = (int)v;
}

bool sysinfo_lspci_line(struct sysinfo_reading *r, const char *line)
{
	struct sysinfo_lspci *l = &r->lspci, next;
	const char *text = indented(line);

	if (device_line(&next, line)) {
		sysinfo_lspci_end(r);
		*l = next;
		return true;
	}
	if (!l->open)
		return false;
	if (!*text) {
		sysinfo_lspci_end(r);
		return false;
	}
	other_line(&l->card, text);
	register_line(l, heading(l, text));
	return true;
}

static void merge_width(struct cqesim_sysinfo_width *to, struct cqesim_sysinfo_width from)
{
	if (from.generation && from.lanes)
		*to = from;
}

/* What this text says goes before what others said. */
static void merge(struct cqesim_sysinfo_card *to, const struct cqesim_sysinfo_card *from)
{
	memcpy(to->description, from->description, sizeof(to->description));
	if (*from->driver)
		memcpy(to->driver, from->driver, sizeof(to->driver));
	to->network |= from->network;
	to->virtual_function = from->virtual_function;
	to->denied = from->denied;
	if (from->vendor) {
		to->vendor = from->vendor;
		to->device = from->device;
	}
	if (from->numa_node >= 0)
		to->numa_node = from->numa_node;
	merge_width(&to->negotiated, from->negotiated);
	merge_width(&to->capable, from->capable);
	set_size(&to->mps, from->mps);
	set_size(&to->mrrs, from->mrrs);
	set_size(&to->mps_capable, from->mps_capable);
	set_size(&to->rcb, from->rcb);
	set_flag(&to->ecrc, from->ecrc);
	set_flag(&to->relaxed_ordering, from->relaxed_ordering);
	set_flag(&to->extended_tags, from->extended_tags);
	set_flag(&to->ten_bit_tags, from->ten_bit_tags);
}

void sysinfo_lspci_end(struct sysinfo_reading *r)
{
	struct sysinfo_lspci *l = &r->lspci;
	struct cqesim_sysinfo_card *card;

	if (!l->open)
		return;
	l->open = false;
	if (l->secondary >= 0) {
		sysinfo_port_add(r->info, l->address.domain, (uint8_t)l->secondary,
				 l->card.capable);
		return;
	}
	if (!l->card.network && !sysinfo_network_driver(l->card.driver))
		return;
	l->card.network = true;
	card = sysinfo_card(r->info, &l->address);
	if (card)
		merge(card, &l->card);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* --lspci, --dmesg, --ethtool, --local: link, card and sessions as a machine has them. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "link.h"
#include "link_local.h"

/* lspci's words for a card, and the profile that is meant; the longer ones first. */
static const struct {
	const char *words, *device;
} cards[] = {
	{"ConnectX-4 Lx", "connectx-4lx"}, {"ConnectX-5 Ex", "connectx-5-ex"},
	{"ConnectX-5", "connectx-5"},      {"ConnectX-6 Dx", "connectx-6-dx"},
	{"ConnectX-7", "connectx-7"},      {"XL710", "intel-xl710"},
	{"E810-C", "intel-e810"},          {"82599", "intel-82599-kernel"},
	{"BCM57508", "broadcom-57508"},
};

/* The same by number, for machines without lspci's list of names. */
static const struct {
	unsigned vendor, device;
	const char *name;
} numbers[] = {
	{0x15b3, 0x1015, "connectx-4lx"},   {0x15b3, 0x1017, "connectx-5"},
	{0x15b3, 0x1019, "connectx-5-ex"},  {0x15b3, 0x101d, "connectx-6-dx"},
	{0x15b3, 0x1021, "connectx-7"},     {0x8086, 0x1583, "intel-xl710"},
	{0x8086, 0x1592, "intel-e810"},     {0x8086, 0x10fb, "intel-82599-kernel"},
	{0x14e4, 0x1750, "broadcom-57508"},
};

static const char *profile_of(const struct cqesim_sysinfo_card *card)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (card->vendor == numbers[i].vendor && card->device == numbers[i].device)
			return numbers[i].name;
	for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++)
		if (strstr(card->description, cards[i].words))
			return cards[i].device;
	return NULL;
}

void link_remark(struct link_run *run, const char *text)
{
	if (run->remark_count < LINK_REMARKS_MAX)
		snprintf(run->remarks[run->remark_count++], sizeof(run->remarks[0]), "%s", text);
}

static size_t setting(char *text, size_t size, size_t used, const char *key, unsigned value)
{
	if (!value || used >= size)
		return used;
	return used + (size_t)snprintf(text + used, size - used, ",%s=%u", key, value);
}

/* A link's name with what is known of the card's, as --link would have it. */
static void name_link(struct link_run *run, const struct cqesim_sysinfo_card *card)
{
	struct cqesim_sysinfo_width w = cqesim_sysinfo_bottleneck(card);
	char *text = run->link_name;
	size_t size = sizeof(run->link_name), used;

	if (!w.generation || !w.lanes)
		return;
	used = (size_t)snprintf(text, size, "gen%ux%u", w.generation, w.lanes);
	used = setting(text, size, used, "mps", card->mps);
	used = setting(text, size, used, "mrrs", card->mrrs);
	used = setting(text, size, used, "rcb", card->rcb);
	used = setting(text, size, used, "tags", cqesim_sysinfo_tags(card));
	if (card->ecrc == CQESIM_SYSINFO_ON && used < size)
		snprintf(text + used, size - used, ",ecrc=on");
}

/*
 * All that the kernel's log says of a card is its driver; one of mlx5's may be
 * taken as one, where a card with a name that is not in the list is another.
 */
static bool driver_alone(const struct cqesim_sysinfo_card *card)
{
	return !strcmp(card->driver, "mlx5_core") && !card->device && !*card->description;
}

/* An answer for another card would be none. */
static int unknown_card(const struct cqesim_sysinfo_card *card)
{
	char numbers[32] = "";

	if (card->device)
		snprintf(numbers, sizeof(numbers), "%04x:%04x", card->vendor, card->device);
	complain("%s (%s): there is no profile of this card; name one that is like it with "
		 "--device (cqesim models)",
		 card->address,
		 *card->description ? card->description
		 : *numbers         ? numbers
		 : *card->driver    ? card->driver
				    : "nothing else is said of it");
	return EXIT_INPUT;
}

static int use_card(struct link_run *run, struct link_options *o,
		    const struct cqesim_sysinfo_card *card)
{
	const char *name = *card->interfaces ? card->interfaces : card->description;
	const char *device = profile_of(card);
	char text[512], taken[128] = "";

	name_link(run, card);
	if (o->view == LINK_BANDWIDTH) /* whatever the card */
		device = LINK_DEVICE;
	else if (!device && !o->device && !driver_alone(card))
		return unknown_card(card);
	else
		snprintf(taken, sizeof(taken), "; taken as %s%s",
			 o->device ? o->device
			 : device  ? device
				   : LINK_DEVICE,
			 o->device ? ", as --device has it"
			 : device  ? ""
				   : ", since only its driver is known: name yours with --device");
	if (!o->device)
		o->device = device;
	snprintf(text, sizeof(text), "Seen: %s%s%s%s%s%s.", card->address, *name ? " " : "", name,
		 *run->link_name ? " on " : "", run->link_name, taken);
	link_remark(run, text);
	return 0;
}

/* Measured sessions, unless the command line has its own. */
static void use_counters(struct link_options *o, const struct cqesim_sysinfo *info)
{
	uint64_t blks = info->counters[CQESIM_SYSINFO_COMPRESS_BLKS];
	uint64_t pkts = info->counters[CQESIM_SYSINFO_COMPRESS_PKTS];
	uint64_t all = info->counters[CQESIM_SYSINFO_RX_PACKETS];

	if (!(cqesim_sysinfo_session(info) > 0) || o->session.den || !o->compression || o->cqe ||
	    o->direction == CQESIM_TX)
		return;
	/* In the enhanced layout the title's packet is not among those counted. */
	if (o->compression == CQESIM_CQE_ENHANCED)
		pkts += blks;
	/* Counters have so many digits that sums of them would not stay exact. */
	o->session = cqesim_fraction((uint64_t)(1000.0 * (double)pkts / (double)blks + 0.5), 1000);
	if (o->session.num < o->session.den)
		o->session = cqesim_fraction(1, 1);
	if (!o->compressed.den && all >= pkts && info->has >> CQESIM_SYSINFO_RX_PACKETS & 1)
		o->compressed = cqesim_fraction(
			(uint64_t)(1000.0 * (double)pkts / (double)all + 0.5), 1000);
}

static int read_files(const struct link_options *o, struct cqesim_sysinfo *info)
{
	struct cqesim_error err = {""};

	for (unsigned i = 0; i < o->texts; i++)
		if (cqesim_sysinfo_read(o->text[i], info, &err)) {
			complain("%s", err.text);
			return EXIT_INPUT;
		}
	return 0;
}

static int look(struct link_run *run, struct link_options *o, struct cqesim_sysinfo *info)
{
	const struct cqesim_sysinfo_card *card = NULL;
	char text[CQESIM_SYSINFO_REMARK];
	struct cqesim_error err = {""};
	int code = read_files(o, info);

	if (code)
		return code;
	if (o->local) {
		card = link_local_card(o->card, info);
		if (!card)
			return EXIT_INPUT;
	} else if (info->card_count) {
		card = cqesim_sysinfo_pick(info, o->card, &err);
		if (!card) {
			complain("%s (--card NAME)", err.text);
			return EXIT_INPUT;
		}
	}
	if (card)
		code = use_card(run, o, card);
	use_counters(o, info);
	for (unsigned n = 0; cqesim_sysinfo_remark(info, card, n, text); n++)
		link_remark(run, text);
	return code;
}

int link_sysinfo(struct link_run *run, struct link_options *o)
{
	if (!o->texts && !o->local)
		return 0;
	struct cqesim_sysinfo *info = calloc(1, sizeof(*info));
	if (!info) {
		complain("out of memory");
		return EXIT_INPUT;
	}
	int code = look(run, o, info);
	free(info);
	return code;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* One card of several, and what it says of the link. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define MELLANOX 0x15b3u

static bool has_interface(const struct cqesim_sysinfo_card *card, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = card->interfaces; *p; p += strcspn(p, " "), p += *p == ' ')
		if (strcspn(p, " ") == n && !strncmp(p, name, n))
			return true;
	return false;
}

/* ", "-separated addresses of the cards that might be meant, for messages. */
static void list(const struct cqesim_sysinfo *info, char *text, size_t room)
{
	size_t n = 0;

	*text = '\0';
	for (uint32_t i = 0; i < info->card_count && n + 24 < room; i++)
		if (!info->cards[i].virtual_function)
			n += (size_t)snprintf(text + n, room - n, "%s%s", n ? ", " : "",
					      info->cards[i].address);
}

static const struct cqesim_sysinfo_card *named(const struct cqesim_sysinfo *info, const char *name,
					       struct cqesim_error *err)
{
	const char *p = name;
	struct sysinfo_address a;
	char address[CQESIM_SYSINFO_ADDRESS] = "", all[256];

	if (sysinfo_address(&p, &a) && !*p)
		sysinfo_address_print(&a, address);
	for (uint32_t i = 0; i < info->card_count; i++)
		if (!strcmp(info->cards[i].address, address) ||
		    has_interface(&info->cards[i], name))
			return &info->cards[i];
	list(info, all, sizeof(all));
	cqesim_fail(err, -ENODEV, "no network card %.64s: there %s %s", name,
		    strchr(all, ',') ? "are" : "is", *all ? all : "none");
	return NULL;
}

/* Functions of one card share all but the last digit. */
static bool same_card(const struct cqesim_sysinfo_card *a, const struct cqesim_sysinfo_card *b)
{
	return !strncmp(a->address, b->address, strcspn(a->address, "."));
}

struct choice {
	bool network, physical, mellanox; /* only such */
};

static bool wanted(const struct cqesim_sysinfo_card *card, struct choice c)
{
	return (!c.network || card->network) && (!c.physical || !card->virtual_function) &&
	       (!c.mellanox || card->vendor == MELLANOX || !strncmp(card->driver, "mlx", 3));
}

/* The first function of the only card of this kind; *cards: how many there are. */
static const struct cqesim_sysinfo_card *only(const struct cqesim_sysinfo *info, struct choice c,
					      unsigned *cards)
{
	const struct cqesim_sysinfo_card *first = NULL;

	*cards = 0;
	for (uint32_t i = 0; i < info->card_count; i++) {
		const struct cqesim_sysinfo_card *card = &info->cards[i];

		if (!wanted(card, c))
			continue;
		if (first && same_card(first, card)) {
			if (strcmp(card->address, first->address) < 0)
				first = card;
			continue;
		}
		if (!first)
			first = card;
		++*cards;
	}
	return *cards == 1 ? first : NULL;
}

const struct cqesim_sysinfo_card *cqesim_sysinfo_pick(const struct cqesim_sysinfo *info,
						      const char *name, struct cqesim_error *err)
{
	static const struct choice choices[] = {
		{.network = true, .physical = true},
		{.network = true, .physical = true, .mellanox = true},
		{.network = true},
		{.physical = false},
	};
	char all[256];

	if (name)
		return named(info, name, err);
	for (unsigned i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		unsigned cards;
		const struct cqesim_sysinfo_card *card = only(info, choices[i], &cards);

		if (card)
			return card;
	}
	list(info, all, sizeof(all));
	if (*all)
		cqesim_fail(err, -EINVAL, "several network cards, name one: %s%s", all,
			    info->cards_left_out ? ", ..." : "");
	else
		cqesim_fail(err, -ENODEV, "no network card in what was read");
	return NULL;
}

double cqesim_sysinfo_gbps(struct cqesim_sysinfo_width width)
{
	static const double lane[] = {0,
				      2.5 * 8 / 10,
				      5.0 * 8 / 10,
				      8.0 * 128 / 130,
				      16.0 * 128 / 130,
				      32.0 * 128 / 130,
				      64.0 * 236 / 256};

	return width.generation <= 6 ? lane[width.generation] * width.lanes : 0;
}

struct cqesim_sysinfo_width cqesim_sysinfo_bottleneck(const struct cqesim_sysinfo_card *card)
{
	double own = cqesim_sysinfo_gbps(card->negotiated), path = cqesim_sysinfo_gbps(card->path);

	return own <= 0 || (path > 0 && path < own) ? card->path : card->negotiated;
}

bool cqesim_sysinfo_degraded(const struct cqesim_sysinfo_card *card)
{
	double now = cqesim_sysinfo_gbps(cqesim_sysinfo_bottleneck(card));

	return now > 0 && now < cqesim_sysinfo_gbps(card->capable);
}

unsigned cqesim_sysinfo_link(const struct cqesim_sysinfo_card *card,
			     struct cqesim_link_config *config)
{
	struct cqesim_sysinfo_width w = cqesim_sysinfo_bottleneck(card);
	unsigned set = 0;

	if (w.generation && w.lanes) {
		config->generation = w.generation;
		config->lanes = w.lanes;
		set += 2;
	}
	if (card->mps) {
		config->mps = card->mps;
		set++;
	}
	if (card->mrrs) {
		config->mrrs = card->mrrs;
		set++;
	}
	if (card->rcb) {
		config->rcb = card->rcb;
		set++;
	}
	if (card->ecrc) {
		config->ecrc = card->ecrc == CQESIM_SYSINFO_ON;
		set++;
	}
	return set;
}

unsigned cqesim_sysinfo_tags(const struct cqesim_sysinfo_card *card)
{
	if (card->ten_bit_tags == CQESIM_SYSINFO_ON)
		return 768;
	return card->extended_tags == CQESIM_SYSINFO_ON    ? 256
	       : card->extended_tags == CQESIM_SYSINFO_OFF ? 32
							   : 0;
}

double cqesim_sysinfo_session(const struct cqesim_sysinfo *info)
{
	uint64_t blks = info->counters[CQESIM_SYSINFO_COMPRESS_BLKS];
	uint64_t pkts = info->counters[CQESIM_SYSINFO_COMPRESS_PKTS];

	return blks && pkts >= blks ? (double)pkts / (double)blks : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_sysinfo.c - any bytes as text of lspci, dmesg and ethtool: what is found must
 * be possible, and every card found can be picked, used and spoken of.  The first
 * bytes are tried as a configuration space, too.
 */
#include <errno.h>

#include "cqesim/sysinfo.h"
#include "fuzz.h"
#include "sysinfo/internal.h"

static bool power_of_two(unsigned v, unsigned low, unsigned high)
{
	return !v || (v >= low && v <= high && !(v & (v - 1)));
}

/* A string in its room, of printable characters. */
static void require_text(const char *text, size_t room)
{
	FUZZ_REQUIRE(memchr(text, '\0', room));
	for (; *text; text++)
		FUZZ_REQUIRE((unsigned char)*text >= 0x20 && (unsigned char)*text < 0x7f);
}

static void require_width(struct cqesim_sysinfo_width w)
{
	FUZZ_REQUIRE(w.generation <= 6);
	FUZZ_REQUIRE(w.lanes == 12 || power_of_two(w.lanes, 1, 32));
	FUZZ_REQUIRE(cqesim_sysinfo_gbps(w) >= 0);
}

static void require_settings(const struct cqesim_sysinfo_card *card)
{
	FUZZ_REQUIRE(power_of_two(card->mps, 128, 4096));
	FUZZ_REQUIRE(power_of_two(card->mps_capable, 128, 4096));
	FUZZ_REQUIRE(power_of_two(card->mrrs, 128, 4096));
	FUZZ_REQUIRE(!card->rcb || card->rcb == 64 || card->rcb == 128);
	FUZZ_REQUIRE(card->ecrc <= CQESIM_SYSINFO_ON);
	FUZZ_REQUIRE(card->relaxed_ordering <= CQESIM_SYSINFO_ON);
	FUZZ_REQUIRE(card->extended_tags <= CQESIM_SYSINFO_ON);
	FUZZ_REQUIRE(card->ten_bit_tags <= CQESIM_SYSINFO_ON);
}

static void require_remarks(const struct cqesim_sysinfo *info,
			    const struct cqesim_sysinfo_card *card)
{
	char text[CQESIM_SYSINFO_REMARK];
	unsigned n = 0;

	for (; cqesim_sysinfo_remark(info, card, n, text); n++) {
		require_text(text, sizeof(text));
		fuzz_require_message(text);
	}
	FUZZ_REQUIRE(n < 20);
}

/* What goes into a link is a link. */
static void require_link(const struct cqesim_sysinfo_card *card)
{
	struct cqesim_link_config c = {
		.generation = 3,
		.lanes = 8,
		.mps = 256,
		.mrrs = 512,
		.rcb = 64,
		.addr_bits = 64,
		.ack_every = 1,
		.fc_every = 1,
		.skp_blocks = 370,
		.skp_symbols = 1538,
		.efficiency = 1,
	};
	struct cqesim_link link;

	FUZZ_REQUIRE(cqesim_sysinfo_link(card, &c) <= 6);
	FUZZ_REQUIRE(cqesim_link_init(&link, &c, NULL) == 0);
}

static void check_card(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card)
{
	struct cqesim_error err;

	require_text(card->address, sizeof(card->address));
	require_text(card->description, sizeof(card->description));
	require_text(card->driver, sizeof(card->driver));
	require_text(card->path_at, sizeof(card->path_at));
	require_width(card->negotiated);
	require_width(card->capable);
	require_width(card->slot);
	require_width(card->path);
	require_settings(card);
	FUZZ_REQUIRE(card->numa_node >= -1);
	FUZZ_REQUIRE(cqesim_sysinfo_pick(info, card->address, &err) == card);
	(void)cqesim_sysinfo_degraded(card);
	require_link(card);
	require_remarks(info, card);
}

static void check_config_space(const uint8_t *data, size_t size)
{
	struct cqesim_sysinfo_card card = {.numa_node = -1};

	sysinfo_config_space(data, size < 4096 ? size : 4096, &card);
	require_settings(&card);
}

FUZZ_TARGET(sysinfo)
{
	static struct cqesim_sysinfo info, before;
	struct cqesim_error err = {""};

	memset(&info, 0, sizeof(info));
	check_config_space(data, size);
	/* Twice: what is known already is another way through. */
	for (unsigned turn = 0; turn < 2; turn++) {
		before = info;
		if (cqesim_sysinfo_parse(data, size, "fuzz", &info, &err)) {
			fuzz_require_message(err.text);
			FUZZ_REQUIRE(!memcmp(&before, &info, sizeof(info)));
			return 0;
		}
		FUZZ_REQUIRE(info.lines == info.lspci_lines + info.dmesg_lines +
						   info.ethtool_lines + info.ignored_lines);
		FUZZ_REQUIRE(info.card_count <= CQESIM_SYSINFO_CARDS);
		FUZZ_REQUIRE(info.port_count <= CQESIM_SYSINFO_PORTS);
		FUZZ_REQUIRE(info.has >> CQESIM_SYSINFO_COUNTERS == 0);
		for (uint32_t i = 0; i < info.card_count; i++)
			check_card(&info, &info.cards[i]);
		if (!cqesim_sysinfo_pick(&info, NULL, &err))
			fuzz_require_message(err.text);
		require_remarks(&info, NULL);
		FUZZ_REQUIRE(cqesim_sysinfo_session(&info) >= 0);
	}
	FUZZ_REQUIRE(info.lines == 2 * before.lines);
	return 0;
}

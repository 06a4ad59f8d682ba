/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ethtool -S: "NIC statistics:" and a counter a line, or what grep left of it.
 * The last text counts, since counters only grow.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define SESSION_MAX 65535u
#define TOO_LARGE   "a counter of more than 64 bits"

static const char *const names[CQESIM_SYSINFO_COUNTERS] = {
	[CQESIM_SYSINFO_RX_PACKETS] = "rx_packets",
	[CQESIM_SYSINFO_COMPRESS_BLKS] = "rx_cqe_compress_blks",
	[CQESIM_SYSINFO_COMPRESS_PKTS] = "rx_cqe_compress_pkts",
	[CQESIM_SYSINFO_STALLED_RD] = "outbound_pci_stalled_rd",
	[CQESIM_SYSINFO_STALLED_WR] = "outbound_pci_stalled_wr",
	[CQESIM_SYSINFO_STALLED_RD_EVENTS] = "outbound_pci_stalled_rd_events",
	[CQESIM_SYSINFO_STALLED_WR_EVENTS] = "outbound_pci_stalled_wr_events",
	[CQESIM_SYSINFO_BUFFER_OVERFLOW] = "outbound_pci_buffer_overflow",
	[CQESIM_SYSINFO_DISCARDS_PHY] = "rx_discards_phy",
	[CQESIM_SYSINFO_OUT_OF_BUFFER] = "rx_out_of_buffer",
};

const char *cqesim_sysinfo_counter_name(enum cqesim_sysinfo_counter counter)
{
	return (unsigned)counter < CQESIM_SYSINFO_COUNTERS ? names[counter] : "?";
}

/* The first counter of a text: what was known before goes. */
static void begin(struct sysinfo_reading *r)
{
	memset(r->info->counters, 0, sizeof(r->info->counters));
	r->info->has = 0;
	r->info->statistics++;
	r->ethtool = (struct sysinfo_ethtool){.begun = true};
}

/* Remember the first thing that cannot be. */
static void wrong(struct sysinfo_reading *r, uint64_t line, const char *why)
{
	if (r->wrong_line)
		return;
	r->wrong_line = line;
	r->wrong = why;
}

/*
 * "name: 123" and nothing else; length of the name, 0 if it is no such line.
 * *large: the number has more than 64 bits.
 */
static size_t counter(const char *text, uint64_t *value, bool *large)
{
	size_t n = 0;
	const char *p;
	char *end;

	while (text[n] && !isspace((unsigned char)text[n]) && text[n] != ':')
		n++;
	p = text + n;
	while (*p == ' ')
		p++;
	if (!n || *p++ != ':')
		return 0;
	while (*p == ' ' || *p == '\t')
		p++;
	if (!isdigit((unsigned char)*p))
		return 0;
	errno = 0;
	*value = strtoull(p, &end, 10);
	*large = errno == ERANGE;
	while (*end == ' ' || *end == '\r')
		end++;
	return *end ? 0 : n;
}

static bool named(const char *text, size_t length, const char *name)
{
	return length == strlen(name) && !strncmp(text, name, length);
}

static void add(struct sysinfo_reading *r, uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		wrong(r, r->line, "the sum of the queues' counters has more than 64 bits");
}

/* "rx12_cqe_compress_blks": a queue's part. */
static bool of_queue(struct sysinfo_reading *r, const char *text, size_t length, uint64_t value)
{
	struct sysinfo_ethtool *e = &r->ethtool;
	size_t n = 2;

	if (strncmp(text, "rx", 2) || !isdigit((unsigned char)text[2]))
		return false;
	while (n < length && isdigit((unsigned char)text[n]))
		n++;
	if (named(text + n, length - n, "_cqe_compress_blks")) {
		add(r, &e->queue_blks, value);
	} else if (named(text + n, length - n, "_cqe_compress_pkts")) {
		add(r, &e->queue_pkts, value);
		e->pkts_line = e->totals ? e->pkts_line : r->line;
	} else {
		return false;
	}
	e->queues = true;
	return true;
}

bool sysinfo_ethtool_line(struct sysinfo_reading *r, const char *line)
{
	struct sysinfo_ethtool *e = &r->ethtool;
	uint64_t value;
	bool large = false;
	size_t n;

	while (isspace((unsigned char)*line))
		line++;
	if (!strncmp(line, "NIC statistics:", strlen("NIC statistics:"))) {
		sysinfo_ethtool_end(r);
		begin(r);
		e->block = true;
		return true;
	}
	n = counter(line, &value, &large);
	if (!n) {
		e->block = false;
		return false;
	}
	for (unsigned i = 0; i < CQESIM_SYSINFO_COUNTERS; i++) {
		if (!named(line, n, names[i]))
			continue;
		if (!e->begun)
			begin(r);
		if (large)
			wrong(r, r->line, TOO_LARGE);
		if (i == CQESIM_SYSINFO_COMPRESS_PKTS)
			e->pkts_line = r->line;
		r->info->counters[i] = value;
		r->info->has |= 1u << i;
		e->totals |= i == CQESIM_SYSINFO_COMPRESS_BLKS;
		return true;
	}
	if (e->begun ? of_queue(r, line, n, value)
		     : !strncmp(line, "rx", 2) && strstr(line, "_cqe_compress_")) {
		if (!e->begun) {
			begin(r);
			of_queue(r, line, n, value);
		}
		if (large)
			wrong(r, r->line, TOO_LARGE);
		return true;
	}
	return e->block;
}

/* A title counts its packets in 16 bits. */
static void check_session(struct sysinfo_reading *r)
{
	uint64_t blks = r->info->counters[CQESIM_SYSINFO_COMPRESS_BLKS];
	uint64_t pkts = r->info->counters[CQESIM_SYSINFO_COMPRESS_PKTS];

	if (r->ethtool.pkts_line && blks && pkts / blks >= SESSION_MAX &&
	    (pkts / blks > SESSION_MAX || pkts % blks))
		wrong(r, r->ethtool.pkts_line,
		      "rx_cqe_compress_pkts is more than 65535 times rx_cqe_compress_blks, which "
		      "no "
		      "card can count");
}

/* Queues alone, as some tools list them: their sum is the total. */
void sysinfo_ethtool_end(struct sysinfo_reading *r)
{
	struct sysinfo_ethtool *e = &r->ethtool;

	if (!e->queues || e->totals) {
		check_session(r);
		return;
	}
	r->info->counters[CQESIM_SYSINFO_COMPRESS_BLKS] = e->queue_blks;
	r->info->counters[CQESIM_SYSINFO_COMPRESS_PKTS] = e->queue_pkts;
	r->info->has |= 1u << CQESIM_SYSINFO_COMPRESS_BLKS | 1u << CQESIM_SYSINFO_COMPRESS_PKTS;
	e->queues = false;
	check_session(r);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * internal.h - what the files of this folder share.
 *
 *   text.c      words, numbers, addresses, speeds in a line
 *   lspci.c     lspci -vv, device by device
 *   dmesg.c     the kernel's line about the bandwidth of a card's path
 *   ethtool.c   counters
 *   read.c      files; line by line through all of them
 *   pick.c      one card of several; what follows for the link
 *   remark.c    what is worth saying
 *   local.c     this machine, by hwloc; sysfs.c, config_space.c: its files
 */
#ifndef CQESIM_SYSINFO_INTERNAL_H
#define CQESIM_SYSINFO_INTERNAL_H

#include "cqesim/sysinfo.h"

/* What a line may have; the rest of longer ones holds nothing that is looked for. */
#define SYSINFO_LINE_MAX 1024u

/* ---- text.c ---- */

struct sysinfo_address {
	uint32_t domain;
	uint8_t bus, device, function;
};

/* Reads "3b:00.0" or "0000:3b:00.0" at *text and moves behind it. */
bool sysinfo_address(const char **text, struct sysinfo_address *a);
void sysinfo_address_print(const struct sysinfo_address *a, char out[CQESIM_SYSINFO_ADDRESS]);
/* "8GT/s", "8.0 GT/s PCIe": the generation, 0 for any other; *text moves behind it. */
unsigned sysinfo_speed(const char **text);
/* "x16": lanes, 0 for widths that there are not; *text moves behind it. */
unsigned sysinfo_lanes(const char **text);
/* The number behind `key` in text; false if it is not there. */
bool sysinfo_number(const char *text, const char *key, uint64_t *value);
/* The sign behind `key`, a whole word: "ExtTag+". */
enum cqesim_sysinfo_flag sysinfo_flag(const char *text, const char *key);
/* A number of 128 to 4096 bytes that is a power of two behind key; 0 otherwise. */
unsigned sysinfo_payload(const char *text, const char *key);
/* Printable, cut at the room. */
void sysinfo_copy(char *to, size_t room, const char *from, size_t length);

/* ---- the kinds of text ---- */

/* What is known of the device whose lines come. */
struct sysinfo_lspci {
	bool open;
	char section[16]; /* "DevCtl" */
	struct sysinfo_address address;
	struct cqesim_sysinfo_card card;
	int secondary; /* bus below a bridge, -1: none */
};

struct sysinfo_ethtool {
	bool begun; /* counters of this text have replaced earlier ones */
	bool block; /* between "NIC statistics:" and what does not belong */
	uint64_t queue_blks, queue_pkts;
	uint64_t pkts_line; /* of the last counter of compressed packets */
	bool queues, totals;
};

struct sysinfo_reading {
	struct cqesim_sysinfo *info;
	uint64_t line;       /* of this text, from 1 */
	uint64_t wrong_line; /* the first counter that cannot be; 0: none */
	const char *wrong;   /* why */
	struct sysinfo_lspci lspci;
	struct sysinfo_ethtool ethtool;
};

/* True when the line was theirs. */
bool sysinfo_lspci_line(struct sysinfo_reading *r, const char *line);
void sysinfo_lspci_end(struct sysinfo_reading *r);
bool sysinfo_dmesg_line(struct sysinfo_reading *r, const char *line);
bool sysinfo_ethtool_line(struct sysinfo_reading *r, const char *line);
void sysinfo_ethtool_end(struct sysinfo_reading *r);

/* The card of this address, made if need be; NULL when there is no room (counted). */
struct cqesim_sysinfo_card *sysinfo_card(struct cqesim_sysinfo *info,
					 const struct sysinfo_address *a);
bool sysinfo_network_driver(const char *driver);
void sysinfo_port_add(struct cqesim_sysinfo *info, uint32_t domain, uint8_t bus,
		      struct cqesim_sysinfo_width capable);

/* ---- this machine ---- */

/* Link, settings and driver of a device from its folder in sysfs. */
void sysinfo_sysfs_card(const char *sysfs, struct cqesim_sysinfo_card *card);
/* DevCap, DevCtl, LnkCtl in a device's configuration space. */
void sysinfo_config_space(const uint8_t *bytes, size_t size, struct cqesim_sysinfo_card *card);

#endif

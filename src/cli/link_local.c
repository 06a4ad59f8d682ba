/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim link --local: the network cards of this machine, with their links and what is near. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "link_local.h"

/* For tests, and for a copy of another machine's sysfs (HWLOC_XMLFILE tells hwloc the same). */
static const char *sysfs(void)
{
	return getenv("CQESIM_SYSFS");
}

static const char *width_text(struct cqesim_sysinfo_width w, char text[32])
{
	if (!w.generation || !w.lanes)
		return "?";
	snprintf(text, 32, "Gen%u x%u", w.generation, w.lanes);
	return text;
}

static const char *size_text(unsigned bytes, char text[32])
{
	if (!bytes)
		return "?";
	snprintf(text, 32, "%u", bytes);
	return text;
}

static void print_card(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card)
{
	char text[CQESIM_SYSINFO_REMARK], a[32], b[32], node[16] = "?";

	if (card->numa_node >= 0)
		snprintf(node, sizeof(node), "%d", card->numa_node);
	printf("%s  %s%s%04x:%04x %s\n", card->address, card->interfaces,
	       *card->interfaces ? "  " : "", card->vendor, card->device, card->description);
	printf("  link        %s of %s, %.1f Gb/s after the line code\n",
	       width_text(card->negotiated, a), width_text(card->capable, b),
	       cqesim_sysinfo_gbps(card->negotiated));
	printf("  MPS, MRRS   %s, %s%s\n", size_text(card->mps, a), size_text(card->mrrs, b),
	       card->mps ? "" : " (only root can read them)");
	printf("  NUMA node   %s, nearest CPUs %s\n", node, *card->cpus ? card->cpus : "?");
	for (unsigned n = 0; cqesim_sysinfo_remark(info, card, n, text); n++)
		printf("  %s\n", text);
}

static json_t *json_width(struct cqesim_sysinfo_width w)
{
	if (!w.generation || !w.lanes)
		return json_null();
	return json_pack("{s:i, s:i, s:f}", "generation", (int)w.generation, "lanes", (int)w.lanes,
			 "gbps", cqesim_sysinfo_gbps(w));
}

static void set_size(json_t *o, const char *key, unsigned value)
{
	json_object_set_new(o, key, value ? json_integer(value) : json_null());
}

static void set_flag(json_t *o, const char *key, enum cqesim_sysinfo_flag flag)
{
	json_object_set_new(o, key, flag ? json_boolean(flag == CQESIM_SYSINFO_ON) : json_null());
}

static json_t *json_card(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card)
{
	json_t *o = json_object(), *remarks = json_array();
	char text[CQESIM_SYSINFO_REMARK];

	for (unsigned n = 0; cqesim_sysinfo_remark(info, card, n, text); n++)
		json_array_append_new(remarks, json_string(text));
	json_object_set_new(o, "address", json_string(card->address));
	json_object_set_new(o, "interfaces", json_string(card->interfaces));
	json_object_set_new(o, "vendor", json_integer(card->vendor));
	json_object_set_new(o, "device", json_integer(card->device));
	json_object_set_new(o, "description", json_string(card->description));
	json_object_set_new(o, "driver", json_string(card->driver));
	json_object_set_new(o, "link", json_width(card->negotiated));
	json_object_set_new(o, "capable", json_width(card->capable));
	set_size(o, "mps", card->mps);
	set_size(o, "mps_capable", card->mps_capable);
	set_size(o, "mrrs", card->mrrs);
	set_size(o, "rcb", card->rcb);
	set_flag(o, "ecrc", card->ecrc);
	set_flag(o, "relaxed_ordering", card->relaxed_ordering);
	set_flag(o, "extended_tags", card->extended_tags);
	set_flag(o, "ten_bit_tags", card->ten_bit_tags);
	set_size(o, "tags", cqesim_sysinfo_tags(card));
	json_object_set_new(o, "numa_node",
			    card->numa_node < 0 ? json_null() : json_integer(card->numa_node));
	json_object_set_new(o, "cpus", json_string(card->cpus));
	json_object_set_new(o, "remarks", remarks);
	return o;
}

/* A machine's cards; NULL after a complaint. */
static struct cqesim_sysinfo *look(void)
{
	struct cqesim_sysinfo *info = calloc(1, sizeof(*info));
	struct cqesim_error err;

	if (!info) {
		complain("--local: out of memory");
		return NULL;
	}
	if (cqesim_sysinfo_local(sysfs(), info, &err)) {
		complain("--local: %s", err.text);
		free(info);
		return NULL;
	}
	return info;
}

int link_local_list(bool json)
{
	struct cqesim_sysinfo *info = look();
	json_t *cards;

	if (!info)
		return EXIT_INPUT;
	cards = json_array();
	for (uint32_t i = 0; i < info->card_count; i++) {
		if (json) {
			json_array_append_new(cards, json_card(info, &info->cards[i]));
			continue;
		}
		if (i)
			putchar('\n');
		print_card(info, &info->cards[i]);
	}
	if (json) {
		json_t *root = json_pack("{s:O}", "cards", cards);

		json_dumpf(root, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(root);
	}
	json_decref(cards);
	free(info);
	return close_stdout();
}

const struct cqesim_sysinfo_card *link_local_card(const char *name, struct cqesim_sysinfo *info)
{
	const struct cqesim_sysinfo_card *card;
	struct cqesim_error err;

	if (cqesim_sysinfo_local(sysfs(), info, &err)) {
		complain("--local: %s", err.text);
		return NULL;
	}
	card = cqesim_sysinfo_pick(info, name, &err);
	if (!card)
		complain("--local: %s", err.text);
	return card;
}

int link_local_main(int argc, char **argv)
{
	bool json = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			json = true;
		else if (strcmp(argv[i], "--local"))
			return usage_error("link", "--local alone goes with --json only, not %s",
					   argv[i]);
	}
	return link_local_list(json);
}

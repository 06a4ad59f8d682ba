/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network cards of the machine at hand: hwloc knows which there are, their
 * interfaces, and what is near them; sysfs knows their links.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "internal.h"

#ifdef HAVE_HWLOC
#include <hwloc.h>

#define CLASS_NETWORK 0x02u /* the upper byte of PCI class codes */

static void add_word(char *text, size_t room, const char *word)
{
	size_t n = strlen(text);

	if (n + strlen(word) + 2 < room)
		snprintf(text + n, room - n, "%s%s", n ? " " : "", word);
}

/* Names of the network and RDMA devices that belong to it. */
static void interfaces(hwloc_obj_t device, struct cqesim_sysinfo_card *card)
{
	for (hwloc_obj_t o = device->io_first_child; o; o = o->next_sibling) {
		if (o->type != HWLOC_OBJ_OS_DEVICE) {
			interfaces(o, card);
			continue;
		}
		if (o->name && (o->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK ||
				o->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS))
			add_word(card->interfaces, sizeof(card->interfaces), o->name);
	}
}

static void nearest(hwloc_topology_t topology, hwloc_obj_t device, struct cqesim_sysinfo_card *card)
{
	hwloc_obj_t at = hwloc_get_non_io_ancestor_obj(topology, device);

	if (!at)
		return;
	if (at->cpuset)
		hwloc_bitmap_list_snprintf(card->cpus, sizeof(card->cpus), at->cpuset);
	/* Of one node only: a card at the root of a machine with several is near none. */
	if (at->nodeset && hwloc_bitmap_weight(at->nodeset) == 1)
		card->numa_node = hwloc_bitmap_first(at->nodeset);
}

static void add(hwloc_topology_t topology, hwloc_obj_t device, const char *sysfs,
		struct cqesim_sysinfo *info, unsigned *without)
{
	const struct hwloc_pcidev_attr_s *pci = &device->attr->pcidev;
	struct sysinfo_address a = {pci->domain, pci->bus, pci->dev, pci->func};
	struct cqesim_sysinfo_card found = {.numa_node = -1, .network = true}, *card;

	sysinfo_address_print(&a, found.address);
	found.vendor = pci->vendor_id;
	found.device = pci->device_id;
	nearest(topology, device, &found);
	sysinfo_sysfs_card(sysfs, &found);
	if (!found.negotiated.lanes) {
		++*without;
		return;
	}
	const char *vendor = hwloc_obj_get_info_by_name(device, "PCIVendor");
	const char *name = hwloc_obj_get_info_by_name(device, "PCIDevice");
	char both[256];
	snprintf(both, sizeof(both), "%s%s%s", vendor ? vendor : "", vendor && name ? " " : "",
		 name ? name : "");
	sysinfo_copy(found.description, sizeof(found.description), both, sizeof(both));
	found.virtual_function = strstr(both, "Virtual Function") != NULL;
	interfaces(device, &found);
	card = sysinfo_card(info, &a);
	if (card)
		*card = found;
}

int cqesim_sysinfo_local(const char *sysfs, struct cqesim_sysinfo *info, struct cqesim_error *err)
{
	hwloc_topology_t topology;
	hwloc_obj_t device = NULL;
	unsigned without = 0;
	uint32_t before = info->card_count;

	if (hwloc_topology_init(&topology))
		return cqesim_fail(err, -ENOMEM, "hwloc: cannot start");
	hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
	if (hwloc_topology_load(topology)) {
		hwloc_topology_destroy(topology);
		return cqesim_fail(err, -EIO, "hwloc: cannot find out about this machine");
	}
	while ((device = hwloc_get_next_pcidev(topology, device)))
		if (device->attr->pcidev.class_id >> 8 == CLASS_NETWORK)
			add(topology, device, sysfs ? sysfs : "/sys", info, &without);
	hwloc_topology_destroy(topology);
	if (info->card_count > before)
		return 0;
	if (without)
		return cqesim_fail(err, -ENODEV,
				   "%u network device%s here, none with a PCIe link of its own (a "
				   "virtual machine shows none)",
				   without, without == 1 ? "" : "s");
	return cqesim_fail(err, -ENODEV, "no network card on the PCI bus of this machine");
}

#else

int cqesim_sysinfo_local(const char *sysfs, struct cqesim_sysinfo *info, struct cqesim_error *err)
{
	(void)sysfs;
	(void)info;
	return cqesim_fail(err, -ENOTSUP,
			   "cqesim was built without hwloc and knows nothing of this machine");
}

#endif

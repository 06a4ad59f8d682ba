/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sysinfo of this machine: hwloc is shown a machine with two nodes in an XML
 * file, sysfs a folder of ours.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "cli_run.h"
#include "test_sysinfo.h"

static const char topology[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
	"<topology version=\"2.0\">\n"
	"<object type=\"Machine\" os_index=\"0\" cpuset=\"0xff\" complete_cpuset=\"0xff\" "
	"allowed_cpuset=\"0xff\" nodeset=\"0x3\" complete_nodeset=\"0x3\" allowed_nodeset=\"0x3\" "
	"gp_index=\"1\">\n"
	"%s%s"
	"</object>\n</topology>\n";

static const char package[] =
	"<object type=\"Package\" os_index=\"%u\" cpuset=\"%s\" complete_cpuset=\"%s\" "
	"nodeset=\"%s\" complete_nodeset=\"%s\" gp_index=\"%u\">\n"
	"<object type=\"NUMANode\" os_index=\"%u\" cpuset=\"%s\" complete_cpuset=\"%s\" "
	"nodeset=\"%s\" complete_nodeset=\"%s\" gp_index=\"%u\" local_memory=\"1024\"/>\n"
	"%s%s</object>\n";

/* A bridge with a card of two functions below, and a disk. */
static const char devices[] =
	"<object type=\"Bridge\" gp_index=\"90\" bridge_type=\"0-1\" depth=\"0\" "
	"bridge_pci=\"0000:[3b-3b]\">\n"
	"<object type=\"PCIDev\" gp_index=\"91\" pci_busid=\"0000:3b:00.0\" pci_type=\"0200 "
	"[15b3:1019] [15b3:0008] 00\" pci_link_speed=\"0.000000\">\n"
	"<info name=\"PCIVendor\" value=\"Mellanox Technologies\"/>\n"
	"<info name=\"PCIDevice\" value=\"MT28800 Family [ConnectX-5 Ex]\"/>\n"
	"<object type=\"OSDev\" gp_index=\"92\" name=\"enp59s0f0\" osdev_type=\"2\"/>\n"
	"<object type=\"OSDev\" gp_index=\"93\" name=\"mlx5_0\" osdev_type=\"3\"/>\n"
	"</object>\n"
	"<object type=\"PCIDev\" gp_index=\"94\" pci_busid=\"0000:3b:00.1\" pci_type=\"0200 "
	"[15b3:1019] [15b3:0008] 00\" pci_link_speed=\"0.000000\"/>\n"
	"<object type=\"PCIDev\" gp_index=\"95\" pci_busid=\"0000:3c:00.0\" pci_type=\"0108 "
	"[144d:a824] [144d:a801] 00\" pci_link_speed=\"0.000000\"/>\n"
	"</object>\n";

static void add_package(char *to, size_t room, unsigned node, const char *io)
{
	const char *cpus = node ? "0xf0" : "0x0f", *nodes = node ? "0x2" : "0x1";
	char pus[2048] = "";

	for (unsigned i = 4 * node; i < 4 * node + 4; i++)
		snprintf(pus + strlen(pus), sizeof(pus) - strlen(pus),
			 "<object type=\"PU\" os_index=\"%u\" cpuset=\"0x%x\" "
			 "complete_cpuset=\"0x%x\" "
			 "nodeset=\"%s\" complete_nodeset=\"%s\" gp_index=\"%u\"/>\n",
			 i, 1u << i, 1u << i, nodes, nodes, 20 + i);
	snprintf(to, room, package, node, cpus, cpus, nodes, nodes, 10 + node, node, cpus, cpus,
		 nodes, nodes, 12 + node, pus, io);
}

static char folder[PATH_MAX - 64];

static void put(const char *device, const char *name, const void *bytes, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/%s", folder, device, name);
	FILE *f = fopen(path, "wb");
	ck_assert_msg(f != NULL, "%s", path);
	ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
	fclose(f);
}

static void make_folder(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void put_text(const char *device, const char *name, const char *text)
{
	put(device, name, text, strlen(text));
}

/* Configuration space with the capability at 0x60: MPS 256 of 512, MRRS 4096, RCB 128. */
static void put_config(const char *device, size_t size)
{
	uint8_t bytes[4096] = {[0x06] = 0x10, [0x34] = 0x48, [0x48] = 0x11, [0x49] = 0x60};

	bytes[0x60] = 0x10; /* PCI Express, version 2 */
	bytes[0x62] = 0x02;
	bytes[0x64] = 0x02;                /* DevCap: 512 */
	bytes[0x68] = 0x20 | 0x10;         /* DevCtl: 256, relaxed ordering */
	bytes[0x69] = 0x50 | 0x01;         /* 4096, extended tags */
	bytes[0x70] = 0x08;                /* LnkCtl: RCB 128 */
	bytes[0x60 + 0x29] = 0x10;         /* DevCtl2: 10-bit tags */
	bytes[0x100] = 0x01;               /* Advanced Error Reporting */
	bytes[0x100 + 0x18] = 0x40 | 0x20; /* ECRC generation on */
	put(device, "config", bytes, size);
}

static void machine(bool link)
{
	char xml[PATH_MAX], one[8192], two[8192];

	snprintf(folder, sizeof(folder), "%s/sys.%d", test_tmpdir(), getpid());
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	make_folder("bus");
	make_folder("bus/pci");
	make_folder("bus/pci/devices");
	make_folder("bus/pci/devices/0000:3b:00.0");
	make_folder("bus/pci/devices/0000:3b:00.1");
	if (link) {
		put_text("0000:3b:00.0", "current_link_speed", "8.0 GT/s PCIe\n");
		put_text("0000:3b:00.0", "current_link_width", "8\n");
		put_text("0000:3b:00.0", "max_link_speed", "16.0 GT/s PCIe\n");
		put_text("0000:3b:00.0", "max_link_width", "16\n");
		put_config("0000:3b:00.0", 4096);
		put_text("0000:3b:00.1", "current_link_speed", "8 GT/s\n");
		put_text("0000:3b:00.1", "current_link_width", "8\n");
		put_config("0000:3b:00.1", 64); /* all that others than root see */
	}
	snprintf(xml, sizeof(xml), "%s/topology.xml", folder);
	FILE *f = fopen(xml, "w");
	ck_assert_ptr_nonnull(f);
	add_package(one, sizeof(one), 0, "");
	add_package(two, sizeof(two), 1, devices);
	fprintf(f, topology, one, two);
	fclose(f);
	setenv("HWLOC_XMLFILE", xml, 1);
	setenv("CQESIM_SYSFS", folder, 1);
}

#ifdef HAVE_HWLOC

START_TEST(two_functions)
{
	static struct cqesim_sysinfo info;
	struct cqesim_error err = {""};
	const struct cqesim_sysinfo_card *card;

	machine(true);
	ck_assert_msg(!cqesim_sysinfo_local(folder, &info, &err), "%s", err.text);
	ck_assert_uint_eq(info.card_count, 2);
	card = cqesim_sysinfo_pick(&info, "enp59s0f0", &err);
	ck_assert_msg(card != NULL, "%s", err.text);
	ck_assert_ptr_eq(card, cqesim_sysinfo_pick(&info, "mlx5_0", &err));
	ck_assert_ptr_eq(card, cqesim_sysinfo_pick(&info, "3b:00.0", &err));
	ck_assert_ptr_eq(card, cqesim_sysinfo_pick(&info, NULL, &err));
	ck_assert_ptr_null(cqesim_sysinfo_pick(&info, "enp59s0", &err));
	ck_assert_str_eq(card->address, "0000:3b:00.0");
	ck_assert_str_eq(card->interfaces, "enp59s0f0 mlx5_0");
	ck_assert_str_eq(card->description, "Mellanox Technologies MT28800 Family [ConnectX-5 Ex]");
	ck_assert_uint_eq(card->vendor, 0x15b3);
	ck_assert_uint_eq(card->device, 0x1019);
	ck_assert_uint_eq(card->negotiated.generation, 3);
	ck_assert_uint_eq(card->negotiated.lanes, 8);
	ck_assert_uint_eq(card->capable.generation, 4);
	ck_assert_uint_eq(card->capable.lanes, 16);
	ck_assert_int_eq(card->numa_node, 1);
	ck_assert_str_eq(card->cpus, "4-7");
	ck_assert_uint_eq(card->mps, 256);
	ck_assert_uint_eq(card->mps_capable, 512);
	ck_assert_uint_eq(card->mrrs, 4096);
	ck_assert_uint_eq(card->rcb, 128);
	ck_assert_int_eq(card->relaxed_ordering, CQESIM_SYSINFO_ON);
	ck_assert_int_eq(card->extended_tags, CQESIM_SYSINFO_ON);
	ck_assert_int_eq(card->ten_bit_tags, CQESIM_SYSINFO_ON);
	ck_assert_uint_eq(cqesim_sysinfo_tags(card), 768);
	ck_assert_int_eq(card->ecrc, CQESIM_SYSINFO_ON);
	ck_assert(sysinfo_says(&info, card, "narrower and slower"));
	card = cqesim_sysinfo_pick(&info, "3b:00.1", &err);
	ck_assert_uint_eq(card->negotiated.lanes, 8);
	ck_assert_uint_eq(card->mps, 0);
	ck_assert_int_eq(card->ecrc, CQESIM_SYSINFO_UNKNOWN);
}
END_TEST

/* A virtual machine: a card, but no link. */
START_TEST(no_link)
{
	static struct cqesim_sysinfo info;
	struct cqesim_error err = {""};

	machine(false);
	ck_assert_int_eq(cqesim_sysinfo_local(folder, &info, &err), -ENODEV);
	ck_assert_ptr_nonnull(strstr(err.text, "2 network devices here, none with a PCIe link"));
	ck_assert_uint_eq(info.card_count, 0);
	fails(cli("link", "--local"), 1, "none with a PCIe link", NULL);
}
END_TEST

START_TEST(program)
{
	machine(true);
	struct output o = cli("link", "--local");

	ck_assert_msg(o.code == 0, "%s", o.err);
	ck_assert_ptr_nonnull(strstr(o.out, "0000:3b:00.0  enp59s0f0 mlx5_0  15b3:1019 Mellanox"));
	ck_assert_ptr_nonnull(strstr(o.out, "  link        Gen3 x8 of Gen4 x16, 63.0 Gb/s"));
	ck_assert_ptr_nonnull(strstr(o.out, "  NUMA node   1, nearest CPUs 4-7\n"));
	output_free(&o);
	json_t *doc = good_json(cli("link", "--local", "--json"), 0);
	json_t *card = json_array_get(at(doc, "cards"), 0);
	ck_assert_uint_eq(count_at(card, "link.lanes"), 8);
	ck_assert_uint_eq(count_at(card, "mrrs"), 4096);
	ck_assert(json_is_true(at(card, "ecrc")));
	ck_assert_uint_eq(count_at(card, "tags"), 768);
	ck_assert(json_is_null(at(json_array_get(at(doc, "cards"), 1), "mps")));
	json_decref(doc);
}
END_TEST

#else

START_TEST(without_hwloc)
{
	static struct cqesim_sysinfo info;
	struct cqesim_error err = {""};

	machine(true);
	ck_assert_int_eq(cqesim_sysinfo_local(folder, &info, &err), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(err.text, "without hwloc"));
	fails(cli("link", "--local"), 1, "without hwloc", NULL);
}
END_TEST

#endif

void add_sysinfo_local(Suite *suite)
{
	TCase *tc = tcase_create("this machine");

#ifdef HAVE_HWLOC
	tcase_add_test(tc, two_functions);
	tcase_add_test(tc, no_link);
	tcase_add_test(tc, program);
#else
	tcase_add_test(tc, without_hwloc);
#endif
	suite_add_tcase(suite, tc);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The private folder of a run: what DPDK's PCI scan and the driver look for in /sys, as
 * seen by running the driver, and the file that launcher and library share.  A lock on
 * that file says that the folder is in use, so that what a killed launcher left behind
 * can be told from it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "card.h"

#define PREFIX      "cqesim-card-"
#define KEPT_PREFIX "cqesim-kept-" /* the user removes it */

static const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder == '/' ? folder : "/tmp";
}

/* ---- the tree ---- */

#define PCI   "sys/bus/pci/devices/" EMU_PCI_ADDRESS
#define IB    "sys/class/infiniband/" EMU_DEVICE
#define ZEROS "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"

static const char *const folders[] = {
	"run",
	"sys",
	"sys/bus",
	"sys/bus/pci",
	"sys/bus/pci/devices",
	"sys/bus/pci/drivers",
	"sys/bus/pci/drivers/mlx5_core",
	PCI,
	PCI "/net",
	PCI "/net/" EMU_INTERFACE,
	"sys/class",
	"sys/class/infiniband",
	IB,
	IB "/ports",
	IB "/ports/1",
	IB "/ports/1/hw_counters",
};

static const struct {
	const char *path, *text;
} files[] = {
	{PCI "/vendor", "0x15b3\n"},
	{PCI "/subsystem_vendor", "0x15b3\n"},
	{PCI "/subsystem_device", "0x0007\n"},
	{PCI "/class", "0x020000\n"},
	{PCI "/numa_node", "-1\n"},
	{PCI "/resource", ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS},
	{PCI "/uevent", "DRIVER=mlx5_core\nPCI_SLOT_NAME=" EMU_PCI_ADDRESS "\n"},
	{PCI "/net/" EMU_INTERFACE "/dev_port", "0\n"},
	{IB "/ports/1/hw_counters/out_of_buffer", "0\n"},
};

static const struct {
	const char *path, *target;
} links[] = {
	{PCI "/driver", "../../drivers/mlx5_core"},
	{IB "/device", "../../../bus/pci/devices/" EMU_PCI_ADDRESS},
};

static int write_file(int folder, const char *path, const char *text)
{
	int fd = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	size_t length = strlen(text);

	if (fd < 0)
		return -errno;
	int rc = write(fd, text, length) == (ssize_t)length ? 0 : -EIO;
	close(fd);
	return rc;
}

static int make_tree(int folder, unsigned pci_device)
{
	char device[16];
	int rc = 0;

	snprintf(device, sizeof(device), "0x%04x\n", pci_device);

	for (size_t i = 0; !rc && i < sizeof(folders) / sizeof(folders[0]); i++)
		rc = mkdirat(folder, folders[i], 0755) ? -errno : 0;
	for (size_t i = 0; !rc && i < sizeof(files) / sizeof(files[0]); i++)
		rc = write_file(folder, files[i].path, files[i].text);
	if (!rc)
		rc = write_file(folder, PCI "/device", device);
	for (size_t i = 0; !rc && i < sizeof(links) / sizeof(links[0]); i++)
		rc = symlinkat(links[i].target, folder, links[i].path) ? -errno : 0;
	return rc;
}

static int make_shared(struct card_folder *f, int folder, const struct emu_settings *settings)
{
	f->lock = openat(folder, EMU_SHARED_FILE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	/* Locked while it is empty, which nobody takes for left behind. */
	if (f->lock < 0 || flock(f->lock, LOCK_SH | LOCK_NB) ||
	    ftruncate(f->lock, sizeof(*f->shared)))
		return -errno;
	f->shared = mmap(NULL, sizeof(*f->shared), PROT_READ | PROT_WRITE, MAP_SHARED, f->lock, 0);
	if (f->shared == MAP_FAILED) {
		f->shared = NULL;
		return -errno;
	}
	f->shared->size = sizeof(*f->shared);
	f->shared->settings = *settings;
	return 0;
}

int card_folder_create(struct card_folder *f, const struct emu_settings *settings, bool kept,
		       struct cqesim_error *err)
{
	*f = (struct card_folder){.lock = -1};
	int n = snprintf(f->path, sizeof(f->path), "%s/%sXXXXXX", temporary_folder(),
			 kept ? KEPT_PREFIX : PREFIX);
	/* libibverbs has 256 bytes for the device's path within it. */
	if (n > 160)
		return cqesim_fail(err, -ENAMETOOLONG, "%s: too long a path for the card's folder",
				   temporary_folder());
	if (!mkdtemp(f->path)) {
		int rc = -errno;

		f->path[0] = '\0';
		return cqesim_fail(err, rc, "%s: cannot make the card's folder: %s",
				   temporary_folder(), strerror(-rc));
	}
	int folder = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = folder < 0 ? -errno : make_shared(f, folder, settings);
	if (!rc)
		rc = make_tree(folder, settings->pci_device);
	if (folder >= 0)
		close(folder);
	if (rc) {
		cqesim_fail(err, rc, "%s: cannot make the card's folder: %s", f->path,
			    strerror(-rc));
		card_folder_remove(f);
	}
	return rc;
}

/* ---- removal ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

void card_folder_remove(struct card_folder *f)
{
	if (*f->path)
		remove_tree(f->path);
	f->path[0] = '\0';
	if (f->lock >= 0)
		close(f->lock);
	f->lock = -1;
}

/* Ours, complete, and nobody holds its lock. */
static bool left_behind(const char *path)
{
	char shared[PATH_MAX + sizeof(EMU_SHARED_FILE) + 1];
	struct stat st;

	if (lstat(path, &st) || !S_ISDIR(st.st_mode) || st.st_uid != getuid())
		return false;
	snprintf(shared, sizeof(shared), "%s/" EMU_SHARED_FILE, path);
	int fd = open(shared, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	bool free_lock = !fstat(fd, &st) && st.st_size && !flock(fd, LOCK_EX | LOCK_NB);
	close(fd);
	return free_lock;
}

void card_folder_sweep(void)
{
	DIR *folder = opendir(temporary_folder());
	struct dirent *entry;
	char path[PATH_MAX];

	while (folder && (entry = readdir(folder)) != NULL) {
		if (strncmp(entry->d_name, PREFIX, sizeof(PREFIX) - 1))
			continue;
		int n = snprintf(path, sizeof(path), "%s/%s", temporary_folder(), entry->d_name);

		if (n > 0 && (size_t)n < sizeof(path) - 16 && left_behind(path))
			remove_tree(path);
	}
	if (folder)
		closedir(folder);
}

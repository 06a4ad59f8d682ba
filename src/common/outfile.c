/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/outfile.h"

/* Temporary names in use, so that a signal handler can remove them. */
#define OPEN_MAX_FILES 8
static char *volatile unfinished[OPEN_MAX_FILES];

static void remember(char *name)
{
	for (int i = 0; i < OPEN_MAX_FILES; i++)
		if (!unfinished[i]) {
			unfinished[i] = name;
			return;
		}
}

static void forget(const char *name)
{
	for (int i = 0; i < OPEN_MAX_FILES; i++)
		if (unfinished[i] == name)
			unfinished[i] = NULL;
}

void outfile_remove_all(void)
{
	for (int i = 0; i < OPEN_MAX_FILES; i++)
		if (unfinished[i])
			unlink(unfinished[i]);
}

static int open_temporary(struct outfile *out)
{
	size_t size = strlen(out->path) + sizeof(".XXXXXX");

	out->temporary = malloc(size);
	if (!out->temporary)
		return -ENOMEM;
	snprintf(out->temporary, size, "%s.XXXXXX", out->path);
	int fd = mkstemp(out->temporary);
	if (fd < 0)
		return -errno;
	remember(out->temporary);
	/* mkstemp makes it private; it is as public as the file it replaces, or any other file. */
	struct stat old;
	mode_t mask = umask(0), mode = 0666 & ~mask;
	umask(mask);
	if (!stat(out->path, &old))
		mode = old.st_mode & 07777;
	if (fchmod(fd, mode) < 0 || !(out->stream = fdopen(fd, "wb"))) {
		int rc = -errno;
		close(fd);
		return rc;
	}
	return 0;
}

int outfile_open(struct outfile *out, const char *path, struct cqesim_error *err)
{
	struct stat st;
	int rc = 0;
	bool is_link = strcmp(path, "-") && !lstat(path, &st) && S_ISLNK(st.st_mode) &&
		       !stat(path, &st) && S_ISREG(st.st_mode);

	/* A link (/dev/stdout is one) stays: what it leads to is replaced. */
	*out = (struct outfile){.path = is_link ? realpath(path, NULL) : strdup(path)};
	if (!out->path)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	if (!strcmp(path, "-"))
		out->stream = stdout;
	else if (!stat(path, &st) && S_ISDIR(st.st_mode))
		rc = -EISDIR;
	else if (!stat(path, &st) && !S_ISREG(st.st_mode))
		rc = (out->stream = fopen(path, "wb")) ? 0 : -errno;
	else
		rc = open_temporary(out);
	if (rc) {
		cqesim_fail(err, rc, "%s: cannot write: %s", path, strerror(-rc));
		outfile_close(out, false, NULL);
	}
	return rc;
}

int outfile_close(struct outfile *out, bool keep, struct cqesim_error *err)
{
	int rc = 0;

	if (out->stream) {
		errno = 0;
		bool bad = ferror(out->stream);
		bad |= fflush(out->stream) != 0;
		int why = errno;
		if (out->stream != stdout && fclose(out->stream) != 0) {
			bad = true;
			why = errno;
		}
		if (bad && keep)
			rc = cqesim_fail(err, why ? -why : -EIO, "%s: cannot write: %s",
					 strcmp(out->path, "-") ? out->path : "standard output",
					 strerror(why ? why : EIO));
	}
	if (out->temporary) {
		if (keep && !rc && rename(out->temporary, out->path) < 0)
			rc = cqesim_fail(err, -errno, "%s: cannot write: %s", out->path,
					 strerror(errno));
		forget(out->temporary);
		if (!keep || rc)
			unlink(out->temporary);
	}
	free(out->temporary);
	free(out->path);
	*out = (struct outfile){0};
	return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A cable's file, its ends and who has them: see cable.h. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/cable.h"

static const char magic[8] = "cqecable";

/*
 * Locks of open file descriptions (fcntl F_OFD_SETLK), on bytes: whoever looks at or
 * changes who is there has the gate alone; a launch shares its end with its program;
 * a card has its plug alone.
 */
enum { GATE, END, PLUG = END + CABLE_ENDS };

static struct flock byte_lock(short type, unsigned byte)
{
	return (struct flock){
		.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};
}

static int lock(int fd, short type, unsigned byte, bool wait)
{
	struct flock l = byte_lock(type, byte);
	int rc;

	do
		rc = fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &l);
	while (rc && errno == EINTR);
	return rc ? -errno : 0;
}

/* By somebody else than this descriptor? */
static bool is_locked(int fd, unsigned byte)
{
	struct flock l = byte_lock(F_WRLCK, byte);

	return fcntl(fd, F_OFD_GETLK, &l) || l.l_type != F_UNLCK;
}

static bool is_taken(int fd, unsigned end)
{
	return is_locked(fd, END + end) || is_locked(fd, PLUG + end);
}

static bool nobody_is_there(int fd)
{
	return !is_taken(fd, 0) && !is_taken(fd, 1);
}

static int bad_file(const struct cable *c, const char *what, struct cqesim_error *err)
{
	return cqesim_fail(err, -EINVAL,
			   "%s: %s; expected a cable of this build of cqesim (%zu bytes, version "
			   "%u), an empty file or none",
			   c->path, what, sizeof(struct cable_file), CABLE_VERSION);
}

static int io_error(const struct cable *c, int error, struct cqesim_error *err)
{
	return cqesim_fail(err, -error, "%s: no cable can be there: %s", c->path, strerror(error));
}

/* Does the path still lead to what we have open? */
static bool is_same(const struct cable *c)
{
	struct stat path, open;

	return !lstat(c->path, &path) && !fstat(c->fd, &open) && path.st_dev == open.st_dev &&
	       path.st_ino == open.st_ino;
}

/*
 * Open it and pass the gate.  What was removed while we waited there is not it any more.
 */
static int enter(struct cable *c, bool make, struct cqesim_error *err)
{
	for (;;) {
		c->fd = open(c->path,
			     O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				     (make ? O_CREAT : 0),
			     0600);
		if (c->fd < 0)
			return errno == ELOOP ? bad_file(c, "a symbolic link", err)
					      : io_error(c, errno, err);
		int rc = lock(c->fd, F_WRLCK, GATE, true);
		if (!rc && is_same(c))
			return 0;
		close(c->fd);
		c->fd = -1;
		if (rc)
			return io_error(c, -rc, err);
	}
}

static void pass_gate(const struct cable *c)
{
	lock(c->fd, F_UNLCK, GATE, false);
}

/* Without the gate, which goes with the descriptor. */
static void forget(struct cable *c)
{
	if (c->file)
		munmap(c->file, sizeof(*c->file));
	if (c->fd >= 0)
		close(c->fd);
	c->file = NULL;
	c->fd = -1;
}

/* Within the gate: a file that we made or could use. */
static void remove_unused(const struct cable *c)
{
	if (nobody_is_there(c->fd) && is_same(c))
		unlink(c->path);
}

/* ---- what is in the file ---- */

static bool is_zero(const void *bytes, size_t n)
{
	const uint8_t *b = bytes;

	while (n && !*b) {
		b++;
		n--;
	}
	return !n;
}

/* Begun, and its maker was killed: all of the head is zero. */
static bool is_unfinished(const struct cable_file *f)
{
	return is_zero(f, offsetof(struct cable_file, ring));
}

static int check_kind(const struct cable *c, struct stat *st, struct cqesim_error *err)
{
	if (fstat(c->fd, st))
		return io_error(c, errno, err);
	if (!S_ISREG(st->st_mode))
		return bad_file(c, "no regular file", err);
	if (st->st_uid != geteuid())
		return bad_file(c, "another user's", err);
	if (st->st_size && (st->st_mode & 077))
		return bad_file(c, "others may open it (mode not 0600)", err);
	return 0;
}

static int check_size(const struct cable *c, off_t size, struct cqesim_error *err)
{
	char what[64];

	if (size == (off_t)sizeof(struct cable_file))
		return 0;
	snprintf(what, sizeof(what), "%lld bytes", (long long)size);
	return bad_file(c, what, err);
}

static int check_head(const struct cable *c, struct cqesim_error *err)
{
	const struct cable_file *f = c->file;
	char what[64];

	if (memcmp(f->magic, magic, sizeof(magic)))
		return bad_file(c, "something else", err);
	if (f->version != CABLE_VERSION) {
		snprintf(what, sizeof(what), "a cable of version %u", f->version);
		return bad_file(c, what, err);
	}
	if (f->size != sizeof(*f) || f->slots != CABLE_SLOTS || f->frame_max != CABLE_FRAME_MAX)
		return bad_file(c, "a cable with other sizes", err);
	return 0;
}

static void begin_file(struct cable_file *f)
{
	memset(f, 0, offsetof(struct cable_file, ring));
	for (unsigned i = 0; i < CABLE_ENDS; i++) {
		atomic_store(&f->ring[i].head, 0);
		atomic_store(&f->ring[i].tail, 0);
		atomic_store(&f->ring[i].left, 0);
	}
	f->version = CABLE_VERSION;
	f->size = sizeof(*f);
	f->slots = CABLE_SLOTS;
	f->frame_max = CABLE_FRAME_MAX;
	atomic_thread_fence(memory_order_release);
	memcpy(f->magic, magic, sizeof(magic));
}

/* There is room now, rather than that there is none when a frame is written.  An errno. */
static int make_room(int fd)
{
	int error;

	if (fchmod(fd, 0600))
		return errno;
	do
		error = posix_fallocate(fd, 0, sizeof(struct cable_file));
	while (error == EINTR);
	if (error && ftruncate(fd, 0))
		error = errno;
	return error;
}

/* Within the gate.  again: a file that nobody uses is begun anew. */
static int map_file(struct cable *c, bool again, struct cqesim_error *err)
{
	struct stat st;
	int rc = check_kind(c, &st, err);

	if (rc)
		return rc;
	if (!st.st_size) {
		int error = make_room(c->fd);

		if (error) {
			remove_unused(c);
			return io_error(c, error, err);
		}
		st.st_size = sizeof(*c->file);
	}
	rc = check_size(c, st.st_size, err);
	if (rc)
		return rc;
	void *map = mmap(NULL, sizeof(*c->file), PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	if (map == MAP_FAILED)
		return io_error(c, errno, err);
	c->file = map;
	if (is_unfinished(c->file))
		begin_file(c->file);
	rc = check_head(c, err);
	if (!rc && again && nobody_is_there(c->fd))
		begin_file(c->file);
	return rc;
}

/* ---- ends ---- */

static int begin(struct cable *c, const char *path, bool make, struct cqesim_error *err)
{
	*c = (struct cable){.fd = -1};
	if ((size_t)snprintf(c->path, sizeof(c->path), "%s", path) >= sizeof(c->path))
		return cqesim_fail(err, -ENAMETOOLONG, "%s: too long a path", path);
	int rc = enter(c, make, err);

	if (rc)
		return rc;
	rc = map_file(c, make, err);
	if (rc)
		forget(c);
	return rc;
}

int cable_take(struct cable *c, const char *path, struct cqesim_error *err)
{
	int rc = begin(c, path, true, err);

	if (rc)
		return rc;
	while (c->end < CABLE_ENDS && is_taken(c->fd, c->end))
		c->end++;
	if (c->end == CABLE_ENDS) {
		cqesim_fail(
			err, -EBUSY,
			"%s: a cable has two ends, and both are taken; expected one that is free",
			path);
		forget(c);
		return -EBUSY;
	}
	rc = lock(c->fd, F_RDLCK, END + c->end, false);
	if (!rc && getrandom(&c->token, sizeof(c->token), 0) != (ssize_t)sizeof(c->token))
		rc = -EIO;
	if (rc) {
		io_error(c, -rc, err);
		forget(c);
		return rc;
	}
	c->file->end[c->end].token = c->token;
	pass_gate(c);
	return 0;
}

int cable_join(struct cable *c, const char *path, unsigned end, uint32_t token,
	       struct cqesim_error *err)
{
	int rc = begin(c, path, false, err);

	if (rc)
		return rc;
	c->end = end & 1;
	c->token = token;
	if (c->file->end[c->end].token != token || lock(c->fd, F_RDLCK, END + c->end, false)) {
		cqesim_fail(err, -EBUSY, "%s: the launcher had an end of it, and has it no longer",
			    path);
		remove_unused(c);
		forget(c);
		return -EBUSY;
	}
	pass_gate(c);
	return 0;
}

void cable_leave(struct cable *c)
{
	if (c->fd < 0 || !c->file)
		return;
	cable_unplug(c);
	lock(c->fd, F_WRLCK, GATE, true);
	lock(c->fd, F_UNLCK, END + c->end, false);
	remove_unused(c);
	forget(c);
}

/* ---- cards ---- */

/* Take up both rings: what lies in ours for nobody is gone, and so is what was not for us. */
static void take_up(struct cable *c)
{
	struct cable_ring *out = &c->file->ring[c->end], *in = &c->file->ring[!c->end];

	c->head = atomic_load(&out->head);
	if (!is_locked(c->fd, PLUG + !c->end)) /* who has the gate may, while nobody receives */
		atomic_store(&out->tail, c->head);
	c->left_before = atomic_load(&out->left);
	c->tail = atomic_load(&in->head);
	uint32_t old = c->tail - atomic_load(&in->tail);
	if (old <= CABLE_SLOTS)
		atomic_store(&in->left, atomic_load(&in->left) + old);
	atomic_store(&in->tail, c->tail);
}

int cable_plug(struct cable *c, struct cqesim_error *err)
{
	if (c->plugged)
		return 0;
	int rc = lock(c->fd, F_WRLCK, GATE, true);
	if (!rc)
		rc = lock(c->fd, F_WRLCK, PLUG + c->end, false);
	if (rc) {
		pass_gate(c);
		return cqesim_fail(err, rc, "%s: another card is at this end", c->path);
	}
	take_up(c);
	if (!++c->file->cards)
		c->file->cards = 1;
	c->plugged = true;
	atomic_store_explicit(&c->file->end[c->end].card, c->file->cards, memory_order_release);
	pass_gate(c);
	return 0;
}

void cable_unplug(struct cable *c)
{
	if (!c->plugged)
		return;
	c->plugged = false;
	atomic_store_explicit(&c->file->end[c->end].card, 0, memory_order_release);
	lock(c->fd, F_UNLCK, PLUG + c->end, false);
}

void cable_look(struct cable *c)
{
	c->partner = atomic_load_explicit(&c->file->end[!c->end].card, memory_order_acquire);
	c->partner_alive = c->partner && is_locked(c->fd, PLUG + !c->end);
}

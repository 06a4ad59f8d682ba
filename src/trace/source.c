/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of a capture: from a file, a pipe or standard input, plain, gzip
 * (RFC 1952) or Zstandard (RFC 8878), as a stdio stream that libpcap can read.
 *
 * A plain regular file is read by stdio itself, everything else through
 * fopencookie().  The cookie answers "where are you" only, so that ftello()
 * tells the offset in the decompressed capture.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "trace_internal.h"

/* Bytes that tell how a file is compressed. */
#define MAGIC_BYTES 6u

void trace_source_name(char name[TRACE_NAME_MAX + 4], const char *path)
{
	if (!strcmp(path, "-"))
		path = "standard input";
	size_t n = strlen(path);
	const char *dots = n > TRACE_NAME_MAX ? "..." : "";
	path += n > TRACE_NAME_MAX ? n - TRACE_NAME_MAX : 0;
	snprintf(name, TRACE_NAME_MAX + 4, "%s%s", dots, path);
	for (char *c = name; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
}

/* read() that waits when it must; 0 at the end. */
static ssize_t read_some(struct trace_source *s, void *buffer, size_t n)
{
	for (;;) {
		ssize_t got = read(s->fd, buffer, n);
		if (got > 0)
			s->read_bytes += (uint64_t)got;
		if (got >= 0)
			return got;
		if (errno == EAGAIN || errno == EWOULDBLOCK) {
			struct pollfd p = {.fd = s->fd, .events = POLLIN};
			if (poll(&p, 1, -1) >= 0)
				continue;
		}
		if (errno == EINTR)
			continue;
		snprintf(s->problem, sizeof(s->problem), "%s", strerror(errno));
		return -1;
	}
}

/* Have at least one byte of input; false at the end or on error. */
static bool fill(struct trace_source *s)
{
	if (s->in_at < s->in_end)
		return true;
	if (s->input_ended)
		return false;
	ssize_t got = read_some(s, s->in, sizeof(s->in));
	s->input_ended = got <= 0;
	s->in_at = 0;
	s->in_end = got > 0 ? (size_t)got : 0;
	return got > 0;
}

static ssize_t corrupt(struct trace_source *s, const char *format, const char *reason)
{
	snprintf(s->problem, sizeof(s->problem), "corrupt %s data: %s", format,
		 reason ? reason : "no reason given");
	errno = EIO;
	return -1;
}

/* Bytes that are there already, then straight from the file. */
static ssize_t read_plain(struct trace_source *s, char *out, size_t n)
{
	if (s->in_at == s->in_end)
		return s->input_ended ? 0 : read_some(s, out, n);
	size_t have = s->in_end - s->in_at;
	n = n < have ? n : have;
	memcpy(out, s->in + s->in_at, n);
	s->in_at += n;
	return (ssize_t)n;
}

static ssize_t read_gzip(struct trace_source *s, char *out, size_t n)
{
	z_stream *z = s->decoder;
	z->next_out = (Bytef *)out;
	z->avail_out = (uInt)(n < (1u << 30) ? n : (1u << 30));
	uInt room = z->avail_out;
	while (z->avail_out == room) {
		if (!fill(s)) {
			s->truncated = s->member_open && !*s->problem;
			return *s->problem ? -1 : 0;
		}
		if (!s->member_open) {
			/* Members may be padded with zero bytes, as on tapes. */
			if (s->in[s->in_at] == 0 && s->handed_bytes) {
				s->in_at++;
				continue;
			}
			inflateReset(z);
			s->member_open = true;
		}
		z->next_in = s->in + s->in_at;
		z->avail_in = (uInt)(s->in_end - s->in_at);
		int rc = inflate(z, Z_NO_FLUSH);
		s->in_at = s->in_end - z->avail_in;
		if (rc == Z_STREAM_END)
			s->member_open = false;
		else if (rc != Z_OK && rc != Z_BUF_ERROR) {
			/* What came out before stands; the next call fails. */
			corrupt(s, "gzip", z->msg);
			break;
		}
	}
	return z->avail_out == room ? -1 : (ssize_t)(room - z->avail_out);
}

#ifdef HAVE_ZSTD
static ssize_t read_zstd(struct trace_source *s, char *out, size_t n)
{
	ZSTD_outBuffer to = {.dst = out, .size = n};
	while (to.pos == 0) {
		/* A full output buffer may leave bytes in the decoder: ask it first. */
		bool more = fill(s);
		ZSTD_inBuffer from = {.src = s->in, .size = s->in_end, .pos = s->in_at};
		if (!more && !s->member_open)
			return *s->problem ? -1 : 0;
		size_t rc = ZSTD_decompressStream(s->decoder, &to, &from);
		if (ZSTD_isError(rc))
			return corrupt(s, "zstd", ZSTD_getErrorName(rc));
		s->in_at = from.pos;
		s->member_open = rc != 0;
		if (!more && !to.pos) {
			s->truncated = s->member_open && !*s->problem;
			return *s->problem ? -1 : 0;
		}
	}
	return (ssize_t)to.pos;
}
#endif

static ssize_t cookie_read(void *cookie, char *out, size_t n)
{
	struct trace_source *s = cookie;
	ssize_t got = -1;
	if (*s->problem)
		errno = EIO;
	else if (s->format == TRACE_PLAIN)
		got = read_plain(s, out, n);
	else if (s->format == TRACE_GZIP)
		got = read_gzip(s, out, n);
#ifdef HAVE_ZSTD
	else
		got = read_zstd(s, out, n);
#endif
	if (got > 0)
		s->handed_bytes += (uint64_t)got;
	return got;
}

static int cookie_seek(void *cookie, off64_t *offset, int whence)
{
	struct trace_source *s = cookie;
	if (*offset != 0 || whence != SEEK_CUR) {
		errno = ESPIPE;
		return -1;
	}
	*offset = (off64_t)s->handed_bytes;
	return 0;
}

/* The first bytes, as far as there are any. */
static int look(struct trace_source *s, struct cqesim_error *err)
{
	while (s->in_end < MAGIC_BYTES && !s->input_ended) {
		ssize_t got = read_some(s, s->in + s->in_end, MAGIC_BYTES - s->in_end);
		if (got < 0)
			return cqesim_fail(err, -errno, "%s: %s", s->name, s->problem);
		s->input_ended = got == 0;
		s->in_end += (size_t)got;
	}
	if (s->in_end == 0)
		return cqesim_fail(err, -EINVAL,
				   "%s: not a pcap or pcapng capture: the file is empty", s->name);
	return 0;
}

static bool starts(const struct trace_source *s, const char *magic, size_t n)
{
	return s->in_end >= n && !memcmp(s->in, magic, n);
}

static int recognize(struct trace_source *s, struct cqesim_error *err)
{
	/* zstd: a frame (RFC 8878, 3.1.1), or a skippable one as pzstd writes first (3.1.2). */
	bool skippable = s->in_end >= 4 && (s->in[0] & 0xf0) == 0x50 &&
			 !memcmp(s->in + 1, "\x2a\x4d\x18", 3);
	if (starts(s, "\x1f\x8b", 2))
		s->format = TRACE_GZIP;
	else if (starts(s, "\x28\xb5\x2f\xfd", 4) || skippable)
		s->format = TRACE_ZSTD;
	else if (starts(s,
			"\xfd"
			"7zXZ",
			5))
		return cqesim_fail(err, -EINVAL,
				   "%s: xz-compressed; gzip and zstd are read, plain is fastest",
				   s->name);
	return 0;
}

static int start_decoder(struct trace_source *s, struct cqesim_error *err)
{
	if (s->format == TRACE_GZIP) {
		z_stream *z = calloc(1, sizeof(*z));
		/* 15: the largest window; 16: gzip headers only. */
		if (!z || inflateInit2(z, 15 + 16) != Z_OK) {
			free(z);
			return cqesim_fail(err, -ENOMEM, "%s: out of memory", s->name);
		}
		s->decoder = z;
	}
	if (s->format == TRACE_ZSTD) {
#ifdef HAVE_ZSTD
		s->decoder = ZSTD_createDStream();
		if (!s->decoder)
			return cqesim_fail(err, -ENOMEM, "%s: out of memory", s->name);
#else
		return cqesim_fail(err, -EINVAL, "%s: zstd-compressed; this build has no libzstd",
				   s->name);
#endif
	}
	return 0;
}

static int open_file(struct trace_source *s, const char *path, struct cqesim_error *err)
{
	if (!strcmp(path, "-"))
		s->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return cqesim_fail(err, -errno, "%s: %s", s->name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return cqesim_fail(err, -EISDIR, "%s: %s", s->name, strerror(EISDIR));
	s->seekable = S_ISREG(st.st_mode);
	s->file_size = s->seekable ? (uint64_t)st.st_size : 0;
	return 0;
}

static int open_stream(struct trace_source *s, struct cqesim_error *err)
{
	static const cookie_io_functions_t calls = {.read = cookie_read, .seek = cookie_seek};
	s->seekable = s->seekable && s->format == TRACE_PLAIN &&
		      lseek(s->fd, -(off_t)s->in_end, SEEK_CUR) >= 0;
	if (s->seekable) {
		s->stream = fdopen(s->fd, "r");
		s->fd = s->stream ? -1 : s->fd;
	} else {
		s->stream = fopencookie(s, "r", calls);
	}
	if (!s->stream)
		return cqesim_fail(err, -errno, "%s: %s", s->name, strerror(errno));
	setvbuf(s->stream, s->buffer, _IOFBF, sizeof(s->buffer));
	/* Nobody else has this stream: libpcap's two fread() per packet need no lock. */
	__fsetlocking(s->stream, FSETLOCKING_BYCALLER);
	/* From now on stdio knows the offset and ftello() makes no system call. */
	if (s->seekable)
		fseeko(s->stream, 0, SEEK_CUR);
	return 0;
}

int trace_source_open(struct trace_source **source, const char *path, struct cqesim_error *err)
{
	struct trace_source *s = calloc(1, sizeof(*s));
	if (!s)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	s->fd = -1;
	trace_source_name(s->name, path);
	int rc = open_file(s, path, err);
	if (!rc)
		rc = look(s, err);
	if (!rc)
		rc = recognize(s, err);
	if (!rc)
		rc = start_decoder(s, err);
	if (!rc)
		rc = open_stream(s, err);
	if (rc) {
		trace_source_close(s);
		return rc;
	}
	*source = s;
	return 0;
}

void trace_source_close(struct trace_source *s)
{
	if (!s)
		return;
	if (s->stream)
		fclose(s->stream);
	if (s->fd >= 0)
		close(s->fd);
	if (s->format == TRACE_GZIP && s->decoder) {
		inflateEnd(s->decoder);
		free(s->decoder);
	}
#ifdef HAVE_ZSTD
	if (s->format == TRACE_ZSTD)
		ZSTD_freeDStream(s->decoder);
#endif
	free(s);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace as a nanosecond pcap file.
 *
 * The file has no name until it is complete (O_TMPFILE), so that nothing is
 * left behind whatever happens; where the file system cannot do that, it has
 * a temporary one in the same folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace_internal.h"

/* libpcap's own limit for Ethernet: no reader takes longer records. */
#define SNAPLEN       262144u
#define STREAM_BUFFER 262144u
#define PS_PER_NS     UINT64_C(1000)
#define NS_PER_S      UINT64_C(1000000000)

struct output {
	char name[TRACE_NAME_MAX + 4];
	char final[PATH_MAX];     /* empty: written in place */
	char temporary[PATH_MAX]; /* empty: has no name yet */
	FILE *stream;
	char *buffer;
};

static int fail_errno(const struct output *o, struct cqesim_error *err)
{
	int code = errno ? errno : EIO;
	return cqesim_fail(err, -code, "%s: %s", o->name, strerror(code));
}

/* A name next to the final one that is not taken; "try" counts up. */
static int temporary_name(struct output *o, unsigned try)
{
	int n = snprintf(o->temporary, sizeof(o->temporary), "%s.%ld-%u.tmp", o->final,
			 (long)getpid(), try);
	if (n < 0 || (size_t)n >= sizeof(o->temporary)) {
		o->temporary[0] = '\0';
		errno = ENAMETOOLONG;
		return -1;
	}
	return 0;
}

static int open_unnamed(const struct output *o)
{
	char folder[PATH_MAX];
	snprintf(folder, sizeof(folder), "%s", o->final);
	char *slash = strrchr(folder, '/');
	if (!slash)
		strcpy(folder, ".");
	else
		slash[slash == folder] = '\0';
	return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

static int open_named(struct output *o)
{
	for (unsigned try = 0; try < 1000; try++) {
		if (temporary_name(o, try))
			return -1;
		int fd = open(o->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST) {
			if (fd < 0)
				o->temporary[0] = '\0';
			return fd;
		}
	}
	o->temporary[0] = '\0';
	return -1;
}

/* Where the bytes go, as a descriptor. */
static int open_target(struct output *o, const char *path)
{
	struct stat st;
	if (!strcmp(path, "-"))
		return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	bool exists = stat(path, &st) == 0;
	if (exists && !S_ISREG(st.st_mode))
		return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	/* A link stays a link: replace the file that it leads to. */
	if (exists ? !realpath(path, o->final) : strlen(path) >= sizeof(o->final)) {
		errno = exists ? errno : ENAMETOOLONG;
		o->final[0] = '\0';
		return -1;
	}
	if (!exists)
		strcpy(o->final, path);
	int fd = open_unnamed(o);
	return fd >= 0 ? fd : open_named(o);
}

static int open_output(struct output *o, const char *path, struct cqesim_error *err)
{
	errno = 0;
	int fd = open_target(o, path);
	if (fd < 0)
		return fail_errno(o, err);
	o->stream = fdopen(fd, "w");
	if (!o->stream) { /* also when standard output was opened for reading */
		int rc = fail_errno(o, err);
		close(fd);
		return rc;
	}
	o->buffer = malloc(STREAM_BUFFER);
	if (!o->buffer)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	setvbuf(o->stream, o->buffer, _IOFBF, STREAM_BUFFER);
	return 0;
}

/* Give a complete file its name. */
static int publish(struct output *o, struct cqesim_error *err)
{
	if (!o->temporary[0]) {
		char self[64];
		snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(o->stream));
		int rc = -1;
		errno = EEXIST;
		for (unsigned try = 0; rc && errno == EEXIST && try < 1000; try++) {
			if (temporary_name(o, try))
				return fail_errno(o, err);
			rc = linkat(AT_FDCWD, self, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW);
		}
		if (rc) {
			o->temporary[0] = '\0';
			return fail_errno(o, err);
		}
	}
	if (rename(o->temporary, o->final))
		return fail_errno(o, err);
	o->temporary[0] = '\0';
	return 0;
}

/* Frames of a workload stop after their headers, the rest is zeros; captures are cut as they are.
 */
static void write_frame(pcap_dumper_t *dumper, const struct cqesim_frame *f, bool synthetic,
			uint8_t *whole)
{
	uint64_t ns = f->time_ps / PS_PER_NS;
	struct pcap_pkthdr h = {
		.ts = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_usec = (suseconds_t)(ns % NS_PER_S)},
		.caplen = f->cap_len < SNAPLEN ? f->cap_len : SNAPLEN,
		.len = f->orig_len,
	};
	const uint8_t *bytes = f->data;
	if (synthetic && f->cap_len < f->orig_len) {
		bytes = memcpy(whole, f->data, f->cap_len);
		h.caplen = f->orig_len;
	}
	pcap_dump((u_char *)dumper, &h, bytes);
}

static int write_frames(struct cqesim_trace *trace, struct output *o, pcap_dumper_t *dumper,
			uint64_t *packets, struct cqesim_error *err)
{
	/* Zero but for the first TRACE_SYNTH_BYTES, which each frame fills anew. */
	static const size_t longest = 16384;
	uint8_t *whole = calloc(1, longest);
	if (!whole)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	const struct cqesim_frame *frames;
	int n;
	while ((n = cqesim_trace_next(trace, &frames, err)) > 0) {
		errno = 0;
		for (int i = 0; i < n; i++)
			write_frame(dumper, &frames[i], trace->stats.synthetic, whole);
		*packets += (uint64_t)n;
		if (ferror(o->stream)) {
			n = fail_errno(o, err);
			break;
		}
	}
	free(whole);
	return n;
}

static int write_all(struct cqesim_trace *trace, struct output *o, uint64_t *packets,
		     struct cqesim_error *err)
{
	pcap_t *pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAPLEN,
							    PCAP_TSTAMP_PRECISION_NANO);
	if (!pcap)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	errno = 0;
	pcap_dumper_t *dumper = pcap_dump_fopen(pcap, o->stream);
	if (!dumper) {
		o->stream = NULL; /* libpcap has closed it */
		pcap_close(pcap);
		return fail_errno(o, err);
	}
	int rc = write_frames(trace, o, dumper, packets, err);
	errno = 0;
	if (!rc && pcap_dump_flush(dumper))
		rc = fail_errno(o, err);
	/* Before it gets its name; this also brings up what a network file system put off. */
	if (!rc && o->final[0] && fsync(fileno(o->stream)))
		rc = fail_errno(o, err);
	if (!rc && o->final[0])
		rc = publish(o, err);
	pcap_dump_close(dumper);
	o->stream = NULL;
	pcap_close(pcap);
	return rc;
}

int cqesim_trace_write_pcap(struct cqesim_trace *trace, const char *path, uint64_t *packets,
			    struct cqesim_error *err)
{
	struct output o = {0};
	uint64_t written = 0;
	trace_source_name(o.name, strcmp(path, "-") != 0 ? path : "standard output");
	int rc = open_output(&o, path, err);
	if (!rc)
		rc = write_all(trace, &o, &written, err);
	if (o.stream)
		fclose(o.stream);
	free(o.buffer);
	if (o.temporary[0])
		unlink(o.temporary);
	if (packets)
		*packets = written;
	return rc;
}

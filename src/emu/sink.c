/* SPDX-License-Identifier: BSD-3-Clause */
/* Where frames go that the program sends: nowhere, round the loop, into a capture or a cable. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/pcapng.h"
#include "cqesim/trace.h"
#include "emu/internal.h"

#define LOOP_SLOTS      512u /* a power of two */
#define LOOP_SLOT_BYTES 16384u
#define FILE_BUFFER     (1u << 20)
#define FRAME_MAX       (65536u + 64u)

#define LINKTYPE_ETHERNET 1u

static struct {
	uint8_t (*loop)[LOOP_SLOT_BYTES];
	uint32_t length[LOOP_SLOTS];
	uint32_t head, tail; /* free running: written, taken */
	FILE *file;
	struct pcapng capture; /* in it */
	uint64_t looped, waits, frames, too_long;
	bool failed;
} sink;
static uint8_t block[FRAME_MAX + 512];

int emu_sink_open(struct cqesim_error *err)
{
	const struct emu_settings *s = emu.settings;

	if (s->sink == EMU_SINK_LOOP) {
		sink.loop = malloc(LOOP_SLOTS * sizeof(*sink.loop));
		return sink.loop ? 0 : cqesim_fail(err, -ENOMEM, "out of memory");
	}
	if (s->sink != EMU_SINK_FILE)
		return 0;
	sink.file = fopen(s->sink_file, "we");
	if (sink.file && !setvbuf(sink.file, NULL, _IOFBF, FILE_BUFFER)) {
		sink.capture = (struct pcapng){.stream = sink.file, .block = block};
		pcapng_head(&sink.capture, LINKTYPE_ETHERNET, EMU_DEVICE);
	}
	if (!sink.file || ferror(sink.file))
		return cqesim_fail(err, -errno, "%s: cannot write: %s", s->sink_file,
				   strerror(errno));
	return 0;
}

void emu_sink_close(void)
{
	if (sink.file)
		fclose(sink.file);
	sink.file = NULL;
}

void emu_sink_flush(void)
{
	if (sink.file && (fflush(sink.file) || ferror(sink.file)) && !sink.failed) {
		sink.failed = true;
		emu_warn("%s: cannot write: %s", emu.settings->sink_file, strerror(errno));
	}
}

/* As a wire carries it; 0: longer than the room. */
static uint32_t gather(const struct cqesim_sent_frame *frame, uint8_t *to, uint32_t room)
{
	uint32_t length = cqesim_sent_frame_copy(frame, to, room);

	if (length && length < CQESIM_MIN_FRAME) {
		memset(to + length, 0, CQESIM_MIN_FRAME - length);
		length = CQESIM_MIN_FRAME;
	}
	return length;
}

static int to_loop(const struct cqesim_sent_frame *frame)
{
	if (sink.head - sink.tail == LOOP_SLOTS) {
		sink.waits++;
		return -EAGAIN;
	}
	uint32_t slot = sink.head & (LOOP_SLOTS - 1);
	sink.length[slot] = gather(frame, sink.loop[slot], LOOP_SLOT_BYTES);
	if (!sink.length[slot]) {
		sink.too_long++;
		return 0;
	}
	sink.head++;
	sink.looped++;
	return 0;
}

static int to_cable(const struct cqesim_sent_frame *frame)
{
	/* The whole of it is made here: memory of the cable may change under our hands. */
	static uint8_t bytes[CABLE_FRAME_MAX];

	if (!emu_cable_may_send())
		return -EAGAIN;
	uint32_t length = gather(frame, bytes, sizeof(bytes));
	if (!length) {
		sink.too_long++;
		return 0;
	}
	return emu_cable_send(bytes, length);
}

static void to_file(const struct cqesim_sent_frame *frame)
{
	static uint8_t bytes[FRAME_MAX];
	const uint32_t outbound = PCAPNG_OUTBOUND, queue = frame->sqn;
	uint32_t length = gather(frame, bytes, sizeof(bytes));

	if (!length) {
		sink.too_long++;
		return;
	}
	if (!sink.file || ferror(sink.file)) /* emu_sink_flush tells */
		return;
	pcapng_packet_begin(&sink.capture, emu_now_ps() / 1000, length);
	pcapng_packet_data(&sink.capture, bytes, length);
	pcapng_option(&sink.capture, PCAPNG_EPB_FLAGS, &outbound, sizeof(outbound));
	pcapng_option(&sink.capture, PCAPNG_EPB_QUEUE, &queue, sizeof(queue));
	pcapng_packet_end(&sink.capture);
	sink.frames += !ferror(sink.file);
}

int emu_sent(void *context, const struct cqesim_sent_frame *frame)
{
	int rc = 0;

	(void)context;
	if (emu.settings->sink == EMU_SINK_LOOP)
		rc = to_loop(frame);
	else if (emu.settings->sink == EMU_SINK_CABLE)
		rc = to_cable(frame);
	else if (emu.settings->sink == EMU_SINK_FILE)
		to_file(frame);
	if (!rc)
		emu_order_sent(frame);
	return rc;
}

unsigned emu_loop_peek(struct cqesim_frame *frames, unsigned max)
{
	unsigned n = 0;

	for (; n < max && sink.tail + n != sink.head; n++) {
		uint32_t slot = (sink.tail + n) & (LOOP_SLOTS - 1);

		frames[n] = (struct cqesim_frame){
			.data = sink.loop[slot],
			.cap_len = sink.length[slot],
			.orig_len = sink.length[slot],
			.len = sink.length[slot],
		};
	}
	return n;
}

void emu_loop_take(unsigned n)
{
	sink.tail += n;
}

void emu_sink_statistics(struct emu_statistics *s)
{
	s->looped = sink.looped;
	s->loop_waits = sink.waits;
	s->sink_frames = sink.frames;
	s->sink_failed = sink.failed;
	s->sink_long = sink.too_long;
}

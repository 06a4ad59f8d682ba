/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The card at its end of a cable (--cable): frames sent leave at the port's rate, and
 * wait when the cable is full rather than that they are lost in it; frames that come are
 * given to the card, whether it can take them or not, as on a wire (source.c).
 */
#include <errno.h>
#include <string.h>

#include "cqesim/trace.h"
#include "emu/internal.h"

#define BATCH 32u
/* Real time between two looks whether the other card is alive. */
#define LOOK_PS 2e9
/* How long what was not sent may be made up for: the engine sends in batches. */
#define SLACK_PS UINT64_C(50000000)

static struct {
	struct cable cable;
	struct cqesim_pacer wire;
	uint64_t now_ps, look_at_ps, look_every_ps;
	/* Copies of frames that came, and where the cable goes on behind each. */
	uint8_t bytes[BATCH][CABLE_FRAME_MAX];
	struct cqesim_frame frames[BATCH];
	uint32_t behind[BATCH];
	unsigned at, count;
} plug = {.cable.fd = -1};

int emu_cable_open(struct cqesim_error *err)
{
	const struct emu_settings *s = emu.settings;

	if (s->sink != EMU_SINK_CABLE)
		return 0;
	int rc = s->cable_end < 0 ? cable_take(&plug.cable, s->cable, err)
				  : cable_join(&plug.cable, s->cable, (unsigned)s->cable_end,
					       s->cable_token, err);
	if (rc)
		return rc;
	plug.look_every_ps = (uint64_t)(LOOK_PS / s->time_scale) + 1;
	if (plug.cable.end && !s->mac_given) /* two ports of one wire have two addresses */
		emu.mac[5]++;
	rc = cqesim_pacer_init(&plug.wire, emu.port_bps, 8);
	return rc ? cqesim_fail(err, rc, "%s: no rate for a cable", "port_speed") : 0;
}

void emu_cable_close(void)
{
	cable_leave(&plug.cable);
}

void emu_cable_plug(void)
{
	struct cqesim_error err = {""};

	if (plug.cable.file && cable_plug(&plug.cable, &err))
		emu_warn("%s", err.text);
}

void emu_cable_unplug(void)
{
	plug.at = plug.count = 0; /* they stay in the cable, and are lost there */
	cable_unplug(&plug.cable);
}

void emu_cable_time(uint64_t now_ps)
{
	plug.now_ps = now_ps;
	if (now_ps < plug.look_at_ps)
		return;
	cable_look(&plug.cable);
	plug.look_at_ps = now_ps + plug.look_every_ps;
}

static void fetch(void)
{
	uint32_t length;

	plug.at = plug.count = 0;
	while (plug.count < BATCH && (length = cable_get(&plug.cable, plug.bytes[plug.count],
							 &plug.behind[plug.count]))) {
		plug.frames[plug.count] = (struct cqesim_frame){
			.data = plug.bytes[plug.count],
			.cap_len = length,
			.orig_len = length,
			.len = length,
		};
		plug.count++;
	}
}

unsigned emu_cable_peek(const struct cqesim_frame **frames, unsigned max)
{
	if (plug.at == plug.count)
		fetch();
	*frames = plug.frames + plug.at;
	return plug.count - plug.at < max ? plug.count - plug.at : max;
}

void emu_cable_take(unsigned n)
{
	uint64_t bytes = 0;

	if (!n)
		return;
	for (unsigned i = 0; i < n; i++)
		bytes += plug.frames[plug.at + i].len;
	plug.at += n;
	cable_taken(&plug.cable, plug.behind[plug.at - 1], n, bytes);
}

bool emu_cable_may_send(void)
{
	return plug.wire.ps <= plug.now_ps;
}

int emu_cable_send(const uint8_t *frame, uint32_t length)
{
	int rc = cable_put(&plug.cable, frame, length);

	if (rc)
		return rc;
	if (plug.now_ps > SLACK_PS)
		cqesim_pacer_not_before(&plug.wire, plug.now_ps - SLACK_PS);
	cqesim_pacer_advance(&plug.wire, length + CQESIM_FCS_BYTES + CQESIM_WIRE_GAP_BYTES);
	return 0;
}

void emu_cable_statistics(struct emu_statistics *s)
{
	if (!plug.cable.file)
		return;
	s->cable = plug.cable.counts;
	s->cable_left = cable_left(&plug.cable);
	s->cable_on_the_way = cable_on_the_way(&plug.cable);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqesim card --cable: two launchers, what one program sends arrives at the other, and
 * nothing is unaccounted for.  The machine may be slow: nothing depends on rates.
 */
#include <sys/mman.h>

#include "card_side.h"

#define TESTPMD(more)                                                                              \
	"dpdk-testpmd -l 0,1 --no-huge -m 256 --iova-mode=va --no-telemetry "                      \
	"--file-prefix cable$$ -a 0000:c1:00.0 -- --total-num-mbufs=8192 --rxd=512 --txd=512 "     \
	"--stats-period 1 " more

/* Testpmd forwards. */
static void until_ready(const struct side *s)
{
	until(s, "NIC statistics for port 0");
}

/* All that this end sent is taken out of the cable. */
static void until_taken(unsigned sender)
{
	int fd = open(path(), O_RDONLY);
	ck_assert_int_ge(fd, 0);
	struct cable_file *file = mmap(NULL, sizeof(*file), PROT_READ, MAP_SHARED, fd, 0);
	ck_assert(file != MAP_FAILED);
	struct cable_ring *ring = &file->ring[sender];

	close(fd);
	for (int wait = 0; atomic_load(&ring->head) != atomic_load(&ring->tail); wait++) {
		ck_assert_msg(wait < PATIENCE * 100, "frames stay in the cable");
		usleep(10000);
	}
	munmap(file, sizeof(*file));
}

/* Each frame that it sent is in one of these. */
static void sent_adds_up(json_t *doc)
{
	ck_assert_uint_eq(count_at(doc, "sent.packets"), count_at(doc, "cable.out_frames") +
								 count_at(doc, "cable.cable_down") +
								 count_at(doc, "sent.too_long"));
	ck_assert_uint_eq(count_at(doc, "cable.damaged"), 0);
	ck_assert_uint_eq(count_at(doc, "rules.violations"), 0);
	ck_assert_uint_eq(count_at(doc, "sent.errors"), 0);
}

static void arrived_adds_up(json_t *doc)
{
	ck_assert_uint_eq(count_at(doc, "received.arrived"),
			  count_at(doc, "cable.in_frames") +
				  count_at(doc, "received.source_frames"));
	ck_assert_uint_eq(count_at(doc, "received.arrived"),
			  count_at(doc, "received.delivered") + count_at(doc, "received.lost.all"));
}

/* Received and lost is what was sent; with posted, nothing is lost. */
static void one_way(bool posted)
{
	const char *const waits[] = {"--rate", "posted", NULL};
	const char *const seconds[] = {"--duration", "1.5", NULL};

	struct side rx = start("rx", posted ? waits : no_options, TESTPMD("--forward-mode=rxonly"));
	until_ready(&rx);
	struct side tx = start("tx", seconds, TESTPMD("--forward-mode=txonly"));
	json_t *sent = end(&tx, 0);
	until_taken(1);
	json_t *received = stop(&rx);

	ck_assert_str_eq(json_string_value(at(received, "cable.end")), "A");
	ck_assert_str_eq(json_string_value(at(sent, "cable.end")), "B");
	sent_adds_up(sent);
	sent_adds_up(received);
	arrived_adds_up(received);
	ck_assert_uint_gt(count_at(sent, "cable.out_frames"), 2 * CABLE_SLOTS);
	ck_assert_uint_eq(count_at(sent, "cable.cable_down"), 0);
	ck_assert_uint_eq(count_at(sent, "cable.left"), 0);
	ck_assert_uint_eq(count_at(received, "cable.in_frames"),
			  count_at(sent, "cable.out_frames"));
	ck_assert_uint_eq(count_at(received, "cable.in_bytes"), count_at(sent, "cable.out_bytes"));
	ck_assert_uint_eq(count_at(received, "received.lost.no_queue"), 0);
	ck_assert_uint_eq(count_at(sent, "received.arrived"), 0);
	ck_assert_uint_gt(count_at(received, "received.delivered"), 0);
	if (posted)
		ck_assert_uint_eq(count_at(received, "received.lost.all"), 0);
	json_decref(sent);
	json_decref(received);
	ck_assert(!is_there());
	ck_assert_uint_eq(left_over(), 0);
}

START_TEST(testpmd_one_way)
{
	if (has_testpmd("card --cable, one way"))
		one_way(false);
}
END_TEST

START_TEST(testpmd_waits)
{
	if (has_testpmd("card --cable, --rate posted"))
		one_way(true);
}
END_TEST

/* Some frames that go round between two programs, in order, until one of them ends. */
START_TEST(testpmd_both_ways)
{
	const char *const one[] = {"--rate",  "posted", "--check-order", "--source", "numbered:udp",
				   "--limit", "64",     "--wait",        "0.3",      "--duration",
				   "2",       NULL};
	const char *const other[] = {"--rate", "posted", "--check-order", NULL};

	if (!has_testpmd("card --cable, both ways"))
		return;
	struct side b = start("b", other, TESTPMD("--forward-mode=io"));
	until_ready(&b);
	struct side a = start("a", one, TESTPMD("--forward-mode=io"));
	json_t *first = end(&a, 0);
	until_taken(1);
	json_t *second = stop(&b);

	sent_adds_up(first);
	sent_adds_up(second);
	arrived_adds_up(first);
	arrived_adds_up(second);
	ck_assert_uint_eq(count_at(first, "received.source_frames"), 64);
	ck_assert_uint_gt(count_at(first, "cable.in_frames"), 64);
	ck_assert_uint_eq(count_at(second, "cable.in_frames"), count_at(first, "cable.out_frames"));
	ck_assert_uint_eq(count_at(first, "cable.in_frames") + count_at(second, "cable.left"),
			  count_at(second, "cable.out_frames"));
	for (unsigned i = 0; i < 2; i++) {
		json_t *doc = i ? second : first;

		ck_assert_uint_eq(count_at(doc, "received.lost.all"), 0);
		ck_assert_uint_eq(count_at(doc, "order.out_of_order"), 0);
		ck_assert_uint_eq(count_at(doc, "order.numbered"),
				  count_at(doc, "received.arrived"));
		ck_assert_uint_gt(count_at(doc, "order.sent"), 64);
	}
	json_decref(first);
	json_decref(second);
	ck_assert(!is_there());
}
END_TEST

/* A process that was killed is not gone at once, and not our child if its launcher was too. */
static void until_free(void)
{
	struct cqesim_error err;
	struct cable c;

	for (int wait = 0; cable_take(&c, path(), &err); wait++) {
		ck_assert_msg(wait < PATIENCE * 100, "%s", err.text);
		usleep(10000);
	}
	cable_leave(&c);
}

/* Whoever is killed, the other goes on, and with whoever comes next. */
static void killed(bool sender, bool launcher)
{
	const char *victim =
		sender ? TESTPMD("--forward-mode=txonly") : TESTPMD("--forward-mode=rxonly");
	const char *other =
		sender ? TESTPMD("--forward-mode=rxonly") : TESTPMD("--forward-mode=txonly");
	struct side stays = start("stays", no_options, other);
	until_ready(&stays);
	struct side goes = start("goes", no_options, victim);
	until_ready(&goes);
	if (launcher)
		kill(goes.launcher, SIGKILL);
	kill(goes.program, SIGKILL);
	json_decref(end(&goes, launcher ? -1 : 128 + SIGKILL));
	until_free();
	ck_assert(is_there());
	struct side next = start("next", no_options, victim);
	until_ready(&next);
	usleep(500000);
	json_t *doc = stop(&next), *whole = stop(&stays);

	ck_assert_str_eq(json_string_value(at(doc, "cable.end")), "B");
	ck_assert_str_eq(json_string_value(at(whole, "cable.end")), "A");
	sent_adds_up(doc);
	sent_adds_up(whole);
	arrived_adds_up(doc);
	arrived_adds_up(whole);
	if (sender) {
		ck_assert_uint_ge(count_at(whole, "cable.in_frames"),
				  count_at(doc, "cable.out_frames") -
					  count_at(doc, "cable.on_the_way"));
	} else {
		/* Before, between and behind the two. */
		ck_assert_uint_gt(count_at(whole, "cable.cable_down"), 0);
		ck_assert_uint_gt(count_at(doc, "cable.in_frames"), 0);
		ck_assert_uint_le(count_at(doc, "cable.in_frames") + count_at(whole, "cable.left"),
				  count_at(whole, "cable.out_frames"));
	}
	json_decref(doc);
	json_decref(whole);
	ck_assert(!is_there());
	ck_assert_uint_eq(left_over(), 0);
	unlink(goes.report);
}

START_TEST(kill_receiver)
{
	if (!has_testpmd("card --cable, kill -9 of the receiver"))
		return;
	killed(false, false);
	killed(false, true);
}
END_TEST

START_TEST(kill_sender)
{
	if (!has_testpmd("card --cable, kill -9 of the sender"))
		return;
	killed(true, false);
	killed(true, true);
}
END_TEST

/* A slow port, in slow time: frames leave no faster than it sends. */
START_TEST(line_rate)
{
	const char *const options[] = {
		"--set", "port_speed=1", "--time-scale", "100", "--duration", "1.5", NULL};

	if (!has_testpmd("card --cable, line rate"))
		return;
	struct side s = start("slow", options, TESTPMD("--forward-mode=txonly"));
	json_t *doc = end(&s, 0);
	double bits = 8 * ((double)count_at(doc, "sent.bytes") +
			   24 * (double)count_at(doc, "sent.packets"));

	/* It may make up for 50 us, and a frame has begun. */
	ck_assert_double_le(bits, 1e9 * (number_at(doc, "time.open_s") / 100 + 50e-6) + 8 * 84);
	ck_assert_uint_gt(count_at(doc, "sent.packets"), 0);
	ck_assert_uint_eq(count_at(doc, "cable.cable_down"), count_at(doc, "sent.packets"));
	json_decref(doc);
	ck_assert(!is_there());
}
END_TEST

Suite *suite_card_cable(void)
{
	Suite *suite = suite_create("card_cable");
	TCase *tc = tcase_create("cable");

	tcase_set_timeout(tc, 10 * PATIENCE);
	tcase_add_test(tc, testpmd_one_way);
	tcase_add_test(tc, testpmd_waits);
	tcase_add_test(tc, testpmd_both_ways);
	tcase_add_test(tc, kill_receiver);
	tcase_add_test(tc, kill_sender);
	tcase_add_test(tc, line_rate);
	suite_add_tcase(suite, tc);
	add_card_cable_launchers(suite);
	return suite;
}

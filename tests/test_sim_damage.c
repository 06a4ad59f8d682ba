/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_sim_damage.c - the check that what comes back is what was sent must
 * itself be checked: one bit of the ring is flipped behind the device's back,
 * and the run has to end with the queue and the slot.
 */
#include <errno.h>

#include "sim_run.h"

struct damage {
	unsigned queue;
	unsigned at; /* which write to that queue's ring */
	unsigned byte;
	uint8_t bits;
	unsigned writes; /* so far */
	bool done;
	uint32_t slot;
};

static void flip(void *context, unsigned queue, uint32_t slot, uint8_t *bytes)
{
	struct damage *d = context;

	if (queue != d->queue || d->writes++ != d->at)
		return;
	bytes[d->byte] ^= d->bits;
	d->slot = slot;
	d->done = true;
}

/* Sessions of eight: slots k+1 (array) and k (title) are written in turn, k a multiple of eight. */
#define SESSION 8u
#define RING    64u

static struct sim_run *machine(const char *driver, enum cqesim_comp_choice comp)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", driver);

	run_set(r, "cqe_compression_max_num", "8");
	run_set(r, "cqe_compression_timeout", "100000");
	run_set(r, "wakeup", "poll"); /* or Linux's polls, as large as the ring, lose packets */
	r->config.comp = comp;
	r->config.ring = r->config.cq_size = RING;
	return r;
}

/* A wrong count is seen where the reader then looks in vain, which may be further on. */
#define SOMEWHERE UINT32_MAX

/* Must end in an error that names the queue and the slot whose completion it is. */
static void must_be_noticed(struct sim_run *r, struct damage *d, const char *spec, uint32_t back,
			    const char *words)
{
	struct cqesim_ring_observer observer = {.context = d, .written = flip};
	char queue[32], slot[32];

	r->config.observer = &observer;
	run_open_synthetic(r, spec);
	int rc = run_go(r);
	ck_assert_msg(d->done, "byte %u of write %u: the run was too short", d->byte, d->at);
	ck_assert_msg(rc == -EBADMSG, "byte %u, bits %#x, write %u: %d %s", d->byte, d->bits, d->at,
		      rc, r->err.text);
	snprintf(queue, sizeof(queue), "queue %u", d->queue);
	if (back == SOMEWHERE)
		snprintf(slot, sizeof(slot), "slot ");
	else
		snprintf(slot, sizeof(slot), "slot %u)", d->slot - back);
	ck_assert_msg(strstr(r->err.text, "internal error") && strstr(r->err.text, queue) &&
			      strstr(r->err.text, slot) && strstr(r->err.text, words),
		      "byte %u, bits %#x: \"%s\" names not %s, %s, \"%s\"", d->byte, d->bits,
		      r->err.text, queue, slot, words);
	ck_assert_ptr_null(strchr(r->err.text, '\n'));
}

/* Positions of the fields: the facts file, mlx5_cqe64. */
static const struct {
	unsigned byte;
	uint8_t bits;
	const char *words;
} plain_fields[] = {
	{0, 0x01, "pkt_info"},        {12, 0x80, "rx_hash_res"},   {13, 0x10, "rx_hash_res"},
	{14, 0x01, "rx_hash_res"},    {15, 0x01, "rx_hash_res"},   {16, 0x04, "rx_hash_type"},
	{20, 0x01, "csum"},           {21, 0x80, "csum"},          {28, 0x04, "hds_ip_ext"},
	{29, 0x01, "l4_l3_hdr_type"}, /* VLAN */
	{29, 0x04, "l4_l3_hdr_type"}, /* L3 */
	{29, 0x10, "l4_l3_hdr_type"}, /* L4 */
	{29, 0x80, "l4_l3_hdr_type"}, /* fragment */
	{30, 0x20, "vlan_info"},      {31, 0x01, "vlan_info"},     {33, 0x01, "user_index"},
	{35, 0x01, "user_index"},     {44, 0x80, "byte_cnt"},      {45, 0x01, "byte_cnt"},
	{46, 0x01, "byte_cnt"},       {47, 0x01, "byte_cnt"},      {57, 0x01, "flow_tag"},
	{59, 0x01, "flow_tag"},       {60, 0x01, "wqe_counter"},   {61, 0x01, "wqe_counter"},
	{63, 0x01, "nothing there"}, /* owner */
	{63, 0x10, "opcode"},         {63, 0x20, "opcode"},        {63, 0x40, "opcode"},
	{63, 0x80, "opcode"},         {63, 0xd0, "nothing there"}, /* opcode 15: invalid */
	{63, 0x0c, "slot"}, /* a title all of a sudden, and its length is no count */
};

static const char *const drivers[] = {"dpdk-mlx5-vec", "dpdk-mlx5-scalar", "linux-mlx5e"};

START_TEST(plain)
{
	static const unsigned places[] = {0, 5, RING - 1, RING, 5 * RING + 17, 999};
	struct sim_run *r = machine(drivers[_i], CQESIM_COMP_CHOOSE_OFF);

	for (size_t i = 0; i < sizeof(plain_fields) / sizeof(plain_fields[0]); i++)
		for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
			struct damage d = {
				.at = places[p],
				.byte = plain_fields[i].byte,
				.bits = plain_fields[i].bits,
			};
			must_be_noticed(r, &d, "frame=64,flows=20,rate=5Mpps,packets=1000,vlan=77",
					0, plain_fields[i].words);
		}
	run_free(r);
}
END_TEST

/* Every bit of a full array. */
START_TEST(arrays)
{
	struct sim_run *r = machine(drivers[_i], CQESIM_COMP_CHOOSE_AGGRESSIVE);
	static const unsigned places[] = {0, 60, 2 * 999 / 8 - 1};

	if (!strcmp(drivers[_i], "linux-mlx5e"))
		r->config.mini_format = CQESIM_MINI_HASH;
	for (unsigned bit = 0; bit < 512; bit++) {
		struct damage d = {
			.at = places[bit % 3] & ~1u, /* even: arrays */
			.byte = bit / 8,
			.bits = (uint8_t)(1 << bit % 8),
		};
		must_be_noticed(r, &d, "frame=64,flows=5,rate=5Mpps,packets=1000", 1,
				bit / 8 % 8 < 4 ? "rx_hash_res"
				: bit / 8 % 8 < 6
					? "a length that no packet has" /* 65536 and more */
					: "byte_cnt");
		ck_assert_uint_eq(d.slot % SESSION, 1);
	}
	run_free(r);
}
END_TEST

/* In the other formats what the minis carry of it. */
START_TEST(arrays_of_other_formats)
{
	static const struct {
		enum cqesim_mini_format format;
		unsigned byte;
		const char *words;
	} fields[] = {
		{CQESIM_MINI_CSUM, 0, "csum"},
		{CQESIM_MINI_CSUM, 1, "csum"},
		{CQESIM_MINI_CSUM, 7, "byte_cnt"},
		{CQESIM_MINI_FTAG_STRIDX, 1, "flow_tag"},
		{CQESIM_MINI_FTAG_STRIDX, 4, "flow_tag"},
		{CQESIM_MINI_FTAG_STRIDX, 3, "wqe_counter"},
		{CQESIM_MINI_FTAG_STRIDX, 7, "byte_cnt"},
		{CQESIM_MINI_CSUM_STRIDX, 1, "csum"},
		{CQESIM_MINI_CSUM_STRIDX, 3, "wqe_counter"},
		{CQESIM_MINI_CSUM_STRIDX, 7, "byte_cnt"},
		{CQESIM_MINI_L34H_STRIDX, 0, "l4_l3_hdr_type"},
		{CQESIM_MINI_L34H_STRIDX, 3, "wqe_counter"},
		{CQESIM_MINI_L34H_STRIDX, 7, "byte_cnt"},
	};
	struct sim_run *r = machine("dpdk-mlx5-scalar", CQESIM_COMP_CHOOSE_AGGRESSIVE);

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		for (unsigned mini = 0; mini < 8; mini++) {
			struct damage d = {
				.at = 2 * (i + mini),
				.byte = 8 * mini + fields[i].byte,
				.bits = 0x02,
			};
			r->config.mini_format = (int)fields[i].format;
			must_be_noticed(r, &d, "frame=64,flows=1,rate=5Mpps,packets=1000", 1,
					fields[i].words);
		}
	run_free(r);
}
END_TEST

START_TEST(titles)
{
	/* Not the hash, which the minis replace; byte_cnt is the number of packets, 8. */
	static const struct {
		unsigned byte;
		uint8_t bits;
		const char *words;
	} fields[] = {
		{0, 0x01, "pkt_info"},       {16, 0x04, "rx_hash_type"},
		{28, 0x04, "hds_ip_ext"},    {29, 0x10, "l4_l3_hdr_type"},
		{31, 0x01, "vlan_info"},     {35, 0x01, "user_index"},
		{59, 0x01, "flow_tag"},      {61, 0x01, "wqe_counter"},
		{63, 0x01, "nothing there"}, {63, 0x10, "opcode"},
		{47, 0x01, "slot"}, /* 9 */
		{47, 0x02, "slot"}, /* 10 */
		{47, 0x04, "slot"}, /* 12 */
		{47, 0x10, "slot"}, /* 24 */
		{47, 0x0c, "slot"}, /* 4 */
		{47, 0x08, "slot"}, /* 0 */
		{47, 0x09, "slot"}, /* 1 */
		{47, 0x40, "slot"}, /* 72: more than the ring has */
		{44, 0x80, "slot"},
	};
	/* The first, one in a later lap, the last of all. */
	static const unsigned places[] = {1, 101, 2 * 1000 / 8 - 1};
	struct sim_run *r = machine(drivers[_i], CQESIM_COMP_CHOOSE_AGGRESSIVE);

	if (!strcmp(drivers[_i], "linux-mlx5e"))
		r->config.mini_format = CQESIM_MINI_HASH;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
			struct damage d = {
				.at = places[p],
				.byte = fields[i].byte,
				.bits = fields[i].bits,
			};
			must_be_noticed(r, &d, "frame=64,flows=5,rate=5Mpps,packets=1000,vlan=9",
					fields[i].byte == 47 ? SOMEWHERE : 0, fields[i].words);
			ck_assert_uint_eq(d.slot % SESSION, 0);
		}
	run_free(r);
}
END_TEST

/*
 * A title that is none any more: eight packets are expected and two plain
 * completions found (the array passes for one), so the error is where they end.
 */
START_TEST(lost_title)
{
	struct sim_run *r = machine(drivers[_i], CQESIM_COMP_CHOOSE_AGGRESSIVE);

	if (!strcmp(drivers[_i], "linux-mlx5e"))
		r->config.mini_format = CQESIM_MINI_HASH;
	for (uint8_t bits = 0x04; bits <= 0x08; bits *= 2)
		for (unsigned at = 1; at < 2 * 1000 / 8; at += 2) {
			struct damage d = {.at = at, .byte = 63, .bits = bits};
			struct cqesim_ring_observer observer = {.context = &d, .written = flip};

			r->config.observer = &observer;
			run_open_synthetic(r, "frame=64,flows=5,rate=5Mpps,packets=1000");
			ck_assert_int_eq(run_go(r), -EBADMSG);
			ck_assert_ptr_nonnull(strstr(r->err.text, "internal error: queue 0"));
			ck_assert_ptr_nonnull(strstr(r->err.text, "slot"));
		}
	run_free(r);
}
END_TEST

/* The right queue is named. */
START_TEST(among_queues)
{
	struct sim_run *r = machine("dpdk-mlx5-vec", CQESIM_COMP_CHOOSE_OFF);

	r->config.queues = 16;
	for (unsigned q = 0; q < 16; q++) {
		struct damage d = {.queue = q, .at = 100 + q, .byte = 47, .bits = 1};
		must_be_noticed(r, &d, "frame=64,flows=1000,rate=20Mpps,packets=8000", 0,
				"byte_cnt");
	}
	run_free(r);
}
END_TEST

/* The reader of a run: an observer may stop it. */
static int stop(void *context, unsigned queue, uint64_t now_ps, const struct cqesim_completion *c,
		unsigned n)
{
	unsigned *packets = context;

	(void)queue;
	(void)now_ps;
	(void)c;
	*packets += n;
	return *packets > 500 ? -ECANCELED : 0;
}

START_TEST(observer_stops)
{
	struct sim_run *r = machine("dpdk-mlx5-vec", CQESIM_COMP_CHOOSE_OFF);
	unsigned packets = 0;
	struct cqesim_ring_observer observer = {.context = &packets, .polled = stop};

	r->config.observer = &observer;
	run_open_synthetic(r, "frame=64,flows=1,rate=5Mpps,packets=1000");
	ck_assert_int_eq(run_go(r), -ECANCELED);
	ck_assert_uint_gt(packets, 500);
	ck_assert_uint_lt(packets, 600);
	run_free(r);
}
END_TEST

void add_sim_damage(Suite *suite)
{
	TCase *t = tcase_create("damage");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, plain, 0, 3);
	tcase_add_loop_test(t, arrays, 0, 3);
	tcase_add_test(t, arrays_of_other_formats);
	tcase_add_loop_test(t, titles, 0, 3);
	tcase_add_loop_test(t, lost_title, 0, 3);
	tcase_add_test(t, among_queues);
	tcase_add_test(t, observer_stops);
	suite_add_tcase(suite, t);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Station 1: frames that hold their number. */
#include <errno.h>

#include "trace/numbered.h"
#include "trace_files.h"

/* RFC 1071 over the words of an IPv4 header: 0xffff when it is right. */
static uint32_t ipv4_sum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < (ip[0] & 15u) * 4; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	return (sum & 0xffff) + (sum >> 16);
}

/* RFC 1071, TCP's pseudo header included: 0xffff when all is right. */
static uint32_t tcp_sum(const struct numbered_frame *e, const uint8_t *bytes)
{
	bool six = e->kind == NUMBERED_STREAM6;
	const uint8_t *from = bytes + e->l4 - (six ? 32 : 8);
	uint32_t sum = 6 + e->len - e->l4;

	for (uint32_t i = 0; i < bytes + e->len - from; i++)
		sum += i & 1 ? from[i] : (uint32_t)from[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static uint32_t next_seq[256];
static bool has_next[256];
static unsigned followed, broken;

static void follows(const struct numbered_frame *e, const uint8_t *bytes, uint64_t number)
{
	uint32_t seq = (uint32_t)cqesim_be_load(bytes + e->l4 + 4, 4);

	ck_assert_uint_eq(tcp_sum(e, bytes), 0xffff);
	ck_assert_uint_eq(seq, numbered_seq(e, number));
	if (has_next[e->flow]) {
		followed += seq == next_seq[e->flow];
		broken += seq != next_seq[e->flow];
		ck_assert_uint_le(seq - next_seq[e->flow], 3000);
	}
	has_next[e->flow] = true;
	next_seq[e->flow] = seq + e->payload;
}

START_TEST(numbers)
{
	static const char *const mixes[] = {"udp", "tcp", "small", "all", "jumbo", "lro"};
	static const uint32_t longest[] = {60, 1514, 128, 1518, 9018, 1518};
	struct cqesim_trace_config config = {.limit = 10000};
	const struct cqesim_frame *f;
	struct cqesim_trace *t;
	struct numbered table;
	uint64_t at = 0, number, kinds = 0;

	ck_assert_int_eq(cqesim_trace_open_numbered(&t, mixes[_i], 100000000000, &config, NULL), 0);
	ck_assert_int_eq(numbered_make(&table, mixes[_i], NULL), 0);
	for (int n; (n = cqesim_trace_next(t, &f, NULL)) > 0;)
		for (int i = 0; i < n; i++, at++) {
			const struct numbered_frame *e = &table.frame[at % NUMBERED_FRAMES];

			ck_assert_uint_eq(f[i].len, e->len);
			ck_assert_uint_eq(f[i].cap_len, e->len);
			ck_assert(e->len >= 60 && e->len <= longest[_i]);
			ck_assert(numbered_read(f[i].data + e->at, &number) && number == at);
			if (numbered_is_stream(e))
				follows(e, f[i].data, at);
			numbered_stamp(e, at);
			ck_assert(!memcmp(f[i].data, e->bytes, e->len));
			kinds |= UINT64_C(1) << e->kind;
			if (f[i].data[12] == 8 && !f[i].data[13])
				ck_assert_int_eq(ipv4_sum(f[i].data + 14) == 0xffff,
						 e->kind != NUMBERED_BAD_HEADER);
		}
	ck_assert_uint_eq(at, 10000);
	ck_assert_uint_eq(cqesim_trace_stats(t)->frames, 10000);
	ck_assert_uint_eq(kinds, _i == 0   ? 1 << NUMBERED_UDP4
				 : _i == 1 ? 1 << NUMBERED_TCP4
				 : _i == 5 ? (1 << NUMBERED_KINDS) - 1
					   : (1 << NUMBERED_STREAM4) - 1);
	/* Most segments follow the one before, also from one round to the next. */
	ck_assert(_i != 5 || (followed > 9000 && broken > 50 && broken < 500));
	numbered_free(&table);
	cqesim_trace_close(t);
}
END_TEST

START_TEST(refused)
{
	struct cqesim_trace_config config = {.rate = {CQESIM_RATE_SPEEDUP, 2, 1}};
	struct cqesim_error err = {""};
	struct cqesim_trace *t;

	ck_assert_int_eq(cqesim_trace_open_numbered(&t, "mixed", 1000000000, NULL, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "mixed"));
	ck_assert_int_eq(cqesim_trace_open_numbered(&t, "udp", 1000000000, &config, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "speed up"));
}
END_TEST

void add_trace_numbered(Suite *suite)
{
	TCase *c = tcase_create("numbered");

	tcase_add_loop_test(c, numbers, 0, 6);
	tcase_add_test(c, refused);
	suite_add_tcase(suite, c);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What completions mean: local or remote, which was first, what is known of vendor syndromes. */
#include "cqesim/cqe.h"
#include "test_dump.h"

static struct cqesim_dump_verdict verdict_of(struct cqesim_dump *d)
{
	struct cqesim_dump_verdict v;

	cqesim_dump_verdict(d, &v);
	return v;
}

/* ---- sentences ---- */

static const struct {
	uint8_t opcode, syndrome;
	enum cqesim_dump_where where;
	const char *words;
} meanings[] = {
	{13, 0x01, CQESIM_DUMP_LOCAL, "its length is not allowed"},
	{14, 0x01, CQESIM_DUMP_LOCAL, "did not fit into"},
	{13, 0x02, CQESIM_DUMP_LOCAL, "could not carry out"},
	{14, 0x02, CQESIM_DUMP_LOCAL, "could not use"},
	{13, 0x04, CQESIM_DUMP_LOCAL, "not allowed to touch the local memory"},
	{14, 0x04, CQESIM_DUMP_LOCAL, "not allowed to write a message"},
	{13, 0x05, CQESIM_DUMP_CONSEQUENCE, "A consequence, not the cause"},
	{14, 0x05, CQESIM_DUMP_CONSEQUENCE, "A consequence, not the cause"},
	{13, 0x06, CQESIM_DUMP_LOCAL, "memory registration"},
	{13, 0x10, CQESIM_DUMP_PATH, "answer"},
	{14, 0x11, CQESIM_DUMP_LOCAL, "a request of the peer"},
	{13, 0x12, CQESIM_DUMP_REMOTE, "refused"},
	{14, 0x12, CQESIM_DUMP_LOCAL, "what the peer sent"},
	{13, 0x13, CQESIM_DUMP_REMOTE, "did not let"},
	{13, 0x14, CQESIM_DUMP_REMOTE, "stands in the peer's log"},
	{13, 0x15, CQESIM_DUMP_PATH, "No answer from the peer"},
	{13, 0x16, CQESIM_DUMP_REMOTE, "no receive posted"},
	{13, 0x22, CQESIM_DUMP_REMOTE, "aborted"},
	{14, 0x22, CQESIM_DUMP_LOCAL, "aborted"},
	{13, 0x77, CQESIM_DUMP_NOWHERE, "no meaning that is public"},
};
#define MEANINGS (sizeof(meanings) / sizeof(meanings[0]))

START_TEST(meaning)
{
	struct cqesim_dump_item item = {.kind = CQESIM_DUMP_CQE, .known = ~UINT64_C(0)};
	struct cqesim_dump_facts f;
	char text[CQESIM_DUMP_TEXT], code[24];

	memcpy(item.raw, dump_error, 64);
	item.raw[55] = meanings[_i].syndrome;
	item.raw[63] = (uint8_t)(meanings[_i].opcode << 4 | 2);
	cqesim_dump_facts(&item, &f);
	ck_assert_uint_eq(f.opcode, meanings[_i].opcode);
	ck_assert_int_eq(cqesim_dump_where(&f), meanings[_i].where);
	cqesim_dump_explain(&item, text, sizeof(text));
	ck_assert_msg(strstr(text, meanings[_i].words) != NULL, "%s", text);
	snprintf(code, sizeof(code), "syndrome 0x%02x", meanings[_i].syndrome);
	ck_assert_msg(strstr(text, code) != NULL, "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "0xa1b2"));
	ck_assert_ptr_nonnull(strstr(text, "WQE index 3133"));
	/* Only a request has an operation; byte 56 of a receive means nothing. */
	ck_assert_int_eq(strstr(text, "RDMA_WRITE") != NULL, meanings[_i].opcode == 13);
	ck_assert_int_eq(cqesim_dump_is_flush(&item), meanings[_i].syndrome == 5);
	ck_assert_int_eq(text[strlen(text) - 1], '.');
	/* Something can always be looked at next. */
	ck_assert_ptr_nonnull(cqesim_dump_advice(&f)[0]);
}
END_TEST

/* Every syndrome that mlx5dv.h names has a sentence of its own and a verbs status. */
START_TEST(all_syndromes)
{
	unsigned named = 0;

	for (unsigned s = 1; s < 256; s++) {
		struct cqesim_dump_facts f = {.known = CQESIM_FACT_SYNDROME,
					      .syndrome = (uint8_t)s};
		bool known = strcmp(cqesim_syndrome_name(s), "unknown") != 0;
		unsigned status = cqesim_dump_syndrome_status(s);

		named += known;
		ck_assert_int_eq(cqesim_dump_where(&f) != CQESIM_DUMP_NOWHERE, known);
		ck_assert_int_eq(status != 255, known);
		if (known)
			ck_assert_uint_eq(cqesim_dump_status_syndrome(status), s);
	}
	ck_assert_uint_eq(named, 13);
	/* infiniband/verbs.h */
	ck_assert_str_eq(cqesim_dump_status_name(4), "LOC_PROT_ERR");
	ck_assert_str_eq(cqesim_dump_status_name(12), "RETRY_EXC_ERR");
	ck_assert_str_eq(cqesim_dump_status_name(23), "TM_RNDV_INCOMPLETE");
	ck_assert_str_eq(cqesim_dump_status_name(24), "unknown");
	ck_assert_uint_eq(cqesim_dump_status_syndrome(21), 0);
}
END_TEST

/* Completions that did not fail: bytes set by the layout, words by hand. */
static const struct {
	uint8_t at[8], value[8];
	const char *text;
} good[] = {
	{{45, 47, 61, 28, 63},
	 {0, 128, 5, 1, 0x21},
	 "Received 128 bytes into the buffer with WQE index 5."},
	{{44, 45, 46, 47, 28, 61, 3, 63},
	 {0x00, 0x02, 0x05, 0xdc, 0x03, 7, 9, 0x20},
	 "Received 1500 bytes in 2 strides from stride 7 on (striding WQE 0x9), L3 checksum good."},
	{{44, 45, 3, 63},
	 {0x80, 0x03, 9, 0x20},
	 "A filler, no packet: it closes the striding WQE 0x9, 3 strides unused."},
	{{47, 29, 30, 31, 0, 63},
	 {60, 0xa5, 0x20, 0x64, 1, 0x20},
	 "Received 60 bytes into the buffer with WQE index 0, in a tunnel, IPv6, UDP, a fragment, "
	 "VLAN "
	 "100 stripped."},
	{{56, 58, 59, 61, 63},
	 {0x10, 0x12, 0x34, 8, 0x01},
	 "Sent without error: RDMA_READ up to WQE index 8 on QP 0x1234."},
	{{39, 47, 61, 63},
	 {0x2a, 16, 3, 0x30},
	 "A message of 16 bytes with immediate 0x2a arrived in the receive with WQE index 3."},
	{{39, 47, 61, 63},
	 {0x2a, 16, 3, 0x10},
	 "An RDMA write of the peer with immediate 0x2a arrived, 16 bytes; it used the receive "
	 "with WQE "
	 "index 3."},
	{{47, 61, 63},
	 {20, 3, 0x24},
	 "Received 20 bytes into the buffer with WQE index 3, its data in the completion itself."},
	{{63}, {0x50}, "The completion queue was resized: what follows stands in the new ring."},
	{{63}, {0xf1}, "An empty slot: it belongs to the card, or software has marked it as read."},
	{{63}, {0x90}, "Opcode 9, which no public source names: probably no completion."},
	{{63},
	 {0x4c},
	 "A mini array of the enhanced layout: 5 packets, described by the plain completion "
	 "before it."},
	{{0}, {0}, "64 zero bytes: no completion was written here."},
};
#define GOOD (sizeof(good) / sizeof(good[0]))

START_TEST(good_completion)
{
	struct cqesim_dump_item item = {.kind = CQESIM_DUMP_CQE, .known = ~UINT64_C(0)};
	char text[CQESIM_DUMP_TEXT];

	for (unsigned i = 0; i < 8 && (good[_i].at[i] || good[_i].value[i]); i++)
		item.raw[good[_i].at[i]] = good[_i].value[i];
	cqesim_dump_explain(&item, text, sizeof(text));
	ck_assert_str_eq(text, good[_i].text);
	ck_assert(!cqesim_dump_is_error(&item));
}
END_TEST

START_TEST(signature_error)
{
	struct cqesim_dump_item item = {.kind = CQESIM_DUMP_CQE, .known = ~UINT64_C(0)};
	struct cqesim_dump_facts f;
	char text[CQESIM_DUMP_TEXT];

	item.raw[39] = 0x77; /* mkey */
	item.raw[46] = 0x02; /* offset 512 */
	item.raw[63] = 0xc0;
	cqesim_dump_explain(&item, text, sizeof(text));
	ck_assert_ptr_nonnull(
		strstr(text, "memory key 0x77 does not match its signature, at byte 512"));
	ck_assert(cqesim_dump_is_error(&item));
	cqesim_dump_facts(&item, &f);
	ck_assert_int_eq(cqesim_dump_where(&f), CQESIM_DUMP_LOCAL);
}
END_TEST

/* A sentence that does not fit is cut, never written beyond its room. */
START_TEST(short_room)
{
	struct cqesim_dump_item item = {.kind = CQESIM_DUMP_CQE, .known = 1};
	char text[64];

	memset(text, 'x', sizeof(text));
	cqesim_dump_explain(&item, text, 20);
	ck_assert_uint_eq(strlen(text), 19);
	for (unsigned i = 20; i < sizeof(text); i++)
		ck_assert_int_eq(text[i], 'x');
}
END_TEST

/* ---- vendor syndromes ---- */

START_TEST(vendor_table)
{
	for (unsigned i = 0; i < cqesim_dump_vendor_count; i++) {
		const struct cqesim_dump_vendor *v = &cqesim_dump_vendors[i];

		ck_assert_msg(!i || v[-1].vendor_err_synd <= v->vendor_err_synd, "row %u", i);
		/* A cause that somebody guessed is never told as a fact. */
		ck_assert_msg((v->grade == 'A' || v->grade == 'B') == (v->meaning != NULL),
			      "row %u", i);
		ck_assert_msg(strchr("ABCD", v->grade) != NULL, "row %u", i);
		ck_assert_msg(*v->with && *v->seen && *v->sources, "row %u", i);
		/* What one case was about needs the case's hardware code. */
		ck_assert_msg((v->grade == 'B') == (v->hw_err_synd >= 0), "row %u", i);
	}
}
END_TEST

static struct cqesim_dump_facts vendor_facts(uint8_t vendor, uint8_t syndrome, uint8_t hw)
{
	return (struct cqesim_dump_facts){
		.known = CQESIM_FACT_VENDOR | CQESIM_FACT_SYNDROME | CQESIM_FACT_HW,
		.vendor_err_synd = vendor,
		.syndrome = syndrome,
		.hw_err_synd = hw,
	};
}

START_TEST(vendor_lookup)
{
	static const struct {
		uint8_t vendor, syndrome, hw;
		char grade; /* 0: not documented */
		const char *words;
	} cases[] = {
		{0x93, 0x22, 0, 'A', "ODP_PFAULT"},
		{0x78, 0x06, 0x08, 'B', "freed"},
		{0x78, 0x06, 0x0f, 'B', "too small"},
		{0x78, 0x06, 0x33, 'C', "what it means is not publicly documented"},
		{0x68, 0x01, 0x60, 'B', "Ethernet header"},
		{0x68, 0x02, 0x60, 'C', "what it means is not publicly documented"},
		{0x68, 0x02, 0x86, 'B', "alignment"},
		{0x32, 0x04, 0x93, 'B', "protection domain"},
		{0x32, 0x04, 0x92, 'C', "Always seen with LOCAL_PROT_ERR"},
		{0x51, 0x04, 0x04, 'C', "GPU memory"},
		{0x81, 0x15, 0, 'C', "TRANSPORT_RETRY_EXC_ERR"},
		{0x81, 0x13, 0, 'C', "comes with syndrome 0x13, which is new"},
		{0xf9, 0x05, 1, 'C', "never the cause"},
		{0x33, 0x04, 0, 'D', "Once seen with"},
		/* mlx4's: must not be listed. */
		{0x70, 0x02, 0, 0, "not publicly documented."},
		{0x25, 0x06, 0, 0, "not publicly documented."},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cqesim_dump_facts f =
			vendor_facts(cases[i].vendor, cases[i].syndrome, cases[i].hw);
		const struct cqesim_dump_vendor *v = cqesim_dump_vendor(&f);
		char text[CQESIM_DUMP_TEXT];

		ck_assert_msg((v ? v->grade : 0) == cases[i].grade, "0x%02x/0x%02x",
			      cases[i].vendor, cases[i].hw);
		cqesim_dump_vendor_text(&f, text, sizeof(text));
		ck_assert_msg(strstr(text, cases[i].words) != NULL, "%s", text);
	}
}
END_TEST

/* ---- which was first ---- */

static const char first[] =
	"[ 10.000000] infiniband a: mlx5_poll_one:1: Requestor error cqe on cqn 0x1:\n"
	"[ 10.000001] infiniband a: mlx5_poll_one:2: syndrome 0x13, vendor syndrome "
	"0x88\n";
static const char flushed[] =
	"[ 10.000002] infiniband a: mlx5_poll_one:1: Requestor error cqe on cqn 0x1:\n"
	"[ 10.000003] infiniband a: mlx5_poll_one:2: syndrome 0x5, vendor syndrome 0xf9\n";
static const char later[] =
	"[ 12.000000] infiniband b: mlx5_poll_one:1: Requestor error cqe on cqn 0x2:\n"
	"[ 12.000001] infiniband b: mlx5_poll_one:2: syndrome 0x15, vendor syndrome "
	"0x81\n";

static struct cqesim_dump joined(const char *a, const char *b, const char *c)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s%s%s", a, b, c);
	return dump_of(text, strlen(text));
}

START_TEST(flushes_are_no_cause)
{
	struct cqesim_dump d = joined(flushed, flushed, first);
	struct cqesim_dump_verdict v = verdict_of(&d);

	ck_assert_uint_eq(v.errors, 3);
	ck_assert_uint_eq(v.flushes, 2);
	ck_assert_uint_eq(v.root, 2);
	ck_assert_ptr_nonnull(strstr(v.text, "2 flushed requests are only its consequence"));
	cqesim_dump_free(&d);
	d = joined(flushed, "", "");
	v = verdict_of(&d);
	ck_assert_uint_eq(v.root, CQESIM_DUMP_NONE);
	ck_assert_ptr_nonnull(strstr(v.text, "the cause is not in this input"));
	cqesim_dump_free(&d);
}
END_TEST

/* Lines of two CPUs come out of order by a little: then times count. */
START_TEST(times_before_places)
{
	static const char early[] =
		"[ 11.500000] infiniband b: mlx5_poll_one:1: Requestor error cqe on cqn 0x2:\n"
		"[ 11.500001] infiniband b: mlx5_poll_one:2: syndrome 0x15, vendor syndrome 0x81\n";
	struct cqesim_dump d = joined(later, early, "");
	struct cqesim_dump_verdict v = verdict_of(&d);

	ck_assert_uint_eq(v.root, 1);
	ck_assert_ptr_nonnull(strstr(v.text, "by time stamps"));
	cqesim_dump_free(&d);
	/* Seconds that jump back are another boot's or another host's. */
	d = joined(later, first, "");
	v = verdict_of(&d);
	ck_assert_uint_eq(v.root, 0);
	ck_assert_ptr_nonnull(strstr(v.text, "by its place in the input"));
	cqesim_dump_free(&d);
}
END_TEST

/* The sender hears that the receiver failed; the receiver's own error explains it. */
START_TEST(receivers_own_error)
{
	struct cqesim_dump d = dump_of_example("two-hosts.log");
	struct cqesim_dump_verdict v = verdict_of(&d);

	ck_assert_uint_eq(d.count, 4);
	ck_assert_uint_eq(v.root, 3);
	ck_assert_uint_eq(v.flushes, 2);
	ck_assert_ptr_nonnull(strstr(v.text, "the receiver's own error"));
	cqesim_dump_free(&d);
}
END_TEST

/* A flush of a queue that met no error here is nobody's consequence. */
START_TEST(flush_of_another_queue)
{
	static const char error[] =
		"DC QP 0x100 wqe[1]: Local protection (synd 0x4 vend 0x51) opcode SEND\n";
	static const struct {
		const char *flush, *words;
	} cases[] = {
		{"DC QP 0x100 wqe[2]: flushed (synd 0x5 vend 0xf9) opcode SEND\n",
		 " 1 flushed request is only its consequence."},
		{"DC QP 0x200 wqe[2]: flushed (synd 0x5 vend 0xf9) opcode SEND\n",
		 " 1 flushed request is of another queue than any error here: its cause is not in "
		 "this input."},
		{"got bad completion with status: 0x5, vendor syndrome: 0xf9\n",
		 " 1 flushed request may be its consequence; the queues are not all known."},
		{"DC QP 0x300 wqe[7]: Remote access (synd 0x13 vend 0x88) opcode SEND\n"
		 "DC QP 0x300 wqe[8]: flushed (synd 0x5 vend 0xf9) opcode SEND\n",
		 " 1 flushed request follows from another of the errors."},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cqesim_dump d = joined(error, cases[i].flush, "");
		struct cqesim_dump_verdict v = verdict_of(&d);

		ck_assert_uint_eq(v.root, 0);
		ck_assert_uint_eq(v.flushes, 1);
		ck_assert_msg(strstr(v.text, cases[i].words) != NULL, "%s", v.text);
		ck_assert_msg(i == 0 || !strstr(v.text, "only its"), "%s", v.text);
		cqesim_dump_free(&d);
	}
}
END_TEST

/* The program may tell before the library prints the bytes. */
START_TEST(told_before_its_bytes)
{
	static const char bytes[] = "mlx5: host1: got completion with error:\n"
				    "00000000 00000000 00000000 00000000\n"
				    "00000000 00000000 00000000 00000000\n"
				    "00000002 00000000 00000000 00000000\n"
				    "00000000 00008813 08006214 0000f6d2\n";
	struct cqesim_dump d = joined("UCX  ERROR Send completion with error on qp 0x6214: remote "
				      "access error syndrome 0x88\n",
				      bytes, "");

	ck_assert_uint_eq(d.count, 2);
	ck_assert_uint_eq(d.items[0].same_as, 1);
	ck_assert_uint_eq(d.items[1].same_as, CQESIM_DUMP_NONE);
	ck_assert_uint_eq(verdict_of(&d).errors, 1);
	cqesim_dump_free(&d);
	d = joined("UCX  ERROR Send completion with error on qp 0x6215: remote access error "
		   "syndrome 0x88\n",
		   bytes, "");
	ck_assert_uint_eq(d.items[0].same_as, CQESIM_DUMP_NONE);
	ck_assert_uint_eq(verdict_of(&d).errors, 2);
	cqesim_dump_free(&d);
}
END_TEST

/* More flushes than can be kept: the first are, the others are counted. */
START_TEST(very_many_flushes)
{
	enum { LINES = 270000, LINE = 64 };
	char *text = malloc((size_t)LINE * (LINES + 1));
	size_t n = 0;

	n += (size_t)sprintf(text, "QP 0x100 wqe[1]: (synd 0x4 vend 0x51) opcode SEND\n");
	for (unsigned i = 0; i < LINES; i++)
		n += (size_t)sprintf(text + n,
				     "QP 0x%x wqe[%u]: (synd 0x5 vend 0xf9) opcode SEND\n",
				     i % 3 ? 0x100 : 0x200, i & 0xffff);
	struct cqesim_dump d = dump_of(text, n);
	struct cqesim_dump_verdict v = verdict_of(&d);

	free(text);
	ck_assert_uint_lt(d.count, 2000);
	ck_assert_uint_eq(d.unread, 0);
	ck_assert_uint_eq(d.lines, LINES + 1);
	ck_assert_uint_eq(v.root, 0);
	ck_assert_uint_eq(v.errors, LINES + 1);
	ck_assert_uint_eq(v.flushes, LINES);
	ck_assert_ptr_nonnull(strstr(v.text, " 180000 flushed requests are only its"));
	ck_assert_ptr_nonnull(strstr(v.text, " 90000 flushed requests are of other queues"));
	cqesim_dump_free(&d);
}
END_TEST

/* One error told three times is one. */
START_TEST(repetitions)
{
	static const char text[] =
		"mlx5: host1: got completion with error:\n"
		"00000000 00000000 00000000 00000000\n"
		"00000000 00000000 00000000 00000000\n"
		"00000002 00000000 00000000 00000000\n"
		"00000000 00008813 10012abe 0dd0c1d3\n"
		"libfabric:ofi_rxm:cq:rxm_cq_read_write_error():819<warn> fi_cq_readerr: err: 5, "
		"prov_err: remote access error (10)\n"
		"got bad completion with status: 0xa, vendor syndrome: 0x88\n"
		"got bad completion with status: 0xc, vendor syndrome: 0x81\n";
	struct cqesim_dump d = dump_of(text, strlen(text));
	struct cqesim_dump_verdict v = verdict_of(&d);

	ck_assert_uint_eq(d.count, 4);
	ck_assert_uint_eq(d.items[1].same_as, 0);
	ck_assert_uint_eq(d.items[2].same_as, 0);
	ck_assert_uint_eq(d.items[3].same_as, CQESIM_DUMP_NONE); /* another code */
	ck_assert_uint_eq(v.errors, 2);
	ck_assert_uint_eq(v.root, 0);
	cqesim_dump_free(&d);
}
END_TEST

/* Text and bytes that do not agree: the bytes count, and that is said. */
START_TEST(conflict)
{
	static const char text[] = "mlx5_core 0000:08:00.0 eth2: Error cqe on cqn 0x40b, ci 0x0, "
				   "qn 0x104f, opcode 0xd, "
				   "syndrome 0x4, vendor syndrome 0x51\n"
				   "00000000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
				   "00000010: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
				   "00000020: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
				   "00000030: 00 00 00 00 86 00 68 02 25 00 10 4f 00 00 bb d2\n";
	struct cqesim_dump d = dump_of(text, strlen(text));
	struct cqesim_dump_facts f;
	char sentence[CQESIM_DUMP_TEXT];

	ck_assert_uint_eq(d.count, 1);
	ck_assert_uint_eq(d.items[0].flags & CQESIM_DUMP_CONFLICT, CQESIM_DUMP_CONFLICT);
	cqesim_dump_facts(&d.items[0], &f);
	ck_assert_uint_eq(f.syndrome, 2);
	ck_assert_uint_eq(f.vendor_err_synd, 0x68);
	cqesim_dump_explain(&d.items[0], sentence, sizeof(sentence));
	ck_assert_ptr_nonnull(strstr(sentence, "the bytes count"));
	cqesim_dump_free(&d);
}
END_TEST

void add_dump_verdict(Suite *suite)
{
	TCase *tc = tcase_create("meaning");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, meaning, 0, MEANINGS);
	tcase_add_loop_test(tc, good_completion, 0, GOOD);
	tcase_add_test(tc, all_syndromes);
	tcase_add_test(tc, signature_error);
	tcase_add_test(tc, short_room);
	tcase_add_test(tc, vendor_table);
	tcase_add_test(tc, vendor_lookup);
	tcase_add_test(tc, flushes_are_no_cause);
	tcase_add_test(tc, times_before_places);
	tcase_add_test(tc, receivers_own_error);
	tcase_add_test(tc, flush_of_another_queue);
	tcase_add_test(tc, told_before_its_bytes);
	tcase_add_test(tc, very_many_flushes);
	tcase_add_test(tc, repetitions);
	tcase_add_test(tc, conflict);
	suite_add_tcase(suite, tc);
}

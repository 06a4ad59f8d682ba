/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes that nobody announced: what counts as a completion by its shape, and what
 * does not; and what tools put in front of each line.
 */
#include "test_dump.h"

static const char heading[] = "mlx5: h1: got completion with error:";
/* dump_error, as libmlx5 prints it. */
static const char *const words[4] = {
	"00000000 00000000 00000000 00000000",
	"00000000 00000000 00000000 00000000",
	"0000001f 00000000 00000000 00000000",
	"00000000 9d205304 0800a1b2 0c3d7ed2",
};
/* The same as the kernel does. */
static const char *const bytes[4] = {
	"00000000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
	"00000010: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
	"00000020: 00 00 00 1f 00 00 00 00 00 00 00 00 00 00 00 00",
	"00000030: 00 00 00 00 9d 20 53 04 08 00 a1 b2 0c 3d 7e d2",
};

/* rte_hexdump's rows of any bytes. */
static size_t rows_of(char *text, const uint8_t *raw, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += (size_t)(i % 16 ? sprintf(text + n, " %02X", raw[i])
				     : sprintf(text + n, "%s%08zX: %02X", i ? "\n" : "", i,
					       raw[i]));
	n += (size_t)sprintf(text + n, "\n");
	return n;
}

/* ---- tags ---- */

struct tagged {
	const char *tag[5]; /* of the heading and the four rows */
	bool kernel;
};
static const struct tagged tagged[] = {
	{{" 3: ", " 3: ", " 3: ", " 3: ", " 3: "}, false},
	{{"12: ", "12: ", "12: ", "12: ", "12: "}, false},
	{{"003: ", "003: ", "003: ", "003: ", "003: "}, false},
	{{"rank 3: ", "rank 3: ", "rank 3: ", "rank 3: ", "rank 3: "}, false},
	{{"[3] ", "[3] ", "[3] ", "[3] ", "[3] "}, false},
	{{"3: ", "3: ", "3: ", "3: ", "3: "}, true},
	{{"98:", "99:", "100:", "101:", "102:"}, false},
	{{"98:", "99-", "100-", "101-", "102-"}, false},
	{{"98:", "99:", "100:", "101:", "102:"}, true},
	{{"job.err:7:", "job.err:8:", "job.err:9:", "job.err:10:", "job.err:11:"}, false},
	{{"job.err:7:", "job.err-8-", "job.err-9-", "job.err-10-", "job.err-11-"}, true},
	{{"job.err:7:", "job.err:7:", "job.err:7:", "job.err:7:", "job.err:7:"}, false},
	{{"+", "+", "+", "+", "+"}, false},
	{{"-", "-", "-", "-", "-"}, true},
	{{" ", " ", " ", " ", " "}, false},
	/* Eight digits in front of four words: the same, or counting by 16. */
	{{"", "00000003 ", "00000003 ", "00000003 ", "00000003 "}, false},
	{{"", "00000000 ", "00000010 ", "00000020 ", "00000030 "}, false},
};
#define TAGGED (sizeof(tagged) / sizeof(tagged[0]))

START_TEST(tags)
{
	const struct tagged *t = &tagged[_i];
	char text[2048];
	size_t n = (size_t)sprintf(text, "%s%s\n", t->tag[0], heading);

	for (unsigned i = 0; i < 4; i++)
		n += (size_t)sprintf(text + n, "%s%s\n", t->tag[1 + i],
				     t->kernel ? bytes[i] : words[i]);
	struct cqesim_dump d = dump_of(text, n);
	ck_assert_msg(d.count == 1, "%s: %u items", text, d.count);
	ck_assert_int_eq(d.items[0].kind, CQESIM_DUMP_CQE);
	ck_assert_msg(!memcmp(d.items[0].raw, dump_error, 64), "%s", text);
	ck_assert_uint_eq(d.items[0].known, ~UINT64_C(0));
	ck_assert_uint_eq(d.items[0].flags, CQESIM_DUMP_ANNOUNCED);
	ck_assert_str_eq(d.items[0].device, "h1");
	cqesim_dump_free(&d);
}
END_TEST

/* srun -l: lines of two ranks, mixed. */
START_TEST(two_ranks)
{
	static const char other[] = "00000000 00008813 1000a1b3 0c3e11d3";
	char text[2048];
	size_t n = 0;

	for (unsigned i = 0; i < 3; i++)
		n += (size_t)sprintf(text + n, "3: starting 00 11 22 33\n");
	n += (size_t)sprintf(text + n, "3: %s\n5: mlx5: h2: got completion with error:\n", heading);
	for (unsigned i = 0; i < 4; i++)
		n += (size_t)sprintf(text + n, "%s3: %s\n5: %s\n", "", words[i],
				     i == 3 ? other : words[i]);
	struct cqesim_dump d = dump_of(text, n);
	ck_assert_uint_eq(d.count, 2);
	ck_assert_mem_eq(d.items[0].raw, dump_error, 64);
	ck_assert_uint_eq(d.items[0].flags, CQESIM_DUMP_ANNOUNCED);
	ck_assert_str_eq(d.items[0].device, "h1");
	ck_assert_uint_eq(d.items[1].raw[55], 0x13);
	ck_assert_uint_eq(d.items[1].flags, CQESIM_DUMP_ANNOUNCED);
	ck_assert_str_eq(d.items[1].device, "h2");
	cqesim_dump_free(&d);
}
END_TEST

/* ---- shape ---- */

/* One byte of dump_error is changed: is it still one in rows without a heading? */
static const struct change {
	unsigned byte;
	uint8_t value;
	bool good;
} changes[] = {
	{35, 0x20, true},  {33, 0x01, true},  {52, 0x00, true},  {54, 0x51, true},
	{55, 0x13, true},  {55, 0x22, true},  {56, 0x10, true},  {63, 0xd3, true},
	{0, 0x01, false},  {17, 0x40, false}, {31, 0x01, false}, {32, 0x01, false},
	{40, 0x01, false}, {51, 0x40, false}, {55, 0x00, false}, {55, 0x07, false},
	{55, 0x40, false}, {56, 0x77, false}, {63, 0xdc, false}, {63, 0xa2, false},
	{63, 0x20, false},
};
#define CHANGES (sizeof(changes) / sizeof(changes[0]))

START_TEST(error_in_every_byte)
{
	const struct change *c = &changes[_i];
	char text[1024] = "what it printed\n";
	uint8_t raw[64];
	size_t n = strlen(text);

	memcpy(raw, dump_error, 64);
	raw[c->byte] = c->value;
	n += rows_of(text + n, raw, 64);
	struct cqesim_dump d = dump_of(text, n);
	ck_assert_uint_eq(d.count, 1);
	ck_assert_msg((d.items[0].kind == CQESIM_DUMP_CQE) == c->good, "byte %u: 0x%02x", c->byte,
		      c->value);
	if (!c->good)
		ck_assert_int_eq(d.items[0].reason, CQESIM_DUMP_HEX);
	cqesim_dump_free(&d);
	/* With a heading it is one whatever its bytes. */
	n = (size_t)sprintf(text, "%s\n", heading);
	n += rows_of(text + n, raw, 64);
	d = dump_of(text, n);
	ck_assert_uint_eq(d.count, 1);
	ck_assert_int_eq(d.items[0].kind, CQESIM_DUMP_CQE);
	cqesim_dump_free(&d);
}
END_TEST

/* A failed receive may have a few more: bytes 36-39, 46, 50 and 51 of a public one. */
START_TEST(error_of_a_receive)
{
	uint8_t raw[64] = {[36] = 0x20, [39] = 0x32, [46] = 3,   [51] = 0x40, [52] = 0x92,
			   [54] = 0x32, [55] = 4,    [58] = 0x8, [59] = 0xb,  [63] = 0xe0};
	char text[1024] = "what it printed\n";
	size_t n = strlen(text);

	struct cqesim_dump d = dump_of(text, n + rows_of(text + n, raw, 64));
	ck_assert_uint_eq(d.count, 1);
	ck_assert_int_eq(d.items[0].kind, CQESIM_DUMP_CQE);
	cqesim_dump_free(&d);
	raw[24] = 1;
	d = dump_of(text, n + rows_of(text + n, raw, 64));
	ck_assert_int_eq(d.items[0].kind, CQESIM_DUMP_FOREIGN);
	cqesim_dump_free(&d);
}
END_TEST

/* An IPv4 packet of 70 bytes whose byte 63 is 0x22: a completion's opcode is 2 with a length. */
static void packet(uint8_t raw[70])
{
	static const uint8_t start[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0};

	for (unsigned i = 0; i < 70; i++)
		raw[i] = (uint8_t)(i < 16 ? start[i] : 3 * i);
	raw[1] = raw[18] = raw[19] = 0;
	raw[63] = 0x22;
}

/* Packets, each under its own line, do not count; what was announced does. */
START_TEST(packets_and_an_error)
{
	char *text = malloc(100000), sentence[CQESIM_DUMP_TEXT];
	struct cqesim_dump_verdict v;
	uint8_t raw[70];
	size_t n = 0;

	packet(raw);
	for (unsigned i = 0; i < 40; i++) {
		n += (size_t)sprintf(text + n, "12:00:00.0 IP a > b: length %u\n",
				     64 + 6 * (i % 2));
		n += rows_of(text + n, raw, 64 + 6 * (i % 2));
	}
	struct cqesim_dump d = dump_of(text, n);
	ck_assert_uint_eq(d.count, 1);
	ck_assert_int_eq(d.items[0].kind, CQESIM_DUMP_FOREIGN);
	ck_assert_uint_eq(d.items[0].value, 40);
	ck_assert_uint_eq(d.items[0].size, 20 * 64 + 20 * 70);
	cqesim_dump_explain(&d.items[0], sentence, sizeof(sentence));
	ck_assert_ptr_nonnull(strstr(sentence, "40 blocks of bytes that are no mlx5 completions"));
	cqesim_dump_free(&d);
	n += (size_t)sprintf(text + n, "%s\n%s\n%s\n%s\n%s\n", heading, words[0], words[1],
			     words[2], words[3]);
	d = dump_of(text, n);
	ck_assert_uint_eq(d.count, 2);
	ck_assert_mem_eq(d.items[1].raw, dump_error, 64);
	cqesim_dump_verdict(&d, &v);
	ck_assert_uint_eq(v.root, 1);
	ck_assert_uint_eq(v.errors, 1);
	cqesim_dump_free(&d);
	free(text);
}
END_TEST

/* Bytes under a heading that names something else are that, whatever they look like. */
START_TEST(heading_of_something_else)
{
	static const char *const lines[] = {"usb 1-1: config dump", "nvme nvme0: cmd", "ACPI table",
					    "dump mbuf at 0x1234, len=64", "IP a > b: length 64"};
	char text[1024];

	for (unsigned i = 0; i < 5; i++) {
		size_t n = (size_t)sprintf(text, "[ 10.1] %s\n", lines[i]);

		n += rows_of(text + n, dump_error, 64);
		struct cqesim_dump d = dump_of(text, n);
		ck_assert_uint_eq(d.count, 1);
		ck_assert_msg(d.items[0].kind == CQESIM_DUMP_FOREIGN, "%s", lines[i]);
		cqesim_dump_free(&d);
	}
}
END_TEST

/* What is announced is the cause, though bytes that look like another error stand before it. */
START_TEST(announced_first)
{
	uint8_t raw[64];
	char text[2048] = "what it printed\n";
	size_t n = strlen(text);
	struct cqesim_dump_verdict v;

	memcpy(raw, dump_error, 64);
	raw[59] = 0xb9; /* another QP */
	n += rows_of(text + n, raw, 64);
	n += (size_t)sprintf(text + n, "%s\n%s\n%s\n%s\n%s\n", heading, words[0], words[1],
			     words[2], words[3]);
	struct cqesim_dump d = dump_of(text, n);
	ck_assert_uint_eq(d.count, 2);
	ck_assert_uint_eq(d.items[0].flags, CQESIM_DUMP_BY_SHAPE);
	cqesim_dump_verdict(&d, &v);
	ck_assert_uint_eq(v.root, 1);
	ck_assert_uint_eq(v.errors, 2);
	cqesim_dump_free(&d);
}
END_TEST

/* ---- rings ---- */

/* A received packet: 60 bytes, TCP with data over IPv4, WQE index k. */
static void received(uint8_t raw[64], unsigned k)
{
	memset(raw, 0, 64);
	raw[29] = 0x48;
	raw[47] = 60;
	raw[61] = (uint8_t)k;
	raw[63] = 0x20;
}

/* Of 20 slots `bad` are something else; the last is empty. */
START_TEST(rings)
{
	static const struct {
		unsigned bad;
		bool good;
	} cases[] = {{0, true}, {1, true}, {2, false}, {10, false}};
	struct cqesim_error err = {""};
	struct cqesim_dump d;
	char text[8192];

	for (unsigned c = 0; c < 4; c++) {
		uint8_t ring[20 * 64] = {0};

		for (unsigned k = 0; k < 19; k++)
			received(ring + 64 * k, k);
		for (unsigned k = 0; k < cases[c].bad; k++)
			ring[64 * (2 + k) + 63] = 0x70; /* no opcode */
		int ret = cqesim_dump_find(&d, ring, sizeof(ring), &err);
		ck_assert_msg(ret == (cases[c].good ? 0 : -22), "%u: %d", cases[c].bad, ret);
		ck_assert_uint_eq(d.count, cases[c].good ? 20 : 0);
		if (ret)
			ck_assert_ptr_nonnull(strstr(err.text, "no completions"));
		cqesim_dump_free(&d);
		/* The same in rows. */
		d = dump_of(text, rows_of(text, ring, sizeof(ring)));
		ck_assert_uint_eq(d.count, cases[c].good ? 20 : 1);
		ck_assert_int_eq(d.items[0].kind,
				 cases[c].good ? CQESIM_DUMP_CQE : CQESIM_DUMP_FOREIGN);
		cqesim_dump_free(&d);
	}
}
END_TEST

/* 64 bytes and nothing else: a reserved byte, a length of 0, L4 without L3 speak against. */
START_TEST(alone)
{
	static const struct {
		unsigned byte;
		uint8_t value;
	} cases[] = {{1, 1}, {18, 1}, {19, 1}, {47, 0}, {29, 0x4c}, {29, 0x40}, {63, 0x70}};
	struct cqesim_error err = {""};
	struct cqesim_dump d;
	uint8_t raw[64];
	char text[512];

	for (unsigned c = 0; c < 8; c++) {
		received(raw, 9);
		if (c)
			raw[cases[c - 1].byte] = cases[c - 1].value;
		d = dump_of(text, rows_of(text, raw, 64));
		ck_assert_uint_eq(d.count, 1);
		ck_assert_msg((d.items[0].kind == CQESIM_DUMP_CQE) == !c, "case %u", c);
		cqesim_dump_free(&d);
		ck_assert_int_eq(cqesim_dump_find(&d, raw, 64, &err), c ? -22 : 0);
		cqesim_dump_free(&d);
	}
	/* With other text it is not believed, but where the line names it. */
	received(raw, 9);
	size_t named = (size_t)sprintf(text, "(gdb) x/64xb rx_cqe\n");
	d = dump_of(text, named + rows_of(text + named, raw, 64));
	ck_assert_int_eq(d.items[0].kind, CQESIM_DUMP_CQE);
	ck_assert_uint_eq(d.items[0].flags, CQESIM_DUMP_BY_SHAPE);
	cqesim_dump_free(&d);
	received(raw, 9);
	size_t n = (size_t)sprintf(text, "some other words\n");
	d = dump_of(text, n + rows_of(text + n, raw, 64));
	ck_assert_int_eq(d.items[0].kind, CQESIM_DUMP_FOREIGN);
	cqesim_dump_free(&d);
}
END_TEST

void add_dump_plausible(Suite *suite)
{
	TCase *tc = tcase_create("plausible");

	tcase_add_loop_test(tc, tags, 0, TAGGED);
	tcase_add_test(tc, two_ranks);
	tcase_add_loop_test(tc, error_in_every_byte, 0, CHANGES);
	tcase_add_test(tc, error_of_a_receive);
	tcase_add_test(tc, packets_and_an_error);
	tcase_add_test(tc, heading_of_something_else);
	tcase_add_test(tc, announced_first);
	tcase_add_test(tc, rings);
	tcase_add_test(tc, alone);
	suite_add_tcase(suite, tc);
}

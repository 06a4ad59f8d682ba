/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hostile input: whatever the bytes, the finder ends, what it found lies in the
 * input, and everything that can be said about it can be said.  And it takes time
 * and memory in proportion.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <time.h>

#include "cqesim/cqe.h"
#include "test_dump.h"

static uint64_t state;

static uint64_t draw(void)
{
	/* xorshift64* */
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * UINT64_C(2685821657736338717);
}

static uint64_t below(uint64_t n)
{
	return draw() % n;
}

static void check_item(const struct cqesim_dump *d, uint32_t i, uint64_t seed)
{
	const struct cqesim_dump_item *item = &d->items[i];
	struct cqesim_dump_facts f;
	char text[CQESIM_DUMP_TEXT];

	ck_assert_msg(item->kind < CQESIM_DUMP_KINDS, "seed %llu", (unsigned long long)seed);
	ck_assert_msg(item->offset < d->bytes, "seed %llu", (unsigned long long)seed);
	ck_assert_msg(item->line <= item->last_line && item->last_line <= d->lines + 1, "seed %llu",
		      (unsigned long long)seed);
	ck_assert_msg(!i || d->items[i - 1].offset <= item->offset, "seed %llu",
		      (unsigned long long)seed);
	ck_assert_msg(item->same_as == CQESIM_DUMP_NONE || item->same_as < d->count, "seed %llu",
		      (unsigned long long)seed);
	ck_assert(item->kind != CQESIM_DUMP_CQE || item->known);
	for (unsigned b = 0; b < 64; b++)
		ck_assert_msg(item->known >> b & 1 || !item->raw[b], "seed %llu",
			      (unsigned long long)seed);
	cqesim_dump_explain(item, text, sizeof(text));
	ck_assert_msg(*text && strlen(text) < sizeof(text), "seed %llu", (unsigned long long)seed);
	for (const char *c = text; *c; c++)
		ck_assert_msg((unsigned char)*c >= 0x20, "seed %llu", (unsigned long long)seed);
	cqesim_dump_facts(item, &f);
	cqesim_dump_vendor_text(&f, text, sizeof(text));
	ck_assert_ptr_nonnull(cqesim_dump_advice(&f));
}

static void check(const void *text, size_t size, uint64_t seed)
{
	struct cqesim_error err = {""};
	struct cqesim_dump_verdict v;
	struct cqesim_dump d;
	int ret = cqesim_dump_find(&d, text, size, &err);

	if (ret) {
		ck_assert_msg(ret == -EINVAL && *err.text, "seed %llu: %d",
			      (unsigned long long)seed, ret);
		ck_assert_uint_eq(d.count, 0);
		return;
	}
	for (uint32_t i = 0; i < d.count; i++)
		check_item(&d, i, seed);
	cqesim_dump_verdict(&d, &v);
	ck_assert(v.root == CQESIM_DUMP_NONE || v.root < d.count);
	ck_assert_uint_le(v.flushes, v.errors);
	cqesim_dump_free(&d);
}

/* All examples, one behind the other in any order, changed here and there. */
#define SOURCES 64u
static char *source[SOURCES];
static size_t source_size[SOURCES];
static unsigned sources;

static void load_examples(void)
{
	char folder[PATH_MAX];
	struct dirent *entry;

	snprintf(folder, sizeof(folder), "%.4000s/tests/dumps", test_top_srcdir());
	DIR *dir = opendir(folder);
	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)) && sources < SOURCES) {
		if (*entry->d_name == '.')
			continue;
		source[sources] = dump_file(folder, entry->d_name, &source_size[sources]);
		sources++;
	}
	closedir(dir);
	ck_assert_uint_gt(sources, 30);
}

static void change(char *text, size_t *size)
{
	static const char marks[] = "\n\r\t :=0x()[]<>|*\\\"&#;\033\0\377dfeD9";
	size_t at = below(*size), n = below(*size - at < 40 ? *size - at : 40) + 1;

	switch (below(6)) {
	case 0: /* another character */
		text[at] = marks[below(sizeof(marks) - 1)];
		break;
	case 1: /* any byte */
		text[at] = (char)draw();
		break;
	case 2: /* something is missing */
		memmove(text + at, text + at + n, *size - at - n);
		*size -= n;
		break;
	case 3: /* something stands twice */
		memmove(text + at + n, text + at, *size - at);
		*size += n;
		break;
	case 4: /* parts exchanged */
		for (size_t i = 0; i < n && at + 2 * n < *size; i++) {
			char c = text[at + i];

			text[at + i] = text[at + n + i];
			text[at + n + i] = c;
		}
		break;
	default: /* the end is missing */
		if (*size > 100 && !below(4))
			*size -= n;
		break;
	}
}

START_TEST(changed_at_random)
{
	uint64_t seed = (uint64_t)time(NULL) ^ (uint64_t)_i << 32;
	const char *given = getenv("CQESIM_TEST_SEED");

	if (given)
		seed = strtoull(given, NULL, 0);
	printf("dump: changed_at_random: CQESIM_TEST_SEED=%llu\n", (unsigned long long)seed);
	state = seed | 1;
	load_examples();
	char *text = malloc(1 << 20);
	for (unsigned round = 0; round < 150; round++) {
		size_t size = 0;

		for (uint64_t parts = 1 + below(4); parts; parts--) {
			unsigned s = (unsigned)below(sources);

			memcpy(text + size, source[s], source_size[s]);
			size += source_size[s];
		}
		for (uint64_t n = below(60); n && size > 60; n--)
			change(text, &size);
		check(text, size, seed);
	}
	free(text);
	while (sources)
		free(source[--sources]);
}
END_TEST

/* Random bytes, and random words of what the finder looks for. */
START_TEST(noise)
{
	static const char *const words[] = {
		"00 ",
		"9d ",
		"0x",
		"00000000 ",
		"00000030: ",
		"*\n",
		"\n",
		"mlx5",
		"cqe ",
		"error ",
		"syndrome ",
		"vendor ",
		"(",
		")",
		"wqe[",
		"QP ",
		"status ",
		"0x51 ",
		"[ 1.5] ",
		"with error ",
		"got completion ",
		"|",
		"=0A=\n",
		"<br>",
		"\\n",
		"0000000 ",
		"d2 ",
		"dump error cqe\n",
		"\n3: ",
		"\n7:",
		"\na-8-",
		"\n+",
	};
	char text[8192];

	state = 12345;
	for (unsigned round = 0; round < 800; round++) {
		size_t size = 0, want = below(sizeof(text) - 64) + 1;

		while (size < want) {
			const char *w = words[below(sizeof(words) / sizeof(words[0]))];

			if (round % 4 == 0) {
				text[size++] = (char)draw();
			} else {
				memcpy(text + size, w, strlen(w));
				size += strlen(w);
			}
		}
		check(text, size, round);
	}
}
END_TEST

static double seconds_for(const char *piece, size_t total)
{
	size_t n = strlen(piece), size = 0;
	char *text = malloc(total + n);
	struct cqesim_error err = {""};
	struct cqesim_dump d;
	struct timespec a, b;

	while (size < total) {
		memcpy(text + size, piece, n);
		size += n;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	ck_assert_int_eq(cqesim_dump_find(&d, text, size, &err), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	cqesim_dump_free(&d);
	free(text);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

/* Of three: what the machine does besides only adds. */
static double least_seconds_for(const char *piece, size_t total)
{
	double least = seconds_for(piece, total);

	for (unsigned i = 1; i < 3; i++) {
		double again = seconds_for(piece, total);

		least = again < least ? again : least;
	}
	return least;
}

/* Eight times the input takes eight times as long, or a little more, not 64 times. */
START_TEST(linear_time)
{
	static const char *const pieces[] = {
		"mlx5: a: got completion with error:\n",
		"QP 1 error: QP 1 error: ",
		"00000000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n",
		"00000000  00\n*\n00ffff00  00\n",
		"0000000 00\n*\n0777700 00\n",
		"00 00 00 00 00 00 00 00\nx\n",
		"vendor syndrome vendor syndrome 0x1 ",
		"((((((((",
		"0123456789abcdef0123456789abcdef",
		"Error cqe on cqn 0x1, opcode 0xd, syndrome 0x4, vendor syndrome 0x51\n",
		"Unexpected CQE error syndrome 0x04 CQN = 1 SQN = 1 wqe_counter = 1\n",
		"| RXQs | a | b |\n| 1 | 2 | 3 |\n",
		"3: 00000000 00000000 00000000 00000000\n",
		"IP a > b\n\t0x0000:  4500 0054 0000 4000 4001 26a7 0a00 0001\n",
		"\n",
	};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		double small = least_seconds_for(pieces[i], 100000);
		double large = least_seconds_for(pieces[i], 800000);

		ck_assert_msg(large < 24 * small + 0.05, "%.40s: %.4f s and %.4f s", pieces[i],
			      small, large);
	}
}
END_TEST

/* Found by fuzzing: a label alone that lies before the dump's first row. */
START_TEST(label_before_base)
{
	static const char text[] =
		"00000040: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
		"00000000:\n"
		"00000010: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
		"fffffffffffffff0: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
		"00000000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n";
	struct cqesim_dump dump = dump_of(text, sizeof(text) - 1);

	for (uint32_t i = 0; i < dump.count; i++)
		check_item(&dump, i, 0);
	cqesim_dump_free(&dump);
}
END_TEST

START_TEST(limits)
{
	static const char line[] = "rx_packets: 1\n";
	size_t n = sizeof(line) - 1, items = CQESIM_DUMP_MAX_ITEMS + 1;
	char *text = malloc(n * items);
	struct cqesim_error err = {""};
	struct cqesim_dump d;

	for (size_t i = 0; i < items; i++)
		memcpy(text + n * i, line, n);
	/* What fits is decoded, the rest is counted. */
	ck_assert_int_eq(cqesim_dump_find(&d, text, n * items, &err), 0);
	ck_assert_uint_eq(d.count, CQESIM_DUMP_MAX_ITEMS);
	ck_assert_uint_eq(d.lines, items);
	ck_assert_uint_eq(d.unread, 1);
	cqesim_dump_free(&d);
	ck_assert_int_eq(cqesim_dump_find(&d, text, n * (items - 1), &err), 0);
	ck_assert_uint_eq(d.count, CQESIM_DUMP_MAX_ITEMS);
	ck_assert_uint_eq(d.unread, 0);
	cqesim_dump_free(&d);
	/* Nothing of the input is touched when there is too much of it. */
	ck_assert_int_eq(cqesim_dump_find(&d, text, CQESIM_DUMP_MAX_BYTES + 1, &err), -E2BIG);
	ck_assert_ptr_nonnull(strstr(err.text, "256 MiB"));
	free(text);
	/* No input, and binary data that cannot be a ring. */
	ck_assert_int_eq(cqesim_dump_find(&d, "", 0, &err), 0);
	ck_assert_uint_eq(d.count, 0);
	static const uint8_t binary[65];
	ck_assert_int_eq(cqesim_dump_find(&d, binary, sizeof(binary), &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "multiple of 64"));
}
END_TEST

void add_dump_random(Suite *suite)
{
	TCase *tc = tcase_create("hostile input");

	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, changed_at_random, 0, 3);
	tcase_add_test(tc, noise);
	tcase_add_test(tc, linear_time);
	tcase_add_test(tc, label_before_base);
	tcase_add_test(tc, limits);
	suite_add_tcase(suite, tc);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_captures.c - every capture of ../shared/traces/real through the program,
 * against what tshark and libpcap say of it (index.json beside them).
 *
 * What is expected follows from that index alone:
 *   - libpcap does not open the file, or breaks off at other than its end: exit
 *     1 and one line with libpcap's words (the program reads with it);
 *   - link type other than Ethernet: exit 1 and one line that says so;
 *   - libpcap finds the file's end inside a record: exit 0, "truncated";
 *   - else exit 0, and counts as tshark's.
 */
#include "cli_run.h"

/* Where the index is not all there is to know. */
static const struct {
	const char *file;
	bool bytes_of_libpcap;
	bool reads_compressed;
} special[] = {
	/* Original length of 4 GB: tshark calls it 0 (INDEX.md), libpcap takes it as it is. */
	{"ndpi__fuzz-2021-06-07-c6c72a0a56.pcap", true, false},
	/* libpcap itself does not read gzip, the program does; tshark's numbers hold. */
	{"zeek__1000-requests-one-dropped-response.pcap.gz", false, true},
};

static const char *text_at(json_t *doc, const char *path)
{
	json_t *v = at(doc, path);

	return json_is_string(v) ? json_string_value(v) : NULL;
}

static void same(const char *file, json_t *doc, const char *key, uint64_t want)
{
	uint64_t got = count_at(doc, key);

	ck_assert_msg(got == want, "%s: %s is %llu, not %llu", file, key, (unsigned long long)got,
		      (unsigned long long)want);
}

/* All counts of tshark's view of the frame itself. */
static void same_counts(const char *file, json_t *doc, json_t *entry, bool bytes_of_libpcap)
{
	static const struct {
		const char *ours, *tsharks;
	} keys[] = {
		{"classes.ipv4", "tshark.l3.ipv4"},
		{"classes.ipv6", "tshark.l3.ipv6"},
		{"classes.other", "tshark.l3.other"},
		{"classes.tcp", "tshark.l4.tcp"},
		{"classes.udp", "tshark.l4.udp"},
		{"classes.l4_other", "tshark.l4.other"},
		{"classes.l4_none", "tshark.l4.none"},
		{"classes.vlan", "tshark.vlan_tagged"},
		{"classes.qinq", "tshark.vlan_two_or_more"},
		{"classes.fragment", "tshark.ip_fragment"},
		{"packets", "tshark.packets"},
		{"packets", "packets"},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		same(file, doc, keys[i].ours, count_at(entry, keys[i].tsharks));
	same(file, doc, "capture_bytes",
	     count_at(entry, bytes_of_libpcap ? "libpcap.sum_orig_len" : "tshark.sum_orig_len"));
}

/* What holds of every report. */
static void balanced_books(const char *file, json_t *doc)
{
	const char *reason;
	json_t *n;
	uint64_t dropped = 0, skipped = 0;

	json_object_foreach(at(doc, "dropped"), reason, n) dropped +=
		(uint64_t)json_integer_value(n);
	json_object_foreach(at(doc, "skipped"), reason, n) skipped +=
		(uint64_t)json_integer_value(n);
	same(file, doc, "arrived", count_at(doc, "delivered") + dropped);
	same(file, doc, "packets", count_at(doc, "arrived") + skipped);
	same(file, doc, "packets",
	     count_at(doc, "classes.ipv4") + count_at(doc, "classes.ipv6") +
		     count_at(doc, "classes.other"));
}

enum ending { REPORTED, TRUNCATED, REFUSED };

static enum ending check(const char *dir, json_t *entry)
{
	const char *file = text_at(entry, "file"), *words = NULL;
	bool bytes_of_libpcap = false, compressed = false;
	char path[2 * PATH_MAX];

	ck_assert_ptr_nonnull(file);
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (!strcmp(file, special[i].file)) {
			bytes_of_libpcap = special[i].bytes_of_libpcap;
			compressed = special[i].reads_compressed;
		}

	bool opened = json_is_true(at(entry, "libpcap.opened"));
	const char *error = text_at(entry, "libpcap.error");
	bool truncated = opened && error && !strncmp(error, "truncated ", 10);
	if (compressed)
		error = NULL;
	else if (!opened)
		words = error;
	else if (count_at(entry, "libpcap.linktype") != 1)
		words = "is not Ethernet";
	else if (!truncated)
		words = error;
	struct output o = cli("replay", "--json", path);
	if (words) {
		ck_assert_msg(strcmp(text_at(entry, "kind"), "ethernet") ||
				      !json_is_true(at(entry, "tshark_and_libpcap_agree")),
			      "%s: to be refused, but both tools read it", file);
		ck_assert_msg(o.code == 1, "%s: exit %d: %s", file, o.code, o.err);
		fails(o, 1, path, words);
		return REFUSED;
	}
	ck_assert_msg(o.code == 0, "%s: exit %d: %s", file, o.code, o.err);
	ck_assert_msg(strstr(o.out, "\"zero_length\": 0,") || strstr(o.err, "zero-length") ||
			      strstr(o.out, "\"zero_length\": 0\n"),
		      "%s: zero-length packets without a word", file);
	json_t *doc = good_json(o, lines_of(o.err));
	same_counts(file, doc, entry, bytes_of_libpcap);
	balanced_books(file, doc);
	ck_assert_msg(json_is_true(at(doc, "truncated")) == truncated, "%s: truncated", file);
	json_decref(doc);
	if (truncated) {
		fails(cli("replay", "--strict", path), 1, path, "ends inside a record");
		return TRUNCATED;
	}
	return REPORTED;
}

START_TEST(all_of_the_index)
{
	const char *shared = test_shared_dir();
	char dir[PATH_MAX], index[PATH_MAX + 16];
	unsigned endings[3] = {0}, agreed = 0;
	json_error_t error;
	json_t *entry;
	size_t i;

	if (!shared) {
		test_skip("captures", "../shared not found");
		return;
	}
	snprintf(dir, sizeof(dir), "%s/traces/real", shared);
	snprintf(index, sizeof(index), "%s/index.json", dir);
	json_t *doc = json_load_file(index, 0, &error);
	ck_assert_msg(doc != NULL, "%s: %s", index, error.text);
	json_array_foreach(at(doc, "files"), i, entry)
	{
		enum ending ending = check(dir, entry);

		endings[ending]++;
		agreed += ending == REPORTED && !strcmp(text_at(entry, "kind"), "ethernet") &&
			  json_is_true(at(entry, "tshark_and_libpcap_agree"));
	}
	json_decref(doc);
	/* Of 187 files in 2026: 127 Ethernet ones that both tools read alike, all counted. */
	ck_assert_uint_ge(agreed, 127);
	ck_assert_uint_ge(endings[TRUNCATED], 2);
	ck_assert_uint_ge(endings[REFUSED], 50);
}
END_TEST

Suite *suite_captures(void)
{
	Suite *s = suite_create("captures");
	TCase *t = tcase_create("captures");

	tcase_set_timeout(t, 600);
	tcase_add_test(t, all_of_the_index);
	suite_add_tcase(s, t);
	return s;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collection of real dumps: every completion in it, every field that an
 * independent decoder found, and everything that the logs state.  A key that is not
 * compared here fails the test.
 */
#include <jansson.h>

#include "cqesim/cqe.h"
#include "test_dump.h"

struct real {
	const char *id;
	char *text;
	struct cqesim_dump dump;
};

/* ---- fields of the completion ---- */

static void expect_number(const struct real *r, json_t *want, const char *key, uint64_t got)
{
	json_t *v = json_object_get(want, key);

	ck_assert_msg(json_is_integer(v), "%s: no number %s", r->id, key);
	ck_assert_msg((uint64_t)json_integer_value(v) == got, "%s: %s is %llu, not %lld", r->id,
		      key, (unsigned long long)got, (long long)json_integer_value(v));
}

static void expect_text(const struct real *r, json_t *want, const char *key, const char *got)
{
	const char *v = json_string_value(json_object_get(want, key));

	ck_assert_msg(v && !strcmp(v, got), "%s: %s is %s, not %s", r->id, key, got, v ? v : "?");
}

static void expect_reserved(const struct real *r, json_t *want, const uint8_t raw[64])
{
	json_t *list = json_object_get(want, "nonzero_in_reserved");
	size_t n = 0;

	for (unsigned i = 0; i < 64; i++) {
		if (!(CQESIM_DUMP_ERR_RESERVED >> i & 1) || !raw[i])
			continue;
		ck_assert_msg((unsigned)json_integer_value(json_array_get(list, n)) == i,
			      "%s: byte %u is reserved", r->id, i);
		n++;
	}
	ck_assert_uint_eq(n, json_array_size(list));
}

static void expect_fields(const struct real *r, json_t *want, const uint8_t raw[64])
{
	struct cqesim_cqe_err e;
	char pair[16];

	cqesim_cqe_err_decode(raw, &e);
	snprintf(pair, sizeof(pair), "%u/%u", e.hw_synd_type >> 4, e.hw_err_synd);
	expect_number(r, want, "opcode", e.opcode);
	expect_text(r, want, "opcode_name", cqesim_opcode_name(e.opcode));
	expect_number(r, want, "cqe_format", e.format);
	expect_number(r, want, "solicited", e.se);
	expect_number(r, want, "owner", e.owner);
	expect_number(r, want, "syndrome", e.syndrome);
	expect_text(r, want, "syndrome_name", cqesim_syndrome_name(e.syndrome));
	expect_number(r, want, "vendor_err_synd", e.vendor_err_synd);
	expect_number(r, want, "hw_err_synd", e.hw_err_synd);
	expect_number(r, want, "hw_synd_type_byte", e.hw_synd_type);
	expect_text(r, want, "ucx_style_hw_synd", pair);
	expect_number(r, want, "s_wqe_opcode", e.wqe_opcode);
	expect_text(r, want, "s_wqe_opcode_name",
		    e.opcode == 13 ? cqesim_send_opcode_name(e.wqe_opcode) : "n/a (responder)");
	expect_number(r, want, "qpn", e.qpn);
	expect_number(r, want, "wqe_counter", e.wqe_counter);
	expect_number(r, want, "signature", e.signature);
	expect_number(r, want, "srqn_uidx", e.srqn);
	expect_number(r, want, "byte_cnt_off44", e.byte_cnt);
	expect_number(r, want, "dword_off48", cqesim_be_load(raw + 48, 4));
	expect_reserved(r, want, raw);
	expect_number(r, want, "signature_residual_xor", cqesim_dump_signature_residual(raw));
	ck_assert_msg(json_object_size(want) == 21, "%s: a field that is not compared", r->id);
}

static void expect_completion(const struct real *r, json_t *entry)
{
	const char *hex = json_string_value(json_object_get(entry, "hex"));
	unsigned found = 0;

	ck_assert_msg(hex && strlen(hex) == 128, "%s: no bytes", r->id);
	for (uint32_t i = 0; i < r->dump.count; i++) {
		const struct cqesim_dump_item *item = &r->dump.items[i];

		if (item->kind != CQESIM_DUMP_CQE)
			continue;
		found++;
		ck_assert_msg(item->known == ~UINT64_C(0), "%s: bytes missing", r->id);
		for (unsigned k = 0; k < 64; k++) {
			unsigned byte;

			ck_assert_int_eq(sscanf(hex + 2 * k, "%2x", &byte), 1);
			ck_assert_msg(item->raw[k] == byte, "%s: byte %u is 0x%02x", r->id, k,
				      item->raw[k]);
		}
		ck_assert_msg(!(item->flags & CQESIM_DUMP_CONFLICT), "%s: text and bytes differ",
			      r->id);
		expect_fields(r, json_object_get(entry, "expected"), item->raw);
	}
	ck_assert_msg(found == 1, "%s: %u completions", r->id, found);
}

/* ---- what the text states ---- */

/* "0x1b" and 27. */
static uint64_t number_of(json_t *v)
{
	return json_is_string(v) ? strtoull(json_string_value(v), NULL, 0)
				 : (uint64_t)json_integer_value(v);
}

static uint32_t fact_value(const struct cqesim_dump_facts *f, uint32_t fact)
{
	switch (fact) {
	case CQESIM_FACT_SYNDROME:
		return f->syndrome;
	case CQESIM_FACT_VENDOR:
		return f->vendor_err_synd;
	case CQESIM_FACT_OPCODE:
		return f->opcode;
	case CQESIM_FACT_STATUS:
		return f->status;
	case CQESIM_FACT_QPN:
		return f->qpn;
	case CQESIM_FACT_CQN:
		return f->cqn;
	case CQESIM_FACT_WQE:
		return f->wqe_index;
	case CQESIM_FACT_CI:
		return f->ci;
	case CQESIM_FACT_WQ_CI:
		return f->wq_ci;
	case CQESIM_FACT_WQ_SIZE:
		return f->wq_size;
	case CQESIM_FACT_SEND_OPCODE:
		return f->send_opcode;
	case CQESIM_FACT_LKEY:
		return f->lkey;
	default:
		ck_abort_msg("fact 0x%x", fact);
	}
}

/* Does an item know the fact, and is it that?  Of the text, and as understood in all. */
static void expect_fact(const struct real *r, const char *key, uint32_t fact, uint64_t want)
{
	bool known = false;

	for (uint32_t i = 0; i < r->dump.count; i++) {
		struct cqesim_dump_facts all;

		cqesim_dump_facts(&r->dump.items[i], &all);
		if (all.known & fact && fact_value(&all, fact) == want)
			return;
		known |= (all.known & fact) != 0;
	}
	ck_abort_msg("%s: %s is %s 0x%llx", r->id, key, known ? "not" : "unknown, not",
		     (unsigned long long)want);
}

/* One after the other, of those items that know it. */
static void expect_facts(const struct real *r, const char *key, uint32_t fact, json_t *list)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->dump.count; i++) {
		struct cqesim_dump_facts f;

		cqesim_dump_facts(&r->dump.items[i], &f);
		if (f.known & fact)
			ck_assert_msg(fact_value(&f, fact) == number_of(json_array_get(list, n++)),
				      "%s: %s", r->id, key);
	}
	ck_assert_uint_eq(n, json_array_size(list));
}

static const struct cqesim_dump_item *counter(const struct real *r, const char *name)
{
	for (uint32_t i = 0; i < r->dump.count; i++)
		if (r->dump.items[i].kind == CQESIM_DUMP_COUNTER &&
		    !strcmp(r->dump.items[i].name, name))
			return &r->dump.items[i];
	return NULL;
}

static void expect_counter(const struct real *r, const char *name, json_t *want)
{
	const struct cqesim_dump_item *item = counter(r, name);

	ck_assert_msg(item && item->value == number_of(want), "%s: counter %s", r->id, name);
}

/* Names of operations and states that differ from ours. */
static unsigned operation(const char *name)
{
	static const struct {
		const char *name;
		uint8_t opcode;
	} other[] = {{"MASKED_COMPARE_SWAP", 0x14}, {"FETCH_ADD", 0x12}};

	for (unsigned i = 0; i < 2; i++)
		if (!strcmp(name, other[i].name))
			return other[i].opcode;
	for (unsigned op = 0; op < 256; op++)
		if (!strcmp(name, cqesim_send_opcode_name(op)))
			return op;
	ck_abort_msg("operation %s", name);
}

static unsigned status(const char *text)
{
	static const struct {
		const char *text;
		unsigned status;
	} words[] = {
		{"local protection error", 4},       {"remote access error", 10},
		{"remote invalid request error", 9}, {"local QP operation error", 2},
		{"memory bind operation error", 6},  {"RNR_RETRY_EXC_ERR", 13},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i].text))
			return words[i].status;
	ck_abort_msg("status %s", text);
}

static void expect_hw(const struct real *r, const char *want)
{
	for (uint32_t i = 0; i < r->dump.count; i++) {
		struct cqesim_dump_facts f;
		char pair[16];

		cqesim_dump_facts(&r->dump.items[i], &f);
		snprintf(pair, sizeof(pair), "%u/%u", f.hw_synd_type, f.hw_err_synd);
		if (f.known & CQESIM_FACT_HW && !strcmp(pair, want))
			return;
	}
	ck_abort_msg("%s: hw syndrome is not %s", r->id, want);
}

/* Does the number, or the text, stand in the log at all? */
static bool in_text(const struct real *r, json_t *v)
{
	char digits[32];

	if (json_is_array(v))
		return in_text(r, json_array_get(v, 0));
	if (json_is_string(v))
		return strstr(r->text, json_string_value(v)) != NULL;
	snprintf(digits, sizeof(digits), json_is_real(v) ? "%.2f" : "%.0f", json_number_value(v));
	return strstr(r->text, digits) != NULL;
}

static void expect_rates(const struct real *r, json_t *rates)
{
	const char *name;
	json_t *v;

	json_object_foreach(rates, name, v)
	{
		/* The collector's own name for what the driver counts as rx_cache_empty. */
		bool processed = !strcmp(name, "rx_packets_processed(cache_empty)");

		expect_counter(r, processed ? "rx_cache_empty" : name, v);
	}
}

static void expect_queues(const struct real *r, json_t *queues)
{
	static const char *const part[][2] = {{"blks", "cqe_compress_blks"},
					      {"pkts", "cqe_compress_pkts"},
					      {"cache_empty", "cache_empty"}};
	const char *queue;
	json_t *q;

	json_object_foreach(queues, queue, q)
	{
		ck_assert_uint_eq(json_object_size(q), 3);
		for (unsigned i = 0; i < 3; i++) {
			char name[64];

			snprintf(name, sizeof(name), "%s_%s", queue, part[i][1]);
			expect_counter(r, name, json_object_get(q, part[i][0]));
		}
	}
}

static void expect_derived(const struct real *r, json_t *derived)
{
	double pkts = (double)counter(r, "rx_cqe_compress_pkts")->value;
	double blks = (double)counter(r, "rx_cqe_compress_blks")->value;
	double all = (double)counter(r, "rx_cache_empty")->value;

	ck_assert_uint_eq(json_object_size(derived), 2);
	ck_assert_double_eq_tol(json_number_value(json_object_get(derived, "pkts_per_block")),
				pkts / blks, 0.0005);
	ck_assert_double_eq_tol(json_number_value(json_object_get(
					derived, "share_of_processed_packets_compressed")),
				pkts / all, 0.0005);
}

static void expect_table(const struct real *r, json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		char name[64];

		snprintf(name, sizeof(name), "no_touch RX=1024, %zu queues", i + 1);
		expect_counter(r, name, json_array_get(list, i));
	}
}

/* Notes of the collector, about the machine and not in the log. */
static bool is_note(const char *key)
{
	return !strcmp(key, "nic") || !strcmp(key, "context") || !strcmp(key, "dpdk");
}

static void expect_stated(const struct real *r, const char *key, json_t *v)
{
	static const struct {
		const char *key;
		uint32_t fact;
	} facts[] = {
		{"syndrome", CQESIM_FACT_SYNDROME},
		{"vendor_syndrome", CQESIM_FACT_VENDOR},
		{"vendor_err", CQESIM_FACT_VENDOR},
		{"status", CQESIM_FACT_STATUS},
		{"qpn", CQESIM_FACT_QPN},
		{"qn", CQESIM_FACT_QPN},
		{"sqn", CQESIM_FACT_QPN},
		{"cqn", CQESIM_FACT_CQN},
		{"wqe_index", CQESIM_FACT_WQE},
		{"wqe_counter", CQESIM_FACT_WQE},
		{"ci", CQESIM_FACT_CI},
		{"cq_ci", CQESIM_FACT_CI},
		{"wq_ci", CQESIM_FACT_WQ_CI},
		{"wq_size", CQESIM_FACT_WQ_SIZE},
		{"lkey", CQESIM_FACT_LKEY},
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		if (strcmp(key, facts[i].key))
			continue;
		if (json_is_array(v))
			expect_facts(r, key, facts[i].fact, v);
		else
			expect_fact(r, key, facts[i].fact, number_of(v));
		return;
	}
	const char *text = json_string_value(v);
	if (!strcmp(key, "status_text"))
		expect_fact(r, key, CQESIM_FACT_STATUS, status(text));
	else if (!strcmp(key, "opcode"))
		expect_fact(r, key, CQESIM_FACT_OPCODE,
			    strstr(text, "REQ")    ? 13
			    : strstr(text, "RESP") ? 14
						   : number_of(v));
	else if (!strcmp(key, "wqe_opcode"))
		expect_fact(r, key, CQESIM_FACT_SEND_OPCODE, operation(text));
	else if (!strcmp(key, "hw_synd"))
		expect_hw(r, text);
	else if (!strcmp(key, "len"))
		ck_assert_uint_eq(r->dump.items[0].size, number_of(v));
	else if (!strcmp(key, "rates_per_s"))
		expect_rates(r, v);
	else if (!strcmp(key, "per_queue"))
		expect_queues(r, v);
	else if (!strcmp(key, "derived"))
		expect_derived(r, v);
	else if (!strcmp(key, "pps_by_queues_compress_on_rx1024"))
		expect_table(r, v);
	else if (json_is_integer(v) && in_text(r, v))
		expect_counter(r, key, v);
	else /* of another part of the thread, which was not kept */
		ck_assert_msg(is_note(key) || !in_text(r, v) ||
				      !strcmp(key, "per_queue_rx_packets_and_mpwqe_filler"),
			      "%s: %s is not compared", r->id, key);
}

/* ---- all of them ---- */

static void check_entry(const char *folder, json_t *entry)
{
	struct real r = {.id = json_string_value(json_object_get(entry, "id"))};
	const char *file = json_string_value(json_object_get(entry, "file"));
	bool negative = !strncmp(r.id, "neg-", 4);
	const char *key;
	size_t size;
	json_t *v;

	r.text = dump_file(folder, file, &size);
	r.dump = dump_of(r.text, size);
	ck_assert_msg(r.dump.count > 0, "%s: nothing found", r.id);
	for (uint32_t i = 0; i < r.dump.count; i++)
		ck_assert_msg((r.dump.items[i].kind == CQESIM_DUMP_FOREIGN) == negative,
			      "%s: item %u is a %s", r.id, i,
			      cqesim_dump_kind_name(r.dump.items[i].kind));
	if (json_object_get(entry, "hex"))
		expect_completion(&r, entry);
	json_object_foreach(json_object_get(entry, "stated"), key, v) expect_stated(&r, key, v);
	cqesim_dump_free(&r.dump);
	free(r.text);
}

START_TEST(real_dumps)
{
	const char *shared = test_shared_dir();
	char folder[4096], path[4200];
	unsigned completions = 0;
	json_error_t error;

	if (!shared)
		return test_skip("dump: real_dumps", "no reference material");
	snprintf(folder, sizeof(folder), "%s/cqe-dumps", shared);
	snprintf(path, sizeof(path), "%s/index.json", folder);
	json_t *index = json_load_file(path, 0, &error);
	if (!index)
		return test_skip("dump: real_dumps", "no collection of dumps there");
	ck_assert_uint_ge(json_array_size(index), 40);
	for (size_t i = 0; i < json_array_size(index); i++) {
		json_t *entry = json_array_get(index, i);

		completions += json_object_get(entry, "hex") != NULL;
		check_entry(folder, entry);
	}
	ck_assert_uint_ge(completions, 20);
	json_decref(index);
}
END_TEST

void add_dump_shared(Suite *suite)
{
	TCase *tc = tcase_create("real dumps");

	tcase_add_test(tc, real_dumps);
	suite_add_tcase(suite, tc);
}

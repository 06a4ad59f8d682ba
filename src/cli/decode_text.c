/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim decode: the report for people. */
#include <string.h>

#include "decode.h"

#define WIDTH 98u
/* Failures that are shown with all their fields, without --all. */
#define DETAILED 10u
/* Completions that did not fail, likewise. */
#define DETAILED_GOOD 4u

void decode_wrap(const char *text, unsigned indent, unsigned used)
{
	unsigned column = used;
	bool space = false;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (column + space + word > WIDTH && column > indent) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		} else if (space) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)word, text);
		column += (unsigned)word;
		text += word;
		space = *text != '\0';
		text += space;
	}
	putchar('\n');
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- heading ---- */

static void count(const char **sep, uint64_t n, const char *one)
{
	if (!n)
		return;
	printf("%s%llu %s%s", *sep, (unsigned long long)n, one, plural(n));
	*sep = ", ";
}

void decode_mentions(const struct cqesim_dump *dump, char *text, size_t size)
{
	snprintf(text, size, "%llu line%s the name of such an error without reporting one",
		 (unsigned long long)dump->mentions,
		 dump->mentions == 1 ? " mentions" : "s mention");
}

static void heading(const struct cqesim_dump *dump, const struct cqesim_dump_verdict *v,
		    const struct decode_options *o)
{
	uint64_t counters = 0, wqes = 0, foreign = 0, again = 0;
	const char *sep = ": ";

	for (uint32_t i = 0; i < dump->count; i++) {
		const struct cqesim_dump_item *item = &dump->items[i];

		counters += item->kind == CQESIM_DUMP_COUNTER;
		wqes += item->kind == CQESIM_DUMP_WQE;
		foreign += item->kind == CQESIM_DUMP_FOREIGN;
		again += item->same_as != CQESIM_DUMP_NONE;
	}
	if (dump->binary)
		printf("%s, %llu bytes", o->source, (unsigned long long)dump->bytes);
	else
		printf("%s, %llu line%s", o->source, (unsigned long long)dump->lines,
		       plural(dump->lines));
	count(&sep, v->errors, "failed completion");
	count(&sep, v->completions, "other completion");
	count(&sep, again, "repetition");
	count(&sep, wqes, "work request");
	count(&sep, counters, "counter");
	count(&sep, foreign, "other thing");
	printf("\n");
	if (*v->text) {
		printf("\n");
		decode_wrap(v->text, 0, 0);
	}
	if (dump->mentions) {
		char text[160];

		decode_mentions(dump, text, sizeof(text));
		printf("\n%s.\n", text);
	}
	if (dump->unread)
		printf("\nThe last %llu %s were not looked at: there is more here than can be "
		       "kept.\n",
		       (unsigned long long)dump->unread, dump->binary ? "bytes" : "lines");
}

/* ---- one item ---- */

static void place(const struct cqesim_dump_item *item)
{
	if (!item->line)
		printf("byte %llu", (unsigned long long)item->offset);
	else if (item->last_line > item->line)
		printf("lines %llu-%llu", (unsigned long long)item->line,
		       (unsigned long long)item->last_line);
	else
		printf("line %llu", (unsigned long long)item->line);
}

static void origin(const struct cqesim_dump_item *item)
{
	if (item->flags & CQESIM_DUMP_IN_RING)
		printf(", slot %u", item->slot);
	if (item->kind == CQESIM_DUMP_CQE || item->kind == CQESIM_DUMP_WQE)
		printf(", printed as %s%s", cqesim_dump_notation_name(item->notation),
		       item->flags & CQESIM_DUMP_SWAPPED ? " in the host's byte order" : "");
	if (item->source != CQESIM_DUMP_BY_UNKNOWN)
		printf(", by %s", cqesim_dump_source_name(item->source));
	if (*item->device)
		printf(", %s", item->device);
}

static void remarks(const struct cqesim_dump_item *item, unsigned indent)
{
	static const struct {
		uint32_t flag;
		const char *text;
	} remark[] = {
		{CQESIM_DUMP_BY_SHAPE,
		 "No heading says that this is a completion; its content looks like "
		 "one."},
		{CQESIM_DUMP_MIXED,
		 "Rows of several dumps are mixed here; which row belongs to which is "
		 "a guess where they are alike."},
		{CQESIM_DUMP_SURPLUS,
		 "Some rows have more bytes than their offsets allow; the surplus is "
		 "left out."},
		{CQESIM_DUMP_WIDE,
		 "A completion of 128 bytes; this is its second half, the first is for "
		 "data."},
	};
	for (size_t i = 0; i < sizeof(remark) / sizeof(remark[0]); i++)
		if (item->flags & remark[i].flag && item->notation != CQESIM_DUMP_BINARY) {
			printf("%*s", (int)indent, "");
			decode_wrap(remark[i].text, indent, indent);
		}
}

static void stated(const struct cqesim_dump_item *item, unsigned indent)
{
	const struct cqesim_dump_facts *s = &item->stated;
	const struct {
		uint32_t fact, value;
		const char *name;
	} hex[] = {
		{CQESIM_FACT_CQN, s->cqn, "CQN"},
		{CQESIM_FACT_CI, s->ci, "CQ index"},
		{CQESIM_FACT_QPN, s->qpn, "queue"},
		{CQESIM_FACT_REMOTE_QPN, s->remote_qpn, "peer's QPN"},
		{CQESIM_FACT_LKEY, s->lkey, "lkey"},
		{CQESIM_FACT_RKEY, s->rkey, "rkey"},
		{CQESIM_FACT_WQ_CI, s->wq_ci, "WQ index"},
		{CQESIM_FACT_WQ_SIZE, s->wq_size, "WQ size"},
	};
	const char *sep = "";

	for (size_t i = 0; i < sizeof(hex) / sizeof(hex[0]); i++) {
		if (!(s->known & hex[i].fact))
			continue;
		if (!*sep)
			printf("%*sAlso in the text: ", (int)indent, "");
		printf("%s%s 0x%x", sep, hex[i].name, hex[i].value);
		sep = ", ";
	}
	if (*item->addresses) {
		if (!*sep)
			printf("%*sAlso in the text: ", (int)indent, "");
		printf("%s%s", sep, item->addresses);
		sep = ", ";
	}
	if (*sep)
		printf("\n");
}

/* Programs print the vendor's code of whatever card there is. */
static bool names_card(const struct cqesim_dump_item *item)
{
	switch (item->source) {
	case CQESIM_DUMP_BY_UNKNOWN:
	case CQESIM_DUMP_BY_LIBMLX5:
	case CQESIM_DUMP_BY_MLX5_IB:
	case CQESIM_DUMP_BY_MLX5_CORE:
	case CQESIM_DUMP_BY_DPDK:
	case CQESIM_DUMP_BY_UCX:
		return true;
	default:
		return item->kind == CQESIM_DUMP_CQE || strstr(item->device, "mlx5");
	}
}

static void advice(const struct cqesim_dump_facts *f, unsigned indent)
{
	const char *const *line = cqesim_dump_advice(f);

	if (!*line)
		return;
	printf("%*sNext:\n", (int)indent, "");
	for (; *line; line++) {
		printf("%*s- ", (int)indent + 2, "");
		decode_wrap(*line, indent + 4, indent + 4);
	}
}

void decode_details(const struct cqesim_dump_item *item, const struct decode_options *o,
		    unsigned indent, bool with_advice)
{
	struct cqesim_dump_facts f;
	char text[CQESIM_DUMP_TEXT];

	cqesim_dump_facts(item, &f);
	remarks(item, indent);
	stated(item, indent);
	if (cqesim_dump_is_error(item)) {
		cqesim_dump_vendor_text(&f, text, sizeof(text));
		if (*text) {
			printf("%*s", (int)indent, "");
			decode_wrap(text, indent, indent);
			if (!names_card(item))
				printf("%*sThe line does not name the card; the code means this "
				       "only on mlx5 "
				       "(ConnectX-4 and later).\n",
				       (int)indent, "");
		}
		if (with_advice)
			advice(&f, indent);
	}
	if (item->kind != CQESIM_DUMP_CQE)
		return;
	if (o->annotate)
		decode_annotate(item->raw, item->known, indent);
	else
		decode_fields(item->raw, item->known, indent);
}

static void wqe_bytes(const struct cqesim_dump_item *item, unsigned indent)
{
	for (unsigned from = 0; from < 64 && item->known >> from & 1; from += 16) {
		printf("%*s0x%02x  ", (int)indent, "", from);
		for (unsigned i = from; i < from + 16 && item->known >> i & 1; i++)
			printf(" %02x", item->raw[i]);
		printf("\n");
	}
}

/* ---- all items ---- */

struct state {
	const struct cqesim_dump *dump;
	const struct decode_options *o;
	struct cqesim_dump_verdict verdict;
	unsigned errors, good;   /* shown with details so far */
	uint8_t advised[2][256]; /* by side and syndrome */
};

static bool detailed(struct state *s, uint32_t i)
{
	const struct cqesim_dump_item *item = &s->dump->items[i];

	if (item->kind != CQESIM_DUMP_CQE && item->kind != CQESIM_DUMP_STATEMENT)
		return false;
	if (item->same_as != CQESIM_DUMP_NONE || item->flags & CQESIM_DUMP_ARRAY)
		return s->o->all;
	if (s->o->all || i == s->verdict.root)
		return true;
	if (cqesim_dump_is_error(item))
		return s->errors++ < DETAILED;
	return s->verdict.completions <= DETAILED_GOOD && s->good++ < DETAILED_GOOD;
}

static bool first_advice(struct state *s, const struct cqesim_dump_item *item)
{
	struct cqesim_dump_facts f;

	cqesim_dump_facts(item, &f);
	uint8_t *seen =
		&s->advised[f.opcode == 14][f.known & CQESIM_FACT_SYNDROME ? f.syndrome : 0];
	return !(*seen)++;
}

/* Items that say the very same, one behind the other. */
static uint32_t run_of(const struct state *s, uint32_t from)
{
	char a[CQESIM_DUMP_TEXT], b[CQESIM_DUMP_TEXT];
	const struct cqesim_dump_item *items = s->dump->items;
	uint32_t i = from + 1;

	if (s->o->all || items[from].same_as != CQESIM_DUMP_NONE)
		return i;
	cqesim_dump_explain(&items[from], a, sizeof(a));
	for (; i < s->dump->count && items[i].kind == items[from].kind &&
	       items[i].same_as == CQESIM_DUMP_NONE;
	     i++) {
		cqesim_dump_explain(&items[i], b, sizeof(b));
		if (strcmp(a, b))
			break;
	}
	return i;
}

static void show(struct state *s, uint32_t i)
{
	const struct cqesim_dump_item *item = &s->dump->items[i];
	char text[CQESIM_DUMP_TEXT];

	printf("\n%u  ", i + 1);
	place(item);
	origin(item);
	printf("\n    ");
	cqesim_dump_explain(item, text, sizeof(text));
	decode_wrap(text, 4, 4);
	if (item->same_as != CQESIM_DUMP_NONE)
		printf("    The same error as number %u, it seems.\n", item->same_as + 1);
	if (item->more)
		printf("    And %llu more of the same, up to line %llu.\n",
		       (unsigned long long)item->more, (unsigned long long)item->last_line);
	if (detailed(s, i))
		decode_details(item, s->o, 4, first_advice(s, item));
	else if (item->kind == CQESIM_DUMP_WQE)
		wqe_bytes(item, 4);
}

/* ---- counters ---- */

static uint64_t sum_of(const struct cqesim_dump *dump, const char *name, bool *there)
{
	for (uint32_t i = 0; i < dump->count; i++)
		if (dump->items[i].kind == CQESIM_DUMP_COUNTER &&
		    !strcmp(dump->items[i].name, name)) {
			*there = true;
			return dump->items[i].value;
		}
	return 0;
}

static void ratio(const struct cqesim_dump *dump, const char *part, const char *whole,
		  const char *words)
{
	bool a = false, b = false;
	uint64_t x = sum_of(dump, part, &a), y = sum_of(dump, whole, &b);

	if (!a || !b || !y || !x)
		return;
	int n = printf("    %s / %s = %.3f: ", part, whole, (double)x / (double)y);
	decode_wrap(words, 6, (unsigned)n);
}

static void counter_sums(const struct cqesim_dump *dump)
{
	ratio(dump, "rx_cqe_compress_pkts", "rx_cqe_compress_blks",
	      "packets per compressed session (basic layout; in the enhanced one the title's own "
	      "comes "
	      "on top)");
	ratio(dump, "rx_cqe_compress_pkts", "rx_packets", "share of packets that came compressed");
	ratio(dump, "rx_cqe_compress_pkts", "rx_cache_empty",
	      "share of packets that came compressed, if each took a page from the kernel");
	ratio(dump, "rx_mpwqe_filler", "rx_packets", "fillers per packet");
	ratio(dump, "rx_out_of_buffer", "rx_packets_phy",
	      "share lost for want of a receive buffer");
	ratio(dump, "rx_discards_phy", "rx_packets_phy", "share lost in the card's buffer");
}

static void counters(const struct cqesim_dump *dump, uint32_t from, uint32_t to)
{
	printf("\n%u  counters, lines %llu-%llu\n", from + 1,
	       (unsigned long long)dump->items[from].line,
	       (unsigned long long)dump->items[to - 1].line);
	for (uint32_t i = from; i < to; i++) {
		const struct cqesim_dump_item *item = &dump->items[i];
		char text[CQESIM_DUMP_TEXT];

		cqesim_dump_explain(item, text, sizeof(text));
		printf("    %-30s %16llu  ", item->name, (unsigned long long)item->value);
		decode_wrap(text, 53, 53);
	}
}

static bool nothing_else(const struct cqesim_dump *dump, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (dump->items[i].kind != CQESIM_DUMP_COUNTER)
			return false;
	return true;
}

void decode_text(const struct cqesim_dump *dump, const struct decode_options *o)
{
	struct state s = {.dump = dump, .o = o};
	bool any = false;

	cqesim_dump_verdict(dump, &s.verdict);
	heading(dump, &s.verdict, o);
	for (uint32_t i = 0; i < dump->count;) {
		uint32_t to = i + 1;

		if (dump->items[i].kind == CQESIM_DUMP_COUNTER) {
			while (to < dump->count && nothing_else(dump, to, to + 1))
				to++;
			counters(dump, i, to);
			any = true;
		} else {
			to = run_of(&s, i);
			show(&s, i);
			if (to > i + 1)
				printf("    %u more that say the same, up to number %u (line "
				       "%llu).\n",
				       to - i - 1, to,
				       (unsigned long long)dump->items[to - 1].last_line);
		}
		i = to;
	}
	if (any) {
		printf("\n");
		counter_sums(dump);
		if (dump->other_counters)
			printf("    %llu other counter%s without bearing on completions\n",
			       (unsigned long long)dump->other_counters,
			       plural(dump->other_counters));
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of a completion as a table, and under its bytes. */
#include <string.h>

#include "decode.h"

static bool whole(const struct cqesim_field *f, uint64_t known)
{
	uint64_t bytes = (UINT64_C(1) << f->bytes) - 1;

	return (known >> f->byte & bytes) == bytes;
}

static void indented(unsigned indent)
{
	printf("%*s", (int)indent, "");
}

/* "52", "56-59", "63 7:4" */
static void position(const struct cqesim_field *f, char *text, size_t size)
{
	char bits[16] = "";

	if (f->bits != 8 * f->bytes) {
		if (f->bits > 1)
			snprintf(bits, sizeof(bits), " %u:%u", f->shift + f->bits - 1, f->shift);
		else
			snprintf(bits, sizeof(bits), " %u", f->shift);
	}
	if (f->bytes > 1)
		snprintf(text, size, "%u-%u%s", f->byte, f->byte + f->bytes - 1, bits);
	else
		snprintf(text, size, "%u%s", f->byte, bits);
}

static void value_text(const char *name, unsigned bits, uint64_t v, char *text, size_t size)
{
	const char *called = name ? cqesim_value_name(name, v) : NULL;
	int n;

	if (v < 10)
		n = snprintf(text, size, "%llu", (unsigned long long)v);
	else
		n = snprintf(text, size, "0x%0*llx (%llu)", (int)(bits + 3) / 4,
			     (unsigned long long)v, (unsigned long long)v);
	if (called && n > 0 && (size_t)n < size)
		snprintf(text + n, size - (size_t)n, " %s", called);
}

/* What names the field's values; a receive that failed has no operation in byte 56. */
static const char *names_of(const struct cqesim_field *f, const uint8_t raw[64])
{
	bool receive = raw[CQESIM_OP_OWN_BYTE] >> 4 == CQESIM_OP_RESP_ERR;

	return receive && !strcmp(f->name, "wqe_opcode") ? NULL : f->name;
}

/* A row of the table; a meaning that is long goes on below itself. */
static void row(unsigned indent, const char *where, const char *name, const char *value,
		const char *meaning)
{
	indented(indent);
	int n = printf("%-10s %-20s %-28s ", where, name, value);
	decode_wrap(meaning, indent + 61, indent + (unsigned)n);
}

static void parts(const struct cqesim_layout *view, const struct cqesim_field *f, uint64_t v,
		  unsigned indent)
{
	for (unsigned i = 0; v && i < view->part_count; i++) {
		const struct cqesim_part *p = &view->parts[i];
		uint64_t part = v >> p->shift & (~UINT64_C(0) >> (64 - p->bits));
		char where[24], name[40], value[64];

		if (strcmp(p->field, f->name) || !part)
			continue;
		snprintf(where, sizeof(where), "  bit %u", p->shift);
		if (p->bits > 1)
			snprintf(where, sizeof(where), "  %u:%u", p->shift + p->bits - 1, p->shift);
		snprintf(name, sizeof(name), "  %s", p->name);
		value_text(p->name, p->bits, part, value, sizeof(value));
		row(indent, where, name, value, p->meaning);
	}
}

/* What rdma-core keeps reserved and is not zero; whether the signature is right. */
static void error_extras(const uint8_t raw[64], uint64_t known, unsigned indent)
{
	char text[200];
	size_t n = 0;

	for (unsigned i = 0; i < 64 && n + 5 < sizeof(text); i++)
		if (CQESIM_DUMP_ERR_RESERVED >> i & 1 && raw[i])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u", n ? ", " : "", i);
	if (n) {
		indented(indent);
		printf("not zero in bytes that rdma-core's mlx5_err_cqe calls reserved: ");
		decode_wrap(text, indent + 2, indent + 68);
	}
	if (known != ~UINT64_C(0))
		return;
	indented(indent);
	if (cqesim_dump_signature_residual(raw))
		printf("signature (XOR of all bytes): off by 0x%02x, not computed or over more "
		       "than is "
		       "here\n",
		       cqesim_dump_signature_residual(raw));
	else
		printf("signature (XOR of all bytes): right\n");
}

void decode_fields(const uint8_t raw[64], uint64_t known, unsigned indent)
{
	const struct cqesim_layout *view = cqesim_cqe_view(raw);

	indented(indent);
	printf("%-10s %-20s %-28s %s\n", "byte", "field", "value", "meaning");
	for (unsigned i = 0; i < view->count; i++) {
		const struct cqesim_field *f = &view->fields[i];
		char where[24], value[80];
		uint64_t v = cqesim_field_get(f, raw);

		position(f, where, sizeof(where));
		if (!whole(f, known)) {
			row(indent, where, f->name, "not in the input", f->meaning);
			continue;
		}
		value_text(names_of(f, raw), f->bits, v, value, sizeof(value));
		row(indent, where, f->name, value, f->meaning);
		parts(view, f, v, indent);
	}
	if (!strcmp(view->name, "err"))
		error_extras(raw, known, indent);
}

/* ---- bytes and fields ---- */

/* The letter of the first field that has this byte; fields that share bytes share it. */
struct mark {
	char letter[64];
	unsigned count;
};

static void set_marks(const struct cqesim_layout *view, struct mark *m)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	memset(m, 0, sizeof(*m));
	for (unsigned i = 0; i < view->count; i++) {
		const struct cqesim_field *f = &view->fields[i];

		if (m->letter[f->byte])
			continue;
		for (unsigned k = 0; k < f->bytes; k++)
			m->letter[f->byte + k] = letters[m->count % (sizeof(letters) - 1)];
		m->count++;
	}
}

static void legend(const struct cqesim_layout *view, const struct mark *m, const uint8_t raw[64],
		   uint64_t known, unsigned from, unsigned indent)
{
	for (unsigned i = 0; i < view->count; i++) {
		const struct cqesim_field *f = &view->fields[i];
		char where[24], value[80];

		if (f->byte < from || f->byte >= from + 16)
			continue;
		position(f, where, sizeof(where));
		if (whole(f, known))
			value_text(names_of(f, raw), f->bits, cqesim_field_get(f, raw), value,
				   sizeof(value));
		else
			snprintf(value, sizeof(value), "not in the input");
		indented(indent + 8);
		printf("%c  %-9s %s = %s\n", m->letter[f->byte], where, f->name, value);
	}
}

void decode_annotate(const uint8_t raw[64], uint64_t known, unsigned indent)
{
	const struct cqesim_layout *view = cqesim_cqe_view(raw);
	struct mark m;

	set_marks(view, &m);
	for (unsigned from = 0; from < 64; from += 16) {
		indented(indent);
		printf("0x%02x  ", from);
		for (unsigned i = from; i < from + 16; i++)
			if (known >> i & 1)
				printf(" %02x", raw[i]);
			else
				printf(" --");
		printf("\n");
		indented(indent + 6);
		for (unsigned i = from; i < from + 16; i++)
			printf(" %c%c", m.letter[i] ? m.letter[i] : '.',
			       m.letter[i] ? m.letter[i] : '.');
		printf("\n");
		legend(view, &m, raw, known, from, indent);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who wrote a line, about which device, and is it about a completion of mlx5 at all
 * or about something that looks alike.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "dump/dump_internal.h"

bool line_has(const struct dump_line *l, const char *words)
{
	size_t n = strlen(words);
	int first = tolower((unsigned char)*words);

	if (l->length < n)
		return false;
	for (size_t i = 0; i + n <= l->length; i++)
		if (tolower((unsigned char)l->text[i]) == first &&
		    !strncasecmp(l->text + i, words, n))
			return true;
	return false;
}

bool line_knows(const struct dump_line *l, uint32_t facts)
{
	return (l->w->facts.known & facts) != 0;
}

/* ---- who ---- */

/* From behind `from` to a colon and a space (or the character `end`). */
static bool copy_device(const struct dump_line *l, const char *from, const char *end, char *device,
			size_t room)
{
	const char *p = memmem(l->text, l->length, from, strlen(from));

	if (!p)
		return false;
	p += strlen(from);
	size_t left = l->length - (size_t)(p - l->text);
	const char *stop = memmem(p, left, end, strlen(end));
	if (!stop && *end == ' ') /* a word may end with the line */
		stop = p + left;
	size_t n = stop ? (size_t)(stop - p) : 0;
	if (!n || n >= room)
		return false;
	for (size_t i = 0; i < n; i++)
		device[i] = isgraph((unsigned char)p[i]) ? p[i] : ' ';
	device[n] = '\0';
	return true;
}

void line_device(const struct dump_line *l, struct cqesim_dump_item *item)
{
	static const char *const around[][2] = {
		{"infiniband ", ": "}, {"mlx5_core ", ": "}, {"mlx5: ", ": got"},
		{" hca ", " "},        {" on mlx5", " "},    {"MLX5: ", ": got"},
	};
	for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
		if (!copy_device(l, around[i][0], around[i][1], item->device, sizeof(item->device)))
			continue;
		if (around[i][0][1] == 'o') { /* " on mlx5_0:1/IB" */
			memmove(item->device + 4, item->device, sizeof(item->device) - 4);
			memcpy(item->device, "mlx5", 4);
			item->device[sizeof(item->device) - 1] = '\0';
		}
		for (size_t n = strlen(item->device); n > 1 && strchr(":,;", item->device[n - 1]);)
			item->device[--n] = '\0';
		return;
	}
}

/* The word behind `before`; false when there is none. */
static bool word_behind(const struct dump_line *l, const char *before, char *word, size_t room)
{
	const char *end = l->text + l->length;
	const char *p = memmem(l->text, l->length, before, strlen(before));
	size_t n = 0;

	if (!p)
		return false;
	for (p += strlen(before); p < end && *p == ' ';)
		p++;
	for (; p < end && isgraph((unsigned char)*p) && *p != ',' && n + 1 < room; p++)
		word[n++] = *p;
	word[n] = '\0';
	return n > 0;
}

void line_addresses(const struct dump_line *l, struct cqesim_dump_item *item)
{
	static const struct {
		const char *before, *name;
	} address[] = {
		/* NCCL leaves out the space behind remoteGids. */
		{"from peer ", "peer"},      {"completion from ", "peer"},
		{"localGid ", "localGid"},   {"remoteGids", "remoteGid"},
		{"remoteGid ", "remoteGid"},
	};
	size_t n = 0;

	if (item->source != CQESIM_DUMP_BY_NCCL)
		return;
	for (size_t i = 0; i < sizeof(address) / sizeof(address[0]); i++) {
		char word[48];

		if (!word_behind(l, address[i].before, word, sizeof(word)) ||
		    !strpbrk(word, ".:") || strstr(item->addresses, address[i].name))
			continue;
		int wrote = snprintf(item->addresses + n, sizeof(item->addresses) - n, "%s%s %s",
				     n ? ", " : "", address[i].name, word);
		n += (size_t)wrote;
		if (n >= sizeof(item->addresses))
			return;
	}
}

enum cqesim_dump_source line_source(const struct dump_line *l)
{
	static const struct {
		uint8_t mark, source;
	} order[] = {
		{MARK_UCX, CQESIM_DUMP_BY_UCX},
		{MARK_UCX_QP, CQESIM_DUMP_BY_UCX},
		{MARK_NCCL, CQESIM_DUMP_BY_NCCL},
		{MARK_OPENIB, CQESIM_DUMP_BY_OPENMPI},
		{MARK_PERFTEST, CQESIM_DUMP_BY_PERFTEST},
		{MARK_UNEXPECTED_CQE, CQESIM_DUMP_BY_DPDK},
		{MARK_LIBFABRIC, CQESIM_DUMP_BY_LIBFABRIC},
		{MARK_RPCRDMA, CQESIM_DUMP_BY_RPCRDMA},
		{MARK_SPDK, CQESIM_DUMP_BY_SPDK},
		{MARK_NVME, CQESIM_DUMP_BY_NVME},
		{MARK_ISER, CQESIM_DUMP_BY_ISER},
		{MARK_SRP, CQESIM_DUMP_BY_SRP},
		{MARK_LNET, CQESIM_DUMP_BY_LNET},
		{MARK_QP_ERROR, CQESIM_DUMP_BY_MLX5_IB},
		{MARK_WC_ERROR, CQESIM_DUMP_BY_MLX5_IB},
		{MARK_POLL_ONE, CQESIM_DUMP_BY_MLX5_IB},
		{MARK_REQUESTER, CQESIM_DUMP_BY_MLX5_IB},
		{MARK_RESPONDER, CQESIM_DUMP_BY_MLX5_IB},
		{MARK_ERROR_CQE_ON, CQESIM_DUMP_BY_MLX5_CORE},
		{MARK_ERR_CQE_ON, CQESIM_DUMP_BY_MLX5_CORE},
	};
	/* NCCL's line without what stands in front of it. */
	if (MARKED(l->w, MARK_GOT_COMPLETION) && line_knows(l, CQESIM_FACT_VENDOR) &&
	    line_knows(l, CQESIM_FACT_STATUS) && l->w->has_opcode && !MARKED(l->w, MARK_MLX5))
		return CQESIM_DUMP_BY_NCCL;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (MARKED(l->w, order[i].mark))
			return (enum cqesim_dump_source)order[i].source;
	/* MVAPICH says so too, with a number behind it. */
	if (MARKED(l->w, MARK_GOT_COMPLETION) && !line_knows(l, CQESIM_FACT_STATUS))
		return CQESIM_DUMP_BY_LIBMLX5;
	if (MARKED(l->w, MARK_DUMP_WQE))
		return line_has(l, "WQE DUMP") ? CQESIM_DUMP_BY_MLX5_CORE : CQESIM_DUMP_BY_DPDK;
	if (MARKED(l->w, MARK_CQE_ERR) && (MARKED(l->w, MARK_MLX5) || l->w->has_op))
		return CQESIM_DUMP_BY_DPDK;
	if (MARKED(l->w, MARK_DUMP_CQE) || MARKED(l->w, MARK_DUMP_RING))
		return line_has(l, "infiniband") || line_has(l, "dump_cqe") ||
				       line_has(l, "dump error cqe")
			       ? CQESIM_DUMP_BY_MLX5_IB
			       : CQESIM_DUMP_BY_DPDK;
	/* "(synd 0x4 vend 0x51 ...": nobody else writes that. */
	if (line_knows(l, CQESIM_FACT_SYNDROME) && line_knows(l, CQESIM_FACT_VENDOR) &&
	    line_has(l, "(synd "))
		return CQESIM_DUMP_BY_UCX;
	return CQESIM_DUMP_BY_VERBS;
}

/* ---- does it report anything ---- */

bool line_is_code(const struct dump_line *l)
{
	char last = l->length ? l->text[l->length - 1] : ' ';

	return last == ';' || last == '{' || line_has(l, "case ") || line_has(l, "==") ||
	       line_has(l, "#define") || line_has(l, "sizeof(") || line_has(l, "\", \"") ||
	       line_has(l, "%d") || line_has(l, "0x%") || line_has(l, "[IB_WC_") ||
	       line_has(l, "[IBV_WC_");
}

/* An item of a list, or a sentence about what might be. */
static bool is_prose(const struct dump_line *l)
{
	static const char *const starts[] = {"* ",   "- ",    "+ ",  "if ",
					     "see ", "when ", "fix", "add "};
	static const char *const words[] = {"if you see", "if the ",     "e.g.",
					    "i.e.",       "for example", "for instance"};
	size_t at = 0;

	while (at < l->length && isspace((unsigned char)l->text[at]))
		at++;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (l->length - at > strlen(starts[i]) &&
		    !strncasecmp(l->text + at, starts[i], strlen(starts[i])))
			return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (line_has(l, words[i]))
			return true;
	return false;
}

/* A level in capitals, as loggers print it. */
static bool has_level(const struct dump_line *l)
{
	static const char *const level[] = {"ERROR", "WARN", "WARNING", "FATAL", "ERR", "CRIT"};

	for (size_t i = 0; i < sizeof(level) / sizeof(level[0]); i++) {
		size_t n = strlen(level[i]);
		const char *from = l->text, *end = l->text + l->length, *p;

		for (; (p = memmem(from, (size_t)(end - from), level[i], n)); from = p + n)
			if ((p == l->text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_')) &&
			    (p + n == end || !(isalnum((unsigned char)p[n]) || p[n] == '_')))
				return true;
	}
	return line_has(l, "<warn>") || line_has(l, "<err>") || line_has(l, "[error]") ||
	       line_has(l, "[E] ") || line_has(l, "[W] ") || line_has(l, "[warn");
}

/* "file.c:12", "[host:123", "function():": nobody but a program writes that. */
static bool has_place(const struct dump_line *l)
{
	for (size_t i = 0; i + 3 < l->length; i++) {
		const char *p = l->text + i;

		if (p[0] == '.' && p[1] == 'c' && p[2] == ':' &&
		    isdigit((unsigned char)p[p[3] == ' ' && i + 4 < l->length ? 4 : 3]))
			return true;
		if (p[0] == '(' && p[1] == ')' && p[2] == ':')
			return true;
	}
	const char *colon = l->length && *l->text == '[' ? memchr(l->text, ':', l->length) : NULL;
	return colon && colon > l->text + 1 && colon + 1 < l->text + l->length &&
	       isalnum((unsigned char)colon[-1]) && isdigit((unsigned char)colon[1]);
}

bool line_reports(const struct dump_line *l, bool stamped)
{
	static const char *const words[] = {
		"completion with error",
		"completion error",
		"work completion",
		"cq error",
		"wc error",
		"failed with status",
		"bad completion",
		"completion failed",
		"failed completion",
		"error polling",
		"wr_id",
		"wrid",
		"prov_err",
		"wc.status",
		"failed status",
		"error on cq",
		"poll_cq failed",
		"kernel:",
		"bad status",
		"failed: ",
		"failure: ",
		" failed with ",
	};
	const uint32_t numbers = CQESIM_FACT_QPN | CQESIM_FACT_WQE | CQESIM_FACT_CQN |
				 CQESIM_FACT_REMOTE_QPN | CQESIM_FACT_CI;

	if (line_knows(l, CQESIM_FACT_VENDOR) || MARKED(l->w, MARK_GOT_COMPLETION) || stamped)
		return true;
	if (is_prose(l))
		return false;
	if (line_knows(l, numbers) || l->w->keyed_status || l->w->keyed_syndrome || has_level(l) ||
	    has_place(l))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (line_has(l, words[i]))
			return true;
	return false;
}

/* ---- something else ---- */

/* Does the line tell of a failure with a code at all? */
static bool has_code(const struct dump_line *l)
{
	return l->w->has_syndrome ||
	       line_knows(l, CQESIM_FACT_VENDOR | CQESIM_FACT_SYNDROME | CQESIM_FACT_STATUS) ||
	       MARKED(l->w, MARK_GOT_COMPLETION);
}

enum cqesim_dump_reason line_foreign(const struct dump_line *l)
{
	const struct dump_words *w = l->w;

	if (MARKED(w, MARK_OLD_ERR) && (line_knows(l, CQESIM_FACT_QPN) || has_code(l)))
		return CQESIM_DUMP_OLD_CARD;
	if (MARKED(w, MARK_MLX4) && has_code(l))
		return CQESIM_DUMP_OLD_CARD;
	/* mlx4_en; mlx5e puts the syndrome first. */
	if (line_has(l, "CQE error - vendor syndrome"))
		return CQESIM_DUMP_OLD_CARD;
	if (MARKED(w, MARK_OTHER_VENDOR) && has_code(l) && !MARKED(w, MARK_MLX5))
		return CQESIM_DUMP_OTHER_VENDOR;
	if (MARKED(w, MARK_CQ_EVENT))
		return CQESIM_DUMP_CQ_EVENT;
	if (MARKED(w, MARK_HEALTH))
		return CQESIM_DUMP_HEALTH;
	/* Commands: no code of theirs has 8 bits and stands beside a vendor syndrome. */
	if (w->has_syndrome && !line_knows(l, CQESIM_FACT_VENDOR) && !MARKED(w, MARK_COMPLETION) &&
	    !MARKED(w, MARK_CQE_ERR) &&
	    (MARKED(w, MARK_COMMAND) || w->syndrome > 0xffff ||
	     (w->has_bracketed && MARKED(w, MARK_FAILED))))
		return CQESIM_DUMP_COMMAND;
	if (MARKED(w, MARK_ASYNC_EVENT) && !MARKED(w, MARK_NAMED_STATUS))
		return CQESIM_DUMP_ASYNC_EVENT;
	return CQESIM_DUMP_NO_REASON;
}

/* ---- old cards ---- */

/* "[10] 02702711": byte 16 syndrome, byte 17 vendor (mthca's and mlx4's error CQE). */
bool line_of_old_card(struct dump_finder *f, const char *text, size_t length)
{
	unsigned at = 0, digits = 0;
	uint32_t v = 0;
	size_t i = 1;

	if (!f->old_card || length < 12 || text[0] != '[')
		return false;
	for (; i < 3 && text[i] != ']'; i++) {
		if (text[i] == ' ')
			continue;
		if (!isxdigit((unsigned char)text[i]))
			return false;
		at = at * 16 + (unsigned)(isdigit((unsigned char)text[i])
						  ? text[i] - '0'
						  : (text[i] | 0x20) - 'a' + 10);
	}
	if (text[i] != ']' || text[i + 1] != ' ')
		return false;
	for (i += 2; i < length && isxdigit((unsigned char)text[i]) && digits < 8; i++, digits++)
		v = v << 4 |
		    (uint32_t)(isdigit((unsigned char)text[i]) ? text[i] - '0'
							       : (text[i] | 0x20) - 'a' + 10);
	if (digits != 8)
		return false;
	struct cqesim_dump_item *item = &f->out->items[f->old_card - 1];
	item->last_line = f->lines.line;
	if (at == 16) {
		item->stated.known |= CQESIM_FACT_SYNDROME | CQESIM_FACT_VENDOR;
		item->stated.syndrome = (uint8_t)(v >> 24);
		item->stated.vendor_err_synd = (uint8_t)(v >> 16);
	}
	if (at == 28)
		f->old_card = 0;
	return true;
}

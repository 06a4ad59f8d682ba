/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What stands in a line: the words of the lexicon, and the numbers behind those
 * that have one.  The first of a kind counts, so that "syndrome A ... the others
 * have syndrome B" is A.
 */
#include <ctype.h>
#include <string.h>

#include "dump/dump_internal.h"

struct scan {
	const char *s;
	size_t n, i;
	struct dump_words *w;
};

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* ---- numbers ---- */

static int digit(char c, unsigned base)
{
	int v = isdigit((unsigned char)c)    ? c - '0'
		: isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
					     : 99;
	return v < (int)base ? v : -1;
}

/* A number at *at; moves *at behind it.  Text such as "2nd" is none. */
static bool number(const struct scan *c, size_t *at, unsigned base, uint64_t *value)
{
	size_t i = *at, from;
	uint64_t v = 0;

	if (i + 2 < c->n && c->s[i] == '0' && (c->s[i + 1] == 'x' || c->s[i + 1] == 'X') &&
	    digit(c->s[i + 2], 16) >= 0) {
		i += 2;
		base = 16;
	} else if (base == 16) {
		/* "vendor syndrome a8": letters only if the word is nothing but hex. */
		size_t k = i;

		while (k < c->n && digit(c->s[k], 16) >= 0)
			k++;
		if (k < c->n && word_char(c->s[k]))
			base = 10;
	}
	from = i;
	for (; i < c->n && digit(c->s[i], base) >= 0; i++) {
		if (v >> 60)
			return false;
		v = v * base + (uint64_t)digit(c->s[i], base);
	}
	/* Where a space is missing ("0x2vendor_err"), hex ends at the first other letter. */
	if (i == from || (base != 16 && i < c->n && word_char(c->s[i])))
		return false;
	*value = v;
	*at = i;
	return true;
}

/* Between a key and its number: spaces, punctuation, and a filler word or two. */
static size_t skip_filler(const struct scan *c, size_t i)
{
	static const char *const filler[] = {"byte", "is", "code", "number", "value", "of", "was"};

	for (unsigned words = 0; words < 3; words++) {
		while (i < c->n && c->s[i] && strchr(" :=#([", c->s[i]))
			i++;
		unsigned k = 0;
		for (; k < sizeof(filler) / sizeof(filler[0]); k++) {
			size_t n = strlen(filler[k]);

			if (c->n - i > n && !strncasecmp(c->s + i, filler[k], n) &&
			    !word_char(c->s[i + n]))
				break;
		}
		if (k == sizeof(filler) / sizeof(filler[0]))
			break;
		i += strlen(filler[k]);
	}
	return i;
}

/* ---- facts ---- */

static bool fresh(struct dump_words *w, uint32_t fact)
{
	bool is = !(w->facts.known & fact);

	w->facts.known |= fact;
	return is;
}

static void set_syndrome(struct dump_words *w, uint64_t v, bool bracketed)
{
	if (!w->has_syndrome) {
		w->has_syndrome = true;
		w->syndrome = v;
		w->has_bracketed = bracketed;
	}
	if (v > 0xff && !(v & 0xffffff) && v <= UINT32_MAX) /* DPDK's crypto driver: byte-swapped */
		v >>= 24;
	if (v <= 0xff && fresh(w, CQESIM_FACT_SYNDROME))
		w->facts.syndrome = (uint8_t)v;
}

static void set_vendor(struct dump_words *w, uint64_t v)
{
	if (v <= 0xff && fresh(w, CQESIM_FACT_VENDOR))
		w->facts.vendor_err_synd = (uint8_t)v;
}

/*
 * A vendor's code without 0x: some print %d, some %x.  Both readings are kept; which
 * it is, the status beside it may tell.
 */
static bool plain_vendor(struct scan *c, size_t *at, unsigned base)
{
	uint64_t decimal = 0, hex = 0;
	bool letters = false;
	size_t i = *at;

	for (; i < c->n && i - *at < 3 && digit(c->s[i], 16) >= 0; i++) {
		letters |= digit(c->s[i], 10) < 0;
		decimal =
			decimal * 10 + (uint64_t)(digit(c->s[i], 10) < 0 ? 0 : digit(c->s[i], 10));
		hex = hex * 16 + (uint64_t)digit(c->s[i], 16);
	}
	if (i == *at || (i < c->n && word_char(c->s[i])) ||
	    (hex > 0xff && (letters || decimal > 0xff)))
		return false;
	bool as_hex = letters || decimal > 0xff || (base == 16 && hex <= 0xff);
	if (!(c->w->facts.known & CQESIM_FACT_VENDOR) && !letters && hex <= 0xff &&
	    decimal <= 0xff) {
		c->w->vendor_plain = true;
		c->w->vendor_other = (uint8_t)(as_hex ? decimal : hex);
	}
	set_vendor(c->w, as_hex ? hex : decimal);
	*at = i;
	return true;
}

static void set_status(struct dump_words *w, uint64_t v)
{
	if (v <= 23 && fresh(w, CQESIM_FACT_STATUS)) {
		w->facts.status = (uint8_t)v;
		w->numbered_status = true;
		w->keyed_status = true;
	}
}

static void set_hw(struct dump_words *w, uint64_t v)
{
	if (v <= 0xff && fresh(w, CQESIM_FACT_HW))
		w->facts.hw_err_synd = (uint8_t)v;
}

/* "0/147": type and code, UCX and NVSHMEM. */
static void set_hw_pair(struct scan *c, size_t *at, uint64_t type)
{
	uint64_t code;
	size_t i = *at;

	if (i >= c->n || c->s[i] != '/')
		return set_hw(c->w, type);
	i++;
	if (!number(c, &i, 10, &code) || code > 0xff || type > 0xff)
		return;
	if (fresh(c->w, CQESIM_FACT_HW)) {
		c->w->facts.hw_err_synd = (uint8_t)code;
		c->w->facts.hw_synd_type = (uint8_t)type & 0xf;
	}
	*at = i;
}

static void set_queue(struct dump_words *w, uint64_t v, enum cqesim_dump_queue queue)
{
	if (v > 0xffffff || !fresh(w, CQESIM_FACT_QPN))
		return;
	w->facts.qpn = (uint32_t)v;
	w->facts.queue = (uint8_t)queue;
}

static void set_u32(struct dump_words *w, uint64_t v, uint32_t fact, uint32_t *field)
{
	if (v <= UINT32_MAX && fresh(w, fact))
		*field = (uint32_t)v;
}

/*
 * "QP 137 error: local protection error (0x41 0x0 0x0)": vendor syndrome, type and
 * code from the QP's context (mlx5_ib, mlx5_ib_qp_err_syndrome).  The words before
 * them look a CQE's syndrome up in the list of verbs status, so they mislead
 * above 6; they are not taken.
 */
static void qp_error(struct scan *c, size_t i)
{
	uint64_t v[3];

	if (c->n - i < 8 || strncmp(c->s + i, " error: ", 8))
		return;
	const char *bracket = memchr(c->s + i, '(', c->n - i < 100 ? c->n - i : 100);
	if (!bracket)
		return;
	size_t at = (size_t)(bracket - c->s) + 1;
	for (unsigned k = 0; k < 3; k++) {
		if (!number(c, &at, 16, &v[k]) || v[k] > 0xff)
			return;
		at += at < c->n && c->s[at] == ' ';
	}
	if (at >= c->n || c->s[at] != ')')
		return;
	c->w->marks |= UINT64_C(1) << MARK_QP_ERROR;
	set_vendor(c->w, v[0]);
	set_hw(c->w, v[2]);
	c->w->facts.hw_synd_type = (uint8_t)v[1] & 0xf;
	c->w->end = c->i = at + 1;
}

static void take_number(struct scan *c, const struct dump_word *word, uint64_t v, size_t *at)
{
	struct dump_words *w = c->w;
	struct cqesim_dump_facts *f = &w->facts;

	switch ((enum dump_number)word->argument) {
	case NUMBER_SYNDROME:
		w->keyed_syndrome = true;
		set_syndrome(w, v, c->s[*at - 1] == ')' || (*at < c->n && c->s[*at] == ')'));
		break;
	case NUMBER_SYNDROM:
		w->marks |= UINT64_C(1) << MARK_PERFTEST;
		w->has_syndrome = true;
		set_vendor(w, v);
		break;
	case NUMBER_CQE_ERR:
		w->marks |= UINT64_C(1) << MARK_CQE_ERR;
		w->keyed_syndrome = true;
		set_syndrome(w, v, false);
		break;
	case NUMBER_VENDOR:
		set_vendor(w, v);
		break;
	case NUMBER_HW_PAIR:
		set_hw_pair(c, at, v);
		break;
	case NUMBER_HW:
		set_hw(w, v);
		break;
	case NUMBER_HW_TYPE:
		f->hw_synd_type = (uint8_t)(v > 0xf ? v >> 4 : v) & 0xf;
		break;
	case NUMBER_FAILED_STATUS:
	case NUMBER_WC_ERROR:
		w->marks |= UINT64_C(1)
			    << (word->argument == NUMBER_WC_ERROR ? MARK_WC_ERROR : MARK_FAILED);
		w->marks |= UINT64_C(1) << MARK_COMPLETION;
		set_status(w, v);
		break;
	case NUMBER_STATUS:
	case NUMBER_ERROR:
		set_status(w, v);
		break;
	case NUMBER_QPN:
		set_queue(w, v, CQESIM_DUMP_QP);
		qp_error(c, *at);
		break;
	case NUMBER_OPCODE_QPN:
		set_queue(w, v & 0xffffff, CQESIM_DUMP_QP);
		if (fresh(w, CQESIM_FACT_SEND_OPCODE))
			f->send_opcode = (uint8_t)(v >> 24);
		break;
	case NUMBER_SQN:
		set_queue(w, v, CQESIM_DUMP_SQ);
		break;
	case NUMBER_RQN:
		set_queue(w, v, CQESIM_DUMP_RQ);
		break;
	case NUMBER_DCTN:
		set_queue(w, v, CQESIM_DUMP_DCT);
		break;
	case NUMBER_SRQN:
		set_u32(w, v, CQESIM_FACT_SRQN, &f->srqn);
		break;
	case NUMBER_REMOTE_QPN:
		set_u32(w, v, CQESIM_FACT_REMOTE_QPN, &f->remote_qpn);
		break;
	case NUMBER_CQN:
		set_u32(w, v, CQESIM_FACT_CQN, &f->cqn);
		break;
	case NUMBER_WQE:
		set_u32(w, v, CQESIM_FACT_WQE, &f->wqe_index);
		if (word->text[3] == '[')
			w->marks |= UINT64_C(1) << MARK_UCX_QP;
		break;
	case NUMBER_CI:
		set_u32(w, v, CQESIM_FACT_CI, &f->ci);
		break;
	case NUMBER_WQ_CI:
		set_u32(w, v, CQESIM_FACT_WQ_CI, &f->wq_ci);
		break;
	case NUMBER_WQ_SIZE:
		set_u32(w, v, CQESIM_FACT_WQ_SIZE, &f->wq_size);
		break;
	case NUMBER_LKEY:
		set_u32(w, v, CQESIM_FACT_LKEY, &f->lkey);
		break;
	case NUMBER_RKEY:
		set_u32(w, v, CQESIM_FACT_RKEY, &f->rkey);
		break;
	case NUMBER_LENGTH:
		set_u32(w, v, CQESIM_FACT_LENGTH, &f->length);
		break;
	case NUMBER_OPCODE:
		if (!w->has_opcode)
			w->opcode = v;
		w->has_opcode = true;
		break;
	case NUMBER_OP:
		if (!w->has_op)
			w->op = v;
		w->has_op = true;
		break;
	}
}

/* "Tx -> 10.0.0.1@o2ib ... waiting 0: failed 12" (Lustre, kiblnd_tx_complete). */
static void lnet_status(struct scan *c, size_t after)
{
	size_t at = skip_filler(c, after);
	uint64_t v;

	if (number(c, &at, 10, &v)) {
		set_status(c->w, v);
		c->i = at;
	}
}

static void take(struct scan *c, const struct dump_word *word, size_t after)
{
	struct dump_words *w = c->w;
	uint64_t v;

	c->i = after;
	switch ((enum dump_word_kind)word->kind) {
	case WORD_MARK:
		w->marks |= UINT64_C(1) << word->argument;
		/* What has a number behind it is a key as well: "with error 4", "on cqn 0x1". */
		if (word->argument == MARK_ERR_CQE_ON)
			c->i = after - strlen("sq");
		else if (word->argument == MARK_GOT_COMPLETION)
			c->i = after - strlen("with error");
		else if (word->argument == MARK_FAILED && w->marks >> MARK_LNET & 1)
			lnet_status(c, after);
		else if (after > 4 && !strncasecmp(c->s + after - 4, " cqn", 4))
			c->i = after - strlen("cqn");
		break;
	case WORD_NUMBER: {
		/* What mthca and mlx4 print without 0x is hexadecimal. */
		bool old = w->marks >> MARK_OLD_ERR & 1;
		size_t at = skip_filler(c, after);

		if (word->argument == NUMBER_VENDOR && !old && plain_vendor(c, &at, word->base)) {
			c->i = at;
			break;
		}
		if (number(c, &at, old ? 16 : word->base, &v)) {
			c->i = at;
			take_number(c, word, v, &at);
			if (c->i < at)
				c->i = at;
		}
		break;
	}
	case WORD_STATUS:
		w->marks |= UINT64_C(1) << MARK_NAMED_STATUS;
		/* fall through */
	case WORD_WEAK_STATUS:
		if (!fresh(w, CQESIM_FACT_STATUS))
			break;
		w->facts.status = word->argument;
		w->weak_status = word->kind == WORD_WEAK_STATUS;
		break;
	case WORD_SYNDROME:
		w->marks |= UINT64_C(1) << MARK_NAMED_SYNDROME;
		set_syndrome(w, word->argument, false);
		break;
	case WORD_OPCODE:
		if (fresh(w, CQESIM_FACT_OPCODE))
			w->facts.opcode = word->argument;
		break;
	case WORD_SEND:
		if (fresh(w, CQESIM_FACT_SEND_OPCODE))
			w->facts.send_opcode = word->argument;
		break;
	}
	w->end = c->i;
}

/* ---- finding ---- */

static unsigned first_with(int letter)
{
	unsigned low = 0, high = dump_lexicon_count;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (tolower((unsigned char)dump_lexicon[middle].text[0]) < letter)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Length of the word if it stands at c->i, else 0. */
static size_t matches(const struct scan *c, const struct dump_word *word)
{
	size_t n = 0, left = c->n - c->i;
	const char *s = c->s + c->i;

	for (; word->text[n]; n++) {
		if (n == left)
			return 0;
		char here = word->exact ? s[n] : (char)tolower((unsigned char)s[n]);
		if (here != word->text[n])
			return 0;
	}
	if (!word->part && n < left && word_char(s[n]) && word_char(s[n - 1]))
		return 0;
	return n;
}

static const struct dump_word *longest(const struct scan *c, bool inside, size_t *length)
{
	int letter = tolower((unsigned char)c->s[c->i]);
	const struct dump_word *best = NULL;

	*length = 0;
	for (unsigned k = first_with(letter); k < dump_lexicon_count; k++) {
		const struct dump_word *word = &dump_lexicon[k];
		size_t n;

		if (tolower((unsigned char)word->text[0]) != letter)
			break;
		if (c->i + 1 < c->n && word->text[1] &&
		    tolower((unsigned char)word->text[1]) != tolower((unsigned char)c->s[c->i + 1]))
			continue;
		/* "0x2vendor_err": a space that UCX forgot. */
		if (inside && !word->part && strncmp(word->text, "vendor", 6))
			continue;
		n = matches(c, word);
		if (n > *length) {
			*length = n;
			best = word;
		}
	}
	return best;
}

/* "(10/0x88)" behind a status in words: status and vendor syndrome (rpcrdma). */
static void status_pair(struct scan *c)
{
	struct dump_words *w = c->w;
	uint64_t status, vendor;

	if (!(w->marks >> MARK_NAMED_STATUS & 1) && !(w->facts.known & CQESIM_FACT_STATUS))
		return;
	size_t at = c->i + 1;
	if (!number(c, &at, 10, &status) || at >= c->n || c->s[at] != '/')
		return;
	at++;
	if (!number(c, &at, 10, &vendor) || at >= c->n || c->s[at] != ')')
		return;
	set_vendor(w, vendor);
	w->end = at + 1;
}

/* "(12): transport retry counter exceeded", "remote access error (10)". */
static void bracketed_status(struct scan *c)
{
	uint64_t v;
	size_t at = c->i + 1;

	if (c->w->facts.known & CQESIM_FACT_STATUS && number(c, &at, 10, &v) && at < c->n &&
	    c->s[at] == ')' && v == c->w->facts.status)
		c->w->numbered_status = true;
}

void dump_words(const char *text, size_t length, struct dump_words *words)
{
	struct scan c = {.s = text, .n = length, .w = words};

	memset(words, 0, sizeof(*words));
	while (c.i < length) {
		char here = text[c.i], before = c.i ? text[c.i - 1] : ' ';
		size_t n;

		if (here == '(') {
			status_pair(&c);
			bracketed_status(&c);
		}
		/* Starts of words; behind "_" and digits only parts of words. */
		bool inside = before == '_' || isdigit((unsigned char)before);
		if (!isalpha((unsigned char)here) || (!inside && isalpha((unsigned char)before))) {
			c.i++;
			continue;
		}
		const struct dump_word *word = longest(&c, inside, &n);
		if (word)
			take(&c, word, c.i + n);
		else
			c.i++;
	}
}

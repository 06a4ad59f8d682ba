/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * params.c - the tables of parameters, made from the lists in
 * cqesim/profile.h, and the check of a single value.
 */
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/internal.h"

#define TYPE_U 'U'
#define TYPE_D 'D'
#define TYPE_S 'S'
#define DEF(id, name, t, u, lo, hi, text)                                                          \
	{.key = #name, .unit = u, .meaning = text, .low = lo, .high = hi, .type = TYPE_##t},

static const struct param_def device_params[] = {CQESIM_DEVICE_PARAMS(DEF)};
static const struct param_def link_params[] = {CQESIM_LINK_PARAMS(DEF)};
static const struct param_def driver_params[] = {CQESIM_DRIVER_PARAMS(DEF)};
static const struct param_def host_params[] = {CQESIM_HOST_PARAMS(DEF)};
static const struct param_def application_params[] = {CQESIM_APPLICATION_PARAMS(DEF)};

_Static_assert(CQESIM_DEVICE_PARAM_COUNT <= CQESIM_PARAM_MAX, "device parameters");
_Static_assert(CQESIM_LINK_PARAM_COUNT <= CQESIM_PARAM_MAX, "link parameters");
_Static_assert(CQESIM_DRIVER_PARAM_COUNT <= CQESIM_PARAM_MAX, "driver parameters");
_Static_assert(CQESIM_HOST_PARAM_COUNT <= CQESIM_PARAM_MAX, "host parameters");
_Static_assert(CQESIM_APPLICATION_PARAM_COUNT <= CQESIM_PARAM_MAX, "application parameters");

const struct kind_def cqesim_kinds[CQESIM_PROFILE_KINDS] = {
	[CQESIM_PROFILE_DEVICE] = {"device", "devices", device_params, CQESIM_DEVICE_PARAM_COUNT},
	[CQESIM_PROFILE_LINK] = {"link", "links", link_params, CQESIM_LINK_PARAM_COUNT},
	[CQESIM_PROFILE_DRIVER] = {"driver", "drivers", driver_params, CQESIM_DRIVER_PARAM_COUNT},
	[CQESIM_PROFILE_HOST] = {"host", "hosts", host_params, CQESIM_HOST_PARAM_COUNT},
	[CQESIM_PROFILE_APPLICATION] = {"application", "applications", application_params,
					CQESIM_APPLICATION_PARAM_COUNT},
};

/* Values that hardware or a header field holds as a logarithm, or has two of. */
static const struct {
	enum cqesim_profile_kind kind;
	unsigned id;
} powers_of_two[] = {
	{CQESIM_PROFILE_DEVICE, CQESIM_DEV_WQE_FETCH},
	{CQESIM_PROFILE_LINK, CQESIM_LINK_MPS},
	{CQESIM_PROFILE_LINK, CQESIM_LINK_MRRS},
	{CQESIM_PROFILE_LINK, CQESIM_LINK_RCB},       /* 64 or 128 */
	{CQESIM_PROFILE_LINK, CQESIM_LINK_ADDR_BITS}, /* 32 or 64 */
	{CQESIM_PROFILE_DRIVER, CQESIM_DRV_RING},     /* log_wq_sz, log_cq_size */
	{CQESIM_PROFILE_DRIVER, CQESIM_DRV_CQ_FACTOR},
};

/* Words of session_compare: fields of a receive CQE, by the names of Linux device.h and cqe.h. */
static const char *const cqe_fields =
	"pkt_info|wqe_id|rx_hash_res|rx_hash_type|csum|hds_ip_ext|l4_l3_hdr_type|vlan_info|"
	"lro_num_seg|user_index|flow_table_metadata|byte_cnt|flow_tag|opcode";
static const char *const rss_fields = "ipv4|ipv6|tcp|udp";

const unsigned cqesim_link_lanes[7] = {1, 2, 4, 8, 12, 16, 32};

static const char *const grade_names[CQESIM_GRADES] = {
	"documented", "driver", "measured", "fitted", "assumed", "user",
};

const char *cqesim_grade_name(enum cqesim_grade grade)
{
	return (unsigned)grade < CQESIM_GRADES ? grade_names[grade] : "unknown";
}

const char *cqesim_profile_kind_name(enum cqesim_profile_kind kind)
{
	return (unsigned)kind < CQESIM_PROFILE_KINDS ? cqesim_kinds[kind].name : "unknown";
}

int cqesim_param_find(enum cqesim_profile_kind kind, const char *key)
{
	for (unsigned i = 0; i < cqesim_kinds[kind].count; i++)
		if (!strcmp(cqesim_kinds[kind].params[i].key, key))
			return (int)i;
	return -1;
}

static bool must_be_power_of_two(enum cqesim_profile_kind kind, unsigned id)
{
	for (size_t i = 0; i < sizeof(powers_of_two) / sizeof(powers_of_two[0]); i++)
		if (powers_of_two[i].kind == kind && powers_of_two[i].id == id)
			return true;
	return false;
}

/* Decimal notation only: strtod alone would also take hexadecimal, "inf" and "nan". */
static bool is_decimal(const char *s)
{
	s += *s == '-';
	size_t whole = strspn(s, "0123456789"), part = 0;
	s += whole;
	if (*s == '.') {
		part = strspn(++s, "0123456789");
		s += part;
	}
	if (!whole && !part)
		return false;
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '-' || *s == '+';
		if (!isdigit((unsigned char)*s))
			return false;
		s += strspn(s, "0123456789");
	}
	return !*s;
}

/* As strtod, but with a point whatever the program's locale says.  False: no usable number. */
static bool to_number(const char *text, double *number)
{
	if (!is_decimal(text))
		return false;
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c)
		return false;
	errno = 0;
	*number = strtod_l(text, NULL, c);
	freelocale(c);
	return errno != ERANGE && isfinite(*number);
}

static int parse_number(enum cqesim_profile_kind kind, unsigned id, const char *text,
			double *number, char why[WHY_SIZE])
{
	const struct param_def *def = &cqesim_kinds[kind].params[id];
	bool power = must_be_power_of_two(kind, id);
	double v;
	bool ok = to_number(text, &v) && v >= def->low && v <= def->high;
	if (ok && def->type == TYPE_U)
		ok = v == floor(v);
	if (ok && power)
		ok = v >= 1 && !((uint64_t)v & ((uint64_t)v - 1));
	if (!ok) {
		bool plain = !strcmp(def->unit, "1");
		snprintf(why, WHY_SIZE, "must be a %s from %.10g to %.10g%s%s, not '%.40s'",
			 power                 ? "power of two"
			 : def->type == TYPE_U ? "whole number"
					       : "number",
			 def->low, def->high, plain ? "" : " ", plain ? "" : def->unit, text);
		return -EINVAL;
	}
	*number = v;
	return 0;
}

/* Is the word of the given length one of "a|b|c"? */
static bool is_one_of(const char *word, size_t len, const char *choices)
{
	for (const char *c = choices; *c;) {
		size_t n = strcspn(c, "|");
		if (n == len && !memcmp(c, word, n))
			return true;
		c += n + (c[n] == '|');
	}
	return false;
}

/* "a, b or c", from "a|b|c". */
static void list_choices(const char *choices, char *out, size_t size)
{
	size_t used = 0;
	out[0] = '\0';
	for (const char *c = choices; *c && used < size;) {
		size_t n = strcspn(c, "|");
		const char *next = c[n] ? c + n + 1 : c + n;
		bool last = *next && !strchr(next, '|');
		used += (size_t)snprintf(out + used, size - used, "%.*s%s", (int)n, c,
					 !*next ? ""
					 : last ? " or "
						: ", ");
		c = next;
	}
}

/* A list of words: each known, none twice, kept with single spaces.  "none" is the empty list. */
static int parse_words(const char *text, const char *choices, char *out, char why[WHY_SIZE])
{
	static const char separators[] = " \t\r\n,";
	char *end = out;
	const char *w = text + strspn(text, separators);
	for (size_t n; (n = strcspn(w, separators)); w += n, w += strspn(w, separators)) {
		if (!is_one_of(w, n, choices)) {
			if (end == out && n == 4 && !memcmp(w, "none", 4) &&
			    !w[n + strspn(w + n, separators)]) {
				strcpy(out, "none");
				return 0;
			}
			char all[200];
			list_choices(choices, all, sizeof(all));
			snprintf(why, WHY_SIZE, "unknown word '%.*s': must be of %s",
				 n > 30 ? 30 : (int)n, w, all);
			return -EINVAL;
		}
		for (const char *o = out; o < end; o += strcspn(o, " ") + 1)
			if (strcspn(o, " ") == n && !memcmp(o, w, n)) {
				snprintf(why, WHY_SIZE, "'%.*s' is there twice", (int)n, w);
				return -EINVAL;
			}
		if (end != out)
			*end++ = ' ';
		memcpy(end, w, n);
		end += n;
		*end = '\0';
	}
	if (end == out) {
		snprintf(why, WHY_SIZE, "must not be empty (the empty list is written 'none')");
		return -EINVAL;
	}
	return 0;
}

/* A plain text; two of them have a form of their own. */
static int check_text(enum cqesim_profile_kind kind, unsigned id, const char *text,
		      char why[WHY_SIZE])
{
	if (!*text) {
		snprintf(why, WHY_SIZE, "must not be empty");
		return -EINVAL;
	}
	if (kind == CQESIM_PROFILE_DEVICE && id == CQESIM_DEV_LINK) {
		unsigned generation, lanes;
		const char *rest;
		if (cqesim_link_name_parse(text, &generation, &lanes, &rest)) {
			snprintf(why, WHY_SIZE, "no PCIe link '%.40s': " LINK_EXPECTED, text);
			return -EINVAL;
		}
	}
	if (kind == CQESIM_PROFILE_DRIVER && id == CQESIM_DRV_RSS_KEY && strcmp(text, "mlx5") &&
	    strcmp(text, "microsoft") &&
	    (strlen(text) != 80 || strspn(text, "0123456789abcdefABCDEF") != 80)) {
		snprintf(why, WHY_SIZE, "must be mlx5, microsoft or 80 hex digits, not '%.40s'",
			 text);
		return -EINVAL;
	}
	return 0;
}

static int parse_text(enum cqesim_profile_kind kind, unsigned id, const char *text, char *out,
		      char why[WHY_SIZE])
{
	const char *unit = cqesim_kinds[kind].params[id].unit;
	if (!strcmp(unit, "words"))
		return parse_words(text, kind == CQESIM_PROFILE_DEVICE ? cqe_fields : rss_fields,
				   out, why);
	if (!strcmp(unit, "text")) {
		strcpy(out, text);
		return check_text(kind, id, text, why);
	}
	strcpy(out, text);
	if (is_one_of(text, strlen(text), unit))
		return 0;
	char all[160];
	list_choices(unit, all, sizeof(all));
	snprintf(why, WHY_SIZE, "must be %s, not '%.40s'", all, text);
	return -EINVAL;
}

int cqesim_param_parse(enum cqesim_profile_kind kind, unsigned id, const char *text,
		       char **canonical, double *number, char why[WHY_SIZE])
{
	char *out = malloc(strlen(text) + 1);
	if (!out) {
		snprintf(why, WHY_SIZE, "out of memory");
		return -ENOMEM;
	}
	int ret;
	*number = 0;
	if (cqesim_kinds[kind].params[id].type == TYPE_S) {
		ret = parse_text(kind, id, text, out, why);
	} else {
		strcpy(out, text);
		ret = parse_number(kind, id, text, number, why);
	}
	if (ret) {
		free(out);
		return ret;
	}
	*canonical = out;
	return 0;
}

int cqesim_param_cross_check(const struct cqesim_profile *p, unsigned *id, char why[WHY_SIZE])
{
	if (p->kind != CQESIM_PROFILE_DEVICE)
		return 0;
	const struct cqesim_param *on = &p->param[CQESIM_DEV_BP_ON];
	const struct cqesim_param *off = &p->param[CQESIM_DEV_BP_OFF];
	if (off->number <= on->number)
		return 0;
	*id = CQESIM_DEV_BP_OFF;
	snprintf(why, WHY_SIZE, "%s bytes are above %s, which is %s bytes", off->text, on->key,
		 on->text);
	return -EINVAL;
}

int cqesim_link_name_parse(const char *name, unsigned *generation, unsigned *lanes,
			   const char **rest)
{
	if (strncmp(name, "gen", 3) || name[3] < '1' || name[3] > '0' + (char)LINK_GENERATIONS ||
	    name[4] != 'x')
		return -EINVAL;
	size_t digits = strcspn(name + 5, ",");
	for (size_t i = 0; i < sizeof(cqesim_link_lanes) / sizeof(cqesim_link_lanes[0]); i++) {
		char text[12];
		int n = snprintf(text, sizeof(text), "%u", cqesim_link_lanes[i]);
		if ((size_t)n == digits && !memcmp(text, name + 5, digits)) {
			*generation = (unsigned)(name[3] - '0');
			*lanes = cqesim_link_lanes[i];
			*rest = name + 5 + digits;
			return 0;
		}
	}
	return -EINVAL;
}

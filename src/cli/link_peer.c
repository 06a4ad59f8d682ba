/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim link --peer: arguments. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "link_peer.h"
#include "link_peer_run.h"

#define COMMAND   "link"
#define SIZE_MOST (1u << 20)

static const char help_text[] =
	"usage: cqesim link --peer [--op OP | --nic CARD] [OPTION]...\n"
	"\n"
	"The figures of pcie-bench/pcie-model, mistakes included, and what each mistake\n"
	"makes out.  doc/peer.md goes through them line by line.\n"
	"\n"
	"  --op OP            write, read or read+write; otherwise all three\n"
	"  --nic CARD         simple, kernel or dpdk (the latter two an Intel 82599)\n"
	"  --direction DIR    of a card: rx (to the host), tx, bi; default rx\n"
	"  --size SIZES       64; 64,128; 64..1500; 64..1500:4; payload of an operation, frame\n"
	"                     with FCS of a card; default 64; --frame is the same\n"
	"  --bandwidth        a table over sizes\n"
	"  --link LINK        gen3x8,mps=256,mrrs=512,rcb=64,addr=64 (the default); ecrc; chunks\n"
	"                     (completions of RCB bytes).  What only corrections look at:\n"
	"                     ack=1, fc=1 (TLPs per Ack, per UpdateFC), prefixes=0, tags=N,\n"
	"                     rtt=NS, posted-headers=N, posted-data=N, read-headers=N,\n"
	"                     credit-return=NS\n"
	"  --address N        where payload starts (a correction)\n"
	"  --fix NAMES        correct these, or all: share, misprints, descriptor, policy, skp,\n"
	"                     flit, address, completions, prefixes, tags, credits, ethernet,\n"
	"                     column\n"
	"  --compare          the peer's figure, each correction alone, all together\n"
	"  --reproduce TABLE  what the peer's programs write: pcie_bw, nic_bw, links\n"
	"  --json, --csv      machine-readable\n"
	"\n"
	"Exit status: 0 good, 1 output failed, 2 bad usage.\n";

static const struct option long_options[] = {
	{"peer", no_argument, NULL, 'p'},
	{"op", required_argument, NULL, 'o'},
	{"nic", required_argument, NULL, 'n'},
	{"direction", required_argument, NULL, 'd'},
	{"size", required_argument, NULL, 's'},
	{"frame", required_argument, NULL, 's'}, /* as "cqesim link" calls it */
	{"bandwidth", no_argument, NULL, 'b'},
	{"link", required_argument, NULL, 'l'},
	{"address", required_argument, NULL, 'a'},
	{"fix", required_argument, NULL, 'f'},
	{"compare", no_argument, NULL, 'c'},
	{"reproduce", required_argument, NULL, 'r'},
	{"json", no_argument, NULL, 'j'},
	{"csv", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

struct arguments {
	struct peer_question q;
	const char *op, *nic, *direction, *sizes, *table;
	bool bandwidth;
};

/* ---- --link ---- */

static int link_error(const char *word)
{
	return usage_error(
		COMMAND,
		"--link %s: expected gen1x1 to gen7x32, ecrc, chunks, or mps, mrrs, rcb, "
		"addr, ack, fc, prefixes, tags, rtt, posted-headers, posted-data, "
		"read-headers or credit-return with = and a number",
		word);
}

/* "gen3x8" */
static bool parse_width(const char *word, struct cqesim_peer_config *c)
{
	char *end;

	if (strncmp(word, "gen", 3) || word[3] < '1' || word[3] > '9')
		return false;
	unsigned long generation = strtoul(word + 3, &end, 10);
	if (*end != 'x' || end[1] < '1' || end[1] > '9')
		return false;
	unsigned long lanes = strtoul(end + 1, &end, 10);
	if (*end || generation > 99 || lanes > 99)
		return false;
	c->generation = (unsigned)generation;
	c->lanes = (unsigned)lanes;
	return true;
}

static bool parse_key(char *word, struct cqesim_peer_config *c)
{
	const struct {
		const char *key;
		unsigned *to;
	} numbers[] = {
		{"mps", &c->mps},
		{"mrrs", &c->mrrs},
		{"rcb", &c->rcb},
		{"addr", &c->addr_bits},
		{"prefixes", &c->prefixes},
		{"tags", &c->latency.tags},
		{"posted-headers", &c->latency.posted_headers},
		{"posted-data", &c->latency.posted_data},
		{"read-headers", &c->latency.read_headers},
	};
	char *value = strchr(word, '=');
	uint64_t v;

	if (!value)
		return false;
	*value++ = '\0';
	bool good = parse_count(value, 0, 1u << 30, false, &v);
	for (unsigned i = 0; good && i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(word, numbers[i].key)) {
			*numbers[i].to = (unsigned)v;
			return true;
		}
	if (good && !strcmp(word, "ack"))
		c->ack_every = (double)v;
	else if (good && !strcmp(word, "fc"))
		c->fc_every = (double)v;
	else if (good && !strcmp(word, "rtt"))
		c->latency.rtt_ps = v * 1000;
	else if (good && !strcmp(word, "credit-return"))
		c->latency.credit_return_ps = v * 1000;
	else
		good = false;
	value[-1] = '='; /* for messages */
	return good;
}

static int parse_link(const char *text, struct cqesim_peer_config *c)
{
	char copy[256], *rest = copy, *word;

	if (strlen(text) >= sizeof(copy))
		return link_error(text);
	strcpy(copy, text);
	while ((word = strsep(&rest, ","))) {
		if (!strcmp(word, "ecrc"))
			c->ecrc = true;
		else if (!strcmp(word, "chunks"))
			c->rcb_chunks = true;
		else if (!parse_width(word, c) && !parse_key(word, c))
			return link_error(word);
	}
	return 0;
}

/* ---- --fix, --size ---- */

static int parse_fixes(const char *text, unsigned *fixes)
{
	char copy[256], *rest = copy, *word;

	if (strlen(text) >= sizeof(copy))
		return usage_error(COMMAND, "--fix: too long");
	strcpy(copy, text);
	while ((word = strsep(&rest, ","))) {
		unsigned i = 0;

		if (!strcmp(word, "all")) {
			*fixes = CQESIM_PEER_FIX_ALL;
			continue;
		}
		while (i < CQESIM_PEER_FIXES && strcmp(word, cqesim_peer_fixes[i].name))
			i++;
		if (i == CQESIM_PEER_FIXES)
			return usage_error(COMMAND,
					   "--fix %s: expected all or names of corrections, see "
					   "--help",
					   word);
		*fixes |= cqesim_peer_fixes[i].fix;
	}
	return 0;
}

static bool add_sizes(struct peer_question *q, char *word)
{
	char *range = strstr(word, ".."), *step = strchr(word, ':');
	uint64_t low, high, by = 1;

	if (step)
		*step++ = '\0';
	if (range)
		*range = '\0';
	if ((step && (!range || !parse_count(step, 1, SIZE_MOST, false, &by))) ||
	    !parse_count(word, 1, SIZE_MOST, false, &low))
		return false;
	high = low;
	if (range && !parse_count(range + 2, low, SIZE_MOST, false, &high))
		return false;
	for (uint64_t s = low; s <= high; s += by) {
		if (q->size_count == PEER_SIZES_MAX)
			return false;
		q->sizes[q->size_count++] = (uint32_t)s;
	}
	return true;
}

static int parse_sizes(const char *text, struct peer_question *q)
{
	char copy[1024], *rest = copy, *word;

	if (strlen(text) >= sizeof(copy))
		return usage_error(COMMAND, "--size: too long");
	strcpy(copy, text);
	while ((word = strsep(&rest, ",")))
		if (!add_sizes(q, word))
			return usage_error(
				COMMAND,
				"--size %s: expected up to %u sizes from 1 to %u, as 64,128 "
				"or 64..1500:4",
				text, PEER_SIZES_MAX, SIZE_MOST);
	return 0;
}

/* ---- all of them together ---- */

static int parse_model(const struct arguments *a, struct peer_question *q)
{
	int from = a->nic ? CQESIM_PEER_SIMPLE : CQESIM_PEER_WRITE;
	int to = a->nic ? CQESIM_PEER_DPDK : CQESIM_PEER_READ_WRITE;
	const char *name = a->nic ? a->nic : a->op;

	if (a->nic && a->op)
		return usage_error(COMMAND, "--op and --nic exclude each other");
	for (int m = from; m <= to; m++)
		if (!name || !strcmp(name, cqesim_peer_model_name((enum cqesim_peer_model)m)))
			q->models[q->model_count++] = (enum cqesim_peer_model)m;
	if (q->model_count)
		return 0;
	if (a->nic)
		return usage_error(COMMAND, "--nic %s: expected simple, kernel or dpdk", name);
	return usage_error(COMMAND, "--op %s: expected write, read or read+write", name);
}

static int parse_direction(const struct arguments *a, struct peer_question *q)
{
	if (!a->direction)
		return 0;
	if (!a->nic)
		return usage_error(COMMAND, "--direction: without --nic");
	for (int d = 0; d < CQESIM_PEER_DIRECTIONS; d++)
		if (!strcmp(a->direction,
			    cqesim_peer_direction_name((enum cqesim_peer_direction)d))) {
			q->direction = (enum cqesim_peer_direction)d;
			return 0;
		}
	return usage_error(COMMAND, "--direction %s: expected rx, tx or bi", a->direction);
}

static int choose_sizes(const struct arguments *a, struct peer_question *q)
{
	static const uint32_t table[] = {64, 128, 256, 512, 1024, 1500};

	if (a->sizes) {
		if (parse_sizes(a->sizes, q))
			return EXIT_USAGE;
	} else if (a->bandwidth) {
		memcpy(q->sizes, table, sizeof(table));
		q->size_count = sizeof(table) / sizeof(table[0]);
	} else if (!a->table) {
		q->sizes[q->size_count++] = 64;
	}
	for (unsigned i = 0; a->nic && i < q->size_count; i++)
		if (q->sizes[i] < 64)
			return usage_error(COMMAND, "--size %u: a frame has at least 64 bytes",
					   q->sizes[i]);
	return 0;
}

/* Values that the peer knows nothing of need the correction that looks at them. */
static int check_used(const struct peer_question *q)
{
	const struct cqesim_peer_config *c = &q->config;
	const struct cqesim_link_latency *l = &c->latency;
	const struct {
		bool given;
		unsigned fixes;
		const char *what, *names;
	} uses[] = {
		{c->address, CQESIM_PEER_FIX_ADDRESS | CQESIM_PEER_FIX_COMPLETIONS, "--address",
		 "address or completions"},
		{c->prefixes, CQESIM_PEER_FIX_PREFIXES, "prefixes=", "prefixes"},
		{c->ack_every != 1 || c->fc_every != 1, CQESIM_PEER_FIX_POLICY,
		 "ack= and fc=", "policy"},
		{l->tags, CQESIM_PEER_FIX_TAGS, "tags=", "tags"},
		{l->posted_headers || l->posted_data || l->read_headers, CQESIM_PEER_FIX_CREDITS,
		 "credits", "credits"},
	};

	for (unsigned i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
		if (uses[i].given && !(c->fixes & uses[i].fixes))
			return usage_error(COMMAND,
					   "%s: the peer knows no such thing; --fix %s or "
					   "--compare",
					   uses[i].what, uses[i].names);
	if (l->tags && !l->rtt_ps)
		return usage_error(COMMAND, "--link tags=: needs rtt= in ns");
	if ((l->posted_headers || l->posted_data || l->read_headers) && !l->credit_return_ps)
		return usage_error(COMMAND, "--link: credits need credit-return= in ns");
	return 0;
}

static int set(struct arguments *a, int option)
{
	uint64_t v;

	switch (option) {
	case 'o':
		a->op = optarg;
		break;
	case 'n':
		a->nic = optarg;
		break;
	case 'd':
		a->direction = optarg;
		break;
	case 's':
		a->sizes = optarg;
		break;
	case 'b':
		a->bandwidth = true;
		break;
	case 'l':
		return parse_link(optarg, &a->q.config);
	case 'a':
		if (!parse_count(optarg, 0, INT64_MAX, false, &v))
			return usage_error(COMMAND, "--address %s: expected a number", optarg);
		a->q.config.address = v;
		break;
	case 'f':
		return parse_fixes(optarg, &a->q.config.fixes);
	case 'c':
		a->q.compare = true;
		break;
	case 'r':
		if (!peer_table_known(optarg))
			return usage_error(COMMAND,
					   "--reproduce %s: expected pcie_bw, nic_bw or links",
					   optarg);
		a->table = optarg;
		break;
	case 'j':
		a->q.json = true;
		break;
	case 'v':
		a->q.csv = true;
		break;
	}
	return 0;
}

static int complete(struct arguments *a)
{
	struct peer_question *q = &a->q;
	struct cqesim_error err;

	if (q->json && q->csv)
		return usage_error(COMMAND, "--json and --csv exclude each other");
	if (a->table && (a->op || a->nic || a->bandwidth || q->compare || q->json || q->csv))
		return usage_error(COMMAND, "--reproduce goes with --link, --fix and --size only");
	if (q->compare && !q->config.fixes)
		q->config.fixes = CQESIM_PEER_FIX_ALL;
	if (parse_model(a, q) || parse_direction(a, q) || choose_sizes(a, q) || check_used(q))
		return EXIT_USAGE;
	if (cqesim_peer_check(&q->config, &err))
		return usage_error(COMMAND, "--link: %s", err.text);
	return 0;
}

int link_peer_main(int argc, char **argv)
{
	static struct arguments a;
	int c;

	a = (struct arguments){0};
	cqesim_peer_defaults(&a.q.config);
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(help_text, stdout);
			return close_stdout();
		}
		if (c == '?' || c == ':')
			return bad_option(COMMAND, argv, c);
		if (set(&a, c))
			return EXIT_USAGE;
	}
	if (optind < argc)
		return usage_error(COMMAND, "unexpected argument %s", argv[optind]);
	if (complete(&a))
		return EXIT_USAGE;
	if (a.table)
		peer_table(a.table, &a.q);
	else if (a.q.compare)
		peer_compare(&a.q);
	else
		peer_print(&a.q);
	return close_stdout();
}

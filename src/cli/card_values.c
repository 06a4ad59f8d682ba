/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of the options of cqesim card. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "card.h"
#include "cli.h"

int card_copy_text(const char *option, const char *text, char *to, size_t size)
{
	if (strlen(text) >= size)
		return usage_error(CARD_COMMAND, "--%s: longer than %zu characters", option,
				   size - 1);
	strcpy(to, text);
	return 0;
}

/* The program may run in another folder than we. */
int card_copy_path(const char *option, const char *text, char *to, size_t size)
{
	char *folder = *text == '/' ? NULL : realpath(".", NULL);
	int n = snprintf(to, size, "%s%s%s", folder ? folder : "", folder ? "/" : "", text);

	free(folder);
	if (n < 0 || (size_t)n >= size)
		return usage_error(CARD_COMMAND, "--%s %s: too long", option, text);
	return 0;
}

int card_parse_count(const char *option, const char *text, uint64_t *value)
{
	if (parse_count(text, 1, UINT64_MAX / 2, true, value))
		return 0;
	return usage_error(CARD_COMMAND,
			   "--%s %s: expected a whole number from 1, with k, M or G if you like",
			   option, text);
}

int card_parse_positive(const char *option, const char *text, double most, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && !*end && *value > 0 && *value <= most)
		return 0;
	return usage_error(CARD_COMMAND, "--%s %s: expected a number above 0, up to %g", option,
			   text, most);
}

int card_parse_policy(const char *text, struct emu_settings *s)
{
	static const char *const words[] = {
		[CQESIM_COMP_OFF] = "off",
		[CQESIM_COMP_BALANCED] = "balanced",
		[CQESIM_COMP_AGGRESSIVE] = "aggressive",
	};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i])) {
			s->policy_given = true;
			s->policy = (enum cqesim_compression)i;
			return 0;
		}
	return usage_error(CARD_COMMAND, "--cqe-comp %s: expected one of off, balanced, aggressive",
			   text);
}

/* KIND or KIND@PACKETS. */
int card_parse_fault(const char *text, struct emu_settings *s)
{
	const char *at = strchrnul(text, '@');

	s->fault_at = 1000;
	for (unsigned i = 1; i < CQESIM_FAULTS; i++) {
		const char *name = cqesim_fault_name((enum cqesim_fault)i);

		if (strlen(name) == (size_t)(at - text) && !strncmp(name, text, strlen(name)))
			s->fault = (enum cqesim_fault)i;
	}
	if (s->fault && (!*at || parse_count(at + 1, 0, UINT64_MAX / 2, true, &s->fault_at)))
		return 0;
	return usage_error(CARD_COMMAND,
			   "--fault %s: expected owner, mini_format, stale_array, lost_completion "
			   "or early_title, and @PACKETS if you like",
			   text);
}

int card_parse_source(const char *text, struct emu_settings *s)
{
	static const char synthetic[] = "synthetic:", numbered[] = "numbered:";

	if (!strcmp(text, "none")) {
		s->source = EMU_SOURCE_NONE;
		return 0;
	}
	if (!strncmp(text, synthetic, sizeof(synthetic) - 1)) {
		s->source = EMU_SOURCE_SYNTHETIC;
		return card_copy_text("source", text + sizeof(synthetic) - 1, s->source_text,
				      sizeof(s->source_text));
	}
	if (!strncmp(text, numbered, sizeof(numbered) - 1)) {
		s->source = EMU_SOURCE_NUMBERED;
		return card_copy_text("source", text + sizeof(numbered) - 1, s->source_text,
				      sizeof(s->source_text));
	}
	if (!strcmp(text, "-"))
		return usage_error(CARD_COMMAND,
				   "--source -: standard input is the program's; expected a file");
	s->source = EMU_SOURCE_CAPTURE;
	return card_copy_path("source", text, s->source_text, sizeof(s->source_text));
}

int card_parse_sink(const char *text, struct emu_settings *s)
{
	if (!strcmp(text, "drop"))
		s->sink = EMU_SINK_DROP;
	else if (!strcmp(text, "loop"))
		s->sink = EMU_SINK_LOOP;
	else if (!*text || !strcmp(text, "-"))
		return usage_error(CARD_COMMAND, "--sink %s: expected drop, loop or a file", text);
	else {
		s->sink = EMU_SINK_FILE;
		return card_copy_path("sink", text, s->sink_file, sizeof(s->sink_file));
	}
	return 0;
}

int card_parse_mac(const char *text, uint8_t mac[6])
{
	unsigned byte[6];
	int end = 0;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &byte[0], &byte[1], &byte[2], &byte[3],
		   &byte[4], &byte[5], &end) == 6 &&
	    !text[end] && !(byte[0] & 1) &&
	    strspn(text, "0123456789abcdefABCDEF:") == strlen(text)) {
		for (unsigned i = 0; i < 6; i++)
			mac[i] = (uint8_t)byte[i];
		return 0;
	}
	return usage_error(CARD_COMMAND,
			   "--mac %s: expected an address of one port, as 02:c0:e5:1a:00:01", text);
}

/* "rq=N", "sq=N" or nothing. */
static bool parse_queue(const char *text, struct emu_inject *e)
{
	uint64_t n = 0;

	if (!*text)
		return true;
	e->send = !strncmp(text, ",sq=", 4);
	if ((!e->send && strncmp(text, ",rq=", 4)) || !parse_count(text + 4, 0, 255, false, &n))
		return false;
	e->queue = (uint32_t)n;
	return true;
}

int card_parse_inject(const char *text, struct emu_settings *s)
{
	struct emu_inject e = {0};
	char packet[32] = "";
	char *at;
	unsigned long syndrome = strtoul(text, &at, 0);
	size_t n = *at == '@' ? strcspn(at + 1, ",") : 0;

	if (n && n < sizeof(packet))
		memcpy(packet, at + 1, n);
	if (at == text || *text == '-' || !syndrome || syndrome > 255 || !*packet ||
	    !parse_count(packet, 1, UINT64_MAX / 2, true, &e.packet) ||
	    !parse_queue(at + 1 + n, &e))
		return usage_error(
			CARD_COMMAND,
			"--inject %s: expected SYNDROME@PACKET, with ,rq=N or ,sq=N if you "
			"like: a syndrome from 1 to 255, a packet from 1",
			text);
	if (s->injects == EMU_INJECTS_MAX)
		return usage_error(CARD_COMMAND, "--inject: no more than %u", EMU_INJECTS_MAX);
	e.syndrome = (uint8_t)syndrome;
	s->inject[s->injects++] = e;
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Words, numbers, addresses and speeds in a line of text. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Exactly `digits` hexadecimal digits. */
static bool hex(const char **text, unsigned digits, uint32_t *value)
{
	const char *p = *text;

	*value = 0;
	for (unsigned i = 0; i < digits; i++, p++) {
		if (!isxdigit((unsigned char)*p))
			return false;
		unsigned char c = (unsigned char)tolower((unsigned char)*p);
		*value = *value << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	*text = p;
	return true;
}

/* "dddd:" or, on machines with many domains, up to eight digits. */
static bool domain(const char **text, uint32_t *value)
{
	for (unsigned digits = 4; digits <= 8; digits++) {
		const char *p = *text;

		if (hex(&p, digits, value) && *p == ':') {
			*text = p + 1;
			return true;
		}
	}
	return false;
}

bool sysinfo_address(const char **text, struct sysinfo_address *a)
{
	const char *p = *text;
	uint32_t bus, device;

	*a = (struct sysinfo_address){0};
	if (!domain(&p, &a->domain))
		a->domain = 0;
	if (!hex(&p, 2, &bus) || *p++ != ':' || !hex(&p, 2, &device) || device > 31 ||
	    *p++ != '.' || *p < '0' || *p > '7' || isalnum((unsigned char)p[1]))
		return false;
	a->bus = (uint8_t)bus;
	a->device = (uint8_t)device;
	a->function = (uint8_t)(*p - '0');
	*text = p + 1;
	return true;
}

void sysinfo_address_print(const struct sysinfo_address *a, char out[CQESIM_SYSINFO_ADDRESS])
{
	snprintf(out, CQESIM_SYSINFO_ADDRESS, "%04x:%02x:%02x.%u", a->domain, a->bus,
		 a->device & 31u, a->function & 7u);
}

unsigned sysinfo_speed(const char **text)
{
	static const double speeds[] = {2.5, 5, 8, 16, 32, 64};
	char *end;

	if (!isdigit((unsigned char)**text))
		return 0;
	double v = strtod(*text, &end);
	while (*end == ' ')
		end++;
	if (strncmp(end, "GT/s", 4))
		return 0;
	end += 4;
	if (!strncmp(end, " PCIe", 5))
		end += 5;
	*text = end;
	for (unsigned i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (v == speeds[i])
			return i + 1;
	return 0;
}

unsigned sysinfo_lanes(const char **text)
{
	const char *p = *text;
	char *end;

	if (*p != 'x' || !isdigit((unsigned char)p[1]))
		return 0;
	unsigned long v = strtoul(p + 1, &end, 10);
	*text = end;
	return v == 12 || (v && v <= 32 && !(v & (v - 1))) ? (unsigned)v : 0;
}

/* Behind key, where it is no part of a longer word. */
static const char *behind(const char *text, const char *key)
{
	for (const char *p = text; (p = strstr(p, key)); p++)
		if (p == text || !isalnum((unsigned char)p[-1]))
			return p + strlen(key);
	return NULL;
}

bool sysinfo_number(const char *text, const char *key, uint64_t *value)
{
	const char *p = behind(text, key);
	char *end;

	if (!p)
		return false;
	while (*p == ' ' || *p == ':')
		p++;
	if (!isdigit((unsigned char)*p))
		return false;
	unsigned long long v = strtoull(p, &end, 10);
	*value = v;
	return end > p;
}

unsigned sysinfo_payload(const char *text, const char *key)
{
	uint64_t v;

	if (!sysinfo_number(text, key, &v) || v < 128 || v > 4096 || v & (v - 1))
		return 0;
	return (unsigned)v;
}

enum cqesim_sysinfo_flag sysinfo_flag(const char *text, const char *key)
{
	const char *p = behind(text, key);

	if (!p)
		return CQESIM_SYSINFO_UNKNOWN;
	return *p == '+'   ? CQESIM_SYSINFO_ON
	       : *p == '-' ? CQESIM_SYSINFO_OFF
			   : CQESIM_SYSINFO_UNKNOWN;
}

void sysinfo_copy(char *to, size_t room, const char *from, size_t length)
{
	size_t n = 0;

	while (n + 1 < room && n < length && from[n]) {
		unsigned char c = (unsigned char)from[n];

		to[n++] = c < 0x20 || c >= 0x7f ? '?' : (char)c;
	}
	while (n && to[n - 1] == ' ')
		n--;
	to[n] = '\0';
}

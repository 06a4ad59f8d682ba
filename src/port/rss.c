/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rss.c - the Toeplitz hash of Microsoft's RSS specification, its keys, and
 * the indirection table.
 *
 * The hash is linear over XOR, so a table per input byte gives the whole byte's
 * share at once.
 */
#include <ctype.h>
#include <errno.h>

#include "internal.h"

/* The default of DPDK's mlx5 driver: rss_hash_default_key in drivers/net/mlx5/mlx5_rxq.c. */
static const uint8_t key_mlx5[CQESIM_RSS_KEY_BYTES] = {
	0x2c, 0xc6, 0x81, 0xd1, 0x5b, 0xdb, 0xf4, 0xf7, 0xfc, 0xa2, 0x83, 0x19, 0xdb, 0x1a,
	0x3e, 0x94, 0x6b, 0x9e, 0x38, 0xd9, 0x2c, 0x9c, 0x03, 0xd1, 0xad, 0x99, 0x44, 0xa7,
	0xd9, 0x56, 0x3d, 0x59, 0x06, 0x3c, 0x25, 0xf3, 0xfc, 0x1f, 0xdc, 0x2a,
};

/* The key of Microsoft's "Verifying the RSS Hash Calculation". */
static const uint8_t key_microsoft[CQESIM_RSS_KEY_BYTES] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int cqesim_rss_key_parse(const char *text, uint8_t key[CQESIM_RSS_KEY_BYTES],
			 struct cqesim_error *err)
{
	uint8_t bytes[CQESIM_RSS_KEY_BYTES];

	if (!strcmp(text, "mlx5")) {
		memcpy(key, key_mlx5, sizeof(key_mlx5));
		return 0;
	}
	if (!strcmp(text, "microsoft")) {
		memcpy(key, key_microsoft, sizeof(key_microsoft));
		return 0;
	}
	size_t len = strlen(text);
	size_t digits = 0;

	while (digits < len && hex_digit(text[digits]) >= 0)
		digits++;
	if (digits != len || digits != 2 * sizeof(bytes))
		return cqesim_fail(err, -EINVAL,
				   "RSS key \"%.100s\": expected mlx5, microsoft or %zu hex digits",
				   text, 2 * sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(hex_digit(text[2 * i]) << 4 | hex_digit(text[2 * i + 1]));
	memcpy(key, bytes, sizeof(bytes));
	return 0;
}

static int rss_field(const char *word, size_t len)
{
	static const struct {
		const char *name;
		int bit;
	} fields[] = {
		{"ipv4", CQESIM_RSS_IPV4},
		{"ipv6", CQESIM_RSS_IPV6},
		{"tcp", CQESIM_RSS_TCP},
		{"udp", CQESIM_RSS_UDP},
		{"none", 0},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strlen(fields[i].name) == len && !memcmp(fields[i].name, word, len))
			return fields[i].bit;
	return -EINVAL;
}

int cqesim_rss_fields_parse(const char *text, unsigned *fields, struct cqesim_error *err)
{
	unsigned words = 0, bits = 0;
	bool none = false;

	for (const char *p = text; *p;) {
		size_t len = strcspn(p, ", \t");

		if (len) {
			int bit = rss_field(p, len);

			if (bit < 0)
				return cqesim_fail(err, -EINVAL,
						   "RSS field \"%.*s\": expected ipv4, ipv6, tcp, "
						   "udp or none",
						   (int)(len < 100 ? len : 100), p);
			none |= !bit;
			bits |= (unsigned)bit;
			words++;
		}
		p += len + (p[len] != '\0');
	}
	if (!words || (none && words > 1))
		return cqesim_fail(
			err, -EINVAL,
			"RSS fields \"%.100s\": expected a list of ipv4, ipv6, tcp, udp, "
			"or none alone",
			text);
	*fields = bits;
	return 0;
}

/* Bit i of the input, counted from its first, adds the 32 key bits from bit i on. */
static void toeplitz_tables(struct cqesim_port *port, const uint8_t *key)
{
	for (unsigned pos = 0; pos < 36; pos++) {
		uint64_t bits = 0;

		for (unsigned i = 0; i < 5; i++)
			bits = bits << 8 | key[pos + i];
		for (unsigned value = 0; value < 256; value++) {
			uint32_t hash = 0;

			for (unsigned bit = 0; bit < 8; bit++)
				if (value & (0x80u >> bit))
					hash ^= (uint32_t)(bits >> (8 - bit));
			port->toeplitz[pos][value] = hash;
		}
	}
}

static int reta_init(struct cqesim_port *port, const struct cqesim_port_config *config,
		     struct cqesim_error *err)
{
	unsigned size = config->reta_size;

	if (!size)
		size = config->queues == 1 ? 1 : 512;
	if ((size & (size - 1)) || size > CQESIM_RETA_MAX)
		return cqesim_fail(
			err, -EINVAL,
			"indirection table of %u entries: expected a power of two up to %u", size,
			CQESIM_RETA_MAX);
	for (unsigned i = 0; i < size; i++) {
		unsigned queue = config->reta ? config->reta[i] : i % config->queues;

		if (queue >= config->queues)
			return cqesim_fail(err, -EINVAL,
					   "indirection table entry %u: queue %u, but there are %u",
					   i, queue, config->queues);
		port->reta[i] = (uint16_t)queue;
	}
	port->reta_mask = size - 1;
	return 0;
}

int cqesim_port_init(struct cqesim_port *port, const struct cqesim_port_config *config,
		     struct cqesim_error *err)
{
	const unsigned known = CQESIM_RSS_IPV4 | CQESIM_RSS_IPV6 | CQESIM_RSS_TCP | CQESIM_RSS_UDP;

	if (!config->queues || config->queues > CQESIM_RETA_MAX)
		return cqesim_fail(err, -EINVAL, "%u queues: expected 1 to %u", config->queues,
				   CQESIM_RETA_MAX);
	if (config->rss_fields & ~known)
		return cqesim_fail(err, -EINVAL, "RSS fields 0x%x: expected bits of 0x%x",
				   config->rss_fields, known);
	if (config->reta && !config->reta_size)
		return cqesim_fail(
			err, -EINVAL,
			"indirection table without a size: expected a power of two up to %u",
			CQESIM_RETA_MAX);
	memset(port, 0, sizeof(*port));
	int rc = reta_init(port, config, err);

	if (rc)
		return rc;
	toeplitz_tables(port, config->rss_key);
	port->rss_fields = config->rss_fields;
	port->rss_symmetric = config->rss_symmetric;
	port->checksums = config->checksums;
	port->max_frame = config->max_frame;
	port->vlan_strip = config->vlan_strip;
	port->keep_fcs = config->keep_fcs;
	port->want_csum = config->want_csum;
	return 0;
}

uint32_t cqesim_port_toeplitz(const struct cqesim_port *port, const uint8_t *input, unsigned len)
{
	uint32_t hash = 0;

	for (unsigned i = 0; i < len && i < 36; i++)
		hash ^= port->toeplitz[i][input[i]];
	return hash;
}

/*
 * A symmetric mlx5 hash is taken over (source | destination, source ^
 * destination), addresses and ports each on their own: "Symmetric-OR-XOR" in
 * Linux Documentation/networking/scaling.rst and RXH_XFRM_SYM_OR_XOR in
 * include/uapi/linux/ethtool.h, which the mlx5 driver names as what the bit
 * rx_hash_symmetric does (en_ethtool.c, supported_input_xfrm).  It is not the
 * sorting of DPDK's SYMMETRIC_TOEPLITZ_SORT nor the XOR of its
 * SYMMETRIC_TOEPLITZ; DPDK's mlx5 driver maps both to the same bit.
 */
static void symmetric(uint8_t *pair, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint8_t a = pair[i], b = pair[n + i];

		pair[i] = a | b;
		pair[n + i] = a ^ b;
	}
}

static inline uint32_t hash(const struct cqesim_port *port, const uint8_t *addresses,
			    unsigned bytes, const uint8_t *ports)
{
	uint8_t input[36];
	unsigned len = 2 * bytes;

	memcpy(input, addresses, len);
	if (port->rss_symmetric)
		symmetric(input, bytes);
	if (ports) {
		memcpy(input + len, ports, 4);
		if (port->rss_symmetric)
			symmetric(input + len, 2);
		len += 4;
	}
	uint32_t value = 0;

	for (unsigned i = 0; i < len; i += 4)
		value ^=
			(port->toeplitz[i][input[i]] ^ port->toeplitz[i + 1][input[i + 1]]) ^
			(port->toeplitz[i + 2][input[i + 2]] ^ port->toeplitz[i + 3][input[i + 3]]);
	return value;
}

/* Addresses lie next to each other in both headers; ports may be NULL. */
uint32_t port_hash_ipv4(const struct cqesim_port *port, const uint8_t *addresses,
			const uint8_t *ports)
{
	return hash(port, addresses, 4, ports);
}

uint32_t port_hash_ipv6(const struct cqesim_port *port, const uint8_t *addresses,
			const uint8_t *ports)
{
	return hash(port, addresses, 16, ports);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device's configuration space, of which Linux shows the first 64 bytes to
 * everybody and all of it to root.  Offsets and bits: linux/pci_regs.h.
 */
#include "internal.h"

#define STATUS            0x06u
#define STATUS_CAP_LIST   0x10u
#define CAPABILITIES      0x34u
#define CAP_EXPRESS       0x10u
#define EXPRESS_BYTES     0x2cu
#define DEVCAP            0x04u
#define DEVCTL            0x08u
#define LNKCTL            0x10u
#define DEVCTL2           0x28u
#define EXTENDED          0x100u
#define EXT_AER           0x0001u
#define AER_CONTROL       0x18u
#define AER_ECRC_GENERATE (1u << 6)

static uint32_t word(const uint8_t *bytes, size_t at)
{
	return (uint32_t)bytes[at] | (uint32_t)bytes[at + 1] << 8;
}

static uint32_t dword(const uint8_t *bytes, size_t at)
{
	return word(bytes, at) | word(bytes, at + 2) << 16;
}

/* Offset of the PCI Express capability; 0 if it is not there or not shown. */
static size_t find_express(const uint8_t *bytes, size_t size)
{
	size_t at;

	if (size < 0x40 || !(bytes[STATUS] & STATUS_CAP_LIST))
		return 0;
	at = bytes[CAPABILITIES] & ~3u;
	for (unsigned links = 0; links < 48 && at >= 0x40 && at + EXPRESS_BYTES <= size; links++) {
		if (bytes[at] == CAP_EXPRESS)
			return at;
		at = bytes[at + 1] & ~3u;
	}
	return 0;
}

static enum cqesim_sysinfo_flag flag(uint32_t value, unsigned bit)
{
	return value >> bit & 1 ? CQESIM_SYSINFO_ON : CQESIM_SYSINFO_OFF;
}

/* ECRC generation, in Advanced Error Reporting of the extended space. */
static void find_ecrc(const uint8_t *bytes, size_t size, struct cqesim_sysinfo_card *card)
{
	size_t at = EXTENDED;

	for (unsigned links = 0; links < 96 && at >= EXTENDED && at + 0x1c <= size; links++) {
		uint32_t head = dword(bytes, at);

		if ((head & 0xffff) == EXT_AER) {
			card->ecrc = dword(bytes, at + AER_CONTROL) & AER_ECRC_GENERATE
					     ? CQESIM_SYSINFO_ON
					     : CQESIM_SYSINFO_OFF;
			return;
		}
		at = head >> 20 & ~3u;
	}
}

void sysinfo_config_space(const uint8_t *bytes, size_t size, struct cqesim_sysinfo_card *card)
{
	size_t at = find_express(bytes, size);
	uint32_t control;

	if (!at)
		return;
	control = word(bytes, at + DEVCTL);
	if ((bytes[at + DEVCAP] & 7) <= 5)
		card->mps_capable = 128u << (bytes[at + DEVCAP] & 7);
	if ((control >> 5 & 7) <= 5)
		card->mps = 128u << (control >> 5 & 7);
	if ((control >> 12 & 7) <= 5)
		card->mrrs = 128u << (control >> 12 & 7);
	card->relaxed_ordering = flag(control, 4);
	card->extended_tags = flag(control, 8);
	card->rcb = word(bytes, at + LNKCTL) >> 3 & 1 ? 128 : 64;
	if ((word(bytes, at + 2) & 0xf) >= 2)
		card->ten_bit_tags = flag(word(bytes, at + DEVCTL2), 12);
	find_ecrc(bytes, size, card);
}

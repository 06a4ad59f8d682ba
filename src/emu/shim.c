/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface that is not there: its index, address, MTU, flags and link
 * settings.  Requests for other interfaces go to the C library's own functions.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "emu/emu.h"

#undef ioctl

/* Programs are told of it only where the launcher's folder is. */
static bool launched(void)
{
	static int answer = -1;

	if (answer < 0)
		answer = getenv(EMU_FOLDER_VARIABLE) != NULL;
	return answer;
}

static bool is_ours(const char *name)
{
	return launched() && !strncmp(name, EMU_INTERFACE, IFNAMSIZ);
}

/* The kernel's interfaces count from 1 and have never got that far. */
#define INTERFACE_INDEX 0x70c0e51u

EMU_API unsigned int if_nametoindex(const char *name)
{
	static unsigned int (*next)(const char *);

	if (is_ours(name))
		return INTERFACE_INDEX;
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "if_nametoindex");
	return next(name);
}

EMU_API char *if_indextoname(unsigned int index, char name[IF_NAMESIZE])
{
	static char *(*next)(unsigned int, char *);

	if (launched() && index == INTERFACE_INDEX)
		return strcpy(name, EMU_INTERFACE);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "if_indextoname");
	return next(index, name);
}

/* ---- ioctl ---- */

static short interface_flags = IFF_UP | IFF_RUNNING | IFF_BROADCAST | IFF_MULTICAST;

/* A whole number of Mb/s; supported and advertised modes: one of this speed, in three words. */
#define MODE_WORDS 3

static void link_settings(struct ethtool_link_settings *s)
{
	uint32_t *masks = s->link_mode_masks;
	int32_t words = s->link_mode_masks_nwords;

	if (words != MODE_WORDS) { /* the handshake: how many we have */
		memset(s, 0, sizeof(*s));
		s->cmd = ETHTOOL_GLINKSETTINGS;
		s->link_mode_masks_nwords = -MODE_WORDS;
		return;
	}
	memset(s, 0, sizeof(*s));
	memset(masks, 0, 3 * MODE_WORDS * sizeof(*masks));
	s->cmd = ETHTOOL_GLINKSETTINGS;
	s->link_mode_masks_nwords = MODE_WORDS;
	s->speed = (uint32_t)(emu.port_bps / 1000000);
	s->duplex = DUPLEX_FULL;
	s->port = PORT_FIBRE;
	s->autoneg = AUTONEG_ENABLE;
	for (unsigned table = 0; table < 3; table++) {
		unsigned bit = ETHTOOL_LINK_MODE_100000baseCR4_Full_BIT;

		masks[table * MODE_WORDS + bit / 32] |= 1u << bit % 32;
	}
}

static int ethtool(void *data)
{
	uint32_t command;

	memcpy(&command, data, sizeof(command));
	emu_log("ioctl: ethtool 0x%x", command);
	if (command == ETHTOOL_GLINKSETTINGS) {
		link_settings(data);
		return 0;
	}
	if (command == ETHTOOL_GLINK) {
		((struct ethtool_value *)data)->data = 1;
		return 0;
	}
	errno = EOPNOTSUPP;
	return -1;
}

/*
 * KRN mlx5e_set_dev_port_mtu: the port takes the MTU, Ethernet header, VLAN tag and FCS; longer
 * frames are dropped and counted (rx_oversize_pkts_phy).
 */
static void set_mtu(uint32_t mtu)
{
	emu_lock();
	emu.mtu = mtu;
	if (emu.card)
		cqesim_card_frame_limit(emu.card, mtu + 14 + 4);
	emu_unlock();
}

static int answer(unsigned long request, struct ifreq *r)
{
	emu_log("ioctl 0x%lx", request);
	switch (request) {
	case SIOCGIFINDEX:
		r->ifr_ifindex = INTERFACE_INDEX;
		return 0;
	case SIOCGIFHWADDR:
		r->ifr_hwaddr.sa_family = ARPHRD_ETHER;
		memcpy(r->ifr_hwaddr.sa_data, emu.mac, sizeof(emu.mac));
		return 0;
	case SIOCGIFMTU:
		r->ifr_mtu = (int)emu.mtu;
		return 0;
	case SIOCSIFMTU:
		if (r->ifr_mtu < 68 || r->ifr_mtu > 9978) { /* KRN mlx5e: what ConnectX takes */
			errno = EINVAL;
			return -1;
		}
		set_mtu((uint32_t)r->ifr_mtu);
		return 0;
	case SIOCGIFFLAGS:
		r->ifr_flags = interface_flags;
		return 0;
	case SIOCSIFFLAGS:
		interface_flags = (short)(r->ifr_flags | IFF_RUNNING);
		return 0;
	case SIOCETHTOOL:
		return ethtool(r->ifr_data);
	default:
		errno = EOPNOTSUPP;
		return -1;
	}
}

/* Requests of interfaces are numbers 0x8900 to 0x89ff; others need not point to a name. */
EMU_API int ioctl(int fd, unsigned long request, ...)
{
	static int (*next)(int, unsigned long, ...);
	va_list ap;

	va_start(ap, request);
	void *argument = va_arg(ap, void *);
	va_end(ap);
	switch (request) {
	case SIOCGIFINDEX:
	case SIOCGIFHWADDR:
	case SIOCGIFMTU:
	case SIOCSIFMTU:
	case SIOCGIFFLAGS:
	case SIOCSIFFLAGS:
	case SIOCETHTOOL:
		if (argument && is_ours(((struct ifreq *)argument)->ifr_name))
			return answer(request, argument);
		break;
	default:
		break;
	}
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "ioctl");
	return next(fd, request, argument);
}

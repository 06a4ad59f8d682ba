/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared.h - what the launcher (cqesim card) and the library in the program have
 * in common: a file in the launcher's private folder, mapped by both.  The
 * launcher writes the settings before the program starts; the library writes
 * statistics as it goes, so that they are there whatever happens to the program.
 */
#ifndef CQESIM_EMU_SHARED_H
#define CQESIM_EMU_SHARED_H

#include "cqesim/card.h"
#include "cqesim/nic.h"
#include "emu/cable.h"

#define EMU_FOLDER_VARIABLE "CQESIM_CARD_FOLDER" /* the private folder */
#define EMU_SHARED_FILE     "shared"             /* in it */
#define EMU_INTERFACE       "cqesim0"            /* network interface that is not there */
#define EMU_DEVICE          "cqesim0" /* a name that no kernel knows: netlink finds nothing */
#define EMU_PCI_ADDRESS     "0000:c1:00.0"
#define EMU_SETS_MAX        32u

enum emu_source { EMU_SOURCE_NONE, EMU_SOURCE_SYNTHETIC, EMU_SOURCE_CAPTURE, EMU_SOURCE_NUMBERED };
enum emu_sink { EMU_SINK_DROP, EMU_SINK_LOOP, EMU_SINK_FILE, EMU_SINK_CABLE };

/* An error on purpose: instead of that packet of that queue, in the order in which they were made.
 */
#define EMU_INJECTS_MAX 32u
struct emu_inject {
	uint64_t packet; /* from 1 */
	uint32_t queue;  /* from 0 */
	uint8_t syndrome;
	bool send;
};

struct emu_settings {
	char device[256], link[256];
	char set[EMU_SETS_MAX][160]; /* KEY=VALUE */
	unsigned sets;
	enum emu_source source;
	char source_text[4096]; /* specification or file */
	char rate[64];          /* "": the source's own; "posted": as buffers are posted */
	uint64_t limit, repeat; /* 0: none; 0: for ever */
	uint64_t wait_ps;       /* the source begins so long after there are buffers */
	bool policy_given;
	enum cqesim_compression policy;
	enum emu_sink sink;
	char sink_file[4096];
	char cable[4096];
	int cable_end; /* that the launcher took; -1: the library takes one */
	uint32_t cable_token;
	char trace[4096];
	char dumps[4096]; /* folder for the driver's dump files; "": where it puts them */
	struct emu_inject inject[EMU_INJECTS_MAX];
	unsigned injects;
	bool check_order;
	double time_scale; /* seconds here for one of the card's */
	int cpu;           /* of the card's thread; -1: chosen */
	bool devx, verbose, check;
	enum cqesim_fault fault; /* the card's, on purpose */
	uint64_t fault_at;
	uint8_t mac[6];
	bool mac_given;
	uint16_t pci_device; /* the card's PCI identifier */
};

/* Where the program has come to. */
enum emu_phase {
	EMU_PHASE_LOADED,  /* the library is there, nobody has asked for a device */
	EMU_PHASE_LISTED,  /* somebody has */
	EMU_PHASE_OPENED,  /* and opened it */
	EMU_PHASE_RUNNING, /* packets arrive, or are sent */
	EMU_PHASE_CLOSED,  /* the device was closed again */
	EMU_PHASE_FAILED,  /* the card could not be made: see message */
};

struct emu_statistics {
	enum emu_phase phase;
	char message[512]; /* FAILED: why; or the source ended badly */
	bool devx;         /* the world that the program got */
	char driver[64];   /* "DPDK 24.11.8", as its EAL says; "": not known */
	bool source_done;
	uint64_t real_ns;    /* since the card was made */
	uint64_t running_ns; /* of these, while packets could arrive: after --wait, until the
				source's end */
	uint64_t packets_ns; /* from the first to the last packet that was delivered or sent */
	uint64_t card_ps;    /* time of the card */
	uint64_t source_frames;
	uint64_t held_back_ps; /* so much later than asked for, since the emulation is slower */
	uint64_t looped, loop_waits, sink_frames, sink_long;
	struct cable_counts cable;
	uint64_t cable_left, cable_on_the_way;
	uint64_t marked, back, out_of_order; /* check_order: frames with a number; sent again */
	uint64_t injected;
	uint64_t calls, steering_objects, steering_refused, regions;
	uint64_t created[CQESIM_OBJECTS], modified[CQESIM_OBJECTS], destroyed[CQESIM_OBJECTS];
	uint64_t event_lines;           /* of the trace */
	bool trace_failed, sink_failed; /* the file could not be written to its end */
	char violation[256];            /* the first */
	struct cqesim_card_stats card;
	struct cqesim_nic_stats nic;
};

struct emu_shared {
	uint32_t size;     /* of this struct: both sides are of one build */
	int32_t owner;     /* process that has the card; 0: none yet; atomic */
	uint32_t sequence; /* odd: statistics are being written; atomic */
	struct emu_settings settings;
	struct emu_statistics statistics;
};

/* A consistent copy, or the last try if the writer died in the middle of it. */
void emu_shared_read(const struct emu_shared *shared, struct emu_statistics *copy);
/* For the writer. */
void emu_shared_begin(struct emu_shared *shared);
void emu_shared_end(struct emu_shared *shared);

#endif

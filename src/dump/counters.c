/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters: of `ethtool -S`, of the scripts that print its rates, of
 * /sys/class/infiniband, of `rdma statistic` and of DPDK's xstats.  And tables of
 * rates by the number of queues, as people post them.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "dump/dump_internal.h"

/*
 * What the counters of this field count.  KRN: counters.rst of the mlx5 driver and
 * en_stats.c; the RDMA ones: vendor's list of port and hw counters.  Names are
 * without the number of a queue.
 */
static const struct {
	const char *name, *text;
} counters[] = {
	{"rx_packets", "packets that the driver received"},
	{"rx_bytes", "bytes that the driver received"},
	{"rx_good_packets", "packets that the driver received"},
	{"rx_lro_packets", "TCP segments joined by the card (LRO)"},
	{"rx_gro_packets", "packets joined by the card (HW-GRO)"},
	{"rx_mpwqe_filler", "filler completions: a striding WQE was closed with strides unused"},
	{"rx_mpwqe_filler_cqes",
	 "filler completions: a striding WQE was closed with strides unused"},
	{"rx_mpwqe_filler_strides", "strides that fillers left unused"},
	{"rx_oversize_pkts_sw_drop", "packets dropped by the driver: longer than the MTU allows"},
	{"rx_buff_alloc_err", "receive buffers that could not be allocated"},
	{"rx_cqe_compress_blks", "compressed sessions: title completions with mini arrays"},
	{"rx_cqe_compress_pkts", "packets in compressed sessions"},
	{"rx_congst_umr", "registrations put off as the queue for them was full"},
	{"rx_wqe_err", "receive WQEs with a wrong opcode in their completion: error completions"},
	{"rx_cqe_err", "error completions on receive queues"},
	{"tx_cqe_err", "error completions on send queues"},
	{"tx_cqes", "completions of sent work"},
	{"rx_recover", "receive queues that the driver restarted after an error completion"},
	{"tx_recover", "send queues that the driver restarted after an error completion"},
	{"rx_out_of_buffer", "packets lost as the driver had posted no buffer"},
	{"out_of_buffer", "packets lost as no receive WQE was posted"},
	{"rx_missed_errors", "packets lost as the driver had posted no buffer"},
	{"rx_nombuf", "receive buffers that could not be allocated"},
	{"rx_steer_missed_packets", "packets that no steering rule took"},
	{"rx_discards_phy",
	 "packets lost in the card: its buffer was full, the way to the host too slow"},
	{"rx_packets_phy", "packets that came in at the port"},
	{"rx_bytes_phy", "bytes that came in at the port"},
	{"rx_64_bytes_phy", "packets of 64 bytes that came in at the port"},
	{"rx_vport_unicast_packets", "unicast packets that steering gave to this function"},
	{"rx_xdp_drop", "packets that an XDP program dropped"},
	{"rx_xdp_redirect", "packets that an XDP program sent elsewhere"},
	{"rx_xdp_tx_xmit", "packets that an XDP program sent back"},
	{"rx_xdp_tx_mpwqe", "multi-packet WQEs with which XDP sent"},
	{"rx_cache_reuse", "pages that the driver's cache gave again"},
	{"rx_cache_empty", "pages that had to come from the kernel, the driver's cache was empty"},
	{"rx_cache_busy", "pages in the cache that were still in use"},
	{"rx_prio0_discards", "packets lost in the card's buffer of priority 0"},
	{"ch_poll", "calls of the driver's poll function"},
	{"ch_events", "interrupts of completion queues"},
	{"ch_arm", "times the driver asked for an interrupt"},
	{"ch_eq_rearm", "event queues that had to be looked at again: lost interrupts"},
	{"outbound_pci_stalled_wr",
	 "percent of time in which writes to the host waited for credits"},
	{"outbound_pci_stalled_rd",
	 "percent of time in which reads from the host waited for credits"},
	{"rx_pci_signal_integrity", "errors on the PCIe link towards the card"},
	{"dev_out_of_buffer", "packets that the card had no buffer for"},
	{"dev_internal_queue_oob", "packets lost as an internal queue had no buffer"},
	{"req_cqe_error", "requests of this host that ended in an error completion"},
	{"resp_cqe_error", "receives of this host that ended in an error completion"},
	{"req_cqe_flush_error", "requests flushed: their queue pair was in error already"},
	{"resp_cqe_flush_error", "receives flushed: their queue pair was in error already"},
	{"req_remote_access_errors", "requests that peers refused: memory access (NAK)"},
	{"req_remote_invalid_request", "requests that peers refused as invalid (NAK)"},
	{"resp_remote_access_errors", "requests of peers refused here: memory access"},
	{"resp_local_length_error", "receives whose buffer was too short"},
	{"local_ack_timeout_err",
	 "acknowledgements that did not come in time; each was tried again"},
	{"packet_seq_err", "packets missed, told by a NAK of the peer; they were sent again"},
	{"out_of_sequence", "packets that came out of order: some were lost on the way"},
	{"duplicate_request", "requests that came again: an acknowledgement was lost or late"},
	{"rnr_nak_retry_err", "times a peer had no receive posted; each was tried again"},
	{"implied_nak_seq_err", "acknowledgements that show lost packets"},
	{"rp_cnp_handled", "congestion notifications that slowed this host down"},
	{"np_ecn_marked_roce_packets", "RoCE packets marked as congested on the way"},
	{"np_cnp_sent", "congestion notifications sent to peers"},
	{"roce_adp_retrans", "retransmissions of RoCE's adaptive timer"},
	{"port_rcv_errors", "packets with errors that came in"},
	{"symbol_error", "errors on the physical link"},
	{"link_downed", "times the link went down"},
};

/* "rx12_packets", "rx_queue_12_packets", "rx_q12_packets" are "rx_packets". */
static void without_queue(const char *name, char *out, size_t room)
{
	size_t n = strlen(name), i = 2;

	if (n >= room)
		n = room - 1;
	memcpy(out, name, n);
	out[n] = '\0';
	if (strncmp(name, "rx", 2) && strncmp(name, "tx", 2))
		return;
	if (!strncmp(name + 2, "_queue_", 7))
		i = 9;
	else if (!strncmp(name + 2, "_q", 2) && isdigit((unsigned char)name[4]))
		i = 4;
	size_t from = i;
	while (isdigit((unsigned char)name[i]))
		i++;
	if (i > from && name[i] == '_' && i < n) {
		memmove(out + 2, name + i, n - i);
		out[2 + n - i] = '\0';
	}
}

const char *cqesim_dump_counter_text(const char *name)
{
	char plain[64];

	without_queue(name, plain, sizeof(plain));
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (!strcmp(plain, counters[i].name))
			return counters[i].text;
	return NULL;
}

static bool name_char(char c)
{
	return islower((unsigned char)c) || isdigit((unsigned char)c) || c == '_';
}

/* Digits with or without commas between them; returns how many characters, or 0. */
static size_t whole_number(const char *s, size_t n, uint64_t *value)
{
	size_t i = 0;

	*value = 0;
	for (; i < n && (isdigit((unsigned char)s[i]) ||
			 (s[i] == ',' && i + 1 < n && isdigit((unsigned char)s[i + 1])));
	     i++)
		if (s[i] != ',' && (__builtin_mul_overflow(*value, 10, value) ||
				    __builtin_add_overflow(*value, (uint64_t)(s[i] - '0'), value)))
			return 0;
	return i;
}

static struct cqesim_dump_item *add(struct dump_finder *f, const char *name, size_t n,
				    uint64_t value, uint32_t flags)
{
	struct cqesim_dump_item *item = dump_add(f);

	if (!item)
		return NULL;
	item->kind = CQESIM_DUMP_COUNTER;
	item->line = item->last_line = f->lines.line;
	item->offset = f->lines.offset;
	item->value = value;
	item->flags = flags;
	if (n >= sizeof(item->name))
		n = sizeof(item->name) - 1;
	memcpy(item->name, name, n);
	return item;
}

/* One that is known here becomes an item; others are counted. */
static bool take(struct dump_finder *f, const char *name, size_t n, uint64_t value, uint32_t flags)
{
	char text[48];

	if (n < 2 || n >= sizeof(text))
		return false;
	memcpy(text, name, n);
	text[n] = '\0';
	if (cqesim_dump_counter_text(text)) {
		add(f, name, n, value, flags);
		return true;
	}
	if (!strchr(text, '_'))
		return false;
	f->out->other_counters++;
	return true;
}

/* "rx_packets: 845320277" and ".../hw_counters/out_of_buffer:3", the whole line. */
static bool name_and_number(struct dump_finder *f)
{
	const char *s = f->lines.text;
	const char *colon = memchr(s, ':', f->lines.length);
	uint64_t value;

	if (!colon || !f->lines.length)
		return false;
	const char *last = memrchr(s, ':', f->lines.length);
	size_t to = (size_t)(last - s), from = to, i = to + 1;
	while (from && name_char(s[from - 1]))
		from--;
	while (i < f->lines.length && s[i] == ' ')
		i++;
	size_t digits = whole_number(s + i, f->lines.length - i, &value);
	if (!digits || i + digits != f->lines.length || from == to)
		return false;
	/* In front of the name nothing, or a path, or a diff's mark. */
	if (from && s[from - 1] != '/' && !(s[from - 1] == ' ' && from < 4))
		return false;
	return take(f, s + from, to - from, value, 0);
}

/* "Ethtool(mlx5p1  ) stat:     74194573 (     74,194,573) <= rx_xdp_drop /sec" */
static bool script_rate(struct dump_finder *f)
{
	const char *s = f->lines.text, *end = s + f->lines.length;
	const char *stat = memmem(s, f->lines.length, " stat:", 6);
	const char *arrow = memmem(s, f->lines.length, "<= ", 3);
	uint64_t value;

	if (!stat || !arrow || arrow < stat)
		return false;
	for (stat += 6; stat < arrow && *stat == ' '; stat++)
		;
	if (!whole_number(stat, (size_t)(arrow - stat), &value))
		return false;
	const char *name = arrow + 3, *to = name;
	while (to < end && name_char(*to))
		to++;
	bool rate = memmem(to, (size_t)(end - to), "/sec", 4) != NULL;
	return take(f, name, (size_t)(to - name), value, rate ? CQESIM_DUMP_RATE : 0);
}

/* `rdma statistic`: "link mlx5_0/1 rx_write_requests 0 out_of_buffer 12 ..." */
static bool rdma_statistic(struct dump_finder *f)
{
	const char *s = f->lines.text;
	size_t n = f->lines.length, i = 0;
	bool any = false;

	if (strncmp(s, "link ", 5))
		return false;
	while (i < n) {
		size_t from = i;
		uint64_t value;

		while (i < n && s[i] != ' ')
			i++;
		size_t to = i;
		while (i < n && s[i] == ' ')
			i++;
		size_t digits = whole_number(s + i, n - i, &value);
		if (digits && (i + digits == n || s[i + digits] == ' ')) {
			any |= take(f, s + from, to - from, value, 0);
			i += digits;
			while (i < n && s[i] == ' ')
				i++;
		}
	}
	return any;
}

/* ---- tables ---- */

#define COLUMNS 8u

/* Cells between bars, trimmed; returns how many. */
static unsigned cells(const char *s, size_t n, const char **cell, size_t *length)
{
	unsigned count = 0;
	size_t i = 1;

	while (i < n && count <= COLUMNS) {
		const char *bar = memchr(s + i, '|', n - i);
		size_t to = bar ? (size_t)(bar - s) : n, from = i, end = to;

		while (from < end && s[from] == ' ')
			from++;
		while (end > from && s[end - 1] == ' ')
			end--;
		cell[count] = s + from;
		length[count++] = end - from;
		if (!bar)
			break;
		i = to + 1;
	}
	return count;
}

static void copy(char *to, size_t room, const char *from, size_t n)
{
	if (n >= room)
		n = room - 1;
	memcpy(to, from, n);
	to[n] = '\0';
}

/* "| RXQs | no_touch RX=1024 | read RX=1024 |", then rows of numbers. */
static bool table_row(struct dump_finder *f)
{
	const char *cell[COLUMNS + 1];
	size_t length[COLUMNS + 1];
	uint64_t queues, value;

	if (f->lines.length < 5 || f->lines.text[0] != '|') {
		f->column_count = 0;
		return false;
	}
	unsigned n = cells(f->lines.text, f->lines.length, cell, length);
	if (n >= 2 && length[0] >= 3 && !strncasecmp(cell[0], "rxq", 3)) {
		copy(f->table, sizeof(f->table), cell[0], length[0]);
		f->column_count = n - 1 < COLUMNS ? n - 1 : COLUMNS;
		for (unsigned i = 0; i < f->column_count; i++)
			copy(f->columns[i], sizeof(f->columns[i]), cell[i + 1], length[i + 1]);
		return true;
	}
	if (!f->column_count || whole_number(cell[0], length[0], &queues) != length[0] ||
	    !length[0])
		return f->column_count > 0;
	for (unsigned i = 0; i < f->column_count && i + 1 < n; i++) {
		char name[48];
		struct dump_text t = {name, sizeof(name)};

		if (!length[i + 1] ||
		    whole_number(cell[i + 1], length[i + 1], &value) != length[i + 1])
			continue;
		dump_say(&t, "%s, %llu queues", f->columns[i], (unsigned long long)queues);
		add(f, name, strlen(name), value, CQESIM_DUMP_TABLE);
	}
	return true;
}

bool counter_take(struct dump_finder *f)
{
	return table_row(f) || name_and_number(f) || script_rate(f) || rdma_statistic(f);
}

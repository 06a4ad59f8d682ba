/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqe_layout.h - where each field of a completion lies: the layouts as data.
 *
 * One table (X-macro) per structure.  From it come the struct, encode, decode,
 * the table of fields for dumps, the masks for comparing, the description in
 * doc/formats.md and the checks against other people's headers.  A field that
 * is not here does not exist anywhere in cqesim.  All multi-byte fields are
 * big-endian.
 *
 * Sources, named in each row: PRM-H is drivers/common/mlx5/mlx5_prm.h of DPDK,
 * DV is infiniband/mlx5dv.h of rdma-core, RDMA is providers/mlx5 of rdma-core,
 * KRN is include/linux/mlx5/device.h of Linux, PMD is drivers/net/mlx5 of DPDK.
 */
#ifndef CQESIM_CQE_LAYOUT_H
#define CQESIM_CQE_LAYOUT_H

/* X(name, type, first byte, bytes, shift, bits, meaning, source) */

/* Byte 63 is the same in all views. */
#define CQESIM_CQE_OP_OWN_FIELDS(X)                                                                \
	X(opcode, uint8_t, 63, 1, 4, 4, "kind of completion", "PRM-H, DV, KRN")                    \
	X(format, uint8_t, 63, 1, 2, 2, "0 plain, 1 and 2 inline data, 3 compressed",              \
	  "PRM-H, DV, KRN")                                                                        \
	X(se, uint8_t, 63, 1, 1, 1, "solicited event", "DV")                                       \
	X(owner, uint8_t, 63, 1, 0, 1, "lap bit", "PRM-H, DV, KRN")

/* Receive completions (RESP_*). */
#define CQESIM_CQE_RX_FIELDS(X)                                                                    \
	X(pkt_info, uint8_t, 0, 1, 0, 8, "bit 0 tunneled, bit 1 outer L3 is IPv6", "PRM-H")        \
	X(wqe_id, uint16_t, 2, 2, 0, 16, "striding RQ: id of the multi-packet WQE",                \
	  "PRM-H, DV, KRN")                                                                        \
	X(lro_flags, uint8_t, 4, 1, 0, 8, "LRO: bit 6 TCP PSH; HW-GRO: bit 1 match, bit 2 flush",  \
	  "KRN")                                                                                   \
	X(lro_min_ttl, uint8_t, 5, 1, 0, 8, "LRO: smallest TTL; HW-GRO: header size", "KRN")       \
	X(lro_tcp_win, uint16_t, 6, 2, 0, 16, "LRO: TCP window; HW-GRO: header entry", "KRN")      \
	X(lro_ack_seq_num, uint32_t, 8, 4, 0, 32, "LRO: ack number; HW-GRO: data offset", "KRN")   \
	X(rx_hash_res, uint32_t, 12, 4, 0, 32, "RSS hash", "PRM-H, KRN")                           \
	X(rx_hash_type, uint8_t, 16, 1, 0, 8,                                                      \
	  "bits 3:2 IP (1 v4, 2 v6), bits 7:6 L4 (1 TCP, 2 UDP, 3 SPI)", "KRN")                    \
	X(ml_path, uint8_t, 17, 1, 0, 8, "InfiniBand path bits", "DV, KRN")                        \
	X(csum, uint16_t, 20, 2, 0, 16, "ones' complement sum of the L2 payload", "PRM-H, KRN")    \
	X(slid, uint16_t, 22, 2, 0, 16, "InfiniBand source LID", "DV, KRN")                        \
	X(flags_rqpn, uint32_t, 24, 4, 0, 32, "InfiniBand flags and remote QPN", "DV, KRN")        \
	X(hds_ip_ext, uint8_t, 28, 1, 0, 8, "bit 0 L2 OK, bit 1 L3 OK, bit 2 L4 OK", "DV, KRN")    \
	X(l4_l3_hdr_type, uint8_t, 29, 1, 0, 8,                                                    \
	  "bit 0 VLAN stripped, 1 IP options, 3:2 L3, 6:4 L4, 7 fragment", "PRM-H, KRN")           \
	X(vlan_info, uint16_t, 30, 2, 0, 16, "stripped VLAN TCI", "PRM-H, DV, KRN")                \
	X(lro_num_seg, uint8_t, 32, 1, 0, 8, "LRO: segments in this completion", "PRM-H, KRN")     \
	X(user_index, uint32_t, 33, 3, 0, 24, "user index or SRQ number", "PRM-H, DV, KRN")        \
	X(flow_table_metadata, uint32_t, 36, 4, 0, 32, "metadata, immediate or rkey",              \
	  "PRM-H, DV, KRN")                                                                        \
	X(app, uint8_t, 40, 1, 0, 8, "application (tag matching)", "DV")                           \
	X(app_op, uint8_t, 41, 1, 0, 8, "application opcode", "DV")                                \
	X(app_info, uint16_t, 42, 2, 0, 16, "application data", "DV")                              \
	X(byte_cnt, uint32_t, 44, 4, 0, 32,                                                        \
	  "length; title: number of minis; striding: 31 filler, 29:16 strides, 15:0 length",       \
	  "PRM-H, KRN")                                                                            \
	X(timestamp, uint64_t, 48, 8, 0, 64, "device clock", "PRM-H, DV, KRN")                     \
	X(send_opcode, uint8_t, 56, 1, 0, 8, "requester: send WQE opcode", "DV, KRN")              \
	X(flow_tag, uint32_t, 57, 3, 0, 24, "receive: flow tag; requester: QPN", "PMD, DV, KRN")   \
	X(wqe_counter, uint16_t, 60, 2, 0, 16, "WQE index; striding RQ: first stride",             \
	  "PRM-H, KRN")                                                                            \
	X(signature, uint8_t, 62, 1, 0, 8, "signature; enhanced layout: validity iteration count", \
	  "DV, KRN; PRM-H from 23.03")                                                             \
	CQESIM_CQE_OP_OWN_FIELDS(X)

/* Failures (REQ_ERR, RESP_ERR). */
#define CQESIM_CQE_ERR_FIELDS(X)                                                                   \
	X(eth_wqe_id, uint16_t, 2, 2, 0, 16, "striding RQ: id of the WQE", "PRM-H")                \
	X(ib_stride_index, uint16_t, 20, 2, 0, 16, "stride index", "PRM-H")                        \
	X(srqn, uint32_t, 32, 4, 0, 32, "SRQ number or user index", "DV, KRN")                     \
	X(byte_cnt, uint32_t, 44, 4, 0, 32, "length", "PRM-H")                                     \
	X(hw_err_synd, uint8_t, 52, 1, 0, 8, "hardware error syndrome", "PRM-H")                   \
	X(hw_synd_type, uint8_t, 53, 1, 0, 8, "hardware syndrome type", "PRM-H")                   \
	X(vendor_err_synd, uint8_t, 54, 1, 0, 8, "vendor error syndrome", "DV, KRN, PRM-H")        \
	X(syndrome, uint8_t, 55, 1, 0, 8, "error syndrome", "DV, KRN, PRM-H")                      \
	X(wqe_opcode, uint8_t, 56, 1, 0, 8, "send WQE opcode", "DV, KRN")                          \
	X(qpn, uint32_t, 57, 3, 0, 24, "QP number", "DV, KRN")                                     \
	X(wqe_counter, uint16_t, 60, 2, 0, 16, "WQE index", "DV, KRN, PRM-H")                      \
	X(signature, uint8_t, 62, 1, 0, 8, "signature", "DV, KRN, PRM-H")                          \
	CQESIM_CQE_OP_OWN_FIELDS(X)

/* A signature (T10-DIF and the like) that does not match (SIG_ERR). */
#define CQESIM_CQE_SIG_FIELDS(X)                                                                   \
	X(expected_trans_sig, uint32_t, 16, 4, 0, 32, "expected transaction signature", "KRN")     \
	X(actual_trans_sig, uint32_t, 20, 4, 0, 32, "actual transaction signature", "KRN")         \
	X(expected_reftag, uint32_t, 24, 4, 0, 32, "expected reference tag", "KRN")                \
	X(actual_reftag, uint32_t, 28, 4, 0, 32, "actual reference tag", "KRN")                    \
	X(sig_syndrome, uint16_t, 32, 2, 0, 16,                                                    \
	  "bit 13 guard, 12 application tag, 11 reference tag", "KRN")                             \
	X(sig_type, uint8_t, 34, 1, 0, 8, "kind of signature", "RDMA")                             \
	X(domain, uint8_t, 35, 1, 0, 8, "memory or wire side", "RDMA")                             \
	X(mkey, uint32_t, 36, 4, 0, 32, "memory key", "KRN")                                       \
	X(err_offset, uint64_t, 40, 8, 0, 64, "byte at which it was found", "KRN")                 \
	X(qpn, uint32_t, 56, 4, 0, 32, "QP number", "KRN")                                         \
	X(signature, uint8_t, 62, 1, 0, 8, "signature", "KRN")                                     \
	CQESIM_CQE_OP_OWN_FIELDS(X)

/* Completions of sent work (REQ). */
#define CQESIM_CQE_REQ_FIELDS(X)                                                                   \
	X(user_index, uint32_t, 33, 3, 0, 24, "user index or SRQ number", "DV, KRN")               \
	X(byte_cnt, uint32_t, 44, 4, 0, 32, "bytes received by RDMA read or atomic", "DV, KRN")    \
	X(timestamp, uint64_t, 48, 8, 0, 64, "device clock", "DV, KRN")                            \
	X(send_opcode, uint8_t, 56, 1, 0, 8, "opcode of the send WQE", "DV, KRN")                  \
	X(qpn, uint32_t, 57, 3, 0, 24, "QP number", "DV, KRN")                                     \
	X(wqe_counter, uint16_t, 60, 2, 0, 16, "index of the (last) WQE completed", "DV, KRN")     \
	X(signature, uint8_t, 62, 1, 0, 8, "signature; enhanced layout: validity iteration count", \
	  "DV, KRN; PRM-H from 23.03")                                                             \
	CQESIM_CQE_OP_OWN_FIELDS(X)

/* The CQ was resized, what follows is in the new ring (RESIZE_CQ); also opcodes without a view. */
#define CQESIM_CQE_BARE_FIELDS(X)                                                                  \
	X(signature, uint8_t, 62, 1, 0, 8, "signature", "DV, KRN")                                 \
	CQESIM_CQE_OP_OWN_FIELDS(X)

/* Overlay of a receive completion that joins several TCP segments (large receive offload). */
#define CQESIM_CQE_LRO_FIELDS(X)                                                                   \
	X(tcp_psh, uint8_t, 4, 1, 6, 1, "a segment had PSH", "PRM-H, KRN")                         \
	X(min_ttl, uint8_t, 5, 1, 0, 8, "smallest TTL or hop limit", "PRM-H, KRN")                 \
	X(tcp_win, uint16_t, 6, 2, 0, 16, "TCP window of the last segment", "PRM-H, KRN")          \
	X(ack_seq_num, uint32_t, 8, 4, 0, 32, "acknowledgement number of the last segment",        \
	  "PRM-H, KRN")                                                                            \
	X(num_seg, uint8_t, 32, 1, 0, 8, "segments joined", "PRM-H, KRN")

/* Overlay where header and data are split and packets of a flow joined (SHAMPO, hardware GRO). */
#define CQESIM_CQE_SHAMPO_FIELDS(X)                                                                \
	X(match, uint8_t, 4, 1, 1, 1, "belongs to the flow that is open", "KRN")                   \
	X(flush, uint8_t, 4, 1, 2, 1, "the flow ends with this packet", "KRN")                     \
	X(header_size, uint8_t, 5, 1, 0, 8, "bytes in the header buffer", "KRN")                   \
	X(header_entry_index, uint16_t, 6, 2, 0, 16, "entry of the header buffer", "KRN")          \
	X(data_offset, uint32_t, 8, 4, 0, 32, "where in the WQE the data lies", "KRN")

/* Overlay of a tag-matching completion (app = 1). */
#define CQESIM_CQE_TM_FIELDS(X)                                                                    \
	X(success, uint32_t, 0, 4, 0, 32, "bit 31: the operation succeeded", "DV")                 \
	X(hw_phase_cnt, uint16_t, 4, 2, 0, 16, "hardware phase count", "DV")

/* Overlay of a receive completion of a striding RQ. */
#define CQESIM_CQE_STRIDING_FIELDS(X)                                                              \
	X(wqe_id, uint16_t, 2, 2, 0, 16, "id of the multi-packet WQE", "PRM-H, DV, KRN")           \
	X(filler, uint8_t, 44, 4, 31, 1, "no packet: the rest of the WQE is closed", "PRM-H, KRN") \
	X(strides, uint16_t, 44, 4, 16, 15, "strides consumed (PRM-H: 14 bits)", "PRM-H, KRN")     \
	X(length, uint16_t, 44, 4, 0, 16, "bytes of the packet", "PRM-H, KRN")                     \
	X(stride_index, uint16_t, 60, 2, 0, 16, "first stride of the packet", "PRM-H, KRN")

/*
 * Parts of receive fields that hold several things.
 * X(field, part, shift, bits, meaning, source)
 */
#define CQESIM_CQE_RX_PARTS(X)                                                                     \
	X(pkt_info, tunneled, 0, 1, "an encapsulated packet; the fields tell the inner one",       \
	  "PRM-H, KRN")                                                                            \
	X(pkt_info, outer_l3_type, 1, 1, "outer header, if tunneled: 0 IPv4, 1 IPv6", "PRM-H")     \
	X(pkt_info, tls_offload, 3, 2, "TLS offload: 0 none, 1 decrypted, 2 resync, 3 error",      \
	  "KRN")                                                                                   \
	X(rx_hash_type, hash_ip, 2, 2, "hashed addresses: 1 IPv4, 2 IPv6", "KRN")                  \
	X(rx_hash_type, hash_l4, 6, 2, "hashed ports: 1 TCP, 2 UDP, 3 IPsec SPI", "KRN")           \
	X(ml_path, dlid_path_bits, 0, 7, "InfiniBand destination path bits", "RDMA")               \
	X(flags_rqpn, grh, 28, 2, "0: no GRH", "RDMA")                                             \
	X(flags_rqpn, sl, 24, 4, "InfiniBand service level", "RDMA")                               \
	X(flags_rqpn, remote_qpn, 0, 24, "QP number of the sender", "RDMA")                        \
	X(hds_ip_ext, l2_ok, 0, 1, "L2 good", "DV, KRN")                                           \
	X(hds_ip_ext, l3_ok, 1, 1, "IP checksum good", "DV, KRN, PRM-H")                           \
	X(hds_ip_ext, l4_ok, 2, 1, "TCP or UDP checksum good", "DV, KRN, PRM-H")                   \
	X(l4_l3_hdr_type, vlan_stripped, 0, 1, "a VLAN tag was stripped", "PRM-H, KRN")            \
	X(l4_l3_hdr_type, ip_options, 1, 1, "IP options or extension headers", "PRM-H")            \
	X(l4_l3_hdr_type, l3_hdr_type, 2, 2, "1 IPv6, 2 IPv4", "DV, PMD")                          \
	X(l4_l3_hdr_type, l4_hdr_type, 4, 3,                                                       \
	  "0 none, 1 TCP without ACK, 2 UDP, 3 TCP ACK without data, 4 TCP ACK with data", "KRN")  \
	X(l4_l3_hdr_type, ip_frag, 7, 1, "an IP fragment", "PRM-H")                                \
	X(vlan_info, pcp, 13, 3, "priority", "IEEE 802.1Q")                                        \
	X(vlan_info, dei, 12, 1, "drop eligible", "IEEE 802.1Q")                                   \
	X(vlan_info, vid, 0, 12, "VLAN", "IEEE 802.1Q")

/*
 * Mini-CQEs, 8 bytes.  A row fills `bits` bits of a member from bit `to` on.
 * X(member, to, first byte, bytes, shift, bits, meaning, source)
 */
#define CQESIM_MINI_HASH_FIELDS(X)                                                                 \
	X(rx_hash_res, 0, 0, 4, 0, 32, "RSS hash", "PRM-H, KRN")                                   \
	X(byte_cnt, 0, 4, 4, 0, 32, "as in a CQE", "PRM-H, KRN")

#define CQESIM_MINI_CSUM_FIELDS(X)                                                                 \
	X(csum, 0, 0, 2, 0, 16, "as in a CQE", "PRM-H, KRN")                                       \
	X(byte_cnt, 0, 4, 4, 0, 32, "as in a CQE", "PRM-H, KRN")

/* PRM-H calls bytes 0-1 flow_tag_high; PMD rxq_cq_to_mbuf puts them where tag bits 15:0 lie. */
#define CQESIM_MINI_FTAG_STRIDX_FIELDS(X)                                                          \
	X(flow_tag, 0, 0, 2, 0, 16, "flow tag, bits 15:0", "PMD")                                  \
	X(stride_index, 0, 2, 2, 0, 16, "wqe_counter of a CQE", "PRM-H")                           \
	X(flow_tag, 16, 4, 4, 24, 8, "flow tag, bits 23:16", "PMD")                                \
	X(byte_cnt, 0, 4, 4, 0, 24, "length", "PMD")

#define CQESIM_MINI_CSUM_STRIDX_FIELDS(X)                                                          \
	X(csum, 0, 0, 2, 0, 16, "as in a CQE", "PRM-H, KRN")                                       \
	X(stride_index, 0, 2, 2, 0, 16, "wqe_counter of a CQE", "PRM-H, KRN")                      \
	X(byte_cnt, 0, 4, 4, 0, 32, "as in a CQE", "PRM-H, KRN")

/* PRM-H had the type in byte 1 until 2026; PMD's vector code has always read byte 0. */
#define CQESIM_MINI_L34H_STRIDX_FIELDS(X)                                                          \
	X(l4_l3_hdr_type, 0, 0, 1, 0, 8, "as in a CQE", "PMD; PRM-H from 24.11.6")                 \
	X(stride_index, 0, 2, 2, 0, 16, "wqe_counter of a CQE", "PRM-H")                           \
	X(byte_cnt, 0, 4, 4, 0, 32, "as in a CQE", "PRM-H")

/* Completions of sent work.  PRM-H from 23.03 and KRN do not agree where the opcode lies. */
#define CQESIM_MINI_REQ_FIELDS(X)                                                                  \
	X(wqe_counter, 0, 0, 2, 0, 16, "as in a CQE", "KRN, PRM-H")                                \
	X(send_opcode, 0, 2, 1, 0, 8, "opcode of the send WQE", "KRN, PRM-H until 22.11")          \
	X(byte_cnt, 0, 4, 4, 0, 32, "as in a CQE", "KRN, PRM-H")

#define CQESIM_MINI_REQ_ITER_FIELDS(X)                                                             \
	X(wqe_counter, 0, 0, 2, 0, 16, "as in a CQE", "PRM-H from 23.03")                          \
	X(iteration_count, 0, 2, 1, 0, 8, "validity iteration count", "PRM-H from 23.03")          \
	X(send_opcode, 0, 3, 1, 0, 8, "opcode of the send WQE", "PRM-H from 23.03")                \
	X(byte_cnt, 0, 4, 4, 0, 32, "as in a CQE", "PRM-H from 23.03")

/* The last bytes of an array's slot, enhanced layout. */
#define CQESIM_ARRAY_TAIL_FIELDS(X)                                                                \
	X(wqe_counter, uint16_t, 60, 2, 0, 16, "of the first mini", "PMD mlx5_rx_poll_len")        \
	X(iteration_count, uint8_t, 62, 1, 0, 8, "validity iteration count", "PRM-H, KRN")         \
	X(minis, uint8_t, 63, 1, 4, 4, "number of minis less one", "PRM-H, KRN")                   \
	X(format, uint8_t, 63, 1, 2, 2, "3", "PRM-H, KRN")                                         \
	X(owner, uint8_t, 63, 1, 0, 1, "not looked at", "REF")

#endif

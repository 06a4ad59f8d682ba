/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devx_fields.h - the parts of firmware commands that the emulated card reads and
 * writes: X(layout, field, first bit, bits).  Bit 0 is the most significant one of
 * byte 0.  A field lies within a big-endian dword, or is 64 bits on a dword's
 * boundary; what is longer is a place (a context, a key).
 *
 * Names and places are those of DPDK's mlx5_prm.h and are compared with it by the tests
 * (configure --with-dpdk-source).  v22.11 differs in two: it has enhanced_cqe_compression at
 * 0x5bb, which its driver does not read (Linux' mlx5_ifc.h has it at 0x5b0), and calls seven
 * bits cqe_comp_layout.
 */
#ifndef CQESIM_DEVX_FIELDS_H
#define CQESIM_DEVX_FIELDS_H

/*
 * The envelope, the same in all commands: in dword 0 opcode and uid, dword 1
 * op_mod; out byte 0 status, dword 1 syndrome, dword 2 the number of what was made.
 */
#define DEVX_ENVELOPE(X)                                                                           \
	X(in, opcode, 0x0, 16)                                                                     \
	X(in, uid, 0x10, 16)                                                                       \
	X(in, op_mod, 0x30, 16)                                                                    \
	X(out, status, 0x0, 8)                                                                     \
	X(out, syndrome, 0x20, 32)                                                                 \
	X(out, number, 0x40, 32)

#define DEVX_FIELDS(X)                                                                             \
	X(query_hca_cap_in, op_mod, 0x30, 16)                                                      \
	X(query_nic_vport_context_in, op_mod, 0x30, 16)                                            \
	X(query_nic_vport_context_in, other_vport, 0x40, 1)                                        \
	X(query_nic_vport_context_in, vport_number, 0x50, 16)                                      \
	X(query_nic_vport_context_in, allowed_list_type, 0x65, 3)                                  \
	X(query_nic_vport_context_out, nic_vport_context, 0x80, 2048)                              \
	X(nic_vport_context, min_wqe_inline_mode, 0x5, 3)                                          \
	X(nic_vport_context, mtu, 0x130, 16)                                                       \
	X(nic_vport_context, system_image_guid, 0x140, 64)                                         \
	X(nic_vport_context, port_guid, 0x180, 64)                                                 \
	X(nic_vport_context, node_guid, 0x1c0, 64)                                                 \
	X(nic_vport_context, permanent_address, 0x7a0, 64)                                         \
	X(mac_address_layout, mac_addr_47_32, 0x10, 16)                                            \
	X(mac_address_layout, mac_addr_31_0, 0x20, 32)                                             \
	X(alloc_pd_out, pd, 0x48, 24)                                                              \
	X(alloc_transport_domain_out, transport_domain, 0x48, 24)                                  \
	X(alloc_q_counter_in, uid, 0x10, 16)                                                       \
	X(alloc_q_counter_in, op_mod, 0x30, 16)                                                    \
	X(alloc_q_counter_out, counter_set_id, 0x58, 8)                                            \
	X(query_q_counter_in, clear, 0xc0, 1)                                                      \
	X(query_q_counter_in, counter_set_id, 0xf8, 8)                                             \
	X(query_q_counter_out, out_of_buffer, 0x180, 32)                                           \
	X(alloc_flow_counter_in, flow_counter_bulk, 0x78, 8)                                       \
	X(alloc_flow_counter_out, flow_counter_id, 0x40, 32)                                       \
	X(query_flow_counter_in, clear, 0xc0, 1)                                                   \
	X(query_flow_counter_in, dump_to_memory, 0xc1, 1)                                          \
	X(query_flow_counter_in, num_of_counters, 0xc2, 30)                                        \
	X(query_flow_counter_in, flow_counter_id, 0xe0, 32)                                        \
	X(create_mkey_in, memory_key_mkey_entry, 0x80, 512)                                        \
	X(create_mkey_in, translations_octword_actual_size, 0x300, 32)                             \
	X(create_mkey_in, mkey_umem_id, 0x320, 32)                                                 \
	X(create_mkey_in, mkey_umem_offset, 0x340, 64)                                             \
	X(create_mkey_out, mkey_index, 0x48, 24)                                                   \
	X(mkc, access_mode_4_2, 0x3, 3)                                                            \
	X(mkc, rw, 0x12, 1)                                                                        \
	X(mkc, rr, 0x13, 1)                                                                        \
	X(mkc, lw, 0x14, 1)                                                                        \
	X(mkc, lr, 0x15, 1)                                                                        \
	X(mkc, access_mode_1_0, 0x16, 2)                                                           \
	X(mkc, qpn, 0x20, 24)                                                                      \
	X(mkc, mkey_7_0, 0x38, 8)                                                                  \
	X(mkc, length64, 0x60, 1)                                                                  \
	X(mkc, pd, 0x68, 24)                                                                       \
	X(mkc, start_addr, 0x80, 64)                                                               \
	X(mkc, len, 0xc0, 64)                                                                      \
	X(mkc, translations_octword_size, 0x1a0, 32)                                               \
	X(mkc, log_page_size, 0x1db, 5)                                                            \
	X(create_cq_in, uid, 0x10, 16)                                                             \
	X(create_cq_in, op_mod, 0x30, 16)                                                          \
	X(create_cq_in, cq_context, 0x80, 512)                                                     \
	X(create_cq_in, cq_umem_offset, 0x280, 64)                                                 \
	X(create_cq_in, cq_umem_id, 0x2c0, 32)                                                     \
	X(create_cq_in, cq_umem_valid, 0x2e0, 1)                                                   \
	X(create_cq_out, cqn, 0x48, 24)                                                            \
	X(cqc, status, 0x0, 4)                                                                     \
	X(cqc, dbr_umem_valid, 0x6, 1)                                                             \
	X(cqc, cqe_sz, 0x8, 3)                                                                     \
	X(cqc, cc, 0xb, 1)                                                                         \
	X(cqc, oi, 0xe, 1)                                                                         \
	X(cqc, cq_period_mode, 0xf, 2)                                                             \
	X(cqc, cqe_comp_en, 0x11, 1)                                                               \
	X(cqc, mini_cqe_res_format, 0x12, 2)                                                       \
	X(cqc, st, 0x14, 4)                                                                        \
	X(cqc, dbr_umem_id, 0x20, 32)                                                              \
	X(cqc, mini_cqe_res_format_ext, 0x5c, 2)                                                   \
	X(cqc, cq_timestamp_format, 0x5e, 2)                                                       \
	X(cqc, log_cq_size, 0x63, 5)                                                               \
	X(cqc, uar_page, 0x68, 24)                                                                 \
	X(cqc, cq_period, 0x84, 12)                                                                \
	X(cqc, cq_max_count, 0x90, 16)                                                             \
	X(cqc, c_eqn, 0xb8, 8)                                                                     \
	X(cqc, log_page_size, 0xc3, 5)                                                             \
	X(cqc, dbr_addr, 0x1c0, 64)                                                                \
	X(wq, wq_type, 0x0, 4)                                                                     \
	X(wq, wq_signature, 0x4, 1)                                                                \
	X(wq, end_padding_mode, 0x5, 2)                                                            \
	X(wq, lwm, 0x30, 16)                                                                       \
	X(wq, pd, 0x48, 24)                                                                        \
	X(wq, uar_page, 0x68, 24)                                                                  \
	X(wq, dbr_addr, 0x80, 64)                                                                  \
	X(wq, log_wq_stride, 0x10c, 4)                                                             \
	X(wq, log_wq_pg_sz, 0x113, 5)                                                              \
	X(wq, log_wq_sz, 0x11b, 5)                                                                 \
	X(wq, dbr_umem_valid, 0x120, 1)                                                            \
	X(wq, wq_umem_valid, 0x121, 1)                                                             \
	X(wq, single_wqe_log_num_of_strides, 0x134, 4)                                             \
	X(wq, two_byte_shift_en, 0x138, 1)                                                         \
	X(wq, single_stride_log_num_of_bytes, 0x13d, 3)                                            \
	X(wq, dbr_umem_id, 0x140, 32)                                                              \
	X(wq, wq_umem_id, 0x160, 32)                                                               \
	X(wq, wq_umem_offset, 0x180, 64)                                                           \
	X(create_rq_in, uid, 0x10, 16)                                                             \
	X(create_rq_in, op_mod, 0x30, 16)                                                          \
	X(create_rq_in, ctx, 0x100, 1920)                                                          \
	X(create_rq_out, rqn, 0x48, 24)                                                            \
	X(rqc, rlky, 0x0, 1)                                                                       \
	X(rqc, delay_drop_en, 0x1, 1)                                                              \
	X(rqc, scatter_fcs, 0x2, 1)                                                                \
	X(rqc, vsd, 0x3, 1)                                                                        \
	X(rqc, mem_rq_type, 0x4, 4)                                                                \
	X(rqc, state, 0x8, 4)                                                                      \
	X(rqc, flush_in_error_en, 0xd, 1)                                                          \
	X(rqc, hairpin, 0xe, 1)                                                                    \
	X(rqc, ts_format, 0x1a, 2)                                                                 \
	X(rqc, user_index, 0x28, 24)                                                               \
	X(rqc, cqn, 0x48, 24)                                                                      \
	X(rqc, counter_set_id, 0x60, 8)                                                            \
	X(rqc, rmpn, 0x88, 24)                                                                     \
	X(rqc, wq, 0x180, 1536)                                                                    \
	X(modify_rq_in, rq_state, 0x40, 4)                                                         \
	X(modify_rq_in, rqn, 0x48, 24)                                                             \
	X(modify_rq_in, modify_bitmask, 0x80, 64)                                                  \
	X(modify_rq_in, ctx, 0x100, 1920)                                                          \
	X(query_rq_in, rqn, 0x48, 24)                                                              \
	X(query_rq_out, rq_context, 0x100, 1920)                                                   \
	X(create_sq_in, uid, 0x10, 16)                                                             \
	X(create_sq_in, op_mod, 0x30, 16)                                                          \
	X(create_sq_in, ctx, 0x100, 1920)                                                          \
	X(create_sq_out, sqn, 0x48, 24)                                                            \
	X(sqc, rlky, 0x0, 1)                                                                       \
	X(sqc, fre, 0x2, 1)                                                                        \
	X(sqc, flush_in_error_en, 0x3, 1)                                                          \
	X(sqc, allow_multi_pkt_send_wqe, 0x4, 1)                                                   \
	X(sqc, min_wqe_inline_mode, 0x5, 3)                                                        \
	X(sqc, state, 0x8, 4)                                                                      \
	X(sqc, reg_umr, 0xc, 1)                                                                    \
	X(sqc, allow_swp, 0xd, 1)                                                                  \
	X(sqc, hairpin, 0xe, 1)                                                                    \
	X(sqc, non_wire, 0xf, 1)                                                                   \
	X(sqc, static_sq_wq, 0x10, 1)                                                              \
	X(sqc, ts_format, 0x1a, 2)                                                                 \
	X(sqc, user_index, 0x28, 24)                                                               \
	X(sqc, cqn, 0x48, 24)                                                                      \
	X(sqc, packet_pacing_rate_limit_index, 0xf0, 16)                                           \
	X(sqc, tis_lst_sz, 0x100, 16)                                                              \
	X(sqc, tis_num_0, 0x168, 24)                                                               \
	X(sqc, wq, 0x180, 1536)                                                                    \
	X(modify_sq_in, sq_state, 0x40, 4)                                                         \
	X(modify_sq_in, sqn, 0x48, 24)                                                             \
	X(modify_sq_in, modify_bitmask, 0x80, 64)                                                  \
	X(modify_sq_in, ctx, 0x100, 1920)                                                          \
	X(query_sq_in, sqn, 0x48, 24)                                                              \
	X(create_rqt_in, uid, 0x10, 16)                                                            \
	X(create_rqt_in, op_mod, 0x30, 16)                                                         \
	X(create_rqt_in, rqt_context, 0x100, 1920)                                                 \
	X(create_rqt_out, rqtn, 0x48, 24)                                                          \
	X(rqtc, list_q_type, 0xa5, 3)                                                              \
	X(rqtc, rqt_max_size, 0xb0, 16)                                                            \
	X(rqtc, rqt_actual_size, 0xd0, 16)                                                         \
	X(modify_rqt_in, rqtn, 0x48, 24)                                                           \
	X(modify_rqt_in, modify_bitmask, 0x80, 64)                                                 \
	X(modify_rqt_in, rqt_context, 0x100, 1920)                                                 \
	X(create_tir_in, uid, 0x10, 16)                                                            \
	X(create_tir_in, op_mod, 0x30, 16)                                                         \
	X(create_tir_in, ctx, 0x100, 1920)                                                         \
	X(create_tir_out, tirn, 0x48, 24)                                                          \
	X(tirc, disp_type, 0x20, 4)                                                                \
	X(tirc, lro_timeout_period_usecs, 0x84, 16)                                                \
	X(tirc, lro_enable_mask, 0x94, 4)                                                          \
	X(tirc, lro_max_msg_sz, 0x98, 8)                                                           \
	X(tirc, inline_rqn, 0xe8, 24)                                                              \
	X(tirc, rx_hash_symmetric, 0x100, 1)                                                       \
	X(tirc, tunneled_offload_en, 0x102, 1)                                                     \
	X(tirc, indirect_table, 0x108, 24)                                                         \
	X(tirc, rx_hash_fn, 0x120, 4)                                                              \
	X(tirc, self_lb_block, 0x126, 2)                                                           \
	X(tirc, transport_domain, 0x128, 24)                                                       \
	X(tirc, rx_hash_toeplitz_key, 0x140, 320)                                                  \
	X(tirc, rx_hash_field_selector_outer, 0x280, 32)                                           \
	X(tirc, rx_hash_field_selector_inner, 0x2a0, 32)                                           \
	X(rx_hash_field_select, l3_prot_type, 0x0, 1)                                              \
	X(rx_hash_field_select, l4_prot_type, 0x1, 1)                                              \
	X(rx_hash_field_select, selected_fields, 0x2, 30)                                          \
	X(modify_tir_in, tirn, 0x48, 24)                                                           \
	X(modify_tir_in, modify_bitmask, 0x80, 64)                                                 \
	X(modify_tir_in, ctx, 0x100, 1920)                                                         \
	X(create_tis_in, uid, 0x10, 16)                                                            \
	X(create_tis_in, op_mod, 0x30, 16)                                                         \
	X(create_tis_in, ctx, 0x100, 1280)                                                         \
	X(create_tis_out, tisn, 0x48, 24)                                                          \
	X(tisc, strict_lag_tx_port_affinity, 0x0, 1)                                               \
	X(tisc, lag_tx_port_affinity, 0x4, 4)                                                      \
	X(tisc, prio, 0xc, 4)                                                                      \
	X(tisc, transport_domain, 0x128, 24)                                                       \
	X(query_tis_in, tisn, 0x48, 24)                                                            \
	X(query_tis_out, tis_context, 0x80, 1280)                                                  \
	X(cmd_hca_cap, log_max_qp_sz, 0x88, 8)                                                     \
	X(cmd_hca_cap, log_max_qp, 0x9b, 5)                                                        \
	X(cmd_hca_cap, log_max_cq_sz, 0xc8, 8)                                                     \
	X(cmd_hca_cap, log_max_cq, 0xdb, 5)                                                        \
	X(cmd_hca_cap, log_max_mkey, 0xea, 6)                                                      \
	X(cmd_hca_cap, log_max_eq, 0xfc, 4)                                                        \
	X(cmd_hca_cap, max_indirection, 0x100, 8)                                                  \
	X(cmd_hca_cap, log_max_mrw_sz, 0x109, 7)                                                   \
	X(cmd_hca_cap, end_pad, 0x160, 1)                                                          \
	X(cmd_hca_cap, modify_rq_counter_set_id, 0x184, 1)                                         \
	X(cmd_hca_cap, eth_virt, 0x1a3, 1)                                                         \
	X(cmd_hca_cap, port_type, 0x1b6, 2)                                                        \
	X(cmd_hca_cap, num_ports, 0x1b8, 8)                                                        \
	X(cmd_hca_cap, log_max_msg, 0x1c3, 5)                                                      \
	X(cmd_hca_cap, cqe_version, 0x1fc, 4)                                                      \
	X(cmd_hca_cap, striding_rq, 0x201, 1)                                                      \
	X(cmd_hca_cap, eth_net_offloads, 0x21c, 1)                                                 \
	X(cmd_hca_cap, cq_oi, 0x220, 1)                                                            \
	X(cmd_hca_cap, cq_moderation, 0x222, 1)                                                    \
	X(cmd_hca_cap, max_wqe_sz_sq, 0x290, 16)                                                   \
	X(cmd_hca_cap, max_wqe_sz_rq, 0x2b0, 16)                                                   \
	X(cmd_hca_cap, log_max_transport_domain, 0x323, 5)                                         \
	X(cmd_hca_cap, log_max_pd, 0x32b, 5)                                                       \
	X(cmd_hca_cap, log_max_rq, 0x363, 5)                                                       \
	X(cmd_hca_cap, log_max_sq, 0x36b, 5)                                                       \
	X(cmd_hca_cap, log_max_tir, 0x373, 5)                                                      \
	X(cmd_hca_cap, log_max_tis, 0x37b, 5)                                                      \
	X(cmd_hca_cap, basic_cyclic_rcv_wqe, 0x380, 1)                                             \
	X(cmd_hca_cap, log_max_rqt, 0x38b, 5)                                                      \
	X(cmd_hca_cap, log_max_rqt_size, 0x393, 5)                                                 \
	X(cmd_hca_cap, log_max_tis_per_sq, 0x39b, 5)                                               \
	X(cmd_hca_cap, log_max_stride_sz_rq, 0x3a3, 5)                                             \
	X(cmd_hca_cap, log_min_stride_sz_rq, 0x3ab, 5)                                             \
	X(cmd_hca_cap, log_max_stride_sz_sq, 0x3b3, 5)                                             \
	X(cmd_hca_cap, log_min_stride_sz_sq, 0x3bb, 5)                                             \
	X(cmd_hca_cap, log_max_wq_sz, 0x3db, 5)                                                    \
	X(cmd_hca_cap, sq_ts_format, 0x440, 2)                                                     \
	X(cmd_hca_cap, rq_ts_format, 0x442, 2)                                                     \
	X(cmd_hca_cap, steering_format_version, 0x444, 4)                                          \
	X(cmd_hca_cap, device_frequency_mhz, 0x4c0, 32)                                            \
	X(cmd_hca_cap, device_frequency_khz, 0x4e0, 32)                                            \
	X(cmd_hca_cap, mini_cqe_resp_l3_l4_tag, 0x5b9, 1)                                          \
	X(cmd_hca_cap, mini_cqe_resp_flow_tag, 0x5ba, 1)                                           \
	X(cmd_hca_cap, mini_cqe_resp_stride_index, 0x5bc, 1)                                       \
	X(cmd_hca_cap, cqe_compression, 0x5bf, 1)                                                  \
	X(cmd_hca_cap, cqe_compression_timeout, 0x5c0, 16)                                         \
	X(cmd_hca_cap, cqe_compression_max_num, 0x5d0, 16)                                         \
	X(per_protocol_networking_offload_caps, csum_cap, 0x0, 1)                                  \
	X(per_protocol_networking_offload_caps, vlan_cap, 0x1, 1)                                  \
	X(per_protocol_networking_offload_caps, lro_cap, 0x2, 1)                                   \
	X(per_protocol_networking_offload_caps, lro_max_msg_sz_mode, 0x5, 2)                       \
	X(per_protocol_networking_offload_caps, wqe_vlan_insert, 0x7, 1)                           \
	X(per_protocol_networking_offload_caps, max_lso_cap, 0xb, 5)                               \
	X(per_protocol_networking_offload_caps, multi_pkt_send_wqe, 0x10, 2)                       \
	X(per_protocol_networking_offload_caps, wqe_inline_mode, 0x12, 2)                          \
	X(per_protocol_networking_offload_caps, rss_ind_tbl_cap, 0x14, 4)                          \
	X(per_protocol_networking_offload_caps, scatter_fcs, 0x19, 1)                              \
	X(per_protocol_networking_offload_caps, enhanced_multi_pkt_send_wqe, 0x1a, 1)              \
	X(per_protocol_networking_offload_caps, lro_min_mss_size, 0x50, 16)                        \
	X(per_protocol_networking_offload_caps, lro_timer_supported_periods, 0x180, 128)

/* As DPDK has them from v23.03 on ... */
#define DEVX_FIELDS_23_03(X)                                                                       \
	X(cqc, cqe_comp_layout, 0x1e, 2)                                                           \
	X(cmd_hca_cap, enhanced_cqe_compression, 0x5b0, 1)

/* ... and from v24.07 on. */
#define DEVX_FIELDS_24_07(X)                                                                       \
	X(query_cq_in, cqn, 0x48, 24)                                                              \
	X(query_cq_out, cq_context, 0x80, 512)                                                     \
	X(query_sq_out, sq_context, 0x100, 1920)

/* Of Linux' mlx5_ifc.h. */
#define DEVX_LINUX_FIELDS(X)                                                                       \
	X(modify_tis_in, tisn, 0x48, 24)                                                           \
	X(modify_tis_in, ctx, 0x100, 1280)

/* L(layout, bytes) */
#define DEVX_LAYOUTS_24_07(L)                                                                      \
	L(query_cq_in, 16)                                                                         \
	L(query_cq_out, 272)                                                                       \
	L(query_sq_out, 272)

#define DEVX_LAYOUTS(L)                                                                            \
	L(query_hca_cap_in, 16)                                                                    \
	L(query_hca_cap_out, 16)                                                                   \
	L(query_nic_vport_context_in, 16)                                                          \
	L(query_nic_vport_context_out, 272)                                                        \
	L(nic_vport_context, 256)                                                                  \
	L(mac_address_layout, 8)                                                                   \
	L(alloc_pd_out, 16)                                                                        \
	L(alloc_transport_domain_out, 16)                                                          \
	L(alloc_q_counter_in, 16)                                                                  \
	L(alloc_q_counter_out, 16)                                                                 \
	L(query_q_counter_in, 32)                                                                  \
	L(query_q_counter_out, 256)                                                                \
	L(alloc_flow_counter_in, 16)                                                               \
	L(alloc_flow_counter_out, 16)                                                              \
	L(query_flow_counter_in, 32)                                                               \
	L(create_mkey_in, 272)                                                                     \
	L(create_mkey_out, 16)                                                                     \
	L(mkc, 64)                                                                                 \
	L(create_cq_in, 272)                                                                       \
	L(create_cq_out, 16)                                                                       \
	L(cqc, 64)                                                                                 \
	L(wq, 192)                                                                                 \
	L(create_rq_in, 272)                                                                       \
	L(create_rq_out, 16)                                                                       \
	L(rqc, 240)                                                                                \
	L(modify_rq_in, 272)                                                                       \
	L(query_rq_in, 16)                                                                         \
	L(query_rq_out, 272)                                                                       \
	L(create_sq_in, 272)                                                                       \
	L(create_sq_out, 16)                                                                       \
	L(sqc, 240)                                                                                \
	L(modify_sq_in, 272)                                                                       \
	L(query_sq_in, 16)                                                                         \
	L(create_rqt_in, 272)                                                                      \
	L(create_rqt_out, 16)                                                                      \
	L(rqtc, 240)                                                                               \
	L(modify_rqt_in, 272)                                                                      \
	L(create_tir_in, 272)                                                                      \
	L(create_tir_out, 16)                                                                      \
	L(tirc, 240)                                                                               \
	L(rx_hash_field_select, 4)                                                                 \
	L(modify_tir_in, 272)                                                                      \
	L(create_tis_in, 192)                                                                      \
	L(create_tis_out, 16)                                                                      \
	L(tisc, 160)                                                                               \
	L(query_tis_in, 16)                                                                        \
	L(query_tis_out, 176)                                                                      \
	L(cmd_hca_cap, 256)                                                                        \
	L(per_protocol_networking_offload_caps, 256)

#endif

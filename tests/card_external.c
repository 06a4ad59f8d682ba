/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with a receive queue of its own beside DPDK's driver, made by public
 * interfaces alone, and read by this project's reader of completions:
 *
 *   cqesim card --source numbered:udp --rate posted --limit 100k -- \
 *       tests/card_external -l 1 -a 0000:00:00.0 -- 100000 [compressed]
 *
 * Verbs device, protection domain, memory, CQ, WQ; then the driver on the same context
 * (cmd_fd, pd_handle), an isolated port, the queue mapped as an external one, and a rule
 * that leads there.  Exit status 0: all packets came, in order.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include <rte_bus_pci.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_pmd_mlx5.h>

#include "cqesim/cq.h"

#define PCI_ADDRESS "0000:c1:00.0"
#define SLOTS       1024u
#define ROOM        2048u
#define EXTERNAL    RTE_PMD_MLX5_EXTERNAL_RX_QUEUE_ID_MIN
#define PATIENCE_S  10

#ifndef RTE_PMD_MLX5_EXTERNAL_RX_QUEUE_ID_MIN /* until 24.11 */
#undef EXTERNAL
#define EXTERNAL MLX5_EXTERNAL_RX_QUEUE_ID_MIN
#endif

static struct queue {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_wq *wq;
	uint8_t *memory;
	struct mlx5dv_cq dvcq;
	struct mlx5dv_rwq dvwq;
	struct cqesim_cq_reader reader;
	uint32_t posted;
} queue;

static void must(bool good, const char *what)
{
	if (!good)
		rte_exit(1, "%s: %s\n", what, strerror(errno));
}

static void post(struct queue *q, uint32_t n)
{
	while (n--) {
		uint32_t slot = q->posted++ & (SLOTS - 1);
		struct mlx5_wqe_data_seg *seg =
			(void *)((uint8_t *)q->dvwq.buf + (size_t)slot * q->dvwq.stride);

		seg->byte_count = htobe32(ROOM);
		seg->lkey = htobe32(q->mr->lkey);
		seg->addr = htobe64((uintptr_t)q->memory + (uint64_t)slot * ROOM);
	}
	__atomic_store_n(&q->dvwq.dbrec[MLX5_RCV_DBR], htobe32(q->posted & 0xffff),
			 __ATOMIC_RELEASE);
}

static void open_device(struct queue *q)
{
	struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);

	must(list && n == 1, "devices");
	q->context = mlx5dv_open_device(list[0], &attr);
	must(q->context != NULL, "mlx5dv_open_device");
	ibv_free_device_list(list);
	q->pd = ibv_alloc_pd(q->context);
	must(q->pd != NULL, "ibv_alloc_pd");
	q->memory = aligned_alloc(4096, (size_t)SLOTS * ROOM);
	must(q->memory != NULL, "memory");
	q->mr = ibv_reg_mr(q->pd, q->memory, (size_t)SLOTS * ROOM, IBV_ACCESS_LOCAL_WRITE);
	must(q->mr != NULL, "ibv_reg_mr");
}

static void make_queue(struct queue *q, bool compressed)
{
	struct ibv_cq_init_attr_ex cq_attr = {.cqe = SLOTS - 1};
	struct mlx5dv_cq_init_attr mlx5 = {
		.comp_mask = compressed ? MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE : 0,
		.cqe_comp_res_format = MLX5DV_CQE_RES_FORMAT_HASH,
	};
	struct ibv_cq_ex *cq = mlx5dv_create_cq(q->context, &cq_attr, &mlx5);

	must(cq != NULL, "mlx5dv_create_cq");
	q->cq = ibv_cq_ex_to_cq(cq);
	struct ibv_wq_init_attr wq_attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = SLOTS, .max_sge = 1, .pd = q->pd, .cq = q->cq};
	q->wq = ibv_create_wq(q->context, &wq_attr);
	must(q->wq != NULL, "ibv_create_wq");
	struct mlx5dv_obj obj = {.cq = {.in = q->cq, .out = &q->dvcq},
				 .rwq = {.in = q->wq, .out = &q->dvwq}};
	must(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ | MLX5DV_OBJ_RWQ), "mlx5dv_init_obj");
	must(q->dvwq.wqe_cnt == SLOTS && q->dvcq.cqe_cnt >= SLOTS, "sizes of the queue");
	struct cqesim_cq_shape shape = {.log_size = (unsigned)__builtin_ctz(q->dvcq.cqe_cnt),
					.format = CQESIM_MINI_HASH};
	must(!cqesim_cq_reader_init(&q->reader, q->dvcq.buf, &shape, CQESIM_INVALIDATE_DPDK_SCALAR),
	     "reader");
	struct ibv_wq_attr ready = {.attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY};
	must(!ibv_modify_wq(q->wq, &ready), "ibv_modify_wq");
	post(q, SLOTS);
}

static void start_port(const struct queue *q)
{
	struct rte_eth_conf conf = {.rxmode.mtu = 1500};
	struct rte_flow_error error = {.message = "?"};
	char devargs[128];

	snprintf(devargs, sizeof(devargs), "cmd_fd=%d,pd_handle=%u,dv_flow_en=1",
		 dup(q->context->cmd_fd), q->pd->handle);
	must(!rte_eal_hotplug_add("pci", PCI_ADDRESS, devargs), "probe");
	must(rte_eth_dev_count_avail() == 1, "port");
	must(!rte_flow_isolate(0, 1, &error), "isolate");
	must(!rte_eth_dev_configure(0, 1, 1, &conf), "configure");
	struct rte_mempool *pool = rte_pktmbuf_pool_create(
		"mbufs", 1023, 32, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	must(pool != NULL, "mbufs");
	must(!rte_eth_rx_queue_setup(0, 0, 256, SOCKET_ID_ANY, NULL, pool), "receive queue");
	must(!rte_eth_tx_queue_setup(0, 0, 256, SOCKET_ID_ANY, NULL), "send queue");
	must(!rte_eth_dev_start(0), "start");
}

static struct rte_flow *lead_here(const struct queue *q)
{
	struct rte_flow_attr attr = {.ingress = 1};
	struct rte_flow_item pattern[] = {{.type = RTE_FLOW_ITEM_TYPE_ETH},
					  {.type = RTE_FLOW_ITEM_TYPE_END}};
	struct rte_flow_action_queue to = {.index = EXTERNAL};
	struct rte_flow_action actions[] = {{.type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &to},
					    {.type = RTE_FLOW_ACTION_TYPE_END}};
	struct rte_flow_error error = {.message = "?"};

	must(!rte_pmd_mlx5_external_rx_queue_id_map(0, EXTERNAL, q->wq->wq_num), "map");
	struct rte_flow *flow = rte_flow_create(0, &attr, pattern, actions, &error);
	if (!flow)
		rte_exit(1, "rule: %s\n", error.message);
	return flow;
}

/* As many packets as came, until there are `wanted` or none for a while. */
static uint64_t receive(struct queue *q, uint64_t wanted, uint64_t *sessions)
{
	uint64_t received = 0, end = rte_get_timer_cycles() + PATIENCE_S * rte_get_timer_hz();
	struct cqesim_completion c[64];
	struct cqesim_cq_fault fault;

	while (received < wanted && rte_get_timer_cycles() < end) {
		int n = cqesim_cq_poll(&q->reader, c, RTE_DIM(c), &fault);

		if (n < 0)
			rte_exit(1, "completion %u: %s\n", fault.index,
				 cqesim_cq_fault_name(fault.kind));
		for (int i = 0; i < n; i++) {
			if (c[i].opcode != CQESIM_OP_RESP_SEND ||
			    (!c[i].session_n &&
			     c[i].wqe_counter != (uint16_t)(received + (unsigned)i)))
				rte_exit(1, "packet %" PRIu64 ": opcode %u, WQE %u\n",
					 received + (unsigned)i, c[i].opcode, c[i].wqe_counter);
			*sessions += c[i].session_n && !c[i].session_i;
		}
		received += (unsigned)n;
		if (q->reader.n) /* the rest of a session lies where buffers would be given back */
			continue;
		cqesim_cq_doorbell(&q->reader, q->dvcq.dbrec);
		post(q, (uint32_t)(received + SLOTS - q->posted));
		if (n)
			end = rte_get_timer_cycles() + PATIENCE_S * rte_get_timer_hz();
	}
	return received;
}

int main(int argc, char **argv)
{
	struct queue *q = &queue;
	struct rte_flow_error error;
	uint64_t sessions = 0;
	int used = rte_eal_init(argc, argv);

	must(used >= 0 && used + 1 < argc, "EAL, or the number of packets");
	uint64_t wanted = strtoull(argv[used + 1], NULL, 10);
	open_device(q);
	make_queue(q, used + 2 < argc);
	start_port(q);
	struct rte_flow *flow = lead_here(q);
	uint64_t received = receive(q, wanted, &sessions);
	printf("received %" PRIu64 " of %" PRIu64 " in a queue of our own, %" PRIu64 " sessions\n",
	       received, wanted, sessions);

	must(!rte_flow_destroy(0, flow, &error), "rule");
	must(!rte_pmd_mlx5_external_rx_queue_id_unmap(0, EXTERNAL), "unmap");
	must(!rte_eth_dev_stop(0) && !rte_eth_dev_close(0), "close");
	must(!ibv_destroy_wq(q->wq) && !ibv_destroy_cq(q->cq) && !ibv_dereg_mr(q->mr) &&
		     !ibv_dealloc_pd(q->pd) && !ibv_close_device(q->context),
	     "destroy");
	free(q->memory);
	rte_eal_cleanup();
	return received != wanted;
}

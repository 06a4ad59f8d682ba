/* SPDX-License-Identifier: BSD-3-Clause */
/* What sending adds to the link: see nic.h. */
#include "nic_internal.h"

void cqesim_nic_tx_write(struct cqesim_nic *nic, uint64_t now_ps, enum cqesim_traffic kind,
			 uint64_t address, uint32_t length)
{
	struct cqesim_tlps t = nic_write_cost(nic, address, length);

	nic_count(nic, kind, &t);
	nic_watch(nic, &(struct cqesim_nic_operation){
			       .kind = kind,
			       .time_ps = nic_turn_ps(nic, now_ps),
			       .address = address,
			       .length = length,
		       });
	cqesim_link_server_write(&nic->server, now_ps, &t);
}

/* Reads of a kind are often alike; where a page they begin is all that their cost depends on. */
static void read_cost(struct cqesim_nic *nic, enum cqesim_traffic kind, uint64_t address,
		      uint32_t length, struct cqesim_tlps *request, struct cqesim_tlps *completion)
{
	struct nic_read_cost *last = &nic->tx_read[kind == CQESIM_TRAFFIC_TX_DATA_REQUEST];
	uint32_t offset = (uint32_t)(address & 4095);

	if (length != last->length || offset != last->offset) {
		last->length = length;
		last->offset = offset;
		cqesim_link_read(&nic->link, address, length, &last->request, &last->completion);
	}
	*request = last->request;
	*completion = last->completion;
}

uint64_t cqesim_nic_tx_read_ps(const struct cqesim_nic *nic, uint64_t ready_ps)
{
	return cqesim_link_server_read_ps(&nic->server, ready_ps);
}

uint64_t cqesim_nic_tx_read(struct cqesim_nic *nic, uint64_t now_ps, enum cqesim_traffic kind,
			    uint64_t address, uint32_t length)
{
	struct cqesim_tlps request, completion;

	read_cost(nic, kind, address, length, &request, &completion);
	nic_count(nic, kind, &request);
	nic_count(nic, kind + 1, &completion);
	uint64_t turn_ps = nic_turn_ps(nic, now_ps);
	uint64_t back_ps = cqesim_link_server_read(&nic->server, now_ps, &request, &completion);
	nic_watch(nic, &(struct cqesim_nic_operation){
			       .kind = kind,
			       .time_ps = turn_ps,
			       .back_ps = nic_shown_back_ps(now_ps, turn_ps, back_ps),
			       .address = address,
			       .length = length,
		       });
	return back_ps;
}

void cqesim_nic_tx_doorbell(struct cqesim_nic *nic, uint64_t now_ps, uint32_t length)
{
	struct cqesim_tlps t = cqesim_link_write(&nic->link, 0, length);

	nic_count(nic, CQESIM_TRAFFIC_TX_DOORBELL, &t);
	cqesim_link_server_host_write(&nic->server, now_ps, &t);
}

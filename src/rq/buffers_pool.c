/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages that are cut into fragments and recycled.  See buffers.h. */
#include <errno.h>

#include "cqesim/buffers.h"

int cqesim_page_pool_init(struct cqesim_page_pool *pool, struct cqesim_pool_page *page,
			  uint32_t *stack, uint32_t pages, uint32_t cache_max, uint32_t page_bytes,
			  uint32_t fragment_bytes)
{
	if (!page || !stack || !pages || pages > 1u << 24 || !fragment_bytes ||
	    fragment_bytes > page_bytes)
		return -EINVAL;
	*pool = (struct cqesim_page_pool){
		.page = page,
		.stack = stack,
		.pages = pages,
		.cache_max = cache_max,
		.fragments_per_page = page_bytes / fragment_bytes,
		.unused = pages,
		.at_hand = pages,
	};
	for (uint32_t i = 0; i < pages; i++) {
		page[i] = (struct cqesim_pool_page){0};
		stack[i] = i;
	}
	return 0;
}

/*
 * The stack holds the cached pages' numbers from its start and the unused ones'
 * at its end; what lies between belongs to pages in flight.
 */
static uint32_t *unused_top(struct cqesim_page_pool *p)
{
	return &p->stack[p->pages - p->unused];
}

static bool new_page(struct cqesim_page_pool *p)
{
	uint32_t n;

	if (p->cached) {
		n = p->stack[--p->cached];
		p->recycled++;
	} else if (p->unused) {
		n = *unused_top(p);
		p->unused--;
		p->page[n].exists = true;
		p->allocated++;
	} else {
		return false;
	}
	p->page[n].users = 1;
	p->at_hand = n;
	p->next_fragment = 0;
	if (++p->in_flight > p->in_flight_max)
		p->in_flight_max = p->in_flight;
	return true;
}

/* The last user of a page has gone. */
static void release(struct cqesim_page_pool *p, uint32_t n)
{
	p->in_flight--;
	if (p->cached < p->cache_max) {
		p->stack[p->cached++] = n;
		return;
	}
	p->page[n].exists = false;
	p->freed++;
	p->unused++;
	*unused_top(p) = n;
}

static void put_away(struct cqesim_page_pool *p)
{
	uint32_t n = p->at_hand;

	p->at_hand = p->pages;
	if (!--p->page[n].users)
		release(p, n);
}

int cqesim_page_pool_take(struct cqesim_page_pool *p, uint32_t *page, uint32_t *fragment)
{
	if (p->at_hand == p->pages && !new_page(p))
		return -ENOBUFS;
	*page = p->at_hand;
	if (fragment)
		*fragment = p->next_fragment;
	p->page[*page].users++;
	p->taken++;
	if (++p->next_fragment == p->fragments_per_page)
		put_away(p);
	return 0;
}

int cqesim_page_pool_give(struct cqesim_page_pool *p, uint32_t n)
{
	if (n >= p->pages || p->page[n].users <= (n == p->at_hand ? 1u : 0u))
		return -EINVAL;
	if (!--p->page[n].users)
		release(p, n);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of objects by number: the lowest that is free is given out, and 24 bits hold it. */
#include <stdlib.h>

#include "card_internal.h"

#define NUMBER_MAX 0xffffffu

static int grow(struct card_table *t)
{
	uint32_t more = t->count ? 2 * t->count : 16;

	if (t->count == NUMBER_MAX)
		return -ENOMEM;
	if (more > NUMBER_MAX)
		more = NUMBER_MAX;
	void **item = realloc(t->item, more * sizeof(*item));
	if (!item)
		return -ENOMEM;
	for (uint32_t i = t->count; i < more; i++)
		item[i] = NULL;
	t->item = item;
	t->count = more;
	return 0;
}

int card_table_add(struct card_table *t, void *item, uint32_t *number)
{
	uint32_t i = 0;

	while (i < t->count && t->item[i])
		i++;
	if (i == t->count && grow(t))
		return -ENOMEM;
	t->item[i] = item;
	*number = i + 1;
	return 0;
}

void card_table_remove(struct card_table *t, uint32_t number)
{
	t->item[number - 1] = NULL;
}

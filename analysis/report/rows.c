/* SPDX-License-Identifier: MIT */
/* By the places that rows have in the order of each column. */
#include "analysis/report/rows.h"

#include <stdlib.h>

#include "analysis/report/memory.h"
#include "analysis/report/table.h"

struct ranked {
	double key;
	size_t row;
};

static int by_key(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Of each row the best place that it has by any key; the caller's. `rows` is room for as many. */
static size_t *best_places(const struct table *t, const char *const *keys, struct ranked *rows)
{
	size_t *places = need(calloc(t->row_count + 1, sizeof(*places)));

	for (size_t i = 0; i < t->row_count; i++)
		places[i] = t->row_count;
	for (size_t k = 0; k < ROWS_KEYS && keys[k]; k++) {
		for (size_t i = 0; i < t->row_count; i++)
			rows[i] = (struct ranked){ cell_real(table_get(t, i, keys[k])), i };
		qsort(rows, t->row_count, sizeof(*rows), by_key);
		for (size_t i = 0; i < t->row_count && rows[i].key > 0; i++)
			if (i < places[rows[i].row])
				places[rows[i].row] = i;
	}
	return places;
}

bool *rows_choose(const struct table *t, const char *const keys[ROWS_KEYS], size_t most)
{
	bool *chosen = need(calloc(t->row_count + 1, sizeof(*chosen)));
	struct ranked *rows;
	size_t *places;

	for (size_t i = 0; i < t->row_count && t->row_count <= most; i++)
		chosen[i] = true;
	if (t->row_count <= most)
		return chosen;
	rows = need(calloc(t->row_count, sizeof(*rows)));
	places = best_places(t, keys, rows);
	for (size_t i = 0; i < t->row_count; i++)
		rows[i] = (struct ranked){ -(double)places[i], i };
	qsort(rows, t->row_count, sizeof(*rows), by_key);
	for (size_t i = 0; i < most; i++)
		chosen[rows[i].row] = true;
	free(places);
	free(rows);
	return chosen;
}

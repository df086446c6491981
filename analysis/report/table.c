/* SPDX-License-Identifier: MIT */
/* Typed tables and series in memory. Out of memory stops the program: this is an offline tool. */
#include "analysis/report/table.h"

#include <math.h>
#include <string.h>

#include "analysis/report/memory.h"

static const struct cell null_cell = { .type = CELL_NULL };

/* Room for one more element of an array that doubles. */
static void *grow(void *array, size_t count, size_t *capacity, size_t element)
{
	if (count < *capacity)
		return array;
	*capacity = *capacity ? *capacity * 2 : 16;
	return need(reallocarray(array, *capacity, element));
}

static void cell_clear(struct cell *c)
{
	if (c->type == CELL_TEXT)
		free(c->text);
	else if (c->type == CELL_TREE)
		json_decref(c->tree);
	c->type = CELL_NULL;
}

static void table_free(struct table *t)
{
	for (size_t i = 0; i < t->row_count * t->column_count; i++)
		cell_clear(&t->cells[i]);
	free(t->cells);
	free(t);
}

static void series_free(struct series *s)
{
	free(s->host);
	free(s->library);
	free(s->device);
	free(s->points);
	free(s);
}

struct report *report_new(void)
{
	return need(calloc(1, sizeof(struct report)));
}

void report_free(struct report *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->table_count; i++)
		table_free(r->tables[i]);
	for (size_t i = 0; i < r->series_count; i++)
		series_free(r->series[i]);
	free(r->shown);
	free(r->tables);
	free(r->series);
	free(r);
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

void report_keep(struct report *r, const char *const *names, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->table_count; i++) {
		if (is_among(r->tables[i]->name, names, count))
			r->tables[kept++] = r->tables[i];
		else
			table_free(r->tables[i]);
	}
	r->table_count = kept;
	for (size_t i = 0; i < r->series_count; i++)
		series_free(r->series[i]);
	r->series_count = 0;
}

struct table *report_add_table(struct report *r, const char *name, const char *title,
			       const struct column *columns, size_t column_count)
{
	struct table *t = need(calloc(1, sizeof(*t)));

	t->name = name;
	t->title = title;
	t->columns = columns;
	t->column_count = column_count;
	r->tables = need(reallocarray(r->tables, r->table_count + 1, sizeof(*r->tables)));
	r->tables[r->table_count++] = t;
	return t;
}

struct table *report_table(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->table_count; i++)
		if (!strcmp(r->tables[i]->name, name))
			return r->tables[i];
	return NULL;
}

struct series *report_add_series(struct report *r, const char *name, const char *title,
				 const char *unit, uint32_t trace, int64_t process,
				 const char *host)
{
	struct series *s = need(calloc(1, sizeof(*s)));

	s->name = name;
	s->title = title;
	s->unit = unit;
	s->trace = trace;
	s->process = process;
	s->host = need(strdup(host ? host : ""));
	s->mean = NAN;
	s->library = need(strdup(""));
	s->of = -1;
	s->device = need(strdup(""));
	r->series = need(reallocarray(r->series, r->series_count + 1, sizeof(*r->series)));
	r->series[r->series_count++] = s;
	return s;
}

void series_of_library(struct series *s, const char *library)
{
	free(s->library);
	s->library = need(strdup(library));
}

void series_of_device(struct series *s, const char *device)
{
	free(s->device);
	s->device = need(strdup(device));
}

void series_add(struct series *s, int64_t t, double value)
{
	s->points = grow(s->points, s->point_count, &s->point_capacity, sizeof(*s->points));
	s->points[s->point_count++] = (struct point){ .t = t, .value = value };
}

void table_add_row(struct table *t)
{
	t->cells = grow(t->cells, t->row_count, &t->row_capacity,
			t->column_count * sizeof(*t->cells));
	for (size_t i = 0; i < t->column_count; i++)
		t->cells[t->row_count * t->column_count + i] = null_cell;
	t->row_count++;
}

/* Looked for from column `from` on; names are unique. */
static ssize_t column_from(const struct table *t, const char *column, size_t from)
{
	for (size_t i = 0; i < t->column_count; i++, from++) {
		from = from < t->column_count ? from : 0;
		if (!strcmp(t->columns[from].name, column))
			return (ssize_t)from;
	}
	return -1;
}

static ssize_t column_index(const struct table *t, const char *column)
{
	return column_from(t, column, 0);
}

/* The cell of the last row, emptied. A column that does not exist is a bug of the analysis. */
static struct cell *last(struct table *t, const char *column)
{
	/* Rows are mostly filled from left to right. */
	ssize_t i = column_from(t, column, t->next_column);
	struct cell *c;

	if (i < 0 || !t->row_count) {
		fprintf(stderr, "dltrace-report: bug: table %s has no %s %s\n", t->name,
			i < 0 ? "column" : "row for", column);
		abort();
	}
	t->next_column = (size_t)i + 1;
	c = &t->cells[(t->row_count - 1) * t->column_count + (size_t)i];
	cell_clear(c);
	return c;
}

void table_set_int(struct table *t, const char *column, int64_t value)
{
	*last(t, column) = (struct cell){ .type = CELL_INT, .i = value };
}

void table_set_uint(struct table *t, const char *column, uint64_t value)
{
	*last(t, column) = (struct cell){ .type = CELL_UINT, .u = value };
}

void table_set_real(struct table *t, const char *column, double value)
{
	*last(t, column) = (struct cell){ .type = CELL_REAL, .r = value };
}

void table_set_text(struct table *t, const char *column, const char *value)
{
	struct cell *c = last(t, column);

	if (value)
		*c = (struct cell){ .type = CELL_TEXT, .text = need(strdup(value)) };
}

void table_set_tree(struct table *t, const char *column, json_t *value)
{
	struct cell *c = last(t, column);

	if (value)
		*c = (struct cell){ .type = CELL_TREE, .tree = value };
}

const struct cell *table_get(const struct table *t, size_t row, const char *column)
{
	ssize_t i = t ? column_index(t, column) : -1;

	if (i < 0 || row >= t->row_count)
		return &null_cell;
	return &t->cells[row * t->column_count + (size_t)i];
}

const struct cell *report_process(const struct report *r, const struct cell *process, const char *column)
{
	const struct table *t = report_table(r, "processes");
	size_t low = 0, high = t ? t->row_count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cell_uint(table_get(t, middle, "process")) < cell_uint(process))
			low = middle + 1;
		else
			high = middle;
	}
	return cell_uint(table_get(t, low, "process")) == cell_uint(process) ? table_get(t, low, column) : &null_cell;
}

double cell_real(const struct cell *c)
{
	switch (c->type) {
	case CELL_INT:
		return (double)c->i;
	case CELL_UINT:
		return (double)c->u;
	case CELL_REAL:
		return c->r;
	default:
		return 0;
	}
}

uint64_t cell_uint(const struct cell *c)
{
	switch (c->type) {
	case CELL_INT:
		return c->i > 0 ? (uint64_t)c->i : 0;
	case CELL_UINT:
		return c->u;
	case CELL_REAL:
		return c->r > 0 ? c->r < 0x1p64 ? (uint64_t)c->r : UINT64_MAX : 0;
	default:
		return 0;
	}
}

const char *cell_text(const struct cell *c)
{
	return c->type == CELL_TEXT ? c->text : "";
}

/* Integers are compared as such: 2^53 and above differ by one in reality, not as doubles. */
static int compare(const struct cell *a, const struct cell *b)
{
	if (a->type == CELL_UINT && b->type == CELL_UINT)
		return (a->u > b->u) - (a->u < b->u);
	return (cell_real(a) > cell_real(b)) - (cell_real(a) < cell_real(b));
}

/* Which of two cells comes after the other (> 0). */
typedef int (*order_fn)(const struct cell *, const struct cell *);

static int falling(const struct cell *a, const struct cell *b)
{
	return compare(b, a);
}

static int rising(const struct cell *a, const struct cell *b)
{
	if (a->type == CELL_NULL || b->type == CELL_NULL)
		return (a->type == CELL_NULL) - (b->type == CELL_NULL);
	return compare(a, b);
}

/* Merges two runs of rows that are in order; rows of the left run come first when equal. */
static void merge(struct cell *to, const struct cell *left, size_t left_rows,
		  const struct cell *right, size_t right_rows, size_t width, size_t key, order_fn order)
{
	while (left_rows || right_rows) {
		bool take_left = left_rows &&
				 (!right_rows || order(&left[key], &right[key]) <= 0);
		const struct cell **from = take_left ? &left : &right;

		memcpy(to, *from, width * sizeof(*to));
		to += width;
		*from += width;
		--*(take_left ? &left_rows : &right_rows);
	}
}

static void sort(struct table *t, size_t first, const char *column, order_fn order)
{
	size_t width = t->column_count, rows = t->row_count - first;
	ssize_t key = column_index(t, column);
	struct cell *begin = t->cells + first * width, *from = begin, *to, *spare;

	if (key < 0 || rows < 2)
		return;
	spare = to = need(reallocarray(NULL, rows * width, sizeof(*to)));
	for (size_t run = 1; run < rows; run *= 2) {
		struct cell *swap = from;

		for (size_t i = 0; i < rows; i += 2 * run) {
			size_t rest = rows - i;
			size_t a = rest < run ? rest : run;
			size_t b = rest - a < run ? rest - a : run;

			merge(to + i * width, from + i * width, a, from + (i + a) * width, b, width,
			      (size_t)key, order);
		}
		from = to;
		to = swap;
	}
	if (from != begin)
		memcpy(begin, from, rows * width * sizeof(*from));
	free(spare);
}

void table_sort_falling(struct table *t, const char *column)
{
	sort(t, 0, column, falling);
}

void table_sort_rising(struct table *t, const char *column, size_t first)
{
	sort(t, first, column, rising);
}

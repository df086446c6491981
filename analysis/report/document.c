/* SPDX-License-Identifier: MIT */
/* Which tables a document has, in which order, and their cells as text. */
#include "analysis/report/document.h"

#include <errno.h>
#include <string.h>

#include "analysis/report/curve_view.h"
#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/memory.h"
#include "analysis/report/study.h"

/* What stands first where there are several traces. */
static const char *const first[] = {
	"findings", "study", "runs", "comparison", "changes", "scaling", "clocks", "kinds",
};

#define FIRST (sizeof(first) / sizeof(*first))

/* ---- cells ---- */

static char *clean(const char *text)
{
	return text_clean(text, true);
}

static char *cell_words(const struct table *t, size_t row, size_t column)
{
	const struct cell *c = &t->cells[row * t->column_count + column];
	char buf[FORMAT_SIZE], *words, *text;

	if (c->type == CELL_TEXT)
		return clean(c->text);
	if (c->type == CELL_NULL)
		return clean("");
	if (c->type != CELL_TREE)
		return clean(format_cell(buf, table_unit(t, row, column), c, true));
	words = format_tree(c->tree);
	text = clean(words);
	free(words);
	return text;
}

static bool is_empty(const struct table *t, size_t column)
{
	for (size_t row = 0; row < t->row_count; row++)
		if (t->cells[row * t->column_count + column].type != CELL_NULL)
			return false;
	return true;
}

static bool is_text(enum unit unit)
{
	return unit == UNIT_TEXT || unit == UNIT_TREE;
}

static void sheet_release(struct sheet *s)
{
	for (size_t i = 0; i < s->columns * (s->rows + 1); i++)
		free(s->cells[i]);
	free(s->cells);
	free((bool *)s->numeric);
}

static struct sheet sheet_new(const char *title, size_t columns, size_t rows)
{
	return (struct sheet){
		.title = title, .columns = columns, .rows = rows,
		.cells = need(calloc(columns * (rows + 1) + 1, sizeof(char *))),
		.numeric = need(calloc(columns + 1, sizeof(bool))),
	};
}

/* ---- tables ---- */

static void put_table(const struct document *d, const struct table *t, size_t most)
{
	size_t rows = most && t->row_count > most ? most : t->row_count, columns = 0, at = 0;
	size_t *shown = need(calloc(t->column_count + 1, sizeof(*shown)));
	struct sheet s;

	for (size_t i = 0; i < t->column_count; i++)
		if (!is_empty(t, i) || !t->row_count)
			shown[columns++] = i;
	s = sheet_new(t->title, columns, rows);
	s.left_out = t->row_count - rows;
	for (size_t i = 0; i < columns; i++) {
		const struct column *c = &t->columns[shown[i]];

		s.cells[at++] = clean(*c->title ? c->title : c->name);
		((bool *)s.numeric)[i] = !is_text(c->unit);
	}
	for (size_t row = 0; row < rows; row++)
		for (size_t i = 0; i < columns; i++)
			s.cells[at++] = cell_words(t, row, shown[i]);
	d->sheet(d, &s);
	sheet_release(&s);
	free(shown);
}

static void put_series(const struct document *d, const struct report *r, size_t most)
{
	static const char *const titles[] = { "trace", "process", "name", "min", "mean", "max" };
	size_t rows = most && r->series_count > most ? most : r->series_count, at = 0;
	struct sheet s = sheet_new("Curves", 6, rows);
	char buf[FORMAT_SIZE];

	s.left_out = r->series_count - rows;
	for (size_t i = 0; i < 6; i++) {
		s.cells[at++] = clean(titles[i]);
		((bool *)s.numeric)[i] = i != 2;
	}
	for (size_t row = 0; row < rows; row++) {
		const struct series *one = r->series[row];
		struct summary sum = { 0 };
		bool known = series_summary(one, &sum);
		const double values[] = { sum.min, sum.mean, sum.max };

		s.cells[at++] = clean(format_value(buf, UNIT_ID, one->trace, true));
		s.cells[at++] = clean(one->process < 0 ? "" : format_value(buf, UNIT_ID, (double)one->process,
									    true));
		s.cells[at++] = clean(one->name);
		for (size_t i = 0; i < 3; i++)
			s.cells[at++] = clean(!known ? "" : format_value(buf, format_unit(one->unit), values[i],
									  true));
	}
	d->sheet(d, &s);
	sheet_release(&s);
}

/* "difference: mean less that of the reference; ..." */
static void put_help(const struct document *d, const struct table *t)
{
	char *text;
	size_t size;
	FILE *f = text_open(&text, &size);
	bool any = false;

	for (size_t i = 0; i < t->column_count; i++) {
		if (!*t->columns[i].help || is_empty(t, i))
			continue;
		fprintf(f, "%s%s: %s", any ? "; " : "", t->columns[i].title, t->columns[i].help);
		any = true;
	}
	text_close(f, &text);
	if (any)
		d->paragraph(d, text);
	free(text);
}

/* ---- the study's tables ---- */

static void put_study(const struct document *d, const struct study *study)
{
	struct sheet s = sheet_new("", study->columns + 1, study->rows);
	char text[512];
	size_t at = 0;

	s.cells[at++] = clean("");
	for (size_t i = 0; i < study->columns; i++) {
		snprintf(text, sizeof(text), "%s%s%s", study->models[i],
			 *study->models[i] && *study->datasets[i] ? " / " : "", study->datasets[i]);
		s.cells[at++] = clean(text);
		((bool *)s.numeric)[i + 1] = true;
	}
	for (size_t row = 0; row < study->rows; row++) {
		s.cells[at++] = clean(study->subjects[row]);
		for (size_t i = 0; i < study->columns; i++)
			s.cells[at++] = clean(study_text(study, row, i, true, text, sizeof(text)));
	}
	d->heading(d, 2, study_title(study, text, sizeof(text)));
	d->sheet(d, &s);
	d->paragraph(d, study_note(study, true, text, sizeof(text)));
	sheet_release(&s);
}

static void put_studies(const struct document *d, const struct report *r)
{
	struct study *studies;
	size_t count = studies_of(r, &studies);

	for (size_t i = 0; i < count; i++)
		put_study(d, &studies[i]);
	studies_free(studies, count);
}

/* ---- the whole ---- */

static bool comes_first(const char *name)
{
	for (size_t i = 0; i < FIRST; i++)
		if (!strcmp(first[i], name))
			return true;
	return false;
}

static void put_section(const struct document *d, const struct report *r, const struct table *t)
{
	if (!t || !t->row_count)
		return;
	if (!strcmp(t->name, "study")) {
		put_studies(d, r);
		return;
	}
	d->heading(d, 2, t->title);
	put_table(d, t, d->rows);
	put_help(d, t);
}

static void put_whole(const struct document *d, const struct report *r)
{
	d->heading(d, 1, "dltrace report");
	for (size_t i = 0; i < FIRST; i++)
		put_section(d, r, report_table(r, first[i]));
	for (size_t i = 0; i < r->table_count; i++)
		if (!comes_first(r->tables[i]->name))
			put_section(d, r, r->tables[i]);
	if (r->series_count) {
		d->heading(d, 2, "Curves");
		put_series(d, r, d->rows);
	}
}

int document_write(struct document *d, const struct report *r, const char *page)
{
	const struct table *t = page ? report_table(r, page) : NULL;

	if (page && !t && strcmp(page, "series"))
		return -ENOENT;
	d->whole = !page;
	d->begin(d);
	if (!page)
		put_whole(d, r);
	else if (!t)
		put_series(d, r, 0);
	else if (!strcmp(page, "study"))
		put_studies(d, r);
	else
		put_table(d, t, 0);
	d->end(d);
	return 0;
}

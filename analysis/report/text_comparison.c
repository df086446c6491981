/* SPDX-License-Identifier: MIT */
/* The text report's first section where there are several traces: groups of runs against each other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/curve_view.h"
#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/peaks.h"
#include "analysis/report/study.h"
#include "analysis/report/text.h"

#define GROUPS_SHOWN	12	/* as lines */
#define TRIFLE		0.005
#define CHANGES_GROUPS	3

static const char *text_of(const struct table *t, size_t row, const char *column)
{
	return cell_text(table_get(t, row, column));
}

/* The row of one quantity of a group; the number of rows: none. */
static size_t row_of(const struct table *c, double group, const char *quantity)
{
	size_t row = 0;

	while (row < c->row_count && (cell_real(table_get(c, row, "group")) != group ||
				      strcmp(text_of(c, row, "quantity"), quantity)))
		row++;
	return row;
}

static double groups_in(const struct report *r)
{
	const struct table *runs = report_table(r, "runs");
	double most = -1;

	for (size_t i = 0; i < text_rows(runs); i++)
		most = fmax(most, cell_real(table_get(runs, i, "group")));
	return most + 1;
}

static const char *sign(const struct text *t)
{
	return t->o->unicode ? "±" : "+-";
}

/* "12.3 s ± 0.4 s" into the grid; "(2)" after it: of so many runs only. */
static void put_mean(const struct text *t, struct grid *g, const struct table *c, size_t row, size_t total)
{
	const struct cell *mean = table_get(c, row, "mean"), *high = table_get(c, row, "high");
	enum unit unit = format_unit(text_of(c, row, "unit"));
	const struct cell *runs = table_get(c, row, "runs");
	char value[FORMAT_SIZE], half[FORMAT_SIZE], cell[3 * FORMAT_SIZE + 16] = "";

	if (row < c->row_count && mean->type != CELL_NULL && high->type != CELL_NULL)
		snprintf(cell, sizeof(cell), "%s %s %s", format_cell(value, unit, mean, t->o->unicode), sign(t),
			 format_value(half, unit, cell_real(high) - cell_real(mean), t->o->unicode));
	else if (row < c->row_count && mean->type != CELL_NULL)
		snprintf(cell, sizeof(cell), "%s", format_cell(value, unit, mean, t->o->unicode));
	if (*cell && cell_uint(runs) < cell_uint(table_get(c, total, "runs")))
		snprintf(cell + strlen(cell), sizeof(cell) - strlen(cell), " (%s)",
			 format_cell(value, UNIT_COUNT, runs, t->o->unicode));
	grid_text(g, cell, STYLE_PLAIN);
}

/* Into the grid. The word `baseline`, which a name ends with, comes first: what is too long is cut at its end. */
static void put_group_name(struct grid *g, const char *name)
{
	static const char last[] = " baseline";
	size_t n = strlen(name), of = sizeof(last) - 1;
	char *turned = NULL;

	if (n > of && !strcmp(name + n - of, last) && asprintf(&turned, "baseline: %.*s", (int)(n - of), name) < 0)
		turned = NULL;
	grid_text(g, turned ? turned : name, STYLE_PLAIN);
	free(turned);
}

/* Columns that have something in any row. */
struct change_columns {
	bool change, sure;
};

static struct change_columns change_columns_of(const struct table *c)
{
	return (struct change_columns){ text_any(c, "change"), text_any(c, "significant") };
}

static void add_change_columns(struct grid *g, const struct change_columns *columns, int optional)
{
	if (columns->change)
		grid_column(g, "change", GRID_RIGHT, optional);
	if (columns->sure)
		grid_column(g, "sure", 0, 0);
}

/* "+21.8 %", and how sure that is. */
static void put_change(struct grid *g, const struct table *c, const struct change_columns *columns, size_t row)
{
	const struct cell *change = table_get(c, row, "change"), *sure = table_get(c, row, "significant");
	bool differs = sure->type != CELL_NULL && cell_uint(sure);
	char percent[FORMAT_SIZE], text[FORMAT_SIZE + 8] = "";

	if (change->type != CELL_NULL)
		snprintf(text, sizeof(text), "%s%s", cell_real(change) > 0 ? "+" : "",
			 format_percent(percent, cell_real(change) * 100));
	if (columns->change)
		grid_text(g, text, !differs ? STYLE_PLAIN : cell_real(change) > 0 ? STYLE_PROBLEM : STYLE_GOOD);
	if (columns->sure)
		grid_text(g, sure->type == CELL_NULL ? "" : differs ? "yes" : "no", STYLE_PLAIN);
}

static const struct { const char *quantity, *title; int optional; } shown[] = {
	{ "epoch", "epoch", 1 }, { "iteration", "iteration", 2 }, { "rss_peak", "memory peak", 3 },
	{ "gpu_peak", "GPU peak", 4 }, { "cpu", "CPU time", 5 },
};

#define SHOWN (sizeof(shown) / sizeof(*shown))

/* "3, 1 failed", "1 failed" */
static const char *runs_text(const struct table *c, size_t total, char *text, size_t size)
{
	double good = cell_real(table_get(c, total, "runs")), failed = cell_real(table_get(c, total, "failed"));
	char count[FORMAT_SIZE];

	*text = '\0';
	if (good > 0 || failed <= 0)
		snprintf(text, size, "%s%s", format_whole(count, good), failed > 0 ? ", " : "");
	if (failed > 0)
		snprintf(text + strlen(text), size - strlen(text), "%s failed", format_whole(count, failed));
	return text;
}

static void put_group(const struct text *t, struct grid *g, const struct table *c,
		      const struct change_columns *changes, double group, const bool *any)
{
	size_t total = row_of(c, group, "total");
	char runs[2 * FORMAT_SIZE + 16];

	grid_row(g);
	put_group_name(g, text_of(c, total, "name"));
	grid_text(g, runs_text(c, total, runs, sizeof(runs)),
		  cell_real(table_get(c, total, "failed")) > 0 ? STYLE_PROBLEM : STYLE_PLAIN);
	put_mean(t, g, c, total, total);
	put_change(g, c, changes, total);
	for (size_t i = 0; i < SHOWN; i++)
		if (any[i])
			put_mean(t, g, c, row_of(c, group, shown[i].quantity), total);
}

static void put_groups(const struct text *t, const struct table *c, double groups)
{
	const struct change_columns changes = change_columns_of(c);
	struct grid *g = grid_new(t->o);
	bool any[SHOWN];

	/* The first line of all. */
	text_title(t, "Comparison", "means, 95 % intervals; (n): of so many runs alone");
	grid_column(g, "", GRID_STRETCH | GRID_NAME, 0);
	grid_column(g, "runs", GRID_RIGHT, 0);
	grid_column(g, "total", GRID_RIGHT, 0);
	add_change_columns(g, &changes, 0);
	for (size_t i = 0; i < SHOWN; i++) {
		any[i] = false;
		for (double k = 0; k < groups; k++)
			any[i] = any[i] || table_get(c, row_of(c, k, shown[i].quantity), "mean")->type != CELL_NULL;
		if (any[i])
			grid_column(g, shown[i].title, GRID_RIGHT, shown[i].optional);
	}
	for (double k = 0; k < groups && k < GROUPS_SHOWN; k++)
		put_group(t, g, c, &changes, k, any);
	grid_print(g, t->out, 2);
	grid_free(g);
	if (groups > GROUPS_SHOWN)
		text_more(t, (size_t)groups, GROUPS_SHOWN, "comparison");
}

/* ---- the study's tables ---- */

static void put_study(const struct text *t, const struct study *s)
{
	char title[512], note[256], text[512];
	struct grid *g = grid_new(t->o);
	char **titles = calloc(s->columns, sizeof(*titles));

	text_heading(t, study_title(s, title, sizeof(title)), study_note(s, t->o->unicode, note, sizeof(note)));
	grid_column(g, "", GRID_STRETCH, 0);
	for (size_t i = 0; titles && i < s->columns; i++) {
		if (asprintf(&titles[i], "%s%s%s", s->models[i], *s->models[i] && *s->datasets[i] ? "/" : "",
			     s->datasets[i]) < 0)
			titles[i] = NULL;
		grid_column(g, titles[i] ? titles[i] : "", GRID_RIGHT, (int)i);
	}
	for (size_t row = 0; row < s->rows; row++) {
		grid_row(g);
		grid_text(g, s->subjects[row], STYLE_PLAIN);
		for (size_t i = 0; i < s->columns; i++)
			grid_text(g, study_text(s, row, i, t->o->unicode, text, sizeof(text)), STYLE_PLAIN);
	}
	grid_print(g, t->out, 2);
	grid_free(g);
	for (size_t i = 0; titles && i < s->columns; i++)
		free(titles[i]);
	free(titles);
}

/* One column says no more than the lines above. */
static void put_studies(const struct text *t)
{
	struct study *studies;
	size_t count = studies_of(t->r, &studies);

	for (size_t i = 0; i < count; i++)
		if (studies[i].columns > 1)
			put_study(t, &studies[i]);
	studies_free(studies, count);
}

/* ---- kinds of work ---- */

static bool is_first_of(const struct table *c, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (!strcmp(text_of(c, i, "quantity"), text_of(c, row, "quantity")))
			return false;
	return true;
}

static bool is_kind(const struct table *c, size_t row)
{
	return !strncmp(text_of(c, row, "quantity"), "share:", 6) && is_first_of(c, row);
}

static double mean_of(const struct table *c, double group, const char *quantity)
{
	size_t row = row_of(c, group, quantity);

	return row < c->row_count ? cell_real(table_get(c, row, "mean")) : 0;
}

static double largest_of(const struct table *c, double groups, const char *quantity)
{
	double largest = 0;

	for (double k = 0; k < groups; k++)
		largest = fmax(largest, mean_of(c, k, quantity));
	return largest;
}

/* Where there is no room for all columns those go first that are small in every group. */
static int place_of(const struct table *c, double groups, const char *quantity)
{
	double own = largest_of(c, groups, quantity);
	int place = 0;

	for (size_t row = 0; row < c->row_count; row++)
		place += is_kind(c, row) && largest_of(c, groups, text_of(c, row, "quantity")) > own;
	return place;
}

/* Frameworks none of whose calls are seen have no shares. */
static bool has_kinds(const struct table *c, double group)
{
	for (size_t row = 0; row < c->row_count; row++)
		if (is_kind(c, row) && mean_of(c, group, text_of(c, row, "quantity")) > 0)
			return true;
	return false;
}

static void put_kinds(const struct text *t, const struct table *c, double groups)
{
	struct grid *g = grid_new(t->o);
	bool any = false;

	grid_column(g, "", GRID_STRETCH | GRID_NAME, 0);
	for (size_t row = 0; row < c->row_count; row++) {
		const char *quantity = text_of(c, row, "quantity");

		if (!is_kind(c, row))
			continue;
		grid_column(g, quantity + 6, GRID_RIGHT, place_of(c, groups, quantity));
		any = true;
	}
	for (double k = 0; k < groups && k < GROUPS_SHOWN; k++) {
		size_t total = row_of(c, k, "total");
		bool has = has_kinds(c, k);

		grid_row(g);
		put_group_name(g, text_of(c, total, "name"));
		for (size_t row = 0; row < c->row_count; row++) {
			if (!is_kind(c, row))
				continue;
			if (has)
				put_mean(t, g, c, row_of(c, k, text_of(c, row, "quantity")), total);
			else
				grid_text(g, t->o->unicode ? "–" : "-", STYLE_DIM);
		}
	}
	if (any) {
		text_heading(t, "Share of time in calls, by kind of work", NULL);
		grid_print(g, t->out, 2);
	}
	grid_free(g);
}

/* ---- what grew ---- */

static void put_change_row(const struct text *t, struct grid *g, const struct table *c,
			   const struct change_columns *columns, size_t row)
{
	const struct cell *low = table_get(c, row, "difference_low_ns");
	double difference = cell_real(table_get(c, row, "difference_ns"));
	char half[FORMAT_SIZE], by[FORMAT_SIZE], text[2 * FORMAT_SIZE + 8];

	snprintf(text, sizeof(text), "%s%s", difference > 0 ? "+" : "",
		 format_ns(by, difference, t->o->unicode));
	if (low->type != CELL_NULL)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s %s", sign(t),
			 format_ns(half, difference - cell_real(low), t->o->unicode));
	grid_row(g);
	grid_text(g, text_of(c, row, "name"), STYLE_PLAIN);
	grid_cell(g, UNIT_NS, table_get(c, row, "before_ns"));
	grid_cell(g, UNIT_NS, table_get(c, row, "after_ns"));
	grid_text(g, text, STYLE_PLAIN);
	put_change(g, c, columns, row);
}

/* What is told of a group, the line above it, and how many of it. */
static const struct { const char *what, *title; size_t most; } changing[] = {
	{ "function", "functions", 8 }, { "library", "libraries", 4 }, { "phase", "phases", 5 },
};

#define CHANGING (sizeof(changing) / sizeof(changing[0]))

static bool is_change_of(const struct table *c, size_t row, double group, const char *what)
{
	return cell_real(table_get(c, row, "group")) == group && !strcmp(text_of(c, row, "what"), what) &&
	       cell_real(table_get(c, row, "difference_ns")) != 0;
}

static double change_of(const struct table *c, size_t row)
{
	return fabs(cell_real(table_get(c, row, "difference_ns")));
}

/* Is it one of those of its sort that changed most, and not a trifle beside the group's largest change? */
static bool is_told(const struct table *c, size_t row, double group, size_t sort)
{
	size_t larger = 0;

	if (!is_change_of(c, row, group, changing[sort].what))
		return false;
	for (size_t i = 0; i < c->row_count; i++) {
		if (cell_real(table_get(c, i, "group")) == group && change_of(c, row) < TRIFLE * change_of(c, i))
			return false;
		larger += is_change_of(c, i, group, changing[sort].what) && change_of(c, i) > change_of(c, row);
	}
	return larger < changing[sort].most;
}

/* In the table's order: from what grew most to what shrank most. */
static size_t put_changes_of(const struct text *t, struct grid *g, const struct table *c,
			     const struct change_columns *columns, double group, size_t sort)
{
	size_t rows = 0;

	for (size_t row = 0; row < c->row_count; row++) {
		if (!is_told(c, row, group, sort))
			continue;
		if (!rows++) {
			grid_row(g);
			grid_text(g, changing[sort].title, STYLE_DIM);
		}
		put_change_row(t, g, c, columns, row);
	}
	return rows;
}

static void put_changes(const struct text *t, const struct table *c, double group, const char *name)
{
	const struct change_columns columns = change_columns_of(c);
	struct grid *g = grid_new(t->o);
	size_t rows = 0;
	char *title;

	grid_column(g, "", GRID_STRETCH | GRID_MIDDLE, 0);
	grid_column(g, "before", GRID_RIGHT, 0);
	grid_column(g, "after", GRID_RIGHT, 0);
	grid_column(g, "difference", GRID_RIGHT, 0);
	add_change_columns(g, &columns, 1);
	for (size_t sort = 0; sort < CHANGING; sort++)
		rows += put_changes_of(t, g, c, &columns, group, sort);
	if (rows && asprintf(&title, "What grew and shrank%s%s", *name ? ": " : "", name) >= 0) {
		text_heading(t, title, "time; --table changes has all");
		grid_print(g, t->out, 2);
		free(title);
	}
	grid_free(g);
}

static void put_all_changes(const struct text *t, const struct table *c, double groups)
{
	const struct table *changes = report_table(t->r, "changes");
	size_t shown_groups = 0;

	for (double k = 0; k < groups && shown_groups < CHANGES_GROUPS; k++) {
		const char *name = text_of(c, row_of(c, k, "total"), "name");

		for (size_t row = 0; row < text_rows(changes); row++) {
			if (cell_real(table_get(changes, row, "group")) != k)
				continue;
			put_changes(t, changes, k, groups > 2 ? name : "");
			shown_groups++;
			break;
		}
	}
}

/* ---- each trace ---- */

static const struct { const char *title, *mean; enum peak_kind peak; enum unit unit; } compared[] = {
	{ "threads", NULL, PEAK_THREADS, UNIT_COUNT },
	{ "mean CPU", "cpu_percent", 0, UNIT_PERCENT },
	{ "memory peak", NULL, PEAK_MEMORY, UNIT_BYTES },
	{ "heap peak", NULL, PEAK_HEAP, UNIT_BYTES },
};

#define COMPARED (sizeof(compared) / sizeof(compared[0]))

/* NAN: not known. */
static double run_mean(const struct text *t, uint32_t trace, const char *name)
{
	const struct series *s = report_series(t->r, trace, -1, name);

	return s ? series_mean(s) : NAN;
}

static void put_compared(const struct text *t, struct grid *g, uint32_t trace, double shortest,
			 double *const peaks[COMPARED])
{
	const struct table *traces = report_table(t->r, "traces");
	const struct cell *duration = table_get(traces, trace, "duration_ns");
	char *frameworks = text_frameworks(t->r, trace);
	char *ending = text_exit(table_get(traces, trace, "exit"));
	char ratio[FORMAT_SIZE] = "";

	if (shortest > 0 && duration->type != CELL_NULL)
		snprintf(ratio, sizeof(ratio), "%.2f", cell_real(duration) / shortest);
	grid_row(g);
	grid_number(g, UNIT_ID, trace);
	grid_text(g, frameworks, STYLE_PLAIN);
	grid_text(g, cell_text(table_get(traces, trace, "name")), STYLE_PLAIN);
	grid_cell(g, UNIT_NS, duration);
	grid_text(g, ratio, STYLE_PLAIN);
	for (size_t i = 0; i < COMPARED; i++) {
		double value = peaks[i] ? peaks[i][trace] : run_mean(t, trace, compared[i].mean);

		if (!isnan(value))
			grid_number(g, compared[i].unit, value);
		else
			grid_text(g, "", STYLE_PLAIN);
	}
	grid_text(g, ending, ending && strcmp(ending, "exit 0") ? STYLE_PROBLEM : STYLE_PLAIN);
	free(frameworks);
	free(ending);
}

/* Then they tell traces better than names do that nobody chose. */
static bool frameworks_differ(const struct report *r)
{
	char *first = text_frameworks(r, 0);
	bool differ = false;

	for (size_t i = 1; i < text_rows(report_table(r, "traces")) && !differ; i++) {
		char *one = text_frameworks(r, i);

		differ = strcmp(first, one) != 0;
		free(one);
	}
	free(first);
	return differ;
}

static void put_traces(const struct text *t)
{
	const struct table *traces = report_table(t->r, "traces");
	double shortest = 0;
	double *peaks[COMPARED];
	struct grid *g;

	for (size_t i = 0; i < text_rows(traces); i++) {
		double duration = cell_real(table_get(traces, i, "duration_ns"));

		if (duration > 0 && (shortest <= 0 || duration < shortest))
			shortest = duration;
	}
	text_heading(t, "Each trace", "ratio: to the shortest");
	g = grid_new(t->o);
	grid_column(g, "", GRID_RIGHT, 0);
	grid_column(g, "framework", GRID_STRETCH, frameworks_differ(t->r) ? 0 : 7);
	grid_column(g, "trace", GRID_STRETCH | GRID_MIDDLE, frameworks_differ(t->r) ? 5 : 0);
	grid_column(g, "time", GRID_RIGHT, 0);
	grid_column(g, "ratio", GRID_RIGHT, 1);
	for (size_t i = 0; i < COMPARED; i++) {
		grid_column(g, compared[i].title, GRID_RIGHT, (int)i + 1);
		peaks[i] = compared[i].mean ? NULL : report_peaks(t->r, compared[i].peak);
	}
	grid_column(g, "end", 0, 6);
	for (size_t i = 0; i < text_rows(traces); i++)
		put_compared(t, g, (uint32_t)i, shortest, peaks);
	grid_print(g, t->out, 2);
	grid_free(g);
	for (size_t i = 0; i < COMPARED; i++)
		free(peaks[i]);
}

/* ---- the whole ---- */

void text_comparison(const struct text *t)
{
	const struct table *c = report_table(t->r, "comparison");
	double groups = groups_in(t->r);

	if (text_rows(report_table(t->r, "traces")) < 2)
		return;
	if (text_rows(c)) {
		put_groups(t, c, groups);
		put_studies(t);
		put_kinds(t, c, groups);
		put_all_changes(t, c, groups);
	}
	put_traces(t);
	fputc('\n', t->out);
}

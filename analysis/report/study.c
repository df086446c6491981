/* SPDX-License-Identifier: MIT */
/* Matrices of frameworks by models, from the table `study`. */
#include "analysis/report/study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/report/memory.h"

static const char *text_of(const struct table *t, size_t row, const char *column)
{
	return cell_text(table_get(t, row, column));
}

static bool belongs(const struct study *s, const struct table *t, size_t row)
{
	return !strcmp(s->device, text_of(t, row, "device")) && !strcmp(s->mode, text_of(t, row, "mode"));
}

static size_t row_of(struct study *s, const char *subject)
{
	for (size_t i = 0; i < s->rows; i++)
		if (!strcmp(s->subjects[i], subject))
			return i;
	s->subjects[s->rows] = subject;
	return s->rows++;
}

static size_t column_of(struct study *s, const char *model, const char *dataset)
{
	for (size_t i = 0; i < s->columns; i++)
		if (!strcmp(s->models[i], model) && !strcmp(s->datasets[i], dataset))
			return i;
	s->models[s->columns] = model;
	s->datasets[s->columns] = dataset;
	s->any_dataset = s->any_dataset || *dataset;
	return s->columns++;
}

static struct study_cell cell_of(const struct table *t, size_t row)
{
	const struct cell *mean = table_get(t, row, "mean_ns"), *high = table_get(t, row, "high_ns");
	struct study_cell c = {
		.present = true, .mean = mean->type == CELL_NULL ? NAN : cell_real(mean), .half = NAN,
		.runs = cell_uint(table_get(t, row, "runs")),
		.failed = cell_uint(table_get(t, row, "failed")),
	};

	if (high->type != CELL_NULL)
		c.half = cell_real(high) - c.mean;
	return c;
}

static void note_cell(struct study *s, const struct study_cell *c)
{
	s->any_failed = s->any_failed || c->failed;
	s->any_half = s->any_half || !isnan(c->half);
	if (!c->runs)
		return;
	s->least_runs = !s->most_runs || c->runs < s->least_runs ? c->runs : s->least_runs;
	s->most_runs = c->runs > s->most_runs ? c->runs : s->most_runs;
}

static void fill(struct study *s, const struct table *t)
{
	size_t n = t->row_count + 1;

	s->subjects = need(calloc(n, sizeof(*s->subjects)));
	s->models = need(calloc(n, sizeof(*s->models)));
	s->datasets = need(calloc(n, sizeof(*s->datasets)));
	for (size_t row = 0; row < t->row_count; row++) {
		if (!belongs(s, t, row))
			continue;
		row_of(s, text_of(t, row, "subject"));
		column_of(s, text_of(t, row, "model"), text_of(t, row, "dataset"));
	}
	s->cells = need(calloc(s->rows * s->columns + 1, sizeof(*s->cells)));
	for (size_t row = 0; row < t->row_count; row++) {
		struct study_cell *c;

		if (!belongs(s, t, row))
			continue;
		c = &s->cells[row_of(s, text_of(t, row, "subject")) * s->columns +
			      column_of(s, text_of(t, row, "model"), text_of(t, row, "dataset"))];
		*c = cell_of(t, row);
		note_cell(s, c);
	}
}

static void release(struct study *s)
{
	free(s->subjects);
	free(s->models);
	free(s->datasets);
	free(s->cells);
}

static bool is_new(const struct study *studies, size_t count, const struct table *t, size_t row)
{
	for (size_t i = 0; i < count; i++)
		if (belongs(&studies[i], t, row))
			return false;
	return true;
}

size_t studies_of(const struct report *r, struct study **studies)
{
	const struct table *t = report_table(r, "study");
	size_t count = 0, kept = 0;
	struct study *all;

	*studies = NULL;
	if (!t || !t->row_count)
		return 0;
	all = need(calloc(t->row_count, sizeof(*all)));
	for (size_t row = 0; row < t->row_count; row++)
		if (is_new(all, count, t, row))
			all[count++] = (struct study){
				.quantity = text_of(t, row, "quantity"), .device = text_of(t, row, "device"),
				.mode = text_of(t, row, "mode"),
			};
	for (size_t i = 0; i < count; i++) {
		fill(&all[i], t);
		if (all[i].rows * all[i].columns > 1)
			all[kept++] = all[i];
		else
			release(&all[i]);
	}
	*studies = all;
	return kept;
}

void studies_free(struct study *studies, size_t count)
{
	for (size_t i = 0; i < count; i++)
		release(&studies[i]);
	free(studies);
}

/* ---- words ---- */

const char *study_title(const struct study *s, char *buffer, size_t size)
{
	snprintf(buffer, size, "Seconds %s%s%s%s%s", !strcmp(s->quantity, "epoch") ? "per epoch" : "in total",
		 *s->device ? ", " : "", s->device, *s->mode ? ", " : "", s->mode);
	return buffer;
}

/* So many decimals that a number has three digits. */
static int decimals(double seconds)
{
	return seconds < 0.9995 ? 4 : seconds < 9.995 ? 2 : seconds < 99.95 ? 1 : 0;
}

const char *study_text(const struct study *s, size_t row, size_t column, bool unicode, char *buffer,
		       size_t size)
{
	const struct study_cell *c = &s->cells[row * s->columns + column];
	int digits = decimals(fabs(c->mean) / 1e9);
	size_t n;

	if (!c->present || isnan(c->mean)) {
		snprintf(buffer, size, "%s", c->present && c->failed ? "failed" : unicode ? "–" : "-");
		return buffer;
	}
	n = (size_t)snprintf(buffer, size, "%.*f", digits, fmin(c->mean / 1e9, 1e15));
	if (!isnan(c->half) && n < size)
		n += (size_t)snprintf(buffer + n, size - n, " %s %.*f", unicode ? "±" : "+-", digits,
				      fmin(c->half / 1e9, 1e15));
	if (s->least_runs != s->most_runs && n < size)
		n += (size_t)snprintf(buffer + n, size - n, " (%" PRIu64 ")", c->runs);
	if (c->failed && n < size)
		snprintf(buffer + n, size - n, ", %" PRIu64 " failed", c->failed);
	return buffer;
}

const char *study_note(const struct study *s, bool unicode, char *buffer, size_t size)
{
	size_t n = 0;

	*buffer = '\0';
	if (s->least_runs != s->most_runs)
		n = (size_t)snprintf(buffer, size, "mean (number of runs)");
	else
		n = (size_t)snprintf(buffer, size, s->most_runs == 1 ? "one run each" :
				     "mean of %" PRIu64 " runs", s->most_runs);
	if (s->any_half && n < size)
		snprintf(buffer + n, size - n, "; %s: 95 %% interval of the mean, Student's t",
			 unicode ? "±" : "+-");
	return buffer;
}

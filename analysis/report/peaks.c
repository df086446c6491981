/* SPDX-License-Identifier: MIT */
/* Peaks by trace: the larger of the curve of its sum and of what each process says of itself. */
#include "analysis/report/peaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/memory.h"

static const struct peak {
	const char *series, *table, *column;
	bool whole;	/* the column is of a process's whole life, whatever part of the time is shown */
} kinds[] = {
	[PEAK_MEMORY] = { "rss_bytes", "processes", "rss_peak_bytes", false },
	[PEAK_HEAP] = { "heap_bytes", "processes", "heap_peak_bytes", true },
	[PEAK_GPU] = { "gpu_reserved_bytes", "gpu", "peak_bytes", true },
	[PEAK_THREADS] = { "threads", "processes", "threads_peak", false },
};

static size_t rows(const struct table *t)
{
	return t ? t->row_count : 0;
}

static void raise_to(double *peak, double value)
{
	if (isnan(*peak) || value > *peak)
		*peak = value;
}

static void raise_to_curves(const struct report *r, const struct peak *k, double *peaks, size_t traces)
{
	for (size_t i = 0; i < r->series_count; i++) {
		const struct series *s = r->series[i];

		if (s->process >= 0 || s->trace >= traces || strcmp(s->name, k->series))
			continue;
		for (size_t p = 0; p < s->point_count; p++)
			raise_to(&peaks[s->trace], s->points[p].value);
	}
}

/* By the report's process id, which are rising in the table; `traces`: no such process. */
static size_t trace_of(const struct table *processes, uint64_t process, size_t traces)
{
	size_t low = 0, high = rows(processes);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cell_uint(table_get(processes, middle, "process")) < process)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == rows(processes) || cell_uint(table_get(processes, low, "process")) != process)
		return traces;
	return cell_uint(table_get(processes, low, "trace"));
}

static bool is_part(const struct table *traces, size_t trace)
{
	return table_get(traces, trace, "from_ns")->type != CELL_NULL;
}

static void raise_to_processes(const struct report *r, const struct peak *k, double *peaks, size_t traces)
{
	const struct table *t = report_table(r, k->table), *processes = report_table(r, "processes");

	for (size_t row = 0; row < rows(t); row++) {
		const struct cell *own = table_get(t, row, k->column);
		size_t trace = trace_of(processes, cell_uint(table_get(t, row, "process")), traces);

		if (trace < traces && own->type != CELL_NULL &&
		    !(k->whole && is_part(report_table(r, "traces"), trace)))
			raise_to(&peaks[trace], cell_real(own));
	}
}

double *report_peaks(const struct report *r, enum peak_kind kind)
{
	size_t traces = rows(report_table(r, "traces"));
	double *peaks = need(calloc(traces + 1, sizeof(*peaks)));

	for (size_t i = 0; i < traces; i++)
		peaks[i] = NAN;
	raise_to_curves(r, &kinds[kind], peaks, traces);
	raise_to_processes(r, &kinds[kind], peaks, traces);
	return peaks;
}

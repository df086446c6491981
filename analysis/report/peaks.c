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

static bool is_part(const struct table *traces, size_t trace)
{
	return table_get(traces, trace, "from_ns")->type != CELL_NULL;
}

static void raise_to_processes(const struct report *r, const struct peak *k, double *peaks)
{
	const struct table *t = report_table(r, k->table), *traces = report_table(r, "traces");

	for (size_t row = 0; row < rows(t); row++) {
		const struct cell *own = table_get(t, row, k->column);
		const struct cell *trace = report_process(r, table_get(t, row, "process"), "trace");

		if (trace->type != CELL_NULL && own->type != CELL_NULL &&
		    !(k->whole && is_part(traces, cell_uint(trace))))
			raise_to(&peaks[cell_uint(trace)], cell_real(own));
	}
}

double *report_peaks(const struct report *r, enum peak_kind kind)
{
	size_t traces = rows(report_table(r, "traces"));
	double *peaks = need(calloc(traces + 1, sizeof(*peaks)));

	for (size_t i = 0; i < traces; i++)
		peaks[i] = NAN;
	raise_to_curves(r, &kinds[kind], peaks, traces);
	raise_to_processes(r, &kinds[kind], peaks);
	return peaks;
}

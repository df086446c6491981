/* SPDX-License-Identifier: MIT */
/* Extremes, mean and sparkline of a series. */
#include "analysis/report/curve_view.h"

#include <math.h>
#include <string.h>

#include "analysis/report/memory.h"

bool series_summary(const struct series *s, struct summary *sum)
{
	double area = 0, span = 0, plain = 0;
	size_t finite = 0;

	for (size_t i = 0; i < s->point_count; i++) {
		double v = s->points[i].value;
		double dt = i + 1 < s->point_count ?
			(double)s->points[i + 1].t - (double)s->points[i].t : 0;

		if (!isfinite(v))
			continue;
		if (!finite++)
			*sum = (struct summary){ v, v, v, s->points[i].t, s->points[i].t };
		sum->min = fmin(sum->min, v);
		sum->max = fmax(sum->max, v);
		sum->end = s->points[i].t;
		plain += v;
		area += dt > 0 ? v * dt : 0;
		span += dt > 0 ? dt : 0;
	}
	if (finite)
		sum->mean = isfinite(s->mean) ? s->mean : span > 0 ? area / span : plain / (double)finite;
	return finite != 0;
}

double series_mean(const struct series *s)
{
	struct summary sum;

	return series_summary(s, &sum) ? sum.mean : NAN;
}

static bool is_larger(const struct series *s, const struct series *than)
{
	double mean = series_mean(s), other = series_mean(than);

	return mean > other || (isnan(other) && !isnan(mean));
}

const struct series *report_series(const struct report *r, uint32_t trace, int64_t process,
				   const char *name)
{
	const struct series *best = NULL;

	for (size_t i = 0; i < r->series_count; i++) {
		const struct series *s = r->series[i];

		if (s->trace != trace || s->process != process || strcmp(s->name, name))
			continue;
		if (!best || is_larger(s, best))
			best = s;
	}
	return best;
}

size_t series_alike(const struct report *r, const struct series *s)
{
	size_t count = 0;

	for (size_t i = 0; i < r->series_count; i++)
		count += r->series[i]->trace == s->trace && r->series[i]->process == s->process &&
			 !strcmp(r->series[i]->name, s->name);
	return count;
}

/* Largest value that holds until `to`; *i is the first point that was not looked at yet. */
static double largest(const struct series *s, size_t *i, double to)
{
	double v = *i ? s->points[*i - 1].value : NAN;

	while (*i < s->point_count && (double)s->points[*i].t < to)
		v = fmax(v, s->points[(*i)++].value);
	return v;
}

char *sparkline(const struct series *s, int64_t begin, int64_t end, double top, int columns,
		bool unicode)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const ascii[] = { "_", ".", ":", "-", "=", "+", "*", "#" };
	double step = ((double)end - (double)begin) / columns;
	size_t next = 0, size;
	char *text;
	FILE *f = text_open(&text, &size);

	while (next < s->point_count && s->points[next].t < begin)
		next++;
	for (int c = 0; c < columns; c++) {
		double from = (double)begin + step * c;
		double to = c + 1 < columns ? from + step : (double)end + 1;
		double v = largest(s, &next, to);
		int level;

		if (isnan(v)) {
			fputc(' ', f);
			continue;
		}
		level = top > 0 ? (int)lround(fmin(fmax(v / top, 0), 1) * 7) : 0;
		fputs(unicode ? blocks[level] : ascii[level], f);
	}
	return text_close(f, &text);
}

/* SPDX-License-Identifier: MIT */
/* Round ticks and units of axes. */
#include "analysis/report/axis.h"

#include <math.h>
#include <stdio.h>

#define WHOLE_MAX 1e6	/* larger ones are shown with an exponent */
#define DECIMALS_MAX 6

/* The least of 1, 2, 5 times a power of ten that makes at most `ticks` steps up to max. */
static double nice_step(double max, int ticks)
{
	double power = pow(10, floor(log10(max / ticks)));

	for (;; power *= 10)
		for (int i = 0; i < 3; i++) {
			static const double mantissa[] = { 1, 2, 5 };

			if (mantissa[i] * power * ticks >= max * (1 - 1e-9))
				return mantissa[i] * power;
		}
}

static struct axis make_axis(double max, int ticks, double factor, const char *unit)
{
	struct axis a = { .factor = factor, .unit = unit };

	max = isfinite(max) && max > 1e-200 && max < 1e200 ? max / factor :
	      max >= 1e200 ? 1e200 : 1;
	a.step = nice_step(max, ticks > 1 ? ticks : 1);
	a.hi = ceil(max / a.step - 1e-9) * a.step;
	a.decimals = a.step < 1 ? (int)ceil(-log10(a.step) - 1e-9) : 0;
	if (a.decimals > DECIMALS_MAX || a.hi >= WHOLE_MAX)
		a.decimals = -1;
	a.step *= factor;
	a.hi *= factor;
	return a;
}

struct axis axis_count(double max, int ticks)
{
	struct axis a = make_axis(max, ticks, 1, "");

	if (a.step < 1)		/* there are no half threads */
		a = (struct axis){ .hi = ceil(max), .step = 1, .factor = 1, .unit = "" };
	a.hi = fmax(a.hi, 1);
	return a;
}

struct axis axis_real(double max, int ticks, const char *unit)
{
	return make_axis(max, ticks, 1, unit);
}

/* The whole range for what fills much of it, so that figures compare. */
struct axis axis_percent(double max, int ticks)
{
	struct axis a = make_axis(fmax(max, 1e-3), ticks, 1, "%");

	if (max > 40 && max <= 100.5) {
		a.hi = 100;
		a.step = ticks >= 5 ? 20 : ticks >= 4 ? 25 : ticks >= 2 ? 50 : 100;
		a.decimals = 0;
	}
	return a;
}

struct axis axis_bytes(double max, int ticks)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double factor = 1;
	size_t i = 0;

	while (max / factor >= 1024 && i + 1 < sizeof(units) / sizeof(units[0])) {
		factor *= 1024;
		i++;
	}
	return make_axis(max, ticks, factor, units[i]);
}

struct axis axis_duration(double ns, int ticks)
{
	static const struct { double below, factor; const char *unit; } units[] = {
		{ 1e3, 1, "ns" }, { 1e6, 1e3, "µs" }, { 1e9, 1e6, "ms" }, { 300e9, 1e9, "s" },
		{ 7200e9, 60e9, "min" }, { INFINITY, 3600e9, "h" },
	};
	size_t i = 0;

	ns = isfinite(ns) && ns > 0 ? ns : 1e9;
	while (ns >= units[i].below)
		i++;
	return make_axis(ns, ticks, units[i].factor, units[i].unit);
}

struct axis axis_time(double begin, double end, int ticks)
{
	struct axis a = axis_duration(end, ticks);

	if (begin > 0 && end > begin) {
		a = make_axis(end - begin, ticks, a.factor, a.unit);
		a.lo = begin;
	}
	if (isfinite(end) && end > 0)
		a.hi = end;
	return a;
}

bool axis_tick(const struct axis *a, int i, double *value)
{
	*value = (ceil(a->lo / a->step - 1e-9) + i) * a->step;
	return *value <= a->hi * (1 + 1e-9);
}

const char *axis_label(const struct axis *a, double value, char *buf)
{
	if (a->decimals < 0)
		snprintf(buf, 32, "%.3g", value / a->factor);
	else
		snprintf(buf, 32, "%.*f", a->decimals, value / a->factor);
	return buf;
}

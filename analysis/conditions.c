/* SPDX-License-Identifier: MIT */
/* Parses and checks the conditions of --fail-if. */
#include "analysis/conditions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/model/memory.h"
#include "analysis/report/format.h"
#include "record/units.h"

/* ---- parsing ---- */

static int wrong(char *error, size_t size, const char *text, const char *what)
{
	snprintf(error, size, "--fail-if '%s': %s", text, what);
	return -EINVAL;
}

static int unknown_quantity(char *error, size_t size, const char *text)
{
	size_t n = (size_t)snprintf(error, size, "--fail-if '%s': no such quantity; there are", text);

	for (size_t i = 0; i < fact_kind_count && n < size; i++)
		n += (size_t)snprintf(error + n, size - n, "%s %s%s", i ? "," : "", fact_kinds[i].what,
				      fact_kinds[i].named ? ":NAME" : "");
	return -EINVAL;
}

/* The last one: names of kernels have < and > too. */
static const char *find_operator(const char *text)
{
	const char *found = NULL;

	for (const char *p = text; *p; p++)
		if (*p == '<' || *p == '>')
			found = p;
	return found;
}

static int parse_quantity(struct condition *c, const char *from, size_t length)
{
	const char *colon = memchr(from, ':', length);
	size_t what = colon ? (size_t)(colon - from) : length;

	c->kind = fact_kind(from, what);
	if (!c->kind || c->kind->named != (colon != NULL) || length - what > sizeof(c->name))
		return -EINVAL;
	if (colon)
		snprintf(c->name, sizeof(c->name), "%.*s", (int)(length - what - 1), colon + 1);
	return c->kind->named && !*c->name ? -EINVAL : 0;
}

static int parse_number(const char *text, double scale, double *value)
{
	char *end;

	*value = strtod(text, &end) * scale;
	return end == text || *end || !isfinite(*value) ? -EINVAL : 0;
}

/* Without its sign, in the unit of the quantity. */
static int parse_plain(const char *text, enum unit unit, double *value)
{
	uint64_t whole = 0;
	int err;

	if (unit != UNIT_NS && unit != UNIT_BYTES)
		return unit == UNIT_COUNT ? parse_number(text, 1, value) : -EINVAL;
	err = unit == UNIT_NS ? parse_time(text, &whole) : parse_size(text, &whole);
	*value = (double)whole;
	/* Nothing is nothing in any unit. */
	return err && !strcmp(text, "0") ? 0 : err;
}

static int parse_value(struct condition *c, char *text)
{
	double sign = *text == '-' ? -1 : 1;
	bool relative = *text == '-' || *text == '+';
	size_t length;
	int err;

	text += relative;
	length = strlen(text);
	if (strchr("+-", *text))	/* also: nothing there */
		return -EINVAL;
	if (text[length - 1] == '%') {
		text[length - 1] = '\0';
		if (!relative && c->kind->unit != UNIT_FRACTION)
			return -EINVAL;
		c->against = relative ? CHANGE : BOUND;
		err = parse_number(text, 0.01, &c->value);
	} else {
		c->against = relative ? DIFFERENCE : BOUND;
		err = parse_plain(text, c->kind->unit, &c->value);
	}
	c->value *= sign;
	return err;
}

static char *trimmed(char *text)
{
	size_t n = strlen(text);

	while (n && text[n - 1] == ' ')
		text[--n] = '\0';
	return text + strspn(text, " ");
}

static bool take_word(char *text, const char *word)
{
	size_t n = strlen(text), m = strlen(word);

	if (n <= m || strcmp(text + n - m, word) || text[n - m - 1] != ' ')
		return false;
	text[n - m] = '\0';
	return true;
}

int condition_parse(struct condition *c, const char *text, char *error, size_t size)
{
	static const char *const examples[] = {
		[UNIT_NS] = "a time is needed, as 10ms, +2s or +5%",
		[UNIT_BYTES] = "a size is needed, as 64K, +4M or +5%",
		[UNIT_COUNT] = "a number is needed, as 3, +1 or +5%",
		[UNIT_FRACTION] = "a percentage is needed, as 20% or +5%",
	};
	const char *operator = find_operator(text);
	char value[256];

	*c = (struct condition){ .text = text };
	if (!operator)
		return wrong(error, size, text, "QUANTITY OPERATOR VALUE is needed, as total>+5%");
	snprintf(value, sizeof(value), "%s", operator + 1 + (operator[1] == '='));
	c->less = *operator == '<';
	c->equal = operator[1] == '=';
	text += strspn(text, " ");
	while (operator > text && operator[-1] == ' ')
		operator--;
	if (parse_quantity(c, text, (size_t)(operator - text)))
		return unknown_quantity(error, size, c->text);
	c->surely = take_word(trimmed(value), "surely");
	if (parse_value(c, trimmed(value)))
		return wrong(error, size, c->text, examples[c->kind->unit]);
	return 0;
}

/* ---- checking ---- */

/* One condition in one group. */
struct finding {
	size_t group, runs, reference_runs;
	double value, reference, beyond;	/* beyond: how far, by the bound's own measure */
	double p;
};

static bool is_beyond(const struct condition *c, double x)
{
	if (c->less)
		return c->equal ? x <= c->value : x < c->value;
	return c->equal ? x >= c->value : x > c->value;
}

/* What is held against the bound: its mean, or, to be sure, that end of its interval which is nearer. */
static bool measure(const struct condition *c, const struct sample *s, const struct sample *ref,
		    struct finding *f, double *x)
{
	struct interval i = { NAN, NAN };
	struct difference d;

	f->value = stat_mean(s->x, s->n);
	if (c->against == BOUND) {
		mean_interval(s->x, s->n, &i);
		*x = f->value;
	} else {
		d = stat_difference(ref->x, ref->n, s->x, s->n);
		f->reference = stat_mean(ref->x, ref->n);
		f->p = d.p;
		i = d.interval;
		*x = d.mean;
	}
	if (c->surely)
		*x = c->less ? i.high : i.low;
	if (c->against == CHANGE)	/* what grows from nothing grows beyond any percentage */
		*x = *x == 0 ? 0 : *x / f->reference;
	f->beyond = c->less ? c->value - *x : *x - c->value;
	return !isnan(*x);
}

static void describe(const struct condition *c, const struct groups *g, const struct finding *f,
		     size_t more, char *line, size_t size)
{
	char value[FORMAT_SIZE], reference[FORMAT_SIZE], change[FORMAT_SIZE];
	double fraction = (f->value - f->reference) / f->reference;
	size_t n = strlen(line);

	n += (size_t)snprintf(line + n, size - n, "--fail-if '%s' holds: %s%s%s is %s", c->text,
			      c->kind->what, *c->name ? ":" : "", c->name,
			      format_value(value, c->kind->unit, f->value, false));
	if (n < size && c->against != BOUND) {
		n += (size_t)snprintf(line + n, size - n, " against %s",
				      format_value(reference, c->kind->unit, f->reference, false));
		if (n < size && isfinite(fraction))
			n += (size_t)snprintf(line + n, size - n, ", %s%s", fraction > 0 ? "+" : "",
					      format_percent(change, fraction * 100));
		if (n < size)
			n += (size_t)snprintf(line + n, size - n, " (%zu and %zu runs", f->runs,
					      f->reference_runs);
		if (n < size && !isnan(f->p))
			n += (size_t)snprintf(line + n, size - n, ", p = %.2g", f->p);
		if (n < size)
			n += (size_t)snprintf(line + n, size - n, ")");
	}
	if (n < size && g->count > 1)
		n += (size_t)snprintf(line + n, size - n, ": %s",
				      g->list[f->group].name);
	if (n < size && more)
		snprintf(line + n, size - n, ", and in %zu more", more);
}

/* The values of all facts that it names, as one fact. */
static struct fact sum_up(const struct condition *c, const struct facts *f)
{
	struct fact sum = {
		.what = c->kind->what, .unit = c->kind->unit,
		.values = xcalloc(f->traces + 1, sizeof(*sum.values)),
	};

	for (size_t i = 0; i < f->traces; i++)
		sum.values[i] = facts_sum(f, c->kind, c->name, i);
	return sum;
}

/* False when it cannot be told; *holds otherwise. */
static bool check_group(const struct condition *c, const struct groups *g, const struct facts *f,
			const struct fact *fact, size_t group, struct finding *out, bool *holds)
{
	struct sample s = sample_of(g, f, fact, group), ref = { NULL, 0 };
	size_t reference = g->list[group].reference;
	double x = NAN;
	bool known;

	if (c->against != BOUND)
		ref = sample_of(g, f, fact, reference);
	*out = (struct finding){ .group = group, .runs = s.n, .reference_runs = ref.n, .p = NAN };
	known = s.n && (c->against == BOUND || ref.n) && measure(c, &s, &ref, out, &x);
	*holds = known && is_beyond(c, x);
	free(s.x);
	free(ref.x);
	return known;
}

/* Is the group looked at? A bound is for all that are not the named baseline. */
static bool is_looked_at(const struct condition *c, const struct groups *g, size_t group)
{
	if (c->against == BOUND)
		return !g->named || !g->list[group].baseline || g->count == 1;
	return g->list[group].reference != NO_GROUP;
}

/* Of how many traces it is known. */
static size_t known_of(const struct fact *fact, const struct facts *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->traces; i++)
		n += isfinite(fact->values[i]);
	return n;
}

/* One is, but for what could not be read. */
static bool is_baseline_there(const struct groups *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->list[i].baseline)
			return true;
	return false;
}

/* unknown: of the first group of which it cannot be told, if any was looked at. */
static const char *why_unknown(const struct condition *c, const struct groups *g, const struct facts *f,
			       const struct fact *fact, const struct finding *unknown, size_t looked)
{
	size_t known = known_of(fact, f);

	if (!looked && g->named && !is_baseline_there(g))
		return "no trace that --baseline names could be read";
	if (!looked && g->count <= 1)
		return "there is nothing to compare with: all runs have the same labels; --baseline names "
		       "those to compare with";
	if (!looked)
		return "no run has a baseline of its model, dataset, batch and device";
	if (unknown->runs && c->against == BOUND)
		return "there are fewer than two good runs, too few to be sure";
	if (unknown->runs && unknown->reference_runs)
		return "there are fewer than two good runs on a side, too few to be sure";
	if (!known)
		return "it is not known of any run";
	return known < f->traces ? "it is not known of all runs" : "no run of one side was good";
}

enum condition_result condition_check(const struct condition *c, const struct model *m,
				      const struct report *r, char *line, size_t size)
{
	struct groups g = groups_of(m);
	struct facts f = facts_of(r);
	struct fact fact = sum_up(c, &f);
	struct finding worst = { .beyond = -INFINITY }, now, unknown = { 0 };
	size_t looked = 0, known = 0, held = 0;
	bool holds;

	*line = '\0';
	for (size_t i = 0; i < g.count; i++) {
		if (!is_looked_at(c, &g, i))
			continue;
		looked++;
		if (check_group(c, &g, &f, &fact, i, &now, &holds))
			known++;
		else if (looked == known + 1)
			unknown = now;
		if (holds && !held++)
			worst = now;
		else if (holds && now.beyond > worst.beyond)
			worst = now;
	}
	if (held)
		describe(c, &g, &worst, held - 1, line, size);
	else if (!looked || known < looked)
		snprintf(line, size, "--fail-if '%s' cannot be told: %s", c->text,
			 why_unknown(c, &g, &f, &fact, &unknown, looked));
	else if (c->kind->named && !facts_match(&f, c->kind, c->name))
		snprintf(line, size, "--fail-if '%s': nothing matches %s:%s, which counts as 0", c->text, c->kind->what,
			 c->name);
	free(fact.values);
	facts_release(&f);
	groups_release(&g);
	return held ? CONDITION_HOLDS : !looked || known < looked ? CONDITION_UNKNOWN : CONDITION_NOT;
}

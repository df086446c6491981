/* SPDX-License-Identifier: MIT */
/* Says which options have chosen nothing, and what there is to choose from. */
#include "analysis/chosen.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown.h"
#include "analysis/frameworks.h"
#include "analysis/model/memory.h"
#include "analysis/options_check.h"
#include "analysis/phases.h"
#include "analysis/report/format.h"

#define NAMED	5	/* of what there is to choose from; the others are counted */

/* ---- what there is ---- */

/* What there is to choose from. Names are borrowed. */
struct choices {
	const char **names;
	size_t count, capacity;
};

/* "" is no name. */
static void choices_add(struct choices *c, const char *name)
{
	if (!*name)
		return;
	c->names = xgrow(c->names, c->count, &c->capacity, sizeof(*c->names));
	c->names[c->count++] = name;
}

/* Numbers in words by their value: ranks, pids. */
static int by_name(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each once, in order. */
static void sort(struct choices *c)
{
	size_t kept = 0;

	if (c->count)
		qsort(c->names, c->count, sizeof(*c->names), by_name);
	for (size_t i = 0; i < c->count; i++)
		if (!kept || strcmp(c->names[kept - 1], c->names[i]))
			c->names[kept++] = c->names[i];
	c->count = kept;
}

/* "there are blas, dnn and 3 more". Returns line. */
static const char *choices_told(struct choices *c, char *line, size_t size)
{
	size_t n;

	sort(c);
	n = (size_t)snprintf(line, size, "there %s", c->count == 1 ? "is" : "are");
	for (size_t i = 0; i < c->count && i < NAMED && n < size; i++)
		n += (size_t)snprintf(line + n, size - n, "%s %.100s", i ? "," : "", c->names[i]);
	if (n < size && !c->count)
		snprintf(line + n, size - n, " none");
	else if (n < size && c->count > NAMED)
		snprintf(line + n, size - n, " and %zu more", c->count - NAMED);
	return line;
}

/* ---- one option, or several together ---- */

/* An option: its value, NULL without it, what it alone would choose from, and whether it would choose any. */
struct option {
	const char *name, *noun, *value;
	struct choices all;
	bool fits;
};

#define OPTIONS	3	/* that can be given together */

static void offer(struct option *option, const char *name, bool fits)
{
	if (!option->value)
		return;
	choices_add(&option->all, name);
	option->fits |= fits;
}

/* Together they have chosen nothing: says so of the one that alone does not choose anything, else of all. */
static void say_nothing(const struct options *o, struct option options[OPTIONS], const char *chosen, chosen_say *say)
{
	char line[2048], names[1024];
	size_t n = (size_t)snprintf(line, sizeof(line), "not one %s is chosen by", chosen);

	for (size_t i = 0; i < OPTIONS; i++) {
		if (options[i].value && !options[i].fits) {
			snprintf(line, sizeof(line), "%s %.200s: no such %s; %s", options[i].name, options[i].value,
				 options[i].noun, choices_told(&options[i].all, names, sizeof(names)));
			break;
		}
		if (options[i].value && n < sizeof(line))
			n += (size_t)snprintf(line + n, sizeof(line) - n, " %s %.200s", options[i].name,
					      options[i].value);
	}
	say(o, NULL, line);
}

static bool any_value(const struct option options[OPTIONS])
{
	return options[0].value || options[1].value || options[2].value;
}

static void release(struct option options[OPTIONS])
{
	for (size_t i = 0; i < OPTIONS; i++)
		free(options[i].all.names);
}

/* ---- by process ---- */

static void offer_process(struct option options[OPTIONS], const struct process *p)
{
	const struct model_options alone[OPTIONS] = {
		{ .process = options[0].value }, { .host = options[1].value }, { .rank = options[2].value },
	};
	char name[512], rank[16] = "";

	snprintf(name, sizeof(name), "%s (pid %u)", process_name(p), p->pid);
	if (p->rank >= 0)
		snprintf(rank, sizeof(rank), "%d", (int)p->rank);
	offer(&options[0], trace_keep(p->trace, name), process_fits(p, &alone[0]));
	offer(&options[1], p->host, process_fits(p, &alone[1]));
	offer(&options[2], trace_keep(p->trace, rank), process_fits(p, &alone[2]));
}

static bool no_process(const struct options *o, const struct model *m, chosen_say *say)
{
	static const struct model_options everything;
	struct option options[OPTIONS] = {
		{ .name = "--process", .noun = "process", .value = o->model.process },
		{ .name = "--host", .noun = "host", .value = o->model.host },
		{ .name = "--rank", .noun = "rank", .value = o->model.rank },
	};
	size_t all = 0, shown = 0;

	for (size_t i = 0; i < m->trace_count && any_value(options); i++) {
		const struct trace *t = m->traces[i];

		for (size_t k = 0; k < t->process_count; k++) {
			if (!process_fits(t->processes[k], &everything))
				continue;
			all++;
			shown += process_shown(t->processes[k]);
			offer_process(options, t->processes[k]);
		}
	}
	if (all && !shown)
		say_nothing(o, options, "process", say);
	release(options);
	return all && !shown;
}

/* ---- by call ---- */

/* Whether all of them choose it. What has no times, as heap calls, is in timelines alone. */
static bool offer_calls(struct option options[OPTIONS], const struct process *p, const char *engine,
			const struct profile *f, bool untimed)
{
	struct breakdown_row row;
	bool chosen = profile_named(p, engine, f, &row);

	if (!row.sums->calls || !(f->timed || untimed))
		return false;
	offer(&options[0], row.framework, framework_chosen(options[0].value, row.framework));
	offer(&options[1], row.function, options[1].value && !fnmatch(options[1].value, row.function, 0));
	offer(&options[2], row.layer, options[2].value && !fnmatch(options[2].value, row.layer, 0));
	return chosen;
}

static bool no_call(const struct options *o, const struct model *m, chosen_say *say)
{
	struct option options[OPTIONS] = {
		{ .name = "--framework", .noun = "framework", .value = o->model.framework },
		{ .name = "--function", .noun = "function", .value = o->model.function },
		{ .name = "--layer", .noun = "layer", .value = o->model.layer },
	};
	bool chosen = !any_value(options), untimed = any_output(o, PAGES_EVENTS);

	for (size_t i = 0; i < m->trace_count && !chosen; i++) {
		const struct trace *t = m->traces[i];

		for (size_t k = 0; k < t->process_count && !chosen; k++) {
			const struct process *p = t->processes[k];
			const char *engine = process_shown(p) ? process_engine(p) : NULL;

			for (size_t n = 0; engine && n < p->profile_count && !chosen; n++)
				chosen = offer_calls(options, p, engine, p->profile_list[n], untimed);
		}
	}
	if (!chosen)
		say_nothing(o, options, "call", say);
	release(options);
	return !chosen;
}

/* ---- by phase ---- */

/* What of the phase --from and --to leave; nothing: its begin is not before its end. */
static struct time_range find_range(const struct options *o, const struct phases *ph)
{
	struct time_range range = phase_range(ph, o->model.phase);

	if (range.from < o->model.from)
		range.from = o->model.from;
	if (range.to > o->model.to)
		range.to = o->model.to;
	return range;
}

/* Not one trace has anything of it. */
static void say_no_phase(const struct options *o, const struct model *whole, chosen_say *say)
{
	struct choices there = { 0 };
	char line[512], names[256];
	bool found = false;

	for (size_t i = 0; i < whole->trace_count; i++) {
		const struct phases *ph = trace_phases(whole, i);

		for (size_t k = 0; ph && k < ph->count; k++) {
			choices_add(&there, ph->list[k].name);
			found |= !strcmp(ph->list[k].name, o->model.phase);
		}
	}
	snprintf(line, sizeof(line), "--phase %s: %s%s", o->model.phase,
		 found ? "--from and --to leave nothing of it" : "no such phase was found; ",
		 found ? "" : choices_told(&there, names, sizeof(names)));
	say(o, NULL, line);
	free(there.names);
}

struct time_range *chosen_phase(const struct options *o, const struct model *whole, chosen_say *say)
{
	struct time_range *ranges = xcalloc((size_t)o->trace_count, sizeof(*ranges));
	int found = 0;

	for (int i = 0; i < o->trace_count; i++) {
		ranges[i] = find_range(o, trace_phases(whole, (size_t)i));
		found += ranges[i].from < ranges[i].to;
	}
	for (int i = 0; i < o->trace_count && found && !o->quiet; i++)
		if (ranges[i].from >= ranges[i].to)
			say(o, o->traces[i], "no such phase was found in it: see its tables phases and iterations");
	if (found)
		return ranges;
	say_no_phase(o, whole, say);
	free(ranges);
	return NULL;
}

/* ---- by time ---- */

static bool is_past(const struct options *o, const struct trace *t)
{
	return t->started && o->model.from > t->end;
}

static bool no_time(const struct options *o, const struct model *m, chosen_say *say)
{
	char line[128], end[FORMAT_SIZE];
	size_t started = 0, past = 0;

	for (size_t i = 0; i < m->trace_count; i++) {
		started += m->traces[i]->started;
		past += is_past(o, m->traces[i]);
	}
	for (size_t i = 0; i < m->trace_count; i++) {
		const struct trace *t = m->traces[i];

		if (!is_past(o, t) || (o->quiet && past < started))
			continue;
		snprintf(line, sizeof(line), "--from is after its end at %s",
			 format_ns(end, (double)t->end, o->writing.unicode));
		say(o, t->path, line);
	}
	return past && past == started;
}

bool chosen_nothing(const struct options *o, const struct model *m, chosen_say *say)
{
	return no_time(o, m, say) || no_process(o, m, say) || no_call(o, m, say);
}

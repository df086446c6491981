/* SPDX-License-Identifier: MIT */
/* Says which options have chosen nothing. */
#include "analysis/chosen.h"

#include <stdio.h>
#include <string.h>

#include "analysis/labels.h"
#include "analysis/report/format.h"

static void of_times(const struct options *o, const struct model *m, chosen_say *say)
{
	char line[128], end[FORMAT_SIZE];

	for (size_t i = 0; i < m->trace_count; i++) {
		const struct trace *t = m->traces[i];

		if (!t->started || o->model.from <= t->end)
			continue;
		snprintf(line, sizeof(line), "--from is after its end at %s",
			 format_ns(end, (double)t->end, o->writing.unicode));
		say(o, t->path, line);
	}
}

/* False: none, and there are some. */
static bool of_processes(const struct options *o, const struct model *m, chosen_say *say)
{
	size_t all = 0, shown = 0;

	for (size_t i = 0; i < m->trace_count; i++) {
		const struct trace *t = m->traces[i];

		for (size_t k = 0; k < t->process_count; k++) {
			all += !t->processes[k]->merged;
			shown += process_shown(t->processes[k]);
		}
	}
	if (!all || shown || !(o->model.process || o->model.host || o->model.rank))
		return true;
	say(o, NULL, "not one process is chosen by --process, --host and --rank; the table processes "
	    "of a report without them has all");
	return false;
}

static void of_calls(const struct options *o, const struct report *r, chosen_say *say)
{
	const struct {
		const char *option, *value;
	} by[] = {
		{ "--framework", o->model.framework }, { "--function", o->model.function },
		{ "--layer", o->model.layer },
	};
	const struct table *calls = report_table(r, "breakdown");
	char line[1024] = "not one call is chosen by";
	size_t n = strlen(line), none = n;

	for (size_t i = 0; i < sizeof(by) / sizeof(*by); i++)
		if (by[i].value && n < sizeof(line))
			n += (size_t)snprintf(line + n, sizeof(line) - n, " %s %.200s", by[i].option, by[i].value);
	if (n == none || !calls || calls->row_count)
		return;
	if (n < sizeof(line))
		snprintf(line + n, sizeof(line) - n, "; the table breakdown of a report without it has all");
	say(o, NULL, line);
}

static void of_labels(const struct options *o, const struct model *m, chosen_say *say)
{
	char line[1024];

	for (size_t i = 0; i < o->model.label_count; i++) {
		size_t k = 0;

		while (k < m->trace_count && !label_option_fits(o->model.labels[i], m->traces[k]->path))
			k++;
		if (k < m->trace_count)
			continue;
		snprintf(line, sizeof(line), "--label %.900s: no trace has a path that matches", o->model.labels[i]);
		say(o, NULL, line);
	}
}

void chosen_nothing(const struct options *o, const struct model *m, const struct report *r, chosen_say *say)
{
	of_times(o, m, say);
	if (of_processes(o, m, say))
		of_calls(o, r, say);
	of_labels(o, m, say);
}

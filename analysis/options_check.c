/* SPDX-License-Identifier: MIT */
/* Refuses options of dltrace-report that contradict each other, or that nothing would come of. */
#include "analysis/options_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/escape.h"
#include "analysis/report/figure.h"
#include "analysis/report/memory.h"

bool wrong_unicode;

_Noreturn void wrong(const char *format, ...)
{
	char *line;
	va_list args;

	va_start(args, format);
	if (vasprintf(&line, format, args) < 0)
		need(line = NULL);
	va_end(args);
	fprintf(stderr, "dltrace-report: %s\n", text_clean(line, wrong_unicode));
	exit(STATUS_USAGE);
}

static void check_live(struct options *o, bool plain)
{
	const char *format = o->outputs[0].writer->name;

	if (!o->live && (o->live_count || o->live_interval || o->live_hang))
		wrong("--count, --interval and --hang need --live");
	if (!o->live)
		return;
	if (o->verify || o->dump)
		wrong("--live and %s are two things", o->verify ? "--verify" : "--dump");
	if (o->trace_count > 1 || o->output_count > 1)
		wrong("--live watches one recording, and writes to one place");
	if (strcmp(format, "text") && strcmp(format, "json"))
		wrong("--live: %s: there are text and json", format);
	if (o->live_interval && o->live_interval < 100000000)
		wrong("--interval: 100ms at least");
	o->live_plain = plain || o->live_count;
	o->live_interval = o->live_interval ? o->live_interval : 1000000000;
	o->live_hang = o->live_hang ? o->live_hang : 1000000000;
}

static void check_dump(const struct options *o)
{
	const struct output_file *file = &o->outputs[0];

	if (o->dump && o->output_count > 1)
		wrong("--dump writes to one place");
	if (o->dump && (strcmp(file->writer->name, "text") || file->path[strlen(file->path) - 1] == '/'))
		wrong("--dump is one text: -o NAME.txt, or nothing for standard output");
}

/* It has no curves and no findings: a page without them would say that there are none. */
static void check_certificate(const struct options *o, const struct output_file *file)
{
	const char *name = file->writer->name;

	if (file->writer->pages != PAGES_TABLES)
		wrong("--verify: %s: a certificate is text, JSON, CSV, Markdown or LaTeX", name);
	if (!strcmp(name, "csv") && !o->writing.table && file->path[strlen(file->path) - 1] != '/')
		wrong("--verify: a file of CSV is one table: --table checks, or a folder: -o NAME.csv/");
}

/* Parts of a trace prove nothing. */
static void check_verify(const struct options *o)
{
	const struct model_options *m = &o->model;

	if (o->verify && (m->process || m->rank || m->host || m->framework || m->function || m->layer ||
			  m->phase || m->from != INT64_MIN || m->to != INT64_MAX))
		wrong("--verify looks at whole traces: no --process, --from or the like");
	if (o->verify && o->dump)
		wrong("--verify and --dump are two things");
	for (int i = 0; o->verify && i < o->output_count; i++)
		check_certificate(o, &o->outputs[i]);
}

bool any_output(const struct options *o, enum writer_pages pages)
{
	int i = 0;

	while (i < o->output_count && o->outputs[i].writer->pages != pages)
		i++;
	return i < o->output_count;
}

/* All tables exist in every report, so an empty one knows their names. */
static void check_pages(const struct options *o)
{
	struct model *m;
	struct report *r;

	if (o->writing.figure && !figure_by_name(o->writing.figure))
		wrong("--figure %s: no such figure; there are %s", o->writing.figure, figure_names());
	if (o->writing.figure && !any_output(o, PAGES_FIGURES))
		wrong("--figure %s: no output is a figure: -o NAME.svg", o->writing.figure);
	if (!o->writing.table)
		return;
	m = model_new(&o->model);
	r = report_new();
	analyses_run(m, r);
	if (!writer_has_page(PAGES_TABLES, r, o->writing.table))
		wrong("--table %s: no such table; there are those of the JSON, as in dltrace-report(1)",
		      o->writing.table);
	report_free(r);
	model_free(m);
	if (!any_output(o, PAGES_TABLES))
		wrong("--table %s: no output is of tables: -o NAME.csv", o->writing.table);
}

/* How figures look is said where there are some. */
static void check_looks(const struct options *o)
{
	const struct looks *l = &o->writing.looks;
	const char *option = l->title ? "--title" : l->style ? "--style" : l->width > 0 ? "--size" :
			     l->dpi > 0 ? "--dpi" : NULL;

	if (option && !any_output(o, PAGES_FIGURES))
		wrong("%s: no output is a figure: -o NAME.svg", option);
}

/* Whoever writes last would replace what the other has written, or follow it. */
static void check_twice(const struct options *o)
{
	for (int i = 0; i < o->output_count; i++)
		for (int k = 0; k < i; k++)
			if (!strcmp(o->outputs[i].path, o->outputs[k].path))
				wrong("-o %s: given twice", o->outputs[i].path);
}

void options_check(struct options *o, bool plain)
{
	if (o->model.to <= 0)
		wrong("--to: nothing was before the trace's begin: a time above 0 is needed");
	if (o->model.to <= o->model.from)
		wrong("--to has to be after --from");
	check_live(o, plain);
	check_dump(o);
	check_pages(o);
	check_looks(o);
	check_twice(o);
	check_verify(o);
}

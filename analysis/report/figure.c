/* SPDX-License-Identifier: MIT */
/* The list of figures, and how they name what they show. */
#include "analysis/report/figure.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/report/memory.h"
#include "analysis/report/text.h"

const struct figure figures[] = {
	{ "curves", "Threads, CPU and memory over time", figure_curves },
	{ "functions", "Share of time by function", figure_functions },
	{ "heap", "Heap over time", figure_heap },
	{ "gpu-memory", "GPU memory over time", figure_gpu_memory },
};
const size_t figure_count = sizeof(figures) / sizeof(figures[0]);

const struct figure *figure_by_name(const char *name)
{
	for (size_t i = 0; i < figure_count; i++)
		if (!strcmp(figures[i].name, name))
			return &figures[i];
	return NULL;
}

/* A command as one would tell it: words without the folders that they lie in. */
static char *short_command(const struct cell *c)
{
	json_t *words = json_array(), *word;
	struct cell shortened = { .type = CELL_TREE, .tree = words };
	char *text;
	size_t i;

	if (c->type == CELL_TREE) {
		json_array_foreach(c->tree, i, word) {
			const char *s = json_is_string(word) ? json_string_value(word) : "?";

			s = *s == '/' ? text_base_name(s) : s;
			json_array_append_new(words, json_string(s));
		}
	}
	text = text_command(&shortened);
	json_decref(words);
	return text;
}

char *figure_trace_label(const struct report *r, size_t trace)
{
	const struct table *traces = report_table(r, "traces");
	const char *path = text_base_name(cell_text(table_get(traces, trace, "path")));
	char *frameworks = text_frameworks(r, trace);
	char *command = short_command(table_get(traces, trace, "command"));
	char *label = NULL;
	bool several = traces && traces->row_count > 1;
	const char *what = *frameworks ? frameworks : command && *command ? command : "trace";
	int n;

	if (several)
		n = asprintf(&label, "%s (%s)", what, path);
	else if (*frameworks && command && *command)
		n = asprintf(&label, "%s: %s", frameworks, command);
	else
		n = asprintf(&label, "%s", what);
	free(frameworks);
	free(command);
	return need(n < 0 ? NULL : label);
}

/* SPDX-License-Identifier: MIT */
/*
 * The table `coverage`: what of the work of a process and its libraries could be seen. A forked
 * child has its parent's libraries; only what it loaded itself stands here.
 */
#include <fnmatch.h>
#include <string.h>

#include "analysis/coverage.h"

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "library", "library", UNIT_TEXT, "file name; missing: the whole process" },
	{ "kind", "kind", UNIT_TEXT, "heap, cuda runtime, blas, ..." },
	{ "covered", "covered", UNIT_TEXT, "symbol, driver, cupti, or no" },
	{ "text", "what it means", UNIT_TEXT, "" },
};

static const struct coverage_rule rules[] = {
#include "analysis/coverage.tbl"
};

/* By dltrace_proc:process's `heap`. */
static const char *const heaps[] = {
	"every allocation is seen",
	"the program brings its own malloc: its heap is not known",
	"malloc and malloc_usable_size come from different libraries: the heap is not counted",
	"the program is static or its heap is not known",
};

static void add_row(struct table *t, const struct process *p, const char *library,
		    const char *kind, const char *covered, const char *text)
{
	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	set_text(t, "library", library);
	table_set_text(t, "kind", kind);
	table_set_text(t, "covered", covered);
	table_set_text(t, "text", text);
}

const struct coverage_rule *library_coverage(const char *path)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (!fnmatch(rules[i].pattern, base_name(path), 0))
			return &rules[i];
	return NULL;
}

/* The same library under two of its paths is told once. */
static bool told(const struct process *p, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(base_name(p->libraries[j].path), base_name(p->libraries[i].path)))
			return true;
	return library_inherited(p, &p->libraries[i]);
}

static void add(const struct process *p, struct table *t)
{
	if (p->orphan || !p->announced)
		return;
	add_row(t, p, NULL, "heap", p->heap_cover ? "no" : "symbol",
		heaps[p->heap_cover < 4 ? p->heap_cover : 3]);
	for (size_t i = 0; i < p->library_count; i++) {
		const struct coverage_rule *rule = library_coverage(p->libraries[i].path);

		if (rule && !told(p, i))
			add_row(t, p, base_name(p->libraries[i].path), rule->kind, rule->covered,
				rule->text);
	}
}

void run_coverage(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "coverage", "Coverage", COLUMNS(columns)), add);
}

/* SPDX-License-Identifier: MIT */
/* The table `libraries`: what processes loaded themselves; a forked child has its parent's too. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/analyses.h"
#include "analysis/frameworks.h"

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "library", "library", UNIT_TEXT, "file name" },
	{ "path", "path", UNIT_TEXT, "as mapped" },
	{ "framework", "framework", UNIT_TEXT, "that it belongs to" },
	{ "build_id", "build id", UNIT_TEXT, "hexadecimal" },
	{ "base", "base", UNIT_TEXT, "load address" },
	{ "size_bytes", "size", UNIT_BYTES, "of its mapping" },
	{ "caller", "caller", UNIT_ID, "1: it called something that is intercepted" },
};

static void add(const struct process *p, struct table *t)
{
	for (size_t i = 0; i < p->library_count; i++) {
		const struct library *l = &p->libraries[i];
		const struct framework_rule *rule = library_framework(l->path);
		char base[32];

		if (library_inherited(p, l))
			continue;
		table_add_row(t);
		table_set_int(t, "process", p->report_id);
		table_set_text(t, "library", base_name(l->path));
		table_set_text(t, "path", l->path);
		if (rule)
			table_set_text(t, "framework", rule->name);
		set_text(t, "build_id", l->build_id);
		snprintf(base, sizeof(base), "0x%" PRIx64, l->base);
		table_set_text(t, "base", base);
		table_set_uint(t, "size_bytes", l->size);
		table_set_uint(t, "caller", l->id != 0);
	}
}

void run_libraries(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "libraries", "Libraries", COLUMNS(columns)), add);
}

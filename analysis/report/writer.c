/* SPDX-License-Identifier: MIT */
/* The table of formats, and finding one by name or by a file's ending. */
#include "analysis/report/writer.h"

#include <string.h>

#include "analysis/report/figure.h"
#include "analysis/report/memory.h"

#ifndef HAVE_SQLITE
#define write_sqlite NULL
#endif
#ifndef HAVE_DYGRAPHS
#define write_html NULL
#endif

const struct writer writers[] = {
#define WRITER(name, ending, pages, package) { #name, ending, pages, package, write_##name, false },
#define EXPORTER(name, ending, folder) { #name, ending, PAGES_EVENTS, NULL, NULL, folder },
#include "analysis/report/writers.tbl"
#undef WRITER
#undef EXPORTER
};
const size_t writer_count = sizeof(writers) / sizeof(writers[0]);

char *writer_endings(void)
{
	char *text;
	size_t size;
	FILE *f = text_open(&text, &size);

	for (size_t i = 0; i < writer_count; i++)
		fprintf(f, i ? " %s" : "%s", writers[i].ending);
	return text_close(f, &text);
}

const struct writer *writer_by_name(const char *name)
{
	for (size_t i = 0; i < writer_count; i++)
		if (!strcmp(writers[i].name, name) || !strcmp(writers[i].ending + 1, name))
			return &writers[i];
	return NULL;
}

const struct writer *writer_by_path(const char *path)
{
	size_t length = strlen(path);

	while (length && path[length - 1] == '/')
		length--;
	for (size_t i = 0; i < writer_count; i++) {
		size_t n = strlen(writers[i].ending);

		if (length >= n && !strncmp(path + length - n, writers[i].ending, n))
			return &writers[i];
	}
	return NULL;
}

const char *writer_page(const struct writer *w, const struct report *r, size_t i)
{
	if (w->pages == PAGES_TABLES && i < r->table_count)
		return r->tables[i]->name;
	if (w->pages == PAGES_TABLES && i == r->table_count)
		return "series";
	if (w->pages == PAGES_FIGURES && figure_with_data(r, i))
		return figure_with_data(r, i)->name;
	return NULL;
}

const char *writer_empty_page(const struct writer *w, const struct report *r, size_t i)
{
	for (size_t f = 0; w->pages == PAGES_FIGURES && f < figure_count; f++)
		if (!figures[f].any(r) && !i--)
			return figures[f].name;
	return NULL;
}

bool writer_has_page(enum writer_pages pages, const struct report *r, const char *page)
{
	const struct writer any = { .pages = pages };
	const char *name;

	for (size_t i = 0; (name = writer_page(&any, r, i)); i++)
		if (!strcmp(name, page))
			return true;
	return false;
}

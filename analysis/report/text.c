/* SPDX-License-Identifier: MIT */
/*
 * Text: what a person wants to know in ten seconds, then the tables. A section is a function and
 * one line of `sections`; one that has nothing to say prints nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/report/text.h"
#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"

/* ---- pieces ---- */

void text_title(const struct text *t, const char *title, const char *remark)
{
	char *clean_title = text_clean(title, t->o->unicode);
	char *clean_remark = text_clean(remark ? remark : "", t->o->unicode);
	int room = t->o->width - text_width(clean_title) - 2;

	style_begin(t->out, t->o, STYLE_BOLD);
	put_cut(t->out, t->o, clean_title, t->o->width, 0);
	style_end(t->out, t->o, STYLE_BOLD);
	if (*clean_remark && room > 8) {
		fputs("  ", t->out);
		style_begin(t->out, t->o, STYLE_DIM);
		put_cut(t->out, t->o, clean_remark, room, 0);
		style_end(t->out, t->o, STYLE_DIM);
	}
	fputc('\n', t->out);
	free(clean_title);
	free(clean_remark);
}

void text_heading(const struct text *t, const char *title, const char *remark)
{
	fputc('\n', t->out);
	text_title(t, title, remark);
}

const char *text_dot(const struct text *t)
{
	return t->o->unicode ? " · " : ", ";
}

void text_wrapped(const struct text *t, const char *clean, int indent)
{
	int room = t->o->width - indent > 20 ? t->o->width - indent : 20;

	for (clean += strspn(clean, " "); *clean; clean += strspn(clean, " ")) {
		size_t n = text_line(clean, room);

		fwrite(clean, 1, n, t->out);
		clean += n;
		if (clean[strspn(clean, " ")])
			fprintf(t->out, "\n%*s", indent, "");
	}
	fputc('\n', t->out);
}

void text_item(const struct text *t, const char *mark, enum style style, const char *text)
{
	char *clean = text_clean(text, t->o->unicode);

	fputs("  ", t->out);
	style_begin(t->out, t->o, style);
	fputs(mark, t->out);
	style_end(t->out, t->o, style);
	fputc(' ', t->out);
	text_wrapped(t, clean, 4);
	free(clean);
}

size_t text_rows(const struct table *t)
{
	return t ? t->row_count : 0;
}

void text_more(const struct text *t, size_t rows, size_t shown, const char *table)
{
	char buf[FORMAT_SIZE];

	if (rows <= shown)
		return;
	style_begin(t->out, t->o, STYLE_DIM);
	fprintf(t->out, "  and %s more (--table %s)", format_whole(buf, (double)(rows - shown)),
		table);
	style_end(t->out, t->o, STYLE_DIM);
	fputc('\n', t->out);
}

bool text_any(const struct table *t, const char *column)
{
	for (size_t row = 0; row < text_rows(t); row++)
		if (table_get(t, row, column)->type != CELL_NULL)
			return true;
	return false;
}

bool text_several(const struct text *t)
{
	return text_rows(report_table(t->r, "traces")) > 1;
}

/* ---- findings, failures, limits: lists of sentences ---- */

#define FINDINGS_SHOWN 8
#define OF_A_RULE 2	/* of one rule: ranks and workers have the same to say, one by one */
#define OF_A_KIND 3	/* the same of failures and limits, where there are many */

static const struct { const char *severity, *mark, *ascii; enum style style; } severity_marks[] = {
	{ "problem", "✗", "x", STYLE_PROBLEM },
	{ "warning", "!", "!", STYLE_WARNING },
	{ "info", "·", "-", STYLE_DIM },
};

#define SEVERITY_MARKS (sizeof(severity_marks) / sizeof(severity_marks[0]))

/* "calls 40, share 0.31", with what an object holds inside by its own names. */
static void put_evidence(FILE *f, json_t *tree)
{
	const size_t flags = JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(4);
	const char *key;
	json_t *value;
	int n = 0;

	json_object_foreach(tree, key, value) {
		char *text = json_is_string(value) ? NULL : json_dumps(value, flags);

		fprintf(f, "%s%s %s", n++ ? ", " : "", key, text ? text : json_string_value(value));
		free(text);
	}
}

static void put_indented(const struct text *t, const char *text)
{
	char *clean = text_clean(text, t->o->unicode);

	style_begin(t->out, t->o, STYLE_DIM);
	fputs("    ", t->out);
	text_wrapped(t, clean, 4);
	style_end(t->out, t->o, STYLE_DIM);
	free(clean);
}

/* "a/run, since 21 s → Use a pool.": its trace where there are several. */
static void put_advice(const struct text *t, const struct table *findings, size_t row)
{
	const struct table *traces = report_table(t->r, "traces");
	const struct cell *since = table_get(findings, row, "since_ns"), *trace = table_get(findings, row, "trace");
	const char *advice = cell_text(table_get(findings, row, "advice"));
	bool dated = since->type != CELL_NULL && cell_real(since) > 0;
	char buf[FORMAT_SIZE], *line;
	size_t size;
	FILE *f = text_open(&line, &size);

	if (text_rows(traces) > 1 && trace->type != CELL_NULL)
		fprintf(f, "%s%s", cell_text(table_get(traces, (size_t)cell_uint(trace), "name")), dated ? "," : "");
	if (dated)
		fprintf(f, " since %s", format_cell(buf, UNIT_TIME, since, t->o->unicode));
	if (*advice)
		fprintf(f, " %s %s", t->o->unicode ? "→" : "->", advice);
	if (*text_close(f, &line))
		put_indented(t, line);
	free(line);
}

static void put_finding(const struct text *t, const struct table *findings, size_t row)
{
	const char *severity = cell_text(table_get(findings, row, "severity"));
	const struct cell *evidence = table_get(findings, row, "evidence");
	size_t i = 0, size;
	char *text;
	FILE *f;

	while (i + 1 < SEVERITY_MARKS && strcmp(severity, severity_marks[i].severity))
		i++;
	text_item(t, t->o->unicode ? severity_marks[i].mark : severity_marks[i].ascii, severity_marks[i].style,
		 cell_text(table_get(findings, row, "text")));
	put_advice(t, findings, row);
	if (!t->o->verbose || evidence->type != CELL_TREE)
		return;
	f = text_open(&text, &size);
	fputs("evidence: ", f);
	put_evidence(f, evidence->tree);
	put_indented(t, text_close(f, &text));
	free(text);
}

/* How often a text has come, of a few: rules, kinds. */
struct seen {
	struct { const char *text; size_t times; } *list;	/* owned; the texts are borrowed */
	size_t count;
};

/* How often it had come before. */
static size_t seen_before(struct seen *s, const char *text)
{
	size_t i = 0;

	while (i < s->count && strcmp(s->list[i].text, text))
		i++;
	if (i == s->count) {
		s->list = need(realloc(s->list, (s->count + 1) * sizeof(*s->list)));
		s->list[s->count].text = text;
		s->list[s->count++].times = 0;
	}
	return s->list[i].times++;
}

static void section_findings(const struct text *t)
{
	const struct table *findings = report_table(t->r, "findings");
	size_t rows = text_rows(findings), shown = 0;
	char buf[FORMAT_SIZE], more[64 + FORMAT_SIZE];
	struct seen rules = { 0 };

	text_heading(t, "Findings", NULL);
	if (!rows)
		text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM, "nothing unusual");
	for (size_t row = 0; row < rows; row++) {
		size_t before = seen_before(&rules, cell_text(table_get(findings, row, "rule")));

		if (!t->o->verbose && (shown == FINDINGS_SHOWN || before >= OF_A_RULE))
			continue;
		put_finding(t, findings, row);
		shown++;
	}
	free(rules.list);
	if (rows == shown)
		return;
	snprintf(more, sizeof(more), "and %s more (-v, or --table findings)",
		 format_whole(buf, (double)(rows - shown)));
	text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM, more);
}

/* Where a sentence of a process goes on behind "python3 (pid 7)"; NULL: it does not begin so. */
static const char *said_of_process(const char *text)
{
	const char *pid = strstr(text, " (pid "), *end;

	if (!pid)
		return NULL;
	end = pid + 6 + strspn(pid + 6, "0123456789");
	return !strncmp(end, "): ", 3) ? end + 1 : NULL;
}

/* A row, and what makes it say the same as another one. */
struct sentence {
	double trace;
	const char *kind, *said;	/* borrowed; said NULL: there is no other one */
	size_t row;
};

static int by_sentence(const void *a, const void *b)
{
	const struct sentence *x = a, *y = b;
	int order = (x->trace > y->trace) - (x->trace < y->trace);

	if (!order)
		order = strcmp(x->kind, y->kind);
	if (!order)
		order = strcmp(x->said ? x->said : "", y->said ? y->said : "");
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static bool same_sentence(const struct sentence *x, const struct sentence *y)
{
	return x->said && y->said && x->trace == y->trace && !strcmp(x->kind, y->kind) && !strcmp(x->said, y->said);
}

/*
 * For each row the first one that says the same of another process of its trace, or itself; the caller's. A table
 * without traces tells what happened, each time by itself.
 */
static size_t *first_to_say(const struct table *list, size_t rows)
{
	struct sentence *all = need(calloc(rows, sizeof(*all)));
	size_t *first = need(calloc(rows, sizeof(*first)));

	for (size_t row = 0; row < rows; row++) {
		const struct cell *trace = table_get(list, row, "trace");

		all[row] = (struct sentence){ .row = row, .kind = cell_text(table_get(list, row, "kind")) };
		if (trace->type == CELL_NULL || table_get(list, row, "process")->type == CELL_NULL)
			continue;
		all[row].trace = cell_real(trace);
		all[row].said = said_of_process(cell_text(table_get(list, row, "text")));
	}
	qsort(all, rows, sizeof(*all), by_sentence);
	for (size_t i = 0; i < rows; i++)
		first[all[i].row] = i && same_sentence(&all[i - 1], &all[i]) ? first[all[i - 1].row] : all[i].row;
	free(all);
	return first;
}

/* others: so many processes of which it is true, too. */
static void put_sentence(const struct text *t, const struct table *list, size_t row, size_t others, enum style style)
{
	const struct cell *at = table_get(list, row, "t_ns"), *trace = table_get(list, row, "trace");
	const struct cell *process = table_get(list, row, "process");
	const char *sentence = cell_text(table_get(list, row, "text"));
	char buf[FORMAT_SIZE], of[FORMAT_SIZE + 16] = "", too[FORMAT_SIZE + 16] = "", *text = NULL;
	int whom = others ? (int)(said_of_process(sentence) - sentence) : 0;

	if (text_several(t) && (trace->type != CELL_NULL || process->type != CELL_NULL))
		snprintf(of, sizeof(of), "trace %.0f%s ", trace->type != CELL_NULL ? cell_real(trace) :
							 text_trace(t->r, process),
			 at->type == CELL_NULL ? ":" : ",");
	if (others)
		snprintf(too, sizeof(too), " and %s other%s", format_whole(buf, (double)others),
			 others == 1 ? "" : "s");
	if (asprintf(&text, "%s%s%s%.*s%s%s", of,
		     at->type == CELL_NULL ? "" : format_cell(buf, UNIT_TIME, at, t->o->unicode),
		     at->type == CELL_NULL ? "" : ": ", whom, sentence, too, sentence + whom) < 0)
		return;
	text_item(t, t->o->unicode ? "·" : "-", style, text);
	free(text);
}

/* For people, of a kind of limit or finding whose name does not say it; the caller's. */
static char *kind_in_words(const char *kind)
{
	static const struct { const char *kind, *words; } kinds[] = {
		{ "threshold", "calls only counted" }, { "uncovered", "calls not seen" },
		{ "overhead", "cost of tracing" }, { "unreturned", "calls not returned" },
		{ "untimed", "calls not timed" }, { "flood", "floods of calls" }, { "gpu", "GPU" },
	};
	char *words;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].kind, kind))
			kind = kinds[i].words;
	words = need(strdup(kind));
	for (char *c = words; *c; c++)
		*c = *c == '_' || *c == '-' ? ' ' : *c;
	return words;
}

/* "and 731 more: 409 killed, 322 calls only counted (--table limits)" */
static void put_hidden(const struct text *t, const char *table, const bool *hidden, size_t rows)
{
	const struct table *list = report_table(t->r, table);
	char buf[FORMAT_SIZE], *text;
	size_t all = 0, size;
	bool *told = need(calloc(rows, sizeof(*told)));
	FILE *f = text_open(&text, &size);

	for (size_t row = 0; row < rows; row++)
		all += hidden[row];
	fprintf(f, "and %s more", format_whole(buf, (double)all));
	for (size_t row = 0, kinds = 0; row < rows; row++) {
		const char *kind = cell_text(table_get(list, row, "kind"));
		size_t of = 0;

		for (size_t i = row; hidden[row] && !told[row] && i < rows; i++) {
			bool same = hidden[i] && !strcmp(cell_text(table_get(list, i, "kind")), kind);

			of += same;
			told[i] |= same && i > row;
		}
		if (of) {
			char *words = kind_in_words(kind);

			fprintf(f, "%s %s %s", kinds++ ? "," : ":", format_whole(buf, (double)of), words);
			free(words);
		}
	}
	fprintf(f, " (--table %s)", table);
	text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM, text_close(f, &text));
	free(text);
	free(told);
}

/* Few of each kind: what many processes have to say must not hide what one has; what they all say is put once. */
static void put_list(const struct text *t, const char *table, const char *title, size_t most,
		     enum style style)
{
	const struct table *list = report_table(t->r, table);
	size_t rows = text_rows(list), shown = 0, distinct = 0, *first, *others;
	struct seen kinds = { 0 };
	bool *hidden, some = false;

	if (!rows)
		return;
	hidden = need(calloc(rows, sizeof(*hidden)));
	others = need(calloc(rows, sizeof(*others)));
	first = first_to_say(list, rows);
	for (size_t row = 0; row < rows; row++) {
		distinct += first[row] == row;
		others[first[row]] += first[row] != row;
	}
	text_heading(t, title, NULL);
	for (size_t row = 0; row < rows; row++) {
		if (first[row] != row) {
			hidden[row] = hidden[first[row]];
			continue;
		}
		hidden[row] = seen_before(&kinds, cell_text(table_get(list, row, "kind"))) >= OF_A_KIND ||
			      shown == most;
		hidden[row] &= distinct > most;
		some |= hidden[row];
		if (hidden[row])
			continue;
		put_sentence(t, list, row, others[row], style);
		shown++;
	}
	if (some)
		put_hidden(t, table, hidden, rows);
	free(kinds.list);
	free(hidden);
	free(others);
	free(first);
}

static void section_failures(const struct text *t)
{
	put_list(t, "failures", "Failures", 12, STYLE_PROBLEM);
}

static void section_limits(const struct text *t)
{
	put_list(t, "limits", "What limits this report", 12, STYLE_DIM);
}

/* ---- the whole ---- */

static void (*const sections[])(const struct text *) = {
	text_comparison, text_head, section_findings, text_curves, text_iterations, text_ranges,
	text_functions, text_libraries, text_phases, text_kernels, text_communication, text_scaling,
	text_processes, text_threads, text_heap, text_gpu_memory, text_memory_stacks,
	section_failures, section_limits, text_failed_checks,
};

int write_text(const struct report *r, const char *page, FILE *out, const struct writer_options *o)
{
	const struct text t = { r, out, o };

	if (page || o->table)
		return text_page(&t, page ? page : o->table);
	if (report_table(r, "certificate")) {
		text_certificate(&t);
		return 0;
	}
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		sections[i](&t);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * The tables `memory_stacks`, what each call stack asked for and holds, and `memory_stack_sums`, what of the most that
 * was live these tell (dltrace-record --stacks).
 */
#include "analysis/analyses.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_kinds.h"
#include "analysis/demangle.h"
#include "analysis/report/memory.h"
#include "analysis/symbols.h"

#define NAME_ROOM 1024		/* bytes of a frame's name */
#define DEPTH_SHOWN 512		/* frames; the process keeps fewer */

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "memory", "memory", UNIT_TEXT, "heap: blocks of at least the threshold; else a kind as in gpu_memory" },
	{ "device", "device", UNIT_ID, "the GPU, as CUDA numbers it for this process; null: the heap" },
	{ "where", "where", UNIT_TEXT, "the innermost line of the program's own Python, else of any Python, else the "
	  "innermost function" },
	{ "python", "python", UNIT_TEXT, "the innermost line of any Python" },
	{ "function", "function", UNIT_TEXT, "the innermost frame: who called the allocation" },
	{ "peak_bytes", "at peak", UNIT_BYTES, "held when the most of this memory was live in the process" },
	{ "peak_blocks", "blocks", UNIT_COUNT, "the same in blocks" },
	{ "live_bytes", "live at end", UNIT_BYTES, "held in the end: asked for and not given back" },
	{ "live_blocks", "live blocks", UNIT_COUNT, "the same in blocks" },
	{ "allocated_bytes", "allocated", UNIT_BYTES, "all that was asked for" },
	{ "allocations", "allocations", UNIT_COUNT, "how often" },
	{ "temporary_bytes", "temporary", UNIT_BYTES, "of what was asked for: blocks that the thread gave back "
	  "before it asked for another one (of at least the threshold); null: not the heap" },
	{ "temporary_allocations", "temporary blocks", UNIT_COUNT, "how many" },
	{ "part_of", "part of", UNIT_TEXT, "the row of memory_stack_sums whose part it is" },
	{ "stack", "stack", UNIT_TEXT, "all frames, the outermost first, with ; between" },
};

static const struct column sum_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "memory", "memory", UNIT_TEXT, "heap; gpu: what takes room there; other: pinned, addresses, ..." },
	{ "peak_bytes", "peak", UNIT_BYTES, "most that was live at once of what has a stack" },
	{ "peak_ns", "at", UNIT_NS, "when" },
	{ "live_bytes", "live at end", UNIT_BYTES, "in the end" },
	{ "allocated_bytes", "allocated", UNIT_BYTES, "all that was asked for" },
	{ "allocations", "allocations", UNIT_COUNT, "how often" },
	{ "temporary_bytes", "temporary", UNIT_BYTES, "of it, as in memory_stacks" },
	{ "temporary_allocations", "temporary blocks", UNIT_COUNT, "how many" },
	{ "least_bytes", "least", UNIT_BYTES, "smaller blocks are in no stack" },
	{ "stacks", "stacks", UNIT_COUNT, "different ones" },
	{ "unnamed", "unnamed", UNIT_COUNT, "frames of this process whose function is not known: no symbol, or the "
	  "library is not on this machine" },
};

/* ---- frames -------------------------------------------------------------------------------- */

static char *need_text(const char *text)
{
	return need(strdup(text));
}

struct frame_name {
	char *text;			/* owned; NULL: not shown */
	bool known;			/* it was looked for */
	bool outside;			/* like all that called it: what calls main */
	bool python, own;		/* own: of the program's own Python */
};

/* The frames of one process, by id. */
struct naming {
	const struct process *process;
	struct symbols *symbols;
	struct frame_name names[DLT_BOX_FRAMES + 1];
	uint64_t unnamed;		/* functions that are not known */
};

static const char *after(const char *path, const char *part)
{
	const char *at = strstr(path, part);

	return at ? at + strlen(part) : NULL;
}

/* "torch/nn/modules/conv.py" of a package's file; NULL: it is the program's own. */
static const char *installed(const char *path)
{
	static const char *const folders[] = { "/site-packages/", "/dist-packages/" };
	const char *at;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if ((at = after(path, folders[i])))
			return at;
	at = after(path, "/lib/python");
	if (at && (at = strchr(at, '/')))
		return at + 1;
	return *path == '<' ? path : NULL;
}

/* As one would say it who stands in the folder in which the program began. */
static const char *from_folder(const struct process *p, const char *path)
{
	size_t length = strlen(p->folder);

	return length > 1 && !strncmp(path, p->folder, length) && path[length] == '/' ? path + length + 1 : path;
}

#define IMPORT "Python's import"

/* Import's own machinery is left out, as Python's tracebacks do. */
static bool is_import(const char *file)
{
	return !strncmp(file, "<frozen importlib", 17);
}

static void name_python(const struct naming *n, uint64_t what, struct frame_name *f)
{
	const struct object *code = process_find_object(n->process, DLT_OBJECT_CODE, dlt_frame_code(what));
	uint32_t line = (uint32_t)(what & DLT_FRAME_LINE);
	const char *end = code ? strchr(code->name, DLT_FRAME_NAME_ENDS) : NULL, *shown;
	char file[NAME_ROOM];
	FILE *text;
	size_t size;

	f->python = true;
	if (!end) {
		f->text = need_text("Python");
		return;
	}
	snprintf(file, sizeof(file), "%.*s", (int)(end - code->name), code->name);
	if (is_import(file))
		return;
	shown = installed(file);
	f->own = !shown;
	text = text_open(&f->text, &size);
	fputs(shown ? shown : from_folder(n->process, file), text);
	if (line)
		fprintf(text, ":%" PRIu32, line);
	fprintf(text, " %s", end + 1);
	text_close(text, &f->text);
}

static bool is_c_library(const char *path)
{
	return !strcmp(base_name(path), "libc.so.6");
}

/* Arguments tell little here and take a lot of room: cuts them off, "f(int) const" too. */
static void cut_arguments(char *name)
{
	int depth = 0;

	for (char *c = name; *c; c++) {
		bool operator = c - name >= 8 && !strncmp(c - 8, "operator", 8);

		depth += *c == '<' && !operator;
		depth -= *c == '>' && depth && c[-1] != '-' && !operator;
		if (*c == '(' && !depth && c > name && !operator && strncmp(c, "(anonymous", 10)) {
			*c = '\0';
			return;
		}
	}
}

static void name_native(struct naming *n, uint64_t what, bool outermost, struct frame_name *f)
{
	const struct library *l = process_library(n->process, dlt_frame_library(what));
	uint64_t offset = dlt_frame_place(what);
	const char *symbol;
	char text[NAME_ROOM];

	f->outside = outermost && l && is_c_library(l->path);
	if (f->outside)
		return;
	/* The byte before the return address is the call's. */
	symbol = l && offset ? symbols_find(n->symbols, l, offset - 1) : NULL;
	if (symbol) {
		cut_arguments(demangle(symbol, text, sizeof(text)));
	} else {
		n->unnamed++;
		snprintf(text, sizeof(text), "%s+0x%" PRIx64, l ? base_name(l->path) : "unknown", offset);
	}
	f->text = need_text(text);
}

/* `caller`: NULL where there is none. */
static void name_frame(struct naming *n, uint32_t id, const struct frame_name *caller)
{
	const struct asker_frame *frame = process_frame_of(n->process, id);
	struct frame_name *f = &n->names[id];

	f->known = true;
	switch (frame ? dlt_frame_kind(frame->what) : 0) {
	case DLT_FRAME_NATIVE:
		name_native(n, frame->what, !caller || caller->outside, f);
		break;
	case DLT_FRAME_PYTHON:
		name_python(n, frame->what, f);
		break;
	case DLT_FRAME_CUT:
		f->text = need_text("...");
		break;
	default:
		f->text = need_text("code in no library");
	}
}

/* Frames of a stack, the outermost first. How many. */
static size_t chain(struct naming *n, uint32_t stack, const struct frame_name **to)
{
	uint32_t ids[DEPTH_SHOWN];
	size_t count = 0;

	for (uint32_t id = stack; id && id <= DLT_BOX_FRAMES && count < DEPTH_SHOWN;) {
		const struct asker_frame *frame = process_frame_of(n->process, id);

		ids[count++] = id;
		id = frame ? frame->caller : 0;
	}
	for (size_t i = count; i--;) {
		if (!n->names[ids[i]].known)
			name_frame(n, ids[i], i + 1 < count ? &n->names[ids[i + 1]] : NULL);
		to[count - 1 - i] = &n->names[ids[i]];
	}
	return count;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* What stacks that read alike asked for. */
struct sum {
	char *stack;			/* owned; NULL: nothing is known of it */
	const char *own, *python, *function;	/* its innermost frames of that kind, borrowed; or NULL */
	uint8_t memory, device;
	int64_t peak_live, peak_blocks, live, blocks;
	uint64_t allocated, allocations, temporary, temporary_bytes;
};

static int compare(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->memory != y->memory)
		return x->memory - y->memory;
	if (x->device != y->device)
		return x->device - y->device;
	return strcmp(x->stack, y->stack);
}

/* Its frames with ; between. Of Python that has nothing else than import's machinery, that: it begins. */
static void fold(struct sum *s, const struct frame_name *const *frames, size_t count)
{
	bool python = false;
	size_t size;
	FILE *f = text_open(&s->stack, &size);

	for (size_t i = 0; i < count; i++) {
		python |= frames[i]->python;
		if (!frames[i]->text)
			continue;
		if (s->function)
			fputc(';', f);
		for (const char *c = frames[i]->text; *c; c++)
			fputc(*c == ';' ? ':' : *c, f);
		s->function = frames[i]->text;
		if (frames[i]->python)
			s->python = frames[i]->text;
		if (frames[i]->own)
			s->own = frames[i]->text;
	}
	if (python && !s->function) {
		fputs(IMPORT, f);
		s->function = s->python = IMPORT;
	}
	text_close(f, &s->stack);
}

static struct sum sum_of(struct naming *n, const struct asker *a)
{
	const struct askers *all = &n->process->askers;
	const struct frame_name *frames[DEPTH_SHOWN];
	size_t count = chain(n, a->stack, frames);
	struct sum s = {
		.memory = a->memory, .device = a->device, .peak_live = asker_peak(all, a),
		.peak_blocks = asker_peak_blocks(all, a), .live = a->live, .blocks = a->blocks,
		.allocated = a->allocated, .allocations = a->allocations,
		.temporary = a->temporary, .temporary_bytes = a->temporary_bytes,
	};

	fold(&s, frames, count);
	return s;
}

static bool is_like(const struct sum *a, const struct sum *b)
{
	return compare(a, b) == 0;
}

static void merge(struct sum *to, const struct sum *from)
{
	to->peak_live += from->peak_live;
	to->peak_blocks += from->peak_blocks;
	to->live += from->live;
	to->blocks += from->blocks;
	to->allocated += from->allocated;
	to->allocations += from->allocations;
	to->temporary += from->temporary;
	to->temporary_bytes += from->temporary_bytes;
}

static const char *memory_name(uint8_t memory)
{
	return memory == DLT_STACK_HEAP ? "heap" : dlt_memory_kind(memory)->name;
}

static const char *const asked_names[ASKED_KINDS] = { "heap", "gpu", "other" };

static void set_temporary(struct table *t, uint64_t bytes, uint64_t allocations)
{
	table_set_uint(t, "temporary_bytes", bytes);
	table_set_uint(t, "temporary_allocations", allocations);
}

static void add_row(struct table *t, const struct process *p, const struct sum *s)
{
	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	table_set_text(t, "memory", memory_name(s->memory));
	if (s->memory != DLT_STACK_HEAP)
		table_set_uint(t, "device", s->device);
	else
		set_temporary(t, s->temporary_bytes, s->temporary);
	table_set_text(t, "part_of", asked_names[asked_kind(s->memory)]);
	if (s->function) {
		table_set_text(t, "where", s->own ? s->own : s->python ? s->python : s->function);
		set_text(t, "python", s->python ? s->python : "");
		table_set_text(t, "function", s->function);
		table_set_text(t, "stack", s->stack);
	}
	table_set_int(t, "peak_bytes", s->peak_live);
	table_set_int(t, "peak_blocks", s->peak_blocks);
	table_set_int(t, "live_bytes", s->live);
	table_set_int(t, "live_blocks", s->blocks);
	table_set_uint(t, "allocated_bytes", s->allocated);
	table_set_uint(t, "allocations", s->allocations);
}

static void add_rows(struct table *t, struct naming *n)
{
	const struct askers *all = &n->process->askers;
	size_t count = 0, rows = 0;
	struct sum *sums = all->count ? need(calloc(all->count, sizeof(*sums))) : NULL;

	for (size_t i = 0; i < all->count; i++)
		if (asker_counts(all, &all->list[i]))
			sums[count++] = sum_of(n, &all->list[i]);
	if (count)
		qsort(sums, count, sizeof(*sums), compare);
	for (size_t i = 0; i < count; i++) {
		if (rows && is_like(&sums[rows - 1], &sums[i])) {
			merge(&sums[rows - 1], &sums[i]);
			free(sums[i].stack);
		} else {
			sums[rows++] = sums[i];
		}
	}
	for (size_t i = 0; i < rows; i++) {
		add_row(t, n->process, &sums[i]);
		free(sums[i].stack);
	}
	free(sums);
}

/* What all stacks of this kind asked for; how many there are. */
static uint64_t add_up(const struct askers *all, enum asked_memory kind, struct sum *to)
{
	uint64_t stacks = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct asker *a = &all->list[i];

		if (asked_kind(a->memory) != kind || !asker_counts(all, a))
			continue;
		merge(to, &(struct sum){ .allocated = a->allocated, .allocations = a->allocations,
					 .temporary = a->temporary, .temporary_bytes = a->temporary_bytes });
		stacks++;
	}
	return stacks;
}

static void add_sum(struct table *t, const struct naming *n, enum asked_memory kind)
{
	const struct asked_sum *sum = &n->process->askers.sums[kind];
	struct sum all = { 0 };
	uint64_t stacks = add_up(&n->process->askers, kind, &all);

	if (!stacks)
		return;
	table_add_row(t);
	table_set_int(t, "process", n->process->report_id);
	table_set_text(t, "memory", asked_names[kind]);
	table_set_int(t, "peak_bytes", sum->peak);
	if (sum->number)
		table_set_int(t, "peak_ns", sum->peak_at);
	table_set_int(t, "live_bytes", sum->live);
	table_set_uint(t, "allocated_bytes", all.allocated);
	table_set_uint(t, "allocations", all.allocations);
	if (kind == ASKED_HEAP) {
		set_temporary(t, all.temporary_bytes, all.temporary);
		table_set_uint(t, "least_bytes", n->process->threshold);
	}
	table_set_uint(t, "stacks", stacks);
	table_set_uint(t, "unnamed", n->unnamed);
}

static void add_process(const struct process *p, struct symbols *symbols, struct table *stacks, struct table *sums)
{
	struct naming *n = need(calloc(1, sizeof(*n)));

	n->process = p;
	n->symbols = symbols;
	add_rows(stacks, n);
	for (int kind = 0; kind < ASKED_KINDS; kind++)
		add_sum(sums, n, (enum asked_memory)kind);
	for (size_t i = 0; i <= DLT_BOX_FRAMES; i++)
		free(n->names[i].text);
	free(n);
}

void run_call_stacks(const struct model *m, struct report *r)
{
	struct table *stacks = report_add_table(r, "memory_stacks", "Who asked for memory", COLUMNS(columns));
	struct table *sums = report_add_table(r, "memory_stack_sums", "Memory with call stacks",
					      COLUMNS(sum_columns));
	struct symbols *symbols = symbols_new();

	for (size_t i = 0; i < m->trace_count; i++)
		for (size_t j = 0; j < m->traces[i]->process_count; j++) {
			const struct process *p = m->traces[i]->processes[j];

			model_alive(m);
			if (process_shown(p) && p->askers.count)
				add_process(p, symbols, stacks, sums);
		}
	table_sort_falling(stacks, "peak_bytes");
	table_sort_falling(sums, "peak_bytes");
	symbols_free(symbols);
}

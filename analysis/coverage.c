/* SPDX-License-Identifier: MIT */
/*
 * The table `coverage`: what of the work of a process and its libraries could be seen. A forked
 * child has its parent's libraries; only what it loaded itself stands here.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/coverage.h"
#include "analysis/model/gpu.h"
#include "library_flags.h"
#include "object_types.h"

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "library", "library", UNIT_TEXT, "file name; missing: the whole process" },
	{ "path", "path", UNIT_TEXT, "as mapped" },
	{ "version", "version", UNIT_TEXT, "by the file's name" },
	{ "kind", "kind", UNIT_TEXT, "heap, cuda runtime, static cuda runtime, cuda driver, cuda calls, blas, ..." },
	{ "covered", "covered", UNIT_TEXT, "symbol, driver, cupti, events (of OpenCL's commands), or no" },
	{ "calls", "calls seen", UNIT_COUNT, "at that layer; of a static runtime: by its library" },
	{ "text", "what it means", UNIT_TEXT, "" },
};

static const struct rule {
	const char *pattern, *kind, *covered, *text;
} rules[] = {
#include "analysis/coverage.tbl"
};

/* By dltrace_proc:process's `heap`. */
static const char *const heaps[] = {
	"every allocation is seen",
	"the program brings its own malloc: its heap is not known",
	"malloc and malloc_usable_size come from different libraries: the heap is not counted",
	"the program is static or its heap is not known",
};

/* One process while it is told of. */
struct tell {
	const struct process *process;
	void (*each)(const struct coverage *c, void *data);
	void *data;
	bool facts;		/* libdltrace has looked at every library */
	bool lookups;		/* ... and what is looked up by dlsym passes it */
	bool cuda;		/* there is a copy of CUDA */
	bool heap_past_us;	/* some library allocates otherwise */
	bool audited;		/* what goes past the preload passes the audit library */
	uint64_t calls_by_layer[2];
};


enum { CUDA_RUNTIME, CUDA_DRIVER };
static const char *const layers[] = { "runtime", "driver" };

static void __attribute__((format(printf, 6, 7)))
tell(const struct tell *t, const struct library *l, const char *kind, const char *covered,
     uint64_t calls, const char *format, ...)
{
	struct coverage c = { .library = l, .kind = kind, .covered = covered, .version = "", .calls = calls };
	const char *version = l ? strstr(base_name(l->path), ".so.") : NULL;
	va_list args;

	if (version)
		c.version = version + 4;
	va_start(args, format);
	vsnprintf(c.text, sizeof(c.text), format, args);
	va_end(args);
	t->each(&c, t->data);
}

/* ---- calls that were seen ------------------------------------------------------------------ */

static uint64_t calls_at(const struct process *p, int layer, const struct library *by)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];

		if (by && (!by->id || profile_library(f) != by->id))
			continue;
		if (!f->work && !strcmp(process_function(p, profile_function(f))->layer, layers[layer]))
			calls += profile_sums(f)->calls;
	}
	return calls;
}

/* ---- libraries with facts ------------------------------------------------------------------ */

#define USES (DLT_LIBRARY_USES_RUNTIME | DLT_LIBRARY_USES_DRIVER)
#define CUDA (USES | DLT_LIBRARY_RUNTIME | DLT_LIBRARY_DRIVER | DLT_LIBRARY_OWN_RUNTIME)

static const char *cuda_kind(uint32_t flags)
{
	if (flags & DLT_LIBRARY_RUNTIME)
		return "cuda runtime";
	if (flags & DLT_LIBRARY_DRIVER)
		return "cuda driver";
	return flags & DLT_LIBRARY_OWN_RUNTIME ? "static cuda runtime" : "cuda calls";
}

/* True: that is all there is to say. */
static bool in_a_namespace(const struct tell *t, const struct library *l)
{
	if (!(l->flags & DLT_LIBRARY_NAMESPACE))
		return false;
	if (l->flags & CUDA && t->audited && !(l->flags & DLT_LIBRARY_PAST_US))
		tell(t, l, cuda_kind(l->flags), "symbol", calls_at(t->process, CUDA_RUNTIME, l),
		     "in a namespace of its own (dlmopen); its calls are seen by --audit");
	else if (l->flags & CUDA)
		tell(t, l, cuda_kind(l->flags), "no", 0,
		     "loaded into a namespace of its own (dlmopen): its CUDA calls are not seen");
	else if (!strncmp(base_name(l->path), "libc.so", 7) || !strncmp(base_name(l->path), "libc-2", 6))
		tell(t, l, "heap", "no", 0,
		     "the C library of a namespace of its own (dlmopen): what is allocated there is not counted");
	return true;
}

static void heap_of_library(const struct tell *t, const struct library *l)
{
	if (l->flags & DLT_LIBRARY_OWN_MALLOC)
		tell(t, l, "heap", "no", 0, "it has a malloc of its own: what it allocates by that is not counted");
	else if (l->flags & DLT_LIBRARY_HEAP_PAST_US)
		tell(t, l, "heap", "no", 0,
		     "its malloc is not dltrace's (RTLD_DEEPBIND?): what it allocates is not counted");
}

static void copy_of_cuda(const struct tell *t, const struct library *l)
{
	uint64_t calls = calls_at(t->process, CUDA_DRIVER, l);

	if (l->flags & DLT_LIBRARY_RUNTIME)
		tell(t, l, "cuda runtime", "symbol", t->calls_by_layer[CUDA_RUNTIME],
		     "a CUDA runtime; calls of its functions by other libraries are seen");
	if (l->flags & DLT_LIBRARY_DRIVER)
		tell(t, l, "cuda driver", t->lookups ? "driver" : "symbol", t->calls_by_layer[CUDA_DRIVER],
		     t->lookups ? "the CUDA driver; its functions are seen however they are found"
				: "the CUDA driver; calls by symbol are seen, what is looked up is not");
	if (!(l->flags & DLT_LIBRARY_OWN_RUNTIME))
		return;
	if (!t->audited && (l->flags & DLT_LIBRARY_LOOKS_PAST_US || !t->lookups))
		tell(t, l, "static cuda runtime", "no", calls,
		     "a CUDA runtime is inside, which looks the driver up past dltrace: its calls are not seen");
	else if (calls)
		tell(t, l, "static cuda runtime", "driver", calls,
		     "a CUDA runtime is inside; its calls are seen at the driver");
	else
		tell(t, l, "static cuda runtime", "driver", 0,
		     "a CUDA runtime is inside, which has not called the driver");
}

static void callers_of_cuda(const struct tell *t, const struct library *l)
{
	if (l->flags & DLT_LIBRARY_PAST_US)
		tell(t, l, "cuda calls", "no",
		     calls_at(t->process, CUDA_RUNTIME, l) + calls_at(t->process, CUDA_DRIVER, l),
		     "its CUDA references do not lead to dltrace (RTLD_DEEPBIND?): its calls are not seen");
	else if (l->flags & DLT_LIBRARY_USES_UNKNOWN)
		tell(t, l, "cuda functions", "no", 0,
		     "it refers to CUDA functions that dltrace does not know: calls of those are not seen");
	if (l->flags & DLT_LIBRARY_USES_UNKNOWN_NCCL)
		tell(t, l, "nccl functions", "no", 0,
		     "it refers to functions of NCCL that dltrace does not know: calls of those are not seen");
	if (l->flags & DLT_LIBRARY_PROFILES_PAST_US)
		tell(t, l, "profiler", "no", 0,
		     "its use of CUPTI does not pass dltrace (RTLD_DEEPBIND?): with --gpu=activity the two take "
		     "records from each other");
	/* A copy of CUDA in the process that it can only have found by looking it up. */
	if (t->cuda && !t->audited && l->flags & DLT_LIBRARY_LOOKS_PAST_US && !(l->flags & CUDA))
		tell(t, l, "cuda calls", "no", 0,
		     "what it looks up itself does not pass dltrace (RTLD_DEEPBIND?): if that is CUDA, it is not seen");
}

/* What is called through a table of function pointers passes nobody; a runtime has some functions of the driver so. */
static void private_tables(const struct tell *t, const struct library *l)
{
	static const char *const functions[] = { "cuGetExportTable", "cudaGetExportTable" };
	const struct process *p = t->process;
	uint64_t tables = 0;

	for (size_t i = 0; l->id && i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		const struct sums *s = profile_sums(f);

		if (f->work || profile_library(f) != l->id)
			continue;
		for (size_t j = 0; j < sizeof(functions) / sizeof(*functions); j++)
			if (!strcmp(process_function(p, profile_function(f))->name, functions[j]))
				tables += s->calls - s->failed;
	}
	if (tables)
		tell(t, l, "private table", "no", tables,
		     "it has asked for CUDA's private tables of functions: what it calls through them is not seen");
}

/* A forked child's objects begin with its parent's. */
static size_t inherited_functions(const struct process *p)
{
	const struct process *from = process_forked_from(p);
	size_t i = 0;

	while (from && i < p->uncovered_count && i < from->uncovered_count && p->uncovered[i] == from->uncovered[i])
		i++;
	return i;
}

/* By the begin of the name; the first that fits. Newer than our tables: the program got the real function. */
static const struct {
	const char *begin, *kind, *text;
} of_no_table[] = {
	{ DLT_SHUT_IN, "seccomp",
	  "since it may have shut itself in by %s, files and sockets that it opens, and what it prints, are not looked "
	  "at" },
	{ DLT_SHUT_STRICTLY, "strict seccomp",
	  "since a thread of it may have shut itself in by %s, calls that this makes afterwards are not seen" },
	{ DLT_ASKED_PAST, "cuda lookup",
	  "functions of CUDA or NCCL that it has looked up by %s or dlvsym do not pass dltrace" },
	{ "nccl", "nccl function", "%s is in no table of dltrace: calls of it are not seen" },
	{ "", "cuda function", "%s is in no table of dltrace: calls of it are not seen" },
};

static void uncovered_functions(const struct tell *t)
{
	const struct process *p = t->process;

	for (size_t i = inherited_functions(p); i < p->uncovered_count; i++) {
		struct coverage c = { .covered = "no", .version = "", .name = p->uncovered[i] };
		size_t k = 0;

		while (strncmp(p->uncovered[i], of_no_table[k].begin, strlen(of_no_table[k].begin)) != 0)
			k++;
		c.kind = of_no_table[k].kind;
		snprintf(c.text, sizeof(c.text), of_no_table[k].text, p->uncovered[i]);
		t->each(&c, t->data);
	}
}

/* Not among the limits: nobody asked for it. */
static void gpu_itself(const struct tell *t)
{
	const struct gpu_work *w = t->process->gpu;

	if (w && w->opencl)
		tell(t, NULL, "gpu", "events", 0,
		     "what runs on OpenCL's devices is recorded by the events of its commands");
	if (!t->cuda)
		return;
	if (w && (w->version || !w->opencl))
		tell(t, NULL, "gpu", "cupti", 0, "what runs on the GPU itself is recorded by CUPTI");
	else
		tell(t, NULL, "gpu", "no", 0, "what runs on the GPU itself was not recorded (--gpu=activity)");
}

/* ---- the rest ------------------------------------------------------------------------------ */

static const struct rule *rule_of(const struct library *l)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (!fnmatch(rules[i].pattern, base_name(l->path), 0))
			return &rules[i];
	return NULL;
}

static void by_name(const struct tell *t, const struct library *l)
{
	const struct rule *rule = rule_of(l);

	if (!rule || (strstr(rule->kind, "cuda") && (t->facts || l->flags)))
		return;
	tell(t, l, rule->kind, rule->covered, 0, "%s", rule->text);
}

/* The same library under two of its paths is told once. */
static bool told(const struct process *p, size_t i)
{
	const struct library *l = &p->libraries[i], *other = p->libraries;

	for (; other < l; other++)
		if (!strcmp(base_name(other->path), base_name(l->path)) && other->base == l->base &&
		    other->flags == l->flags)
			return true;
	return library_inherited(p, l);
}

static void look_for_facts(struct tell *t)
{
	const struct process *p = t->process;
	uint32_t flags = 0, inherited = 0;	/* its own; those of who forked it too */

	for (size_t i = 0; i < t->process->library_count; i++)
		flags |= t->process->libraries[i].flags;
	for (int depth = 0; p && depth < DEPTH_MOST; depth++, p = process_forked_from(p))
		for (size_t i = 0; i < p->library_count; i++)
			inherited |= p->libraries[i].flags;
	t->facts = flags & DLT_LIBRARY_LOOKED_AT;
	t->heap_past_us = flags & (DLT_LIBRARY_OWN_MALLOC | DLT_LIBRARY_HEAP_PAST_US);
	t->cuda = flags & CUDA & ~(uint32_t)USES;
	t->lookups = inherited & DLT_LIBRARY_LOOKUPS;
	t->audited = inherited & DLT_LIBRARY_AUDITED;
	for (int layer = CUDA_RUNTIME; layer <= CUDA_DRIVER; layer++)
		t->calls_by_layer[layer] = calls_at(t->process, layer, NULL);
}

void coverage_each(const struct process *p, void (*each)(const struct coverage *c, void *data),
		   void *data)
{
	struct tell t = { .process = p, .each = each, .data = data };

	if (p->orphan || !p->announced)
		return;
	look_for_facts(&t);
	tell(&t, NULL, "heap", p->heap_cover ? "no" : "symbol", 0, "%s%s",
	     heaps[p->heap_cover < 4 ? p->heap_cover : 3],
	     t.heap_past_us && !p->heap_cover ? ", but for those of libraries that are named below" : "");
	for (size_t i = 0; i < p->library_count; i++) {
		const struct library *l = &p->libraries[i];

		if (told(p, i) || in_a_namespace(&t, l))
			continue;
		heap_of_library(&t, l);
		copy_of_cuda(&t, l);
		callers_of_cuda(&t, l);
		private_tables(&t, l);
		by_name(&t, l);
	}
	gpu_itself(&t);
	uncovered_functions(&t);
}

/* ---- the table ----------------------------------------------------------------------------- */

struct rows {
	struct table *table;
	const struct process *process;
};

static void add_row(const struct coverage *c, void *data)
{
	struct rows *r = data;
	struct table *t = r->table;

	table_add_row(t);
	table_set_int(t, "process", r->process->report_id);
	if (c->library) {
		set_text(t, "library", base_name(c->library->path));
		set_text(t, "path", c->library->path);
		set_text(t, "version", c->version);
	}
	table_set_text(t, "kind", c->kind);
	table_set_text(t, "covered", c->covered);
	if (c->calls)
		table_set_uint(t, "calls", c->calls);
	table_set_text(t, "text", c->text);
}

static void add(const struct process *p, struct table *t)
{
	coverage_each(p, add_row, &(struct rows){ t, p });
}

void run_coverage(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "coverage", "Coverage", COLUMNS(columns)), add);
}

/* SPDX-License-Identifier: MIT */
/* All processes of a recording, as a tree, and the machine. */
#include "analysis/live/live.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/model/memory.h"
#include "sampler/proc.h"
#include "sampler/ticks.h"

#define ENDED_SHOWN	5000000000ull	/* ns for which one that has ended stays in sight */
#define PROCESSES_MOST	4096		/* looked at; a flood of processes is no reason to stand still */
#define GLANCES		4		/* processes whose heap is looked at for iterations */
#define GLANCE_CORES	0.05		/* who does less does not iterate */

/* ---- what is known of the recording ---- */

static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1] == 'n') {
			*to++ = '\n';
			text++;
		} else if (*text == '\\' && text[1] == '\\') {
			*to++ = *text++;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* The file `recording` of the trace (record/label.h). */
static void read_label(struct live_watch *w)
{
	char path[PATH_MAX + 16], line[8192];
	FILE *f;

	snprintf(path, sizeof(path), "%s/recording", w->recording->trace);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "level ", 6)) {
			snprintf(w->level, sizeof(w->level), "%.15s", line + 6);
		} else if (!strncmp(line, "monotonic ", 10)) {
			w->began = strtoull(line + 10, NULL, 10);
		} else if (!strncmp(line, "command ", 8) && !*w->command) {
			unescape(line + 8);
			for (char *p = line; *p; p++)
				*p = *p == '\x1f' ? ' ' : *p;
			free(w->command);
			w->command = xcheck(strdup(line + 8), 1);
		}
	}
	if (f)
		fclose(f);
}

void live_watch_init(struct live_watch *w, const struct live_recording *r, uint64_t threshold)
{
	*w = (struct live_watch){ .recording = r, .threshold = threshold };
	w->command = xcheck(strdup(""), 1);
	w->past = xcalloc(DLT_FNS, sizeof(*w->past));
	gethostname(w->host, sizeof(w->host) - 1);
	read_label(w);
	ticks_init();
}

void live_watch_release(struct live_watch *w)
{
	for (size_t i = 0; i < w->count; i++)
		live_process_free(w->list[i]);
	free(w->list);
	free(w->past);
	free(w->buried);
	free(w->command);
}

/* ---- the machine ---- */

static void read_line(void *data, char *line)
{
	struct live_machine *m = data;
	unsigned long long v[8] = { 0 };

	if (!strncmp(line, "cpu ", 4) &&
	    sscanf(line + 4, "%llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5],
		   &v[6], &v[7]) >= 4) {
		/* What the hypervisor took (v[7]) is neither busy nor idle. */
		m->busy = v[0] + v[1] + v[2] + v[5] + v[6];
		m->total = m->busy + v[3] + v[4] + v[7];
	} else if (!strncmp(line, "cpu", 3)) {
		m->cpus++;
	} else if (!strncmp(line, "MemTotal:", 9)) {
		m->memory = strtoull(line + 9, NULL, 10) << 10;
	} else if (!strncmp(line, "MemAvailable:", 13)) {
		m->available = strtoull(line + 13, NULL, 10) << 10;
	}
}

static void read_machine(struct live_machine *m)
{
	uint64_t busy = m->busy, total = m->total;

	m->cpus = 0;
	proc_lines("/proc/stat", read_line, m);
	proc_lines("/proc/meminfo", read_line, m);
	m->cpu = total && m->total > total && m->busy >= busy ?
			 (double)(m->busy - busy) / (double)(m->total - total) : 0;
}

/* ---- coming and going ---- */

static bool is_known(struct live_watch *w, const char *file)
{
	for (size_t i = 0; i < w->count; i++)
		if (!strcmp(w->list[i]->file, file))
			return true;
	for (size_t i = 0; i < w->buried_count; i++)
		if (!strcmp(w->buried[i].file, file))
			return w->buried[i].there = true;
	return false;
}

static void add(struct live_watch *w, int folder, const char *file)
{
	enum live_refusal why;
	struct live_process *p;

	if (is_known(w, file))
		return;
	p = live_process_new(folder, file, &why);
	if (!p) {
		w->foreign += why == LIVE_VERSION;
		w->refused += why == LIVE_PERMISSION;
		return;
	}
	w->list = xgrow(w->list, w->count, &w->capacity, sizeof(*w->list));
	w->list[w->count++] = p;
}

/* A box that is gone cannot be met again. */
static void forget_buried(struct live_watch *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->buried_count; i++)
		if (w->buried[i].there)
			w->buried[kept++] = w->buried[i];
	w->buried_count = kept;
}

static void scan(struct live_watch *w)
{
	char path[PATH_MAX + 8];
	struct dirent *entry = NULL;
	bool whole;
	DIR *d;

	snprintf(path, sizeof(path), "%s/box", w->recording->home);
	d = opendir(path);
	w->foreign = w->refused = 0;
	for (size_t i = 0; i < w->buried_count; i++)
		w->buried[i].there = false;
	while (d && w->count < PROCESSES_MOST && (entry = readdir(d)))
		if (strstr(entry->d_name, ".box"))
			add(w, dirfd(d), entry->d_name);
	whole = d && w->count < PROCESSES_MOST;
	if (d)
		closedir(d);
	if (whole)
		forget_buried(w);
}

/* What it did stays in the totals; its tables are not needed any more. */
static void bury(struct live_watch *w, struct live_process *p)
{
	for (unsigned i = 0; p->now && i < DLT_FNS; i++) {
		w->past[i].calls += p->now[i].calls;
		w->past[i].failed += p->now[i].failed;
		w->past[i].time += p->now[i].time;
	}
	w->past_events += p->events;
	w->broken += p->broken;
	w->ended++;
	free(p->now);
	free(p->before);
	p->now = p->before = NULL;
	period_release(&p->period);
}

/* Its box may stay, where nobody takes it away (the sampler has died, say): it is not to be counted once more. */
static void note_buried(struct live_watch *w, const struct live_process *p)
{
	w->buried = xgrow(w->buried, w->buried_count, &w->buried_capacity, sizeof(*w->buried));
	w->buried[w->buried_count] = (struct live_buried){ .there = true };
	snprintf(w->buried[w->buried_count++].file, sizeof(p->file), "%s", p->file);
}

static void drop_old(struct live_watch *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->count; i++) {
		struct live_process *p = w->list[i];

		if (p->ended && w->now - p->ended_at > ENDED_SHOWN) {
			note_buried(w, p);
			live_process_free(p);
		} else {
			w->list[kept++] = p;
		}
	}
	w->count = kept;
}

/* ---- the tree: children behind their parents ---- */

static int compare_ids(const void *a, const void *b)
{
	const struct live_process *x = *(struct live_process *const *)a, *y = *(struct live_process *const *)b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Of a list that is sorted by id. */
static const struct live_process *parent_of(const struct live_watch *w, const struct live_process *p)
{
	struct live_process key = { .id = p->parent }, *wanted = &key;
	struct live_process **found = p->parent && p->parent != p->id ?
		bsearch(&wanted, w->list, w->count, sizeof(*w->list), compare_ids) : NULL;

	return found ? *found : NULL;
}

struct tree {
	const struct live_process **parents;	/* of each in the list; NULL: it is a root */
	struct live_process **to;		/* where they are placed */
	size_t placed;
};

static void place(const struct live_watch *w, struct tree *t, struct live_process *p, int depth)
{
	p->depth = depth;
	t->to[t->placed++] = p;
	for (size_t i = 0; i < w->count && depth < 64; i++)
		if (w->list[i]->depth < 0 && t->parents[i] == p)
			place(w, t, w->list[i], depth + 1);
}

static void grow_tree(struct live_watch *w)
{
	struct tree t = { .placed = 0 };

	if (!w->count)
		return;
	t.to = xcalloc(w->capacity, sizeof(*t.to));
	t.parents = xcalloc(w->count, sizeof(*t.parents));
	qsort(w->list, w->count, sizeof(*w->list), compare_ids);
	for (size_t i = 0; i < w->count; i++) {
		w->list[i]->depth = -1;
		t.parents[i] = parent_of(w, w->list[i]);
	}
	for (size_t i = 0; i < w->count; i++)
		if (w->list[i]->depth < 0 && !t.parents[i])
			place(w, &t, w->list[i], 0);
	/* A loop of parents can only come from a hostile box. */
	for (size_t i = 0; i < w->count; i++)
		if (w->list[i]->depth < 0)
			place(w, &t, w->list[i], 64);
	free(t.parents);
	free(w->list);
	w->list = t.to;
}

/* ---- the heap of all ---- */

/* What a fork shares is its parent's while that lives, then the eldest one's of those that have it. */
static bool has_elder(const struct live_watch *w, const struct live_process *p)
{
	for (size_t i = 0; p->parent && i < w->count; i++) {
		const struct live_process *other = w->list[i];
		bool brother = other->parent == p->parent && other->own != other->heap && other->id < p->id;

		if (!other->ended && other != p && (other->id == p->parent || brother))
			return true;
	}
	return false;
}

static int64_t heap_of_all(const struct live_watch *w)
{
	int64_t sum = 0;

	for (size_t i = 0; i < w->count; i++) {
		const struct live_process *p = w->list[i];

		if (p->ended || !p->heap_known)
			continue;
		if (p->own == p->heap || !has_elder(w, p))
			sum += p->heap;
		else if (p->own > 0)
			sum += p->own;
	}
	return sum;
}

/* ---- a refresh ---- */

static void keep_history(struct live_watch *w)
{
	if (w->history == LIVE_HISTORY) {
		memmove(w->heap_history, w->heap_history + 1, sizeof(double) * (LIVE_HISTORY - 1));
		memmove(w->gpu_history, w->gpu_history + 1, sizeof(double) * (LIVE_HISTORY - 1));
		w->history--;
	}
	w->heap_history[w->history] = (double)w->heap;
	w->gpu_history[w->history++] = (double)w->gpu;
}

static void read_processes(struct live_watch *w)
{
	w->alive = w->call_count = 0;
	w->gpu = 0;
	w->events = 0;
	for (size_t i = 0; i < w->count; i++) {
		struct live_process *p = w->list[i];
		bool is_new = !p->cpu && !p->events && !p->allocations;

		if (p->ended)
			continue;
		if (!live_process_read(p, w->now, w->before && !is_new ? w->now - w->before : 0)) {
			bury(w, p);
			continue;
		}
		w->alive++;
		w->gpu += p->gpu;
		w->events += p->events;
		live_process_calls(p, w->now, w->threshold, w->calls, &w->call_count, LIVE_CALLS);
	}
	w->events += w->past_events;
	w->heap = heap_of_all(w);
}

void live_watch_refresh(struct live_watch *w)
{
	uint64_t events = w->events;

	w->before = w->now;
	w->now = ticks_monotonic();
	if (!*w->command)
		read_label(w);
	read_machine(&w->machine);
	scan(w);
	read_processes(w);
	w->events_rate = w->before && w->events > events ?
				 (double)(w->events - events) * 1e9 / (double)(w->now - w->before) : 0;
	drop_old(w);
	grow_tree(w);
	keep_history(w);
}

void live_watch_glance(struct live_watch *w)
{
	int looked = 0;

	for (size_t i = 0; i < w->count && looked < GLANCES; i++) {
		struct live_process *p = w->list[i];
		struct live_heap heap;

		if (p->cores < GLANCE_CORES || !p->heap_known || !live_process_heap(p, &heap))
			continue;
		period_note(&p->period, ticks_monotonic(), (double)heap.live, (double)heap.allocations);
		looked++;
	}
}

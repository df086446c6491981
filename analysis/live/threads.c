/* SPDX-License-Identifier: MIT */
/* The threads of one process, by /proc and the slots of its black box. */
#include "analysis/live/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "sampler/proc.h"

#define THREADS_MOST 2048

static const struct live_thread *find(const struct live_threads *t, uint32_t tid)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->list[i].tid == tid)
			return &t->list[i];
	return NULL;
}

static struct live_thread *find_inner(struct live_threads *t, uint32_t inner)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->list[i].inner == inner)
			return &t->list[i];
	return NULL;
}

/* LTTng names its listeners PROGRAM-ust. */
static bool is_helper(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && !strcmp(name + length - 4, "-ust");
}

struct gathering {
	const struct live_process *process;
	struct live_threads *now;
	const struct live_threads *before;
	uint64_t elapsed;
};

static void see(void *data, long number)
{
	struct gathering *g = data;
	struct live_threads *t = g->now;
	const struct live_thread *old = find(g->before, (uint32_t)number);
	struct live_thread thread = { .tid = (uint32_t)number };
	struct proc_thread precise = { .cpu = 0 };
	struct proc_stat stat;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%ld/stat", (int)t->pid, number);
	if (t->count >= THREADS_MOST || !proc_read_stat(path, &stat) || is_helper(stat.name))
		return;
	snprintf(thread.name, sizeof(thread.name), "%.31s", stat.name);
	thread.inner = thread.tid;
	if (g->process->inner != t->pid) {
		proc_path(t->pid, (pid_t)number, "status", path, sizeof(path));
		thread.inner = proc_innermost(path);
	}
	thread.state = stat.state;
	thread.cpu = stat.user + stat.system;
	if (proc_read_thread(t->pid, (pid_t)number, &precise) && precise.cpu)
		thread.cpu = precise.cpu;
	if (old && g->elapsed && thread.cpu > old->cpu)
		thread.cores = (double)(thread.cpu - old->cpu) / (double)g->elapsed;
	t->list = xgrow(t->list, t->count, &t->capacity, sizeof(*t->list));
	t->list[t->count++] = thread;
}

static int busiest_first(const void *a, const void *b)
{
	const struct live_thread *x = a, *y = b;

	if (x->cores != y->cores)
		return x->cores < y->cores ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

void live_threads_read(struct live_threads *t, struct live_process *p, uint64_t now)
{
	struct live_threads old = *t;
	struct gathering g = { p, t, &old, now - old.at };
	struct live_call *calls = xcalloc(THREADS_MOST, sizeof(*calls));
	size_t count = 0;
	char path[64];

	*t = (struct live_threads){ .pid = p->pid, .at = now };
	if (old.pid != p->pid)
		old.count = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	if (!p->ended)
		proc_numbers(path, see, &g);
	live_process_calls(p, now, 0, calls, &count, THREADS_MOST);
	for (size_t i = 0; i < count; i++) {
		struct live_thread *thread = find_inner(t, calls[i].tid);

		if (thread) {
			thread->function = calls[i].function;
			thread->lasts = calls[i].lasts;
		}
	}
	if (t->count)
		qsort(t->list, t->count, sizeof(*t->list), busiest_first);
	free(calls);
	free(old.list);
}

void live_threads_release(struct live_threads *t)
{
	free(t->list);
	*t = (struct live_threads){ .pid = 0 };
}

/* SPDX-License-Identifier: MIT */
/* The threads of a sampled process: /proc/PID/task beside the slots of the black box. */
#include <stdio.h>
#include <string.h>

#include "emit_sample.h"
#include "sampled.h"
#include "ticks.h"

#define BUDGET 64	/* threads whose files are read in one tick: 500 would take 8 ms */
#define LEAST 1000000	/* ns that a call must have lasted to be said in flight */
#define LONG_CALL 1000000000	/* ns after which it is said even when the thread is not due */

static struct sampled_tid *find(struct sampled_process *p, uint32_t tid)
{
	size_t at = tid * 2654435761u % SAMPLED_THREADS;

	for (size_t i = 0; i < SAMPLED_THREADS; i++, at = (at + 1) % SAMPLED_THREADS)
		if (p->tids[at].tid == tid || p->tids[at].tid == 0)
			return &p->tids[at];
	return NULL;
}

static void free_tid(struct sampled_process *p, size_t at)
{
	size_t hole = at;

	/* Linear probing: what was pushed past the hole moves back into it. */
	for (size_t i = (at + 1) % SAMPLED_THREADS; p->tids[i].tid; i = (i + 1) % SAMPLED_THREADS) {
		size_t home = p->tids[i].tid * 2654435761u % SAMPLED_THREADS;

		if ((i - home + SAMPLED_THREADS) % SAMPLED_THREADS <
		    (i - hole + SAMPLED_THREADS) % SAMPLED_THREADS)
			continue;
		p->tids[hole] = p->tids[i];
		hole = i;
	}
	p->tids[hole].tid = 0;
	p->tid_count--;
}

static void see(void *data, long number)
{
	struct sampled_process *p = data;
	struct sampled_tid *t = find(p, (uint32_t)number);

	if (!t || (!t->tid && p->tid_count >= SAMPLED_THREADS * 3 / 4))
		return;
	if (!t->tid) {
		*t = (struct sampled_tid){ .tid = (uint32_t)number };
		p->tid_count++;
	}
	t->seen = p->tick;
}

static void match_slots(struct sampled_process *p)
{
	size_t count = box_view_slots(&p->box);

	for (size_t i = 1; i < count; i++) {
		const struct dlt_box_slot *slot = &p->box.slots[i];
		uint32_t tid = box_value(slot->tid);
		struct sampled_tid *t;

		if (!box_value(slot->thread) || !tid)
			continue;
		t = find(p, tid);
		if (!t || t->tid != tid)
			continue;
		t->slot = (uint32_t)i + 1;
		if (box_value(slot->helper))
			t->helper = 1;
	}
}

/* LTTng names its listeners PROGRAM-ust; our own thread is named in sampler_thread.c. */
static void judge(struct sampled_process *p, struct sampled_tid *t)
{
	char path[64], name[32];
	size_t length;

	if (t->asked >= 2 || t->helper)
		return;
	t->asked++;
	snprintf(path, sizeof(path), "/proc/%d/task/%u/comm", (int)p->pid, t->tid);
	proc_read(path, name, sizeof(name));
	length = strcspn(name, "\n");
	name[length] = '\0';
	if ((length > 4 && strcmp(name + length - 4, "-ust") == 0) || strcmp(name, "dltrace-sampler") == 0)
		t->helper = 1;
}

static void read_files(struct sampled_process *p, struct sampled_tid *t)
{
	struct proc_status status;
	struct proc_stat stat;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%u/stat", (int)p->pid, t->tid);
	if (proc_read_stat(path, &stat)) {
		t->state = stat.state;
		t->cpu = stat.user + stat.system;
	}
	proc_read_cpu(p->pid, (pid_t)t->tid, &t->cpu);
	snprintf(path, sizeof(path), "/proc/%d/task/%u/status", (int)p->pid, t->tid);
	if (proc_read_status(path, &status)) {
		p->voluntary += status.voluntary - t->voluntary;
		p->involuntary += status.involuntary - t->involuntary;
		t->voluntary = status.voluntary;
		t->involuntary = status.involuntary;
	}
}

void threads_read(struct sampled_process *p)
{
	uint32_t helpers = 0, told, budget = BUDGET, first = p->cursor;
	char path[64];
	int count;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	count = proc_numbers(path, see, p);
	match_slots(p);
	for (size_t i = 0; i < SAMPLED_THREADS; i++)
		while (p->tids[i].tid && p->tids[i].seen != p->tick)
			free_tid(p, i);
	for (size_t i = 0; i < SAMPLED_THREADS; i++) {
		struct sampled_tid *t = &p->tids[i];

		if (!t->tid)
			continue;
		judge(p, t);
		helpers += t->helper;
	}
	/* The process tells of a helper before it makes it: it may not look like one yet. */
	told = p->box.header ? box_value(p->box.header->helpers) : 0;
	if (told > helpers)
		helpers = told;
	/* Round robin, so that with many threads each has its turn. */
	for (uint32_t i = 0; i < SAMPLED_THREADS && budget; i++) {
		struct sampled_tid *t = &p->tids[(first + i) % SAMPLED_THREADS];

		p->cursor = (first + i + 1) % SAMPLED_THREADS;
		if (!t->tid || t->helper)
			continue;
		read_files(p, t);
		budget--;
	}
	/* The first thread is never a helper; after an exec the box still speaks of the old image. */
	if (count > 0)
		p->threads = (uint32_t)count > helpers ? (uint32_t)count - helpers : 1;
}

struct sampled_call threads_call(const struct sampled_process *p, const struct dlt_box_slot *slot)
{
	struct sampled_call call = {
		.thread = box_value(slot->thread), .tid = box_value(slot->tid),
		.function = (uint16_t)__atomic_load_n(&slot->call, __ATOMIC_ACQUIRE),
		.since = __atomic_load_n(&slot->since, __ATOMIC_ACQUIRE),
	};

	/* Has it ended meanwhile? Then `since` may be the next one's. */
	if ((uint16_t)box_value(slot->call) != call.function)
		call.function = 0;
	if (call.function && box_value(p->box.header->clock_is_tsc))
		call.since = ticks_to_ns(call.since);
	return call;
}

bool threads_is_hidden(struct sampled_process *p, const struct dlt_box_slot *slot)
{
	uint32_t tid = box_value(slot->tid);
	const struct sampled_tid *t = tid ? find(p, tid) : NULL;

	if (box_value(slot->helper))
		return true;
	if (!t || t->tid != tid)
		return false;
	return t->helper || (t->asked < 2 && tid != (uint32_t)p->pid);
}

static void emit_one(struct sampled_process *p, size_t index, uint64_t now, bool due, bool final)
{
	const struct dlt_box_slot *slot = &p->box.slots[index];
	struct sampled_slot *said = &p->slots[index];
	uint32_t tid = box_value(slot->tid);
	const struct sampled_tid *t = tid ? find(p, tid) : NULL;
	struct sampled_call call = threads_call(p, slot);
	struct dlt_ev_sample_thread e = {
		.thread = call.thread, .time = now, .events = box_view_events(&p->box, index),
	};

	if (!e.thread || threads_is_hidden(p, slot) || e.thread != box_value(slot->thread))
		return;
	if (t && t->tid == tid) {
		/* At the end: as last read. */
		e.cpu = t->cpu;
		e.state = final ? 0 : (uint8_t)t->state;
	}
	if (call.function && call.since && (final || now > call.since + LEAST)) {
		e.function = call.function;
		e.since = call.since;
	}
	if (!due && (!e.since || e.since == said->call || now < e.since + LONG_CALL))
		return;
	if (said->thread == e.thread && said->events == e.events && said->call == e.since &&
	    said->cpu == e.cpu && !final)
		return;
	*said = (struct sampled_slot){
		.thread = e.thread, .named = said->named, .events = e.events, .call = e.since, .cpu = e.cpu,
	};
	sample_emit(DLT_EV_SAMPLE_THREAD, &e);
}

void threads_emit(struct sampled_process *p, uint64_t now, bool due, bool final)
{
	size_t count = box_view_slots(&p->box);

	if (!sample_enabled(DLT_EV_SAMPLE_THREAD))
		return;
	for (size_t i = 1; i < count && i < DLT_BOX_SLOTS; i++)
		emit_one(p, i, now, due || final, final);
}

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

/* Where the tid's index stands, or would stand: never full. */
static uint16_t *tid_place(struct sampled_process *p, uint32_t tid)
{
	size_t at = tid * 2654435761u % SAMPLED_TID_HASH;

	while (p->tid_hash[at] && p->tids[p->tid_hash[at] - 1].tid != tid)
		at = (at + 1) % SAMPLED_TID_HASH;
	return &p->tid_hash[at];
}

static struct sampled_tid *find(struct sampled_process *p, uint32_t tid)
{
	uint16_t index = *tid_place(p, tid);

	return index ? &p->tids[index - 1] : NULL;
}

static uint32_t inner_tid(const struct sampled_process *p, long number)
{
	char path[64];

	if (p->pid == p->inner)
		return (uint32_t)number;
	snprintf(path, sizeof(path), "/proc/%d/task/%ld/status", (int)p->pid, number);
	return proc_innermost(path);
}

uint32_t threads_number(struct sampled_process *p, uint32_t tid)
{
	const struct sampled_tid *t = p->pid == p->inner ? NULL : find(p, tid);

	return t ? t->number : tid;
}

static void see(void *data, long number)
{
	struct sampled_process *p = data;
	uint32_t tid = inner_tid(p, number);
	uint16_t *index = tid_place(p, tid);

	if (!tid)
		return;
	if (!*index) {
		if (p->tid_count == SAMPLED_THREADS)
			return;
		p->tids[p->tid_count++] = (struct sampled_tid){ .tid = tid, .number = (uint32_t)number };
		*index = (uint16_t)p->tid_count;
	}
	p->tids[*index - 1].seen = p->tick;
}

static void forget_ended(struct sampled_process *p)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < p->tid_count; i++)
		if (p->tids[i].seen == p->tick)
			p->tids[left++] = p->tids[i];
	if (left == p->tid_count)
		return;
	p->tid_count = left;
	memset(p->tid_hash, 0, sizeof(p->tid_hash));
	for (uint32_t i = 0; i < left; i++)
		*tid_place(p, p->tids[i].tid) = (uint16_t)(i + 1);
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
		if (!t)
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

	/* The first thread is none, and ours is known to itself. */
	t->helper |= p->hidden && t->tid == (uint32_t)p->hidden;
	if (t->asked >= 2 || t->helper || t->tid == (uint32_t)p->inner)
		return;
	t->asked++;
	snprintf(path, sizeof(path), "/proc/%d/task/%u/comm", (int)p->pid, t->number);
	proc_read(path, name, sizeof(name));
	length = strcspn(name, "\n");
	name[length] = '\0';
	if ((length > 4 && strcmp(name + length - 4, "-ust") == 0) || strcmp(name, "dltrace-sampler") == 0)
		t->helper = 1;
}

static void read_files(struct sampled_process *p, struct sampled_tid *t)
{
	struct proc_thread now;

	if (!proc_read_thread(p->pid, (pid_t)t->number, &now))
		return;
	if (p->access != SAMPLED_OWN) {		/* there one call tells of all */
		p->voluntary += now.voluntary - t->read.voluntary;
		p->involuntary += now.involuntary - t->read.involuntary;
	}
	t->read = now;
}

/* How many in this tick, so that each has its turn in SAMPLED_EACH if there are few. */
static uint32_t files_due(struct sampled_process *p)
{
	uint64_t period = sampler_period(), due = p->listed;

	if (period < SAMPLED_EACH) {
		p->files_owed += due * period;
		due = p->files_owed / SAMPLED_EACH;
		p->files_owed %= SAMPLED_EACH;
	}
	return due < BUDGET ? (uint32_t)due : BUDGET;
}

/* Round robin, so that with many threads each has its turn. */
static void read_due(struct sampled_process *p, uint32_t budget)
{
	uint32_t first = p->cursor;

	for (uint32_t i = 0; i < p->tid_count && budget; i++) {
		struct sampled_tid *t = &p->tids[(first + i) % p->tid_count];

		p->cursor = (first + i + 1) % p->tid_count;
		if (t->helper)
			continue;
		read_files(p, t);
		budget--;
	}
}

/* Helpers that the process tells of: before it makes one, which may not look like one yet. */
static uint32_t helpers_told(const struct sampled_process *p)
{
	return p->box.header ? box_value(p->box.header->helpers) : 0;
}

static uint32_t find_helpers(struct sampled_process *p)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < p->tid_count; i++) {
		judge(p, &p->tids[i]);
		found += p->tids[i].helper;
	}
	return found;
}

/* While their number stays, they are nearly always the same ones: a listing is a fifth of a tick. */
static bool is_listing_due(const struct sampled_process *p, uint64_t now)
{
	return p->status.threads != p->listed || helpers_told(p) != p->listed_helpers ||
	       now - p->last_listing >= SAMPLED_EACH;
}

static void list(struct sampled_process *p, uint64_t now)
{
	uint32_t told = helpers_told(p), helpers;
	char path[64];
	int count;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	count = proc_numbers(path, see, p);
	match_slots(p);
	forget_ended(p);
	helpers = find_helpers(p);
	if (count <= 0)
		return;
	p->listed = (uint32_t)count;
	p->listed_helpers = told;
	p->last_listing = now;
	/* The first thread is never a helper; after an exec the box still speaks of the old image. */
	helpers = told > helpers ? told : helpers;
	p->threads = (uint32_t)count > helpers ? (uint32_t)count - helpers : 1;
}

void threads_read(struct sampled_process *p, uint64_t now, bool all)
{
	if (all || is_listing_due(p, now))
		list(p, now);
	read_due(p, all ? BUDGET : files_due(p));
}

/* A call that its thread did not time is known to last since it was first seen. */
static void see_untimed(struct sampled_process *p, size_t index, uint64_t now)
{
	const struct dlt_box_slot *slot = &p->box.slots[index];
	struct sampled_slot *said = &p->slots[index];
	uint64_t since = box_value(slot->since);

	if (!box_value(slot->call) || since >= DLT_BOX_UNTIMED)
		since = 0;
	if (since && (since != said->untimed || said->thread != box_value(slot->thread)))
		said->untimed_at = now;
	said->untimed = since;
}

static uint64_t since_of(const struct sampled_process *p, size_t index, uint64_t since)
{
	const struct sampled_slot *said = &p->slots[index];

	if (since < DLT_BOX_UNTIMED)
		return since == said->untimed ? said->untimed_at : 0;
	return box_value(p->box.header->clock_is_tsc) ? ticks_to_ns(since) : since;
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
	if (call.function)
		call.since = since_of(p, (size_t)(slot - p->box.slots), call.since);
	return call;
}

bool threads_is_hidden(struct sampled_process *p, const struct dlt_box_slot *slot)
{
	uint32_t tid = box_value(slot->tid);
	const struct sampled_tid *t = tid ? find(p, tid) : NULL;

	if (box_value(slot->helper))
		return true;
	if (!t)
		return false;
	if (t->helper || tid == (uint32_t)p->inner)
		return t->helper;
	/* Who has said something is the application's, however young. */
	return t->asked < 2 && !box_view_events(&p->box, (size_t)(slot - p->box.slots));
}

/* As of the last reading; or what it had used when the process ended, and said so. */
static uint64_t cpu_used(const struct dlt_box_slot *slot, const struct sampled_tid *t)
{
	uint64_t said = box_value(slot->cpu), seen = t ? t->read.cpu : 0;

	return said > seen ? said : seen;
}

static void emit_one(struct sampled_process *p, size_t index, uint64_t now, bool due, bool final)
{
	const struct dlt_box_slot *slot = &p->box.slots[index];
	struct sampled_slot *said = &p->slots[index];
	uint32_t tid = box_value(slot->tid);
	const struct sampled_tid *t = tid ? find(p, tid) : NULL;
	struct sampled_call call;
	struct dlt_ev_sample_thread e = {
		.thread = box_value(slot->thread), .time = now, .events = box_view_events(&p->box, index),
	};

	see_untimed(p, index, now);
	call = threads_call(p, slot);
	if (!e.thread || threads_is_hidden(p, slot) || e.thread != call.thread)
		return;
	e.cpu = cpu_used(slot, t);
	if (t && !final)
		e.state = (uint8_t)t->read.state;
	if (call.function && call.since && (final || now > call.since + LEAST)) {
		e.function = call.function;
		e.since = call.since;
	}
	if (!due && (!e.since || e.since == said->call || now < e.since + LONG_CALL))
		return;
	if (said->thread == e.thread && said->events == e.events && said->call == e.since &&
	    said->cpu == e.cpu && !final)
		return;
	said->thread = e.thread;
	said->events = e.events;
	said->call = e.since;
	said->cpu = e.cpu;
	outbox_pass_on(p, false);	/* what was counted stands before what counts it */
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

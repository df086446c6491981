/* SPDX-License-Identifier: MIT */
/* What ids mean, said again: processes, threads, functions, libraries, objects. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "config.h"

#include "announced.h"
#include "emit_sample.h"
#include "frame_kinds.h"
#include "functions.h"
#include "object_types.h"
#include "sampled.h"

static void announce_process(const struct sampled_process *p)
{
	const struct dlt_box_header *h = p->box.header;
	struct utsname name;
	struct dlt_ev_proc_process e = {
		.process = box_value(h->process), .parent = box_value(h->parent), .pid = box_value(h->pid),
		.parent_pid = box_value(h->parent_pid), .recording = box_value(h->recording),
		.reason = DLT_ANNOUNCED_AGAIN, .traced = box_value(h->counted) != 0,
		.heap = (uint8_t)box_value(h->heap), .begin = box_value(h->begin), .box = box_value(h->id[0]),
		.threshold = box_value(h->threshold), .inherited_bytes = box_value(h->inherited.bytes),
		.inherited_blocks = box_value(h->inherited.count), .rank = box_value(h->rank),
		.ranks = box_value(h->ranks), .local_rank = box_value(h->local_rank),
		.job = box_value(h->job), .pid_namespace = box_value(h->pid_namespace), .version = PACKAGE_VERSION,
		.host = name.nodename, .exe = p->exe, .folder = p->folder, .command = p->command,
	};

	if (uname(&name) < 0)
		name.nodename[0] = '\0';
	sample_emit(DLT_EV_PROC_PROCESS, &e);
}

static void announce_thread(struct sampled_process *p, const struct dlt_box_slot *s, bool final)
{
	char path[64], name[32] = "";
	struct dlt_ev_proc_thread e = {
		.thread = box_value(s->thread), .process = box_value(p->box.header->process),
		.tid = box_value(s->tid), .creator = box_value(s->creator),
		.creator_library = box_value(s->creator_library),
		.start_library = box_value(s->start_library), .start_offset = box_value(s->start_offset),
		.reason = DLT_ANNOUNCED_AGAIN, .begin = box_value(s->begin), .name = name,
	};

	if (!e.thread)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task/%u/comm", (int)p->pid, threads_number(p, e.tid));
	if (!final && p->pid)
		proc_read(path, name, sizeof(name));
	name[strcspn(name, "\n")] = '\0';
	sample_emit(DLT_EV_PROC_THREAD, &e);
}

void announce_new_threads(struct sampled_process *p, bool final)
{
	size_t count = box_view_slots(&p->box);

	for (size_t i = 1; i < count && i < DLT_BOX_SLOTS; i++) {
		uint32_t thread = box_value(p->box.slots[i].thread);

		if (!thread || p->slots[i].named == thread || threads_is_hidden(p, &p->box.slots[i]))
			continue;
		p->slots[i].named = thread;
		announce_thread(p, &p->box.slots[i], final);
	}
}

/* Those with an id: the others come with a scan of the mappings. */
void announce_libraries(struct sampled_process *p, bool news)
{
	size_t count = box_view_libraries(&p->box);

	for (size_t i = 1; i < count && i < DLT_BOX_LIBRARIES; i++) {
		const struct dlt_box_library *l = &p->box.libraries[i];
		uint32_t flags = box_value(l->flags);
		char path[sizeof(l->path) + 1];
		struct dlt_ev_proc_library e = {
			.process = box_value(p->box.header->process), .library = (uint16_t)i,
			.state = DLT_ANNOUNCED_AGAIN, .base = box_value(l->base),
			.size = box_value(l->size), .flags = flags, .build_id = "", .path = path,
		};

		if (!__atomic_load_n(&l->ready, __ATOMIC_ACQUIRE) || (news && flags == p->flags_said[i]))
			continue;
		p->flags_said[i] = flags;
		memcpy(path, l->path, sizeof(l->path));
		path[sizeof(l->path)] = '\0';
		sample_emit(DLT_EV_PROC_LIBRARY, &e);
	}
}

static void announce_function(const struct sampled_process *p, unsigned id)
{
	struct dlt_ev_proc_function e = {
		.process = box_value(p->box.header->process), .function = (uint16_t)id,
		.state = DLT_ANNOUNCED_AGAIN,
		.layer = dlt_functions[id].layer, .kind = dlt_functions[id].kind,
		.name = dlt_functions[id].name,
	};

	sample_emit(DLT_EV_PROC_FUNCTION, &e);
}

/* Heap calls have no totals of their own: they are always named. */
static void announce_functions(const struct sampled_process *p)
{
	size_t count = box_view_totals(&p->box);
	bool said[DLT_FNS] = { false };

	for (unsigned id = DLT_FN_FIRST_heap; id <= DLT_FN_LAST_heap; id++)
		said[id] = true;
	for (unsigned id = DLT_FN_FIRST_map; id <= DLT_FN_LAST_map; id++)
		said[id] = true;
	for (size_t i = 0; i < count; i++) {
		uint32_t id = box_value(p->box.totals[i].key) >> 16;

		if (id && id < DLT_FNS)
			said[id] = true;
	}
	for (unsigned id = 1; id < DLT_FNS; id++)
		if (said[id])
			announce_function(p, id);
}

/* The name of object `i` into `to`, cut if need be. */
static void object_name(const struct box_view *v, size_t i, char *to, size_t size)
{
	uint32_t bytes = box_value(v->objects[i].name_size);

	*to = '\0';
	if (!bytes || i + dlt_box_name_entries(bytes) >= box_view_objects(v))
		return;
	if (bytes > size)
		bytes = (uint32_t)size;
	memcpy(to, &v->objects[i + 1], bytes - 1);
	to[bytes - 1] = '\0';
}

/* Where there are only sums nothing refers to the others, and a program may make a stream for each step. */
static bool is_referred_to(uint8_t type)
{
	return type == DLT_OBJECT_UNCOVERED || type == DLT_OBJECT_COMMUNICATOR ||
	       type == DLT_OBJECT_PACKAGE || !sampler_is_sparse();
}

/* only: of this type; 0: all that are referred to. */
static void announce_objects(const struct sampled_process *p, uint8_t only)
{
	size_t count = box_view_objects(&p->box);

	for (size_t i = 0; i < count; i++) {
		const struct dlt_box_object *o = &p->box.objects[i];
		uint64_t values[8];
		char name[DLT_OBJECT_NAME];
		struct dlt_ev_proc_object e = {
			.process = box_value(p->box.header->process),
			.type = __atomic_load_n(&o->type, __ATOMIC_ACQUIRE), .id = box_value(o->id),
			.state = DLT_ANNOUNCED_AGAIN, .handle = box_value(o->handle), .library = box_value(o->library),
			.offset = box_value(o->offset), .values = values,
			.values_count = box_value(o->value_count), .name = name,
		};

		if (!e.type || e.id != i + 1 || (only ? e.type != only : !is_referred_to(e.type)))
			continue;
		memcpy(values, o->values, sizeof(values));
		if (e.values_count > 8)
			e.values_count = 8;
		if (e.type == DLT_OBJECT_UNCOVERED) {
			values[7] &= ~0ULL >> 8;
			e.name = (const char *)values;
			e.values_count = 0;
		} else {
			object_name(&p->box, i, name, sizeof(name));
		}
		sample_emit(DLT_EV_PROC_OBJECT, &e);
	}
}

#define FRAMES 64	/* in one event */

static void say_frames(const struct sampled_process *p, const uint64_t *words, uint32_t count)
{
	struct dlt_ev_full_stack_frames e = {
		.process = box_value(p->box.header->process), .state = DLT_ANNOUNCED_AGAIN, .frames = words,
		.frames_count = count,
	};

	if (count)
		sample_emit(DLT_EV_FULL_STACK_FRAMES, &e);
}

/* Of call stacks; there are none unless somebody has wanted them. */
static void announce_frames(const struct sampled_process *p)
{
	size_t count = box_view_frames(&p->box);
	uint64_t words[2 * FRAMES];
	uint32_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct dlt_box_frame *f = &p->box.frames[i];
		uint64_t what = __atomic_load_n(&f->what, __ATOMIC_ACQUIRE);

		if (!what)
			continue;
		words[n++] = (uint64_t)(i + 1) << 32 | box_value(f->caller);
		words[n++] = dlt_frame_said(what, box_value(f->line));
		if (n == 2 * FRAMES) {
			say_frames(p, words, n);
			n = 0;
		}
	}
	say_frames(p, words, n);
}

void announce_missed(const struct sampled_process *p)
{
	announce_objects(p, DLT_OBJECT_MISSED);
}

void announce(struct sampled_process *p, uint64_t now, enum announcement what, bool final)
{
	size_t count = box_view_slots(&p->box);

	p->last_short = now;
	announce_process(p);
	for (size_t i = 1; i < count && i < DLT_BOX_SLOTS; i++)
		p->slots[i].named = 0;
	announce_new_threads(p, final);
	announce_libraries(p, false);
	announce_functions(p);
	if (what < ANNOUNCE_LONG)
		return;
	p->last_long = now;
	announce_objects(p, 0);
	announce_frames(p);
	if (what < ANNOUNCE_ALL)
		return;
	p->last_full = now;
	if (!final && p->pid)
		libraries_scan(p, true);
}

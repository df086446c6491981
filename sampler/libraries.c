/* SPDX-License-Identifier: MIT */
/* Libraries of a sampled process, from /proc/PID/maps: path, base, size, build id. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "announced.h"
#include "emit_sample.h"
#include "sampled.h"

/* Neighbouring mappings of one file. */
struct scan {
	struct sampled_process *p;
	bool full;
	char path[1024];
	uint64_t base, end;
	bool code;
	uint32_t next;		/* index into the process's libraries, where the next one may be */
};

static uint64_t key_of(const char *path, uint64_t base)
{
	uint64_t hash = 14695981039346656037ull ^ base;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 1099511628211ull;
	return hash | 1;
}

/*
 * The process's name for it; 0: it has not called yet. Its name for what lay at that base before is another library's,
 * so each is known by what was mapped when it was first seen.
 */
static uint16_t id_of(struct sampled_process *p, uint64_t key, uint64_t base, bool mapped)
{
	size_t count = box_view_libraries(&p->box);

	for (size_t i = 1; i < count && i < DLT_BOX_LIBRARIES; i++) {
		if (!__atomic_load_n(&p->box.libraries[i].ready, __ATOMIC_ACQUIRE) ||
		    box_value(p->box.libraries[i].base) != base)
			continue;
		if (mapped && !p->library_keys[i])
			p->library_keys[i] = key;
		if (p->library_keys[i] == key)
			return (uint16_t)i;
	}
	return 0;
}

static void emit(const struct scan *s, uint16_t id, enum dlt_announced state)
{
	struct sampled_process *p = s->p;
	char build_id[64] = "", path[sizeof(s->path) + 64], root[64];
	struct dlt_ev_proc_library e = {
		.process = box_value(p->box.header->process), .library = id,
		.state = (uint8_t)state, .base = s->base, .size = s->end - s->base,
		.build_id = build_id, .path = s->path,
	};

	if (e.library)
		e.flags = box_value(p->box.libraries[e.library].flags);

	if (!p->walk || !proc_own_build_id(p->walk, s->base, build_id, sizeof(build_id))) {
		/* As the process sees it: it may live in another root. */
		proc_path(p->pid, p->thread, "root", root, sizeof(root));
		snprintf(path, sizeof(path), "%s%s", root, s->path);
		proc_build_id(path, build_id, sizeof(build_id));
	}
	sample_emit(DLT_EV_PROC_LIBRARY, &e);
}

/* Mappings keep their order: the one after the last is nearly always it. NULL: none is free. */
static struct sampled_library *place(struct scan *s, uint64_t key)
{
	struct sampled_process *p = s->p;

	for (uint32_t i = 0; i < p->library_count; i++) {
		uint32_t at = (s->next + i) % p->library_count;

		if (p->libraries[at].key == key) {
			s->next = at + 1;
			return &p->libraries[at];
		}
	}
	if (p->library_count == SAMPLED_LIBRARIES)
		return NULL;
	p->libraries[p->library_count] = (struct sampled_library){ .key = 0 };
	return &p->libraries[p->library_count++];
}

static void end_of_file(struct scan *s)
{
	uint64_t key = key_of(s->path, s->base);
	struct sampled_library *l;
	uint16_t id;

	if (!s->code || s->path[0] != '/' || strncmp(s->path, "/dev/", 5) == 0)
		return;
	l = place(s, key);
	if (!l)
		return;
	id = id_of(s->p, key, s->base, true);
	if (l->key != key || s->full)
		emit(s, id, l->key != key ? DLT_ANNOUNCED_FOUND : DLT_ANNOUNCED_AGAIN);
	*l = (struct sampled_library){ key, s->base, s->end - s->base, s->p->scan };
}

/* LTTng's buffers are in RssShmem, and they are no doing of the program's. */
static void count_own(struct sampled_process *p, const char *path, uint64_t size)
{
	if (strstr(path, "/shm-ust-") || strstr(path, "/ust-shm-") || strstr(path, "/lttng-ust-"))
		p->own_shmem += size;
}

/* The next field of a line and what parts it from the one after it. */
static char *past_field(char *text)
{
	text += strcspn(text, " ");
	return text + strspn(text, " ");
}

static void line(void *data, char *text)
{
	struct scan *s = data;
	uint64_t from, to;
	bool code;

	/* FROM-TO FLAGS OFFSET DEVICE INODE PATH: sscanf would take longer than the kernel. */
	from = strtoull(text, &text, 16);
	if (*text != '-')
		return;
	to = strtoull(text + 1, &text, 16);
	text += strspn(text, " ");
	code = strnlen(text, 4) == 4 && text[2] == 'x';
	for (unsigned i = 0; i < 4; i++)
		text = past_field(text);
	count_own(s->p, text, to - from);
	if (*text == '\0' || strlen(text) >= sizeof(s->path))
		return;
	if (strcmp(text, s->path) != 0) {
		end_of_file(s);
		strcpy(s->path, text);
		s->base = from;
		s->code = false;
	}
	s->end = to;
	s->code |= code;
}

static void emit_gone(struct sampled_process *p)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < p->library_count; i++) {
		const struct sampled_library *l = &p->libraries[i];
		struct dlt_ev_proc_library e = {
			.process = box_value(p->box.header->process), .state = DLT_ANNOUNCED_UNLOADED,
			.base = l->base, .size = l->size, .build_id = "", .path = "",
		};

		if (l->seen == p->scan) {
			p->libraries[left++] = *l;
			continue;
		}
		e.library = id_of(p, l->key, l->base, false);
		sample_emit(DLT_EV_PROC_LIBRARY, &e);
	}
	p->library_count = left;
}

void libraries_scan(struct sampled_process *p, bool full)
{
	struct scan s = { .p = p, .full = full };
	char path[64];

	p->scan++;
	/* Its backed pages are in the process's RssShmem; where nobody reads it, it is no file. */
	p->own_shmem = p->access == SAMPLED_OWN ? 0 :
		       box_view_backed(p->box.header, p->box_size) * 4096;
	p->scanned_libraries = p->status.libraries;
	p->scanned_shmem = p->status.rss_shmem;
	proc_path(p->pid, p->thread, "maps", path, sizeof(path));
	if (proc_lines(path, line, &s) < 0)
		return;
	end_of_file(&s);
	emit_gone(p);
}

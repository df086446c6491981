/* SPDX-License-Identifier: MIT */
/*
 * CTF 1.8 as LTTng-UST writes it, for Trace Compass: a folder with `ust` (`ust-2`, ... for further
 * traces), heap calls as lttng_ust_libc:*, other calls as lttng_ust_cyg_profile:func_entry and
 * func_exit, with the contexts vpid, vtid and procname; and `functions.nm`, which names the addresses
 * of the functions, for its "function name mapping".
 *
 * Names, fields and types are those of LTTng-UST's own wrappers. What realloc did is a free and a
 * malloc: that is what was recorded, and Trace Compass takes realloc's two pointers the other way
 * round. Events of a stream must be in order of time, so they wait in a window.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/export/ctf_metadata.h"
#include "analysis/export/exporter.h"
#include "analysis/model/window.h"
#include "analysis/model/memory.h"
#include "analysis/report/escape.h"
#include "analysis/report/output.h"

#define PACKET_BYTES	(1 << 20)
#define MAGIC		0xc1fc1fc1
#define STREAM		"channel0_0"
#define FUNCTION_BASE	0x100000	/* addresses of our own, a paragraph a function */
#define FUNCTION_STEP	0x10

/* The files of one trace. */
struct ctf_trace {
	const struct trace *trace;	/* borrowed; NULL: none is open */
	const struct track *track;	/* borrowed; its first one, which knows its clock */
	char folder[PATH_MAX + 32];
	struct output stream;
	unsigned char uuid[CTF_UUID];
	unsigned char packet[PACKET_BYTES];
	size_t size;			/* bytes of the packet so far */
	uint64_t begin, last;		/* ns, of its first and last event */
	uint64_t packets;
};

struct ctf {
	char folder[PATH_MAX];
	struct outputs outputs;		/* traces that are complete appear with the others */
	struct idmap written;		/* traces, by number from 1 */
	struct window window;
	struct ctf_trace now;
	struct idmap functions;		/* by name's pointer: address */
	struct idmap entered;		/* by track: begin of a long call whose entry is written */
	struct output names;
	int err;
};

static void say_of(const char *path, const char *text)
{
	char *clean = text_clean(path, false);

	fprintf(stderr, "dltrace-report: %s: %s\n", clean, text);
	free(clean);
}

/* ---- the stream ---- */

static void put(struct ctf_trace *t, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		t->packet[t->size++] = (unsigned char)(value >> 8 * i);
}

static void put_packet_head(struct ctf_trace *t, uint64_t bits)
{
	size_t size = t->size;

	t->size = 0;
	put(t, MAGIC, 4);
	memcpy(t->packet + t->size, t->uuid, sizeof(t->uuid));
	t->size += sizeof(t->uuid);
	put(t, 0, 4);			/* stream */
	put(t, 0, 8);			/* its instance */
	put(t, t->begin, 8);
	put(t, t->last, 8);
	put(t, bits, 8);		/* contents */
	put(t, bits, 8);		/* packet */
	put(t, t->packets, 8);
	put(t, 0, 8);			/* discarded */
	put(t, 0, 4);			/* CPU */
	if (size > t->size)
		t->size = size;
}

static void flush_packet(struct ctf_trace *t)
{
	if (!t->size)
		return;
	put_packet_head(t, 8 * (uint64_t)t->size);
	fwrite(t->packet, 1, t->size, t->stream.file);
	t->packets++;
	t->size = 0;
}

static void open_event(struct ctf_trace *t, enum ctf_event id, uint64_t time)
{
	if (t->size > PACKET_BYTES - CTF_EVENT_MAX)
		flush_packet(t);
	if (!t->size) {
		t->begin = t->last = time;
		put_packet_head(t, 0);
	}
	if (time - t->last < UINT32_MAX) {
		put(t, id, 2);
		put(t, time, 4);
	} else {
		put(t, UINT16_MAX, 2);
		put(t, id, 4);
		put(t, time, 8);
	}
	t->last = time;
}

static void put_context(struct ctf_trace *t, const struct thread *thread)
{
	char name[CTF_NAME] = "";

	/* Cut as the kernel cuts it; what is left must not be half a character. */
	snprintf(name, sizeof(name), "%s", export_thread_name(thread));
	for (size_t i = 0; i < sizeof(name); i++)
		if ((unsigned char)name[i] < ' ' || (unsigned char)name[i] > '~')
			name[i] = name[i] ? '_' : '\0';
	put(t, thread->process->pid, 4);
	put(t, thread->tid ? thread->tid : thread->process->pid, 4);
	memcpy(t->packet + t->size, name, sizeof(name));
	t->size += sizeof(name);
}

/* From the window, in order. `type` is the event; the words are its fields, in order. */
static void give(void *owner, const struct window_record *r)
{
	static const struct {
		unsigned char count, bytes[4];
	} fields[CTF_EVENTS] = {
		[CTF_EXIT] = { 2, { 8, 8 } }, [CTF_ENTRY] = { 2, { 8, 8 } },
		[CTF_FREE] = { 1, { 8 } }, [CTF_MALLOC] = { 2, { 8, 8 } },
		[CTF_CALLOC] = { 3, { 8, 8, 8 } }, [CTF_REALLOC] = { 3, { 8, 8, 8 } },
		[CTF_MEMALIGN] = { 3, { 8, 8, 8 } }, [CTF_POSIX_MEMALIGN] = { 4, { 8, 8, 8, 4 } },
	};
	const uint64_t words[] = { r->a, r->b, r->c, r->extra };
	struct ctf *f = owner;

	open_event(&f->now, (enum ctf_event)r->type, (uint64_t)r->time);
	put_context(&f->now, (const struct thread *)(uintptr_t)r->thread);
	for (unsigned i = 0; i < fields[r->type].count; i++)
		put(&f->now, words[i], fields[r->type].bytes[i]);
}

/* ---- files ---- */

/* The same in each export of a trace, another one for each trace: readers join what has the same. */
static void make_uuid(unsigned char *uuid, const struct trace *t)
{
	uint64_t key = export_key((uint64_t)t->clock_offset, t->recording);

	for (int i = 0; i < CTF_UUID; i++) {
		key = export_key(key, t->begin + t->index);
		uuid[i] = (unsigned char)(key >> 32);
	}
}

/* That of the track. */
static int open_trace(struct ctf *f, const struct track *track)
{
	const struct trace *t = track->trace;
	char path[PATH_MAX + 64];
	int err;

	if (t->index)
		snprintf(f->now.folder, sizeof(f->now.folder), "%s/ust-%zu", f->folder, t->index + 1);
	else
		snprintf(f->now.folder, sizeof(f->now.folder), "%s/ust", f->folder);
	err = outputs_folder(&f->outputs, f->now.folder);
	snprintf(path, sizeof(path), "%s/" STREAM, f->now.folder);
	err = err ? err : output_open(&f->now.stream, path);
	if (err)
		return err;
	make_uuid(f->now.uuid, t);
	f->now.trace = t;
	f->now.track = track;
	return 0;
}

static int write_metadata(struct ctf *f, int err)
{
	struct ctf_trace *t = &f->now;
	char path[PATH_MAX + 64];
	struct output out;

	if (!err && (fflush(t->stream.file) || ferror(t->stream.file)))
		err = errno ? -errno : -EIO;
	snprintf(path, sizeof(path), "%s/metadata", t->folder);
	err = err ? err : output_open(&out, path);
	if (err)
		return err;
	ctf_metadata(out.file, t->uuid, (int64_t)t->track->zero, t->trace->host);
	return outputs_add(&f->outputs, &out, 0);
}

static int close_trace(struct ctf *f, bool keep)
{
	int err = keep ? 0 : -ECANCELED;

	if (!f->now.trace)
		return 0;
	window_flush(&f->window);
	flush_packet(&f->now);
	err = write_metadata(f, err);
	err = outputs_add(&f->outputs, &f->now.stream, err);
	if (!err)
		*idmap_put(&f->written, f->now.trace->index + 1) = 1;
	f->now.trace = NULL;
	f->now.packets = 0;
	f->window.given = INT64_MIN;
	return keep ? err : 0;
}

/* ---- what an earlier export has left ---- */

/* Of the folder of a trace: 1 for ust, 2 for ust-2; 0: it is none. */
static uint64_t number_of(const char *name)
{
	char *end;
	uint64_t number;

	if (!strcmp(name, "ust"))
		return 1;
	if (strncmp(name, "ust-", 4) || !isdigit((unsigned char)name[4]))
		return 0;
	number = strtoull(name + 4, &end, 10);
	return *end || number < 2 ? 0 : number;
}

/* False: something in it is not of ours, or it is a link, or no folder. */
static bool holds_ours_only(const char *folder)
{
	static const char *const ours[] = { ".", "..", "metadata", STREAM };
	struct stat st;
	DIR *d = !lstat(folder, &st) && S_ISDIR(st.st_mode) ? opendir(folder) : NULL;
	struct dirent *entry;
	bool only = d != NULL;

	while (only && (entry = readdir(d))) {
		only = false;
		for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
			only |= !strcmp(entry->d_name, ours[i]);
	}
	if (d)
		closedir(d);
	return only;
}

/* Readers take all that is in the folder for one recording. */
static void remove_others(const struct ctf *f)
{
	DIR *d = opendir(f->folder);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		uint64_t number = number_of(entry->d_name);
		char folder[PATH_MAX], path[PATH_MAX + 16];

		if (!number || idmap_get(&f->written, number) ||
		    snprintf(folder, sizeof(folder), "%s/%s", f->folder, entry->d_name) >= (int)sizeof(folder))
			continue;
		if (!holds_ours_only(folder)) {
			say_of(folder, "not of this report, but left there, since dltrace has not made all of it");
			continue;
		}
		snprintf(path, sizeof(path), "%s/metadata", folder);
		unlink(path);
		snprintf(path, sizeof(path), "%s/" STREAM, folder);
		unlink(path);
		rmdir(folder);
	}
	if (d)
		closedir(d);
}

/* ---- events ---- */

static uint64_t address_of(struct ctf *f, const char *name)
{
	uint64_t *known = idmap_get(&f->functions, (uintptr_t)name), address;

	if (known)
		return *known;
	address = FUNCTION_BASE + FUNCTION_STEP * (f->functions.count + 1);
	*idmap_put(&f->functions, (uintptr_t)name) = address;
	fprintf(f->names.file, "%016" PRIx64 " T ", address);
	for (const char *c = name; *c; c++)	/* a symbol is one word */
		fputc((unsigned char)*c > ' ' && (unsigned char)*c <= '~' ? *c : '_', f->names.file);
	fputc('\n', f->names.file);
	return address;
}

#define SAME_CALL 20000000	/* ns that the sampler and the call's event may differ about its begin */

/* Its entry is due while nothing later is written; its exit is not known yet. */
static void enter_long_call(struct ctf *f, const struct export_event *e)
{
	uint64_t *entered = idmap_put(&f->entered, e->track->id);
	struct window_record r = {
		.time = e->begin, .type = CTF_ENTRY, .thread = (uintptr_t)e->track->thread,
		.a = address_of(f, e->name), .b = e->caller,
	};

	if (*entered == (uint64_t)e->begin)
		return;
	*entered = (uint64_t)e->begin;
	window_add(&f->window, &r);
}

/* Is this the call that was entered before? */
static bool is_entered(struct ctf *f, const struct export_event *e)
{
	uint64_t *entered = idmap_get(&f->entered, e->track->id);
	int64_t begin = entered ? (int64_t)*entered : 0;

	if (!begin || e->begin < begin - SAME_CALL || e->begin > begin + SAME_CALL)
		return false;
	*entered = 0;
	return true;
}

static void add_call(struct ctf *f, const struct export_event *e)
{
	struct window_record r = {
		.time = e->begin, .type = CTF_ENTRY, .thread = (uintptr_t)e->track->thread,
		.a = address_of(f, e->name), .b = e->caller,
	};

	if (e->end - e->begin < EXPORT_LONG || !is_entered(f, e))
		window_add(&f->window, &r);
	r.type = CTF_EXIT;
	r.time = e->end > e->begin ? e->end : e->begin + 1;
	window_add(&f->window, &r);
}

/* What the function is called to what LTTng-UST calls it; `size` is what was asked for, or usable. */
static void add_heap(struct ctf *f, const struct export_event *e)
{
	struct window_record r = { .time = e->begin, .type = CTF_MALLOC,
				   .thread = (uintptr_t)e->track->thread, .a = e->size, .b = e->ptr };

	if (e->operation == 2) {
		r.type = CTF_FREE;
		r.a = e->ptr;
	} else if (!strcmp(e->name, "calloc")) {
		r = (struct window_record){ .time = r.time, .type = CTF_CALLOC, .thread = r.thread,
					    .a = 1, .b = e->size, .c = e->ptr };
	} else if (!strcmp(e->name, "realloc") && e->operation == 3) {
		r = (struct window_record){ .time = r.time, .type = CTF_REALLOC, .thread = r.thread,
					    .a = 0, .b = e->size, .c = e->ptr };
	} else if (!strcmp(e->name, "memalign") || !strcmp(e->name, "aligned_alloc")) {
		r = (struct window_record){ .time = r.time, .type = CTF_MEMALIGN, .thread = r.thread,
					    .a = 0, .b = e->size, .c = e->ptr };
	} else if (!strcmp(e->name, "posix_memalign")) {
		r = (struct window_record){ .time = r.time, .type = CTF_POSIX_MEMALIGN,
					    .thread = r.thread, .a = e->ptr, .b = 0, .c = e->size,
					    .extra = e->operation == 3 ? ENOMEM : 0 };
	}
	window_add(&f->window, &r);
}

void ctf_event(void *state, const struct export_event *e, unsigned bit)
{
	bool call = e->kind == EXPORT_SPAN && e->track->kind == TRACK_THREAD;
	struct ctf *f = state;

	(void)bit;
	if ((!call && e->kind != EXPORT_HEAP && e->kind != EXPORT_OPEN) || f->err)
		return;
	if (f->now.trace != e->track->trace) {
		f->err = close_trace(f, true);
		f->err = f->err ? f->err : open_trace(f, e->track);
		if (f->err)
			return;
	}
	if (call)
		add_call(f, e);
	else if (e->kind == EXPORT_OPEN)
		enter_long_call(f, e);
	else
		add_heap(f, e);
	window_pass(&f->window, e->end);
}

int ctf_begin(void **state, const char *path)
{
	struct ctf *f = xcalloc(1, sizeof(*f));
	char names[PATH_MAX];
	int err = -ENAMETOOLONG;

	if (!strcmp(path, "-")) {
		err = -EINVAL;	/* it is a folder */
	} else if (snprintf(f->folder, sizeof(f->folder), "%s", path) < PATH_MAX - 64) {
		snprintf(names, sizeof(names), "%.*s/functions.nm", PATH_MAX - 64, path);
		err = outputs_folder(&f->outputs, path);
		err = err ? err : output_open(&f->names, names);
	}
	if (err) {
		outputs_place(&f->outputs, err, NULL);
		free(f);
		return err;
	}
	window_init(&f->window, give, f);
	*state = f;
	return 0;
}

int ctf_end(void *state, bool keep)
{
	struct ctf *f = state;
	int err = close_trace(f, keep && !f->err);
	char line[160];

	err = f->err ? f->err : err ? err : keep ? 0 : -ECANCELED;
	err = outputs_add(&f->outputs, &f->names, err);
	err = outputs_place(&f->outputs, err, NULL);
	if (!err)
		remove_others(f);
	if (keep && f->window.late) {
		snprintf(line, sizeof(line), "%" PRIu64 " events came too late for their place and stand up to %.3f s "
			 "after their time", f->window.late, (double)f->window.late_most / 1e9);
		say_of(f->folder, line);
	}
	window_release(&f->window);
	idmap_release(&f->functions);
	idmap_release(&f->entered);
	idmap_release(&f->written);
	free(f);
	return keep ? err : 0;
}

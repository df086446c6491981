/* SPDX-License-Identifier: MIT */
/*
 * The fast source: our own decoder of the CTF 1.8 and 2 that LTTng-UST writes.
 *
 * Metadata files become parts (part.c), stream files are grouped into streams (stream.c), and a
 * heap merges these by time. Streams of equal time take turns by folder, channel and stream id,
 * as in the babeltrace2 source, so that both give the same sequence.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/reader/cuts.h"
#include "analysis/reader/folders.h"
#include "analysis/reader/must.h"
#include "analysis/reader/stream.h"
#include "analysis/reader/value.h"

struct fast {
	struct part **parts;		/* owned */
	size_t part_count;
	struct stream_file *files;	/* owned while they are collected */
	size_t file_count, file_capacity;
	struct stream **streams;	/* owned */
	size_t stream_count;
	struct stream **heap;		/* owned; those that have an event, the earliest first */
	size_t heap_count;
	struct stream *current;		/* gave the event before; borrowed from the heap */
	struct plan_state state;
	void *data;			/* owned: the event given last */
	bool slow;
	char error[256];
	int error_code;			/* of a metadata file that is not understood */
};

/* ---- merging ------------------------------------------------------------------------------ */

static bool earlier(const struct stream *a, const struct stream *b)
{
	const struct stream_file *x, *y;

	if (a->time != b->time)
		return a->time < b->time;
	x = &a->files[a->file];
	y = &b->files[b->file];
	if (x->folder != y->folder)
		return x->folder < y->folder;
	if (x->first.stream_id != y->first.stream_id)
		return x->first.stream_id < y->first.stream_id;
	return x->first.instance < y->first.instance;
}

static void sift_down(struct fast *f, size_t i)
{
	struct stream **h = f->heap, *moved = h[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= f->heap_count)
			break;
		if (child + 1 < f->heap_count && earlier(h[child + 1], h[child]))
			child++;
		if (!earlier(h[child], moved))
			break;
		h[i] = h[child];
		i = child;
	}
	h[i] = moved;
}

/* The stream on top moves on; one that ends leaves the heap. */
static void advance(struct fast *f)
{
	if (!stream_next(f->heap[0])) {
		stream_rest(f->heap[0]);
		f->heap[0] = f->heap[--f->heap_count];
	}
	if (f->heap_count > 1)
		sift_down(f, 0);
}

static int fast_next(struct reader *r, struct reader_event *event)
{
	struct fast *f = r->state;

	for (;;) {
		if (f->current)
			advance(f);
		f->current = f->heap_count ? f->heap[0] : NULL;
		if (!f->current)
			return 0;
		if (stream_decode(f->current, f->data))
			break;
	}
	event->time = f->current->time;
	event->type = f->current->plan->type;
	event->data = f->data;
	return 1;
}

static void fast_close(struct reader *r)
{
	struct fast *f = r->state;

	for (size_t i = 0; i < f->stream_count; i++)
		stream_free(f->streams[i]);
	free(f->streams);
	free(f->heap);
	for (size_t i = 0; i < f->file_count; i++)
		free(f->files[i].path);
	free(f->files);
	for (size_t i = 0; i < f->part_count; i++)
		part_free(f->parts[i]);
	free(f->parts);
	plan_state_release(&f->state);
	free(f->data);
	free(f);
}

/* ---- parts -------------------------------------------------------------------------------- */

/* All streams to their first event of the span. */
static void begin_streams(struct fast *f, struct stream_span span)
{
	f->current = NULL;
	f->heap_count = 0;
	for (size_t i = 0; i < f->stream_count; i++) {
		stream_begin(f->streams[i], span);
		if (stream_next(f->streams[i]))
			f->heap[f->heap_count++] = f->streams[i];
		else
			stream_rest(f->streams[i]);
	}
	for (size_t i = f->heap_count / 2; i-- > 0;)
		sift_down(f, i);
}

static void fast_seek(struct reader *r, uint64_t from, uint64_t to)
{
	begin_streams(r->state, (struct stream_span){ from, to });
}

/* ---- cutting ------------------------------------------------------------------------------ */

/*
 * A part begins inside of packets, which are decoded in vain up to there: half of one a stream on
 * average. So parts hold some packets of each stream.
 */
#define PACKETS_LEAST 4

static size_t fast_cuts(struct reader *r, uint64_t least, size_t fewest, size_t most, uint64_t *cuts)
{
	struct fast *f = r->state;
	struct cuts w = CUTS_INIT;
	struct stream_packets found = { .each = cuts_weigh, .context = &w };
	uint64_t a_packet_each = 0;
	bool good = true;
	size_t count = 0;

	for (size_t i = 0; good && i < f->stream_count; i++) {
		size_t before = w.count;
		uint64_t bytes = w.bytes;

		good = stream_skim(f->streams[i], &found);
		if (w.count > before)
			/* cppcheck-suppress zerodiv ; it does not see the callback count */
			a_packet_each += (w.bytes - bytes) / (w.count - before);
	}
	if (least < PACKETS_LEAST * a_packet_each)
		least = PACKETS_LEAST * a_packet_each;
	if (good)
		count = cuts_find(&w, cuts_parts(w.bytes, least, fewest, most), cuts);
	cuts_release(&w);
	r->whole = (struct reader_whole){ found.discarded, found.discarded_packets, found.end };
	return count;
}

static const struct reader_ops fast_ops = { READER_FAST, fast_next, fast_close, fast_cuts, fast_seek };

/* ---- opening ------------------------------------------------------------------------------ */

/* Chunks of one recording have the same metadata again and again: one of them is enough. */
static struct part *add_part(struct fast *f, struct part *p)
{
	for (size_t i = 0; i < f->part_count; i++)
		if (f->parts[i]->metadata->digest == p->metadata->digest &&
		    memcmp(f->parts[i]->metadata->uuid, p->metadata->uuid, 16) == 0) {
			part_free(p);
			return f->parts[i];
		}
	/* One machine has one clock: parts must not drift apart by how exactly each was read. */
	for (size_t i = 0; i < f->part_count; i++)
		if (*p->clock_uuid && strcmp(f->parts[i]->clock_uuid, p->clock_uuid) == 0) {
			p->clock_offset = f->parts[i]->clock_offset;
			break;
		}
	f->parts = must(realloc(f->parts, (f->part_count + 1) * sizeof(*f->parts)));
	f->parts[f->part_count++] = p;
	return p;
}

static void add_file(struct fast *f, struct reader *r, const struct part *part, unsigned folder,
		     const char *path, uint64_t size)
{
	struct stream_file *file;

	if (f->file_count == f->file_capacity) {
		f->file_capacity = f->file_capacity ? 2 * f->file_capacity : 32;
		f->files = must(realloc(f->files, f->file_capacity * sizeof(*f->files)));
	}
	file = &f->files[f->file_count];
	memset(file, 0, sizeof(*file));
	file->path = must(strdup(path));
	file->part = part;
	file->folder = folder;
	file->size = size;
	if (stream_probe(r, &f->state, file) == 0)
		f->file_count++;
	else
		free(file->path);
}

static void add_files(struct fast *f, struct reader *r, const struct part *part, unsigned index,
		      const char *path)
{
	struct dirent *entry;
	char name[4096];
	struct stat st;
	DIR *folder;

	folder = opendir(path);
	if (!folder) {
		source_problem(r, PROBLEM_UNREADABLE, 0, "%s: %s", path, strerror(errno));
		return;
	}
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "metadata") == 0 ||
		    strcmp(entry->d_name, "recording") == 0)
			continue;
		if (snprintf(name, sizeof(name), "%s/%s", path, entry->d_name) >=
		    (int)sizeof(name) || stat(name, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		add_file(f, r, part, index, name, (uint64_t)st.st_size);
	}
	closedir(folder);
}

static void slots_room(struct fast *f, const struct part *p, size_t *capacity)
{
	size_t need = (size_t)p->metadata->slot_count + 1;

	if (need <= *capacity)
		return;
	free(f->state.walk.slots);
	f->state.walk.slots = must(calloc(need, sizeof(uint64_t)));
	*capacity = need;
}

/* One line about a folder whose metadata cannot be used; the first one is kept as the error. */
static void refuse_folder(struct fast *f, struct reader *r, const char *path, int ret,
			  const char *why)
{
	source_problem(r, ret == -ENOTSUP ? PROBLEM_CORRUPT : PROBLEM_UNREADABLE, 0, "%s: %s", path, why);
	if (!f->error_code || ret == -ENOTSUP) {
		snprintf(f->error, sizeof(f->error), "%s", why);
		f->error_code = ret;
	}
}

static bool is_empty(const char *folder)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/metadata", folder);
	return stat(path, &st) == 0 && st.st_size == 0;
}

/* Whose packets are in the folder? Their first bytes are LTTng's magic number and the uuid. */
static const struct part *find_owner(const struct fast *f, const char *path)
{
	const struct part *owner = NULL;
	uint8_t head[20];
	struct dirent *entry;
	char name[4096];
	DIR *folder;
	FILE *file;

	folder = opendir(path);
	while (folder && !owner && (entry = readdir(folder))) {
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		file = entry->d_name[0] == '.' ? NULL : source_open_file(name);
		if (file && fread(head, sizeof(head), 1, file) == 1)
			for (size_t i = 0; i < f->part_count; i++)
				if (f->parts[i]->metadata->has_uuid &&
				    memcmp(f->parts[i]->metadata->uuid, head + 4, 16) == 0)
					owner = f->parts[i];
		if (file)
			fclose(file);
	}
	if (folder)
		closedir(folder);
	return owner;
}

/* The chunk that a killed recording left: the metadata of the chunks before it does as well. */
static void adopt_folder(struct fast *f, struct reader *r, const char *path, unsigned index,
			 const char *why)
{
	const struct part *owner = find_owner(f, path);

	if (!owner) {
		refuse_folder(f, r, path, -ENODATA, why);
		return;
	}
	source_problem(r, PROBLEM_TRUNCATED, 0, "%s: the metadata is empty, the recording was killed; "
		       "read with that of %s", path, owner->folder);
	add_files(f, r, owner, index, path);
}

static void open_folders(struct fast *f, struct reader *r, const struct folders *folders)
{
	char why[256], why_empty[256] = "";
	size_t slots = 0;
	int ret;

	for (size_t i = 0; i < folders->count; i++) {
		struct part *p = part_open(folders->paths[i], f->slow, &ret, why, sizeof(why));

		if (ret == -ENODATA) {	/* later, when all others are known */
			memcpy(why_empty, why, sizeof(why));
			continue;
		}
		if (!p) {
			refuse_folder(f, r, folders->paths[i], ret, why);
			continue;
		}
		p = add_part(f, p);
		slots_room(f, p, &slots);
		add_files(f, r, p, (unsigned)i, folders->paths[i]);
	}
	for (size_t i = 0; i < folders->count; i++)
		if (is_empty(folders->paths[i]))
			adopt_folder(f, r, folders->paths[i], (unsigned)i, why_empty);
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Are two files of one stream? The trace's uuid and the two ids tell, whatever the folder. */
static int by_stream(const struct stream_file *x, const struct stream_file *y)
{
	int ret = memcmp(x->first.uuid, y->first.uuid, 16);

	if (!ret && (!x->first.has_uuid || !y->first.has_uuid))
		ret = strcmp(x->path, y->path);
	if (!ret)
		ret = compare(x->first.stream_id, y->first.stream_id);
	return ret ? ret : compare(x->first.instance, y->first.instance);
}

static int by_stream_and_time(const void *a, const void *b)
{
	const struct stream_file *x = a, *y = b;
	int ret = by_stream(x, y);

	if (!ret)
		ret = compare(x->first.begin, y->first.begin);
	if (!ret)
		ret = compare(x->first.sequence, y->first.sequence);
	return ret ? ret : strcmp(x->path, y->path);
}

static void add_stream(struct fast *f, struct reader *r, size_t first, size_t count)
{
	struct stream_file *files = must(calloc(count, sizeof(*files)));
	struct stream *s;
	uint64_t begin;

	memcpy(files, f->files + first, count * sizeof(*files));
	s = stream_new(r, &f->state, files, count);
	begin = part_time(files[0].part, files[0].first.begin);
	if (!r->info.begin || begin < r->info.begin)
		r->info.begin = begin;
	f->streams[f->stream_count++] = s;
}

static void make_streams(struct fast *f, struct reader *r)
{
	size_t first = 0;

	if (f->file_count)
		qsort(f->files, f->file_count, sizeof(*f->files), by_stream_and_time);
	f->streams = must(calloc(f->file_count + 1, sizeof(*f->streams)));
	f->heap = must(calloc(f->file_count + 1, sizeof(*f->heap)));
	for (size_t i = 1; i <= f->file_count; i++)
		if (i == f->file_count || by_stream(&f->files[first], &f->files[i])) {
			add_stream(f, r, first, i - first);
			first = i;
		}
	f->file_count = 0;	/* the streams own the paths now */
}

static int check_ours(struct fast *f, const struct reader *r, const char *path, char *error, size_t size)
{
	size_t others = 0;
	const char *example = "none", *why = source_why_stopped(r);

	if (f->part_count == 0 || f->error_code == -ENOTSUP) {
		snprintf(error, size, "cannot open trace: path=%s: %s", path, f->error);
		return f->error_code;
	}
	for (size_t i = 0; i < f->part_count; i++) {
		if (part_count_ours(f->parts[i]))
			return 0;
		others += f->parts[i]->metadata->event_count;
		if (f->parts[i]->metadata->event_count)
			example = f->parts[i]->metadata->events[0]->name;
	}
	if (why && !others) {
		snprintf(error, size, "cannot open trace: path=%s: %s", path, why);
		return -ENOMSG;
	}
	snprintf(error, size, "cannot open trace: path=%s: no event of dltrace is declared in it "
		 "(%zu of others, such as %.80s): was the program run with libdltrace.so, and "
		 "'dltrace_*' enabled?", path, others, example);
	return -ENOMSG;
}

/* Of two parts, what shows that they are of two recordings; NULL: nothing does. */
static const char *tells_apart(const struct part *a, const struct part *b)
{
	if (strcmp(a->metadata->host, b->metadata->host))
		return "hosts";
	if (*a->clock_uuid && *b->clock_uuid && strcmp(a->clock_uuid, b->clock_uuid))
		return "boots of a host";
	return strcmp(a->metadata->session, b->metadata->session) ||
	       strcmp(a->metadata->created, b->metadata->created) ? "sessions" : NULL;
}

/* The length of the folder that both are in; `a`, the first by name, may be that itself. */
static int common_folder(const char *a, const char *b)
{
	int i, slash = 0;

	for (i = 0; a[i] && a[i] == b[i]; i++)
		slash = a[i] == '/' ? i : slash;
	return !a[i] && b[i] == '/' ? i : slash;
}

static int to_next_slash(const char *path, int from)
{
	return path[from] ? from + 1 + (int)strcspn(path + from + 1, "/") : from;
}

static int refuse_two(const char *path, const struct part *a, const struct part *b, const char *two, char *error,
		      size_t size)
{
	int common = common_folder(a->folder, b->folder);

	snprintf(error, size, "cannot open trace: path=%s: %.*s and %.*s are of two %s, which do not make one trace: "
		 "give each, as by dltrace-report %.*s/*", path, to_next_slash(a->folder, common), a->folder,
		 to_next_slash(b->folder, common), b->folder, two, common, a->folder);
	return -EINVAL;
}

/*
 * Ids of processes and threads begin at 1 in each recording, times are by the host's clock: two are not to be put
 * together. Of one that dltrace-record wrote it is known that it is one.
 */
static int check_one(const struct fast *f, const struct reader *r, const char *path, char *error, size_t size)
{
	const struct part *first = NULL;

	for (size_t i = 0; !r->info.recording.present && i < f->part_count; i++) {
		const struct part *p = f->parts[i];
		const char *two = first && part_count_ours(p) ? tells_apart(first, p) : NULL;

		if (two)
			return refuse_two(path, first, p, two, error, size);
		if (!first && part_count_ours(p))
			first = p;
	}
	return 0;
}

int source_open_fast(struct reader *r, const char *path, char *error, size_t size)
{
	struct folders folders = { NULL, 0, 0 };
	struct fast *f = must(calloc(1, sizeof(*f)));
	int ret;

	r->state = f;
	f->data = must(calloc(1, value_largest()));
	f->slow = r->slow;
	ret = folders_find(&folders, r, path, error, size);
	if (ret == 0) {
		open_folders(f, r, &folders);
		ret = check_ours(f, r, path, error, size);
		ret = ret < 0 ? ret : check_one(f, r, path, error, size);
		r->info.bytes = folders_bytes(&folders);
	}
	folders_release(&folders);
	if (ret < 0) {
		fast_close(r);
		return ret;
	}
	make_streams(f, r);
	f->state.spare = f->data;
	r->info.clock_offset = f->parts[0]->clock_offset;
	snprintf(r->info.host, sizeof(r->info.host), "%s", f->parts[0]->metadata->host);
	r->ops = &fast_ops;
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Opens a trace with the source that fits it, and keeps what is said about it. */
#include "analysis/reader/reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/reader/batches.h"
#include "analysis/reader/must.h"
#include "analysis/reader/source.h"

#define PROBLEMS_MAX 100	/* each by itself */
#define PROBLEMS_ROOM (PROBLEMS_MAX + 2 * PROBLEM_KINDS)	/* the first of a kind, and one for all others of it */

/*
 * In place, for every text that leaves the reader: parts of it are from the trace, where a name
 * may hold any bytes, line breaks too. Other control characters are the report's to escape.
 */
static void one_line(char *text)
{
	for (; *text; text++)
		if (isspace((unsigned char)*text))
			*text = ' ';
}

static const char *const problem_kinds[PROBLEM_KINDS] = {
	[PROBLEM_TRUNCATED] = "truncated", [PROBLEM_LOST] = "lost", [PROBLEM_FOREIGN] = "foreign",
	[PROBLEM_CORRUPT] = "corrupt", [PROBLEM_UNREADABLE] = "unreadable", [PROBLEM_STOPPED] = "stopped",
	[PROBLEM_LAYOUT] = "layout",
};

enum reader_problem_kind source_problem_kind(const char *name, size_t length)
{
	enum reader_problem_kind kind = 0;

	while (kind < PROBLEM_KINDS &&
	       (strncmp(problem_kinds[kind], name, length) || strlen(problem_kinds[kind]) != length))
		kind++;
	return kind;
}

void source_problem_told(struct reader *r, enum reader_problem_kind kind, uint64_t value, uint64_t count,
			 const char *text)
{
	struct reader_problem *p;

	if (!r->problems)
		r->problems = must(calloc(PROBLEMS_ROOM, sizeof(*r->problems)));
	r->info.problems = r->problems;
	if (r->info.problem_count == PROBLEMS_ROOM) {
		r->problems[PROBLEMS_ROOM - 1].count += count;
		return;
	}
	p = &r->problems[r->info.problem_count++];
	*p = (struct reader_problem){
		.kind = problem_kinds[kind], .text = must(strdup(text)), .value = value, .count = count,
	};
	one_line(p->text);
}

static bool was_told(const struct reader *r, enum reader_problem_kind kind)
{
	for (size_t i = 0; i < r->info.problem_count; i++)
		if (r->problems[i].kind == problem_kinds[kind])
			return true;
	return false;
}

/* Those of a kind for which there is no room; the last one of the kind tells how many there are. */
static void leave_out(struct reader *r, enum reader_problem_kind kind)
{
	uint64_t count = ++r->left_out[kind];
	struct reader_problem *p = NULL;
	char text[80];

	snprintf(text, sizeof(text), "%" PRIu64 " more problem%s of the kind \"%s\"", count, count == 1 ? "" : "s",
		 problem_kinds[kind]);
	for (size_t i = PROBLEMS_MAX; i < r->info.problem_count; i++)
		if (r->problems[i].kind == problem_kinds[kind])
			p = &r->problems[i];
	if (!p || count == 1) {
		source_problem_told(r, kind, 1, 1, text);
		return;
	}
	free(p->text);
	p->text = must(strdup(text));
	p->value = p->count = count;
}

void source_problem(struct reader *r, enum reader_problem_kind kind, uint64_t value, const char *format, ...)
{
	char text[512];
	va_list ap;

	if (r->info.problem_count >= PROBLEMS_MAX && was_told(r, kind)) {
		leave_out(r, kind);
		return;
	}
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	source_problem_told(r, kind, value, 1, text);
}

void source_other_layout(struct reader *r, uint32_t count)
{
	r->other_layout += count;
	r->irregular = true;
}

int source_open_descriptor(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		fd = -1;
	}
	return fd;
}

FILE *source_open_file(const char *path)
{
	int fd = source_open_descriptor(path);

	return fd < 0 ? NULL : must(fdopen(fd, "r"));
}

static void add_label(struct reader_recording *rec, const char *label)
{
	char *all;

	if (!strchr(label, '='))
		return;
	must(asprintf(&all, "%s%s%s", rec->labels, *rec->labels ? "\x1f" : "", label) < 0 ? NULL : all);
	free(rec->labels);
	rec->labels = all;
}

const char *source_why_stopped(const struct reader *r)
{
	for (size_t i = 0; i < r->info.problem_count; i++)
		if (r->problems[i].kind == problem_kinds[PROBLEM_STOPPED])
			return r->problems[i].text;
	return NULL;
}

/* Where LTTng, the disk or who holds the session is at its end, this file may be the only place to say so. */
static void add_note(struct reader *r, const char *note)
{
	static const struct {
		const char *begin, *so;
	} ends[] = {
		{ "2 consumer ", ": what came later is missing" }, { "2 disk ", ": what came later is missing" },
		{ "2 keeper ", ": what came later is missing" }, { "2 samplers ", "" }, { "2 taken ", "" },
		{ "2 removed ", "" },
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strncmp(note, ends[i].begin, strlen(ends[i].begin)) == 0)
			source_problem(r, PROBLEM_STOPPED, 0, "%s%s", note + strlen(ends[i].begin), ends[i].so);
}

void source_recording_line(struct reader *r, const char *key, const char *value)
{
	struct reader_recording *rec = &r->info.recording;

	rec->present = true;
	if (strcmp(key, "id") == 0) {
		rec->id = strtoull(value, NULL, 0);
	} else if (strcmp(key, "level") == 0) {
		snprintf(rec->level, sizeof(rec->level), "%s", value);
	} else if (strcmp(key, "version") == 0) {
		snprintf(rec->version, sizeof(rec->version), "%s", value);
	} else if (strcmp(key, "command") == 0) {
		free(rec->command);
		rec->command = must(strdup(value));
	} else if (strcmp(key, "exit") == 0) {
		rec->exit_status = atoi(value) & 0xff;
	} else if (strcmp(key, "signal") == 0) {
		rec->signal = atoi(value) & 0x7f;
	} else if (strcmp(key, "begin") == 0) {
		rec->begin = strtoull(value, NULL, 10);
	} else if (strcmp(key, "end") == 0) {
		rec->end = strtoull(value, NULL, 10);
	} else if (strcmp(key, "lost") == 0) {
		rec->lost = strtoull(value, NULL, 10);
	} else if (strcmp(key, "events") == 0) {
		rec->events = strtoull(value, NULL, 10);
	} else if (strcmp(key, "running") == 0) {
		rec->running = true;
	} else if (strcmp(key, "stalled") == 0) {
		rec->stalled = true;
	} else if (strcmp(key, "note") == 0) {
		add_note(r, value);
	} else if (strcmp(key, "label") == 0) {
		add_label(rec, value);
	}
}

/* In place: \n is a newline, \\ a backslash. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1])
			*to++ = *++text == 'n' ? '\n' : *text;
		else
			*to++ = *text;
	}
	*to = '\0';
}

/* The file beside the trace; a trace without one is as good. */
static void read_recording(struct reader *r, const char *path)
{
	char name[4096], *line = NULL, *space;
	size_t capacity = 0;
	ssize_t length;
	FILE *file;

	snprintf(name, sizeof(name), "%s/recording", path);
	file = source_open_file(name);
	if (!file)
		return;
	while ((length = getline(&line, &capacity, file)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		space = strchr(line, ' ');
		if (!space)
			continue;
		*space = '\0';
		unescape(space + 1);
		source_recording_line(r, line, space + 1);
	}
	free(line);
	fclose(file);
}

/* What a user wrote about a trace afterwards: lines KEY=VALUE, and comments. */
static void read_labels(struct reader *r, const char *path)
{
	char name[4096], *line = NULL;
	size_t capacity = 0;
	FILE *file;

	snprintf(name, sizeof(name), "%s/labels", path);
	file = source_open_file(name);
	if (!file)
		return;
	while (getline(&line, &capacity, file) > 0) {
		line[strcspn(line, "\r\n")] = '\0';
		if (*line != '#')
			add_label(&r->info.recording, line);
	}
	free(line);
	fclose(file);
}

/* All but the first `count`. */
static void forget_problems(struct reader *r, size_t count)
{
	for (size_t i = count; i < r->info.problem_count; i++)
		free(r->problems[i].text);
	if (r->info.problem_count > count)
		r->info.problem_count = count;
	memset(r->left_out, 0, sizeof(r->left_out));
}

#ifndef HAVE_BABELTRACE
#define HAVE_BABELTRACE 0
int source_open_babeltrace(struct reader *r, const char *path, char *error, size_t size)
{
	(void)r;
	snprintf(error, size, "cannot open trace: path=%s: built without babeltrace2", path);
	return -ENOTSUP;
}
#endif

/* Neither source could: what ours says comes first, as it reads what dltrace-record writes. */
static void add_cause(char *error, size_t size, const char *before, const char *path)
{
	size_t start = strlen("cannot open trace: path=: ") + strlen(path);
	char *why = must(strdup(strlen(error) > start ? error + start : error));

	if (*before)
		snprintf(error, size, "%s; %s", before, why);
	free(why);
}

/* What the recorder knows of it comes before what is seen of the files. */
static void add_why_stopped(char *error, size_t size, const char *why, const char *path)
{
	char known[1024];

	if (strstr(error, why))
		return;
	snprintf(known, sizeof(known), "cannot open trace: path=%s: %s", path, why);
	add_cause(error, size, known, path);
}

static int open_folder(struct reader *r, enum reader_source source, char *error, size_t size)
{
	const char *path = r->info.path;
	int ret;

	if (source == READER_BABELTRACE)
		return source_open_babeltrace(r, path, error, size);
	ret = source_open_fast(r, path, error, size);
	if (source == READER_AUTO && ret == -ENOTSUP && HAVE_BABELTRACE) {
		char *before = must(strdup(error));

		forget_problems(r, 0);	/* they are about what the other may read */
		ret = source_open_babeltrace(r, path, error, size);
		if (ret < 0)
			add_cause(error, size, before, path);
		free(before);
	}
	return ret;
}

static int open_source(struct reader *r, enum reader_source source, char *error, size_t size)
{
	const char *path = r->info.path, *stopped;
	char *why;
	struct stat st;
	int ret;

	if (stat(path, &st) < 0) {
		snprintf(error, size, "cannot open trace: path=%s: %s", path, strerror(errno));
		return -errno;
	}
	if (source == READER_TEXT || !S_ISDIR(st.st_mode))
		return source_open_text(r, path, error, size);
	read_recording(r, path);
	read_labels(r, path);
	stopped = source_why_stopped(r);
	why = stopped ? must(strdup(stopped)) : NULL;	/* problems are forgotten when another source is tried */
	ret = open_folder(r, source, error, size);
	if (ret < 0 && why)
		add_why_stopped(error, size, why, path);
	free(why);
	return ret;
}

static void stand_at_begin(struct reader *r)
{
	r->info.source = r->ops->source;
	r->opened = r->info;
	memcpy(r->opened_left_out, r->left_out, sizeof(r->left_out));
	if (r->ops->seek)
		r->ops->seek(r, 0, UINT64_MAX);
}

struct reader *reader_open(const char *path, enum reader_source source, char *error, size_t size)
{
	struct reader *r = must(calloc(1, sizeof(*r)));
	int ret;

	r->info.path = must(strdup(path));
	r->info.recording.command = must(strdup(""));
	r->info.recording.labels = must(strdup(""));
	r->info.recording.exit_status = -1;
	error[0] = '\0';
	ret = open_source(r, source, error, size);
	if (ret < 0) {
		if (!error[0])
			snprintf(error, size, "cannot open trace: path=%s: %s", path,
				 strerror(-ret));
		one_line(error);
		reader_close(r);
		return NULL;
	}
	stand_at_begin(r);
	return r;
}

int reader_next(struct reader *r, struct reader_event *event)
{
	int ret;

	while (!(ret = batch_next(r, event)) && !(ret = outbox_next(r, event))) {
		ret = r->ops->next(r, event);
		if (ret <= 0)
			return ret;
		if (event->time > r->info.end)
			r->info.end = event->time;
		if (event->type == DLT_EV_BATCH_RECORDS)
			batch_begin(r, event);
		else if (event->type == DLT_EV_OUTBOX_EVENTS)
			outbox_begin(r, event);
		else
			break;
	}
	if (!r->info.events++ && !r->info.begin)
		r->info.begin = event->time;
	return 1;
}

struct records *reader_records(struct reader *r)
{
	return r->batch.rest.at ? &r->batch.rest : NULL;
}

void reader_took(struct reader *r, uint32_t count)
{
	r->info.events += count;
}

size_t reader_cuts(struct reader *r, uint64_t least, size_t fewest, size_t most, uint64_t *cuts)
{
	size_t count;

	if (!r->ops->cuts || most < 2)
		return 0;
	count = r->ops->cuts(r, least, fewest, most, cuts);
	reader_seek(r, 0, UINT64_MAX);
	return count;
}

void reader_seek(struct reader *r, uint64_t from, uint64_t to)
{
	batch_release(&r->batch);
	r->batch = (struct batch){ 0 };
	outbox_release(&r->outbox);
	/* More problems than are kept may have changed a text; then it was irregular. */
	forget_problems(r, r->opened.problem_count);
	memcpy(r->left_out, r->opened_left_out, sizeof(r->left_out));
	r->irregular = false;
	r->other_layout = 0;
	r->info.events = r->info.boxed = r->info.parts = 0;
	r->info.foreign = r->opened.foreign;
	r->info.discarded = r->opened.discarded;
	r->info.discarded_packets = r->opened.discarded_packets;
	r->info.end = r->opened.end;
	r->ops->seek(r, from, to);
}

/* How many events the recorder has counted and the trace does not hold; 0: of lost batches LTTng does not say it. */
static uint64_t missing(const struct reader *r)
{
	const struct reader_recording *rec = &r->info.recording;

	if (rec->lost || rec->stalled || r->info.discarded || r->info.discarded_packets)
		return 0;
	return rec->events > r->info.events ? rec->events - r->info.events : 0;
}

/* What was packed may be batches of events. */
static void say_other_layout(struct reader *r)
{
	const struct reader_recording *rec = &r->info.recording;
	uint64_t count = missing(r);
	char what[96], version[32] = "";

	if (count)
		snprintf(what, sizeof(what), "%" PRIu64 " of the %" PRIu64 " events that were recorded", count,
			 rec->events);
	else
		snprintf(what, sizeof(what), "at least %" PRIu64 " event%s", r->other_layout,
			 r->other_layout == 1 ? "" : "s");
	if (rec->version[0])
		snprintf(version, sizeof(version), " (%.24s)", rec->version);
	source_problem(r, PROBLEM_LAYOUT, count ? count : r->other_layout, "%s cannot be read: another build of "
		       "dltrace%s has packed them in another layout; use its dltrace-report", what, version);
}

/* What never left the buffers LTTng does not count, and of what it counts a batch is one: this knows all. */
static void count_stalled(struct reader *r)
{
	struct reader_recording *rec = &r->info.recording;

	if (rec->stalled && rec->events > r->info.events && rec->events - r->info.events > rec->lost)
		rec->lost = rec->events - r->info.events;
}

void reader_end(struct reader *r)
{
	count_stalled(r);
	if (r->other_layout)
		say_other_layout(r);
	else if (missing(r))
		source_problem(r, PROBLEM_TRUNCATED, missing(r), "%" PRIu64 " of the %" PRIu64 " events that were "
			       "recorded are not in the trace: a file of it is missing or was cut", missing(r),
			       r->info.recording.events);
}

void reader_part(struct reader *r, struct reader_part *part)
{
	const struct batch *b = &r->batch;
	size_t count = 0;

	free(r->part_batches);
	r->part_batches = must(calloc(b->thread_count + 1, sizeof(*r->part_batches)));
	for (size_t i = 0; i < b->thread_places; i++)
		if (b->threads[i].thread)
			r->part_batches[count++] = (struct reader_part_batch){
				b->threads[i].thread, b->threads[i].first, b->threads[i].next,
			};
	*part = (struct reader_part){
		.events = r->info.events, .boxed = r->info.boxed, .foreign = r->info.foreign - r->opened.foreign,
		.irregular = r->irregular || r->info.problem_count != r->opened.problem_count ||
			     memcmp(r->left_out, r->opened_left_out, sizeof(r->left_out)),
		.batches = r->part_batches, .batch_count = count,
	};
}

int reader_add_part(struct reader *r, const struct reader_part *part)
{
	if (part->irregular)
		return -EINVAL;
	for (size_t i = 0; i < part->batch_count; i++)
		if (batch_join(&r->batch, part->batches[i].thread, part->batches[i].first,
			       part->batches[i].next))
			return -EINVAL;
	r->info.parts++;
	r->info.events += part->events;
	r->info.boxed += part->boxed;
	r->info.foreign += part->foreign;
	r->info.discarded = r->opened.discarded + r->whole.discarded;
	r->info.discarded_packets = r->opened.discarded_packets + r->whole.discarded_packets;
	if (r->whole.end > r->info.end)
		r->info.end = r->whole.end;
	return 0;
}

void reader_add_problem(struct reader *r, enum reader_problem_kind kind, const char *text)
{
	source_problem(r, kind, 0, "%s", text);
}

void reader_set_running(struct reader *r)
{
	r->info.recording.running = true;
}

const struct reader_info *reader_info(const struct reader *r)
{
	return &r->info;
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	if (r->ops)
		r->ops->close(r);
	forget_problems(r, 0);
	batch_release(&r->batch);
	outbox_release(&r->outbox);
	free(r->part_batches);
	free(r->problems);
	free(r->info.recording.command);
	free(r->info.recording.labels);
	free((char *)r->info.path);
	free(r);
}

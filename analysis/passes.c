/* SPDX-License-Identifier: MIT */
/* Passes over the files that a process reads. */
#include "analysis/passes.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"

#define GENERATIONS	8	/* of processes that may read for another one */
#define TOO_OFTEN	2	/* times as often as most files: it is no example */
#define NEARLY_ALL	0.8	/* of all files, in each pass but the last */
#define LEAST_FILES	2
#define FULL_FOLDER	4	/* examples: where the fullest has so many, one with less than */
#define EMPTIER		10	/* this part of them, or with a single one, has none */
#define LEAST_AGAIN	3	/* one of so many files is opened again, where passes are of a part */
#define AS_LONG		0.75	/* of the longest of these, but for the last */

bool passes_reads_for(const struct process *c, const struct process *p)
{
	for (int i = 0; i < GENERATIONS && c && c != p; i++) {
		if (c->rhythm.works)
			return false;
		c = c->parent;
	}
	return c == p;
}

/* Of it and of all that read for it; to be released. */
static struct rhythm files_of(const struct process *p)
{
	struct rhythm all;

	rhythm_init(&all);
	for (const struct process *c = p->trace->readers; c; c = c->next_reader)
		if (passes_reads_for(c, p))
			rhythm_merge(&all, &c->input.files);
	rhythm_end(&all);
	return all;
}

/* Which files are examples, by how often they are opened. */
struct often {
	uint64_t least, most;	/* most 0: none is opened again */
};

static bool is_example(const struct beat *b, const struct often *often)
{
	return !b->shift && b->count >= often->least && b->count <= often->most;
}

/* How many of the file's folder are examples, by file; the caller's. */
static size_t *alike_in_folder(const struct rhythm *files, const struct often *often)
{
	size_t *in = xcalloc(files->count + 1, sizeof(*in));
	struct idmap folders = { 0 };

	for (size_t i = 0; i < files->count; i++)
		*idmap_put(&folders, files->beats[i].b) += is_example(&files->beats[i], often);
	for (size_t i = 0; i < files->count; i++)
		in[i] = *idmap_get(&folders, files->beats[i].b);
	idmap_release(&folders);
	return in;
}

/*
 * Files that lie alone, or nearly so, are none of a data set whose folders are full: settings, programs.
 * False: others lie among the examples.
 */
static bool drop_lonely(struct rhythm *files, const struct often *often)
{
	size_t *in = alike_in_folder(files, often), fullest = 0;
	bool all = true;

	for (size_t i = 0; i < files->count; i++)
		fullest = in[i] > fullest ? in[i] : fullest;
	for (size_t i = 0; i < files->count; i++) {
		bool lonely = in[i] < 2 || EMPTIER * in[i] < fullest;

		all &= lonely || is_example(&files->beats[i], often);
		if (lonely && fullest >= FULL_FOLDER)
			files->beats[i].count = 0;
	}
	free(in);
	return all;
}

static bool has_example(const struct process *c, const struct rhythm *files, const struct often *often)
{
	for (size_t i = 0; i < c->input.files.count; i++) {
		const uint64_t *index = idmap_get(&files->by_hash, c->input.files.beats[i].hash);

		if (index && is_example(&files->beats[*index], often))
			return true;
	}
	return false;
}

/* Others may read something for it, but no examples. */
static bool reads_itself(const struct process *p, const struct rhythm *files, const struct often *often)
{
	for (const struct process *c = p->trace->readers; c; c = c->next_reader)
		if (c != p && passes_reads_for(c, p) && has_example(c, files, often))
			return false;
	return true;
}

/* Others of its folder are opened again, too. */
static bool has_company(const struct rhythm *files, const struct beat *b)
{
	size_t count = 0;

	for (size_t i = 0; i < files->count && count < FULL_FOLDER; i++)
		count += files->beats[i].b == b->b && files->beats[i].count > 1;
	return count == FULL_FOLDER;
}

/* Of those opened again, which are asked: those with company, if there are any (caches have a folder each). */
static bool *asked_of(const struct rhythm *files)
{
	bool *asked = xcalloc(files->count + 1, sizeof(*asked)), any = false;

	for (size_t i = 0; i < files->count; i++) {
		asked[i] = files->beats[i].count > 1 && has_company(files, &files->beats[i]);
		any |= asked[i];
	}
	for (size_t i = 0; i < files->count && !any; i++)
		asked[i] = files->beats[i].count > 1;
	return asked;
}

/*
 * As often as most of those that are opened again, if these are by far the most; else about so. Settings
 * and models are read again, too, but they are few.
 */
static struct often how_often(const struct rhythm *files)
{
	bool *asked = asked_of(files);
	uint64_t best = 0;
	size_t most = 0, again = 0;

	for (size_t i = 0; i < files->count; i++) {
		uint64_t count = files->beats[i].count;
		size_t alike = 0;

		again += asked[i];
		if (!asked[i] || files->beats[i].shift || count == best)
			continue;
		for (size_t k = 0; k < files->count; k++)
			alike += asked[k] && files->beats[k].count == count;
		if (alike > most || (alike == most && count > best)) {
			most = alike;
			best = count;
		}
	}
	free(asked);
	if ((double)most >= NEARLY_ALL * (double)again)
		return (struct often){ best, best };
	return (struct often){ 1, TOO_OFTEN * best };
}

static int by_time(const void *a, const void *b)
{
	const struct file_open *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->file > y->file) - (x->file < y->file);
}

/* From the first to the last opening of a file that is opened again. */
static void collect(struct passes *s, const struct rhythm *files, const struct often *often)
{
	int64_t from = INT64_MAX, to = INT64_MIN;
	size_t capacity = 0;

	for (size_t i = 0; i < files->count; i++) {
		const struct beat *b = &files->beats[i];

		if (b->count < 2 || !is_example(b, often))
			continue;
		from = b->ticks[0].at < from ? b->ticks[0].at : from;
		to = b->last > to ? b->last : to;
	}
	for (size_t i = 0; i < files->count; i++) {
		const struct beat *b = &files->beats[i];

		for (uint32_t k = 0; k < b->used && is_example(b, often); k++) {
			if (b->ticks[k].at < from || b->ticks[k].at > to)
				continue;
			s->opens = xgrow(s->opens, s->open_count, &capacity, sizeof(*s->opens));
			s->opens[s->open_count++] = (struct file_open){ b->ticks[k].at, (uint32_t)i, b->without };
		}
	}
	if (s->open_count)
		qsort(s->opens, s->open_count, sizeof(*s->opens), by_time);
}

/* An example that is looked at before it is read. */
static void join_twice(struct passes *s)
{
	size_t twice = 0, kept = 0;

	for (size_t i = 1; i < s->open_count; i++)
		twice += s->opens[i - 1].file == s->opens[i].file;
	if (3 * twice < s->open_count)
		return;
	for (size_t i = 0; i < s->open_count; i++)
		if (!kept || s->opens[kept - 1].file != s->opens[i].file)
			s->opens[kept++] = s->opens[i];
	s->open_count = kept;
}

/* Where a file is opened that was there in this pass already, the next one begins. */
static void split(struct passes *s, size_t files)
{
	size_t *in = xcalloc(files + 1, sizeof(*in)), capacity = 0;

	for (size_t i = 0; i < s->open_count; i++) {
		size_t *pass = &in[s->opens[i].file];

		s->files += !*pass;
		if (!i || *pass == s->count) {
			s->begins = xgrow(s->begins, s->count, &capacity, sizeof(*s->begins));
			s->begins[s->count++] = i;
		}
		*pass = s->count;
	}
	free(in);
}

/* The last one may have been cut short. */
static bool are_whole(const struct passes *s)
{
	for (size_t i = 0; i + 1 < s->count; i++)
		if ((double)(s->begins[i + 1] - s->begins[i]) < NEARLY_ALL * (double)s->files)
			return false;
	return s->count > 1 && s->files >= LEAST_FILES;
}

/* So that the next one is noticed soon. */
static bool are_parts(const struct passes *s, size_t again)
{
	size_t longest = 0, shortest = SIZE_MAX;

	for (size_t i = 0; i + 1 < s->count; i++) {
		size_t length = s->begins[i + 1] - s->begins[i];

		longest = length > longest ? length : longest;
		shortest = length < shortest ? length : shortest;
	}
	return s->count > 1 && s->files >= LEAST_FILES && LEAST_AGAIN * again >= s->files &&
	       (double)shortest >= AS_LONG * (double)longest &&
	       (double)(s->open_count - s->begins[s->count - 1]) >= AS_LONG * AS_LONG * (double)longest;
}

/* Of those that are data. */
static size_t opened_again(const struct rhythm *files, const struct often *often)
{
	size_t count = 0;

	for (size_t i = 0; i < files->count; i++)
		count += files->beats[i].count > 1 && is_example(&files->beats[i], often);
	return count;
}

void passes_find(struct passes *s, const struct process *p)
{
	struct rhythm files;
	struct often often;

	*s = (struct passes){ .count = 0 };
	files = files_of(p);
	often = how_often(&files);
	if (often.most) {
		s->all = drop_lonely(&files, &often) && !files.levels[BEATS_OF_FILES];
		s->own = reads_itself(p, &files, &often);
		s->all &= s->own;
		collect(s, &files, &often);
		join_twice(s);
		split(s, files.count);
		s->whole = are_whole(s);
		if (!s->whole && !are_parts(s, opened_again(&files, &often)))
			s->count = 0;
	}
	rhythm_release(&files);
}

bool data_files_find(struct data_files *d, const struct process *p)
{
	struct often often;
	size_t *in;

	*d = (struct data_files){ .all = files_of(p) };
	if (d->all.levels[BEATS_OF_FILES])
		return false;
	often = how_often(&d->all);
	if (!often.most)
		return false;
	in = alike_in_folder(&d->all, &often);
	d->is_data = xcalloc(d->all.count + 1, sizeof(*d->is_data));
	for (size_t i = 0; i < d->all.count; i++)
		d->is_data[i] = d->all.beats[i].count <= often.most && !d->all.beats[i].shift && in[i] >= FULL_FOLDER;
	free(in);
	return true;
}

void data_files_release(struct data_files *d)
{
	rhythm_release(&d->all);
	free(d->is_data);
	d->is_data = NULL;
}

size_t data_files_opens(const struct data_files *d, const struct process *reader, struct file_open **opens)
{
	const struct rhythm *own = &reader->input.files;
	struct passes s = { .opens = NULL };
	size_t capacity = 0;

	for (size_t i = 0; i < own->count; i++) {
		const struct beat *b = &own->beats[i];
		const uint64_t *index = idmap_get(&d->all.by_hash, b->hash);

		if (!index || !d->is_data[*index])
			continue;
		for (uint32_t k = 0; k < b->used; k++) {
			s.opens = xgrow(s.opens, s.open_count, &capacity, sizeof(*s.opens));
			s.opens[s.open_count++] = (struct file_open){ b->ticks[k].at, (uint32_t)*index, b->without };
		}
	}
	if (s.open_count)
		qsort(s.opens, s.open_count, sizeof(*s.opens), by_time);
	join_twice(&s);
	*opens = s.opens;
	return s.open_count;
}

void passes_release(struct passes *s)
{
	free(s->opens);
	free(s->begins);
	*s = (struct passes){ .count = 0 };
}

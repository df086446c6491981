/* SPDX-License-Identifier: MIT */
/* Rules: threads and processes that are made again and again, one for each image or step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/iterations.h"
#include "analysis/model/memory.h"
#include "analysis/rules/work.h"

#define STEPS_LEAST  20		/* threads, where iterations are known */
#define AGAIN_LEAST  50		/* ... where they are not */
#define STEPS_SHARE  0.8	/* of the iterations have one */
#define ALIVE_SHARE  4		/* no more than one in so many live at once: else it is a pool */
#define SHORT_LEAST  10		/* processes: CNTK's import starts 13, PyTorch's none to 5 */
#define SHORT_LIFE   5000000000	/* ns; */
#define SHORT_SHARE  6		/* and no more than that part of the run: else it is one that works in it */
#define SHORT_COST   0.01	/* of the run have they lived in all, at least */
#define WAIT_SHARE   0.05	/* of the time from the first iteration's begin to the last one's */
#define ITERATIONS_LEAST 3	/* an epoch */

/* ---- how many fall into iterations ---- */

struct per_step {
	uint64_t inside;	/* made between the first iteration's begin and the last one's end */
	double each;		/* of these, by iteration */
	double share;		/* of the iterations that have at least one */
};

/* The iteration that `at` lies in; count: none. Continues from `from`. */
static size_t iteration_at(const struct iterations *it, size_t from, int64_t at)
{
	while (from < it->listed && it->list[from].end <= at)
		from++;
	return from;
}

/* `made` is in order. */
static struct per_step per_step(const struct iterations *it, const int64_t *made, size_t count)
{
	struct per_step s = { 0 };
	size_t which = 0, hit = 0, last = SIZE_MAX;

	if (!it->how || !it->count || it->begin == UNKNOWN)
		return s;
	for (size_t i = 0; i < count; i++) {
		if (made[i] < it->begin || made[i] >= it->end)
			continue;
		s.inside++;
		which = iteration_at(it, which, made[i]);
		hit += which < it->listed && which != last;
		last = which;
	}
	s.each = (double)s.inside / (double)it->count;
	s.share = it->listed ? (double)hit / (double)it->listed : s.each;
	return s;
}

static bool is_one_a_step(const struct per_step *s)
{
	return s->inside >= STEPS_LEAST && s->share >= STEPS_SHARE && s->each >= STEPS_SHARE;
}

/* "a", "2" or "2.5" */
static const char *each_text(char *text, size_t size, double each)
{
	if (each < 1.5)
		return "a";
	snprintf(text, size, each < 10 && fabs(each - round(each)) >= 0.05 ? "%.1f" : "%.0f", each);
	return text;
}

/* ---- threads that run the same routine ---- */

struct routine {
	const struct thread **threads;	/* borrowed; by begin */
	size_t count;
	int64_t *begins;		/* owned */
	size_t alive;			/* most at once */
	int64_t life;			/* ns, median */
};

static int by_routine(const void *a, const void *b)
{
	const struct thread *x = *(const struct thread *const *)a;
	const struct thread *y = *(const struct thread *const *)b;

	if (x->start_library != y->start_library)
		return x->start_library < y->start_library ? -1 : 1;
	if (x->start_offset != y->start_offset)
		return x->start_offset < y->start_offset ? -1 : 1;
	if (x->creator_library != y->creator_library)
		return x->creator_library < y->creator_library ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static bool same_routine(const struct thread *x, const struct thread *y)
{
	return x->start_library == y->start_library && x->start_offset == y->start_offset &&
	       x->creator_library == y->creator_library;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t end_of(const struct thread *t)
{
	return t->end != UNKNOWN ? t->end : t->process->end != UNKNOWN ? t->process->end :
	       t->process->last;
}

static void measure(struct routine *r)
{
	int64_t *ends = xcalloc(2 * r->count, sizeof(*ends)), *lives = ends + r->count;
	size_t ended = 0;

	r->begins = xcalloc(r->count, sizeof(*r->begins));
	for (size_t i = 0; i < r->count; i++) {
		r->begins[i] = r->threads[i]->begin;
		ends[i] = end_of(r->threads[i]);
		lives[i] = ends[i] - r->begins[i];
	}
	qsort(ends, r->count, sizeof(*ends), by_size);
	qsort(lives, r->count, sizeof(*lives), by_size);
	r->life = lives[r->count / 2];
	for (size_t i = 0; i < r->count; i++) {
		while (ended < r->count && ends[ended] <= r->begins[i])
			ended++;
		if (i + 1 - ended > r->alive && i + 1 > ended)
			r->alive = i + 1 - ended;
	}
	free(ends);
}

/* The library that tells most: whose routine it is, else who made the thread. */
static const char *whose(const struct process *p, const struct thread *t)
{
	const struct library *creator = process_library(p, t->creator_library);
	const struct library *start = process_library(p, t->start_library);

	return creator ? base_name(creator->path) : start ? base_name(start->path) : "an unknown library";
}

static void tell_routine(struct findings *f, const struct process *p, const struct routine *r,
			 struct per_step s)
{
	const struct iterations *it = process_iterations(p);
	const struct thread *first = r->threads[0], *last = r->threads[r->count - 1];
	double span = (double)(last->begin - first->begin) + 1, rate = (double)r->count * 1e9 / span;
	char each[32], life[32], text[160];

	if (is_one_a_step(&s))
		snprintf(text, sizeof(text), "makes %s thread%s for each iteration: %s in %s"
			 " iterations", each_text(each, sizeof(each), s.each), s.each < 1.5 ? "" : "s",
			 COUNT_TEXT(s.inside), COUNT_TEXT(it->count));
	else
		snprintf(text, sizeof(text), "makes the same thread again and again: %s times, %s a second",
			 COUNT_TEXT(r->count), REAL_TEXT(rate, 3));
	found(f, p, (struct stake){ .since = first->begin },
	      json_pack("{s:I, s:I, s:f, s:f, s:I, s:I, s:o}", "threads", (json_int_t)r->count, "iterations",
			(json_int_t)(it->how ? it->count : 0), "each", s.each, "per_second", rate, "alive",
			(json_int_t)r->alive, "life_ns", (json_int_t)r->life, "library",
			json_name(whose(p, first))),
	      "%s %s; made by %s, each lives %s (median), no more than %s at once", process_who(p), text,
	      whose(p, first), time_text(life, sizeof(life), (double)r->life), COUNT_TEXT(r->alive));
}

/* Those of one process, by routine and begin; the caller's. */
static const struct thread **threads_of(const struct process *p, size_t *count)
{
	const struct thread **list = xcalloc(p->thread_count + 1, sizeof(*list));

	*count = 0;
	for (const struct thread *t = p->threads; t; t = t->sibling)
		if (!t->first_thread && t->begin != UNKNOWN)
			list[(*count)++] = t;
	qsort(list, *count, sizeof(*list), by_routine);
	return list;
}

/* Threads that are made again and again; tells of them where there are findings. */
static uint64_t threads_again(struct findings *f, const struct process *p)
{
	const struct thread **list;
	uint64_t again = 0;
	size_t count;

	if (p->orphan)	/* of one thread; a damaged trace has thousands of these */
		return 0;
	list = threads_of(p, &count);
	for (size_t i = 0, n; i < count; i += n) {
		struct routine r = { .threads = list + i };
		struct per_step s;

		for (n = 1; i + n < count && same_routine(list[i], list[i + n]);)
			n++;
		if (n < STEPS_LEAST || !(list[i]->start_library | list[i]->creator_library))
			continue;
		r.count = n;
		measure(&r);
		s = per_step(process_iterations(p), r.begins, n);
		if (r.alive * ALIVE_SHARE <= n && (is_one_a_step(&s) || n >= AGAIN_LEAST)) {
			again += n;
			if (f)
				tell_routine(f, p, &r, s);
		}
		free(r.begins);
	}
	free(list);
	return again;
}

void rule_thread_again(struct findings *f, const struct process *p)
{
	if (process_shown(p) && p->thread_count >= STEPS_LEAST)
		threads_again(f, p);
}

uint64_t threads_made_again(const struct process *p)
{
	return threads_again(NULL, p);
}

/* ---- processes ---- */

void rule_process_each_step(struct findings *f, const struct process *p)
{
	const struct children *c = &p->offspring;
	const struct iterations *it = process_iterations(p);
	int64_t *made = xcalloc(c->kept + 1, sizeof(*made));
	struct per_step s;
	char each[32];

	for (size_t i = 0; i < c->kept; i++)
		made[i] = c->list[i].begin;
	s = per_step(it, made, c->kept);
	free(made);

	if (!process_shown(p) || !is_one_a_step(&s))
		return;
	found(f, p, (struct stake){ .since = c->list[0].begin },
	      json_pack("{s:I, s:I, s:f}", "processes", (json_int_t)c->count, "iterations",
			(json_int_t)it->count, "each", s.each),
	      "%s makes %s process%s for each iteration: %s in %s iterations", process_who(p),
	      each_text(each, sizeof(each), s.each), s.each < 1.5 ? "" : "es", COUNT_TEXT(s.inside),
	      COUNT_TEXT(it->count));
}

/* ---- workers that are made anew for each epoch ---- */

struct worker {
	uint32_t pid;
	int64_t begin, end;	/* INT64_MAX: not seen */
};

struct workers {
	struct worker *list;	/* owned; by begin */
	size_t count;
};

static bool is_worker_of(const struct process *p, const struct process *parent)
{
	if (p->parent != parent || p->begin == UNKNOWN || p->became || p->ending == END_EXEC)
		return false;
	return p->reason == 1 || (p->command && strstr(p->command, "multiprocessing"));
}

static int by_begin(const void *a, const void *b)
{
	const struct worker *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The caller's. */
static struct workers workers_of(const struct process *p)
{
	const struct trace *t = p->trace;
	struct workers w = { .list = xcalloc(t->process_count + 1, sizeof(*w.list)) };

	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *one = t->processes[i];

		if (is_worker_of(one, p))
			w.list[w.count++] = (struct worker){ one->pid, one->begin,
							   one->end != UNKNOWN ? one->end : INT64_MAX };
	}
	qsort(w.list, w.count, sizeof(*w.list), by_begin);
	return w;
}

static bool are_one_a_step(const struct iterations *it, const struct workers *w)
{
	int64_t *made = xcalloc(w->count + 1, sizeof(*made));
	struct per_step s;

	for (size_t i = 0; i < w->count; i++)
		made[i] = w->list[i].begin;
	s = per_step(it, made, w->count);
	free(made);
	return is_one_a_step(&s);
}

/* Those that are made before an epoch, after what the one before calls last. */
struct border {
	const struct iteration *first;	/* of the epoch */
	int64_t half;			/* of it: then that iteration begins */
	size_t from, to;		/* of the workers */
};

/* When the middle one of an epoch's iterations begins, of which this is the first. */
static int64_t half_of(const struct iterations *it, size_t first)
{
	size_t end = first;

	while (end < it->listed && it->list[end].epoch == it->list[first].epoch)
		end++;
	return it->list[first + (end - first) / 2].begin;
}

/* The caller's; none where an epoch has so few iterations that what is made in these may be made for each. */
static struct border *borders_of(const struct iterations *it, const struct workers *w, size_t *count)
{
	struct border *borders = xcalloc(it->epoch_count + 2, sizeof(*borders));
	size_t at = 0;

	*count = 0;
	if (it->listed < ITERATIONS_LEAST * it->epoch_count)
		return borders;
	for (size_t i = 0; i < it->listed && *count <= it->epoch_count; i++) {
		const struct iteration *one = &it->list[i], *before = i ? one - 1 : NULL;
		int64_t from = !before ? INT64_MIN : before->last != UNKNOWN ? before->last : before->begin;
		struct border b = { .first = one };

		if (before && one->epoch == before->epoch)
			continue;
		while (at < w->count && w->list[at].begin < from)
			at++;
		for (b.from = at; at < w->count && w->list[at].begin < one->begin;)
			at++;
		b.to = at;
		b.half = half_of(it, i);
		borders[(*count)++] = b;
	}
	return borders;
}

/*
 * What loads data for an epoch is there for most of it: what prepares one, or writes a checkpoint of the one before,
 * has ended soon, and keeping it would not help.
 */
static bool work_for_it(const struct workers *w, const struct border *b)
{
	for (size_t i = b->from; i < b->to; i++)
		if (w->list[i].end > b->half)
			return true;
	return false;
}

/* Each epoch has some, and those of the one before have ended until then. */
static bool are_anew(const struct workers *w, const struct border *borders, size_t count)
{
	for (size_t k = count == 2 ? 0 : 1; k < count; k++) {
		if (!work_for_it(w, &borders[k]))
			return false;
		for (size_t i = borders[k].from; k + 1 < count && i < borders[k].to; i++)
			if (w->list[i].end > borders[k + 1].first->end)
				return false;
	}
	return count > 1;
}

/* ns from the last one's start, of those that work for the epoch itself, to its first iteration; 0: none does. */
static int64_t border_wait(const struct workers *w, const struct border *b)
{
	for (size_t i = b->to; i > b->from; i--)
		if (w->list[i - 1].end > b->first->begin)
			return b->first->begin - w->list[i - 1].begin;
	return 0;
}

/* Those that are made anew for each epoch; the caller's; 0 borders: there are none such. */
static struct border *workers_anew(const struct process *p, struct workers *w, size_t *count)
{
	const struct iterations *it = process_iterations(p);
	struct border *borders;

	*w = (struct workers){ 0 };
	*count = 0;
	if (it->epoch_count < 2 || !it->listed)
		return NULL;
	*w = workers_of(p);
	borders = borders_of(it, w, count);
	if (!are_anew(w, borders, *count) || are_one_a_step(it, w))
		*count = 0;
	return borders;
}

static void tell_anew(struct findings *f, const struct process *p, const struct workers *w,
		      const struct border *borders, size_t count)
{
	const struct iterations *it = process_iterations(p);
	int64_t *waits = xcalloc(count, sizeof(*waits)), waited = 0;
	double each = (double)(borders[count - 1].to - borders[1].from) / (double)(count - 1);
	char number[32], wait[32], text[120] = "";

	for (size_t k = 1; k < count; k++)
		waited += waits[k - 1] = border_wait(w, &borders[k]);
	qsort(waits, count - 1, sizeof(*waits), by_size);
	if (waited)
		snprintf(text, sizeof(text), "; %s later its first iteration begins (median)",
			 time_text(wait, sizeof(wait), (double)waits[(count - 1) / 2]));
	if ((double)waited < WAIT_SHARE * (double)(it->list[it->listed - 1].begin - it->begin))
		found_as(f, DLT_INFO);
	found(f, p, (struct stake){ .since = w->list[borders[1].from].begin, .ns = (double)waited },
	      json_pack("{s:I, s:f, s:I}", "epochs", (json_int_t)it->epoch_count, "each", each, "waited_ns",
			(json_int_t)waited),
	      "%s makes %s process%s anew for each epoch%s", process_who(p),
	      each_text(number, sizeof(number), each), each < 1.5 ? "" : "es", text);
	free(waits);
}

void rule_process_each_epoch(struct findings *f, const struct process *p)
{
	struct workers w;
	struct border *borders;
	size_t count;

	if (!process_shown(p))
		return;
	borders = workers_anew(p, &w, &count);
	if (count)
		tell_anew(f, p, &w, borders, count);
	free(borders);
	free(w.list);
}

/* ---- short processes ---- */

struct program {
	const char *name;
	uint64_t count;
};

struct programs {
	struct program *list;
	size_t count, capacity;
};

static void add_program(struct programs *all, const char *name, uint64_t count)
{
	size_t i = 0;

	while (i < all->count && strcmp(all->list[i].name, name))
		i++;
	if (i == all->count) {
		all->list = xgrow(all->list, i, &all->capacity, sizeof(*all->list));
		all->list[all->count++] = (struct program){ .name = name };
	}
	all->list[i].count += count;
}

static int by_count(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->name, y->name);
}

/* "g++ 40, ld 20, uname 1"; the rarest are left out. */
static const char *programs_text(struct programs *all, json_t *evidence, char *text, size_t size)
{
	size_t used = 0;

	if (all->count)
		qsort(all->list, all->count, sizeof(*all->list), by_count);
	*text = '\0';
	for (size_t i = 0; i < all->count; i++) {
		json_object_set_new(evidence, all->list[i].name, json_integer((json_int_t)all->list[i].count));
		if (i < 5 && used < size - 64)
			used += (size_t)snprintf(text + used, size - used, "%s%.40s %s", i ? ", " : "",
						 all->list[i].name, COUNT_TEXT(all->list[i].count));
	}
	if (all->count > 5 && used < size - 16)
		snprintf(text + used, size - used, ", ...");
	return text;
}

struct short_ones {
	struct programs programs;
	uint64_t count;
	int64_t lived;		/* ns, in all */
	bool more;		/* than are kept */
};

/* Workers that are told of elsewhere (process_each_epoch), by pid. */
static struct idmap told_workers(const struct process *p)
{
	struct idmap told = { 0 };
	struct workers w;
	size_t borders;

	free(workers_anew(p, &w, &borders));
	for (size_t i = 0; borders && i < w.count; i++)
		*idmap_put(&told, w.list[i].pid) = 1;
	free(w.list);
	return told;
}

/* Of those whose end is known: each is short itself. A worker of a run that is short as well is none. */
static void add_short(struct short_ones *s, const struct process *p)
{
	const struct children *c = &p->offspring;
	int64_t most = p->trace->end / SHORT_SHARE < SHORT_LIFE ? p->trace->end / SHORT_SHARE : SHORT_LIFE;
	struct idmap told = told_workers(p);

	for (size_t i = 0; i < c->kept; i++) {
		const struct child *one = &c->list[i];

		if (one->end == INT64_MAX || one->end - one->begin > most || idmap_get(&told, one->pid))
			continue;
		s->count++;
		s->lived += one->end - one->begin;
		add_program(&s->programs, one->path ? base_name(one->path) : one->unseen ? "others, not traced" :
			    "copies of itself", 1);
	}
	s->more |= c->count > c->kept;
	idmap_release(&told);
}

/* Compilers, shells: what they make in turn is not counted. */
void rule_short_processes(struct findings *f, const struct trace *t)
{
	struct short_ones s = { .count = 0 };
	json_t *programs = json_object();
	char text[400], mean[32], sum[32];

	for (size_t i = 0; i < t->process_count; i++)
		if (process_shown(t->processes[i]))
			add_short(&s, t->processes[i]);
	programs_text(&s.programs, programs, text, sizeof(text));
	if (s.count >= SHORT_LEAST && (double)s.lived >= SHORT_COST * (double)t->end)
		found(f, NULL, (struct stake){ .since = UNKNOWN, .ns = (double)s.lived },
		      json_pack("{s:I, s:I, s:O}", "processes", (json_int_t)s.count, "lived_ns", (json_int_t)s.lived,
				"programs", programs),
		      "%s%s short processes were started, which lived %s each on average, %s in all: %s",
		      s.more ? "at least " : "", COUNT_TEXT(s.count),
		      time_text(mean, sizeof(mean), (double)s.lived / (double)s.count),
		      time_text(sum, sizeof(sum), (double)s.lived), text);
	json_decref(programs);
	free(s.programs.list);
}

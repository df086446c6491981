/* SPDX-License-Identifier: MIT */
/*
 * Epochs as the process counts them itself: "Epoch 3/10" on its standard output or error, once in each, at
 * its begin or its end, or with every so many steps (dltrace_mark:range, kind 6).
 *
 * Words are easily wrong: a number may be of the best epoch, of the one that is taken up again, of those that
 * were better than all before, or two lines count from 0 and from 1. So they are believed only where the numbers
 * go up by one, always after as many rounds, and leave no round over.
 */
#include <stdlib.h>

#include "analysis/iterations.h"
#include "analysis/iterations_calls.h"
#include "analysis/model/memory.h"
#include "analysis/model/model.h"
#include "analysis/model/times.h"

#define LONG		4	/* rounds: one of so many may be begun ahead by another thread */
#define LEAST_CUT	3	/* epochs, where the last one may have been cut short */
#define LEAST_TIMED	2	/* epochs, where only times tell; one more where their begins are said */
#define AT_ONCE		1000000	/* ns: lines that come out of a buffer */
#define SPREAD		0.25	/* by so much of an epoch may times differ, and what comes before and after */

/* When a number was said for the first time. */
struct turn {
	int64_t at;
	uint64_t number;
	size_t before;		/* rounds */
};

static size_t rounds_until(const struct rounds *r, int64_t at)
{
	return r ? series_before(&r->begin, at) : 0;
}

/*
 * What one of the streams says, into `list`: as far as it goes up by one. Before the first round only the last
 * number counts, and only if it goes on. 0: something else is said among rounds.
 */
static size_t turns_of(const struct rounds *r, const struct marks *m, bool error, struct turn *list)
{
	size_t count = 0;

	for (size_t i = 0; i < m->said_count; i++) {
		const struct said *s = &m->said[i];
		struct turn one = { s->at, s->number, rounds_until(r, s->at) };

		if (s->error != error || (count && s->number == list[count - 1].number))
			continue;
		if (r && count && (!one.before || (!list[0].before && count == 1 && s->number != list[0].number + 1)))
			count = 0;
		if (count && s->number != list[count - 1].number + 1) {
			if (r && one.before == r->count)
				break;
			return 0;
		}
		list[count++] = one;
	}
	return count;
}

static size_t apart(size_t a, size_t b)
{
	return a < b ? b - a : a - b;
}

/* Do they come every `length` rounds? */
static bool are_even(const struct turn *list, size_t count, size_t length, size_t off)
{
	for (size_t i = 1; i < count; i++)
		if (apart(list[i].before, list[0].before + i * length) > off)
			return false;
	return true;
}

/* Rounds of an epoch; 0: it does not know. */
static size_t length_of(const struct rounds *r, const struct turn *list, size_t count)
{
	size_t length = count > 1 ? r->count / count : 0, off = length >= LONG;

	if (length && r->count % count == 0 && list[0].before <= length && are_even(list, count, length, off))
		return length;
	/* Said at the begin of each, the last one cut short. */
	if (count < LEAST_CUT || list[0].before)
		return 0;
	length = list[1].before;
	if (are_even(list, count, length, 0) && list[count - 1].before < r->count &&
	    r->count < list[count - 1].before + length)
		return length;
	return 0;
}

/* A number that the turns of a stream tell; 0: none. */
typedef size_t (*tell_fn)(const struct turn *list, size_t count, const void *about);

/*
 * What one of the streams tells, or both alike, and its turns (the caller's). 0 and NULL: neither does, or each
 * tells something else.
 */
static size_t agreed(const struct rounds *r, const struct process *p, tell_fn tell, const void *about,
		     struct turn **turns)
{
	const struct marks *m = p->marks;
	size_t found = 0;

	*turns = NULL;
	for (int error = 0; m && m->said_count && !m->said_more && error < 2; error++) {
		struct turn *list = xcalloc(m->said_count, sizeof(*list));
		size_t told = tell(list, turns_of(r, m, error, list), about);

		if (told && !found) {
			found = told;
			*turns = list;
			continue;
		}
		free(list);
		if (told && told != found) {
			free(*turns);
			*turns = NULL;
			return 0;
		}
	}
	return found;
}

static size_t rounds_told(const struct turn *list, size_t count, const void *rounds)
{
	return length_of(rounds, list, count);
}

size_t said_rounds(const struct rounds *r, const struct process *p)
{
	struct turn *list;
	size_t length = agreed(r, p, rounds_told, r, &list);

	free(list);
	return length;
}

/* ---- by times alone ---- */

static size_t moments_told(const struct turn *list, size_t count, const void *nothing)
{
	(void)nothing;
	for (size_t i = 1; i < count; i++)
		if (list[i].at - list[i - 1].at < AT_ONCE)
			return 0;
	return count > 1 && list[0].number <= 1 ? count : 0;
}

/* The moments at which one of the streams, or both alike, went on to the next epoch; the caller's. */
int64_t *said_moments(const struct process *p, size_t *count)
{
	int64_t *moments = NULL;
	struct turn *list;

	*count = agreed(NULL, p, moments_told, NULL, &list);
	if (*count)
		moments = xcalloc(*count, sizeof(*moments));
	for (size_t i = 0; i < *count; i++)
		moments[i] = list[i].at;
	free(list);
	return moments;
}

bool said_too_few(const struct rounds *r, const struct process *p)
{
	size_t count;
	int64_t *at = said_moments(p, &count);
	bool few = false;

	for (size_t i = 1; i < count; i++)
		few |= series_before(&r->begin, at[i]) < series_before(&r->begin, at[i - 1]) + 2;
	free(at);
	return few;
}

/* The median time from one to the next. */
static int64_t usual_time(const struct turn *list, size_t count)
{
	int64_t *apart_ns = xcalloc(count, sizeof(*apart_ns)), usual;

	for (size_t i = 1; i < count; i++)
		apart_ns[i - 1] = list[i].at - list[i - 1].at;
	times_sort(apart_ns, count - 1);
	usual = apart_ns[(count - 1) / 2];
	free(apart_ns);
	return usual;
}

static bool is_near(int64_t a, int64_t b, int64_t usual)
{
	return (double)llabs(a - b) <= SPREAD * (double)usual;
}

/* At all ends, at all begins, or neither; the first epoch may take longer (it compiles). */
enum said_when { SAID_NEVER, SAID_AT_BEGIN, SAID_AT_END };

static enum said_when when_said(const struct turn *list, size_t count, int64_t from, int64_t to)
{
	int64_t usual;

	if (count < LEAST_TIMED || list[0].number > 1)
		return SAID_NEVER;
	usual = usual_time(list, count);
	for (size_t i = 2; i < count; i++)
		if (!is_near(list[i].at - list[i - 1].at, usual, usual))
			return SAID_NEVER;
	if (is_near(list[count - 1].at, to, usual) && is_near(list[1].at - list[0].at, usual, usual) &&
	    list[0].at - from > usual - (int64_t)(SPREAD * (double)usual))
		return SAID_AT_END;
	if (count > LEAST_TIMED && is_near(to - list[count - 1].at, usual, usual) &&
	    list[1].at - list[0].at > usual - (int64_t)(SPREAD * (double)usual))
		return SAID_AT_BEGIN;
	return SAID_NEVER;
}

static size_t epochs_told(const struct turn *list, size_t count, const void *range)
{
	const int64_t *from_to = range;

	return when_said(list, count, from_to[0], from_to[1]) == SAID_NEVER ? 0 : count;
}

size_t said_epochs(const struct process *p, int64_t from, int64_t to, struct epoch **epochs)
{
	const int64_t range[] = { from, to };
	struct turn *list;
	size_t count = agreed(NULL, p, epochs_told, range, &list);
	bool ends = count && when_said(list, count, from, to) == SAID_AT_END;

	if (count)
		*epochs = xcalloc(count, sizeof(**epochs));
	for (size_t i = 0; i < count; i++)
		(*epochs)[i] = (struct epoch){
			.number = (int64_t)i + 1,
			.begin = !ends ? list[i].at : i ? list[i - 1].at : from,
			.end = ends ? list[i].at : i + 1 < count ? list[i + 1].at : to,
		};
	free(list);
	return count;
}

/* SPDX-License-Identifier: MIT */
/*
 * The words of a text. It is one word, again and again; between two of them there may be evaluations, which go forward
 * only: the word's first part, any number of times; at the begin something that is shorter than a word, at the end a
 * part of one.
 *
 * Where in the word its begin is the letters do not tell: the text's own begin does, if that can be, else the longest
 * pause.
 */
#include "analysis/iterations_words.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/model/times.h"

#define LEAST_WORDS	3
#define LEAST_LETTERS	2	/* in a word */
#define LEAST_OTHER	10	/* one of so many letters at least is of either way, */
#define LEAST_LAYERS	0.7	/* of them of both */
#define LONGEST		4096	/* word */
#define MOST_COMPARED	(1 << 27)
#define AT_PAUSES	8	/* places in a word tried as its begin, the longest pauses first */
#define STANDS_OUT	1.5	/* times the usual pause */
#define LEAST_BEFORE	4	/* words before a smaller one */
#define WITHIN		0.3	/* of the pause before a word: as long it is before its parts */
#define LEAST_FORWARD	5	/* a part of so many of the word is an evaluation, */
#define MOST_FORWARD	1.5	/* and of so many at most */

void parse_release(struct parse *p)
{
	free(p->begins);
	free(p->forward);
	*p = (struct parse){ .count = 0 };
}

static size_t common(const struct letter *a, const struct letter *b, size_t most)
{
	size_t i = 0;

	while (i < most && a[i].what == b[i].what)
		i++;
	return i;
}

/* Is it so many times the same? */
static bool is_power(const struct word *w)
{
	for (size_t part = 1; 2 * part <= w->length; part++)
		if (w->length % part == 0 && common(w->list, w->list + part, w->length - part) == w->length - part)
			return true;
	return false;
}

/* The part of these letters that is the same again and again, the longest such. */
struct power {
	size_t start, length;
	size_t times;		/* 0: none */
};

static struct power longest_power(const struct letter *list, size_t count)
{
	struct power best = { 0 };

	for (size_t part = 1; 2 * part <= count; part++) {
		size_t run = 0;

		for (size_t i = 0; i + part < count; i++) {
			run = list[i].what == list[i + part].what ? run + 1 : 0;
			if (run >= part && run + part > best.length)
				best = (struct power){ i + 1 - run, run + part, (run + part) / part };
		}
	}
	return best;
}

/* About so many times, each perhaps several of it: the first layer has less of a way back. */
static bool are_as_many_times(size_t a, size_t b)
{
	size_t fewer = a < b ? a : b, more = a < b ? b : a;

	for (size_t layers = fewer > 2 ? fewer - 1 : 2; layers <= fewer + 1; layers++)
		if (more % layers == 0)
			return true;
	return false;
}

bool word_has_layers(const struct word *w)
{
	struct letter *rest = xcalloc(2 * w->length, sizeof(*rest));
	struct power one, other;

	/* From the end of the longest part on, wherever the word begins. */
	for (size_t i = 0; i < 2 * w->length; i++)
		rest[i] = w->list[i % w->length];
	one = longest_power(rest, w->length);
	memmove(rest, rest + one.start + one.length, (w->length - one.length) * sizeof(*rest));
	other = longest_power(rest, w->length - one.length);
	free(rest);
	return one.times > 1 && other.times > 1 && are_as_many_times(one.times, other.times) &&
	       other.length * LEAST_OTHER >= w->length &&
	       (double)(one.length + other.length) >= LEAST_LAYERS * (double)w->length;
}

/* Are they the word's first part, `each` letters, so many times? */
static bool is_forward(const struct text *t, const struct word *w, size_t each, size_t from, size_t to)
{
	if ((to - from) % each)
		return false;
	for (size_t i = from; i < to; i += each)
		if (common(w->list, t->list + i, each) < each)
			return false;
	return true;
}

/* How much longer the process pauses before each `each` letters of these than before the others. */
static double pauses_apart(const struct text *t, size_t each, size_t from, size_t to)
{
	int64_t *border = xcalloc(to - from + 1, sizeof(*border)), *inner = xcalloc(to - from + 1, sizeof(*inner));
	size_t borders = 0, inners = 0;
	double apart = 0;

	for (size_t i = from + 1; i < to; i++) {
		int64_t pause = t->list[i].at - t->list[i - 1].at;

		if ((i - from) % each)
			inner[inners++] = pause;
		else
			border[borders++] = pause;
	}
	times_sort(border, borders);
	times_sort(inner, inners);
	if (borders && inners)
		apart = (double)border[borders / 2] / (double)(inner[inners / 2] + 1);
	free(border);
	free(inner);
	return apart;
}

/* Letters of an evaluation; 0: there is none, or it is not sure. Of layers that are alike, any number may be one. */
static size_t forward_of(const struct text *t, const struct word *w, size_t from, size_t to)
{
	size_t left = t->count - from, best = 0, found = 0;
	size_t most = common(w->list, t->list + from, left < w->length ? left : w->length);
	double best_apart = 0;

	for (size_t each = (w->length + LEAST_FORWARD - 1) / LEAST_FORWARD;
	     each <= most && MOST_FORWARD * (double)each <= (double)w->length; each++) {
		double apart = is_forward(t, w, each, from, to) ? pauses_apart(t, each, from, to) : -1;

		found += apart >= 0;
		if (apart > best_apart || (!best && apart >= 0)) {
			best_apart = apart;
			best = each;
		}
	}
	return found == 1 || best_apart >= STANDS_OUT ? best : 0;
}

/* Evaluations in the letters from `from` until `to`; SIZE_MAX: it is something else. */
static size_t evaluations_in(const struct text *t, struct word *w, size_t from, size_t to)
{
	if (from == to)
		return 0;
	if (!w->forward)
		w->forward = forward_of(t, w, from, to);
	return w->forward && is_forward(t, w, w->forward, from, to) ? (to - from) / w->forward : SIZE_MAX;
}

static size_t next_word(const struct text *t, const struct word *w, size_t from)
{
	while (from + w->length <= t->count && common(w->list, t->list + from, w->length) < w->length)
		from++;
	return from + w->length <= t->count ? from : t->count;
}

/* The run may have been cut within a word. */
static bool is_cut(const struct parse *p, const struct text *t, size_t from)
{
	return t->count - from < p->word.length &&
	       common(p->word.list, t->list + from, t->count - from) == t->count - from;
}

/* False: it is not all such words. To be released in any case. */
static bool parse(struct parse *p, const struct text *t, const struct word *w)
{
	size_t at = 0, next, most = t->count / w->length + 1;

	*p = (struct parse){ .word = *w };
	p->begins = xcalloc(most + 1, sizeof(*p->begins));
	p->forward = xcalloc(most + 1, sizeof(*p->forward));
	for (; at < t->count; at = next + w->length) {
		size_t evaluations;

		next = next_word(t, w, at);
		evaluations = p->count && next == t->count && !p->word.forward && is_cut(p, t, at) ?
			0 : evaluations_in(t, &p->word, at, next);
		if (!p->count && evaluations == SIZE_MAX && next < w->length) {
			p->start = next;
			evaluations = 0;
		} else if (p->count && evaluations == SIZE_MAX && next == t->count && is_cut(p, t, at)) {
			evaluations = 0;
		}
		if (evaluations == SIZE_MAX)
			return false;
		if (p->count)
			p->forward[p->count - 1] += (uint32_t)evaluations;
		if (next == t->count)
			break;
		p->begins[p->count++] = next;
	}
	return p->count >= LEAST_WORDS;
}

/* ---- where a word begins ---- */

struct pause {
	size_t place;		/* in the word: before that */
	int64_t usual;
};

static int by_pause(const void *a, const void *b)
{
	const struct pause *x = a, *y = b;

	if (x->usual != y->usual)
		return x->usual > y->usual ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Of the repetitions of `w`, which goes on for `run` letters; the longest first; the caller's. */
static struct pause *pauses_of(const struct word *w, size_t run)
{
	struct pause *pauses = xcalloc(w->length, sizeof(*pauses));
	int64_t *each = xcalloc(run / w->length + 2, sizeof(*each));

	for (size_t place = 0; place < w->length; place++) {
		size_t count = 0;

		for (size_t i = place ? place : w->length; i < run; i += w->length)
			each[count++] = w->list[i].at - w->list[i - 1].at;
		times_sort(each, count);
		pauses[place] = (struct pause){ place, count ? each[count / 2] : 0 };
	}
	free(each);
	qsort(pauses, w->length, sizeof(*pauses), by_pause);
	return pauses;
}

/* Takes those words if there are more of them. */
static bool try_from(struct parse *best, const struct text *t, const struct word *w, size_t place)
{
	struct word turned = { w->list + place, w->length, 0 };
	struct parse p;
	bool better = parse(&p, t, &turned) && p.count > best->count;

	if (better) {
		parse_release(best);
		*best = p;
	} else {
		parse_release(&p);
	}
	return better;
}

/* Which of its letters the text begins with, if with a whole word; its length: with something else. */
static size_t begin_of_text(const struct text *t, const struct word *w)
{
	size_t place = 0;

	while (place < w->length && common(w->list + place, t->list, w->length) < w->length)
		place++;
	return place;
}

/* Is it nothing but that word, from its begin to its end, and not of layers? Then there is no other way to read it. */
static bool is_all(const struct text *t, const struct word *w)
{
	return t->count % w->length == 0 && common(t->list, t->list + w->length, t->count - w->length) ==
						    t->count - w->length && !word_has_layers(w);
}

/*
 * The most words, which begin where the text does if it can be, else after the longest pause. False: it is not all
 * such words; *sure is false where it is, but not where they begin.
 */
static bool parse_from_pauses(struct parse *best, const struct text *t, const struct word *w, size_t run, bool *sure)
{
	struct pause *pauses = pauses_of(w, run);
	double least = STANDS_OUT * (double)pauses[w->length / 2].usual;
	size_t first = begin_of_text(t, w);
	struct parse other = { .count = 0 };
	bool anywhere = is_all(t, w);

	for (size_t i = 0; i < w->length && ((double)pauses[i].usual >= least || anywhere); i++)
		if (pauses[i].place == first)
			try_from(best, t, w, first);
	for (size_t i = 0; i < AT_PAUSES && i < w->length && (double)pauses[i].usual >= least; i++)
		try_from(best, t, w, pauses[i].place);
	free(pauses);
	if (!best->count)
		return false;
	try_from(&other, t, w, 0);
	try_from(&other, t, w, run % w->length);
	if (first < w->length)
		try_from(&other, t, w, first);
	/* What is nearly a word before the first one may be one that began otherwise. */
	*sure = best->count >= other.count && 2 * best->start < w->length;
	parse_release(&other);
	return true;
}

/* The longest part of the text in which each letter is there again after `length`. */
static size_t longest_run(const struct text *t, size_t length, size_t *start)
{
	size_t best = 0, run = 0;

	for (size_t i = 0; i + length < t->count; i++) {
		run = t->list[i].what == t->list[i + length].what ? run + 1 : 0;
		if (run > best) {
			best = run;
			*start = i + 1 - run;
		}
	}
	return best + length;
}

/* Before its words, usually. */
static int64_t pause_before(const struct parse *p, const struct text *t)
{
	int64_t *each = xcalloc(p->count, sizeof(*each)), usual_one;

	for (size_t i = 1; i < p->count; i++)
		each[i - 1] = t->list[p->begins[i]].at - t->list[p->begins[i] - 1].at;
	times_sort(each, p->count - 1);
	usual_one = each[(p->count - 1) / 2];
	free(each);
	return usual_one;
}

/*
 * The shortest word is taken. But a layer's way back, between letters that would be evaluations of a single call, is
 * one, too: then the process hardly pauses before it.
 */
bool text_read(struct parse *p, const struct text *t, bool *sure)
{
	size_t longest = t->count / LEAST_WORDS;
	int64_t within = 0;

	*p = (struct parse){ .count = 0 };
	longest = longest > LONGEST ? LONGEST : longest;
	for (size_t length = LEAST_LETTERS; length <= longest && length * t->count <= MOST_COMPARED; length++) {
		size_t start = 0, run = longest_run(t, length, &start);
		struct word w = { t->list + start, length, 0 };

		if (run < 3 * length || is_power(&w) || !parse_from_pauses(p, t, &w, run, sure))
			continue;
		if (p->word.forward != 1 || word_has_layers(&w))
			return (double)within <= WITHIN * (double)pause_before(p, t);
		within = pause_before(p, t);
		parse_release(p);
	}
	return false;
}

/* How many of its products are of smaller batches; *all: so many there are. */
static size_t smaller_in(const struct parse *p, const struct text *t, size_t word, size_t *all)
{
	size_t count = 0;

	*all = 0;
	for (size_t i = p->begins[word]; i < p->begins[word] + p->word.length; i++) {
		*all += t->list[i].product;
		count += t->list[i].smaller;
	}
	return count;
}

size_t words_of_last(const struct parse *p, const struct text *t)
{
	size_t count = 0, before = 0;

	for (size_t i = 0; i < p->count; i++) {
		size_t all, smaller = smaller_in(p, t, i, &all);

		if (!smaller) {
			before++;
			continue;
		}
		if (smaller < all || before < LEAST_BEFORE)
			return 0;
		before = 0;
		count++;
	}
	return p->word.forward ? 0 : count;
}

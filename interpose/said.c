/* SPDX-License-Identifier: MIT */
/*
 * write: what a program says of itself. Nearly every training says on its standard output or error in
 * which epoch it is, once each or with every progress bar: "Epoch 3/10", "Train Epoch: 3 [...]",
 * "epoch=3". Others have a table: its first column is the epoch, and each line or progress bar below begins with
 * its number. The number behind that word, or below it, is noted when it changes, as dltrace_mark:range; nothing
 * else of what is written.
 *
 * Python and whoever else calls write is seen. The C library's own streams call it inside the
 * library, and what a program keeps in a buffer of its own is seen when that goes out.
 *
 * write may be called in signal handlers, in a vfork's child and after fork: no locks here, nothing is
 * allocated, and what several threads write at once at most gives a wrong number, which reports notice.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "clock.h"
#include "emit.h"
#include "export.h"
#include "guard.h"
#include "marks.h"
#include "process.h"
#include "real.h"
#include "sys.h"

#define LOOKED_AT 65536		/* bytes of a write, from its begin */
#define SHORTEST 5		/* "epoch": shorter ones say nothing by themselves */
#define PAGE 4096
#define DIGITS 9
#define BETWEEN 4		/* characters between the word and its number */
#define AT_ONCE 1024		/* changes of the number, then */
#define EVERY 10000000		/* ns: one */

/* What standard output or error has said so far. */
static struct said {
	bool any;
	bool open;		/* the word came last: its number may be written next, as Python's print does */
	bool table;		/* the word heads a column: lines may begin with its number */
	bool within;		/* of a table: what is written next goes on with a line */
	uint32_t number;	/* the last one */
	uint64_t full;		/* ns: changes come too often until then, less AT_ONCE times EVERY */
} streams[2];
static pid_t owner;		/* whose this is: a forked child begins anew */

static char low(char c)
{
	return (char)(c | 0x20);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Or part of a name. */
static bool is_letter(char c)
{
	return (low(c) >= 'a' && low(c) <= 'z') || is_digit(c) || c == '_' || c == '-';
}

static bool may_be_between(char c)
{
	return c == ' ' || c == '\t' || c == ':' || c == '=' || c == '#' || c == '[' || c == '(' || c == '"' ||
	       c == '\'';
}

/* Where the next word "epoch" ends, in whatever letters; NULL: there is none. */
static const char *find_word(const char *at, const char *end)
{
	const char *last = at + 4;	/* where its last letter would be */

	while (last < end) {
		switch (low(*last)) {
		case 'h':
			if (low(last[-1]) == 'c' && low(last[-2]) == 'o' && low(last[-3]) == 'p' &&
			    low(last[-4]) == 'e')
				return last + 1;
			last += 5;
			break;
		case 'c':
			last += 1;
			break;
		case 'o':
			last += 2;
			break;
		case 'p':
			last += 3;
			break;
		case 'e':
			last += 4;
			break;
		default:
			last += 5;
		}
	}
	return NULL;
}

/* Where a number may stand that belongs to a word before. */
static const char *behind(const char *at, const char *end)
{
	for (unsigned i = 0; i < BETWEEN && at < end && may_be_between(*at); i++)
		at++;
	return at;
}

/* Nothing, or no more than ".0": transformers counts epochs in fractions. */
static const char *skip_no_fraction(const char *at, const char *end)
{
	const char *zeros = at + 1;

	if (at == end || *at != '.')
		return at;
	while (zeros < end && *zeros == '0')
		zeros++;
	return zeros > at + 1 ? zeros : at;
}

/* The whole number that stands right behind the word; -1: none does. */
static int64_t number_at(const char *at, const char *end)
{
	int64_t number = 0;
	unsigned digits = 0;

	at = behind(at, end);
	for (; at < end && is_digit(*at) && digits <= DIGITS; at++, digits++)
		number = 10 * number + (*at - '0');
	if (!digits || digits > DIGITS)
		return -1;
	at = skip_no_fraction(at, end);
	if (at < end && (is_letter(*at) || *at == '%'))
		return -1;
	/* A fraction of one, or a time. */
	return at + 1 < end && (*at == '.' || *at == ',') && is_digit(at[1]) ? -1 : number;
}

/* Changes that come too often are left out. */
static bool is_flood(struct said *s)
{
	uint64_t now = dlt_clock_ns(), full = s->full > now ? s->full : now;

	if (full - now > (uint64_t)AT_ONCE * EVERY)
		return true;
	s->full = full + EVERY;
	return false;
}

static void say(struct dlt_thread *t, struct said *s, uint32_t number)
{
	struct dlt_ev_mark_range e = {
		.thread = t->id, .begun_by = t->id, .kind = DLT_MARK_SAID, .payload_type = DLT_PAYLOAD_UNSIGNED,
		.payload = number, .domain = s == streams ? "stdout" : "stderr", .category = "", .name = "",
	};

	if ((s->any && number == s->number) || is_flood(s))
		return;
	s->any = true;
	s->number = number;
	dlt_emit(t, DLT_EV_MARK_RANGE, &e);
}

static const char *line_end(const char *at, const char *end)
{
	while (at < end && *at != '\n' && *at != '\r')
		at++;
	return at;
}

/* The word was written before this; false: it may be the next write that has its number. */
static bool look_behind(struct dlt_thread *t, struct said *s, const char **at, const char *end)
{
	int64_t number = number_at(*at, end);

	if (behind(*at, end) == end)
		return false;
	s->open = false;
	if (number < 0)
		return true;
	say(t, s, (uint32_t)number);
	*at = line_end(*at, end);
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

/* A progress bar may clear its line first, by a terminal's sequence. */
static const char *skip_controls(const char *at, const char *end)
{
	while (end - at > 2 && at[0] == '\033' && at[1] == '[') {
		at += 2;
		while (at < end && (is_digit(*at) || *at == ';' || *at == '?'))
			at++;
		at += at < end;
	}
	return skip_blanks(at, end);
}

/* "3" or "3/10"; -1: no, as a time is none. */
static int64_t number_in_column(const char *at, const char *end)
{
	const char *behind_it = at;

	while (behind_it < end && is_digit(*behind_it))
		behind_it++;
	if (behind_it == at || (behind_it < end && !is_blank(*behind_it) && *behind_it != '/'))
		return -1;
	return number_at(at, end);
}

/* A word begins a line that is no row any more; rules and empty lines may lie between rows. */
static void look_at_row(struct dlt_thread *t, struct said *s, const char *at, const char *end)
{
	int64_t number;

	at = skip_controls(skip_blanks(at, end), end);
	if (at == end || !is_letter(*at) || *at == '-')
		return;
	number = number_in_column(at, end);
	if (number < 0)
		s->table = false;
	else
		say(t, s, (uint32_t)number);
}

static void look_at_rows(struct dlt_thread *t, struct said *s, const char *at, const char *end)
{
	while (at < end && s->table) {
		if (!s->within)
			look_at_row(t, s, at, line_end(at, end));
		at = line_end(at, end);
		s->within = at == end;
		at++;
	}
}

/* The word ends at `at`. Is it the first of its line's several, of which none is a number? */
static bool heads_columns(const char *begin, const char *at, const char *end)
{
	const char *before = at - SHORTEST;
	bool others = false;

	while (before > begin && is_blank(before[-1]))
		before--;
	if (at == end || !is_blank(*at))
		return false;
	if (before > begin && before[-1] != '\n' && before[-1] != '\r')
		return false;
	for (end = line_end(at, end); at < end; at++) {
		bool first = is_blank(at[-1]);

		if (first && is_digit(*at))
			return false;
		others |= first && is_letter(*at);
	}
	return others;
}

/* Of each line the first. */
static void look(struct dlt_thread *t, struct said *s, const char *at, const char *end)
{
	const char *begin = at;

	if (s->open && !look_behind(t, s, &at, end))
		return;
	while ((at = find_word(at, end))) {
		bool whole = at - 5 == begin || !is_letter(at[-6]);
		int64_t number = whole ? number_at(at, end) : -1;

		s->open = whole && behind(at, end) == end;
		if (whole && number < 0 && heads_columns(begin, at, end)) {
			s->table = true;
			s->within = true;
			look_at_rows(t, s, at, end);
		}
		if (number < 0)
			continue;
		say(t, s, (uint32_t)number);
		at = line_end(at, end);
	}
}

/*
 * What /dev/null takes may lie anywhere: it looks at nothing. Of each page four bytes are asked for, where there
 * are enough such that are all of the text: memcheck speaks of a look at others.
 */
static bool is_there(const char *at, const char *end)
{
	for (const char *next; at < end; at = next) {
		next = (const char *)(((uintptr_t)at | (PAGE - 1)) + 1);
		if (!dlt_sys_is_readable((next < end ? next : end) - at > 6 ? at + 3 : at))
			return false;
	}
	return true;
}

static __attribute__((noinline)) void wrote(int fd, const char *text, size_t size)
{
	const char *end = text + (size < LOOKED_AT ? size : LOOKED_AT);
	struct said *s = &streams[fd - STDOUT_FILENO];
	int saved = errno;
	struct dlt_thread *t = dlt_thread_self();

	if (dlt_is_guarded(t) || t->helper || t->vforked || dlt_process.shut_in || !dlt_process.traced)
		return;
	if (owner != dlt_process.pid) {
		streams[0] = streams[1] = (struct said){ 0 };
		owner = dlt_process.pid;
	}
	if (is_there(text, end)) {
		look_at_rows(t, s, text, end);
		look(t, s, text, end);
	}
	errno = saved;
}

/* Short ones may tell something, too. */
static bool goes_on(const struct said *s)
{
	return s->open || s->table;
}

DLT_EXPORT ssize_t write(int fd, const void *data, size_t size)
{
	ssize_t written = dlt_real()->write(fd, data, size);

	if ((fd == STDOUT_FILENO || fd == STDERR_FILENO) && dlt_enabled(DLT_EV_MARK_RANGE) &&
	    (written >= SHORTEST || (written > 0 && goes_on(&streams[fd - STDOUT_FILENO]))))
		wrote(fd, data, (size_t)written);
	return written;
}

/* SPDX-License-Identifier: MIT */
/*
 * Gaps in what CUPTI told, by reason. Another profiler takes one kind of records after the other and gives them back
 * so: ten gaps, a few us apart, are one for whoever reads of it, in which some kinds are missing longer than others.
 */
#include "analysis/gpu_gaps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/model/gpu.h"

#define JOINED 1000000	/* ns: shorter pauses between gaps part nothing */

/* By bit of a gap's `kinds`. */
static const char *const kinds[] = {
	"kernels", "copies", "sets", "synchronisations", "the calls that launched them", "copies between GPUs",
	"commands of OpenCL",
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* All gaps of one reason. */
struct missing {
	const char *why;
	int64_t begin, end;
	bool open;		/* until the trace ends */
	unsigned pieces;
	double ns, of_kind[KINDS];
};

static void add(struct missing *m, const struct gpu_gap *g, int64_t begin, int64_t end)
{
	double ns = (double)end - (double)begin;
	bool first = !m->pieces;

	m->pieces += first || begin - m->end > JOINED || m->begin - end > JOINED;
	m->begin = first || begin < m->begin ? begin : m->begin;
	m->end = first || end > m->end ? end : m->end;
	m->open |= g->end == UNKNOWN;
	m->ns += ns;
	for (size_t k = 0; k < KINDS; k++)
		m->of_kind[k] += g->kinds >> k & 1 ? ns : 0;
}

/* A time as time_text has it, to two digits of a time of `span` ns, at least. */
static const char *moment_text(char *text, size_t size, int64_t ns, double span)
{
	static const struct { double ns; const char *name; } units[] = {
		{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" }, { 1, "ns" },
	};
	size_t u = 0;
	int digits;

	while (units[u].ns > 1 && fabs((double)ns) < units[u].ns)
		u++;
	digits = span > 0 ? (int)ceil(-log10(span / 10 / units[u].ns)) : 0;
	snprintf(text, size, "%.*f %s", digits < 0 ? 0 : digits > 9 ? 9 : digits, (double)ns / units[u].ns,
		 units[u].name);
	return text;
}

/* How long a kind is missing, as it stands behind it: "" for all the time, NULL for none of it. */
static const char *lasting(char *text, size_t size, const struct missing *m, size_t kind)
{
	char time[32];

	if (m->of_kind[kind] == 0)
		return NULL;
	*text = '\0';
	if (m->of_kind[kind] < 0.99 * m->ns)
		snprintf(text, size, " for %s of it", time_text(time, sizeof(time), m->of_kind[kind]));
	return text;
}

/* Adds those that are missing as long as kind `of`, unless one before it is and has been told of with them. */
static void add_alike(char *text, size_t size, const struct missing *m, size_t of)
{
	const char *between = *text ? "; " : "", *same;
	char mine[48], others[48];

	lasting(mine, sizeof(mine), m, of);
	for (size_t k = 0; k < KINDS; k++) {
		same = lasting(others, sizeof(others), m, k);
		if (!same || strcmp(same, mine))
			continue;
		if (k < of)
			return;
		snprintf(text + strlen(text), size - strlen(text), "%s%s", between, kinds[k]);
		between = ", ";
	}
	snprintf(text + strlen(text), size - strlen(text), "%s", mine);
}

/* "synchronisations; kernels, copies for 75 ms": first what is missing all the time. */
static void kinds_text(char *text, size_t size, const struct missing *m)
{
	char buffer[48];

	*text = '\0';
	for (int whole = 1; whole >= 0; whole--) {
		for (size_t k = 0; k < KINDS; k++) {
			const char *time = lasting(buffer, sizeof(buffer), m, k);

			if (time && whole == (*time == '\0'))
				add_alike(text, size, m, k);
		}
	}
}

static void say_missing(const struct process *p, const struct missing *m, gpu_gaps_say *say, void *data)
{
	double shortest = m->ns;
	char text[400], what[256], from[48], to[48], pieces[32] = "";

	for (size_t k = 0; k < KINDS; k++)
		if (m->of_kind[k] > 0)
			shortest = fmin(shortest, m->of_kind[k]);
	kinds_text(what, sizeof(what), m);
	if (m->pieces > 1)
		snprintf(pieces, sizeof(pieces), ", in %u pieces,", m->pieces);
	snprintf(text, sizeof(text), "of the GPU's work from %s to %s%s%s is missing (%s): %s",
		 moment_text(from, sizeof(from), m->begin, shortest), moment_text(to, sizeof(to), m->end, shortest),
		 m->open ? " (the end)" : "", pieces, m->why, what);
	say(p, m->ns, text, data);
}

static int64_t known(int64_t t, int64_t otherwise)
{
	return t != UNKNOWN ? t : otherwise != UNKNOWN ? otherwise : 0;
}

void gpu_gaps_each(const struct process *p, gpu_gaps_say *say, void *data)
{
	const struct gpu_work *w = p->gpu;

	for (size_t i = 0; w && i < w->gap_count; i++) {
		struct missing m = { .why = w->gaps[i].text };
		size_t k = 0;

		while (strcmp(w->gaps[k].text, m.why))
			k++;
		if (k < i)
			continue;
		for (; k < w->gap_count; k++)
			if (!strcmp(w->gaps[k].text, m.why))
				add(&m, &w->gaps[k], known(w->gaps[k].begin, p->begin),
				    known(w->gaps[k].end, p->trace->end));
		say_missing(p, &m, say, data);
	}
}

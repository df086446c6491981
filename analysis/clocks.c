/* SPDX-License-Identifier: MIT */
/* The table `clocks`: clock offsets between the hosts of a job, estimated from collectives. */
#include "analysis/clocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/model/memory.h"
#include "analysis/statistics.h"

#define DRIFT_CALLS	32		/* at least */
#define DRIFT_SPAN	10000000000	/* ns between the middles of both halves, at least */
#define HOSTS_MAX	4096

static const struct column columns[] = {
	{ "job", "job", UNIT_ID, "as in the table traces" },
	{ "host", "host", UNIT_TEXT, "whose clock it is" },
	{ "reference", "against", UNIT_TEXT, "the host whose clock counts: the job's first one" },
	{ "offset_ns", "offset", UNIT_NS,
	  "to subtract from the host's times: the median of the differences at which two ranks leave a collective, "
	  "within what is certain" },
	{ "spread_ns", "spread", UNIT_NS, "half the distance between the quartiles of these differences" },
	{ "low_ns", "certainly from", UNIT_NS,
	  "no rank leaves before the last has entered: the offset cannot be less, unless clocks drift" },
	{ "high_ns", "certainly to", UNIT_NS, "nor more" },
	{ "drift_ppm", "drift", UNIT_REAL,
	  "millionths by which the host's clock is faster; missing: too short to tell" },
	{ "calls", "calls", UNIT_COUNT,
	  "that were compared, those at once as one: the first and the last ones of the run" },
	{ "function", "function", UNIT_TEXT, "the collective" },
};

/* In these everybody waits for everybody. */
static const char *const meeting[] = {
	"MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Allgatherv", "MPI_Alltoall", "MPI_Alltoallv",
	"MPI_Alltoallw", "MPI_Reduce_scatter_block", "MPI_Reduce_scatter", "gloo::allreduce",
	"gloo::allgather", "gloo::allgatherv", "gloo::alltoall", "gloo::alltoallv", "gloo::barrier",
};

static bool is_meeting(const char *name)
{
	size_t n = strlen(name);

	if (n > 2 && !strncmp(name, "MPI_", 4) && !strcmp(name + n - 2, "_c"))
		n -= 2;		/* large counts */
	for (size_t i = 0; i < sizeof(meeting) / sizeof(*meeting); i++)
		if (strlen(meeting[i]) == n && !strncmp(meeting[i], name, n))
			return true;
	return false;
}

/* ---- pairs of ranks ---- */

struct pair {
	const struct process *a, *b;
	const struct comm_use *x, *y;
};

static const struct communicator *of_use(const struct process *p, const struct comm_use *use)
{
	return comms_find(&p->comms, use->communicator);
}

static bool same_communicator(const struct communicator *a, const struct communicator *b)
{
	return a && b && a->identity && a->kind == b->kind && a->identity == b->identity;
}

static bool is_usable(const struct process *p)
{
	return p->comms.use_count && !process_lost(p);
}

/* The use of b that has the same communicator and function as that of a. */
static const struct comm_use *counterpart(const struct process *a, const struct comm_use *x,
					  const struct process *b)
{
	const char *name = process_function(a, x->function)->name;

	for (size_t i = 0; i < b->comms.use_count; i++) {
		const struct comm_use *y = &b->comms.uses[i];

		if (y->leaves && same_communicator(of_use(a, x), of_use(b, y)) &&
		    !strcmp(process_function(b, y->function)->name, name))
			return y;
	}
	return NULL;
}

static uint64_t kept(const struct leaves *l)
{
	return l->count < 2 * (uint64_t)LEAVES_KEPT ? l->count : 2 * (uint64_t)LEAVES_KEPT;
}

/* The pair with most calls in common between two processes. */
static void best_of(const struct process *a, const struct process *b, struct pair *best)
{
	for (size_t i = 0; i < a->comms.use_count; i++) {
		const struct comm_use *x = &a->comms.uses[i], *y;

		if (!x->leaves || !is_meeting(process_function(a, x->function)->name))
			continue;
		if (best->x && kept(x->leaves) <= kept(best->x->leaves))
			continue;
		y = counterpart(a, x, b);
		if (y)
			*best = (struct pair){ a, b, x, y };
	}
}

/* A process that is compared with those of other hosts. */
struct caller {
	size_t host, order;		/* by first sight in the job */
	const struct process *process;
};

/* Those of one host; borrowed. */
struct callers {
	const struct caller *list;
	size_t count;
};

/* The first usable pair of processes of two hosts; more of them add nothing that is independent. */
static struct pair find_pair(const struct callers *reference, const struct callers *others)
{
	struct pair best = { NULL, NULL, NULL, NULL };

	for (size_t i = 0; i < reference->count && !best.a; i++)
		for (size_t k = 0; k < others->count && !best.a; k++)
			best_of(reference->list[i].process, others->list[k].process, &best);
	return best;
}

/* ---- one host ---- */

struct samples {
	double at[2 * LEAVES_KEPT], difference[2 * LEAVES_KEPT];
	size_t count;
};

/*
 * Calls that overlap in either process, as those of Gloo's two threads do: which of them ended first
 * may differ from rank to rank, but nobody leaves the last before all have entered the first.
 */
struct together {
	struct leave a, b;
	bool any;
};

static struct leave joined(struct leave x, const struct leave *y)
{
	x.begin = y->begin < x.begin ? y->begin : x.begin;
	x.end = y->end > x.end ? y->end : x.end;
	return x;
}

static void take(struct together *t, int64_t apart, struct host_clock *c, struct samples *s)
{
	int64_t low = t->b.begin + apart - t->a.end, high = t->b.end + apart - t->a.begin;

	if (!t->any)
		return;
	t->any = false;
	c->low = low > c->low ? low : c->low;
	c->high = high < c->high ? high : c->high;
	s->at[s->count] = (double)t->a.end;
	s->difference[s->count++] = (double)(t->b.end + apart - t->a.end);
}

static void compare(const struct pair *p, struct host_clock *c, struct samples *s)
{
	/* In ns between the begins of the traces: may be large, but is exact. */
	int64_t apart = (int64_t)(p->b->trace->begin - p->a->trace->begin);
	const struct leaves *x = p->x->leaves, *y = p->y->leaves;
	struct together t = { .any = false };

	c->low = INT64_MIN;
	c->high = INT64_MAX;
	for (uint64_t i = 0; i < x->count && s->count < 2 * LEAVES_KEPT; i++) {
		const struct leave *a = leaves_get(x, i), *b = leaves_get(y, i);

		/* Ends of different length are not of the same calls. */
		if (i >= LEAVES_KEPT && x->count != y->count)
			break;
		if (t.any && a && b && (a->begin < t.a.end || b->begin < t.b.end)) {
			t.a = joined(t.a, a);
			t.b = joined(t.b, b);
			continue;
		}
		take(&t, apart, c, s);
		if (a && b)
			t = (struct together){ *a, *b, true };
	}
	if (s->count < 2 * LEAVES_KEPT)
		take(&t, apart, c, s);
}

static double median_of(const double *values, size_t count)
{
	double sorted[2 * LEAVES_KEPT];

	memcpy(sorted, values, count * sizeof(*sorted));
	stat_sort(sorted, count);
	return stat_median(sorted, count);
}

static double drift_of(const struct samples *s)
{
	size_t half = s->count / 2;
	double span = median_of(s->at + half, s->count - half) - median_of(s->at, half);
	double moved = median_of(s->difference + half, s->count - half) - median_of(s->difference, half);

	return s->count >= DRIFT_CALLS && span >= DRIFT_SPAN ? 1e6 * moved / span : NAN;
}

/* A rank that always leaves late, because another process has its core, is found out by the calls that it waits for. */
static int64_t within_bounds(int64_t offset, const struct host_clock *c)
{
	if (c->low > c->high)
		return offset;
	return offset < c->low ? c->low : offset > c->high ? c->high : offset;
}

static void read_clock(const struct callers *reference, const struct callers *others, struct host_clock *c)
{
	struct pair p = find_pair(reference, others);
	static struct samples s;
	double sorted[2 * LEAVES_KEPT];

	s.count = 0;
	if (p.a)
		compare(&p, c, &s);
	if (!s.count)
		return;
	c->calls = s.count;
	c->function = process_function(p.a, p.x->function)->name;
	memcpy(sorted, s.difference, s.count * sizeof(*sorted));
	stat_sort(sorted, s.count);
	c->offset = within_bounds((int64_t)llround(stat_median(sorted, s.count)), c);
	c->spread = (int64_t)llround((sorted[s.count - 1 - s.count / 4] - sorted[s.count / 4]) / 2);
	c->drift = drift_of(&s);
}

/* ---- all of them ---- */

/* The hosts of a job's ranks, and who is compared on each. */
struct hosts {
	const char *names[HOSTS_MAX];
	size_t count;
	struct caller *callers;		/* owned; in the end those of one host side by side */
	size_t caller_count, capacity;
};

static void add_rank(struct hosts *h, const struct process *p)
{
	size_t k = 0;

	if (!process_shown(p) || !*p->host || (p->rank < 0 && !p->comms.use_count))
		return;
	while (k < h->count && strcmp(h->names[k], p->host))
		k++;
	if (k == HOSTS_MAX)
		return;
	if (k == h->count)
		h->names[h->count++] = p->host;
	if (!is_usable(p))
		return;
	h->callers = xgrow(h->callers, h->caller_count, &h->capacity, sizeof(*h->callers));
	h->callers[h->caller_count] = (struct caller){ k, h->caller_count, p };
	h->caller_count++;
}

static int by_host(const void *a, const void *b)
{
	const struct caller *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void find_hosts(struct hosts *h, const struct model *m, const struct job *job)
{
	for (size_t i = 0; i < job->count; i++)
		for (size_t k = 0; k < m->traces[job->traces[i]]->process_count; k++)
			add_rank(h, m->traces[job->traces[i]]->processes[k]);
	if (h->caller_count)
		qsort(h->callers, h->caller_count, sizeof(*h->callers), by_host);
}

/* Those of the host; `from` is where it may begin, then where the next host's may. */
static struct callers callers_of(const struct hosts *h, size_t host, size_t *from)
{
	struct callers c = { h->callers + *from, 0 };

	for (; *from < h->caller_count && h->callers[*from].host == host; ++*from)
		c.count++;
	return c;
}

size_t host_clocks(const struct model *m, const struct job *job, struct host_clock **clocks)
{
	bool whole = m->options.from == INT64_MIN && m->options.to == INT64_MAX && !m->options.phase;
	struct hosts *h = xcalloc(1, sizeof(*h));
	struct callers reference;
	size_t count, from = 0;

	find_hosts(h, m, job);
	*clocks = xcalloc(h->count + 1, sizeof(**clocks));
	reference = callers_of(h, 0, &from);
	for (size_t i = 1; i < h->count; i++) {
		struct callers others = callers_of(h, i, &from);
		struct host_clock *c = &(*clocks)[i - 1];

		*c = (struct host_clock){ .host = h->names[i], .reference = h->names[0], .function = "", .drift = NAN };
		if (whole)
			read_clock(&reference, &others, c);
	}
	count = h->count ? h->count - 1 : 0;
	free(h->callers);
	free(h);
	return count;
}

/* ns by which a host's clock is ahead of the job's first; 0 where nothing is known. */
static int64_t ahead(const struct host_clock *clocks, size_t count, const char *host)
{
	for (size_t i = 0; i < count; i++)
		if (clocks[i].calls && !strcmp(clocks[i].host, host))
			return clocks[i].offset;
	return 0;
}

void job_axis(const struct model *m, const struct job *job, struct axis_place *places)
{
	const struct trace *first = m->traces[job->traces[0]];
	struct host_clock *clocks;
	size_t count = host_clocks(m, job, &clocks);
	int64_t zero = ahead(clocks, count, trace_host(first));

	for (size_t i = 0; i < job->count; i++) {
		const struct trace *t = m->traces[job->traces[i]];

		places[i].ahead = ahead(clocks, count, trace_host(t)) - zero;
		places[i].shift = (int64_t)(t->begin - first->begin) - places[i].ahead;
	}
	free(clocks);
}

static void add_row(struct table *t, size_t job, const struct host_clock *c)
{
	table_add_row(t);
	table_set_uint(t, "job", job);
	table_set_text(t, "host", c->host);
	table_set_text(t, "reference", c->reference);
	table_set_uint(t, "calls", c->calls);
	if (!c->calls)
		return;
	table_set_int(t, "offset_ns", c->offset);
	table_set_int(t, "spread_ns", c->spread);
	table_set_int(t, "low_ns", c->low);
	table_set_int(t, "high_ns", c->high);
	if (!isnan(c->drift))
		table_set_real(t, "drift_ppm", c->drift);
	table_set_text(t, "function", c->function);
}

void run_clocks(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "clocks", "Clocks of the hosts", COLUMNS(columns));
	const struct jobs *jobs = jobs_of(m);

	for (size_t i = 0; i < jobs->count; i++) {
		struct host_clock *clocks;
		size_t count = host_clocks(m, &jobs->list[i], &clocks);

		for (size_t k = 0; k < count; k++)
			add_row(t, i, &clocks[k]);
		free(clocks);
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * The table `communication`: who talked how much, for how long, on which communicator.
 *
 * Blocking calls tell the time that a rank spent; those that only start something (NCCL's, MPI_I*)
 * tell the time of starting. Communicators are one over processes when their identities are equal.
 */
#include "analysis/communication.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "analysis/analyses.h"
#include "analysis/breakdown.h"
#include "analysis/iterations.h"
#include "analysis/model/memory.h"
#include "analysis/phases.h"

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "layer", "layer", UNIT_TEXT, "nccl, mpi, gloo; network: sockets, whoever uses them" },
	{ "communicator", "communicator", UNIT_TEXT,
	  "the same name in all its processes; missing: calls without one, or only in the totals" },
	{ "rank", "rank", UNIT_ID, "of the process in it" },
	{ "ranks", "of", UNIT_COUNT, "how many ranks it has" },
	{ "function", "function", UNIT_TEXT, "" },
	{ "kind", "kind", UNIT_TEXT, "communicate and wait block; launch only starts; transfer moves data" },
	{ "calls", "calls", UNIT_COUNT, "" },
	{ "failed", "failed", UNIT_COUNT, "calls that returned an error" },
	{ "bytes", "bytes", UNIT_BYTES, "this rank's part, see dltrace_comm:call" },
	{ "total_ns", "time", UNIT_NS, "of all calls" },
	{ "mean_ns", "mean", UNIT_NS, "time by calls" },
	{ "max_ns", "max", UNIT_NS, "longest of these calls; missing: not known, but not above breakdown's" },
	{ "share_of_wall", "of wall", UNIT_FRACTION,
	  "time by the process's life; over 1 when threads call it side by side" },
	{ "bytes_per_second", "bytes/s", UNIT_BYTES, "bytes by time, of calls that block" },
	{ "identity", "identity", UNIT_TEXT, "equal in all processes of a communicator, in any trace" },
};

static const struct column phase_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "phase", "phase", UNIT_TEXT, "its own, or that of the process that it works for" },
	{ "layer", "layer", UNIT_TEXT, "as in communication" },
	{ "communicator", "communicator", UNIT_TEXT, "the same name in all its processes; missing: calls without one" },
	{ "rank", "rank", UNIT_ID, "of the process in it" },
	{ "ranks", "of", UNIT_COUNT, "how many ranks it has" },
	{ "function", "function", UNIT_TEXT, "" },
	{ "kind", "kind", UNIT_TEXT, "as in communication" },
	{ "calls", "calls", UNIT_COUNT, "that are events and ended in it" },
	{ "bytes", "bytes", UNIT_BYTES, "this rank's part" },
	{ "total_ns", "time", UNIT_NS, "of these calls" },
	{ "mean_ns", "mean", UNIT_NS, "time by calls" },
	{ "share", "share", UNIT_FRACTION, "time by the phase's duration; more than 1 with several threads" },
	{ "bytes_per_second", "bytes/s", UNIT_BYTES, "bytes by time, of calls that block" },
	{ "identity", "identity", UNIT_TEXT, "equal in all processes of a communicator, in any trace" },
};

bool layer_communicates(const char *layer)
{
	return !strcmp(layer, "nccl") || !strcmp(layer, "mpi") || !strcmp(layer, "gloo") ||
	       !strcmp(layer, "network");
}

bool comm_is_blocking(const struct function *fn)
{
	return !strcmp(fn->kind, "communicate") || !strcmp(fn->kind, "wait");
}

static bool chosen(const struct process *p, const struct function *fn)
{
	const struct model_options *o = &p->trace->model->options;

	return (!o->function || !fnmatch(o->function, fn->name, 0)) &&
	       (!o->layer || !fnmatch(o->layer, fn->layer, 0));
}

/* ---- names of communicators ---- */

void comm_name(const struct communicator *c, char *name, size_t size)
{
	const char *kind = c->kind == DLT_COMM_NCCL ? "NCCL" : "MPI";

	if (c->role == DLT_COMM_WORLD || c->role == DLT_COMM_SELF)
		snprintf(name, size, "MPI_COMM_%s", c->role == DLT_COMM_WORLD ? "WORLD" : "SELF");
	else if (c->kind == DLT_COMM_GLOO)
		snprintf(name, size, "all of Gloo's");
	else if (c->identity)
		snprintf(name, size, "%s %u", kind, c->number);
	else
		snprintf(name, size, "%s 0x%" PRIx64, kind, c->handle);
}

int64_t comm_rank(const struct process *p, const struct communicator *c)
{
	return c->rank >= 0 || c->role != DLT_COMM_WORLD ? c->rank : p->rank;
}

/* ---- the table ---- */

static void set_communicator(struct table *t, const struct process *p, const struct communicator *c)
{
	char name[40], identity[20];

	if (!c)
		return;
	comm_name(c, name, sizeof(name));
	table_set_text(t, "communicator", name);
	if (comm_rank(p, c) >= 0)
		table_set_int(t, "rank", comm_rank(p, c));
	if (c->ranks)
		table_set_uint(t, "ranks", c->ranks);
	snprintf(identity, sizeof(identity), "%016" PRIx64, c->identity);
	if (c->identity)
		table_set_text(t, "identity", identity);
}

/* What the tables have in common, with these numbers. */
static void add_use(struct table *t, const struct process *p, const struct comm_use *use, uint64_t calls,
		    uint64_t bytes, uint64_t ns)
{
	const struct function *fn = process_function(p, use->function);

	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	table_set_text(t, "layer", fn->layer);
	set_communicator(t, p, comms_find(&p->comms, use->communicator));
	table_set_text(t, "function", fn->name);
	table_set_text(t, "kind", fn->kind);
	table_set_uint(t, "calls", calls);
	table_set_uint(t, "bytes", bytes);
	table_set_uint(t, "total_ns", ns);
	if (calls)
		table_set_real(t, "mean_ns", (double)ns / (double)calls);
	if (bytes && ns && !strcmp(fn->kind, "communicate"))
		table_set_real(t, "bytes_per_second", 1e9 * (double)bytes / (double)ns);
}

static void add_row(struct table *t, const struct process *p, const struct comm_use *use)
{
	uint64_t life = process_life(p);

	add_use(t, p, use, use->calls, use->bytes, use->total);
	table_set_uint(t, "failed", use->failed);
	if (use->max)
		table_set_uint(t, "max_ns", use->max);
	if (life)
		table_set_real(t, "share_of_wall", (double)use->total / (double)life);
}

/* Sockets: their small transfers are no events, and there are no communicators to tell apart. */
static bool is_network(const struct process *p, uint16_t function)
{
	return !strcmp(process_function(p, function)->layer, "network");
}

/*
 * What the totals have beyond the events of a function, whoever called it; of a socket's all. A call that was longer
 * than all events is among the others.
 */
static void add_remainder(struct table *t, const struct process *p, uint16_t function)
{
	struct comm_use rest = { .function = function };
	uint64_t longest = 0;
	bool whole = is_network(p, function);

	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		const struct sums *s = profile_counts(p, f);

		if (profile_function(f) != function || (s == &f->events && !whole))
			continue;
		rest.calls += s->calls;
		rest.failed += s->failed;
		rest.bytes += s->bytes;
		rest.total += s->total;
		rest.max = s->max > rest.max ? s->max : rest.max;
	}
	for (size_t i = 0; i < p->comms.use_count; i++) {
		const struct comm_use *use = &p->comms.uses[i];

		if (use->function != function || whole)
			continue;
		longest = use->max > longest ? use->max : longest;
		rest.calls -= use->calls < rest.calls ? use->calls : rest.calls;
		rest.failed -= use->failed < rest.failed ? use->failed : rest.failed;
		rest.bytes -= use->bytes < rest.bytes ? use->bytes : rest.bytes;
		rest.total -= use->total < rest.total ? use->total : rest.total;
	}
	if (rest.max <= longest)
		rest.max = 0;
	if (rest.calls)
		add_row(t, p, &rest);
}

/* Is it the first of the process's profiles with that function? Its other callers come later. */
static bool is_first(const struct process *p, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (profile_function(p->profile_list[i]) == profile_function(p->profile_list[index]))
			return false;
	return true;
}

static void add(const struct process *p, struct table *t)
{
	for (size_t i = 0; i < p->comms.use_count; i++)
		if (chosen(p, process_function(p, p->comms.uses[i].function)) &&
		    !is_network(p, p->comms.uses[i].function))
			add_row(t, p, &p->comms.uses[i]);
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct function *fn = process_function(p, profile_function(p->profile_list[i]));

		if (layer_communicates(fn->layer) && chosen(p, fn) && is_first(p, i))
			add_remainder(t, p, profile_function(p->profile_list[i]));
	}
}

void run_communication(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "communication", "Communication", COLUMNS(columns));

	each_process(m, t, add);
	table_sort_falling(t, "total_ns");
}

/* ---- by phase ---- */

static void add_use_by_phase(struct table *t, const struct process *p, const struct comm_use *use)
{
	const struct phases *ph = phases_around(p);
	struct slice sums[PHASES_MAX];

	phases_slices(ph, &use->slices, sums);
	for (size_t i = 0; i < ph->count; i++) {
		const struct phase *one = &ph->list[i];

		if (!sums[i].calls)
			continue;
		add_use(t, p, use, sums[i].calls, sums[i].bytes, sums[i].outer);
		table_set_text(t, "phase", one->name);
		table_set_real(t, "share", (double)sums[i].outer / (double)(one->end - one->begin));
	}
}

static void add_by_phase(const struct process *p, struct table *t)
{
	for (size_t i = 0; i < p->comms.use_count; i++)
		if (chosen(p, process_function(p, p->comms.uses[i].function)))
			add_use_by_phase(t, p, &p->comms.uses[i]);
}

void run_phase_communication(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "phase_communication", "Communication by phase", COLUMNS(phase_columns));

	each_process(m, t, add_by_phase);
	table_sort_falling(t, "total_ns");
}

/* ---- how much of the time ---- */

static int by_begin(const void *a, const void *b)
{
	const struct leave *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/*
 * Calls that run at once on several threads block once: time in which there was any by the sum of
 * their durations, of those calls that are known one by one.
 */
static double at_once(struct leave *calls, size_t count)
{
	int64_t covered = INT64_MIN;
	double sum = 0, any = 0;

	qsort(calls, count, sizeof(*calls), by_begin);
	for (size_t i = 0; i < count; i++) {
		int64_t begin = calls[i].begin > covered ? calls[i].begin : covered;

		sum += (double)(calls[i].end - calls[i].begin);
		if (calls[i].end <= begin)
			continue;
		any += (double)(calls[i].end - begin);
		covered = calls[i].end;
	}
	return sum > 0 ? any / sum : 1;
}

/* What lies in [begin, end) of the calls that are known one by one; how long that is. */
static double calls_between(const struct leaves *l, int64_t begin, int64_t end, struct leave *calls, size_t *count)
{
	double sum = 0;

	for (uint64_t k = 0; l && k < l->count; k++) {
		struct leave one;

		if (k == LEAVES_KEPT && l->count > 2 * LEAVES_KEPT)
			k = l->count - LEAVES_KEPT;
		one = *leaves_get(l, k);
		one.begin = one.begin > begin ? one.begin : begin;
		one.end = one.end < end ? one.end : end;
		if (one.end <= one.begin)
			continue;
		sum += (double)(one.end - one.begin);
		calls[(*count)++] = one;
	}
	return sum;
}

static bool is_known_whole(const struct comm_use *use)
{
	return use->leaves && use->leaves->count == use->calls && use->calls <= 2 * LEAVES_KEPT;
}

/* Of too many calls to know each, those of the slices that begin between: the one on the border may be of before. */
static double blocked_between(const struct process *p, int64_t begin, int64_t end)
{
	struct leave *calls = xcalloc(p->comms.use_count * 2 * LEAVES_KEPT + 1, sizeof(*calls));
	double blocked = 0;
	size_t count = 0;

	for (size_t i = 0; i < p->comms.use_count; i++) {
		const struct comm_use *use = &p->comms.uses[i];
		uint64_t sliced[TALLY_WORDS];	/* as struct slice */
		double known;

		if (!comm_is_blocking(process_function(p, use->function)))
			continue;
		known = calls_between(use->leaves, begin, end, calls, &count);
		tally_sum(&use->slices, begin, end, sliced);
		blocked += is_known_whole(use) ? known : (double)sliced[1];
	}
	blocked *= at_once(calls, count);
	free(calls);
	return blocked;
}

/* Of its totals: over all threads, also of what is no event. */
static uint64_t blocked_ever(const struct process *p)
{
	uint64_t blocked = 0;

	for (size_t i = 0; i < p->profile_count; i++) {
		const struct function *fn = process_function(p, profile_function(p->profile_list[i]));

		if (layer_communicates(fn->layer) && comm_is_blocking(fn))
			blocked += profile_counts(p, p->profile_list[i])->outer_total;
	}
	return blocked;
}

/* Of all of its calls; 1 where only their totals are known. */
static double at_once_ever(const struct process *p)
{
	struct leave *calls = xcalloc(p->comms.use_count * 2 * LEAVES_KEPT + 1, sizeof(*calls));
	size_t count = 0;
	double part;

	for (size_t i = 0; i < p->comms.use_count; i++)
		if (comm_is_blocking(process_function(p, p->comms.uses[i].function)))
			calls_between(p->comms.uses[i].leaves, INT64_MIN, INT64_MAX, calls, &count);
	part = at_once(calls, count);
	free(calls);
	return part;
}

/*
 * What has its communication inside (Gloo in Horovod, gRPC in TensorFlow) shows when data moves on its
 * sockets, and not for how long it waits. Another one's sockets may be for anything.
 */
static double moving_share(const struct process *p, const struct iterations *it)
{
	if (p->ranks < 2 || !p->comms.moving || !it->how || it->begin == UNKNOWN || it->end <= it->begin)
		return NAN;
	return fmin(1, (double)p->comms.moving / (double)(it->end - it->begin));
}

/* NAN: it has no communication that takes a time which is known. */
static double share_of(const struct process *p)
{
	const struct iterations *it = process_iterations(p);
	uint64_t life = process_life(p), blocked = blocked_ever(p);

	if (!blocked || !life)
		return moving_share(p, it);
	if (it->how && it->begin != UNKNOWN && it->end > it->begin && p->comms.use_count)
		return fmin(1, blocked_between(p, it->begin, it->end) / (double)(it->end - it->begin));
	return fmin(1, (double)blocked * at_once_ever(p) / (double)life);
}

struct comm_share comm_share(const struct trace *t)
{
	struct comm_share s = { .least = INFINITY };

	for (size_t i = 0; i < t->process_count; i++) {
		double share = process_shown(t->processes[i]) ? share_of(t->processes[i]) : NAN;

		if (isnan(share))
			continue;
		s.processes++;
		s.mean += share;
		s.least = fmin(s.least, share);
		s.most = fmax(s.most, share);
	}
	if (s.processes)
		s.mean /= (double)s.processes;
	return s;
}

/* ---- how much ---- */

static enum dlt_gives gives(const struct function *fn)
{
	for (unsigned i = 0; i < DLT_FNS; i++)
		if (!strcmp(dlt_functions[i].name, fn->name) && !strcmp(dlt_functions[i].layer, fn->layer))
			return dlt_functions[i].gives;
	return DLT_GIVES_ALL;
}

/*
 * What one rank gives to all is told by all of them: each has its part of it. All are the communicator's ranks, and
 * the job's where the communicator is not known, as of calls that are only in the totals.
 */
static double given_once(const struct process *p, uint16_t function)
{
	uint64_t rest = 0;
	double bytes = 0;

	for (size_t i = 0; i < p->profile_count; i++)
		if (profile_function(p->profile_list[i]) == function)
			rest += profile_counts(p, p->profile_list[i])->bytes;
	for (size_t i = 0; i < p->comms.use_count; i++) {
		const struct comm_use *use = &p->comms.uses[i];
		const struct communicator *c = comms_find(&p->comms, use->communicator);
		uint64_t known = use->bytes < rest ? use->bytes : rest;

		if (use->function != function || !c || !c->ranks)
			continue;
		bytes += (double)known / (double)c->ranks;
		rest -= known;
	}
	return bytes + (double)rest / p->ranks;
}

/* By all callers of a function that gives once, with the first of its profiles. */
static double given(const struct process *p, size_t profile)
{
	uint16_t function = profile_function(p->profile_list[profile]);

	switch (gives(process_function(p, function))) {
	case DLT_GIVES_NONE:
		return 0;
	case DLT_GIVES_ONCE:
		return is_first(p, profile) ? given_once(p, function) : 0;
	default:
		return (double)profile_counts(p, p->profile_list[profile])->bytes;
	}
}

double comm_bytes(const struct process *p)
{
	double told = 0, sent = 0;

	for (size_t i = 0; p->ranks > 1 && i < p->profile_count; i++) {
		const struct function *fn = process_function(p, profile_function(p->profile_list[i]));
		double bytes = given(p, i);

		if (!strcmp(fn->layer, "network"))
			sent += bytes;
		else if (layer_communicates(fn->layer))
			told += bytes;
	}
	return told > 0 ? told : sent;
}

/* SPDX-License-Identifier: MIT */
/* Rules: memory that grows, memory that is nearly full. */
#include <stdio.h>
#include <string.h>

#include "analysis/findings.h"
#include "analysis/gpu_memory.h"
#include "analysis/growth.h"
#include "analysis/phases.h"

static json_t *growth_evidence(const struct growth *g)
{
	return json_pack("{s:f, s:f, s:I, s:I}", "bytes_per_second", g->per_second, "bytes",
			 g->total, "over_ns", (json_int_t)g->duration, "begin_ns",
			 (json_int_t)g->begin);
}

/* ", which the machine's free memory allows for another 3 min"; "" when that is far away. */
static const char *room_text(const struct process *p, const struct growth *g, char *text,
			     size_t size)
{
	const struct machine *m = trace_machine(p->trace, p->host);
	double left = m ? (double)m->available : 0;

	if (m && m->cgroup_limit && m->cgroup_limit > m->cgroup_used &&
	    (double)(m->cgroup_limit - m->cgroup_used) < left)
		left = (double)(m->cgroup_limit - m->cgroup_used);
	*text = '\0';
	if (left > 0 && left / g->per_second < 86400)
		snprintf(text, size, "; at this pace, what was free at the end lasts for %.0f %s",
			 left / g->per_second < 120 ? left / g->per_second
						    : left / g->per_second / 60,
			 left / g->per_second < 120 ? "s" : "min");
	return text;
}

#define UNTOLD_LEAST 30000000000	/* ns: TensorFlow compiles for ten seconds, and its heap grows all the while */

/* What is imported fills the heap, however slowly: of [from, to] the longest time in which nothing was. */
static void between_imports(const struct process *p, int64_t *from, int64_t *to)
{
	int64_t begin = *from, longest = -1;

	for (size_t i = 0; i <= p->package_count; i++) {
		int64_t end = i < p->package_count ? p->packages[i].t : INT64_MAX;

		end = end > *to ? *to : end;
		if (end - begin > longest && end > begin) {
			longest = end - begin;
			*from = begin;
		}
		begin = end > begin ? end : begin;
	}
	if (longest > 0)
		*to = *from + longest;
}

/*
 * In the steady phase; what imports, builds and compiles fills the memory, too. Where that is not known, as of a worker
 * that starts in the steady phase of another one, it takes longer to judge.
 */
static bool grows(const struct process *p, const struct curve *c, struct growth *g)
{
	const struct phases *ph = phases_around(p);
	int64_t from = curve_start_up(c), to = p->end != UNKNOWN ? p->end : p->trace->end;

	for (size_t i = 0; i < ph->count; i++)
		if (ph->list[i].id == PHASE_STEADY && (phases_own(ph, p) || p->begin < ph->list[i].begin))
			return curve_growth(c, ph->list[i].begin, ph->list[i].end, g);
	between_imports(p, &from, &to);
	return curve_growth(c, from, to, g) && g->duration >= UNTOLD_LEAST;
}

void rule_heap_grows(struct findings *f, const struct process *p)
{
	struct growth g;
	char rate[32], sum[32], since[32], room[100];

	if (p->heap_cover || !grows(p, &p->curves[CURVE_HEAP], &g))
		return;
	found(f, p, (struct stake){.since = g.begin, .bytes = g.total}, growth_evidence(&g),
	      "the heap of %s keeps growing: %s a second from %s on, %s in all%s", process_who(p),
	      bytes_text(rate, sizeof(rate), g.per_second),
	      time_text(since, sizeof(since), (double)g.begin),
	      bytes_text(sum, sizeof(sum), g.total), room_text(p, &g, room, sizeof(room)));
}

/* Who grows it: the library that has the most at the end. */
void rule_gpu_memory_grows(struct findings *f, const struct process *p)
{
	const struct gpu_memory *g = &p->gpu_memory;
	const struct gpu_library *most = NULL;
	char rate[32], sum[32], since[32];
	struct growth growth;

	if (!grows(p, &p->curves[CURVE_GPU], &growth))
		return;
	for (size_t i = 0; i < g->library_count; i++)
		if (!most || g->libraries[i].live > most->live)
			most = &g->libraries[i];
	found(f, p, (struct stake){.since = growth.begin, .bytes = growth.total},
	      growth_evidence(&growth),
	      "the GPU memory that %s has reserved keeps growing: %s a second from %s on, %s in "
	      "all; most of it is "
	      "held by %s",
	      process_who(p), bytes_text(rate, sizeof(rate), growth.per_second),
	      time_text(since, sizeof(since), (double)growth.begin),
	      bytes_text(sum, sizeof(sum), growth.total),
	      most && *gpu_row_library_name(p, most->library)
		      ? gpu_row_library_name(p, most->library)
		      : "an unknown caller");
}

/* ---- close to the limit ---- */

#define NEARLY_FULL 0.9
#define OF_THE_RUN  0.3 /* of the memory: where others fill it, the run is not to blame */

static struct curve_value highest(const struct curve *c)
{
	struct curve_value most = {UNKNOWN, 0};

	for (size_t i = 0; i < c->count; i++)
		if (c->buckets[i].max.value > most.value)
			most = c->buckets[i].max;
	return most;
}

static void near(struct findings *f, const char *whose, struct curve_value used, double of,
		 double run)
{
	char peak[32], all[32], when[32], own[32];

	found(f, NULL, (struct stake){.since = used.t, .bytes = (double)used.value},
	      json_pack("{s:s, s:I, s:f, s:f, s:I}", "limit_of", whose, "bytes",
			(json_int_t)used.value, "limit_bytes", of, "run_bytes", run, "t_ns",
			(json_int_t)used.t),
	      "memory was nearly full at %s: %s of the %s of the %s were in use, %s of them by "
	      "this run",
	      time_text(when, sizeof(when), (double)used.t),
	      bytes_text(peak, sizeof(peak), (double)used.value), bytes_text(all, sizeof(all), of),
	      whose, bytes_text(own, sizeof(own), run));
}

/* A cgroup's own figure counts the page cache, which gives way: what counts is what the run holds.
 */
void rule_memory_full(struct findings *f, const struct trace *t)
{
	const struct curve *c = &t->curves[RUN_MEMORY];
	struct curve_value run = highest(c);

	for (size_t i = 0; i < t->machine_count; i++) {
		const struct machine *m = &t->machines[i];
		struct curve_value used = highest(&m->curves[MACHINE_USED]);
		double own = (double)curve_at(c, used.t);

		if (t->machine_count == 1 && m->cgroup_limit && m->cgroup_limit < m->memory &&
		    (double)run.value > NEARLY_FULL * (double)m->cgroup_limit)
			near(f, "cgroup's limit", run, (double)m->cgroup_limit, (double)run.value);
		else if (m->memory && (double)used.value > NEARLY_FULL * (double)m->memory &&
			 own > OF_THE_RUN * (double)m->memory)
			near(f, "machine", used, (double)m->memory, own);
	}
}

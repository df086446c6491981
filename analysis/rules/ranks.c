/* SPDX-License-Identifier: MIT */
/* Rules: ranks that wait for each other. */
#include <inttypes.h>

#include "analysis/communication.h"
#include "analysis/findings.h"

#define CLEARLY	      0.1 /* of the time from the first call to the last ... */
#define WORTH_WAITING 1e8 /* ... and so many ns: ranks that start are never quite together */
#define WORTH_A_WORD  0.05

/* Who is waited for is late at every collective: it waits least. */
static void look_at_job(struct findings *f, const struct model *m, const struct job *job)
{
	struct comm_walk w;
	struct comm_balance b;

	comm_walk_begin(&w, m, job);
	while (comm_balance(&w, &b)) {
		json_t *evidence;

		if (b.others - b.least < CLEARLY || b.others < 2 * b.least ||
		    (b.others - b.least) * (double)b.time < WORTH_WAITING)
			continue;
		evidence = json_pack("{s:o, s:i, s:I, s:f, s:f}", "communicator", json_name(b.name), "ranks",
				     (int)b.members, "rank", (json_int_t)b.least_rank, "share",
				     b.least, "others_share", b.others);
		found(f, b.least_process,
		      (struct stake){.since = UNKNOWN, .ns = (b.others - b.least) * (double)b.time},
		      evidence,
		      "rank %" PRId64
		      " keeps the others waiting on %s: from the first blocking call to "
		      "the last they are inside for %.0f %% of the time, rank %" PRId64
		      " for %.0f %%",
		      b.least_rank, b.name, 100 * b.others, b.least_rank, 100 * b.least);
	}
}

/* A job of several traces is looked at once, with its first one. */
void rule_rank_straggles(struct findings *f, const struct trace *t)
{
	const struct jobs *jobs = jobs_of(t->model);
	const struct job *job = &jobs->list[jobs->of[t->index]];

	if (job->traces[0] == t->index)
		look_at_job(f, t->model, job);
}

void rule_communication(struct findings *f, const struct trace *t)
{
	struct comm_share s = comm_share(t);

	if (s.processes < 2 || s.mean < WORTH_A_WORD)
		return;
	found(f, NULL, NO_STAKE,
	      json_pack("{s:i, s:f, s:f, s:f}", "processes", (int)s.processes, "share", s.mean,
			"least", s.least, "most", s.most),
	      "%s processes spent %.0f %% of their time (of iterations, where known) in blocking "
	      "communication (%.0f %% to %.0f %%)",
	      COUNT_TEXT(s.processes), 100 * s.mean, 100 * s.least, 100 * s.most);
}

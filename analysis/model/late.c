/* SPDX-License-Identifier: MIT */
/* Takes from a function's totals without a caller what its events have told of callers. */
#include "analysis/model/late.h"

static void take(uint64_t *from, uint64_t what)
{
	*from -= what < *from ? what : *from;
}

static void take_all(struct sums *from, const struct sums *what)
{
	take(&from->calls, what->calls);
	take(&from->outer_calls, what->outer_calls);
	take(&from->failed, what->failed);
	take(&from->total, what->total);
	take(&from->outer_total, what->outer_total);
	take(&from->nested, what->nested);
	take(&from->bytes, what->bytes);
	take(&from->flops, what->flops);
	from->squares -= what->squares < from->squares ? what->squares : from->squares;
	for (unsigned i = 0; i < DLT_BUCKETS; i++)
		take(&from->buckets[i], what->buckets[i]);
}

/* What only events tell of this function. Late totals have no distribution: code without a library's has one. */
static void take_known(const struct process *p, struct profile *late)
{
	struct sums rest;

	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];

		if (f->work || profile_function(f) != profile_function(late))
			continue;
		/* Totals are believed, unless they know of fewer calls than events (profile_sums). */
		if (f->exact && f->exact->outer_calls >= f->events.outer_calls)
			continue;
		rest = f->events;
		if (f->exact)
			take_all(&rest, f->exact);
		take_all(late->exact, &rest);
	}
}

void late_end(struct trace *t)
{
	for (size_t i = 0; i < t->process_count; i++) {
		struct process *p = t->processes[i];

		for (size_t j = 0; j < p->profile_count; j++) {
			struct profile *f = p->profile_list[j];

			if (f->exact && !f->work && !profile_library(f) && !sums_counted(f->exact))
				take_known(p, f);
		}
	}
}

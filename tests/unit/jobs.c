/* SPDX-License-Identifier: MIT */
/* build: .libs/libmodel.a .libs/libreader.a */
/* Which traces are one job: what chains of words find is what a look at all pairs of processes finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "analysis/jobs.c"

#define TRACES		12
#define PROCESSES	4
#define COMMS		3
#define MODELS		20000

static struct trace *traces[TRACES];
static struct process processes[TRACES][PROCESSES];
static struct process *lists[TRACES][PROCESSES];
static struct communicator comms[TRACES][PROCESSES][COMMS];
static unsigned seed;

static int one_of(int from, int to)
{
	return from + rand_r(&seed) % (to - from + 1);
}

/* Few values, so that some are equal; a job has the number of a communicator, too. */
static void fill_process(struct process *p, struct communicator *list)
{
	*p = (struct process){
		.job = (uint64_t)one_of(0, 2), .ranks = one_of(2, 3), .rank = one_of(-1, 2),
		.comms = { .list = list, .count = (size_t)one_of(0, COMMS) },
	};
	for (size_t i = 0; i < p->comms.count; i++)
		list[i] = (struct communicator){
			.kind = one_of(0, 3) ? DLT_COMM_MPI : DLT_COMM_NCCL, .identity = (uint64_t)one_of(0, 3),
			.ranks = (uint64_t)one_of(2, 3), .rank = one_of(-1, 2),
		};
}

static void fill(struct model *m)
{
	*m = (struct model){ .traces = traces, .trace_count = (size_t)one_of(1, TRACES) };
	for (size_t i = 0; i < m->trace_count; i++) {
		struct trace *t = traces[i];

		t->index = i;
		t->started = one_of(0, 9) > 0;
		t->begin = (uint64_t)one_of(0, 9);
		t->end = one_of(0, 9);
		t->processes = lists[i];
		t->process_count = (size_t)one_of(0, PROCESSES);
		for (size_t k = 0; k < t->process_count; k++) {
			lists[i][k] = &processes[i][k];
			fill_process(lists[i][k], comms[i][k]);
			lists[i][k]->trace = t;
		}
	}
}

/* ---- as jobs.h says it ---- */

static bool any_are(enum kinship wanted, const struct trace *a, const struct trace *b)
{
	for (size_t i = 0; i < a->process_count; i++)
		for (size_t k = 0; k < b->process_count; k++)
			if (overlap(a, b) && kinship(a->processes[i], b->processes[k]) == wanted)
				return true;
	return false;
}

static bool belongs(const struct trace *t, size_t job, const size_t *of)
{
	bool related = false;

	for (size_t i = 0; i < t->index; i++) {
		if (of[i] == job && any_are(SAME_RANK, traces[i], t))
			return false;
		related |= of[i] == job && any_are(OTHER_RANK, traces[i], t);
	}
	return related;
}

static void all_pairs_agree(void **state)
{
	size_t joined = 0, apart = 0;

	(void)state;
	for (seed = 1; seed <= MODELS; seed++) {
		size_t of[TRACES], count = 0, listed = 0;
		unsigned number = seed;
		struct model m;

		fill(&m);
		for (size_t i = 0; i < m.trace_count; i++) {
			of[i] = 0;
			while (of[i] < count && !belongs(traces[i], of[i], of))
				of[i]++;
			count += of[i] == count;
			assert_int_equal(jobs_of(&m)->of[i], of[i]);
		}
		assert_int_equal(jobs_of(&m)->count, count);
		for (size_t i = 0; i < count; i++)
			for (size_t k = 0; k < m.jobs->list[i].count; k++, listed++)
				assert_int_equal(of[m.jobs->list[i].traces[k]], i);
		assert_int_equal(listed, m.trace_count);
		joined += m.trace_count - count;
		apart += count - 1;
		jobs_free(m.jobs);
		seed = number;
	}
	/* There was something to tell. */
	assert_true(joined > MODELS && apart > MODELS);
}

static void found_once(void **state)
{
	struct model m;

	(void)state;
	fill(&m);
	assert_ptr_equal(jobs_of(&m), jobs_of(&m));
	jobs_free(m.jobs);
	jobs_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_pairs_agree),
		cmocka_unit_test(found_once),
	};
	int failed;

	for (size_t i = 0; i < TRACES; i++)
		traces[i] = xcalloc(1, sizeof(*traces[i]));
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (size_t i = 0; i < TRACES; i++)
		free(traces[i]);
	return failed;
}

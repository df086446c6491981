/* SPDX-License-Identifier: MIT */
/*
 * A trace that crashes, stalls or eats the report's worker is left out; the others are reported. What is unfinished
 * is removed, however the worker ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>

#define STALL_SECONDS 1

#include "analysis/report/unfinished.c"
#include "analysis/worker.c"

bool team_is_meant(void)
{
	return false;
}

static char *names[] = { "a", "b", "c", "d", "e" };
static const struct options options = { .traces = names, .trace_count = 5 };

/* Every trace but the first and last is bad in a way of its own; 0 when exactly those were left out. */
static int read_all(const struct options *o, struct worker *w, char *const *broken)
{
	for (int i = 0; i < o->trace_count; i++) {
		w->trace = i;
		worker_progress();
		if (broken[i])
			continue;
		if (i == 1)
			abort();
		if (i == 2)
			for (volatile int forever = 1; forever; )
				;
		if (i == 3)
			exit(STATUS_NOTHING);	/* as when memory runs out */
	}
	w->stage = STAGE_REPORTING;
	return !broken[0] && strstr(broken[1], "crashed") && strstr(broken[2], "CPU time") &&
	       strstr(broken[3], "memory") && !broken[4] ? STATUS_OK : STATUS_FAIL_IF;
}

static void bad_traces_are_left_out(void **state)
{
	(void)state;
	assert_int_equal(worker_run(&options, read_all), STATUS_OK);
}

static int fail_when_writing(const struct options *o, struct worker *w, char *const *broken)
{
	(void)o;
	(void)broken;
	w->trace = 1;
	w->stage = STAGE_REPORTING;
	abort();
}

/* Crashing there is our own fault: no trace is blamed, and nothing is tried again. */
static void writing_is_not_repeated(void **state)
{
	(void)state;
	assert_int_equal(worker_run(&options, fail_when_writing), STATUS_UNWRITTEN);
}

static int say_partly(const struct options *o, struct worker *w, char *const *broken)
{
	(void)o;
	(void)broken;
	w->stage = STAGE_REPORTING;
	return STATUS_PARTLY;
}

static void status_is_passed_on(void **state)
{
	(void)state;
	assert_int_equal(worker_run(&options, say_partly), STATUS_PARTLY);
}

/* ---- what is unfinished ---- */

static char folder[64], file[80];
static int begun[2];		/* a pipe: written to when both are there */

static void begin_both(void)
{
	unfinished_add(folder);
	unfinished_add(file);
	if (mkdir(folder, 0700) || close(open(file, O_CREAT | O_EXCL | O_WRONLY, 0600)))
		_exit(99);
}

static int begin_and_crash(const struct options *o, struct worker *w, char *const *broken)
{
	(void)o;
	w->trace = 1;
	if (broken[1]) {
		w->stage = STAGE_REPORTING;
		return access(folder, F_OK) ? STATUS_OK : STATUS_FAIL_IF;
	}
	begin_both();
	abort();
}

static int begin_and_wait(const struct options *o, struct worker *w, char *const *broken)
{
	(void)o;
	(void)w;
	(void)broken;
	begin_both();
	if (write(begun[1], "", 1) == 1)
		pause();
	return STATUS_FAIL_IF;
}

static int finish_one(const struct options *o, struct worker *w, char *const *broken)
{
	char *path;

	(void)o;
	(void)broken;
	w->stage = STAGE_REPORTING;
	path = unfinished_add(folder);
	if (mkdir(folder, 0700))
		_exit(99);
	unfinished_done(path);
	return STATUS_OK;
}

static int name_both(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/dltrace-unfinished.%d", (int)getpid());
	snprintf(file, sizeof(file), "%s/file", folder);
	return 0;
}

static void a_crash_leaves_nothing(void **state)
{
	(void)state;
	assert_int_equal(worker_run(&options, begin_and_crash), STATUS_OK);
	assert_int_equal(access(folder, F_OK), -1);
}

static void a_signal_leaves_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		int status;
		pid_t pid;
		char byte;

		assert_int_equal(pipe(begun), 0);
		pid = fork();
		if (!pid) {
			signal(ends[i], SIG_DFL);
			setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
			_exit(worker_run(&options, begin_and_wait));
		}
		close(begun[1]);
		assert_int_equal(read(begun[0], &byte, 1), 1);
		kill(pid, ends[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == ends[i]);
		assert_int_equal(access(folder, F_OK), -1);
		close(begun[0]);
	}
}

static void what_is_done_stays(void **state)
{
	(void)state;
	assert_int_equal(worker_run(&options, finish_one), STATUS_OK);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_traces_are_left_out),
		cmocka_unit_test(writing_is_not_repeated),
		cmocka_unit_test(status_is_passed_on),
		cmocka_unit_test_setup(a_crash_leaves_nothing, name_both),
		cmocka_unit_test_setup(a_signal_leaves_nothing, name_both),
		cmocka_unit_test_setup(what_is_done_stays, name_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

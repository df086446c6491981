/* SPDX-License-Identifier: MIT */
/* What /proc and cgroups say, as files of a folder: lines of cores, lines that are too long, many groups, nested limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "record/folder.c"
#include "record/homes.c"
#include "record/orphans.c"
#include "record/say.c"
#include "sampler/emit_sample.c"
#include "sampler/machine.c"
#include "sampler/proc.c"
#include "sampler/ticks.c"

const int *const dlt_bridge_states[DLT_EVENTS];
dlt_emit_fn const dlt_bridge_emitters[DLT_EVENTS];

static char root[] = "/tmp/dltrace-proc.XXXXXX";

static const char *put(const char *name, const char *text)
{
	static char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

/* On a machine that has not long been up the line of all cores looks like one of core 734. */
static void all_cores_are_none(void **state)
{
	struct cores c = { .count = 0 };

	(void)state;
	proc_lines(put("stat", "cpu  734 0 210 90000 5 0 3 0 0 0\ncpu0 300 0 100 45000 2 0 1 0 0 0\n"
				"cpu1 434 0 110 45000 3 0 2 0 0 0\nctxt 5\nprocs_running 3\n"),
		   core_line, &c);
	assert_int_equal(c.online, 2);
	assert_int_equal(c.count, 2);
	assert_int_equal(c.runnable, 3);
	assert_int_equal(c.busy[0], 401 * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK)));
}

struct lines {
	unsigned count;
	char last[32];
};

static void take_line(void *data, char *line)
{
	struct lines *l = data;

	l->count++;
	snprintf(l->last, sizeof(l->last), "%s", line);
}

static void the_rest_of_a_long_line_is_none(void **state)
{
	static char text[20000];
	struct lines l = { 0 };
	size_t n;

	(void)state;
	for (size_t length = 4000; length < 12400; length += 97) {
		n = (size_t)snprintf(text, sizeof(text), "first\n");
		memset(text + n, 'x', length);
		snprintf(text + n + length, sizeof(text) - n - length, "\nlast\n");
		l.count = 0;
		proc_lines(put("long", text), take_line, &l);
		assert_int_equal(l.count, length > 4095 ? 2 : 3);
		assert_string_equal(l.last, "last");
	}
}

static void who_is_in_many_groups_is_read(void **state)
{
	static char text[40000];
	struct proc_status s;
	const char *path;
	size_t n = 0;

	(void)state;
	for (unsigned groups = 0; groups < 3000; groups += 70) {
		n = (size_t)snprintf(text, sizeof(text), "Name:\tpython\nState:\tS (sleeping)\nGroups:\t");
		for (unsigned i = 0; i < groups; i++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%u ", 1000000000 + i);
		snprintf(text + n, sizeof(text) - n, "\nNSpid:\t4711\t17\nVmHWM:\t    9 kB\nRssAnon:\t    5 kB\nRssFile:\t    6 kB\n"
						     "RssShmem:\t    7 kB\nVmLib:\t    9 kB\nThreads:\t8\n");
		path = put("status", text);
		assert_true(proc_read_status(path, &s));
		assert_int_equal(s.rss_anon, 5 << 10);
		assert_int_equal(s.rss_most, 9 << 10);
		assert_int_equal(s.libraries, 9 << 10);
		assert_int_equal(s.threads, 8);
		assert_int_equal(proc_innermost(path), 17);
	}
}

/* Files stay open up to a number, and make room when who they are of has ended. */
static void files_that_are_read_again_stay_open(void **state)
{
	struct proc_file theirs = { 0 }, ours = { 0 };
	struct proc_stat s;
	struct proc_status status;
	pid_t child = fork(), thread = 0;

	(void)state;
	if (child == 0)
		for (;;)
			pause();
	assert_true(proc_read_stat_again(&ours, getpid(), &s));
	assert_false(ours.kept);
	proc_keep(1);
	for (int i = 0; i < 2; i++) {
		assert_true(proc_read_stat_again(&theirs, child, &s));
		assert_true(theirs.kept);
		assert_true(proc_read_process(&ours, getpid(), &thread, &status));
		assert_false(ours.kept);
	}
	assert_int_equal(thread, 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_false(proc_read_stat_again(&theirs, child, &s));
	assert_false(theirs.kept);
	for (int i = 0; i < 2; i++) {
		assert_true(proc_read_process(&ours, getpid(), &thread, &status));
		assert_true(ours.kept && status.threads == 1 && status.rss_anon > 0);
	}
	proc_file_close(&ours);
	proc_keep(0);
}

/* The job's limit is above its task, and what is used against it is the job's. */
static void usage_is_of_the_folder_with_the_limit(void **state)
{
	struct cgroup g = { .version2 = true };
	char task[64], job[64];

	(void)state;
	snprintf(job, sizeof(job), "%s/job", root);
	snprintf(task, sizeof(task), "%s/job/task", root);
	mkdir(job, 0700);
	mkdir(task, 0700);
	put("job/memory.max", "1000000\n");
	put("job/memory.current", "900000\n");
	put("job/task/memory.max", "max\n");
	put("job/task/memory.current", "500\n");
	limits_at(&g, task, task);
	assert_string_equal(g.used_in, task);
	limits_at(&g, job, job);
	assert_int_equal(g.limit, 1000000);
	assert_string_equal(g.used_in, job);
}

static int make_root(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	(void)state;
	return folder_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_cores_are_none),
		cmocka_unit_test(the_rest_of_a_long_line_is_none),
		cmocka_unit_test(who_is_in_many_groups_is_read),
		cmocka_unit_test(files_that_are_read_again_stay_open),
		cmocka_unit_test(usage_is_of_the_folder_with_the_limit),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}

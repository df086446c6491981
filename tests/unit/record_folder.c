/* SPDX-License-Identifier: MIT */
/* What a sweep takes and what it leaves; what a recording takes out of an output folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/wait.h>

#include "record/folder.c"
#include "record/homes.c"
#include "record/orphans.c"
#include "record/say.c"
#include "sampler/proc.c"

#define LATER (time(NULL) + SETTLE)	/* whatever is there now has settled then */

static char place[] = "/tmp/dltrace-unit.XXXXXX";
static const char *const nothing[] = { ".", "..", NULL };

static const char *at(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", place, name);
	return path;
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

static void put(const char *folder, const char *name)
{
	char file[96];
	FILE *f;

	mkdir(at(folder), 0700);
	snprintf(file, sizeof(file), "%s/%s", folder, name);
	f = fopen(at(file), "w");
	assert_non_null(f);
	fclose(f);
}

/* As if its recorder had been killed. */
static void leave(struct private_folder *f)
{
	assert_int_equal(make_in(place, f), 0);
	close(f->lock);
}

static void dead_recordings_are_swept(void **state)
{
	struct private_folder alive, dead, half;
	char lock[80];

	(void)state;
	assert_int_equal(make_in(place, &alive), 0);
	leave(&dead);
	leave(&half);
	snprintf(lock, sizeof(lock), "%s/lock", half.path);
	assert_int_equal(unlink(lock), 0);
	sweep(place, time(NULL) - SETTLE);
	assert_true(is_there(dead.path));	/* it may be about to take its lock */
	assert_true(is_there(half.path));
	sweep(place, LATER);
	assert_true(is_there(alive.path));
	assert_false(is_there(dead.path));
	assert_false(is_there(half.path));
	private_folder_remove(&alive);
	assert_int_equal(count_others(place, nothing), 0);
}

/* Who writes to that log, as a daemon does; leads: a session of its own, as one of several recordings does. */
static pid_t write_to_log(const struct private_folder *f, bool leads)
{
	char path[80];
	pid_t pid;
	int fds[2], log;

	snprintf(path, sizeof(path), "%s/log", f->path);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		log = open(path, O_WRONLY | O_CREAT, 0600);
		if (log < 0 || dup2(log, STDOUT_FILENO) < 0 || (leads && setsid() < 0))
			_exit(1);
		close(fds[0]);
		close(fds[1]);
		for (;;)
			pause();
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], path, 1), 0);
	close(fds[0]);
	return pid;
}

static void their_daemons_end(void **state)
{
	struct private_folder dead, alive;
	pid_t own, shared, living;
	int status;

	(void)state;
	leave(&dead);
	assert_int_equal(make_in(place, &alive), 0);
	own = write_to_log(&dead, false);
	shared = write_to_log(&dead, true);
	living = write_to_log(&alive, false);
	sweep(place, LATER);
	alarm(20);	/* should it live */
	assert_int_equal(waitpid(own, &status, 0), own);
	alarm(0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(waitpid(shared, &status, WNOHANG), 0);
	assert_int_equal(waitpid(living, &status, WNOHANG), 0);
	kill(shared, SIGKILL);
	kill(living, SIGKILL);
	waitpid(shared, NULL, 0);
	waitpid(living, NULL, 0);
	private_folder_remove(&alive);
}

static void users_folders_stay(void **state)
{
	static const struct {
		const char *folder, *file;
	} users[] = {
		{ "dltrace-python3-20260102-030405-678", "recording" },
		{ "dltrace-678-abcdef", "lock" },
		{ ".dltrace-678-abcdefg", "lock" },
		{ ".dltrace-abcdef", "lock" },
		{ ".dltrace-678-abcdef", "recording" },
	};

	(void)state;
	put(".dltrace-678-abcdef", "lock");
	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++)
		put(users[i].folder, users[i].file);
	sweep(place, LATER);
	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++)
		assert_true(is_there(at(users[i].folder)));
}

static void what_was_recorded_goes(void **state)
{
	char absolute[PATH_MAX], output[96];
	bool made;

	(void)state;
	snprintf(output, sizeof(output), "%s", at("parent/output/"));
	assert_int_equal(output_folder_make(output, absolute, &made), 0);
	assert_true(made);
	assert_int_equal(output_folder_make(output, absolute, &made), 0);
	assert_false(made);
	put("parent/output", "recording");
	put("parent/output", "labels");
	put("parent/output/ust", "metadata");
	put("parent/output/archives", "metadata");
	assert_int_equal(output_folder_make(output, absolute, &made), -ENOTEMPTY);
	output_folder_clear(absolute);
	assert_true(is_there(at("parent/output/labels")));
	assert_int_equal(count_others(absolute, nothing), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dead_recordings_are_swept),
		cmocka_unit_test(their_daemons_end),
		cmocka_unit_test(users_folders_stay),
		cmocka_unit_test(what_was_recorded_goes),
	};
	int failed;

	if (!mkdtemp(place))
		return 99;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	folder_remove(place);
	return failed;
}

/* SPDX-License-Identifier: MIT */
/* What a sweep takes and what it leaves; what a recording takes out of an output folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "record/folder.c"
#include "record/homes.c"
#include "record/say.c"

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

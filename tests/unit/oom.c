/* SPDX-License-Identifier: MIT */
/* Where the kernel's count of those that it has killed for lack of memory is, and whom it is taken for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/oom.c"

static char place[] = "/tmp/dltrace-unit.XXXXXX";
static char groups[64];

static void put(const char *file, const char *text)
{
	char path[PATH_MAX];
	FILE *f;

	for (const char *slash = strchr(file, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(path, sizeof(path), "%s/%.*s", place, (int)(slash - file), file);
		mkdir(path, 0700);
	}
	snprintf(path, sizeof(path), "%s/%s", place, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void begin(const char *own)
{
	put("own", own);
	oom_begin(groups, place);
}

static void version_2(void **state)
{
	(void)state;
	put("job/memory.events", "low 0\noom 3\noom_kill 2\noom_group_kill 0\n");
	begin("0::/job\n");
	assert_false(oom_has_killed());
	put("job/memory.events", "low 0\noom 5\noom_kill 4\n");
	assert_true(oom_has_killed());
	assert_true(oom_has_killed());
	assert_false(oom_has_killed());
}

static void version_1(void **state)
{
	(void)state;
	put("memory/a:b/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
	begin("9:name=memory:/\n5:cpu,memoryx:/\n4:hugetlb,memory:/a:b\n0::/job\n");
	assert_false(oom_has_killed());
	put("memory/a:b/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
	assert_true(oom_has_killed());
	assert_false(oom_has_killed());
}

static void a_container_that_is_shown_the_hosts_path(void **state)
{
	(void)state;
	put("memory.events", "oom_kill 7\n");
	begin("0::/docker/4711\n");
	assert_false(oom_has_killed());
	put("memory.events", "oom_kill 8\n");
	assert_true(oom_has_killed());
}

static void none_is_known(void **state)
{
	static const char *const without[] = { "", "4:memory\n", "0::/none\n", "3:cpu:/job\n", "nonsense\n" };

	(void)state;
	put("memory.events", "low 0\n");	/* Linux before 4.13 */
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		begin(without[i]);
		assert_false(oom_has_killed());
	}
	oom_begin("/nonexistent", place);
	put("memory.events", "oom_kill 1\n");
	assert_false(oom_has_killed());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_2),
		cmocka_unit_test(version_1),
		cmocka_unit_test(a_container_that_is_shown_the_hosts_path),
		cmocka_unit_test(none_is_known),
	};
	char command[64];
	int failed;

	if (!mkdtemp(place))
		return 1;
	snprintf(groups, sizeof(groups), "%s/own", place);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", place);
	return system(command) || failed;
}

/* SPDX-License-Identifier: MIT */
/* dltrace-record's pure parts: units, patterns of -o, channel sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "record/limits.c"
#include "record/pattern.c"
#include "record/plan.c"
#include "record/units.c"

static void sizes_need_units(void **state)
{
	uint64_t n;

	(void)state;
	assert_int_equal(parse_size("64K", &n), 0);
	assert_int_equal(n, 65536);
	assert_int_equal(parse_size("1.5M", &n), 0);
	assert_int_equal(n, 3 << 19);
	assert_int_equal(parse_size("0", &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(parse_size("12B", &n), 0);
	assert_int_equal(n, 12);
	assert_int_equal(parse_time("10ms", &n), 0);
	assert_int_equal(n, 10000000);
	assert_int_equal(parse_time("2m", &n), 0);
	assert_int_equal(n, 120000000000);
	for (const char *const *bad = (const char *const[]){ "64", "", "K", "-1K", "nanK", NULL }; *bad; bad++)
		assert_int_equal(parse_size(*bad, &n), -EINVAL);
	for (const char *const *bad = (const char *const[]){ "1e3K", "0x4K", "4 K", "64KK", "64k", "1KB", NULL }; *bad; bad++)
		assert_int_equal(parse_size(*bad, &n), -EDOM);
	assert_int_equal(parse_size("9999999999T", &n), -ERANGE);
	for (const char *const *bad = (const char *const[]){ "5", "s", NULL }; *bad; bad++)
		assert_int_equal(parse_time(*bad, &n), -EINVAL);
	for (const char *const *bad = (const char *const[]){ "5 s", "1K", NULL }; *bad; bad++)
		assert_int_equal(parse_time(*bad, &n), -EDOM);
}

/* What the command line takes is written into the environment as it is, and read there by the process. */
static void processes_read_the_same(void **state)
{
	uint64_t n;

	(void)state;
	for (const char *const *text = (const char *const[]){ "64K", "1.5M", "0.5M", "10000000B", "12KiB", "3.25G", "7T",
							      "8388607T", NULL }; *text; text++) {
		assert_int_equal(parse_size(*text, &n), 0);
		assert_int_equal(dlt_units_bytes(*text), n);
	}
	for (const char *const *text = (const char *const[]){ "500ns", "2000000us", "1.5ms", "10s", "2m", "1h", "1d",
							      NULL }; *text; text++) {
		assert_int_equal(parse_time(*text, &n), 0);
		assert_int_equal(dlt_units_ns(*text), n);
	}
	assert_int_equal(dlt_units_bytes("1.5M"), 1572864);
	assert_int_equal(dlt_units_bytes("10000000"), 10000000);
	assert_int_equal(dlt_units_bytes("1"), 1);
	assert_int_equal(dlt_units_ns("1h"), 3600000000000);
	for (const char *const *bad = (const char *const[]){ "", "K", "5 ", "64x", "-1", "9223372036854775808", NULL }; *bad;
	     bad++)
		assert_int_equal(dlt_units_bytes(*bad), 0);
	assert_int_equal(dlt_units_ns("5"), 0);
}

/* 50 days are 4,320,000,000 ms. */
static void poll_takes_days(void **state)
{
	const uint64_t day = 86400000000000;

	(void)state;
	assert_int_equal(poll_time(1), 1);
	assert_int_equal(poll_time(1000000), 1);
	assert_int_equal(poll_time(1500000000), 1500);
	assert_int_equal(poll_time(24 * day), 2073600000);
	assert_int_equal(poll_time(25 * day), INT_MAX);
	assert_int_equal(poll_time((1ULL << 32) * 1000000), INT_MAX);
	assert_int_equal(poll_time(50 * day), INT_MAX);
	assert_int_equal(poll_time(UINT64_MAX), INT_MAX);
}

static void people_read_figures(void **state)
{
	char out[32];

	(void)state;
	assert_string_equal(format_size(512, out, sizeof(out)), "512 B");
	assert_string_equal(format_size(3 << 19, out, sizeof(out)), "1.5 MiB");
	assert_string_equal(format_count(0, out, sizeof(out)), "0");
	assert_string_equal(format_count(1234567, out, sizeof(out)), "1,234,567");
	assert_string_equal(format_count(999, out, sizeof(out)), "999");
	assert_string_equal(format_time(12340000000, out, sizeof(out)), "12.3 s");
}

static void patterns_expand(void **state)
{
	char out[64], expected[64];
	const char *bad;

	(void)state;
	setenv("DLT_TEST", "x/y", 1);
	setenv("OMPI_COMM_WORLD_RANK", "7", 1);
	snprintf(expected, sizeof(expected), "t-%d-7-x/y-%%", (int)getpid());
	assert_int_equal(pattern_expand("t-%p-%r-%q{DLT_TEST}-%%", out, sizeof(out), &bad), 0);
	assert_string_equal(out, expected);
	assert_int_equal(pattern_expand("a%z", out, sizeof(out), &bad), -EINVAL);
	assert_string_equal(bad, "%z");
	assert_int_equal(pattern_expand("a%", out, sizeof(out), &bad), -EINVAL);
	assert_int_equal(pattern_expand("%q{DLT_NOT_SET}", out, sizeof(out), &bad), -EINVAL);
	assert_int_equal(pattern_expand("%q{DLT_TEST", out, sizeof(out), &bad), -EINVAL);
	assert_int_equal(pattern_expand("%q{DLT_TEST}", out, 3, &bad), -ENAMETOOLONG);
}

static const char *const *variables;	/* name, value, ..., NULL */

static const char *given(const char *name)
{
	for (size_t i = 0; variables[i]; i += 2)
		if (strcmp(variables[i], name) == 0)
			return variables[i + 1];
	return NULL;
}

static void ranks_by_launcher(void **state)
{
	static const struct {
		const char *const given[12];
		int rank, size, local;
	} cases[] = {
		{ { "RANK", "3", "WORLD_SIZE", "4", "LOCAL_RANK", "1" }, 3, 4, 1 },
		{ { "RANK", "3" }, -1, -1, -1 },
		{ { "RANK", "gold", "WORLD_SIZE", "4" }, -1, -1, -1 },
		{ { "RANK", "4", "WORLD_SIZE", "4" }, -1, -1, -1 },
		{ { "RANK", "99999999999", "WORLD_SIZE", "4" }, -1, -1, -1 },
		{ { "HOROVOD_RANK", "0", "HOROVOD_SIZE", "2", "HOROVOD_LOCAL_RANK", "0" }, 0, 2, 0 },
		{ { "OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE", "2", "PMIX_RANK", "1",
		    "OMPI_COMM_WORLD_LOCAL_RANK", "1" }, 1, 2, 1 },
		{ { "PMI_RANK", "1", "PMI_SIZE", "2", "MPI_LOCALRANKID", "1" }, 1, 2, 1 },
		{ { "SLURM_PROCID", "5", "SLURM_STEP_NUM_TASKS", "8", "SLURM_LOCALID", "2" }, 5, 8, 2 },
		/* A batch script is no rank; torchrun under srun has its own ones. */
		{ { "SLURM_PROCID", "0", "SLURM_NTASKS", "8" }, -1, -1, -1 },
		{ { "SLURM_PROCID", "1", "SLURM_STEP_NUM_TASKS", "2", "RANK", "7", "WORLD_SIZE", "8" }, 7, 8, -1 },
		{ { "PMIX_RANK", "1" }, 1, -1, -1 },
		{ { "FLUX_TASK_RANK", "1", "FLUX_JOB_SIZE", "2", "FLUX_TASK_LOCAL_ID", "0" }, 1, 2, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dlt_rank r;

		variables = cases[i].given;
		r = dlt_rank_find(given);
		assert_int_equal(r.rank, cases[i].rank);
		assert_int_equal(r.size, cases[i].size);
		assert_int_equal(r.local, cases[i].local);
	}
}

#define MACHINE(c, s, f, d) .cpus = (c), .shm_free = (s), .descriptors = (f), .disk_free = (d)

static void buffers_fit_the_machine(void **state)
{
	const struct plan_machine desk = { MACHINE(8, 8ULL << 30, 1024, 0) };
	const struct plan_machine big = { MACHINE(128, 64ULL << 30, 1024, 0) };
	const struct plan_machine container = { MACHINE(8, 64 << 20, 1024, 0) };
	const struct plan_machine tiny = { MACHINE(64, 1 << 20, 1024, 0) };
	const struct plan_machine few = { MACHINE(128, 64ULL << 30, 256, 0) };
	const struct plan_machine closed = { MACHINE(8, 8ULL << 30, 1024, 0), .shm_closed = true };
	const struct plan_machine crowded = { MACHINE(8, 8ULL << 30, 1024, 0), .crowded = true };
	const struct plan_machine tight = { MACHINE(8, 8ULL << 30, 1024, 0), .too_tight = "too tight" };
	const struct plan_machine small_disk = { MACHINE(2, 8ULL << 30, 1024, 16 << 20) };
	struct plan_machine here;
	struct rlimit files;
	struct plan p;

	(void)state;
	assert_int_equal(plan_make(&p, LEVEL_CALLS, &desk), 0);
	assert_int_equal(p.count, 2);
	assert_int_equal(p.channels[1].subbuf_size, 1 << 20);
	assert_int_equal(plan_make(&p, LEVEL_CALLS, &container), 0);
	assert_true(plan_memory(&p, 8) <= 16 << 20);
	assert_true(p.channels[0].subbuf_size >= 4096);
	assert_int_equal(p.channels[0].switch_timer, 1000000);
	assert_int_equal(plan_make(&p, LEVEL_SUMMARY, &desk), 0);
	assert_int_equal(p.channels[0].switch_timer, 10000000);
	assert_int_equal(plan_make(&p, LEVEL_FULL, &big), 0);
	assert_int_equal(p.count, 1);
	assert_true(plan_memory(&p, 128) <= 512 << 20);
	assert_int_equal(plan_make(&p, LEVEL_CALLS, &small_disk), 0);
	assert_true(plan_memory(&p, 2) <= 2 << 20);
	assert_int_equal(plan_level(LEVEL_CALLS, &small_disk), LEVEL_SUMMARY);
	assert_int_equal(plan_level(LEVEL_CALLS, &desk), LEVEL_CALLS);
	assert_int_equal(plan_make(&p, LEVEL_SUMMARY, &tiny), -ENOSPC);
	assert_int_equal(plan_make(&p, LEVEL_SUMMARY, &few), -EMFILE);
	assert_int_equal(plan_make(&p, LEVEL_SUMMARY, &closed), -EROFS);
	assert_int_equal(plan_make(&p, LEVEL_SUMMARY, &tight), -EDQUOT);
	assert_int_equal(plan_make(&p, LEVEL_SUMMARY, &crowded), -EAGAIN);
	/* Where processes have no descriptors of LTTng's it is the sampler that has them, which raises its limit. */
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = 64;
	setrlimit(RLIMIT_NOFILE, &files);
	plan_read_machine(&here, "", true);
	assert_int_equal(here.descriptors, 64);
	plan_read_machine(&here, "", false);
	assert_true(here.descriptors == files.rlim_max || here.descriptors == 1 << 20);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

static void levels_grow(void **state)
{
	(void)state;
	assert_int_equal(level_parse("summary"), LEVEL_SUMMARY);
	assert_int_equal(level_parse("full"), LEVEL_FULL);
	assert_int_equal(level_parse("Full"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_need_units),
		cmocka_unit_test(processes_read_the_same),
		cmocka_unit_test(poll_takes_days),
		cmocka_unit_test(people_read_figures),
		cmocka_unit_test(patterns_expand),
		cmocka_unit_test(ranks_by_launcher),
		cmocka_unit_test(buffers_fit_the_machine),
		cmocka_unit_test(levels_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

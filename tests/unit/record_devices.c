/* SPDX-License-Identifier: MIT */
/* Energy counters that wrap and that are not there; a machine without NVML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "sampler/emit_sample.c"
#include "sampler/proc.c"
#include "sampler/ticks.c"
#include "record/energy.c"
#include "record/folder.c"
#include "record/homes.c"
#include "record/gpu.c"
#include "record/orphans.c"
#include "record/say.c"

static const int one = 1;
const int *const dlt_bridge_states[DLT_EVENTS] = { [0 ... DLT_EVENTS - 1] = &one };
static uint64_t energy;
static char domain[64];

static void take(const void *event)
{
	const struct dlt_ev_record_energy *e = event;

	energy = e->energy;
	snprintf(domain, sizeof(domain), "%s", e->domain);
}

dlt_emit_fn const dlt_bridge_emitters[DLT_EVENTS] = { [DLT_EV_RECORD_ENERGY] = take };

static void put(const char *folder, const char *file, const char *text)
{
	char path[128];
	FILE *f;

	mkdir(folder, 0700);
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static char root[] = "/tmp/dltrace-energy.XXXXXX";

/* Its path, until the next call; counter NULL: it may not be read. */
static const char *put_domain(const char *entry, const char *name, const char *counter)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", root, entry);
	put(path, "name", name);
	if (counter)
		put(path, "energy_uj", counter);
	return path;
}

static int make_root(void **state)
{
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	(void)state;
	return folder_remove(root);
}

static void counters_wrap(void **state)
{
	const char *part;

	(void)state;
	put_domain("intel-rapl:0", "package-0\n", NULL);
	part = put_domain("intel-rapl:0:1", "dram\n", "900\n");
	put(part, "max_energy_range_uj", "1000\n");
	assert_int_equal(energy_init(root), 1);	/* the package has no counter that may be read */
	put(part, "energy_uj", "950\n");
	energy_tick();
	assert_int_equal(energy, 950);
	assert_string_equal(domain, "package-0 dram");
	put(part, "energy_uj", "20\n");
	energy_tick();
	assert_int_equal(energy, 1020);
	assert_int_equal(energy_init("/nonexistent"), 0);
}

static void a_package_is_there_once(void **state)
{
	(void)state;
	put_domain("intel-rapl:0", "package-0\n", "900\n");
	put_domain("intel-rapl-mmio:0", "package-0\n", "50000000\n");
	assert_int_equal(energy_init(root), 1);
	energy_tick();
	assert_int_equal(energy, 900);
}

static void no_nvml(void **state)
{
	(void)state;
	if (access("/dev/nvidiactl", F_OK) != 0)
		assert_int_equal(find_gpus(), 0);
	gpu_tick(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counters_wrap, make_root, remove_root),
		cmocka_unit_test_setup_teardown(a_package_is_there_once, make_root, remove_root),
		cmocka_unit_test(no_nvml),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

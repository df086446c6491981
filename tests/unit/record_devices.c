/* SPDX-License-Identifier: MIT */
/* Energy counters that wrap and that are not there; a machine without NVML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "sampler/emit_sample.c"
#include "record/energy.c"
#include "record/folder.c"
#include "record/gpu.c"
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

static void counters_wrap(void **state)
{
	char root[] = "/tmp/dltrace-energy.XXXXXX", package[64], part[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(package, sizeof(package), "%s/intel-rapl:0", root);
	snprintf(part, sizeof(part), "%s/intel-rapl:0:1", root);
	put(package, "name", "package-0\n");
	put(part, "name", "dram\n");
	put(part, "energy_uj", "900\n");
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
	assert_int_equal(folder_remove(root), 0);
}

static void a_package_is_there_once(void **state)
{
	char root[] = "/tmp/dltrace-energy.XXXXXX", package[64], twin[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(package, sizeof(package), "%s/intel-rapl:0", root);
	snprintf(twin, sizeof(twin), "%s/intel-rapl-mmio:0", root);
	put(package, "name", "package-0\n");
	put(package, "energy_uj", "900\n");
	put(twin, "name", "package-0\n");
	put(twin, "energy_uj", "50000000\n");
	assert_int_equal(energy_init(root), 1);
	energy_tick();
	assert_int_equal(energy, 900);
	assert_int_equal(folder_remove(root), 0);
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
		cmocka_unit_test(counters_wrap),
		cmocka_unit_test(a_package_is_there_once),
		cmocka_unit_test(no_nvml),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

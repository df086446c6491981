/* SPDX-License-Identifier: MIT */
/* How often to sample, and whether at all. */
#include <stdlib.h>

#include "emit_sample.h"
#include "sampler.h"
#include "tracepoints/units.h"

#define MS 1000000ull

/* ns of DLTRACE_SAMPLE; 0: not set. */
static uint64_t asked_for(void)
{
	static uint64_t asked = UINT64_MAX;

	if (asked == UINT64_MAX) {
		const char *text = getenv("DLTRACE_SAMPLE");

		asked = text ? dlt_units_ns(text) : 0;
		if (asked && asked < MS)
			asked = MS;
	}
	return asked;
}

static bool only_summary(void)
{
	static const enum dlt_event calls[] = {
		DLT_EV_HEAP_ALLOC, DLT_EV_MAP_MAP, DLT_EV_CUDA_LAUNCH, DLT_EV_CUDA_ALLOC, DLT_EV_CPU_BLAS,
		DLT_EV_COMM_CALL,
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (sample_enabled(calls[i]))
			return false;
	return true;
}

uint64_t sampler_period(void)
{
	if (asked_for())
		return asked_for();
	return only_summary() ? 1000 * MS : 100 * MS;
}

bool sampler_is_sparse(void)
{
	return !asked_for() && only_summary();
}

bool sampler_wanted(void)
{
	return sample_enabled(DLT_EV_SAMPLE_PROCESS) || sample_enabled(DLT_EV_SAMPLE_THREAD) ||
	       sample_enabled(DLT_EV_SAMPLE_FUNCTION) || sample_enabled(DLT_EV_SAMPLE_MACHINE);
}

/* SPDX-License-Identifier: MIT */
/*
 * Numbers of functions in the records of calls, and their names: those that matter as CUPTI's, the others by their rows
 * in the tables; and whose records are switched on or off one by one.
 */
#include <string.h>

#include "cupti_records.h"
#include "functions.h"

#define FUNCTIONS 2048
#define FIRST 600	/* of those of a layer that come by their rows */
#define CACHE 256	/* names whose number is remembered; a power of 2 */

enum { BY_KIND, OUT, IN };

static const struct { int first, last; } layers[] = {	/* runtime, driver */
	{ DLT_FN_FIRST_runtime, DLT_FN_LAST_runtime }, { DLT_FN_FIRST_driver, DLT_FN_LAST_driver },
};
static const char *const own[2][FIRST] = {
	{ [17] = "cudaGetDevice", [132] = "cudaStreamQuery", [138] = "cudaEventQuery", [240] = "cudaStreamQuery_ptsz" },
	{ [120] = "cuEventQuery", [125] = "cuStreamQuery", [304] = "cuCtxGetCurrent", [439] = "cuStreamQuery_ptsz" },
};
static uint8_t states[2][FUNCTIONS];

static const char *name_of(int driver, uint32_t function)
{
	int row = layers[driver].first + (int)function - FIRST;

	if (function < FIRST)
		return own[driver][function];
	return row <= layers[driver].last ? dlt_functions[row].name : NULL;
}

static uint32_t look_for(int driver, const char *name)
{
	for (uint32_t i = 1; i < FUNCTIONS; i++)
		if (name_of(driver, i) && strcmp(name_of(driver, i), name) == 0)
			return i;
	return 0;
}

uint32_t cupti_function(int driver, const char *name)
{
	static const char *cached[2][CACHE];
	static uint32_t numbers[2][CACHE];
	size_t at = (uintptr_t)name / 8 % CACHE;

	if (cached[driver][at] != name) {	/* the caller has the lock */
		numbers[driver][at] = look_for(driver, name);
		cached[driver][at] = name;
	}
	return numbers[driver][at];
}

int cuptiGetCallbackName(int domain, uint32_t function, const char **name)
{
	const char *found = (domain == 1 || domain == 2) && function < FUNCTIONS ? name_of(domain == 1, function) : NULL;

	if (!found || !name)
		return INVALID_PARAMETER;
	*name = found;
	return OK;
}

int cupti_wants(int driver, uint32_t function, int kind_is_on)
{
	return states[driver][function] == BY_KIND ? kind_is_on : states[driver][function] == IN;
}

void cupti_by_kind(int driver)
{
	memset(states[driver], BY_KIND, sizeof(states[0]));
}

static int switch_one(int driver, uint32_t function, int on)
{
	if (function >= FUNCTIONS || !name_of(driver, function))
		return INVALID_PARAMETER;
	cupti_listens();
	states[driver][function] = on ? IN : OUT;
	return OK;
}

int cuptiActivityEnableRuntimeApi(uint32_t function, uint8_t enable);
int cuptiActivityEnableRuntimeApi(uint32_t function, uint8_t enable)
{
	return switch_one(0, function, enable);
}

int cuptiActivityEnableDriverApi(uint32_t function, uint8_t enable);
int cuptiActivityEnableDriverApi(uint32_t function, uint8_t enable)
{
	return switch_one(1, function, enable);
}

/* SPDX-License-Identifier: MIT */
/*
 * Numbers of functions in the records of calls, and their names: as CUPTI's, but counted as they come, most of them; and
 * of which there are to be none.
 */
#include <pthread.h>
#include <string.h>

#include "cupti_records.h"

#define FUNCTIONS 2048
#define FIRST 1000	/* of those that are counted */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *names[FUNCTIONS] = {	/* by number; 0 is none */
	[17] = "cudaGetDevice", [304] = "cuCtxGetCurrent",
	[120] = "cuEventQuery", [125] = "cuStreamQuery", [439] = "cuStreamQuery_ptsz",
	[132] = "cudaStreamQuery", [138] = "cudaEventQuery", [240] = "cudaStreamQuery_ptsz",
};
static uint32_t count = FIRST;
static uint8_t left_out[2][512];	/* of runtime and driver, by number */

uint32_t cupti_function(const char *name)
{
	uint32_t i = 1;

	pthread_mutex_lock(&lock);
	while (i < count && (!names[i] || strcmp(names[i], name) != 0))
		i++;
	if (i == count && count < FUNCTIONS)
		names[count++] = name;
	pthread_mutex_unlock(&lock);
	return i < FUNCTIONS ? i : 0;
}

int cuptiGetCallbackName(int domain, uint32_t function, const char **name)
{
	(void)domain;
	if (function >= count || !names[function] || !name)
		return 1;
	*name = names[function];
	return 0;
}

int cupti_is_left_out(int driver, uint32_t function)
{
	return function < sizeof(left_out[0]) && left_out[driver][function];
}

void cupti_leave_out_none(int driver)
{
	memset(left_out[driver], 0, sizeof(left_out[0]));
}

static int leave_out(int driver, uint32_t function, int out)
{
	if (function >= sizeof(left_out[0]))
		return INVALID_PARAMETER;
	left_out[driver][function] = (uint8_t)out;
	return OK;
}

int cuptiActivityEnableRuntimeApi(uint32_t function, uint8_t enable);
int cuptiActivityEnableRuntimeApi(uint32_t function, uint8_t enable)
{
	return leave_out(0, function, !enable);
}

int cuptiActivityEnableDriverApi(uint32_t function, uint8_t enable);
int cuptiActivityEnableDriverApi(uint32_t function, uint8_t enable)
{
	return leave_out(1, function, !enable);
}

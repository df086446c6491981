/* SPDX-License-Identifier: MIT */
/* A small table of contexts, and each thread's stack of devices, a byte a level. */
#include "contexts.h"

#include <stddef.h>
#include <stdint.h>

#include "streams.h"

#define CONTEXTS 256		/* programs have one a device */
#define DEVICE_BITS 8

/* context << DEVICE_BITS | device, one word so that it is never half there; 0: free. */
static uint64_t contexts[CONTEXTS];
static __thread uint64_t below __attribute__((tls_model("initial-exec")));

static uint64_t key_of(const void *context)
{
	return (uint64_t)(uintptr_t)context << DEVICE_BITS;
}

static uint64_t *place_of(const void *context)
{
	for (unsigned i = 0; i < CONTEXTS; i++) {
		uint64_t seen = __atomic_load_n(&contexts[i], __ATOMIC_RELAXED);

		if (!seen || seen >> DEVICE_BITS << DEVICE_BITS == key_of(context))
			return &contexts[i];
	}
	return NULL;
}

void dlt_context_known(const void *context, int device)
{
	uint64_t *place = context ? place_of(context) : NULL;
	uint64_t seen = place ? __atomic_load_n(place, __ATOMIC_RELAXED) : 0;

	/* Somebody else took it: the next call for this context finds another place. */
	if (place)
		__atomic_compare_exchange_n(place, &seen, key_of(context) | (uint8_t)device, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void dlt_context_set(const void *context)
{
	const uint64_t *place = context ? place_of(context) : NULL;

	if (place && *place)
		dlt_device_set((uint8_t)*place);
}

void dlt_context_push(const void *context)
{
	below = below << DEVICE_BITS | dlt_device();
	dlt_context_set(context);
}

void dlt_context_made(const void *context, int device)
{
	dlt_context_known(context, device);
	dlt_context_push(context);
}

void dlt_context_pop(void)
{
	dlt_device_set((uint8_t)below);
	below >>= DEVICE_BITS;
}

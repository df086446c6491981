/* SPDX-License-Identifier: MIT */
/* CUDA contexts by small ids, and each thread's stack of them. */
#include "contexts.h"

#include <stdbool.h>
#include <stddef.h>

#include "ledger.h"
#include "streams.h"

#define DEVICES 256
#define DEPTH 16	/* of a thread's stack; deeper ones are forgotten */

/* Index is the id; 0 is not used. A handle that is gone is free again. */
static struct {
	uintptr_t handle;
	int device;
	bool primary;
} contexts[DLT_CONTEXTS];
static unsigned used = 1;	/* ids that were ever given; never falls */

static uint32_t retained[DEVICES];	/* how often the primary one of each is held */

__thread uint8_t dlt_context_current;
static __thread struct {
	uint8_t context, device;
} below[DEPTH];
static __thread unsigned depth;

/* Frameworks make contexts current at each step: there are few, so a walk is quick. */
static unsigned find(uintptr_t handle)
{
	unsigned most = __atomic_load_n(&used, __ATOMIC_ACQUIRE);

	for (unsigned i = 1; i < most; i++)
		if (__atomic_load_n(&contexts[i].handle, __ATOMIC_ACQUIRE) == handle)
			return i;
	return 0;
}

static void raise_used(unsigned count)
{
	unsigned now = __atomic_load_n(&used, __ATOMIC_RELAXED);

	while (now < count && !__atomic_compare_exchange_n(&used, &now, count, false, __ATOMIC_RELEASE,
							   __ATOMIC_RELAXED))
		;
}

static void note(const void *context, int device, bool primary)
{
	uintptr_t handle = (uintptr_t)context;
	unsigned there = handle ? find(handle) : 0;

	/* Known, or the handle of one whose end was not seen. */
	if (there)
		contexts[there].device = device;
	if (there || !handle)
		return;
	for (unsigned i = 1; i < DLT_CONTEXTS; i++) {
		uintptr_t none = 0;

		/* Nobody else knows this handle before the call that is ending here has returned. */
		if (!__atomic_compare_exchange_n(&contexts[i].handle, &none, handle, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		contexts[i].device = device;
		contexts[i].primary = primary;
		raise_used(i + 1);
		return;
	}
}

void dlt_context_known(const void *context, int device)
{
	note(context, device, true);
}

void dlt_context_retained(const void *context, int device)
{
	dlt_context_known(context, device);
	if (device >= 0 && device < DEVICES)
		__atomic_add_fetch(&retained[device], 1, __ATOMIC_RELAXED);
}

/* One that nobody was seen to ask for ends nothing: more of them may not have been seen. */
void dlt_context_released(int device)
{
	uint32_t count = device >= 0 && device < DEVICES ? __atomic_load_n(&retained[device], __ATOMIC_RELAXED) : 0;

	while (count && !__atomic_compare_exchange_n(&retained[device], &count, count - 1, false, __ATOMIC_RELAXED,
						     __ATOMIC_RELAXED))
		;
	if (count == 1)
		dlt_ledger_reset((uint8_t)device);
}

void dlt_context_made(const void *context, int device)
{
	note(context, device, false);
	dlt_context_push(context);
}

static void become(const void *context)
{
	unsigned id = context ? find((uintptr_t)context) : 0;

	dlt_context_current = contexts[id].primary ? 0 : (uint8_t)id;
	if (id)
		dlt_device_set(contexts[id].device);
}

void dlt_context_push(const void *context)
{
	if (depth < DEPTH) {
		below[depth].context = dlt_context_current;
		below[depth].device = dlt_device();
	}
	depth++;
	become(context);
}

/* It replaces the top of the stack, is its first, or, NULL, takes the top off. */
void dlt_context_set(const void *context)
{
	if (!context)
		dlt_context_pop();
	else if (!depth)
		dlt_context_push(context);
	else
		become(context);
}

uint8_t dlt_context_device(const void *context)
{
	unsigned id = context ? find((uintptr_t)context) : 0;

	return id ? (uint8_t)contexts[id].device : dlt_device();
}

void dlt_context_alias(const void *context, const void *green)
{
	dlt_context_known(context, dlt_context_device(green));
}

void dlt_context_pop(void)
{
	if (!depth || --depth >= DEPTH)
		return;
	dlt_context_current = below[depth].context;
	dlt_device_set(below[depth].device);
}

void dlt_context_gone(const void *context)
{
	unsigned id = context ? find((uintptr_t)context) : 0;

	if (!id)
		return;
	dlt_ledger_context_gone((uint8_t)id);
	if (dlt_context_current == id)
		dlt_context_pop();
	__atomic_store_n(&contexts[id].handle, 0, __ATOMIC_RELEASE);
}

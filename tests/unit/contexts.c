/* SPDX-License-Identifier: MIT */
/* Contexts: which is current, whose device it has, and what happens when one is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "interpose/contexts.c"

static struct dlt_thread record;
__thread struct dlt_thread *dlt_thread_tls = &record;
struct dlt_alive dlt_alive = { .mask = ~(uintptr_t)0 };
static unsigned gone, resets;

struct dlt_thread *dlt_thread_make(void)
{
	return &record;
}

void dlt_ledger_context_gone(uint8_t context)
{
	gone = context;
}

void dlt_ledger_reset(uint8_t device)
{
	(void)device;
	resets++;
}

static const void *handle(uintptr_t value)
{
	return (const void *)value;
}

static void contexts_are_a_stack(void **state)
{
	unsigned first, second;

	(void)state;
	dlt_context_known(handle(0x10), 1);
	dlt_context_set(handle(0x10));
	assert_int_equal(dlt_context_current, 0);	/* as where nobody says anything */
	assert_int_equal(dlt_device(), 1);
	dlt_context_made(handle(0x20), 2);
	first = dlt_context_current;
	assert_int_not_equal(first, 0);
	assert_int_equal(dlt_device(), 2);
	dlt_context_made(handle(0x30), 3);
	second = dlt_context_current;
	assert_int_not_equal(second, first);
	dlt_context_pop();
	assert_int_equal(dlt_context_current, first);
	assert_int_equal(dlt_device(), 2);
	dlt_context_push(handle(0x30));
	dlt_context_gone(handle(0x30));
	assert_int_equal(gone, second);
	assert_int_equal(dlt_context_current, first);
	dlt_context_pop();
	assert_int_equal(dlt_device(), 1);
	dlt_context_pop();
	dlt_context_pop();
	dlt_context_set(NULL);
	assert_int_equal(dlt_context_current, 0);
	assert_int_equal(dlt_device(), 0);	/* as before there was any */
}

/* cuCtxSetCurrent replaces the top of the stack, begins an empty one, and NULL takes it off. */
static void set_is_of_the_stack(void **state)
{
	(void)state;
	dlt_device_set(0);
	dlt_context_current = 0;
	depth = 0;
	dlt_context_known(handle(0x10), 1);
	dlt_context_known(handle(0x40), 2);
	dlt_context_set(handle(0x10));
	dlt_context_set(handle(0x40));
	assert_int_equal(dlt_device(), 2);
	dlt_context_push(handle(0x10));
	dlt_context_set(handle(0x40));
	dlt_context_pop();
	assert_int_equal(dlt_device(), 2);
	dlt_context_push(handle(0x10));
	dlt_context_set(NULL);
	assert_int_equal(dlt_device(), 2);
	dlt_context_pop();
	assert_int_equal(dlt_device(), 0);
}

/* Green contexts are of their device, whatever is current where they are made; handles come again. */
static void green_ones_have_a_device(void **state)
{
	(void)state;
	dlt_device_set(0);
	dlt_context_known(handle(0x50), 3);
	dlt_context_alias(handle(0x58), handle(0x50));
	assert_int_equal(dlt_context_device(handle(0x58)), 3);
	dlt_context_push(handle(0x58));
	assert_int_equal(dlt_context_current, 0);
	assert_int_equal(dlt_device(), 3);
	dlt_context_pop();
	assert_int_equal(dlt_context_device(handle(0x59)), 0);
	dlt_context_gone(handle(0x50));
	dlt_context_known(handle(0x50), 1);
	dlt_context_alias(handle(0x58), handle(0x50));
	assert_int_equal(dlt_context_device(handle(0x58)), 1);
}

/* A primary context ends with its last holder, and not with one that nobody was seen to ask for. */
static void the_last_holder_ends_it(void **state)
{
	(void)state;
	dlt_context_retained(handle(0x60), 5);
	dlt_context_retained(handle(0x60), 5);
	dlt_context_released(5);
	assert_int_equal(resets, 0);
	dlt_context_released(5);
	assert_int_equal(resets, 1);
	dlt_context_released(5);
	assert_int_equal(resets, 1);
}

static void more_than_fit_are_unknown(void **state)
{
	(void)state;
	for (uintptr_t i = 1; i <= 400; i++) {
		dlt_context_made(handle(0x1000 * i), 1);
		if (i > DLT_CONTEXTS)
			assert_int_equal(dlt_context_current, 0);
	}
	for (uintptr_t i = 1; i <= 400; i++)
		dlt_context_gone(handle(0x1000 * i));
	dlt_context_made(handle(0x77), 4);
	assert_int_not_equal(dlt_context_current, 0);
	assert_int_equal(dlt_device(), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contexts_are_a_stack),
		cmocka_unit_test(set_is_of_the_stack),
		cmocka_unit_test(green_ones_have_a_device),
		cmocka_unit_test(the_last_holder_ends_it),
		cmocka_unit_test(more_than_fit_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

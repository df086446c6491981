/* SPDX-License-Identifier: MIT */
/* Entries of totals: claimed lock-free; the late ones are written atomically. */
#include "totals.h"

#include "box_private.h"

static uint32_t used_entries(void)
{
	uint32_t used = __atomic_load_n(&dlt_box->totals_used, __ATOMIC_ACQUIRE);

	return used < dlt_box->totals_count ? used : dlt_box->totals_count;
}

/* An entry of the same key whose thread has ended, or this thread's own from another call site. */
static struct dlt_box_totals *take_over(uint32_t thread, uint32_t key)
{
	uint32_t used = used_entries();

	for (uint32_t i = 0; i < used; i++) {
		struct dlt_box_totals *t = dlt_box_totals(i);
		uint32_t nobody = 0;

		if (__atomic_load_n(&t->key, __ATOMIC_ACQUIRE) != key)
			continue;
		if (__atomic_load_n(&t->owner, __ATOMIC_RELAXED) == thread ||
		    __atomic_compare_exchange_n(&t->owner, &nobody, thread, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return t;
	}
	return NULL;
}

struct dlt_box_totals *dlt_totals_claim(uint32_t thread, uint16_t function, uint16_t library)
{
	uint32_t key = (uint32_t)function << 16 | library;
	struct dlt_box_totals *t = take_over(thread, key);
	uint32_t index = __atomic_load_n(&dlt_box->totals_used, __ATOMIC_RELAXED);

	if (t)
		return t;
	/* Backed before it counts as used: readers go that far. */
	do {
		t = dlt_box_totals(index);
		if (index >= dlt_box->totals_count || !dlt_box_back(t, sizeof(*t)))
			return NULL;
	} while (!__atomic_compare_exchange_n(&dlt_box->totals_used, &index, index + 1, false,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	__atomic_store_n(&t->owner, thread, __ATOMIC_RELAXED);
	__atomic_store_n(&t->key, key, __ATOMIC_RELEASE);
	return t;
}

void dlt_totals_release(uint32_t thread)
{
	uint32_t used = used_entries();

	for (uint32_t i = 0; i < used; i++) {
		struct dlt_box_totals *t = dlt_box_totals(i);

		if (__atomic_load_n(&t->owner, __ATOMIC_RELAXED) == thread)
			__atomic_store_n(&t->owner, 0, __ATOMIC_RELEASE);
	}
}

static void add(uint64_t *sum, uint64_t value)
{
	__atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
}

/* 0 counts as "none yet" for the least, as readers take it. */
static void keep(uint64_t *kept, uint64_t value, bool smallest)
{
	uint64_t now = __atomic_load_n(kept, __ATOMIC_RELAXED);

	while ((smallest ? !now || value < now : value > now) &&
	       !__atomic_compare_exchange_n(kept, &now, value, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

/* Readers look no further. */
static void use_late(uint32_t entries)
{
	uint32_t used = __atomic_load_n(&dlt_box->late_used, __ATOMIC_RELAXED);

	while (entries > used && !__atomic_compare_exchange_n(&dlt_box->late_used, &used, entries, false,
							       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

void dlt_totals_add_late(uint16_t function, const struct dlt_totals_call *call)
{
	struct dlt_box_sums *s = &dlt_box_late(function)->sums;
	unsigned __int128 square = (unsigned __int128)call->duration * call->duration;
	uint64_t low = (uint64_t)square;

	if (function >= dlt_box->late_count || !dlt_box_back(s, sizeof(*s)))
		return;
	use_late(function + 1u);
	if (__atomic_fetch_add(&s->calls, 1, __ATOMIC_RELAXED) == 0)
		s->first = call->duration;
	add(&s->outer_calls, call->outer);
	add(&s->failed, !call->ok);
	add(&s->total, call->duration);
	add(&s->outer_total, call->outer ? call->duration : 0);
	add(&s->nested, call->nested);
	keep(&s->least, call->duration + 1, true);
	keep(&s->max, call->duration, false);
	/* The carry goes up when the lower half wraps. */
	if (__atomic_add_fetch(&s->squares_low, low, __ATOMIC_RELAXED) < low)
		add(&s->squares_high, 1);
	add(&s->squares_high, (uint64_t)(square >> 64));
	add(&s->untimed, call->untimed);
	add(&s->error, call->error);
	add(&s->bytes, call->bytes);
	add(&s->flops, call->flops);
}

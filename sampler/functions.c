/* SPDX-License-Identifier: MIT */
/* Totals of functions: sums over the entries of all threads, by (function, library). */
#include <string.h>

#include "emit_sample.h"
#include "functions.h"
#include "sampled.h"

static void add_squares(struct dlt_ev_sample_function *e, uint64_t high, uint64_t low)
{
	e->squares_low += low;
	e->squares_high += high + (e->squares_low < low);
}

static void add_sums(struct dlt_ev_sample_function *e, const struct dlt_box_sums *s)
{
	uint64_t least = box_value(s->least), max = box_value(s->max), calls = box_value(s->calls);

	/* The first call of the entry that was claimed first. */
	if (!e->calls)
		e->first = box_value(s->first);
	if (least && (!e->min || least < e->min))
		e->min = least;		/* + 1, until it is emitted */
	if (max > e->max)
		e->max = max;
	e->calls += calls;
	e->outer_calls += box_value(s->outer_calls);
	e->failed += box_value(s->failed);
	e->total += box_value(s->total);
	e->outer_total += box_value(s->outer_total);
	e->nested += box_value(s->nested);
	e->bytes += box_value(s->bytes);
	e->flops += box_value(s->flops);
	e->untimed += box_value(s->untimed);
	e->error += box_value(s->error);
	add_squares(e, box_value(s->squares_high), box_value(s->squares_low));
}

static void emit(struct dlt_ev_sample_function *e, const uint64_t *sums)
{
	uint64_t buckets[DLT_BUCKETS];

	e->min -= e->min > 0;
	e->buckets = buckets;
	e->buckets_count = 0;
	for (unsigned b = 0; sums && b < DLT_BUCKETS; b++)
		if (sums[b])
			buckets[e->buckets_count++] = (uint64_t)b << 48 | (sums[b] & 0xffffffffffff);
	sample_emit(DLT_EV_SAMPLE_FUNCTION, e);
}

/* All entries with the key of entry `at`, which is the first that has it. */
static void emit_key(struct sampled_process *p, size_t at, size_t count, uint32_t key, bool buckets, bool final)
{
	static const size_t told = sizeof(p->calls_said) / sizeof(p->calls_said[0]);
	uint64_t sums[DLT_BUCKETS] = { 0 };
	struct dlt_ev_sample_function e = {
		.process = box_value(p->box.header->process),
		.function = (uint16_t)(key >> 16), .library = (uint16_t)key,
	};

	for (size_t i = at; i < count; i++) {
		const struct dlt_box_totals *t = &p->box.totals[i];

		if (box_value(t->key) != key)
			continue;
		add_sums(&e, &t->sums);
		for (unsigned b = 0; b < DLT_BUCKETS; b++)
			sums[b] += box_value(t->buckets[b]);
	}
	if (!e.calls || (!final && at < told && p->calls_said[at] == e.calls &&
			 (!buckets || p->buckets_said[at] == e.calls)))
		return;
	if (at < told)
		p->calls_said[at] = e.calls;
	if (at < told && buckets)
		p->buckets_said[at] = e.calls;
	emit(&e, buckets ? sums : NULL);
}

static bool is_first(const struct sampled_process *p, size_t at, uint32_t key)
{
	for (size_t i = 0; i < at; i++)
		if (box_value(p->box.totals[i].key) == key)
			return false;
	return true;
}

static void emit_late(struct sampled_process *p, bool final)
{
	const struct dlt_box_late *late;

	for (size_t i = 1; (late = box_view_late(&p->box, &i)) && i < DLT_FNS; i++) {
		struct dlt_ev_sample_function e = {
			.process = box_value(p->box.header->process), .function = (uint16_t)i,
		};

		add_sums(&e, &late->sums);
		if (!e.calls || (!final && p->late_said[i] == e.calls))
			continue;
		p->late_said[i] = e.calls;
		emit(&e, NULL);
	}
}

void functions_emit(struct sampled_process *p, bool buckets, bool final)
{
	size_t count = box_view_totals(&p->box);

	if (!sample_enabled(DLT_EV_SAMPLE_FUNCTION))
		return;
	for (size_t i = 0; i < count; i++) {
		uint32_t key = box_value(p->box.totals[i].key);

		if (key && is_first(p, i, key))
			emit_key(p, i, count, key, buckets || final, final);
	}
	emit_late(p, final);
}

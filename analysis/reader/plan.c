/* SPDX-License-Identifier: MIT */
/* How to decode one event class of a trace, and doing so. */
#include "analysis/reader/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reader/must.h"
#include "analysis/reader/value.h"

/* ---- making ------------------------------------------------------------------------------- */

struct maker {
	struct arena *arena;
	struct plan *plan;
	size_t capacity;
};

static struct plan_op *add_op(struct maker *m, enum plan_kind kind)
{
	struct plan *p = m->plan;
	struct plan_op *op;

	if (p->op_count == m->capacity)
		p->ops = arena_grow(m->arena, p->ops, &m->capacity, sizeof(*op));
	op = &p->ops[p->op_count++];
	memset(op, 0, sizeof(*op));
	op->kind = kind;
	op->slot = -1;
	return op;
}

static bool add_skip(struct maker *m, uint64_t n)
{
	struct plan *p = m->plan;
	struct plan_op *last = p->op_count ? &p->ops[p->op_count - 1] : NULL;

	if (n > UINT32_MAX / 2)
		return false;
	if (n == 0)
		return true;
	if (!last || last->kind != PLAN_SKIP || last->n > UINT32_MAX / 2)
		last = add_op(m, PLAN_SKIP);
	last->n += (uint32_t)n;
	return true;
}

static void add_copy(struct maker *m, const struct dlt_field *field)
{
	struct plan *p = m->plan;
	struct plan_op *last = p->op_count ? &p->ops[p->op_count - 1] : NULL;

	if (!last || last->kind != PLAN_COPY || last->to + last->n != field->offset) {
		last = add_op(m, PLAN_COPY);
		last->to = field->offset;
	}
	last->n += value_width(field->type);
}

/* Which of the event's sequences a field is. */
static unsigned list_of(const struct dlt_event_desc *desc, const struct dlt_field *field)
{
	unsigned n = 0;

	for (const struct dlt_field *f = desc->fields; f < field; f++)
		n += f->type == DLT_SEQ64;
	return n;
}

static bool add_align(struct maker *m, unsigned bits)
{
	if (bits > 8)
		add_op(m, PLAN_ALIGN)->n = bits / 8;
	return true;
}

static bool is_number(const struct ctf_type *t)
{
	return t->kind == CTF_INTEGER || t->kind == CTF_ENUM || t->kind == CTF_FLOAT;
}

static bool is_native(const struct ctf_type *t)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return t->size == 8 || t->order == CTF_BIG;
#else
	return t->size == 8 || t->order == CTF_LITTLE;
#endif
}

static bool is_whole_bytes(const struct ctf_type *t)
{
	return t->size == 8 || t->size == 16 || t->size == 32 || t->size == 64;
}

static bool make_number(struct maker *m, const struct ctf_type *t, int slot,
			const struct dlt_field *field)
{
	struct plan_op *op;

	if (!is_whole_bytes(t) || (slot >= 0 && field))
		return false;
	add_align(m, t->align);
	if (slot >= 0) {
		op = add_op(m, PLAN_LENGTH);
		op->type = t;
		op->slot = slot;
	} else if (!field) {
		return add_skip(m, t->size / 8);
	} else if (value_width(field->type) * 8 == t->size && is_native(t)) {
		add_copy(m, field);
	} else {
		op = add_op(m, PLAN_LOAD);
		op->type = t;
		op->field = field;
	}
	return true;
}

static bool make_list(struct maker *m, const struct ctf_type *t, const struct dlt_field *field)
{
	const struct ctf_type *element = t->element;
	struct plan_op *op;

	if (!is_number(element) || !is_whole_bytes(element) || element->size % element->align)
		return false;
	add_align(m, element->align);
	if (t->kind == CTF_ARRAY)
		return t->length < UINT32_MAX && add_skip(m, t->length * (element->size / 8));
	op = add_op(m, PLAN_LIST);
	op->slot = t->slot;
	op->type = element;
	op->n = element->size / 8;
	op->field = field;
	op->list = field ? list_of(m->plan->desc, field) : 0;
	op->in_place = field && op->n == 8 && is_native(element) && m->plan->type == DLT_EV_BATCH_RECORDS;
	return true;
}

static bool make_struct(struct maker *m, const struct ctf_type *t,
			const struct dlt_field **targets, unsigned depth);

static bool make_field(struct maker *m, const struct ctf_field *f, const struct dlt_field *target,
		       unsigned depth)
{
	switch (f->type->kind) {
	case CTF_INTEGER:
	case CTF_ENUM:
	case CTF_FLOAT:
		return make_number(m, f->type, f->slot, target);
	case CTF_STRING:
		add_op(m, PLAN_STRING)->field = target;
		return true;
	case CTF_STRUCT:
		return make_struct(m, f->type, NULL, depth + 1);
	case CTF_ARRAY:
	case CTF_SEQUENCE:
		return make_list(m, f->type, target);
	case CTF_VARIANT:
		break;
	}
	return false;
}

/* Structures in structures are rare: two levels and 1,000 operations, the rest takes a walk. */
static bool make_struct(struct maker *m, const struct ctf_type *t,
			const struct dlt_field **targets, unsigned depth)
{
	if (depth > 2)
		return false;
	add_align(m, t->align);
	for (size_t i = 0; i < t->field_count; i++)
		if (m->plan->op_count > 1000 ||
		    !make_field(m, &t->fields[i], targets ? targets[i] : NULL, depth))
			return false;
	return true;
}

static bool goes_into(const struct plan *p, const struct ctf_type *t, const struct dlt_field *field)
{
	if (field->type == DLT_STR)
		return t->kind == CTF_STRING;
	if (field->type == DLT_SEQ64)
		return t->kind == CTF_SEQUENCE && t->element->kind == CTF_INTEGER &&
		       list_of(p->desc, field) < PLAN_SEQUENCES;
	return t->kind == CTF_INTEGER || t->kind == CTF_ENUM;
}

/* Matches the event's fields by name; each of ours is taken once. */
static void match_fields(struct plan *p, struct arena *arena)
{
	const struct ctf_type *fields = p->event->fields;
	size_t count = fields ? fields->field_count : 0, found = 0;

	p->targets = arena_alloc(arena, (count + 1) * sizeof(*p->targets));
	for (size_t i = 0; i < count; i++) {
		const char *name = fields->fields[i].name;
		const struct dlt_field *field = value_field(p->desc, name + (*name == '_'));

		if (field && !goes_into(p, fields->fields[i].type, field))
			field = NULL;
		for (size_t j = 0; field && j < i; j++)
			if (p->targets[j] == field)
				field = NULL;
		p->targets[i] = field;
		found += field != NULL;
	}
	p->missing = found < p->desc->field_count;
}

struct plan *plan_new(struct ctf_metadata *m, const struct ctf_stream *stream,
		      const struct ctf_event *event, bool force_slow)
{
	struct plan *p = arena_alloc(&m->arena, sizeof(*p));
	struct maker maker = { &m->arena, p, 0 };

	p->stream = stream;
	p->event = event;
	p->type = value_event(event->name);
	if (p->type != DLT_EVENTS) {
		p->desc = &dlt_event_descs[p->type];
		match_fields(p, &m->arena);
	}
	p->slow = force_slow ||
		  (stream->event_context && !make_struct(&maker, stream->event_context, NULL, 0)) ||
		  (event->context && !make_struct(&maker, event->context, NULL, 0)) ||
		  (event->fields && !make_struct(&maker, event->fields, p->targets, 0));
	return p;
}

/* ---- running ------------------------------------------------------------------------------ */

/* Room for `count` words in one of the lists. */
static uint64_t *list_room(struct plan_state *s, unsigned list, size_t count)
{
	if (count > s->lists[list].capacity) {
		free(s->lists[list].words);
		s->lists[list].capacity = count;
		s->lists[list].words = must(malloc(count * sizeof(uint64_t)));
	}
	return s->lists[list].words;
}

/* An integer of 1, 2, 4 or 8 bytes at any address. */
static uint64_t load(const uint8_t *from, const struct ctf_type *t)
{
	struct bits bits = { from, 0, 64 };
	uint64_t value = 0;

	if (is_native(t) && t->size == 32 && !t->is_signed) {
		uint32_t word;

		memcpy(&word, from, 4);
		return word;
	}
	bits_integer(&bits, t, &value);
	return value;
}

static int run_list(const struct plan_op *op, struct plan_state *s, const uint8_t **at,
		    const uint8_t *end, void *data)
{
	uint64_t count = s->walk.slots[op->slot], *words;
	const uint8_t *p = *at;

	if (count > (uint64_t)(end - p) / op->n)
		return -ENODATA;
	*at = p + count * op->n;
	if (!op->field)
		return 0;
	if (op->in_place) {
		value_set_sequence(op->field, data, (const uint64_t *)(const void *)p, (uint32_t)count);
		return 0;
	}
	words = list_room(s, op->list, count);
	if (op->n == 8 && is_native(op->type)) {
		if (count)
			memcpy(words, p, count * 8);
	} else {
		for (uint64_t i = 0; i < count; i++)
			words[i] = load(p + i * op->n, op->type);
	}
	value_set_sequence(op->field, data, words, (uint32_t)count);
	return 0;
}

static int run_string(const struct plan_op *op, const uint8_t **at, const uint8_t *end, void *data)
{
	const uint8_t *nul = memchr(*at, 0, (size_t)(end - *at));

	if (!nul)
		return -ENODATA;
	if (op->field)
		value_set_string(op->field, data, (const char *)*at);
	*at = nul + 1;
	return 0;
}

static int run_align(const struct plan_op *op, const uint8_t *base, const uint8_t **at,
		     const uint8_t *end)
{
	size_t gap = (size_t)-(*at - base) & (op->n - 1);

	if (gap > (size_t)(end - *at))
		return -ENODATA;
	*at += gap;
	return 0;
}

static int run_op(const struct plan_op *op, struct plan_state *s, const uint8_t *base,
		  const uint8_t **at, const uint8_t *end, void *data)
{
	size_t n = op->kind == PLAN_LOAD || op->kind == PLAN_LENGTH ? op->type->size / 8 : 0;

	if (n > (size_t)(end - *at))
		return -ENODATA;
	switch (op->kind) {
	case PLAN_LOAD:
		value_set(op->field, data, load(*at, op->type));
		break;
	case PLAN_LENGTH:
		s->walk.slots[op->slot] = load(*at, op->type);
		break;
	case PLAN_STRING:
		return run_string(op, at, end, data);
	case PLAN_LIST:
		return run_list(op, s, at, end, data);
	case PLAN_ALIGN:
		return run_align(op, base, at, end);
	case PLAN_SKIP:
	case PLAN_COPY:
		break;
	}
	*at += n;
	return 0;
}

/* A field met on a walk; context: what plan_run was given. */
struct store {
	const struct plan *plan;
	struct plan_state *state;
	void *data;
};

static void store_value(void *context, const struct ctf_field *field, const struct walk_value *v)
{
	const struct store *s = context;
	const struct ctf_type *fields = s->plan->event->fields;
	const struct dlt_field *target;
	unsigned list;

	if (field < fields->fields || field >= fields->fields + fields->field_count)
		return;		/* inside of another one */
	target = s->plan->targets[field - fields->fields];
	if (!target)
		return;
	if (target->type == DLT_STR) {
		value_set_string(target, s->data, v->text);
	} else if (target->type != DLT_SEQ64) {
		value_set(target, s->data, v->number);
	} else if (v->count) {
		list = list_of(s->plan->desc, target);
		memcpy(list_room(s->state, list, v->count), v->words, v->count * 8);
		value_set_sequence(target, s->data, s->state->lists[list].words,
				   (uint32_t)v->count);
	}
}

static int run_slowly(const struct plan *p, struct plan_state *s, const uint8_t *base,
		      const uint8_t **at, const uint8_t *end, void *data)
{
	struct store store = { p, s, data };
	struct walk *w = &s->walk;
	int ret = 0;

	w->bits = (struct bits){ base, 8 * (uint64_t)(*at - base), 8 * (uint64_t)(end - base) };
	w->put = NULL;
	w->context = &store;
	if (p->stream->event_context)
		ret = walk(w, p->stream->event_context);
	if (ret == 0 && p->event->context)
		ret = walk(w, p->event->context);
	if (ret == 0 && p->event->fields) {
		w->put = p->desc ? store_value : NULL;
		ret = walk(w, p->event->fields);
	}
	*at = base + (w->bits.at + 7) / 8;
	w->context = NULL;
	return ret;
}

int plan_run(const struct plan *p, struct plan_state *s, const uint8_t *base, const uint8_t **at,
	     const uint8_t *end, void *data)
{
	const uint8_t *from = *at;
	int ret;

	if (p->desc && (p->missing || p->slow))
		value_clear(p->desc, data);
	if (p->slow)
		return run_slowly(p, s, base, at, end, data);
	for (const struct plan_op *op = p->ops, *last = op + p->op_count; op < last; op++) {
		if (op->kind == PLAN_COPY || op->kind == PLAN_SKIP) {
			if (op->n > (size_t)(end - from))
				return -ENODATA;
			if (op->kind == PLAN_COPY)
				memcpy((char *)data + op->to, from, op->n);
			from += op->n;
			continue;
		}
		ret = run_op(op, s, base, &from, end, data);
		if (ret < 0)
			return ret;
	}
	*at = from;
	return 0;
}

void plan_state_release(struct plan_state *s)
{
	walk_release(&s->walk);
	free(s->walk.slots);
	for (unsigned i = 0; i < PLAN_SEQUENCES; i++)
		free(s->lists[i].words);
}

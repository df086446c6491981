/* SPDX-License-Identifier: MIT */
/* dltrace_mark: ranges by name, moments, epochs and steps. */
#include "analysis/model/marks.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/model/model.h"

static struct marks *marks_of(struct process *p)
{
	if (!p->marks) {
		p->marks = xcalloc(1, sizeof(*p->marks));
		for (int i = 0; i < MARK_KINDS; i++)
			p->marks->open[i].begin = UNKNOWN;
	}
	return p->marks;
}

void marks_free(struct marks *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->count; i++) {
		pace_free(m->list[i]->pace);
		free(m->list[i]);
	}
	free(m->list);
	free(m->said);
	idmap_release(&m->by_name);
	free(m);
}

/* ---- by name ---- */

#define NAME_CUT 100	/* bytes: so long a name may have lost its end (DLT_MARK_NAME) */
#define NAME_ROOM 128

/* Where "#key=value,key=value#" begins that a name ends in; NULL: nowhere. */
static const char *metadata_of(const char *name)
{
	const char *at = strchr(name, '#'), *key = at ? at + 1 : NULL;
	size_t length = strlen(name);

	while (key && (isalnum((unsigned char)*key) || *key == '_'))
		key++;
	if (!key || at == name || key == at + 1 || *key != '=')
		return NULL;
	return name[length - 1] == '#' || length >= NAME_CUT ? at : NULL;
}

/* Without metadata, but for a name in it; in `to` if it is shorter. */
static const char *group_name(const char *name, char to[NAME_ROOM])
{
	const char *metadata = metadata_of(name);
	size_t base = metadata ? (size_t)(metadata - name) : 0, named;

	if (!metadata || strlen(name) >= NAME_ROOM)
		return name;
	base -= base > 1 && name[base - 1] == ':';
	named = strncmp(metadata, "#name=", 6) ? 0 : strcspn(metadata + 6, ",#");
	snprintf(to, NAME_ROOM, "%.*s%s%.*s", (int)base, name, named ? ": " : "", (int)named,
		 named ? metadata + 6 : "");
	return to;
}

static uint64_t hash_text(uint64_t hash, const char *s)
{
	for (; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3;
	return (hash ^ 0xff) * 0x100000001b3;
}

static bool is_same(const struct mark *k, uint8_t kind, const char *domain, const char *name)
{
	return k->kind == kind && !strcmp(k->domain, domain) && !strcmp(k->name, name);
}

/* Names are looked for as they are and kept only when they are new, so that a flood stays outside. */
static struct mark *find(struct process *p, uint8_t kind, const char *domain, const char *name)
{
	uint64_t hash = hash_text(hash_text(0xcbf29ce484222325 + kind, domain), name);
	struct marks *m = marks_of(p);
	uint64_t *index;
	struct mark *k;

	for (; (index = idmap_get(&m->by_name, hash)); hash++)
		if (is_same(m->list[*index - 1], kind, domain, name))
			return m->list[*index - 1];
	if (m->count >= MARKS_KEPT && strcmp(name, MARK_OTHER))
		return find(p, kind, "", MARK_OTHER);
	k = xcalloc(1, sizeof(*k));
	k->domain = trace_keep(p->trace, domain);
	k->name = trace_keep(p->trace, name);
	k->kind = kind;
	k->begin = k->end = UNKNOWN;
	k->pace = kind == MARK_STEP ? pace_new() : NULL;
	m->list = xgrow(m->list, m->count, &m->capacity, sizeof(*m->list));
	m->list[m->count++] = k;
	*idmap_put(&m->by_name, hash) = m->count;
	return k;
}

static void add(struct mark *k, uint32_t thread, int64_t begin, int64_t end)
{
	k->threads |= k->sums.calls && k->thread != thread;
	if (!k->sums.calls)
		k->thread = thread;
	if (k->begin == UNKNOWN || begin < k->begin)
		k->begin = begin;
	if (end > k->end)
		k->end = end;
	sums_add(&k->sums, end > begin ? (uint64_t)(end - begin) : 0, 0);
	if (k->pace)
		pace_add(k->pace, begin, end > begin ? (uint64_t)(end - begin) : 0);
}

static void add_inside(struct mark *k, const struct dlt_ev_mark_range *e)
{
	for (uint32_t i = 0; i + 1 < e->inside_count; i += 2) {
		uint64_t kind = e->inside[i] >> 56;

		if (kind >= MARK_CALLS)
			continue;
		k->inside[kind].calls += e->inside[i] << 8 >> 8;
		k->inside[kind].ns += e->inside[i + 1];
	}
}

/* ---- moments, epochs, steps ---- */

static void add_moment(struct trace *t, const struct process *p, int64_t at,
		       const struct dlt_ev_mark_range *e)
{
	struct moments *m = &t->moments;

	if (m->by_kind[e->kind]++ >= MOMENTS_KEPT)
		return;
	m->list = xgrow(m->list, m->count, &m->capacity, sizeof(*m->list));
	m->list[m->count++] = (struct moment){
		.t = at, .process = p, .name = trace_keep(t, e->name),
		.number = (int64_t)e->payload, .kind = e->kind,
	};
}

/* `e`: the event that ends it, NULL: another one does. */
static void end_boundary(struct process *p, uint8_t kind, int64_t at, bool open,
			 const struct dlt_ev_mark_range *e)
{
	struct marks *m = marks_of(p);
	struct mark *k;

	if (m->open[kind].begin == UNKNOWN)
		return;
	k = find(p, kind, "dltrace", kind == MARK_EPOCH ? "epoch" : "step");
	add(k, m->open[kind].thread, m->open[kind].begin, at);
	k->open += open;
	if (e && e->thread == m->open[kind].thread)
		add_inside(k, e);
	m->open[kind].begin = UNKNOWN;
}

static void on_boundary(struct process *p, int64_t at, const struct dlt_ev_mark_range *e)
{
	struct marks *m = marks_of(p);

	end_boundary(p, e->kind, at, false, e);
	if (e->kind == MARK_EPOCH)	/* between epochs there is no step */
		end_boundary(p, MARK_STEP, at, false, NULL);
	if ((int64_t)e->payload < 0)
		return;
	m->open[e->kind].begin = at;
	m->open[e->kind].number = (int64_t)e->payload;
	m->open[e->kind].thread = e->thread;
}

void marks_end(struct trace *t)
{
	for (size_t i = 0; i < t->process_count; i++) {
		struct process *p = t->processes[i];
		int64_t end = p->end != UNKNOWN ? p->end : t->end;

		for (uint8_t kind = MARK_EPOCH; p->marks && kind <= MARK_STEP; kind++)
			end_boundary(p, kind, end, true, NULL);
	}
}

/* ---- what it says of itself ---- */

static void add_said(struct marks *m, const struct said *s)
{
	if (m->said_count >= SAID_KEPT) {
		m->said_more = true;
		return;
	}
	m->said = xgrow(m->said, m->said_count, &m->said_capacity, sizeof(*m->said));
	m->said[m->said_count++] = *s;
}

static void on_said(struct process *p, int64_t at, const struct dlt_ev_mark_range *e)
{
	add_said(marks_of(p), &(struct said){
		.at = at, .number = e->payload, .error = !strcmp(e->domain, "stderr"),
	});
}

/* ---- what programs call iterations and epochs ---- */

/* In lower case, letters alone: "Train step 17", "train_step:17" are trainstep. */
static const struct { const char *letters; char stands_for; } words[] = {
	{ "step", RANGE_STEP }, { "trainstep", RANGE_STEP }, { "trainingstep", RANGE_STEP },
	{ "iter", RANGE_STEP }, { "iteration", RANGE_STEP }, { "trainiteration", RANGE_STEP },
	{ "trainingiteration", RANGE_STEP }, { "batch", RANGE_STEP }, { "minibatch", RANGE_STEP },
	{ "trainbatch", RANGE_STEP }, { "trainingbatch", RANGE_STEP }, { "plprofileruntrainingbatch", RANGE_STEP },
	{ "epoch", RANGE_EPOCH }, { "trainepoch", RANGE_EPOCH }, { "trainingepoch", RANGE_EPOCH },
	{ "plprofileruntrainingepoch", RANGE_EPOCH },
};

static uint8_t stands_for(const char *name)
{
	char letters[32];
	size_t count = 0;

	for (const char *c = name; *c && count + 1 < sizeof(letters); c++) {
		char low = (char)(*c | 0x20);

		if (low >= 'a' && low <= 'z')
			letters[count++] = low;
	}
	letters[count] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(letters, words[i].letters))
			return (uint8_t)words[i].stands_for;
	return 0;
}

/* ---- events ---- */

static void beat(struct process *p, const struct mark *k, const struct dlt_ev_mark_range *e, int64_t at)
{
	uint8_t word = stands_for(k->name);
	const struct beat b = {
		.kind = BEAT_RANGE, .without = word, .thread = e->begun_by, .name = k->name,
		.a = word ? 0 : hash_text(hash_text(0xcbf29ce484222325, k->domain), k->name), .b = e->kind,
	};

	rhythm_note(&p->rhythm, &b, at, e->duration);
}

static void on_range(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_mark_range *e = data;
	struct process *p = trace_emitted(t, e->thread, at)->process;
	char name[NAME_ROOM];
	struct mark *k;

	if (!trace_in_range(t, at)) {
		t->filtered++;
		return;
	}
	if (e->kind == MARK_SAID)
		on_said(p, at, e);
	if (!e->kind || e->kind >= MARK_KINDS)
		return;
	if (e->kind >= MARK_MOMENT)
		add_moment(t, p, at, e);
	if (e->kind >= MARK_EPOCH) {
		on_boundary(p, at, e);
		return;
	}
	k = find(p, e->kind, e->domain, group_name(e->name, name));
	beat(p, k, e, at);
	add(k, e->begun_by, at - (int64_t)e->duration, at);
	k->nested += e->depth > 0;
	k->open += e->open;
	add_inside(k, e);
}

void marks_adopt(struct process *to, struct process *orphan)
{
	struct marks *from = orphan->marks;

	for (size_t i = 0; from && i < from->count; i++) {
		const struct mark *k = from->list[i];
		struct mark *into = find(to, k->kind, k->domain, k->name);

		into->threads |= k->threads || (into->sums.calls && into->thread != k->thread);
		into->thread = into->sums.calls ? into->thread : k->thread;
		into->begin = into->begin == UNKNOWN || k->begin < into->begin ? k->begin : into->begin;
		into->end = k->end > into->end ? k->end : into->end;
		into->nested += k->nested;
		into->open += k->open;
		sums_merge(&into->sums, &k->sums);
		if (k->pace)
			pace_merge(into->pace, k->pace);
		for (int c = 0; c < MARK_CALLS; c++) {
			into->inside[c].calls += k->inside[c].calls;
			into->inside[c].ns += k->inside[c].ns;
		}
	}
	for (int i = 0; from && i < MARK_KINDS; i++)
		if (from->open[i].begin != UNKNOWN)
			marks_of(to)->open[i] = from->open[i];
	for (size_t i = 0; from && i < to->trace->moments.count; i++)
		if (to->trace->moments.list[i].process == orphan)
			to->trace->moments.list[i].process = to;
	for (size_t i = 0; from && i < from->said_count; i++)
		add_said(marks_of(to), &from->said[i]);
	marks_free(from);
	orphan->marks = NULL;
}

const event_fn mark_handlers[DLT_EVENTS] = {
	[DLT_EV_MARK_RANGE] = on_range,
};

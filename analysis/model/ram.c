/* SPDX-License-Identifier: MIT */
/* RAM of processes that were forked from each other: what they share counts once. */
#include "analysis/model/ram.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/model/model.h"

#define PAGE	4096		/* bytes that part by one fault; huge pages part in small ones */
#define UNREAD	10000000000	/* ns without a reading of everybody that are worth a word */

void ram_release(struct ram *r)
{
	free(r->family.rounds);
}

void ram_sums_release(struct ram_sums *s)
{
	free(s->list);
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t not_less(int64_t value, int64_t least)
{
	return value > least ? value : least;
}

/* ---- who shares with whom ---- */

/* A sampler that is quicker than the child's own word says only what it inherited. */
static bool is_forked(const struct process *p)
{
	return p->reason == 1 || (p->reason == 3 && p->inherited_blocks);
}

/* A broken trace may have its processes in a circle. */
static struct process *eldest(struct process *p)
{
	for (int depth = 0; is_forked(p) && p->parent && depth < 64; depth++)
		p = p->parent;
	return p;
}

static struct ram_family *family(struct process *p)
{
	return &eldest(p)->ram.family;
}

/*
 * What a fork shares with its parent is counted once, at the parent while it lives, then at an heir. Whose parent
 * went before it was sampled, and left none, is the heir.
 */
static void find_charged(struct process *p)
{
	struct process *by = is_forked(p) ? p->parent : NULL;

	/* As for eldest(). */
	for (int depth = 0; by && by->now.gone && by->ram.heir && depth < 1000; depth++)
		by = by->ram.heir;
	if (by == p)
		return;
	if (by && !by->now.gone)
		p->ram.charged = by;
	else if (by && !by->ram.heir)
		by->ram.heir = p;
}

/* The first living one that shared with it takes its place, for the others too. */
static void hand_on(struct process *gone)
{
	struct process *heir = NULL;

	for (struct process *p = gone->trace->alive; p; p = p->next_alive) {
		if (p->ram.charged != gone || p->now.gone)
			continue;
		p->ram.charged = heir;
		if (heir)
			continue;
		heir = p;
		p->ram.charged = gone->ram.charged;
		p->ram.shared = smaller(gone->ram.shared, p->ram.anon);
		p->ram.instead = gone->ram.instead ? gone->ram.instead : gone;
	}
	gone->ram.heir = heir ? heir : gone->ram.charged;
}

/* What `p` still shares with who is counted for it, and that one has given back: once for all who share it. */
static int64_t excess(const struct process *p, int64_t shared, int64_t held)
{
	struct ram *by = &p->ram.charged->ram;
	int64_t more = not_less(shared - held - by->excess, 0);

	by->excess += more;
	return more;
}

static void forget_excess(struct trace *t)
{
	for (struct process *p = t->alive; p; p = p->next_alive)
		p->ram.excess = 0;
}

static int64_t own_heap(const struct process *p)
{
	const struct process *by = p->ram.charged;
	int64_t inherited = (int64_t)(p->ram.instead ? p->ram.instead : p)->inherited_bytes;

	if (p->heap_cover)
		return 0;	/* not ours, not known */
	if (!by || !by->now.sampled)
		return p->now.heap;
	inherited = smaller(inherited, not_less(p->now.heap, 0));
	return p->now.heap - inherited + excess(p, inherited, by->now.heap);
}

int64_t ram_heap(struct trace *t)
{
	int64_t heap = 0;

	forget_excess(t);
	for (struct process *p = t->alive; p; p = p->next_alive)
		if (process_counts(p))
			heap += own_heap(p);
	return heap;
}

/*
 * By its proportional size; what came since its last reading is its own. Below 0 where it has given back what it
 * shared: then that has parted.
 */
static int64_t by_pss(const struct ram *r)
{
	return r->pss + r->anon + r->shmem - r->base;
}

/* ---- open rounds ---- */

/* NULL: it is drawn already. */
static struct ram_sum *sum_of(struct trace *t, uint64_t round)
{
	struct ram_sums *s = &t->ram;

	return round >= s->first && round - s->first < s->count ? &s->list[round - s->first] : NULL;
}

/* A process may turn out to be of another family, which counts from elsewhere. */
static uint64_t faults_since(const struct ram *r, uint64_t faults)
{
	return faults > r->read_faults ? faults - r->read_faults : 0;
}

/*
 * The process waits for nothing any more in rounds that it has left open; `parted`, bytes, is what has parted
 * between its readings.
 */
static void complete(struct process *p, int64_t parted, int64_t at)
{
	struct ram_family *f = family(p);
	const struct ram *r = &p->ram;
	uint64_t faults = faults_since(r, f->faults);
	int64_t time = at - r->read_at;

	for (size_t i = f->count; i-- && f->rounds[i].round >= r->open;) {
		const struct ram_round *round = &f->rounds[i];
		struct ram_sum *sum = sum_of(p->trace, round->round);

		if (!sum || !sum->open)
			continue;
		sum->open--;
		if (faults)
			sum->bytes += (int64_t)((i128)parted * faults_since(r, round->faults) / faults);
		else if (time)
			sum->bytes += (int64_t)((i128)parted * (round->at - r->read_at) / time);
	}
}

static void may_be_off(struct process *p, int64_t bytes)
{
	struct ram_sums *s = &p->trace->ram;

	s->shared = true;
	s->error = not_less(bytes, s->error);
}

/* What its next reading says has another measure: no more than all it still shared has parted since the last one. */
static void give_up(struct process *p)
{
	const struct ram *r = &p->ram;

	if (!r->open)
		return;
	complete(p, 0, r->read_at);
	may_be_off(p, smaller((int64_t)faults_since(r, family(p)->faults) * PAGE, r->anon + r->shmem - by_pss(r)));
	p->ram.open = 0;
}

/* A fork, or an end: everybody's share is another one. */
static void change(struct process *member, int64_t at)
{
	struct ram_family *f = family(member);

	for (struct process *p = member->trace->alive; p; p = p->next_alive)
		if (family(p) == f)
			give_up(p);
	f->changed = at;
	f->count = 0;
}

/* Draws what is complete, and what would be more than `most`. */
static void draw(struct trace *t, size_t most)
{
	struct ram_sums *s = &t->ram;
	size_t done = 0;

	while (done < s->count && (!s->list[done].open || s->count - done > most)) {
		trace_point(t, &t->curves[RUN_MEMORY], s->list[done].at,
			    not_less(s->list[done].bytes, s->list[done].least));
		done++;
	}
	if (!done)
		return;
	s->first += done;
	s->count -= done;
	memmove(s->list, s->list + done, s->count * sizeof(*s->list));
}

/* Those that are drawn already are of no use. */
static void keep_round(struct trace *t, struct ram_family *f)
{
	if (f->count >= 2 * RAM_ROUNDS) {
		f->count -= RAM_ROUNDS;
		memmove(f->rounds, f->rounds + RAM_ROUNDS, f->count * sizeof(*f->rounds));
	}
	f->rounds = xgrow(f->rounds, f->count, &f->capacity, sizeof(*f->rounds));
	f->rounds[f->count++] = (struct ram_round){ .round = t->round, .faults = f->faults, .at = t->round_at };
}

/* ---- samples ---- */

/* What it gives back parts as well: that of the others is theirs alone then. */
static void count_parting(struct process *p, uint64_t faults, int64_t given_back)
{
	struct ram *r = &p->ram;

	if (given_back > 0)
		family(p)->faults += (uint64_t)given_back / PAGE;
	if (faults > r->faults)
		family(p)->faults += faults - r->faults;
	r->faults = faults;
}

static void take_pss(struct process *p, int64_t at, int64_t pss)
{
	struct ram *r = &p->ram;
	int64_t base = r->anon + r->shmem, parted = (pss - base) - (r->pss - r->base);

	if (r->open) {
		complete(p, parted, at);
		may_be_off(p, parted < 0 ? -parted : parted);
	}
	r->pss = pss;
	r->base = base;
	r->read_at = at;
	r->read_faults = family(p)->faults;
	r->open = p->trace->round + 1;
}

/* Whoever of the two is read later knows how much that is at most. */
static void share(struct process *p)
{
	struct ram *r = &p->ram;

	r->shared = r->charged && r->charged->now.sampled ? smaller(r->anon, r->charged->ram.anon) : 0;
}

/* Its first reading: of children that were read before it, too. */
static void share_first(struct process *p)
{
	bool was = p->now.sampled;

	p->now.sampled = true;
	share(p);
	for (struct process *q = p->trace->alive; q; q = q->next_alive)
		if (q->ram.charged == p && q->now.sampled && !q->ram.shared)
			share(q);
	p->now.sampled = was;
}

void ram_sample(struct process *p, int64_t at, const struct dlt_ev_sample_process *e)
{
	struct ram *r = &p->ram;
	int64_t before = r->anon + r->shmem;

	if (!p->now.sampled && !p->now.gone)
		find_charged(p);
	/* The last reading of what is gone has none. */
	if (e->final && !e->rss_anon)
		return;
	r->anon = (int64_t)e->rss_anon;
	r->shmem = (int64_t)e->rss_shmem;
	r->shared = smaller(r->shared, r->anon);
	if (!p->now.sampled) {
		change(p, at);
		share_first(p);
	}
	count_parting(p, e->minor_faults, before - r->anon - r->shmem);
	if (e->pss)
		take_pss(p, at, (int64_t)e->pss);
}

/*
 * What a member of `members` had alone, where each of its other pages is one of all members: the proportional
 * size is that and its share of the others.
 */
static int64_t alone(const struct ram *r, size_t members)
{
	int64_t n = (int64_t)members;

	return n < 2 ? 0 : not_less((n * by_pss(r) - r->anon - r->shmem) / (n - 1), 0);
}

void ram_adopted(struct process *p)
{
	if (p->ram.charged || !p->now.sampled || p->now.gone)
		return;
	find_charged(p);
	share(p);
}

/* Its place as the one who is counted is an heir's now. */
void ram_returned(struct process *p, int64_t at)
{
	struct ram *r = &p->ram;

	if (r->heir && !r->heir->now.gone && r->heir != p) {
		r->charged = r->heir;
		share(p);
	}
	r->heir = NULL;
	change(p, at);
}

void ram_gone(struct process *p, int64_t at)
{
	struct ram_family *f = family(p);

	/* What had parted of it goes, too, as far as it was known. */
	if (process_counts(p) && p->ram.pss && p->ram.read_at >= f->changed)
		f->parted -= not_less(alone(&p->ram, f->members) - (p->ram.anon - p->ram.shared), 0);
	f->parted = not_less(f->parted, 0);
	change(p, at);
	hand_on(p);
}

/* ---- rounds ---- */

static void add_member(struct ram_family *f, const struct process *p)
{
	const struct ram *r = &p->ram;

	f->members++;
	f->shares |= r->shared > 0;
	f->read &= r->pss && r->read_at >= f->changed;
	f->by_pss += by_pss(r);
	f->by_forks += r->anon - r->shared;
	if (r->charged)
		f->by_forks += excess(p, r->shared, r->charged->ram.anon);
	f->largest = not_less(r->anon + r->shmem, f->largest);
	/* Shared memory of one is that of all. */
	if (r->shmem > f->shmem) {
		f->by_forks += r->shmem - f->shmem;
		f->shmem = r->shmem;
	}
}

/* The eldest of all families of which somebody counts. */
static struct process *find_families(struct trace *t)
{
	struct process *list = NULL;

	forget_excess(t);
	for (struct process *p = t->alive; p; p = p->next_alive) {
		struct process *first = eldest(p);
		struct ram_family *f = &first->ram.family;

		if (!process_counts(p))
			continue;
		if (f->seen != t->round + 1) {
			f->seen = t->round + 1;
			f->by_forks = f->by_pss = f->shmem = f->largest = 0;
			f->members = 0;
			f->shares = false;
			f->read = true;
			f->next = list;
			list = first;
		}
		add_member(f, p);
	}
	return list;
}

/* Bytes; what had parted when that was known last holds until it is known anew. */
static int64_t family_bytes(struct ram_family *f, int64_t at)
{
	if (f->members == 1 && !f->shares)
		f->parted = 0;
	else if (f->read)
		f->parted = f->by_pss - f->by_forks;
	if (f->read || !f->shares)
		f->unread_since = UNKNOWN;
	else if (f->unread_since == UNKNOWN)
		f->unread_since = at;
	f->unread |= f->unread_since != UNKNOWN && at - f->unread_since > UNREAD;
	return f->by_forks + f->parted;
}

bool ram_is_unread(const struct process *p)
{
	return p->ram.shared > 0 && (!p->ram.pss || family(trace_process(p->trace, p->id))->unread);
}

static bool is_read(const struct ram_family *f)
{
	return f->read && (f->members > 1 || f->shares);
}

void ram_round(struct trace *t)
{
	struct ram_sums *s = &t->ram;
	struct process *families = find_families(t);
	struct ram_sum sum = { .at = t->round_at };

	for (struct process *p = families; p; p = p->ram.family.next) {
		sum.bytes += family_bytes(&p->ram.family, t->round_at);
		sum.least += p->ram.family.largest;
		if (is_read(&p->ram.family))
			keep_round(t, &p->ram.family);
	}
	for (struct process *p = t->alive; p; p = p->next_alive)
		if (process_counts(p) && is_read(family(p)) && p->ram.open && p->ram.open <= t->round)
			sum.open++;
	if (!s->count)
		s->first = t->round;
	s->list = xgrow(s->list, s->count, &s->capacity, sizeof(*s->list));
	s->list[s->count++] = sum;
	draw(t, RAM_ROUNDS);
}

void ram_end(struct trace *t)
{
	for (struct process *p = t->alive; p; p = p->next_alive)
		give_up(p);
	draw(t, 0);
}

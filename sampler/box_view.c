/* SPDX-License-Identifier: MIT */
/* Reads black boxes without trusting them. */
#include "box_view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#define PAGE 4096
#define PORTION 512	/* pages asked for at once */

/* The table at `offset`, and how many of `count` entries fit into `size`; NULL and 0 if none. */
static const void *table(const void *box, size_t size, uint32_t offset, size_t *count, size_t entry,
			 size_t alignment)
{
	if (offset < PAGE || offset >= size || offset % alignment != 0) {
		*count = 0;
		return NULL;
	}
	if (*count > (size - offset) / entry)
		*count = (size - offset) / entry;
	return (const char *)box + offset;
}

pid_t box_view_pid(const char *name)
{
	char *end;
	long pid = strtol(name, &end, 10);

	if (pid <= 0 || pid > 1 << 22 || *end != '-' || strspn(end + 1, "0123456789abcdef") != 32 ||
	    strcmp(end + 33, ".box") != 0)
		return 0;
	return (pid_t)pid;
}

bool box_view_init(struct box_view *v, const void *box, size_t size)
{
	const struct dlt_box_header *h = box;

	*v = (struct box_view){ .header = h, .size = size };
	if (size < PAGE || (uintptr_t)box % 128 != 0 ||
	    __atomic_load_n(&h->magic, __ATOMIC_ACQUIRE) != DLT_BOX_MAGIC ||
	    box_value(h->version) != DLT_BOX_VERSION)
		return false;
	v->slot_count = box_value(h->slots_count);
	v->totals_count = box_value(h->totals_count);
	v->late_count = box_value(h->late_count);
	v->library_count = box_value(h->libraries_count);
	v->object_count = box_value(h->objects_count);
	v->frame_count = box_value(h->frames_count);
	v->memory_count = box_value(h->memory_count);
	v->ring_count = box_value(h->rings_count);
	v->slots = table(box, size, box_value(h->slots_offset), &v->slot_count, sizeof(*v->slots), 128);
	v->totals = table(box, size, box_value(h->totals_offset), &v->totals_count, sizeof(*v->totals), 64);
	v->late = table(box, size, box_value(h->late_offset), &v->late_count, sizeof(*v->late), 64);
	v->libraries = table(box, size, box_value(h->libraries_offset), &v->library_count,
			     sizeof(*v->libraries), 8);
	v->objects = table(box, size, box_value(h->objects_offset), &v->object_count,
			   sizeof(*v->objects), 64);
	v->frames = table(box, size, box_value(h->frames_offset), &v->frame_count, sizeof(*v->frames), 16);
	v->memory = table(box, size, box_value(h->memory_offset), &v->memory_count, sizeof(*v->memory), 128);
	v->rings = (struct dlt_box_ring *)(uintptr_t)
		table(box, size, box_value(h->rings_offset), &v->ring_count, sizeof(*v->rings), 64);
	return true;
}

static size_t at_most(uint32_t used, size_t fits)
{
	return used < fits ? used : fits;
}

size_t box_view_slots(const struct box_view *v)
{
	return at_most(__atomic_load_n(&v->header->slots_used, __ATOMIC_ACQUIRE), v->slot_count);
}

size_t box_view_totals(const struct box_view *v)
{
	return at_most(__atomic_load_n(&v->header->totals_used, __ATOMIC_ACQUIRE), v->totals_count);
}

size_t box_view_libraries(const struct box_view *v)
{
	return at_most(__atomic_load_n(&v->header->libraries_used, __ATOMIC_ACQUIRE), v->library_count);
}

size_t box_view_frames(const struct box_view *v)
{
	return at_most(__atomic_load_n(&v->header->frames_used, __ATOMIC_ACQUIRE), v->frame_count);
}

size_t box_view_objects(const struct box_view *v)
{
	return at_most(__atomic_load_n(&v->header->objects_used, __ATOMIC_ACQUIRE), v->object_count);
}

size_t box_view_memory(const struct box_view *v)
{
	return at_most(__atomic_load_n(&v->header->memory_used, __ATOMIC_ACQUIRE), v->memory_count);
}

struct dlt_box_ring *box_view_ring(const struct box_view *v, size_t slot)
{
	if (slot >= v->ring_count ||
	    __atomic_load_n(&v->slots[slot].ring, __ATOMIC_ACQUIRE) != DLT_RING_BACKED)
		return NULL;
	return &v->rings[slot];
}

struct dlt_box_outbox *box_view_outbox(const struct box_view *v)
{
	size_t count = 1;
	const void *outbox;

	if (!__atomic_load_n(&v->header->outbox_count, __ATOMIC_ACQUIRE))
		return NULL;
	outbox = table(v->header, v->size, box_value(v->header->outbox_offset), &count,
		       sizeof(struct dlt_box_outbox), PAGE);
	return count ? (struct dlt_box_outbox *)(uintptr_t)outbox : NULL;
}

uint64_t box_view_events(const struct box_view *v, size_t slot)
{
	const struct dlt_box_ring *r = box_view_ring(v, slot);

	return box_value(v->slots[slot].events) + (r ? box_value(r->events) : 0);
}

/* Reading a hole of a file would give it a page for ever. */
static bool is_backed(const void *p, size_t size)
{
	uintptr_t from = (uintptr_t)p & ~(uintptr_t)(PAGE - 1), to = (uintptr_t)p + size;

	for (; from < to; from += PAGE) {
		unsigned char resident = 0;

		if (mincore((void *)from, PAGE, &resident) < 0 || !(resident & 1))
			return false;
	}
	return true;
}

/* Nearly always none has ever been written. None of them lies in two pages. */
const struct dlt_box_late *box_view_late(const struct box_view *v, size_t *i)
{
	size_t used = at_most(__atomic_load_n(&v->header->late_used, __ATOMIC_ACQUIRE), v->late_count);

	for (; *i < used; (*i)++)
		if (is_backed(&v->late[*i], sizeof(*v->late)))
			return &v->late[*i];
	return NULL;
}

size_t box_view_backed(const void *p, size_t size)
{
	const char *from = (const char *)((uintptr_t)p & ~(uintptr_t)(PAGE - 1));
	size_t pages = ((size_t)((const char *)p - from) + size + PAGE - 1) / PAGE, backed = 0;

	/* In portions: a call a page would cost 400 calls a box. */
	for (size_t first = 0; first < pages; first += PORTION) {
		unsigned char resident[PORTION] = { 0 };
		size_t count = pages - first < PORTION ? pages - first : PORTION;

		if (mincore((void *)(from + first * PAGE), count * PAGE, resident) < 0)
			continue;
		for (size_t i = 0; i < count; i++)
			backed += resident[i] & 1;
	}
	return backed;
}

struct dlt_box_pair box_view_pair(const struct dlt_box_pair *p)
{
	struct dlt_box_pair pair;

#if defined(__x86_64__)
	_mm_store_si128((__m128i *)&pair, *(const volatile __m128i *)p);
#else
	pair.bytes = box_value(p->bytes);
	pair.count = box_value(p->count);
#endif
	return pair;
}

static void add(struct dlt_box_pair *sum, struct dlt_box_pair pair)
{
	sum->bytes += pair.bytes;
	sum->count += pair.count;
}

/* A block is allocated before it is freed, so all frees first: what is freed was allocated. */
void box_view_heap(const struct box_view *v, struct box_heap *h)
{
	size_t slots = box_view_slots(v);

	*h = (struct box_heap){ .events = 0 };
	for (size_t i = 0; i < slots; i++)
		add(&h->freed, box_view_pair(&v->slots[i].freed));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	slots = box_view_slots(v);
	for (size_t i = 0; i < slots; i++) {
		add(&h->allocated, box_view_pair(&v->slots[i].allocated));
		h->events += box_view_events(v, i) + box_value(v->slots[i].base_events);
	}
}

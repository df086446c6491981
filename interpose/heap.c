/* SPDX-License-Identifier: MIT */
/*
 * malloc and its kin: exact live bytes by per-thread counters in the black box.
 *
 * What is hot: the real function, the thread's own line, the size from the chunk's header, one
 * 16-byte add into the thread's twin and one 16-byte store into its slot, and one comparison for
 * all that is rare. It reads two cache lines besides the block's and writes into a third: between two
 * calls the application fills the caches, and in a training that is what a call costs. Everything else
 * is out of line. A block is counted after it was allocated and before it is freed, since its address
 * may be another thread's the moment it is free.
 */
#include "heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "box_private.h"
#include "clock.h"
#include "emit.h"
#include "export.h"
#include "init.h"
#include "log.h"
#include "process.h"
#include "real.h"

#define COLD __attribute__((noinline, cold))
#define HOT_CODE __attribute__((aligned(64)))	/* as few lines of instructions as can be, too */
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/*
 * The hook's return address, read where it is used: __builtin_return_address would be loaded at
 * the function's start and kept in a register over the real call.
 */
#if defined(__x86_64__)
#define CALLER (((const void *volatile *)__builtin_dwarf_cfa())[-1])
#else
#define CALLER __builtin_return_address(0)
#endif

static COLD void *first_malloc(size_t size, const void *caller);
static COLD void first_free(void *p, const void *caller);
static COLD void heat(void);

#define HOT dlt_alive.heap

/*
 * The thread's line, at HOT.own from the thread pointer: that spares the line of the global offset table. It
 * is hot if the thread has a slot of its own, sizes stand in headers and no event is wanted of each call.
 */
typedef volatile struct dlt_heap_own __seg_fs own_line;

static inline own_line *own_of_thread(void)
{
	return (own_line *)HOT.own;
}

/* ---- sizes --------------------------------------------------------------------------------- */

static inline uint64_t usable_size(void *p)
{
	return dlt_heap.has_header ? dlt_head_usable(p) : dlt_heap.usable(p);
}

/* ---- counting ------------------------------------------------------------------------------ */

/*
 * Counts a chunk that is no mapping: its bytes less a word of overhead, one block. The twin is
 * what a fork copies, the slot what is read from outside; each in one step. Returns the twin's
 * new bytes.
 */
static inline uint64_t add(volatile struct dlt_box_pair __seg_fs *twin, struct dlt_box_pair *slot, uint64_t chunk)
{
	__m128i more = _mm_add_epi64(_mm_cvtsi64_si128((long long)chunk), HOT.block);
	__m128i now = _mm_add_epi64(*(__m128i __seg_fs *)twin, more);

	*(__m128i __seg_fs *)twin = now;
	*(volatile __m128i *)slot = now;
	return (uint64_t)_mm_cvtsi128_si64(now);
}

static void raise_live(int64_t moved)
{
	int64_t live = __atomic_add_fetch(&dlt_box->heap_published.live, moved, __ATOMIC_RELAXED);
	int64_t peak = __atomic_load_n(&dlt_box->heap_published.peak, __ATOMIC_RELAXED);

	while (live > peak &&
	       !__atomic_compare_exchange_n(&dlt_box->heap_published.peak, &peak, live, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void publish(struct dlt_thread *t)
{
	int64_t now = (int64_t)(t->heap->allocated.bytes - t->heap->freed.bytes);
	int64_t moved = now - t->published;

	t->published = now;
	raise_live(moved);
	if (dlt_clock_refine())
		dlt_box_set_clock();
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Publishes what was moved, if it is much, and sets how many bytes more may be allocated or freed
 * before the thread must come here again: at the next block that events are wanted of, and before
 * more than DLT_BOX_PEAK_STEP is not published.
 */
static void settle(struct dlt_thread *t)
{
	int64_t moved = (int64_t)(t->heap->allocated.bytes - t->heap->freed.bytes) - t->published;

	if (moved > DLT_BOX_PEAK_STEP / 2 || moved < -DLT_BOX_PEAK_STEP / 2) {
		publish(t);
		moved = 0;
	}
	t->heap->allocated_limit = t->heap->allocated.bytes +
				   least(dlt_process.threshold, (uint64_t)(DLT_BOX_PEAK_STEP - moved));
	t->heap->freed_limit = t->heap->freed.bytes +
			       least(dlt_process.threshold, (uint64_t)(DLT_BOX_PEAK_STEP + moved));
}

static inline bool has_slot(const struct dlt_thread *t)
{
	return t->slot != dlt_box_slot(0);
}

/* A thread without a slot: too many at once, or already past its end. Published at once. */
static void add_late(enum heap_operation operation, uint64_t bytes)
{
	bool freed = operation == HEAP_FREE;
	struct dlt_box_slot *s = dlt_box_slot(0);

	dlt_pair_add_shared(freed ? &dlt_late_freed : &dlt_late_allocated, bytes, 1);
	dlt_pair_add_shared(freed ? &s->freed : &s->allocated, bytes, 1);
	raise_live(freed ? -(int64_t)bytes : (int64_t)bytes);
}

static void count_call(struct dlt_thread *t, enum heap_operation operation, uint64_t bytes)
{
	if (operation == HEAP_FAILED)
		__atomic_fetch_add(&dlt_box->heap_published.failed, 1, __ATOMIC_RELAXED);
	else if (!has_slot(t))
		add_late(operation, bytes);
	else if (operation == HEAP_FREE)
		add(&own_of_thread()->freed, &t->slot->freed, bytes + 8);
	else
		add(&own_of_thread()->allocated, &t->slot->allocated, bytes + 8);
}

/* ---- the slow way -------------------------------------------------------------------------- */

/* The hot way for the thread's next calls, where it may go it. */
static void choose_way(struct dlt_thread *t)
{
	bool cheap = has_slot(t) && dlt_heap.counts && !dlt_enabled(DLT_EV_FULL_HEAP_CALL);

	dlt_heap_line.hot = cheap && dlt_heap.has_header;
	dlt_heap_line.warm = cheap && !dlt_heap.has_header;
}

/* Nothing is asked of the call that was counted last. */
static inline bool is_all(const struct dlt_thread *t)
{
	return (dlt_heap_line.hot || dlt_heap_line.warm) && t->heap->allocated.bytes < t->heap->allocated_limit &&
	       t->heap->freed.bytes < t->heap->freed_limit;
}

/* An event may be wanted, or bytes are to be published; the call is counted already. */
static DLT_HOT __attribute__((noinline)) void counted(struct dlt_thread *t, const struct heap_call *call)
{
	if (has_slot(t))
		settle(t);
	choose_way(t);
	dlt_heap_record(t, call);
}

/*
 * The first call of a thread or a forked child, a thread without slot, a heap without headers, a
 * chunk that is a mapping, an event wanted of each call.
 */
static COLD void count_slowly(const struct heap_call *call)
{
	int saved = errno;
	struct dlt_thread *t;

	if (!dlt_heap.counts)
		return;
	t = dlt_thread_self();
	/* A shell or compiler that nobody asks about: from now on calls only pass. */
	dlt_heap.counts = dlt_process.counted;
	if (dlt_heap.counts) {
		count_call(t, call->operation, call->size);
		if (!dlt_heap_line.warm || call->operation == HEAP_FAILED || !is_all(t))
			counted(t, call);
	} else {
		dlt_heap_line_cool();
	}
	errno = saved;
}

static COLD void *failed(size_t size, enum dlt_fn function, const void *caller)
{
	struct heap_call call = { HEAP_FAILED, function, caller, NULL, size };

	count_slowly(&call);
	return NULL;
}

/* These return p, so that the hot functions keep nothing alive. */
static COLD void *allocated_slowly(void *p, enum dlt_fn function, const void *caller)
{
	struct heap_call call = { HEAP_ALLOC, function, caller, p, 0 };

	if (dlt_heap.counts) {
		call.size = usable_size(p);
		count_slowly(&call);
	}
	return p;
}

static COLD void *allocated_more(void *p, enum dlt_fn function, const void *caller)
{
	struct heap_call call = { HEAP_ALLOC, function, caller, p, dlt_head_usable(p) };

	counted(dlt_thread_self(), &call);
	return p;
}

static COLD void freed_slowly(void *p, enum dlt_fn function, const void *caller)
{
	struct heap_call call = { HEAP_FREE, function, caller, p, 0 };

	if (dlt_heap.counts) {
		call.size = usable_size(p);
		count_slowly(&call);
	}
}

static COLD void freed_more(void *p, enum dlt_fn function, const void *caller)
{
	struct heap_call call = { HEAP_FREE, function, caller, p, dlt_head_usable(p) };

	counted(dlt_thread_self(), &call);
}

/* What free itself ends in, so that it needs no stack. */
static COLD void free_slowly(void *p, const void *caller)
{
	freed_slowly(p, DLT_FN_free, caller);
	HOT.free(p);
}

static COLD void free_more(void *p, const void *caller)
{
	freed_more(p, DLT_FN_free, caller);
	HOT.free(p);
}

/* ---- the hot way --------------------------------------------------------------------------- */

/* Macros, since CALLER is to be read in the cold branch of the hook itself. */
#define ALLOCATED(real_call, asked, function) \
	({ \
		void *block = (real_call); \
		own_line *self = own_of_thread(); \
		if (unlikely(!block)) { \
			block = failed(asked, function, CALLER); \
		} else if (unlikely(!self->hot) || unlikely(dlt_head(block) & DLT_HEAD_MAPPED)) { \
			block = allocated_slowly(block, function, CALLER); \
		} else { \
			uint64_t chunk = dlt_head(block) & ~(uint64_t)DLT_HEAD_FLAGS; \
			uint64_t bytes = add(&self->allocated, &self->slot->allocated, chunk); \
			if (unlikely(bytes >= self->allocated_limit)) \
				block = allocated_more(block, function, CALLER); \
		} \
		block; \
	})

/* Counts a block that is about to be freed; the two are what to do where that is not all. */
#define FREEING(p, slowly, more) \
	do { \
		own_line *self = own_of_thread(); \
		if (unlikely(!self->hot) || unlikely(dlt_head(p) & DLT_HEAD_MAPPED)) { \
			slowly; \
		} else { \
			uint64_t chunk = dlt_head(p) & ~(uint64_t)DLT_HEAD_FLAGS; \
			uint64_t bytes = add(&self->freed, &self->slot->freed, chunk); \
			if (unlikely(bytes >= self->freed_limit)) \
				more; \
		} \
	} while (0)

DLT_EXPORT HOT_CODE void *malloc(size_t size)
{
	void *(*real_malloc)(size_t) = HOT.malloc;

	if (unlikely(!real_malloc))
		return first_malloc(size, CALLER);
	return ALLOCATED(real_malloc(size), size, DLT_FN_malloc);
}

DLT_EXPORT HOT_CODE void free(void *p)
{
	void (*real_free)(void *) = HOT.free;

	if (unlikely(!real_free))
		return first_free(p, CALLER);
	if (likely(p))
		FREEING(p, return free_slowly(p, CALLER), return free_more(p, CALLER));
	real_free(p);
}

/* ---- the rest, which is rarer -------------------------------------------------------------- */

/* The real functions; resolved by the process's first call. */
static inline const struct dlt_real *real(void)
{
	if (unlikely(!HOT.malloc))
		heat();
	return &dlt_real_table;
}

DLT_EXPORT void *calloc(size_t count, size_t size)
{
	size_t asked;

	if (__builtin_mul_overflow(count, size, &asked))
		asked = SIZE_MAX;
	return ALLOCATED(real()->calloc(count, size), asked, DLT_FN_calloc);
}

/* Counted only once it is certain; the old block's size was read before it went. */
static void count_realloc(const struct heap_call *before, void *p)
{
	struct heap_call after = *before;
	struct dlt_thread *t = dlt_thread_self();

	count_call(t, HEAP_FREE, before->size);
	if (p) {
		after.operation = HEAP_ALLOC;
		after.ptr = p;
		after.size = usable_size(p);
		count_call(t, HEAP_ALLOC, after.size);
	}
	if (is_all(t))
		return;
	if (has_slot(t))
		settle(t);
	choose_way(t);
	if (p)
		dlt_heap_record(t, &after);
}

/*
 * The free is recorded before, as any; should realloc fail, the block is said to be there
 * again. realloc(p, 0) frees and gives NULL.
 */
static void *realloc_block(void *old, size_t size, const void *caller)
{
	struct heap_call before = { HEAP_FREE, DLT_FN_realloc, caller, old, usable_size(old) };
	struct dlt_thread *t = dlt_thread_self();
	bool recorded = before.size >= dlt_process.threshold || !(dlt_heap_line.hot || dlt_heap_line.warm);
	int saved;
	void *p;

	if (recorded)
		dlt_heap_record(t, &before);
	p = real()->realloc(old, size);
	saved = errno;
	if (p || size == 0) {
		count_realloc(&before, p);
		errno = saved;
		return p;
	}
	before.operation = HEAP_ALLOC;
	if (recorded)
		dlt_heap_record(t, &before);
	return failed(size, DLT_FN_realloc, caller);
}

DLT_EXPORT void *realloc(void *old, size_t size)
{
	if (!old)
		return ALLOCATED(real()->realloc(NULL, size), size, DLT_FN_realloc);
	if (unlikely(!HOT.malloc))
		heat();
	if (unlikely(!dlt_heap.counts))
		return real()->realloc(old, size);
	return realloc_block(old, size, CALLER);
}

DLT_EXPORT int posix_memalign(void **p, size_t alignment, size_t size)
{
	int err = real()->posix_memalign(p, alignment, size);

	ALLOCATED(err ? NULL : *p, size, DLT_FN_posix_memalign);
	return err;
}

DLT_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return ALLOCATED(real()->aligned_alloc(alignment, size), size, DLT_FN_aligned_alloc);
}

DLT_EXPORT void *memalign(size_t alignment, size_t size)
{
	return ALLOCATED(real()->memalign(alignment, size), size, DLT_FN_memalign);
}

DLT_EXPORT void *valloc(size_t size)
{
	if (unlikely(dlt_heap.pages_apart))
		return real()->valloc(size);
	return ALLOCATED(real()->valloc(size), size, DLT_FN_valloc);
}

DLT_EXPORT void *pvalloc(size_t size)
{
	if (unlikely(dlt_heap.pages_apart))
		return real()->pvalloc(size);
	return ALLOCATED(real()->pvalloc(size), size, DLT_FN_pvalloc);
}

/* C23; exists.c makes these two exist only where the C library has them. */
DLT_EXPORT void free_sized(void *p, size_t size);
DLT_EXPORT void free_aligned_sized(void *p, size_t alignment, size_t size);

DLT_EXPORT void free_sized(void *p, size_t size)
{
	const struct dlt_real *table = real();

	if (likely(p))
		FREEING(p, freed_slowly(p, DLT_FN_free_sized, CALLER),
			freed_more(p, DLT_FN_free_sized, CALLER));
	if (table->free_sized)
		table->free_sized(p, size);
	else
		table->free(p);
}

DLT_EXPORT void free_aligned_sized(void *p, size_t alignment, size_t size)
{
	const struct dlt_real *table = real();

	if (likely(p))
		FREEING(p, freed_slowly(p, DLT_FN_free_aligned_sized, CALLER),
			freed_more(p, DLT_FN_free_aligned_sized, CALLER));
	if (table->free_aligned_sized)
		table->free_aligned_sized(p, alignment, size);
	else
		table->free(p);
}

/* ---- the first call ------------------------------------------------------------------------ */

static uintptr_t offset_of_own(void)
{
	uintptr_t thread_pointer;

	__asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
	return (uintptr_t)&dlt_heap_line - thread_pointer;
}

/*
 * Before the first call of a process or a forked child, in which the kernel has cleared what is
 * hot: there the thread's record is its parent's until somebody asks for it anew. dlsym may
 * allocate: such calls find what they need to pass, and are not counted.
 */
static COLD void heat(void)
{
	static bool resolving;
	int saved = errno;

	dlt_heap_line_cool();
	HOT.own = offset_of_own();
	HOT.block = _mm_set_epi64x(1, -8);
	if (!dlt_heap.resolved && !resolving) {
		resolving = true;
		dlt_heap_resolve();
		resolving = false;
	}
	if (dlt_heap.resolved) {
		HOT.free = dlt_real_table.free;
		__atomic_store_n(&HOT.malloc, dlt_real_table.malloc, __ATOMIC_RELEASE);
	}
	errno = saved;
}

static COLD void *first_malloc(size_t size, const void *caller)
{
	void *p;

	heat();
	p = dlt_real_table.malloc ? dlt_real_table.malloc(size) : __libc_malloc(size);
	return p ? allocated_slowly(p, DLT_FN_malloc, caller) : failed(size, DLT_FN_malloc, caller);
}

static COLD void first_free(void *p, const void *caller)
{
	heat();
	if (p)
		freed_slowly(p, DLT_FN_free, caller);
	if (dlt_real_table.free)
		dlt_real_table.free(p);
	else
		__libc_free(p);
}

/* ---- life ---------------------------------------------------------------------------------- */

void dlt_heap_init(void)
{
	real();
	/* A program with a malloc of its own never comes here: say so instead of showing 0. */
	if (dlt_heap_is_foreign())
		dlt_process.heap = DLT_HEAP_FOREIGN;
	dlt_box->heap = dlt_process.heap;
	dlt_log(DLT_LOG_HEAP, "cover", dlt_heap.has_header ? "headers" : "malloc_usable_size",
		(long)dlt_process.heap);
}

/* What is asked of each call may be another thing now: the next one finds out. */
void dlt_heap_started(void)
{
	dlt_heap_line_cool();
}

void dlt_heap_thread_ended(struct dlt_thread *t)
{
	if (has_slot(t))
		publish(t);
	dlt_heap_line_cool();
}

void dlt_heap_after_fork(void)
{
	heat();
}

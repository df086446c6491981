/* SPDX-License-Identifier: MIT */
/*
 * malloc and its kin: exact live bytes by per-thread counters in the black box.
 *
 * What is hot: one thread-local pointer and the wipe mask in one branch, the size from the
 * chunk's header, one 16-byte add into the thread's twin and one 16-byte store into its slot.
 * Everything else is out of line. A block is counted after it was allocated and before it is
 * freed, since its address may be another thread's the moment it is free.
 */
#include "heap.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>

#include "box_private.h"
#include "clock.h"
#include "elf.h"
#include "emit.h"
#include "export.h"
#include "init.h"
#include "library.h"
#include "log.h"
#include "process.h"
#include "real.h"

#define COLD __attribute__((noinline, cold))
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

static COLD void *first_malloc(size_t size);
static COLD void first_free(void *p);

/* What every call reads, in one cache line. */
static struct {
	void *(*malloc)(size_t);
	void (*free)(void *);
	size_t (*usable)(void *);
	uint64_t event_size;	/* usable bytes from which on a call is looked at closely */
	bool has_header;	/* chunks begin as glibc's do: no call for the size */
	bool counts;		/* false: providers are mixed, nothing can be said */
} hot __attribute__((aligned(64))) = {
	.malloc = first_malloc,
	.free = first_free,
	.event_size = 64 * 1024,
};

/*
 * The thread's record, if it has a slot of its own and sizes stand in headers; NULL sends a call
 * the slow way.
 */
static __thread struct dlt_thread *own;

/* valloc and pvalloc are not the heap's: jemalloc has no pvalloc. Their blocks are not counted. */
static bool pages_apart;

/* ---- sizes --------------------------------------------------------------------------------- */

/*
 * glibc: the word before the block is its chunk's size, less three flags; a mapped chunk (flag 2)
 * has two words of overhead, any other one.
 */
static inline uint64_t header_usable(const void *p)
{
	uint64_t head = ((const uint64_t *)p)[-1];

	return (head & ~(uint64_t)7) - 8 - (head & 2) * 4;
}

static inline uint64_t usable_size(void *p)
{
	return hot.has_header ? header_usable(p) : hot.usable(p);
}

/* ---- counting ------------------------------------------------------------------------------ */

/* Bytes that the thread moved since it last published, in either direction. */
static inline bool moved_far(const struct dlt_thread *t)
{
	uint64_t moved = t->allocated.bytes - t->freed.bytes - (uint64_t)t->published;

	return moved + DLT_BOX_PEAK_STEP > 2 * DLT_BOX_PEAK_STEP;
}

/* The twin is what a fork copies, the slot what is read from outside; each in one step. */
static inline void add(struct dlt_box_pair *twin, struct dlt_box_pair *slot, uint64_t bytes)
{
	__m128i now = _mm_add_epi64(*(const __m128i *)twin, _mm_set_epi64x(1, (long long)bytes));

	*(__m128i *)twin = now;
	*(volatile __m128i *)slot = now;
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
	int64_t now = (int64_t)(t->allocated.bytes - t->freed.bytes);
	int64_t moved = now - t->published;

	t->published = now;
	raise_live(moved);
	if (dlt_clock_refine())
		dlt_box_set_clock();
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
		add(&t->freed, &t->slot->freed, bytes);
	else
		add(&t->allocated, &t->slot->allocated, bytes);
}

/* ---- the slow way -------------------------------------------------------------------------- */

/* An event may be wanted, or bytes are to be published; the call is counted already. */
static DLT_HOT __attribute__((noinline)) void counted(struct dlt_thread *t, const struct heap_call *call)
{
	if (has_slot(t) && moved_far(t))
		publish(t);
	dlt_heap_record(t, call);
}

/* The first call of a thread or a forked child, a thread without slot, a heap without headers. */
static COLD void count_slowly(const struct heap_call *call)
{
	int saved = errno;
	struct dlt_thread *t;

	if (!hot.counts)
		return;
	t = dlt_thread_self();
	/* A shell or compiler that nobody asks about: from now on calls only pass. */
	hot.counts = dlt_process.counted;
	own = has_slot(t) && hot.has_header && hot.counts ? t : NULL;
	if (hot.counts) {
		count_call(t, call->operation, call->size);
		counted(t, call);
	}
	errno = saved;
}

static inline struct dlt_thread *own_thread(void)
{
	return (struct dlt_thread *)((uintptr_t)own & dlt_alive.mask);
}

static inline bool looked_at(const struct dlt_thread *t, uint64_t bytes)
{
	return bytes >= hot.event_size || moved_far(t) || dlt_enabled(DLT_EV_FULL_HEAP_CALL);
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

	if (hot.counts) {
		call.size = usable_size(p);
		count_slowly(&call);
	}
	return p;
}

static COLD void *allocated_more(void *p, struct dlt_thread *t, enum dlt_fn function,
				 const void *caller)
{
	struct heap_call call = { HEAP_ALLOC, function, caller, p, header_usable(p) };

	counted(t, &call);
	return p;
}

static COLD void *freed_slowly(void *p, enum dlt_fn function, const void *caller)
{
	struct heap_call call = { HEAP_FREE, function, caller, p, 0 };

	if (hot.counts) {
		call.size = usable_size(p);
		count_slowly(&call);
	}
	return p;
}

static COLD void *freed_more(void *p, struct dlt_thread *t, enum dlt_fn function,
			     const void *caller)
{
	struct heap_call call = { HEAP_FREE, function, caller, p, header_usable(p) };

	counted(t, &call);
	return p;
}

/* ---- the hot way --------------------------------------------------------------------------- */

/* Macros, since CALLER is to be read in the cold branch of the hook itself. */
#define ALLOCATED(real_call, asked, function) \
	({ \
		void *block = (real_call); \
		struct dlt_thread *self = own_thread(); \
		if (unlikely(!block)) { \
			block = failed(asked, function, CALLER); \
		} else if (unlikely(!self)) { \
			block = allocated_slowly(block, function, CALLER); \
		} else { \
			uint64_t size_of_block = header_usable(block); \
			add(&self->allocated, &self->slot->allocated, size_of_block); \
			if (unlikely(looked_at(self, size_of_block))) \
				block = allocated_more(block, self, function, CALLER); \
		} \
		block; \
	})

#define FREEING(p, function) \
	do { \
		struct dlt_thread *self = own_thread(); \
		if (unlikely(!self)) { \
			p = freed_slowly(p, function, CALLER); \
		} else { \
			uint64_t size_of_block = header_usable(p); \
			add(&self->freed, &self->slot->freed, size_of_block); \
			if (unlikely(looked_at(self, size_of_block))) \
				p = freed_more(p, self, function, CALLER); \
		} \
	} while (0)

DLT_EXPORT void *malloc(size_t size)
{
	return ALLOCATED(hot.malloc(size), size, DLT_FN_malloc);
}

DLT_EXPORT void free(void *p)
{
	if (likely(p))
		FREEING(p, DLT_FN_free);
	hot.free(p);
}

/* ---- the rest, which is rarer -------------------------------------------------------------- */

static COLD void resolve(void);

/* The real functions; resolved by the process's first call. */
static inline const struct dlt_real *real(void)
{
	if (unlikely(hot.malloc == first_malloc))
		resolve();
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
	struct dlt_thread *t = own_thread();

	if (!t) {
		t = dlt_thread_self();
		own = has_slot(t) && hot.has_header ? t : NULL;
	}
	count_call(t, HEAP_FREE, before->size);
	if (p) {
		after.operation = HEAP_ALLOC;
		after.ptr = p;
		after.size = usable_size(p);
		count_call(t, HEAP_ALLOC, after.size);
	}
	if (!looked_at(t, after.size))
		return;
	if (has_slot(t) && moved_far(t))
		publish(t);
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
	struct dlt_thread *t = own_thread();
	bool recorded = t && looked_at(t, before.size);
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
	if (unlikely(!hot.counts))
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
	if (unlikely(pages_apart))
		return real()->valloc(size);
	return ALLOCATED(real()->valloc(size), size, DLT_FN_valloc);
}

DLT_EXPORT void *pvalloc(size_t size)
{
	if (unlikely(pages_apart))
		return real()->pvalloc(size);
	return ALLOCATED(real()->pvalloc(size), size, DLT_FN_pvalloc);
}

/* C23; exists.c makes these two exist only where the C library has them. */
DLT_EXPORT void free_sized(void *p, size_t size);
DLT_EXPORT void free_aligned_sized(void *p, size_t alignment, size_t size);

DLT_EXPORT void free_sized(void *p, size_t size)
{
	if (likely(p))
		FREEING(p, DLT_FN_free_sized);
	if (real()->free_sized)
		real()->free_sized(p, size);
	else
		hot.free(p);
}

DLT_EXPORT void free_aligned_sized(void *p, size_t alignment, size_t size)
{
	if (likely(p))
		FREEING(p, DLT_FN_free_aligned_sized);
	if (real()->free_aligned_sized)
		real()->free_aligned_sized(p, alignment, size);
	else
		hot.free(p);
}

/* ---- the real ones ------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t size) __attribute__((weak));

/* Load address of the object that holds a function; no walk over symbol tables (2.5 ms). */
static uintptr_t owner_of(const void *function)
{
	return dlt_library_base(function);
}

/* One provider for all, or sizes would be asked of an allocator that does not know the block. */
static bool one_provider(void)
{
	uintptr_t owner = owner_of((const void *)dlt_real_table.malloc);

#define SAME_OWNER(ret, name, args) \
	if (dlt_real_table.name && owner_of((const void *)dlt_real_table.name) != owner) \
		return false;
	DLT_REAL_HEAP(SAME_OWNER)
	pages_apart = owner_of((const void *)dlt_real_table.pvalloc) != owner ||
		      owner_of((const void *)dlt_real_table.valloc) != owner;
	return dlt_real_table.free && dlt_real_table.realloc && dlt_real_table.malloc_usable_size;
}

/* Small blocks only: freeing a mapped one would move glibc's mmap threshold. */
static bool has_glibc_headers(void)
{
	static const size_t sizes[] = { 1, 24, 25, 40, 1000 };

	if (!__libc_malloc || owner_of((const void *)dlt_real_table.malloc) !=
			      owner_of((const void *)__libc_malloc))
		return false;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		void *p = dlt_real_table.malloc(sizes[i]);
		bool same = p && header_usable(p) == dlt_real_table.malloc_usable_size(p);

		dlt_real_table.free(p);
		if (!same)
			return false;
	}
	return true;
}

/* Runs once, in the first allocation of the process: mostly ld.so's, before all constructors. */
static COLD void resolve(void)
{
	int saved = errno;

	dlt_real_init_heap();
	hot.usable = dlt_real_table.malloc_usable_size;
	hot.has_header = has_glibc_headers();
	hot.counts = one_provider();
	dlt_process.heap = hot.counts ? DLT_HEAP_EXACT : DLT_HEAP_MIXED;
	hot.free = dlt_real_table.free;
	hot.malloc = dlt_real_table.malloc;
	errno = saved;
}

static COLD void *first_malloc(size_t size)
{
	/* dlsym itself may allocate: then the table is half filled and this is no place to count. */
	static bool resolving;

	if (resolving)
		return dlt_real_table.malloc ? dlt_real_table.malloc(size) : __libc_malloc(size);
	resolving = true;
	resolve();
	resolving = false;
	return hot.malloc(size);
}

static COLD void first_free(void *p)
{
	resolve();
	hot.free(p);
}

/* ---- life ---------------------------------------------------------------------------------- */

/*
 * True where somebody before us defines malloc. Asking dlsym would not do: a fixed-address program
 * that takes malloc's address has a symbol for it too, undefined and with its PLT's address.
 */
static bool is_foreign(void)
{
	struct dlt_elf_name name = dlt_elf_name("malloc");
	struct dlt_elf e;

	for (struct link_map *m = _r_debug.r_map; m; m = m->l_next)
		if (dlt_elf_open(&e, m->l_addr, m->l_ld) && dlt_elf_find(&e, &name, NULL))
			return m->l_addr != owner_of((const void *)resolve);
	return false;
}

void dlt_heap_init(void)
{
	real();
	hot.event_size = dlt_process.threshold;
	/* A program with a malloc of its own never comes here: say so instead of showing 0. */
	if (is_foreign())
		dlt_process.heap = DLT_HEAP_FOREIGN;
	dlt_box->heap = dlt_process.heap;
	dlt_log("heap", "cover", hot.has_header ? "headers" : "malloc_usable_size",
		(long)dlt_process.heap);
}

void dlt_heap_thread_ended(struct dlt_thread *t)
{
	if (has_slot(t))
		publish(t);
	own = NULL;
}

void dlt_heap_after_fork(void)
{
	own = NULL;
}

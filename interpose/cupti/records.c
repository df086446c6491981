/* SPDX-License-Identifier: MIT */
/* Walks buffers, joins work and calls, brings times onto CLOCK_MONOTONIC, emits. */
#include "records.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "asked.h"
#include "calls.h"
#include "clock.h"
#include "interpose/sys.h"
#include "layout.h"
#include "names.h"

#define WAITING (1u << 16)	/* pieces of work that may wait for their calls at once */
#define SETS 5			/* the `direction` of a set */

enum what { KERNEL, COPY, SYNC };

/* One piece of work, as its event wants it, but for the call. */
struct work {
	enum what what;
	uint32_t kernel, context, stream, correlation, graph;
	uint8_t device, code;	/* code: direction, type */
	uint64_t size;
	uint64_t begin, duration;	/* ns CLOCK_MONOTONIC */
	uint64_t since;			/* it waits */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct dlt_cupti_host *host;
static const struct cupti *cupti;
static struct records_account account;
static struct work *waiting;	/* a ring, oldest first */
static unsigned head, tail;
static bool by_handle;		/* CUPTI's thread ids are halves of pthread_t */
static unsigned readers_now;	/* threads in records_read */

bool records_init(const struct dlt_cupti_host *h, const struct cupti *c)
{
	host = h;
	cupti = c;
	if (!waiting)
		waiting = dlt_sys_map(NULL, WAITING * sizeof(*waiting), PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	return waiting && calls_init();
}

void records_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	readers_now = 0;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void emit_kernel(const struct work *w, uint32_t caller, uint64_t called)
{
	const struct dlt_ev_gpu_kernel e = {
		.process = host->process(), .caller = caller, .called = called, .begin = w->begin,
		.duration = w->duration, .kernel = w->kernel, .device = w->device,
		.context = w->context, .stream = w->stream, .correlation = w->correlation,
		.graph = w->graph,
	};

	host->emit(DLT_EV_GPU_KERNEL, &e, false);
}

static void emit_copy(const struct work *w, uint32_t caller, uint64_t called)
{
	const struct dlt_ev_gpu_copy e = {
		.process = host->process(), .caller = caller, .called = called, .begin = w->begin,
		.duration = w->duration, .size = w->size, .direction = w->code,
		.device = w->device, .context = w->context, .stream = w->stream,
		.correlation = w->correlation, .graph = w->graph,
	};

	host->emit(DLT_EV_GPU_COPY, &e, false);
}

static void emit_sync(const struct work *w, uint32_t caller, uint64_t called)
{
	const struct dlt_ev_gpu_sync e = {
		.process = host->process(), .caller = caller, .called = called, .begin = w->begin,
		.duration = w->duration, .type = w->code, .context = w->context,
		.stream = w->stream, .correlation = w->correlation,
	};

	host->emit(DLT_EV_GPU_SYNC, &e, false);
}

static void emit(const struct work *w, const struct call *c)
{
	static void (*const emitters[])(const struct work *, uint32_t, uint64_t) = {
		[KERNEL] = emit_kernel, [COPY] = emit_copy, [SYNC] = emit_sync,
	};
	uint64_t error;

	if (w->what == SYNC && c && c->query)
		return;
	account.emitted++;
	emitters[w->what](w, c ? c->thread : 0, c ? cupti_clock_convert(c->begin, &error) : 0);
}

/* ---- waiting for the call -------------------------------------------------------------------- */

/* Those whose call has come go, and those who have waited too long; the others keep their order. */
static void settle(uint64_t most)
{
	uint64_t now = cupti_clock_now();
	unsigned end = tail, keep = head;

	for (unsigned i = head; i != end; i++) {
		const struct work w = waiting[i % WAITING];
		const struct call *c = calls_find(w.correlation);

		if (c || now - w.since >= most)
			emit(&w, c);
		else
			waiting[keep++ % WAITING] = w;
	}
	tail = keep;
}

static void wait_for_call(struct work *w)
{
	/* The one that has waited longest; others' calls may be in the next buffer. */
	if (tail - head == WAITING)
		emit(&waiting[head++ % WAITING], NULL);
	w->since = cupti_clock_now();
	waiting[tail++ % WAITING] = *w;
}

/* ---- records --------------------------------------------------------------------------------- */

/* CUpti_ActivityMemcpyKind to `direction`; by what they touch, arrays are device memory. */
static const uint8_t directions[] = { 4, 1, 2, 1, 2, 3, 3, 3, 3, 0, 3 };

static bool set_times(struct work *w, uint64_t start, uint64_t end)
{
	uint64_t error, other, finish;

	if (!start || !end) {
		account.unfinished++;
		return false;
	}
	w->begin = cupti_clock_convert(start, &error);
	finish = cupti_clock_convert(end, &other);
	w->duration = finish - w->begin;
	if (end < start || finish < w->begin || !w->begin || w->duration > INT64_MAX) {
		account.odd++;
		return false;
	}
	error = error > other ? error : other;
	account.clock_error = error > account.clock_error ? error : account.clock_error;
	return true;
}

/* Of the records of device work: one shape for all. */
#define DEVICE_WORK(record, at) \
	.device = (uint8_t)cupti_##record##_deviceId(at), \
	.context = (uint32_t)cupti_##record##_contextId(at), \
	.stream = (uint32_t)cupti_##record##_streamId(at), \
	.correlation = (uint32_t)cupti_##record##_correlationId(at), \
	.graph = (uint32_t)cupti_##record##_graphId(at)
#define TIMES(record, at) cupti_##record##_start(at), cupti_##record##_end(at)

static bool read_kernel(const uint8_t *at, struct work *w)
{
	const char *name = (const char *)(uintptr_t)cupti_kernel_name(at);

	*w = (struct work){ .what = KERNEL, DEVICE_WORK(kernel, at) };
	if (!set_times(w, TIMES(kernel, at)))
		return false;
	w->kernel = name ? names_id(host, name) : 0;
	return true;
}

static bool read_copy(const uint8_t *at, struct work *w)
{
	uint64_t kind = cupti_copy_copyKind(at);

	*w = (struct work){
		.what = COPY, DEVICE_WORK(copy, at), .size = cupti_copy_bytes(at),
		.code = kind < sizeof(directions) ? directions[kind] : 4,
	};
	return set_times(w, TIMES(copy, at));
}

static bool read_peer(const uint8_t *at, struct work *w)
{
	*w = (struct work){
		.what = COPY, DEVICE_WORK(peer, at), .size = cupti_peer_bytes(at), .code = 3,
	};
	return set_times(w, TIMES(peer, at));
}

static bool read_set(const uint8_t *at, struct work *w)
{
	*w = (struct work){
		.what = COPY, DEVICE_WORK(set, at), .size = cupti_set_bytes(at), .code = SETS,
	};
	return set_times(w, TIMES(set, at));
}

static bool read_sync(const uint8_t *at, struct work *w)
{
	*w = (struct work){
		.what = SYNC, .code = (uint8_t)cupti_sync_type(at),
		.context = (uint32_t)cupti_sync_contextId(at),
		.stream = (uint32_t)cupti_sync_streamId(at),
		.correlation = (uint32_t)cupti_sync_correlationId(at),
	};
	return set_times(w, TIMES(sync, at));
}

/* By CUpti_ActivityKind. */
static const struct {
	size_t bytes;
	bool (*read)(const uint8_t *at, struct work *w);
} readers[] = {
	[CUPTI_KERNEL] = { CUPTI_KERNEL_BYTES, read_kernel },
	[CUPTI_COPY] = { CUPTI_COPY_BYTES, read_copy },
	[CUPTI_PEER] = { CUPTI_PEER_BYTES, read_peer },
	[CUPTI_SET] = { CUPTI_SET_BYTES, read_set },
	[CUPTI_SYNC] = { CUPTI_SYNC_BYTES, read_sync },
};

#define READERS (sizeof(readers) / sizeof(readers[0]))

static uint32_t kind_of(const uint8_t *at)
{
	uint32_t kind;

	memcpy(&kind, at, sizeof(kind));
	return kind;
}

static bool is_query(uint32_t kind, uint64_t number)
{
#define IS(of, name, its) || (kind == CUPTI_##of && number == (its))
	return false CUPTI_QUERIES(IS);
#undef IS
}

/* A call that waits, where no record of its own tells that; the driver's inside the runtime's has the same number. */
static void emit_wait(const uint8_t *at, uint8_t type)
{
	struct work w = { .what = SYNC, .code = type, .correlation = (uint32_t)cupti_call_correlationId(at) };

	if (set_times(&w, TIMES(call, at)))
		emit(&w, calls_find(w.correlation));
}

static void note_call(const uint8_t *at, bool has_waits)
{
	uint32_t correlation = (uint32_t)cupti_call_correlationId(at);
	uint8_t type = asked_wait(kind_of(at) == CUPTI_DRIVER, cupti_call_cbid(at));
	bool known = calls_find(correlation);

	calls_note(host, correlation, (uint32_t)cupti_call_threadId(at), by_handle, cupti_call_start(at),
		   is_query(kind_of(at), cupti_call_cbid(at)));
	if (type && !has_waits && !known)
		emit_wait(at, type);
}

static void read_work(const uint8_t *at, size_t left)
{
	uint32_t kind = kind_of(at);
	const struct call *c;
	struct work w;

	if (kind >= READERS || !readers[kind].read)
		return;
	if (left < readers[kind].bytes) {
		account.odd++;
		return;
	}
	if (!readers[kind].read(at, &w))
		return;
	c = calls_find(w.correlation);
	if (!c && w.correlation)
		wait_for_call(&w);
	else
		emit(&w, c);
}

static void walk(uint8_t *buffer, size_t valid, bool work, bool has_waits)
{
	uint8_t *at = NULL;

	while (cupti->cuptiActivityGetNextRecord(buffer, valid, &at) == 0) {
		size_t left = (size_t)(buffer + valid - at);

		if (at < buffer || left > valid || left < sizeof(uint32_t))
			break;
		if (work)
			read_work(at, left);
		else if ((kind_of(at) == CUPTI_RUNTIME || kind_of(at) == CUPTI_DRIVER) && left >= CUPTI_CALL_BYTES)
			note_call(at, has_waits);
	}
}

void records_read(uint8_t *buffer, size_t valid, bool has_waits)
{
	struct clock_pair pair;
	bool paired;
	int type = 1;

	if (!buffer || !valid)
		return;
	__atomic_fetch_add(&readers_now, 1, __ATOMIC_ACQUIRE);
	/* Before the lock is taken: what calls CUPTI may wait for who waits for us. */
	paired = cupti_clock_read(cupti->cuptiGetTimestamp, &pair);
	cupti->cuptiGetThreadIdType(&type);
	pthread_mutex_lock(&lock);
	by_handle = type == 0;
	if (paired)
		cupti_clock_add(&pair);
	walk(buffer, valid, false, has_waits);
	settle(UINT64_MAX);
	walk(buffer, valid, true, has_waits);
	pthread_mutex_unlock(&lock);
	__atomic_fetch_sub(&readers_now, 1, __ATOMIC_RELEASE);
}

void records_finish(uint64_t ns)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	uint64_t end = cupti_clock_now() + ns;

	while (__atomic_load_n(&readers_now, __ATOMIC_ACQUIRE) && cupti_clock_now() < end)
		nanosleep(&nap, NULL);
}

/* ---- the helper's part ----------------------------------------------------------------------- */

void records_tick(bool changed)
{
	struct clock_pair pair;
	bool paired = cupti_clock_read(cupti->cuptiGetTimestamp, &pair);

	pthread_mutex_lock(&lock);
	if (changed)
		cupti_clock_changed();
	if (paired)
		cupti_clock_add(&pair);
	pthread_mutex_unlock(&lock);
}

void records_settle(uint64_t ns)
{
	pthread_mutex_lock(&lock);
	settle(ns);
	pthread_mutex_unlock(&lock);
}

void records_again(void)
{
	pthread_mutex_lock(&lock);
	names_again(host);
	pthread_mutex_unlock(&lock);
}

struct records_account records_account(void)
{
	struct records_account now;

	pthread_mutex_lock(&lock);
	now = account;
	pthread_mutex_unlock(&lock);
	return now;
}

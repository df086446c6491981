/* SPDX-License-Identifier: MIT */
/*
 * A libcupti that records what the stub GPU does, as CUPTI 12.9 or 13.0 would (STUB_CUPTI: 12, 13).
 *
 *   STUB_CUPTI_VERSION=99           what cuptiGetVersion says
 *   STUB_CUPTI_CLOCK=OFFSET:PPM:WOBBLE  ns, parts in a million: CUPTI's clock is CLOCK_MONOTONIC
 *                                   plus OFFSET, too fast by PPM, and by WOBBLE more or less in
 *                                   turns of a second
 *   STUB_CUPTI_REFUSES=1            every call gives 999, as without a driver
 *   STUB_CUPTI_COUNTS=1             who has kinds enabled counts as a subscriber
 *   STUB_CUPTI_SLOW=1               a flush that is not forced takes a second, and cuptiFinalize aborts meanwhile
 *   STUB_CUPTI_HANGS=1              a forced flush never returns
 *   STUB_CUPTI_POISONED=1           nothing is recorded after cuptiFinalize
 *   STUB_CUPTI_CALLS=FILE           a line for each record of a call: its name
 *   STUB_CUPTI_THREADS=N            N buffers more are held, as for so many threads
 *   STUB_CUPTI_LATE=1               CUPTI's own thread hands over what there is each time, and takes
 *                                   0.2 s to tell the time then
 *
 * That of 13 has a subscriber's own kinds and callbacks (_v2) too. As CUPTI, it refuses the one way
 * of enabling while the other is in use, and records of a chosen layout (here: kind and correlation)
 * while anything is enabled.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cupti_records.h"
#include "gpu.h"

enum { USER_DEFINED_RECORDS = 11 };
typedef void (*request_fn)(uint8_t **buffer, size_t *size, size_t *most);
typedef void (*complete_fn)(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
typedef void (*request_fn_v2)(uint8_t **buffer, size_t *size, size_t *most, void *info);
typedef void (*complete_fn_v2)(uint8_t *buffer, size_t size, size_t valid, void *info);

#define PENDING 65536
#define HELD 1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static request_fn request;
static complete_fn complete;
static request_fn_v2 request_v2;
static complete_fn_v2 complete_v2;
static uint64_t kinds, kinds_v2;
static int all_queries = 1;
static int user_defined;
static void *subscriber;
static int thread_ids, poisoned;
static struct stub_gpu_record pending[PENDING];	/* work that has not ended */
static size_t pending_count, dropped;
static uint8_t *buffer, *held[HELD];
static size_t buffer_size, used, held_count;
static int worker_runs, settling, flushing;
static __thread int is_late;
static pthread_cond_t settled = PTHREAD_COND_INITIALIZER;

static int refuses(void)
{
	return getenv("STUB_CUPTI_REFUSES") != NULL;
}

/* ---- buffers: the lock is held, but not while the client is called; then nothing is as it was ---- */

static void give(uint8_t *full, size_t size, size_t valid)
{
	complete_fn to = complete;
	complete_fn_v2 to_v2 = complete_v2;

	if (!full || (!to && !to_v2))
		return;
	pthread_mutex_unlock(&lock);
	if (to_v2)
		to_v2(full, size, valid, NULL);
	else
		to(NULL, 0, full, size, valid);
	pthread_mutex_lock(&lock);
}

static void hand_over(void)
{
	uint8_t *full = buffer;

	buffer = NULL;
	give(full, buffer_size, used);
}

static void ask(uint8_t **fresh, size_t *size)
{
	request_fn from = request;
	request_fn_v2 from_v2 = request_v2;
	size_t most = 0;

	*fresh = NULL;
	pthread_mutex_unlock(&lock);
	if (from_v2)
		from_v2(fresh, size, &most, NULL);
	else if (from)
		from(fresh, size, &most);
	pthread_mutex_lock(&lock);
}

static void hold(void)
{
	const char *text = getenv("STUB_CUPTI_THREADS");
	size_t wanted = text ? (size_t)atoi(text) : 0, size = 0;
	uint8_t *fresh;

	while (held_count < wanted && held_count < HELD) {
		ask(&fresh, &size);
		dropped += !fresh;
		if (held_count < HELD)
			held[held_count++] = fresh;
		else
			give(fresh, size, 0);
	}
}

static void let_go(void)
{
	while (held_count)
		give(held[--held_count], 1, 0);
}

/* A buffer with room. False: the client has none. */
static int make_room(size_t size)
{
	uint8_t *fresh;
	size_t fresh_size = 0;

	while (!buffer || used + size > buffer_size) {
		if (buffer) {
			hand_over();
			continue;
		}
		ask(&fresh, &fresh_size);
		if (!fresh || size > fresh_size)
			return 0;
		if (buffer) {
			/* Another thread was quicker, and what it has put there is to stay. */
			give(fresh, fresh_size, 0);
			continue;
		}
		buffer = fresh;
		buffer_size = fresh_size;
		used = 0;
		hold();
	}
	return 1;
}

static void put(const void *record, size_t size)
{
	if (!make_room(size)) {
		dropped++;
		return;
	}
	memcpy(buffer + used, record, size);
	used += size;
}

/* What a client gets that has chosen to be told no more. */
static void put_chosen(uint32_t kind, uint32_t correlation)
{
	put((const uint32_t[]){ kind, correlation }, 2 * sizeof(uint32_t));
}

static int kind_of(const struct stub_gpu_record *r)
{
	static const int of[] = { KERNEL, COPY, SET, SYNC };

	return r->what == STUB_CALL ? (r->driver ? DRIVER : RUNTIME) : of[r->what];
}

static void put_work(const struct stub_gpu_record *r, int finished)
{
	uint64_t start = finished ? cupti_stamp(r->begin) : 0, end = finished ? cupti_stamp(r->end) : 0;

	if (user_defined) {
		put_chosen((uint32_t)kind_of(r), r->correlation);
	} else if (r->what == STUB_KERNEL) {
		struct kernel k = {
			.kind = KERNEL, .start = start, .end = end, .name = r->name,
			.device = r->device, .context = r->device + 1, .stream = r->stream,
			.grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .correlation = r->correlation,
		};
		memset(k.rest, 0x5a, sizeof(k.rest));
		put(&k, sizeof(k));
	} else if (r->what == STUB_COPY || r->what == STUB_SET) {
		static const uint8_t copy_kinds[] = { 9, 1, 2, 8, 0 };
		struct copy c = {
			.kind = r->what == STUB_COPY ? COPY : SET, .bytes = r->size, .start = start,
			.end = end, .device = r->device, .context = r->device + 1, .stream = r->stream,
			.correlation = r->correlation,
			.copy_kind = r->what == STUB_COPY ? copy_kinds[r->direction % 5] : 0x77,
		};
		/* Memset4 is 8 bytes shorter. */
		put(&c, r->what == STUB_COPY ? sizeof(c) : 88);
	}
}

/* Work that has ended; all: what has not, without times. One thread at a time. */
static void settle(int all)
{
	uint64_t now = cupti_mono();
	size_t keep = 0, count;

	while (settling)
		pthread_cond_wait(&settled, &lock);
	settling = 1;
	count = pending_count;
	for (size_t i = 0; i < count; i++) {
		const struct stub_gpu_record r = pending[i];

		if (r.end <= now || all)
			put_work(&r, r.end <= now);
		else
			pending[keep++] = r;
	}
	/* What came while the client was called stands behind. */
	memmove(&pending[keep], &pending[count], (pending_count - count) * sizeof(pending[0]));
	pending_count = keep + (pending_count - count);
	settling = 0;
	pthread_cond_broadcast(&settled);
}

static int is_busy(uint64_t now)
{
	for (size_t i = 0; i < pending_count; i++)
		if (pending[i].end > now)
			return 1;
	return 0;
}

/* One is told of as a synchronisation, and takes no time; that of what is not done only if that is wanted. */
static void put_query(const struct stub_gpu_record *r)
{
	struct sync s = {
		.kind = SYNC, .type = strstr(r->name, "Event") ? 1 : 3, .start = cupti_stamp(r->begin), .end = cupti_stamp(r->end),
		.correlation = r->correlation, .context = r->device + 1, .stream = UINT32_MAX,
	};

	if ((all_queries || !is_busy(r->end)) && !user_defined)
		put(&s, sizeof(s));
}

static void note_call(const char *name)
{
	static FILE *calls;

	if (!calls && getenv("STUB_CUPTI_CALLS"))
		calls = fopen(getenv("STUB_CUPTI_CALLS"), "ae");
	if (calls)
		fprintf(calls, "%s\n", name);
}

static int is_wanted(const struct stub_gpu_record *r)
{
	int on = (int)((kinds | kinds_v2) >> kind_of(r) & 1);

	return r->what == STUB_CALL ? cupti_wants(r->driver, cupti_function(r->driver, r->name), on) : on;
}

static void on_record(const struct stub_gpu_record *r)
{
	pthread_mutex_lock(&lock);
	if (r->what == STUB_CALL && strstr(r->name, "Query") && !poisoned && (kinds | kinds_v2) >> SYNC & 1)
		put_query(r);
	if (poisoned || !is_wanted(r)) {
		/* not asked for */
	} else if (user_defined && (r->what == STUB_CALL || r->what == STUB_WAIT)) {
		put_chosen((uint32_t)kind_of(r), r->correlation);
	} else if (r->what == STUB_CALL) {
		struct api a = {
			.kind = r->driver ? DRIVER : RUNTIME, .function = cupti_function(r->driver, r->name), .start = cupti_stamp(r->begin),
			.end = cupti_stamp(r->end), .process = (uint32_t)getpid(), .correlation = r->correlation,
			.thread = thread_ids ? r->tid : (uint32_t)r->thread,
		};
		put(&a, sizeof(a));
		note_call(r->name);
	} else if (r->what == STUB_WAIT) {
		struct sync s = {
			.kind = SYNC, .type = r->stream == UINT32_MAX ? 4 : 3, .start = cupti_stamp(r->begin),
			.end = cupti_stamp(r->end), .correlation = r->correlation, .context = r->device + 1,
			.stream = r->stream,
		};
		put(&s, sizeof(s));
	} else if (pending_count < PENDING) {
		pending[pending_count++] = *r;
	} else {
		dropped++;
	}
	pthread_mutex_unlock(&lock);
}

/* CUPTI's own thread: brings what has ended into buffers. */
static void *worker(void *unused)
{
	(void)unused;
	is_late = getenv("STUB_CUPTI_LATE") != NULL;
	for (;;) {
		usleep(20000);
		pthread_mutex_lock(&lock);
		settle(0);
		if (is_late)
			hand_over();
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void attach(void)
{
	void *library = dlopen("libstubgpu.so", RTLD_NOW);
	const struct stub_gpu *gpu = library ? dlsym(library, "stub_gpu") : NULL;
	pthread_t thread;

	if (gpu)
		gpu->listen(on_record);
	if (__atomic_exchange_n(&worker_runs, 1, __ATOMIC_RELAXED))
		return;
	/* The child calls CUDA too, and must not find the lock taken for ever. */
	pthread_atfork(before_fork, after_fork, after_fork);
	pthread_create(&thread, NULL, worker, NULL);
}

/* ---- what CUPTI exports ---- */

int cuptiGetVersion(uint32_t *version);
int cuptiGetVersion(uint32_t *version)
{
	const char *text = getenv("STUB_CUPTI_VERSION");

	*version = text ? (uint32_t)atoi(text) : STUB_CUPTI == 12 ? 28 : 130001;
	return OK;
}

int cuptiGetTimestamp(uint64_t *timestamp);
int cuptiGetTimestamp(uint64_t *timestamp)
{
	/* The first of the 8 times that make a pair. */
	if (is_late && is_late++ % 8 == 1)
		usleep(200000);
	*timestamp = cupti_now();
	return refuses() ? UNKNOWN : OK;
}

int cuptiSetThreadIdType(int type);
int cuptiSetThreadIdType(int type)
{
	thread_ids = type;
	return OK;
}

int cuptiGetThreadIdType(int *type);
int cuptiGetThreadIdType(int *type)
{
	*type = thread_ids;
	return OK;
}

int cuptiSubscribe(void **handle, void *callback, void *data);
int cuptiSubscribe(void **handle, void *callback, void *data)
{
	(void)callback;
	(void)data;
	if (refuses())
		return UNKNOWN;
	if (subscriber || (kinds && getenv("STUB_CUPTI_COUNTS")))
		return MULTIPLE_SUBSCRIBERS;
	*handle = subscriber = &subscriber;
	return OK;
}

int cuptiUnsubscribe(void *handle);
int cuptiUnsubscribe(void *handle)
{
	if (!handle || handle != subscriber)
		return INVALID_PARAMETER;
	subscriber = NULL;
	return OK;
}

int cuptiActivityRegisterCallbacks(request_fn r, complete_fn c);
int cuptiActivityRegisterCallbacks(request_fn r, complete_fn c)
{
	if (!r || !c)
		return INVALID_PARAMETER;
	if (refuses())
		return UNKNOWN;
	pthread_mutex_lock(&lock);
	request = r;
	complete = c;
	request_v2 = NULL;
	complete_v2 = NULL;
	pthread_mutex_unlock(&lock);
	return OK;
}

void cupti_listens(void)
{
	attach();
}

int cuptiActivityEnable(int kind);
int cuptiActivityEnable(int kind)
{
	if (refuses())
		return UNKNOWN;
	if (kind < 0 || kind > 63)
		return INVALID_PARAMETER;
	if (kinds_v2 || user_defined)
		return NOT_COMPATIBLE;
	attach();
	if (kind == RUNTIME || kind == DRIVER)
		cupti_by_kind(kind == DRIVER);
	__atomic_fetch_or(&kinds, 1ULL << kind, __ATOMIC_RELAXED);
	return OK;
}

int cuptiActivityDisable(int kind);
int cuptiActivityDisable(int kind)
{
	if (refuses())
		return UNKNOWN;
	__atomic_fetch_and(&kinds, ~(1ULL << kind), __ATOMIC_RELAXED);
	return OK;
}

int cuptiActivityEnableAllSyncRecords(uint8_t enable);
int cuptiActivityEnableAllSyncRecords(uint8_t enable)
{
	all_queries = enable;
	return OK;
}

int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityFlushAll(uint32_t flag)
{
	if (refuses())
		return UNKNOWN;
	while (flag && getenv("STUB_CUPTI_HANGS"))
		sleep(1);
	pthread_mutex_lock(&lock);
	settle((int)flag);
	if (flag || !pending_count)
		hand_over();
	if (flag)
		let_go();
	pthread_mutex_unlock(&lock);
	if (!flag && getenv("STUB_CUPTI_SLOW")) {
		__atomic_store_n(&flushing, 1, __ATOMIC_RELAXED);
		sleep(1);
		__atomic_store_n(&flushing, 0, __ATOMIC_RELAXED);
	}
	return OK;
}

int cuptiActivityFlushPeriod(uint32_t time);
int cuptiActivityFlushPeriod(uint32_t time)
{
	(void)time;
	return OK;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
	(void)context;
	(void)stream;
	*count = __atomic_exchange_n(&dropped, 0, __ATOMIC_RELAXED);
	return OK;
}

int cuptiActivityGetNextRecord(uint8_t *from, size_t valid, uint8_t **record);
int cuptiActivityGetNextRecord(uint8_t *from, size_t valid, uint8_t **record)
{
	uint8_t *next = *record ? *record + cupti_record_size(*record, user_defined) : from;

	if (next + sizeof(uint32_t) > from + valid || next + cupti_record_size(next, user_defined) > from + valid)
		return MAX_LIMIT_REACHED;
	*record = next;
	return OK;
}

int cuptiFinalize(void);
int cuptiFinalize(void)
{
	if (__atomic_load_n(&flushing, __ATOMIC_RELAXED)) {
		fputs("stub CUPTI: it is ended during a flush\n", stderr);
		abort();
	}
	pthread_mutex_lock(&lock);
	while (settling)
		pthread_cond_wait(&settled, &lock);
	poisoned = getenv("STUB_CUPTI_POISONED") != NULL;
	kinds = kinds_v2 = user_defined = 0;
	all_queries = 1;
	request = NULL;
	complete = NULL;
	request_v2 = NULL;
	complete_v2 = NULL;
	buffer = subscriber = NULL;
	pending_count = 0;
	pthread_mutex_unlock(&lock);
	return OK;
}

/* ---- what a subscriber calls for itself ---- */

#if STUB_CUPTI >= 13
int cuptiSubscribe_v2(void **handle, void *callback, void *data, void *parameters);
int cuptiSubscribe_v2(void **handle, void *callback, void *data, void *parameters)
{
	(void)parameters;
	return cuptiSubscribe(handle, callback, data);
}

int cuptiActivityRegisterCallbacks_v2(void *handle, request_fn_v2 r, complete_fn_v2 c);
int cuptiActivityRegisterCallbacks_v2(void *handle, request_fn_v2 r, complete_fn_v2 c)
{
	if (!r || !c || !handle || handle != subscriber)
		return INVALID_PARAMETER;
	if (kinds)
		return NOT_COMPATIBLE;
	pthread_mutex_lock(&lock);
	request = NULL;
	complete = NULL;
	request_v2 = r;
	complete_v2 = c;
	pthread_mutex_unlock(&lock);
	return OK;
}

static int is_asked_by(const void *handle, int kind)
{
	return handle && handle == subscriber && kind >= 0 && kind <= 63;
}

int cuptiActivityEnable_v2(void *handle, int kind, void *config);
int cuptiActivityEnable_v2(void *handle, int kind, void *config)
{
	(void)config;
	if (kinds || !is_asked_by(handle, kind))
		return kinds ? NOT_COMPATIBLE : INVALID_PARAMETER;
	attach();
	__atomic_fetch_or(&kinds_v2, 1ULL << kind, __ATOMIC_RELAXED);
	return OK;
}

int cuptiActivityDisable_v2(void *handle, int kind, void *config);
int cuptiActivityDisable_v2(void *handle, int kind, void *config)
{
	(void)config;
	if (!is_asked_by(handle, kind))
		return INVALID_PARAMETER;
	__atomic_fetch_and(&kinds_v2, ~(1ULL << kind), __ATOMIC_RELAXED);
	return OK;
}

int cuptiActivitySetAttribute(int attribute, size_t *size, void *value);
int cuptiActivitySetAttribute(int attribute, size_t *size, void *value)
{
	if (attribute != USER_DEFINED_RECORDS || !size || *size != 1 || !value)
		return INVALID_PARAMETER;
	if (kinds || kinds_v2)
		return INVALID_OPERATION;
	user_defined = *(const uint8_t *)value;
	return OK;
}
#endif

/* SPDX-License-Identifier: MIT */
/* The GPU that the stub CUDA libraries share: streams with a time at which each is free again. */
#include "gpu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STREAMS 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
	const void *handle;
	uint32_t device;
	uint64_t free_at;
} streams[STREAMS];
static unsigned stream_count;
static uint64_t duration = 20000;
static uint32_t correlations;
static FILE *truth;
static stub_gpu_listener listener;

/* The outermost call of this thread. */
static __thread struct {
	unsigned depth;
	const char *names[8];
	uint64_t begins[8];
	uint32_t correlation;
	int worked;
} call;
static __thread uint32_t current;	/* device */
static __thread int starting;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void sleep_until(uint64_t end)
{
	struct timespec ts = { (time_t)(end / 1000000000), (long)(end % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
		;
}

/* As cuInit does, in the thread that calls it first. */
static void start(void)
{
	const char *injection = getenv("CUDA_INJECTION64_PATH"), *ns = getenv("DLTRACE_STUB_GPU_NS");
	const char *path = getenv("DLTRACE_STUB_GPU_TRUTH");
	void *library = injection ? dlopen(injection, RTLD_NOW) : NULL;
	int (*inject)(void) = library ? dlsym(library, "InitializeInjection") : NULL;

	if (injection && !inject)
		fprintf(stderr, "stub GPU: %s\n", dlerror());
	if (ns)
		duration = strtoull(ns, NULL, 10);
	truth = path ? fopen(path, "ae") : NULL;
	/* It may call the driver from there, as CUPTI does (cuGetExportTable). */
	starting = 1;
	if (inject)
		inject();
	starting = 0;
}

static void report(const struct stub_gpu_record *r)
{
	stub_gpu_listener to = __atomic_load_n(&listener, __ATOMIC_ACQUIRE);

	if (to)
		to(r);
}

static struct stub_gpu_record record_of(enum stub_work what, const char *name)
{
	return (struct stub_gpu_record){
		.what = what, .name = name, .correlation = call.correlation, .device = current,
		.tid = (uint32_t)syscall(SYS_gettid), .thread = (uintptr_t)pthread_self(),
	};
}

static unsigned stream_of(const void *handle)
{
	unsigned i;

	for (i = 0; i < stream_count; i++)
		if (streams[i].handle == handle && streams[i].device == current)
			return i;
	streams[i % STREAMS].handle = handle;
	streams[i % STREAMS].device = current;
	stream_count = i < STREAMS - 1 ? i + 1 : i;
	return i % STREAMS;
}

static const char *name_of(const void *kernel)
{
	Dl_info info;

	return kernel && dladdr(kernel, &info) && info.dli_sname ? info.dli_sname : "kernel";
}

static void begin(const char *function)
{
	if (!starting)
		pthread_once(&once, start);
	if (call.depth == 0) {
		call.correlation = __atomic_add_fetch(&correlations, 1, __ATOMIC_RELAXED);
		call.worked = 0;
	}
	if (call.depth < 8) {
		call.names[call.depth] = function;
		call.begins[call.depth] = now_ns();
	}
	call.depth++;
}

static void end(void)
{
	struct stub_gpu_record r;

	if (--call.depth >= 8)
		return;
	r = record_of(STUB_CALL, call.names[call.depth]);
	r.driver = strncmp(r.name, "cuda", 4) != 0 && strncmp(r.name, "__cuda", 6) != 0;
	r.begin = call.begins[call.depth];
	r.end = now_ns();
	report(&r);
}

static uint64_t queue(struct stub_gpu_record r, size_t size, int direction, const void *stream)
{
	pthread_mutex_lock(&lock);
	r.stream = stream_of(stream);
	r.begin = now_ns() + 1000;
	if (streams[r.stream].free_at > r.begin)
		r.begin = streams[r.stream].free_at;
	r.end = streams[r.stream].free_at = r.begin + duration;
	r.size = size;
	r.direction = direction;
	if (truth) {
		fprintf(truth, "%d %s %u %u %u %llu %llu %zu %d %u\n", (int)r.what, r.name, r.correlation,
			r.tid, r.stream, (unsigned long long)r.begin, (unsigned long long)r.end, size,
			direction, r.device);
		fflush(truth);
	}
	pthread_mutex_unlock(&lock);
	report(&r);
	return r.end;
}

static void work(enum stub_work what, const void *kernel, size_t size, int direction,
		 const void *stream, int blocking)
{
	static const char *const names[] = { "", "copy", "set" };
	uint64_t end;

	/* The same work, asked for by the driver call inside the runtime's. */
	if (call.worked)
		return;
	call.worked = 1;
	end = queue(record_of(what, what == STUB_KERNEL ? name_of(kernel) : names[what]), size, direction,
		    stream);
	if (blocking)
		sleep_until(end);
}

static void node(enum stub_work what, const char *name, const void *stream)
{
	queue(record_of(what, name), 0, 0, stream);
}

static void wait_for(const void *stream, int all)
{
	struct stub_gpu_record r = record_of(STUB_WAIT, "wait");
	uint64_t until = 0;

	if (call.worked)
		return;
	call.worked = 1;
	pthread_mutex_lock(&lock);
	r.stream = all ? UINT32_MAX : stream_of(stream);
	for (unsigned i = 0; i < stream_count; i++)
		if ((all ? streams[i].device == current : i == r.stream) && streams[i].free_at > until)
			until = streams[i].free_at;
	pthread_mutex_unlock(&lock);
	r.begin = now_ns();
	sleep_until(until);
	r.end = now_ns();
	report(&r);
}

static void use(uint32_t device)
{
	current = device;
}

static void listen(stub_gpu_listener to)
{
	__atomic_store_n(&listener, to, __ATOMIC_RELEASE);
}

const struct stub_gpu stub_gpu = {
	.begin = begin, .end = end, .work = work, .node = node, .wait = wait_for, .use = use,
	.listen = listen,
};

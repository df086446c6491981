/* SPDX-License-Identifier: MIT */
/* The account that a stub library keeps, and the little that its functions really do. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* dladdr */
#endif
#include "stub.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpu.h"

#define MEMORY_ALLOCATION 2	/* cudaErrorMemoryAllocation */
#define INVALID_VALUE 1		/* cudaErrorInvalidValue */
#define BLOCKS 65536

int stub_active;
static size_t memory = SIZE_MAX, used;
static __thread size_t moved;

static struct {
	void *p;
	size_t size;
} blocks[BLOCKS];
static unsigned block_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---- the GPU that stubs share ---- */

static const struct stub_gpu *gpu;

static void find_gpu(void)
{
	char path[1024];
	Dl_info self;
	void *library;

	if (!getenv("DLTRACE_STUB_GPU_NS") || !dladdr(&gpu, &self))
		return;
	snprintf(path, sizeof(path), "%.*slibstubgpu.so", (int)(strrchr(self.dli_fname, '/') + 1 - self.dli_fname),
		 self.dli_fname);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	gpu = library ? dlsym(library, "stub_gpu") : NULL;
	if (!gpu)
		fprintf(stderr, "stub: %s\n", dlerror());
}

int (*stub_taker)(int type, const void *stream);

static int taken(enum stub_work what, const void *stream)
{
	return __builtin_expect(stub_taker != NULL, 0) && stub_taker(what, stream);
}

void stub_node_runs(int type, const char *name, const void *stream)
{
	if (gpu)
		gpu->node((enum stub_work)type, name, stream);
}

int stub_copies(size_t size, int direction, const void *stream, int blocking)
{
	if (taken(STUB_COPY, stream))
		return 0;
	moved = size;
	if (gpu)
		gpu->work(STUB_COPY, NULL, size, direction, stream, blocking);
	return 0;
}

int stub_sets(size_t size, const void *stream)
{
	if (taken(STUB_SET, stream))
		return 0;
	moved = size;
	if (gpu)
		gpu->work(STUB_SET, NULL, size, 0, stream, 0);
	return 0;
}

int stub_launches(const void *kernel, const void *stream)
{
	if (!taken(STUB_KERNEL, stream) && gpu)
		gpu->work(STUB_KERNEL, kernel, 0, 0, stream, 0);
	return 0;
}

int stub_waits(const void *stream, int all)
{
	if (gpu)
		gpu->wait(stream, all);
	return 0;
}

int stub_use(int device)
{
	if (gpu)
		gpu->use((uint32_t)device);
	return 0;
}

/* ---- the account ---- */

uint64_t stub_begin_slow(struct stub *s)
{
	if (gpu)
		gpu->begin(s->name);
	return now_ns();
}

void stub_end_slow(struct stub *s, uint64_t begin, int failed)
{
	uint64_t now = now_ns();

	while (now - begin < s->wanted)
		now = now_ns();
	if (gpu)
		gpu->end();
	__atomic_fetch_add(&s->calls, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&s->failed, failed != 0, __ATOMIC_RELAXED);
	__atomic_fetch_add(&s->bytes, failed ? 0 : moved, __ATOMIC_RELAXED);
	__atomic_fetch_add(&s->ns, now - begin, __ATOMIC_RELAXED);
	moved = 0;
}

int stub_moves(size_t size)
{
	moved = size;
	return 0;
}

int stub_alloc(void **p, size_t size)
{
	int result = MEMORY_ALLOCATION;

	moved = size;
	pthread_mutex_lock(&lock);
	if (size <= memory - used && block_count < BLOCKS) {
		*p = malloc(size ? size : 1);
		blocks[block_count].p = *p;
		blocks[block_count++].size = size;
		used += size;
		result = 0;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

int stub_free(void *p)
{
	int result = p ? INVALID_VALUE : 0;

	pthread_mutex_lock(&lock);
	for (unsigned i = block_count; p && i-- > 0;) {
		if (blocks[i].p != p)
			continue;
		used -= blocks[i].size;
		blocks[i] = blocks[--block_count];
		free(p);
		result = 0;
		break;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

int stub_reset(void)
{
	pthread_mutex_lock(&lock);
	while (block_count)
		free(blocks[--block_count].p);
	used = 0;
	pthread_mutex_unlock(&lock);
	return 0;
}

int stub_info(size_t *free, size_t *total)
{
	pthread_mutex_lock(&lock);
	*total = memory;
	*free = memory - used;
	pthread_mutex_unlock(&lock);
	return 0;
}

int stub_handle(void **handle)
{
	static uintptr_t last = 0x1000;

	*handle = (void *)__atomic_add_fetch(&last, 16, __ATOMIC_RELAXED);
	return 0;
}

int stub_shared(void **p, char handle)
{
	*p = (void *)(((uintptr_t)(unsigned char)handle + 1) << 32);
	return 0;
}

static void *physical;

int stub_physical(unsigned long long *handle)
{
	stub_handle(&physical);
	*handle = (uintptr_t)physical;
	return 0;
}

int stub_retained(unsigned long long *handle)
{
	*handle = (uintptr_t)physical;
	return 0;
}

int stub_reserved(unsigned long long *p, size_t size)
{
	static unsigned long long next = 1ULL << 40;

	*p = __atomic_fetch_add(&next, size, __ATOMIC_RELAXED);
	return 0;
}

int stub_handles(void **handles, int count)
{
	for (int i = 0; i < count; i++)
		stub_handle(&handles[i]);
	return 0;
}

int stub_unique(struct dlt_nccl_id *id)
{
	static unsigned given;

	memset(id, 0, sizeof(*id));
	snprintf(id->bytes, sizeof(id->bytes), "%d %u %llu", (int)getpid(), ++given,
		 (unsigned long long)now_ns());
	return 0;
}

/* "1000,cudaMalloc=50000" */
static void set_durations(const char *text)
{
	for (struct stub *s = stubs; s->name; s++) {
		const char *own = strstr(text, s->name);
		size_t length = strlen(s->name);

		while (own && !(own[length] == '=' && (own == text || own[-1] == ',')))
			own = strstr(own + 1, s->name);
		s->wanted = strtoull(own ? own + length + 1 : text, NULL, 10);
	}
}

static void take_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void)
{
	const char *ns = getenv("DLTRACE_STUB_NS"), *limit = getenv("DLTRACE_STUB_MEMORY");

	/* A child that is forked while another thread allocates must not find it taken for ever. */
	pthread_atfork(take_lock, give_lock, give_lock);
	find_gpu();
	stub_active = ns || limit || gpu || getenv("DLTRACE_STUB_REPORT");
	if (ns)
		set_durations(ns);
	if (limit)
		memory = strtoull(limit, NULL, 10);
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("DLTRACE_STUB_REPORT");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	for (struct stub *s = stubs; s->name; s++)
		if (s->calls)
			fprintf(file, "%s %s %llu %llu %llu %llu\n", STUB_NAME, s->name,
				(unsigned long long)s->calls, (unsigned long long)s->failed,
				(unsigned long long)s->bytes, (unsigned long long)s->ns);
	fclose(file);
}

/* SPDX-License-Identifier: MIT */
/* The account that a stub library keeps, and the little that its functions really do. */
#include "stub.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

uint64_t stub_begin_slow(void)
{
	return now_ns();
}

void stub_end_slow(struct stub *s, uint64_t begin, int failed)
{
	uint64_t now = now_ns();

	while (now - begin < s->wanted)
		now = now_ns();
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

__attribute__((constructor)) static void begin(void)
{
	const char *ns = getenv("DLTRACE_STUB_NS"), *limit = getenv("DLTRACE_STUB_MEMORY");

	stub_active = ns || limit || getenv("DLTRACE_STUB_REPORT");
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

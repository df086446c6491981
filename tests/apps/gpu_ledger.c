/* build: -Ltests/stubs -l:libcudart.so.12 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * Asks for GPU memory of several kinds and gives it back: gpu_ledger WHAT [THREADS [ROUNDS]]
 *   storm   threads put blocks into places that all share and free whatever was there: most blocks
 *           are freed by others, and the stub hands the same addresses out again at once
 *   steps   one block after another, so that peaks are known: 3 MiB at most, 1 MiB in the end
 *   reset   blocks of all kinds, then cudaDeviceReset
 *   odd     frees that fail, frees of nothing, allocations that fail, a forked child's
 *   hold    steps, then two seconds and more asleep (NVML is read once a second), then a refusal
 *   cost    prints ns of a pair of cudaMalloc and cudaFree
 * Its own account goes to stdout, by kind: KIND LIVE ALLOCATED ALLOCATIONS FREES; and, as the stub
 * says it, "stub" USED.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cudaMalloc(void **p, size_t size);
int cudaMallocManaged(void **p, size_t size, unsigned flags);
int cudaHostAlloc(void **p, size_t size, unsigned flags);
int cudaMallocAsync(void **p, size_t size, void *stream);
int cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
int cudaFree(void *p);
int cudaFreeHost(void *p);
int cudaFreeAsync(void *p, void *stream);
int cudaHostRegister(void *p, size_t size, unsigned flags);
int cudaHostUnregister(void *p);
int cudaMemGetInfo(size_t *free, size_t *total);
int cudaDeviceReset(void);

enum kind { DEVICE, MANAGED, PINNED, ASYNC, KINDS };

#define PLACES 512
#define MIB ((size_t)1 << 20)

static const char *const names[KINDS] = { "device", "managed", "pinned", "async" };
static struct {
	atomic_long live, allocated, allocations, frees;
} account[KINDS];

struct block {
	void *p;
	size_t size;
	enum kind kind;
};

static _Atomic(struct block *) places[PLACES];
static int rounds = 2000;

static struct block *ask(enum kind kind, size_t size)
{
	struct block *b = calloc(1, sizeof(*b));
	size_t pitch = 0;
	int failed = 0;

	*b = (struct block){ .size = size, .kind = kind };
	switch (kind) {
	case DEVICE:
		if (size % 3 == 0) {
			failed = cudaMallocPitch(&b->p, &pitch, size, 2);
			b->size = 2 * pitch;
		} else {
			failed = cudaMalloc(&b->p, size);
		}
		break;
	case MANAGED:
		failed = cudaMallocManaged(&b->p, size, 1);
		break;
	case PINNED:
		failed = cudaHostAlloc(&b->p, size, 0);
		break;
	default:
		failed = cudaMallocAsync(&b->p, size, NULL);
	}
	if (failed) {
		free(b);
		return NULL;
	}
	account[kind].live += (long)b->size;
	account[kind].allocated += (long)b->size;
	account[kind].allocations++;
	return b;
}

/* Over a driver, some of the blocks are the stub runtime's own: the driver refuses to free them. */
static void give_back(struct block *b)
{
	int failed;

	if (!b)
		return;
	if (b->kind == PINNED)
		failed = cudaFreeHost(b->p);
	else if (b->kind == ASYNC && b->size % 2)
		failed = cudaFreeAsync(b->p, NULL);
	else
		failed = cudaFree(b->p);
	account[b->kind].live -= failed ? 0 : (long)b->size;
	account[b->kind].frees += !failed;
	free(b);
}

static void *storm(void *data)
{
	unsigned seed = (unsigned)(size_t)data;

	for (int i = 0; i < rounds; i++) {
		struct block *b = ask((enum kind)(rand_r(&seed) % KINDS), (size_t)rand_r(&seed) % 4000 + 1);

		give_back(atomic_exchange(&places[rand_r(&seed) % PLACES], b));
	}
	return NULL;
}

static void steps(void)
{
	struct block *a = ask(DEVICE, MIB), *b = ask(DEVICE, 2 * MIB - 1);

	give_back(b);
	b = ask(ASYNC, MIB);
	give_back(a);
	(void)b;
}

static void reset(void)
{
	for (int i = 0; i < 3 * KINDS; i++)
		ask((enum kind)(i % KINDS), 1000);
	cudaDeviceReset();
	for (int k = 0; k < KINDS; k++) {
		account[k].frees += 3;
		account[k].live = 0;
	}
	ask(DEVICE, 70);
}

static void odd(void)
{
	static char own[64];
	struct block *b = ask(DEVICE, 1000);
	void *p;

	cudaFree(NULL);
	cudaFree(own);				/* refused */
	cudaMalloc(&p, (size_t)1 << 40);	/* refused */
	cudaHostRegister(own, sizeof(own), 0);
	cudaHostUnregister(own);
	cudaHostUnregister(own);		/* the stub does not mind: a stray one */
	if (fork() == 0) {
		cudaFree(b->p);			/* the child has the address, but not the memory */
		cudaMalloc(&p, 500);
		_exit(0);
	}
	wait(NULL);
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void cost(void)
{
	double best = 1e99;
	void *p;

	for (int round = 0; round < 7; round++) {
		double begin = now_ns(), each;

		for (int i = 0; i < 200000; i++) {
			cudaMalloc(&p, 512);
			cudaFree(p);
		}
		each = (now_ns() - begin) / 200000;
		best = each < best ? each : best;
	}
	printf("pair %.1f\n", best);
}

static void storms(int threads)
{
	pthread_t t[64];

	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, storm, (void *)(size_t)(i + 1));
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "storm";
	size_t available, total;
	void *p;

	if (argc > 3)
		rounds = atoi(argv[3]);
	if (!strcmp(what, "storm"))
		storms(argc > 2 ? atoi(argv[2]) : 4);
	else if (!strcmp(what, "reset"))
		reset();
	else if (!strcmp(what, "odd"))
		odd();
	else if (!strcmp(what, "cost"))
		cost();
	else
		steps();
	if (!strcmp(what, "hold")) {
		usleep(2300000);
		cudaMalloc(&p, (size_t)1 << 40);
	}
	cudaMemGetInfo(&available, &total);
	for (int k = 0; k < KINDS; k++)
		if (account[k].allocations)
			printf("%s %ld %ld %ld %ld\n", names[k], account[k].live, account[k].allocated,
			       account[k].allocations, account[k].frees);
	printf("stub %zu\n", total - available);
	return 0;
}

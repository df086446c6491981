/* SPDX-License-Identifier: MIT */
/*
 * Threads allocate, free each other's blocks and free late, waves of them, with forks between:
 * at every quiet moment the black box agrees with glibc to the byte. Exit status 1 where not.
 *
 * heap_identity parent: does not look into the children, where LTTng starts threads of its own,
 * nor at what is published, which is of all threads.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "tests/box_view.h"

#define THREADS 8
#define WAVES 4
#define STEPS 20000
#define EXCHANGE 512

static void *exchange[EXCHANGE];
static pthread_barrier_t barrier;
static pthread_key_t late_key;
static const struct dlt_box_header *box;
static long begin_value;
static bool parent_only;

static void put(void *p, unsigned i)
{
	free(__atomic_exchange_n(&exchange[i % EXCHANGE], p, __ATOMIC_ACQ_REL));
}

/* Every way to allocate; sizes to 200 KB, so that some are mapped. */
static void *take(unsigned x)
{
	size_t size = x % 97 == 0 ? x % 200000 : x % 600;
	void *p = NULL;

	switch (x % 8) {
	case 0:
		return calloc(x % 16 + 1, size / 16 + 1);
	case 1:
		return realloc(malloc(size), x % 1000 + 1);
	case 2:
		return posix_memalign(&p, 64, x % 600) ? NULL : p;
	case 3:
		return memalign(32, x % 600);
	case 4:
		return aligned_alloc(128, 128 * (x % 5));
	case 5:
		return x % 64 == 5 ? valloc(100) : strdup("a string of the C library's own");
	case 6:
		return realloc(NULL, size);
	}
	return malloc(size);
}

/* Allocates in each round of the destructors but the last, frees what the round before made. */
static void late(void *p)
{
	static __thread int round;

	free(p);
	if (++round < 4)
		pthread_setspecific(late_key, malloc(1000 + round));
}

static void *work(void *seed)
{
	unsigned x = (unsigned)(uintptr_t)seed * 2654435761u + 1;

	pthread_setspecific(late_key, malloc(77));
	for (int i = 0; i < STEPS; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		put(take(x), x >> 8);
		if (x % 50 == 0 && !realloc(malloc(x % 300), 0))
			continue;
	}
	pthread_barrier_wait(&barrier);		/* the main thread forks now */
	pthread_barrier_wait(&barrier);
	return NULL;
}

/*
 * What glibc says less what the box says. glibc's figure has what lies before an aligned block in its mapping, too, up
 * to 4080 bytes that nobody can use: a mapped block's header has bit 1 of the size set, and says it before that.
 */
static long compared(const struct dlt_box_header *h)
{
	long padding = 0;

	for (unsigned i = 0; i < EXCHANGE; i++) {
		const size_t *header = exchange[i];

		if (header && header[-1] & 2)
			padding += (long)header[-2];
	}
	return box_view_oracle(h) - padding;
}

static int check(const char *where, const struct dlt_box_header *h, long expected)
{
	long value = h ? compared(h) : -1;

	if (h && value == expected)
		return 0;
	fprintf(stderr, "%s: glibc and the box differ by %ld bytes\n", where, value - expected);
	return 1;
}

static int fork_and_check(long expected)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		const struct dlt_box_header *h = box_view_of(getpid());

		/* Another box: the parent's numbers must be in `inherited`. */
		_exit(!parent_only && (!h || h == box || check("child", h, expected)));
	}
	waitpid(pid, &status, 0);
	return status != 0;
}

static int wave(int n)
{
	pthread_t threads[THREADS];
	int bad;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(n * THREADS + i + 1));
	pthread_barrier_wait(&barrier);
	bad = fork_and_check(compared(box));
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return bad;
}

/* A hill of small blocks, higher than all that follows: what is published is near it at every size. */
static int hill(void)
{
	static void *blocks[40000];
	int64_t top = 0, off = 0;

	for (int i = 0; i < 40000; i++) {
		struct box_sums now;
		int64_t away;

		blocks[i] = malloc((size_t)i % 700 + 1);
		if (i > 20000 && i % 7)
			free(malloc(5000));
		now = box_view_sums(box);
		top = now.live > top ? now.live : top;
		away = now.live - __atomic_load_n(&box->heap_published.live, __ATOMIC_RELAXED);
		off = away > off ? away : -away > off ? -away : off;
	}
	for (int i = 0; i < 40000; i++)
		free(blocks[i]);
	top -= __atomic_load_n(&box->heap_published.peak, __ATOMIC_RELAXED);
	if (off < DLT_BOX_PEAK_STEP && top < DLT_BOX_PEAK_STEP && top > -DLT_BOX_PEAK_STEP)
		return 0;
	fprintf(stderr, "published: up to %ld bytes away, the peak %ld\n", (long)off, (long)top);
	return 1;
}

int main(int argc, char **argv)
{
	int bad = 0;

	(void)argv;
	parent_only = argc > 1;
	box = box_view_of(getpid());
	if (!box)
		return fprintf(stderr, "no box in DLTRACE_BOX\n"), 1;
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	pthread_key_create(&late_key, late);
	fputs("", stderr);
	bad |= !parent_only && hill();
	bad |= wave(0);		/* threads' stacks are cached from now on */
	begin_value = compared(box);
	for (int i = 1; i < WAVES; i++) {
		bad |= wave(i);
		bad |= check("threads have ended", box, begin_value);
	}
	for (unsigned i = 0; i < EXCHANGE; i++)
		put(NULL, i);
	bad |= check("end", box, begin_value);
	return bad;
}

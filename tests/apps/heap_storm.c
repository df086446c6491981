/* SPDX-License-Identifier: MIT */
/*
 * Four threads that allocate without pause, and what may happen beside them:
 *   heap_storm forks N   fork N times; each child allocates and frees what it inherited
 *   heap_storm raw N     the same by a raw clone and by _Fork, which run no handlers; without the
 *                        threads, since such a child may find glibc's locks taken for ever
 *   heap_storm kill      print "ready", go on until killed
 *   heap_storm check FILE   that process's box: every slot's bytes fit its counts
 * Exit status 1 when glibc and the box of this process disagree at the end.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/box_view.h"

#define THREADS 4
#define BLOCK 1000		/* its usable size is 1000 too */

static volatile int stop;

static void *storm(void *unused)
{
	(void)unused;
	while (!stop)
		free(malloc(BLOCK));
	return NULL;
}

static pid_t raw_fork(int n)
{
	return n % 2 ? _Fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

/*
 * The child's counters are its own from its first call on: 11 allocations, 12 frees, and what
 * LTTng needs to begin in a child; far less than the parent's.
 */
static int child(void *inherited)
{
	void *blocks[11];
	const struct dlt_box_header *h;
	struct box_sums s;

	free(inherited);
	for (int i = 0; i < 11; i++)
		blocks[i] = malloc(BLOCK);
	for (int i = 0; i < 11; i++)
		free(blocks[i]);
	h = box_view_of(getpid());
	if (!h)
		return 2;
	s = box_view_sums(h);
	return s.allocations < 11 || s.allocations > 5000 || s.frees < 12 || s.frees > 5000;
}

static int forks(int n, pid_t (*make)(int))
{
	int bad = 0;

	for (int i = 0; i < n; i++) {
		void *inherited = malloc(BLOCK);
		int status = 0;
		pid_t pid = make(i);

		if (pid == 0)
			_exit(child(inherited));
		waitpid(pid, &status, 0);
		if (status)
			fprintf(stderr, "child %d: status %d\n", i, status);
		bad |= status != 0;
		free(inherited);
	}
	return bad;
}

static pid_t plain_fork(int n)
{
	(void)n;
	return fork();
}

/* Storm threads do nothing else, so every step of theirs is a multiple of one block. */
static int check(const char *path)
{
	const struct dlt_box_header *h = box_view_map(path);
	const struct dlt_box_slot *s;
	int storms = 0;

	if (!h || h->magic != DLT_BOX_MAGIC)
		return 1;
	s = (const void *)((const char *)h + h->slots_offset);
	for (uint32_t i = 2; i < h->slots_used; i++) {
		struct dlt_box_pair freed = s[i].freed, allocated = s[i].allocated;

		if (allocated.count < 1000)
			continue;
		storms++;
		if (allocated.bytes != BLOCK * allocated.count ||
		    freed.bytes != BLOCK * freed.count || allocated.count - freed.count > 1)
			return fprintf(stderr, "slot %u: half a step\n", i), 1;
	}
	return storms != THREADS;
}

static int begin(pthread_t *threads)
{
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, storm, NULL))
			return 1;
	return 0;
}

static void end(const pthread_t *threads)
{
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static int forks_in_storm(int n)
{
	pthread_t threads[THREADS];
	int bad;

	stop = 0;
	begin(threads);
	bad = forks(n, plain_fork);
	end(threads);
	return bad;
}

int main(int argc, char **argv)
{
	const struct dlt_box_header *box = box_view_of(getpid());
	pthread_t threads[THREADS];
	long before;
	int bad = 0;

	if (argc > 2 && strcmp(argv[1], "check") == 0)
		return check(argv[2]);
	if (argc < 2 || !box || begin(threads))
		return 2;
	if (strcmp(argv[1], "kill") == 0) {
		(void)!write(1, "ready\n", 6);
		pause();
	}
	/* Once around, so that what is cached for ever is there. */
	end(threads);
	before = box_view_oracle(box);
	bad = strcmp(argv[1], "raw") ? forks_in_storm(atoi(argv[2])) : forks(atoi(argv[2]), raw_fork);
	if (box_view_oracle(box) != before)
		bad |= fprintf(stderr, "off by %ld bytes\n", box_view_oracle(box) - before);
	return bad != 0;
}

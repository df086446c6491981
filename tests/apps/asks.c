/* SPDX-License-Identifier: MIT */
/*
 * Asks for memory by ways that are known, and says how much the heap gave for each: "NAME BYTES". Arguments: what to
 * do, one after the other.
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __clang__
#define FAR __attribute__((noinline))
#else
#define FAR __attribute__((noinline, noclone))	/* no other name for a part of it */
#endif

static volatile int after;	/* so that no call is a jump */

FAR void *block(size_t size)
{
	void *p = malloc(size);

	after++;
	return p;
}

FAR void *keeps(size_t size)
{
	void *p = block(size);

	after++;
	return p;
}

FAR void *holds(size_t size)
{
	void *p = block(size);

	after++;
	return p;
}

static void say(const char *name, size_t bytes)
{
	printf("%s %zu\n", name, bytes);
	fflush(stdout);
}

/* A peak of three, of which one stays; afterwards other blocks, which never come near it. */
FAR void peak(void)
{
	void *kept = keeps(1 << 20), *a = holds(2 << 20), *b = holds(3 << 20);

	say("keeps", malloc_usable_size(kept));
	say("holds", malloc_usable_size(a) + malloc_usable_size(b));
	free(a);
	free(b);
	for (int i = 0; i < 10; i++)
		free(holds(100000));
}

/* What realloc moves is its caller's. */
FAR void grows(void)
{
	void *p = realloc(block(100000), 5 << 20);

	say("grows", malloc_usable_size(p));
	after++;
}

static void *thread(void *argument)
{
	say("thread", malloc_usable_size(keeps(200000)));
	return argument;
}

FAR void threads(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
}

FAR void child(void)
{
	int status;

	if (!fork()) {
		say("child", malloc_usable_size(keeps(300000)));
		_exit(0);
	}
	wait(&status);
}

FAR void *deep(int depth)
{
	volatile char room[32];
	void *p = depth ? deep(depth - 1) : block(400000);

	room[0] = 0;
	after += room[0];
	return p;
}

static void handler(int number)
{
	(void)number;
	holds(600000);
}

FAR void signals(void)
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	after++;
}

FAR void killed(void)
{
	say("killed", malloc_usable_size(keeps(700000)));
	usleep(300000);
	raise(SIGKILL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{ "peak", peak }, { "grows", grows }, { "threads", threads }, { "child", child },
		{ "signals", signals }, { "killed", killed },
	};

	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < sizeof(ways) / sizeof(*ways); k++)
			if (!strcmp(argv[i], ways[k].name))
				ways[k].run();
	if (argc > 1 && !strcmp(argv[argc - 1], "deep"))
		say("deep", malloc_usable_size(deep(500)));
	return 0;
}

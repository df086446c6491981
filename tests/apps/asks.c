/* SPDX-License-Identifier: MIT */
/*
 * Asks for memory by ways that are known, and says how much the heap gave for each: "NAME BYTES". Arguments: what to
 * do, one after the other.
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
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

/*
 * Ways through four functions of different frames, by chance: "way NAME;NAME;... BYTES" of each. Parts of neighbouring
 * stacks are alike, and lie at the same addresses or not.
 */
static char way[512];
static uint32_t chance = 1;

static void *go(int depth);

#define WAY(name, room) \
	FAR void *name(int depth) \
	{ \
		size_t length = strlen(way); \
		volatile char space[room]; \
		void *p; \
\
		space[0] = 0; \
		strcat(way, ";" #name); \
		p = depth ? go(depth - 1) : block(100000 + chance % 1000); \
		if (!depth) \
			printf("way %s;block %zu\n", way, malloc_usable_size(p)); \
		way[length] = '\0'; \
		after += space[0]; \
		return p; \
	}

WAY(north, 16)
WAY(east, 48)
WAY(south, 16)
WAY(west, 400)

static __attribute__((always_inline)) inline void *turn(int depth, uint32_t where)
{
	return where < 1u << 30 ? north(depth) : where < 2u << 30 ? east(depth) : where < 3u << 30 ? south(depth) : west(depth);
}

FAR void *go(int depth)
{
	void *p;

	chance = chance * 1664525 + 1013904223;
	strcat(way, ";go");
	p = turn(depth, chance);
	way[strlen(way) - 3] = '\0';
	after++;
	return p;
}

FAR void ways(void)
{
	for (int i = 0; i < 2000; i++) {
		strcpy(way, "main;ways");
		chance = chance * 1664525 + 1013904223;
		free(go((int)(chance >> 24) % 8));
	}
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t handed = PTHREAD_COND_INITIALIZER;
static void *in_hand;

#define HANDED 1000

static void *gives_back(void *argument)
{
	for (int i = 0; i < HANDED; i++) {
		pthread_mutex_lock(&lock);
		while (!in_hand)
			pthread_cond_wait(&handed, &lock);
		free(in_hand);
		in_hand = NULL;
		pthread_cond_signal(&handed);
		pthread_mutex_unlock(&lock);
	}
	return argument;
}

/* What one thread asks for the other gives back: one block is live at a time. */
FAR void hands(void)
{
	pthread_t t;

	pthread_create(&t, NULL, gives_back, NULL);
	for (int i = 0; i < HANDED; i++) {
		pthread_mutex_lock(&lock);
		while (in_hand)
			pthread_cond_wait(&handed, &lock);
		in_hand = keeps(100000 + 1000 * (i % 9));
		pthread_cond_signal(&handed);
		pthread_mutex_unlock(&lock);
	}
	pthread_join(t, NULL);
	after++;
}

/* Sleeps between asking and giving back, until some sampler takes what the thread has noted. */
FAR void naps(void)
{
	for (int i = 0; i < 7; i++) {
		void *p = keeps(200000);

		usleep(200000 + 30000 * i);
		free(p);
	}
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
	} known[] = {
		{ "peak", peak }, { "grows", grows }, { "threads", threads }, { "child", child },
		{ "signals", signals }, { "ways", ways }, { "hands", hands }, { "naps", naps },
		{ "killed", killed },
	};

	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
			if (!strcmp(argv[i], known[k].name))
				known[k].run();
	if (argc > 1 && !strcmp(argv[argc - 1], "deep"))
		say("deep", malloc_usable_size(deep(500)));
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* in_turn THREADS MS: threads one after the other that allocate and free 300 blocks, and idle for a while. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *work(void *ms)
{
	for (int i = 0; i < 300; i++)
		free(malloc(100000));
	usleep(1000 * *(useconds_t *)ms);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	useconds_t ms = argc > 2 ? (useconds_t)atoi(argv[2]) : 0;
	pthread_t thread;

	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread, NULL, work, &ms) || pthread_join(thread, NULL))
			return 1;
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Threads that allocate, do nothing for a fifth of a second or more, and end: one each 5 ms. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 60

static void *idle(void *number)
{
	free(malloc(100000));
	usleep(200000 + 5000 * (useconds_t)(uintptr_t)number);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, idle, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

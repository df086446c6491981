/* SPDX-License-Identifier: MIT */
/* heap_many N: N threads at once, each leaves 100 blocks of 1,000 bytes behind. */
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void *work(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 100; i++)
		if (!malloc(1000))
			abort();
	pthread_barrier_wait(&barrier);
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	pthread_barrier_init(&barrier, NULL, (unsigned)n);
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], &attributes, work, NULL))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

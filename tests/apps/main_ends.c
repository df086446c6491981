/* SPDX-License-Identifier: MIT */
/* Its first thread ends; another one then takes 200 MiB in two seconds, and allocates and frees 2,000 blocks. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS 20
#define STEP (10u << 20)

static void *work(void *first)
{
	char *memory = malloc(STEPS * STEP);

	if (!memory || pthread_join(*(pthread_t *)first, NULL))
		exit(1);
	for (size_t i = 0; i < STEPS; i++) {
		memset(memory + i * STEP, 1, STEP);
		for (int block = 0; block < 100; block++)
			free(malloc(100000));
		usleep(100000);
	}
	free(memory);
	exit(0);
}

int main(void)
{
	static pthread_t first;
	pthread_t thread;

	first = pthread_self();
	if (pthread_create(&thread, NULL, work, &first))
		return 1;
	pthread_exit(NULL);
}

/* SPDX-License-Identifier: MIT */
/* storm MS: four threads allocate and free 70,000 bytes as fast as they can, until SIGKILL comes from within. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void *storm(void *unused)
{
	for (;;) {
		void *volatile p = malloc(70000);

		free(p);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, storm, NULL);
	usleep(argc > 1 ? (useconds_t)atoi(argv[1]) * 1000 : 100000);
	kill(getpid(), SIGKILL);
	return 1;
}

/* SPDX-License-Identifier: MIT */
/*
 * Ends in the middle of events: busy WAY. Four threads allocate and free as fast as they can;
 * after some milliseconds another one ends the process (WAY: see end()).
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *allocate(void *unused)
{
	for (;;) {
		void *p = malloc(70000);

		if (!p)
			return unused;
		free(p);
	}
}

static int end(const char *way)
{
	if (strcmp(way, "_exit") == 0)
		_exit(0);
	if (strcmp(way, "quick_exit") == 0)
		quick_exit(0);
	if (strcmp(way, "exec") == 0)
		execl("/bin/true", "true", NULL);
	if (strcmp(way, "abort") == 0)
		abort();
	if (strcmp(way, "raise") == 0)
		raise(SIGTERM);
	if (strcmp(way, "kill") == 0)
		kill(getpid(), SIGKILL);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t t;

	for (int i = 0; i < 4; i++)
		pthread_create(&t, NULL, allocate, NULL);
	usleep(1500 + getpid() % 5 * 300);
	return argc > 1 ? end(argv[1]) : 0;
}

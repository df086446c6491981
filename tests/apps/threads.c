/* SPDX-License-Identifier: MIT */
/*
 * Threads of all kinds of ends. Prints the number of threads that /proc shows while all are alive;
 * with an argument it then waits for its standard input to end.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static pthread_barrier_t all_here, may_go;

static void meet(void)
{
	pthread_barrier_wait(&all_here);
	pthread_barrier_wait(&may_go);
}

static void *returns(void *name)
{
	prctl(PR_SET_NAME, name);
	meet();
	return name;
}

static void *exits(void *name)
{
	pthread_setname_np(pthread_self(), name);
	meet();
	pthread_exit(name);
}

static void *is_cancelled(void *name)
{
	pthread_setname_np(pthread_self(), name);
	meet();
	while (pause())
		;
	return NULL;
}

/* Named by the thread that made it, at once: maybe before it runs. */
static void *is_named(void *unused)
{
	meet();
	return unused;
}

static void *is_detached(void *name)
{
	pthread_detach(pthread_self());
	prctl(PR_SET_NAME, name, 0, 0, 0);
	meet();
	return NULL;
}

static int count_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = 0;

	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

int main(int argc, char **argv)
{
	pthread_t t[6];
	pthread_attr_t small;
	void *result;

	(void)argv;
	pthread_barrier_init(&all_here, NULL, 7);
	pthread_barrier_init(&may_go, NULL, 7);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16384);
	pthread_create(&t[0], NULL, returns, "returner");
	pthread_create(&t[1], NULL, exits, "exiter");
	pthread_create(&t[2], NULL, is_cancelled, "cancelled");
	pthread_create(&t[3], NULL, is_named, NULL);
	pthread_setname_np(t[3], "named");
	pthread_create(&t[4], NULL, is_detached, "detached");
	pthread_create(&t[5], &small, returns, "small");
	pthread_barrier_wait(&all_here);
	pthread_setname_np(t[3], "named");	/* once more, when it surely runs */
	printf("threads %d\n", count_threads());
	fflush(stdout);
	while (argc > 1 && getchar() != EOF)
		;
	pthread_barrier_wait(&may_go);
	pthread_cancel(t[2]);
	pthread_join(t[0], &result);
	if (strcmp(result, "returner"))
		return 1;
	pthread_join(t[1], &result);
	if (strcmp(result, "exiter"))
		return 2;
	pthread_join(t[2], &result);
	if (result != PTHREAD_CANCELED)
		return 3;
	pthread_join(t[3], NULL);
	pthread_join(t[5], NULL);
	usleep(50000);
	return 0;
}

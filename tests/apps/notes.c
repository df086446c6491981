/* SPDX-License-Identifier: MIT */
/*
 * Two threads allocate and free COUNT large blocks each, then: notes COUNT END
 *   idle SECONDS  both sleep so long, then the process ends
 *   kill          SIGKILL by a raw system call
 *   _exit         at once, while the other thread sleeps
 *   exec          /bin/true
 *   thread        the other thread ends, the process a second later
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long count;
static int done;
static const char *end;

static void work(void)
{
	for (long i = 0; i < count; i++) {
		void *volatile p = malloc(100000);

		free(p);
	}
	__atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST);
}

static void *other(void *unused)
{
	(void)unused;
	work();
	while (strcmp(end, "thread") != 0)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 3)
		return 2;
	count = atol(argv[1]);
	end = argv[2];
	pthread_create(&thread, NULL, other, NULL);
	work();
	while (__atomic_load_n(&done, __ATOMIC_SEQ_CST) < 2)
		usleep(1000);
	if (strcmp(end, "kill") == 0)
		syscall(SYS_kill, getpid(), SIGKILL);
	if (strcmp(end, "exec") == 0)
		execl("/bin/true", "true", NULL);
	if (strcmp(end, "_exit") == 0)
		_exit(0);
	if (strcmp(end, "thread") == 0)
		sleep(1);
	if (argc > 3)
		sleep((unsigned)atoi(argv[3]));
	return 0;
}

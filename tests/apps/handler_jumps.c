/* SPDX-License-Identifier: MIT */
/*
 * handler_jumps jump | jump-apart | return-apart: a thread makes events, and signals come in the middle of them, 3000
 * times. Their handler leaves by siglongjmp, or makes events itself and returns; apart: on a stack of its own, which
 * lies above the thread's. When that is over, the thread opens the file `last` 500 times.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#define SIGNALS 3000
#define STACK (1 << 20)
#define LARGE (8 << 20)

static sigjmp_buf back;
static volatile int signals, fd = -1;
static bool jumps, apart;

static void make_events(void)
{
	void *p;

	fd = open("last", O_RDONLY | O_CLOEXEC);
	close(fd);
	fd = -1;
	p = mmap(NULL, LARGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p, LARGE);
}

static void again(void)
{
	struct itimerval once = { .it_value = { 0, 20 + random() % 100 } };

	if (signals < SIGNALS)
		setitimer(ITIMER_REAL, &once, NULL);
}

static void handle(int sig)
{
	(void)sig;
	signals++;
	if (jumps)
		siglongjmp(back, 1);
	make_events();
	again();
}

static void be_disturbed(void)
{
	if (sigsetjmp(back, 1) && fd >= 0)
		close(fd);
	again();
	while (signals < SIGNALS)
		make_events();
}

static void *run(void *stack_above)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = apart ? SA_ONSTACK : 0 };
	stack_t above = { .ss_sp = stack_above, .ss_size = STACK };
	sigset_t set;

	sigaltstack(&above, NULL);
	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	be_disturbed();
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGALRM, SIG_IGN);
	for (int i = 0; i < 500; i++)
		close(open("last", O_RDONLY | O_CLOEXEC));
	return NULL;
}

int main(int argc, char **argv)
{
	char *stacks = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t set;

	jumps = argc > 1 && strncmp(argv[1], "jump", 4) == 0;
	apart = argc > 1 && strstr(argv[1], "apart");
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stacks, STACK);
	if (pthread_create(&thread, &attr, run, stacks + STACK) != 0)
		return 1;
	pthread_join(thread, NULL);
	printf("%d signals\n", signals);
	return 0;
}

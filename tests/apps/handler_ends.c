/* SPDX-License-Identifier: MIT */
/* Ends by _exit(3) in a signal's handler, which mostly comes in the middle of something. */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static void end(int sig)
{
	(void)sig;
	_exit(3);
}

int main(void)
{
	struct itimerval once = { .it_value = { 0, 30000 } };

	signal(SIGALRM, end);
	setitimer(ITIMER_REAL, &once, NULL);
	for (;;)
		free(malloc(100000));	/* events */
}

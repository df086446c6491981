/* SPDX-License-Identifier: MIT */
/* Waiting for a child with a limit. */
#include "reap.h"

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

#define STEP		5	/* ms */
#define KILL_LIMIT	1000	/* ms; nothing but the kernel can take longer */

bool reap_within(pid_t pid, int limit, int *status)
{
	for (int waited = 0; waited <= limit; waited += STEP) {
		if (waitpid(pid, status, WNOHANG) != 0)
			return true;
		nanosleep(&(struct timespec){ .tv_nsec = STEP * 1000000 }, NULL);
	}
	return false;
}

void reap_killed(pid_t pid)
{
	kill(pid, SIGKILL);
	reap_within(pid, KILL_LIMIT, NULL);
}

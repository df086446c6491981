/* SPDX-License-Identifier: MIT */
/* Waiting for children: for ours with a limit, for others' at once. */
#include "reap.h"

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP		5	/* ms */
#define KILL_LIMIT	1000	/* ms; nothing but the kernel can take longer */
#define OURS		16	/* children at a time: command, witness, keeper, sampler */

static pid_t ours[OURS];	/* 0: free */

static pid_t *find(pid_t pid)
{
	for (int i = 0; i < OURS; i++)
		if (ours[i] == pid)
			return &ours[i];
	return NULL;
}

pid_t reap_fork(void)
{
	pid_t *place = find(0), pid = place ? fork() : -1;

	if (pid > 0)
		*place = pid;
	return pid;
}

void reap_done(pid_t pid)
{
	pid_t *place = find(pid);

	if (place)
		*place = 0;
}

void reap_strangers(void)
{
	siginfo_t info = { .si_pid = 0 };

	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid && !find(info.si_pid)) {
		waitpid(info.si_pid, NULL, WNOHANG);
		info.si_pid = 0;
	}
}

bool reap_within(pid_t pid, int limit, int *status)
{
	for (int waited = 0; waited <= limit; waited += STEP) {
		if (waitpid(pid, status, WNOHANG) != 0) {
			reap_done(pid);
			return true;
		}
		nanosleep(&(struct timespec){ .tv_nsec = STEP * 1000000 }, NULL);
	}
	return false;
}

void reap_killed(pid_t pid)
{
	kill(pid, SIGKILL);
	reap_within(pid, KILL_LIMIT, NULL);
}

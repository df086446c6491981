/* SPDX-License-Identifier: MIT */
/* A process of our group that tells which signals the group gets. */
#include "witness.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inherited.h"
#include "reap.h"

#define WAIT 50	/* ms for it to have its turn on a busy machine */

struct seen {
	int signal;
	pid_t sender;
};

static void watch(int fd, const sigset_t *signals, pid_t parent)
{
	siginfo_t info;

	inherited_let_go();
	prctl(PR_SET_NAME, "dltrace-witness");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	for (;;) {
		int signal = sigwaitinfo(signals, &info);
		struct seen seen = { .signal = signal, .sender = info.si_pid };

		/* A few bytes into a pipe: all or nothing. */
		if (signal > 0 && write(fd, &seen, sizeof(seen)) < 0)
			_exit(0);
	}
}

void witness_start(struct witness *w, const sigset_t *signals)
{
	pid_t parent = getpid();
	int fds[2];

	*w = (struct witness){ .fd = -1 };
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	w->pid = reap_fork();
	if (w->pid == 0)
		watch(fds[1], signals, parent);
	close(fds[1]);
	if (w->pid < 0) {
		w->pid = 0;
		close(fds[0]);
		return;
	}
	w->fd = fds[0];
}

bool witness_saw(struct witness *w, int signal, pid_t sender)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	struct seen seen;

	while (w->pid && poll(&p, 1, WAIT) > 0) {
		if (read(w->fd, &seen, sizeof(seen)) != sizeof(seen))
			return false;
		if (seen.signal == signal && seen.sender == sender)
			return true;
	}
	return false;
}

void witness_stop(struct witness *w)
{
	if (!w->pid)
		return;
	reap_killed(w->pid);
	close(w->fd);
	w->pid = 0;
}

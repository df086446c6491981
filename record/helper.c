/* SPDX-License-Identifier: MIT */
/* Starting and ending dltrace-sampler. */
#include "helper.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inherited.h"
#include "limits.h"
#include "message.h"
#include "place.h"
#include "reap.h"

/* All words in one string, separated by 0x1f as in dltrace_proc:process. */
static void join(const char *const *words, size_t count, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < count && at < size; i++) {
		int n = snprintf(out + at, size - at, "%s%s", at ? "\x1f" : "", words[i]);

		at += n > 0 ? (size_t)n : 0;
	}
}

/* In the child: the environment of the command's kind, but nothing preloaded. */
static void become(const char *path, int fd, const struct helper_config *c)
{
	char socket[16], counts[16], box[PATH_MAX], recording[20], level[16], hang[24], command[4096], labels[4096];
	size_t words = 0;
	sigset_t none;

	setpgid(0, 0);	/* Ctrl-C is not for it; why no session of its own: keeper.h */
	inherited_let_go();
	limits_set();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGCHLD, SIG_DFL);
	fcntl(fd, F_SETFD, 0);
	fcntl(c->counts, F_SETFD, 0);
	if (c->private_daemon)
		setenv("LTTNG_HOME", c->home, 1);
	if (c->options->sample)
		setenv("DLTRACE_SAMPLE", c->options->sample, 1);
	unsetenv("LD_PRELOAD");
	setenv("LTTNG_UST_REGISTER_TIMEOUT", "3000", 1);
	unsetenv("LTTNG_UST_ALLOW_BLOCKING");	/* whose session it is says how long */
	if (c->outboxes)
		setenv("LTTNG_UST_ALLOW_BLOCKING", "1", 1);
	snprintf(socket, sizeof(socket), "%d", fd);
	snprintf(counts, sizeof(counts), "%d", c->counts);
	snprintf(box, sizeof(box), "%s/box", c->home);
	snprintf(recording, sizeof(recording), "%016" PRIx64, c->recording);
	snprintf(level, sizeof(level), "%s", level_names[c->options->level]);
	snprintf(hang, sizeof(hang), "%" PRIu64, c->options->hang);
	while (c->options->command[words])
		words++;
	join((const char *const *)c->options->command, words, command, sizeof(command));
	join(c->options->labels, c->options->label_count, labels, sizeof(labels));
	execl(path, "dltrace-sampler", socket, box, recording, level, hang, command, labels,
	      c->outboxes ? "outboxes" : "", counts, (char *)NULL);
	_exit(127);
}

int helper_launch(struct helper *h, const struct helper_config *c)
{
	char path[PATH_MAX];
	int fds[2], err;

	*h = (struct helper){ .fd = -1 };
	if (place_find("dltrace-sampler", DLT_LIBEXECDIR, path) < 0)
		return -ENOENT;
	err = message_pair(fds);
	if (err)
		return err;
	h->pid = reap_fork();
	if (h->pid == 0)
		become(path, fds[1], c);
	close(fds[1]);
	if (h->pid < 0) {
		h->pid = 0;
		close(fds[0]);
		return -EAGAIN;
	}
	h->fd = fds[0];
	return 0;
}

void helper_reap(struct helper *h, int limit)
{
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
	if (h->pid && !reap_within(h->pid, limit, NULL))
		reap_killed(h->pid);
	h->pid = 0;
}

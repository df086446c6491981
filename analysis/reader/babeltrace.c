/* SPDX-License-Identifier: MIT */
/*
 * The babeltrace2 source: for traces that the fast one does not understand, and as the reference
 * in tests.
 *
 * The library crashes and hangs on hostile traces (facts: SIGSEGV, SIGABRT, loops), so it runs
 * in a child with a bound on memory, and a child that says nothing for a while is killed. What
 * it gave until then is kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/reader/folders.h"
#include "analysis/reader/frames.h"
#include "analysis/reader/graph.h"
#include "analysis/reader/must.h"
#include "analysis/reader/source.h"
#include "analysis/reader/value.h"

#define MEMORY_MAX (4ULL << 30)

static int babeltrace_patience_ms = 10000;	/* tests are less patient */

struct babeltrace {
	struct frame_reader frames;
	struct frame frame;		/* the present one ... */
	const uint8_t *content;		/* ... and its content, borrowed */
	pid_t pid;			/* 0: it is gone, and waited for */
	void *data;			/* owned: the event given last */
	bool ended;
	char why[512];			/* what the child said at its failure */
};

static void limit_child(void)
{
	struct rlimit limit = { MEMORY_MAX, MEMORY_MAX };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
#ifndef __SANITIZE_ADDRESS__	/* which reserves terabytes */
	setrlimit(RLIMIT_AS, &limit);
#endif
	limit.rlim_cur = limit.rlim_max = 0;
	setrlimit(RLIMIT_CORE, &limit);
	/* the worker's limit moves on with its progress, which a child does not see */
	limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
	setrlimit(RLIMIT_CPU, &limit);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	signal(SIGINT, SIG_IGN);	/* the parent gets it too, and ends us */
}

static int start_child(struct babeltrace *b, const struct folders *folders)
{
	struct frame_writer out = { .fd = -1 };
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	b->pid = fork();
	if (b->pid == 0) {
		close(pipes[0]);
		limit_child();
		out.fd = pipes[1];
		graph_run(folders, &out);
		_exit(0);
	}
	close(pipes[1]);
	b->frames.fd = pipes[0];
	return b->pid < 0 ? -errno : 0;
}

/* Ends and waits for the child; the signal that ended it, 0 for none. */
static int end_child(struct babeltrace *b, bool kill_it)
{
	int status = 0;

	if (b->pid <= 0)
		return 0;
	if (kill_it)
		kill(b->pid, SIGKILL);
	while (waitpid(b->pid, &status, 0) < 0 && errno == EINTR)
		;
	b->pid = 0;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* The child is at its end without having said so: the line that tells why. */
static void lost_child(struct reader *r, int ret)
{
	struct babeltrace *b = r->state;
	int signal = end_child(b, ret < 0);

	b->ended = true;
	if (ret == -ETIMEDOUT)
		snprintf(b->why, sizeof(b->why), "babeltrace2 hung and was ended after %d s",
			 babeltrace_patience_ms / 1000);
	else if (ret == -EPROTO)
		snprintf(b->why, sizeof(b->why), "babeltrace2 gave nonsense");
	else if (signal)
		snprintf(b->why, sizeof(b->why), "babeltrace2 ended by signal %d (%s)", signal,
			 strsignal(signal));
	else
		snprintf(b->why, sizeof(b->why), "babeltrace2 ended early, or ran out of memory");
	source_problem(r, PROBLEM_CORRUPT, r->info.events, "%s: %s after %" PRIu64 " events; these were "
		       "kept", r->info.path, b->why, r->info.events);
}

/* A frame's text; the child may have left out its end. */
static const char *frame_text(const struct babeltrace *b)
{
	bool ends = b->frame.size && b->content[b->frame.size - 1] == '\0';

	return ends ? (const char *)b->content : "(no text)";
}

static int take_end(struct reader *r)
{
	struct babeltrace *b = r->state;
	struct frame_end end;

	if (b->frame.size != sizeof(end))
		return -EPROTO;
	memcpy(&end, b->content, sizeof(end));
	r->info.foreign = end.foreign;
	r->info.discarded = end.discarded;
	r->info.discarded_packets = end.discarded_packets;
	b->ended = true;
	end_child(b, false);
	return 0;
}

/* To the next frame that is an event or the trace's opening. 1, 0 at the end, or -errno. */
static int next_frame(struct reader *r)
{
	struct babeltrace *b = r->state;
	int ret;

	for (;;) {
		ret = frame_get(&b->frames, babeltrace_patience_ms, &b->frame, &b->content);
		if (ret > 0 && b->frame.kind == FRAME_END)
			ret = take_end(r);
		else if (ret == 0)
			ret = -EPIPE;
		if (ret == 0)
			return 0;
		if (ret < 0) {
			lost_child(r, ret);
			return ret;
		}
		if (b->frame.kind == FRAME_FAILED) {
			snprintf(b->why, sizeof(b->why), "%s", frame_text(b));
			b->ended = true;
			end_child(b, false);
			return -ENOTSUP;
		}
		if (b->frame.kind == FRAME_PROBLEM)
			source_problem(r, PROBLEM_CORRUPT, 0, "%s", frame_text(b));
		else if (b->frame.kind != FRAME_ALIVE)
			return 1;
	}
}

static int babeltrace_next(struct reader *r, struct reader_event *event)
{
	struct babeltrace *b = r->state;
	int ret;

	if (b->ended)
		return 0;
	ret = next_frame(r);
	if (ret > 0 && b->frame.kind == FRAME_EVENT)
		ret = frame_event(&b->frames, &b->frame, b->content, b->data);
	else if (ret > 0)
		ret = -EPROTO;
	else if (ret <= 0)
		return ret;
	if (ret < 0) {
		lost_child(r, ret);
		return ret;
	}
	event->time = b->frame.time;
	event->type = (enum dlt_event)b->frame.type;
	event->data = b->data;
	return 1;
}

static void babeltrace_close(struct reader *r)
{
	struct babeltrace *b = r->state;

	if (b->frames.fd >= 0)
		close(b->frames.fd);
	end_child(b, true);
	frame_reader_release(&b->frames);
	free(b->data);
	free(b);
}

static const struct reader_ops babeltrace_ops = {
	.source = READER_BABELTRACE, .next = babeltrace_next, .close = babeltrace_close,
};

/* The first frame tells whether the trace can be read at all. */
static int take_opened(struct reader *r)
{
	struct babeltrace *b = r->state;
	struct frame_opened opened;
	int ret = next_frame(r);

	if (ret == 0)
		snprintf(b->why, sizeof(b->why), "babeltrace2 gave nothing");
	if (ret <= 0)
		return ret ? ret : -EPROTO;
	if (b->frame.kind != FRAME_OPENED || b->frame.size != sizeof(opened)) {
		lost_child(r, -EPROTO);
		return -EPROTO;
	}
	memcpy(&opened, b->content, sizeof(opened));
	r->info.clock_offset = opened.clock_offset;
	r->info.begin = opened.begin;
	snprintf(r->info.host, sizeof(r->info.host), "%.*s", (int)sizeof(opened.host) - 1,
		 opened.host);
	return 0;
}

int source_open_babeltrace(struct reader *r, const char *path, char *error, size_t size)
{
	struct folders folders = { NULL, 0, 0 };
	struct babeltrace *b = must(calloc(1, sizeof(*b)));
	int ret;

	r->state = b;
	b->frames.fd = -1;
	b->data = must(calloc(1, value_largest()));
	ret = folders_find(&folders, r, path, error, size);
	if (ret == 0) {
		ret = start_child(b, &folders);
		if (ret == 0)
			ret = take_opened(r);
		else
			snprintf(b->why, sizeof(b->why), "%s", strerror(-ret));
		if (ret < 0)
			snprintf(error, size, "cannot open trace: path=%s: %s", path, b->why);
		r->info.bytes = folders_bytes(&folders);
	}
	folders_release(&folders);
	if (ret < 0)
		babeltrace_close(r);
	else
		r->ops = &babeltrace_ops;
	return ret;
}

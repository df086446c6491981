/* SPDX-License-Identifier: MIT */
/* A trace read in parts by several processes. */
#include "analysis/model/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/model/digest.h"
#include "analysis/model/memory.h"
#include "analysis/model/team.h"

#define SMALL		(16 << 20)	/* bytes: such a trace is not worth a fork */
#define PART_LEAST	(8 << 20)	/* bytes */
#define JOBS_MOST	256
#define PIPE_ROOM	(1 << 20)	/* bytes: what anybody may ask for */

struct worker {
	struct channel channel;		/* first: from it to the worker */
	int fd;				/* -1: none */
	pid_t pid;
	struct team *team;		/* borrowed; NULL: a forked one */
	size_t rank;			/* its number in the team */
	bool over;			/* it has said that nothing more comes */
	struct digest_reader digest;
};

struct parts {
	struct trace *trace;		/* borrowed, as the reader */
	struct reader *reader;
	uint64_t cuts[PARTS_MOST];
	size_t count;			/* of parts */
	struct worker workers[JOBS_MOST];
	size_t worker_count;
};

/* ---- the way between them ----------------------------------------------------------------- */

static int put(struct channel *c, const void *bytes, size_t size)
{
	const struct worker *w = (const struct worker *)c;

	while (size) {
		ssize_t put = write(w->fd, bytes, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		bytes = (const char *)bytes + put;
		size -= (size_t)put;
	}
	return 0;
}

static ssize_t get(struct channel *c, void *bytes, size_t room)
{
	const struct worker *w = (const struct worker *)c;
	ssize_t got;

	do
		got = read(w->fd, bytes, room);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static int put_to_team(struct channel *c, const void *bytes, size_t size)
{
	struct worker *w = (struct worker *)c;

	w->team->put(w->team, bytes, size);
	return 0;
}

static ssize_t get_from_team(struct channel *c, void *bytes, size_t room)
{
	struct worker *w = (struct worker *)c;
	size_t got = w->over ? 0 : w->team->get(w->team, w->rank, bytes, room);

	w->over = !got;
	return (ssize_t)got;
}

/* ---- a worker ----------------------------------------------------------------------------- */

static void give_event(void *context, enum dlt_event type, int64_t at, const void *data)
{
	digest_event(context, type, at, data);
}

static void give_fold(void *context, struct fold *fold)
{
	fold_settle(fold);
	digest_fold(context, fold);
	fold_clear(fold);
}

static void say_alive(const struct trace *t, uint64_t events)
{
	(void)events;
	model_alive(t->model);
}

static void give_part(struct parts *p, size_t part, struct fold *fold, struct digest_writer *w)
{
	const struct sink sink = { give_event, give_fold, say_alive, w };
	struct digest_end end = { .counts.last = INT64_MIN };
	int ret;

	reader_seek(p->reader, part ? p->cuts[part - 1] : 0,
		    part + 1 < p->count ? p->cuts[part] : UINT64_MAX);
	ret = trace_feed(p->trace, p->reader, fold, &sink, &end.counts);
	reader_part(p->reader, &end.part);
	end.part.irregular |= ret < 0;
	digest_end(w, &end);
}

/* Each worker has every so manieth part, from `part` on. */
static void give_parts(struct parts *p, size_t part, struct channel *c)
{
	struct fold *fold = fold_new(p->trace->from, p->trace->to);
	struct digest_writer w;

	digest_writer_init(&w, c);
	for (; part < p->count && !w.error; part += p->worker_count) {
		say_alive(p->trace, 0);
		give_part(p, part, fold, &w);
	}
	digest_writer_release(&w);
	fold_free(fold);
}

static int start(struct parts *p, struct worker *w, size_t part)
{
	pid_t parent = getpid();
	int fds[2];

	if (pipe(fds) < 0)
		return -errno;
	/* As far ahead of the parts before its own as it may get; refused, it waits more often. */
	fcntl(fds[1], F_SETPIPE_SZ, PIPE_ROOM);
	fflush(NULL);
	w->pid = fork();
	if (w->pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return -EAGAIN;
	}
	if (!w->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		close(fds[0]);
		w->fd = fds[1];
		give_parts(p, part, &w->channel);
		_exit(0);
	}
	close(fds[1]);
	w->fd = fds[0];
	digest_reader_init(&w->digest, &w->channel);
	return 0;
}

/* Its wait status. */
static int stop(struct worker *w)
{
	int status = 0;

	if (w->fd < 0)
		return 0;
	close(w->fd);
	w->fd = -1;
	digest_reader_release(&w->digest);
	kill(w->pid, SIGKILL);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* ---- the one that has the model ----------------------------------------------------------- */

static void show_progress(const struct trace *t)
{
	model_alive(t->model);
	if (t->model->options.progress)
		t->model->options.progress(t->events);
}

/* 0; -EAGAIN: the trace is to be read as a whole; -EIO: the worker broke off. */
static int take_part(struct parts *p, struct worker *w)
{
	struct trace *t = p->trace;
	struct digest_found found;

	for (uint64_t items = 0;; items++) {
		if (items % 4096 == 0)
			show_progress(t);
		switch (digest_next(&w->digest, &found)) {
		case DIGEST_EVENT:
			trace_event(t, found.type, found.at, found.data);
			break;
		case DIGEST_FOLD:
			fold_apply(found.fold, t);
			break;
		case DIGEST_END:
			trace_count(t, &found.end->counts);
			return reader_add_part(p->reader, &found.end->part) ? -EAGAIN : 0;
		case DIGEST_NOTHING:
			return -EIO;
		}
	}
}

static const char *reason_of(int status, char *text, size_t size)
{
	if (WIFEXITED(status))
		return "there was no memory left for its decoder";
	if (WTERMSIG(status) == SIGXCPU)
		return "a minute of CPU time brought its decoder no further";
	snprintf(text, size, "its decoder was ended by signal %d", WTERMSIG(status));
	return text;
}

/* What it has told of the part stays; what comes after it is another worker's. */
static int replace(struct parts *p, struct worker *w, size_t part)
{
	double from = part ? (double)trace_time(p->trace, p->cuts[part - 1]) / 1e9 : 0;
	char text[128], line[256];
	const char *reason = reason_of(stop(w), text, sizeof(text));

	if (part + 1 < p->count)
		snprintf(line, sizeof(line), "what was recorded from %.3f s to %.3f s is left out: %s", from,
			 (double)trace_time(p->trace, p->cuts[part]) / 1e9, reason);
	else
		snprintf(line, sizeof(line), "what was recorded from %.3f s on is left out: %s", from, reason);
	reader_add_problem(p->reader, PROBLEM_UNREADABLE, line);
	return part + p->worker_count < p->count ? start(p, w, part + p->worker_count) : 0;
}

static int take_parts(struct parts *p)
{
	int ret = 0;

	for (size_t part = 0; part < p->count && !ret; part++) {
		struct worker *w = &p->workers[part % p->worker_count];

		ret = take_part(p, w);
		if (ret == -EIO)
			ret = replace(p, w, part);
	}
	return ret;
}

static int run_forked(struct parts *p)
{
	int ret = 0;

	for (size_t i = 0; i < p->worker_count; i++)
		p->workers[i] = (struct worker){ .channel = { put, get }, .fd = -1 };
	for (size_t i = 0; i < p->worker_count && !ret; i++)
		ret = start(p, &p->workers[i], i);
	if (!ret)
		ret = take_parts(p);
	for (size_t i = 0; i < p->worker_count; i++)
		stop(&p->workers[i]);
	return ret ? -EAGAIN : 1;
}

/* The time of the first event is the trace's begin for all parts. */
static bool find_begin(struct trace *t, struct reader *r)
{
	struct reader_event e;
	bool found = reader_next(r, &e) > 0 && (unsigned)e.type < DLT_EVENTS;

	if (found)
		trace_start(t, reader_info(r), e.time);
	reader_seek(r, 0, UINT64_MAX);
	return found;
}

/* ---- in a team ---------------------------------------------------------------------------- */

static void send_order(struct parts *p, struct team *team)
{
	struct parts_order *order = xcalloc(1, sizeof(*order));

	order->trace = p->trace->index;
	order->count = p->count;
	order->from = p->trace->from;
	order->to = p->trace->to;
	memcpy(order->cuts, p->cuts, sizeof(order->cuts));
	team->tell(team, order, sizeof(*order));
	free(order);
}

/* What is still on its way: the next order must find nothing of this one. */
static void take_rest(struct worker *w)
{
	void *bytes = xcalloc(1, DIGEST_CHUNK);

	while (get_from_team(&w->channel, bytes, DIGEST_CHUNK) > 0)
		;
	free(bytes);
	digest_reader_release(&w->digest);
}

/* A member that does not deliver: number 0 reads the trace alone. */
static int run_in_team(struct parts *p, struct team *team)
{
	int ret = 0;

	send_order(p, team);
	for (size_t i = 0; i < p->worker_count; i++) {
		p->workers[i] = (struct worker){
			.channel = { put_to_team, get_from_team }, .fd = -1, .team = team, .rank = i + 1,
		};
		digest_reader_init(&p->workers[i].digest, &p->workers[i].channel);
	}
	for (size_t part = 0; part < p->count && !ret; part++)
		ret = take_part(p, &p->workers[part % p->worker_count]);
	for (size_t i = 0; i < p->worker_count; i++)
		take_rest(&p->workers[i]);
	return ret ? -EAGAIN : 1;
}

bool parts_order_await(struct team *team, struct parts_order *order)
{
	team->tell(team, order, sizeof(*order));
	return order->trace != SIZE_MAX;
}

void parts_order_obey(struct team *team, struct model *m, struct reader *r, const char *path,
		      const struct parts_order *order)
{
	struct parts *p = xcalloc(1, sizeof(*p));
	struct worker self = { .channel = { put_to_team, get_from_team }, .fd = -1, .team = team };

	p->reader = r;
	p->count = order->count;
	p->worker_count = team->size - 1;
	if (r) {
		p->trace = trace_add(m, path);
		p->trace->from = order->from;
		p->trace->to = order->to;
		/* Its packets have to be known here too: the same ones, or it is another trace. */
		if (1 + reader_cuts(r, PART_LEAST, m->options.jobs, PARTS_MOST, p->cuts) == p->count &&
		    memcmp(p->cuts, order->cuts, (p->count - 1) * sizeof(p->cuts[0])) == 0 &&
		    find_begin(p->trace, r))
			give_parts(p, team->rank - 1, &self.channel);
	}
	team->put(team, "", 0);
	free(p);
}

void parts_order_end(struct team *team)
{
	struct parts_order *order = xcalloc(1, sizeof(*order));

	order->trace = SIZE_MAX;
	team->tell(team, order, sizeof(*order));
	free(order);
}

/* ---- whether at all ----------------------------------------------------------------------- */

static size_t cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (size_t)CPU_COUNT(&set);
}

static size_t workers_of(const struct model_options *o)
{
	size_t workers = o->team ? o->team->size - 1 : o->jobs ? o->jobs : cores();

	return workers < JOBS_MOST ? workers : JOBS_MOST;
}

int parts_read(struct trace *t, struct reader *r)
{
	const struct model_options *o = &t->model->options;
	size_t workers = workers_of(o);
	struct parts *p;
	int ret = 0;

	if ((workers < 2 && !o->team) || o->event || (!o->jobs && reader_info(r)->bytes < SMALL))
		return 0;
	p = xcalloc(1, sizeof(*p));
	p->trace = t;
	p->reader = r;
	p->count = 1 + reader_cuts(r, PART_LEAST, o->jobs, PARTS_MOST, p->cuts);
	/* In a team all have their turn, some with no part. */
	p->worker_count = workers < p->count || o->team ? workers : p->count;
	if (p->count > 1 && find_begin(t, r))
		ret = o->team ? run_in_team(p, o->team) : run_forked(p);
	free(p);
	return ret;
}

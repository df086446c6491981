/* SPDX-License-Identifier: MIT */
/* Finds, reads and drops black boxes. */
#include "follow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "functions.h"
#include "note.h"
#include "oom.h"
#include "sampler/box_view.h"
#include "sampler/emit_sample.h"
#include "sampler/proc.h"
#include "sampler/sampler.h"
#include "sampler/ticks.h"

#define BOX_LEAST	4096
#define BOX_MOST	(64 << 20)
#define KEPT_MOST	1024		/* files of /proc that stay open */
#define HANG_CALLS	16		/* looked at in one process */
/* ns: the process learns its clock's rate as it runs, and the same call's beginning moves with that. */
#define SAME_CALL	10000000
#define LISTED_LEAST	1000000		/* ns: younger calls are not in a dump */
#define SECOND		((uint64_t)1000000000)
#define FIRST_LOOK	10000000	/* ns: who is gone before has said all that matters in its box */

struct followed {
	struct followed *next;
	char name[80];		/* of the box in the folder */
	pid_t pid;		/* here, where it is known */
	int pidfd;		/* -1: it has ended already, or is unwatched */
	bool unwatched;		/* looked for at each tick */
	void *box;
	size_t size;
	struct sampled_process *process;	/* owned */
	uint32_t id, parent;
	uint64_t look_at;	/* ns: the first time; 0: that is over */
	struct hanging {
		uint32_t tid;
		uint64_t since;
	} told[HANG_CALLS];	/* the last ones, in turn */
	unsigned told_count;
};

static struct {
	const char *folder;
	int folder_fd, inotify, epoll;
	uint64_t hang, next_hang_look;
	struct followed *list;
	unsigned alive;
	unsigned fresh;		/* that have not been looked at */
	struct follow_events own, *past;	/* of boxes that are gone */
} follow = { .folder_fd = -1, .inotify = -1, .epoll = -1, .past = &follow.own };

/* ---- calls that hang ------------------------------------------------------------------------- */

static bool hang_is_told(const struct followed *f, const struct sampled_call *c)
{
	for (unsigned i = 0; i < f->told_count && i < HANG_CALLS; i++) {
		const struct hanging *h = &f->told[i];

		if (h->tid == c->tid && c->since < h->since + SAME_CALL && h->since < c->since + SAME_CALL)
			return true;
	}
	return false;
}

static void look_for_hangs(struct followed *f, uint64_t now)
{
	struct sampled_call calls[HANG_CALLS];
	size_t count = sampled_process_calls(f->process, now, follow.hang, calls, HANG_CALLS);

	for (size_t i = 0; i < count; i++) {
		if (calls[i].function >= DLT_FNS || hang_is_told(f, &calls[i]))
			continue;
		f->told[f->told_count++ % HANG_CALLS] = (struct hanging){ calls[i].tid, calls[i].since };
		note_say(DLT_WARNING, "hang", f->id, (int64_t)(now - calls[i].since),
			 "process %d, thread %u: %s has not returned for %" PRIu64 " s", (int)f->pid,
			 calls[i].tid, dlt_functions[calls[i].function].name, (now - calls[i].since) / SECOND);
	}
}

/* ---- reading what may be cut under our hands ------------------------------------------------ */

static sigjmp_buf bus_error;
static volatile sig_atomic_t reading;

static void on_bus_error(int signal)
{
	if (reading)
		siglongjmp(bus_error, 1);
	sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	raise(signal);
}

enum reading { READ_TICK, READ_FINAL, READ_LEAVE, READ_STATE, READ_OUTBOX, READ_CALLS, READ_LIST };

/* What READ_LIST reads: calls in flight. */
static struct {
	struct sampled_call calls[64];
	size_t count;
} listed;

/* False: the box broke while it was read. */
static bool read_box(struct followed *f, enum reading what, uint64_t now, struct sampled_state *state)
{
	if (sigsetjmp(bus_error, 1) && !sampled_process_other_broke(f->process)) {
		reading = 0;
		note_say(DLT_WARNING, "box", f->id, f->pid, "the black box of process %d is broken", (int)f->pid);
		return false;
	}
	reading = 1;
	if (what == READ_LEAVE)
		sampled_process_leave(f->process, now);
	else if (what == READ_OUTBOX)
		sampled_process_pass_on(f->process);
	else if (what == READ_CALLS)
		look_for_hangs(f, now);
	else if (what == READ_LIST)
		listed.count = sampled_process_calls(f->process, now, LISTED_LEAST, listed.calls, 64);
	else if (what != READ_STATE)
		sampled_process_tick(f->process, now, what == READ_FINAL);
	if (state)
		sampled_process_state(f->process, state);
	reading = 0;
	return true;
}

/* ---- coming and going ----------------------------------------------------------------------- */

static void close_box(struct followed *f, bool unlink_it)
{
	struct followed **at = &follow.list;

	while (*at && *at != f)
		at = &(*at)->next;
	if (*at)
		*at = f->next;
	if (f->pidfd >= 0)
		close(f->pidfd);
	follow.alive -= f->pidfd >= 0 || f->unwatched;
	follow.fresh -= f->look_at != 0;
	sampled_process_free(f->process);
	munmap(f->box, f->size);
	if (unlink_it)
		unlinkat(follow.folder_fd, f->name, 0);
	free(f);
}

/* How a process has gone: the box knows what its hooks saw, where its own word found no room, too. */
static void note_end(const struct followed *f, bool has_lost)
{
	const struct dlt_box_header *h = f->box;
	uint32_t state = box_value(h->state);
	int32_t code = box_value(h->exit_code);

	if (state == DLT_BOX_SIGNAL)
		note_say(DLT_WARNING, "killed", f->id, code, "process %d was ended by signal %d", (int)f->pid, code);
	else if (state == DLT_BOX_EXITING && has_lost)
		note_say(DLT_INFO, "exited", f->id, code, "process %d ended with status %d", (int)f->pid, code);
	else if (state == DLT_BOX_ALIVE && oom_has_killed())
		note_say(DLT_WARNING, "oom", f->id, SIGKILL, "the kernel has killed process %d, as memory ran out",
			 (int)f->pid);
	else if (state == DLT_BOX_ALIVE)
		note_say(DLT_INFO, "killed", f->id, 0, "process %d ended without a word (SIGKILL?)", (int)f->pid);
}

/* Reads the box and adds its counts. False: it broke. */
static bool read_counts(struct followed *f, enum reading what, uint64_t now, struct follow_events *sum)
{
	struct sampled_state state = { .events = 0 };

	if (!read_box(f, what, now, &state))
		return false;
	sum->emitted += state.events;
	sum->lost += state.lost;
	return true;
}

static void gone(struct followed *f)
{
	uint64_t lost = follow.past->lost;

	sample_try_now();
	if (read_counts(f, READ_FINAL, ticks_monotonic(), follow.past))
		note_end(f, follow.past->lost > lost);
	close_box(f, true);
}

/* A newer box of the same pid: the process has replaced its program. */
static void drop_predecessor(const struct followed *new)
{
	for (struct followed *f = follow.list; f; f = f->next) {
		if (f != new && f->pid == new->pid) {
			gone(f);
			return;
		}
	}
}

/* Kept open for the length of the call only: a thousand processes would take a thousand. */
static void *map_box(const char *name, size_t *size)
{
	int fd = openat(follow.folder_fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	void *box = MAP_FAILED;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    st.st_size >= BOX_LEAST && st.st_size <= BOX_MOST) {
		*size = (size_t)st.st_size;
		box = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	close(fd);
	return box == MAP_FAILED ? NULL : box;
}

/* The pid may belong to somebody else by now: nobody who began after the box was made. */
static int open_process(pid_t pid, uint64_t boottime)
{
	int fd = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	struct proc_stat stat;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (fd >= 0 && (!proc_read_stat(path, &stat) || proc_has_ended(&stat) || stat.start > boottime)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Of one that cannot be watched: no pidfd is to be had (an older kernel, a container's filter, too many files). */
static bool is_alive(pid_t pid, uint64_t boottime)
{
	struct proc_stat stat;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return pid > 0 && proc_read_stat(path, &stat) && !proc_has_ended(&stat) && stat.start <= boottime;
}

static bool begin_reading(struct followed *f)
{
	const struct dlt_box_header *h = f->box;
	pid_t number;

	if (sigsetjmp(bus_error, 1)) {
		reading = 0;
		return false;
	}
	reading = 1;
	number = proc_number_here(box_value(h->pid_namespace), f->pid);
	if (number)
		f->pid = number;
	f->pidfd = open_process(number, box_value(h->boottime));
	f->unwatched = f->pidfd < 0 && is_alive(number, box_value(h->boottime));
	f->process = sampled_process_new(f->pidfd >= 0 || f->unwatched ? f->pid : 0, f->box, f->size,
					 SAMPLED_TAKES);
	f->id = box_value(h->process);
	f->parent = box_value(h->parent);
	reading = 0;
	return f->process != NULL;
}

static bool is_known(const char *name)
{
	for (struct followed *f = follow.list; f; f = f->next)
		if (strcmp(f->name, name) == 0)
			return true;
	return false;
}

static void add(const char *name)
{
	struct epoll_event event = { .events = EPOLLIN };
	pid_t pid = box_view_pid(name);
	struct followed *f;

	if (!pid || is_known(name) || !(f = calloc(1, sizeof(*f))))
		return;
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->pid = pid;
	f->pidfd = -1;
	f->box = map_box(name, &f->size);
	if (!f->box || !begin_reading(f)) {
		sampled_process_free(f->process);
		if (f->box)
			munmap(f->box, f->size);
		if (f->pidfd >= 0)
			close(f->pidfd);
		free(f);
		return;
	}
	f->next = follow.list;
	follow.list = f;
	/* First, whatever has become of the new one: what a program used ends where the next one's begins. */
	drop_predecessor(f);
	event.data.ptr = f;
	if (f->pidfd >= 0 || f->unwatched) {
		follow.alive++;
		if (f->pidfd >= 0)
			epoll_ctl(follow.epoll, EPOLL_CTL_ADD, f->pidfd, &event);
		f->look_at = ticks_monotonic() + FIRST_LOOK;
		follow.fresh++;
	} else {
		gone(f);
	}
}

static void scan(void)
{
	DIR *d = opendir(follow.folder);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		add(entry->d_name);
	if (d)
		closedir(d);
}

static void arrivals(void)
{
	char buffer[4096] __attribute__((aligned(8)));
	ssize_t n;

	while ((n = read(follow.inotify, buffer, sizeof(buffer))) > 0) {
		for (char *p = buffer; p < buffer + n;) {
			const struct inotify_event *event = (const void *)p;

			p += sizeof(*event) + event->len;
			if (event->mask & IN_Q_OVERFLOW)
				scan();
			else if (event->len)
				add(event->name);
		}
	}
}

int follow_init(const char *folder, uint64_t hang, struct follow_events *past)
{
	struct sigaction action = { .sa_handler = on_bus_error, .sa_flags = SA_NODEFER };
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };
	struct rlimit files;

	/* One pidfd a process; what is left over is for files that are read again and again. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
		proc_keep((unsigned)(files.rlim_max / 4 < KEPT_MOST ? files.rlim_max / 4 : KEPT_MOST));
	}
	sigaction(SIGBUS, &action, NULL);
	follow.folder = folder;
	follow.hang = hang;
	if (past)
		follow.past = past;
	follow.folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	follow.inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	follow.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (follow.folder_fd < 0 || follow.epoll < 0)
		return -errno;
	if (follow.inotify >= 0 && (inotify_add_watch(follow.inotify, folder, IN_MOVED_TO) < 0 ||
				    epoll_ctl(follow.epoll, EPOLL_CTL_ADD, follow.inotify, &event) < 0)) {
		close(follow.inotify);
		follow.inotify = -1;
	}
	if (follow.inotify < 0)
		note_say(DLT_WARNING, "inotify", 0, 0, "this user's instances of inotify are used up "
			 "(fs.inotify.max_user_instances): processes are noticed when samples are taken");
	scan();
	return 0;
}

int follow_descriptor(void)
{
	return follow.epoll;
}

/* One at a time: what one event frees, another of the same batch could still name. */
void follow_changes(void)
{
	struct epoll_event event;

	while (epoll_wait(follow.epoll, &event, 1, 0) == 1) {
		if (event.data.ptr)
			gone(event.data.ptr);
		else
			arrivals();
	}
}

/* ---- ticks ----------------------------------------------------------------------------------- */

uint64_t follow_next_watch(void)
{
	return follow.hang ? follow.next_hang_look : UINT64_MAX;
}

void follow_watch(uint64_t now)
{
	struct followed *next;

	if (now < follow_next_watch())
		return;
	follow.next_hang_look = now + SECOND;
	for (struct followed *f = follow.list; f; f = next) {
		next = f->next;
		if (!f->look_at && !read_box(f, READ_CALLS, now, NULL))
			close_box(f, true);
	}
}

void follow_tick(uint64_t now)
{
	struct followed *next;

	/* Nobody tells of new ones. */
	if (follow.inotify < 0)
		scan();
	for (struct followed *f = follow.list; f; f = next) {
		next = f->next;
		if (f->look_at)
			continue;
		if (f->unwatched && !is_alive(f->pid, UINT64_MAX))
			gone(f);
		else if (!read_box(f, READ_TICK, now, NULL))
			close_box(f, true);
	}
}

/* ---- young processes ------------------------------------------------------------------------- */

uint64_t follow_first_look(void)
{
	uint64_t soonest = UINT64_MAX;

	for (struct followed *f = follow.fresh ? follow.list : NULL; f; f = f->next)
		if (f->look_at && f->look_at < soonest)
			soonest = f->look_at;
	return soonest;
}

void follow_look(uint64_t now)
{
	for (struct followed *f = follow.fresh ? follow.list : NULL, *next; f; f = next) {
		next = f->next;
		if (!f->look_at || now < f->look_at)
			continue;
		f->look_at = 0;
		follow.fresh--;
		if (!read_box(f, READ_TICK, now, NULL))
			close_box(f, true);
	}
}

void follow_pass_on(uint64_t now)
{
	for (struct followed *f = follow.list, *next; f; f = next) {
		next = f->next;
		if (!read_box(f, READ_OUTBOX, now, NULL))
			close_box(f, true);
	}
}

void follow_again(void)
{
	for (struct followed *f = follow.list; f; f = f->next)
		sampled_process_again(f->process);
}

void follow_last(uint64_t now)
{
	for (struct followed *f = follow.list; f; f = f->next)
		read_box(f, READ_LEAVE, now, NULL);
}

void follow_leave(uint64_t now)
{
	struct followed *next;

	for (struct followed *f = follow.list; f; f = next) {
		next = f->next;
		read_counts(f, READ_LEAVE, now, follow.past);
		note_say(DLT_INFO, "survivor", f->id, f->pid, "process %d lives on, unrecorded", (int)f->pid);
		close_box(f, false);
	}
}

unsigned follow_alive(void)
{
	return follow.alive;
}

struct follow_events follow_events(void)
{
	struct follow_events sum = *follow.past;

	for (struct followed *f = follow.list; f; f = f->next)
		read_counts(f, READ_STATE, 0, &sum);
	return sum;
}

/* A process gives itself any name: a line feed would make a line of its own, an escape speak to the terminal. */
static void make_printable(char *name)
{
	for (; *name; name++)
		if (*name < ' ' || *name > '~')
			*name = '?';
}

void follow_dump(void (*line)(const char *text), uint64_t now)
{
	char text[512];

	for (struct followed *f = follow.list; f; f = f->next) {
		struct sampled_state s;

		if (!read_box(f, READ_LIST, now, &s))
			continue;
		make_printable(s.name);
		snprintf(text, sizeof(text), "process %d (%s): %u thread%s, heap %.1f MiB, %" PRIu64 " events",
			 (int)f->pid, s.name, s.threads, s.threads == 1 ? "" : "s", (double)s.live / 1048576, s.events);
		line(text);
		for (size_t i = 0; i < listed.count; i++) {
			const struct sampled_call *c = &listed.calls[i];

			snprintf(text, sizeof(text), "  thread %u: in %s for %.3f s", c->tid,
				 c->function < DLT_FNS ? dlt_functions[c->function].name : "?",
				 (double)(now - c->since) / 1e9);
			line(text);
		}
	}
}

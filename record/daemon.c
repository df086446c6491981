/* SPDX-License-Identifier: MIT */
/* Starting and ending a private session daemon. */
#include "daemon.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lttng/lttng.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "place.h"

#define RUN_DIR		"/run/lttng"
#define SHARED_PID	RUN_DIR "/lttng-sessiond.pid"	/* the daemon's own word */
#define SHARED_LOCK	RUN_DIR "/dltrace.lock"
#define START_LIMIT	10000	/* ms; a loaded machine needs seconds */
#define STOP_LIMIT	2000	/* ms, then SIGKILL */
#define ORPHANS_LIMIT	300	/* ms */

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* /run/lttng becomes the private folder's, for this process and its children only. */
static int enter_namespace(const char *home)
{
	char sockets[PATH_MAX];

	snprintf(sockets, sizeof(sockets), "%s/.lttng", home);
	if (mkdir(RUN_DIR, 0755) < 0 && errno != EEXIST)
		return -errno;
	if (unshare(CLONE_NEWNS) < 0)
		return -errno;
	if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0 ||
	    mount(sockets, RUN_DIR, NULL, MS_BIND, NULL) < 0)
		return -errno;
	return 0;
}

/*
 * The daemon that the user named, the one that lies in a bundle with us (the libraries there are of
 * its version, a daemon that is installed here may not be), or the installed one. Does not return.
 */
static void exec_best_daemon(bool shared)
{
	const char *named = getenv("LTTNG_SESSIOND_PATH");
	/* Root's gives its sockets to the group "tracing", which a user namespace may have no number for. */
	const char *group = !shared && geteuid() == 0 ? "--group=root" : NULL;
	char bundled[PATH_MAX], consumer[PATH_MAX], option[PATH_MAX + 32];

	if (named && *named)
		execl(named, named, "--no-kernel", group, (char *)NULL);
	else if (place_find("lttng-sessiond", DLT_LIBEXECDIR, bundled) == 0 &&
		 place_find("lttng-consumerd", DLT_LIBEXECDIR, consumer) == 0) {
		snprintf(option, sizeof(option), "--consumerd64-path=%s", consumer);
		*strrchr(consumer, '/') = '\0';
		setenv("LTTNG_SESSION_CONFIG_XSD_PATH", consumer, 1);	/* it ends without its schema */
		execl(bundled, bundled, "--no-kernel", option, group, (char *)NULL);
	} else
		execlp("lttng-sessiond", "lttng-sessiond", "--no-kernel", group, (char *)NULL);
	_exit(127);
}

/* Of one recording: it ends with its keeper. Of several: with none of them, nor with their folders. */
static void tie(bool shared, pid_t keeper)
{
	if (shared) {
		setsid();
		unsetenv("LTTNG_HOME");
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != keeper)
		_exit(127);
}

/* In the child that becomes the daemon. Its descriptors but 0, 1, 2 are closed on exec. */
static void exec_daemon(const char *home, bool shared, pid_t parent)
{
	char log[PATH_MAX];
	sigset_t none;
	int fd;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	tie(shared, parent);
	snprintf(log, sizeof(log), "%s/log", home);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd >= 0) {
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
	}
	unsetenv("LD_AUDIT");	/* the user's own: liburcu's storage does not fit beside one */
	unsetenv("LD_PRELOAD");		/* the command's, not for a daemon */
	exec_best_daemon(shared);
}

#define LINE 512

/* What the daemon wrote last, as one printable line in text[LINE]; "" if nothing. */
static const char *last_words(const char *home, char *text)
{
	char path[PATH_MAX];
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/log", home);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && lseek(fd, 1 - LINE, SEEK_END) < 0)
		lseek(fd, 0, SEEK_SET);
	n = fd >= 0 ? read(fd, text, LINE - 1) : 0;
	if (fd >= 0)
		close(fd);
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	text[n > 0 ? n : 0] = '\0';
	for (char *c = text; *c; c++)
		if (iscntrl((unsigned char)*c) && *c != '\n')
			*c = ' ';
	return strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
}

static void say_end(char *why, size_t size, const char *home, int status)
{
	char text[LINE];
	const char *words = last_words(home, text);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		snprintf(why, size, "lttng-sessiond is not installed (apt install lttng-tools)");
	else
		snprintf(why, size, "lttng-sessiond ended at once with %s %d%s%s",
			 WIFEXITED(status) ? "status" : "signal",
			 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), *words ? ": " : "", words);
}

static int wait_until_alive(struct session_daemon *d, const char *home, char *why, size_t size)
{
	for (int waited = 0; waited < START_LIMIT; waited += 5) {
		int status;

		if (lttng_session_daemon_alive() == 1)
			return 0;
		if (waitpid(d->pid, &status, WNOHANG) == d->pid) {
			d->pid = 0;
			say_end(why, size, home, status);
			return -ENOENT;
		}
		pause_ms(5);
	}
	snprintf(why, size, "lttng-sessiond does not answer within %d s", START_LIMIT / 1000);
	return -ETIMEDOUT;
}

static int start_own(struct session_daemon *d, const char *home, char *why, size_t size)
{
	pid_t parent = getpid();

	d->pid = fork();
	if (d->pid == 0)
		exec_daemon(home, d->shared, parent);
	if (d->pid < 0) {
		snprintf(why, size, "fork: %s", strerror(errno));
		d->pid = 0;
		return -EAGAIN;
	}
	/* Whose it is, for the last one that uses it; else it is ours to end. */
	if (d->shared && (ftruncate(d->lock, 0) < 0 || dprintf(d->lock, "%d\n", (int)d->pid) < 0))
		d->shared = false;
	return wait_until_alive(d, home, why, size);
}

/* A file of one number. 0: there is none. */
static pid_t read_pid(const char *path)
{
	FILE *f = fopen(path, "re");
	int pid;

	if (!f || fscanf(f, "%d", &pid) != 1)
		pid = 0;
	if (f)
		fclose(f);
	return pid;
}

/* True: it answers, and nobody ends it while the lock is held as by one of several. */
static bool is_there_for_all(struct session_daemon *d)
{
	flock(d->lock, LOCK_SH);
	if (lttng_session_daemon_alive() != 1) {
		flock(d->lock, LOCK_UN);
		d->pid = 0;
		return false;
	}
	if (!d->pid)
		d->pid = read_pid(SHARED_PID);
	return true;
}

/*
 * The machine's daemon, of all recordings at a time: each holds the lock as one of several; who holds it alone may
 * start and end the daemon. The file holds the process id of one that a recording has started.
 */
static int start_shared(struct session_daemon *d, const char *home, char *why, size_t size)
{
	d->lock = open(SHARED_LOCK, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (d->lock < 0) {
		int err = -errno;

		snprintf(why, size, "%s: %s%s", SHARED_LOCK, strerror(-err),
			 err == -ENOENT ? "; LTTng needs /run, and /var/run, a link to it: make them" : "");
		return err;
	}
	d->shared = true;
	for (int waited = 0; waited < START_LIMIT; waited += 20) {
		int err = 0;

		if (flock(d->lock, LOCK_EX | LOCK_NB) == 0 && lttng_session_daemon_alive() != 1)
			err = start_own(d, home, why, size);
		if (err || is_there_for_all(d))
			return err;
		pause_ms(20);
	}
	snprintf(why, size, "lttng-sessiond, which other recordings use, does not answer");
	return -ETIMEDOUT;
}

int daemon_start(struct session_daemon *d, const char *home, char *why, size_t size)
{
	*d = (struct session_daemon){ .private = true };
	/* A member of the group `tracing` would be sent to root's daemon: no such group, then. */
	lttng_set_tracing_group("dltrace-none");
	if (setenv("LTTNG_HOME", home, 1) < 0) {
		snprintf(why, size, "out of memory");
		return -ENOMEM;
	}
	if (geteuid() == 0 && enter_namespace(home) < 0) {
		d->private = false;
		return start_shared(d, home, why, size);
	}
	return start_own(d, home, why, size);
}

/* The first line of a file in /proc/PID; empty where there is none. */
static void read_proc(pid_t pid, const char *file, char *text, size_t size)
{
	char path[64];
	FILE *f;

	*text = '\0';
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(text, (int)size, f))
		*text = '\0';
	fclose(f);
}

static bool is_consumer(pid_t pid)
{
	char name[32];

	read_proc(pid, "comm", name, sizeof(name));
	return strncmp(name, "lttng-consumer", strlen("lttng-consumer")) == 0;
}

/* Among the children of one of its threads. 0: not there */
static pid_t consumer_of(pid_t daemon, pid_t thread)
{
	char file[48], text[512], *next, *end;

	snprintf(file, sizeof(file), "task/%d/children", (int)thread);
	read_proc(daemon, file, text, sizeof(text));
	for (next = text;; next = end) {
		pid_t child = (pid_t)strtol(next, &end, 10);

		if (end == next)
			return 0;
		if (is_consumer(child))
			return child;
	}
}

/* Whichever of the daemon's threads has forked it. Its first child is another one, which acts for users. */
static pid_t find_consumer(pid_t daemon)
{
	char path[64];
	struct dirent *task;
	pid_t found = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)daemon);
	tasks = opendir(path);
	while (tasks && !found && (task = readdir(tasks)))
		if (*task->d_name != '.')
			found = consumer_of(daemon, (pid_t)atoi(task->d_name));
	if (tasks)
		closedir(tasks);
	return found;
}

/* A zombie still answers kill(pid, 0). */
static bool is_running(pid_t pid)
{
	char text[128], *state;

	if (kill(pid, 0) < 0)
		return errno == EPERM;
	read_proc(pid, "stat", text, sizeof(text));
	state = strrchr(text, ')');	/* where it could not be read, it is as kill has said */
	return !state || !strchr("XZ", state[1] ? state[2] : 'X');
}

static void let_others_start(struct session_daemon *d)
{
	flock(d->lock, LOCK_UN);
	d->pid = d->consumer = 0;
}

const char *daemon_died(struct session_daemon *d)
{
	if (!d->pid)
		return NULL;
	if (!is_running(d->pid)) {
		if (d->shared)
			let_others_start(d);
		return "session daemon";
	}
	if (!d->consumer)
		d->consumer = find_consumer(d->pid);
	return d->consumer && !is_running(d->consumer) ? "consumer daemon" : NULL;
}

static bool reaped(pid_t pid, int limit)
{
	for (int waited = 0; waited <= limit; waited += 5) {
		if (waitpid(pid, NULL, WNOHANG) == pid || !is_running(pid))
			return true;
		pause_ms(5);
	}
	return false;
}

/* Who was the daemon's is ours: the machine's first process need not be one that reaps. */
static void reap_orphans(int limit)
{
	for (int waited = 0; waited < limit; waited += 5) {
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			return;
		pause_ms(5);
	}
}

static void terminate(struct session_daemon *d, bool at_once)
{
	if (!d->pid)
		return;
	if (!d->consumer)
		d->consumer = find_consumer(d->pid);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	kill(d->pid, at_once ? SIGKILL : SIGTERM);
	if (!reaped(d->pid, STOP_LIMIT)) {
		kill(d->pid, SIGKILL);
		reaped(d->pid, STOP_LIMIT);
	}
	/* Its consumer daemon ends with it; one that hangs in a full disk may not. */
	for (int i = 0; i < 20 && d->consumer && is_running(d->consumer); i++)
		pause_ms(10);
	if (d->consumer && is_running(d->consumer))
		kill(d->consumer, SIGKILL);
	reap_orphans(ORPHANS_LIMIT);
	d->pid = 0;
}

/* Somebody has a session there, and it has not lost its consumer daemon, which it does not start again. */
static bool is_of_use(const struct session_daemon *d)
{
	struct lttng_session *sessions = NULL;
	int count = d->consumer && !is_running(d->consumer) ? 0 : lttng_list_sessions(&sessions);

	free(sessions);
	return count > 0;
}

/* The last recording ends what one of them has started. */
static void leave(struct session_daemon *d)
{
	if (flock(d->lock, LOCK_EX | LOCK_NB) == 0 && d->pid && d->pid == read_pid(SHARED_LOCK) && !is_of_use(d))
		terminate(d, false);
	close(d->lock);
	d->shared = false;
}

bool daemon_is_ours(const struct session_daemon *d)
{
	return d->pid && !d->shared;
}

void daemon_stop(struct session_daemon *d, bool at_once)
{
	if (d->shared)
		leave(d);
	else
		terminate(d, at_once);
}

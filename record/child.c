/* SPDX-License-Identifier: MIT */
/* Starting the command, and being a parent that nobody notices. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inherited.h"
#include "reap.h"
#include "sampler/proc.h"

/* By these a terminal stops a job: as is typed, as who is in the background reads from it or writes to it. */
static const int stopping[] = { SIGTSTP, SIGTTIN, SIGTTOU };

#define GUARD_PAUSE 100	/* ms */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int child_prepare(struct child *c)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	sigset_t set;

	*c = (struct child){ .signals = -1 };
	/* Whoever sends a signal to dltrace-record means the command. (A fault of its own ends it all the same.) */
	sigfillset(&set);
	/* Somebody may have started us with SIGCHLD ignored: then there is no status to wait for. */
	sigaction(SIGCHLD, &standard, &c->chld);
	if (sigprocmask(SIG_BLOCK, &set, &c->mask) < 0)
		return -errno;
	c->watched = set;
	sigdelset(&c->watched, SIGCHLD);
	c->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return c->signals < 0 ? -errno : 0;
}

/* What dltrace-record's own writes have brought, into a full pipe or a file that may not grow, is not the command's. */
static void drop_own_signals(void)
{
	static const int brought[] = { SIGPIPE, SIGXFSZ };
	struct sigaction before, none = { .sa_handler = SIG_IGN };

	for (size_t i = 0; i < COUNT(brought); i++)
		if (sigaction(brought[i], &none, &before) == 0)
			sigaction(brought[i], &before, NULL);
}

/* Returns errno only. */
static int execute(const struct child *c, char *const *command, char *const *environment)
{
	sigaction(SIGCHLD, &c->chld, NULL);
	drop_own_signals();
	sigprocmask(SIG_SETMASK, &c->mask, NULL);
	execvpe(command[0], command, environment);
	return errno;
}

/* Between fork and exec: only what is safe there. */
static void become(const struct child *c, char *const *command, char *const *environment, int report)
{
	int err = execute(c, command, environment);

	if (write(report, &err, sizeof(err)) < 0)
		_exit(127);
	_exit(127);
}

int child_spawn(struct child *c, char *const *command, char *const *environment)
{
	int fds[2], err = 0;
	pid_t pid;

	/* It never execs: a pipe that is there before it would stay open. */
	witness_start(&c->witness, &c->watched);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = reap_fork();
	if (pid == 0)
		become(c, command, environment, fds[1]);
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return -EAGAIN;
	}
	/* The pipe closes when the exec has succeeded. */
	while (read(fds[0], &err, sizeof(err)) < 0 && errno == EINTR)
		;
	close(fds[0]);
	if (err) {
		waitpid(pid, NULL, 0);
		reap_done(pid);
		witness_stop(&c->witness);
		return -err;
	}
	inherited_let_go();
	c->pid = pid;
	return 0;
}

int child_replace(const struct child *c, char *const *command)
{
	return -execute(c, command, environ);
}

static bool is_stopped(pid_t pid)
{
	struct proc_stat stat;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return proc_read_stat(path, &stat) && stat.state == 'T';
}

/*
 * Is there somebody who would continue us: a shell of this session? Its leader has none, nor has who was started from
 * another session.
 */
static bool has_shell(void)
{
	return getsid(0) != getpid() && getsid(getppid()) == getsid(0);
}

/*
 * Stops dltrace-record as its job is stopped. Whoever continues the command by its pid, or ends it, does not mean us:
 * so a child looks after it meanwhile.
 */
static void stop_with(const struct child *c)
{
	pid_t self = getpid(), guard = fork();

	if (guard == 0) {
		inherited_let_go();
		prctl(PR_SET_NAME, "dltrace-guard");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == self && is_stopped(c->pid))
			poll(NULL, 0, GUARD_PAUSE);
		if (getppid() == self)
			kill(self, SIGCONT);
		_exit(0);
	}
	if (guard > 0) {
		raise(SIGSTOP);
		reap_killed(guard);
	}
}

/*
 * A stop by the terminal (Ctrl-Z, or reading in the background) has stopped dltrace-record too,
 * and is over when this runs. The command alone was stopped, by kill -STOP or by itself: a shell
 * that waits in the foreground must see its job stop, as it would have.
 */
static void follow_stop(struct child *c)
{
	siginfo_t info = { .si_pid = 0 };
	int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool foreground = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();

	if (terminal >= 0)
		close(terminal);
	if (!foreground || !has_shell())
		return;
	poll(NULL, 0, 50);
	if (waitid(P_PID, (id_t)c->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) < 0 || !info.si_pid)
		return;
	stop_with(c);
	kill(c->pid, SIGCONT);
}

static void reap(struct child *c)
{
	siginfo_t info = { .si_pid = 0 };
	bool told;	/* a sandbox may refuse that word */
	int status;

	/* Other children are the helpers': their own code waits for them. */
	if (!c->pid)
		return;
	told = waitid(P_PID, (id_t)c->pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0;
	if (told && !info.si_pid)
		return;
	if (told && info.si_code == CLD_STOPPED)
		follow_stop(c);
	else if (told)
		c->last_look(c->data);
	/* One that goes on by now has no status. */
	if (waitpid(c->pid, &status, WNOHANG | WUNTRACED) != c->pid || WIFSTOPPED(status))
		return;
	reap_done(c->pid);
	witness_stop(&c->witness);
	c->status = status;
	c->ended = true;
	c->pid = 0;
}

/* Not under nohup: what is blocked arrives even where it is ignored. */
static bool is_deadly(int signal)
{
	static const int deadly[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGALRM };
	struct sigaction now;

	for (size_t i = 0; i < COUNT(deadly); i++)
		if (deadly[i] == signal)
			return sigaction(signal, NULL, &now) == 0 && now.sa_handler != SIG_IGN;
	return false;
}

/*
 * The terminal's, of which the command has its own. But an alarm that was set before dltrace-record was there is
 * meant for the command; and of a hangup the kernel tells the session's leader alone, which the command would have
 * been in our place (ssh -t, a window of tmux).
 */
static bool is_terminals(const struct child *c, const struct signalfd_siginfo *s)
{
	if (s->ssi_code != SI_KERNEL || s->ssi_signo == SIGALRM)
		return false;
	return s->ssi_signo != SIGHUP || getsid(c->pid) != getsid(0);
}

/* The command has had its own. */
static bool was_for_all(struct child *c, const struct signalfd_siginfo *s)
{
	return is_terminals(c, s) || s->ssi_pid == (uint32_t)c->pid ||
	       (getpgid(c->pid) == getpgrp() && witness_saw(&c->witness, (int)s->ssi_signo, (pid_t)s->ssi_pid));
}

static bool stops(int signal)
{
	for (size_t i = 0; i < COUNT(stopping); i++)
		if (stopping[i] == signal)
			return true;
	return false;
}

/* As that signal would have stopped us: not under nohup, nor without a shell. */
static void stop_as_asked(int signal)
{
	struct sigaction now;

	if (has_shell() && sigaction(signal, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
		raise(SIGSTOP);
}

static void pass_on(struct child *c, const struct signalfd_siginfo *s)
{
	if (!c->pid) {
		c->dismissed |= is_deadly((int)s->ssi_signo);
		return;
	}
	if (s->ssi_pid == (uint32_t)getpid())
		return;		/* SIGPIPE, SIGXFSZ: of what dltrace-record writes */
	if (!was_for_all(c, s))
		kill(c->pid, (int)s->ssi_signo);
	else if (stops((int)s->ssi_signo))
		stop_as_asked((int)s->ssi_signo);	/* with the job */
}

void child_signals(struct child *c)
{
	struct signalfd_siginfo s;

	while (read(c->signals, &s, sizeof(s)) == sizeof(s)) {
		if (s.ssi_signo != SIGCHLD)
			pass_on(c, &s);
	}
	reap(c);
	reap_strangers();
}

int child_early_signal(struct child *c)
{
	struct signalfd_siginfo s;
	int deadly = 0;

	while (read(c->signals, &s, sizeof(s)) == sizeof(s)) {
		if (is_deadly((int)s.ssi_signo))
			deadly = (int)s.ssi_signo;
		if (stops((int)s.ssi_signo))
			stop_as_asked((int)s.ssi_signo);
	}
	return deadly;
}

int child_die_of(int signal)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	sigset_t set;

	prctl(PR_SET_DUMPABLE, 0);	/* the core that matters is the command's */
	sigaction(signal, &standard, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal);
	return 128 + signal;		/* pid 1 of a container gets none of its own */
}

int child_end_alike(const struct child *c)
{
	return WIFSIGNALED(c->status) ? child_die_of(WTERMSIG(c->status)) : WEXITSTATUS(c->status);
}

static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

int child_lookup(const char *command, char *file)
{
	const char *path = getenv("PATH");
	int found = -ENOENT;

	if (strchr(command, '/')) {
		snprintf(file, PATH_MAX, "%s", command);
		return executable(command);
	}
	/* An element without a name, the last one too, is the current folder. */
	for (path = path ? path : "/bin:/usr/bin"; *command && path; path = strchr(path, ':'), path += path != NULL) {
		int length = (int)strcspn(path, ":");
		int n = snprintf(file, PATH_MAX, "%.*s%s%s", length, path, length ? "/" : "./", command);
		int err = n > 0 && n < PATH_MAX ? executable(file) : -ENOENT;

		if (err == 0)
			return 0;
		if (err == -EACCES)
			found = err;
	}
	return found;
}

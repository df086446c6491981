/* SPDX-License-Identifier: MIT */
/* Runs the report in a child under limits, and again without a trace that broke it. */
#include "analysis/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/report/memory.h"
#include "analysis/report/unfinished.h"
#include "analysis/team.h"

#ifndef STALL_SECONDS
#define STALL_SECONDS	60		/* CPU time without progress */
#endif
#define MEMORY_LEAST	(1ULL << 30)	/* bytes that are always allowed */

/*
 * RLIMIT_DATA, not RLIMIT_AS: traces are mapped, and may be larger than memory. The sanitizers'
 * shadow memory counts as data, though.
 */
static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
	struct sysinfo info;
	uint64_t bytes = MEMORY_LEAST;
	struct rlimit limit;

	if (!sysinfo(&info) && (uint64_t)info.totalram * info.mem_unit / 4 * 3 > bytes)
		bytes = (uint64_t)info.totalram * info.mem_unit / 4 * 3;
	if (getrlimit(RLIMIT_DATA, &limit) || limit.rlim_cur <= bytes)
		return;
	limit.rlim_cur = bytes;
	setrlimit(RLIMIT_DATA, &limit);
#endif
}

void worker_progress(void)
{
	struct rusage usage;
	struct rlimit limit;

	if (getrusage(RUSAGE_SELF, &usage) || getrlimit(RLIMIT_CPU, &limit))
		return;
	limit.rlim_cur = (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + STALL_SECONDS;
	if (limit.rlim_cur < limit.rlim_max)
		setrlimit(RLIMIT_CPU, &limit);
}

/* What a child's end says about the trace that it was reading; NULL: nothing. */
static const char *reason_of(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status) == STATUS_NOTHING ? "needs more memory than there is" :
							       NULL;
	switch (WTERMSIG(status)) {
	case SIGXCPU:
		return "given up: a minute of CPU time brought it no further";
	case SIGKILL:
		return "given up: the decoder was killed (out of memory?)";
	case SIGSEGV:
	case SIGBUS:
	case SIGABRT:
	case SIGILL:
	case SIGFPE:
		return "given up: the decoder crashed on it";
	default:
		return NULL;
	}
}

/* Dies as the child did, so that a shell sees SIGINT or SIGPIPE. */
static int die_alike(int sig)
{
	if (sig == SIGINT || sig == SIGTERM || sig == SIGPIPE || sig == SIGHUP || sig == SIGQUIT) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	fprintf(stderr, "dltrace-report: writing the report failed: %s\n", strsignal(sig));
	return STATUS_UNWRITTEN;
}

/* ---- signals that ask for the end ---- */

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static volatile sig_atomic_t asked;	/* the one that came; 0: none */
static volatile pid_t working;		/* the child; 0: none */

/* Its end wakes the parent, which does the rest. */
static void pass_on(int sig)
{
	int saved = errno;

	asked = sig;
	if (working)
		kill(working, sig);
	errno = saved;
}

/* In a team nobody outlives the one that writes. */
static void clean_and_die(int sig)
{
	unfinished_remove();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Those that are ignored stay so: nohup's, a shell's for what runs in the background. */
static void handle_ends(void (*handler)(int))
{
	const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct sigaction before;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!sigaction(ends[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
}

static void hold_ends(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaddset(&held, ends[i]);
	sigprocmask(SIG_BLOCK, &held, before);
}

/* ---- the child ---- */

/* In between a signal would find neither the parent's handler nor the child's default. */
static pid_t fork_worker(void)
{
	sigset_t before;
	pid_t child;

	hold_ends(&before);
	child = fork();
	if (!child)
		handle_ends(SIG_DFL);
	if (child > 0) {
		working = child;
		if (asked)
			kill(child, asked);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child;
}

static pid_t start(const struct options *o, struct worker *w, char *const *broken,
		   int (*work)(const struct options *, struct worker *, char *const *))
{
	pid_t parent = getpid(), child = fork_worker();
	int status;

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_NOTHING);
	limit_memory();
	worker_progress();
	status = work(o, w, broken);
	exit(status);
}

/* Its number is another's as soon as it is reaped: no signal must be passed on then. */
static int await(pid_t child)
{
	siginfo_t info;
	int status = 0;

	while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	working = 0;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int worker_run(const struct options *o,
	       int (*work)(const struct options *o, struct worker *w, char *const *broken))
{
	char **broken = need(calloc((size_t)o->trace_count, sizeof(*broken)));
	struct worker *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0, result;

	need(w == MAP_FAILED ? NULL : w);
	/* mpirun watches over its processes, and only they can talk to each other. */
	if (team_is_meant()) {
		handle_ends(clean_and_die);
		limit_memory();
		return work(o, w, broken);
	}
	unfinished_share();
	handle_ends(pass_on);
	for (;;) {
		const char *reason;
		pid_t child;

		*w = (struct worker){ .stage = STAGE_READING, .trace = -1 };
		fflush(NULL);
		child = start(o, w, broken, work);
		if (child < 0) {
			fprintf(stderr, "dltrace-report: cannot start: fork: %s\n",
				strerror(errno));
			result = STATUS_NOTHING;
			break;
		}
		status = await(child);
		unfinished_remove();
		if (asked) {
			result = die_alike(asked);
			break;
		}
		reason = w->stage == STAGE_READING && w->trace >= 0 && !broken[w->trace] ?
				 reason_of(status) : NULL;
		if (!reason) {
			result = WIFEXITED(status) ? WEXITSTATUS(status) : die_alike(WTERMSIG(status));
			break;
		}
		broken[w->trace] = need(strdup(reason));
	}
	for (int i = 0; i < o->trace_count; i++)
		free(broken[i]);
	free(broken);
	munmap(w, sizeof(*w));
	return result;
}

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
static int die_alike(int status)
{
	int sig = WTERMSIG(status);

	if (sig == SIGINT || sig == SIGTERM || sig == SIGPIPE || sig == SIGHUP || sig == SIGQUIT) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	fprintf(stderr, "dltrace-report: writing the report failed: %s\n", strsignal(sig));
	return STATUS_UNWRITTEN;
}

static pid_t start(const struct options *o, struct worker *w, char *const *broken,
		   int (*work)(const struct options *, struct worker *, char *const *))
{
	pid_t parent = getpid(), child = fork();
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

static int await(pid_t child)
{
	int status = 0;

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
		limit_memory();
		return work(o, w, broken);
	}
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
		reason = w->stage == STAGE_READING && w->trace >= 0 && !broken[w->trace] ?
				 reason_of(status) : NULL;
		if (!reason) {
			result = WIFEXITED(status) ? WEXITSTATUS(status) : die_alike(status);
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

/* SPDX-License-Identifier: MIT */
/*
 * How children end, as their parent learns it: the only place that knows the signal of a process
 * that is neither the recorder's own child nor ended itself.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "children.h"
#include "emit.h"
#include "export.h"
#include "real.h"

/* `status` only if `child` > 0. */
static void tell(pid_t child, int status)
{
	struct dlt_ev_proc_child e = {
		.how = DLT_CHILD_WAITED, .child = (uint32_t)child, .result = status,
		.path = dlt_children_told(child),
	};
	struct dlt_thread *t;

	if (child <= 0 || !(WIFEXITED(status) || WIFSIGNALED(status)) ||
	    !dlt_enabled(DLT_EV_PROC_CHILD))
		return;
	t = dlt_thread_self();
	e.thread = t->id;
	dlt_emit(t, DLT_EV_PROC_CHILD, &e);
}

/* A caller that does not ask for the status gets none; we do. */
#define STATUS_OF(status, own) ((status) ? (status) : &(own))

DLT_EXPORT pid_t wait(int *status)
{
	int own = 0;
	pid_t child = dlt_real()->wait(STATUS_OF(status, own));

	tell(child, child > 0 ? *STATUS_OF(status, own) : 0);
	return child;
}

DLT_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	int own = 0;
	pid_t child = dlt_real()->waitpid(pid, STATUS_OF(status, own), options);

	tell(child, child > 0 ? *STATUS_OF(status, own) : 0);
	return child;
}

DLT_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	int own = 0;
	pid_t child = dlt_real()->wait3(STATUS_OF(status, own), options, usage);

	tell(child, child > 0 ? *STATUS_OF(status, own) : 0);
	return child;
}

DLT_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	int own = 0;
	pid_t child = dlt_real()->wait4(pid, STATUS_OF(status, own), options, usage);

	tell(child, child > 0 ? *STATUS_OF(status, own) : 0);
	return child;
}

DLT_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	int result = dlt_real()->waitid(type, id, info, options);

	/* WNOWAIT leaves the child for another wait, which will tell. */
	if (result == 0 && info && info->si_signo == SIGCHLD && !(options & WNOWAIT)) {
		if (info->si_code == CLD_EXITED)
			tell(info->si_pid, W_EXITCODE(info->si_status, 0));
		else if (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED)
			tell(info->si_pid, W_EXITCODE(0, info->si_status));
	}
	return result;
}

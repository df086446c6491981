/* SPDX-License-Identifier: MIT */
/* exit, _exit, quick_exit, abort and signals of one's own. */
#include "exit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "box_private.h"
#include "children.h"
#include "coverage.h"
#include "emit.h"
#include "export.h"
#include "guard.h"
#include "init.h"
#include "opencl_work.h"
#include "outbox.h"
#include "process.h"
#include "real.h"
#include "rings.h"
#include "sys.h"

static pid_t ending;		/* the process whose on_exit handler ran; not a forked child's */
static int status;		/* exit's or quick_exit's argument */
static int (*application_main)(int, char **, char **);

static enum dlt_box_state state_of(enum dlt_exit_how how)
{
	switch (how) {
	case DLT_EXIT_EXEC:
		return DLT_BOX_EXEC;
	case DLT_EXIT_ABORT:
	case DLT_EXIT_SIGNAL:
		return DLT_BOX_SIGNAL;
	default:
		return DLT_BOX_EXITING;
	}
}

static void set_box(enum dlt_box_state state, int code)
{
	dlt_box->exit_code = code;
	__atomic_store_n(&dlt_box->state, state, __ATOMIC_RELEASE);
}

/* Seen from outside a process's last reading lies before its end; of a short one there may be none. */
static void note_usage(void)
{
	struct rusage u;

	if (dlt_sys(SYS_getrusage, RUSAGE_SELF, (long)&u, 0, 0, 0) < 0)
		return;
	dlt_box->usage.user = (uint64_t)u.ru_utime.tv_sec * 1000000000u + (uint64_t)u.ru_utime.tv_usec * 1000u;
	dlt_box->usage.system = (uint64_t)u.ru_stime.tv_sec * 1000000000u + (uint64_t)u.ru_stime.tv_usec * 1000u;
	dlt_box->usage.minor_faults = (uint64_t)u.ru_minflt;
	dlt_box->usage.major_faults = (uint64_t)u.ru_majflt;
	dlt_box->usage.voluntary = (uint64_t)u.ru_nvcsw;
	dlt_box->usage.involuntary = (uint64_t)u.ru_nivcsw;
}

/* The number behind `name` in a file of /proc; 0: none. */
static uint64_t number_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	uint64_t number = 0;

	for (at = at ? at + strlen(name) : ""; *at == ' ' || *at == '\t'; at++)
		;
	for (; *at >= '0' && *at <= '9'; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	return number;
}

/* As above; getrusage(2) knows of disks alone. */
static void note_io(void)
{
	char text[256];

	if (!dlt_box_is_read())
		return;		/* nobody looks at it from outside */
	dlt_sys_read_proc("/proc/self/io", text, sizeof(text));
	dlt_box->usage.read_bytes = number_of(text, "rchar:");
	dlt_box->usage.write_bytes = number_of(text, "wchar:");
}

/* What getrusage(2) says may be of before an exec, even of another process (vfork). */
static void note_memory(void)
{
	char text[1024];	/* who ends the process may have little of a stack; a user in 80 groups needs more */

	dlt_sys_read_proc("/proc/thread-self/status", text, sizeof(text));
	dlt_box->usage.rss_most = number_of(text, "\nVmHWM:") << 10;
}

/* The sampler of our own says it as the last one outside does. */
static void stop_sampler(void)
{
	dlt_thread_note_cpu();
	dlt_sampler_stop();
}

static void emit_exit(enum dlt_exit_how how, int code)
{
	struct dlt_thread *t = dlt_thread_self();
	struct dlt_ev_proc_exit e = {
		.process = dlt_process.id, .how = (uint8_t)how, .code = code, .thread = t->id,
	};

	if (!dlt_process.shut_in) {
		note_usage();
		note_io();
		note_memory();
	}
	if (!dlt_enabled(DLT_EV_PROC_EXIT))
		return;
	e.events = dlt_thread_events_total() + 1;
	/* The last thread has no record any more; or a signal came in the middle of an event, which never ends now. */
	if (dlt_is_guarded(t))
		dlt_emit_aside(t, DLT_EV_PROC_EXIT, &e, false);
	else
		dlt_emit(t, DLT_EV_PROC_EXIT, &e);
	dlt_emit_end();
}

/* By memory alone, into the black box; LTTng would ask the kernel. Others' rings are the sampler's to take. */
static void say_last_words(enum dlt_exit_how how, int code)
{
	if (dlt_outbox_on && dlt_thread_self()->announced) {
		dlt_rings_flush_all(false);
		emit_exit(how, code);
	}
}

void dlt_exit_begin(enum dlt_exit_how how, int code)
{
	/* In this order: who is not traced may be in a cage that lets it call little of the system. */
	if (!dlt_process.traced || dlt_children_is_borrowed())
		return;
	set_box(state_of(how), code);
	dlt_calls_exit();
	if (dlt_process.shut_in) {
		say_last_words(how, code);
		return;
	}
	dlt_rings_flush_all(false);
	/* Not on the way to a signal: who aborts may hold a lock that these need. */
	if (how != DLT_EXIT_ABORT && how != DLT_EXIT_SIGNAL) {
		dlt_cupti_end();
		dlt_cl_end();
		dlt_coverage_end();
		stop_sampler();
	} else {
		dlt_thread_note_cpu();
	}
	/* First the others, so that the event counts all of theirs. */
	if (dlt_emit_close(dlt_thread_self())) {
		dlt_marks_exit();
		dlt_rings_flush_all(true);	/* what they noted since */
		emit_exit(how, code);
	}
}

void dlt_exit_undo(enum dlt_exit_how how)
{
	if (dlt_children_is_borrowed() || !dlt_process.traced)
		return;
	set_box(DLT_BOX_ALIVE, 0);
	dlt_rings_reopen();
	dlt_emit_reopen();
	if (how == DLT_EXIT_EXEC && !dlt_process.shut_in)
		dlt_sampler_start();
}

/* ---- exit ---------------------------------------------------------------------------------- */

static void note_status(int code, void *unused)
{
	(void)unused;
	ending = dlt_process.shut_in ? dlt_process.pid : dlt_sys_pid();
	status = code & 0377;
	if (ending == dlt_process.pid)
		set_box(DLT_BOX_EXITING, status);
}

/* Registered here, it runs after all handlers of the application and before all destructors. */
static int main_of_ours(int argc, char **argv, char **envp)
{
	on_exit(note_status, NULL);
	return application_main(argc, argv, envp);
}

DLT_EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
				 void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
				 void *stack_end);

DLT_EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
				 void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
				 void *stack_end)
{
	application_main = main;
	return dlt_real()->__libc_start_main(dlt_process.traced ? main_of_ours : main, argc, argv,
					     init, fini, rtld_fini, stack_end);
}

__attribute__((destructor)) static void end(void)
{
	if (!ending || ending != dlt_process.pid || !dlt_process.traced)
		return;
	dlt_calls_exit();
	if (dlt_process.shut_in) {
		say_last_words(DLT_EXIT_EXIT, status);
		return;
	}
	dlt_cl_end();
	dlt_coverage_end();
	dlt_rings_flush_all(false);
	stop_sampler();
	/* Threads that go on are killed soon, and must not be in the middle of an event then. */
	if (dlt_emit_close(dlt_thread_self())) {
		dlt_marks_exit();
		dlt_rings_flush_all(true);
		emit_exit(DLT_EXIT_EXIT, status);
	}
}

/* ---- _exit, quick_exit --------------------------------------------------------------------- */

DLT_EXPORT void _exit(int code)
{
	dlt_exit_begin(DLT_EXIT_AT_ONCE, code & 0377);
	dlt_real()->_exit(code);
	__builtin_unreachable();
}

DLT_EXPORT void _Exit(int code)
{
	_exit(code);
}

static void end_quickly(void)
{
	dlt_exit_begin(DLT_EXIT_QUICK, status);
}

DLT_EXPORT void quick_exit(int code)
{
	status = code & 0377;
	dlt_real()->quick_exit(code);
	__builtin_unreachable();
}

/* ---- signals of one's own ------------------------------------------------------------------ */

/* Would this signal, sent to the calling process, end it? Then nothing can come between. */
static bool is_fatal(int sig)
{
	struct sigaction action;
	sigset_t blocked;

	switch (sig) {
	case SIGCHLD: case SIGCONT: case SIGURG: case SIGWINCH:
	case SIGSTOP: case SIGTSTP: case SIGTTIN: case SIGTTOU: case 0:
		return false;
	case SIGKILL:
		return true;
	}
	return sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_DFL &&
	       pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && !sigismember(&blocked, sig);
}

DLT_EXPORT void abort(void)
{
	struct sigaction action;

	/* With a handler the rest is the handler's: it may print, emit, even jump away. */
	if (!dlt_process.shut_in && sigaction(SIGABRT, NULL, &action) == 0 && action.sa_handler == SIG_DFL)
		dlt_exit_begin(DLT_EXIT_ABORT, SIGABRT);
	dlt_real()->abort();
	__builtin_unreachable();
}

DLT_EXPORT int raise(int sig)
{
	bool fatal = !dlt_process.shut_in && is_fatal(sig);
	int result;

	if (fatal)
		dlt_exit_begin(DLT_EXIT_SIGNAL, sig);
	result = dlt_real()->raise(sig);
	if (fatal)
		dlt_exit_undo(DLT_EXIT_SIGNAL);
	return result;
}

DLT_EXPORT int kill(pid_t pid, int sig)
{
	bool fatal = pid == dlt_process.pid && !dlt_process.shut_in && pid == dlt_sys_pid() && is_fatal(sig);
	int result;

	if (fatal)
		dlt_exit_begin(DLT_EXIT_SIGNAL, sig);
	result = dlt_real()->kill(pid, sig);
	if (fatal)
		dlt_exit_undo(DLT_EXIT_SIGNAL);
	else if (result == 0)
		dlt_children_signalled(pid, sig);
	return result;
}

void dlt_exit_init(void)
{
	if (dlt_process.traced)
		(void)at_quick_exit(end_quickly);
}

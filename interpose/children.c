/* SPDX-License-Identifier: MIT */
/* fork, posix_spawn, exec, system, popen: what became of them, in events. */
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box_private.h"
#include "emit.h"
#include "exit.h"
#include "export.h"
#include "fork.h"
#include "init.h"
#include "process.h"
#include "real.h"
#include "sys.h"

#define CANNOT_BE 2		/* `traced` of dltrace_proc:child */

#define PATH_ROOM 1024		/* of a program that is looked for; longer ones are not */

/* Not a function: the space must be the caller's. env_path: the program's, as far as find_program finds it. */
#define CHILD_ENV(env, file, searches, envp) \
	char env##_room[PATH_ROOM]; \
	const char *env##_path = find_program(file, searches, env##_room); \
	size_t env##_size = dlt_children_env_space(envp); \
	void *env##_space = env##_size ? __builtin_alloca(env##_size) : NULL; \
	char *const *env = dlt_children_env(env##_path, envp, env##_space)

/* What the kernel answers with EFAULT is no path for us either. */
static bool is_path(const char *path)
{
	long result = dlt_sys(SYS_faccessat, AT_FDCWD, (long)path, F_OK, 0, 0);

	return result != -EFAULT && result != -ENAMETOOLONG;
}

static bool is_executable(const char *path)
{
	return dlt_sys(SYS_faccessat, AT_FDCWD, (long)path, X_OK, 0, 0) == 0;
}

/*
 * The path that will run, borrowed or in `room` (PATH_ROOM bytes); NULL: none will. Where that can't be told, `file`
 * as it is. Nothing else is written to: vfork children come here.
 */
static const char *find_program(const char *file, bool searches, char *room)
{
	const char *path = getenv("PATH"), *end;
	size_t length;

	if (!file || !is_path(file))
		return NULL;
	if (!searches || strchr(file, '/'))
		return is_executable(file) ? file : NULL;
	length = strlen(file);
	for (; path && *path; path = *end ? end + 1 : end) {
		size_t folder = (size_t)((end = strchrnul(path, ':')) - path);

		if (folder + length + 2 > PATH_ROOM)
			return file;
		memcpy(room, folder ? path : ".", folder ? folder : 1);
		folder += !folder;
		room[folder] = '/';
		memcpy(room + folder + 1, file, length + 1);
		if (is_executable(room))
			return room;
	}
	return path ? NULL : file;
}

void dlt_children_made(enum dlt_child_how how, pid_t pid, int error, const char *path)
{
	struct dlt_ev_proc_child e = {
		.how = (uint8_t)how, .child = pid > 0 ? (uint32_t)pid : 0, .result = error,
	};
	struct dlt_thread *t;

	/* First: who is only counted needs no box for this. */
	if (!dlt_process.traced || !dlt_enabled(DLT_EV_PROC_CHILD))
		return;
	t = dlt_thread_self();
	if (path && !is_path(path))
		path = "";
	e.thread = t->id;
	e.path = path ? path : "";
	e.traced = !(path ? dlt_children_would_trace(path) : dlt_children_fork_traced());
	if (path && !error && dlt_children_reach(path) != DLT_REACHED)
		e.traced = CANNOT_BE;
	dlt_emit(t, DLT_EV_PROC_CHILD, &e);
}

void dlt_children_signalled(pid_t pid, int sig)
{
	struct dlt_thread *t;
	struct dlt_ev_proc_child e = {
		.how = DLT_CHILD_SIGNALLED, .child = (uint32_t)pid, .result = sig, .path = "",
	};

	if (pid <= 1 || (sig != SIGTERM && sig != SIGKILL && sig != SIGINT) ||
	    !dlt_enabled(DLT_EV_PROC_CHILD) || dlt_children_is_borrowed())
		return;
	t = dlt_thread_self();
	e.thread = t->id;
	dlt_emit(t, DLT_EV_PROC_CHILD, &e);
}

/*
 * Nothing is done before the real call: LTTng is prepared by a fork handler, never here, since
 * others' handlers would then run under LTTng's locks.
 */
DLT_EXPORT pid_t fork(void)
{
	bool to_exec = dlt_children_forks_to_exec(__builtin_return_address(0));
	pid_t pid;

	if (to_exec)
		dlt_children_told_init();
	dlt_fork_to_exec(to_exec);
	pid = dlt_real()->fork();
	if (pid > 0)
		dlt_children_made(DLT_CHILD_FORK, pid, 0, NULL);
	else if (pid < 0)
		dlt_children_made(DLT_CHILD_FORK, 0, errno, NULL);
	dlt_fork_to_exec(false);
	return pid;
}

/* ---- posix_spawn, system, popen ------------------------------------------------------------ */

/* The child runs inside libc until it execs, with all signals blocked: no hook sees it. */
DLT_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const argv[],
			   char *const envp[])
{
	CHILD_ENV(env, path, false, envp);
	pid_t child = 0;
	int error = dlt_real()->posix_spawn(&child, path, actions, attributes, argv, env);

	if (pid && !error)
		*pid = child;
	if (!dlt_children_is_borrowed())
		dlt_children_made(DLT_CHILD_SPAWN, child, error, path);
	return error;
}

DLT_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attributes, char *const argv[],
			    char *const envp[])
{
	CHILD_ENV(env, file, true, envp);
	pid_t child = 0;
	int error = dlt_real()->posix_spawnp(&child, file, actions, attributes, argv, env);

	if (pid && !error)
		*pid = child;
	if (!dlt_children_is_borrowed())
		dlt_children_made(DLT_CHILD_SPAWN, child, error, file);
	return error;
}

DLT_EXPORT int system(const char *command)
{
	if (command)
		dlt_children_made(DLT_CHILD_OTHER, 0, 0, "/bin/sh");
	return dlt_real()->system(command);
}

DLT_EXPORT FILE *popen(const char *command, const char *mode)
{
	FILE *f = dlt_real()->popen(command, mode);

	dlt_children_made(DLT_CHILD_OTHER, 0, f ? 0 : errno, "/bin/sh");
	return f;
}

/* ---- exec ---------------------------------------------------------------------------------- */

/*
 * Tells and prepares, if it will probably work: what is not there (found NULL) needs none. A path of "" is not known.
 * A vfork child changes no box and no event.
 */
static bool before_exec(const char *path, const char *found)
{
	if (!path || !is_path(path))
		return false;
	if (dlt_children_is_borrowed()) {
		dlt_children_vfork_note(path);
		return false;
	}
	if (*path && !found)
		return false;
	dlt_children_made(DLT_CHILD_EXEC, 0, 0, path);
	dlt_children_tell(path);
	dlt_exit_begin(DLT_EXIT_EXEC, 0);
	return true;
}

static int exec_failed(const char *path, bool prepared)
{
	int saved = errno;

	if (prepared)
		dlt_exit_undo(DLT_EXIT_EXEC);
	if (!dlt_children_is_borrowed())
		dlt_children_made(DLT_CHILD_EXEC, 0, saved, path);
	errno = saved;
	return -1;
}

DLT_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	CHILD_ENV(env, path, false, envp);
	bool prepared = before_exec(path, env_path);

	dlt_real()->execve(path, argv, env);
	return exec_failed(path, prepared);
}

DLT_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	CHILD_ENV(env, file, true, envp);
	bool prepared = before_exec(file, env_path);

	dlt_real()->execvpe(file, argv, env);
	return exec_failed(file, prepared);
}

DLT_EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

DLT_EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

DLT_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	CHILD_ENV(env, "", false, envp);
	bool prepared = before_exec("", env_path);

	dlt_real()->fexecve(fd, argv, env);
	return exec_failed("", prepared);
}

DLT_EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
	const char *own = fd == AT_FDCWD ? path : "";
	CHILD_ENV(env, own, false, envp);
	bool prepared = before_exec(own, env_path);

	dlt_real()->execveat(fd, path, argv, env, flags);
	return exec_failed(path, prepared);
}

/* Arguments of execl and its kin, up to the NULL: the bytes of their array. */
static size_t list_space(va_list list)
{
	size_t n = 2;

	while (va_arg(list, char *))
		n++;
	return n * sizeof(char *);
}

static void fill_list(char **argv, const char *first, va_list *list)
{
	*argv++ = (char *)first;
	while ((*argv++ = va_arg(*list, char *)))
		;
}

/* Leaves `list` behind the NULL. */
#define ARGV_OF(argv, first, list) \
	char **argv; \
	va_list list; \
	va_start(list, first); \
	argv = __builtin_alloca(list_space(list)); \
	va_end(list); \
	va_start(list, first); \
	fill_list(argv, first, &list)

DLT_EXPORT int execl(const char *path, const char *first, ...)
{
	ARGV_OF(argv, first, list);
	va_end(list);
	return execve(path, argv, environ);
}

DLT_EXPORT int execlp(const char *file, const char *first, ...)
{
	ARGV_OF(argv, first, list);
	va_end(list);
	return execvpe(file, argv, environ);
}

DLT_EXPORT int execle(const char *path, const char *first, ...)
{
	ARGV_OF(argv, first, list);
	char *const *envp = va_arg(list, char *const *);

	va_end(list);
	return execve(path, argv, envp);
}

void dlt_children_init(void)
{
	dlt_children_env_init();
}

/* SPDX-License-Identifier: MIT */
/*
 * Processes that this one makes, and what it becomes by exec.
 *
 * Who is traced (DLTRACE_CHILDREN; decided in the child, at its first hook):
 *   auto   (default) what is forked from a traced process, and of what is exec'd the Python and
 *          ML programs, by name, by the libraries they are linked with, or as PyInstaller's; all else is counted
 *          only: no LTTng is opened there
 *   all    everything
 *   fork   what is forked and goes on as the same program
 *   none   nobody but the first process
 *   GLOB   as auto, but of what is exec'd the programs whose name matches; several with commas,
 *          of whole paths where the pattern has a slash
 * The first process, which was not started by a traced one, always is. It is told by
 * DLTRACE_ROOT, which it puts into its own environment: its pid, so that it stays the first
 * one through exec.
 */
#ifndef DLT_INTERPOSE_CHILDREN_H
#define DLT_INTERPOSE_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum dlt_child_how { DLT_CHILD_FORK, DLT_CHILD_VFORK, DLT_CHILD_SPAWN, DLT_CHILD_EXEC,
		     DLT_CHILD_OTHER, DLT_CHILD_WAITED, DLT_CHILD_SIGNALLED };

/* Emits dltrace_proc:child. `pid` 0: not known; `error` 0 or an errno; `path` NULL: none named. */
void dlt_children_made(enum dlt_child_how how, pid_t pid, int error, const char *path);

/* Emits it for a signal that this thread has sent to another process, if it is one that ends. */
void dlt_children_signalled(pid_t pid, int sig);

/* ---- children_policy.c --------------------------------------------------------------------- */

/* Would a program of this path be traced if it were exec'd now? As far as its name tells. */
bool dlt_children_would_trace(const char *path);

/* Are processes traced that this thread forks now? */
bool dlt_children_fork_traced(void);

/* Does whoever calls from this address fork for nothing but exec? */
bool dlt_children_forks_to_exec(const void *caller);

/* ---- children_seen.c ----------------------------------------------------------------------- */

enum dlt_reach {
	DLT_REACHED,
	DLT_NOT_REACHED,	/* by any preload, and nobody complains: static, or with rights of its own */
	DLT_OF_OTHER_KIND,	/* its ld.so would complain of this one: another word size, machine or C library */
};

/* Of a program, by the beginning of its file; a script's is its interpreter. Without a slash, DLT_REACHED. */
enum dlt_reach dlt_children_reach(const char *path);

/* ---- children_told.c ----------------------------------------------------------------------- */

/* Before the fork of such a child. */
void dlt_children_told_init(void);
/* In the child, which is not traced, before its exec. */
void dlt_children_tell(const char *path);
/* The end of the path that it told; "": nothing. Valid until others are forked. */
const char *dlt_children_told(pid_t child);

/* ---- children_env.c ------------------------------------------------------------------------ */

/*
 * The environment that an exec'd program shall get, for `envp`: envp itself, mostly. See the
 * file's head for what is changed and when. Writes to `space` alone (no heap, no static memory:
 * vfork children come here), which has dlt_children_env_space(envp) bytes; NULL where that is 0.
 * path: the program's; NULL: not known.
 */
size_t dlt_children_env_space(char *const *envp);
char *const *dlt_children_env(const char *path, char *const *envp, void *space);

void dlt_children_env_init(void);

/* Who the parent is, from the environment: dlt_process.parent and .reason; pid must stand. */
void dlt_children_find_parent(void);

/* This process has a new pid and id, which what it execs shall learn. */
void dlt_children_env_after_fork(void);

/* ---- vfork.c ------------------------------------------------------------------------------- */

/* True in a child that shares its parent's memory (vfork, raw clone): touch nothing there. */
bool dlt_children_is_borrowed(void);

/* In a vfork child: what it is about to become, for the parent's event. */
void dlt_children_vfork_note(const char *path);

#endif

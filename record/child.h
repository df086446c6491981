/* SPDX-License-Identifier: MIT */
/*
 * The command: same terminal, same process group, same signals, same end as without.
 *
 * It stays in dltrace-record's process group, so Ctrl-C, Ctrl-\ and Ctrl-Z reach it as ever, and
 * reading from the terminal in the background stops both. dltrace-record blocks all signals but those
 * of job control and takes them from a descriptor: those from the terminal the command got itself,
 * those that somebody sent to dltrace-record, and not to the whole group, are passed on.
 */
#ifndef DLT_RECORD_CHILD_H
#define DLT_RECORD_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/types.h>

#include "witness.h"

struct child {
	pid_t pid;		/* 0: not running */
	int signals;		/* signalfd */
	sigset_t watched;	/* what it gives */
	struct witness witness;	/* of what our process group gets */
	sigset_t mask;		/* as dltrace-record was started with, for the command */
	struct sigaction chld;	/* likewise */
	/* It has ended, and will be waited for: until then the kernel tells what it has used. */
	void (*last_look)(void *data);
	void *data;
	bool ended;
	int status;		/* as from waitpid, once ended */
	bool dismissed;		/* a signal that ends a program has come since: nobody is waited for any more */
};

/* Takes over the signals. Before anything is forked. 0; or -errno, after which child_replace is what can be done. */
int child_prepare(struct child *c);

/* 0, or -errno of the exec: -ENOENT, -EACCES, ... */
int child_spawn(struct child *c, char *const *command, char *const *environment);

/* The command instead of dltrace-record, which is over. Returns -errno of the exec only. */
int child_replace(const struct child *c, char *const *command);

/* Reads what has arrived; passes signals on, reaps, follows a stop. */
void child_signals(struct child *c);

/* True if a signal that would have ended dltrace-record came before there was a command; which. */
int child_early_signal(struct child *c);

/* Ends dltrace-record by this signal, as whoever waits for the command wants to see. 128 + signal where it lives on. */
int child_die_of(int signal);

/* The command's exit status; or dies as it did. When all is done. */
int child_end_alike(const struct child *c);

/* -ENOENT, -EACCES (as execvp would say) or 0, and where it is: file[PATH_MAX]. */
int child_lookup(const char *command, char *file);

#endif

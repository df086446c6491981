/* SPDX-License-Identifier: MIT */
/*
 * Was a signal sent to dltrace-record alone, or to its whole process group? The command is in that
 * group: a second copy would make it stop for good where the first one asks it to finish (torchrun,
 * mpirun and many servers do so). A signal does not say, so a process that does nothing else stands
 * in the group and tells which signals it gets.
 */
#ifndef DLT_RECORD_WITNESS_H
#define DLT_RECORD_WITNESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct witness {
	pid_t pid;	/* 0: there is none */
	int fd;		/* what it has seen */
};

/* signals: those to watch, blocked already. Without it every signal counts as sent to us alone. */
void witness_start(struct witness *w, const sigset_t *signals);

/* True if the group got this signal of this sender. Waits for up to 50 ms. */
bool witness_saw(struct witness *w, int signal, pid_t sender);

void witness_stop(struct witness *w);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The sampler as seen from dltrace-record: the program dltrace-sampler (sampler_main.c), an
 * LTTng-UST application of this recording. It is a program of its own because liblttng-ust must
 * find the private daemon when it is loaded, because its threads must not be in the process that
 * forks the command, and because what it reads is not trusted.
 *
 * To it:   note SEVERITY KIND VALUE TEXT | listen | again | dump | survivors | last | look | finish
 * From it: ready | say SEVERITY TEXT | line TEXT ... dumped | survivors N | said (after last)
 *          listening (after listen: from now on outboxes know what is wanted)
 *          looked (after look: at the command, which has ended and not been waited for)
 *          final EMITTED LOST (after finish): events
 */
#ifndef DLT_RECORD_HELPER_H
#define DLT_RECORD_HELPER_H

#include <stdint.h>
#include <sys/types.h>

#include "options.h"

struct helper {
	pid_t pid;	/* 0: none */
	int fd;
};

struct helper_config {
	const char *home;
	bool private_daemon;
	bool outboxes;	/* processes put their events into their boxes */
	int counts;	/* carried.h's descriptor */
	uint64_t recording;
	const struct options *options;
};

/* 0 or -errno. */
int helper_launch(struct helper *h, const struct helper_config *c);

/* Waits at most `limit` ms for its end, then kills it. */
void helper_reap(struct helper *h, int limit);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Which events dltrace-record wants: the file `wanted` in the folder of black boxes, which it makes where
 * processes are to put their events into their boxes instead of giving them to LTTng themselves.
 *
 * dltrace-record writes the states, processes read them in each hook; they write the bell alone.
 */
#ifndef DLT_TRACEPOINTS_WANTED_H
#define DLT_TRACEPOINTS_WANTED_H

#include <stdint.h>

#include "events.h"

#define DLT_WANTED_MAGIC 0x3177746e61776c64ULL	/* "dlwantw1" */
#define DLT_WANTED_SIZE 4096

struct dlt_wanted {
	uint64_t magic;			/* stored last */
	uint32_t layout;		/* DLT_OUTBOX_LAYOUT of who reads the outboxes; another one: keep away */
	uint32_t bell;			/* a futex: raised by who has filled a good part of his outbox */
	int states[DLT_EVENTS] __attribute__((aligned(64)));	/* 1: the event is wanted */
};

_Static_assert(sizeof(struct dlt_wanted) <= DLT_WANTED_SIZE, "a page");

#endif

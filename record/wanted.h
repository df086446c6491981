/* SPDX-License-Identifier: MIT */
/*
 * The file by which processes learn which events are wanted of their outboxes (tracepoints/wanted.h): those
 * that LTTng wants of this program, which has all of them. So who enables or disables events, by whatever
 * means, need not know of the outboxes.
 */
#ifndef DLT_RECORD_WANTED_H
#define DLT_RECORD_WANTED_H

#include <stdbool.h>

/* In the folder of black boxes. 0 or -errno: then processes go to LTTng themselves. */
int wanted_open(const char *folder);

/* Writes down what is wanted now. True: something is. */
bool wanted_update(void);

/* False: nothing is wanted yet. */
bool wanted_ready(void);

/* Nothing is, for ever. */
void wanted_end(void);

/* To poll: readable when an outbox is getting full; -1: nobody can say so. */
int wanted_descriptor(void);
/* Read it, then look at the outboxes. */
void wanted_heard(void);

#endif

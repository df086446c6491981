/* SPDX-License-Identifier: MIT */
/*
 * Which device a driver context is of, so that calls of the driver too say the current device of
 * their thread. Learned from the calls that make contexts; lock-free, hook-safe.
 */
#ifndef DLT_INTERPOSE_CONTEXTS_H
#define DLT_INTERPOSE_CONTEXTS_H

/* A context was made (the primary one: asked for). */
void dlt_context_known(const void *context, int device);

/* It was made and is current now, on top of what was. */
void dlt_context_made(const void *context, int device);

/* The calling thread's current context: set, pushed, popped. Unknown ones change nothing. */
void dlt_context_set(const void *context);
void dlt_context_push(const void *context);
void dlt_context_pop(void);

#endif

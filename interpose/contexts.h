/* SPDX-License-Identifier: MIT */
/*
 * CUDA contexts that the driver's functions make and make current, by small ids: a thread's current
 * context tells the device that its calls go to, and whose memory goes when a context does. Contexts
 * that nobody was seen to make (0) are the device's primary one.
 *
 * Lock-free, hook-safe; never asks CUDA.
 */
#ifndef DLT_INTERPOSE_CONTEXTS_H
#define DLT_INTERPOSE_CONTEXTS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

#define DLT_CONTEXTS 256	/* id 0: not known, or the primary one; more stay unknown */

/*
 * The context is the device's primary one, or shares its memory: a green
 * context, by the handle of either kind.
 */
void dlt_context_known(const void *context, int device);
/*
 * The primary context was asked for, or given back: who gives back the last one of all that were seen ends
 * it, and its memory goes (cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRelease).
 */
void dlt_context_retained(const void *context, int device);
void dlt_context_released(int device);
/* cuCtxFromGreenCtx: it is of the green one's device. */
void dlt_context_alias(const void *context, const void *green);

/* Its device; the calling thread's where it is not known. */
uint8_t dlt_context_device(const void *context);

/* It was made for the device, and is current now, on top of what was (cuCtxCreate). */
void dlt_context_made(const void *context, int device);

/* What cuCtxSetCurrent, Push and Pop do to the calling thread; unknown ones leave its device. */
void dlt_context_set(const void *context);
void dlt_context_push(const void *context);
void dlt_context_pop(void);

/* cuCtxDestroy: its memory is gone, and its handle may come again. */
void dlt_context_gone(const void *context);

/* Id of the calling thread's current one. */
extern __thread uint8_t dlt_context_current __attribute__((tls_model("initial-exec")));

#pragma GCC visibility pop

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The buffers that CUPTI fills for us: never from the application's heap, and known by their
 * address, so that a buffer that comes back is told from somebody else's. Any thread.
 */
#ifndef DLT_INTERPOSE_CUPTI_POOL_H
#define DLT_INTERPOSE_CUPTI_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CUPTI takes one for each thread that calls CUDA (its default since 12.3), and one for the GPU's work. */
#define POOL_BUFFER (512u << 10)	/* bytes */
#define POOL_BUFFERS 512		/* a multiple of 64 */

/* Reserves addresses; memory comes with use. False: there is no room. */
bool pool_init(void);

/* NULL: all are out. */
uint8_t *pool_take(void);
bool pool_owns(const uint8_t *buffer);
void pool_give(uint8_t *buffer);

#endif

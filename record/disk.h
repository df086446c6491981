/* SPDX-License-Identifier: MIT */
/* Room for the trace: when to stop, and what to throw away (--max-size). */
#ifndef DLT_RECORD_DISK_H
#define DLT_RECORD_DISK_H

#include <stdbool.h>
#include <stdint.h>

struct disk {
	const char *path;	/* the output folder, borrowed; "": none */
	uint64_t reserve;	/* bytes that must stay free */
	uint64_t free;		/* at the last look */
	uint64_t looked;	/* ms CLOCK_MONOTONIC of that */
	double rate;		/* bytes/ms at which it fills */
};

/* buffered: bytes that may still be in LTTng's buffers when recording stops. */
void disk_init(struct disk *d, const char *path, uint64_t buffered);

/*
 * True when less than the reserve is free, or will be before LTTng can stop: it answers no request
 * while it rotates, which takes half a second and more.
 */
bool disk_low(struct disk *d);

/* True when that may be so soon. */
bool disk_near(const struct disk *d);

/* Bytes recorded since the last rotation. */
uint64_t disk_current(const struct disk *d);

/* Removes the oldest rotated folders until the whole takes at most `limit` bytes. */
void disk_trim(const struct disk *d, uint64_t limit);

#endif

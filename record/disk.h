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
};

void disk_init(struct disk *d, const char *path);

/* True when less than the reserve is free. */
bool disk_low(struct disk *d);

/* Bytes recorded since the last rotation. */
uint64_t disk_current(const struct disk *d);

/* Removes the oldest rotated folders until the whole takes at most `limit` bytes. */
void disk_trim(const struct disk *d, uint64_t limit);

#endif

/* SPDX-License-Identifier: MIT */
/* Where to cut a trace so that its parts have about as many bytes: by what its packets say. */
#ifndef DLT_ANALYSIS_READER_CUTS_H
#define DLT_ANALYSIS_READER_CUTS_H

#include <stddef.h>
#include <stdint.h>

/* A packet: from when to when (ns since 1970), and how large. */
struct cuts_packet {
	uint64_t begin, end, bytes;
};

struct cuts {
	struct cuts_packet *list;	/* owned */
	size_t count, room;
	uint64_t bytes;			/* of all of them */
	uint64_t begin;			/* of the first */
};

#define CUTS_INIT { .begin = UINT64_MAX }

/* Into how many parts: as reader_cuts has it. */
static inline size_t cuts_parts(uint64_t bytes, uint64_t least, size_t fewest, size_t most)
{
	uint64_t parts = least ? bytes / least : most;

	parts = parts < fewest ? fewest : parts;
	return parts < most ? (size_t)parts : most;
}

/* Adds a packet. context: struct cuts */
void cuts_weigh(void *context, uint64_t begin, uint64_t end, uint64_t bytes);
/* At most parts - 1 times, ascending and all different, into `cuts`; how many. Sorts the packets. */
size_t cuts_find(struct cuts *c, size_t parts, uint64_t *cuts);
void cuts_release(struct cuts *c);

#endif

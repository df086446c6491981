/* SPDX-License-Identifier: MIT */
/*
 * What dltrace-sampler counts, kept where it outlives the process: one that is started in place of one that has died
 * counts on. In memory that dltrace-record makes and hands on by its descriptor, of which nobody else knows.
 */
#ifndef DLT_RECORD_CARRIED_H
#define DLT_RECORD_CARRIED_H

#include "follow.h"
#include "sampler/emit_sample.h"

struct carried {
	struct sample_counts sampler;	/* its own events */
	struct follow_events gone;	/* of processes whose boxes are gone */
};

/* The descriptor, closed on exec; -1: there is none, and each sampler counts for itself. */
int carried_make(void);

/* NULL: as above. For as long as the process lives. */
struct carried *carried_map(int fd);

#endif

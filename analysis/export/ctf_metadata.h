/* SPDX-License-Identifier: MIT */
/* The metadata of the CTF that ctf.c writes: LTTng-UST's, with the events of its two wrappers. */
#ifndef DLT_ANALYSIS_EXPORT_CTF_METADATA_H
#define DLT_ANALYSIS_EXPORT_CTF_METADATA_H

#include <stdint.h>
#include <stdio.h>

/* Ids; at equal times smaller ones come first: a call ends before the next begins. */
enum ctf_event {
	CTF_EXIT, CTF_ENTRY, CTF_FREE, CTF_MALLOC, CTF_CALLOC, CTF_REALLOC, CTF_MEMALIGN,
	CTF_POSIX_MEMALIGN, CTF_EVENTS,
};

#define CTF_NAME	17	/* bytes of the context procname */
#define CTF_EVENT_MAX	128	/* more than any of them takes */

#define CTF_UUID	16	/* bytes */

/* clock_offset: CLOCK_MONOTONIC + this = ns since 1970. */
void ctf_metadata(FILE *out, const unsigned char *uuid, int64_t clock_offset, const char *host);

#endif

/* SPDX-License-Identifier: MIT */
/* dltrace_record:note, for everything in dltrace-sampler that has something to say. */
#ifndef DLT_RECORD_NOTE_H
#define DLT_RECORD_NOTE_H

#include <stdint.h>

#include "severity.h"

/* Where dltrace-record listens: warnings and problems go there too. */
void note_init(int fd);

/* process: our id; 0: the recording. */
void note_say(enum dlt_severity severity, const char *kind, uint32_t process, int64_t value,
	      const char *format, ...) __attribute__((format(printf, 5, 6)));

/* One that dltrace-record has sent: written into the trace only. */
void note_write(enum dlt_severity severity, const char *kind, uint32_t process, int64_t value,
		const char *text);

#endif

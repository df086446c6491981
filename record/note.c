/* SPDX-License-Identifier: MIT */
/* Writes notes into the trace. */
#include "note.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "message.h"
#include "sampler/emit_sample.h"

static int recorder = -1;

void note_init(int fd)
{
	recorder = fd;
}

void note_write(enum dlt_severity severity, const char *kind, uint32_t process, int64_t value,
		const char *text)
{
	struct dlt_ev_record_note e = {
		.severity = (uint8_t)severity, .kind = kind, .process = process, .value = value,
		.text = text,
	};

	sample_emit(DLT_EV_RECORD_NOTE, &e);
}

void note_say(enum dlt_severity severity, const char *kind, uint32_t process, int64_t value,
	      const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	note_write(severity, kind, process, value, text);
	if (severity > DLT_INFO)
		message_send(recorder, "note %d %s %" PRId64 " %s", (int)severity, kind, value, text);
}

/* SPDX-License-Identifier: MIT */
/* What a recording came to, in one line. */
#include "summary.h"

#include <stdio.h>

#include "folder.h"
#include "say.h"
#include "units.h"

/* LTTng counts what found no room, a batch of events once: the report knows how many were in it. */
void summary_say(const struct summary *s)
{
	char time[32], count[32], lost[32], size[32], events[64] = "", bytes[64] = "";

	if (s->gone) {
		say_error("nothing is left of the trace: %s was removed while it was recorded", s->output);
		return;
	}
	if (s->events_known)
		snprintf(events, sizeof(events), "%s events, ", format_count(s->events, count, sizeof(count)));
	if (*s->output)
		snprintf(bytes, sizeof(bytes), ", %s", format_size(folder_size(s->output), size, sizeof(size)));
	say("%s: %s, %s%s%s lost%s%s", *s->output ? s->output : s->elsewhere,
	    format_time(s->duration, time, sizeof(time)), events, s->lost ? "at least " : "",
	    format_count(s->lost + s->lost_in_boxes, lost, sizeof(lost)),
	    bytes, s->stalled ? " (some data never left LTTng's buffers)" : "");
}

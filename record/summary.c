/* SPDX-License-Identifier: MIT */
/* What a recording came to, in numbers and in one line. */
#include "summary.h"

#include <inttypes.h>

#include "folder.h"
#include "label.h"
#include "say.h"
#include "severity.h"
#include "units.h"

void summary_keeper_says(struct summary *s, const char *text)
{
	uint64_t packets;
	int stalled = 0;

	sscanf(text, "%" SCNu64 " %" SCNu64 " %d", &s->lost, &packets, &stalled);
	s->stalled |= stalled != 0;
}

void summary_sampler_says(struct summary *s, const char *text)
{
	s->events_known = sscanf(text, "%" SCNu64 " %" SCNu64, &s->events, &s->lost_in_boxes) == 2;
}

/* Without metadata nothing can be read; there are some wherever LTTng has taken an event and has ended well. */
void summary_look(struct summary *s, const char *output)
{
	s->emptied = *output && s->events && !s->stalled && !folder_has(output, "metadata");
}

/* What is known to be lost is all that is. */
static bool is_known(const struct summary *s)
{
	return s->events_known && !s->stalled;
}

void summary_write(const struct summary *s, FILE *label, bool counted)
{
	if (s->events_known && counted)
		label_number(label, "events", s->events);
	if (is_known(s) || s->lost + s->lost_in_boxes)
		label_number(label, "lost", s->lost + s->lost_in_boxes);
	if (s->stalled)
		label_number(label, "stalled", 1);
	if (s->emptied)
		label_note(label, DLT_PROBLEM, "removed",
			   "what LTTng had written here was removed while it was recorded");
}

/* LTTng counts what found no room, a batch of events once: the report knows how many were in it. */
static void say_lost(const struct summary *s, char *text, size_t size)
{
	uint64_t lost = s->lost + s->lost_in_boxes;
	char count[32];

	if (!lost && !is_known(s))
		snprintf(text, size, "not known how many %sare lost", s->events_known ? "" : "events ");
	else
		snprintf(text, size, "%s%s lost", s->lost || !is_known(s) ? "at least " : "",
			 format_count(lost, count, sizeof(count)));
}

void summary_say(const struct summary *s, const char *output, const char *elsewhere)
{
	char time[32], count[32], lost[64], size[32], events[64] = "", bytes[64] = "";

	if (s->gone || s->emptied) {
		say_error("nothing is left of the trace: %s%s was removed while it was recorded",
			  s->gone ? "" : "what LTTng had written into ", output);
		return;
	}
	if (s->events_known)
		snprintf(events, sizeof(events), "%s events, ", format_count(s->events, count, sizeof(count)));
	say_lost(s, lost, sizeof(lost));
	if (*output)
		snprintf(bytes, sizeof(bytes), ", %s", format_size(folder_size(output), size, sizeof(size)));
	say("%s: %s, %s%s%s%s", *output ? output : elsewhere, format_time(s->duration, time, sizeof(time)), events,
	    lost, bytes, s->stalled ? " (some data never left LTTng's buffers)" : "");
}

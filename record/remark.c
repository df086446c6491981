/* SPDX-License-Identifier: MIT */
/* Notes before the command starts. */
#include "remark.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/children.h"
#include "tracepoints/units.h"

/* A tool that the user has chosen for NVTX stays: libdltrace.so then does not put its own there. */
static bool nvtx_is_taken(const struct remark_about *a, char *text, size_t size)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");

	if (a->options->level == LEVEL_SUMMARY || !path || strstr(path, "libdltrace-nvtx.so"))
		return false;
	snprintf(text, size, "1 nvtx 0 NVTX_INJECTION64_PATH is set: what the program names by "
		 "NVTX goes to %.200s and is not recorded", path);
	return true;
}

/* For the level that was asked for. */
static bool room_is_short(const struct remark_about *a, char *text, size_t size)
{
	if (a->options->level == a->wanted)
		return false;
	snprintf(text, size, "2 room 0 less than %u MiB are free in %s: totals are recorded, no events "
		 "(--level=summary)", PLAN_EVENTS_ROOM >> 20, a->output);
	return true;
}

/* With a preload its loader would complain, or not start it. */
static bool is_of_other_kind(const struct remark_about *a, char *text, size_t size)
{
	if (dlt_children_reach(a->program) != DLT_OF_OTHER_KIND)
		return false;
	snprintf(text, size, "2 kind 0 %.200s is made for another word size, machine or C library than libdltrace.so: "
		 "only samples of the machine are recorded", a->program);
	return true;
}

/* As of children (interpose/children.c). A warning: who only starts others need not be seen. */
static bool is_not_reached(const struct remark_about *a, char *text, size_t size)
{
	if (dlt_children_reach(a->program) != DLT_NOT_REACHED)
		return false;
	snprintf(text, size, "1 static 0 %.200s is linked statically, or runs with the rights of another user: "
		 "libdltrace.so does not get into it, so only programs that it starts are recorded; link it "
		 "dynamically to have it seen", a->program);
	return true;
}

/* As libdltrace.so reads it, which says nothing of it in the program. */
static bool is_off(const struct remark_about *a, char *text, size_t size)
{
	const char *value = getenv("DLTRACE");

	(void)a;
	if (!value || strcmp(value, "off") != 0)
		return false;
	snprintf(text, size, "2 off 0 DLTRACE=off is in the environment: only samples of the machine are recorded; "
		 "unset it");
	return true;
}

/* The defaults hold then, as without dltrace-record; an option is refused before. */
static bool threshold_is_odd(const struct remark_about *a, char *text, size_t size)
{
	const char *value = getenv("DLTRACE_THRESHOLD");

	if (a->options->threshold || !value || dlt_units_bytes(value))
		return false;
	snprintf(text, size, "2 environment 0 DLTRACE_THRESHOLD=%.200s is no size, as 64K or 4M: 64K holds", value);
	return true;
}

static bool sample_is_odd(const struct remark_about *a, char *text, size_t size)
{
	const char *value = getenv("DLTRACE_SAMPLE");

	if (a->options->sample || !value || dlt_units_ns(value))
		return false;
	snprintf(text, size, "2 environment 0 DLTRACE_SAMPLE=%.200s is no time, as 250ms or 5s: the default holds",
		 value);
	return true;
}

bool remark_next(unsigned *at, const struct remark_about *about, char *text, size_t size)
{
	static bool (*const remarks[])(const struct remark_about *, char *, size_t) = {
		nvtx_is_taken, room_is_short, is_of_other_kind, is_not_reached, is_off, threshold_is_odd, sample_is_odd,
	};

	while (*at < sizeof(remarks) / sizeof(remarks[0]))
		if (remarks[(*at)++](about, text, size))
			return true;
	return false;
}

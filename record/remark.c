/* SPDX-License-Identifier: MIT */
/* Notes before the command starts. */
#include "remark.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tool that the user has chosen for NVTX stays: libdltrace.so then does not put its own there. */
bool remark_nvtx(const struct options *o, char *text, size_t size)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");

	if (o->level == LEVEL_SUMMARY || !path || strstr(path, "libdltrace-nvtx.so"))
		return false;
	snprintf(text, size, "1 nvtx 0 NVTX_INJECTION64_PATH is set: what the program names by "
		 "NVTX goes to %.200s and is not recorded", path);
	return true;
}

bool remark_level(const struct options *o, enum level wanted, const char *output, char *text, size_t size)
{
	if (o->level == wanted)
		return false;
	snprintf(text, size, "2 room 0 less than %u MiB are free in %s: totals are recorded, no events "
		 "(--level=summary)", PLAN_EVENTS_ROOM >> 20, output);
	return true;
}

/* SPDX-License-Identifier: MIT */
/* Which processes a report shows: the filters of dltrace-report by process. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/model.h"

static bool is_number(const char *s)
{
	return *s && strspn(s, "0123456789") == strlen(s);
}

static bool process_matches(const struct process *p, const char *pattern)
{
	char pid[16];

	if (!is_number(pattern))
		return !fnmatch(pattern, process_name(p), 0);
	snprintf(pid, sizeof(pid), "%u", p->pid);
	return !strcmp(pid, pattern);
}

/* Is it among "0,4-7"? */
static bool rank_matches(int32_t rank, const char *list)
{
	while (rank >= 0 && *list) {
		char *end;
		long from = strtol(list, &end, 10), to = from;

		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		if (rank >= from && rank <= to)
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

bool process_fits(const struct process *p, const struct model_options *o)
{
	if (p->merged || p->outside || process_foreign(p))
		return false;
	if (o->rank && !rank_matches(p->rank, o->rank))
		return false;
	if (o->host && fnmatch(o->host, p->host, 0))
		return false;
	return !o->process || process_matches(p, o->process);
}

bool process_shown(const struct process *p)
{
	return process_fits(p, &p->trace->model->options);
}

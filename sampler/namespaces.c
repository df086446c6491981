/* SPDX-License-Identifier: MIT */
/* Processes of other pid namespaces, by the numbers that we know them by. */
#include <stdlib.h>
#include <string.h>

#include "proc.h"

/* The inode that a link "pid:[4026531836]" names; 0: not known. */
static uint64_t pid_namespace(const char *path)
{
	char text[64], *number;

	proc_link(path, text, sizeof(text));
	number = strchr(text, '[');
	return number ? strtoull(number + 1, NULL, 10) : 0;
}

struct number_search {
	uint64_t namespace;
	pid_t inner, found;
};

static void try_number(void *data, long number)
{
	struct number_search *s = data;
	char path[64];

	proc_path((pid_t)number, 0, "status", path, sizeof(path));
	if (s->found || proc_innermost(path) != (uint32_t)s->inner)
		return;
	proc_path((pid_t)number, 0, "ns/pid", path, sizeof(path));
	if (pid_namespace(path) == s->namespace)
		s->found = (pid_t)number;
}

/* Of where nothing is known it is ours. */
pid_t proc_number_here(uint64_t namespace, pid_t pid)
{
	struct number_search s = { .namespace = namespace, .inner = pid };
	uint64_t ours = pid_namespace("/proc/self/ns/pid");

	if (!namespace || !ours || namespace == ours)
		return pid;
	proc_numbers("/proc", try_number, &s);
	return s.found;
}

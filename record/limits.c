/* SPDX-License-Identifier: MIT */
/* Limits of resources, soft and hard. */
#include "limits.h"

#include <stddef.h>
#include <sys/resource.h>

#define STACK ((rlim_t)8 << 20)	/* of a thread, where nobody says otherwise: without a limit glibc takes 2 MiB */

/* `least`: seen to be enough with 2 CPUs, with room to spare; 0: as much as is allowed will do. */
static const struct limit {
	int which;
	rlim_t least, wanted;
	const char *text;
} limits[] = {
	{ RLIMIT_NOFILE, 128, RLIM_INFINITY, "too few file descriptors for LTTng's daemons (ulimit -n)" },
	/* The buffers are files, too: of 20 MiB a CPU at the level full. */
	{ RLIMIT_FSIZE, 64 << 20, RLIM_INFINITY, "files may not grow as LTTng's daemons need (ulimit -f)" },
	{ RLIMIT_AS, 1 << 30, RLIM_INFINITY, "too little address space for LTTng's daemons (ulimit -v)" },
	{ RLIMIT_DATA, 192 << 20, RLIM_INFINITY, "too little memory for LTTng's daemons (ulimit -d)" },
	{ RLIMIT_STACK, 512 << 10, STACK, "too small stacks for LTTng's daemons (ulimit -s)" },
	{ RLIMIT_SIGPENDING, 0, RLIM_INFINITY, NULL },
	{ RLIMIT_CPU, 0, RLIM_INFINITY, NULL },
};

#define LIMITS (sizeof(limits) / sizeof(limits[0]))

void limits_widen(void)
{
	struct rlimit now;

	for (size_t i = 0; i < LIMITS; i++) {
		if (getrlimit((__rlimit_resource_t)limits[i].which, &now) < 0 || now.rlim_cur >= limits[i].wanted)
			continue;
		now.rlim_cur = now.rlim_max < limits[i].wanted ? now.rlim_max : limits[i].wanted;
		setrlimit((__rlimit_resource_t)limits[i].which, &now);
	}
}

const char *limits_too_tight(void)
{
	struct rlimit now;

	for (size_t i = 0; i < LIMITS; i++)
		if (getrlimit((__rlimit_resource_t)limits[i].which, &now) == 0 && now.rlim_max < limits[i].least)
			return limits[i].text;
	return NULL;
}

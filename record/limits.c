/* SPDX-License-Identifier: MIT */
/* Limits of resources, soft and hard. */
#include "limits.h"

#include <stddef.h>
#include <sys/resource.h>

#define STACK ((rlim_t)8 << 20)	/* of a thread, where nobody says otherwise: without a limit glibc takes 2 MiB */

/*
 * LTTng's daemons close each number below the soft limit as they start, be it open or not: 0.5 us each, one daemon
 * after the other. Where systemd sets no limit, as it does for Docker's containers, there are 2^30. Enough for 2,500
 * processes at a time that have LTTng in them.
 */
#define FILES 8192

/* LTTng-UST has a bit for each number below the hard one. dltrace-sampler takes as many as that allows. */
#define FILES_MOST (1 << 20)

/* `least`: seen to be enough with 2 CPUs, with room to spare; 0: as much as is allowed will do. */
static const struct limit {
	int which;
	rlim_t least, wanted;
	rlim_t most;	/* of the hard limit, and then no more than `wanted` of the soft one; 0: any */
	const char *text;
} limits[] = {
	{ RLIMIT_NOFILE, 128, FILES, FILES_MOST, "too few file descriptors for LTTng's daemons (ulimit -n)" },
	/* The buffers are files, too: of 20 MiB a CPU at the level full. */
	{ RLIMIT_FSIZE, 64 << 20, RLIM_INFINITY, 0, "files may not grow as LTTng's daemons need (ulimit -f)" },
	{ RLIMIT_AS, 1 << 30, RLIM_INFINITY, 0, "too little address space for LTTng's daemons (ulimit -v)" },
	{ RLIMIT_DATA, 192 << 20, RLIM_INFINITY, 0, "too little memory for LTTng's daemons (ulimit -d)" },
	{ RLIMIT_STACK, 512 << 10, STACK, 0, "too small stacks for LTTng's daemons (ulimit -s)" },
	{ RLIMIT_SIGPENDING, 0, RLIM_INFINITY, 0, NULL },
	{ RLIMIT_CPU, 0, RLIM_INFINITY, 0, NULL },
};

#define LIMITS (sizeof(limits) / sizeof(limits[0]))

/* Nothing to change is the usual case. */
static void set(const struct limit *l)
{
	struct rlimit now, wanted;

	if (getrlimit((__rlimit_resource_t)l->which, &now) < 0)
		return;
	wanted = now;
	if (l->most && wanted.rlim_max > l->most)
		wanted.rlim_max = l->most;
	if (l->most || wanted.rlim_cur < l->wanted)
		wanted.rlim_cur = wanted.rlim_max < l->wanted ? wanted.rlim_max : l->wanted;
	if (wanted.rlim_cur != now.rlim_cur || wanted.rlim_max != now.rlim_max)
		setrlimit((__rlimit_resource_t)l->which, &wanted);
}

void limits_set(void)
{
	for (size_t i = 0; i < LIMITS; i++)
		set(&limits[i]);
}

const char *limits_too_tight(void)
{
	struct rlimit now;

	for (size_t i = 0; i < LIMITS; i++)
		if (getrlimit((__rlimit_resource_t)limits[i].which, &now) == 0 && now.rlim_max < limits[i].least)
			return limits[i].text;
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/* Joins the other processes of a report by dltrace-mpi.so, which alone needs MPI. */
#include "analysis/team.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/place.h"

/* How launchers say how many they have started: Open MPI's mpirun, MPICH's. */
static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE" };

static unsigned long size_meant(void)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const char *text = getenv(sizes[i]);

		if (text)
			return strtoul(text, NULL, 10);
	}
	return 1;
}

bool team_is_meant(void)
{
	return size_meant() > 1;
}

struct team *team_join(void (*alive)(void), char *error, size_t size)
{
	char path[PATH_MAX];
	union {
		void *object;
		team_join_fn function;
	} join = { NULL };
	void *library = place_find(".libs/dltrace-mpi.so", DLT_LIBEXECDIR, path) == 0 ?
				dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
	struct team *t = NULL;

	if (!library) {
		snprintf(error, size, "started %lu times, as by mpirun, but built without MPI: start it once "
			 "(--jobs N for several processes), or build it where libopenmpi-dev is installed",
			 size_meant());
		return NULL;
	}
	join.object = dlsym(library, TEAM_JOIN);
	if (join.object)
		t = join.function(alive);
	if (!t || t->size != size_meant()) {
		snprintf(error, size, "started %lu times, but MPI knows of %zu: use the mpirun of Open MPI, which "
			 "it was built with", size_meant(), t ? t->size : 0);
		return NULL;
	}
	return t;
}

/* SPDX-License-Identifier: MIT */
/* dltrace-mpi.so: the processes of a report under mpirun talk by MPI. */
#include <limits.h>
#include <mpi.h>
#include <time.h>

#include "analysis/model/team.h"

#define TAG		1
#define WAIT_LEAST	20000		/* ns between two looks: MPI's own waiting takes a whole core */
#define WAIT_MOST	1000000

/* Until it is done. A process that dies ends them all: mpirun sees to that. */
static void await(const struct team *t, MPI_Request *request, MPI_Status *status)
{
	struct timespec pause = { 0, WAIT_LEAST };
	int done = 0;

	for (;;) {
		MPI_Test(request, &done, status);
		if (done)
			return;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < WAIT_MOST)
			pause.tv_nsec *= 2;
		t->alive();
	}
}

static void tell(struct team *t, void *bytes, size_t size)
{
	MPI_Request request;

	MPI_Ibcast(bytes, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	await(t, &request, MPI_STATUS_IGNORE);
}

static void put(struct team *t, const void *bytes, size_t size)
{
	MPI_Request request;

	MPI_Isend(bytes, (int)size, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &request);
	await(t, &request, MPI_STATUS_IGNORE);
}

static size_t get(struct team *t, size_t from, void *bytes, size_t room)
{
	MPI_Request request;
	MPI_Status status;
	int count = 0;

	MPI_Irecv(bytes, room < INT_MAX ? (int)room : INT_MAX, MPI_BYTE, (int)from, TAG, MPI_COMM_WORLD, &request);
	await(t, &request, &status);
	MPI_Get_count(&status, MPI_BYTE, &count);
	return (size_t)count;
}

static void leave(struct team *t)
{
	(void)t;
	MPI_Finalize();
}

__attribute__((visibility("default"))) struct team *dlt_team_join(void (*alive)(void));
struct team *dlt_team_join(void (*alive)(void))
{
	static struct team team = { .tell = tell, .put = put, .get = get, .leave = leave };
	int rank, size;

	if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
		return NULL;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	team.rank = (size_t)rank;
	team.size = (size_t)size;
	team.alive = alive;
	return &team;
}

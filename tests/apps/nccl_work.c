/* build: -Ltests/stubs -l:libnccl.so.2 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * One rank of an NCCL job: nccl_work RANK RANKS FILE ROUNDS. Rank 0 leaves the unique id in FILE.
 * Each round: all-reduce of 1,000 floats, all-gather of 10, reduce-scatter of 7 for each rank, and
 * in a group a send to the next rank and a receive from the one before, of 100. Then the ranks
 * split into even and odd ones, which broadcast 5 halves from their rank 0; and once each, by the
 * functions of NCCL 2.32 that take a configuration, all-reduce 11 floats, reduce-scatter 3 for each
 * rank, and scatter 2 from rank 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "comm_types.h"

enum { HALF = 6, FLOAT = 7, SUM = 0 };

int ncclGetUniqueId(struct dlt_nccl_id *id);
int ncclCommInitRank(void **comm, int ranks, struct dlt_nccl_id id, int rank);
int ncclCommSplit(void *comm, int color, int key, void **made, void *config);
int ncclCommDestroy(void *comm);
int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream);
int ncclAllGather(const void *from, void *to, size_t count, int type, void *comm, void *stream);
int ncclReduceScatter(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream);
int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, void *comm, void *stream);
int ncclBcast(void *p, size_t count, int type, int root, void *comm, void *stream);
int ncclSend(const void *from, size_t count, int type, int to, void *comm, void *stream);
int ncclRecv(void *p, size_t count, int type, int from, void *comm, void *stream);
int ncclAllReduceConfig(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream, const void *config);
int ncclReduceScatterConfig(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream,
			    const void *config);
int ncclScatterConfig(const void *from, void *to, size_t count, int type, int root, void *comm, void *stream, const void *config);
int ncclGroupStart(void);
int ncclGroupEnd(void);

static struct dlt_nccl_id exchange(int rank, const char *path)
{
	struct dlt_nccl_id id;
	char temporary[256];
	FILE *file;

	if (rank == 0) {
		ncclGetUniqueId(&id);
		snprintf(temporary, sizeof(temporary), "%s.tmp", path);
		file = fopen(temporary, "w");
		if (!file || fwrite(&id, sizeof(id), 1, file) != 1 || fclose(file) || rename(temporary, path))
			abort();
		return id;
	}
	while (!(file = fopen(path, "r")))
		usleep(1000);
	if (fread(&id, sizeof(id), 1, file) != 1)
		abort();
	fclose(file);
	return id;
}

int main(int argc, char **argv)
{
	int rank = argc == 5 ? atoi(argv[1]) : 0, ranks = argc == 5 ? atoi(argv[2]) : 1;
	int rounds = argc == 5 ? atoi(argv[4]) : 0;
	void *comm = NULL, *half = NULL, *stream = (void *)0x1000;
	static char a[8000], b[8000];

	if (argc != 5)
		return 2;
	ncclCommInitRank(&comm, ranks, exchange(rank, argv[3]), rank);
	for (int i = 0; i < rounds; i++) {
		ncclAllReduce(a, b, 1000, FLOAT, SUM, comm, stream);
		ncclAllGather(a, b, 10, FLOAT, comm, stream);
		ncclReduceScatter(a, b, 7, FLOAT, SUM, comm, stream);
		ncclGroupStart();
		ncclSend(a, 100, FLOAT, (rank + 1) % ranks, comm, stream);
		ncclRecv(b, 100, FLOAT, (rank + ranks - 1) % ranks, comm, stream);
		ncclGroupEnd();
	}
	ncclCommSplit(comm, rank % 2, rank, &half, NULL);
	ncclBroadcast(a, b, 5, HALF, 0, half, stream);
	ncclBcast(b, 9, HALF, 0, half, stream);
	ncclAllReduceConfig(a, b, 11, FLOAT, SUM, comm, stream, NULL);
	ncclReduceScatterConfig(a, b, 3, FLOAT, SUM, comm, stream, NULL);
	ncclScatterConfig(a, b, 2, FLOAT, 0, comm, stream, NULL);
	ncclCommDestroy(half);
	ncclCommDestroy(comm);
	return 0;
}

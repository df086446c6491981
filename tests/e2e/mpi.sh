# SPDX-License-Identifier: MIT
# Real MPI under dltrace-record, Open MPI (handles are pointers) and MPICH (handles are ints): the
# ranks that mpirun starts are traced and named, bytes are exact, waiting is as long as the program's
# own clock says, communicators are joined over processes, and who is late is found.
. "$top_srcdir/tests/lib.sh"
need jq

cat >work.c <<'C'
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct item { int n; double x[2]; };
static char a[100000], b[100000];
int main(int argc, char **argv)
{
	int rank, ranks, counts[64], places[64], two[64], lengths[2] = { 1, 2 };
	MPI_Aint at[2] = { offsetof(struct item, n), offsetof(struct item, x) };
	MPI_Datatype row, item, types[2] = { MPI_INT, MPI_DOUBLE };
	MPI_Request requests[2];
	MPI_Status status;
	MPI_Comm half, same, side, between;
	MPI_File file;
	double begin;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < ranks; i++)
		counts[i] = i + 1, places[i] = i * 100, two[i] = 2;
	for (int i = 0; i < 10; i++)
		MPI_Allreduce(a, b, 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allgather(a, 5, MPI_INT, b, 5, MPI_INT, MPI_COMM_WORLD);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 5, MPI_INT, MPI_COMM_WORLD);
	MPI_Alltoall(a, 3, MPI_FLOAT, b, 3, MPI_FLOAT, MPI_COMM_WORLD);
	for (int i = 0; i < ranks; i++)
		two[i] = rank + 1;
	MPI_Alltoallv(a, counts, places, MPI_CHAR, b, two, places, MPI_CHAR, MPI_COMM_WORLD);
	MPI_Reduce_scatter(a, b, counts, MPI_SHORT, MPI_MAX, MPI_COMM_WORLD);
	MPI_Type_vector(10, 2, 4, MPI_FLOAT, &row);
	MPI_Type_commit(&row);
	MPI_Type_create_struct(2, lengths, at, types, &item);
	MPI_Type_commit(&item);
	MPI_Bcast(a, 7, item, 1, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Send(a, 3, row, 1, 0, MPI_COMM_WORLD);
	else if (rank == 1)
		MPI_Recv(b, 30, row, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
	MPI_Isend(a, 100, MPI_LONG, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(b, 100, MPI_LONG, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#if MPI_VERSION >= 4
	MPI_Scan_c(a, b, (MPI_Count)9, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#else
	MPI_Scan(a, b, 9, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#endif
	MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	MPI_File_write_at_all(file, rank * 800, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
	MPI_File_read_at(file, rank * 800, b, 50, MPI_DOUBLE, &status);
	MPI_File_close(&file);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Comm_size(half, &two[0]);
	MPI_Reduce(a, b, 6, MPI_INT, MPI_SUM, 0, half);
	MPI_Comm_free(&half);
	if (rank < 2) {		/* has the handle of what was freed, mostly */
		MPI_Group all, low;

		MPI_Comm_group(MPI_COMM_WORLD, &all);
		MPI_Group_incl(all, 2, (int[]){ 0, 1 }, &low);
		MPI_Comm_create_group(MPI_COMM_WORLD, low, 7, &half);
		MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, 0, half);
	}
	MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &side);
	MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 5, &between);
	MPI_Comm_size(between, &two[0]);
	MPI_Ialltoallv(a, (int[]){ 1, 1, 1 }, places, MPI_CHAR, b, (int[]){ 1, 1, 1 }, places, MPI_CHAR, between, requests);
	MPI_Wait(requests, MPI_STATUS_IGNORE);
	MPI_Ssend(a, 10, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &same);
	if (rank == 2)
		usleep(600000);
	begin = MPI_Wtime();
	MPI_Barrier(same);
	fprintf(stderr, "waited %d %.0f\n", rank, 1e9 * (MPI_Wtime() - begin));
	printf("%d of %d\n", rank, ranks);
	MPI_Finalize();
	return 0;
}
C
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_btl_vader_single_copy_mechanism

# Whether each rank has waited as long as it says itself; $wrong says which has not.
as_long() {
	for rank in 0 1 2 3; do
		own=$(sed -n "s/.*waited $rank \([0-9]*\).*/\1/p" err)
		wrong="rank $rank waited $own ns by its own clock"
		jq -e ".communication[] | select(.function == \"MPI_Barrier\" and .rank == $rank) |
			.total_ns <= $own + 5000000 and .total_ns >= $own * 0.98 - 5000000" report.json >/dev/null || return 1
	done
}

done=
for mpi in openmpi mpich; do
	command -v mpirun.$mpi >/dev/null && command -v mpicc.$mpi >/dev/null || continue
	done="$done $mpi"
	mpicc.$mpi -w -o work.$mpi work.c
	mpirun.$mpi -n 4 ./work.$mpi 2>/dev/null | sort >without
	# Between the program's clock and ours the machine may do something else: then once more.
	for try in $(seq 20); do
		rm -rf run.$mpi
		"$RECORD" -q -o run.$mpi -- mpirun.$mpi -n 4 "./work.$mpi" >out 2>err || fail "$mpi: status $?: $(cat err)"
		sort out | diff without - || fail "$mpi: another output"
		"$REPORT" -q -o report.json run.$mpi
		as_long && break
	done

	holds "$mpi: ranks" "[.processes[] | select(.name == \"work.$mpi\" and .rank != null) | [.rank, .ranks, .local_rank]] | sort == [range(4) | [., 4, .]]"
	holds "$mpi: mpirun has none" "[.processes[] | select(.name != \"work.$mpi\").rank] | unique == [null]"
	each() {
		holds "$mpi: $1" "[.communication[] | select(.function | test(\"^$1(_c)?$\")) | {rank, c: [.calls, .bytes, .failed]}] |
			sort_by(.rank) | [.[].c] == $2"
	}
	each MPI_Allreduce "[range(4) | [10, 80000, 0]]"
	each MPI_Allgather "[range(4) | [2, 40, 0]]"
	each MPI_Alltoall "[range(4) | [1, 48, 0]]"
	each MPI_Alltoallv "[range(4) | [1, 10, 0]]"
	each MPI_Reduce_scatter "[range(4) | [1, 20, 0]]"
	each MPI_Bcast "[range(4) | [1, 140, 0]]"
	each MPI_Send "[[1, 240, 0]]"
	each MPI_Recv "[[1, 240, 0]]"
	each MPI_Isend "[range(4) | [1, 800, 0]]"
	each MPI_Irecv "[range(4) | [1, 800, 0]]"
	each MPI_Scan "[range(4) | [1, 36, 0]]"
	each MPI_Waitall "[range(4) | [1, 0, 0]]"
	each MPI_File_write_at_all "[range(4) | [1, 800, 0]]"
	each MPI_File_read_at "[range(4) | [1, 400, 0]]"
	each MPI_File_close "[range(4) | [1, 0, 0]]"
	each MPI_Comm_split "[range(4) | [2, 0, 0]]"
	each MPI_Ialltoallv "[range(4) | [1, 0, 0]]"
	each MPI_Comm_create_group "[range(2) | [1, 0, 0]]"
	each MPI_Ssend "[range(4) | [1, 0, 0]]"

	holds "$mpi: world, from 0 to 3" '[.communication[] | select(.function == "MPI_Allreduce") |
		[.rank, .ranks, .communicator]] | sort == [range(4) | [., 4, "MPI_COMM_WORLD"]]'
	holds "$mpi: two halves, each in two processes" '
		[.communication[] | select(.function == "MPI_Reduce")] | group_by(.communicator) |
		[.[] | [length, ([.[].ranks] | unique), ([.[].identity] | unique | length)]] == [[2, [2], 1], [2, [2], 1]]'
	holds "$mpi: another one with the handle of what was freed" '
		([.communication[] | select(.function == "MPI_Gather").communicator] | unique) as $new |
		([.communication[] | select(.function == "MPI_Reduce").communicator] | unique) as $old |
		($new | length > 0) and ($new - $old == $new)'
	holds "$mpi: the copy is one in four" '[.communication[] | select(.function == "MPI_Barrier")] |
		length == 4 and ([.[].identity] | unique | length) == 1 and .[0].communicator != "MPI_COMM_WORLD"'

	grep -c waited err | grep -qx 4 || fail "$mpi: $(cat err)"
	as_long || fail "$mpi: $wrong: $(jq -c '.communication[] | select(.function == "MPI_Barrier")' report.json)"
	holds "$mpi: who is late" '[.findings[] | select(.text | test("rank 2 keeps the others waiting"))] | length == 1'
	holds "$mpi: nothing lost" '[.limits[] | select(.kind == "lost")] == []'
	"$REPORT" --rank 1,3 -f json run.$mpi >some.json
	holds "$mpi: two of the ranks" '[.processes[].rank] | sort == [1, 3]' some.json
done
[ -n "$done" ] || skip "neither Open MPI nor MPICH is installed"
echo "with$done"

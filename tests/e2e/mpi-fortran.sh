# SPDX-License-Identifier: MIT
# MPI from Fortran: by mpif.h and by the module mpi_f08, Open MPI (whose Fortran functions call PMPI_X) and
# MPICH (X): each call counts once, as C's, with bytes and communicator. A tool in the manner of PMPI, whose
# MPI_X calls PMPI_X, doubles nothing either.
. "$top_srcdir/tests/lib.sh"
need jq
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_btl_vader_single_copy_mechanism

# Names without and with one and two underscores, as compilers make them.
cat >work.f <<'F'
      program work
      include 'mpif.h'
      integer rank, ranks, half, ierr, i, request
      integer status(MPI_STATUS_SIZE)
      double precision a(1000), b(1000)
      real c(10)
      a = 1
      call mpi_init(ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
      do i = 1, 10
        call mpi_allreduce(a, b, 1000, MPI_DOUBLE_PRECISION, MPI_SUM,
     &                     MPI_COMM_WORLD, ierr)
      end do
      call mpi_bcast(c, 7, MPI_REAL, 1, MPI_COMM_WORLD, ierr)
      call mpi_irecv(c, 10, MPI_REAL, 1 - rank, 5, MPI_COMM_WORLD,
     &               request, ierr)
      call mpi_send(c, 10, MPI_REAL, 1 - rank, 5, MPI_COMM_WORLD,
     &              ierr)
      call mpi_wait(request, status, ierr)
      call mpi_comm_split(MPI_COMM_WORLD, 0, rank, half, ierr)
      call mpi_comm_size(half, ranks, ierr)
      call mpi_reduce(a, b, 3, MPI_INTEGER, MPI_SUM, 0, half, ierr)
      print '(a,i0,a,f5.1)', 'rank ', rank, ' ', b(1000)
      call mpi_finalize(ierr)
      end program
F
cat >work08.f90 <<'F'
program work
  use mpi_f08
  integer :: rank, i
  double precision :: a(1000), b(1000)
  a = 1
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  do i = 1, 10
    call MPI_Allreduce(a, b, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end do
  print '(a,i0,a,f5.1)', 'rank ', rank, ' ', b(1000)
  call MPI_Finalize()
end program
F
# The names that other compilers ask for; and a tool's MPI_Allreduce.
cat >names.c <<'C'
#include <mpi.h>
int mpi_allreduce__(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
int MPI_ALLREDUCE(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
int mpi_allreduce(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
int main(int argc, char **argv)
{
	MPI_Fint one = 1, type, op, comm, error;
	double a = 1, b;
	MPI_Init(&argc, &argv);
	type = MPI_Type_c2f(MPI_DOUBLE), op = MPI_Op_c2f(MPI_SUM), comm = MPI_Comm_c2f(MPI_COMM_WORLD);
	mpi_allreduce__(&a, &b, &one, &type, &op, &comm, &error);
	MPI_ALLREDUCE(&a, &b, &one, &type, &op, &comm, &error);
	mpi_allreduce(&a, &b, &one, &type, &op, &comm, &error);
	MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	PMPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
C
cat >tool.c <<'C'
#include <mpi.h>
int MPI_Allreduce(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	return PMPI_Allreduce(a, b, n, type, op, comm);
}
C

# run NAME RANKS PROGRAM: its report in report.json, its output as without
run() {
	mpirun.$mpi -n "$2" "$3" 2>/dev/null | sort >without
	"$RECORD" -q -o "run.$mpi.$1" -- mpirun.$mpi -n "$2" "$3" >out 2>err || fail "$mpi $1: status $?: $(cat err)"
	sort out | diff without - || fail "$mpi $1: another output"
	"$REPORT" -q -o report.json "run.$mpi.$1"
	holds "$mpi $1: nothing lost" '[.limits[] | select(.kind == "lost")] == []'
}
each() {
	holds "$mpi $name: $1" "[.communication[] | select(.function == \"$1\") | [.rank, .calls, .bytes, .failed]] | sort == $2"
}

done=
for mpi in openmpi mpich; do
	command -v mpirun.$mpi >/dev/null && command -v mpif90.$mpi >/dev/null || continue
	mpif77.$mpi -w -fallow-argument-mismatch -o work.$mpi work.f || fail "$mpi: no Fortran compiler (scripts/setup tests)"
	name=mpif.h
	run mpif.h 2 "./work.$mpi"
	each MPI_Init "[[null, 1, 0, 0], [null, 1, 0, 0]]"
	each MPI_Allreduce "[[0, 10, 80000, 0], [1, 10, 80000, 0]]"
	each MPI_Bcast "[[0, 1, 28, 0], [1, 1, 28, 0]]"
	each MPI_Send "[[0, 1, 40, 0], [1, 1, 40, 0]]"
	each MPI_Irecv "[[0, 1, 40, 0], [1, 1, 40, 0]]"
	holds "$mpi: on half" '[.communication[] | select(.function == "MPI_Reduce") | [.calls, .bytes, .failed]] == [[1, 12, 0], [1, 12, 0]]'
	holds "$mpi: communicators" '[.communication[] | select(.function | test("Allreduce|Reduce$")) | [.function, .ranks,
		.communicator == "MPI_COMM_WORLD"]] | unique == [["MPI_Allreduce", 2, true], ["MPI_Reduce", 2, false]]'
	holds "$mpi: no function by another name" '[.breakdown[] | select(.layer == "mpi") | .function | select(test("^MPI_") | not)] == []'

	holds "$mpi: nothing says that they are not seen" '[.limits[], .coverage[] | tostring |
		select(test("Fortran.*not seen"))] == []'

	mpif90.$mpi -o work08.$mpi work08.f90
	name=mpi_f08
	run mpi_f08 2 "./work08.$mpi"
	each MPI_Allreduce "[[0, 10, 80000, 0], [1, 10, 80000, 0]]"

	mpif77.$mpi -w -o names.$mpi names.c
	name=names
	run names 1 "./names.$mpi"
	each MPI_Allreduce "[[0, 5, 40, 0]]"
	mpicc.$mpi -w -shared -fPIC -o libtool.$mpi.so tool.c
	mpif77.$mpi -w -o tooled.$mpi names.c -L. -l:libtool.$mpi.so -Wl,-rpath,"$TMP"
	name=tool
	run tool 1 "./tooled.$mpi"
	each MPI_Allreduce "[[0, 5, 40, 0]]"
	holds "$mpi: nothing nests" '[.breakdown[] | select(.function == "MPI_Allreduce") | .nested_ns] | add == 0'
	done="$done $mpi"
done
[ -n "$done" ] || skip "neither Open MPI nor MPICH is installed"
echo "with$done"

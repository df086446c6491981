# SPDX-License-Identifier: MIT
# comm.tbl against the headers there are, NCCL's and those of both ABIs of MPI: each row has the
# arguments of the real function, by number, size and kind; every function of nccl.h has a row.
. "$top_srcdir/tests/lib.sh"
need g++
tables=$top_srcdir/tracepoints

# check LAYER TABLE HEADERS FLAG...: rows and what the HEADERS (the first is included) declare
check() {
	layer=$1 table=$2 headers=$3
	shift 3
	"$top_srcdir/scripts/gen-functions" names -l "$layer" "$tables/events.tbl" "$table" | sort >rows
	cat $headers | grep -v '^# *define' | grep -oE '\b(MPI_|nccl)[A-Za-z_0-9]+ *\(' | tr -d ' (' | sort -u >declared
	comm -12 rows declared >both
	{
		printf '#include "%s"\n#include "same_call.h"\n#include "comm_types.h"\n' "${headers%% *}"
		sed 's/.*/#define HAVE_&/' both
		"$top_srcdir/scripts/gen-functions" check -l "$layer" "$tables/events.tbl" "$table" | sed '1,/cu_check.h/d'
	} >check.cc
	g++ -std=c++17 -fsyntax-only -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -Wno-deprecated-declarations \
		-I"$tables" "$@" check.cc
}

seen=
for cuda in "${CUDA_HOME:-}" /usr/local/cuda; do
	[ -n "$cuda" ] && [ -e "$cuda/include/nccl.h" ] || continue
	check nccl "$tables/comm.tbl" "$cuda/include/nccl.h" -I"$cuda/include" || fail "NCCL's header differs"
	# In comments, a type; and what comm.tbl says it leaves out.
	comm -13 rows declared | grep -vx 'ncclUniqueId\|ncclGetErrorString\|ncclGetLastError\|ncclResetDebugInit' >missing || :
	same "functions of nccl.h without a row" "" "$(cat missing)"
	sed 's/size_t count, int type, int op, void \*comm/int count, int type, int op, void *comm/' "$tables/comm.tbl" >bad.tbl
	! check nccl bad.tbl "$cuda/include/nccl.h" -I"$cuda/include" 2>/dev/null || fail "a wrong size is not seen"
	seen="$seen NCCL"
	break
done
for mpi in openmpi mpich; do
	command -v mpicc.$mpi >/dev/null || continue
	echo '#include <mpi.h>' >one.c
	include=$(mpicc.$mpi -E one.c | sed -n 's/^# 1 "\(.*\)\/mpi\.h".*/\1/p' | head -1)
	headers=$include/mpi.h
	[ ! -e "$include/mpi_proto.h" ] || headers="$headers $include/mpi_proto.h"
	flags=$([ $mpi = openmpi ] || echo -DDLT_INT_HANDLES)
	check mpi "$tables/comm.tbl" "$headers" -isystem "$include" $flags || fail "$mpi's header differs"
	[ "$(wc -l <both)" -gt 140 ] || fail "$mpi: only $(wc -l <both) functions to compare"
	seen="$seen $mpi:$(wc -l <both)"
done
[ -n "$seen" ] || skip "neither NCCL's headers nor MPI's are here"
echo "compared with$seen"

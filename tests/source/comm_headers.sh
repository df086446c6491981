# SPDX-License-Identifier: MIT
# comm.tbl against the headers there are, those of each version of NCCL and of both ABIs of MPI: each row has the
# arguments of the real function, by number, size and kind; every function of nccl.h, and every one that the library
# exports, has a row or is passed over by name.
. "$top_srcdir/tests/source/nvidia.inc"
need g++

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
# All that nccl.h wants of CUDA.
mkdir cuda
cat >cuda/cuda_runtime.h <<'C'
#include <stddef.h>
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
C
: >cuda/cuda_fp16.h
by_version NCCL_VERSION_CODE $(nvidia include/nccl.h) >found
while read -r version header; do
	include=${header%/*}
	check nccl "$tables/comm.tbl" "$header" -Icuda -I"$include" || fail "comm.tbl and $header differ"
	# A type.
	missing=$(comm -13 rows declared | grep -vx ncclUniqueId | tr '\n' ' ')
	same "functions of $header without a row" "" "$missing"
	library=${include%/*}/lib/libnccl.so.2
	if [ -e "$library" ] && command -v nm >/dev/null; then
		nm -D --defined-only "$library" | awk '{ sub("@.*", "", $3) } $3 ~ /^nccl[A-Z]/ { print $3 }' | sort -u >exported
		[ "$(wc -l <exported)" -gt 20 ] || fail "$library exports next to nothing"
		same "functions of $library without a row" "" "$(comm -13 rows exported | tr '\n' ' ')"
	fi
	seen="$seen NCCL:$version"
done <found
if [ ! -s found ]; then
	echo "no nccl.h is here: CUDA_HOME, /usr/local/cuda, scripts/setup frameworks"
else
	read -r version header <found
	include=${header%/*}
	sed 's/size_t count, int type, int op, void \*comm/int count, int type, int op, void *comm/' "$tables/comm.tbl" >bad.tbl
	! check nccl bad.tbl "$header" -Icuda -I"$include" 2>/dev/null || fail "a wrong size is not seen"
fi
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
[ -n "$seen" ] || skip "neither NCCL's headers nor MPI's are here: CUDA_HOME, /usr/local/cuda, scripts/setup frameworks tests"
echo "compared with$seen"

# SPDX-License-Identifier: MIT
# gen-functions refuses rows that cannot be right, naming file and line; and the table agrees with
# the CUDA headers where there are any: the number of arguments, and the size and kind of each.
. "$top_srcdir/tests/lib.sh"

tables=$top_srcdir/tracepoints
lines=$(wc -l <"$tables/runtime.tbl")
more=
# gen KIND RUNTIME-TABLE [OPTION]...: runs the generator on that table after the first one, before $more
gen() {
	kind=$1 table=$2
	shift 2
	"$top_srcdir/scripts/gen-functions" "$kind" "$@" "$tables/events.tbl" "$tables/functions.tbl" "$table" $more
}
# refused WHY ROW
refused() {
	{
		cat "$tables/runtime.tbl"
		echo "$2"
	} >bad.tbl
	if gen wrappers bad.tbl >/dev/null 2>error; then
		fail "accepted: $2"
	fi
	grep -q "bad.tbl:$((lines + 1)): .*$1" error || fail "'$2' is not refused for '$1': $(cat error)"
}
refused "no field colour" "alloc int cudaNew(void **p, size_t size) | colour=size"
refused "length is no argument" "alloc int cudaNew(void **p, size_t size) | size=length"
refused "argument without a name" "alloc int cudaNew(void *)"
refused "is not declared" "nonsense int cudaNew(void *p)"
refused "use that name themselves" "alloc int cudaNew(void *real)"
refused "expected: FAMILY PROTOTYPE" "alloc cudaNew"
refused "declared already" 'layer runtime ok=1 "again"'

for cuda in "${CUDA_HOME:-}" /usr/local/cuda; do
	[ -n "$cuda" ] && [ -e "$cuda/include/cuda_runtime_api.h" ] && break
	cuda=
done
[ -n "$cuda" ] && command -v g++ >/dev/null || exit 0
gen check "$tables/runtime.tbl" -l runtime >check.cc
g++ -std=c++17 -fsyntax-only -I"$cuda/include" -I"$tables" check.cc || fail "the table and the headers in $cuda differ"
more=$tables/driver.tbl
gen check "$tables/runtime.tbl" -l driver >check.cc
g++ -std=c++17 -fsyntax-only -I"$cuda/include" -I"$tables" check.cc || fail "driver.tbl and the headers in $cuda differ"
sed 's/int cudaMalloc(void \*\*p, size_t size)/int cudaMalloc(void **p, unsigned size)/' "$tables/runtime.tbl" >bad.tbl
gen check bad.tbl -l runtime >check.cc
! g++ -std=c++17 -fsyntax-only -I"$cuda/include" -I"$tables" check.cc 2>/dev/null || fail "a wrong size is not seen"

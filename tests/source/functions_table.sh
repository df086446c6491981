# SPDX-License-Identifier: MIT
# gen-functions refuses rows that cannot be right, naming file and line; and the table agrees with
# the CUDA headers where there are any: the number of arguments, and the size and kind of each.
. "$top_srcdir/tests/lib.sh"

tables=$top_srcdir/tracepoints
lines=$(wc -l <"$tables/functions.tbl")
# refused WHY ROW
refused() {
	{
		cat "$tables/functions.tbl"
		echo "$2"
	} >bad.tbl
	if "$top_srcdir/scripts/gen-functions" wrappers bad.tbl "$tables/events.tbl" >/dev/null 2>error; then
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

for cuda in "${CUDA_HOME:-}" /usr/local/cuda; do
	[ -n "$cuda" ] && [ -e "$cuda/include/cuda_runtime_api.h" ] && break
	cuda=
done
[ -n "$cuda" ] && command -v g++ >/dev/null || exit 0
"$top_srcdir/scripts/gen-functions" check "$tables/functions.tbl" "$tables/events.tbl" runtime >check.cc
g++ -std=c++17 -fsyntax-only -I"$cuda/include" -I"$tables" check.cc || fail "the table and the headers in $cuda differ"
sed 's/int cudaMalloc(void \*\*p, size_t size)/int cudaMalloc(void **p, unsigned size)/' "$tables/functions.tbl" >bad.tbl
"$top_srcdir/scripts/gen-functions" check bad.tbl "$tables/events.tbl" runtime >check.cc
! g++ -std=c++17 -fsyntax-only -I"$cuda/include" -I"$tables" check.cc 2>/dev/null || fail "a wrong size is not seen"

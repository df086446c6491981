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
refused "no mark is called @nonsense" "alloc int cudaNew(void *p) @nonsense"
refused "@gives is one of all, once, none" "alloc int cudaNew(void *p) @gives=half"
refused "size is no argument" "alloc int cudaNew(void *p) | after=dlt_done(size)"

for cuda in "${CUDA_HOME:-}" /usr/local/cuda; do
	[ -n "$cuda" ] && [ -e "$cuda/include/cuda_runtime_api.h" ] && break
	cuda=
done
[ -n "$cuda" ] && command -v g++ >/dev/null || exit 0
# agrees RUNTIME-TABLE LAYER: with the headers, as far as they declare its functions
gen check "$tables/runtime.tbl" -l none >all.cc
g++ -E -w -I"$cuda/include" -I"$tables" all.cc | grep -o '\<cu[A-Za-z0-9_]*(' | sort -u | sed 's/\(.*\)(/#define HAVE_\1/' >have.h
more=$tables/driver.tbl
agrees() {
	gen check "$1" -l $2 >check.cc || fail "no check of $1 can be made"
	g++ -std=c++17 -w -fsyntax-only -include ./have.h -I"$cuda/include" -I"$tables" check.cc
}
agrees "$tables/runtime.tbl" runtime || fail "the table and the headers in $cuda differ"
agrees "$tables/runtime.tbl" driver || fail "driver.tbl and the headers in $cuda differ"
[ "$(grep -c HAVE_ have.h)" -gt 700 ] || fail "the headers declare next to nothing"
# differs WHAT SED: is a row that is wrong seen?
differs() {
	sed "$2" "$tables/runtime.tbl" >bad.tbl
	! agrees bad.tbl runtime 2>/dev/null || fail "$1 is not seen"
}
differs "a wrong size" 's/int cudaMalloc(void \*\*p, size_t size)/int cudaMalloc(void **p, unsigned size)/'
differs "a missing argument" 's/int cudaMemPoolTrimTo(void \*mem_pool, /int cudaMemPoolTrimTo(/'
differs "a missing argument of the longest list" 's/\(int cudaGraphInstantiate(void \*\*exec, void \*graph\), [^)]*) | .*/\1)/'

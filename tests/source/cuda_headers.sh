# SPDX-License-Identifier: MIT
# The tables agree with the newest CUDA headers of each major version that is here: every function that they declare
# has a row, with as many arguments, of the same size and kind each.
. "$top_srcdir/tests/source/nvidia.inc"
need g++

cuda_headers >found
[ -s found ] || skip "no CUDA headers are here: CUDA_HOME, /usr/local/cuda, scripts/setup frameworks"
# gen KIND RUNTIME-TABLE [OPTION]...: runs the generator on that table and the driver's
gen() {
	kind=$1 table=$2
	shift 2
	"$top_srcdir/scripts/gen-functions" "$kind" "$@" "$tables/events.tbl" "$tables/functions.tbl" "$table" \
		"$tables/driver.tbl"
}
gen names "$tables/runtime.tbl" -l runtime -l driver | sort -u >rows
# declared: by the headers in $cuda, of the kind that tables have
declared() {
	gen check "$tables/runtime.tbl" -l none >all.cc
	g++ -E -w -I"$cuda" -I"$tables" all.cc | grep -o '\<\(__\)\?cu\(da\)\?[A-Z][A-Za-z0-9_]*(' | tr -d '(' | sort -u
}
# agrees RUNTIME-TABLE LAYER: with the headers in $cuda, as far as they declare its functions
agrees() {
	gen check "$1" -l $2 >check.cc || fail "no check of $1 can be made"
	g++ -std=c++17 -w -fsyntax-only -include ./have.h -I"$cuda" -I"$tables" check.cc
}
while read -r version cuda; do
	declared >names
	[ "$(wc -l <names)" -gt 700 ] || fail "$cuda declares next to nothing"
	same "functions of CUDA $version ($cuda) without a row" "" "$(comm -23 names rows | tr '\n' ' ')"
	sed 's/.*/#define HAVE_&/' names >have.h
	agrees "$tables/runtime.tbl" runtime || fail "runtime.tbl and CUDA $version ($cuda) differ"
	agrees "$tables/runtime.tbl" driver || fail "driver.tbl and CUDA $version ($cuda) differ"
	echo "CUDA $version ($cuda): $(wc -l <names) functions, all have rows that agree"
done <found
# differs WHAT SED: is a row that is wrong seen?
differs() {
	sed "$2" "$tables/runtime.tbl" >bad.tbl
	! agrees bad.tbl runtime 2>/dev/null || fail "$1 is not seen"
}
read -r version cuda <found
declared | sed 's/.*/#define HAVE_&/' >have.h
differs "a wrong size" 's/int cudaMalloc(void \*\*p, size_t size)/int cudaMalloc(void **p, unsigned size)/'
differs "a missing argument" 's/int cudaMemPoolTrimTo(void \*mem_pool, /int cudaMemPoolTrimTo(/'
differs "a missing argument of the longest list" 's/\(int cudaGraphInstantiate(void \*\*exec, void \*graph\), [^)]*) | .*/\1)/'

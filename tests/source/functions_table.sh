# SPDX-License-Identifier: MIT
# gen-functions refuses rows that cannot be right, naming file and line.
. "$top_srcdir/tests/lib.sh"

tables=$top_srcdir/tracepoints
lines=$(wc -l <"$tables/runtime.tbl")
# gen KIND RUNTIME-TABLE [OPTION]...: runs the generator on that table after the first one
gen() {
	kind=$1 table=$2
	shift 2
	"$top_srcdir/scripts/gen-functions" "$kind" "$@" "$tables/events.tbl" "$tables/functions.tbl" "$table"
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

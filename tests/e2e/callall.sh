# SPDX-License-Identifier: MIT
# Every function of the tables leaves an event that names it, whichever version of the runtime it is
# in: a wrapper without one fails here.
. "$top_srcdir/tests/lib.sh"
need babeltrace2

# called VERSION: everything that this version exports is called once, and seen once
called() {
	LD_PRELOAD=$DLTRACE_LIB DLTRACE_STUB_NS=2000 DLTRACE_STUB_REPORT=$TMP/stub-$1 "$STUBS/callall-$1"
	session_stop
	babeltrace2 "$TMP/trace" >text

	# "ID NAME" of all functions that the trace names
	sed -n 's/.*dltrace_proc:function:.* function = \([0-9]*\),.* name = "\([^"]*\)".*/\1 \2/p' text | sort -u >named
	sed -n 's/.*dltrace_c[a-z]*:[a-z]*:.* function = \([0-9]*\),.*/\1/p' text | sort | uniq -c |
		awk 'NR == FNR { name[$1] = $2; next } { print name[$2], $1 }' named - | sort >seen
	"$STUBS/callall-$1" names | sort | uniq -c | awk '{ print $2, $1 }' >wanted
	diff wanted seen || fail "$1: these functions were called so often and have no event, or not as many (< wanted, > seen)"
	same "$1: functions that the stub saw" "$("$STUBS/callall-$1" names | wc -l)" "$(grep -vc GOMP_parallel_end stub-$1)"

	# Each event says which library called, and that library is named.
	for library in $(sed -n 's/.*dltrace_c[a-z]*:[a-z]*:.* library = \([0-9]*\),.*/\1/p' text | sort -u); do
		grep -q "dltrace_proc:library:.* library = $library, .*path = \".*/callall-$1\"" text ||
			fail "caller $library is not the program"
	done
	rm -rf "$TMP/trace"
}
for version in 10.2 11.0 12 13; do
	session_start 'dltrace_*'
	called $version
done

# SPDX-License-Identifier: MIT
# Every function of the table leaves an event that names it: a wrapper without one fails here.
. "$top_srcdir/tests/lib.sh"
need babeltrace2

session_start 'dltrace_*'
LD_PRELOAD=$DLTRACE_LIB DLTRACE_STUB_NS=2000 DLTRACE_STUB_REPORT=$TMP/stub "$STUBS/callall"
session_stop
babeltrace2 "$TMP/trace" >text

# "ID NAME" of all functions that the trace names
sed -n 's/.*dltrace_proc:function:.* function = \([0-9]*\),.* name = "\([^"]*\)".*/\1 \2/p' text | sort -u >named
sed -n 's/.*dltrace_c[a-z]*:[a-z]*:.* function = \([0-9]*\),.*/\1/p' text | sort | uniq -c |
	while read -r count id; do
		echo "$(sed -n "s/^$id //p" named) $count"
	done | sort >seen
"$STUBS/callall" names | sed 's/$/ 1/' | sort >wanted
diff wanted seen || fail "these functions were called once and have no event, or not one (< wanted, > seen)"

# Each event says which library called, and that library is named.
for library in $(sed -n 's/.*dltrace_c[a-z]*:[a-z]*:.* library = \([0-9]*\),.*/\1/p' text | sort -u); do
	grep -q "dltrace_proc:library:.* library = $library, .*path = \".*/callall\"" text ||
		fail "caller $library is not the program"
done

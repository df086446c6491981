# SPDX-License-Identifier: MIT
# A daemon that closes all descriptors and opens its own, under a session that records all the
# while: its files hold what they hold without, it gets the same numbers, and tracing goes on.
. "$top_srcdir/tests/lib.sh"
need babeltrace2

run() {
	mkdir -p "$1"
	env ${3:+LD_PRELOAD="$3"} "$APPS/daemon" "$2" "$1" </dev/null 3>&- 9>&-
	for i in $(seq 600); do
		[ -e "$1/result" ] && return
		sleep 0.1
	done
	fail "the daemon does not end ($2)"
}

sums() {
	(cd "$1" && sha256sum file-* result)
}

for how in close closefrom range; do
	run "$TMP/plain-$how" $how
done
session_start 'dltrace_proc:*' 'dltrace_heap:*'
for how in close closefrom range; do
	run "$TMP/traced-$how" $how "$DLTRACE_LIB"
done
session_stop
for how in close closefrom range; do
	sums "plain-$how" >expected
	sums "traced-$how" >got
	diff expected got || fail "the daemon's files differ ($how)"
done
babeltrace2 trace >text
same "daemons that ended in the trace" 3 "$(grep -c 'dltrace_proc:exit: .*how = 0, code = 0' text)"
[ "$(grep -c 'dltrace_heap:alloc' text)" -gt 1000 ] || fail "tracing stopped"

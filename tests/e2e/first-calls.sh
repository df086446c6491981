# SPDX-License-Identifier: MIT
# Threads that call functions for the first time, all at once, each from libraries of its own: where
# a call goes is asked, and the loaded objects are judged, while other threads list them anew.
. "$top_srcdir/tests/lib.sh"

export FIRST_CALLS=$STUBS/libfirstcalls.so
for turn in $(seq 20); do
	boxes
	LD_PRELOAD=$DLTRACE_LIB "$APPS/first_calls" 6 12 || fail "turn $turn: exit status $?"
	rm -rf "$DLTRACE_BOX"
done
# ... and are unloaded by others meanwhile.
boxes
LD_PRELOAD=$DLTRACE_LIB "$APPS/first_calls" 8 6 40 || fail "unloading: exit status $?"
unset DLTRACE_BOX
"$RECORD" -q -o trace -- "$APPS/first_calls" 6 12 || fail "recorded: exit status $?"
"$REPORT" -q -f json trace >report.json
holds "calls of each function" '[.breakdown[] | select(.layer == "runtime")] | group_by(.function) |
	map(map(.calls) | add) == [range(8) | 72]'

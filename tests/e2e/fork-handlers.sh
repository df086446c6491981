# SPDX-License-Identifier: MIT
# fork with handlers like OpenBLAS's, whose worker frees while it is joined: no deadlock, and every
# child's events are its own.
. "$top_srcdir/tests/lib.sh"

need babeltrace2
session_start 'dltrace_*' 'dltracefull_*'
for when in early late; do
	[ $when = early ] && set -- early || set --
	timeout -s KILL 60 env DLTRACE_CHILDREN=all LD_PRELOAD=$DLTRACE_LIB "$APPS/fork_handlers" "$@" >out ||
		fail "$when handlers: status $?"
	same "output" forked "$(cat out)"
done
session_stop

babeltrace2 trace >events
same "children that were announced" 40 "$(grep 'dltrace_proc:process' events | grep -c 'reason = 1,')"
# Every child frees and allocates under ids of its own: no thread id in two processes.
same "thread ids that two processes share" "" "$(sed -n 's/.*dltrace_proc:thread: .*thread = \([0-9]*\), process = \([0-9]*\),.*/\1 \2/p' events |
	sort -u | cut -d' ' -f1 | uniq -d)"

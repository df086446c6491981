# SPDX-License-Identifier: MIT
# 200 children at once: all are in the trace, each with its parent and its end, none hangs.
. "$top_srcdir/tests/lib.sh"
need babeltrace2

plain=$("$APPS/ends" many 200)
session_start 'dltrace_proc:*' 'dltrace_heap:*'
# LTTng registers one after the other, and by itself no child waits longer for that than three seconds.
same "output" "$plain" "$(timeout 120 env LTTNG_UST_REGISTER_TIMEOUT=100000 LD_PRELOAD="$DLTRACE_LIB" "$APPS/ends" many 200)"
session_stop
babeltrace2 trace >text
first=$(sed -n 's/.*dltrace_proc:process: .* process = \([0-9]*\), parent = 0,.*/\1/p' text)
same "processes forked from the first" 200 "$(grep -c "dltrace_proc:process: .*parent = $first,.*reason = 1" text)"
same "ends" 201 "$(grep -c 'dltrace_proc:exit: ' text)"
same "large allocations" 200 "$(grep -c 'dltrace_heap:alloc: ' text)"

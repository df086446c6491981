# SPDX-License-Identifier: MIT
# The level full: every heap call is there, of threads that ended and of one that never does, with
# its size; allocations and frees alternate in each thread.
. "$top_srcdir/tests/lib.sh"

session_start 'dltracefull_heap:*' 'dltrace_batch:*'
LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_edge" pairs
session_stop
"$APPS/read_trace" trace fast dump | python3 -c '
import re, sys
calls = {}
for line in sys.stdin:
    m = re.search(r"heap:call thread=(\d+) .* operation=(\d) size=1000 ", line)
    if m:
        calls.setdefault(int(m[1]), []).append(int(m[2]))
print(sorted(map(len, calls.values())))
print(sorted(set(tuple(c[i:i + 2]) for c in calls.values() for i in range(0, len(c), 2))))
' >calls
same "calls of the three threads, allocation and free in turn" "[8002, 8002, 8002]
[(1, 2)]" "$(cat calls)"
same "calls before 64 KiB were moved" 6 "$("$APPS/read_trace" trace fast dump | grep -c 'heap:call .* size=1016 ')"

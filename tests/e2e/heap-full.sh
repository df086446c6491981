# SPDX-License-Identifier: MIT
# The level full: every heap call is in the batches, of threads that ended and of one that never
# does, with its size; allocations and frees alternate in each thread.
. "$top_srcdir/tests/lib.sh"

need babeltrace2
session_start 'dltracefull_heap:*'
LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_edge" pairs
session_stop
babeltrace2 trace | python3 -c '
import re, sys
calls = {}
for line in sys.stdin:
    m = re.search(r"heap:batch:.*? thread = (\d+),.*records = \[(.*)\]", line)
    if not m:
        continue
    words = [int(w) for w in re.findall(r"\[\d+\] = (\d+)", m[2])]
    for a, size, ptr in zip(words[::3], words[1::3], words[2::3]):
        if size == 1000:
            calls.setdefault(int(m[1]), []).append(a >> 56)
print(sorted(map(len, calls.values())))
print(sorted(set(tuple(c[i:i + 2]) for c in calls.values() for i in range(0, len(c), 2))))
' >calls
same "calls of the three threads, allocation and free in turn" "[8002, 8002, 8002]
[(1, 2)]" "$(cat calls)"

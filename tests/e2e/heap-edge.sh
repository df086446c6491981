# SPDX-License-Identifier: MIT
# Large blocks come in complete pairs, failed allocations are events, errno and results are kept;
# threads with 16 KiB of stack survive it.
. "$top_srcdir/tests/lib.sh"

need babeltrace2
for mode in failed large stack; do
	"$APPS/heap_edge" $mode || fail "$mode: without dltrace already"
	LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_edge" $mode || fail "$mode: no session"
done
session_start 'dltrace_heap:*'
for mode in failed large stack; do
	LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_edge" $mode || fail "$mode: with a session"
done
session_stop
babeltrace2 trace | grep dltrace_heap: >events

same "failed allocations (one by realloc of a large block)" 6 "$(grep -c 'heap:alloc.*ptr = 0x0 ' events)"
grep -q 'heap:alloc.*size = 9223372036854775807, ptr = 0x0 ' events || fail "size of a failed one"
# Every pointer is allocated and freed in turn, with the same size.
sed -n 's/.*dltrace_heap:\([a-z]*\):.* size = \([0-9]*\), ptr = \(0x[0-9A-F]*\) .*/\1 \2 \3/p' events |
	awk '$3 == "0x0" { next }
		$1 == "alloc" { if ($3 in live) bad = bad " twice:" $3; live[$3] = $2; n++ }
		$1 == "free" { if (live[$3] != $2) bad = bad " no-pair:" $3; delete live[$3] }
		END { for (p in live) bad = bad " left:" p; print n, bad }' >pairs
read -r pairs bad <pairs || :
same "pairs that do not fit" "" "$bad"
# failed: 1 (a free of a small block is none); large: 7, and 6 by realloc; stack: 20 x 20
[ "$pairs" -ge 412 ] || fail "only $pairs pairs"

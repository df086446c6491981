# SPDX-License-Identifier: MIT
# 1,000 forks beside four threads that allocate leave the parent's bytes exact, and each child has
# its own counters; so do children that are made behind the fork handlers' back.
. "$top_srcdir/tests/lib.sh"

GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=131072
export GLIBC_TUNABLES

mkdir alone && cp "$DLTRACE_LIB" alone/
boxes
timeout 800 env LD_PRELOAD=$TMP/alone/libdltrace.so "$APPS/heap_storm" forks 1000 || fail "forks"
same "boxes" 1001 "$(ls "$DLTRACE_BOX" | grep -c '\.box$')"
same "ids, all different" 1001 "$("$APPS/box_totals" "$DLTRACE_BOX"/*.box | sed 's/.*process=\([0-9]*\) .*/\1/' | sort -u | wc -l)"
boxes
timeout 300 env LD_PRELOAD=$TMP/alone/libdltrace.so "$APPS/heap_storm" raw 200 || fail "raw clone, _Fork"
same "boxes of raw children" 201 "$(ls "$DLTRACE_BOX" | grep -c '\.box$')"
"$APPS/box_totals" "$DLTRACE_BOX"/*.box >totals
first=$(sed -n 's/.* process=\([0-9]*\) .* reason=0 .*/\1/p' totals)
same "raw children of the first process" 200 "$(grep -c " parent=$first reason=1 " totals)"

# With LTTng in every child.
boxes
session_start 'dltrace_*' 'dltracefull_*'
timeout 300 env LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_storm" forks 20 || fail "forks with a session"
session_stop

# Threads that ended without a word, and their stacks with them; then more than a box has slots.
for threads in 8 4200; do
	boxes
	timeout 100 env LD_PRELOAD=$TMP/alone/libdltrace.so "$APPS/heap_vanish" 10 $threads || fail "$threads threads that vanished"
done

# Before Linux 4.14 no page of a child is cleared: its fork handlers alone tell it what it is.
"$APPS/refused" wipe_on_fork true || skip "the kernel has no filters for system calls"
boxes
timeout 800 "$APPS/refused" wipe_on_fork env LD_PRELOAD=$TMP/alone/libdltrace.so "$APPS/heap_storm" forks 100 || fail "forks on an old Linux"
same "their boxes" 101 "$(ls "$DLTRACE_BOX" | grep -c '\.box$')"
same "their ids" 101 "$("$APPS/box_totals" "$DLTRACE_BOX"/*.box | sed 's/.*process=\([0-9]*\) .*/\1/' | sort -u | wc -l)"

# SPDX-License-Identifier: MIT
# A program with a malloc of its own is said to have one (heap=1), not shown as 0 bytes.
. "$top_srcdir/tests/lib.sh"

boxes
same "output" "own heap" "$(LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_own")"
"$APPS/box_totals" "$DLTRACE_BOX"/*.box >totals
grep -q ' heap=1 ' totals || fail "cover: $(cat totals)"

boxes
LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_edge" large
"$APPS/box_totals" "$DLTRACE_BOX"/*.box >totals
grep -q ' heap=0 ' totals || fail "cover of glibc's heap: $(cat totals)"

# SPDX-License-Identifier: MIT
# Live heap bytes by the black box equal what glibc's mallinfo2 says, to the byte.
. "$top_srcdir/tests/lib.sh"

# One arena, no thread caches, fixed mmap threshold: then glibc's numbers follow from the blocks.
GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=131072
export GLIBC_TUNABLES

# The same where blocks may be mappings of their own, which have other headers.
mkdir alone && cp "$DLTRACE_LIB" alone/
boxes
GLIBC_TUNABLES=$GLIBC_TUNABLES:glibc.malloc.mmap_threshold=300 LD_PRELOAD=$TMP/alone/libdltrace.so "$APPS/heap_identity" ||
	fail "heap_identity with mappings"

# Without LTTng, whose threads have caches too: a library that stands alone.
boxes
LD_PRELOAD=$TMP/alone/libdltrace.so "$APPS/heap_identity" || fail "heap_identity"
same "boxes (one process, four children)" 5 "$(ls "$DLTRACE_BOX" | grep -c '\.box$')"
"$APPS/box_totals" "$DLTRACE_BOX"/*.box >totals
same "boxes with a complete header" 5 "$(grep -c 'magic=1$' totals)"

# With LTTng and every heap event recorded.
boxes
session_start 'dltrace_*' 'dltracefull_*'
LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_identity" parent || fail "heap_identity with a session"
session_stop

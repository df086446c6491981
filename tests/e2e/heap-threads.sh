# SPDX-License-Identifier: MIT
# 100,000 threads one after another with late frees: slots are used again, no byte is lost.
. "$top_srcdir/tests/lib.sh"

GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=131072
export GLIBC_TUNABLES
boxes
timeout 100 env LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_threads" 100000 || fail "heap_threads"

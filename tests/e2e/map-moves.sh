# SPDX-License-Identifier: MIT
# Live bytes of the application's own mappings are exact, and each large one is an event.
. "$top_srcdir/tests/lib.sh"

need babeltrace2
boxes
session_start 'dltrace_map:*'
LD_PRELOAD=$DLTRACE_LIB "$APPS/map_moves" || fail "map_moves"
session_stop
babeltrace2 trace | grep dltrace_map:map >events
same "failed ones (mmap, mremap)" 2 "$(grep -c ', address = 0x0, size = 1152921504606846976, .*result = [1-9]' events)"
same "mremap" 1 "$(grep -c 'size = 3145728, old_address = 0x[0-9A-F]*, old_size = 1048576' events)"

# A forked child has what was mapped when it was forked, whatever its parent unmaps meanwhile.
boxes
timeout 300 env LD_PRELOAD="$DLTRACE_LIB" "$APPS/map_forks" 100 || fail "map_forks"

# SPDX-License-Identifier: MIT
# SIGKILL in the middle of a storm of allocations: every thread's bytes and counts are whole steps.
. "$top_srcdir/tests/lib.sh"

# Alone, without LTTng, whose start in each thread would count there too.
mkdir alone && cp "$DLTRACE_LIB" alone/
for round in 1 2 3 4 5 6 7 8 9 10; do
	boxes
	mkfifo ready.$round
	LD_PRELOAD=$TMP/alone/libdltrace.so "$APPS/heap_storm" kill >ready.$round &
	pid=$!
	read -r line <ready.$round
	same "storm" ready "$line"
	sleep 0.1
	kill -9 $pid
	wait $pid || :
	"$APPS/heap_storm" check "$DLTRACE_BOX"/$pid-*.box || fail "round $round"
done

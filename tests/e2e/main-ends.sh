# SPDX-License-Identifier: MIT
# A process whose first thread has ended is a zombie in /proc, without memory, while the others go on: it is read and
# recorded as before, also by a sampler that comes after that.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq

# check TRACE: the memory is seen to grow, step by step, and no event is missing
check() {
	"$REPORT" -q -f json -o report.json "$1" || [ $? = 1 ] || fail "$1: status $?"
	holds "$1: a process, and its end" '.processes | length == 1 and .[0].exit.status == 0'
	holds "$1: its program" '.processes[0].name | test("main_ends")'
	holds "$1: nothing lost" '[.threads[].lost // 0] | add == 0'
	"$REPORT" --dump "$1" >"$1.txt"
	same "$1: blocks" '2000 2000' "$(grep -c 'dltrace_heap:alloc.* size=1000' "$1.txt") $(grep -c 'dltrace_heap:free.* size=1000' "$1.txt")"
	sed -n 's/.*dltrace_sample:process .* rss_anon=\([0-9]*\) .*/\1/p' "$1.txt" |
		awk '$1 > before + 5000000 { steps++; before = $1 } END { print steps + 0, before + 0 }' >grows
	read -r steps most <grows
	[ "$steps" -ge "$2" ] && [ "$most" -gt 200000000 ] || fail "$1: $most bytes in $steps steps"
}

"$RECORD" -q --require -o outside -- "$APPS/main_ends" || fail "status $?"
check outside 10

"$RECORD" --require -o killed -- "$APPS/main_ends" 2>errors &
recorder=$!
for try in $(seq 200); do
	sampler=$(pgrep -P $recorder -x dltrace-sampler || :)
	program=$(pgrep -P $recorder -x main_ends || :)
	[ -n "$sampler" ] && grep -qs '^State:.Z' "/proc/$program/status" && break
	sleep 0.02
done
sleep 0.3
kill -KILL "$sampler"
wait $recorder || fail "status $?: $(cat errors)"
check killed 5
holds "killed: it is said" '[.. | strings | select(test("sampler has died and was started again"))] | length > 0'

session_start 'dltrace_*' 'dltrace_batch:*'
LD_PRELOAD=$DLTRACE_LIB "$APPS/main_ends" || fail "in a session of one's own: status $?"
session_stop
check trace 10

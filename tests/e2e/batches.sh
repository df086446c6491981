# SPDX-License-Identifier: MIT
# Events that threads note in their rings all come out, once, however it ends.
. "$top_srcdir/tests/lib.sh"
need jq

# heap TRACE: how many blocks of 100,000 bytes and a little were allocated and freed; report.json
heap() {
	"$REPORT" -q -f json -o report.json "$1" || [ $? = 1 ]
	"$APPS/read_trace" "$1" fast dump >events
	echo $(grep -c 'dltrace_heap:alloc.* size=1000' events) $(grep -c 'dltrace_heap:free.* size=1000' events)
}

# 150 blocks a thread: more than a ring holds, and a rest of them in it at the end.
for end in exit _exit exec thread kill; do
	rm -rf trace
	"$RECORD" -q -o trace -- "$APPS/notes" 150 $end || [ $? = 137 ] || fail "$end: status $?"
	same "$end: blocks" '300 300' "$(heap trace)"
	holds "$end: nothing lost" '[.traces[], .threads[] | .lost // 0] | add == 0'
	if command -v babeltrace2 >/dev/null; then
		[ "$(babeltrace2 trace | grep -c 'dltrace_batch:records')" -gt 0 ] || fail "$end: no batches"
		same "$end: none comes alone" 0 "$(babeltrace2 trace | grep -c 'dltrace_heap:' || :)"
	fi
done

# Idle threads: the recorder's sampler, or the hidden thread, takes what they have left.
"$RECORD" -q -o idle --duration 3s -- "$APPS/notes" 20 idle 5
same "idle, recorded: blocks" '40 40' "$(heap idle)"
holds "idle, recorded: nothing lost" '[.traces[], .threads[] | .lost // 0] | add == 0'

session_start 'dltrace_*' 'dltrace_batch:*'
LD_PRELOAD=$DLTRACE_LIB "$APPS/notes" 20 idle 5 &
app=$!
sleep 3
session_stop	# the program sleeps on
wait $app
same "idle, own session: blocks" '40 40' "$(heap trace)"
holds "idle, own session: nothing lost" '[.traces[], .threads[] | .lost // 0] | add == 0'

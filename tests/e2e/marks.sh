# SPDX-License-Identifier: MIT
# What a program names itself, by NVTX and by dltrace.h, becomes events; without a session, without
# the library and with a tool of the user's own it runs the same.
. "$top_srcdir/tests/lib.sh"
need jq

unset NVTX_INJECTION64_PATH
"$APPS/marks" >without
LD_PRELOAD=$DLTRACE_LIB "$APPS/marks" >preloaded
same "output with the library preloaded" "$(cat without)" "$(cat preloaded)"
NVTX_INJECTION64_PATH=${DLTRACE_LIB%/*}/libdltrace-nvtx.so "$APPS/marks" >injected
same "output with the tool but without the library" "$(cat without)" "$(cat injected)"

"$RECORD" -q -o trace -- "$APPS/marks" >recorded
same "output while recorded" "$(cat without)" "$(cat recorded)"
"$REPORT" -q --dump trace >text
"$REPORT" -q -o report.json trace

# range WANTED: this many events whose text has this pattern
ranges() {
	same "events like $2" "$1" "$(grep dltrace_mark:range text | grep -c -e "$2")"
}
ranges 2 'kind=4 .* payload_type=2 payload=[12] domain="dltrace" .* name="epoch"'
ranges 6 'kind=5 .* domain="dltrace" .* name="step"'
ranges 6 'kind=1 depth=0 open=0 .* domain="dltrace" .* name="load \\"data\\"\\x0a"'
ranges 6 'kind=1 depth=1 open=0 .* name="inner"'
ranges 1 'duration=0 kind=3 .* name="saved"'
ranges 1 'kind=1 depth=0 open=0 .* domain="" category="" name="outer"'
ranges 1 'kind=2 .* open=0 .* name="started"'
ranges 1 'kind=2 .* open=1 .* name="never ended"'
ranges 1 'kind=1 depth=0 open=1 .* name="never popped"'
ranges 1 'kind=3 .* name="ž€😀"'
ranges 1 'payload_type=2 payload=18446744073709551611 domain="domain" category="category" name="registered"'
ranges 1 'payload_type=3 payload=4602678819172646912 domain="domain" category="8" name="weit"'
ranges 1 'open=1 .* name="left by its thread"'
ranges 1 'open=1 .* name="left by the process"'
ranges 1 'open=0 .* name="around fork"'
ranges 1 'depth=1 open=0 .* name="in child"'

row='.ranges[] | select(.name ==' # ... "name")
holds "epochs last until the next" "$row \"epoch\") | .count == 2 and .open == 0"
holds "steps do" "$row \"step\") | .count == 6 and .kind == \"step\""
holds "iterations" ".iterations[0].count == 6 and .iterations[0].epochs[1].number == 2"
holds "nothing is lost" '[.processes[].process] | length == 2'
holds "no limit tells of losses" '[.limits[] | select(.kind == "lost")] == []'

# The three lines of Python, as they are documented.
for page in man/dltrace.7 README.md; do
	{
		sed -n '/^ *import ctypes/,/^ *epoch = /{s/^ *//;p}' "$top_srcdir/$page"
		printf '%s\n' 'for number in 1, 2, -1:' '    epoch(number)' 'print("done")'
	} >lines.py
	same "lines of $page" 6 "$(wc -l <lines.py)"
	same "without dltrace, $page" "done" "$(python3 lines.py)"
	rm -rf lines
	same "under dltrace, $page" "done" "$("$RECORD" -q -o lines -- python3 lines.py)"
	"$REPORT" -q -f json lines >lines.json
	same "epochs, $page" 2 "$(jq '.ranges[] | select(.name == "epoch") | .count' lines.json)"
done

holds "a thread's name of NVTX's" 'any(.threads[]; .name == "the thread that begins it all")'

# What its thread and others have open: told by the thread that ends the process, as theirs.
begun_by() {
	sed -n "s/.*thread=\([0-9]*\) begun_by=\([0-9]*\) .*name=\"$1\"/\1 \2/p" text
}
set -- $(begun_by "left by the process")
[ "$1" != "$2" ] || fail "the range of another thread is told as if it were its own"

# A tool that the user has chosen stays.
mkdir tool
NVTX_INJECTION64_PATH=$TMP/tool/none.so "$RECORD" -q -o trace2 -- sh -c 'echo "$NVTX_INJECTION64_PATH"; exec "$0" nvtx' "$APPS/marks" >kept
same "NVTX_INJECTION64_PATH of the user" "$TMP/tool/none.so" "$(head -1 kept)"
"$REPORT" -q -o report2.json trace2
holds "its NVTX ranges go there" '.ranges == []' report2.json
holds "and the report says so" '[.findings[] | select(.text | test("NVTX_INJECTION64_PATH"))] | length == 1' report2.json

# What is called inside a range, counted for each range around it.
STUBS=$STUBS "$RECORD" -q -o trace4 -- "$APPS/marks" calls
"$REPORT" -q -o report4.json trace4
inside() {
	jq -r --arg name "$1" '[.range_calls[] | select(.name == $name) | "\(.calls_kind) \(.calls)"] | sort | join(", ")' report4.json
}
same "calls inside a range" "allocate 4, synchronise 2" "$(inside "with calls")"
same "... the inner one" "synchronise 2" "$(inside "inner calls")"
same "... the first step, the second is not over" "allocate 1" "$(inside step)"
holds "their share" '[.range_calls[] | select(.share <= 0 or .share > 1)] == []' report4.json

# A flood of names fills nothing: all are events, the report sums the rest up. What a slow machine
# could not take away in time is lost, and told.
"$RECORD" -q -o trace3 -- "$APPS/marks" flood
"$REPORT" -q -o report3.json trace3
holds "many names" '[.ranges[] | select(.kind == "push-pop")] | length == 4097' report3.json
holds "the rest" '.traces[0].lost as $lost | .ranges[] | select(.name == "(other names)" and .kind == "push-pop") |
	20000 + 31 - 4096 - .count | . >= 0 and . <= $lost' report3.json

# SPDX-License-Identifier: MIT
# A thread for each task: one ends after the sampler has asked for what it noted and left, before that is taken,
# and the next one has its slot by then. What it left is its own all the same.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq

"$RECORD" -q --require --sample 400ms -o trace -- "$APPS/in_turn" 12 620 || fail "status $?"
"$REPORT" -q -f json -o report.json trace || fail "report: status $?"
holds "nothing lost" '[.traces[], .threads[] | .lost // 0] | add == 0'
"$REPORT" -q --verify trace >verify.txt || fail "$(cat verify.txt)"
"$REPORT" --dump trace >events
same "blocks" '3600 3600' "$(grep -c 'dltrace_heap:alloc.* size=1000' events) $(grep -c 'dltrace_heap:free.* size=1000' events)"

# SPDX-License-Identifier: MIT
# A real training with two DataLoader workers under dltrace-record: same output, same exit status,
# and a report that knows the framework, the threads, the heap, the workers and the functions.
. "$top_srcdir/tests/lib.sh"
need jq
python=$(python_with_torch)
training="$python $top_srcdir/scripts/train.py --size 64 --batch 4 --iterations 6 --epochs 2 --workers 2"

$training >plain 2>/dev/null
"$RECORD" -q --require -o trace -- $training >recorded 2>errors || fail "status $?: $(cat errors)"
cmp plain recorded || fail "the output differs"
"$REPORT" trace -o report.json

holds "framework" '[.processes[].frameworks[] | select(.name == "PyTorch" and (.version | test("^1[.]|^2[.]")))] | length > 0'
main=$(jq '[.processes[] | select(any(.frameworks[]; .name == "PyTorch"))] | sort_by(.begin_ns)[0].process' report.json)
holds "two workers an epoch" "[.processes[] | select(.parent == $main)] | length == 4"
holds "workers have ended" "all(.processes[] | select(.parent == $main); .end_ns != null)"
holds "exit status" ".processes[] | select(.process == $main) | .exit.status == 0"
holds "threads" "[.threads[] | select(.process == $main)] | length >= 2"
holds "heap" ".heap[] | select(.process == $main) | .allocations > 100000 and .frees <= .allocations and .peak_bytes > 10000000"
holds "functions of the CPU" "[.breakdown[] | select(.process == $main) | .layer] | contains([\"openmp\"]) or contains([\"dnn\"]) or contains([\"blas\"])"
holds "shares of a layer are at most one" '[.breakdown[] | {k: "\(.process) \(.layer)", share}] | group_by(.k) | all(map(.share) | add < 1.0001)'
holds "curves" '[.series[].name] | contains(["threads", "rss_bytes", "cpu_percent", "ram_percent"])'
holds "nothing is lost" 'all(.traces[]; .lost == 0)'
"$REPORT" -q --verify trace >verify.txt || fail "not verified: $(grep -A3 '✗' verify.txt)"

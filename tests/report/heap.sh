# SPDX-License-Identifier: MIT
# Heap counts are those of the last reading; a forked child's include what it inherited; a heap
# that is not ours is null.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[1s] dltrace_proc:process process=2 parent=1 pid=101 begin=1s reason=1 inherited_bytes=1000 inherited_blocks=10
[1s] dltrace_proc:process process=3 pid=102 begin=1s heap=1
[2s] dltrace_sample:process process=1 time=2s threads=1 allocated=5000 freed=1000 allocations=50 frees=10 heap_peak=4500 peak_error=64K
[2s] dltrace_sample:process process=2 time=2s threads=1 allocated=300 allocations=3 heap_peak=1200
[2s] dltrace_sample:process process=3 time=2s threads=1 allocated=7 allocations=7
[3s] dltrace_sample:process process=2 time=3s final=1 allocated=300 freed=900 allocations=3 frees=9 heap_peak=1200
[4s] dltrace_sample:process process=1 time=4s final=1 allocated=6000 freed=5999 allocations=60 frees=59 heap_peak=4500 peak_error=64K
END
same live 1 "$(json 'row("heap", process=1)["live_bytes"]')"
same blocks 1 "$(json 'row("heap", process=1)["live_blocks"]')"
same allocations 60 "$(json 'row("heap", process=1)["allocations"]')"
same peak 4500 "$(json 'row("heap", process=1)["peak_bytes"]')"
same "peak error" 65536 "$(json 'row("heap", process=1)["peak_error_bytes"]')"
same "child's live" 400 "$(json 'row("heap", process=2)["live_bytes"]')"
same "child's blocks" 4 "$(json 'row("heap", process=2)["live_blocks"]')"
same "child's allocations" 3 "$(json 'row("heap", process=2)["allocations"]')"
same "not ours" None "$(json 'row("heap", process=3)["live_bytes"]')"
same "said so" no "$(json 'row("coverage", process=3, kind="heap")["covered"]')"
same "peak of the curve" 4000 "$(json 'int(peak("heap_bytes", 1))')"
same "inherited once in the run" 4300 "$(json 'int(peak("heap_bytes"))')"

# A peak between two readings is the run's, too: the process itself knows it, of its whole life.
report_text <<'TRACE'
dltrace-text 1
recording exit 0
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[2s] dltrace_sample:process process=1 time=2s threads=1 allocated=4000 allocations=4 heap_peak=4000
[3s] dltrace_sample:process process=1 time=3s threads=1 allocated=20000 freed=17000 allocations=20 frees=17 heap_peak=9000
[3s] dltrace_sample:process process=1 time=3s gpu_memory=[0x10c000000 300 900 0 0 0 0 0 0 0 0 0]
[4s] dltrace_sample:process process=1 time=4s final=1 allocated=20000 freed=20000 allocations=20 frees=20 heap_peak=9000
TRACE
same "the run's peak" "(9000, 900)" "$(json '(r["runs"][0]["heap_peak_bytes"], r["runs"][0]["gpu_peak_bytes"])')"
exits 3 "$REPORT" trace.txt --fail-if 'heap_peak>8K'
"$REPORT" -q -f json --to 2500ms trace.txt >r.json
same "of a part the readings in it" 4000 "$(json 'r["runs"][0]["heap_peak_bytes"]')"
sed 's/heap_peak=9000/heap_peak=8000/' trace.txt >lower.txt
"$REPORT" -q trace.txt lower.txt >text
same "of each trace" "8.79 7.81" "$(sed -n '/^Each trace/,/^$/p' text | sed -n 's/.* \([0-9.]*\) KiB.*/\1/p' | xargs)"

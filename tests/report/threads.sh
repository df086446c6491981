# SPDX-License-Identifier: MIT
# Threads are counted by their begin and end and by samples, once; who made them and what they run.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/app"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s
[1s] dltrace_proc:library process=1 library=1 path="/lib/libgomp.so.1"
[1100ms] dltrace_proc:thread thread=2 process=1 tid=101 creator=1 creator_library=1 start_library=1 start_offset=0x40 begin=1100ms name="worker"
[1200ms] dltrace_proc:thread thread=3 process=1 tid=102 creator=1 creator_library=1 begin=1200ms
# sampled before the event of thread 4 was written, but after its birth
[1300ms] dltrace_sample:process process=1 time=1300ms threads=4
[1301ms] dltrace_proc:thread thread=4 process=1 tid=103 creator=1 begin=1299ms
[1400ms] dltrace_sample:process process=1 time=1400ms threads=4
[1500ms] dltrace_proc:thread_end thread=2 cpu=30ms events=2
[1600ms] dltrace_proc:thread_end thread=3 cpu=40ms events=2
[1700ms] dltrace_sample:process process=1 time=1700ms threads=2
[1800ms] dltrace_proc:exit process=1 events=9
END
same peak 4 "$(json 'row("processes", pid=100)["threads_peak"]')"
same "the run's peak" 4 "$(json 'int(peak("threads"))')"
same "after two ends" 2 "$(json '[int(v) for t, v in points("threads") if t == 600000000][0]')"
same "at the end" 0 "$(json 'int(points("threads")[-1][1])')"
same creator 1 "$(json 'row("threads", thread=2)["creator"]')"
same routine libgomp.so.1+0x40 "$(json 'row("threads", thread=2)["routine"]')"
same name worker "$(json 'row("threads", thread=2)["name"]')"
same cpu 30000000 "$(json 'row("threads", thread=2)["cpu_ns"]')"
same end 500000000 "$(json 'row("threads", thread=2)["end_ns"]')"
same "end with the process" 800000000 "$(json 'row("threads", thread=4)["end_ns"]')"
same "nothing is missing" 0 "$(json 'r["traces"][0]["lost"]')"

# In words, a CPU time that nobody read is not 0, and what is of no thread is told.
report_text <<'EVENTS'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/app"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s name="app"
[1s] dltrace_proc:thread thread=2 process=1 tid=101 begin=1s name="short"
[2s] dltrace_sample:process process=1 time=2s threads=2 user=1690ms
[2s] dltrace_sample:thread thread=1 time=2s cpu=1690ms
[2400ms] dltrace_sample:process process=1 time=2400ms threads=2 user=2030ms
[2400ms] dltrace_proc:exit process=1 events=9
EVENTS
"$REPORT" -q "$TMP/trace.txt" >text
same "not read" "short 1 – –" "$(sed -n '/^Threads/,/^$/p' text | grep short | tr -s ' ' | sed 's/^ //')"
grep -q '340 ms of the 2.03 s that all processes used are of no thread' text || fail "not told: $(cat text)"
sed 's/cpu=1690ms/cpu=2020ms/' "$TMP/trace.txt" >all.txt
! "$REPORT" -q all.txt | grep -q 'of no thread' || fail "too little to be told"
! "$REPORT" -q --from 100ms "$TMP/trace.txt" | grep -q 'of no thread' || fail "told of a part"

# What counts is when a thread began, not when it was announced: by then another may have ended.
report_text <<'TRACE'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/app"
[1200ms] dltrace_proc:process process=2 parent=1 pid=101 reason=1 begin=1100ms exe="/bin/app"
[1300ms] dltrace_proc:exit process=2 events=1
[1400ms] dltrace_proc:process process=4 parent=1 pid=103 reason=1 begin=1260ms exe="/bin/app"
[1410ms] dltrace_proc:process process=3 parent=1 pid=102 reason=1 begin=1250ms exe="/bin/app"
[1500ms] dltrace_proc:thread thread=5 process=1 tid=104 creator=1 begin=1270ms
[1500ms] dltrace_proc:thread_end thread=5
[1600ms] dltrace_proc:exit process=4 events=1
[1700ms] dltrace_proc:exit process=3 events=1
[2s] dltrace_proc:exit process=1 events=2
TRACE
same "as they lived" "[(0, 1), (100, 2), (250, 3), (260, 4), (270, 5), (300, 4), (500, 3), (600, 2), (700, 1), (1000, 0)]" \
	"$(json '[(t // 1000000, int(v)) for t, v in points("threads")]')"
same "the mean" 2.22 "$(json '[s["mean"] for s in r["series"] if s["name"] == "threads" and s["process"] is None][0]')"
same "of a process" "[(0, 1), (270, 2), (500, 1), (1000, 0)]" "$(json '[(t // 1000000, int(v)) for t, v in points("threads", 1)]')"
same "the run's peak by lives" 5 "$(json 'int(r["runs"][0]["threads_peak"])')"
same "in the order of their begin" "[1, 2, 3, 4, 5]" "$(json '[t["thread"] for t in r["threads"]]')"

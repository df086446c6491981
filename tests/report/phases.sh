# SPDX-License-Identifier: MIT
# Phases in every table: calls, heap, CPU time, threads and children of each; compilers that ran
# before the first iteration; sums over the phases are those of the whole; any parts give the same.
. "$top_srcdir/tests/lib.sh"
need jq

python3 "$top_srcdir/tests/report/phased.py" >"$TMP/trace"
report_text <"$TMP/trace"
same "phases" "start-up compilation steady end" "$(json '" ".join(p["phase"] for p in rows("phases", process=1))')"
same "when" "[0.0, 4.0, 9.5, 11.5]" "$(json '[round(p["begin_ns"] / 1e9, 1) for p in r["phases"]]')"
same "CPU time" "[4.0, 5.5, 2.0, 2.0]" "$(json '[round(p["cpu_ns"] / 1e9, 1) for p in r["phases"]]')"
same "cores" "[1.0, 1.0, 1.0, 1.0]" "$(json '[round(float(p["cpu_cores"]), 2) for p in r["phases"]]')"
same "heap before the first step" 0.99 "$(json 'round(sum(p["heap_share"] for p in r["phases"][:2]), 2)')"
same "all of the heap" "$(json 'r["heap"][0]["allocations"]')" "$(json 'sum(p["heap_calls"] for p in r["phases"])')"
same "threads" "[1, 0, 0, 0]" "$(json '[p["threads"] for p in r["phases"]]')"
same "children" "[0, 3, 1, 0]" "$(json '[p["children"] for p in r["phases"]]')"
# What is within half a slice of a border may be on its other side.
near() { json "(lambda a: all(abs(x - y) <= 6 for x, y in zip(a, $2)) and sum(a) == sum($2) or a)($1)"; }
same "products" True "$(near '[p["compute_calls"] for p in r["phases"]]' '[0, 0, 240, 0]')"
same "large blocks" True "$(near '[p["large_blocks"] for p in r["phases"]]' '[40, 55, 0, 1]')"
same "how sure" True "$(json '67e6 < r["phases"][0]["border_ns"] <= 100e6')"
same "the function's phase" steady "$(json 'rows("breakdown", process=1)[0]["phase"]')"
same "calls by phase" "$(json '[p["large_blocks"] for p in r["phases"] if p["large_blocks"]]')" "$(json '[rows("phase_functions", function="malloc", phase=p)[0]["calls"] for p in ("start-up", "compilation", "end")]')"
same "all calls" True "$(json 'sum(f["calls"] for f in rows("phase_functions", function="sgemm_")) == sum(b["calls"] for b in r["breakdown"])')"
same "a worker's" "['steady']" "$(json '[f["phase"] for f in r["phase_functions"] if f["process"] != 1 and f["function"] == "sgemm_"]')"
same "a share of its phase" 1 "$(json 'int(rows("phase_functions", function="sgemm_", process=1)[0]["share"])')"
same "a thread's" start-up "$(json 'rows("threads", tid=107)[0]["phase"]')"
same "processes'" "start-up compilation compilation compilation steady" "$(json '" ".join(p["phase"] for p in r["processes"])')"
same "a failure's" end "$(json 'r["failures"][0]["phase"]')"
cp "$TMP/r.json" whole.json
for jobs in 2 3 7; do
	"$REPORT" -q -f json --jobs $jobs "$TMP/trace.txt" >parts.json || fail "no report in $jobs parts"
	cmp whole.json parts.json || fail "$jobs parts make another report"
done

# As text: what counts events says so and of how many calls, and cores are in hundredths.
{
	awk '/ user=/ { match($0, /user=[0-9]+/); ms = substr($0, RSTART + 5, RLENGTH - 5)
		if (ms > 10500) sub(/user=[0-9]+ms/, "user=" 10500000 + ms - 10500 "us") } { print }' "$TMP/trace"
	echo '[14400ms] dltrace_sample:function process=1 function=sgemm_ library=1 calls=500 outer_calls=500 total=2s outer_total=2s'
} >counted.txt
"$REPORT" -q --width 120 counted.txt >text || [ $? = 1 ] || fail "no report as text"
grep -q '^  compute events are the calls of BLAS, DNN and OpenMP that were noted one by one: 240 of 500$' text ||
	fail "events and calls: $(grep -A9 'compute events' text)"
same "cores of a phase that waits" "<0.01" "$(awk '$1 == "end" && $3 == "s" { print $6 }' text | head -1)"
"$REPORT" -q --width 60 counted.txt >text || [ $? = 1 ]
! grep -q 'compute events' text || fail "a note on what is not shown"
report_text <"$TMP/trace"

# Libraries are loaded before it can say that it begins, and tidy up after its last word: 400 ms and 4 s of CPU time, the
# latter in 5 s.
{
	awk '/sample:process process=1 / { match($0, /user=[0-9]+/); sub(/user=[0-9]+/, "user=" substr($0, RSTART + 5, RLENGTH - 5) + 400) } { print }' "$TMP/trace"
	for at in 18s 19500ms 21s; do
		echo "[$at] dltrace_sample:process process=1 time=$at threads=1 user=$([ $at = 18s ] && echo 16700 || echo 17900)ms rss_anon=1M allocations=10000000 allocated=100000000 final=$([ $at != 21s ]; echo $?)"
	done
} | report_text
same "CPU time outside" "[4.4, 5.5, 2.0, 6.0]" "$(json '[round(p["cpu_ns"] / 1e9, 1) for p in r["phases"]]')"
same "in its time" "[1.0, 1.0, 1.0, 0.86]" "$(json '[round(float(p["cpu_cores"]), 2) for p in r["phases"]]')"
report_text <"$TMP/trace"

# Who is started beside it, by the same shell, is no child of its.
{
	cat "$TMP/trace"
	echo '[1s] dltrace_proc:process process=40 pid=400 begin=1s host="h" exe="/bin/bash"'
	echo '[14s] dltrace_proc:process process=41 parent=40 pid=401 parent_pid=400 begin=14s host="h" exe="/usr/bin/python3"'
} | report_text
same "a sibling" "[0, 3, 1, 0]" "$(json '[p["children"] for p in r["phases"]]')"

# The first event comes when a process has connected to LTTng: what is shown begins with the trace all the same.
# What ran long before it was recorded did begin before.
sed 's/begin=1s /begin=999700us /' "$TMP/trace" | report_text
same "a process that connects" "[0, 1.0]" "$(json '[r["phases"][0]["begin_ns"], round(sum(p["share"] for p in r["phases"]), 9)]')"
{
	cat "$TMP/trace"
	echo '[1s] dltrace_sample:machine host="h" time=999800us cpus=2 memory=8G available=6G'
} | report_text
same "a sample before the first event" 0 "$(json 'min(p[0] for s in r["series"] for p in s["points"])')"
sed 's/begin=1s /begin=10ms /' "$TMP/trace" | report_text
same "one that ran before" "[-990000000, 1.0]" "$(json '[r["phases"][0]["begin_ns"], round(sum(p["share"] for p in r["phases"]), 9)]')"

# What the program names itself: in one phase, over several, a moment.
mark='dltrace_mark:range thread=1 begun_by=1'
{
	cat "$TMP/trace"
	echo "[3900ms] $mark kind=1 duration=1s name=\"import\""
	echo "[13900ms] $mark kind=1 duration=5s name=\"all\""
	echo "[13900ms] $mark kind=3 name=\"saved\""
} | report_text
same "ranges" "start-up None" "$(json '" ".join(str(row("ranges", name=n)["phase"]) for n in ("import", "all"))')"
same "marks" "end" "$(json 'row("marks", name="saved")["phase"]')"
report_text <"$TMP/trace"

# One phase alone: the traces are read again for what happened in it.
cp "$TMP/r.json" all.json
for phase in start-up compilation steady end; do
	"$REPORT" -q -f json --phase $phase "$TMP/trace.txt" >"$TMP/r.json" || fail "no report of $phase"
	for report in all.json "$TMP/r.json"; do
		jq '.phases | map([.phase, .begin_ns, .end_ns, .iterations])' $report >"$(basename $report).phases"
	done
	cmp all.json.phases r.json.phases || fail "$phase: other phases"
	"$REPORT" -q -f json --jobs 3 --phase $phase "$TMP/trace.txt" >parts.json || fail "no report of $phase in parts"
	cmp "$TMP/r.json" parts.json || fail "$phase: 3 parts make another report"
	eval "calls_${phase%%-*}='$(json '[[b["calls"] for b in r["breakdown"] if b["process"] == 1], len(r["failures"]), len(r["threads"])]')'"
done
json 'rows("limits", kind="filtered")[0]["text"]' | grep -q "outside of the phase end" || fail "the limits do not say so"
same "start-up alone" "[[], 0, 2]" "$calls_start"
same "compilation alone" "[[], 0, 5]" "$calls_compilation"
same "steady alone" "[[240], 0, 3]" "$calls_steady"
same "end alone" "[[], 1, 3]" "$calls_end"
exits 2 "$REPORT" --phase warm-up "$TMP/trace.txt"
says "^dltrace-report: --phase warm-up: no such phase was found; there are compilation, end, start-up, steady$"
says_one_line
# With --from and --to: what of the phase is between them, and it is that of the whole trace.
steady=$(jq -r '.phases[] | select(.phase == "steady") | "\(.begin_ns) \(.end_ns)"' all.json | head -1)
middle=$(((${steady% *} + ${steady#* }) / 2))
"$REPORT" -q -f json --phase steady --from ${middle}ns "$TMP/trace.txt" >"$TMP/r.json"
same "half of it" True "$(json "0 < sum(b['calls'] for b in r['breakdown'] if b['process'] == 1) < 240")"
same "the phases" "$(cat all.json.phases)" "$(jq '.phases | map([.phase, .begin_ns, .end_ns, .iterations])' "$TMP/r.json")"
exits 2 "$REPORT" --phase start-up --from ${middle}ns "$TMP/trace.txt"
says "^dltrace-report: --phase start-up: --from and --to leave nothing of it$"
# Of two, the one without it is only told of.
exits 0 "$REPORT" --phase steady "$TMP/trace.txt" "$top_srcdir/tests/report/training.txt"
says "training.txt: no such phase was found in it"

# Compilers that are only counted: whoever ran them tells when. Asked where a library is, they compile nothing.
child='dltrace_proc:child thread=1 how='
counted() { # BEGIN END PROGRAM...: in ms
	grep -v 'pid=20[0-2] \|process=2[0-2] ' "$TMP/trace"
	while [ $# -ge 3 ]; do
		echo "[$((1000 + $1))ms] ${child}0 child=$((300 + $1)) traced=1"
		echo "[$((1000 + $2))ms] ${child}5 child=$((300 + $1)) path=\"$3\""
		shift 3
	done
}
phases() { json '[(p["phase"], round(p["begin_ns"] / 1e9, 1)) for p in r["phases"]][1:-1]'; }
counted 3000 3090 /usr/bin/g++ 4000 7000 /usr/bin/g++ | report_text
same "g++, counted" "[('compilation', 4.0), ('steady', 9.5)]" "$(phases)"
counted 4000 5000 86_64-linux-gnu-gcc-12 4500 7000 /usr/bin/g++-12 5000 5010 /usr/bin/ptxas | report_text
same "several at once" "[('compilation', 4.0), ('steady', 9.5)]" "$(phases)"
counted 4000 7000 /usr/bin/ld | report_text
same "no compiler" "[('steady', 9.5)]" "$(phases)"
{
	counted
	echo "[5s] ${child}2 child=300 traced=1 path=\"/opt/cuda/bin/nvcc\""
	echo "[8s] ${child}5 child=300"
} | report_text
same "spawned by name" "[('compilation', 4.0), ('steady', 9.5)]" "$(phases)"
# Run at an import, it is not what the rest of the time until the first iteration goes into.
counted 1000 1200 /usr/bin/g++ | report_text
same "one at an import" "[('steady', 9.5)]" "$(phases)"
counted 1000 1200 /usr/bin/g++ 8000 8200 /usr/bin/g++ | report_text
same "one at an import, one later" "[('compilation', 8.0), ('steady', 9.5)]" "$(phases)"

# A framework that compiles inside the process: its heap tells, before and in the first iterations.
python3 - >"$TMP/trace" <<'END'
def at(ms): return f"[{int((1000 + ms) * 1000)}us]"
print('dltrace-text 1')
print('[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3" heap=0')
print(at(10), 'dltrace_proc:library process=1 library=1 path="/lib/jaxlib/libjax_common.so"')
sizes = [100000 + 1000 * i for i in range(12)]
starts = [10000] + [15000 + 500 * i for i in range(19)]
for start in starts:
    for i, size in enumerate(sizes):
        print(at(start + 10 * i), f'dltrace_heap:alloc thread=1 function=malloc library=1 size={size} ptr=0x1000')
calls = 0
for ms in range(0, 25001, 100):
    calls += 1000000 * 100 // 1000 if 6000 <= ms < 9000 or 10500 <= ms < 14500 else 150000 * 100 // 1000
    print(at(ms + 1), f'dltrace_sample:process process=1 time={1000 + ms}ms threads=1 user={ms}ms rss_anon=1M allocations={calls} allocated={calls * 10}')
print(at(25001), 'dltrace_proc:exit process=1 how=0 code=0')
END
report_text <"$TMP/trace"
same "iterations by blocks alone" "20 calls" "$(json '"%(count)s %(how)s" % row("iterations")')"
same "its phases" "start-up compilation warm-up steady end" "$(json '" ".join(p["phase"] for p in r["phases"])')"
same "compiling, from when on and until when" "[10.5, 14.5]" "$(json '[p["begin_ns"] / 1e9 for p in r["phases"]][1:3]')"
json 'r["phases"][1]["how"]' | grep -q likely || fail "how sure it is: $(json 'r["phases"][1]["how"]')"

# In the first iteration it may pause for longer than before it.
awk '/allocations=/ { match($0, /time=[0-9]*/); ms = substr($0, RSTART + 5, RLENGTH - 5) - 1000
	match($0, /allocations=[0-9]*/); n = substr($0, RSTART + 12, RLENGTH - 12)
	more += ms >= 11500 && ms < 13500 ? n - last - 15000 : 0
	last = n
	sub(/allocations=[0-9]*/, "allocations=" n - more) } { print }' "$TMP/trace" >pauses
report_text <pauses
same "compiling with a pause in the first iteration" "[10.5, 14.5]" "$(json '[p["begin_ns"] / 1e9 for p in r["phases"]][1:3]')"

# Imports may call the heap as often: where packages are imported, nothing is compiled yet; one alone may come late.
awk '/allocations=/ { match($0, /time=[0-9]*/); ms = substr($0, RSTART + 5, RLENGTH - 5) - 1000
	match($0, /allocations=[0-9]*/); n = substr($0, RSTART + 12, RLENGTH - 12)
	more += (ms >= 9000 && ms < 10500) ? 85000 : 0
	sub(/allocations=[0-9]*/, "allocations=" n + more) } { print }
	/library=1 path=/ { for (ms = 200; ms < 8000; ms += 200)
		printf "[%dms] dltrace_proc:object process=1 type=8 id=%d name=\"/site/p%d\"\n", 1000 + ms, ms, ms
	print "[9700ms] dltrace_proc:object process=1 type=8 id=9999 name=\"/site/late\"" }' "$TMP/trace" >imports
report_text <imports
same "compiling begins when imports end" "[8.0, 14.5]" "$(json '[p["begin_ns"] / 1e9 for p in r["phases"]][1:3]')"

# A heap that fills while code is compiled does not keep growing; one that fills in the steady phase does.
heap_of() {
	awk -v from="$1" -v to="$2" '/allocations=/ { match($0, /time=[0-9]*/); ms = substr($0, RSTART + 5, RLENGTH - 5) - 1000
		grown += ms > from && ms <= to ? 2 : 0
		sub(/allocated=[0-9]*/, "allocated=" 50 + grown "M") } { print }' "$TMP/trace" | report_text
	json '[f["text"].split(": ", 1)[1].split(",")[0] for f in r["findings"] if f["rule"] == "heap_grows"]'
}
same "a heap filled by the first iterations" "[]" "$(heap_of 2000 17000)"
same "a heap filled in the iterations" "['20 MiB a second from 15 s on']" "$(heap_of 14000 25000)"

# A trace that claims two centuries between two readings, in which something might have been compiled.
python3 "$top_srcdir/tests/report/phased.py" | python3 -c '
import re, sys
LATER = 200 * 31536000  # s
for line in sys.stdin:
    line = line.replace("libtorch_cpu.so", "libjax_common.so")
    line = re.sub(r"allocations=\d+ allocated=\d+", "allocations=1000 allocated=10000", line)
    at = re.match(r"\[(\d+)us\]", line)
    if at and int(at[1]) > 1001000:
        line = re.sub(r"(time|begin)=(\d+)(m?)s", lambda m: f"{m[1]}={int(m[2]) + LATER * (1000 if m[3] else 1)}{m[3]}s", line)
        line = f"[{int(at[1]) + LATER * 1000000}us]" + line[at.end():]
    print(line, end="")' >"$TMP/old"
timeout 30 "$REPORT" -q "$TMP/old" -o "$TMP/old.json" || fail "two centuries: $?"
same "two centuries" "start-up compilation steady end" "$(jq -r '[.phases[].phase] | join(" ")' "$TMP/old.json")"

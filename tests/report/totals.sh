# SPDX-License-Identifier: MIT
# The library's totals are the exact counts, the last reading wins, and what events miss is said.
. "$top_srcdir/tests/lib.sh"
cat >trace <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[1s] dltrace_proc:function process=1 function=sgemm_ layer="blas" kind="compute" name="sgemm_"
[1s] dltrace_proc:function process=1 function=dgemm_ layer="blas" kind="compute" name="dgemm_"
[1100ms] dltrace_cpu:blas thread=1 function=sgemm_ duration=50ms
[1200ms] dltrace_sample:function process=1 function=sgemm_ calls=7 outer_calls=5 total=60ms outer_total=55ms nested=5ms first=1ms min=900 max=50ms squares_low=1000 buckets=[0x10000000000007]
[1250ms] dltrace_sample:function process=1 function=sgemm_ calls=9 outer_calls=6 total=80ms outer_total=75ms nested=5ms first=1ms min=800 max=50ms squares_high=1 buckets=[0x10000000000009]
[1300ms] dltrace_sample:function process=1 function=dgemm_ calls=3 outer_calls=3 total=25ms outer_total=25ms min=1ms max=9ms
[1400ms] dltrace_sample:function process=1 function=sgemm_ calls=9 outer_calls=6 total=80ms outer_total=75ms nested=5ms first=1ms min=800 max=50ms squares_high=1
[2s] dltrace_proc:exit process=1 events=5
END
report_text <trace
same calls 9 "$(json 'row("breakdown", function="sgemm_")["calls"]')"
same total 80000000 "$(json 'row("breakdown", function="sgemm_")["total_ns"]')"
same "share counts outermost time" 0.75 "$(json 'row("breakdown", function="sgemm_")["share"]')"
same first 1000000 "$(json 'row("breakdown", function="sgemm_")["first_ns"]')"
same min 800 "$(json 'row("breakdown", function="sgemm_")["min_ns"]')"
same "a reading without a distribution leaves the last one" True "$(json 'row("breakdown", function="sgemm_")["median_ns"] is not None')"
same "... in words" 1 "$(json 'sum("8 outermost calls (50 ms)" in x["text"] for x in r["limits"])')"
same "only counted" 8.0 "$(json 'float(row("limits", kind="threshold")["value"])')"

# In words, what is of the outermost calls and what of all.
"$REPORT" -q "$TMP/trace.txt" >text
grep -q '^  outermost: without calls that ran inside of others; calls and mean are of all$' text || fail "of which calls: $(cat text)"
"$REPORT" -q --width 40 "$TMP/trace.txt" >narrow
[ "$(tail -n +5 narrow | wc -L)" -le 40 ] || fail "a line over 40 columns: $(cat narrow)"
grep -q '^  function .* outermost ' text || fail "of which calls: $(cat text)"
sed 's/outer_calls=6 total=80ms/outer_calls=6 total=75ms/' "$TMP/trace.txt" >flat.txt
! "$REPORT" -q flat.txt | grep -q outermost.*calls.and.mean || fail "none is inside of another"

# From --from on there are only events.
report_text --from 50ms --to 150ms <trace
same "calls in the window" 1 "$(json 'row("breakdown", function="sgemm_")["calls"]')"
report_text --from 120ms <trace
same "no call in the window" 0 "$(json 'len(r["breakdown"])')"

# Totals that nobody said again before the trace ended: what the events add up to is nearer, and it is told.
{
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s'
	echo '[1s] dltrace_proc:function process=1 function=sgemm_ layer="blas" kind="compute" name="sgemm_"'
	echo '[1s] dltrace_sample:process process=1 time=1s threads=1'
	echo '[1020ms] dltrace_sample:function process=1 function=sgemm_ calls=1 outer_calls=1 total=1ms outer_total=1ms'
	for i in 11 12 13 14 15; do echo "[${i}00ms] dltrace_cpu:blas thread=1 function=sgemm_ duration=1ms"; done
} | report_text
same "calls since the last totals" 5 "$(json 'row("breakdown", function="sgemm_")["calls"]')"
same "their time" 5000000 "$(json 'row("breakdown", function="sgemm_")["total_ns"]')"
same "what it was is said" True "$(json 'any("no last reading: its totals" in l["text"] for l in r["limits"])')"

# Late totals, whose caller is not known, have calls that are events of a library without totals: each counts once.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[1s] dltrace_proc:library process=1 library=1 path="/opt/a.so"
[1s] dltrace_proc:library process=1 library=2 path="/opt/b.so"
[1s] dltrace_proc:function process=1 function=sgemm_ layer="blas" kind="compute" name="sgemm_"
[1s] dltrace_proc:function process=1 function=dgemm_ layer="blas" kind="compute" name="dgemm_"
[1100ms] dltrace_cpu:blas thread=1 function=sgemm_ library=1 duration=5ms
[1200ms] dltrace_cpu:blas thread=1 function=sgemm_ library=2 duration=5ms
[1300ms] dltrace_cpu:blas thread=1 function=dgemm_ library=1 duration=5ms
[1400ms] dltrace_sample:function process=1 function=sgemm_ library=1 calls=3 outer_calls=3 total=9ms outer_total=9ms min=1ms max=5ms buckets=[0x10000000000003]
[1400ms] dltrace_sample:function process=1 function=sgemm_ library=0 calls=4 outer_calls=4 total=9ms outer_total=9ms
[1400ms] dltrace_sample:function process=1 function=dgemm_ library=0 calls=1 outer_calls=1 total=5ms outer_total=5ms
[2s] dltrace_proc:exit process=1 events=6
END
same "calls of each library, and of nobody" "[('a.so', 3), ('b.so', 1), (None, 3)]" \
	"$(json 'sorted(((b["library"], b["calls"]) for b in rows("breakdown", function="sgemm_")), key=lambda x: x[0] or "z")')"
same "time of nobody's" 4000000 "$(json 'row("breakdown", function="sgemm_", library=None)["total_ns"]')"
same "none twice" "[('a.so', 1)]" "$(json '[(b["library"], b["calls"]) for b in rows("breakdown", function="dgemm_")]')"

# Totals that know of fewer calls than events tell, and one call in the late totals: it is one of those.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"
[1s] dltrace_proc:library process=1 library=1 path="/usr/lib/libtorch.so"
[1s] dltrace_proc:function function=cudaFree layer="runtime" kind="free" name="cudaFree"
[2s] dltrace_cuda:other thread=1 function=cudaFree library=1 duration=1ms
[3s] dltrace_cuda:other thread=1 function=cudaFree library=1 duration=1ms
[4s] dltrace_cuda:other thread=1 function=cudaFree library=1 duration=1ms
[5s] dltrace_sample:function process=1 function=cudaFree library=1 calls=2 outer_calls=2 total=2000000 outer_total=2000000 min=1000000 max=1000000 buckets=[0x20000000000002]
[5s] dltrace_sample:function process=1 function=cudaFree library=0 calls=1 outer_calls=1 total=1000000 outer_total=1000000 min=1000000 max=1000000
[5s] dltrace_proc:exit process=1 how=0
END
same "calls told twice" 3 "$(json 'sum(b["calls"] for b in r["breakdown"])')"

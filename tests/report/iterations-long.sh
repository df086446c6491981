# SPDX-License-Identifier: MIT
# Runs of more iterations than are kept one by one: spread, warm-up, slow ones with what was different
# in them, and the curve over the run, from calls, steps that the program marks, and ranges.
. "$top_srcdir/tests/lib.sh"
need python3

# long COUNT PYTHON-FUNCTION: a text trace of so many steps; step(i) is the ns that the i-th takes (from 1)
# and the ns of it that its second product takes. Writes what it did to steps.json.
long() {
	python3 - "$1" "$2" 3>steps.json <<-'END'
	import json, os, random, sys
	random.seed(3)
	ms = 1000000
	exec(sys.argv[2])
	at, steps = 2000 * ms, []
	print('dltrace-text 1')
	print('[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3" heap=0')
	print('[1s] dltrace_proc:library process=1 library=1 path="/usr/lib/libblas.so"')
	print('[1s] dltrace_proc:function process=1 function=sgemm_ layer="blas" kind="compute" name="sgemm_"')
	def call(at, duration, m, n, k):
	    print(f'[{at}] dltrace_cpu:blas thread=1 function=sgemm_ library=1 m={m} n={n} k={k} duration={duration}')
	for i in range(1, int(sys.argv[1]) + 1):
	    duration, inside = step(i)
	    steps.append(duration)
	    call(at + 1 * ms, ms // 2, 512, 32, 784)
	    call(at + 2 * ms + inside, inside, 784, 32, 512)
	    call(at + 3 * ms + inside, ms // 2, 784, 512, 32)
	    at += duration
	print(f'[{at}] dltrace_proc:exit process=1 how=0 code=0')
	os.write(3, json.dumps(steps[:-1]).encode())
	END
}

# told EXPRESSION: over `d`, the durations of all but the last step in ns, and what `json` has
told() {
	json "(lambda d: $1)(json.load(open('steps.json')))"
}

# The first five warm up; one in a hundred varies; two are slow: one computes longer, one waits.
long 6000 '
def step(i):
    if i <= 5: return (40 - 3 * i) * ms, ms
    if i == 2000: return 95 * ms, 80 * ms
    if i == 4500: return 60 * ms, ms
    return 10 * ms + random.randrange(2 * ms), ms + random.randrange(ms)
' | report_text --jobs 1
same "all of them" "6000 calls" "$(json '"%(count)s %(how)s" % row("iterations")')"
same "mean" True "$(told 'abs(row("iterations")["mean_ns"] / (sum(d) / len(d)) - 1) < 1e-9')"
same "deviation" True "$(told 'abs(row("iterations")["stddev_ns"] / __import__("statistics").pstdev(d) - 1) < 1e-6')"
same "extremes" True "$(told '(row("iterations")["min_ns"], row("iterations")["max_ns"]) == (min(d), max(d))')"
same "median" True "$(told 'abs(row("iterations")["median_ns"] / sorted(d)[len(d) // 2] - 1) < 0.02')"
same "p95" True "$(told 'abs(row("iterations")["p95_ns"] / sorted(d)[len(d) * 95 // 100] - 1) < 0.02')"
same "warm-up and slow ones" "5 2" "$(json '"%(warm_up)s %(slow)s" % row("iterations")')"
same "which" "[(2000, 95000000), (4500, 60000000)]" "$(json '[(s["iteration"], s["duration_ns"]) for s in r["slow_iterations"]]')"
json 'r["slow_iterations"][0]["why"]' | grep -q "^7[0-9].* ms more in sgemm_ from libblas.so, with the [0-9]* iterations around it" ||
	fail "why: $(json 'r["slow_iterations"][0]["why"]')"
same "nothing of what waited" False "$(json '"sgemm" in (r["slow_iterations"][1]["why"] or "")')"
same "phases" "[('warm-up', 5), ('steady', 5995)]" "$(json '[(p["phase"], p["iterations"]) for p in r["phases"] if p["iterations"]]')"
same "the curve keeps the peaks" 95000000 "$(json 'int(peak("iteration_ns"))')"
same "of the process, too" True "$(json 'points("iteration_ns") == points("iteration_ns", 1)')"
same "and where they were" True "$(json '[t for t, v in points("iteration_ns") if v == 95e6][0] == r["slow_iterations"][0]["begin_ns"]')"
same "over the whole run" True "$(json 'len(points("iteration_ns")) > 100 and points("iteration_ns")[-1][0] > 0.98 * row("iterations")["end_ns"]')"
for jobs in 2 3 7; do
	"$REPORT" -q -f json --jobs $jobs "$TMP/trace.txt" >parts.json || fail "no report in $jobs parts"
	cmp r.json parts.json || fail "$jobs parts make another report"
done
"$REPORT" -q trace.txt >text
grep -q "^ *an iteration .* 95.0 ms$" text || fail "the text shows no curve: $(cat text)"
grep -q "iteration 2000 at .* took 95.0 ms" text || fail "the text shows no slow one: $(cat text)"

# steps that the program marks, in epochs, and ranges
python3 - >marks.txt <<'END'
print('dltrace-text 1\n[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3"')
at = 2000
for epoch in range(3):
    print(f'[{at}ms] dltrace_mark:range thread=1 begun_by=1 kind=4 payload={epoch}')
    for i in range(2000):
        print(f'[{at}ms] dltrace_mark:range thread=1 begun_by=1 kind=5 payload={i}')
        at += 90 if (epoch, i) == (2, 700) else 40 if epoch == 0 and i < 2 else 5
    print(f'[{at}ms] dltrace_mark:range thread=1 begun_by=1 kind=4 payload=-1')
    at += 300
print(f'[{at}ms] dltrace_proc:exit process=1 how=0 code=0')
END
report_text <marks.txt
same "marks" "6000 marks 5.0 2 1" "$(json '"%s %s %.1f %s %s" % tuple(row("iterations")[k] / (1e6 if k == "median_ns" else 1) if k != "how" else "marks" for k in ("count", "how", "median_ns", "warm_up", "slow"))' | sed 's/\.0 marks/ marks/; s/6000.0/6000/; s/2\.0 1\.0/2 1/')"
same "the slow one, in its epoch" "[(4701, 90000000, 2)]" "$(json '[(s["iteration"], s["duration_ns"], s["epoch"]) for s in r["slow_iterations"]]')"
same "nobody knows how many in each" "[None, None, None]" "$(json '[e["iterations"] for e in r["epochs"]]')"

python3 - >ranges.txt <<'END'
print('dltrace-text 1\n[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3"')
for i in range(1, 5001):
    ms = 75 if i == 3333 else 5
    print(f'[{2000 + 100 * i}ms] dltrace_mark:range thread=1 begun_by=1 kind=1 duration={ms}ms name="step"')
print('[600s] dltrace_proc:exit process=1 how=0 code=0')
END
report_text <ranges.txt
same "ranges, from begin to begin" "5000 100.0 170.0 1" "$(json '"%d %.1f %.1f %d" % (row("iterations")["count"], row("iterations")["median_ns"] / 1e6, row("iterations")["max_ns"] / 1e6, row("iterations")["slow"])')"
same "the long one" 3333 "$(json 'row("slow_iterations")["iteration"]')"
cp "$TMP/r.json" whole.json
for jobs in 2 3 7; do
	"$REPORT" -q -f json --jobs $jobs "$TMP/trace.txt" >parts.json || fail "no report on ranges in $jobs parts"
	cmp whole.json parts.json || fail "ranges in $jobs parts make another report"
done

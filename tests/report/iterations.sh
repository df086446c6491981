# SPDX-License-Identifier: MIT
# Iterations and epochs from the order of calls alone: evaluations, last batches, a GPU, a loop that
# is no training, marks that say it themselves, and what cannot be told.
. "$top_srcdir/tests/lib.sh"

# training PYTHON-STATEMENTS: a text trace; call(name, ms, m, n, k), wait(ms), alloc/free(bytes) are there.
training() {
	python3 - "$1" <<-'END'
	import random, sys
	random.seed(1)
	now = 1000.0
	print('dltrace-text 1')
	print('[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3" heap=0')
	def at(): return f"[{int(now * 1000)}us]"
	def wait(ms):
	    global now
	    now += ms * random.uniform(0.9, 1.1)
	def call(m, n, k, ms=2):
	    wait(ms)
	    print(at(), f'dltrace_cpu:blas thread=1 function=sgemm_ library=1 m={m} n={n} k={k} duration={int(ms * 900)}us')
	def alloc(bytes): wait(0.1); print(at(), f'dltrace_heap:alloc thread=1 function=malloc library=2 size={bytes + 8} ptr=0x1000')
	def free(bytes): wait(0.1); print(at(), f'dltrace_heap:free thread=1 function=free library=2 size={bytes + 8} ptr=0x1000')
	def forward(batch):
	    for out, inside in ((512, 784), (256, 512), (10, 256)): call(out, batch, inside)
	def backward(batch):
	    for out, inside in ((10, 256), (256, 512), (512, 784)): call(inside, batch, out); call(inside, out, batch)
	def step(batch): wait(1); forward(batch); backward(batch)
	def launch(shape): wait(1); print(at(), f'dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 duration=5us shape={shape}')
	exec(sys.argv[1])
	wait(5)
	print(at(), 'dltrace_proc:exit process=1 how=0 code=0')
	END
}

found() { json '"%(count)s %(epoch_count)s %(evaluations)s %(how)s" % row("iterations")'; }

training '
for epoch in range(3):
    for i in range(6): step(32)
    step(20)
' | report_text
same "a last batch of another size" "21 3 0 calls" "$(found)"
same "epochs" "7 7 7" "$(json '" ".join(str(e["iterations"]) for e in r["epochs"])')"
same "phases" "start-up steady end" "$(json '" ".join(p["phase"] for p in r["phases"])')"
same "begins" True "$(json 'r["epochs"][1]["begin_ns"] == row("iterations")["epochs"][1]["begin_ns"] > r["epochs"][0]["begin_ns"]')"

"$REPORT" -q trace.txt >text
grep -qx "Iterations  by the order of its calls" text || fail "what tells them: $(grep ^Iterations text)"

# What comes once may come last in a step: layers that are alike go before it.
training '
for i in range(12):
    for width in (64, 64, 96, 96, 96, 128, 128, 128, 128, 64, 64): call(width, 32, width)
    call(10, 32, 64); call(64, 32, 10, 1)
wait(500)
' | report_text
cp trace.txt one.txt
same "what comes once comes last" "12 None 0 calls" "$(found)"
same "they begin with the first call" True "$(json 'row("iterations")["begin_ns"] < 4e6')"
same "each lasts until the next" True "$(json '23e6 < row("iterations")["min_ns"] <= row("iterations")["mean_ns"] <= row("iterations")["max_ns"] < 27e6')"
same "their mean over the run" "[True, True]" "$(json '[s["mean"] == row("iterations")["mean_ns"] for s in r["series"] if s["name"] == "iteration_ns"]')"
same "all but the last, whose end nothing tells, and the end" "11 None" \
	"$(json '"%d %s" % (sum(v is not None for t, v in points("iteration_ns")), points("iteration_ns")[-1][1])')"
"$REPORT" -q --width 80 trace.txt | grep -q '^  an iteration  *█[^ ]* \{20,\}' ||
	fail "the curve goes on after the last: $("$REPORT" -q --width 80 trace.txt | grep '^  an iteration')"

# The last of each epoch is known to its last call alone, and what took long even so is slow.
training '
for epoch in range(3):
    for i in range(5): step(32); wait(30)
    forward(32); wait(800)
' | report_text
same "the last of an epoch" "15 3 3 calls" "$(found)"
same "there is none until the next epoch" "[4, 9, 14]" "$(json '[i for i, (t, v) in enumerate(points("iteration_ns")) if v is None]')"
same "is no shorter than others" True "$(json '40e6 < row("iterations")["min_ns"] and row("iterations")["stddev_ns"] < 4e6')"
training '
for i in range(12):
    if i == 11: wait(100)
    forward(32)
    if i == 11: wait(300)
    backward(32)
' | report_text
same "the last one is slow" "12 True" "$(json '"%d %s" % (row("slow_iterations")["iteration"], row("slow_iterations")["duration_ns"] == row("iterations")["max_ns"] > 250e6)')"

training '
def more():
    for m, n, k in ((1200, 300, 125), (1200, 125, 300), (300, 125, 1200), (400, 300, 200), (200, 100, 50)): call(m, n, k)
for epoch in range(3):
    for i in range(8): step(32); more()
    step(20)
' | report_text
same "a last batch that does less" "27 3 0 calls" "$(found)"

training '
for epoch in range(4):
    for i in range(5): step(32)
    for i in range(3): forward(32)
' | report_text
same "evaluations after each epoch" "20 4 12 calls" "$(found)"
same "of each epoch" "3 3 3 3" "$(json '" ".join(str(e["evaluations"]) for e in r["epochs"])')"

training '
for epoch in range(2):
    for i in range(9): alloc(100000); i and free(100000); step(16)
    free(100000)
' | report_text
same "the batch that the loop holds" "18 2 0 calls" "$(found)"

# Blocks of sizes of their own that come once in each half: of photos, all over the epoch; of what is done twice.
training '
photos = random.sample(range(70000, 900000, 16), 40)
for epoch in range(2):
    random.shuffle(photos)
    for i in range(10):
        for photo in photos[4 * i:4 * i + 4]: alloc(photo); free(photo)
        step(32)
' | report_text
same "each photo once in an epoch" "20 2 0 calls" "$(found)"
training '
sizes = random.sample(range(70000, 900000, 16), 12)
for i in range(20):
    step(32)
    if i in (7, 15):
        for size in sizes: alloc(size); free(size)
' | report_text
same "a profile of some iterations is summed up twice" "20 None 0 calls" "$(found)"

training '
for i in range(12):
    step(16)
    if i == 7: wait(300)
' | report_text
same "one epoch or many: not told" "12 None 0 calls" "$(found)"
same "a slow one" 8 "$(json 'row("slow_iterations")["iteration"]')"
json 'row("slow_iterations")["why"]' | grep -q "more after its last call" || fail "why: $(json 'row("slow_iterations")["why"]')"

# The CPU time that it used meanwhile: MS of the 300 that it took longer, by samples 10 ms apart.
waiting() {
	training "
used = 0
def sample(ms):
    global used, now
    used += ms; now += 10
    print(at(), f'dltrace_sample:process process=1 time={int(now * 1000)}us threads=1 user={int(used * 1000)}us')
for i in range(12):
    for _ in range(3): sample(10 if i != 8 else 5)
    step(16)
    for _ in range(30 if i == 7 else 0): sample($1)
" | report_text
	json 'row("slow_iterations")["why"]' | sed 's/.*; it waited/it waited/; s/only [0-9.]* ms/only so much/'
}
same "it did nothing" "it waited (no more CPU time than the others)" "$(waiting 0)"
same "it did little" "it waited: only so much more CPU time" "$(waiting 1)"
training '
for i in range(200): call(random.randint(1, 50), random.randint(1, 50), random.randint(1, 50))
' | report_text
same "no rhythm" "None None None not found" "$(found)"
"$REPORT" -q "$TMP/trace.txt" | grep -q "not found" || fail "the text does not say so"

training '
for i in range(30):
    for layer in range(6): launch(1); launch(2)
    launch(3)
    for layer in range(6): launch(4); launch(5)
    launch(6)
' | report_text
same "layers that are alike on a GPU" "30 None 0 calls" "$(found)"

training '
for epoch in range(15):
    for i in range(100):
        for shape in range(1, 6): launch(shape)
    for shape in range(20, 45): launch(shape)
' | report_text
same "more kernels between epochs than in an iteration" "1500 None 0 calls" "$(found)"

# Runs of which not all times are kept: their first part tells the pattern, and counts are exact.
training '
for i in range(3000): step(32)
' | report_text
same "3,000 iterations" "3000 None 0 calls" "$(found)"
same "how long" True "$(json '17e6 < row("iterations")["median_ns"] < 21e6')"
same "none by itself" 0 "$(json 'len(r["slow_iterations"])')"

training '
for epoch in range(30):
    for i in range(103): step(32)
    step(20)
    for i in range(5): forward(32)
' | report_text
same "3,120 iterations in epochs" "3120 None 150 calls" "$(found)"

# very short calls are no events: of the evaluations not all are there
training '
for epoch in range(3):
    for i in range(2500): wait(1); call(101, 32, 102); call(103, 32, 104); call(105, 32, 106); call(107, 32, 108)
    for i in range(200):
        call(101, 32, 102)
        if i % 2: call(103, 32, 104)
' | report_text
same "7,500 iterations and evaluations that are partly seen" "7500 calls" "$(json '"%(count)s %(how)s" % row("iterations")')"

training '
def short(batch): wait(1); call(512, batch, 784); call(784, batch, 512); call(784, 512, batch)
for epoch in range(10):
    for i in range(4999): short(32)
    short(20)
' | report_text --jobs 1
same "50,000 iterations, the first epoch longer than what is kept" "50000 None 0 calls" "$(found)"
cp "$TMP/r.json" whole.json
for jobs in 2 3 7; do
	"$REPORT" -q -f json --jobs $jobs "$TMP/trace.txt" >parts.json || fail "no report in $jobs parts"
	cmp whole.json parts.json || fail "$jobs parts make another report"
done

training '
for i in range(2500): step(32)
for i in range(2500):
    for out, inside in ((70, 71), (72, 73), (74, 75), (76, 77)): call(out, 32, inside)
' | report_text
same "another program after a while" "None None None not found" "$(found)"

training '
for i in range(20000): call(random.randint(1, 3), random.randint(1, 3), 1)
' | report_text
same "much, but no rhythm" "None None None not found" "$(found)"

# The run's curve is of one process of several, which is named: the one that worked most.
for pid in 100 200; do
	sed -n "s/process=1 pid=100/process=$pid pid=$pid/; s/thread=1 /thread=$pid /; s/exit process=1/exit process=$pid/; p" one.txt >$pid.txt
done
{ cat 100.txt; sed 1d 200.txt; echo "[1500ms] dltrace_sample:process process=200 time=1500ms threads=1 user=9ms"; } | report_text
same "of which" "200" "$(json '[p["pid"] for p in r["processes"] for s in r["series"] if s["name"] == "iteration_ns" and s.get("of") == p["process"]][0]')"
"$REPORT" -q trace.txt | grep -qx '  an iteration: of python3 (200)' || fail "not said: $("$REPORT" -q trace.txt | grep '^  an iter')"
"$REPORT" -q one.txt | grep '^  an iteration:' && fail "of one alone"
exit 0

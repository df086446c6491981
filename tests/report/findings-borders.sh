# SPDX-License-Identifier: MIT
# Rules at the borders that no threshold of theirs names: two seconds of work, threads for a machine's
# cores, half of the time, half of the threads. Each case is found on one side and not on the other.
. "$top_srcdir/tests/lib.sh"
need jq

cat >trace.py <<'END'
"""trace.py WHAT NUMBER...: the text trace of one case."""
import sys
what, numbers = sys.argv[1], [float(n) for n in sys.argv[2:]]

def at(s): return f"[{1_000_000_000 + round(s * 1e9)}]"

def head(exe, cpus=2):
    print('dltrace-text 1')
    print(f'[1s] dltrace_sample:machine host="h" time=1s cpus={cpus} memory=8G available=6G')
    print(f'[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/{exe}"')

def sample(s, fields): print(at(s), f"dltrace_sample:process process=1 time={1_000_000_000 + round(s * 1e9)} {fields}")

def threads(cpus, peak):
    head("pool", int(cpus))
    sample(0.1, f"threads={int(peak)}")
    sample(5, "threads=1")

def crowded(seconds, part):  # five threads run for that part of the time, then one
    head("train")
    for i in range(1, 6):
        print(f"[1s] dltrace_proc:thread thread={i} process=1 tid={99 + i} begin=1s")
    step = seconds / 400
    for k in range(401):
        s = k * step
        for i in range(1, 6 if s < seconds * part - step / 2 else 2):
            print(at(s), f"dltrace_sample:thread thread={i} time={1_000_000_000 + round(s * 1e9)} cpu={k}us state=82")
        sample(s, f"threads=5 user={k}us")

def beside(seconds, own, others):  # CPU time of the run and of other programs, as shares of two cores
    head("train")
    for k in range(21):
        s = seconds * k / 20
        sample(s, f"threads=1 user={round(s * 2e9 * own)}")
        busy = 10_000_000_000 + round(s * 1e9 * (own + others))
        print(at(s), f'dltrace_sample:machine host="h" time={1_000_000_000 + round(s * 1e9)} cpus=2 memory=8G available=6G busy=[{busy} {busy}]')
    print(at(seconds), "dltrace_proc:exit process=1")

def compilers(own, others):  # four seconds of programs of 0.1 s each, of which nothing but the end is read
    head("make")
    sample(0, "threads=1")
    for k in range(21):
        s, busy = k / 5, 10_000_000_000 + round(k / 5 * 1e9 * (own + others))
        print(at(s), f'dltrace_sample:machine host="h" time={1_000_000_000 + round(s * 1e9)} cpus=2 memory=8G available=6G busy=[{busy} {busy}]')
        for i in range(2) if s < 4 else ():
            id, end = 2 + 2 * k + i, s + 0.1
            print(at(s), f'dltrace_proc:process process={id} parent=1 pid={100 + id} begin={1_000_000_000 + round(s * 1e9)} host="h" exe="/bin/cc"')
            print(at(end), f"dltrace_sample:process process={id} time={1_000_000_000 + round(end * 1e9)} user={round(0.2e9 * own)} final=1")
    sample(4, "threads=1")
    print(at(4), "dltrace_proc:exit process=1")

def in_turn(alive):  # forty seconds: a thread that runs, of one process after the other; `alive` of them at a time
    head("train")
    for k in range(100):
        for i in range(int(alive)):
            id = 2 + k * int(alive) + i
            print(at(k * 0.4), f'dltrace_proc:process process={id} parent=1 pid={100 + id} begin={1_000_000_000 + k * 400_000_000} host="h" exe="/bin/cc"')
            print(at(k * 0.4), f"dltrace_proc:thread thread={id} process={id} tid={100 + id} begin={1_000_000_000 + k * 400_000_000}")
            for j in (1, 2, 3):
                t = 1_000_000_000 + k * 400_000_000 + j * 100_000_000
                print(f"[{t}] dltrace_sample:thread thread={id} time={t} cpu={j}ms state=82")
                print(f"[{t}] dltrace_sample:process process={id} time={t} threads=1 user={j}ms")
            print(at((k + 1) * 0.4), f"dltrace_proc:exit process={id}")
    print(at(40), "dltrace_proc:exit process=1")

def offline():  # a core that goes for three seconds and comes back, each of both half busy
    head("train")
    for s, busy in (0, "3600s 3600s"), (1, "3600500ms 3600500ms"), (2, "0 3601s"), (3, "0 3601500ms"), (4, "0 3602s"), (5, "3601s 3602500ms"), (6, "3601500ms 3603s"):
        print(at(s), f'dltrace_sample:machine host="h" time={1 + s}s cpus={2 - busy.startswith("0 ")} memory=8G available=6G busy=[{busy}]')
        sample(s, f"threads=1 user={s * 10}ms")

def churn(life, same, other):  # threads one after another; `same` of them begin at the same place
    head("loads")
    print('[1s] dltrace_proc:library process=1 library=1 path="/lib/libpool.so"')
    count = int(same + other)
    for i in range(count):
        start = "start_library=1 start_offset=64 creator_library=1" if i % 2 < 1 and i // 2 < same or i // 2 >= other else ""
        print(at(0.001 + i * 0.009), f"dltrace_proc:thread thread={i + 2} process=1 tid={i + 2} begin={1_001_000_000 + i * 9_000_000} {start}")
        print(at(0.006 + i * 0.009), f"dltrace_proc:thread_end thread={i + 2} cpu=1ms")
    print(at(life), "dltrace_proc:exit process=1")

def reads(life):
    head("reads")
    for k in range(int(life * 20) + 1):
        sample(k / 20, f"threads=1 user={k * 30}ms system={k * 15}ms read_bytes={k * 20_000_000}")
    print(at(life), "dltrace_proc:exit process=1")

def gpu(span, calls):  # launches over that time, waits for half of it; allocations evenly
    head("train", 8)
    print('[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s')
    print('[1s] dltrace_proc:library process=1 library=1 path="/lib/libtorch_cuda.so"')
    for name, kind in (("cudaLaunchKernel", "launch"), ("cudaStreamSynchronize", "synchronise"), ("cudaMalloc", "allocate")):
        print(f'[1s] dltrace_proc:function function={name} layer="runtime" kind="{kind}" name="{name}"')
    for s in (0.5, 0.5 + span):
        print(at(s), "dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 duration=5us")
    for k in range(int(calls)):
        print(at(0.5 + (k + 0.5) * span / calls), "dltrace_cuda:alloc thread=1 function=cudaMalloc library=1 duration=2ms ptr=4096 size=1M")
    for k in range(int(span * 10) + 10):
        sample(k / 10, f"threads=1 user={k * 20}ms")
        print(at(k / 10), 'dltrace_record:gpu gpu=0 name="H" memory=80G used=1G utilisation=50')
    for name, n, ns in (("cudaLaunchKernel", 1000, 5_000_000), ("cudaStreamSynchronize", 500, int(span * 5e8))):
        print(at(0.6 + span), f"dltrace_sample:function process=1 function={name} library=1 calls={n} outer_calls={n} total={ns} outer_total={ns}")

globals()[what](*numbers)
END

# finds RULE HOW-OFTEN CASE NUMBER...
finds() {
	rule=$1 times=$2
	shift 2
	python3 trace.py "$@" >trace
	report_text <trace
	same "$rule of $*" "$times" "$(json "len([f for f in r['findings'] if f['rule'] == '$rule'])")"
}

# Frameworks make a pool or two of a thread a core, and a handful more: 4 a core and 16.
finds too_many_threads 1 threads 2 24
finds too_many_threads 0 threads 2 23
finds too_many_threads 1 threads 8 48
finds too_many_threads 0 threads 8 47

# Half of the time at least, and two seconds in all.
finds crowded 1 crowded 40 0.5
finds crowded 0 crowded 40 0.45
finds crowded 1 crowded 2.1 1
finds crowded 0 crowded 1.9 1
finds crowded 1 crowded 6 0.6
finds crowded 0 crowded 3.8 0.5

# Nine tenths of all cores, a quarter of them for others, two seconds.
finds others_busy 1 beside 4 0.63 0.28
finds others_busy 0 beside 4 0.61 0.28
finds others_busy 1 beside 4 0.73 0.26
finds others_busy 0 beside 4 0.73 0.24
finds others_busy 1 beside 2.1 0.4 0.6
finds others_busy 0 beside 1.9 0.4 0.6
# children FROM TO: of the four seconds, with a program in that time that is only counted
children() {
	python3 trace.py beside 4 0.1 0.9
	echo '[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s'
	echo "[$1] dltrace_proc:child thread=1 how=1 child=300 traced=1 path=\"/usr/bin/ninja\""
	[ -z "$2" ] || echo "[$2] dltrace_proc:child thread=1 how=5 child=300"
}
others() {
	report_text && jq -c '[.findings[] | select(.rule == "others_busy").text]' "$TMP/r.json"
}
same "the run's own may have had it" '[]' "$(children 1500ms 4500ms | others)"
same "one that nobody waited for" '[]' "$(children 1500ms "" | others)"
same "one whose program nobody told" '[]' "$(children 1500ms 4500ms | sed 's/path=.*//' | others)"
same "what it became may have had it" '[]' \
	"$({ python3 trace.py beside 4 0.1 0.9 | grep -v proc:exit; echo '[1500ms] dltrace_proc:exit process=1 how=5'; } | others)"
same "a command that cannot be seen" '[]' "$({ python3 trace.py beside 4 0.1 0.9; echo '[1s] dltrace_record:note severity=1 kind="static" text="static"'; } | others)"
same "one for a while" '["other programs had at least 65 % of the CPU time of h'"'"'s 2 cores, this run 10 %, up to 35 % with its processes that are not traced, and nearly nothing was left: it may have been slower for that"]' \
	"$(children 1500ms 2500ms | others)"
same "who had how much" '["other programs had 60 % of the CPU time of h'"'"'s 2 cores, this run 40 %, and nearly nothing was left: it may have been slower for that"]' \
	"$(python3 trace.py beside 4 0.4 0.6 | report_text && jq -c '[.findings[] | select(.rule == "others_busy").text]' "$TMP/r.json")"

# Of a part of the time what others had in that part.
same "a part of the time" "[]" "$(python3 trace.py beside 20 0.95 0.02 | report_text --from 2s --to 6s &&
	jq -c '[.findings[] | select(.rule == "others_busy").text]' "$TMP/r.json")"

finds others_busy 0 compilers 0.95 0.04
finds others_busy 1 compilers 0.4 0.58

# Five processes one after the other in a fortieth of the time each want one core, not five.
finds crowded 0 in_turn 1
finds crowded 0 in_turn 3
finds crowded 1 in_turn 5

finds others_busy 0 offline
same "a core that was offline" "[50.0, 25.0, 25.0, 25.0, 25.0, 50.0]" "$(json '[float(v) for t, v in points("machine_cpu_percent")]')"

# A life of two seconds; when more than half of the threads are one and the same again, another rule tells.
finds thread_churn 1 churn 2.1 0 200
finds thread_churn 0 churn 1.9 0 200
finds thread_churn 1 churn 2.1 100 100
finds thread_churn 0 churn 2.1 102 100

finds reads_files 1 reads 2.1
finds reads_files 0 reads 1.9

# From the first launch to the last; allocations count in the last two thirds of it, without iterations.
finds waits_for_gpu 1 gpu 2.1 0
finds waits_for_gpu 0 gpu 1.9 0
finds gpu_allocations 1 gpu 3.15 60
finds gpu_allocations 0 gpu 2.85 60

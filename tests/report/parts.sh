# SPDX-License-Identifier: MIT
# Whatever the number of parts and processes, the report is the same, byte by byte: events that are
# folded, events whose order matters between them, threads that are announced late, equal times.
. "$top_srcdir/tests/lib.sh"
need python3

# A trace with much of everything at a time, from a fixed seed.
python3 - >mix.txt <<'END'
import random
rng = random.Random(5)
at = 1_000_000_000
print('dltrace-text 1\nclock_offset 1700000000000000000\nhost "h"\nrecording id 42\nrecording level calls')


def event(_event, **fields):
    print(f"[{at}] dltrace_{_event} " + " ".join(f"{k}={v}" for k, v in fields.items()))


def announce(process, parent=0, reason=0):
    event("proc:process", process=process, parent=parent, pid=100 + process, parent_pid=100 + parent, recording=42,
          reason=reason, begin=at, exe=f'"/usr/bin/p{process}"', host='"h"', command='"x"')


threads = {1: [1, 2, 3], 10: [10, 11], 20: [20]}
calls = {10: "cudaLaunchKernel", 11: "cudaMemcpy"}
for process in (1, 10):
    announce(process, int(process == 10), int(process == 10))
live = []
for i in range(4000):
    at += rng.choice([0, 0, 1, 1000, 100000, 1000000])
    process = rng.choice(list(threads))
    thread = rng.choice(threads[process])
    call = dict(thread=thread, library=rng.randrange(4), duration=rng.choice([0, 500, 500, 1500, 70000, 4000000000]))
    kind = rng.randrange(1000)
    if i == 2500:
        announce(20)
        event("proc:thread", thread=3, process=1, tid=3, begin=at, name='"late"')
    elif kind < 300:
        event("cuda:launch", function="cudaLaunchKernel", shape=rng.randrange(5), stream=rng.choice([0, 1, 0x8001]),
              result=rng.choice([0] * 30 + [2]), nested=1, nested_time=rng.randrange(400), **call)
    elif kind < 500:
        event("cuda:copy", function="cudaMemcpyAsync", size=rng.randrange(1 << 20), direction=1,
              result=rng.choice([0] * 9 + [600, 700]), **call)
    elif kind < 560:
        event("cuda:sync", function="cudaDeviceSynchronize", **call)
    elif kind < 660:
        event("cpu:blas", function="sgemm_", m=8, n=8, k=8, **call)
    elif kind < 720:
        event("cpu:region", function="GOMP_parallel", **{**call, "duration": 0xffffffff} if kind < 670 else call)
    elif kind < 800:
        event("heap:alloc", thread=thread, function="malloc", library=1, size=rng.randrange(1 << 20), ptr=rng.choice([0] + [64] * 40))
    elif kind < 840:
        event("heap:free", thread=thread, function="free", library=1, size=rng.randrange(1 << 20), ptr=64)
    elif kind < 880:
        live.append((thread, rng.randrange(1 << 24)))
        event("cuda:alloc", function="cudaMalloc", ptr=4096, size=live[-1][1], memory=0, result=rng.choice([0] * 5 + [2]), **call)
    elif kind < 900 and live:
        thread, size = live.pop()
        event("cuda:free", function="cudaFree", ptr=4096, size=size, memory=0, owner=1, **{**call, "thread": thread})
    elif kind < 920:
        event("mark:range", thread=thread, begun_by=thread, duration=rng.randrange(10 ** 6), kind=rng.randrange(1, 8),
              payload=i, name=f'"n{rng.randrange(9)}"', inside=f"[{3 << 56 | 2} 77]")
    elif kind < 960:
        event("sample:process", process=process, time=at, threads=len(threads[process]), user=at // 3, system=5,
              rss_anon=rng.randrange(1 << 30), allocated=i * 1000, freed=i * 900, events=i)
    elif kind < 990:
        event("sample:thread", thread=thread, time=at, cpu=at // 4, events=i, function="cudaMemcpy", since=at - 1000)
    else:
        event("record:note", severity=1, kind='"disk"', process=process, value=i, text=f'"note <{i}>"')
event("proc:thread_end", thread=2, how=0, cpu=7, events=5000)
event("proc:exit", process=1, code=3, thread=1, events=100000)
END

# report TRACE OPTION...: its JSON; the exit status is the report's own matter
report() {
	"$REPORT" -q -f json "$@" || [ $? = 1 ] || fail "no report of $*"
}

for trace in mix.txt "$top_srcdir/tests/report/training.txt"; do
	for options in "" "--from=1ms --to=100ms" "--process=p*"; do
		# shellcheck disable=SC2086
		report "$trace" $options --jobs 1 >whole.json
		for jobs in 2 3 7; do
			# shellcheck disable=SC2086
			report "$trace" $options --jobs $jobs >parts.json
			cmp whole.json parts.json || fail "$trace, $options: $jobs parts make another report"
		done
	done
	# Exporters of timelines want each event by itself.
	report "$trace" --jobs 1 >whole.json
	"$REPORT" -q "$trace" -o one.pftrace -o single.json || [ $? = 1 ] || fail "no timeline of $trace"
	cmp whole.json single.json || fail "$trace: event by event it is another report"
done
"$REPORT" -v --jobs 7 mix.txt 2>&1 >/dev/null | grep -q 'in 7 parts' || fail "it was not read in parts"
report mix.txt >mix.json
holds "all events of the mix have been read" '.traces[0].events >= 4000' mix.json

# What is wrong in one part is said once, and the rest is as it was.
sed '2000s/function=[^ ]*/function=nonsense/' mix.txt >broken.txt
report broken.txt --jobs 1 >whole.json
report broken.txt --jobs 3 >parts.json
cmp whole.json parts.json || fail "a broken trace: parts make another report"

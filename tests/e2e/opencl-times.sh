# SPDX-License-Identifier: MIT
# --gpu=activity on a real OpenCL: each command is an event with the time that OpenCL's own event gives
# it, whoever asked for times; and the program reads of its queues and events what it would without.
. "$top_srcdir/tests/lib.sh"
need jq
need python3

echo '#include <CL/cl.h>' | ${CC:-cc} -E - >/dev/null 2>&1 || skip "no OpenCL headers"
${CC:-cc} -O1 -o times "$top_srcdir/tests/opencl/times.c" -lOpenCL 2>error || skip "no libOpenCL: $(head -1 error)"
status=0
./times >without 2>times_of_its_own || status=$?
[ $status != 77 ] || skip "no OpenCL platform"
same "times' own status" 0 $status

cat >compare.py <<'E2'
"""Each time that the program read is in one event; prints the events by what they are, and on which thread."""
import collections, re, sys
events, read, whose, correlations, words = collections.Counter(), collections.Counter(), set(), set(), collections.Counter()
names = {}
for line in open(sys.argv[1]):
    f = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', line))
    if "dltrace_proc:object " in line and f["type"] == "5":
        names[f["id"]] = f["name"].strip('"')
for line in open(sys.argv[1]):
    f = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', line))
    if "dltrace_gpu:kernel " in line:
        what = "kernel " + names[f["kernel"]]
    elif "dltrace_gpu:copy " in line:
        what = ("set " if f["direction"] == "5" else "copy ") + f["direction"]
    else:
        continue
    if f["correlation"] in correlations:
        sys.exit("twice: " + line)
    if int(f["begin"]) + int(sys.argv[3]) < int(f["called"]):
        sys.exit("before its call: " + line)
    correlations.add(f["correlation"])
    events[what, f["duration"]] += 1
    words[what] += 1
    whose.add(f["caller"])
for line in open(sys.argv[2]):
    what, ns = line.rstrip("\n").rsplit(" ", 1)
    read[what, ns] += 1
if read - events:
    sys.exit(f"{read - events}: not in the trace")
print(len(whose), *(f"{what}: {count};" for what, count in sorted(words.items())))
E2

# recorded WAY: what each command took, and what the program read
recorded() {
	./times $1 >without 2>error
	rm -rf trace
	"$RECORD" -q --gpu=activity -o trace -- ./times $1 >out 2>read
	diff without out || fail "$1: the program read (< without dltrace, > with it)"
	"$REPORT" -q -o report.json trace
	"$REPORT" -q --dump trace >text
	[ -s read ] || fail "$1: the program read no times"
	off=$(jq '.gpu_work[0].clock_error_ns' report.json)
	seen=$(python3 compare.py text read "$off") || fail "$1: $seen"
}

queues=$(grep -c '^--' without)
kernels=$((23 * queues)) each=$((20 * queues))
recorded linked
same "commands of one thread" "1 copy 1: $each; copy 2: $each; copy 3: $each; kernel slow: $((kernels + 10)); set 5: $each;" "$seen"
holds "their account" '[.limits[] | select(.text | contains("its events told '$((4 * each + kernels + 10))' commands"))] | length == 1'
holds "nothing else is missing of them" '[.limits[] | select(.text | test("work from|on the device was"))] == []'
holds "the table" '[.gpu_work[] | .kernels, .copies, .sets] == ['"$((kernels + 10)), $((3 * each)), $each"']'
holds "kernels by name" '[.breakdown[] | select(.layer == "gpu" and .function == "slow") | .calls] == ['$((kernels + 10))']'
holds "coverage" '[.coverage[] | select(.covered == "events")] | length == 1'
"$REPORT" -q --verify trace >verified || { cat verified; fail "the counts do not agree"; }
recorded fork
# What runs when it ends has no time: at most the ten that it does not wait for.
recorded exit
holds "what had not ended" '[.limits[] | select(.text | contains("its events told")) | .text | capture("told (?<n>[0-9]+) ").n | tonumber] | .[0] >= '$((4 * each + kernels))

# Where it is not asked for no queue is touched.
for level in "-l calls" "-l summary"; do
	rm -rf trace
	"$RECORD" -q $level -o trace -- ./times >out 2>/dev/null
	./times >without 2>/dev/null
	diff without out || fail "$level: other output"
	"$REPORT" -q --dump trace >text
	grep -q dltrace_gpu text && fail "$level: device times were taken"
done
true

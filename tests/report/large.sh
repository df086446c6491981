# SPDX-License-Identifier: MIT
# What is large: of four times as many processes a report takes some four times as long, not sixteen times, whatever it
# is written as.
. "$top_srcdir/tests/lib.sh"
export REPORT
cat >trace.py <<'END_OF_TRACE'
import sys
count = int(sys.argv[1])
def out(t, event): print(f"[{t}] {event}")
print("dltrace-text 1")
for i in range(1, count + 1):
    t = i * 1_000_000
    out(t, f'dltrace_proc:process process={i} pid={i} begin={t} host="h" exe="/bin/p" heap=0')
    out(t, f'dltrace_proc:thread thread={i} process={i} tid={i} begin={t} name="w"')
    out(t, f'dltrace_proc:library process={i} library=1 size=1M path="/usr/lib/libblas.so"')
    out(t + 500_000, f'dltrace_cpu:blas thread={i} function=sgemm_ library=1 duration={i * 7919 % 1000}us')
    out(t + 600_000, f'dltrace_proc:exit process={i} thread={i} how=0 code=0')
END_OF_TRACE
cat >cpu.py <<'END_OF_CPU'
"""The least CPU time in ms that writing a report from a trace takes."""
import os, resource, subprocess, sys
def once():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([os.environ["REPORT"], "-q", sys.argv[1], "-f", sys.argv[2], "-o", "/dev/null"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return int(1000 * (after.ru_utime - before.ru_utime))
print(min(once() for i in range(2)))
END_OF_CPU
few=4000
for n in $few $((4 * few)); do python3 trace.py $n >$n.txt; done

for format in text folded; do
	least=$(python3 cpu.py $few.txt $format)
	most=$(python3 cpu.py $((4 * few)).txt $format)
	[ "$most" -lt $((7 * least + 200)) ] || fail "$format: $few processes take $least ms, four times as many $most"
done
"$REPORT" -q --to 1ns $few.txt >part
tr -s '\n ' ' ' <part | grep -q 'calls and 3,999 processes outside of' || fail "how many: $(cat part)"

# So are traces: each costs what it holds.
cat >memory.py <<'END_OF_MEMORY'
"""The most memory in KB that a report of so many traces takes."""
import os, resource, subprocess, sys
paths = [f"{i}.txt" for i in range(1, int(sys.argv[1]) + 1)]
subprocess.run([os.environ["REPORT"], "-q", "-f", "csv", "-o", "/dev/null", "--table", "traces", *paths], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END_OF_MEMORY
mkdir traces
cd traces
for i in $(seq 400); do
	printf 'dltrace-text 1\nclock_offset %d000000000\n[1s] dltrace_proc:process process=1 begin=1s exe="/bin/p"\n' "$i" >"$i.txt"
done
each=$((($(python3 ../memory.py 400) - $(python3 ../memory.py 100)) / 300))
[ "$each" -lt 120 ] || fail "a trace of one process takes $each KB"

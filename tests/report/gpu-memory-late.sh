# SPDX-License-Identifier: MIT
# GPU memory where something is missing: a thread that was announced late, a process that was killed after its last
# counters, a part of the trace, an answer about free memory that is from before the failure, more failures than are kept.
. "$top_srcdir/tests/lib.sh"
functions='[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"
[1s] dltrace_proc:function function=cudaMalloc layer="runtime" kind="allocate" name="cudaMalloc"
[1s] dltrace_proc:function function=cudaMallocManaged layer="runtime" kind="allocate" name="cudaMallocManaged"
[1s] dltrace_proc:function function=cudaFree layer="runtime" kind="free" name="cudaFree"'

# Of a thread that is announced late, and of the first one before its process.
report_text <<END
dltrace-text 1
$functions
[2s] dltrace_cuda:alloc thread=2 function=cudaMalloc duration=1ms ptr=0x1000 size=1000
[2500ms] dltrace_cuda:alloc thread=2 function=cudaMalloc duration=1ms result=2 size=900000
[3s] dltrace_proc:thread process=1 thread=2 tid=101 begin=1500ms
[4s] dltrace_cuda:alloc thread=2 function=cudaMalloc duration=1ms ptr=0x2000 size=500
[5s] dltrace_proc:exit process=1
END
same "late" "(1500, 1500, 2, 1)" \
	"$(json 'tuple(row("gpu_memory", process=1)[c] for c in ("live_bytes", "allocated_bytes", "allocations", "failed"))')"
same "the run's" "1500 0" "$(json '"%d %d" % (peak("gpu_reserved_bytes"), points("gpu_reserved_bytes")[-1][1])')"
same "its failure" "[('allocation', 1000)]" "$(json '[(f["kind"], f["live_bytes"]) for f in r["failures"]]')"
report_text <<END
dltrace-text 1
[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x1000 size=1000
[3s] dltrace_proc:process process=1 pid=100 begin=1s reason=2 exe="/usr/bin/work"
[3s] dltrace_proc:function process=1 function=cudaMalloc layer="runtime" kind="allocate" name="cudaMalloc"
[4s] dltrace_sample:process process=1 time=4s gpu_memory=[0x0 1000 1000 1000 1 0 1000 0 0 0 0 0]
[5s] dltrace_sample:process process=1 time=5s final=1 gpu_memory=[0x0 1000 1000 1000 1 0 1000 0 0 0 0 0]
END
same "before its process" "[(100, 1000)]" "$(json '[(row("processes", process=g["process"])["pid"], g["live_bytes"]) for g in r["gpu_memory"]]')"
same "once" 1000 "$(json 'int(peak("gpu_reserved_bytes"))')"

# Counters from before the last calls.
report_text <<END
dltrace-text 1
recording level calls
$functions
[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x1000 size=1000
[3s] dltrace_sample:process process=1 time=3s gpu_memory=[0x0 1000 1000 1000 1 0 1000 0 0 0 0 0 0xc000000 1000 1000 0 0 0 0 0 0 0 0 0]
[4s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x2000 size=5000
END
same "killed" "(6000, 6000, 6000, 0, 0)" \
	"$(json 'tuple(row("gpu_memory")[c] for c in ("live_bytes", "peak_bytes", "allocated_bytes", "freed_bytes", "exact"))')"
same "by device" "(6000, 6000)" "$(json 'tuple(row("gpu")[c] for c in ("live_bytes", "peak_bytes"))')"

# A part begins with what is held, and ends with what was held.
part() {
	report_text "$@" <<END
dltrace-text 1
recording level calls
$functions
[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x1000 size=1000
[2500ms] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms result=2 size=1
[3s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x2000 size=600
[7s] dltrace_cuda:free thread=1 function=cudaFree duration=1ms ptr=0x1000 size=1000
[8s] dltrace_sample:process process=1 time=8s final=1 gpu_memory=[0x0 600 1600 1600 2 1 1000 1 1 1500000000 0 0]
END
}
part --from=1900ms --to=4s
same "until 5 s" "1600 1600" "$(json '"%d %d" % (row("gpu_memory")["live_bytes"], points("gpu_reserved_bytes")[-1][1])')"
part --from=1700ms
same "from 2.7 s" "1000 600" "$(json '"%d %d" % (points("gpu_reserved_bytes")[0][1], row("gpu_memory")["live_bytes"])')"
same "what failed before" "[]" "$(json '[f for f in r["failures"] if f["kind"] == "allocation"]')"

# What is free was asked before.
report_text <<END
dltrace-text 1
recording level calls
$functions
[2s] dltrace_sample:process process=1 time=2s gpu_memory=[0xc000000 0 0 0 0 0 0 0 0 0 70000 80000]
[3s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x1000 size=69000
[4s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms result=2 size=20000
[5s] dltrace_sample:process process=1 time=5s gpu_memory=[0x0 69000 69000 69000 1 0 69000 1 20000 4000000000 0 0 0xc000000 69000 69000 0 0 0 0 0 0 0 70000 80000]
END
same "free" None "$(json 'r["failures"][0]["free_bytes"]')"

# The last of many is another function's.
{
	echo "dltrace-text 1"
	echo "$functions"
	for i in 00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15; do
		echo "[20${i}ms] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms result=2 size=900000"
	done
	echo "[3s] dltrace_cuda:alloc thread=1 function=cudaMallocManaged memory=4 duration=1ms result=2 size=500"
} | report_text
same "failures" 17 "$(json 'sum(f["count"] for f in r["failures"])')"

# What is free was asked after the failure, and the sum's row stands before the one that tells of the failure.
report_text <<EOF
dltrace-text 1
$functions
[4s] dltrace_sample:process process=1 time=4s final=1 gpu_memory=[0xc000000 69000 69000 0 0 0 0 0 0 0 700 80000 0x0 69000 69000 69000 1 0 69000 1 20000 3900000000 0 0]
EOF
same "free, by whatever order" "[(20000, 700)]" "$(json '[(f["size_bytes"], f["free_bytes"]) for f in r["failures"] if f["kind"] == "allocation"]')"

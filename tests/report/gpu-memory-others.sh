# SPDX-License-Identifier: MIT
# GPU memory of libraries that the process counts together, since it has no row left for each: their events are
# among these counters, not beside them; so are frees, of an owner that is those others, and what was refused.
. "$top_srcdir/tests/lib.sh"
report_text <<'EOF'
dltrace-text 1
recording level calls
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"
[1s] dltrace_proc:library process=1 library=1 base=0x1000 size=100 path="/usr/lib/libone.so"
[1s] dltrace_proc:library process=1 library=3 base=0x3000 size=100 path="/usr/lib/libthree.so"
[1s] dltrace_proc:function function=cudaMalloc layer="runtime" kind="allocate" name="cudaMalloc"
[1s] dltrace_proc:function function=cudaFree layer="runtime" kind="free" name="cudaFree"
[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x1000 size=1000 library=1
[2100ms] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x2000 size=200 library=2
[2200ms] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x3000 size=30 library=3
[3s] dltrace_sample:process process=1 time=3s gpu_memory=[0x100000001 1000 1000 1000 1 0 1000 0 0 0 0 0 0x10000ffff 230 230 230 2 0 200 0 0 0 0 0 0x10c000000 1230 1230 0 0 0 0 0 0 0 0 0]
[3500ms] dltrace_cuda:free thread=1 function=cudaFree duration=1ms ptr=0x2000 size=200 owner=65535
[4s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x4000 size=7 library=3
[4100ms] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x5000 size=5 library=1
[4200ms] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms result=2 size=9000 library=3
[5s] dltrace_sample:process process=1 time=5s final=1 gpu_memory=[0x100000001 1005 1005 1005 2 0 1000 0 0 0 0 0 0x10000ffff 37 230 237 3 1 200 1 9000 4200000000 0 0 0x10c000000 1042 1235 0 0 0 0 0 0 0 0 0]
EOF
same "rows" "[('libone.so', 1005, 1005, 2, 0), ('other libraries', 37, 237, 3, 1)]" "$(json \
	'sorted((g["library"], g["live_bytes"], g["allocated_bytes"], g["allocations"], g["frees"]) for g in r["gpu_memory"])')"
same "the curve" "[1000, 1200, 1230, 1030, 1037, 1042, 0]" \
	"$(json '(lambda w: [v for i, v in enumerate(w) if not i or v != w[i - 1]])([int(v) for t, v in points("gpu_reserved_bytes")])')"
same "no peak above it" "(1042, 1230)" "$(json '(row("gpu")["live_bytes"], int(peak("gpu_reserved_bytes")))')"
same "the failure" "[('libthree.so', 9000, 1)]" \
	"$(json '[(f["library"], f["size_bytes"], f["count"]) for f in r["failures"] if f["kind"] == "allocation"]')"

# Told of by the counters first.
report_text <<'EOF'
dltrace-text 1
recording level calls
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"
[1s] dltrace_proc:function function=cudaMalloc layer="runtime" kind="allocate" name="cudaMalloc"
[3s] dltrace_sample:process process=1 time=3s gpu_memory=[0x10000ffff 0 0 0 0 0 0 1 9000 2900000000 0 0]
[3100ms] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=200ms result=2 size=9000 library=3
[5s] dltrace_sample:process process=1 time=5s final=1 gpu_memory=[0x10000ffff 0 0 0 0 0 0 1 9000 2900000000 0 0]
EOF
same "one failure" "[(9000, 1, 2)]" "$(json '[(f["size_bytes"], f["count"], f["code"]) for f in r["failures"] if f["kind"] == "allocation"]')"

# Of a device that has no row of its own either.
report_text <<'EOF'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"
[5s] dltrace_sample:process process=1 time=5s final=1 gpu_memory=[0x10b00ffff 0 0 0 0 0 0 4 9000 2900000000 0 0]
EOF
same "is a limit" 1 "$(json 'len([l for l in r["limits"] if "4 allocations of GPU memory found no room" in l["text"]])')"

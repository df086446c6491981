# SPDX-License-Identifier: MIT
# An allocation of GPU memory that is refused: who held the memory then, by library and kind; what
# was free, where the program asked. From events, and at the level summary from counters alone.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
[1s] dltrace_proc:library process=1 library=4 path="/lib/libtorch_cuda.so"
[1s] dltrace_proc:library process=1 library=5 path="/lib/libnccl.so.2"
[1s] dltrace_proc:function function=cudaMalloc layer="runtime" kind="allocate" name="cudaMalloc"
[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc library=4 duration=1ms ptr=0x1000 size=12G
[2100ms] dltrace_cuda:alloc thread=1 function=cuMemCreate library=5 duration=1ms ptr=0x2000 size=2G memory=2
[2200ms] dltrace_cuda:alloc thread=1 function=cudaHostAlloc library=4 duration=1ms ptr=0x3000 size=20G memory=5
[2300ms] dltrace_cuda:alloc thread=1 function=cudaMalloc library=4 device=1 duration=1ms ptr=0x4000 size=30G
[3s] dltrace_cuda:alloc thread=1 function=cudaMalloc library=4 duration=1ms result=2 size=5G
[3500ms] dltrace_cuda:free thread=1 function=cudaFree library=4 duration=1ms ptr=0x1000 size=12G owner=4
[4s] dltrace_sample:process process=1 final=1 time=4s gpu_memory=[0x10c000000 2147483648 15032385536 0 0 0 0 0 0 0 1073741824 17179869184]
[4s] dltrace_proc:exit process=1 how=0 code=1
END
same kind "['allocation', 'exit']" "$(json '[f["kind"] for f in r["failures"]]')"
same "asked for" 5368709120 "$(json 'r["failures"][0]["size_bytes"]')"
same "reserved then" $((14 << 30)) "$(json 'r["failures"][0]["live_bytes"]')"
same holders "[('libtorch_cuda.so', 'device', 0, 12), ('libnccl.so.2', 'physical', 0, 2)]" \
	"$(json '[(h["library"], h["kind"], h["device"], h["live_bytes"] >> 30) for h in r["failures"][0]["holders"]]')"
same "free of total" "(1, 16)" "$(json '(r["failures"][0]["free_bytes"] >> 30, r["failures"][0]["total_bytes"] >> 30)')"
same "in words" True "$(json '": 12 GiB by libtorch_cuda.so (device), 2.0 GiB by libnccl.so.2 (physical); CUDA said afterwards that 1.0 GiB of 16 GiB were free" in r["failures"][0]["text"]')"
same "a finding" 1 "$(json 'sum("had 14 GiB reserved" in f["text"] for f in r["findings"])')"
same "told with the end" 1 "$(json 'sum("ended with status 1; before, 1 allocation had failed" in f["text"] for f in r["findings"])')"
same "where to look" "See the section on failures: who held the memory." "$(json 'row("findings", rule="died")["advice"]')"
same "by library, at most" "[('libnccl.so.2', 2), ('libtorch_cuda.so', 42)]" \
	"$(json 'sorted((s["library"], int(max(v for _, v in s["points"])) >> 30) for s in r["series"] if s["name"] == "gpu_library_bytes")')"

# The same by counters: 1 << 32 | kind << 24 | device << 16 | library, live, peak, allocated,
# allocations, frees, largest, failed, refused, when, free, total.
report_text <<'END'
dltrace-text 1
[1s] dltrace_record:recording recording=1 level="summary"
[1s] dltrace_proc:process process=1 recording=1 pid=100 begin=1s exe="/bin/train"
[1s] dltrace_proc:library process=1 library=4 path="/lib/libtorch_cuda.so"
[2s] dltrace_sample:process process=1 time=2s gpu_memory=[0x100000004 500 500 500 1 0 500 0 0 0 0 0]
[3s] dltrace_sample:process process=1 time=3s gpu_memory=[0x100000004 700 900 1200 3 1 500 2 5368709120 2500000000 0 0]
[4s] dltrace_sample:process process=1 time=4s final=1 gpu_memory=[0x100000004 0 900 1200 3 3 500 2 5368709120 2500000000 0 0]
END
same "one row for both" "[(2, 1500000000, 5368709120, 700)]" \
	"$(json '[(f["count"], f["t_ns"], f["size_bytes"], f["live_bytes"]) for f in r["failures"] if f["kind"] == "allocation"]')"
same "who held" "libtorch_cuda.so 700" "$(json '"%s %d" % tuple(r["failures"][0]["holders"][0][k] for k in ("library", "live_bytes"))')"
same "the curve" "[500, 700, 0]" "$(json '[int(v) for t, v in points("gpu_reserved_bytes", 1)]')"
same "the table" "[0, 900, 1200, 1200, 3, 3, 2, 500, 1]" \
	"$(json '[r["gpu_memory"][0][k] for k in ("live_bytes", "peak_bytes", "allocated_bytes", "freed_bytes", "allocations", "frees", "failed", "largest_bytes", "exact")]')"

# Host memory that is refused competes with host memory alone; who holds as much is told by first sight.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
[1s] dltrace_proc:library process=1 library=4 path="/lib/libfirst.so"
[1s] dltrace_proc:library process=1 library=5 path="/lib/libsecond.so"
[1s] dltrace_proc:function function=cudaHostAlloc layer="runtime" kind="allocate" name="cudaHostAlloc"
[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc library=4 duration=1ms ptr=0x1000 size=12G
[2s] dltrace_cuda:alloc thread=1 function=cudaHostAlloc library=4 duration=1ms ptr=0x2000 size=1G memory=5
[2s] dltrace_cuda:alloc thread=1 function=cudaHostAlloc library=5 duration=1ms ptr=0x3000 size=1G memory=5
[2s] dltrace_cuda:alloc thread=1 function=cudaHostRegister library=5 duration=1ms ptr=0x4000 size=8G memory=6
[3s] dltrace_cuda:alloc thread=1 function=cudaHostAlloc library=4 duration=1ms result=2 size=5G memory=5
END
same "holders of host memory" "[('libfirst.so', 'pinned'), ('libsecond.so', 'pinned')]" \
	"$(json '[(h["library"], h["kind"]) for h in r["failures"][0]["holders"]]')"

# A library's name that is no UTF-8 is named as well as can be.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
[1s] dltrace_proc:library process=1 library=4 path="/opt/m\xfcller/libm\xfc.so"
[1s] dltrace_proc:function function=cudaMalloc layer="runtime" kind="allocate" name="cudaMalloc"
[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc library=4 duration=1ms ptr=0x1000 size=12G
[3s] dltrace_cuda:alloc thread=1 function=cudaMalloc library=4 duration=1ms result=2 size=5G
END
same "its holder" "['libm?.so']" "$(json '[h["library"] for h in r["failures"][0]["holders"]]')"
same "evidence" "['libm?.so']" "$(json '[h["library"] for f in r["findings"] if f["rule"] == "gpu_allocation_failed" for h in f["evidence"]["holders"]]')"

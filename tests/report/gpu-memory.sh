# SPDX-License-Identifier: MIT
# Device memory follows each allocation and free; page-locked host memory is another curve.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[1s] dltrace_proc:process process=2 pid=101 begin=1s
[1s] dltrace_proc:function function=cudaMalloc layer="runtime" kind="allocate" name="cudaMalloc"
[1s] dltrace_proc:function function=cudaHostAlloc layer="runtime" kind="allocate" name="cudaHostAlloc"
[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x1000 size=1000
[3s] dltrace_cuda:alloc thread=2 function=cudaMalloc duration=1ms ptr=0x1000 size=500
[4s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms result=2 size=9000
[5s] dltrace_cuda:alloc thread=1 function=cudaHostAlloc duration=1ms ptr=0x2000 size=70 memory=5
[6s] dltrace_cuda:free thread=1 function=cudaFree duration=1ms ptr=0x1000 size=1000
[7s] dltrace_cuda:free thread=1 function=cudaFree duration=1ms ptr=0x7777 memory=11
[8s] dltrace_proc:exit process=2
END
same run "[1000, 1500, 500, 0]" "$(json '[int(v) for t, v in points("gpu_reserved_bytes")]')"
same pinned 70 "$(json 'int(peak("pinned_bytes"))')"
same process 500 "$(json 'int(peak("gpu_reserved_bytes", 2))')"
same "of a kind, which ends with its process" "[500, 500]" "$(json '[int(v) for t, v in points("gpu_device_bytes", 2)]')"
same "by kind" "[70, 1000, 500]" "$(json '[x["peak_bytes"] for k in ("pinned", "device") for x in r["gpu_memory"] if x["kind"] == k]')"
same "a stray free" "(1, 0)" "$(json '(row("gpu_memory", kind="stray")["frees"], row("gpu_memory", kind="stray")["allocations"])')"
same "is a limit" 1 "$(json 'len([l for l in r["limits"] if "nobody was seen to allocate" in l["text"]])')"

# What is registered is page-locked, too. Of several GPUs NVML's figure is for all of them.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[2s] dltrace_cuda:alloc thread=1 function=cudaHostAlloc duration=1ms ptr=0x2000 size=70 memory=5
[2100ms] dltrace_cuda:alloc thread=1 function=cudaHostRegister duration=1ms ptr=0x3000 size=30 memory=6
[3s] dltrace_proc:object process=1 type=11 id=3 handle=1 name="second"
[3s] dltrace_record:gpu_process gpu=0 pid=100 used=1400
[4s] dltrace_sample:process process=1 time=4s gpu_memory=[0x10c000000 300 300 0 0 0 0 0 0 0 0 0 0x10c010000 500 500 0 0 0 0 0 0 0 0 0]
END
same "pinned and registered" 100 "$(json 'int(peak("pinned_bytes"))')"
same "NVML over GPUs" "[(0, None, None), (1, 'second', None), (None, None, 1400)]" "$(json '[(g["device"], g["name"], g["nvml_bytes"]) for g in r["gpu"]]')"

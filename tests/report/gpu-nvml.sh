# SPDX-License-Identifier: MIT
# What NVML says of a process, over both GPUs, less what the ledger knows then: unaccounted. Without
# NVML, or where its pids are others', it is null.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
[1s] dltrace_proc:process process=2 pid=101 begin=1s exe="/bin/other"
[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x1000 size=1000
[2s] dltrace_cuda:alloc thread=2 function=cudaMalloc duration=1ms ptr=0x1000 size=10
[2100ms] dltrace_cuda:alloc thread=1 function=cudaMallocManaged duration=1ms ptr=0x2000 size=5000 memory=4
[3s] dltrace_record:gpu_process gpu=0 pid=100 used=1400
[3s] dltrace_record:gpu_process gpu=1 pid=100 used=50
[3s] dltrace_record:gpu_process gpu=0 pid=999 used=77777
[4s] dltrace_cuda:free thread=1 function=cudaFree duration=1ms ptr=0x1000 size=1000
[5s] dltrace_record:gpu_process gpu=0 pid=100 used=400
[5s] dltrace_record:gpu_process gpu=1 pid=100 used=50
END
same "largest reading" "[1450, 1000, 450]" "$(json '[row("gpu", process=1)[k] for k in ("nvml_bytes", "ledger_bytes", "unaccounted_bytes")]')"
same "no reading" "[None, None]" "$(json '[row("gpu", process=2)[k] for k in ("nvml_bytes", "unaccounted_bytes")]')"
same "its curve" 450 "$(json 'int(points("gpu_nvml_bytes", 1)[-1][1])')"
same "in words" "  · train (100) by NVML: 1.42 KiB at most, 1000 B of it asked for, 450 B
    unaccounted (contexts, modules, workspaces)" "$("$REPORT" trace.txt | grep -A1 'by NVML')"

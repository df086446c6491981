# SPDX-License-Identifier: MIT
# Events of threads out of order, and events lost: a free's event comes after that of an allocation
# at the same address, since it is told at the call's end; counters correct what was lost, but not
# what is merely under way.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
[1s] dltrace_proc:thread thread=2 process=1 begin=1s
[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc library=4 duration=1ms ptr=0x1000 size=100
[2500ms] dltrace_cuda:alloc thread=2 function=cudaMalloc library=4 duration=1ms ptr=0x1000 size=300
[2510ms] dltrace_cuda:free thread=1 function=cudaFree library=4 duration=400ms ptr=0x1000 size=100 owner=4
[2600ms] dltrace_cuda:free thread=1 function=cudaFree library=4 duration=1ms ptr=0x1000 size=300 owner=4
[3s] dltrace_cuda:alloc thread=1 function=cudaMalloc library=4 duration=1ms ptr=0x1000 size=1000
# freed in the counters, while the free's event is yet to come: no correction
[3100ms] dltrace_sample:process process=1 time=3100ms gpu_memory=[0x100000004 0 1000 1400 3 3 1000 0 0 0 0 0]
[3200ms] dltrace_cuda:free thread=1 function=cudaFree library=4 duration=150ms ptr=0x1000 size=1000 owner=4
[3300ms] dltrace_sample:process process=1 time=3300ms gpu_memory=[0x100000004 0 1000 1400 3 3 1000 0 0 0 0 0]
# an allocation whose event is lost: corrected when it is seen again
[4s] dltrace_sample:process process=1 time=4s gpu_memory=[0x100000004 50 1000 1450 4 3 1000 0 0 0 0 0]
[4100ms] dltrace_sample:process process=1 time=4100ms gpu_memory=[0x100000004 50 1000 1450 4 3 1000 0 0 0 0 0]
[5s] dltrace_cuda:alloc thread=2 function=cudaMalloc library=4 duration=1ms ptr=0x5000 size=7
END
same "the curve" "[(1000, 100), (1500, 400), (1510, 300), (1600, 0), (2000, 1000), (2200, 0), (3100, 50), (4000, 57)]" \
	"$(json '[(t // 1000000, int(v)) for t, v in points("gpu_reserved_bytes", 1)]')"

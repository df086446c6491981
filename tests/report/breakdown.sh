# SPDX-License-Identifier: MIT
# Time by function: shares by layer and process, nested calls never twice, the caller's framework.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3"
[1s] dltrace_proc:library process=1 library=1 path="/opt/torch/lib/libtorch_cpu.so"
[1s] dltrace_proc:library process=1 library=2 path="/opt/other.so"
[1s] dltrace_proc:function process=1 function=cudaMalloc layer="runtime" kind="allocate" name="cudaMalloc"
[1s] dltrace_proc:function process=1 function=cudaFree layer="runtime" kind="allocate" name="cudaFree"
[1s] dltrace_proc:function process=1 function=sgemm_ layer="blas" kind="compute" name="sgemm_"
[1100ms] dltrace_cuda:alloc thread=1 function=cudaMalloc library=1 duration=60ms ptr=0x10 size=1000 nested=2 nested_time=20ms
[1200ms] dltrace_cuda:free thread=1 function=cudaFree library=2 duration=20ms ptr=0x10
[1300ms] dltrace_cuda:free thread=1 function=cudaFree library=2 duration=20ms ptr=0x10
[1400ms] dltrace_cpu:blas thread=1 function=sgemm_ library=1 duration=50ms m=2 n=3 k=4
[2s] dltrace_proc:exit process=1 how=0 code=0 events=11
END
same share 0.6 "$(json 'row("breakdown", function="cudaMalloc")["share"]')"
same "share of the other" 0.4 "$(json 'row("breakdown", function="cudaFree")["share"]')"
same "blas is a layer of its own" 1.0 "$(json 'float(row("breakdown", function="sgemm_")["share"])')"
same "share of wall" 0.06 "$(json 'row("breakdown", function="cudaMalloc")["share_of_wall"]')"
same nested 20000000 "$(json 'row("breakdown", function="cudaMalloc")["nested_ns"]')"
same total 60000000 "$(json 'row("breakdown", function="cudaMalloc")["total_ns"]')"
same calls 2 "$(json 'row("breakdown", function="cudaFree")["calls"]')"
same "by the caller" PyTorch "$(json 'row("breakdown", function="cudaMalloc")["framework"]')"
same "by the process" PyTorch "$(json 'row("breakdown", function="cudaFree")["framework"]')"
same "whole shares" 2.0 "$(json 'float(sum(x["share"] for x in r["shares"]))')"

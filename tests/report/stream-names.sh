# SPDX-License-Identifier: MIT
# Streams on the timeline by the names that the program gave them with NVTX: names belong to handles, CUPTI
# numbers streams, and the calls that work came from know both. The last name counts.
. "$top_srcdir/tests/lib.sh"
cat >t.txt <<'END'
dltrace-text 1
clock_offset 1700000000000000000
recording id 42
[1s] dltrace_proc:process process=1 pid=100 recording=42 begin=1s exe="/usr/bin/python3"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s name="python3"
[1s] dltrace_proc:function function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"
[1s] dltrace_proc:function function=cudaMemcpyAsync layer="runtime" kind="copy" name="cudaMemcpyAsync"
[1s] dltrace_proc:object process=1 type=3 id=5 handle=0xa0 values=[0 0 0]
[1s] dltrace_proc:object process=1 type=3 id=6 handle=0xb0 values=[0 0 0]
[1s] dltrace_proc:object process=1 type=10 id=7 handle=0xa0 name="first name"
[1s] dltrace_proc:object process=1 type=10 id=8 handle=0xa0 name="compute"
[1s] dltrace_proc:object process=1 type=10 id=9 handle=0xc0 name="nobody's"
[2000001000] dltrace_cuda:launch thread=1 function=cudaLaunchKernel duration=1us stream=5
[2000003000] dltrace_cuda:copy thread=1 function=cudaMemcpyAsync duration=1us stream=6 size=10
[2000005000] dltrace_cuda:launch thread=1 function=cudaLaunchKernel duration=1us
[2100ms] dltrace_gpu:kernel process=1 caller=1 called=2000000010 begin=2000001000 duration=500 context=1 stream=13 correlation=1
[2100ms] dltrace_gpu:copy process=1 caller=1 called=2000002010 begin=2000003000 duration=500 size=10 context=1 stream=14 correlation=2
[2100ms] dltrace_gpu:kernel process=1 caller=1 called=2000004010 begin=2000005000 duration=500 context=1 stream=7 correlation=3
# Of this one's call nothing is known, but of its stream.
[2100ms] dltrace_gpu:kernel process=1 begin=2000006000 duration=500 context=1 stream=13 correlation=4
[9s] dltrace_proc:exit process=1 thread=1 code=0
END
"$REPORT" -q t.txt -o r.pftrace
PYTHONPATH=$top_srcdir/tests/report PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import pftrace
t = pftrace.read("r.pftrace")
for name, count in (("GPU 0 stream 13 (compute)", 2), ("GPU 0 stream 14", 1), ("GPU 0 stream 7", 1), ("GPU 0 stream 13", 0)):
    assert len(t.on(name)) == count, (name, t.on(name))
END

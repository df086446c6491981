# SPDX-License-Identifier: MIT
# The table `kernels`: one row for a kernel of a library, whatever its handles and shapes; the most frequent
# shape, the first of equal ones; a call's time over what was executed and captured; and what CUPTI told of that
# name alone.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
[1s] dltrace_proc:library process=1 library=1 path="/lib/libfirst.so"
[1s] dltrace_proc:library process=1 library=2 path="/lib/libsecond.so"
[1s] dltrace_proc:function function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"
[1s] dltrace_proc:object process=1 type=1 id=1 handle=0x10 name="_Z4convPf" library=1
[1s] dltrace_proc:object process=1 type=1 id=2 handle=0x20 name="_Z4convPf" library=1
[1s] dltrace_proc:object process=1 type=1 id=3 handle=0x30 name="_Z4convPf" library=2
[1s] dltrace_proc:object process=1 type=1 id=4 handle=0x40 offset=0x123 library=2
[1s] dltrace_proc:object process=1 type=1 id=5 handle=0x50
[1s] dltrace_proc:object process=1 type=1 id=6 handle=0x60
[1s] dltrace_proc:object process=1 type=2 id=11 values=[1 7 1 1 32 1 1 0]
[1s] dltrace_proc:object process=1 type=2 id=12 values=[2 8 1 1 32 1 1 64]
[1s] dltrace_proc:object process=1 type=2 id=13 values=[3 9 1 1 32 1 1 0]
[1s] dltrace_proc:object process=1 type=2 id=14 values=[4 1 2 3 4 5 6 0]
[1s] dltrace_proc:object process=1 type=2 id=15 values=[5 1 1 1 1 1 1 0]
[1s] dltrace_proc:object process=1 type=2 id=16 values=[6 1 1 1 1 1 1 0]
[1s] dltrace_proc:object process=1 type=5 id=1 name="_Z4convPf"
[1s] dltrace_proc:object process=1 type=5 id=2 name="_Z5otherPf"
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 shape=11 duration=10us
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 shape=12 stream=0x8001 duration=30us
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=2 shape=13 duration=50us
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=2 shape=14 duration=1us
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=2 shape=15 duration=1us
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=2 shape=16 duration=1us
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=2 shape=13 result=1 duration=50us
[3s] dltrace_gpu:kernel process=1 caller=1 called=2s begin=2s duration=2ms kernel=1 stream=1
[3s] dltrace_gpu:kernel process=1 caller=1 called=2s begin=2100ms duration=4ms kernel=1 stream=1
[3s] dltrace_gpu:kernel process=1 caller=1 called=2s begin=2200ms duration=8ms kernel=2 stream=1
END
kernels() {
	json '[tuple(k[c] for c in ("library", '"$1"')) for k in sorted(rows("kernels", kernel="conv(float*)"), key=lambda k: k["library"])]'
}
same "one row for a library's" "[('libfirst.so', 1, 1, 2), ('libsecond.so', 1, 0, 1)]" "$(kernels '"launches", "captured", "shapes"')"
same "the first of two shapes" "[('libfirst.so', '7x1x1', 0), ('libsecond.so', '9x1x1', 0)]" "$(kernels '"grid", "shared_bytes"')"
same "time of a call" "[('libfirst.so', 40000, 20000), ('libsecond.so', 50000, 50000)]" "$(kernels '"total_ns", "mean_ns"')"
same "on the GPU, by that name" "[('libfirst.so', 2, 6000000), ('libsecond.so', 2, 6000000)]" "$(kernels '"gpu_runs", "gpu_total_ns"')"
same "without a name" "[('+0x123', '1x2x3', '4x5x6'), ('0x50', '1x1x1', '1x1x1'), ('0x60', '1x1x1', '1x1x1')]" \
	"$(json 'sorted((k["kernel"], k["grid"], k["block"]) for k in r["kernels"] if not k["mangled"])')"

# A call that is too long for its event's field: its time is known by when the thread was last read.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/python3" version="x"
[1s] dltrace_proc:function function=cudaLaunchKernel name="cudaLaunchKernel" layer="runtime" kind="launch" process=1
[1s] dltrace_proc:object process=1 type=1 id=5 name="_Z3foov" values=[]
[1s] dltrace_proc:object process=1 type=2 id=6 values=[5 1 1 1 1 1 1 0]
[14s] dltrace_sample:thread thread=1 time=14s function=cudaLaunchKernel since=2s
[14s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel duration=0xffffffff shape=6
[15s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel duration=5000 shape=6
[15s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel duration=5000 shape=6
END
same "a long launch" "[12000010000] [12000010000]" \
	"$(json 'str([k["total_ns"] for k in r["kernels"]]) + " " + str([b["total_ns"] for b in r["breakdown"]])')"

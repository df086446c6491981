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

# Short names where a line has little room, apart from each other; the whole ones in -v, JSON and tables.
fill='void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, '
fill="${fill}at::native::FillFunctor<float>, std::array<char*, 1ul>)"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
[1s] dltrace_proc:function function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"
[1s] dltrace_proc:object process=1 type=1 id=1 handle=0x10 name="_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_"
[1s] dltrace_proc:object process=1 type=1 id=2 handle=0x20 name="_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_"
[1s] dltrace_proc:object process=1 type=1 id=3 handle=0x30 name="sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x64x32_stage5_warpsize2x2x1_g1_tensor16x8x8_execute_kernel__5x_cudnn"
[1s] dltrace_proc:object process=1 type=2 id=11 values=[1 7 1 1 32 1 1 0]
[1s] dltrace_proc:object process=1 type=2 id=12 values=[2 7 1 1 32 1 1 0]
[1s] dltrace_proc:object process=1 type=2 id=13 values=[3 7 1 1 32 1 1 0]
[1s] dltrace_proc:object process=1 type=5 id=1 name="_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_"
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel shape=11 duration=30us
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel shape=12 duration=20us
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel shape=13 duration=10us
[3s] dltrace_gpu:kernel process=1 caller=1 called=2s begin=2s duration=2ms kernel=1 stream=1
[3s] dltrace_proc:exit process=1 how=0
END
same "the whole name" "True True" "$(json '"%s %s" % ("'"$fill"'" in [k["kernel"] for k in r["kernels"]], "'"$fill"'" in [b["function"] for b in r["breakdown"]])')"
names() {
	"$REPORT" -q "$@" trace.txt | sed -n '/^GPU kernels/,/^$/s/^  \([^ ].*[^ ]\)   *1  .*/\1/p'
}
same "at 80 columns" "vectorized_e…l<4, FillFunctor<float>>
vectorized_e… CUDAFunctor_add<float>>
sm80_fprop_tf32_nhwc_nchw_128x64x32" "$(names --width=80)"
same "where there is room" "vectorized_elementwise_kernel<4, FillFunctor<float>>" "$(names --width=140 | head -1)"
same "what ran" 2 "$("$REPORT" -q trace.txt | grep -c 'FillFunctor<float>> ')"
same "in full" 2 "$("$REPORT" -q -v --width=999 trace.txt | grep -cF "$fill")"
same "in the table" 1 "$("$REPORT" -q --table kernels --width=999 trace.txt | grep -cF "$fill")"
page=page.html
"$REPORT" -q -f html trace.txt >$page 2>/dev/null || page=
[ -z "$page" ] || grep -q '"short_names":{.*:"vectorized_elementwise_kernel\\u003c4, FillFunctor\\u003cfloat\\u003e\\u003e"' $page ||
	fail "no short names: $(grep short_names $page)"

# Cut where they differ.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
[1s] dltrace_proc:function function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"
[1s] dltrace_proc:object process=1 type=1 id=1 handle=0x10 name="void cub::DeviceReduceKernel<float*, unsigned int, cuda::plus<void>, float>(float*)"
[1s] dltrace_proc:object process=1 type=1 id=2 handle=0x20 name="void cub::DeviceReduceSingleTileKernel<float*, unsigned int, cuda::plus<void>, float>(float*)"
[1s] dltrace_proc:object process=1 type=2 id=11 values=[1 7 1 1 32 1 1 0]
[1s] dltrace_proc:object process=1 type=2 id=12 values=[2 7 1 1 32 1 1 0]
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel shape=11 duration=30us
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel shape=12 duration=20us
END
same "names that begin and end alike" "DeviceReduceKernel… plus<void>, float>
DeviceReduceSingle… plus<void>, float>" "$(names --width=60)"

# SPDX-License-Identifier: MIT
# Rules on what failed and what grew: allocations and calls that failed, GPU memory that keeps growing,
# a trace without events; each told once, with its numbers, and not where it is not so.
. "$top_srcdir/tests/lib.sh"
told() {
	json "[(f['rule'], f['severity'], f['text'].split(': ', 1)[-1]) for f in r['findings'] if f['rule'] in ('allocation_failed', 'call_failed', 'gpu_memory_grows', 'no_events', 'no_gpu')]"
}

# Two allocations and three copies fail in one process, nothing in the other.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/one"
[1s] dltrace_proc:process process=2 pid=101 begin=1s host="h" exe="/bin/other"
[1s] dltrace_proc:library process=1 library=1 path="/usr/lib/libgreedy.so"
[1s] dltrace_proc:function process=1 function=cudaMemcpy layer="runtime" kind="copy" name="cudaMemcpy"
[2s] dltrace_sample:process process=1 time=2s threads=1 allocated=100M freed=20M
[3s] dltrace_heap:alloc thread=1 function=malloc library=1 size=5G ptr=0
[4s] dltrace_heap:alloc thread=1 function=malloc library=1 size=6G ptr=0
[5s] dltrace_cuda:copy thread=1 function=cudaMemcpy library=1 size=64 direction=1 result=700 duration=1us
[6s] dltrace_cuda:copy thread=1 function=cudaMemcpy library=1 size=64 direction=1 result=1 duration=1us
[7s] dltrace_cuda:copy thread=1 function=cudaMemcpy library=1 size=64 direction=1 result=1 duration=1us
[5s] dltrace_heap:alloc thread=2 function=malloc library=1 size=5M ptr=0x1000
[5s] dltrace_cuda:copy thread=2 function=cudaMemcpy library=1 size=64 direction=1 duration=1us
END
same "what failed" "[('allocation_failed', 'problem', 'an allocation of 5.0 GiB by libgreedy.so failed; 80 MiB were live at the last reading before; it was not the only one'), ('call_failed', 'warning', 'cudaMemcpy failed with 700 (cudaErrorIllegalAddress), 1 time'), ('call_failed', 'warning', 'cudaMemcpy failed with 1 (cudaErrorInvalidValue), 2 times')]" "$(told)"

# What the machine could have given was refused by a limit.
# limited AVAILABLE [CGROUP-LIMIT]: of 16 GiB; 5 GiB are asked for
limited() {
	report_text <<END
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/one"
[2s] dltrace_sample:machine time=2s cpus=2 memory=16G available=$1 cgroup_limit=${2:-0} cgroup_used=1G
[3s] dltrace_heap:alloc thread=1 function=malloc library=1 size=5G ptr=0
END
	json 'row("findings", rule="allocation_failed")["advice"].split(" ", 5)[:5]'
}
same "a limit refused it" "['The', 'machine', 'had', 'that', 'much:']" "$(limited 12G)"
same "in the cgroup, too" "$(limited 12G)" "$(limited 12G 8G)"
same "the machine had less" "['A', 'smaller', 'batch', 'needs', 'less']" "$(limited 4G)"
same "the cgroup had less" "$(limited 4G)" "$(limited 12G 4G)"

# Who asks for a GPU on a machine without one is told so once; whatever else fails is a failure.
asked() {
	report_text <<END
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/one"
[1s] dltrace_proc:process process=2 pid=101 begin=1s host="h" exe="/bin/other"
[1s] dltrace_proc:process process=3 pid=102 begin=1s host="h" exe="/bin/third"
[1s] dltrace_proc:function process=1 function=cudaGetDeviceCount layer="runtime" kind="manage" name="cudaGetDeviceCount"
[2s] dltrace_cuda:other thread=1 function=cudaGetDeviceCount library=1 result=$1 duration=1us
[3s] dltrace_cuda:other thread=2 function=cudaGetDeviceCount library=1 result=$1 duration=1us
[4s] dltrace_cuda:other thread=3 function=cudaGetDeviceCount library=1 result=0 duration=1us
END
}
asked 35
same "no driver" "[('no_gpu', 'info', 'cudaGetDeviceCount answered 35 (cudaErrorInsufficientDriver)')]" "$(told)"
json 'r["findings"][0]["text"]' | grep -q '^no GPU for one (pid 100) and 1 other: ' || fail "for whom: $(json 'r["findings"][0]["text"]')"
same "no failure" 0 "$(json 'len(r["failures"])')"
asked 100
same "no device" "[('no_gpu', 'info', 'cudaGetDeviceCount answered 100 (cudaErrorNoDevice)')]" "$(told)"
asked 34
same "the toolkit's stand-in" "[('no_gpu', 'info', 'cudaGetDeviceCount answered 34 (cudaErrorStubLibrary)')]" "$(told)"
asked 999
same "another failure" "call_failed call_failed" "$(json '" ".join(f["rule"] for f in r["findings"])')"

# TensorFlow without a driver: whatever it asks its own stand-ins.
report_text <<END
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/one"
[1s] dltrace_proc:function process=1 function=cuInit layer="driver" kind="manage" name="cuInit"
[1s] dltrace_proc:function process=1 function=cuGetErrorName layer="driver" kind="query" name="cuGetErrorName"
[2s] dltrace_cuda:other thread=1 function=cuInit library=1 result=303 duration=1us
[3s] dltrace_cuda:other thread=1 function=cuGetErrorName library=1 result=303 duration=1us
END
same "no driver for TensorFlow" "[('no_gpu', 'info', 'cuInit answered 303 (CUDA_ERROR_SHARED_OBJECT_INIT_FAILED)')]" "$(told)"

# What ends with the driver, and what is only asked, is answered by errors that are no failures; the same code of
# another call, and another code of the same call, are.
report_text <<END
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/one"
[1s] dltrace_proc:function process=1 function=cuLibraryUnload layer="driver" kind="other" name="cuLibraryUnload"
[1s] dltrace_proc:function process=1 function=cudaFree layer="runtime" kind="free" name="cudaFree"
[1s] dltrace_proc:function process=1 function=cuCtxGetDevice_v2 layer="driver" kind="other" name="cuCtxGetDevice_v2"
[1s] dltrace_proc:function process=1 function=cuMemcpy layer="driver" kind="copy" name="cuMemcpy"
[1s] dltrace_proc:function process=1 function=ncclAllReduce layer="nccl" kind="communicate" name="ncclAllReduce"
[2s] dltrace_cuda:other thread=1 function=cuCtxGetDevice_v2 library=1 result=201 duration=1us
[3s] dltrace_cuda:copy thread=1 function=cuMemcpy library=1 size=64 direction=1 result=201 duration=1us
[4s] dltrace_cuda:other thread=1 function=cuCtxGetDevice_v2 library=1 result=700 duration=1us
[4s] dltrace_comm:call thread=1 function=ncclAllReduce duration=1us result=4
[5s] dltrace_cuda:other thread=1 function=cuLibraryUnload library=1 result=4 duration=1us
[5s] dltrace_cuda:free thread=1 function=cudaFree library=1 result=4 duration=1us
[5s] dltrace_cuda:other thread=1 function=cuCtxGetDevice_v2 library=1 result=4 duration=1us
[6s] dltrace_proc:exit process=1 how=0 code=0
END
same "answers and failures" "['cuCtxGetDevice_v2 returned 700 (CUDA_ERROR_ILLEGAL_ADDRESS), 1 time', 'cuMemcpy of 64 B returned 201 (CUDA_ERROR_INVALID_CONTEXT), 1 time', 'ncclAllReduce returned 4 (ncclInvalidArgument), 1 time']" "$(json 'sorted(f["text"] for f in r["failures"])')"
same "found" "['cuCtxGetDevice_v2 failed with 700 (CUDA_ERROR_ILLEGAL_ADDRESS), 1 time', 'cuMemcpy failed with 201 (CUDA_ERROR_INVALID_CONTEXT), 1 time', 'ncclAllReduce failed with 4 (ncclInvalidArgument), 1 time']" \
	"$(json 'sorted(f["text"].split(": ", 1)[1] for f in r["findings"] if f["rule"] == "call_failed")')"

# growing MEGABYTES: so many are reserved each second and stay, or (0) are given back
growing() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/train"'
		echo '[1s] dltrace_proc:library process=1 library=1 path="/usr/lib/libpool.so"'
		for i in $(seq 2 120); do
			echo "[${i}s] dltrace_cuda:alloc thread=1 function=cudaMalloc library=1 ptr=4096 size=8M duration=1us"
			[ "$1" != 0 ] || echo "[${i}500ms] dltrace_cuda:free thread=1 function=cudaFree library=1 ptr=4096 size=8M owner=1 duration=1us"
		done
		echo '[121s] dltrace_proc:exit process=1 how=0 code=0'
	} | report_text
}
growing 8
same "GPU memory that grows" "[('gpu_memory_grows', 'warning', '8.0 MiB a second from 41 s on, 624 MiB in all; most of it is held by libpool.so')]" "$(told)"
growing 0
same "GPU memory that is given back" "[]" "$(told)"

# beside a good one; alone it makes no report
printf 'dltrace-text 1\nhost "h"\n' >none.txt
printf 'dltrace-text 1\n[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/true"\n' |
	report_text "$TMP/none.txt"
same "no events" "[('no_events', 'problem', 'was the program started with it?')]" "$(told)"

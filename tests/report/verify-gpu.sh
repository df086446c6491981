# SPDX-License-Identifier: MIT
# The checks gpu-kernels and gpu-copies: launches of graphs count as often as they were made, copies and sets
# both; what may be a kernel or not is allowed for, and no more; and where anything is known to be missing there
# is no verdict.
. "$top_srcdir/tests/lib.sh"

# work KERNELS COPIES SETS: a trace in which the GPU did so much; the text of standard input goes between
work() {
	cat <<'T'
dltrace-text 1
recording id 42
recording level full
recording exit 0
[1s] dltrace_proc:process process=1 pid=100 begin=1s recording=42 exe="/usr/bin/work"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s name="work"
[1s] dltrace_proc:library process=1 library=1 path="/usr/lib/libwork.so"
[1s] dltrace_proc:function process=1 function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"
[1s] dltrace_proc:function process=1 function=cudaGraphLaunch layer="runtime" kind="launch" name="cudaGraphLaunch"
[1s] dltrace_proc:function process=1 function=cudaMemcpyAsync layer="runtime" kind="copy" name="cudaMemcpyAsync"
[1s] dltrace_proc:object process=1 type=1 id=1 name="_Z5scalePfi"
[1s] dltrace_proc:object process=1 type=2 id=1 values=[1 1 1 1 32 1 1 0]
[1s] dltrace_proc:object process=1 type=3 id=1
[1s] dltrace_proc:object process=1 type=5 id=1 name="_Z5scalePfi"
[1s] dltrace_proc:object process=1 type=6 id=2 values=[2 1 3 0]
[1200ms] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 duration=5us shape=1 stream=1
[1210ms] dltrace_cuda:launch thread=1 function=cudaGraphLaunch library=1 duration=6us shape=2 stream=1
[1220ms] dltrace_cuda:launch thread=1 function=cudaGraphLaunch library=1 duration=6us shape=2 stream=1
[1300ms] dltrace_cuda:copy thread=1 function=cudaMemcpyAsync library=1 duration=7us size=1K direction=1 stream=1
T
	cat
	for i in $(seq "$1"); do
		echo "[1400ms] dltrace_gpu:kernel process=1 caller=1 called=1200ms begin=1${i}01us duration=1us kernel=1 correlation=$i"
	done
	for i in $(seq "$2"); do
		echo "[1410ms] dltrace_gpu:copy process=1 caller=1 called=1200ms begin=1${i}02us duration=1us size=1K direction=1"
	done
	for i in $(seq "$3"); do
		echo "[1420ms] dltrace_gpu:copy process=1 caller=1 called=1200ms begin=1${i}03us duration=1us size=1K direction=5"
	done
	echo '[2s] dltrace_gpu:gap process=1 reason=0 records=6 version=28'
	echo '[2s] dltrace_proc:thread_end thread=1'
	echo '[2s] dltrace_proc:exit process=1 thread=1'
	echo '[2110ms] dltrace_sample:process process=1 final=1 time=2110ms'
}

# verdicts WHAT KERNELS COPIES: what these two checks say of trace.txt
verdicts() {
	"$REPORT" -q --verify -f json trace.txt >result.json || [ $? = 1 ]
	same "$1" "$2 $3" "$(jq -r '[.checks[] | select(.check == ("gpu-kernels", "gpu-copies")) | .result] | join(" ")' result.json | sed 's/not applicable/none/g')"
}

# 1 + 2 x 2 kernels; 1 + 2 x 1 copies, 2 x 3 sets
work 5 3 6 </dev/null >trace.txt
verdicts "as many as were asked for" passed passed
work 4 3 6 </dev/null >trace.txt
verdicts "a kernel too few" failed passed
work 6 3 6 </dev/null >trace.txt
verdicts "a kernel too many" failed passed
work 5 3 5 </dev/null >trace.txt
verdicts "a set too few" passed failed
work 5 4 6 </dev/null >trace.txt
verdicts "a copy too many" passed failed

# What is launched without a shape may be a function of the host, and a copy of no bytes none.
cat >maybe <<'T'
[1230ms] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 duration=5us shape=0 stream=1
[1310ms] dltrace_cuda:copy thread=1 function=cudaMemcpyAsync library=1 duration=7us size=0 direction=1 stream=1
T
for n in 5 6; do
	work $n $((n - 2)) 6 <maybe >trace.txt
	verdicts "what may be work, $n" passed passed
done
work 7 5 6 <maybe >trace.txt
verdicts "more than may be work" failed failed

# Nobody is accused where something is known to be missing.
missing() {
	echo "$2" | work 1 1 1 >trace.txt
	verdicts "$1" none none
}
missing "a graph that is not known" '[1240ms] dltrace_proc:object process=1 type=6 id=3 values=[1 0 0 1]
[1250ms] dltrace_cuda:launch thread=1 function=cudaGraphLaunch library=1 duration=6us shape=3 stream=1'
missing "a function that is not covered" '[1240ms] dltrace_proc:object process=1 type=4 id=9 name="cuNewest"'
missing "records that were lost" '[1240ms] dltrace_gpu:gap process=1 reason=6 kinds=31 records=7 version=28'
missing "a gap" '[1240ms] dltrace_gpu:gap process=1 reason=4 kinds=9 begin=1200ms end=1230ms text="another profiler has CUPTI"'
# ... but a graph that was never launched is nobody's concern.
echo '[1240ms] dltrace_proc:object process=1 type=6 id=3 values=[1 0 0 1]' | work 5 3 6 >trace.txt
verdicts "a graph that was not launched" passed passed

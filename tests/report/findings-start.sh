# SPDX-License-Identifier: MIT
# Rules on starting: a function's only call, the first calls of several, kernels that are loaded when launched.
. "$top_srcdir/tests/lib.sh"

# start [LINE]...
start() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/first"'
		echo '[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s'
		for f in cuInit:driver:initialise cudaFree:runtime:allocate cudaMalloc:runtime:allocate cudaDeviceSynchronize:runtime:synchronise \
			cudaLaunchKernel:runtime:launch; do
			layer=${f#*:}
			echo "[1s] dltrace_proc:function function=${f%%:*} layer=\"${layer%:*}\" kind=\"${f##*:}\" name=\"${f%%:*}\""
		done
		for line in "$@"; do echo "$line"; done
		echo '[9s] dltrace_proc:exit process=1'
	} | report_text
}
found() {
	json "[f['text'] for f in r['findings'] if f['rule'] == '$1']"
}

start '[2s] dltrace_cuda:other thread=1 function=cuInit duration=11ms'
same "an only call" "['first (pid 100): its only call of cuInit took 11 ms, as a first call does (a context is made, code is loaded)']" "$(found first_call)"
start '[2s] dltrace_cuda:other thread=1 function=cuInit duration=9ms'
same "a quick one" "[]" "$(found first_call)"
start '[2s] dltrace_cuda:other thread=1 function=cuInit duration=19ms result=100'
same "one that failed" "[]" "$(found first_call)"
start '[2s] dltrace_cuda:sync thread=1 function=cudaDeviceSynchronize duration=3s'
same "waiting is no start" "[]" "$(found first_call)"
start '[2s] dltrace_cuda:other thread=1 function=cuInit duration=11ms' '[3s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=200ms ptr=0x10 size=10'
same "two" "['first (pid 100): the first calls of 2 functions took 211 ms, most of all their time (a context is made, code is loaded): cuInit 11 ms, cudaMalloc 200 ms']" \
	"$(found first_call)"
same "in a list" "['cuInit', 'cudaMalloc']" "$(json '[x["function"] for x in r["findings"][0]["evidence"]["functions"]]')"

# twice MS: its first call takes so long, its second nearly nothing
twice() {
	start "[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=$1 ptr=0x10 size=10" \
		'[3s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=5us ptr=0x20 size=10'
}
twice 1100us
same "a first call" 1 "$(json "len($(found first_call))")"
twice 900us
same "a quick first call" "[]" "$(found first_call)"

# launches COUNT DURATION [KERNELS]: that many slow ones of three kernels, in four seconds
launches() {
	for kernel in $(seq 1 "${3:-3}"); do echo "[2s] dltrace_proc:object process=1 type=1 id=$kernel name=\"k$kernel\""; done
	echo '[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel duration=5us'
	for i in $(seq 1 "$1"); do echo "[$((2000 + i * 20))ms] dltrace_cuda:launch thread=1 function=cudaLaunchKernel duration=$2"; done
	echo '[6s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel duration=5us'
}
start "$(launches 3 20ms)"
same "lazy loading" 1 "$(json "len($(found lazy_loading))")"
start "$(launches 3 16ms)"
same "too little" "[]" "$(found lazy_loading)"
start "$(launches 4 20ms)"
same "more slow ones than kernels" "[]" "$(found lazy_loading)"
start "$(launches 3 20ms)" '[8800ms] dltrace_cuda:launch thread=1 function=cudaLaunchKernel duration=5us'
same "little of a longer time" "[]" "$(found lazy_loading)"
start "$(launches 140 650us 140)"
same "somewhat slow ones" 1 "$(json "len($(found lazy_loading))")"
start "$(launches 180 450us 180)"
same "quick ones" "[]" "$(found lazy_loading)"

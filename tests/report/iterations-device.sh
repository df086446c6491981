# SPDX-License-Identifier: MIT
# Iterations by what a GPU is given to do, where everything else repeats otherwise: a compiler in the process that names
# what it does, libraries that load code and ask a GPU a thousand things after its first launch.
. "$top_srcdir/tests/lib.sh"

# setup: the first launch at 1.1 s, then code is compiled for 16 kernels until 3 s
setup() {
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3"'
	echo '[1s] dltrace_proc:library process=1 library=1 path="/lib/xla_cuda_plugin.so"'
	for f in cuLaunchKernel:launch cuLaunchHostFunc:launch cuMemcpyDtoHAsync_v2:copy cuStreamSynchronize:synchronise; do
		echo "[1s] dltrace_proc:function function=${f%:*} layer=\"driver\" kind=\"${f#*:}\" name=\"${f%:*}\""
	done
	awk 'BEGIN { srand(7)
		for (q = 0; q < 20; q++) {
			printf "[1s] dltrace_proc:function function=%d layer=\"driver\" kind=\"other\" name=\"cuAsk%d\"\n", 3000 + q, q
			for (n = 20 + 3 * q; n; n--)
				printf "[%dus] dltrace_cuda:other thread=1 function=%d library=1 duration=1us\n", 1100100 + 1900000 * rand(), 3000 + q
		}
		for (k = 0; k < 16; k++) {
			printf "[%dus] dltrace_cuda:launch thread=1 function=cuLaunchKernel library=1 duration=5us shape=%d\n", 1100000 + k * 110000, 100 + k
			printf "[%dus] dltrace_cuda:launch thread=%d function=cuLaunchHostFunc library=1 duration=5us\n", 1100010 + k * 110000, 50 + k % 3
			for (r = 0; r < 300; r++)
				printf "[%dus] dltrace_mark:range thread=1 begun_by=1 duration=100us kind=1 domain=\"TSL\" name=\"Pass%d\"\n", 1102000 + k * 110000 + r * 300, r
		} }'
	for t in 50 51 52; do echo "[1s] dltrace_proc:thread thread=$t process=1 tid=$t begin=1s"; done
}
# steps COUNT US: that many from 3 s on, so long each, of 12 kernels, two of them twice, and a function of the host's
steps() {
	awk -v count="$1" -v us="$2" 'BEGIN { for (i = 0; i < count; i++) { at = 3000000 + i * us
		for (k = 0; k < 14; k++)
			printf "[%dus] dltrace_cuda:launch thread=1 function=cuLaunchKernel library=1 duration=5us shape=%d\n", at + k * 10, 1 + k % 12
		printf "[%dus] dltrace_cuda:launch thread=1 function=cuLaunchHostFunc library=1 duration=5us\n", at + 150 } }'
}
# results SECONDS: three copies back at that time
results() {
	for i in 1 2 3; do
		echo "[${1}00${i}ms] dltrace_cuda:copy thread=1 function=cuMemcpyDtoHAsync_v2 library=1 duration=1ms size=1M direction=2"
		echo "[${1}00${i}ms] dltrace_cuda:sync thread=1 function=cuStreamSynchronize library=1 duration=1ms"
	done
}
found() {
	json '"%(how)s %(count)s %(evaluations)s" % row("iterations", process=1)'
}

{ setup; steps 20 3500; results 4; } | report_text
same "after a compiler" "calls 20 0" "$(found)"
same "since the first step" 2000 "$(json 'round(row("iterations", process=1)["begin_ns"] / 1e6)')"
same "each" 3500000 "$(json 'round(row("iterations", process=1)["median_ns"])')"

{ setup; steps 5000 350; results 5; } | report_text
same "too many to be kept one by one" "calls 5000 0" "$(found)"

# What is waited for once a step and three times more at the end has not gone forward three times more.
{
	setup
	awk 'BEGIN { for (i = 0; i < 20; i++) { at = 3000000 + i * 3500
		for (k = 0; k < 8; k++)
			printf "[%dus] dltrace_cuda:launch thread=1 function=cuLaunchKernel library=1 duration=5us shape=%d\n", at + k * 10, 1 + k
		printf "[%dus] dltrace_cuda:copy thread=1 function=cuMemcpyDtoHAsync_v2 library=1 duration=5us size=1M direction=2\n", at + 90
		printf "[%dus] dltrace_cuda:sync thread=1 function=cuStreamSynchronize library=1 duration=1ms\n", at + 1100 } }'
	results 4
} | report_text
same "waits at the end" "calls 20 0" "$(found)"

{
	setup
	awk 'BEGIN { srand(5); for (i = 0; i < 300; i++)
		printf "[%dus] dltrace_cuda:launch thread=1 function=cuLaunchKernel library=1 duration=5us shape=%d\n", 3000000 + i * 300, 1 + 12 * rand() }'
	results 4
} | report_text
same "kernels in no order" "not found None None" "$(found)"

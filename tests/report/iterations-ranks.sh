# SPDX-License-Identifier: MIT
# Iterations of a rank: its collectives are done by whichever thread of a pool has its turn; before the first of them
# the ranks meet in many small messages; libraries announce their kernels, and take them back at the end.
. "$top_srcdir/tests/lib.sh"
need python3

# rank STEPS MESSAGES TAKEN: a text trace of two epochs of so many steps; messages of different sizes before
# these; announcements that are taken back at the end.
rank() {
	python3 - "$@" <<-'END'
	import random, sys
	random.seed(2)
	steps, messages, taken = map(int, sys.argv[1:])
	now = 1000.0
	print('dltrace-text 1')
	print('[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3" heap=0')
	print('[1s] dltrace_proc:function process=1 function=1 kind="communicate" layer="gloo" name="gloo::allreduce"')
	print('[1s] dltrace_proc:function process=1 function=2 kind="initialise" layer="runtime" name="__cudaUnregisterFatBinary"')
	for thread in (1, 2, 3): print(f'[1s] dltrace_proc:thread thread={thread} process=1 tid={99 + thread} begin=1s')
	def event(ms, text):
	    global now
	    now += ms
	    print(f"[{int(now * 1000)}us] {text}")
	def collective(bytes): event(0.2, f"dltrace_comm:call thread={random.choice((2, 3))} function=1 library=1 duration=50us bytes={bytes}")
	def product(m, n, k): event(1, f"dltrace_cpu:blas thread=1 function=sgemm_ library=1 duration=500us m={m} n={n} k={k}")
	for i in range(messages): collective(8 + 4 * i)
	for epoch in range(2):
	    for i in range(steps):
	        product(10, 16, 7200); product(7200, 16, 10); product(7200, 10, 16)
	        for bytes in (288040, 4, 1): collective(bytes)
	    now += 900
	for i in range(taken): event(0.02, "dltrace_cuda:other thread=1 function=2 library=1 duration=5us")
	event(1, "dltrace_proc:exit process=1 how=0 code=0")
	END
}

while read -r steps messages taken; do
	rank "$steps" "$messages" "$taken" | report_text
	same "$steps steps, $messages messages, $taken taken back" "$((2 * steps)) calls" "$(json '"%(count)s %(how)s" % row("iterations")')"
done <<END
4 0 0
4 12 0
4 0 454
15 12 454
END

# SPDX-License-Identifier: MIT
# Rules on GPUs: each is found just above its threshold and not just below it, nor where the GPU is busy.
. "$top_srcdir/tests/lib.sh"

# training UTILISATION [LINE]...: ten seconds of a process that keeps $own percent of a core busy, and a worker $worker;
# 1,000 launches of 5 us, two of them as events; the GPU is that busy in percent ("": nobody says), which
# is said every $told tenths of a second.
own=20 worker=90 told=1
training() {
	busy=$1
	shift
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_sample:machine host="h" time=1s cpus=8 memory=8G available=6G'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/train"'
		echo '[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s'
		echo '[1s] dltrace_proc:process process=2 parent=1 pid=101 reason=1 begin=1s host="h" exe="/bin/train"'
		echo '[1s] dltrace_proc:library process=1 library=1 path="/lib/libtorch_cuda.so"'
		for f in cudaLaunchKernel:launch cudaStreamSynchronize:synchronise cudaMemcpy:copy cudaMemcpyAsync:copy \
			cudaMalloc:allocate cudaFree:allocate cudaHostAlloc:allocate; do
			echo "[1s] dltrace_proc:function function=${f%:*} layer=\"runtime\" kind=\"${f#*:}\" name=\"${f%:*}\""
		done
		echo '[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 duration=5us'
		echo '[12s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 duration=5us'
		awk -v busy="$busy" -v own="$own" -v worker="$worker" -v told="$told" 'BEGIN { for (i = 10; i <= 120; i++) {
			printf "[%dms] dltrace_sample:process process=1 time=%dms threads=1 user=%dms\n", i * 100, i * 100, i * own
			printf "[%dms] dltrace_sample:process process=2 time=%dms threads=1 user=%dms\n", i * 100, i * 100, i * worker
			if (busy != "" && i % told == 0) printf "[%dms] dltrace_record:gpu gpu=0 name=\"H\" memory=80G used=1G utilisation=%d\n", i * 100, busy
		} }'
		for line in "$@"; do echo "$line"; done
	} | report_text
}
# total FUNCTION CALLS MS [BYTES]
total() {
	echo "[12s] dltrace_sample:function process=1 function=$1 library=1 calls=$2 outer_calls=$2 total=$3ms outer_total=$3ms bytes=${4:-0}"
}
found() {
	json "[f['severity'] for f in r['findings'] if f['rule'] == '$1']"
}
text() {
	json "[f['text'] for f in r['findings'] if f['rule'] == '$1'][0]"
}
launches=$(total cudaLaunchKernel 1000 5)

training 50 "$launches" "$(total cudaStreamSynchronize 500 2100)"
same "waits" "['warning']" "$(found waits_for_gpu)"
same "said" 'train (pid 100) waited 2.1 s for the GPU, 21 % of the time between its first launch and its last: 500 waits for 1,000 launches, 4.2 ms each, mostly in cudaStreamSynchronize called by libtorch_cuda.so; the GPU was idle for 50 % of that time' \
	"$(text waits_for_gpu)"
same "evidence" "(2100000000, 0.5)" "$(json '[(f["evidence"]["wait_ns"], f["evidence"]["gpu_busy"]) for f in r["findings"] if f["rule"] == "waits_for_gpu"][0]')"
training 50 "$launches" "$(total cudaMemcpy 500 2100 1M)"
same "a copy that blocks" "['warning']" "$(found waits_for_gpu)"
training 50 "$launches" "$(total cudaStreamSynchronize 500 1900)"
same "waits little" "[]" "$(found waits_for_gpu)"
training 75 "$launches" "$(total cudaStreamSynchronize 500 9000)"
same "waits for a busy GPU" "[]" "$(found waits_for_gpu)$(found gpu_idle | tr -d '[]')"
training '' "$launches" "$(total cudaStreamSynchronize 150 9000)"
same "not known what the GPU did" "[]" "$(found waits_for_gpu)$(found gpu_idle | tr -d '[]')"
training '' "$launches" "$(total cudaStreamSynchronize 500 9000)"
same "after each launch" "['info']" "$(found waits_for_gpu)"

# side_by_side EVENT FUNCTION MS: the thread and three more spend so long each in 50 calls that are events
side_by_side() {
	awk -v event="$1" -v fn="$2" -v ms="$3" 'BEGIN { for (t = 1; t <= 31; t += 10) {
		printf "[1s] dltrace_proc:thread thread=%d process=1 tid=%d begin=1s\n", t, 99 + t
		for (i = 0; i < 50; i++)
			printf "[%dms] dltrace_cuda:%s thread=%d function=%s library=1 duration=%dus\n", 2100 + 190 * i + t, event, t, fn, ms * 20 } }'
}
training 50 "$launches" "$(total cudaStreamSynchronize 500 24000)" "$(side_by_side sync cudaStreamSynchronize 6000)"
same "four threads wait side by side" "('warning', 4, 0.6)" \
	"$(json '[(f["severity"], f["evidence"]["threads"], round(f["evidence"]["share"], 6)) for f in r["findings"] if f["rule"] == "waits_for_gpu"][0]')"
text waits_for_gpu | grep -qF 'waited 6.0 s for the GPU (the longest of 4 threads), 60 % of the time' || fail "said of four: $(text waits_for_gpu)"
training 50 "$launches" "$(total cudaStreamSynchronize 500 7000)" "$(side_by_side sync cudaStreamSynchronize 1750)"
same "each of four waits little" "[]" "$(found waits_for_gpu)"
training 50 "$launches" "$(total cudaStreamSynchronize 500 24000)"
same "no share is more than all" 1.0 "$(json '[f["evidence"]["share"] for f in r["findings"] if f["rule"] == "waits_for_gpu"][0]')"

training 69 "$launches"
same "idle" "['warning']" "$(found gpu_idle)"
same "who is busy" "train (pid 100) left the GPU idle for 3.1 s, 31 % of the time between its first launch and its last, which may include its start, as no iterations were found: 1,000 launches, one each 10 ms; meanwhile train (pid 101), one of its workers, kept 0.9 cores busy" \
	"$(text gpu_idle)"
advised() {
	json "[(f['severity'], (f.get('advice') or 'none')[:12]) for f in r['findings'] if f['rule'] == '$1']"
}
same "a worker prepares" "[('warning', 'Prepare data')]" "$(advised gpu_idle)"
training 71 "$launches"
same "not idle" "[]" "$(found gpu_idle)"

worker=55
training 69 "$launches"
text gpu_idle | grep -q 'one of its workers, kept 0.[56] cores busy' || fail "half busy: $(text gpu_idle)"
worker=45
training 69 "$launches"
text gpu_idle | grep -q 'no process was busy' || fail "hardly busy: $(text gpu_idle)"
same "what it cannot know" "[('info', 'none')]" "$(advised gpu_idle)"
worker=90 told=9
training 69 "$launches"
same "said seldom" "['warning']" "$(found gpu_idle)"
told=11
training 69 "$launches"
same "said too seldom" "[]" "$(found gpu_idle)"
told=1

# blocks MS FROM [APART]: ten allocations and ten frees that take so long each, every so many ms
blocks() {
	awk -v ms="$1" -v from="$2" -v apart="${3:-300}" 'BEGIN { for (i = 0; i < 10; i++) {
		printf "[%dms] dltrace_cuda:alloc thread=1 function=cudaMalloc library=1 duration=%sms ptr=0x%d size=1M\n", from + i * apart, ms, 1000 + i
		printf "[%dms] dltrace_cuda:free thread=1 function=cudaFree library=1 duration=%sms ptr=0x%d size=1M\n", from + i * apart + apart / 3, ms, 1000 + i } }'
}
training 90 "$launches" "$(blocks 3.4 8000)"
same "allocations" "['warning']" "$(found gpu_allocations)"
training 90 "$launches" "$(blocks 3.2 8000)"
same "quick ones" "[]" "$(found gpu_allocations)"
training 90 "$launches" "$(blocks 4 8000 | head -n 18)"
same "few" "[]" "$(found gpu_allocations)"
training 90 "$launches" "$(blocks 30 2000)"
same "those of the warm-up" "[]" "$(found gpu_allocations)"
# four_with_blocks MS: four threads, each with as many that take so long: two in each of what are iterations of 300 ms
four_with_blocks() {
	for thread in 1 11 21 31; do
		echo "[1s] dltrace_proc:thread thread=$thread process=1 tid=$((99 + thread)) begin=1s"
		blocks "$1" 8000 | sed "s/thread=1/thread=$thread/"
	done
}
training 90 "$launches" "$(four_with_blocks 100)"
same "of four threads side by side" "(4, 72, 7200000000, 0.666667)" \
	"$(json '[tuple(round(f["evidence"][k], 6) for k in ("threads", "calls", "time_ns", "share")) for f in r["findings"] if f["rule"] == "gpu_allocations"][0]')"
text gpu_allocations | grep -qF 'took 1.8 s (the longest of 4 threads), 67 % of the time' || fail "said of four: $(text gpu_allocations)"
training 90 "$launches" "$(four_with_blocks 1.4)"
same "quick ones in each of four threads" "[]" "$(found gpu_allocations)"
# steps MS: ten of them from 7 s of the trace on, that long each. Their time is looked at alone if it is two seconds.
steps() {
	awk -v ms="$1" 'BEGIN { for (i = 0; i <= 10; i++)
		printf "[%dms] dltrace_mark:range thread=1 begun_by=1 kind=5 domain=\"dltrace\" name=\"step\" payload_type=1 payload=%d\n", 8000 + i * ms, i < 10 ? i : -1 }'
}
training 90 "$launches" "$(blocks 1.1 8200 150)" "$(steps 201)"
same "in steps of two seconds" "['warning']" "$(found gpu_allocations)"
same "since the first of them" "[7000000000, 9010000001]" "$(json '[(f["evidence"]["begin_ns"], f["evidence"]["end_ns"]) for f in r["findings"] if f["rule"] == "gpu_allocations"][0]' | tr '()' '[]')"
training 90 "$launches" "$(blocks 1.1 8200 150)" "$(steps 199)"
same "in steps of less: of all of its work" "[]" "$(found gpu_allocations)"
training 90 "$launches" "$(blocks 3.4 8200 150)" "$(steps 199)"
same "so much that it shows there" "['warning']" "$(found gpu_allocations)"

training 50 "$(total cudaLaunchKernel 210000 2600)"
same "small kernels" "['warning'] []" "$(found small_kernels) $(found gpu_idle)"
training 50 "$(total cudaLaunchKernel 210000 2400)"
same "quick launches" "[]" "$(found small_kernels)"
training 50 "$(total cudaLaunchKernel 210000 5200)" "$(side_by_side launch cudaLaunchKernel 1300)"
same "each of four launches quickly" "[] ['warning']" "$(found small_kernels) $(found gpu_idle)"
training 50 "$(total cudaLaunchKernel 190000 2600)"
same "rare launches" "[]" "$(found small_kernels)"
training 71 "$(total cudaLaunchKernel 210000 2600)"
same "a full queue" "[]" "$(found small_kernels)"

# kernels APART US [MS]: launched so many us apart from 8 s to 10 s, each of which runs for so long; ten steps, of 200 ms
kernels() {
	awk -v apart="$1" -v us="$2" -v ms="${3:-200}" 'BEGIN { for (at = 8000000; at < 8000000 + 10000 * ms; at += apart) {
		printf "[%dus] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 duration=5us\n", at + 5
		printf "[%dus] dltrace_gpu:kernel process=1 caller=1 begin=%dus duration=%dus kernel=1\n", at + 900000, at + 9, us } }'
	steps "${3:-200}"
}
both() {
	json "[(f['rule'], f['severity']) for f in r['findings'] if f['rule'] in ('small_kernels', 'gpu_idle')]"
}
training '' "$launches" "$(kernels 1000 300)"
same "steady iterations of small kernels" "[('small_kernels', 'warning')]" "$(both)"
same "said of iterations" "train (pid 100) launches work too small for the GPU, which was idle for 70 % of its 10 steady iterations (2.0 s), 100 % of that in pauses of less than 1.0 ms, until the next was launched: 200 launches an iteration, one each 1.0 ms, of kernels that run for 300 µs on average" \
	"$(text small_kernels)"
training '' "$launches" "$(kernels 4000 800)"
same "long pauses in them" "[('gpu_idle', 'warning')] [('warning', 'Prepare data')]" "$(both) $(advised gpu_idle)"
own=95
training '' "$launches" "$(kernels 4000 800)"
same "in which it is busy itself" "[('warning', 'What it does')]" "$(advised gpu_idle)"
own=20
training '' "$launches" "$(kernels 1000 800)"
same "the start does not count" "[]" "$(both)"
training '' "$launches" "$(kernels 1000 300 25)"
same "short, but CUPTI tells" "[('small_kernels', 'warning')]" "$(both)"
training '' "$launches" "$(kernels 1000 300 15)"
same "too short" "[]" "$(both)"
training 20 "$launches" "$(steps 150)"
same "too short for NVML" "[]" "$(both)"

training 90 "$launches" "$(total cudaMemcpyAsync 1000 310 1G)"
same "pageable" "['warning']" "$(found pageable_copies)"
training 90 "$launches" "$(total cudaMemcpyAsync 1000 290 1G)"
same "little time" "[]" "$(found pageable_copies)"
training 90 "$launches" "$(total cudaMemcpyAsync 1000 1160 1G)" "$(side_by_side copy cudaMemcpyAsync 290)"
same "little time in each of four threads" "[]" "$(found pageable_copies)"
training 90 "$launches" "$(total cudaMemcpyAsync 1000 310 40G)"
same "no time for so much" "[]" "$(found pageable_copies)"
for bytes in 280M 17G; do
	training 90 "$launches" "$(total cudaMemcpyAsync 1000 310 $bytes)"
	same "$bytes" "['warning']" "$(found pageable_copies)"
done
for bytes in 240M 20G; do
	training 90 "$launches" "$(total cudaMemcpyAsync 1000 310 $bytes)"
	same "$bytes" "[]" "$(found pageable_copies)"
done
training 90 "$launches" "$(total cudaMemcpyAsync 1000 310 1G)" \
	'[3s] dltrace_cuda:alloc thread=1 function=cudaHostAlloc library=1 duration=1ms ptr=0x9000 size=70 memory=5'
same "pinned" "[]" "$(found pageable_copies)"

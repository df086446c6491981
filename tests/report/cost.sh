# SPDX-License-Identifier: MIT
# What tracing cost: operations by kind, from warm caches to cold ones; a finding where it is a percent.
. "$top_srcdir/tests/lib.sh"

# work CPU: 1,000,000 heap calls, 20 noted events, 1 single one, 10,000 counted calls, one sample
work() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/work"'
		echo '[1s] dltrace_sample:function process=1 function=cudaGetDevice calls=10000 outer_calls=10000 total=1s outer_total=1s'
		for i in $(seq 1 20); do echo "[2s] dltrace_heap:free thread=1 function=free size=64K ptr=0x$i"; done
		echo "[3s] dltrace_sample:process process=1 time=3s threads=1 user=$1 allocations=600000 frees=400000"
		[ -z "${BOXED-}" ] || echo "boxed $BOXED"
	} | report_text
}
work 270ms
# 2 + 0.0006 + 0.000125 + 0.3 + 0.3 ms; 5 + 0.002 + 0.00037 + 0.8 + 0.75 ms
same "limit" "tracing cost 2.6 ms to 6.6 ms of CPU time, 0.96 to 2.4 % of the 270 ms that the programs used (1,000,000 heap calls of 2 ns to 5 ns, 20 noted events of 30 ns to 100 ns, 1 events of 125 ns to 370 ns, 10,000 counted calls of 30 ns to 80 ns, 1 samples of 300 µs to 750 µs; warm to cold caches, as measured on one machine)" \
	"$(json 'row("limits", kind="overhead")["text"]')"
# The same under dltrace-record: by the black box, which the text says at its end.
BOXED=1 work 270ms
same "its way" True "$(json '"20 noted events of 30 ns to 100 ns, 1 events by the black box of 65 ns to 190 ns, 10,000" in row("limits", kind="overhead")["text"]')"
work 270ms
same "no word of it" "[]" "$(json "[f for f in r['findings'] if f['rule'] == 'own_cost']")"
work 255ms
same "a percent" "['info']" "$(json "[f['severity'] for f in r['findings'] if f['rule'] == 'own_cost']")"
work 5ms
same "a large share" "True" "$(json "' 52 to 130 % of what' in [f for f in r['findings'] if f['rule'] == 'own_cost'][0]['text']")"
work 50ms
same "much" "['warning']" "$(json "[f['severity'] for f in r['findings'] if f['rule'] == 'own_cost']")"
work 60ms
same "not much" "['info']" "$(json "[f['severity'] for f in r['findings'] if f['rule'] == 'own_cost']")"

# Of a part of the time: what tracing cost in all, and no call that lies outside counts as one that is no event.
part() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/work"'
		for ms in $(seq 2001 3000); do
			echo "[${ms}ms] dltrace_cpu:blas thread=1 function=sgemm_ m=9 n=9 k=9 duration=50us"
			echo "[${ms}ms] dltrace_heap:alloc thread=1 function=malloc size=64K ptr=0x$ms"
			echo "[${ms}ms] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1us size=9 ptr=0x$ms"
			echo "[${ms}ms] dltrace_comm:call thread=1 function=ncclAllReduce duration=1us"
		done
		for function in sgemm_ cudaMalloc ncclAllReduce; do
			echo "[4s] dltrace_sample:function process=1 function=$function calls=1500 outer_calls=1500 total=2s outer_total=2s"
		done
		echo '[4s] dltrace_sample:process process=1 time=4s threads=1 user=1s allocations=1000'
	} | report_text "$@"
	json 'row("limits", kind="overhead")["text"]' | grep -o '[0-9,]* counted calls'
	json '[x["text"].split(" (")[1] for x in rows("limits", kind="threshold")]'
}
same "of the whole" "1,500 counted calls ['pid 100): 1,500 outermost calls']" "$(echo $(part))"
for way in "--jobs 1" "--jobs 3" "--source text"; do
	same "of a part, $way" "1,500 counted calls []" "$(echo $(part --from 1500ms --to 1600ms $way))"
done

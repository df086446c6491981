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
	} | report_text
}
work 250ms
# 2 + 0.0006 + 0.000125 + 0.3 + 0.15 ms; 5 + 0.002 + 0.00037 + 0.8 + 1.5 ms
same "limit" "tracing cost 2.5 ms to 7.3 ms of CPU time, 0.98 to 2.9 % of the 250 ms that the programs used (1000000 heap calls of 2 ns to 5 ns, 20 noted events of 30 ns to 100 ns, 1 events of 125 ns to 370 ns, 10000 counted calls of 30 ns to 80 ns, 1 samples of 150 us to 1.5 ms; from warm to cold caches, on one Debian 12 machine)" \
	"$(json 'row("limits", kind="overhead")["text"]')"
same "no word of it" "[]" "$(json "[f for f in r['findings'] if f['rule'] == 'own_cost']")"
work 240ms
same "a percent" "['info']" "$(json "[f['severity'] for f in r['findings'] if f['rule'] == 'own_cost']")"
work 48ms
same "much" "['warning']" "$(json "[f['severity'] for f in r['findings'] if f['rule'] == 'own_cost']")"

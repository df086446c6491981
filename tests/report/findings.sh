# SPDX-License-Identifier: MIT
# Rules: threads far beyond the cores, a heap that grows, a heap that is not ours, the watchdog's words.
. "$top_srcdir/tests/lib.sh"
{
	echo 'dltrace-text 1'
	echo '[1s] dltrace_sample:machine host="h" time=1s cpus=2 memory=8G available=6G'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/leaks"'
	echo '[1s] dltrace_proc:process process=2 pid=101 begin=1s host="h" exe="/bin/calm" heap=1'
	for i in $(seq 1 60); do
		echo "[$((i + 1))s] dltrace_sample:process process=1 time=$((i + 1))s threads=40 allocated=$((i * 10))M"
		echo "[$((i + 1))s] dltrace_sample:process process=2 time=$((i + 1))s threads=23 allocated=$((i * 10))M"
	done
	echo '[70s] dltrace_record:note severity=2 kind="stall" text="CPU 1 records nothing any more"'
} | report_text
texts() {
	json "[f['text'] for f in r['findings'] if '$1' in f['text']]"
}
same growing "['the heap of leaks (pid 100) keeps growing: 10 MiB a second from 21 s on, 390 MiB in all; at this pace, what was free at the end lasts for 10 min']" "$(texts growing)"
same threads "['leaks (pid 100) had 40 threads at once on 2 cores']" "$(texts threads)"
same "not ours" 1 "$(json 'sum("cannot be seen" in f["text"] for f in r["findings"])')"
same stall "['the recorder says: CPU 1 records nothing any more']" "$(texts recorder)"
same "worst first" "the recorder says: CPU 1 records nothing any more" "$(json 'r["findings"][0]["text"]')"

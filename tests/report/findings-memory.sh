# SPDX-License-Identifier: MIT
# Rules on memory: nearly full by the run's doing, of the machine or of the cgroup; a heap that hardly grows.
. "$top_srcdir/tests/lib.sh"

# run AVAILABLE CGROUP_LIMIT CGROUP_USED RSS [GROWTH [SECONDS]]: of 8 GiB; GROWTH MiB of heap a second
run() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/holds"'
		for i in $(seq 2 $((${6:-60} + 1))); do
			echo "[${i}s] dltrace_sample:machine host=\"h\" time=${i}s cpus=2 memory=8G available=$1 cgroup_limit=$2 cgroup_used=$3"
			echo "[${i}s] dltrace_sample:process process=1 time=${i}s threads=2 rss_anon=$4 allocated=$(awk -v g="${5:-0}" -v i="$i" 'BEGIN { print 100 + g * i }')M"
		done
	} | report_text
}
found() {
	json "[f['text'] for f in r['findings'] if f['rule'] == '$1']"
}
run 0.7G 0 0 3G
same "machine" "['memory was nearly full at 1.0 s: 7.3 GiB of the 8.0 GiB of the machine were in use, 3.0 GiB of them by this run']" "$(found memory_full)"
run 0.9G 0 0 3G
same "some left" "[]" "$(found memory_full)"
run 0.7G 0 0 2G
same "by others" "[]" "$(found memory_full)"
run 6G 1G 1G 930M
same "cgroup" "['memory was nearly full at 1.0 s: 930 MiB of the 1.0 GiB of the cgroup\\'s limit were in use, 930 MiB of them by this run']" "$(found memory_full | sed "s/\"/'/g; s/p's/p\\\\'s/")"
run 6G 1G 1G 910M
same "page cache is no use" "[]" "$(found memory_full)"

run 6G 0 0 1G 0.5
same "grows" "['the heap of holds (pid 100) keeps growing: 512 KiB a second from 21 s on, 20 MiB in all; at this pace, what was free at the end lasts for 205 min']" "$(found heap_grows)"
run 6G 0 0 1G 0.4
same "hardly" "[]" "$(found heap_grows)"
run 6G 0 0 1G 5 44
same "too short to tell from a start" "[]" "$(found heap_grows)"
# imports SECOND...: run's last one again, with packages that it imports then
imports() {
	{
		cat "$TMP/trace.txt"
		for i; do
			echo "[${i}s] dltrace_proc:object process=1 type=8 id=$i state=0 name=\"/usr/lib/python3/dist-packages/p$i\""
		done
	} >imports.txt
	report_text <imports.txt
}
run 6G 0 0 1G 1 100
imports 10 40 50 75 95
same "what imports fills its heap" "[]" "$(found heap_grows)"
run 6G 0 0 1G 1 100
imports 10 40 98
same "it grows where nothing is imported, too" "[(39.0, 58.0)]" \
	"$(json "[(f['evidence']['begin_ns'] / 1e9, f['evidence']['over_ns'] / 1e9) for f in r['findings'] if f['rule'] == 'heap_grows']")"

# A worker that starts while another process is steady imports, as that one did at its start.
worker() {
	report_text <<-END
	dltrace-text 1
	[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3"
	$(for i in $(seq 2 60); do echo "[${i}s] dltrace_mark:range thread=1 begun_by=1 kind=5 domain=\"dltrace\" name=\"step\" payload_type=1 payload=$i"; done)
	[20s] dltrace_proc:process process=2 parent=1 pid=101 begin=$1 reason=3 host="h" exe="/usr/bin/python3"
	$(for i in $(seq 20 $2); do echo "[${i}s] dltrace_sample:process process=2 time=${i}s threads=2 rss_anon=1G allocated=$((10 * i))M"; done)
	END
}
worker 20s 35
same "a worker that imports" "[]" "$(found heap_grows)"
worker 20s 70
same "a worker that goes on" 1 "$(json "len($(found heap_grows))")"
worker 1s 35
same "a worker from the start" 1 "$(json "len($(found heap_grows))")"

# Others fill the machine when the run has long given its memory back.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3"
[1s] dltrace_sample:machine cpus=4 memory=100G available=60G host="h"
[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=35G
[2s] dltrace_sample:machine cpus=4 memory=100G available=60G host="h" time=2s
[3s] dltrace_sample:process process=1 time=3s threads=1 rss_anon=1G
[4s] dltrace_sample:process process=1 time=4s threads=1 rss_anon=1G
[4s] dltrace_sample:machine cpus=4 memory=100G available=60G host="h" time=4s
[50s] dltrace_sample:process process=1 time=50s threads=1 rss_anon=1G
[50s] dltrace_sample:machine cpus=4 memory=100G available=5G host="h" time=50s
[51s] dltrace_sample:process process=1 time=51s threads=1 rss_anon=1G
END
same "by others, later" "[]" "$(found memory_full)"

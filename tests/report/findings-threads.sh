# SPDX-License-Identifier: MIT
# Rules on threads and workers: counted from their states, so that other programs on the machine do not matter.
. "$top_srcdir/tests/lib.sh"

# threads COUNT [LINE]...: so many of them are seen running in each sample of ten seconds, on two cores;
# a sample every $every tenths of a second
every=1
threads() {
	count=$1
	shift
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_sample:machine host="h" time=1s cpus=2 memory=8G available=6G'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/train"'
		for i in $(seq 1 8); do echo "[1s] dltrace_proc:thread thread=$i process=1 tid=$((99 + i)) begin=1s"; done
		awk -v count="$count" -v every="$every" 'BEGIN { for (i = 11; i <= 110; i += every) {
			for (j = 1; j <= count; j++)
				printf "[%dms] dltrace_sample:thread thread=%d time=%dms cpu=%dms state=82\n", i * 100, j, i * 100, i
			printf "[%dms] dltrace_sample:process process=1 time=%dms threads=8 user=%dms\n", i * 100, i * 100, i * 50
		} }'
		for line in "$@"; do echo "$line"; done
	} | report_text
}
found() {
	json "[f['text'] for f in r['findings'] if f['rule'] == '$1']"
}
threads 5
same "crowded" "['on average 5.0 threads wanted to run on 2 cores, for 100 % of the time; most of them are of train (pid 100)']" "$(found crowded)"
threads 4
same "just enough" "[]" "$(found crowded)"
every=2.5
threads 5
same "crowded in two samples of a slice" 1 "$(json "len($(found crowded))")"
every=5
threads 5
same "one sample of a slice" "[]" "$(found crowded)"
every=1

# workers STATE CORES [LINE]...: two workers that keep CORES busy; the process itself is seen running in
# STATE of a hundred samples
workers() {
	state=$1 cores=$2
	shift 2
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_sample:machine host="h" time=1s cpus=2 memory=8G available=6G'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/train"'
		for i in 1 9; do echo "[1s] dltrace_proc:thread thread=$i process=1 tid=$((99 + i)) begin=1s"; done
		echo '[1s] dltrace_proc:function function=sgemm_ layer="blas" kind="compute" name="sgemm_"'
		echo '[1s] dltrace_proc:function function=cudaDeviceSynchronize layer="runtime" kind="synchronise" name="cudaDeviceSynchronize"'
		for i in 2 3; do
			echo "[1s] dltrace_proc:process process=$i parent=1 reason=1 pid=$((99 + i)) begin=1s host=\"h\" exe=\"/bin/train\""
		done
		echo '[1s] dltrace_cpu:blas thread=1 function=sgemm_ duration=1ms'
		echo '[11s] dltrace_cpu:blas thread=1 function=sgemm_ duration=1ms'
		awk -v state="$state" -v cores="$cores" -v every="$every" 'BEGIN { for (i = 11; i <= 110; i += every) {
			for (j = 1; j < 3 && i - 11 < state; j++)
				printf "[%dms] dltrace_sample:thread thread=%d time=%dms cpu=%dms state=82\n", i * 100, j == 1 ? 1 : 9, i * 100, i
			printf "[%dms] dltrace_sample:process process=1 time=%dms threads=1 user=%dms\n", i * 100, i * 100, i
			for (j = 2; j <= 3; j++)
				printf "[%dms] dltrace_sample:process process=%d time=%dms threads=1 user=%dms\n", i * 100, j, i * 100, (i - 10) * 100 * cores
		} }'
		for line in "$@"; do echo "$line"; done
	} | report_text
}
workers 55 0.9
same "workers" "['train (pid 100) waits for its 2 workers: for 45 % of the time between its first computation and its last, 4.5 s, no thread of it had anything to do; a worker kept 0.90 of a core busy, so there are too few of them']" \
	"$(found waits_for_workers)"
workers 76 0.9
same "hardly" "[]" "$(found waits_for_workers)"
workers 70 0.9
same "somewhat" 1 "$(json "len($(found waits_for_workers))")"
workers 55 0.55
same "half idle workers" 0 "$(json "sum('too few of them' in t for t in $(found waits_for_workers))")"
workers 55 0.65
same "busy workers" 1 "$(json "sum('too few of them' in t for t in $(found waits_for_workers))")"
every=2
workers 55 0.9
same "five samples a second" 1 "$(json "len($(found waits_for_workers))")"
every=3
workers 55 0.9
same "three samples a second" "[]" "$(found waits_for_workers)"
every=1
workers 55 0.05
same "idle workers" 1 "$(json "sum('they wait themselves' in t for t in $(found waits_for_workers))")"
of_workers=$(awk 'BEGIN { for (j = 2; j <= 3; j++) {
	printf "[1s] dltrace_proc:thread thread=%d process=%d tid=%d begin=1s\n", j, j, 99 + j
	for (i = 11; i <= 50; i++)
		printf "[%dms] dltrace_sample:thread thread=%d time=%dms cpu=%dms state=82\n", i * 100, j, i * 100, i
	} }')
workers 55 0.05 "$of_workers"
same "workers without a core" 1 "$(json "sum('they wait for a core themselves' in t for t in $(found waits_for_workers))")"
workers 55 0.3 "$of_workers"
same "workers with a core" 0 "$(json "sum('they wait for a core themselves' in t for t in $(found waits_for_workers))")"
workers 55 0.9 '[6s] dltrace_cuda:sync thread=1 function=cudaDeviceSynchronize duration=3s'
same "it waits for a GPU" "[]" "$(found waits_for_workers)"

# churn COUNT [END]: so many threads in six seconds, one after another, of a process that lives until END
churn() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/loads"'
		awk -v count="$1" 'BEGIN { for (i = 2; i <= count; i++) {
			printf "[%dms] dltrace_proc:thread thread=%d process=1 tid=%d begin=%dms\n", 1000 + i * 30, i, i, 1000 + i * 30
			printf "[%dms] dltrace_proc:thread_end thread=%d cpu=1ms\n", 1020 + i * 30, i } }'
		echo "[${2:-11s}] dltrace_proc:exit process=1"
	} | report_text
}
churn 200
same "churn" "['loads (pid 100) made 200 threads, 20 a second, of which no more than 2 lived at once']" "$(found thread_churn)"
churn 199
same "some" "[]" "$(found thread_churn)"
churn 200 91s
same "two a second" 1 "$(json "len($(found thread_churn))")"
churn 200 121s
same "less than two a second" "[]" "$(found thread_churn)"

# many LATE: 60 threads from 2 s on, of two libraries, and LATE more of one of them, one by one until the end
many() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_sample:machine host="h" time=1s cpus=4 memory=8G available=6G'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/train"'
		echo '[1s] dltrace_proc:library process=1 library=1 path="/lib/libopenblas.so"'
		echo '[1s] dltrace_proc:library process=1 library=2 path="/lib/libxla.so"'
		awk -v late="$1" 'BEGIN { for (i = 0; i < 60 + late; i++)
				printf "[%dms] dltrace_proc:thread thread=%d process=1 tid=%d begin=%dms creator_library=%d\n", i < 60 ? 2000 : 2000 + (i - 59) * 9000 / late, 10 + i, 200 + i, i < 60 ? 2000 : 2000 + (i - 59) * 9000 / late, i < 20 ? 1 : 2
			for (i = 10; i <= 110; i++)
				printf "[%dms] dltrace_sample:process process=1 time=%dms threads=%d user=%dms\n", i * 100, i * 100, i < 20 ? 1 : 60 + late * (i - 20) / 90, i * 50 }'
	} | report_text
}
many_found() {
	json "[(f['severity'], f['text'], f['advice'][:9]) for f in r['findings'] if f['rule'] == 'too_many_threads']"
}
many 0
same "pools" "[('info', 'train (pid 100) had 60 threads at once on 4 cores: 40 made by libxla.so, 20 by libopenblas.so', 'Pools tha')]" "$(many_found)"
many 60
same "more and more" "[('warning', 'train (pid 100) had 120 threads at once on 4 cores, and makes more and more (97 at 6.7 s): 100 made by libxla.so, 20 by libopenblas.so', 'Threads a')]" "$(many_found)"

# late STEPS: 10 threads from 2 s on, 60 more in so many steps from 8 s on, 250 ms after each other, until 11 s
late() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_sample:machine host="h" time=1s cpus=4 memory=8G available=6G'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/train"'
		awk -v steps="$1" 'BEGIN { for (i = 10; i <= 110; i++) {
				done = i < 80 ? 0 : int((i - 80) / 2.5 + 1)
				printf "[%dms] dltrace_sample:process process=1 time=%dms threads=%d user=%dms\n", i * 100, i * 100, i < 20 ? 1 : 10 + (done > steps ? 60 : 60 / steps * done), i * 50
			} }'
	} | report_text
}
late 1
same "a pool made late" "[('info', 'train (pid 100) had 70 threads at once on 4 cores', 'Pools tha')]" "$(many_found)"
late 3
same "three pools made late" "[('info', 'train (pid 100) had 70 threads at once on 4 cores', 'Pools tha')]" "$(many_found)"
late 10
same "one after the other" "[('warning', 'train (pid 100) had 70 threads at once on 4 cores, and makes more and more (10 at 6.7 s)', 'Threads a')]" "$(many_found)"

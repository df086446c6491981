# SPDX-License-Identifier: MIT
# A thread or a process for each step is a finding with its numbers; a pool, and a few, are none. Short
# processes are counted by program.
. "$top_srcdir/tests/lib.sh"
found() {
	json "[f['text'] for f in r['findings'] if f['rule'] == '$1']"
}

# steps COUNT AWK: so many steps of 100 ms; AWK prints lines for step `i`, which begins at `at` ms
steps() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3.8"'
		echo '[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s'
		echo '[1s] dltrace_proc:library process=1 library=7 path="/x/libtensorflow_framework.so.2"'
		awk -v count="$1" 'BEGIN { for (i = 0; i <= count; i++) {
			at = 2000 + i * 100
			printf "[%dms] dltrace_mark:range thread=1 begun_by=1 kind=5 domain=\"dltrace\" payload_type=1 payload=%d name=\"step\"\n", at, i
			if (i == count)
				break
			'"$2"'
		} }'
		echo '[30s] dltrace_proc:exit process=1 how=0'
	} | report_text
}
thread='printf "[%dms] dltrace_proc:thread thread=%d process=1 tid=%d begin=%dms creator_library=7 start_library=7 start_offset=0x99\n",
	at + 10, 100 + i, 200 + i, at + 10;
	printf "[%dms] dltrace_proc:thread_end thread=%d cpu=1ms\n", at + LIFE, 100 + i'
steps 40 "$(printf '%s\n' "$thread" | sed 's/LIFE/13/')"
same "a thread a step" "['python3.8 (pid 100) makes a thread for each iteration: 40 in 41 iterations; made by libtensorflow_framework.so.2, each lives 3.0 ms (median), no more than 1 at once']" \
	"$(found thread_again)"
steps 40 "$(printf '%s\n' "$thread" | sed 's/LIFE/20000/')"
same "those that stay are a pool" "[]" "$(found thread_again)"
steps 15 "$(printf '%s\n' "$thread" | sed 's/LIFE/13/')"
same "too few to tell" "[]" "$(found thread_again)"
steps 40 "if (i % 2) { $(printf '%s\n' "$thread" | sed 's/LIFE/13/') }"
same "in every other step" "[]" "$(found thread_again)"
steps 25 "$(printf '%s\n' "$thread" | sed 's/LIFE/13/')"
same "enough to tell" 1 "$(json "len($(found thread_again))")"
steps 40 "if (i % 10 < 7) { $(printf '%s\n' "$thread" | sed 's/LIFE/13/') }"
same "in most steps" "[]" "$(found thread_again)"
steps 40 "$(printf '%s\n' "$thread" | sed 's/LIFE/900/')"
same "9 at once" 1 "$(json "len($(found thread_again))")"
steps 40 "$(printf '%s\n' "$thread" | sed 's/LIFE/1150/')"
same "12 at once" "[]" "$(found thread_again)"
steps 45 "$(printf '%s\n' "$thread" | sed 's/LIFE/13/')"
sed '/dltrace_mark/d' trace.txt >unmarked
report_text <unmarked
same "too few without iterations" "[]" "$(found thread_again)"
steps 60 "$(printf '%s\n' "$thread" | sed 's/LIFE/13/')"
sed '/dltrace_mark/d' trace.txt >unmarked
report_text <unmarked
same "without iterations" "['python3.8 (pid 100) makes the same thread again and again: 60 times, 10.2 a second; made by libtensorflow_framework.so.2, each lives 3.0 ms (median), no more than 1 at once']" \
	"$(found thread_again)"
steps 40 "for (k = 0; k < 100; k++) { $(printf '%s\n' "$thread" | sed 's/LIFE/13/; s/100 + i/100 + 100 * i + k/g') }"
sed '/dltrace_mark/d' trace.txt >unmarked
report_text <unmarked
same "many" "1,030 a second" "$(found thread_again | grep -o '[0-9,.e+]* a second')"

# A thread for each photo of a mini-batch, all at once: as Singa's loader makes them.
burst='for (k = 0; k < 31; k++) {
	printf "[%dms] dltrace_proc:thread thread=%d process=1 tid=%d begin=%dms creator_library=7 start_library=7 start_offset=0x99\n",
		at + 10, 100 + 31 * i + k, 200 + 31 * i + k, at + 10
	printf "[%dms] dltrace_proc:thread_end thread=%d cpu=1ms\n", at + 40, 100 + 31 * i + k }'
steps 10 "$burst"
same "as many as photos" "['python3.8 (pid 100) makes 28 threads for each iteration: 310 in 11 iterations; made by libtensorflow_framework.so.2, each lives 30 ms (median), no more than 31 at once']" \
	"$(found thread_again)"
steps 3 "$burst"
same "in three mini-batches" "[]" "$(found thread_again)"

child='printf "[%dms] dltrace_proc:child thread=1 how=%d child=%d path=\"%s\"\n", at + 10, i % 4 ? 0 : 2, 300 + i, i % 4 ? "" : "/usr/bin/g++";
	printf "[%dms] dltrace_proc:child thread=1 how=5 child=%d\n", at + 40, 300 + i'
steps 40 "$child"
same "a process a step" "['python3.8 (pid 100) makes a process for each iteration: 40 in 41 iterations']" "$(found process_each_step)"
same "short ones" "['40 short processes were started, which lived 30 ms each on average, 1.2 s in all: copies of itself 30, g++ 10']" \
	"$(found short_processes)"
same "as numbers" "{'copies of itself': 30, 'g++': 10}" "$(json "[f['evidence']['programs'] for f in r['findings'] if f['rule'] == 'short_processes'][0]")"
# The last ones go on: whether they are short is not known.
steps 40 "$(printf '%s\n' "$child" | sed '/how=5/s/printf/if (i < 37) printf/')"
same "those that ended" "['37 short processes were started, which lived 30 ms each on average, 1.1 s in all: copies of itself 27, g++ 10']" \
	"$(found short_processes)"
steps 40 "$(printf '%s\n' "$child" | sed '/how=5/s/printf/if (i < 1) printf/')"
same "one of them" "[]" "$(found short_processes)"
steps 10 "$child"
same "just enough" 1 "$(json "len($(found short_processes))")"
steps 9 "$child"
same "few short ones" "[]" "$(found short_processes)"
steps 40 "$(printf '%s\n' "$child" | sed 's/at + 40/at + 4500/')"
same "of some seconds" 1 "$(json "len($(found short_processes))")"
steps 40 "$(printf '%s\n' "$child" | sed 's/at + 40/at + 5500/')"
same "not so short ones" "[]" "$(found short_processes)"
# Workers of the run among short ones: each is judged by itself, and by the run, which is 29 s long here.
steps 40 "if (i < 20) { $(printf '%s\n' "$child" | sed 's/at + 40/at + (i < 12 ? 40 : 4950)/') }"
same "only the short ones" "['12 short processes were started, which lived 30 ms each on average, 360 ms in all: copies of itself 9, g++ 3']" \
	"$(found short_processes)"
steps 40 "$(printf '%s\n' "$child" | sed 's/at + 40/at + 3000/')"
sed 's/^\[30s\]/[14s]/' trace.txt >short
report_text <short
same "not short in a short run" "[]" "$(found short_processes)"
# Who waits late: a traced one says itself when it ended.
steps 40 "$(printf '%s\n' "$child" | sed 's/at + 40/at + 3000/')"'
	printf "[%dms] dltrace_proc:process process=%d parent=1 pid=%d begin=%dms reason=1 host=\"h\" exe=\"/usr/bin/python3.8\"\n", at + 11, 30 + i, 300 + i, at + 11
	printf "[%dms] dltrace_proc:exit process=%d how=1\n", at + 20, 30 + i'
same "by their own ends" "['40 short processes were started, which lived 10 ms each on average, 400 ms in all: copies of itself 30, g++ 10']" \
	"$(found short_processes)"
sed 's/^\[30s\]/[300s]/' trace.txt >long
report_text <long
same "next to nothing of the run" "[]" "$(found short_processes)"

# Workers that are made anew for each epoch, as loaders do; what else is started counts as before.
epochs='if (i % 10 == 0) {
		printf "[%dms] dltrace_mark:range thread=1 begun_by=1 kind=4 domain=\"dltrace\" payload_type=1 payload=%d name=\"epoch\"\n", at, i / 10
		for (k = 0; EACH; k++) {
			printf "[%dms] dltrace_proc:child thread=1 how=0 child=%d path=\"\"\n", at - 60 + k, 300 + 10 * i + k
			printf "[%dms] dltrace_proc:process process=%d parent=1 pid=%d begin=%dms reason=1 host=\"h\" exe=\"/usr/bin/PROGRAM\"\n", at - 60 + k, 30 + i + k, 300 + 10 * i + k, at - 60 + k
			printf "[%dms] dltrace_proc:exit process=%d how=0\n", at + 800 + k, 30 + i + k
			printf "[%dms] dltrace_proc:child thread=1 how=5 child=%d\n", at + 800 + k, 300 + 10 * i + k } }'
steps 40 "$(printf '%s\n' "$epochs" | sed 's/EACH/k < 3/; s/PROGRAM/python3.8/')"
same "workers anew" "['python3.8 (pid 100) makes 3 processes anew for each epoch; 58 ms later its first iteration begins (median)']" \
	"$(found process_each_epoch)"
same "an information" info "$(json "[f['severity'] for f in r['findings'] if f['rule'] == 'process_each_epoch'][0]")"
same "told once" "[] []" "$(found process_each_step) $(found short_processes)"
steps 40 "$(printf '%s\n' "$epochs" | sed 's/EACH/k < 1/; s/- 60/- 95/g; s/PROGRAM/python3.8/')"
same "one" "['python3.8 (pid 100) makes a process anew for each epoch; 95 ms later its first iteration begins (median)']" \
	"$(found process_each_epoch)"
same "a good part" warning "$(json "[f['severity'] for f in r['findings'] if f['rule'] == 'process_each_epoch'][0]")"
steps 40 "$(printf '%s\n' "$epochs" | sed 's/EACH/k < 4 * (i != 20)/; s/PROGRAM/python3.8/')"
same "not for one" "[]" "$(found process_each_epoch)"
same "but many" 1 "$(json "len($(found short_processes))")"
steps 40 "$(printf '%s\n' "$epochs" | sed 's/EACH/k < 3/; s/PROGRAM/python3.8/')"
awk '{ print } /reason=1/ { match($0, /process=[0-9]+/); p = substr($0, RSTART + 8, RLENGTH - 8); print "[2s] dltrace_proc:thread thread=" p " process=" p; print "[2s] dltrace_proc:child thread=" p " how=3 traced=1 path=\"/bin/cp\"" }' \
	trace.txt >becomes
sed '/reason=1/s/reason=1/reason=0/' trace.txt >spawned
report_text <becomes
same "something else" "[]" "$(found process_each_epoch)"
report_text <spawned
same "no copies" "[]" "$(found process_each_epoch)"
sed 's/reason=0 /reason=0 command="python3.8 -c from multiprocessing.spawn import spawn_main" /' spawned >multi
report_text <multi
same "multiprocessing" 1 "$(json "len($(found process_each_epoch))")"
steps 40 "$(printf '%s\n' "$epochs" | sed 's/EACH/k < 3/; s/PROGRAM/python3.8/; s/at + 800/at + 1800/')"
same "those before have not ended" "[]" "$(found process_each_epoch)"
steps 40 "$(printf '%s\n' "$epochs" | sed 's/EACH/k < 3/; s/PROGRAM/python3.8/; s/at + 800/at - 20/')"
same "those that have ended do not work for it" "[]" "$(found process_each_epoch)"
steps 40 "$(printf '%s\n' "$epochs" | sed 's/EACH/k < 1/; s/PROGRAM/python3.8/; s/at + 800/at + 300/')"
same "one that writes a checkpoint of the epoch before" "[]" "$(found process_each_epoch)"
steps 40 "$(printf '%s\n' "$epochs" | sed 's/EACH/k < 3/; s/PROGRAM/python3.8/; s/i % 10 == 0/i % 2 == 0/g; s/800/80/')"
same "two iterations an epoch" "[]" "$(found process_each_epoch)"
steps 40 "$(printf '%s\n' "$epochs" | sed 's/EACH/k < 3/; s/PROGRAM/python3.8/')"'
	printf "[%dms] dltrace_proc:child thread=1 how=2 child=%d traced=1 path=\"/usr/bin/g++\"\n", at + 10, 9000 + i
	printf "[%dms] dltrace_proc:child thread=1 how=5 child=%d\n", at + 20, 9000 + i'
same "and compilers" 1 "$(json "len($(found process_each_epoch))")"
same "alone" "['40 short processes were started, which lived 10 ms each on average, 400 ms in all: g++ 40']" "$(found short_processes)"
steps 60 "$(printf '%s\n' "$epochs" | sed 's/EACH/k < 3/; s/PROGRAM/python3.8/')
$(printf '%s\n' "$epochs" | sed '/kind=4/d; s/i % 10 == 0/1/; s/EACH/k < 1/; s/PROGRAM/python3.8/; s/800/-20/; s/30 + i/1030 + i/g; s/300 + 10/3000 + 10/g')"
same "one a step" "1 0" "$(json "len($(found process_each_step))") $(json "len($(found process_each_epoch))")"

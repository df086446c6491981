# SPDX-License-Identifier: MIT
# Signals, exit statuses, kills, failed allocations and CUDA errors; an allocation's failure is
# told together with the death that follows.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/app"
[1s] dltrace_proc:library process=1 library=4 path="/lib/libmodel.so"
[1s] dltrace_proc:function process=1 function=malloc layer="heap" kind="allocate" name="malloc"
[1s] dltrace_proc:function process=1 function=cudaMalloc layer="runtime" kind="allocate" name="cudaMalloc"
[1s] dltrace_proc:function process=1 function=cudaStreamQuery layer="runtime" kind="initialise" name="cudaStreamQuery"
[1100ms] dltrace_sample:process process=1 time=1100ms threads=1 allocated=3G freed=1G
[1150ms] dltrace_sample:machine time=1150ms cpus=2 memory=16G available=4G
[1200ms] dltrace_heap:alloc thread=1 function=malloc library=4 size=5G
[1300ms] dltrace_cuda:alloc thread=1 function=cudaMalloc library=4 duration=1ms result=2 size=8G
[1300ms] dltrace_cuda:stream thread=1 function=cudaStreamQuery library=4 duration=1ms result=600
[1400ms] dltrace_proc:exit process=1 how=4 code=11 thread=1 events=11
[1s] dltrace_proc:process process=2 pid=101 begin=1s exe="/bin/two"
[2s] dltrace_proc:exit process=2 how=0 code=3
[1s] dltrace_proc:process process=3 pid=102 begin=1s exe="/bin/three"
[2s] dltrace_sample:process process=3 time=2s final=1
[1s] dltrace_proc:process process=4 pid=103 begin=1s exe="/bin/four"
[2s] dltrace_proc:exit process=4 how=3 code=6
[1s] dltrace_proc:process process=5 pid=104 begin=1s exe="/bin/five"
[2s] dltrace_sample:process process=5 time=2s final=1
[2s] dltrace_record:note severity=1 kind="killed" process=5 value=9 text="process 104 was ended by signal 9"
END
same kinds "['allocation', 'allocation', 'signal', 'exit', 'signal', 'signal', 'signal']" "$(json '[f["kind"] for f in r["failures"]]')"
same "size asked for" 5368709120 "$(json 'r["failures"][0]["size_bytes"]')"
same "live then" 2147483648 "$(json 'r["failures"][0]["live_bytes"]')"
same "what there was" 1 "$(json 'sum("4.0 GiB of the machine" in f["text"] for f in r["failures"])')"
same "who asked" libmodel.so "$(json 'r["failures"][0]["library"]')"
same when 200000000 "$(json 'r["failures"][0]["t_ns"]')"
same "device memory" 2 "$(json 'r["failures"][1]["code"]')"
same signal "{'signal': 11}" "$(json 'row("processes", pid=100)["exit"]')"
same status "{'status': 3}" "$(json 'row("processes", pid=101)["exit"]')"
same killed "{'unknown': True}" "$(json 'row("processes", pid=102)["exit"]')"
same abort "{'signal': 6}" "$(json 'row("processes", pid=103)["exit"]')"
same "by the recorder's word" "{'signal': 9}" "$(json 'row("processes", pid=104)["exit"]')"
same "told once" 1 "$(json 'sum("five" in f["text"] or "104" in f["text"] for f in r["findings"])')"
same "one story" 1 "$(json 'sum("SIGSEGV" in f["text"] and "had failed" in f["text"] for f in r["findings"])')"
same "nothing more to be seen" "[None]" "$(json '[a for a in {f.get("advice") for f in r["findings"] if f["rule"] == "died"}]')"
same "more than there was" 1 "$(json 'sum("A smaller batch needs less" in (f.get("advice") or "") for f in r["findings"])')"
same "worst first" problem "$(json 'r["findings"][0]["severity"]')"
same "and as a limit" 102 "$(json 'row("processes", process=row("limits", kind="killed")["process"])["pid"]')"

# Workers that their maker ends, as pools do, are no failures of a run that went well; who sent the
# signal is said otherwise.
# ended_by STATUS THREAD HOW [SIGNAL]: the maker's, the sender's, as the maker hears when it waits; nobody: it does not
killed_by_kernel() {
	report_text <<END
dltrace-text 1
recording id 1
recording exit 0
[1s] dltrace_proc:process process=1 pid=100 recording=1 begin=1s exe="/usr/bin/python3"
[2s] dltrace_proc:process process=2 pid=101 parent=1 recording=1 begin=2s reason=1 exe="/usr/bin/python3"
[3s] $1
[4s] dltrace_sample:process process=2 time=4s threads=1 final=1
[4s] dltrace_record:note severity=1 kind="oom" process=2 value=9 text="the kernel has killed process 101, as memory ran out"
[5s] dltrace_proc:exit process=1 code=0
END
	json '[f["text"] for f in r["failures"]] + [f["text"] for f in r["findings"]] + [row("processes", pid=101)["exit"]]'
}
ended_by() {
	waited="dltrace_proc:child thread=1 how=5 child=101 result=$3"
	[ $3 != nobody ] || waited="dltrace_sample:process process=2 time=4s threads=1 final=1"
	report_text <<END
dltrace-text 1
recording id 1
recording exit $1
[1s] dltrace_proc:process process=1 pid=100 recording=1 begin=1s exe="/usr/bin/python3"
[2s] dltrace_proc:process process=2 pid=101 parent=1 recording=1 begin=2s reason=1 exe="/usr/bin/python3"
[3s] dltrace_proc:child thread=$2 how=6 child=101 result=${4:-15}
[4s] $waited
[5s] dltrace_proc:exit process=1 code=$1
END
	json '[f["text"] for f in r["failures"] if f["kind"] == "signal"]'
}
killed="python3 (pid 101) died of SIGKILL: the kernel has killed it, as memory ran out"
same "for lack of memory" "['$killed', '$killed', {'signal': 9}]" "$(killed_by_kernel 'dltrace_proc:process process=1 pid=100')"
same "also where its maker was told the signal" "['$killed', '$killed', {'signal': 9}]" \
	"$(killed_by_kernel 'dltrace_proc:child thread=1 how=5 child=101 result=9')"
same "another end" "['python3 (pid 101) ended with status 3', 'python3 (pid 101) ended with status 3', {'status': 3}]" \
	"$(killed_by_kernel 'dltrace_proc:exit process=2 code=3')"
same "let go" "[]" "$(ended_by 0 1 15)"
same "in a run that failed" "['python3 (pid 101) died of SIGTERM, sent by python3 (pid 100)']" "$(ended_by 1 1 15)"
same "another signal" "['python3 (pid 101) died of SIGSEGV, without a word']" "$(ended_by 0 1 11)"
same "by itself" "['python3 (pid 101) died of SIGTERM, sent by python3 (pid 101)']" "$(ended_by 0 2 15)"
# One that nobody waited for: SIGKILL was sent, so it is that; what can be caught tells nothing.
same "killed by its maker" "[] {'signal': 9}" "$(ended_by 0 1 nobody 9) $(json 'row("processes", pid=101)["exit"]')"
same "... in a run that failed" "['python3 (pid 101) died of SIGKILL, sent by python3 (pid 100)']" "$(ended_by 1 1 nobody 9)"
same "asked to end" "['python3 (pid 101) is gone without having ended: killed (SIGKILL?)']" "$(ended_by 0 1 nobody)"

# Many that have the same to say do not hide what one has.
{
	echo "dltrace-text 1"
	for i in $(seq 20); do
		echo "[1s] dltrace_proc:process process=$i pid=$((100 + i)) begin=1s exe=\"/bin/app\""
		echo "[2s] dltrace_proc:exit process=$i how=$((i == 20 ? 4 : 0)) code=11"
	done
} >trace.txt
"$REPORT" -q trace.txt >out || [ $? = 1 ] || fail "status $?"
same "what is listed" "3 1 1" "$(sed -n '/^Failures/,/^$/p' out >failures; echo $(grep -c 'with status' failures) $(grep -c SIGSEGV failures) \
	$(grep -c 'and 16 more: 16 exit (--table failures)' failures))"

# Calls that never return are in no total. Who ended badly in one for seconds hung there; who ended well, was let
# go or lives on may have had a thread that waited for work: that is only said.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/trainer"
[1s] dltrace_proc:function process=1 function=MPI_Allreduce layer="mpi" kind="communicate" name="MPI_Allreduce"
[5s] dltrace_sample:thread thread=1 time=5s function=MPI_Allreduce since=2s
[6s] dltrace_comm:call thread=1 function=MPI_Allreduce duration=4s
[11s] dltrace_sample:thread thread=1 time=11s function=MPI_Allreduce since=10s
[60s] dltrace_sample:thread thread=1 time=60s function=MPI_Allreduce since=10s
[60s] dltrace_sample:thread thread=11 time=60s function=MPI_Allreduce since=59500ms
[60s] dltrace_sample:process process=1 time=60s final=1
[1s] dltrace_proc:thread thread=11 process=1 tid=110 creator=1 begin=1s
[1s] dltrace_proc:process process=2 pid=101 begin=1s exe="/bin/well"
[59s] dltrace_proc:exit process=2 how=0 code=0 thread=2
[60s] dltrace_sample:thread thread=12 time=60s function=MPI_Allreduce since=10s
[60s] dltrace_sample:process process=2 time=60s final=1
[1s] dltrace_proc:thread thread=12 process=2 tid=111 creator=2 begin=1s
[1s] dltrace_proc:process process=3 pid=102 begin=1s exe="/bin/alive"
[60s] dltrace_sample:thread thread=3 time=60s function=MPI_Allreduce since=20s
[60s] dltrace_sample:process process=3 time=60s
[1s] dltrace_proc:process process=4 pid=103 begin=1s exe="/bin/crashed"
[58s] dltrace_sample:thread thread=4 time=58s function=MPI_Allreduce since=20s
[58s] dltrace_proc:exit process=4 how=4 code=11 thread=4
[1s] dltrace_proc:process process=5 pid=104 begin=1s exe="/bin/back"
[30s] dltrace_sample:thread thread=5 time=30s function=MPI_Allreduce since=20s
[31s] dltrace_comm:call thread=5 function=MPI_Allreduce duration=4294967295
[60s] dltrace_sample:process process=5 time=60s final=1
[1s] dltrace_proc:process process=6 pid=105 begin=1s exe="/bin/back"
[31s] dltrace_sample:thread thread=6 time=31s function=sgemm_ since=29s
[31500ms] dltrace_cpu:blas thread=6 function=sgemm_ duration=2500ms
[60s] dltrace_sample:process process=6 time=60s final=1
END
hung() {
	json '[(f["text"], f["t_ns"], f["thread"]) for f in r["failures"] if f["kind"] == "hang"]'
}
same "who hung" "[('MPI_Allreduce had not returned for 50 s when trainer (pid 100) ended', 9000000000, 1)]" "$(hung)"
same "where to look" "[('crashed', None), ('trainer', 'See the section on failures: what was in flight.'), ('back', None), ('back', None)]" \
	"$(json '[(f["text"].split()[0], f.get("advice")) for f in r["findings"] if f["rule"] == "died"]')"
unreturned() {
	json '[f["text"].split(": ", 1)[1] for f in r["limits"] if f["kind"] == "unreturned" and f["text"].startswith("'"$1"'")]'
}
same "in no total" "['1 call had not returned when it ended, in no total: MPI_Allreduce, for 50 s']" "$(unreturned trainer)"
same "... of who ended well" "$(unreturned trainer)" "$(unreturned well)"
same "... of who lives on" "['1 call had not returned at its last reading, in no total: MPI_Allreduce, for 40 s']" "$(unreturned alive)"
same "... of who came back" "[]" "$(unreturned back)"
same "what totals have" 1 "$(json 'sum("have every call that had returned" in f["text"] for f in r["limits"] if "trainer (" in f["text"])')"

# What failed and is no event, as nothing is at the level summary: by the totals and the heap's counter. Inner calls
# are their callers' to judge; an answer to a question is none, nor is one to who looks for a GPU in vain.
# untold EVENTS...: the totals, and these
untold() {
	{
		cat <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
[1s] dltrace_proc:function process=1 function=cudaMemcpy layer="runtime" kind="copy" name="cudaMemcpy"
[1s] dltrace_proc:function process=1 function=cuMemcpy layer="driver" kind="copy" name="cuMemcpy"
[1s] dltrace_proc:function process=1 function=cudaSetDevice layer="runtime" kind="initialise" name="cudaSetDevice"
[1s] dltrace_proc:function process=1 function=cudaGetDeviceCount layer="runtime" kind="other" name="cudaGetDeviceCount"
[1s] dltrace_proc:function process=1 function=MPI_Allreduce layer="mpi" kind="communicate" name="MPI_Allreduce"
[2s] dltrace_sample:function process=1 function=cudaMemcpy calls=9 outer_calls=9 failed=9
[2s] dltrace_sample:function process=1 function=cuMemcpy calls=9 outer_calls=0 failed=9
[2s] dltrace_sample:function process=1 function=cudaSetDevice calls=2 outer_calls=2 failed=1
[2s] dltrace_sample:function process=1 function=cudaGetDeviceCount calls=2 outer_calls=2 failed=1
[2s] dltrace_sample:function process=1 function=MPI_Allreduce calls=9 outer_calls=9 failed=1
[2s] dltrace_sample:process process=1 time=2s threads=1 failed_allocations=3
END
		printf '%s\n' "$@"
	} | report_text
	json 'sorted((f["kind"], f.get("function"), f["count"], f["code"], f["t_ns"]) for f in r["failures"])'
}
same "by the totals" "[('allocation', None, 3, None, None), ('communication-error', 'MPI_Allreduce', 1, None, None), ('cuda-error', 'cudaMemcpy', 9, None, None)]" "$(untold)"
same "findings" "allocation_failed call_failed call_failed" "$(json '" ".join(f["rule"] for f in r["findings"])')"
same "where there is a GPU" 1 "$(untold '[2s] dltrace_sample:function process=1 function=cudaLaunchKernel calls=1 outer_calls=1' '[1s] dltrace_proc:function process=1 function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"' >/dev/null; json 'row("failures", function="cudaSetDevice")["count"]')"
told="[1500ms] dltrace_cuda:copy thread=1 function=cudaMemcpy result=1 duration=1us"
failed="[1500ms] dltrace_heap:alloc thread=1 function=malloc size=5G"
same "less what events tell" "1 8" "$(untold "$told" >/dev/null; json '" ".join(str(f["count"]) for f in r["failures"] if f["function"] == "cudaMemcpy")')"
same "... of the heap" "1 2" "$(untold "$failed" >/dev/null; json '" ".join(str(f["count"]) for f in r["failures"] if f["kind"] == "allocation")')"

# The command's own end first, whenever it was; then the first failures in time, as the cause of those after them.
{
	echo 'dltrace-text 1'
	for i in 1 2 3 4; do
		echo "[1s] dltrace_proc:process process=$i parent=$((i > 1)) pid=$((99 + i)) begin=1s exe=\"/usr/bin/python3\""
	done
	echo '[4s] dltrace_proc:exit process=2 how=0 code=1'
	echo '[3s] dltrace_proc:exit process=3 how=0 code=15'
	echo '[2s] dltrace_proc:exit process=4 how=0 code=9'
	echo '[5s] dltrace_proc:exit process=1 how=0 code=3'
} | report_text
same "the order of ends" "[('python3 (pid 100) ended with status 3', 4000000000), ('python3 (pid 103) ended with status 9', 1000000000), ('python3 (pid 102) ended with status 15', 2000000000), ('python3 (pid 101) ended with status 1', 3000000000)]" \
	"$(json "[(f['text'], f['since_ns']) for f in r['findings'] if f['rule'] == 'died']")"
same "failures in order of time" "[9, 15, 1, 3]" "$(json '[f["code"] for f in r["failures"]]')"

# Of a command that is static, or that dies as it is loaded, nobody tells but the recorder.
unseen() {
	printf 'dltrace-text 1\nrecording id 1\nrecording %s\n[1s] dltrace_record:recording recording=1 command="./work"\n%s' "$@" |
		report_text
	json '[(f["kind"], f["text"], f["code"]) for f in r["failures"]] + [f["text"] for f in r["findings"]]'
}
same "an unseen signal" "[('signal', 'the command died of SIGSEGV; nothing else is known of its process', 11), 'the command died of SIGSEGV; nothing else is known of its process']" \
	"$(unseen 'signal 11' '')"
same "an unseen status" "[('exit', 'the command ended with status 3; nothing else is known of its process', 3), 'the command ended with status 3; nothing else is known of its process']" \
	"$(unseen 'exit 3' '')"
same "an unseen success" "[]" "$(unseen 'exit 0' '')"
same "one that is seen" "[('signal', 'work (pid 100) died of SIGSEGV, without a word', 11), 'work (pid 100) died of SIGSEGV']" \
	"$(unseen 'signal 11' '[1s] dltrace_proc:process process=1 pid=100 recording=1 begin=1s exe="/bin/work"
')"

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
same "worst first" problem "$(json 'r["findings"][0]["severity"]')"
same "and as a limit" 102 "$(json 'row("processes", process=row("limits", kind="killed")["process"])["pid"]')"

# Workers that their maker ends, as pools do, are no failures of a run that went well; who sent the
# signal is said otherwise.
# ended_by STATUS THREAD HOW [SIGNAL]: the maker's, the sender's, as the maker hears when it waits; nobody: it does not
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
same "let go" "[]" "$(ended_by 0 1 15)"
same "in a run that failed" "['python3 died of SIGTERM, sent by python3 (pid 100)']" "$(ended_by 1 1 15)"
same "another signal" "['python3 died of SIGSEGV, without a word']" "$(ended_by 0 1 11)"
same "by itself" "['python3 died of SIGTERM, sent by python3 (pid 101)']" "$(ended_by 0 2 15)"
# One that nobody waited for: SIGKILL was sent, so it is that; what can be caught tells nothing.
same "killed by its maker" "[] {'signal': 9}" "$(ended_by 0 1 nobody 9) $(json 'row("processes", pid=101)["exit"]')"
same "... in a run that failed" "['python3 died of SIGKILL, sent by python3 (pid 100)']" "$(ended_by 1 1 nobody 9)"
same "asked to end" "['python3 is gone without having ended: killed (SIGKILL?)']" "$(ended_by 0 1 nobody)"

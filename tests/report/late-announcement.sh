# SPDX-License-Identifier: MIT
# A session that begins in the middle: what threads did before they were named counts for their
# process; what nobody ever names stays, as "unknown".
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[11s] dltrace_cuda:free thread=7 function=cudaFree library=1 duration=3ms
[12s] dltrace_cuda:free thread=9 function=cudaFree library=1 duration=5ms
[12s] dltrace_sample:process process=1 time=12s threads=2 events=5000
[13s] dltrace_proc:process process=1 pid=100 begin=1s reason=3 exe="/bin/app"
[13s] dltrace_proc:thread thread=7 process=1 tid=107 begin=2s reason=3
[13s] dltrace_proc:library process=1 library=1 state=3 path="/lib/a.so"
[13s] dltrace_proc:function process=0 function=cudaFree layer="runtime" kind="allocate" name="cudaFree"
[14s] dltrace_cuda:free thread=7 function=cudaFree library=1 duration=2ms
[15s] dltrace_sample:process process=1 time=15s final=1 events=5001
END
same time 5000000 "$(json 'row("breakdown", library="a.so")["total_ns"]')"
same calls 2 "$(json 'row("breakdown", library="a.so")["calls"]')"
same "the process began before" -10000000000 "$(json 'row("processes", pid=100)["begin_ns"]')"
same "what was before is not lost" 0 "$(json 'r["traces"][0]["lost"]')"
same "nobody's" 5000000 "$(json 'row("breakdown", library=None)["total_ns"]')"
same "its process" unknown "$(json 'row("processes", pid=None)["name"]')"
same "and it is said" 1 "$(json 'int(row("limits", kind="unknown")["value"])')"

# What it launched and whom it talked to; what is known of a communicator comes later still.
report_text <<'END'
dltrace-text 1
[11s] dltrace_comm:call thread=7 function=MPI_Allreduce library=1 communicator=9 peer=-1 bytes=1024 duration=30ms
[11500ms] dltrace_cuda:launch thread=7 function=cudaLaunchKernel library=1 shape=11 duration=10us
[12s] dltrace_comm:call thread=7 function=MPI_Allreduce library=1 communicator=9 peer=-1 bytes=1024 duration=3ms result=1
[13s] dltrace_proc:process process=1 pid=100 begin=1s reason=3 exe="/bin/app"
[13s] dltrace_proc:thread thread=7 process=1 tid=107 begin=2s reason=3
[13s] dltrace_proc:library process=1 library=1 state=3 path="/lib/a.so"
[13s] dltrace_proc:object process=1 type=7 id=9 handle=1 values=[2 2 0xffffffffffffffff 0xabc 1]
[13s] dltrace_proc:object process=1 type=1 id=1 name="_Z4convPf" library=1
[13s] dltrace_proc:object process=1 type=2 id=11 values=[1 11 1 1 32 1 1 0]
[13s] dltrace_proc:function function=MPI_Allreduce layer="mpi" kind="communicate" name="MPI_Allreduce"
[13s] dltrace_proc:function function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"
[14s] dltrace_comm:call thread=7 function=MPI_Allreduce library=1 communicator=9 peer=-1 bytes=1024 duration=7ms
[14500ms] dltrace_cuda:launch thread=7 function=cudaLaunchKernel library=1 shape=11 duration=10us
[15s] dltrace_sample:process process=1 time=15s final=1 events=5
END
same "communication" "[(1, 'MPI_COMM_WORLD', 3, 1, 2048, 40000000, 30000000)]" \
	"$(json '[tuple(c[k] for k in ("process", "communicator", "calls", "failed", "bytes", "total_ns", "max_ns")) for c in r["communication"]]')"
same "kernels" "[2]" "$(json '[k["launches"] for k in r["kernels"]]')"

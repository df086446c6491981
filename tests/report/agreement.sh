# SPDX-License-Identifier: MIT
# Horovod's own thread talks to the other ranks all the time, in step with nothing: iterations are found all
# the same, by what trains, and its calls still count as communication.
. "$top_srcdir/tests/lib.sh"

python3 - >train.txt <<'END'
print("dltrace-text 1")
print('[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train" command="train" rank=0 ranks=2 local_rank=0')
for thread in 1, 2:
    print(f'[1s] dltrace_proc:thread thread={thread} process=1 tid={99 + thread} begin=1s')
print('[1s] dltrace_proc:library process=1 library=1 path="/x/libblas.so"')
print('[1s] dltrace_proc:library process=1 library=2 path="/x/horovod/torch/mpi_lib_v2.so"')
print('[1s] dltrace_proc:function function=MPI_Allreduce layer="mpi" kind="communicate" name="MPI_Allreduce"')
print('[1s] dltrace_proc:function function=sgemm_ layer="blas" kind="compute" name="sgemm_"')
print('[1s] dltrace_proc:object process=1 type=7 id=3 handle=0x44 values=[2 2 0 0xabc 1]')
for step in range(24):
    for i, shape in enumerate(("m=64 n=64 k=9", "m=128 n=64 k=27", "m=10 n=64 k=128", "m=128 n=10 k=64")):
        print(f"[{2000 + 200 * step + 20 * i + step % 4}ms] dltrace_cpu:blas thread=1 function=sgemm_ library=1 duration=5ms {shape}")
for cycle in range(125):
    for i in range(8):
        print(f"[{1900 + 40 * cycle + i}ms] dltrace_comm:call thread=2 function=MPI_Allreduce library=2 duration=500us "
              f"bytes={8 + 8 * i} communicator=3 peer=-1")
print("[7s] dltrace_proc:exit process=1 code=0")
END
report_text <train.txt
same "iterations" "[(24, 'calls')]" "$(json '[(x["count"], x["how"]) for x in r["iterations"]]')"
same "communication" "1000" "$(json 'row("communication", function="MPI_Allreduce")["calls"]')"

# SPDX-License-Identifier: MIT
# A job of 512 ranks with a trace and 40 processes each, which all inherit what the launcher said. Its report is a matter
# of a second; a look at all pairs of processes for each trace, host or communicator would be one of minutes.
. "$top_srcdir/tests/lib.sh"
python3 - <<'END'
def trace(name, host, first, said):
    with open(name, "w") as out:
        print("dltrace-text 1", file=out)
        for i in range(40):
            print(f'[1s] dltrace_proc:process process={i + 1} parent={min(i, 1)} pid={100 + i} parent_pid={100 if i else 1} '
                  f'begin=1s host="{host}" exe="/bin/train" {said}', file=out)
        print('[1s] dltrace_proc:function function=MPI_Allreduce layer="mpi" kind="communicate" name="MPI_Allreduce"',
              file=out)
        for i in range(1, 41):
            print(f'[1s] dltrace_proc:thread thread={i} process={i} tid={99 + i} begin=1s', file=out)
            print(f'[1s] dltrace_proc:object process={i} type=7 id=3 handle=0x44 values=[2 40 {i} {first + i} 1]',
                  file=out)
            print(f'[1500ms] dltrace_comm:call thread={i} function=MPI_Allreduce duration=1ms communicator=3 peer=-1',
                  file=out)
        print('[2s] dltrace_proc:exit process=1 how=0 code=0', file=out)
for rank in range(512):
    trace(f"rank{rank:03}.txt", f"node{rank // 8}", 100 * rank, f"rank={rank} ranks=512 local_rank={rank % 8} job=0x77")
END
(ulimit -t 30 && exec "$REPORT" -q -o r.json rank*.txt) || fail "dltrace-report: exit status $?"
same "one job" "[512,[0]]" "$(jq -c '[(.traces | length), (.traces | map(.job) | unique)]' r.json)"
same "its ranks and hosts" "[1,512,64]" "$(jq -c '[(.scaling | length), .scaling[0].ranks, .scaling[0].hosts]' r.json)"

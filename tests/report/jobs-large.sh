# SPDX-License-Identifier: MIT
# A job of 512 ranks with a trace and 40 processes each, which all inherit what the launcher said. Its report is a matter
# of a second; a look at all pairs of processes for each trace would be one of minutes.
. "$top_srcdir/tests/lib.sh"
python3 - <<'END'
def trace(name, host, said):
    with open(name, "w") as out:
        print("dltrace-text 1", file=out)
        for i in range(40):
            print(f'[1s] dltrace_proc:process process={i + 1} parent={min(i, 1)} pid={100 + i} parent_pid={100 if i else 1} '
                  f'begin=1s host="{host}" exe="/bin/train" {said}', file=out)
        print('[2s] dltrace_proc:exit process=1 how=0 code=0', file=out)
for rank in range(512):
    trace(f"rank{rank:03}.txt", f"node{rank // 8}", f"rank={rank} ranks=512 local_rank={rank % 8} job=0x77")
END
(ulimit -t 30 && exec "$REPORT" -q -o r.json rank*.txt) || fail "dltrace-report: exit status $?"
same "one job" "[512,[0]]" "$(jq -c '[(.traces | length), (.traces | map(.job) | unique)]' r.json)"
same "its ranks and hosts" "[1,512,64]" "$(jq -c '[(.scaling | length), .scaling[0].ranks, .scaling[0].hosts]' r.json)"

# SPDX-License-Identifier: MIT
# Ranks as the processes announce them: in the table, in the text, as a filter; 0 of 0 is "not said".
. "$top_srcdir/tests/lib.sh"
cat >trace <<'EOT'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="a" exe="/usr/bin/mpirun" rank=-1 ranks=-1 local_rank=-1
[1s] dltrace_proc:process process=2 pid=101 begin=1s host="a" exe="/bin/train" rank=0 ranks=3 local_rank=0
[1s] dltrace_proc:process process=3 pid=102 begin=1s host="b" exe="/bin/train" rank=2 ranks=3 local_rank=1
[1s] dltrace_proc:process process=4 pid=103 begin=1s host="a" exe="/bin/old"
[1s] dltrace_proc:process process=5 pid=104 begin=1s host="b" exe="/bin/train" rank=1 ranks=-1 local_rank=-1
EOT
who() {
	report_text "$@" <trace
	json '[p["pid"] for p in r["processes"]]'
}
same everybody "[100, 101, 102, 103, 104]" "$(who)"
same ranks "[(None, None, None), (0, 3, 0), (2, 3, 1), (None, None, None), (1, None, None)]" \
	"$(json '[(p["rank"], p["ranks"], p["local_rank"]) for p in r["processes"]]')"
same "one of them" "[101]" "$(who --rank 0)"
same "some of them" "[101, 102]" "$(who --rank 0,2-7)"
exits 2 "$REPORT" -q --rank 9 "$TMP/trace.txt"; says "--rank 9: no such rank; there are 0, 1, 2$"
"$REPORT" trace.txt | grep -q '^ *pid .*name *rank' || fail "no ranks in the text"

# Said again when it had ended: what cannot be read any more is not forgotten.
report_text <<'EOT'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train" command="train\x1f-x" rank=0 ranks=2
[2s] dltrace_proc:process process=1 pid=100 begin=1s reason=3 rank=0 ranks=2
EOT
same "name of one that has ended" "('train', ['train', '-x'], 0)" "$(json '(lambda p: (p["name"], p["command"], p["rank"]))(r["processes"][0])')"

# SPDX-License-Identifier: MIT
# A child killed by a signal can't say so: its parent, who waited for it, does.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
recording id 1
recording exit 0
[1s] dltrace_proc:process process=1 pid=100 begin=1s recording=1 exe="/usr/bin/python3"
[1s] dltrace_proc:child thread=1 how=0 child=101
[1s] dltrace_proc:child thread=1 how=0 child=102
[2s] dltrace_proc:process process=2 parent=1 pid=101 begin=2s recording=1 reason=1 exe="/usr/bin/python3"
[2s] dltrace_proc:process process=3 parent=1 pid=102 begin=2s recording=1 reason=1 exe="/usr/bin/python3"
[3s] dltrace_proc:exit process=3 how=1 code=4
[4s] dltrace_proc:child thread=1 how=5 child=101 result=11
[5s] dltrace_proc:child thread=1 how=5 child=102 result=1024
[6s] dltrace_proc:exit process=1 how=0 code=0
END
same "the killed one" "{'signal': 11} 3000000000" \
	"$(json '" ".join(str(r["processes"][1][k]) for k in ("exit", "end_ns"))')"
same "the one that said it itself" "{'status': 4} 2000000000" \
	"$(json '" ".join(str(r["processes"][2][k]) for k in ("exit", "end_ns"))')"

# The recorder looks into the parent's box before the child's. A number that was another's before is not meant.
report_text <<'END'
dltrace-text 1
recording id 1
recording exit 0
[1s] dltrace_proc:process process=1 pid=100 begin=1s recording=1 exe="/usr/bin/python3"
[1100ms] dltrace_proc:child thread=1 how=0 child=102
[1200ms] dltrace_proc:child thread=1 how=5 child=102 result=9
[2s] dltrace_proc:child thread=1 how=0 child=101
[4s] dltrace_proc:child thread=1 how=6 child=101 result=15
[4s] dltrace_proc:child thread=1 how=5 child=101 result=15
[4s] dltrace_proc:process process=2 parent=1 pid=101 begin=2s recording=1 reason=1 exe="/usr/bin/python3"
[4s] dltrace_proc:process process=3 parent=1 pid=102 begin=2s recording=1 reason=1 exe="/usr/bin/python3"
[4s] dltrace_proc:thread process=2 thread=2 tid=101
[4s] dltrace_sample:process process=2 time=3s final=1
[5s] dltrace_proc:exit process=3 how=1 code=0
[6s] dltrace_proc:exit process=1 how=0 code=0
END
same "whose end came first" "[{'signal': 15}, {'status': 0}]" "$(json '[p["exit"] for p in r["processes"][1:]]')"
same "its maker let it go" "[]" "$(json 'r["failures"]')"

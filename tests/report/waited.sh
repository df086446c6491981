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

# SPDX-License-Identifier: MIT
# Threads that no event tells of are in the samples, and stay counted between them.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[1100ms] dltrace_sample:process process=1 time=1100ms threads=3
[1200ms] dltrace_sample:process process=1 time=1200ms threads=3
[1250ms] dltrace_proc:thread thread=2 process=1 tid=101 creator=1 begin=1250ms
[1300ms] dltrace_sample:process process=1 time=1300ms threads=4
END
same "with the new one" "[4]" "$(json '[int(v) for t, v in points("threads", 1) if t == 250000000]')"
same peak 4 "$(json 'r["processes"][0]["threads_peak"]')"

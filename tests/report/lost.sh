# SPDX-License-Identifier: MIT
# Emitted less read is what was lost, whatever LTTng says.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
discarded 2
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/app"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s
[1100ms] dltrace_cuda:free thread=1 function=cudaFree duration=3ms
# said again by a sampler: not the process's own
[1200ms] dltrace_proc:process process=1 pid=100 begin=1s reason=3 exe="/bin/app"
[1300ms] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s reason=3
[1400ms] dltrace_cuda:free thread=1 function=cudaFree duration=3ms
[2s] dltrace_sample:process process=1 time=2s final=1 events=104
END
same lost 100 "$(json 'r["traces"][0]["lost"]')"
same "by process" 100 "$(json 'int(row("limits", kind="lost", process=1)["value"])')"
same "by LTTng" 2 "$(json 'int(row("limits", kind="lost", process=None)["value"])')"
same finding warning "$(json '[f["severity"] for f in r["findings"] if "lost" in f["text"]][0]')"

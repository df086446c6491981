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

# What the recorder has counted and the trace does not hold is a part that is missing, not lost by anybody; of lost
# batches nobody knows how many events they had.
report_text <<'END'
dltrace-text 1
recording events 12
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/app"
[2s] dltrace_sample:process process=1 time=2s final=1 events=104
END
same "missing" "10 []" "$(json 'int(row("limits", kind="truncated")["value"]), [f["rule"] for f in r["findings"] if f["rule"] == "events_lost"]' |
	tr -d '(),')"
same "a finding" warning "$(json '[f["severity"] for f in r["findings"] if f["rule"] == "damaged"][0]')"
sed 's/^recording events 12/&\nrecording lost 1/' trace.txt >lost.txt
report_text <lost.txt
same "lost instead" "[]" "$(json '[f["rule"] for f in r["findings"] if f["rule"] == "damaged"]')"
sed 's/^recording events 12/recording events 2/' trace.txt >all.txt
report_text <all.txt
same "all there" "[]" "$(json '[f["rule"] for f in r["findings"] if f["rule"] == "damaged"]')"

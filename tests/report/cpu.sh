# SPDX-License-Identifier: MIT
# CPU in percent of the machine and in cores; ticks that pile up in one interval never show more
# CPUs than there are, and nothing of the time is dropped.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_sample:machine host="h" time=1s cpus=2 memory=8G available=6G busy=[1s 1s] cgroup_cpu=1000
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h"
[1s] dltrace_proc:process process=2 pid=101 begin=1s host="h"
[2s] dltrace_sample:process process=1 time=2s threads=1 user=900ms system=100ms
[2s] dltrace_sample:process process=2 time=2s threads=1 user=500ms
[2s] dltrace_sample:machine host="h" time=2s cpus=2 memory=8G available=2G busy=[2s 2s]
[3s] dltrace_sample:process process=1 time=3s threads=1 user=3500ms system=100ms
[3s] dltrace_sample:process process=2 time=3s threads=1 user=500ms
[4s] dltrace_sample:process process=1 time=4s threads=1 user=3600ms system=100ms
[4s] dltrace_sample:process process=2 time=4s threads=1 user=500ms
END
same "one process" "[50.0, 100.0, 35.0]" "$(json '[round(float(v), 3) for t, v in points("cpu_percent", 1)]')"
same "in cores" "[1.0, 2.0, 0.7]" "$(json '[round(float(v), 3) for t, v in points("cpu_cores", 1)]')"
same "the run" "[75.0, 100.0, 35.0]" "$(json '[round(float(v), 3) for t, v in points("cpu_percent")]')"
same "the machine" "[100.0]" "$(json '[round(float(v), 3) for t, v in points("machine_cpu_percent")]')"
same RAM "[25.0, 75.0]" "$(json '[round(float(v), 3) for t, v in points("ram_percent")]')"
same "CPU time" 3700000000 "$(json 'row("processes", pid=100)["cpu_ns"]')"

# Three processes, read one after another, each in an interval of its own: their rates sum up to more
# than two CPUs, what the run used does not; and nothing of it is dropped.
report_text <<'T'
dltrace-text 1
[1s] dltrace_sample:machine host="h" time=1s cpus=2 memory=8G available=6G busy=[1s 1s] cgroup_cpu=1000
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h"
[1s] dltrace_proc:process process=2 pid=101 begin=1s host="h"
[1900ms] dltrace_proc:process process=3 pid=102 begin=1900ms host="h"
[2s] dltrace_sample:process process=1 time=2s threads=1 user=950ms
[2s] dltrace_sample:process process=2 time=2s threads=1 user=950ms
[2s] dltrace_sample:process process=3 time=2s threads=1 user=100ms
[3s] dltrace_sample:process process=1 time=3s threads=1 user=1100ms
[3s] dltrace_sample:process process=2 time=3s threads=1 user=1100ms
[3s] dltrace_sample:process process=3 time=3s threads=1 user=200ms
[3001ms] dltrace_proc:exit process=3 how=0 code=0
[3001ms] dltrace_sample:process process=3 time=3001ms user=210ms final=1
[4s] dltrace_sample:process process=1 time=4s threads=1 user=3200ms
[4s] dltrace_sample:process process=2 time=4s threads=1 user=1100ms
[5s] dltrace_sample:process process=1 time=5s threads=1 user=3200ms
[5s] dltrace_sample:process process=2 time=5s threads=1 user=1100ms
T
same "one that began late" "[50.0]" "$(json '[round(float(v), 3) for t, v in points("cpu_percent", 3)][:1]')"
same "never more than there is" "[100.0, 20.0, 100.0, 5.5]" "$(json '[round(float(v), 3) for t, v in points("cpu_percent")]')"

# Workers that begin and end between two readings of the others, with what they themselves used: no
# dip to nothing there, and no peak after it; what is never read again holds nothing up.
report_text <<'T'
dltrace-text 1
[1s] dltrace_sample:machine host="h" time=1s cpus=2 memory=8G available=6G busy=[1s 1s] cgroup_cpu=1000
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h"
[2s] dltrace_sample:process process=1 time=2s threads=1 user=1s
[2900ms] dltrace_proc:process process=2 parent=1 pid=101 begin=2900ms host="h"
[2920ms] dltrace_sample:process process=2 time=2920ms threads=1 user=1ns
[3s] dltrace_sample:process process=1 time=3s threads=1 user=1900ms
[3s] dltrace_sample:process process=2 time=3s threads=1 user=100ms
[3960ms] dltrace_proc:exit process=2 how=0 code=0
[3960ms] dltrace_sample:process process=2 time=3960ms threads=1 user=200ms final=1
[4s] dltrace_sample:process process=1 time=4s threads=1 user=2800ms
[4500ms] dltrace_proc:process process=3 parent=1 pid=103 begin=4500ms host="h"
[5s] dltrace_sample:process process=3 time=5s threads=1 user=500ms
[6s] dltrace_sample:process process=3 time=6s threads=1 user=1500ms
[7s] dltrace_sample:process process=3 time=7s threads=1 user=2500ms
T
same "one alone in between" "[[2.0, 50.0], [3.0, 50.0], [4.0, 50.0], [5.0, 25.0], [6.0, 50.0]]" \
	"$(json '[[t / 1e9 + 1, round(float(v), 3)] for t, v in points("cpu_percent")][:5]')"

# The last reading of the last process comes when its end is known: what it used until then is in the curve and its mean.
report_text <<'T'
dltrace-text 1
[1s] dltrace_sample:machine host="h" time=1s cpus=2 memory=8G available=6G busy=[1s 1s] cgroup_cpu=1000
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h"
[2s] dltrace_sample:process process=1 time=2s threads=1 user=500ms
[3s] dltrace_proc:exit process=1 how=0 code=0
[3010ms] dltrace_sample:process process=1 time=3010ms user=2s final=1
[4s] dltrace_proc:process process=2 pid=101 begin=4s host="h"
[5s] dltrace_sample:process process=2 time=5s threads=1 user=1s
[6s] dltrace_proc:exit process=2 how=0 code=0
[6s] dltrace_sample:process process=2 time=6s user=2s final=1
T
same "until the end" "[[2.0, 0.5], [3.0, 1.5], [3.0, 0.0], [5.0, 0.5], [6.0, 1.0], [6.0, 0.0]]" \
	"$(json '[[t / 1e9 + 1, round(float(v), 3)] for t, v in points("cpu_cores")]')"
"$REPORT" trace.txt >out
same "mean" "40.0 %" "$(sed -n 's/^  CPU .* \([0-9.]* %\)  *[0-9.]* %$/\1/p' out | head -1)"

# Of several machines in one trace each has a name.
report_text <<'T'
dltrace-text 1
[1s] dltrace_sample:machine host="n1" time=1s cpus=2 memory=8G available=6G busy=[1s 1s] cgroup_cpu=1000
[1s] dltrace_sample:machine host="n2.example" time=1s cpus=4 memory=8G available=2G busy=[1s 1s] cgroup_cpu=1000
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="n1"
[1s] dltrace_proc:process process=2 pid=100 begin=1s host="n2.example"
[2s] dltrace_sample:machine host="n1" time=2s cpus=2 memory=8G available=6G busy=[2s 2s]
[2s] dltrace_sample:machine host="n2.example" time=2s cpus=4 memory=8G available=2G busy=[2s 2s]
T
"$REPORT" trace.txt >out
same "two machines" "RAM, n1 25.0 % RAM, n2 75.0 %" "$(sed -n 's/^  \(RAM, n[12]\) .* \([0-9.]* %\)$/\1 \2/p' out | xargs)"

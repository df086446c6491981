# SPDX-License-Identifier: MIT
# exec: the old image ends without a failure, the new one goes on under the same pid.
. "$top_srcdir/tests/lib.sh"

# An exec that has failed after all: the process goes on.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/python3" reason=0
[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=1G user=2s allocated=2G events=1
[3s] dltrace_proc:child thread=1 how=3 path="/bin/nope" traced=1
[3s] dltrace_proc:exit process=1 how=5 thread=1 events=3
[3001ms] dltrace_proc:child thread=1 how=3 result=8 path="/bin/nope"
[4s] dltrace_sample:process process=1 time=4s threads=1 rss_anon=2G user=3s allocated=3G
[5s] dltrace_sample:process process=1 time=5s threads=1 rss_anon=3G user=4s allocated=4G
[9s] dltrace_sample:process process=1 time=9s threads=1 rss_anon=3G user=4s allocated=4G
[10s] dltrace_proc:exit process=1 how=0 code=0 thread=1 events=5
[10001ms] dltrace_sample:process process=1 time=10001ms final=1 rss_anon=3G user=4s allocated=4G events=5
END
same "its end" 9000000000 "$(json 'row("processes", pid=100)["end_ns"]')"
same "its memory" "[2048, 3072, 3072]" "$(json '[round(v / 2**20) for t, v in points("rss_bytes") if 2 * 10**9 < t < 9 * 10**9]')"
same "its threads at the end" 1 "$(json 'int([v for t, v in points("threads") if t < 9 * 10**9][-1])')"
same "it became nothing" "[]" "$(json '[l["text"] for l in r["limits"] if "nope" in l["text"]]')"
report_text <<'END'
dltrace-text 1
recording id 1
recording exit 3
[1s] dltrace_proc:process process=1 pid=100 begin=1s recording=1 exe="/bin/sh"
[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=1M
[3s] dltrace_proc:process process=2 pid=100 begin=3s recording=1 reason=2 exe="/usr/bin/python3"
[4s] dltrace_sample:process process=2 time=4s threads=1 rss_anon=2M
[5s] dltrace_sample:process process=2 time=5s final=1
END
same "the old one's end" 2000000000 "$(json 'row("processes", name="sh")["end_ns"]')"
same "no failure of its own" "[2]" "$(json '[f["process"] for f in r["failures"]]')"
same "the recorder knows the status" "{'status': 3}" "$(json 'row("processes", name="python3")["exit"]')"
same "the trace's" "{'status': 3}" "$(json 'r["traces"][0]["exit"]')"
same "memory is not added up" 2097152 "$(json 'int(peak("rss_bytes"))')"

# The new image does not know it, and the old one's last reading comes first.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/sh"
[2s] dltrace_sample:process process=1 time=2s final=1
[2s] dltrace_proc:process process=2 pid=100 begin=2s exe="/usr/bin/python3"
[3s] dltrace_proc:exit process=2 code=0
END
same "nobody was killed" 0 "$(json 'len(r["failures"])')"
same "it became the other" "{'exec': True}" "$(json 'row("processes", name="sh")["exit"]')"

# The new image belongs to another user, whose events come another way: it is known before the old one.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/sh"
[3s] dltrace_proc:process process=3 pid=101 parent=1 begin=2200ms reason=2 exe="/usr/bin/python3"
[3100ms] dltrace_proc:process process=2 pid=101 parent=1 begin=2100ms reason=1 exe="/bin/sh"
[3100ms] dltrace_proc:exit process=2 how=5 thread=2 events=3
[4s] dltrace_sample:process process=3 time=4s threads=1 rss_anon=2M user=1s
[5s] dltrace_proc:exit process=3 code=0
[5s] dltrace_sample:process process=2 time=5s final=1 rss_anon=2M user=1s
[6s] dltrace_proc:exit process=1 code=0
END
same "both have their lives" "[(1100000000, 2100000000), (1200000000, 4000000000)]" "$(json 'sorted((p["begin_ns"], p["end_ns"]) for p in r["processes"] if p["pid"] == 101)')"
same "the old one became the other" "{'exec': True} {'status': 0}" "$(json '"%s %s" % (row("processes", pid=101, name="sh")["exit"], row("processes", name="python3")["exit"])')"
same "clocks" "[]" "$("$REPORT" --verify -f json trace.txt | jq -c '[.checks[] | select(.result == "failed") | .check]')"

# A sampler that first looks after the exec says the new program's name of the old image too.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/sh" command="sh\x1f-c"
[2s] dltrace_proc:process process=1 pid=100 begin=1s reason=3 exe="/usr/bin/python3" command="python3"
[2s] dltrace_proc:process process=2 pid=100 begin=2s exe="/usr/bin/python3" command="python3"
[3s] dltrace_proc:process process=3 pid=101 begin=3s reason=3 exe="/bin/first"
[4s] dltrace_proc:process process=3 pid=101 begin=3s reason=3 exe="/bin/later"
END
same "its own word" "[('sh', ['sh', '-c']), ('python3', ['python3']), ('later', None)]" "$(json '[(p["name"], p["command"] or None) for p in r["processes"]]')"

# What a process becomes is no child of its own. A child that was forked for nothing but exec is only
# counted by its parent, unless it became something that is traced.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/python3"
[2s] dltrace_proc:child thread=1 how=0 child=101 traced=1
[2s] dltrace_proc:child thread=1 how=0 child=102 traced=1
[2s] dltrace_proc:child thread=1 how=0 child=103
[3s] dltrace_proc:process process=2 pid=101 parent=1 begin=2s reason=2 exe="/usr/bin/python3"
[3s] dltrace_proc:process process=3 pid=103 parent=1 begin=2s reason=1 exe="/usr/bin/python3"
[3s] dltrace_proc:child thread=3 how=3 traced=1 path="/bin/uname"
[3s] dltrace_proc:exit process=3 how=5 thread=3
[4s] dltrace_proc:exit process=2
[5s] dltrace_proc:exit process=1
END
same "children, only counted" "[(100, 3, 1), (101, 0, 0), (103, 0, 0)]" \
	"$(json '[(p["pid"], p["children"], p["children_counted"]) for p in r["processes"]]')"
same "said so" "['python3 (pid 100): 1 of its children was only counted, not traced (--children)', 'python3 (pid 103): what it became by exec, /bin/uname, is not traced (--children)']" \
	"$(json '[l["text"] for l in r["limits"] if "--children" in l["text"]]')"

# What is in the trace was traced, whatever was expected of it.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/dash"
[2s] dltrace_proc:child thread=1 how=3 traced=1 path="/bin/bash"
[2s] dltrace_proc:exit process=1 how=5 thread=1
[2100ms] dltrace_proc:process process=2 pid=100 begin=2100ms reason=2 exe="/bin/bash"
[3s] dltrace_proc:child thread=2 how=3 traced=1 path="/bin/sleep"
[3s] dltrace_proc:exit process=2 how=5 thread=2
END
same "what was traced after all" "['bash (pid 100): what it became by exec, /bin/sleep, is not traced (--children)']" \
	"$(json '[l["text"] for l in r["limits"] if "--children" in l["text"]]')"

# The kernel goes on counting: what each image used is its own, and what is read of the old one once the
# new one was is the new one's.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/sh"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s
[2s] dltrace_sample:process process=1 time=2s threads=1 user=900ms system=50ms minor_faults=70 voluntary=7 read_bytes=5000
[2s] dltrace_sample:thread thread=1 time=2s cpu=950ms
[3s] dltrace_proc:process process=2 pid=100 begin=3s reason=2 exe="/usr/bin/python3"
[3s] dltrace_proc:thread thread=2 process=2 tid=100 begin=3s
[4s] dltrace_sample:process process=2 time=4s threads=1 user=1500ms system=60ms minor_faults=100 voluntary=9 read_bytes=6000
[4s] dltrace_sample:thread thread=2 time=4s cpu=1560ms
[4s] dltrace_sample:process process=1 time=4s user=1500ms system=60ms minor_faults=100 voluntary=9 read_bytes=6000 final=1
[5s] dltrace_proc:process process=3 pid=100 begin=5s reason=2 exe="/usr/bin/perl"
[6s] dltrace_sample:process process=3 time=6s threads=1 user=1600ms system=160ms minor_faults=101 voluntary=9 read_bytes=6001
[7s] dltrace_proc:exit process=3 code=0
END
same "CPU time of each image" "[950000000, 610000000, 200000000]" "$(json '[p["cpu_ns"] for p in r["processes"]]')"
same "faults, waits, bytes" "[(70, 7, 5000), (30, 2, 1000), (1, 0, 1)]" \
	"$(json '[(p["minor_faults"], p["waits"], p["read_bytes"]) for p in r["processes"]]')"
same "CPU time of their threads" "[950000000, 610000000, None]" "$(json '[t["cpu_ns"] for t in r["threads"]]')"

# Of two containers with the host's name: processes with the same pid, each in its namespace, are no images of each other.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=7 pid_namespace=11 begin=1s host="h" exe="/bin/one"
[1s] dltrace_proc:process process=2 pid=7 pid_namespace=22 begin=1s host="h" exe="/bin/two"
[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=1M
[2s] dltrace_sample:process process=2 time=2s threads=1 rss_anon=2M
[3s] dltrace_proc:exit process=1 how=5 thread=1
[3s] dltrace_proc:process process=3 pid=7 pid_namespace=11 begin=3s host="h" reason=2 exe="/bin/becomes-one"
[4s] dltrace_sample:process process=2 time=4s threads=1 rss_anon=2M
[4s] dltrace_sample:process process=3 time=4s threads=1 rss_anon=1M
[5s] dltrace_proc:exit process=2 code=3 thread=2
[7s] dltrace_proc:exit process=3 how=4 code=11 thread=3
END
same "each by itself" "one {'exec': True} 2, two {'status': 3} 4, becomes-one {'signal': 11} 6" \
	"$(json '", ".join("%s %s %d" % (p["name"], p["exit"], p["end_ns"] / 1e9) for p in r["processes"])')"
same "memory of both" 3145728 "$(json 'int(peak("rss_bytes"))')"

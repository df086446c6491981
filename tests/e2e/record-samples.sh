# SPDX-License-Identifier: MIT
# The sampler, from outside (dltrace-record) and as a hidden thread (a session of one's own), sees
# the same process: heap, threads without our helpers, the machine, and names everything.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2
need python3

# A thread that ends loads libgcc_s, maybe before the process has ended: here always.
cat >program.py <<'END'
import ctypes, threading, time
ctypes.CDLL("libgcc_s.so.1")
blocks = [bytearray(300000) for i in range(20)]
stop = threading.Event()
threads = [threading.Thread(target=stop.wait) for i in range(3)]
[t.start() for t in threads]
time.sleep(0.8)
stop.set()
END

# check FILE: what every trace of the program must hold
check() {
	grep -q 'dltrace_sample:machine:.* cpus = '"$(getconf _NPROCESSORS_ONLN)," "$1" || fail "$1: no machine"
	grep -q 'dltrace_sample:process:.* threads = 4,' "$1" || fail "$1: not 4 threads"
	! grep 'dltrace_sample:process:' "$1" | grep -vq ' threads = [0-4],' || fail "$1: a helper is counted"
	! grep 'dltrace_sample:process:.* final = 0,' "$1" | grep -q ' threads = 0,\| rss_anon = 0,' || fail "$1: memory of a process that was ending"
	grep 'dltrace_sample:process:' "$1" | tail -n 1 | grep -q 'final = 1,' || fail "$1: the last sample is not final"
	grep -q 'dltrace_proc:process:.*exe = ".*python3.*command = ".*python3.*program.py"' "$1" || fail "$1: process not named"
	[ "$(grep -c 'dltrace_proc:thread:' "$1")" -ge 4 ] || fail "$1: threads not named"
	grep -q 'dltrace_proc:library:.*build_id = "[0-9a-f]\{8,\}".*libc.so.6' "$1" || fail "$1: libc or its build id"
	grep -q 'dltrace_proc:function:.*name = "malloc"' "$1" || fail "$1: malloc not named"
	live=$(sed -n 's/.*dltrace_sample:process:.* allocated = \([0-9]*\), freed = \([0-9]*\),.*/\1 \2/p' "$1" |
		awk '$1 - $2 > most { most = $1 - $2 } END { print most }')
	[ "$live" -gt 6000000 ] || fail "$1: live heap of $live bytes"
}

"$RECORD" -q -o outside -- python3 program.py
babeltrace2 outside >outside.txt
check outside.txt
grep -q 'dltrace_record:note:.*kind = "exit"' outside.txt || fail "no note of the exit"

session_start 'dltrace_*'
LD_PRELOAD=$DLTRACE_LIB python3 program.py
session_stop
babeltrace2 trace >inside.txt
check inside.txt
same "descriptions by a hidden thread" 0 "$(grep -c 'dltrace_record' inside.txt || :)"

# Of the program's own process: which helpers a shell in front of it runs is no concern here. Build ids are
# read from memory inside, from the files outside. A library that is gone or only said again (state) has
# none: babeltrace 2.0.4 prints the string of an earlier event for an empty one.
ids() {
	process=$(sed -n 's/.*dltrace_proc:process:.* process = \([0-9]*\),.*exe = "[^"]*python3[^"]*".*program\.py".*/\1/p' "$1" |
		tail -n 1)
	[ "$process" ] || fail "$1: no process of the program"
	sed -n "s/.*dltrace_proc:library:.* process = $process,.* state = [02],.* build_id = \"\\([0-9a-f]\\{8,\\}\\)\", path = \"\\(.*\\)\" }.*/\\2 \\1/p" "$1" |
		grep -v '/libdltrace\|liblttng\|libnuma' | sort -u
}
ids outside.txt >ids.outside
ids inside.txt >ids.inside
[ "$(wc -l <ids.inside)" -ge 3 ] || fail "few libraries are named"
same "libraries and build ids" "$(cat ids.outside)" "$(cat ids.inside)"

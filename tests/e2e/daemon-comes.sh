# SPDX-License-Identifier: MIT
# Without a session daemon a process has no hidden thread; when one comes, with a session, the process
# that runs already is sampled to its end, and so is a child that it forks then.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2
need python3

cat >program.py <<'END'
import os, time
open("up", "w").close()
while not os.path.exists("go"):
    time.sleep(0.05)
if os.fork() == 0:
    time.sleep(0.5)
    os._exit(0)
os.wait()
END

hidden() {
	grep -lx dltrace-sampler /proc/"$1"/task/*/comm | wc -l
}

export LTTNG_HOME=$TMP/lttng
LD_PRELOAD=$DLTRACE_LIB python3 program.py 2>errors &
pid=$!
trap 'kill $pid 2>/dev/null || :' EXIT
if lttng --no-sessiond list >/dev/null 2>&1; then
	skip "a session daemon runs"
fi
# What its name may stand for before (a script that looks for the interpreter) is no process of the session.
until_so "the program" test -e up
sleep 0.5
same "hidden threads without a session daemon" 0 "$(hidden $pid)"
session_start 'dltrace_*'
# While another root's daemon runs elsewhere on the machine, LTTng tries again only every five seconds.
for i in $(seq 600); do
	[ "$(hidden $pid)" = 0 ] || break
	sleep 0.1
done
sleep 1
same "hidden threads with one" 1 "$(hidden $pid)"
: >go
wait $pid || fail "exit status $?"
session_stop
same "errors" "" "$(cat errors)"
babeltrace2 trace >trace.txt
same "last samples, of it and of its child" 2 "$(grep -c 'dltrace_sample:process:.* final = 1,' trace.txt)"
same "processes sampled" 2 "$(grep 'dltrace_sample:process:' trace.txt | grep -o '{ process = [0-9]*' | sort -u | wc -l)"

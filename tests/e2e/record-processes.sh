# SPDX-License-Identifier: MIT
# Commands that fork, daemonise, are killed: all are followed while the command runs, and with
# --wait until the last has ended.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2
need python3

pids() {
	sed -n 's/.*dltrace_proc:process:.* pid = \([0-9]*\),.*/\1/p' events | sort -u | wc -l
}

cat >forks.py <<'END'
import os, sys, time
for i in range(4):
    if os.fork() == 0:
        x = bytearray(1 << 20)
        time.sleep(0.3)
        os._exit(0)
for i in range(4):
    os.wait()
END
"$RECORD" -q --children all -o forks -- /usr/bin/python3 forks.py
babeltrace2 forks >events
same "processes" 5 "$(pids)"
same "final samples" 5 "$(grep -c 'dltrace_sample:process:.* final = 1,' events)"

cat >daemon.py <<'END'
import os, sys, time
if os.fork() == 0:
    os.setsid()
    for fd in range(3): os.close(fd)
    os.open("/dev/null", os.O_RDWR); os.dup(0); os.dup(0)
    if os.fork() == 0:
        end = time.monotonic() + 60
        while not os.path.exists("go") and time.monotonic() < end:
            time.sleep(0.05)
        os._exit(0)
    os._exit(0)
os.wait()
time.sleep(0.5)
END
begin=$(date +%s%N)
"$RECORD" -q --children all -o daemon -- /usr/bin/python3 daemon.py
[ $((($(date +%s%N) - begin) / 1000000)) -lt 40000 ] || fail "waited for the daemon"
: >go
babeltrace2 daemon >events
same "processes" 3 "$(pids)"
grep -q 'kind = "survivor"' events || fail "no word of the survivor"
rm go
(sleep 2 && : >go) &
"$RECORD" -q --wait --children all -o waited -- /usr/bin/python3 daemon.py
babeltrace2 waited >events
! grep -q 'kind = "survivor"' events || fail "--wait did not wait"
same "final samples" 3 "$(grep -c 'dltrace_sample:process:.* final = 1,' events)"

status=0
"$RECORD" -q -o killed -- /usr/bin/python3 -c '
import os, signal
x = [bytearray(100000) for i in range(64)]
os.kill(os.getpid(), signal.SIGKILL)' || status=$?
same "status" 137 $status
babeltrace2 killed >events
live=$(sed -n 's/.*final = 1,.* allocated = \([0-9]*\), freed = \([0-9]*\),.*/\1 \2/p' events | awk '{ print $1 - $2 }')
[ "$live" -gt 6400000 ] || fail "last live heap $live"
grep -q 'kind = "killed".*signal' events || fail "no word of the signal"

# What the daemons leave behind would stay in a container whose first process reaps nobody.
cat >reaps_nobody.py <<'END'
import ctypes, os, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
subprocess.run(sys.argv[1:], check=True)
for child in open("/proc/self/task/%d/children" % os.getpid()).read().split():
    print(open("/proc/%s/stat" % child).read().split()[1])
END
same "left behind" "" "$(/usr/bin/python3 reaps_nobody.py "$RECORD" -q -o reaped -- true)"

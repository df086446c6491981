# SPDX-License-Identifier: MIT
# dltrace-record as the first process of a container: who loses its parent there is handed to it, and is no zombie once
# it has ended; a signal for the container is the command's; the command's end is the container's.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need unshare
unshare -Urpf --mount-proc true 2>/dev/null || skip "no pid namespaces"

cat >leaves.py <<'END'
import glob, os, signal, sys, time

def states():
    for path in glob.glob("/proc/[0-9]*/stat"):
        with open(path) as f:
            name, rest = f.read().rsplit(")", 1)
            yield name.split("(")[1], rest.split()[0]

def zombies():
    return [name for name, state in states() if state == "Z"]

for i in range(20):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(0.01 * i)
        os._exit(0)
    os.wait()
end = time.monotonic() + 20
time.sleep(0.3)
while zombies() and time.monotonic() < end:
    time.sleep(0.1)
print("zombies:", zombies(), flush=True)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
os.system("kill 1")
time.sleep(20)
END
exits 5 timeout -k 5 100 unshare -Urpf --mount-proc "$RECORD" -o trace -- /usr/bin/python3 leaves.py
same "output" "zombies: []" "$(cat out)"
says ' 0 lost'
"$REPORT" -q -f json trace >report.json || [ $? = 1 ]
holds "the processes" '[.processes[] | select(.name | test("^python"))] | length == 41' report.json

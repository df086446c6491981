# SPDX-License-Identifier: MIT
# The kernel kills a process, as there is no memory left in its control group: the report says so, and not of one that
# somebody else has killed.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq
[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"

# A group of our own, below the one that we are in, which holds 600 MB.
own=$(sed -n 's/^[0-9]*:memory:\(.*\)/\/memory\1/p' /proc/self/cgroup)
limit=memory.limit_in_bytes
if [ -z "$own" ]; then
	own=$(sed -n 's/^0::\(.*\)/\1/p' /proc/self/cgroup)
	limit=memory.max
fi
group=/sys/fs/cgroup$own/dltrace-test-$$
mkdir "$group" 2>/dev/null || skip "no control group can be made here"
trap 'rmdir "$group"' EXIT
echo 600M >"$group/$limit" 2>/dev/null || skip "no limit of memory can be set here"

cat >program.py <<'END'
import os, time
def eater():
    pid = os.fork()
    if pid == 0:
        with open("/proc/self/oom_score_adj", "w") as f:
            f.write("1000")
        block = b"x" * (2 << 30)
        os._exit(0)
    return os.waitpid(pid, 0)[1]
def victim():
    pid = os.fork()
    if pid == 0:
        time.sleep(60)
    time.sleep(0.3)
    os.kill(pid, 9)
    return os.waitpid(pid, 0)[1]
print(eater(), victim(), flush=True)
END
exits 0 sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" "$RECORD" -o t -- /usr/bin/python3 program.py
same "both were killed" "9 9" "$(cat out)"
"$REPORT" -q -f json -o report.json t || [ $? = 1 ]
holds "the kernel's one" '[.failures[] | select(.text | test("died of SIGKILL: the kernel has killed it, as memory ran out$"))] | length == 1'
holds "nobody else" '[.failures[] | select(.text | test("memory ran out"))] | length == 1'

# SPDX-License-Identifier: MIT
# unshare, nsenter and setpriv in front of a program: the kernel lets none with several threads have a user
# namespace or other mounts, and glibc none have capabilities by thread, so these get no LTTng, and what they start is
# recorded.
. "$top_srcdir/tests/lib.sh"
need unshare
need nsenter
need setpriv
need jq
unshare -U true 2>/dev/null || skip "no user namespaces here"
command -v /usr/bin/python3 >/dev/null || skip "no /usr/bin/python3"

script='import os; print(os.getuid()); raise SystemExit(3)'
try() {
	status=0
	"$@" 2>&1 || status=$?
	echo "status $status"
}
all() {
	try "$@" unshare -U -r /usr/bin/python3 -c "$script"
	try "$@" unshare -U -r -f /usr/bin/python3 -c "$script"
	[ "$(id -u)" != 0 ] || try "$@" setpriv --reuid=65534 --clear-groups /usr/bin/python3 -c "$script"
	[ "$(id -u)" != 0 ] || try "$@" nsenter -t $$ -m /usr/bin/python3 -c "$script"
}
all env >plain
grep -qx 'status 3' plain || skip "no namespaces here: $(cat plain)"
all env LTTNG_HOME="$TMP/nowhere" LD_PRELOAD="$DLTRACE_LIB" >alone
diff plain alone || fail "differs without a daemon"
all env LTTNG_HOME="$TMP/nowhere" LD_PRELOAD="$DLTRACE_LIB" DLTRACE_CHILDREN=all >children
diff plain children || fail "differs with all children"
all "$RECORD" -q -o "$TMP/recorded-%p" -- >recorded
diff plain recorded || fail "differs where it is recorded"

"$RECORD" -q -o trace -- unshare -U -r /usr/bin/python3 -c "$script" >/dev/null || [ $? = 3 ]
"$REPORT" -q -f json trace >report.json
holds "what it started" '[.processes[].name | test("^python")] == [true]'

echo "pid 1 of a namespace is not the machine's: it ends, and what it used is its own; so with two of them"
unshare -Urpf --mount-proc true 2>/dev/null || exit 0
cat >uses.py <<'END'
import threading, time
def work():
    end = time.thread_time() + 0.5
    while time.thread_time() < end: pass
thread = threading.Thread(target=work)
thread.start()
thread.join()
kept = bytearray(50 << 20)
time.sleep(1)
END
begin=$(date +%s)
timeout -k 5 60 "$RECORD" -q --wait -o pids -- sh -c 'for i in 1 2; do
	unshare -Urpf --mount-proc /usr/bin/python3 uses.py &
done; wait' || fail "status $?"
[ $(($(date +%s) - begin)) -lt 40 ] || fail "the recording went on"
"$REPORT" -q -f json pids >report.json || [ $? = 1 ]
jq '[.processes[] | select(.name | test("^python"))]' report.json >both.json
holds "both are there" 'length == 2' both.json
holds "both have their end" '[.[].exit.status] == [0, 0]' both.json
holds "neither has replaced the other" '[.[] | (.end_ns - .begin_ns) / 1e9 | . > 1] == [true, true]' both.json
holds "the CPU time is theirs" '[.[].cpu_ns / 1e9 | . > 0.4 and . < 4] == [true, true]' both.json
holds "the memory is theirs" '[.[].rss_peak_bytes / 1048576 | . > 50 and . < 200] == [true, true]' both.json
holds "the threads' CPU time is known" '[.threads[] | select(.cpu_ns > 4e8)] | length == 2'

echo "--live knows it by the number that it has here"
"$RECORD" -q --require -o watched -- unshare -Urpf --mount-proc /usr/bin/python3 -c 'import time; time.sleep(60)' &
recorder=$!
until_so "a process in --live" sh -c '"$0" --live '$recorder' --count 1 -f json 2>err >live.json &&
	jq -e ".processes[] | select(.name | test(\"^python\"))" live.json' "$REPORT"
outer=$(pgrep -f 'import time; time.sleep\(60\)' | while read -r pid; do
	[ "$(cat /proc/"$pid"/comm)" != "${RECORD##*/}" ] && [ "$(awk '/^NSpid/ { print $3 }' /proc/"$pid"/status)" = 1 ] && echo "$pid"
done)
jq '.processes[] | select(.name | test("^python"))' live.json >watched.json
holds "its number, memory and threads" ".pid == $outer and .rss_bytes > 1000000 and .threads == 1 and (.ended | not)" watched.json
kill -KILL "$outer"
wait $recorder || true

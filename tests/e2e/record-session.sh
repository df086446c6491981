# SPDX-License-Identifier: MIT
# In a session of the user's own, which goes on by itself, nothing is recorded before --delay, and nothing after
# --duration or `stop`.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2

cat >busy.py <<'END'
import sys, time
# Large allocations for so many seconds, and when they began and ended, in ms of CLOCK_MONOTONIC.
begin = time.monotonic()
open("begun", "w").close()
while time.monotonic() < begin + float(sys.argv[1]):
    x = [bytearray(70000) for i in range(10)]
    time.sleep(0.01)
print(int(begin * 1000), int(time.monotonic() * 1000))
END

session_start 'dltrace_none:*'
# recorded NAME OPTION...: in a session of that name that has been started; how long after the program's begin its first
# event is, and how long before its end the last, in ms
recorded() {
	name=$1
	shift
	rm -f begun
	lttng -q create "$name" --output="$TMP/$name" >/dev/null
	lttng -q enable-channel -u own --session="$name"
	lttng -q start "$name"
	"$RECORD" -q --session="$name" "$@" -- /usr/bin/python3 busy.py 4 >span &
	recorder=$!
	until_so "$name: the program" test -e begun
	[ "$name" != stopped ] || { sleep 1; same "stop" stopped "$("$RECORD" --control $recorder stop)"; }
	wait $recorder || fail "$name: status of the command"
	lttng --no-sessiond list "$name" | grep -q '\[active\]' || fail "$name: the user's session was touched"
	lttng -q destroy "$name" >/dev/null
	events "$name" | sed -n 's/^\[\([0-9]*\)\] dltrace_heap:alloc.*/\1/p' | sort -n >times
	[ -s times ] || fail "$name: no heap events"
	read -r begin end <span
	first=$(($(head -n 1 times) / 1000000 - begin)) last=$((end - $(tail -n 1 times) / 1000000))
}
recorded whole
[ $first -lt 500 ] && [ $last -lt 500 ] || fail "without them: from $first ms on, until $last ms before the end"
recorded later --delay 2s
[ $first -gt 1000 ] && [ $last -lt 500 ] || fail "--delay: from $first ms on, until $last ms before the end"
recorded sooner --duration 1s
[ $first -lt 500 ] && [ $last -gt 1000 ] || fail "--duration: from $first ms on, until $last ms before the end"
recorded stopped
[ $first -lt 500 ] && [ $last -gt 1000 ] || fail "stop: from $first ms on, until $last ms before the end"
session_stop

# SPDX-License-Identifier: MIT
# A running recording is told to dump, to make a readable snapshot, to change its level, to stop;
# --delay, --duration, --max-size, --session and --print.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2

cat >busy.py <<'END'
import os, sys, time
# For so many seconds, or until there is a file of that name.
word = sys.argv[1]
open("begun", "w").close()
end = time.time() + (float(word) if word[0].isdigit() else 120)
while time.time() < end and not os.path.exists(word):
    x = [bytearray(70000) for i in range(50)]
    time.sleep(0.001)
END

"$RECORD" -q -l summary -o t -- /usr/bin/python3 busy.py enough &
recorder=$!
until_so "the command" test -e begun
child=$(cat /proc/$recorder/task/$recorder/children | tr ' ' '\n' | while read -r p; do
	case $(readlink "/proc/$p/exe") in *python3*) echo "$p" ;; esac; done || :)
until_so "a dump" sh -c '"$1" --control $2 dump | grep "^process $3 (python3): 1 thread, heap"' sh "$RECORD" $recorder "$child"
snapshot=$("$RECORD" --control "$child" snapshot)
babeltrace2 "$snapshot" >events || fail "the snapshot $snapshot cannot be read"
grep -q dltrace_sample:process events || fail "no samples in the snapshot"
! grep -q dltrace_heap: events || fail "heap events at summary"
same "level" "level calls" "$("$RECORD" --control $recorder level=calls)"
until_so "events" sh -c '"$1" --control $2 dump | grep "heap .*, [0-9]\{4,\} events"' sh "$RECORD" $recorder
same "stop" stopped "$("$RECORD" --control $recorder stop)"
exits 125 "$RECORD" --control $recorder nonsense
: >enough
wait $recorder || fail "status of the command"
events t >events
[ "$(grep -c dltrace_heap:alloc events)" -gt 100 ] || fail "no heap events after level=calls"
exits 125 "$RECORD" --control $$ dump  # which is not recorded

# refused WHAT REQUEST...: it is answered at once that nobody can answer it any more
refused() {
	echo "$1"
	shift
	for request in "$@"; do
		exits 125 timeout 20 "$RECORD" --control $recorder "$request"
		says '^the recording has ended$'
	done
}
# What a command does: it waits for the file `enough`, a minute at most; with a file `name` that is its name.
cat >waits <<'END'
: >begun
[ ! -e name ] || printf %s "$(cat name)" >/proc/$$/comm
for i in $(seq 600); do
	[ ! -e enough ] || exit 0
	sleep 0.1
done
END
# begin TRACE OPTION...: a recording of that
begin() {
	rm -f begun enough
	"$RECORD" -q -l summary -o "$@" -- sh waits 2>said &
	recorder=$!
	until_so "the command's begin" test -e begun
}

printf '\nerror \033[2J' >name
begin named
until_so "its name" sh -c '"$1" --control $2 dump 2>&1 | grep -F "[2J"' sh "$RECORD" $recorder
rm name
exits 0 "$RECORD" --control $recorder dump
grep -q '^process [0-9]* (?error ?\[2J): 1 thread' out || fail "a name in a dump: $(cat -v out)"
: >enough
wait $recorder || fail "a name: status of the command"

begin over --duration 500ms
keeper=$(pgrep -P $recorder -x dltrace-keeper)
until_so "the end of 500 ms" has_ended $keeper
refused "after --duration" snapshot level=calls
same "stop when it has stopped" stopped "$(timeout 20 "$RECORD" --control $recorder stop)"
kill -KILL $(pgrep -P $recorder -x dltrace-sampler)
until_so "the word that the sampler died" grep -q 'dltrace-sampler has died' said
refused "without a sampler" dump
: >enough
wait $recorder || fail "--duration: status of the command"

begin orphan
kill -KILL $(pgrep -P $recorder -x dltrace-keeper)
until_so "the word that the keeper died" test -s said
refused "without a keeper" snapshot level=calls stop
"$RECORD" --control $recorder dump >dump || fail "no dump without a keeper"
: >enough
wait $recorder || fail "without a keeper: status of the command"

# It dies while it is asked.
begin asked
keeper=$(pgrep -P $recorder -x dltrace-keeper)
kill -STOP $keeper
timeout 20 "$RECORD" --control $recorder snapshot >out 2>err &
asker=$!
sleep 0.5
kill -KILL $keeper
status=0
wait $asker || status=$?
same "the keeper dies while it is asked: status" 125 $status
: >enough
wait $recorder || fail "the keeper dies: status of the command"

# So does the sampler, of which another one is started; not after a stop, which then is the keeper's alone.
begin held
for request in dump stop; do
	until_so "a sampler" pgrep -P $recorder -x dltrace-sampler
	sampler=$(pgrep -P $recorder -x dltrace-sampler)
	kill -STOP $sampler
	timeout 20 "$RECORD" --control $recorder $request >out.$request 2>err &
	asker=$!
	sleep 0.5
	kill -KILL $sampler
	status=0
	wait $asker || status=$?
	echo $request $status
done >held.txt
same "the sampler dies while it is asked: status" "dump 125 stop 0" "$(echo $(cat held.txt))"
same "the sampler dies while it is asked to stop" stopped "$(cat out.stop)"
: >enough
wait $recorder || fail "the sampler dies: status of the command"

begin halt
sleep 1	# the keeper has seen it
kill -KILL $(pgrep -P "$(pgrep -P "$(pgrep -P $recorder -x dltrace-keeper)" -x lttng-sessiond)" -x lttng-consumerd)
until_so "the word that LTTng's daemon died" test -s said
exits 125 timeout 20 "$RECORD" --control $recorder snapshot
says 'daemon has died'
: >enough
wait $recorder || fail "without LTTng's daemon: status of the command"

# On a busy machine it may come late: then once more.
for try in 1 2 3 4 5; do
	rm -rf part
	"$RECORD" -q --delay 1s --duration 500ms -o part -- /usr/bin/python3 busy.py 2.5
	events part >events
	length=$(sed -n 's/.*sample:process:.* time = \([0-9]*\),.*/\1/p' events | sort -n | awk 'NR == 1 { a = $1 } { b = $1 } END { print int((b - a) / 1e6) }')
	[ "$length" -le 200 ] || [ "$length" -ge 1500 ] || break
done
[ "$length" -gt 200 ] && [ "$length" -lt 1500 ] || fail "--duration 500ms took $length ms"

cat >storm.py <<'END'
import time
end = time.time() + 4
while time.time() < end:
    x = [bytearray(70000) for i in range(50)]
END
"$RECORD" -q --max-size 16M -o small -- /usr/bin/python3 storm.py
size=$(du -sk small | cut -f1)
[ "$size" -lt 24000 ] || fail "--max-size 16M: $size KiB"
[ "$(ls small/archives | wc -l)" -gt 3 ] || echo "a slow machine: --max-size was not tried"
babeltrace2 small >events 2>errors || fail "--max-size: cannot be read"

# allocations BORDER: events of the trace `lower` that came before and after that moment, which /proc/uptime told
allocations() {
	events lower | sed -n 's/^\[\([0-9]*\)\] dltrace_heap:alloc.*/\1/p' |
		awk -v border="$1" '{ $1 / 1e9 < border ? before++ : after++ } END { print before + 0, after + 0 }'
}
for way in "" --in-process; do
	rm -rf lower begun enough
	"$RECORD" -q $way -o lower -- /usr/bin/python3 busy.py enough &
	recorder=$!
	until_so "$way: the command" test -e begun
	sleep 1
	same "a lower level" "level summary" "$("$RECORD" --control $recorder level=summary)"
	sleep 1
	border=$(cut -d ' ' -f 1 /proc/uptime)
	sleep 1
	: >enough
	wait $recorder || fail "$way: status of the command"
	set -- $(allocations "$border")
	[ "$1" -gt 100 ] && [ "$2" = 0 ] || fail "$way: $1 heap events before level=summary, $2 long after"
done

"$RECORD" --print -l summary -o x -- echo "it's" >commands
grep -q "^lttng enable-event --userspace --session=dltrace --channel=dltrace 'dltrace_sample:\*'$" commands || fail "$(cat commands)"
! grep -q dltrace_heap commands || fail "heap events at summary"
grep -q "^LD_PRELOAD=$DLTRACE_LIB echo 'it'.''s'$" commands || fail "$(tail -n 2 commands)"

"$RECORD" --print --session "it's mine" --debug=heap --sample 50ms -- true >commands
grep -qx "lttng start 'it'.''s mine'" commands || fail "a session's name: $(grep start commands)"
grep -qx "DLTRACE_SAMPLE=50ms DLTRACE_DEBUG=heap LD_PRELOAD=$DLTRACE_LIB true" commands || fail "$(tail -n 1 commands)"

session_start 'dltrace_none:*'
"$RECORD" -q --session test -- /usr/bin/python3 busy.py 1 || fail "--session"
lttng --no-sessiond list test | grep -q '\[active\]' || fail "the user's session was touched"
exits 125 "$RECORD" --require --session nowhere -- true
# The recording that --delay has put off cannot begin: the command runs already.
lttng -q create late --output="$TMP/late" >/dev/null
rm -f begun enough
"$RECORD" -q --session late --delay 5s -- sh waits 2>said &
recorder=$!
until_so "the command" test -e begun
lttng -q destroy late >/dev/null
until_so "a word that nothing is recorded" test -s said
grep -q '^dltrace-record: nothing is recorded: start: ' said || fail "--delay: $(cat said)"
: >enough
wait $recorder || fail "--delay: status of the command"
session_stop
events trace >events
grep -q 'dltrace_record:recording' events || fail "nothing in the user's session"
[ "$(grep -c dltrace_heap:alloc events)" -gt 100 ] || fail "no heap events in the user's session"

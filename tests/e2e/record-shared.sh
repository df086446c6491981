# SPDX-License-Identifier: MIT
# Root that may not make a mount namespace, as in a plain container, shares the machine's session daemon: recordings at
# the same time start one together, none takes it from the others, and the last one ends it, but no daemon of the user's.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2
need setpriv
[ "$(id -u)" = 0 ] && [ -n "$DLTRACE_TEST_ALONE" ] || skip "no /run/lttng of its own, or not root"

# without COMMAND...: as root without CAP_SYS_ADMIN
without() {
	exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$@"
}
# waits FILE STATUS NAME: what a command does; a minute at most
cat >waits <<'END'
: >"$3.begun"
for i in $(seq 600); do
	[ ! -e "$1" ] || exit "$2"
	sleep 0.1
done
END
# begin TRACE COMMAND...: recorded so
begin() {
	name=$1
	shift
	without "$RECORD" -q --require -o "$name" -- "$@" 2>"$name.err" &
}
# whole TRACE STATUS: up to the end of its command, and nothing was wrong. What another recording says is in it too.
whole() {
	same "$1: said" "" "$(cat "$1.err")"
	babeltrace2 "$1" >events || fail "$1 cannot be read"
	grep -q "dltrace_record:note:.*\"the command ended with status $2\"" events || fail "$1: no end"
}
daemons() {
	for pid in $(pgrep -x lttng-sessiond); do
		[ "$(readlink /proc/$pid/ns/mnt)" != "$(readlink /proc/self/ns/mnt)" ] || echo "$pid"
	done
}
no_daemons() {
	[ -z "$(daemons)" ]
}
(without unshare -m true) 2>/dev/null && skip "CAP_SYS_ADMIN cannot be given up"

begin short sh waits enough 0 short
short=$!
until_so "the first one" test -e short.begun
[ -n "$(daemons)" ] || fail "it is not the machine's daemon"
begin long sh waits over 7 long
long=$!
until_so "the second one" test -e long.begun
: >enough
wait $short || fail "short: status $?"
sleep 1
: >over
wait $long || same "long: status" 7 $?
whole short 0
whole long 7
same "daemons left" "" "$(daemons)"

for number in 1 2 3 4; do
	begin at-once-$number sh -c "sleep 0.5; exit $number"
done
wait
for number in 1 2 3 4; do
	whole at-once-$number $number
done
same "daemons left by four" "" "$(daemons)"

# Whose daemon dies is told, though another recording has started it.
rm -f enough
begin first sh waits enough 0 first
until_so "the first one" test -e first.begun
begin second sh waits enough 0 second
until_so "the second one" test -e second.begun
kill -KILL $(daemons)
until_so "the first one's word" grep -q "LTTng's session daemon has died" first.err
until_so "the second one's word" grep -q "LTTng's session daemon has died" second.err
begin third sh -c "exit 3"
until_so "another daemon" grep -q '^exit 3' third/recording
: >enough
wait
whole third 3
# Nor is one left that has lost its consumer daemon.
rm -f enough
begin halt sh waits enough 0 halt
until_so "one more" test -e halt.begun
sleep 1	# the keeper has seen it
kill -KILL $(pgrep -P "$(cat /run/lttng/lttng-sessiond.pid)" -x lttng-consumerd)
until_so "its word" grep -q "LTTng's consumer daemon has died" halt.err
: >enough
wait
same "daemons left without a consumer" "" "$(daemons)"

# The user's own, without a session; one that a recording has started, with the user's session.
lttng-sessiond --daemonize --no-kernel >/dev/null 2>&1
cp /run/lttng/lttng-sessiond.pid sessiond.pid
begin user true
wait $! || fail "user: status $?"
whole user 0
[ -n "$(daemons)" ] || fail "the user's daemon is gone"
kill "$(cat sessiond.pid)"
until_so "its end" no_daemons
begin user-too sh waits enough-too 0 user-too
recorder=$!
until_so "a recording" test -e user-too.begun
cp /run/lttng/lttng-sessiond.pid sessiond.pid
lttng -q create own --output="$TMP/own" >/dev/null
: >enough-too
wait $recorder || fail "user-too: status $?"
lttng --no-sessiond list own >/dev/null || fail "the user's session is gone"

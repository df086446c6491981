# SPDX-License-Identifier: MIT
# Who records does not wait for the CPU longer than what is recorded: they are in one session, by which Linux divides CPU
# time, and in process groups of their own, so that what is typed is for the command.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond

cat >waits <<'END'
: >begun
for i in $(seq 600); do
	[ ! -e enough ] || exit 0
	sleep 0.1
done
END
# field PID NUMBER: of /proc/PID/stat, whose 5th is the process group and 6th the session
field() {
	sed 's/.*)/- -/' "/proc/$1/stat" | cut -d ' ' -f "$2"
}

"$RECORD" -q -o t -- sh waits &
recorder=$!
until_so "the command" test -e begun
for name in dltrace-keeper dltrace-sampler lttng-sessiond lttng-consumerd; do
	found=$(below $recorder $name)
	[ "$found" ] || fail "no $name"
	for pid in $found; do
		same "$name: session" "$(field $recorder 6)" "$(field $pid 6)"
		[ "$(field $pid 5)" != "$(field $recorder 5)" ] || fail "$name is in the recorder's process group"
	done
done
: >enough
wait $recorder || fail "status $?"

# What a daemon leaves behind (that of a killed one waits for it for ever) ends with the recording.
printf '#!/bin/sh\nsleep 1000 &\nprintf %%s $! >%s/left\nexec %s "$@"\n' "$TMP" "$(command -v lttng-sessiond)" >leaves
chmod +x leaves
LTTNG_SESSIOND_PATH=$TMP/leaves "$RECORD" -q -o left.trace -- true || fail "status $?"
is_over() {
	[ ! -e "/proc/$1" ] || grep -q ') Z ' "/proc/$1/stat"
}
until_so "the end of what the daemon left" is_over "$(cat left)"

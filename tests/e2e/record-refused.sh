# SPDX-License-Identifier: MIT
# dltrace-record in sandboxes that refuse system calls: it ends as the command does, and says what it could not do.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need pkill

"$APPS/refused" kill true || skip "the kernel has no filters for system calls"

# refused NAME: records a command there
refused() {
	echo "$1"
	exits 3 timeout -s KILL 60 setsid -w sh -c 'echo $$ >session; exec "$@"' sh \
		"$APPS/refused" "$1" "$RECORD" -o "$1" -- sh -c 'echo done; exit 3'
	same "$1: output" done "$(cat out)"
}

# Whoever refuses that refuses it to LTTng's daemons, too: they cannot end each other.
refused kill
pkill -KILL -s "$(cat session)" || :
"$REPORT" kill >report || [ $? = 1 ] || fail "no report"

refused waitid
says ' 0 lost'
"$REPORT" waitid >report || fail "no report"

refused timers
says 'nothing was recorded: LTTng took no event'

# SPDX-License-Identifier: MIT
# dltrace-record in a sandbox that lets nobody send signals: it cannot end its helpers, and ends all the same.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need pkill

"$APPS/refused" kill true || skip "the kernel has no filters for system calls"
exits 3 timeout -s KILL 60 setsid -w sh -c 'echo $$ >session; exec "$@"' sh \
	"$APPS/refused" kill "$RECORD" -o t -- sh -c 'exit 3'
pkill -KILL -s "$(cat session)" || :	# LTTng's daemons cannot end each other either
"$REPORT" t >report || [ $? = 1 ] || fail "no report"

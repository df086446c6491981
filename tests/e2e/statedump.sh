# SPDX-License-Identifier: MIT
# In a recorder's own session LTTng-UST does not read all libraries' section headers to say where they
# lie, which nobody asks for there; the program's environment shows nothing of it. In a session of
# one's own LTTng says it as ever.
. "$top_srcdir/tests/lib.sh"
need babeltrace2

# told VARIABLE=VALUE: sets `count`, of how many libraries LTTng tells the places
told() {
	rm -rf "$TMP/trace"
	session_start 'dltrace_proc:*' 'lttng_ust_statedump:*'
	env "$@" LD_PRELOAD="$DLTRACE_LIB" sleep 0.5
	session_stop
	count=$(babeltrace2 "$TMP/trace" | grep -c 'lttng_ust_statedump:bin_info' || :)
}
told DLTRACE_STATEDUMP=on
[ "$count" -gt 3 ] || fail "a session of one's own is not told where libraries lie: $count"
told DLTRACE_STATEDUMP=off
same "libraries told of in silence" 0 "$count"

"$RECORD" -q -o trace-own -- env >environment
grep -q '^DLTRACE_STATEDUMP=off$' environment || fail "dltrace-record does not ask for silence"
! grep LTTNG_UST environment || fail "the program sees how"

# SPDX-License-Identifier: MIT
# LTTng-UST does not read all libraries' section headers to say where they lie, which nobody asks for; the
# program's environment shows nothing of it. It says it as ever to who asks, and in a program with an LTTng
# of its own.
. "$top_srcdir/tests/lib.sh"
need babeltrace2

# told PRELOAD [VARIABLE=VALUE]: sets `count`, of how many libraries LTTng tells the places
told() {
	preload=$1
	shift
	rm -rf "$TMP/trace"
	session_start 'dltrace_proc:*' 'lttng_ust_statedump:*'
	env "$@" LD_PRELOAD="$preload" sleep 0.5
	session_stop
	babeltrace2 "$TMP/trace" >text
	grep -q 'dltrace_proc:exit' text || fail "no trace of $preload $*"
	count=$(grep -c 'lttng_ust_statedump:bin_info' text || :)
}
told "$DLTRACE_LIB"
same "libraries told of in silence" 0 "$count"
told "$DLTRACE_LIB" DLTRACE_STATEDUMP=on
[ "$count" -gt 3 ] || fail "who asks is not told where libraries lie: $count"
told "liblttng-ust.so.1:$DLTRACE_LIB"		# in this order ours is initialised first
[ "$count" -gt 3 ] || fail "a program with LTTng of its own is not told where libraries lie: $count"

env LD_PRELOAD="$DLTRACE_LIB" env >environment
! grep LTTNG_UST environment || fail "the program sees how"

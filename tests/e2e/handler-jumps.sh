# SPDX-License-Identifier: MIT
# A thread that a signal's handler throws out of the middle of an event, by siglongjmp, goes on being traced, and the
# trace is whole; a handler on a stack of its own that makes events and returns disturbs nothing.
. "$top_srcdir/tests/lib.sh"

echo data >last
for way in jump jump-apart return-apart; do
	rm -rf trace
	DLTRACE_DEBUG=guard timeout 60 "$RECORD" -q --require -o trace -- "$APPS/handler_jumps" $way >said 2>errors || fail "$way: status $?"
	same "$way" "3000 signals" "$(cat said)"
	left=$(grep -c 'guard: left by a jump' errors || :)
	case $way in
	jump*) [ "$left" -gt 0 ] || fail "$way: no event was left in its middle" ;;
	*) same "$way: events said to be left" 0 "$left" ;;
	esac
	"$REPORT" --dump trace >dump || fail "$way: the trace is damaged"
	same "$way: opened at the end" 500 "$(grep 'dltrace_file:open .*path=' dump | tail -n 500 | grep -c "$(sed -n 's/.*dltrace_file:open .*\( path=[^ ]*\) .*/\1/p' dump | tail -n 1)")"
done

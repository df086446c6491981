# SPDX-License-Identifier: MIT
# A trace's folder that somebody moves while it is recorded is complete where it is then, and the last line says where;
# of one that is removed, or the part of it that LTTng writes, nothing is left, which is said even with -q.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond

# recorded OPTION...: a second of a program, in the background
recorded() {
	rm -f begun
	"$RECORD" "$@" -- sh -c ': >begun; sleep 1; exit 3' 2>err &
	until_so "the command runs" test -e begun
}
ended() {
	status=0
	wait $! || status=$?
	same "the command's status" 3 $status
	says_one_line
}
recorded -o before
mv before after
ended
says "^dltrace-record: $PWD/after: [0-9.]* s, .* 0 lost, [0-9.]* KiB$"
"$REPORT" after >report 2>problems || fail "a moved one cannot be read: $(cat problems)"
same "problems" "" "$(cat problems)"
[ ! -e before ] || fail "something was made where it was: $(find before)"

recorded -q -o removed
rm -r removed
ended
says "^dltrace-record: nothing is left of the trace: $PWD/removed was removed while it was recorded$"

recorded -o emptied
rm -r emptied/ust
ended
says "^dltrace-record: nothing is left of the trace: what LTTng had written into $PWD/emptied was removed while it was recorded$"
exits 4 "$REPORT" emptied
says_one_line
says 'path=emptied: what LTTng had written here was removed while it was recorded'

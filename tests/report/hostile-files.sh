# SPDX-License-Identifier: MIT
# A FIFO in a trace's folder, whatever its name, keeps nobody waiting.
. "$top_srcdir/tests/lib.sh"
# answers NAME...: dltrace-report ends with that status on a folder with an empty `metadata` and such FIFOs
answers() {
	rm -rf folder
	mkdir folder
	: >folder/metadata
	wanted=$1
	shift
	for name in "$@"; do
		rm -f "folder/$name"
		mkfifo "folder/$name"
	done
	for source in auto fast babeltrace2; do
		status=0
		timeout -k 5 20 "$REPORT" -q --source $source folder >out 2>err || status=$?
		[ $status != 124 ] && [ $status != 137 ] || fail "$*: it waits for ever ($source)"
		same "$*: status ($source)" "$wanted" $status
	done
}
answers 4 recording
answers 4 labels
answers 4 metadata
answers 4 stream_0
answers 4 recording labels stream_0 index
# A file without an end that is no text.
status=0
(ulimit -v 2000000; timeout -k 5 20 "$REPORT" /dev/zero >out 2>err) || status=$?
same "/dev/zero" 4 $status
grep -q "^dltrace-report: .*not a trace" err || fail "/dev/zero: $(cat err)"
# Nor one without an end that is.
status=0
(ulimit -v 2000000; yes | timeout -k 5 20 "$REPORT" /dev/stdin >out 2>err) || status=$?
same "yes" 4 $status
grep -q "^dltrace-report: .*not a trace" err || fail "yes: $(cat err)"

# A FIFO as the trace: one that nobody writes to is given up, one whose writer is slow is waited for, one that has
# nothing to say is empty.
mkfifo pipe
exits 4 timeout -k 5 30 "$REPORT" pipe
says_one_line
says "^dltrace-report: .*path=pipe: nobody writes to it"
cat >text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 threshold=64K begin=1s host="h" exe="/usr/bin/python3"
[9s] dltrace_proc:exit process=1 how=0 code=0
END
"$REPORT" text >wanted
(sleep 1; head -c 40 text; sleep 7; tail -c +41 text) >pipe &
"$REPORT" pipe >out || fail "a slow writer"
sed 's/\<text\>/pipe/g' wanted | cmp - out || fail "a slow writer: $(diff wanted out)"
wait
(sleep 7; cat text) | "$REPORT" /dev/stdin >out || fail "a slow pipe"
status=0
: | "$REPORT" /dev/stdin >out 2>err || status=$?
same "an empty pipe" 4 $status

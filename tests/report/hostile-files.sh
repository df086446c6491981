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

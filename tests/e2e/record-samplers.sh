# SPDX-License-Identifier: MIT
# dltrace-sampler is killed each time that it is started again: the command goes on, and the user and the report are told
# that the recording has come to an end.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq

"$RECORD" -q --children all -o t -- sh -c 'until [ -e go ]; do sleep 0.1; done; echo done; exit 3' >out 2>err &
recorder=$!
kill_sampler() {
	for pid in $(below $recorder dltrace-sampler); do
		kill -KILL $pid || :
	done
	grep -q 'died too often' err
}
until_so "the last sampler's end" kill_sampler
touch go
status=0
wait $recorder || status=$?
same "status" 3 $status
same "output" done "$(cat out)"
says_one_line
says '^dltrace-record: dltrace-sampler has died too often: no more samples, and no more events$'
status=0
"$REPORT" -q -f json -o report.json t 2>err || status=$?
if [ $status = 4 ]; then	# there is nothing of the time before the first one died
	says 'dltrace-sampler has died too often'
else
	same "the report's status" 1 $status
	holds "what ended the recording" '.limits | any(.kind == "stopped" and (.text | test("dltrace-sampler has died too often")))'
fi

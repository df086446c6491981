# SPDX-License-Identifier: MIT
# dltrace-sampler is killed each time that it is started again: the command goes on, and the user and the report are told
# that the recording has come to an end. One that died once is followed by another, which knows what it has counted.
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

echo "one that has died is followed by one that goes on with its counts: all that the trace has, and no less"
cat >kids.sh <<'END2'
kids() { for i in 1 2 3 4 5 6 7 8 9 10; do sh -c 'exit 0'; done; }
kids
touch halfway
until [ -e go ]; do sleep 0.1; done
kids
END2
rm -f go
"$RECORD" --children all -o counted -- sh kids.sh 2>err &
recorder=$!
until_so "the first half" test -e halfway
sleep 0.5	# all of them are known to have ended
kill -KILL $(below $recorder dltrace-sampler)
until_so "another sampler" grep -q '^note 1 sampler .* was started again' counted/recording
touch go
wait $recorder
says_one_line
says ' events, 0 lost, '
"$REPORT" -q -f json -o report.json counted
same "events that the trace has" "$(sed -n 's/^events //p' counted/recording)" "$(jq '.traces[0].events' report.json)"

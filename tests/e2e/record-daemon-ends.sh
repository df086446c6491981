# SPDX-License-Identifier: MIT
# LTTng's consumer daemon is killed before it has written anything, and around the end of a recording, where the keeper
# may have no time to see it: the last line says that nothing is lost only where the trace has all that was emitted.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq
[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"

cat >program.py <<'END2'
import os, time
open("begun", "w").close()
while not os.path.exists("go"):
    bytearray(100000)
raise SystemExit(3)
END2

# recorded NAME: in the background; its consumer daemon is $consumer
recorded() {
	rm -f begun go
	"$RECORD" -o $1 -- /usr/bin/python3 program.py 2>err &
	recorder=$!
	until_so "the command runs" test -e begun
	consumer=$(below $recorder lttng-consumerd)
	[ -n "$consumer" ] || fail "no consumer daemon below the recorder"
}
ended() {
	status=0
	wait $recorder || status=$?
	same "the command's status" 3 $status
}
# claims_nothing: of a recording whose consumer daemon is known to have died
claims_nothing() {
	says "^dltrace-record: LTTng's consumer daemon has died, recording has stopped"
	says '^dltrace-record: /.* events, \(not known how many are\|at least [0-9,]*\) lost, '
	! grep -q '^lost 0$' $1/recording || fail "$1: the label says that nothing is lost"
}

recorded begin
kill -KILL $consumer
until_so "the word that it died" grep -q "has died" begin/recording
touch go
ended
claims_nothing begin
status=0
"$REPORT" begin >report 2>err || status=$?
[ $status = 1 ] || [ $status = 4 ] || fail "the report's status: $status"
says "LTTng's consumer daemon has died, recording has stopped"

for delay in 0 0.01 0.02 0.04 0.06 0.08 0.1 0.12 0.14 0.16 0.2; do
	recorded end$delay
	sleep 0.5
	touch go
	sleep $delay
	kill -KILL $consumer 2>/dev/null || :
	ended
	if grep -q 'consumer daemon has died' err; then
		claims_nothing end$delay
		continue
	fi
	says ', 0 lost, '
	"$REPORT" -q -f json -o report.json end$delay || [ $? = 1 ]
	holds "all events, killed after $delay s" ".traces[0].events >= $(sed -n 's/^events //p' end$delay/recording)"
done

# SPDX-License-Identifier: MIT
# A process says its rank when it starts, and so does its forked child; dltrace-record says it again.
. "$top_srcdir/tests/lib.sh"
need jq

DLTRACE_SAMPLE=50ms OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=0 \
	"$RECORD" -q -o 'run-%r' -- /usr/bin/python3 -c '
import os, time
if os.fork() == 0:
    os._exit(0)
os.wait()
time.sleep(0.3)' || fail "status $?"
[ -d run-1 ] || fail "%r is not the rank: $(ls)"
"$REPORT" -q -o report.json run-1
holds "the program and its child are rank 1" '[.processes[] | [.rank, .ranks, .local_rank]] == [[1, 4, 0], [1, 4, 0]]'
"$REPORT" -q --dump run-1 | grep 'dltrace_proc:process .*reason=3' >again || fail "nothing is said again"
! grep -v 'rank=1 ranks=4 local_rank=0' again || fail "said again with another rank"

"$RECORD" -q -o alone -- true
"$REPORT" -q -o report.json alone
holds "no rank" '[.processes[] | .rank, .ranks, .local_rank] == [null, null, null]'

# TensorFlow has no launcher: TF_CONFIG tells, to each of its tasks.
tensorflow() {
	rm -rf tf
	TF_CONFIG="$1" "$RECORD" -q -o tf -- true
	"$REPORT" -q -o report.json tf
	same "rank by $1" "$2" "$(jq -c '[.processes[0] | .rank, .ranks, .local_rank]' report.json)"
}
workers='"worker": ["a:1", "b:1", "c:2"]'
tensorflow "{\"cluster\": {$workers}, \"task\": {\"type\": \"worker\", \"index\": 2}}" '[2,3,null]'
tensorflow "{\"task\":{\"index\":\"1\",\"type\":\"worker\"},\"cluster\":{\"chief\":[\"a:1\"],$workers}}" '[2,4,null]'
tensorflow "{\"cluster\":{\"chief\":[\"a:1\"],$workers},\"task\":{\"type\":\"chief\",\"index\":0}}" '[0,4,null]'
tensorflow "{\"cluster\": {$workers}, \"task\": {\"type\": \"ps\", \"index\": 0}}" '[null,null,null]'
tensorflow "{\"cluster\": {$workers}, \"task\": {\"type\": \"worker\", \"index\": 3}}" '[null,null,null]'
tensorflow '{"cluster": {"worker": ["a' '[null,null,null]'

# SPDX-License-Identifier: MIT
# --relay: the trace goes over the network to a real lttng-relayd, and is as complete there as on disk.
. "$top_srcdir/tests/lib.sh"
need jq
need lttng-relayd

port=$((20000 + $$ % 10000 * 3))
lttng-relayd --output="$TMP/collected" --control-port=tcp://127.0.0.1:$port --data-port=tcp://127.0.0.1:$((port + 1)) \
	--live-port=tcp://127.0.0.1:$((port + 2)) >relayd 2>&1 &
relayd=$!
trap 'kill $relayd 2>/dev/null || :' EXIT
for i in $(seq 600); do
	bash -c ": </dev/tcp/127.0.0.1/$port" 2>/dev/null && break
	sleep 0.1
done

status=0
timeout 60 "$RECORD" --label net=small --label 'note=a b' \
	--relay net://127.0.0.1:$port:$((port + 1)) -- "$APPS/threads" >out 2>err || status=$?
same "status of the command" 0 $status
holds_text() { grep -q "$2" "$3" || fail "$1: $(cat "$3")"; }
holds_text "the last line says where" "net://127.0.0.1:$port" err
holds_text "nothing was lost" ", 0 lost" err
timeout 60 "$REPORT" collected/* -o r.json
holds "the command is there" 'any(.processes[]; .name == "threads" and .exit.status == 0)' r.json
holds "labels and end came over the network" \
	'.runs[0].labels == {net: "small", note: "a b"} and .runs[0].failed == 0 and .traces[0].exit.status == 0' r.json
holds "nothing is missing" '.traces[0].lost == 0 and .traces[0].events > 10' r.json

# Nobody listens: said in one line, and the command runs all the same.
kill $relayd; wait $relayd || :
status=0
timeout 60 "$RECORD" --relay net://127.0.0.1:$port:$((port + 1)) -- sh -c 'echo ran; exit 3' >out 2>err || status=$?
same "status without a relay daemon" 3 $status
same "it ran" ran "$(cat out)"
same "one line" 1 "$(grep -c . err)"
says "cannot connect to lttng-relayd at net://127.0.0.1:$port:.* (is it running?)"

# SPDX-License-Identifier: MIT
# A rotation that LTTng's consumer daemon did not live to end leaves the trace in a folder with a name of LTTng's own.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq

exits 3 "$RECORD" -q -o whole -- sh -c 'exit 3'
cp -r whole left
mkdir left/.tmp_old_chunk left/.hidden
mv left/ust left/.tmp_old_chunk
cp -r left/.tmp_old_chunk/ust left/.hidden
for source in fast babeltrace2; do
	for trace in whole left; do
		"$REPORT" --source=$source -q -f json -o $trace.json $trace || fail "$source: $trace cannot be read"
	done
	same "$source: events" "$(jq '.traces[0].events' whole.json)" "$(jq '.traces[0].events' left.json)"
	same "$source: processes" "$(jq -c '.processes' whole.json)" "$(jq -c '.processes' left.json)"
done

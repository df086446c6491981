# SPDX-License-Identifier: MIT
# What threads have noted is in the trace, too, when the level is lowered before they pass it on: nothing is missing.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond

cat >calm.py <<'END'
import time
end = time.time() + 3
while time.time() < end:
    x = [bytearray(70000) for i in range(10)]
    time.sleep(0.01)
END
# Several times: it is a matter of which moment it is.
for way in "" "" "" "" "" --in-process; do
	rm -rf lower
	"$RECORD" -q $way -o lower -- /usr/bin/python3 calm.py &
	recorder=$!
	until_so "$way: the recording" grep -qs '^command' lower/recording
	sleep 1
	same "$way: a lower level" "level summary" "$("$RECORD" --control $recorder level=summary)"
	wait $recorder || fail "$way: status of the command"
	exits 0 "$REPORT" lower
	same "$way: what the report misses" "" "$(cat err)"
done

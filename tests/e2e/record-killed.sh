# SPDX-License-Identifier: MIT
# Processes killed in the middle of events: the end does not hang, what comes after them on the
# same CPUs is recorded, and what was emitted is read or counted as lost.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2
need jq

cat >after.py <<'END'
import os
for cpu in sorted(os.sched_getaffinity(0))[:2]:
    os.sched_setaffinity(0, {cpu})
    for i in range(3000): x = bytearray(75000)
END
for round in 1 2 3; do
	"$RECORD" -q --children all -o t$round -- sh -c '"$1" 5'$round'; "$1" 9'$round'; /usr/bin/python3 after.py; date +%s >ended' sh "$APPS/storm"
	[ $(($(date +%s) - $(cat ended))) -lt 20 ] || fail "the end took too long"
	babeltrace2 t$round >/dev/null 2>errors || fail "cannot be read: $(tail -n 5 errors)"
	events t$round >events
	read=$(grep -c ' dltrace_' events)
	emitted=$(sed -n 's/^events //p' t$round/recording)
	"$REPORT" -q -f json -o report.json t$round || [ $? = 1 ]
	lost=$(jq '.traces[0].lost' report.json)
	echo "emitted $emitted, lost $lost, read $read"
	difference=$((emitted - lost - read))
	# Samples that are lost are the recorder's own events: no process misses them.
	[ $difference -ge -20 ] && [ $difference -le 150 ] || fail "emitted $emitted, lost $lost, read $read"
	[ "$lost" != 0 ] || same "allocations after the kills" $((3000 * ($(nproc) > 1 ? 2 : 1))) "$(grep -c 'heap:alloc:.* size = 750[0-9]*,' events)"
done

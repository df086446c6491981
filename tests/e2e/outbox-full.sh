# SPDX-License-Identifier: MIT
# A full /dev/shm: a child whose box finds no room there, while its parent's outbox has none either, runs on. What it
# would have said is lost, in the count of no process, and told.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq
[ "$(id -u)" = 0 ] || skip "needs root"

export DLTRACE_CHILDREN=all
# The recorder's eyes are closed, so that nobody takes anything out of the outbox, and opened at the end.
cat >stopped.sh <<'END'
sampler=$(pgrep -P $PPID -x dltrace-sampler)
kill -STOP "$sampler"
"$APPS/no_room" /dev/shm/fill
status=$?
kill -CONT "$sampler"
exit $status
END
unshare -m sh -c 'mount -t tmpfs -o size=64M none /dev/shm 2>/dev/null || exit 77
	"$RECORD" --require -o trace -- sh stopped.sh >status 2>said' || { [ $? = 77 ] && skip "no mount"; fail "$(cat said)"; }
same "the child's exit status" 7 "$(cat status)"
"$REPORT" -q -f json -o report.json trace || [ $? = 1 ] || fail "status $?"
lost=$(jq '.traces[0].lost' report.json)
[ "$lost" -gt 1 ] || fail "lost: $lost"
grep -q " $lost lost" said || fail "the recorder's last line says otherwise than $lost: $(cat said)"
same "of the parent, as its box counts them" $((lost - 1)) "$(jq '[.limits[] | select(.kind == "lost" and .process != null) | .value] | add' report.json)"
holds "of nobody" '[.limits[] | select(.kind == "lost" and .process == null) | .value] == [1]'
holds "the child is in no count" '[.processes[] | select(.name == "no_room")] | length == 1'
holds "how its parent ended" '[.processes[] | select(.name == "no_room") | .exit.status] == [0]'
! "$REPORT" -q --verify trace >verify.txt || fail "verified: $(cat verify.txt)"

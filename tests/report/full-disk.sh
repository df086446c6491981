# SPDX-License-Identifier: MIT
# A full disk: one line that says so, what was there before stays, nothing half-written is left.
. "$top_srcdir/tests/lib.sh"
training=$top_srcdir/tests/report/training.txt

exits 5 "$REPORT" "$training" -f json -o /dev/full
same "stderr" "dltrace-report: cannot write /dev/full: No space left on device" "$(cat err)"
status=0
"$REPORT" "$training" >/dev/full 2>err || status=$?
same "exit status with standard output full" 5 $status
same "stderr" "dltrace-report: cannot write standard output: No space left on device" "$(cat err)"
exits 5 "$REPORT" "$training" -o no/such/folder.json

unshare -m true 2>/dev/null || skip "no right to mount"
mkdir small
export training
unshare -m sh -eu -c '
	mount -t tmpfs -o size=8k none small
	echo before >small/r.json
	status=0
	"$REPORT" "$training" -o small/r.json -o good.json 2>err || status=$?
	echo $status >status
	cat small/r.json >after
	ls -A small >listing'
same "exit status with a full tmpfs" 5 "$(cat status)"
same "stderr" "dltrace-report: cannot write small/r.json: No space left on device" "$(cat err)"
same "the file before" before "$(cat after)"
same "what is in the folder" r.json "$(cat listing)"
[ -s good.json ] || fail "the other output is missing"

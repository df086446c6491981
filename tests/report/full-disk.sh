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

# Of a folder that is written while the traces are read: neither metadata without a stream nor what is left of one.
awk 'BEGIN {
	print "dltrace-text 1"
	print "[1s] dltrace_proc:process process=1 pid=100 begin=1s host=\"h\""
	print "[1s] dltrace_proc:function function=malloc layer=\"heap\" name=\"malloc\""
	for (i = 0; i < 6000; i++)
		printf "[%dus] dltrace_heap:alloc thread=1 function=malloc size=64K ptr=0x1000\n", 2000000 + i
}' >heap.txt
unshare -m sh -eu -c '
	mount -t tmpfs -o size=64k none small
	status=0
	"$REPORT" heap.txt -o small/r.ctf 2>err || status=$?
	echo $status >status
	find small >listing
	mount -o remount,size=1m small
	"$REPORT" heap.txt -o small/r.ctf
	cat small/r.ctf/ust/* | cksum >before
	mount -o remount,size=400k small
	"$REPORT" heap.txt -o small/r.ctf 2>/dev/null || cat small/r.ctf/ust/* | cksum >after
	ls -A small/r.ctf small/r.ctf/ust >listing2'
same "a full tmpfs: exit status of a folder" 5 "$(cat status)"
same "what is in it" small "$(cat listing)"
same "the stream before" "$(cat before)" "$(cat after)"
! grep -q '^\.' listing2 || fail "left: $(cat listing2)"

# SPDX-License-Identifier: MIT
# A box that cannot be a file is private memory: the program runs on and sees nothing of it.
. "$top_srcdir/tests/lib.sh"

# run WHAT COMMAND...: with DLTRACE_BOX as set; the output of dltrace's own log is in `log`
run() {
	what=$1
	shift
	DLTRACE_DEBUG=box LD_PRELOAD=$DLTRACE_LIB "$@" 2>log || fail "$what: status $?: $(cat log)"
}

boxes
run "a folder" "$APPS/heap_edge" large
grep -q 'box: file' log || fail "not a file: $(cat log)"
same "mode" 600 "$(stat -c %a "$DLTRACE_BOX"/*.box)"
same "left under a dot name" 0 "$(ls -A "$DLTRACE_BOX" | grep -c '^\.' || :)"

DLTRACE_BOX=$TMP/none
run "no folder" "$APPS/heap_edge" large
grep -q 'box: private .*folder of boxes' log || fail "cause: $(cat log)"

boxes
(ulimit -f 100; run "RLIMIT_FSIZE" "$APPS/heap_edge" large)
grep -q 'box: private RLIMIT_FSIZE' log || fail "cause: $(cat log)"

# A full file system: growth is refused, later threads share the late slot, no SIGBUS. And a box takes no more of
# it than it needs. The same before Linux 5.14, which has no MADV_POPULATE_WRITE.
[ "$(id -u)" = 0 ] || skip "the rest needs root"
mkdir small

# full COMMAND...
full() {
	unshare -m sh -eu -c '
		room() {
			umount small 2>/dev/null || :
			mount -t tmpfs -o size=$1 none small 2>/dev/null || exit 77
			head -c 4 /dev/zero >small/ids
			chmod 600 small/ids
		}
		export DLTRACE_DEBUG=box DLTRACE_BOX=$PWD/small
		room 8k
		"$@" env LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_edge" large 2>log
		room 24k
		"$@" env LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_many" 200 2>log2
		"$APPS/box_totals" small/*.box >totals
		room 64m
		"$@" env LD_PRELOAD=$DLTRACE_LIB "$APPS/ends" many 8 >/dev/null 2>&1
		stat -c %b small/*.box >blocks
	' sh "$@" || { [ $? = 77 ] && skip "no mount"; fail "a full /dev/shm $*"; }
	grep -q 'box: private no room' log || fail "no room: $(cat log)"
	grep -q 'box: file' log2 || fail "some room: $(cat log2)"
	# 200 threads at once, each with 100 blocks of 1,000 bytes alive at the end, and what they are made of
	awk '{ for (i = 1; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] } }
		END { exit !(v["live"] >= 20000000 && v["live"] < 21500000) }' totals || fail "late slot: $(cat totals)"
	same "boxes" 9 "$(wc -l <blocks)"
	awk '{ n += $1 } END { exit !(n * 512 < 9 * 100000) }' blocks || fail "room taken, in blocks: $(paste -s blocks)"
}
full
"$APPS/refused" populate_write true || skip "the kernel has no filters for system calls"
full "$APPS/refused" populate_write

# A forked child whose box finds some room, and not enough for the names that its parent knows.
mkdir shm
unshare -m sh -eu -c '
	mount -t tmpfs -o size=1m none shm || exit 77
	head -c 4 /dev/zero >shm/ids
	chmod 600 shm/ids
	for left in 0 4 8 12 16 20 24 32 64; do
		DLTRACE_BOX=$PWD/shm LD_PRELOAD=$DLTRACE_LIB "$APPS/fork_full" shm $left >said || { echo "$left KiB: $(cat said)"; exit 1; }
		rm -f shm/filler shm/*.box
	done
' >why || { [ $? = 77 ] && skip "no mount"; fail "a forked child and little room: $(cat why)"; }

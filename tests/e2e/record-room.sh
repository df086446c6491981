# SPDX-License-Identifier: MIT
# Where there is no room: a full disk, a small /dev/shm. The command never notices; the trace
# says what happened and can be read.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2
need unshare
unshare -m true 2>/dev/null || skip "no mount namespaces"

cat >busy.py <<'END'
import sys, time
# So many seconds; or until the label of its recording says that the disk is full, and a second more.
label = "disk/t/recording" if sys.argv[1] == "full" else None
end = time.time() + (120 if label else float(sys.argv[1]))
while time.time() < end:
    for i in range(2000):
        x = bytearray(70000)
    if label and "\nnote 2 disk " in open(label).read():
        end = time.time() + 1
        label = None
print("done")
END

# SIZE SECONDS|full [FILL]: on a disk of SIZE, which something else fills as soon as room is set aside for the metadata:
# had it found none for them, LTTng would write none any more, and hang (2.13)
cat >disk.sh <<'END'
mkdir -p disk && mount -t tmpfs -o "size=$1" none disk
"$RECORD" $QUIET -o disk/t -- /usr/bin/python3 busy.py "$2" >out 2>err &
if [ "$3" ]; then
	for i in $(seq 2000); do
		sleep 0.01
		set_aside=$(stat -c %b disk/t/ust/uid/*/*-bit/metadata 2>stat.err) || set_aside=0
		[ "$set_aside" -lt 512 ] || break
	done
	head -c "$1" /dev/zero >disk/other 2>disk.err
fi
wait $! || exit 3
# Others may fill it in the middle of a packet, and babeltrace2 (2.0) refuses a trace whose last one is cut.
babeltrace2 disk/t >events 2>bt.err || [ "$3" ] || exit 4
"$APPS/read_trace" disk/t fast dump >unpacked
"$REPORT" -q disk/t >report.txt 2>report.err
report=$?
cp disk/t/recording . && df disk | tail -n 1
exit $report
END
# disk STATUS SIZE SECONDS|full [FILL]: and the report's status
disk() {
	local status=0
	unshare -m sh -u disk.sh "$2" "$3" "${4:-}" || status=$?
	[ $status = $1 ] || fail "status $status: $(cat err bt.err report.err)"
	same "output" done "$(cat out)"
}
stopped() {
	grep -q 'no space left' err || fail "nothing said: $(cat err)"
	grep -q '^note 2 disk ' recording || fail "not in the label"
}

echo "a disk of 12 MB: a problem is said with -q, too"
export QUIET=-q
disk 0 12M 2
grep -q '^dltrace-record: less than 64 MiB are free in .*disk/t: totals are recorded, no events' err || fail "$(cat err)"
grep -q '^level summary$' recording || fail "the label: $(cat recording)"
grep -q 'dltrace_sample:process' events || fail "no totals"
same "events" 0 "$(grep -c dltrace_batch events)"

echo "a large disk of which little is left, and a file system that does not say how large it is"
cat >statvfs.c <<'END'
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>
int statvfs(const char *path, struct statvfs *fs)
{
	const char *all = getenv("STATVFS_ALL"), *free = getenv("STATVFS_FREE");	/* MiB */
	if (access(path, F_OK) < 0)
		return -1;
	*fs = (struct statvfs){ .f_bsize = 4096, .f_frsize = 4096 };
	fs->f_blocks = strtoul(all, NULL, 10) << 8;
	fs->f_bfree = fs->f_bavail = strtoul(free, NULL, 10) << 8;
	return 0;
}
END
gcc -shared -fPIC -o statvfs.so statvfs.c
# large ALL FREE LEVEL
large() {
	STATVFS_ALL=$1 STATVFS_FREE=$2 LD_PRELOAD=$TMP/statvfs.so "$RECORD" -q -o "large-$1-$2" -- /usr/bin/python3 busy.py 1 >out 2>err
	! grep -q 'no space left' err || fail "$2 of $1 MiB: $(cat err)"
	grep -q "^level $3\$" "large-$1-$2/recording" || fail "$2 of $1 MiB: $(cat "large-$1-$2/recording")"
}
# /dev/shm is as large, as far as this tells: so the buffers are small
large 100000 50 summary
large 100000 110 calls

echo "of 72 MB"
disk 1 72M full
[ "$(wc -l <unpacked)" -gt 1000 ] || fail "only $(wc -l <unpacked) events"
stopped
grep -q 'kind = "disk"' events || fail "not in the trace"

echo "that somebody else fills at once"
QUIET=
begin=$(date +%s)
disk 1 300M 4 fill
stopped
[ $(($(date +%s) - begin)) -lt 20 ] || fail "it took $(($(date +%s) - begin)) s"
# LTTng has given up what it could not write, the word too; the label has it.
grep -q 'no space left for the trace' report.txt || fail "not in the report"

echo "that is full when recording begins"
cat >fallocate.c <<'END'
#include <errno.h>
#include <sys/types.h>
int fallocate(int fd, int mode, off_t at, off_t length)
{
	(void)fd, (void)mode, (void)at, (void)length;
	errno = ENOSPC;
	return -1;
}
END
gcc -shared -fPIC -o fallocate.so fallocate.c
for delay in '' --delay=0.3s; do
	rm -rf full
	begin=$(date +%s)
	exits 3 env LD_PRELOAD="$TMP/fallocate.so" "$RECORD" $delay -o full -- sh -c 'echo done; sleep 1; exit 3'
	[ $(($(date +%s) - begin)) -lt 8 ] || fail "it took $(($(date +%s) - begin)) s"
	same "output" done "$(cat out)"
	says "^dltrace-record: nothing is recorded: no space left for the trace in .*/full$"
done

echo "/dev/shm of 64 MB, and of 2 MB, and none"
cat >shm.sh <<'END'
mount -t tmpfs -o size=$1 none /dev/shm
"$RECORD" -o "shm-$1" -- /usr/bin/python3 busy.py 0.2 >out 2>err
END
unshare -m sh -eu shm.sh 64M || fail "64 MB: $(cat err)"
events shm-64M >events
[ "$(grep -c dltrace_heap:alloc events)" -gt 1000 ] || fail "64 MB: no events"
unshare -m sh -eu shm.sh 2M || fail "2 MB: $(cat err)"
same "2 MB: output" done "$(cat out)"
events shm-2M >events
[ "$(grep -c dltrace_heap:alloc events)" -gt 100 ] || fail "2 MB: no events"
unshare -m sh -eu shm.sh 100K || fail "100 KB: $(cat err)"
same "100 KB: output" done "$(cat out)"
grep -q 'too little room in /dev/shm' err || fail "100 KB: $(cat err)"

echo "no folder for the trace: the command runs, unmodified"
cat >none.sh <<'END'
mkdir -p none && mount -t tmpfs -o "$1" none none
[ "$1" != size=1M ] || mount -o remount,ro none
cd none
shift
exec "$RECORD" "$@" -- sh -c 'echo "${LD_PRELOAD:-plain}"; kill -TERM $$' 2>../err
END
for limit in size=1M nr_inodes=1; do
	for named in '' '-o dltrace-sh-named'; do
		status=0
		said=$(unshare -m sh -eu none.sh $limit $named) || status=$?
		same "$limit $named: status" 143 $status
		same "$limit $named: output" plain "$said"
		same "$limit $named: one line" 1 "$(wc -l <err)"
		grep -q '^dltrace-record: nothing is recorded: cannot record into dltrace-sh-.*: \(Read-only\|No space left\)' err ||
			fail "$limit $named: $(cat err)"
	done
	status=0
	unshare -m sh -eu none.sh $limit --require >out || status=$?
	same "$limit with --require" 125 $status
	same "$limit with --require: output" "" "$(cat out)"
done

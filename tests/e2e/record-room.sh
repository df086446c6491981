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
end = time.time() + float(sys.argv[1])
n = 0
while time.time() < end:
    for i in range(2000):
        x = bytearray(70000)
    n += 1
print("done")
END

echo "a disk of 12 MB"
cat >disk.sh <<'END'
mkdir disk && mount -t tmpfs -o size=12M none disk
"$RECORD" -o disk/t -- /usr/bin/python3 busy.py 6 >out 2>err || exit 3
babeltrace2 disk/t >events 2>bt.err || exit 4
"$APPS/read_trace" disk/t fast dump >unpacked
cp disk/t/recording . && df disk | tail -n 1
END
unshare -m sh -eu disk.sh || fail "status $?: $(cat err bt.err)"
same "output" done "$(cat out)"
[ "$(wc -l <unpacked)" -gt 1000 ] || fail "only $(wc -l <unpacked) events"
grep -q 'no space left' err || fail "nothing said: $(cat err)"
grep -q '^note 2 disk ' recording || fail "not in the label"
grep -q 'kind = "disk"' events || fail "not in the trace"

echo "/dev/shm of 64 MB, and of 2 MB, and none"
cat >shm.sh <<'END'
mount -t tmpfs -o size=$1 none /dev/shm
"$RECORD" -o "shm-$1" -- /usr/bin/python3 busy.py 1 >out 2>err
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

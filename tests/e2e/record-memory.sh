# SPDX-License-Identifier: MIT
# Memory that is shared is not counted twice: a parent whose children share its memory, read by
# proportional set size; LTTng's buffers and our box are in nobody's curve.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2

cat >forks.py <<'END'
import mmap, os, time
block = bytearray(os.urandom(1 << 20)) * 200
shared = mmap.mmap(-1, 100 << 20)
for i in range(0, 100 << 20, 4096): shared[i] = 1
for i in range(4):
    if os.fork() == 0:
        sum(shared[i] for i in range(0, 100 << 20, 4096))
        time.sleep(3)
        os._exit(0)
time.sleep(3)
for i in range(4): os.wait()
END
"$RECORD" -q --children all -o t -- /usr/bin/python3 forks.py
babeltrace2 t >events
# By process: the last proportional size that was read, in MiB.
sed -n 's/.*sample:process:.* process = \([0-9]*\),.* rss_shmem = \([0-9]*\), pss = \([1-9][0-9]*\),.*/\1 \2 \3/p' events |
	awk '{ pss[$1] = $3 / 1048576; shm[$1] = $2 / 1048576 }
	END { for (p in pss) { sum += pss[p]; n++; if (shm[p] > most) most = shm[p] } print int(sum), n, int(most) }' >sum
read sum processes most <sum
echo "together $sum MiB in $processes processes, at most $most MiB shared"
same "processes with a proportional size" 5 "$processes"
[ "$sum" -gt 290 ] && [ "$sum" -lt 345 ] || fail "together $sum MiB, not 300"
[ "$most" -le 101 ] || fail "$most MiB of shared memory: the tool measures itself"

# SPDX-License-Identifier: MIT
# Memory that is shared is not counted twice: a parent whose children share its memory, read by
# proportional set size; LTTng's buffers and our box are in nobody's curve.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2

cat >forks.py <<'END'
import mmap, os, time
ready, over = os.pipe(), os.pipe()
block = bytearray(os.urandom(1 << 20)) * 200
shared = mmap.mmap(-1, 100 << 20)
for i in range(0, 100 << 20, 4096): shared[i] = 1
for i in range(4):
    if os.fork() == 0:
        os.close(over[1])
        sum(shared[i] for i in range(0, 100 << 20, 4096))
        os.write(ready[1], b"x")
        os.read(over[0], 1)
        os._exit(0)
for i in range(4): os.read(ready[0], 1)
print(time.monotonic_ns())
time.sleep(3)
print(time.monotonic_ns())
time.sleep(1)
os.close(over[1])
for i in range(4): os.wait()
END
"$RECORD" -q --children all -o t -- /usr/bin/python3 forks.py >times
babeltrace2 t >events
# By process: the last proportional size that was read while all were there, in MiB. A sample's time is when its tick
# began: on a busy machine much later a process is read, which is why all stay a second longer.
sed -n 's/.*sample:process:.* process = \([0-9]*\),.* time = \([0-9]*\),.* rss_shmem = \([0-9]*\), pss = \([1-9][0-9]*\),.*/\2 \1 \3 \4/p' events |
	awk 'NR == FNR { time[FNR] = $1; next } $1 < time[1] || $1 > time[2] { next }
	{ pss[$2] = $4 / 1048576; shm[$2] = $3 / 1048576 }
	END { for (p in pss) { sum += pss[p]; n++; if (shm[p] > most) most = shm[p] } print int(sum), n, int(most) }' times - >sum
read sum processes most <sum
echo "together $sum MiB in $processes processes, at most $most MiB shared"
same "processes with a proportional size" 5 "$processes"
[ "$sum" -gt 290 ] && [ "$sum" -lt 345 ] || fail "together $sum MiB, not 300"
[ "$most" -le 101 ] || fail "$most MiB of shared memory: the tool measures itself"

# Nobody shares its pages any more, since the child has ended or become another program: reading them takes long, and
# stops until somebody does again. 60 MiB: of much more the readings would use up their share of the time, and the one
# that finds nobody left would come late.
cat >alone.py <<'EOF'
import os, time
block = bytearray(os.urandom(1 << 20)) * 60
for lives in 0, 6.5:
    over = os.pipe()
    if os.fork() == 0:
        os.close(over[1])
        os.read(over[0], 1)
        os.execlp("sleep", "sleep", str(lives))
    time.sleep(1.2)
    os.close(over[1])
    time.sleep(2)
    print(time.monotonic_ns())
    time.sleep(4)
    print(time.monotonic_ns())
    os.wait()
EOF
"$RECORD" -q -o a -- /usr/bin/python3 alone.py >times
babeltrace2 a | sed -n 's/.*sample:process:.* time = \([0-9]*\),.* pss = \([1-9][0-9]*\),.*/\1/p' |
	awk 'NR == FNR { time[FNR] = $1; next }
	{ early += $1 < time[1]; first += $1 > time[1] && $1 < time[2]; again += $1 > time[2] && $1 < time[3]; last += $1 > time[3] && $1 < time[4] }
	END { print early + 0, first + 0, again + 0, last + 0 }' times - >readings
read early first again last <readings
echo "proportional sizes read: $early while it shares, $first when it does not, $again while it shares again, $last then"
[ "$early" -ge 2 ] && [ "$again" -ge 2 ] || fail "not read while a child has the same pages"
same "readings of a process that shares nothing" "0 0" "$first $last"

# What is written after a fork is in the curve when it is written, not when the proportional size is read the next time.
cat >parts.py <<'EOF'
import os, sys, time
block = bytearray(os.urandom(1 << 20)) * 200
over = os.pipe()
if os.fork() == 0:
    os.close(over[1])
    os.read(over[0], 1)
    os._exit(0)
time.sleep(2.3)
print(time.time_ns())
for i in range(0, len(block), 4096): block[i] = 1
print(time.time_ns())
time.sleep(2)
print(time.time_ns())
os.close(over[1])
os.wait()
EOF
"$RECORD" -q -o p -- /usr/bin/python3 parts.py >times
"$REPORT" --format json p >"$TMP/r.json"
for time in $(cat times); do
	# The last value before that, and the highest within 0.4 s from it.
	json "(lambda at: ' '.join(str(round(f([v for t, v in points('rss_bytes') if a <= t <= b]) / 2**20)) for f, a, b in
		[(lambda x: x[-1], 0, at), (max, at, at + 400 * 10**6)]))($time - int(r['traces'][0]['begin_ns']))"
done | xargs >ram
read before writing written after end rest <ram
echo "$before MiB before it writes, $after within 0.4 s, $end at the end"
[ $((after - before)) -gt 170 ] && [ $((after - before)) -lt 240 ] || fail "from $before to $after MiB, not 200 more"
[ $((end - after)) -lt 30 ] || fail "$((end - after)) MiB late"

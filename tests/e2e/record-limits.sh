# SPDX-License-Identifier: MIT
# Where nothing can be recorded as the user's limits or the machine do not allow it: the command runs as without, at once,
# and one line says why.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need unshare
need setpriv
[ "$(id -u)" = 0 ] || skip "only root can become somebody else"
unshare -m true 2>/dev/null || skip "no mount namespaces"

cat >program.py <<'END'
import os, threading, time, warnings
warnings.simplefilter("ignore")		# Python 3.12: of forks beside threads
threads = [threading.Thread(target=time.sleep, args=(0.3,)) for i in range(2)]
for t in threads: t.start()
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
for t in threads: t.join()
print("done", flush=True)
raise SystemExit(3)
END

# unrecorded WHY: what exits() ran last
unrecorded() {
	same "output" done "$(cat out)"
	says_one_line
	says "^dltrace-record: nothing is recorded: $1"
}

echo "a /dev/shm that cannot be written"
exits 3 unshare -m sh -euc 'mount -t tmpfs -o ro none /dev/shm && exec "$@"' sh \
	"$RECORD" -o closed -- /usr/bin/python3 program.py
unrecorded '/dev/shm, where LTTng has its buffers, cannot be written$'

echo "a /proc of processes alone, as services may have it"
if unshare -m mount -t proc -o subset=pid none /proc 2>/dev/null; then
	exits 3 unshare -m sh -euc 'mount -t proc -o subset=pid none /proc && exec "$@"' sh \
		"$RECORD" -o blind -- /usr/bin/python3 program.py
	unrecorded 'channel: Not enough memory (LTTng cannot read /proc/meminfo: is all of /proc mounted?)$'
fi

echo "a user who may have few processes: LTTng's daemons would have them, the command could start none"
chmod 755 .
mkdir -m 777 user
for most in 4 20 60; do
	begin=$(date +%s)
	exits 3 sh -c 'ulimit -p "$1" 2>/dev/null || ulimit -u "$1"; shift; exec "$@"' sh $most setpriv --reuid=65533 \
		--regid=65533 --clear-groups "$RECORD" -o user/t -- /usr/bin/python3 program.py
	unrecorded 'too few processes are allowed (ulimit -u)'
	[ $(($(date +%s) - begin)) -lt 8 ] || fail "$most: it took $(($(date +%s) - begin)) s"
done

echo "few descriptors: LTTng's daemons would not come up, or end in the middle; as few of those that may be raised are enough"
for most in 20 66 78 100; do
	exits 3 sh -c 'ulimit -n "$1"; shift; exec "$@"' sh $most "$RECORD" -o few -- /usr/bin/python3 program.py
	unrecorded "too few file descriptors for LTTng's daemons (ulimit -n)"
done
exits 3 sh -c 'ulimit -Sn 40; exec "$@"' sh "$RECORD" --require -o raised -- /usr/bin/python3 program.py
grep -q ' 0 lost' err || fail "40 descriptors, which may be more: $(cat err)"
"$REPORT" raised >report || fail "40 descriptors, which may be more: status $?"

echo "no descriptors left: no folder is left either"
for most in 4 5 6 7 8 9; do
	exits 3 sh -c 'echo $$ >pid; ulimit -n "$1"; shift; exec "$@"' sh $most "$RECORD" -o least -- sh -c 'exit 3'
	says_one_line
	! ls -d /dev/shm/.dltrace-$(cat pid)-* 2>/dev/null || fail "$most descriptors: that is left"
done

echo "limits that LTTng's daemons cannot live in: which one; they are the command's alone where they may be raised"
while read -r option most why; do
	exits 3 bash -c 'ulimit "$1" "$2"; shift 2; exec "$@"' bash "$option" "$most" "$RECORD" -o "few$option" -- \
		/usr/bin/python3 program.py
	sed -i "/^Warning: Your system's stack size/d" err	# liblttng-ctl's
	unrecorded "$why (ulimit $option)"
	exits 3 bash -c 'ulimit -S "$1" "$2"; shift 2; exec "$@"' bash "$option" "$most" "$RECORD" --require -o "raised$option" -- \
		/usr/bin/python3 program.py
	same "output" done "$(cat out)"
	says_one_line
	says ' 0 lost'
	"$REPORT" "raised$option" >report || fail "ulimit -S $option $most: status $?"
done <<'END'
-f 5000 files may not grow as LTTng's daemons need
-v 150000 too little address space for LTTng's daemons
-d 60000 too little memory for LTTng's daemons
-s 128 too small stacks for LTTng's daemons
END

echo "no signals may wait, so that LTTng has no timers and makes no channels, and does not say so"
exits 3 bash -c 'ulimit -i 0; exec "$@"' bash "$RECORD" -q -o timeless -- /usr/bin/python3 program.py
same "output" done "$(cat out)"
says_one_line
says '^dltrace-record: nothing was recorded: LTTng took no event'
exits 4 "$REPORT" timeless
says_one_line
says 'LTTng took no event'

echo "files that may not grow: the signal is dltrace-record's own"
status=0
(ulimit -f 0; exec "$RECORD" -o none -- sh -c 'exit 3') 2>err || status=$?
same "status" 3 $status

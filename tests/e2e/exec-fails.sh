# SPDX-License-Identifier: MIT
# A process samples itself before it becomes another program; when there is none it goes on, and so
# does its hidden thread. One that ends samples itself, whoever sleeps then.
. "$top_srcdir/tests/lib.sh"
need python3

cat >program.py <<'END'
import os, time
time.sleep(0.3)
print("tries", time.monotonic_ns(), flush=True)
try:
    os.execv("./garbage", ["garbage"])  # looks like a program until the kernel reads it
except OSError:
    print("failed", time.monotonic_ns(), flush=True)
time.sleep(1.5)
print("ends", time.monotonic_ns(), flush=True)
END

printf '\177ELFgarbage' >garbage
chmod +x garbage
session_start 'dltrace_*'
timeout -s KILL 30 env LD_PRELOAD="$DLTRACE_LIB" python3 program.py >said
session_stop
events trace | sed -n 's/^\[\([0-9]*\)\] dltrace_sample:process:.*/\1/p' >samples

# between FROM TO: samples in that time, ns of CLOCK_MONOTONIC
between() {
	python3 -c '
import sys
at = [int(line) for line in open("samples")]
print(sum(int(sys.argv[1]) <= t < int(sys.argv[2]) for t in at))' "$1" "$2"
}
tries=$(awk '$1 == "tries" { print $2 }' said)
failed=$(awk '$1 == "failed" { print $2 }' said)
ends=$(awk '$1 == "ends" { print $2 }' said)
[ "$(between "$tries" "$failed")" -ge 1 ] || fail "no sample right before the exec"
[ "$(between "$failed" "$((ends - 100000000))")" -ge 5 ] || fail "it is not sampled after an exec that failed"
[ "$(between "$ends" "$((ends + 10000000000))")" -ge 1 ] || fail "no sample at its end"

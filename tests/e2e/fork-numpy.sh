# SPDX-License-Identifier: MIT
# os.fork() after numpy's BLAS threads have started, with every heap call traced: no deadlock.
. "$top_srcdir/tests/lib.sh"

python=
for candidate in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! "$candidate" -c 'import numpy' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || skip "no python3 has numpy"
session_start 'dltrace_*' 'dltracefull_*'
for round in 1 2 3; do
	timeout -s KILL 60 env LD_PRELOAD=$DLTRACE_LIB "$python" -c '
import numpy, os
numpy.ones((600, 600)) @ numpy.ones((600, 600))
for i in range(5):
    p = os.fork()
    if p == 0:
        os._exit(int((numpy.ones((64, 64)) @ numpy.ones((64, 64)))[0, 0]))
    assert os.waitpid(p, 0)[1] == 64 << 8
print("forked ok")' >out || fail "round $round: status $?"
	same "output" "forked ok" "$(cat out)"
done
session_stop

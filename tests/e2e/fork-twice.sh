# SPDX-License-Identifier: MIT
# liblttng-ust-fork.so preloaded too, before or behind: one of us does LTTng's part, not both,
# which would deadlock with all signals blocked.
. "$top_srcdir/tests/lib.sh"

fork=$(ls /usr/lib/*/liblttng-ust-fork.so.1 2>/dev/null | head -n 1)
[ -n "$fork" ] || skip "no liblttng-ust-fork.so.1"
session_start 'dltrace_*' 'dltracefull_*'
for preload in "$fork $DLTRACE_LIB" "$DLTRACE_LIB $fork"; do
	timeout -s KILL 30 env LD_PRELOAD="$preload" DLTRACE_CHILDREN=all \
		/usr/bin/python3 -c 'import os
for i in range(5):
    if os.fork() == 0:
        os._exit(9)
    assert os.wait()[1] == 9 << 8
print("forked")' >out || fail "$preload: status $?"
	same "output" forked "$(cat out)"
done
session_stop

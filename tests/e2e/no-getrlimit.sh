# SPDX-License-Identifier: MIT
# Where a filter of seccomp's does not let a program ask for its limits, LTTng would end it as it is opened: it is left
# closed, and the program runs as without.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond

"$APPS/refused" limits true || skip "the kernel has no filters for system calls"
for way in "env LD_PRELOAD=$DLTRACE_LIB" "$RECORD -q -o trace --" "$RECORD -q --in-process -o in --"; do
	exits 4 $way "$APPS/refused" limits sh -c 'echo done; exit 4'
	same "$way: output" done "$(cat out)"
done

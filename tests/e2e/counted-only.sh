# SPDX-License-Identifier: MIT
# What is only counted leaves nothing behind: a shell that a traced process starts, and its subshells, make no file.
. "$top_srcdir/tests/lib.sh"
need python3
need unshare

# In a /dev/shm of its own: other processes have their files there.
alone() {
	unshare $private sh -c 'mount -t tmpfs none /dev/shm && exec "$@"' sh "$@"
}
private=-m
alone true 2>/dev/null || private=-rm
alone true 2>/dev/null || skip "no /dev/shm of one's own can be had"

alone sh -c '"$RECORD" -q --require -o trace -- python3 -c "import os; os.system(\"(ls; ls) >/dev/null; true\")"; ls -A /dev/shm | grep -v ^lttng || :' >left
same "files left" "" "$(cat left)"

# SPDX-License-Identifier: MIT
# Where a limit leaves no room for LTTng's two threads or its addresses a program runs without LTTng: it waits for
# nothing, ends as it would, and so do its children; where there is room it has LTTng.
. "$top_srcdir/tests/lib.sh"
need python3
need prlimit
need setpriv

# says_no_room WHAT EXPECTED: of what ran last
says_no_room() {
	same "$1" "$2" "$(grep -c "over the process's limits" err || :)"
}

# Another user must be able to read it.
mkdir lib
cp "$(dirname "$DLTRACE_LIB")"/libdltrace.so "$(dirname "$DLTRACE_LIB")"/libdltrace-ust.so lib
chmod -R a+rX "$TMP"
preloaded="env DLTRACE_DEBUG=emit LD_PRELOAD=$TMP/lib/libdltrace.so"

exits 0 $preloaded /usr/bin/python3 -c pass
says_no_room "without a limit" 0

for size in 34000000 41000000 60000000; do
	exits 0 prlimit --as=$size $preloaded /usr/bin/python3 -c pass
	says_no_room "in $size bytes of addresses" 1
done
exits 0 prlimit --data=40000000 $preloaded /usr/bin/python3 -c pass
says_no_room "in 40 MB of data" 1
exits 0 prlimit --as=60000000 $preloaded sh -c 'ls -d / >/dev/null; cat /dev/null; true'

# Root has as many processes as it likes.
[ "$(id -u)" != 0 ] || {
	as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
	for count in 1 2; do
		exits 0 prlimit --nproc=$count $as_nobody $preloaded /bin/true
		says_no_room "as one of $count processes" 1
	done
	exits 0 prlimit --nproc=500 $as_nobody $preloaded /bin/true
	says_no_room "as one of 500 processes" 0
}

# A recording whose box finds no room in the same limits.
exits 0 "$RECORD" -q --children all -o trace -- prlimit --as=40000000 bash -c 'ls -d /; /bin/true; echo end'
same "children of a recorded one" "/ end" "$(echo $(cat out))"

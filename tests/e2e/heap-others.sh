# SPDX-License-Identifier: MIT
# Other allocators, as people preload them beside PyTorch: behind us they are counted like glibc's,
# before us the heap is said to be not ours; nothing hangs or fails in either order.
. "$top_srcdir/tests/lib.sh"

found=
for name in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
	library=$(ldconfig -p | sed -n "s,.*$name.* => ,,p" | head -n 1)
	[ -n "$library" ] || continue
	found=yes
	for order in "$DLTRACE_LIB:$library" "$library:$DLTRACE_LIB"; do
		boxes
		same "$order: output" 12 "$(timeout -s KILL 60 env LD_PRELOAD="$order" \
			/usr/bin/python3 -c 'print(len([bytearray(200000) for i in range(12)]))')"
		"$APPS/box_totals" "$DLTRACE_BOX"/*.box >totals
		case $order in
		"$DLTRACE_LIB"*) cover=0 ;;
		*) cover=1 ;;
		esac
		grep -q " heap=$cover " totals || fail "$order: cover: $(cat totals)"
		[ $cover = 1 ] || [ "$(sed -n 's/.* peak=\([0-9]*\).*/\1/p' totals | sort -n | tail -n 1)" -gt 2400000 ] ||
			fail "$order: too little counted: $(cat totals)"
	done
done

# jemalloc where the C library lacks what newer ones have: looking in vain must not allocate, in the middle of its start.
cat >older.py <<'END'
import sys
library = open(sys.argv[1], "rb").read()
for name in (b"execveat", b"closefrom", b"close_range", b"_dl_find_object"):
    assert b"\0" + name + b"\0" in library, name
    library = library.replace(b"\0" + name + b"\0", b"\0Q" + name[1:] + b"\0")
open("older.so", "wb").write(library)
END
/usr/bin/python3 older.py "$DLTRACE_LIB"
chmod 755 older.so
jemalloc=$(ldconfig -p | sed -n 's,.*libjemalloc.so.2.* => ,,p' | head -n 1)
if [ -n "$jemalloc" ]; then
	timeout -s KILL 60 env LD_PRELOAD="$PWD/older.so:$jemalloc" ls / >/dev/null || fail "jemalloc on an older system: status $?"
fi

# One that brings malloc alone: sizes would be asked of an allocator that does not know the block.
cat >half.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
void *malloc(size_t size)
{
	static void *(*next)(size_t);

	if (!next)
		next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	return next(size);
}
C
$CC -shared -fPIC -fno-builtin -o half.so half.c
boxes
same "mixed: output" 5 "$(LD_PRELOAD=$DLTRACE_LIB:$TMP/half.so timeout -s KILL 60 sh -c 'echo $((2 + 3))')"
LD_PRELOAD=$DLTRACE_LIB:$TMP/half.so "$APPS/heap_edge" pairs
"$APPS/box_totals" "$DLTRACE_BOX"/*.box >totals
! grep -q ' heap=[013] ' totals || fail "mixed: cover: $(cat totals)"
grep -q ' heap=2 ' totals || fail "mixed: cover: $(cat totals)"
[ -n "$found" ] || skip "neither jemalloc nor tcmalloc nor mimalloc is installed (mixed providers were tried)"

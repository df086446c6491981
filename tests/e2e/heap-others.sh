# SPDX-License-Identifier: MIT
# Other allocators, as people preload them beside PyTorch: behind us they are counted like glibc's,
# before us the heap is said to be not ours; nothing hangs or fails in either order.
. "$top_srcdir/tests/lib.sh"
need g++

# C++'s operators, which these allocators have of their own, and of which jemalloc's free by free.
cat >operators.cc <<'C'
#include <cstdio>
#include <new>
struct alignas(64) wide { char bytes[8192]; };
int main()
{
	char *volatile kept[100];
	int caught = 0;

	for (int i = 0; i < 1000; i++)
		kept[i % 100] = new char[100000], delete[] kept[i % 100];
	for (int i = 0; i < 100; i++)
		kept[i] = new (std::nothrow) char[50000];
	for (int i = 0; i < 100; i++)
		delete[] kept[i];
	for (int i = 0; i < 100; i++) {
		wide *volatile w = new wide;
		int *volatile n = new int;
		delete w;
		operator delete(n, sizeof(*n));
	}
	try {
		volatile size_t much = ~0ul / 4;
		delete[] new char[much];
	} catch (const std::bad_alloc &) {
		caught++;
	}
	printf("caught %d\n", caught);
}
C
g++ -std=c++17 -O0 -o operators operators.cc
boxes
LD_PRELOAD=$DLTRACE_LIB ./operators >/dev/null
"$APPS/box_totals" "$DLTRACE_BOX"/*.box >glibc
calls() { sed -n 's/.* allocations=\([0-9]*\) frees=\([0-9]*\).*/\1 \2/p' "$1"; }

# Nearly as many calls as by glibc: allocators and what they start differ by some.
same_calls() {
	[ "$(calls "$2" | wc -w)" = 2 ] || fail "$1: one process's calls: $(cat "$2")"
	[ "$(echo "$(calls glibc) $(calls "$2")" | awk '{ a = $3 - $1; f = $4 - $2; print a * a < 100 && f * f < 100 }')" = 1 ] ||
		fail "$1: calls of C++: $(cat "$2"), not $(cat glibc)"
}

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
	boxes
	same "$name: C++" "caught 1" "$(timeout -s KILL 60 env LD_PRELOAD="$DLTRACE_LIB:$library" ./operators 2>&1 | grep -v tcmalloc:)"
	"$APPS/box_totals" "$DLTRACE_BOX"/*.box >totals
	grep -v ' allocations=0 ' totals >of_one || :
	same_calls "$name" of_one
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

# SPDX-License-Identifier: MIT
# Libraries that are linked for an address, as libdynamorio is: what they allocate is recorded, there and elsewhere
# (a second one for the same address), and they have their build id.
. "$top_srcdir/tests/lib.sh"
need gcc
need readelf

cat >take.c <<'C'
#include <stdlib.h>
void *take(void) { return malloc(100000); }
C
cat >program.c <<'C'
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW), *take = library ? dlsym(library, "take") : NULL;

		if (!take)
			return 1;
		free(((void *(*)(void))take)());
	}
	return 0;
}
C
gcc -o program program.c -ldl
for place in 0x71000000 0x7ffb80000000; do
	gcc -shared -fPIC -Wl,--build-id=sha1 -Wl,-Ttext-segment=$place -o there.so take.c
	cp there.so elsewhere.so
	rm -rf t
	"$RECORD" -q -l full -o t -- ./program ./there.so ./elsewhere.so || fail "$place: status $?"
	"$REPORT" --dump t >dump
	id=$(readelf -n there.so | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] || fail "the test does not test"
	for library in there elsewhere; do
		grep "proc:library .*build_id=\"$id\" path=\"./$library.so\"" dump >line || fail "$place: $library.so has no build id"
		number=$(sed 's/.* library=\([0-9]*\) .*/\1/; q' line)
		same "$place: what $library.so allocated" 1 "$(grep -c "heap:alloc .*library=$number .*size=1000[0-9][0-9] " dump)"
	done
	grep -q "proc:library .* base=$place .*there.so" dump || fail "$place: nothing is there"
done

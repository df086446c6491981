# SPDX-License-Identifier: MIT
# A chroot without LTTng, with libdltrace.so alone or without anything of ours: the program runs,
# and not a byte of its output differs (ld.so complains of a preload that it can't find).
. "$top_srcdir/tests/lib.sh"
[ "$(id -u)" = 0 ] || skip "needs root"

root=$TMP/root
mkdir -p "$root/bin"
cp "$(command -v dash || command -v sh)" "$root/bin/sh"
cp "$APPS/ends" "$root/bin/ends"
for lib in $(ldd "$root/bin/sh" "$root/bin/ends" | grep -o '/[^ ]*' | grep -v ':$' | sort -u); do
	mkdir -p "$root${lib%/*}"
	cp -L "$lib" "$root$lib"
done

script='echo out; echo err >&2; ends chain; exit 3'
run() {
	status=0
	env PATH=/bin:/usr/sbin:/usr/bin ${1:+LD_PRELOAD="$1"} chroot "$root" /bin/sh -c "$script" >"$2" 2>&1 || status=$?
	echo "status $status" >>"$2"
}

run "" plain
grep -q 'status 3' plain || fail "the chroot itself does not run: $(cat plain)"
run "$DLTRACE_LIB" nothing
diff plain nothing || fail "output differs where the library is not there"
mkdir -p "$root${DLTRACE_LIB%/*}"
cp "$DLTRACE_LIB" "$root$DLTRACE_LIB"
run "$DLTRACE_LIB" alone
diff plain alone || fail "output differs with libdltrace.so alone"

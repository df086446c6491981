# SPDX-License-Identifier: MIT
# make install puts everything below DESTDIR, what it installs runs from there, and uninstall
# takes all of it away.
. "$top_srcdir/tests/lib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL
make_quietly() {
	make -s -C "$top_builddir" "$@" DESTDIR="$TMP/to" >"$TMP/make.log" 2>&1 || fail "make $*: $(cat "$TMP/make.log")"
}
installed() {
	find "$TMP/to" -name "$1" ! -type d | grep -q . || fail "$1 is not installed"
}

make_quietly install
for file in libdltrace.so libdltrace-ust.so dltrace-record dltrace-report dltrace.7 dltrace-events.7 README.md; do
	installed "$file"
done
[ -z "$(find "$TMP/to" -name '*.la' -o -name '*.a')" ] || fail "archives of libtool are installed"
make_quietly uninstall
same "left by uninstall" "" "$(find "$TMP/to" ! -type d)"

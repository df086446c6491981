# SPDX-License-Identifier: MIT
# make install puts everything below DESTDIR, what it installed runs from there, and uninstall
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
for file in libdltrace.so libdltrace-ust.so libdltrace-gpu.so libdltrace-cupti.so libdltrace-nvtx.so libdltrace-audit.so dltrace.h dltrace-record dltrace-report dltrace.7 dltrace-events.7 \
	dltrace-record.1 dltrace-report.1 schema.json README.md; do
	installed "$file"
done
[ -z "$(find "$TMP/to" -name '*.la' -o -name '*.a')" ] || fail "archives of libtool are installed"
bin=$(dirname "$(find "$TMP/to" -name dltrace-record)")
if command -v lttng-sessiond >/dev/null; then
	"$bin/dltrace-record" -q --require -o trace -- true 2>errors || fail "installed dltrace-record: $(cat errors)"
	[ ! -s errors ] || fail "installed dltrace-record says: $(cat errors)"
	"$bin/dltrace-report" trace >report
	grep -q 'level calls' report || fail "installed dltrace-report: $(cat report)"
fi
make_quietly uninstall
same "left by uninstall" "" "$(find "$TMP/to" ! -type d)"

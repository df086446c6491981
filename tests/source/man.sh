# SPDX-License-Identifier: MIT
# groff formats every man page without a complaint.
. "$top_srcdir/tests/lib.sh"
need groff
found=
for page in "$top_srcdir"/man/*.[1-8] "$top_builddir"/man/*.[1-8]; do
	[ -e "$page" ] || continue
	found=yes
	groff -man -Tutf8 -wall -z "$page" 2>>complaints
done
[ -n "$found" ] || fail "no man page found"
[ ! -s complaints ] || fail "$(cat complaints)"

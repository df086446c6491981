# SPDX-License-Identifier: MIT
# Every Debian package that configure names, scripts/packages.tbl installs for the build or the tests.
. "$top_srcdir/tests/lib.sh"
"$top_srcdir/scripts/setup" --list build tests >listed
sed -n 's/^DLT_PART(\[[^]]*\], \[[^]]*\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac" >named
[ -s named ] || fail "configure.ac names no package: has DLT_PART changed?"
while read -r package; do
	grep -qx "$package" listed || fail "configure.ac names $package, scripts/packages.tbl does not"
done <named

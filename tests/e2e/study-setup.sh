# SPDX-License-Identifier: MIT
# study setup: asks, makes an environment once, anew when it was not finished or is another now, and
# says in a line what is missing; a table with a mistake is told with its line. No network is needed.
. "$top_srcdir/tests/e2e/study.inc"
cat >copy/environments.tbl <<END
one     $version 1
two     9.99 1	# no such Python
three   $version 1
	debian no-such-package
four    $version 99000000
END
echo 'first one - - -' >copy/frameworks.tbl

study setup first >out 2>err </dev/null && fail "set up without being asked"
same "asks" "study: nothing was installed: agree with --yes" "$(cat err)"
grep -q "^one  *Python $version  *1 MB" out || fail "the size is not told: $(cat out)"
study python first && fail "a Python before there is one"
study setup --yes first one >out || fail "setup: $(cat out)"
same "made once" 1 "$(grep -c installing out)"
[ -x made/one/bin/python ] || fail "no Python"
same "its Python" "$TMP/made/one/bin/python" "$(study python first)"
same "repeated" "one: there" "$(study setup first)"

# Not finished, and of another table: anew, without what lay in it. Never what is no environment.
rm made/one/installed
touch made/one/rest
study setup --yes first >out
[ -e made/one/installed ] && [ ! -e made/one/rest ] || fail "not made anew"
touch made/one/rest
printf '\tlink libnew.so libc.so.6\n' | sed -i '1r /dev/stdin' copy/environments.tbl
study setup --yes first >out || fail "setup: $(cat out)"
[ ! -e made/one/rest ] && [ -e made/one/links/libnew.so ] || fail "not made of the new table"
rm -r made/one
mkdir made/one
touch made/one/precious
study setup --yes first >out 2>err && fail "a folder that is no environment was taken"
grep -q "is no virtual environment" err && [ -e made/one/precious ] || fail "said: $(cat err)"

# What cannot be imported is none.
rm -r made/one
printf '\ttry json no_such_module\n' | sed -i '1r /dev/stdin' copy/environments.tbl
study setup --yes first >out 2>err && fail "made, though a module is missing"
same "the module" "study: one: its packages are installed, but import no_such_module fails: ModuleNotFoundError: No module named 'no_such_module'" "$(cat err)"
[ ! -e made/one ] || fail "it is kept"
sed -i 's/ no_such_module//' copy/environments.tbl

# What is missing, in one line each; the others are made all the same.
study setup --yes two three one >out 2>err && fail "what is missing is no failure"
grep -q "^study: two: needs Python 9.99 " err || fail "the Python: $(cat err)"
if command -v dpkg-query >/dev/null; then
	grep -q "^study: three: needs Debian's no-such-package (apt-get install no-such-package)$" err || fail "the package: $(cat err)"
	same "lines" 2 "$(wc -l <err)"
fi
[ -e made/one/installed ] || fail "the other one was not made"
study setup --yes four >out 2>err && fail "no disk is that large"
grep -q "not enough room" err || fail "room: $(cat err)"
study setup nothing 2>err && fail "an unknown name"
grep -q "no such framework: nothing" err || fail "said: $(cat err)"

# Mistakes in a table
echo '	what is this' >>copy/environments.tbl
study list 2>err && fail "a mistake was taken"
grep -q "environments.tbl:8: unknown: what is this" err || fail "said: $(cat err)"
exit 0

# SPDX-License-Identifier: MIT
# A batch that is too large: how much was asked for, by whom, what was live, and the end that came of it,
# by SIGSEGV far away, SIGABRT or a status. The libraries have names and symbols of real frameworks.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need gcc
need prlimit
mkdir python
cat >device.c <<'C'
#include <stdlib.h>
void *singa_malloc(unsigned long size) __asm__("_ZN5singa6Device6MallocEm");
void *singa_malloc(unsigned long size) { return calloc(size, 1); }
C
for library in libsinga.so _singa_wrap.cpython-39-x86_64-linux-gnu.so libknet8.so; do
	gcc -shared -fPIC -o "$library" device.c
done
# fails HOW LIBRARY STATUS FRAMEWORK
fails() {
	status=0
	"$RECORD" -q -o trace -- prlimit --data=1500000000 "$APPS/fails" "$1" "$TMP/$2" || status=$?
	same "$1, status" "$3" "$status"
	"$REPORT" -q -f json trace >report.json || true
	jq -r '.findings[].text' report.json >text
	rm -rf trace
	same "$1, framework" "[\"$4\"]" "$(jq -c '[.processes[].frameworks[].name] | unique' report.json)"
	holds "$1, the failed one" "[.failures[] | select(.kind == \"allocation\")] | length == 1 and .[0].function == \"calloc\" and
		.[0].library == \"$2\" and .[0].size_bytes == 128450560000 and .[0].live_bytes > 60000000"
	grep -q "an allocation of 120 GiB by $2 failed; 6[0-9.]* MiB were live at the last reading before" text || fail "not told: $(cat text)"
}
fails unchecked libsinga.so 139 Singa
grep -q 'died of SIGSEGV; before, 1 allocation had failed (120 GiB, asked by libsinga.so, [0-9.]* ms earlier): it seems' text ||
	fail "the two are not told together: $(cat text)"
fails unchecked _singa_wrap.cpython-39-x86_64-linux-gnu.so 139 Singa
fails abort libknet8.so 134 Knet
grep -q 'died of SIGABRT; before, 1 allocation had failed (120 GiB, asked by libknet8.so' text || fail "$(cat text)"
fails exit libsinga.so 1 Singa
grep -q 'ended with status 1; before, 1 allocation had failed (120 GiB' text || fail "$(cat text)"

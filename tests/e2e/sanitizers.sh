# SPDX-License-Identifier: MIT
# Programs with a sanitizer that wants malloc for itself run below dltrace-record as dltrace(7) says, their siblings
# are recorded; one with -fsanitize=undefined is recorded.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2

cat >program.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *run(void *p) { free(malloc(100)); return p; }
int main(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, run, NULL) || pthread_join(t, NULL))
		return 1;
	puts("as ever");
	return 3;
}
END
compiler=${CC:-cc}
tried=
for kind in address thread leak undefined; do
	$compiler -fsanitize=$kind -o $kind program.c -lpthread 2>/dev/null || continue
	status=0
	./$kind >plain 2>&1 || status=$?
	[ $status = 3 ] || continue
	tried="$tried $kind"
	status=0
	if [ $kind = undefined ]; then
		"$RECORD" -q --children all -o t-$kind -- ./$kind >out 2>&1 || status=$?
	else
		"$RECORD" -q --children all -o t-$kind -- sh -c "env LD_PRELOAD= ./$kind; s=\$?; sleep 0.1; exit \$s" >out 2>&1 || status=$?
	fi
	same "exit status of $kind" 3 $status
	cmp plain out || fail "another output of $kind: $(cat out)"
	events t-$kind | grep 'dltrace_proc:process: ' >processes || :
	if [ $kind = undefined ]; then
		grep -q 'exe = "[^"]*/undefined"' processes || fail "$kind is not recorded"
	else
		! grep 'exe = "[^"]*/'$kind'"' processes || fail "$kind is recorded?"
		grep -q 'exe = "[^"]*/sleep"' processes || fail "what comes after $kind is not recorded"
	fi
done
[ -n "$tried" ] || skip "no sanitizer here"
echo "tried:$tried"

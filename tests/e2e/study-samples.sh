# SPDX-License-Identifier: MIT
# What part of a training is dltrace's own code, by samples: of a program that does nothing but allocate much, of one that
# only computes little, and of one that is gone there are none.
. "$top_srcdir/tests/lib.sh"
need gcc
need perf
perf record -q -e cpu-clock -o /dev/null true >/dev/null 2>&1 || skip "perf may not take samples here"
cat >busy.c <<'C'
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	volatile unsigned long sum = 0;
	(void)argv;
	for (;;)
		if (argc > 1)
			free(malloc(24));
		else
			sum++;
}
C
gcc -O1 -fno-builtin -o busy busy.c

shares() {	# of a process in so many seconds, in samples: own and all
	PYTHONDONTWRITEBYTECODE=1 python3 - "$1" "$2" <<-'END'
	import os, sys
	sys.path.insert(0, os.environ["top_srcdir"] + "/scripts/study")
	from harness import samples
	found = samples.take(sys.argv[1], "perf.data", int(sys.argv[2])) if samples.available() else "perf is not available"
	print(found and f"{found['own']} {found['all']}")
	END
}
export top_srcdir
of() {
	"$RECORD" -q --require -o "trace-$#" -- ./busy "$@" &
	recorder=$!
	until pid=$(pgrep -P $recorder -x busy); do sleep 0.05; done
	# It is sampled while it runs: where others have the CPU, too, that takes its time.
	for seconds in 1 4 16; do
		found=$(shares "$pid" $seconds)
		[ "$found" = None ] || [ "${found##* }" -le 500 ] || break
	done
	echo "$found"
	kill $recorder
	wait $recorder || true
}
set -- $(of many)
[ "$2" -gt 500 ] || fail "$2 samples"
[ $((100 * $1 / $2)) -ge 10 ] || fail "$1 of $2 samples of malloc and free are dltrace's"
set -- $(of)
[ "$2" -gt 500 ] || fail "$2 samples"
[ $((100 * $1 / $2)) -lt 2 ] || fail "$1 of $2 samples of a loop are dltrace's"
same "of one that is gone" None "$(shares $(sh -c 'echo $$') 1)"

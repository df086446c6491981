# SPDX-License-Identifier: MIT
# A child that was forked while another thread held the loader's list ends as it would without us, at once. One
# that loads something itself still looks at what it has loaded.
. "$top_srcdir/tests/lib.sh"
need gcc
need python3

"$APPS/fork_in_walk" >plain
grep -qx 'exit: 900' plain || fail "it does something else: $(cat plain)"
LTTNG_HOME=$TMP/nowhere LD_PRELOAD=$DLTRACE_LIB "$APPS/fork_in_walk" >alone
diff plain alone || fail "without a daemon it ends in another way"
for options in '-l summary' '-l full' '-l full --in-process'; do
	rm -rf trace
	DLTRACE_CHILDREN=all "$RECORD" -q --require $options -o trace -- "$APPS/fork_in_walk" >recorded
	diff plain recorded || fail "recorded with $options it ends in another way"
done

cat >own.c <<'C'
#include <stdlib.h>
void *malloc(size_t size) { return calloc(1, size); }
C
gcc -O1 -fno-builtin -shared -fPIC -o libown.so own.c
cat >loads.py <<'END2'
import ctypes, os
if os.fork() == 0:
    ctypes.CDLL("./libown.so")
    os._exit(0)
os.wait()
END2
"$RECORD" -q --require -o loads -- python3 loads.py
"$REPORT" -q -f json loads >report.json
holds "what a child has loaded" '[.coverage[] | select(.library == "libown.so" and .kind == "heap")] | length == 1'

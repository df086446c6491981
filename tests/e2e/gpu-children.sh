# SPDX-License-Identifier: MIT
# A program that is started with an environment of its own is told of as any other: its GPU's time, and whose child
# it is, also where one that is only counted has started it.
. "$top_srcdir/tests/lib.sh"
need python3

export DLTRACE_STUB_GPU_NS=10000
cat >starts.py <<'END'
import subprocess, sys
subprocess.run([sys.argv[1]], env={}, check=True, stdout=subprocess.DEVNULL)
END
"$RECORD" -q --gpu=activity -o trace -- python3 starts.py "$APPS/gpu_work" || fail "recording: $?"
"$REPORT" -q --dump trace >text
grep -q 'dltrace_gpu:kernel ' text || fail "no kernel of a program that was started with nothing in its environment"

cat >counted.sh <<'END'
env -u LD_PRELOAD python3 -c 'import os; print(os.environ.get("DLTRACE_PARENT", "-"))'
:
END
"$RECORD" -q -o counted -- sh counted.sh >out || fail "recording: $?"
same "process, and whose child it is" 2:1 "$(sed 's/^[0-9]*://' out)"

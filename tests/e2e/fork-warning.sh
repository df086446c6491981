# SPDX-License-Identifier: MIT
# /proc/self/stat through a stream tells of the program's own threads alone: Python, which warns at os.fork() of more
# than one, warns of its own and not of LTTng's.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond

"$APPS/stat_threads" >plain
grep -q 'with threads: mine 1, .* threads 12, fields 52, ends 1' plain || fail "the test does not test: $(tail -n 1 plain)"
"$RECORD" -q -o t -- "$APPS/stat_threads" >traced
# Read again it is the kernel's number, which is of now.
sed -i '/once more/s/threads [0-9]*/threads/' plain traced
diff plain traced || fail "it says something else"

cat >forks.py <<'END'
import os, sys, threading
end = threading.Event()
if sys.argv[1:]:
    threading.Thread(target=end.wait).start()
for i in range(2):
    child = os.fork()
    if child == 0:
        grandchild = os.fork()
        if grandchild:
            os.wait()
        os._exit(0)
    os.wait()
end.set()
END
tested=
for python in python3.12 python3.13 python3.14 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3.1[2-9] \
	"$HOME"/.local/share/uv/python/*/bin/python3.1[2-9]; do
	# Itself: what is on PATH may be a script.
	itself=$("$python" -c 'import sys; print(sys.executable)' 2>/dev/null) || continue
	for more in "" thread; do
		"$itself" forks.py $more 2>plain || fail "$python"
		rm -rf t
		"$RECORD" -q -o t -- "$itself" forks.py $more 2>traced || fail "$python, traced"
		sed -i 's/pid=[0-9]*//' plain traced
		diff plain traced || fail "$python says something else"
	done
	grep -q 'DeprecationWarning.*multi-threaded' plain || fail "$python does not warn: the test does not test"
	tested=$python
done
[ -n "$tested" ] || skip "no Python from 3.12 on"

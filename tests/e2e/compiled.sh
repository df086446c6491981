# SPDX-License-Identifier: MIT
# A training that has a C compiler run before its first step, as extensions do: the compiler is not traced, and the
# time that it took is told apart all the same.
. "$top_srcdir/tests/lib.sh"
need jq
need gcc
python=$(python_with_torch)

cat >compiles.py <<'END'
import runpy, subprocess, sys, time
import torch
with open("many.c", "w") as source:
    for i in range(3000):
        source.write(f"int f{i}(int n, int *a) {{ int s = {i}; for (int i = 0; i < n; i++) s += a[i] * {i}; return s; }}\n")
begin = time.monotonic()
subprocess.run(["gcc", "-O2", "-c", "many.c"], check=True)
with open("seconds", "w") as file:
    print(time.monotonic() - begin, file=file)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
END
"$RECORD" -q --require -o trace -- $python compiles.py "$top_srcdir/scripts/train.py" --size 64 --batch 4 \
	--iterations 6 --epochs 2 >/dev/null 2>errors || fail "status $?: $(cat errors)"
"$REPORT" trace -o report.json
holds "gcc is only counted" '.processes | length == 1 and .[0].children_counted == 1'
holds "phases" '[.phases[].phase] | .[:2] == ["start-up", "compilation"] and contains(["steady"])'
holds "as long as gcc took" ".phases[1].duration_ns >= $(cat seconds) * 1e9 * 0.98"
holds "torch's import is none of it" '.phases[0].duration_ns > 200e6'

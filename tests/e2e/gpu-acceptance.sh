# SPDX-License-Identifier: MIT
# scripts/gpu-acceptance: without a GPU one line and 77; its checks, on the stub of CUDA, pass, write a
# report, and see a wrong count; its models are what they are called, on a CPU.
. "$top_srcdir/tests/lib.sh"
need python3
acceptance="python3 $top_srcdir/scripts/gpu-acceptance --bin $top_builddir"

status=0
$acceptance >said 2>&1 || status=$?
if [ $status = 77 ]; then
	same "lines without a GPU" 1 "$(wc -l <said)"
	grep -q 'no GPU here' said || fail "$(cat said)"
	[ -z "$(find . -name 'gpu-acceptance*')" ] || fail "something is written without a GPU"
elif python3 -c 'import ctypes; ctypes.CDLL("libcuda.so.1")' 2>/dev/null; then
	skip "there may be a GPU here: scripts/gpu-acceptance is the test"
else
	fail "status $status: $(cat said)"
fi

$acceptance --self-test -o out --turns 1 >said 2>&1 || fail "status $?: $(cat said)"
for check in counts.stub_graph graphs counts.stub results.stub_graph results.stub profiler-counts profiler waits gpu-time api lost overhead.calls overhead.activity; do
	grep -q "^PASS: $check" said || fail "$check: $(cat said)"
done
grep -q '^PASS: overhead.summary .*stub [-+][0-9.]* % \[[-+0-9.]* \.\. [-+0-9.]*\] of [0-9.]* ms, 30 rounds' said || fail "rounds: $(cat said)"
grep -q '^PASS  counts.stub .*launches: dltrace 200, cupti 200' out/acceptance.txt &&
	grep -q '^PASS  graphs.stub_graph .*kernels: dltrace 300, cupti 300 by 100 launches of 2 graphs; copies: dltrace 200, cupti 200' out/acceptance.txt || fail "report: $(cat out/acceptance.txt)"
python3 -c 'import json; r = json.load(open("out/acceptance.json")); assert all(c["verdict"] != "FAIL" for c in r["checks"]) and r["runs"]'
status=0
DLTRACE_SELF_TEST_WRONG=1 $acceptance --self-test -o wrong --only counts --only gpu-time --only api --only graphs >said || status=$?
same "status of a wrong count" 1 "$status"
grep -q '^FAIL: graphs.stub_graph .*kernels: dltrace 300, cupti 301 by 100 launches of 2 graphs' said || fail "graphs: $(cat said)"
[ "$(grep -c '^FAIL: ' said)" = 4 ] && grep -q '^FAIL: counts.stub .*dltrace 200, cupti 201' said &&
	grep -q '^FAIL: api.stub .*runtime cudaLaunchKernel 200 for 199, driver cuLaunchKernel 200 for 201, launches by the driver 200 for 201 outermost' said || fail "$(cat said)"
status=0
DLTRACE_SELF_TEST_WRONG=1 $acceptance --self-test -o late --minutes 0.1 >said || status=$?
same "status without time" 0 "$status"
grep -q '0 passed, 0 failed' said || fail "$(cat said)"

# Of programs that step in turn one does not start: it has no figure, and the others do. A limit is broken where the
# whole interval is above it.
python3 - "$top_srcdir/scripts" "$top_builddir" <<-'END' || fail "programs that step in turn"
import argparse, importlib.machinery, importlib.util, os, sys, time
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import gpu_lab, gpu_paces
os.makedirs("turns")
gpu_lab.VARIANTS["calls"] = ["--no-such-option"]
args = argparse.Namespace(python=sys.executable, bin=os.path.realpath(sys.argv[2]), runs=os.path.realpath("turns"),
                          keep=False, minutes=5)
lab = gpu_lab.StubLab(args, time.monotonic())
paces = gpu_paces.Paces(lab, ["calls", "summary"], 7)
assert len(paces.found("summary")["stub"]) == 7 and len(paces.bare["stub"]) == 7, paces.ratios
assert not lab.children, lab.children
assert all(len(run.work["paces_s"]["stub"]) == 8 * 8 for run in lab.runs()) and len(lab.runs()) == 2
try:
    paces.found("calls")
except gpu_lab.Wrong as why:
    assert "no-such-option" in str(why), why
else:
    raise AssertionError("a program that did not start has a figure")
loader = importlib.machinery.SourceFileLoader("acceptance", os.path.join(sys.argv[1], "gpu-acceptance"))
acceptance = importlib.util.module_from_spec(importlib.util.spec_from_loader("acceptance", loader))
loader.exec_module(acceptance)
lab.compared = paces
paces.bare["GPU-bound"] = [0.05] * 9
for percents, verdict in (([0.9] * 9, None), ([2.0] * 9, gpu_lab.Wrong), ([0.5] * 4 + [2.0] * 5, gpu_lab.Skip)):
    paces.ratios["summary"] = {"GPU-bound": percents}
    found = None
    try:
        acceptance.check_overhead(lab, "summary", 1.0)
    except (gpu_lab.Wrong, gpu_lab.Skip) as why:
        found = type(why)
    assert found == verdict, (percents, found)
END

# What nobody has thought of is a line like others, and the rest goes on.
status=0
DLTRACE_SELF_TEST_WRONG=odd $acceptance --self-test -o odd --turns 1 >said || status=$?
same "status of what is odd" 1 "$status"
grep -q '^FAIL: counts.stub .*ValueError: .*odd.*gpu_lab.py:[0-9]' said || fail "$(cat said)"
grep -q '^PASS: records ' said || fail "the rest does not go on: $(cat said)"
[ "$(grep -c '^[A-Z]* *[a-z-]*\.*[a-z0-9_]*  ' odd/acceptance.txt)" -gt 15 ] || fail "not all checks in the report: $(cat odd/acceptance.txt)"

# Ended before its time it leaves what it has found; where it may not write it writes elsewhere.
mkfifo lines
$acceptance --self-test -o ended --turns 9999 >lines 2>&1 &
pid=$!
while read -r line; do
	case $line in
	PASS:\ records*) kill $pid ;;
	esac
done <lines
status=0
wait $pid || status=$?
same "status of an end" 143 "$status"
grep -q '^PASS  records' ended/acceptance.txt && grep -q '^SKIP  lost .*not reached' ended/acceptance.txt ||
	fail "report of an end: $(cat ended/acceptance.txt)"
tar tzf ended/runs.tar.gz >/dev/null || fail "no runs.tar.gz"
: >file
$acceptance --self-test -o file/folder --only records >said || fail "status $?: $(cat said)"
grep -q "^PASS  records" "$(sed -n 's/.* skipped in .* s: //p' said)" || fail "$(cat said)"
rm -r "$(dirname "$(sed -n 's/.* skipped in .* s: //p' said)")"

# A check that does not hold says what to do, every one of them.
grep -q '^ *to do: .*coverage' wrong/acceptance.txt || fail "no advice: $(cat wrong/acceptance.txt)"
python3 - "$top_srcdir/scripts/gpu-acceptance" <<-'END' || fail "checks without advice"
import re, sys
text = open(sys.argv[1]).read()
advice = re.findall(r'^    \("([a-z-]+)", "', text[text.index("ADVICE = ("):], re.M)
names = re.findall(r'\(f?"([a-z-]+)[".{]', text[text.index("def checks_of"):text.index("ADVICE = (")])
assert len(names) > 10 and all(any(n.startswith(a) for a in advice) for n in names), (names, advice)
END

# A copy of nothing, which CUPTI may have no record of, is counted apart.
python3 - "$top_srcdir/scripts" <<-'END' || fail "copies of nothing"
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import gpu_lab
with open("dump", "w") as file:
    for event in ('proc:function function=7 name="cudaMemcpyAsync"', "cuda:copy function=7 result=0 size=8 stream=1",
                  "cuda:copy function=7 result=0 size=0 stream=1", "cuda:copy function=7 result=1 size=0 stream=1",
                  "cuda:copy function=7 result=0 size=0 stream=32769"):
        file.write(f"[1] dltrace_{event}\n")
found = gpu_lab.count_events("dump")
assert (found["copies"], found["empty_copies"]) == ({"cudaMemcpyAsync": 1}, 1), found
END

# What gpu_work.py makes of CUPTI's records, by the stub's CUPTI.
for major in 12 13; do
	DLTRACE_STUB_OVER=1 DLTRACE_STUB_GPU_NS=1000 python3 - "$top_srcdir/scripts" "$STUBS" $major <<-'END' || fail "CUPTI $major"
	import ctypes, gc, sys
	sys.path.insert(0, sys.argv[1])
	sys.dont_write_bytecode = True
	import gpu_work
	class Dim(ctypes.Structure):
	    _fields_ = [(name, ctypes.c_uint) for name in "xyz"]
	cuda = ctypes.CDLL(f"{sys.argv[2]}/libcudart.so.{sys.argv[3]}", ctypes.RTLD_GLOBAL)
	gpu_work.cupti_path = lambda: f"{sys.argv[2]}/libcupti.so.{sys.argv[3]}"
	cupti, size, zero, one = gpu_work.Cupti(), ctypes.c_size_t(100), ctypes.c_size_t(0), Dim(1, 1, 1)
	kernel = ctypes.c_void_p(ctypes.addressof(one))
	for _ in range(50):
	    cuda.cudaMemcpyAsync(kernel, kernel, size, 1, None)
	    cuda.cudaMemcpyAsync(kernel, kernel, size, 2, None)
	    cuda.cudaLaunchKernel(kernel, one, one, None, zero, None)
	cuda.cudaDeviceSynchronize()
	found = cupti.finish()
	assert (found["kernels"], found["copies"], found["dropped"]) == (50, 100, 0), found
	assert found["kernel_ns"] == 50 * 1000, found
	launches = [(layer, name, count) for layer, calls in found["calls"].items() for name, count in calls.items()
	            if "LaunchKernel" in name]
	assert sorted(launches) == [("driver", "cuLaunchKernel", 50), ("runtime", "cudaLaunchKernel", 50)], launches
	assert found["outermost"]["runtime"]["cudaLaunchKernel"] == 50 and not found["outermost"]["driver"]["cuLaunchKernel"]
	# CUPTI asks for nothing any more: not while the program goes on, nor when the interpreter is gone.
	cuda.cudaDeviceSynchronize()
	assert not cupti.buffers, "CUPTI has a buffer after the end"
	del cupti
	gc.collect()
	late = ctypes.cast(cuda.cudaDeviceSynchronize, ctypes.c_void_p)
	assert ctypes.CDLL(None).__cxa_atexit(late, None, None) == 0
	END
done

python=$(python_with_torch 2>/dev/null) || exit 0
"$python" - "$top_srcdir/scripts" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import gpu_work, torch, torchvision
for name, make in gpu_work.MODELS.items():
    ours, theirs = make(torch.nn), getattr(torchvision.models, name)(weights=None, num_classes=3)
    shapes = [sorted(tuple(p.shape) for p in model.parameters()) for model in (ours, theirs)]
    assert shapes[0] == shapes[1], name
    assert ours(torch.zeros(2, 3, 64, 64)).shape == (2, 3)
x = torch.randn(2, 4, 16, 16).relu()
assert torch.equal(gpu_work.pool_of(torch.nn)()(x), torch.nn.functional.max_pool2d(x, 3, 2, 1))
END
"$python" "$top_srcdir/scripts/gpu_work.py" cpu --steps 2 --batch 2 --size 32 --count profiler --out work.json >result 2>errors ||
	fail "$(cat errors)"
grep -q '^cpu [0-9a-f]* 0x' result || fail "result: $(cat result)"
python3 -c 'import json; w = json.load(open("work.json")); assert len(w["step_s"]) == 2 and w["counted"]["kernels"] == 0'

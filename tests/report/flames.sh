# SPDX-License-Identifier: MIT
# -o r.folded and r.speedscope.json: the breakdown as stacks, as flame graph tools read them.
. "$top_srcdir/tests/lib.sh"
"$REPORT" "$top_srcdir/tests/report/training.txt" -o r.folded -o r.speedscope.json
same "folded stacks" "python3 (pid 100);PyTorch;blas;libtorch_cpu.so;sgemm_ 197000000
python3 (pid 100);PyTorch;runtime;libtorch_cuda.so;cudaMalloc 3000000
python3 (pid 100);PyTorch;runtime;libtorch_cuda.so;cudaLaunchKernel 2000000
python3 (pid 100);PyTorch;blas;libtorch_cpu.so;sgemv_ 1000000" "$(cat r.folded)"

sed -e 's/"sgemm_"/"sg;emm \\n\\x1b[2J\\"12"/' -e 's/libtorch_cpu.so/a;b <script>.so/' \
	"$top_srcdir/tests/report/training.txt" >hostile.txt
"$REPORT" hostile.txt hostile.txt -o h.folded -o h.speedscope.json
cat >check.py <<'END'
import json, re, sys
# speedscope's file format as its types publish it
scope = json.load(open(sys.argv[1] + ".speedscope.json"))
assert scope["$schema"] == "https://www.speedscope.app/file-format-schema.json"
assert set(scope) <= {"$schema", "shared", "profiles", "name", "activeProfileIndex", "exporter"}
frames = scope["shared"]["frames"]
names = [f["name"] for f in frames]
assert len(set(names)) == len(names) and all(set(f) <= {"name", "file", "line", "col"} for f in frames)
assert all(32 <= ord(c) for n in names for c in n)
stacks = []
for p in scope["profiles"]:
    assert set(p) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
    assert p["type"] == "sampled" and p["unit"] == "nanoseconds" and p["startValue"] == 0
    assert len(p["samples"]) == len(p["weights"]) and p["endValue"] == sum(p["weights"])
    assert all(0 <= i < len(frames) for s in p["samples"] for i in s)
    stacks += [([names[i] for i in s], w) for s, w in zip(p["samples"], p["weights"])]
assert 0 <= scope["activeProfileIndex"] < len(scope["profiles"]) == int(sys.argv[2])
# the same stacks in folded form, by the pattern that flamegraph.pl uses
folded = open(sys.argv[1] + ".folded").read().splitlines()
assert len(folded) == len(stacks) > 3
for line, (stack, weight) in zip(folded, stacks):
    text, ns = re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", line).groups()
    assert text.split(";") == [f.replace(";", ":") for f in stack], line
    assert int(ns) == weight
END
python3 check.py r 1
python3 check.py h 2
grep -q 'trace 1: python3 (pid 100);PyTorch;blas;a:b <script>.so;sg:emm \\n\\x1b\[2J"12 197000000' h.folded ||
	fail "a hostile name: $(head -1 h.folded)"

# SPDX-License-Identifier: MIT
# A real recording as a timeline: each piece of work of the (stub) GPU stands on its stream, once, at its
# time, with an arrow from the call that asked for it; and, at the level full, each heap call as CTF.
. "$top_srcdir/tests/lib.sh"
need gcc
need babeltrace2
gcc -rdynamic -o work -I"$top_srcdir/tracepoints" "$top_srcdir/tests/apps/gpu_work.c" -L"$STUBS" \
	-l:libcudart.so.12 -Wl,-rpath,"$STUBS" -lpthread
export DLTRACE_STUB_GPU_NS=30000
DLTRACE_STUB_GPU_TRUTH=$TMP/truth "$RECORD" -q --gpu=activity -o trace -- ./work 3 40 long
"$REPORT" -q trace -o r.pftrace -o r.trace.json -o r.ctf -o r.json
PYTHONPATH=$top_srcdir/tests/report PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import collections, json, pftrace
t = pftrace.read("r.pftrace")
truth = [line.split() for line in open("truth")]
work = [s for s in t.slices if s["category"] == "gpu"]
assert len(work) == len(truth) == 600, (len(work), len(truth))
want = {w[2]: w for w in truth}
for s in work:
    w = want[str(s["details"]["correlation"])]
    assert abs(s["begin"] - int(w[5])) < 10**6 and abs(s["end"] - s["begin"] - 30000) < 1000, (s, w)
    assert t.title(s["track"]) == f"GPU 0 stream {w[4]}", t.title(s["track"])
flows = [f for f in t.flows.values() if "flow_ends" in f]
assert len(flows) == 600 and all("flow" in f for f in flows)
tids = {}
for f in flows:
    call, done = f["flow"], f["flow_ends"]
    w = want[str(done["details"]["correlation"])]
    assert call["category"] == "runtime" and call["begin"] < done["begin"], (call, done)
    tids.setdefault(w[3], set()).add(t.tracks[call["track"]]["thread"][0]["tid"][0])
assert len(tids) == 3 and all(tid == {int(thread)} for thread, tid in tids.items()), tids
report = json.load(open("r.json"))
calls = sum(row["calls"] for row in report["breakdown"] if row["layer"] == "runtime")
assert len([s for s in t.slices if s["category"] == "runtime"]) == calls, calls
chrome = json.load(open("r.trace.json"))["traceEvents"]
ends = {e["id"] for e in chrome if e["ph"] == "f"}
assert len(ends) == 600 and ends <= {e["id"] for e in chrome if e["ph"] == "s"}
END
same "calls in CTF" "$(babeltrace2 r.ctf | grep -c func_entry)" "$(babeltrace2 r.ctf | grep -c func_exit)"

"$RECORD" -q --level=full -o full -- "$APPS/heap_many" >/dev/null
"$REPORT" -q full -o full.ctf -o full.json
babeltrace2 full.ctf >events
/usr/bin/python3 - <<'END'
import json, re
# as Trace Compass keeps account: by pointer
live, counts, unknown = {}, {}, 0
for line in open("events"):
    name, fields = re.search(r"lttng_ust_libc:(\w+): .*\}, \{ (.*) \}", line).groups()
    f = dict(re.findall(r"(\w+) = (\w+)", fields))
    counts[name] = counts.get(name, 0) + 1
    ptr = f.get("out_ptr", f["ptr"])
    if name == "free":
        unknown += live.pop(ptr, None) is None
    else:
        assert ptr not in live, "allocated twice: " + line
        live[ptr] = int(f["size"])
heap = json.load(open("full.json"))["heap"][0]
allocated = sum(n for name, n in counts.items() if name != "free")
assert unknown <= 1 and counts.get("free", 0) <= heap["frees"]
assert allocated <= heap["allocations"], (allocated, heap)
# 10 threads left 100 blocks of 1,000 bytes each
assert sum(1000 <= size < 1024 for size in live.values()) == 1000, live
END

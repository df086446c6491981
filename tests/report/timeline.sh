# SPDX-License-Identifier: MIT
# -o r.pftrace and r.trace.json: calls, ranges, GPU work with its flows, epochs, failures and curves,
# each once, nested as they were, for whichever of them the filters choose.
. "$top_srcdir/tests/lib.sh"
cat >t.txt <<'END'
dltrace-text 1
clock_offset 1700000000000000000
host "node7"
recording id 42
recording level calls
[1s] dltrace_proc:process process=1 pid=100 recording=42 begin=1s exe="/usr/bin/python3" host="node7" command="python3\x1ftrain.py"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s name="python3"
[1s] dltrace_proc:process process=5 parent=1 pid=100 parent_pid=1 recording=42 begin=1s exe="/usr/bin/same-pid" host="node8"
[1s] dltrace_proc:function function=sgemm_ layer="blas" kind="compute" name="sgemm_"
[1s] dltrace_proc:function function=cudaMalloc layer="runtime" kind="allocate" name="cudaMalloc"
[1s] dltrace_proc:function function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"
[1s] dltrace_proc:function function=clFinish layer="opencl" kind="synchronise" name="clFinish"
[1s] dltrace_proc:library process=1 library=1 base=0x10000 size=64M path="/usr/lib/libtorch_cuda.so"
[1s] dltrace_proc:object process=1 type=5 id=7 name="_Z4gemmPf"
[1s] dltrace_proc:object process=1 type=1 id=3 name="_Z4hostv"
[1s] dltrace_proc:object process=1 type=2 id=4 values=[3 1 1 1 32 1 1 0]
[1100ms] dltrace_sample:process process=1 time=1100ms threads=1 user=50ms system=10ms rss_anon=32M allocated=8M freed=1M
# two calls that touch, the second seems to begin 10 ns too early; the first is what work comes from
[2000000000] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 duration=1us shape=4
[2000001000] dltrace_cuda:alloc thread=1 function=cudaMalloc library=1 duration=1010 size=1M ptr=0x7f00
# told before its call's event, as batches make it; begun 30 ns before the call's event says
[2100ms] dltrace_gpu:kernel process=1 caller=1 called=2199998970 begin=2200001000 duration=500 kernel=7 stream=9 correlation=2
[2200ms] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 duration=1us
[2300ms] dltrace_gpu:kernel process=1 caller=1 called=1999998990 begin=2000000500 duration=1us kernel=7 stream=9 correlation=1
# beside it on the same stream, and one of nobody's
[2300ms] dltrace_gpu:copy process=1 caller=0 begin=2000001000 duration=2us size=64K direction=1 stream=9 correlation=3
# a range around both calls, which seems to begin after the first one did
[2000003000] dltrace_mark:range thread=1 begun_by=1 duration=1us kind=1 depth=1 name="inner"
[2000003100] dltrace_mark:range thread=1 begun_by=1 duration=1050 kind=1 name="outer \x1b[2J\"<b>\xff" domain="d"
[2400ms] dltrace_mark:range thread=1 begun_by=1 duration=300ms kind=2 name="over"
[2500ms] dltrace_mark:range thread=1 begun_by=1 duration=300ms kind=2 name="lap"
[2500ms] dltrace_mark:range thread=1 kind=3 name="moment"
[2600ms] dltrace_mark:range thread=1 kind=4 payload=0
[2600ms] dltrace_mark:range thread=1 kind=5 payload=0
[2700ms] dltrace_mark:range thread=1 kind=5 payload=1
[2800ms] dltrace_mark:range thread=1 kind=4 payload=1
# longer than 32 bits tell
[7999999999] dltrace_sample:thread thread=1 time=7999999999 function=sgemm_ since=3s
[8s] dltrace_cpu:blas thread=1 function=sgemm_ library=1 duration=4294967295 m=2 n=3 k=4
[8s] dltrace_cpu:blas thread=77 function=sgemm_ library=1 duration=5
[8s] dltrace_cuda:alloc thread=1 function=cudaMalloc library=1 duration=1us size=64G result=2
[8100ms] dltrace_cuda:other thread=1 function=clFinish library=1 duration=1us result=-5
[9s] dltrace_proc:exit process=1 thread=1 code=0
END
"$REPORT" -q t.txt -o r.pftrace -o again.pftrace -o r.trace.json -o r.json
cmp r.pftrace again.pftrace || fail "the same trace gives other bytes"
PYTHONPATH=$top_srcdir/tests/report PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import json, pftrace
t = pftrace.read("r.pftrace")
s = 10**9
calls = t.on("python3")
calls = [c for c in calls if "pid" not in c[3]]
assert [c[:3] for c in calls] == sorted([
    ("cudaLaunchKernel", 2 * s - 1000, 2 * s), ("cudaMalloc", 2 * s, 2 * s + 1000),
    ("cudaLaunchKernel", 2200000000 - 1000, 2200000000), ("sgemm_", 3 * s, 8 * s),
    ("cudaMalloc", 8 * s - 1000, 8 * s), ("clFinish", 8100000000 - 1000, 8100000000)]), calls
details = {c[:2]: c[3] for c in calls}
assert details["sgemm_", 3 * s] == {"library": "libtorch_cuda.so", "m": 2, "n": 3, "k": 4}
assert details["cudaLaunchKernel", 2 * s - 1000] == {"library": "libtorch_cuda.so", "kernel": "host()"}
assert details["cudaMalloc", 8 * s - 1000] == {"library": "libtorch_cuda.so", "bytes": 2**36, "result": 2}
assert details["clFinish", 8100000000 - 1000] == {"library": "libtorch_cuda.so", "result": -5}
assert [c[:3] for c in t.on("unknown")] == [("sgemm_", 8 * s - 5, 8 * s)]

work = t.on("GPU 0 stream 9")
assert [w[:3] for w in work] == [
    ("copy host to device", 2 * s + 1000, 2 * s + 3000), ("gemm(float*)", 2 * s + 500, 2 * s + 1500),
    ("gemm(float*)", 2200001000, 2200001500)], work
flows = sorted((f["flow"]["name"], f["flow"]["begin"], f["flow_ends"]["begin"]) for f in t.flows.values()
               if "flow_ends" in f)
assert flows == [("cudaLaunchKernel", 2 * s - 1000, 2 * s + 500),
                 ("cudaLaunchKernel", 2200000000 - 1000, 2200001000)], flows
assert all("flow" in f for f in t.flows.values())

ranges = t.on("ranges")
assert [r[:3] for r in ranges] == [
    ("inner", 2 * s + 2000, 2 * s + 3000), ("lap", 2200000000, 2500000000),
    ("outer \x1b[2J\"<b>\ufffd", 2 * s + 1999, 2 * s + 3100), ("over", 2100000000, 2400000000)], ranges
assert t.instants[0] == ("ranges", 2500000000, "moment"), t.instants
assert any(i[0] == "failures" and "64 GiB" in i[2] for i in t.instants)
assert [e[:3] for e in t.on("named epochs")] == [("epoch 0", 2600000000, 2800000000),
                                                 ("epoch 1", 2800000000, 9 * s)]
assert [e[:3] for e in t.on("named steps")] == [("step 0", 2600000000, 2700000000),
                                                ("step 1", 2700000000, 2800000000)]

# two processes with one pid are two; each lives
pids = {p["pid"][0]: p["name"][0] for track in t.tracks.values() for p in track.get("process", [])}
assert pids[100] == "python3" and pids[10000100] == "same-pid", pids
assert {l[0]: l[2] - l[1] for l in t.on("life")} == {"python3": 8 * s, "same-pid": 8 * s}

# the curves of the report, and the clocks
report = json.load(open("r.json"))
shown = {(name, process): values for (name, process), values in t.values.items()}
assert len(shown) == len(report["series"]) > 3
for curve in report["series"]:
    pid = {1: 100, None: None, 2: 10000100}[curve["process"]]
    name = " ".join([curve["name"]] + [curve[k] for k in ("library", "device") if k in curve])
    assert [[x - s, v] for x, v in sorted(shown[name, pid])] == [[t, v] for t, v in curve["points"] if v is not None], name
clocks = dict(t.clocks)
assert clocks[1] - clocks[3] == 1700000000 * s and clocks[3] == clocks[6]

# Chrome's form says the same
c = json.load(open("r.trace.json"))["traceEvents"]
assert {e["ph"] for e in c} == {"M", "X", "s", "f", "C", "i"}
spans = sorted((e["name"], round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000))
               for e in c if e["ph"] == "X")
assert spans == sorted((x["name"], x["begin"], x["end"]) for x in t.slices)
assert [e["args"]["result"] for e in c if e["name"] == "clFinish"] == [-5]
assert len([e for e in c if e["ph"] == "f"]) == 2
END
# filters
"$REPORT" -q t.txt --function 'cuda*' --from 1s --to 1500ms -o f.pftrace
"$REPORT" -q t.txt --process 'same*' -o p.pftrace
PYTHONPATH=$top_srcdir/tests/report PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import pftrace
names = {s["name"] for s in pftrace.read("f.pftrace").slices if s["category"] in ("runtime", "blas", "gpu")}
assert "cudaMalloc" in names and "sgemm_" not in names, names
t = pftrace.read("p.pftrace")
assert {s["name"] for s in t.slices} == {"same-pid"}, t.slices
END
# what cannot be written, and a trace that cannot be read
exits 5 "$REPORT" t.txt -o /dev/full -f perfetto
same "stderr" "dltrace-report: cannot write /dev/full: No space left on device" "$(cat err)"
echo before >n.pftrace
exits 4 "$REPORT" -q nothing-here -o n.pftrace
same "what was there before" before "$(cat n.pftrace)"
same "left over" "" "$(ls -A | grep '^\.' || :)"
"$REPORT" -q t.txt -f perfetto | cmp - r.pftrace || fail "standard output differs"

# Two traces with a reboot in between, the later one first: all stands where it was; by the time of day.
traced() {
	cat <<-END
	dltrace-text 1
	clock_offset $1
	[5s] dltrace_proc:process process=1 pid=100 begin=5s exe="/usr/bin/$2"
	[5s] dltrace_proc:function function=sgemm_ layer="blas" kind="compute" name="sgemm_"
	[7s] dltrace_cpu:blas thread=1 function=sgemm_ duration=1s
	[9s] dltrace_mark:range thread=1 begun_by=1 duration=3s kind=1 name="range"
	[10s] dltrace_proc:exit process=1 thread=1 code=0
	END
}
traced 1700086400000000000 today >today.txt
traced 1700000000000000000 yesterday >yesterday.txt
"$REPORT" -q today.txt yesterday.txt -o r.pftrace -o days.ctf
PYTHONPATH=$top_srcdir/tests/report PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import pftrace
t = pftrace.read("r.pftrace")
s, day = 10**9, 86400 * 10**9
for name, begin, end in (("sgemm_", 6, 7), ("range", 6, 9)):
    spans = sorted((x["begin"], x["end"]) for x in t.slices if x["name"] == name)
    assert spans == [(begin * s, end * s), (day + begin * s, day + end * s)], (name, spans)
assert {l[0]: (l[1], l[2]) for l in t.on("life")} == {
    "yesterday": (5 * s, 10 * s), "today": (day + 5 * s, day + 10 * s)}, t.on("life")
clocks = dict(t.clocks)
assert clocks[1] - clocks[3] == 1700000000 * s, clocks
END
for trace in ust ust-2; do
	grep -q 'offset = 1700000000000000000;' days.ctf/$trace/metadata || fail "$trace begins at another time than it says"
done

# Ranges that say they began before the machine did.
cat >before.txt <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/python3"
[1s] dltrace_mark:range thread=1 begun_by=1 duration=2s kind=1 depth=1 name="inner"
[2s] dltrace_mark:range thread=1 begun_by=1 duration=5s kind=1 name="outer"
END
"$REPORT" -q before.txt -o r.pftrace -o r.trace.json
PYTHONPATH=$top_srcdir/tests/report PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import json, pftrace
ranges = [r[:3] for r in pftrace.read("r.pftrace").on("ranges")]
assert ranges == [("inner", 0, 10**9), ("outer", 10**9, 2 * 10**9)], ranges
assert all(e.get("ts", 0) >= 0 for e in json.load(open("r.trace.json"))["traceEvents"])
END

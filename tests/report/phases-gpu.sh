# SPDX-License-Identifier: MIT
# What a GPU did, kernels that were launched, memory of each sort, files and imports, by phase: the
# sums over the phases are those of the whole, wherever the trace is cut.
. "$top_srcdir/tests/lib.sh"

{
	python3 "$top_srcdir/tests/report/phased.py"
	python3 - <<'GPU'
def at(ms): return f"[{int((1000 + ms) * 1000)}us]"
print('[1s] dltrace_proc:function function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"')
print('[1s] dltrace_proc:object process=1 type=1 id=1 name="_Z4convPf" library=1')
print('[1s] dltrace_proc:object process=1 type=1 id=2 name="_Z4fillPf" library=1')
for shape, kernel in ((11, 1), (12, 1), (13, 2)):
    print(f'[1s] dltrace_proc:object process=1 type=2 id={shape} values=[{kernel} {shape} 1 1 32 1 1 0]')
print('[1s] dltrace_proc:object process=1 type=5 id=1 name="_Z4convPf"')
for i, name in enumerate(("torch", "PIL", "numpy")):
    print(at(100 + i), f'dltrace_proc:object process=1 type=8 id={20 + i} name="/site/{name}"')
print(at(11000), 'dltrace_proc:object process=1 type=8 id=23 name="/site/late"')
def launch(ms, shape): print(at(ms), f'dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 shape={shape} duration=10us nested=1 nested_time=4us')
def kernel(ms): print(at(ms + 3), f'dltrace_gpu:kernel process=1 caller=1 called={int((1000 + ms) * 1000)}us begin={int((1000 + ms) * 1000)}us duration=2ms kernel=1 stream=1')
for ms in range(1000, 4000, 100):
    launch(ms, 13)
for i in range(40):
    launch(9510 + 50 * i, 11)
    launch(9520 + 50 * i, 12)
    if 2 <= i < 38:  # what is within half a slice of a border may be on its other side
        kernel(9510 + 50 * i)
# A thread that is named later than it has launched, and talked.
for i in range(5):
    print(at(9900 + 50 * i), 'dltrace_cuda:launch thread=77 function=cudaLaunchKernel library=1 shape=13 duration=10us nested=1 nested_time=4us')
    print(at(9900 + 50 * i), 'dltrace_comm:call thread=77 function=MPI_Allreduce library=1 communicator=9 peer=-1 bytes=10 duration=1us')
print(at(10900), 'dltrace_proc:thread thread=77 process=1 tid=177 begin=1s')
print('[1s] dltrace_proc:function function=MPI_Allreduce layer="mpi" kind="communicate" name="MPI_Allreduce"')
print('[1s] dltrace_proc:function function=send layer="network" kind="transfer" name="send"')
print('[1s] dltrace_proc:object process=1 type=7 id=9 handle=1 values=[2 2 0 0xabc 1]')
for ms, ns in [(t, '1ms') for t in (1000, 2000, 3000)] + [(t, '2ms') for t in range(9700, 11500, 100)]:
    print(at(ms), f'dltrace_comm:call thread=1 function=MPI_Allreduce library=1 communicator=9 peer=-1 bytes=1024 duration={ns}')
for ms in (9800, 10800, 11200, 13000):
    print(at(ms), 'dltrace_comm:call thread=1 function=send library=1 bytes=10 duration=1us')
print(at(13000), 'dltrace_gpu:copy process=1 caller=1 called=13s begin=14s duration=3ms size=1M direction=2')
def alloc(ms, size, ptr): print(at(ms), f'dltrace_cuda:alloc thread=1 function=cudaMalloc library=1 memory=0 duration=1us ptr={ptr} size={size}')
def free(ms, size, ptr): print(at(ms), f'dltrace_cuda:free thread=1 function=cudaFree library=1 owner=1 memory=0 duration=1us ptr={ptr} size={size}')
alloc(1500, '8M', 4096)
alloc(2000, '100M', 99999744)
free(3000, '100M', 99999744)
alloc(9500, '16M', 33554432)
for ms in list(range(500, 3000, 100)) + list(range(9600, 11400, 200)):
    print(at(ms), f'dltrace_file:open thread=1 library=1 path={ms} folder=7 size=1000')
GPU
} >"$TMP/trace"
report_text --jobs 1 <"$TMP/trace"
phases='"start-up", "compilation", "steady", "end"'
same "phases" "[$(echo "$phases" | tr '"' "'")]" "$(json '[p["phase"] for p in rows("phases", process=1)]')"

# The GPU's own work: a layer of phase_functions, as of breakdown.
same "work of the GPU" "[[0, 0, 36, 1], [0, 0, 72000000, 3000000]]" \
	"$(json '[[p[c] for p in r["phases"]] for c in ("gpu_runs", "gpu_run_ns")]')"
same "kernels on the GPU" "[('steady', 36, 72000000)]" \
	"$(json '[(f["phase"], f["calls"], f["outer_ns"]) for f in rows("phase_functions", layer="gpu", function="conv(float*)")]')"
same "copies on the GPU" "[('end', 1048576)]" \
	"$(json '[(f["phase"], f["bytes"]) for f in rows("phase_functions", layer="gpu", kind="copy")]')"
same "their phase" "steady end" "$(json '" ".join(b["phase"] for b in rows("breakdown", layer="gpu"))')"

# Kernels by the calls that launched them.
same "launches" "[('fill(float*)', 'start-up', 30), ('fill(float*)', 'steady', 5)]" \
	"$(json '[(k["kernel"], k["phase"], k["launches"]) for k in rows("phase_kernels", kernel="fill(float*)")]')"
same "launches that train" True "$(json 'sum(k["launches"] for k in rows("phase_kernels", kernel="conv(float*)", phase="steady")) == 80')"
same "all launches" True "$(json 'all(sum(p[c] for p in rows("phase_kernels", kernel=k["kernel"])) == k[c] for k in r["kernels"] for c in ("launches", "captured", "total_ns"))')"

# Memory: what was there when the phase began, the peak in it, and what was left.
memory() { json "[(m['phase'], m['begin_bytes'], m['peak_bytes'], m['end_bytes']) for m in rows('phase_memory', process=1, memory='$1', library=$2)]"; }
M=1048576
same "GPU memory" "[('start-up', None, $((108 * M)), $((8 * M))), ('compilation', $((8 * M)), $((24 * M)), $((24 * M))), ('steady', $((24 * M)), $((24 * M)), $((24 * M))), ('end', $((24 * M)), $((24 * M)), $((24 * M)))]" "$(memory gpu None)"
same "by library" "$(memory gpu None)" "$(memory gpu '"libtorch_cpu.so"')"
same "by kind" "$(memory gpu None)" "$(memory device None)"
same "its peaks" "[$((108 * M)), $((24 * M)), $((24 * M)), $((24 * M))]" "$(json '[p["gpu_peak_bytes"] for p in r["phases"]]')"
same "the heap's peaks" "$(json '[m["peak_bytes"] for m in rows("phase_memory", memory="heap", process=1)]')" "$(json '[p["heap_peak_bytes"] for p in r["phases"]]')"
same "the largest of them" "$(json 'peak("heap_bytes", 1)')" "$(json 'max(p["heap_peak_bytes"] for p in r["phases"])')"

same "imports" "[3, 0, 1, 0]" "$(json '[p["packages"] for p in r["phases"]]')"
same "files" "[[25, 0, 9, 0], [25000, 0, 9000, 0]]" "$(json '[[p[c] for p in r["phases"]] for c in ("file_opens", "file_bytes")]')"

# In the same words for every framework; the shares of a phase add up.
same "kinds on the GPU" "[('steady', 'compute', 1), ('end', 'copy', 1)]" \
	"$(json '[(k["phase"], k["kind"], k["share"]) for k in rows("phase_kinds", where="gpu")]')"
same "shares" "{1.0}" "$(json '{float(round(sum(k["share"] for k in r["phase_kinds"] if (k["phase"], k["where"]) == (p, "host")), 9)) for p in ("start-up", "compilation", "steady")}')"
same "launching" True "$(json '{"start-up", "steady"} <= {k["phase"] for k in rows("phase_kinds", kind="launch")}')"
same "all launching" True "$(json 'sum(k["self_ns"] for k in rows("phase_kinds", kind="launch")) == sum(k["self_ns"] for k in rows("kinds", kind="launch"))')"

# No totals say what ran inside of launches: it stays with them, and may be another's.
same "what is nested" True "$(json 'sum(k["self_ns"] for k in rows("phase_kinds", kind="launch")) == 115 * 10000')"
same "in whatever it was" True "$(json 'sum(f["self_error_ns"] for f in rows("phase_functions", kind="launch")) == 115 * 4000')"

# The same sums again, by layer, by calling library and as shares of each function.
same "shares of each layer" "{1.0}" "$(json '{float(round(sum(s["share"] for s in r["phase_shares"] if (s["phase"], s["framework"], s["layer"]) == one), 9)) for one in {(s["phase"], s["framework"], s["layer"]) for s in r["phase_shares"]}}')"
same "which" "$(json 'sorted((f["phase"], f["calls"]) for f in rows("phase_functions", function="cudaLaunchKernel"))')" \
	"$(json 'sorted((s["phase"], s["calls"]) for s in rows("phase_shares", function="cudaLaunchKernel"))')"
same "products" "$(json 'sum(f["outer_ns"] for f in rows("phase_functions", function="sgemm_"))')" "$(json 'sum(s["outer_ns"] for s in rows("phase_shares", function="sgemm_"))')"
for table in phase_layers phase_libraries; do
	same "the time of $table" True "$(json 'all(sum(x["self_ns"] for x in rows("'$table'", phase=p, where=w)) == sum(x["self_ns"] for x in rows("phase_kinds", phase=p, where=w)) for p in ("start-up", "steady", "end") for w in ("host", "gpu"))')"
done
same "libraries" "['libtorch_cpu.so']" "$(json 'sorted({x["library"] for x in rows("phase_libraries", where="host")})')"
same "layers" "['blas', 'mpi', 'runtime', 'network']" "$(json '[x["layer"] for x in rows("phase_layers", phase="steady", where="host")]')"
"$REPORT" -q -f json --min-share 90 "$TMP/trace.txt" >few.json
same "what is small" '["MPI_Allreduce","conv(float*)","cudaLaunchKernel","send","sgemm_"]' "$(jq -c '[.phase_shares[] | select(.phase == "steady") | .function] | unique' few.json)"
same "the rest" '[["other",3]]' "$(jq -c '[.phase_shares[] | select(.phase == "start-up" and .layer == null) | [.function, .calls]]' few.json)"

# How busy the GPU was in each; what goes over a communicator.
same "the GPU's work" "[('steady', 36, 72000000), ('end', 1, 3000000)]" \
	"$(json '[(g["phase"], g["runs"], g["run_ns"]) for g in r["phase_gpu_work"]]')"
same "all of its time" True "$(json 'sum(g["busy_ns"] for g in r["phase_gpu_work"]) == r["gpu_work"][0]["busy_ns"] > 70e6')"
same "a share of the phase" True "$(json 'all(abs(g["busy_share"] - g["busy_ns"] / row("phases", phase=g["phase"])["duration_ns"]) < 1e-6 for g in r["phase_gpu_work"])')"
same "communication" "[('steady', 23, 18482, 36005000), ('start-up', 3, 3072, 3000000)]" \
	"$(json '[(c["phase"], c["calls"], c["bytes"], c["total_ns"]) for c in rows("phase_communication", communicator="MPI_COMM_WORLD")]')"
same "sockets" "[('steady', 3), ('end', 1)]" "$(json '[(c["phase"], c["calls"]) for c in rows("phase_communication", layer="network")]')"
same "all communication" True "$(json 'all(sum(p[c] for p in rows("phase_communication", function=k["function"])) == k[c] for k in r["communication"] for c in ("calls", "bytes", "total_ns"))')"

cp "$TMP/r.json" whole.json
for jobs in 2 3 7; do
	"$REPORT" -q -f json --jobs $jobs "$TMP/trace.txt" >parts.json || fail "no report in $jobs parts"
	cmp whole.json parts.json || fail "$jobs parts make another report"
done

# In every format of tables.
"$REPORT" -q "$TMP/trace.txt" -o t.csv/ -o t.md -o t.tex -o t.html -o t.sqlite
for table in phase_functions phase_kernels phase_memory phase_kinds phase_layers phase_libraries phase_shares phase_communication phase_gpu_work; do
	[ "$(wc -l <t.csv/$table.csv)" -gt 2 ] || fail "$table: not as CSV"
	case $table in
	phase_layers | phase_libraries | phase_shares) ;;	# the page adds them up from phase_functions
	*) grep -q "\"$table\"" t.html || fail "$table: not in the page" ;;
	esac
	"$REPORT" -q --table $table "$TMP/trace.txt" | grep -q steady || fail "$table: not as text"
done
for title in "Calls by phase" "Kernels by phase" "Memory by phase" "Time by kind and phase" "Time by layer and phase" "Time by library and phase" "Shares of time by phase" "Communication by phase" "Work of the GPU by phase"; do
	grep -q "$title" t.md || fail "$title: not in Markdown"
	grep -q "$title" t.tex || fail "$title: not in LaTeX"
done

"$REPORT" -q "$TMP/trace.txt" >t.txt
sed -n '/^Time by phase/,/^$/p' t.txt | sed '1d;$d' | tr -s ' ' >section
grep -q '^ library layer start-up compilation steady end$' section || fail "phases have no heading: $(cat section)"
grep -q '^ libtorch_cpu.so CUDA runtime 300 µs 850 µs$' section || fail "not by phase: $(cat section)"
grep -q '^ (busy) GPU 72.0 ms 3.00 ms$' section || fail "the GPU is not among them: $(cat section)"

# A thread that is announced late: what it launched before is its process's all the same.
sed 's/^\[1s\] dltrace_proc:object process=1 type=1 id=1 .*/&\n[1005ms] dltrace_cuda:launch thread=9 function=cudaLaunchKernel library=1 shape=13 duration=10us\n[2s] dltrace_proc:thread process=1 thread=9 tid=109 begin=1s/' "$TMP/trace" >late
cp late "$TMP/trace"
report_text <"$TMP/trace"
same "before its announcement" 36 "$(json 'row("kernels", kernel="fill(float*)")["launches"]')"

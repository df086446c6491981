# SPDX-License-Identifier: MIT
# Filters by process, host, framework, layer; two traces in one report.
. "$top_srcdir/tests/lib.sh"
cat >trace <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="a" exe="/usr/bin/python3"
[1s] dltrace_proc:library process=1 library=1 path="/lib/libtorch_cpu.so"
[1s] dltrace_proc:process process=2 pid=101 begin=1s host="b" exe="/bin/train" rank=3 ranks=4
[1s] dltrace_proc:library process=2 library=1 path="/lib/libmxnet.so"
[1s] dltrace_proc:function function=cudaFree layer="runtime" kind="allocate" name="cudaFree"
[1s] dltrace_proc:function function=sgemm_ layer="blas" kind="compute" name="sgemm_"
[2s] dltrace_cuda:free thread=1 function=cudaFree library=1 duration=1ms
[2s] dltrace_cuda:free thread=2 function=cudaFree library=1 duration=2ms
[2s] dltrace_cpu:blas thread=2 function=sgemm_ library=1 duration=4ms
[3s] dltrace_sample:process process=1 time=3s threads=1 rss_anon=1M
[3s] dltrace_sample:process process=2 time=3s threads=2 rss_anon=2M
END
chosen() {
	report_text "$@" <trace
	json 'sorted(b["total_ns"] // 10**6 for b in r["breakdown"])'
}
same all "[1, 2, 4]" "$(chosen)"
same "by pid" "[2, 4]" "$(chosen --process 101)"
same "the run is what is chosen" 2097152 "$(json 'int(peak("rss_bytes"))')"
same "by name" "[1]" "$(chosen --process 'pyth*')"
same "by host" "[2, 4]" "$(chosen --host b)"
same "by framework" "[1]" "$(chosen --framework pytorch)"
same "by layer" "[4]" "$(chosen --layer blas)"
same "by a pattern of layers" "[4]" "$(chosen --layer 'bl*')"
exits 0 "$REPORT" --host b "$TMP/trace.txt"
same "nothing to say" "" "$(cat err)"

# nothing LINE OPTION...: nothing is chosen by them, and so no report made; a line says what there is, with -q, too
nothing() {
	line=$1
	shift
	for quiet in "" -q; do
		exits 2 "$REPORT" $quiet "$@" "$TMP/trace.txt" -o - -o nothing.json -o nothing.pftrace
		says "^dltrace-report: $line$"
		says_one_line
		same "a report" "" "$(cat out; ls nothing* 2>/dev/null || :)"
	done
}
nothing '--host c: no such host; there are a, b' --host c
nothing '--process 7: no such process; there are python3 (pid 100), train (pid 101)' --process 7
nothing '--rank 1-2: no such rank; there is 3' --rank 1-2
nothing 'not one process is chosen by --process 101 --host a' --process 101 --host a
nothing '--framework foo: no such framework; there are MXNet, PyTorch' --framework foo
nothing '--function foo: no such function; there are cudaFree, sgemm_' --function foo
nothing '--layer foo: no such layer; there are blas, runtime' --layer foo
nothing '--function foo: no such function; there are .*' --function foo --layer blas
nothing 'not one call is chosen by --framework pytorch --layer blas' --framework pytorch --layer blas
nothing '--label nosuch:a=b: no trace has a path that matches; there is .*/trace.txt' --label nosuch:a=b
nothing ".*/trace.txt: --from is after its end at 2.00 s" --from 2500ms
exits 0 "$REPORT" --label 'tra*:a=b' --framework pytorch --layer 'run*' "$TMP/trace.txt"
same "nothing to say of what is chosen" "" "$(cat err)"

# Of several traces one that nothing is chosen from is only told of.
sed 's/^\[3s\]/[9s]/' trace >longer.txt
exits 0 "$REPORT" --from 2500ms longer.txt "$TMP/trace.txt"
says "trace.txt: --from is after its end"
says_one_line
exits 0 "$REPORT" -q --from 2500ms longer.txt "$TMP/trace.txt"
same "with -q" "" "$(cat err)"

cp trace second
cp trace "$TMP/trace.txt"
"$REPORT" -q -f json trace second >"$TMP/r.json"
same "ids are unique" "[(0, 1), (0, 2), (1, 3), (1, 4)]" "$(json '[(p["trace"], p["process"]) for p in r["processes"]]')"
same "shares by trace" "[0, 0, 0, 1, 1, 1]" "$(json '[s["trace"] for s in r["shares"]]')"

# A call that returns after --to does not hang.
hang() {
	report_text "$@" <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"
[1s] dltrace_proc:function function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel duration=1ms
[5s] dltrace_sample:thread thread=1 time=5s function=cudaLaunchKernel since=2500ms
[6s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel duration=3500ms
[7s] dltrace_proc:exit process=1 how=0 code=1
END
	json '[f["kind"] for f in r["failures"]]'
}
same "whole" "['exit']" "$(hang)"
same "until 5.5 s" "['exit']" "$(hang --to=4500ms)"

# What began before --from holds there, and the last level until --to, also where nothing changes in between.
levels() {
	report_text "$@" <<'EOF'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" heap=0 exe="/usr/bin/work"
[1s] dltrace_proc:process process=2 pid=101 begin=1s host="h" heap=0 exe="/usr/bin/short"
[1s] dltrace_proc:thread thread=3 process=1 tid=102
[2s] dltrace_sample:machine host="h" cpus=2 memory=4G available=3G busy=[1000 1000]
[2s] dltrace_sample:process process=1 time=2s threads=2 rss_anon=1M
[3s] dltrace_proc:exit process=2 how=0 code=0
[9s] dltrace_sample:machine host="h" cpus=2 memory=4G available=1G busy=[2000 2000]
[9s] dltrace_sample:process process=1 time=9s threads=3 rss_anon=2M
[10s] dltrace_proc:exit process=1 how=0 code=0
EOF
	json 'sorted((s["name"], s["process"] or 0, [[t / 1e9, float(v)] for t, v in s["points"]], round(s["mean"], 2))
		for s in r["series"] if s["name"] in ("threads", "ram_percent"))' | tr '\n' ' '
}
same "between two changes" "[('ram_percent', 0, [[3.0, 25.0], [7.0, 25.0]], 25), ('threads', 0, [[3.0, 2.0], [7.0, 2.0]], 2), ('threads', 1, [[3.0, 2.0], [7.0, 2.0]], 2)] " \
	"$(levels --from 3s --to 7s)"
same "across one" "[('ram_percent', 0, [[7.0, 25.0], [8.0, 75.0], [8.5, 75.0]], 41.67), ('threads', 0, [[7.0, 2.0], [8.0, 3.0], [8.5, 3.0]], 2.33), ('threads', 1, [[7.0, 2.0], [8.0, 3.0], [8.5, 3.0]], 2.33)] " \
	"$(levels --from 7s --to 8500ms)"

# Processes and threads are those that lived then.
lived() {
	report_text "$@" <<'EOF'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" heap=0 exe="/usr/bin/work"
[2s] dltrace_proc:thread thread=2 process=1 tid=101 begin=2s
[3s] dltrace_proc:thread_end thread=2 cpu=1s
[4s] dltrace_proc:process process=3 pid=103 begin=4s host="h" heap=0 exe="/usr/bin/late"
[5s] dltrace_proc:thread thread=4 process=3 tid=104 begin=5s
[9s] dltrace_proc:exit process=3 how=0 code=0
[10s] dltrace_proc:exit process=1 how=0 code=0
EOF
	json '"%s %s" % ([p["pid"] for p in r["processes"]], sorted(t["tid"] for t in r["threads"]))'
}
same "all that lived" "[100, 103] [100, 101, 103, 104]" "$(lived)"
same "none left out" "[]" "$(json '[x["text"] for x in rows("limits", kind="filtered")]')"
same "in the first half second" "[100] [100]" "$(lived --to 500ms)"
same "which is said" "0 calls and 1 process outside of --from and --to are left out; within them only calls that are events count, not the library's own totals" \
	"$(json 'row("limits", kind="filtered")["text"]')"
same "later" "[100, 103] [100, 103, 104]" "$(lived --from 3500ms --to 5s)"
same "at the end" "[100] [100]" "$(lived --from 8500ms)"

# The axis of time is that of the part: text, and figures.
levels --from 3s --to 7s >/dev/null
"$REPORT" -q --width 80 --from 3s --to 7s "$TMP/trace.txt" >out
grep -qx '  threads         █\{32\}         2       2.0         2' out || fail "not in all columns: $(grep '^  threads  ' out)"
grep -qx '                  3.00 s *7.00 s' out || fail "another axis: $(grep '^ *[0-9.]* s' out)"

# SPDX-License-Identifier: MIT
# Filters by process, host, framework, layer; two traces in one report.
. "$top_srcdir/tests/lib.sh"
cat >trace <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="a" exe="/usr/bin/python3"
[1s] dltrace_proc:library process=1 library=1 path="/lib/libtorch_cpu.so"
[1s] dltrace_proc:process process=2 pid=101 begin=1s host="b" exe="/bin/train"
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
same "nothing there" "[]" "$(chosen --host c)"
same "and that is said" "only 0 of 2 processes are told of: --host c" "$(json 'row("limits", kind="filtered")["text"]')"
"$REPORT" --host c "$TMP/trace.txt" >/dev/null 2>err
grep -q '^dltrace-report: not one process is chosen by --process, --host and --rank' err || fail "not said: $(cat err)"
"$REPORT" --host b "$TMP/trace.txt" >/dev/null 2>err
same "nothing to say" "" "$(cat err)"
"$REPORT" --from 2500ms "$TMP/trace.txt" >/dev/null 2>err
same "after the end" "dltrace-report: $TMP/trace.txt: --from is after its end at 2 s" "$(sed 's/2.00 s/2 s/' err)"

# nothing WORDS...: that nothing is chosen by them is said in a line, which begins so
nothing() {
	exits 0 "$REPORT" "$@" "$TMP/trace.txt"
	says_one_line
}
for words in '--framework foo' '--function foo' '--layer foo' '--function foo --layer blas'; do
	nothing $words
	says "^dltrace-report: not one call is chosen by $words; the table breakdown of a report without it has all$"
done
nothing --label nosuch:a=b
says "^dltrace-report: --label nosuch:a=b: no trace has a path that matches$"
exits 0 "$REPORT" --label 'tra*:a=b' --framework pytorch --layer 'run*' "$TMP/trace.txt"
same "nothing to say of what is chosen" "" "$(cat err)"

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

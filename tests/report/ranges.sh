# SPDX-License-Identifier: MIT
# What a program names itself: by name, with epochs and steps that last until the next, ticks.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3"
[1s] dltrace_proc:thread thread=2 process=1 tid=101 begin=1s name="loader"
[1s] dltrace_mark:range thread=1 begun_by=1 kind=4 domain="dltrace" name="epoch" payload_type=2 payload=1
[1s] dltrace_mark:range thread=1 begun_by=1 kind=5 domain="dltrace" name="step" payload_type=2 payload=1
[1200ms] dltrace_mark:range thread=1 begun_by=1 kind=1 depth=1 duration=50ms name="forward" inside=[0x0300000000000002 10ms 0x0400000000000001 15ms 0x6300000000000001 1 5]
[1400ms] dltrace_mark:range thread=1 begun_by=1 kind=1 depth=0 duration=300ms name="batch\x1b[31m"
[1500ms] dltrace_mark:range thread=1 begun_by=1 kind=5 domain="dltrace" name="step" payload_type=2 payload=2 inside=[0x0600000000000007 100ms]
[1600ms] dltrace_mark:range thread=2 begun_by=2 kind=1 duration=20ms name="forward"
[1700ms] dltrace_mark:range thread=2 begun_by=1 kind=2 duration=100ms domain="torch" name="forward"
[1800ms] dltrace_mark:range thread=1 begun_by=1 kind=3 name="saved"
[2s] dltrace_mark:range thread=1 begun_by=1 kind=4 domain="dltrace" name="epoch" payload_type=2 payload=2
[2300ms] dltrace_mark:range thread=1 begun_by=1 kind=5 domain="dltrace" name="step" payload_type=2 payload=1
[2500ms] dltrace_mark:range thread=1 begun_by=1 kind=1 open=1 duration=1100ms name="forward"
[2500ms] dltrace_mark:range thread=9 begun_by=9 kind=1 duration=5ms name="forward"
[2500ms] dltrace_mark:range thread=1 begun_by=1 kind=99 duration=5ms name="from a later version"
[2600ms] dltrace_proc:thread thread=9 process=1 tid=109 begin=1s name="late"
[3s] dltrace_proc:exit process=1 how=0 code=0 events=14
END
same "epochs" "2 2000000000 1" "$(json '"%(count)d %(total_ns)d %(open)d" % row("ranges", name="epoch")')"
same "steps, none between epochs" "3 1700000000" "$(json '"%(count)d %(total_ns)d" % row("ranges", name="step")')"
same "one name in three threads, one of them announced late" "4 1175000000 1 1 None" \
	"$(json '"%(count)d %(total_ns)d %(nested)d %(open)d %(thread)s" % row("ranges", name="forward", kind="push-pop")')"
same "a domain's are its own" "1 100000000 1" "$(json '"%(count)d %(total_ns)d %(thread)s" % row("ranges", name="forward", domain="torch")')"
same "share of its life" 0.15 "$(json 'row("ranges", name="batch\x1b[31m")["share_of_wall"]')"
same "moments have no time" None "$(json 'row("ranges", name="saved")["total_ns"]')"
same "unknown kinds are left out" 6 "$(json 'len(r["ranges"])')"
same "ticks" "1 2" "$(json '" ".join(str(m["number"]) for m in rows("marks", kind="epoch"))')"
same "iterations" "3 1" "$(json '"%d %d" % (r["iterations"][0]["count"], r["iterations"][0]["epochs"][1]["begin_ns"] == 1000000000)')"

same "calls inside" "launch 2 10000000, synchronise 1 15000000" \
	"$(json '", ".join(sorted("%(calls_kind)s %(calls)d %(total_ns)d" % x for x in rows("range_calls", name="forward")))')"
same "calls inside a step" "compute 7 100000000" "$(json '"%(calls_kind)s %(calls)d %(total_ns)d" % row("range_calls", name="step")')"

"$REPORT" -q "$TMP/trace.txt" >text
grep -q 'torch: forward  *start-end  *1 ' text || fail "no range of a domain: $(cat text)"
grep -q "$(printf '\033')" text && fail "control characters reach the terminal"
"$REPORT" -q --from 1s "$TMP/trace.txt" -f json >later.json
same "from a moment on" '["forward"]' "$(jq -c '[.ranges[] | select(.kind == "push-pop") | .name]' later.json)"

# Of several processes each row says whose it is.
grep -q 'torch: forward.*(100)' text && fail "one process is named in each row: $(cat text)"
{
	cat "$TMP/trace.txt"
	echo '[1s] dltrace_proc:process process=20 pid=200 begin=1s host="h" exe="/usr/bin/python3"'
	echo '[1700ms] dltrace_mark:range thread=20 begun_by=20 kind=2 duration=100ms domain="torch" name="forward"'
} >several.txt
"$REPORT" -q several.txt >text
same "whose" "1 1" "$(grep -c 'torch: forward.*python3 (100)' text) $(grep -c 'torch: forward.*python3 (200)' text)"

# TSL's ranges say in their names what they are about: one name, but for those that have a name in it.
annotated() {
	echo "[$1ms] dltrace_mark:range thread=1 begun_by=1 kind=1 duration=10ms domain=\"TSL\" name=\"$2\""
}
{
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3"'
	annotated 1100 'XlaCompile:#module=jit_step,program_id=3#'
	annotated 1200 'XlaCompile:#module=jit_loss,program_id=4#'
	annotated 1300 'XlaPass:#name=dce,module=jit_step,program_id=3#'
	annotated 1400 'XlaPass:#name=dce,module=jit_loss,program_id=4#'
	annotated 1500 'XlaPass:#name=remove-no-op-reduce-precision-algebraic-simplifier,module=jit__threefry_seed,program_id=6'
	annotated 1600 'issue #12=a'
	annotated 1700 '#a=1#'
	annotated 1800 'C#'
	annotated 1900 'a#b'
	awk 'BEGIN { for (i = 0; i < 5000; i++)
		printf "[2s] dltrace_mark:range thread=1 begun_by=1 kind=1 duration=1us domain=\"TSL\" name=\"Thunk:#hlo=f%d#\"\n", i }'
	annotated 2100 'last'
} | report_text
same "names without what they are about" "#a=1# 1|C# 1|Thunk 5000|XlaCompile 2|XlaPass: dce 2|XlaPass: remove-no-op-reduce-precision-algebraic-simplifier 1|a#b 1|issue #12=a 1|last 1" \
	"$(json '"|".join(sorted("%(name)s %(count)d" % x for x in r["ranges"]))')"
"$REPORT" --dump "$TMP/trace.txt" | grep -q 'XlaCompile:#module=jit_loss' || fail "no full names in a dump"

# Of a trace's marks 4,000 of a kind are kept: what is left out is said, and no epoch is made longer by it.
python3 - >many.txt <<'END'
print('dltrace-text 1')
for p in 1, 2:
    print(f'[1s] dltrace_proc:process process={p} pid={99 + p} begin=1s host="h" exe="/usr/bin/python3"')
mark = lambda p, kind, n: print(f'[{at}ms] dltrace_mark:range thread={p} begun_by={p} kind={kind} payload={n}')
at = 2000
for epoch in range(3990):
    mark(2, 4, epoch)
    at += 1
for epoch in range(20):
    mark(1, 4, epoch)
    for step in range(10):
        mark(1, 5, step)
        at += 5
print(f'[{at}ms] dltrace_proc:exit process=1 how=0 code=0')
END
report_text <many.txt
same "epochs whose end is known" "$(python3 -c 'print([(n, 50000000, 10) for n in range(9)])')" \
	"$(json '[(e["epoch"], e["end_ns"] - e["begin_ns"], e["iterations"]) for e in rows("epochs", process=1)]')"
same "all of them, and their steps" "20 200 200 iterations in 20 epochs, 5.00 ms each (median)" \
	"$(json '"%(epoch_count)d %(count)d %(text)s" % row("iterations", process=1)')"
same "what is left out" "10 marks are not in the table marks, which has 4000 of a kind
python3 (pid 100): the last 11 of 20 epochs are only counted: of a trace's marks 4000 are kept" \
	"$(json '"\n".join(x["text"] for x in rows("limits", kind="truncated"))')"

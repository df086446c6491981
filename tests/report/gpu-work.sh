# SPDX-License-Identifier: MIT
# What the GPU did: work by name in layer "gpu", busy time as the union over streams, pauses, and
# what is missing.
. "$top_srcdir/tests/lib.sh"

report_text <<'T'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"
[1100ms] dltrace_proc:object process=1 type=5 id=1 name="_Z5scalePfi"
[1100ms] dltrace_proc:object process=1 type=11 id=2 handle=0 name="first name"
[1200ms] dltrace_proc:object process=1 type=11 id=3 handle=0 name="trainer"
[1200ms] dltrace_proc:object process=1 type=10 id=4 handle=1 name="a stream"
[2s] dltrace_gpu:kernel process=1 caller=1 called=1199ms begin=1200ms duration=100ms kernel=1 stream=1
[2s] dltrace_gpu:kernel process=1 caller=1 called=1249ms begin=1250ms duration=100ms kernel=1 stream=2
# told late, and a name that nobody said
[2s] dltrace_gpu:kernel process=1 caller=0 called=0 begin=1100ms duration=20ms kernel=2 stream=1
[2s] dltrace_gpu:copy process=1 caller=1 called=1390ms begin=1400ms duration=10ms size=1M direction=1
[2s] dltrace_gpu:copy process=1 caller=1 called=1390ms begin=1800ms duration=10ms size=1K direction=5
[2s] dltrace_gpu:sync process=1 caller=1 begin=1800ms duration=10ms type=3
# another device
[2s] dltrace_gpu:copy process=1 caller=1 called=1390ms begin=1405ms duration=10ms size=1K direction=3 device=1
[1500ms] dltrace_gpu:gap process=1 reason=4 kinds=9 begin=1450ms text="another profiler has CUPTI"
[1700ms] dltrace_gpu:gap process=1 reason=4 kinds=9 begin=1450ms end=1700ms clock_error=210 text="another profiler has CUPTI"
[2500ms] dltrace_gpu:gap process=1 reason=6 kinds=31 records=7 version=28
[2900ms] dltrace_gpu:gap process=1 reason=0 records=6 clock_error=321 version=28 text="1 without a time, 0 odd"
[3s] dltrace_proc:exit process=1 how=0 events=17
T

same "kernel by name" "2 200000000 200000000 100000000" \
	"$(json '"%(calls)d %(total_ns)d %(outer_ns)d %(max_ns)d" % row("breakdown", layer="gpu", function="scale(float*, int)")')"
same "share of the layer" "200 of 250" "$(json '"%g of 250" % round(250 * row("breakdown", function="scale(float*, int)")["share"])')"
same "unnamed kernel" 1 "$(json 'row("breakdown", layer="gpu", function="kernel 2")["calls"]')"
same "copy" "1048576" "$(json 'row("breakdown", layer="gpu", function="copy host to device")["bytes"]')"
same "kinds" "compute copy copy" "$(json '" ".join(row("breakdown", layer="gpu", function=f)["kind"] for f in ("kernel 2", "set", "copy device to device"))')"
same "first call" "200000000" "$(json 'row("breakdown", function="scale(float*, int)")["first_call_ns"]')"

# 1100..1120, 1200..1350, 1400..1410, 1800..1810: 190 ms of 710
same "busy" "190000000" "$(json 'row("gpu_work", device=0)["busy_ns"]')"
same "busy share" "$(python3 -c 'print(round(190 / 710, 6))')" "$(json 'round(row("gpu_work", device=0)["busy_share"], 6)')"
same "of wall" "0.095" "$(json 'row("gpu_work", device=0)["share_of_wall"]')"
same "gaps" "3 520000000 390000000" "$(json '"%(idle_gaps)d %(idle_ns)d %(longest_idle_ns)d" % row("gpu_work", device=0)')"
same "counts" "3 1 1 220000000 1 321" "$(json '"%(kernels)d %(copies)d %(sets)d %(kernel_ns)d %(unattributed)d %(clock_error_ns)d" % row("gpu_work", device=0)')"
same "the other device" "10000000" "$(json 'row("gpu_work", device=1)["busy_ns"]')"
same "names by NVTX" "['trainer', None]" "$(json '[row("gpu_work", device=d).get("name") for d in (0, 1)]')"
same "wait" "$(python3 -c 'print((1 + 1 + 10 + 410) * 1000000 // 4)')" "$(json 'row("gpu_work", device=0)["mean_wait_ns"]')"
# percent of each 100 ms
same "curve" "100 20" "$(json '"%s %s" % (peak("gpu_busy_percent", 1), dict(map(tuple, points("gpu_busy_percent", 1)))[200000000])')"
same "nothing lost" 0 "$(json 'r["traces"][0]["lost"]')"

json '"\n".join(x["text"] for x in r["limits"])' >limits
grep -q 'from 450 ms to 700 ms is missing (another profiler has CUPTI): kernels, synchronisations$' limits || fail "no gap: $(cat limits)"
grep -q '7 records of the GPU.s work found no room' limits || fail "nothing lost: $(cat limits)"
grep -q 'by at most 321 ns (CUPTI 28)' limits || fail "no clock error: $(cat limits)"
grep -q 'CUPTI told 1 without a time, 0 odd' limits || fail "no account: $(cat limits)"

same "in copies and sets" 20000000 "$(json 'row("gpu_work", device=0)["copy_ns"]')"

# A pause of less than 10 us is none; gaps of one reason are told together; a wait is known where the call is.
report_text <<'T'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"
[2s] dltrace_gpu:kernel process=1 caller=1 called=1s begin=1200ms duration=100us kernel=1
[2s] dltrace_gpu:kernel process=1 caller=0 called=0 begin=1200109us duration=100us kernel=1
[2s] dltrace_gpu:kernel process=1 caller=1 called=1s begin=1200219us duration=100us kernel=1
[2s] dltrace_gpu:gap process=1 reason=4 kinds=9 begin=1450ms end=1500ms text="another profiler has CUPTI"
[2s] dltrace_gpu:gap process=1 reason=4 kinds=9 begin=1550ms end=1600ms text="another profiler has CUPTI"
T
same "short pauses" "1 10000" "$(json '"%(idle_gaps)d %(idle_ns)d" % row("gpu_work", device=0)')"
same "waits that are known" 200109500 "$(json 'int(row("gpu_work", device=0)["mean_wait_ns"])')"
gaps() {
	json '[(x["text"].split(": ", 1)[1], x["value"]) for x in r["limits"] if "is missing (" in x["text"]]'
}
same "two gaps" "[(\"of the GPU's work from 450 ms to 600 ms, in 2 pieces, is missing (another profiler has CUPTI): \
kernels, synchronisations\", 100000000)]" "$(gaps)"
# Another profiler takes one kind after the other, and gives them back so.
report_text <<'T'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"
[8s] dltrace_gpu:gap process=1 reason=4 kinds=63 begin=7600000us end=7600100us text="another profiler has CUPTI"
[8s] dltrace_gpu:gap process=1 reason=5 kinds=1 begin=7600050us end=7600090us text="nobody asked"
[8s] dltrace_gpu:gap process=1 reason=4 kinds=43 begin=7600103us end=7600200us text="another profiler has CUPTI"
[8s] dltrace_gpu:gap process=1 reason=4 kinds=40 begin=7600205us text="another profiler has CUPTI"
[9s] dltrace_gpu:gap process=1 reason=4 kinds=40 begin=7600205us end=8399990us text="another profiler has CUPTI"
[9s] dltrace_gpu:gap process=1 reason=4 kinds=44 begin=8400000us text="another profiler has CUPTI"
[9075ms] dltrace_proc:exit process=1 how=0
T
same "a gap of many" "[(\"of the GPU's work from 6.60000 s to 8.07500 s (the end) is missing (another profiler has CUPTI): \
synchronisations, copies between GPUs; kernels, copies for 197 µs of it; sets for 675 ms of it; the calls that launched \
them for 100 µs of it\", 1474982000), \
(\"of the GPU's work from 6.600050 s to 6.600090 s is missing (nobody asked): kernels\", 40000)]" "$(gaps)"

# Many pieces, backwards: the same union.
{
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"'
	awk 'BEGIN { for (i = 0; i < 9000; i++) { j = i % 2 ? i - 1 : i + 1;
		printf "[20s] dltrace_gpu:kernel process=1 caller=1 called=1s begin=%dus duration=600us kernel=1\n", 1000000 + j * 1000 } }'
} >many.txt
report_text <many.txt
same "union of many" "5400000000 8999" "$(json '"%(busy_ns)d %(idle_gaps)d" % row("gpu_work", device=0)')"
# One that is told when 6144 of them are counted for good, up to 7143.6 ms: only what lies behind is more.
echo '[101s] dltrace_gpu:kernel process=1 caller=1 called=1s begin=1s duration=100s kernel=1' >>many.txt
report_text <many.txt
same "a late one" "$((6144 * 600000 + 101000000000 - 7143600000))" "$(json '"%(busy_ns)d" % row("gpu_work", device=0)')"
"$REPORT" -q "$TMP/trace.txt" >text || fail "no text"
grep -q 'Time in GPU .* on all streams' text || fail "no GPU: $(cat text)"
! grep -q '(unknown).*GPU' text || fail "the GPU's time is added to that of calls"

# Times that cannot be, as of a kernel of 63 years: the piece is left out, the others are not; one that lasted for as
# long as the trace says is counted in steps.
cat >odd.txt <<'T'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"
[1s] dltrace_proc:function function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"
[2s] dltrace_gpu:kernel process=1 caller=1 begin=1500ms duration=100ms kernel=1
[2s] dltrace_gpu:kernel process=1 begin=1s duration=2000000000s kernel=1
[2s] dltrace_gpu:copy process=1 begin=1s duration=0xffffffffffffffff direction=1
[2s] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 duration=1us
T
timeout -k 5 20 "$REPORT" -q odd.txt -o "$TMP/r.json" -o odd.trace.json || fail "status $? of a kernel of 63 years"
same "the one that can be" "1 100000000" "$(json '"%(kernels)d %(busy_ns)d" % row("gpu_work", device=0)')"
same "calls, too" 1 "$(json 'row("breakdown", function="cudaLaunchKernel")["calls"]')"
same "it is said" "[2]" "$(json '[x["value"] for x in rows("limits", kind="corrupt") if "work left out" in x["text"]]')"
same "nor in a timeline" 1 "$(grep -c '"cat": "gpu"' odd.trace.json)"
echo '[2000000001s] dltrace_gpu:kernel process=1 begin=1700ms duration=2000000000s kernel=1' >>odd.txt
timeout -k 5 20 "$REPORT" -q odd.txt -o "$TMP/r.json" || fail "status $? of a trace of 63 years"
same "all of it" "2 2000000000100000000" "$(json '"%(kernels)d %(busy_ns)d" % row("gpu_work", device=0)')"

# Many gaps, gaps that are told in another order, and one whose begin is not known.
gaps() {
	{
		echo "dltrace-text 1"
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"'
		cat
		echo '[9s] dltrace_proc:exit process=1 how=0'
	} | report_text
	json '[(l["text"].split(" work ")[1].split(" is missing")[0], int(l["value"] / 1e6)) for l in r["limits"] if "is missing" in l["text"]][0]'
}
same "150 gaps" "('from 1.00 s to 2.50 s, in 150 pieces,', 750)" "$(for i in $(seq 150); do
	t=$((1990 + i * 10))
	echo "[${t}ms] dltrace_gpu:gap process=1 reason=4 kinds=1 begin=${t}ms end=$((t + 5))ms text=\"other\""
done | gaps)"
same "another order" "('from 2.0 s to 5.0 s, in 2 pieces,', 2000)" "$(gaps <<'END'
[2s] dltrace_gpu:gap process=1 reason=4 kinds=1 begin=5s end=6s text="other"
[3s] dltrace_gpu:gap process=1 reason=4 kinds=1 begin=3s end=4s text="other"
END
)"
same "from its begin" "('from 0 ns to 8.0 s (the end)', 8000)" "$(gaps <<'END'
[2s] dltrace_gpu:gap process=1 reason=1 kinds=31 text="no libcupti"
END
)"

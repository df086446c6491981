# SPDX-License-Identifier: MIT
# --verify: a trace that agrees with itself passes; what breaks one check breaks just that one.
. "$top_srcdir/tests/lib.sh"

cat >good.txt <<'T'
dltrace-text 1
clock_offset 1700000000000000000
host "node7"
recording id 42
recording level full
recording exit 0
[900ms] dltrace_record:recording recording=42 level="full" host="node7" version="0.1.0" command="work\x1f--fast"
[1s] dltrace_proc:process process=1 pid=100 begin=1s recording=42 exe="/usr/bin/work"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s name="work"
[1s] dltrace_proc:library process=1 library=1 path="/usr/lib/libwork.so"
[1s] dltrace_proc:function process=1 function=cudaMalloc layer="runtime" kind="allocate" name="cudaMalloc"
[1s] dltrace_proc:function process=1 function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"
[1s] dltrace_proc:function process=1 function=cudaGraphLaunch layer="runtime" kind="launch" name="cudaGraphLaunch"
[1s] dltrace_proc:function process=1 function=cudaMemcpyAsync layer="runtime" kind="copy" name="cudaMemcpyAsync"
[1s] dltrace_proc:function process=1 function=cudaMemsetAsync layer="runtime" kind="copy" name="cudaMemsetAsync"
[1s] dltrace_proc:object process=1 type=1 id=1 name="_Z5scalePfi"
[1s] dltrace_proc:object process=1 type=2 id=1 values=[1 1 1 1 32 1 1 0]
[1s] dltrace_proc:object process=1 type=3 id=1
[1s] dltrace_proc:object process=1 type=5 id=1 name="_Z5scalePfi"
[1s] dltrace_proc:object process=1 type=6 id=2 values=[2 1 0]
[1100ms] dltrace_cuda:alloc thread=1 function=cudaMalloc library=1 duration=10us ptr=0x1000 size=1M
[1200ms] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=1 duration=5us shape=1 stream=1
[1210ms] dltrace_cuda:launch thread=1 function=cudaGraphLaunch library=1 duration=6us shape=2 stream=1
[1300ms] dltrace_cuda:copy thread=1 function=cudaMemcpyAsync library=1 duration=7us size=1K direction=1 stream=1
[1310ms] dltrace_cuda:copy thread=1 function=cudaMemsetAsync library=1 duration=8us size=1K direction=5 stream=1
[1320ms] dltracefull_heap:call thread=1 function=malloc library=1 operation=1 size=100 ptr=0x2000
[1330ms] dltracefull_heap:call thread=1 function=free library=1 operation=2 size=100 ptr=0x2000
[1400ms] dltrace_gpu:kernel process=1 caller=1 called=1200ms begin=1201ms duration=1ms kernel=1 correlation=1
[1400ms] dltrace_gpu:kernel process=1 caller=1 called=1210ms begin=1211ms duration=1ms kernel=1 correlation=2 graph=2
[1400ms] dltrace_gpu:kernel process=1 caller=1 called=1210ms begin=1213ms duration=1ms kernel=1 correlation=2 graph=2
[1400ms] dltrace_gpu:copy process=1 caller=1 called=1210ms begin=1215ms duration=1ms size=4K direction=3 correlation=2 graph=2
[1400ms] dltrace_gpu:copy process=1 caller=1 called=1300ms begin=1301ms duration=1ms size=1K direction=1 correlation=3
[1400ms] dltrace_gpu:copy process=1 caller=1 called=1310ms begin=1311ms duration=1ms size=1K direction=5 correlation=4
[1110ms] dltrace_sample:process process=1 time=1110ms tsc=1110000000 threads=1 allocated=1000 freed=100 allocations=10 frees=1 heap_peak=950 gpu_memory=[0x100000001 1M 1M 1M 1 0 1M 0 0 0 0 0 0x10c000000 1M 1M 0 0 0 0 0 0 0 0 0]
[1510ms] dltrace_sample:process process=1 time=1510ms tsc=1510000000 threads=1 allocated=1100 freed=200 allocations=11 frees=2 heap_peak=950
[1910ms] dltrace_sample:process process=1 time=1910ms tsc=1910000000 threads=1 allocated=1100 freed=200 allocations=11 frees=2 heap_peak=950
[2s] dltrace_gpu:gap process=1 reason=0 records=6 version=28
[2s] dltrace_proc:thread_end thread=1 events=10
[2s] dltrace_proc:exit process=1 thread=1 events=29
[2100ms] dltrace_sample:function process=1 function=cudaMalloc library=1 calls=1 outer_calls=1 total=10us outer_total=10us min=10us max=10us
[2100ms] dltrace_sample:function process=1 function=cudaLaunchKernel library=1 calls=1 outer_calls=1 total=5us outer_total=5us min=5us max=5us
[2100ms] dltrace_sample:function process=1 function=cudaGraphLaunch library=1 calls=1 outer_calls=1 total=6us outer_total=6us min=6us max=6us
[2100ms] dltrace_sample:function process=1 function=cudaMemcpyAsync library=1 calls=1 outer_calls=1 total=7us outer_total=7us min=7us max=7us
[2100ms] dltrace_sample:function process=1 function=cudaMemsetAsync library=1 calls=1 outer_calls=1 total=8us outer_total=8us min=8us max=8us
[2110ms] dltrace_sample:process process=1 final=1 time=2110ms tsc=2110000000 allocated=1100 freed=200 allocations=11 frees=2 heap_peak=950 events=29 gpu_memory=[0x100000001 1M 1M 1M 1 0 1M 0 0 0 0 0 0x10c000000 1M 1M 0 0 0 0 0 0 0 0 0]
T

# verify FILE: the names of the checks that fail, with their results in result.json
verify() {
	status=0
	"$REPORT" -q --verify -f json "$1" >result.json || status=$?
	jq -r '[.checks[] | select(.result == "failed").check] | join(" ")' result.json
	return $status
}

verify good.txt >failed || fail "a good trace fails: $(cat failed)"
same "what fails in a good trace" "" "$(cat failed)"
same "what does not apply to it: it has no iterations, and so no phases" phases "$(jq -r '[.checks[] | select(.result == "not applicable").check] | join(" ")' result.json)"
holds "the certificate" '.certificate[0] | .result == "passed" and .host == "node7" and .command == ["work", "--fast"] and .recorded_by == "dltrace 0.1.0" and .level == "full" and .failed == 0' result.json
holds "only its tables" 'keys == ["certificate", "checks", "exactness", "format", "series", "version"]' result.json

# breaks CHECK SED-EXPRESSION: just this one fails, and the exit status says so
breaks() {
	sed "$2" good.txt >bad.txt
	! cmp -s good.txt bad.txt || fail "$1: nothing was changed by $2"
	status=0
	failed=$(verify bad.txt) || status=$?
	same "what fails after $2" "$1" "$failed"
	same "exit status" 1 $status
	holds "by how much" "all(.checks[] | select(.check == \"$1\"); .off > 0)" result.json
}

breaks readable '2iproblem truncated 4096 "a stream is cut"'
breaks emitted '/thread_end/s/events=10/events=11/'
breaks emitted 's/events=29/events=30/'
breaks emitted '/type=3 id=1/s/id=1/id=1 state=3/'
# One that is not there any more at the last reading has noted more after its own last word.
sed '/thread_end/d; s/events=29/events=28/; s/^\[1320ms\]/[1315ms] dltrace_sample:thread thread=1 time=1315ms events=5\n&/' good.txt >late.txt
verify late.txt >failed || fail "a thread that destructors have ended: $(cat failed)"
sed 's/^\[2110ms\]/[2110ms] dltrace_sample:thread thread=1 time=2110ms events=8\n&/' late.txt >twice.txt
same "what a thread has not emitted that was there at the last reading" emitted "$(verify twice.txt || true)"
breaks totals '/sample:function.*cudaMalloc/s/calls=1 outer_calls=1 total=10us outer_total=10us/calls=2 outer_calls=2 total=20us outer_total=20us/'
breaks totals '/sample:function.*cudaMalloc/s/10us/12us/g'
breaks named '/type=3 id=1/s/id=1/id=9/'
breaks named '/dltrace_proc:library/s/library=1/library=9/'
breaks named '/type=5 id=1/s/id=1/id=9/'
breaks heap '/final=1/s/freed=200/freed=1200/'
breaks heap '/1510ms/s/allocations=11/allocations=12/'
breaks heap-peak 's/heap_peak=950/heap_peak=850/'
breaks heap-events 's/\(allocations\)=1[01]/\1=0/'
breaks gpu-kernels '/begin=1213ms/s/.*/[1400ms] dltrace_gpu:sync process=1 caller=1 called=1210ms begin=1213ms duration=1ms type=3/'
breaks gpu-kernels 's/values=\[2 1 0\]/values=[3 1 0]/'
breaks gpu-copies 's/values=\[2 1 0\]/values=[2 2 0]/'
breaks gpu-memory 's/0x10c000000 1M 1M/0x10c000000 2M 2M/g'
breaks gpu-memory-events '/cuda:alloc/s/size=1M/size=2M/'
breaks nesting '/sample:function.*cudaMalloc/s/ min=10us/ min=11us/'
breaks nesting '/sample:function.*cudaMalloc/s/ total=10us/ nested=20us total=10us/'
breaks clocks '/1910ms/s/time=1910ms/time=1500ms/; /1910ms/s/tsc=1910000000/tsc=1500000000/'
breaks clock-rate 's/tsc=1910000000/tsc=2090000000/'

# How a process ended is not known, since nobody said.
sed '/proc:exit/d; /final=1/d; /thread_end/d; /recording exit/d' good.txt >bad.txt
same "no end" ended "$(verify bad.txt || true)"
# One that is only counted may have no place to say it.
{
	cat good.txt
	echo '[1500ms] dltrace_proc:process process=2 pid=101 begin=1500ms recording=42 traced=1 exe="/usr/bin/work"'
} >counted.txt
same "only counted" "" "$(verify counted.txt)"
holds "and said" '[.checks[] | select(.check == "ended" and (.text | test("1 only counted could not say")))] | length == 1' result.json

# While it is recorded that is no fault, nor is what was counted and is not written yet; it is said once.
sed 's/^recording id 42/&\nrecording running 1\nproblem truncated 100 "a stream is cut"/; s/events=29/events=31/' bad.txt >running.txt
same "nothing is wrong" "" "$(verify running.txt)"
holds "the check of ends" '[.checks[] | select(.check == "ended")] == [.checks[] | select(.result == "not applicable" and
	.text == "it is still being recorded" and .check == "ended")] and ([.checks[] | select(.result == "passed")] | length) > 4' result.json
"$REPORT" -q -f json running.txt >result.json || true
holds "one limit" '[.limits[] | select(.kind == "running").text] == ["it is still being recorded: this is what was written until now"]' \
	result.json
holds "no damage" '[.findings[].rule] - ["damaged", "events_lost"] == [.findings[].rule]' result.json
"$REPORT" -q running.txt >text || true
grep -q "still being recorded$" text || fail "not in the head: $(cat text)"
! grep -q "Checks that failed" text || fail "a check failed: $(cat text)"
"$REPORT" -q --dump running.txt >dumped || true
grep -q "^recording running 1$" dumped || fail "the dump does not say so"

# Shares are quotients of the report's own: only a broken report breaks them; it is no trace's doing.
same "no events" 4 "$(echo 'dltrace-text 1' >none.txt; "$REPORT" -q --verify none.txt >/dev/null || echo $?)"
same "no trace" 4 "$("$REPORT" -q --verify "$TMP/missing" >/dev/null || echo $?)"
same "a part of a trace" 2 "$("$REPORT" -q --verify --from 1s good.txt 2>/dev/null || echo $?)"
for wrong in "-f html" "-o x.svg" "-f csv" "-o x.csv"; do
	exits 2 "$REPORT" --verify $wrong good.txt
	says "^dltrace-report: --verify: "
	says_one_line
done
exits 0 "$REPORT" --verify good.txt -f csv --table checks
exits 0 "$REPORT" --verify good.txt -o certificate.csv/
[ -s certificate.csv/checks.csv ] || fail "no checks in a folder of CSV"
same "an unknown kind" 2 "$("$REPORT" -q --verify=much good.txt 2>/dev/null || echo $?)"

# The hash is that of coreutils, whatever files are called.
if jq -e '.certificate[0].sha256 | test("libcrypto")' result.json >/dev/null; then
	echo "no libcrypto: hashes are not tested"
else
	"$REPORT" -q --verify -f json good.txt >result.json
	same "hash of a file" "$(sha256sum <good.txt | cut -c1-64)" "$(jq -r '.certificate[0].sha256' result.json)"
fi

# What a trace says of itself reaches no terminal as it is.
sed 's/work\\x1f--fast/\\x1b[31mwork/; s/"node7"/"\\x1b]0;x"/' good.txt >hostile.txt
"$REPORT" -q --verify hostile.txt >text || fail "hostile names break it"
! grep -q "$(printf '\033')" text || fail "control characters are printed"
grep -q '^  result *passed' text || fail "no result in: $(cat text)"
awk 'length > 100' text >long
[ ! -s long ] || fail "too long: $(cat long)"

# A trace that begins in the middle (--max-size): what was said before its first reading may come after it.
cat >middle.txt <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=500ms reason=3 exe="/bin/app"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=500ms reason=3
[1100ms] dltrace_sample:process process=1 time=1100ms events=100
[1200ms] dltrace_cuda:free thread=1 function=cudaFree duration=3ms
[1300ms] dltrace_cuda:free thread=1 function=cudaFree duration=3ms
[1400ms] dltrace_cuda:free thread=1 function=cudaFree duration=3ms
[1900ms] dltrace_sample:thread thread=1 time=1900ms events=103
[2s] dltrace_proc:exit process=1 thread=1 events=101
[2s] dltrace_sample:process process=1 time=2s final=1 events=101
END
verify middle.txt >failed || true
! grep -q emitted failed || fail "what comes after the first reading counts as read twice: $(cat failed)"
sed '/^\[1300ms\]/d' middle.txt | sed 's/events=100$/events=96/' >less.txt
verify less.txt >failed || true
grep -q emitted failed || fail "what is lost later is not noticed"

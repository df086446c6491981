# SPDX-License-Identifier: MIT
# OpenCL on a real implementation: each call is counted once by its name, kernels and buffers too, and
# the program computes the same. Skips where there is no OpenCL.
. "$top_srcdir/tests/lib.sh"
need jq

echo '#include <CL/cl.h>' | ${CC:-cc} -E - >/dev/null 2>&1 || skip "no OpenCL headers"
${CC:-cc} -O1 -o work "$top_srcdir/tests/opencl/work.c" -lOpenCL -ldl 2>error || skip "no libOpenCL: $(head -1 error)"
status=0
./work >without 2>calls || status=$?
[ $status != 77 ] || skip "no OpenCL platform"
same "work's own status" 0 $status

# recorded WAY: everything that the program called, and what it said
recorded() {
	"$RECORD" -q -o trace-$1 -- ./work $1 >out 2>counted
	same "$1: output" "$(cat without)" "$(cat out)"
	same "$1: its own counts" "$(cat calls)" "$(cat counted)"
	"$REPORT" -q -o report.json trace-$1
	jq -r '.breakdown[] | select(.layer == "opencl" and .library == "work") | "\(.function): \(.calls)"' report.json | sort >seen
	sort calls >wanted
	diff wanted seen || fail "$1: calls (< by the program, > by the report)"
	"$REPORT" -q --dump trace-$1 >text
}
# The loader itself asks an implementation for clGetExtensionFunctionAddress, inside other calls.
recorded linked
holds "blocking copies wait" '[.breakdown[] | select(.function == "clEnqueueReadBuffer(blocking)") | .waiting] == [1]'
holds "others do not" '[.breakdown[] | select(.function == "clEnqueueCopyBuffer") | .waiting] == [0]'
holds "bytes" '[.breakdown[] | select(.function == "clEnqueueCopyBuffer") | .bytes] == [8192]'
holds "what is not measured" '[.limits[] | select(.text | contains("how long these took on the device"))] | length == 1'
holds "what failed" '.failures | map(select(.function == "clCreateBuffer" and .code == -61)) | length == 1'
holds "coverage" '.coverage | map(select(.library | strings | startswith("libOpenCL"))) | all(.covered == "symbol")'
holds "buffers in the ledger" '[.gpu_memory[] | select(.kind == "opencl") | .allocated_bytes, .live_bytes] == [45056, 16384]'
holds "nothing is freed that nobody made" '[.limits[] | select(.text | test("nobody was seen to allocate"))] == []'
holds "bytes of a part of an image" '[.breakdown[] | select(.function == "clEnqueueWriteImage(blocking)") | .bytes] == [2048]'
# id NAME: the number that events have for a function
id() {
	sed -n "s/.*dltrace_proc:function .* function=\([0-9]*\) .* name=\"$1\"$/\1/p" text | head -1
}
same "allocations" 2 "$(grep -c "dltrace_cuda:alloc .* function=$(id clCreateBuffer) .* result=0 .* size=16384 memory=13" text)"
# The image; what is shown by a part (and an image of that, where there are such) with the last of these.
same "what each release frees" "4096 0 8192 0 16384" "$(sed -n 's/.*dltrace_cuda:free .* size=\([0-9]*\) .*/\1/p' text | tr '\n' ' ' | sed 's/ $//; s/ 0 0 / 0 /')"
shapes() {
	sed -n "s/.*dltrace_cuda:launch .* shape=\([0-9]*\) .*/\1/p" text | sort | uniq -c | awk '{ print $1 }' | sort -n | tr '\n' ' '
}
same "two kernels, by shape" "3 5 " "$(shapes)"
grep -q 'dltrace_proc:object .*type=2 .*values=\[[0-9]* 64 1 1 64 1 1 0\]' text || fail "no launch shape of 64 groups of 64"

grep -q 'dltrace_proc:object .*type=1 .* name="scale"' text || fail "no kernel is called scale"
recorded dlsym

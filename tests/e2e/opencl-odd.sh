# SPDX-License-Identifier: MIT
# OpenCL that is used as few programs do, on a stand-in for its library: lists of shared memory, handles that
# come again, queues without number, commands that end while they are looked at. The program reads what it would
# without dltrace, and the report has what it did.
. "$top_srcdir/tests/lib.sh"
need jq

echo '#include <CL/cl.h>' | ${CC:-cc} -E - >/dev/null 2>&1 || skip "no OpenCL headers"
${CC:-cc} -O1 -w -shared -fPIC -Wl,-Bsymbolic -Wl,-soname,libOpenCL.so.1 -o libOpenCL.so.1 "$top_srcdir/tests/opencl/standin.c"
${CC:-cc} -O1 -o odd "$top_srcdir/tests/opencl/odd.c" libOpenCL.so.1 -Wl,-rpath,"$TMP"

# odd WAY: its output is the same, and there is a report
odd() {
	./odd $1 >without 2>/dev/null
	"$RECORD" -q --gpu=activity -o trace-$1 -- ./odd $1 >out 2>err || fail "$1: status $?: $(cat err)"
	diff without out || fail "$1: the program read (< without dltrace, > with it)"
	"$REPORT" -q -o report.json trace-$1
}
odd svm
holds "each block leaves the ledger" '[.gpu_memory[] | select(.kind == "managed") | .allocated_bytes, .live_bytes, .frees] == [30000, 2000, 28]'
holds "nothing is freed that nobody made" '[.gpu_memory[] | select(.kind == "stray")] == []'
"$REPORT" -q --dump trace-svm >text
same "bytes of each call" "0 0 0 0 1000 3000 20000 0 0" \
	"$(sed -n 's/.*dltrace_cuda:free .* size=\([0-9]*\) .*/\1/p' text | tr '\n' ' ' | sed 's/ $//')"

odd kernels
holds "a name is that of one kernel" '[.breakdown[] | select(.layer == "gpu" and .function == "first") | .calls] == [1]'
holds "nor that of one that never ran" '[.breakdown[] | select(.layer == "gpu" and .function == "second")] == []'
holds "all have run" '[.gpu_work[] | .kernels] == [4]'

odd queues
odd callbacks
same "the one that ended meanwhile, and a callback each" "0 left, 41 callbacks" "$(cat err)"
holds "each command is told once" '[.gpu_work[] | .kernels] == [41]'

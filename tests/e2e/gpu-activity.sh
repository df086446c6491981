# SPDX-License-Identifier: MIT
# --gpu=activity: every piece of work of the (stub) GPU is an event with its time on the device, its
# thread and its call, by either major version of CUPTI, whose clock is another one than ours.
. "$top_srcdir/tests/lib.sh"
need babeltrace2
need gcc

# The truth and the trace, piece by piece; prints what is compared, or says what is wrong.
cat >compare.py <<'E2'
import collections, re, sys
truth_path, bound = sys.argv[1], int(sys.argv[2])
text = open("text").read()
def fields(line):
    return dict(re.findall(r'(\w+) = ("[^"]*"|-?\w+)', line))
names, tids, works, calls, gaps = {}, {}, {}, {}, []
for line in text.splitlines():
    f = fields(line)
    if "dltrace_proc:object:" in line and f["type"] == "5":
        names[f["id"]] = f["name"].strip('"')
    elif "dltrace_proc:thread:" in line:
        tids[f["thread"]] = f["tid"]
    elif "dltrace_gpu:gap" in line:
        gaps.append(f)
    elif re.search("dltrace_gpu:(kernel|copy)", line):
        if f["correlation"] in works:
            sys.exit(f"twice: {line}")
        works[f["correlation"]] = f
    elif "dltrace_cuda:" in line:
        calls.setdefault(f["thread"], []).append((line, f))
truth = [line.split() for line in open(truth_path)]
if len(truth) != len(works):
    sys.exit(f"{len(truth)} pieces of work, {len(works)} events")
worst = 0
for what, name, correlation, tid, stream, begin, end, size, direction, device in truth:
    f = works.get(correlation) or sys.exit(f"no event: {name} {correlation}")
    worst = max(worst, abs(int(f["begin"]) - int(begin)),
                abs(int(f["begin"]) + int(f["duration"]) - int(end)))
    same = {"caller": tids[f["caller"]] == tid, "stream": f["stream"] == stream, "device": f["device"] == device,
            "called": 0 < int(begin) - int(f["called"]) < 10**9}
    if what == "0":
        same["name"] = names[f["kernel"]] == name
    else:
        same["size"] = f["size"] == size
        same["direction"] = f["direction"] == ("5" if what == "2" else direction)
    if not all(same.values()):
        sys.exit(f"{name} {correlation}: not the same: {same}: {f}")
said = max(int(g["clock_error"]) for g in gaps)
if worst > bound or worst > said:
    sys.exit(f"times are off by {worst} ns; at most {bound} is right, {said} was said")
account = [g for g in gaps if g["reason"] == "0"][-1]
if int(account["records"]) < len(truth):
    sys.exit(f"the account says {account}")
print(len(truth), collections.Counter(g["reason"] for g in gaps)["0"] == len(gaps))
E2

export DLTRACE_STUB_GPU_NS=30000
# major, clock (offset, ppm, wobble), how far off times may be in ns, how the work is done
check() {
	rm -rf "trace.$1" truth
	STUB_CUPTI_CLOCK=$2 DLTRACE_STUB_GPU_TRUTH=$TMP/truth \
		"$RECORD" -q --gpu=activity -o "trace.$1" -- ./work 3 40 "${4:-long}" || fail "CUPTI $1: exit status $?"
	same "work, and no gap, with CUPTI $1" "600 True" "$(events "trace.$1" >text && python3 compare.py truth "$3")"
	"$REPORT" -q -f json "trace.$1" >report.json
	holds "nothing lost" '.traces[0].lost == 0'
}
build() {
	gcc -rdynamic -o work -I"$top_srcdir/tracepoints" "$top_srcdir/tests/apps/gpu_work.c" -L"$STUBS" "$@" \
		-Wl,-rpath,"$STUBS" -lpthread
}

for major in 12 13; do
	build -l:libcudart.so.$major
	check $major 0:0:0 2000
	# ten years away and 50 ppm too fast, and 20 more or less in turns of a second
	check $major 315360000000000000:50:20 20000
done
# At the end a thread of CUPTI's is still handing over calls, whose work comes by another one.
STUB_CUPTI_LATE=1 check 13 0:0:0 2000

check 13 0:0:0 2000 two
same "devices that had work" "0 1" "$(cut -d' ' -f10 truth | sort -u | xargs)"
holds "both are in the report" '[.gpu_work[].device] | unique == [0, 1]'

# Who asks whether something is done does not wait; each second round does, and the end.
queries() {
	rm -f calls
	STUB_CUPTI_CALLS=$TMP/calls check 13 0:0:0 2000 query
	same "waits" 61 "$(grep -c 'dltrace_gpu:sync:' text)"
	same "told by calls" 61 "$(grep 'dltrace_gpu:sync:' text | grep -c ' context = 0,')"
	holds "queries" '[.breakdown[] | select(.function == "cudaStreamQuery").calls] | add == 121'
	holds "calls that ask for nothing" '[.breakdown[] | select(.function == "cudaGetDevice").calls] | add == 120'
	same "CUPTI records" "0 121" "$(grep -c 'cudaGetDevice\|cuCtxGetCurrent' calls) $(grep -c cudaStreamQuery calls)"
}
build -l:libcudart.so.13
queries
DLTRACE_STUB_OVER=1 queries

# launches WANTED...: of each level, as many as there were
launches() {
	same "launches by level" "$*" "$(jq -r '.breakdown[] | select(.function | test("^cu(da)?LaunchKernel$")) |
		"\(.layer) \(.calls)"' report.json | sort | xargs)"
}
# The runtime's call and the driver's inside it have one correlation id: nothing is there twice.
for major in 12 13; do
	build -l:libcudart.so.$major
	DLTRACE_STUB_OVER=1 check $major 0:0:0 2000
	launches driver 240 runtime 240
done
# A template's name, as the program registers it and as CUPTI tells it, is one, cut where both are.
for length in 3000 5000; do
	name=_Z$length$(printf "%${length}s" "" | tr ' ' k)v
	cat >long.c <<-END
	#include "cuda_types.h"
	int __cudaRegisterFunction(void **, const void *, char *, const char *, int, void *, void *, void *, void *, int *);
	int cudaLaunchKernel(const void *, struct dlt_cuda_dim3, struct dlt_cuda_dim3, void **, unsigned long, void *);
	int cudaDeviceSynchronize(void);
	void kernel(void) __asm__("$name");
	void kernel(void) {}
	int main(void)
	{
		const struct dlt_cuda_dim3 one = { 1, 1, 1 };
		__cudaRegisterFunction((void *[]){ 0 }, kernel, "", "$name", -1, 0, 0, 0, 0, 0);
		for (int i = 0; i < 7; i++)
			cudaLaunchKernel(kernel, one, one, 0, 0, 0);
		return cudaDeviceSynchronize();
	}
	END
	gcc -rdynamic -o long -I"$top_srcdir/tracepoints" long.c -L"$STUBS" -l:libcudart.so.13 -Wl,-rpath,"$STUBS"
	"$RECORD" -q --gpu=activity -o "trace.$length" -- ./long || fail "long: exit status $?"
	"$REPORT" -q -f json "trace.$length" >report.json
	holds "runs of a kernel with a name of $length" '[.kernels[] | [.launches, .gpu_runs]] == [[7, 7]]'
done

# A runtime that is linked in is not to be seen, and its driver is; which CUPTI that can serve says its branch.
build "$STUBS/libcudart_static.a" -ldl
LD_LIBRARY_PATH=$STUBS check 13 0:0:0 2000
launches driver 240
mkdir old
cp "$STUBS/libcuda.so.1" old/libcuda.so.550.54.15
ln -s libcuda.so.550.54.15 old/libcuda.so.1
ln -s "$STUBS/libstubgpu.so" "$STUBS"/libcupti.so.1[23] old
LD_LIBRARY_PATH=$TMP/old check 12 0:0:0 2000
same "CUPTI of a driver of CUDA 12" libcupti.so.12 "$("$REPORT" -q --dump trace.12 | grep -o 'libcupti\.so\.1[23]' | sort -u | xargs)"

# ... and CUPTI is one of Python's packages, of which the program has another one (as CuPy's modules are).
build "$STUBS/libcudart_static.a" -ldl
for lib in 12:cuda_cupti 13:cu13; do
	packages=$TMP/env-${lib#*:}/lib/python3.12/site-packages
	mkdir -p "$packages/cupy" "$packages/nvidia/${lib#*:}/lib"
	ln -s "$STUBS/libstubgpu.so" "$STUBS/libcupti.so.${lib%:*}" "$packages/nvidia/${lib#*:}/lib"
	echo 'int nothing;' | gcc -shared -fPIC -x c -o "$packages/cupy/core.so" -
	LD_PRELOAD=$packages/cupy/core.so check "${lib%:*}" 0:0:0 2000
	launches driver 240
done

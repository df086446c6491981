# SPDX-License-Identifier: MIT
# The real libcudart of both major versions on a machine without a driver: every answer is the same with and without
# us, and each call is in the trace as often as it was made, though it failed.
. "$top_srcdir/tests/lib.sh"
need jq
! ldconfig -p | grep -q 'libcuda\.so\.1' || skip "there is a driver: answers differ from run to run"

libraries=
for environment in cuda cuda-12 cuda-13; do
	python=$("$top_srcdir/scripts/study/study" python $environment 2>/dev/null) || continue
	libraries="$libraries $(find "${python%/bin/*}"/lib/python3*/site-packages/nvidia -name 'libcudart.so.1[23]')"
done
[ -n "$libraries" ] || skip "no libcudart is installed (scripts/setup frameworks)"
cat >calls.py <<'END'
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
cuda.cudaGetErrorName.restype = cuda.cudaGetErrorString.restype = ctypes.c_char_p
p, n, size = ctypes.c_void_p(), ctypes.c_int(-1), ctypes.c_size_t(1 << 20)
class Dim(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in "xyz"]
one, nothing, buffer = Dim(1, 1, 1), ctypes.c_size_t(0), ctypes.create_string_buffer(4096)
calls = {
    "cudaRuntimeGetVersion": [ctypes.byref(n)], "cudaDriverGetVersion": [ctypes.byref(n)],
    "cudaGetDeviceCount": [ctypes.byref(n)], "cudaGetDevice": [ctypes.byref(n)], "cudaSetDevice": [0],
    "cudaMalloc": [ctypes.byref(p), size], "cudaMallocManaged": [ctypes.byref(p), size, 1],
    "cudaMallocAsync": [ctypes.byref(p), size, None], "cudaHostAlloc": [ctypes.byref(p), size, 0],
    "cudaFree": [None], "cudaFreeHost": [None], "cudaMemGetInfo": [ctypes.byref(size), ctypes.byref(size)],
    "cudaMemcpy": [buffer, buffer, ctypes.c_size_t(8), 0], "cudaMemsetAsync": [buffer, 0, ctypes.c_size_t(8), None],
    "cudaStreamCreateWithFlags": [ctypes.byref(p), 1], "cudaStreamSynchronize": [None], "cudaDeviceSynchronize": [],
    "cudaEventCreateWithFlags": [ctypes.byref(p), 2], "cudaLaunchKernel": [buffer, one, one, None, nothing, None],
    "cudaGraphCreate": [ctypes.byref(p), 0], "cudaPeekAtLastError": [], "cudaGetLastError": [],
    "cudaDeviceReset": [],
}
for turn in range(2):
    for name, arguments in calls.items():
        result = getattr(cuda, name)(*arguments)
        print(name, result, cuda.cudaGetErrorName(result).decode(), cuda.cudaGetErrorString(result).decode(), n.value)
END
for library in $libraries; do
	python3 calls.py "$library" >without 2>&1 || fail "$library: $(tail -1 without)"
	LD_PRELOAD=$DLTRACE_LIB python3 calls.py "$library" >preloaded 2>&1
	diff without preloaded || fail "$library answers otherwise under the preload"
	rm -rf trace
	"$RECORD" -q --gpu=activity -o trace -- python3 calls.py "$library" >recorded 2>&1
	diff without recorded || fail "$library answers otherwise when recorded"
	"$REPORT" -q -f json trace >report.json
	cut -d' ' -f1 without | sort | uniq -c | awk '{ print $2, $1 }' >wanted
	jq -r '.breakdown[] | select(.layer == "runtime") | "\(.function) \(.calls)"' report.json |
		grep -v '^cudaGetError\(Name\|String\) ' | sort >seen
	diff wanted seen || fail "calls of $library (< made, > traced)"
	holds "the library is covered" "any(.coverage[]; .library == \"${library##*/}\" and .kind == \"cuda runtime\")"
done

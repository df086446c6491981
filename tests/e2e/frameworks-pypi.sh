# SPDX-License-Identifier: MIT
# PyPI's CUDA builds of PyTorch and CuPy, without a driver: they say the same, error for error and
# bit for bit, without and with the library, in a session and under dltrace-record; and the report
# says of every CUDA runtime in the process how it was covered. (scripts/setup frameworks)
. "$top_srcdir/tests/lib.sh"
need jq
python=$("$top_srcdir/scripts/study/study" python cuda) ||
	skip "PyTorch and CuPy with CUDA are not set up (scripts/setup frameworks)"

# Standard output and error in their order, and the status; times, pids and places are cut.
try() {
	framework=$1
	shift
	status=0
	"$@" "$python" "$top_srcdir/tests/e2e/frameworks-$framework.py" >out 2>&1 </dev/null || status=$?
	sed 's/[0-9]*-[0-9]*-[0-9]* [0-9]*:[0-9]*:[0-9]* [0-9]*:[0-9]*/TIME PID/; s/0x[0-9a-f]*/0x/g' out
	echo "status $status"
}
preloaded() {
	LTTNG_HOME=$TMP/nowhere LD_PRELOAD=$DLTRACE_LIB "$@"
}
in_session() {
	LD_PRELOAD=$DLTRACE_LIB "$@"
}
recorded() {
	"$RECORD" -q --require -l $level -o "trace-$framework-${level%% *}" -- "$@"
}
for framework in torch cupy; do
	try $framework env >"$framework.plain"
	grep -q '^status 0' "$framework.plain" || fail "$framework does not run: $(cat "$framework.plain")"
	for level in calls "full --gpu=activity"; do
		try $framework recorded >"$framework.recorded"
		diff "$framework.plain" "$framework.recorded" || fail "$framework differs under dltrace-record -l $level"
	done
done
try cupy preloaded >cupy.preloaded
diff cupy.plain cupy.preloaded || fail "cupy differs under LD_PRELOAD"
session_start 'dltrace_*'
try cupy in_session >cupy.session
session_stop
diff cupy.plain cupy.session || fail "cupy differs in a session"

# inside LIBRARY: that a CUDA runtime in it is known, and said to be covered or not
inside() {
	holds "the CUDA runtime in $1" \
		"any(.coverage[]; .kind == \"static cuda runtime\" and (.library | startswith(\"$1.\")))"
}
"$REPORT" trace-torch-calls -o report.json
holds "the framework" 'any(.processes[].frameworks[]; .name == "PyTorch")'
holds "the CUDA runtime" \
	'any(.coverage[] | select(.kind == "cuda runtime" and .calls > 0);
		(.library | startswith("libcudart.so.")) and .covered == "symbol")'
holds "that there is no GPU" 'any(.findings[]; .rule == "no_gpu" and (.text | test("cudaGetDeviceCount answered 35")))'
for library in libcublas.so libcublasLt.so libcusparse.so libcusolver.so; do
	inside $library
done
"$REPORT" trace-cupy-calls -o report.json
holds "the CUDA runtime" 'any(.coverage[]; .kind == "cuda runtime" and (.library | startswith("libcudart.so.")))'
for library in libcublas.so runtime thrust; do
	inside $library
done

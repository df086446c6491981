# SPDX-License-Identifier: MIT
# --gpu=activity where things end badly or never begin: killed, forked, _exit, a libcupti of an
# unknown version, one that refuses, hangs, or is not there, a driver's variable that is taken, off.
. "$top_srcdir/tests/lib.sh"
need babeltrace2

export DLTRACE_STUB_GPU_NS=10000
# WANTED-STATUS COMMAND...: records into ./trace, its events as ./text
record() {
	rm -rf trace truth
	wanted=$1
	shift
	status=0
	DLTRACE_STUB_GPU_TRUTH=$TMP/truth "$RECORD" -q --gpu=activity -o trace -- "$@" 2>errors || status=$?
	same "exit status of $*" "$wanted" "$status"
	events trace >text
	: >>truth
}
works() {
	grep -c 'dltrace_gpu:\(kernel\|copy\):' text || :
}
gap() {
	grep -q "dltrace_gpu:gap:.* reason = $1, kinds = $2,.*$3" text || fail "no gap $1: $(grep dltrace_gpu:gap text | head -n 3)"
}

# What CUPTI had finished half a second before a SIGKILL is kept (which comes four later, lest a busy
# machine's half a second be a long one).
record 137 "$APPS/gpu_work" 2 20 kill
same "of a killed one" "$(grep -c . truth)" "$(works)"

# A forked child has no CUPTI; the parent goes on.
record 0 "$APPS/gpu_work" 1 10 fork
pid=$(sed -n 's/.*dltrace_proc:process:.* process = \([0-9]*\), .*reason = 1,.*/\1/p' text | head -n 1)
[ -n "$pid" ] || fail "no child: $(grep -c . text)"
! grep -q "dltrace_gpu:.* process = $pid," text || fail "the child records"
main=$(sed -n 's/.*dltrace_proc:process:.* pid = \([0-9]*\),.* reason = [02],.*/\1/p' text | head -n 1)
child=$(sed -n "s/.*dltrace_proc:process:.* process = $pid, .* pid = \([0-9]*\), parent_pid.*/\1/p" text | head -n 1)
same "of the parent" "$(awk -v c="$child" '$4 != c' truth | grep -c .)" "$(works)"
[ "$main" != "$child" ] || fail "which is the child?"

# _exit with work in flight: what had not ended has no time, and the account says so.
DLTRACE_STUB_GPU_NS=100000 record 0 "$APPS/gpu_work" 1 50 _exit
grep 'dltrace_gpu:gap:.* reason = 0' text >account || fail "no account"
left=$(sed -n 's/.*text = "\([0-9]*\) without a time.*/\1/p' account | tail -n 1)
[ "$(works)" -gt 50 ] || fail "only $(works) pieces before _exit"
same "all are told" "$(grep -c . truth)" "$(($(works) + ${left:-0}))"

export STUB_CUPTI_VERSION=99
record 0 "$APPS/gpu_work" 1 5
gap 2 63 'version = 99'
same "records of an unknown version" 0 "$(works)"
unset STUB_CUPTI_VERSION

STUB_CUPTI_REFUSES=1 record 0 "$APPS/gpu_work" 1 5
gap 3 63 'CUPTI refuses'
"$REPORT" -q -f json trace >report.json
holds "calls all the same" '[.breakdown[] | select(.function == "cudaLaunchKernel").calls] | add == 10'

# A flush that never returns costs the end of the process a second, no more.
begun=$(date +%s)
STUB_CUPTI_HANGS=1 record 0 "$APPS/gpu_work" 1 5
[ $(($(date +%s) - begun)) -lt 20 ] || fail "the end waits for CUPTI"
gap 7 63 'end = 0,.*the process ended before CUPTI had told all'
"$REPORT" -q -f json trace >report.json
holds "the report says so" 'any(.limits[]; .text | test("(the end).*is missing .*before CUPTI had told all.: kernels"))'

# No libcupti anywhere near. (Where one is installed for all, that is found.)
mkdir alone
cp "$STUBS/libcudart.so.12" "$STUBS/libstubgpu.so" alone/
LD_LIBRARY_PATH=$TMP/alone ldd "$APPS/gpu_work" >/dev/null
if ! ldconfig -p | grep -q libcupti; then
	LD_PRELOAD=$TMP/alone/libcudart.so.12 record 0 "$APPS/gpu_work" 1 5
	grep -q 'dltrace_gpu:gap:.* reason = [13],' text || fail "no libcupti and no gap: $(grep -c . text)"
fi

# The variable is the user's: it stays, and nothing of ours is loaded.
CUDA_INJECTION64_PATH=$TMP/none.so record 0 "$APPS/gpu_work" 1 5
grep -q 'CUDA_INJECTION64_PATH is .*none.so already' errors || fail "not said: $(cat errors)"
same "events of a variable that is taken" 0 "$(works)"

rm -rf trace
"$RECORD" -q --gpu=off -o trace -- "$APPS/gpu_work" 1 5
events trace >text
same "events at --gpu=off" 0 "$(grep -c 'dltrace_\(cuda\|gpu\|batch\):' text || :)"

status=0
"$RECORD" -l summary --gpu=activity -o trace2 -- true 2>errors || status=$?
same "activity at summary" 125 "$status"
grep -q 'not at the level summary' errors || fail "no reason: $(cat errors)"

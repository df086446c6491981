# SPDX-License-Identifier: MIT
# The call that makes the context is told apart from the steady ones of its function.
. "$top_srcdir/tests/lib.sh"
{
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/first"'
	echo '[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s'
	for name in cudaStreamCreateWithFlags cudaDeviceSynchronize cudaGetDevice __cudaUnregisterFatBinary; do
		echo "[1s] dltrace_proc:function process=1 function=$name layer=\"runtime\" kind=\"other\" name=\"$name\""
	done
	echo '[2s] dltrace_cuda:stream thread=1 function=cudaStreamCreateWithFlags duration=300ms'
	for i in $(seq 1 4); do
		echo "[$((i + 2))s] dltrace_cuda:stream thread=1 function=cudaStreamCreateWithFlags duration=5us"
		echo "[$((i + 2))s] dltrace_cuda:sync thread=1 function=cudaDeviceSynchronize duration=20ms"
		echo "[$((i + 2))s] dltrace_cuda:other thread=1 function=cudaGetDevice duration=${i}us"
		# The program's end, on a busy machine.
		echo "[6.$((9 - i))s] dltrace_cuda:other thread=1 function=__cudaUnregisterFatBinary duration=$((i / 4 * 5 + 1))ms"
	done
	echo '[7s] dltrace_sample:process process=1 time=7s threads=1'
} | report_text
same "findings" "['first (pid 100): the first cudaStreamCreateWithFlags took 300 ms of the 300 ms of all 5 calls (a context is made, code is loaded); the others took 5.0 µs on average']" \
	"$(json "[f['text'] for f in r['findings'] if 'the first' in f['text']]")"
same "evidence" 300000000 "$(json "[f['evidence']['first_ns'] for f in r['findings'] if 'first_ns' in (f['evidence'] or {})][0]")"

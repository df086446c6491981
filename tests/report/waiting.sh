# SPDX-License-Identifier: MIT
# Waiting is told apart from working; libraries with a CUDA runtime inside are seen at the driver.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[1s] dltrace_proc:library process=1 path="/lib/libcudnn.so.8"
[1s] dltrace_proc:library process=1 path="/lib/libnccl.so.2"
[1s] dltrace_proc:function function=cudaMemcpy layer="runtime" kind="copy" name="cudaMemcpy"
[1s] dltrace_proc:function function=cudaMemcpyAsync layer="runtime" kind="copy" name="cudaMemcpyAsync"
[1s] dltrace_proc:function function=cudaMemset layer="runtime" kind="copy" name="cudaMemset"
[1s] dltrace_proc:function function=cudaDeviceSynchronize layer="runtime" kind="synchronise" name="cudaDeviceSynchronize"
[2s] dltrace_cuda:copy thread=1 function=cudaMemcpy duration=4ms size=1K
[2s] dltrace_cuda:copy thread=1 function=cudaMemcpyAsync duration=3ms size=1K
[2s] dltrace_cuda:copy thread=1 function=cudaMemset duration=2ms size=1K
[2s] dltrace_cuda:sync thread=1 function=cudaDeviceSynchronize duration=1ms
END
same waiting "['cudaDeviceSynchronize', 'cudaMemcpy']" "$(json 'sorted(b["function"] for b in rows("breakdown", waiting=1))')"
same shares "['cudaDeviceSynchronize', 'cudaMemcpy']" "$(json 'sorted(b["function"] for b in rows("shares", waiting=1))')"
same bytes 1024 "$(json 'row("breakdown", function="cudaMemset")["bytes"]')"
same "seen at the driver" "[('libcudnn.so.8', 'driver'), ('libnccl.so.2', 'driver')]" \
	"$(json 'sorted((c["library"], c["covered"]) for c in r["coverage"] if c["library"])')"

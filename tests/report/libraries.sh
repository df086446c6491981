# SPDX-License-Identifier: MIT
# Libraries: what a process loaded itself, also what it has unloaded; a forked child's are its parent's, by id too.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[1s] dltrace_proc:library process=1 library=1 path="/lib/libcudart.so.12" base=0x1000
[1s] dltrace_proc:library process=1 path="/lib/libcudnn.so.8" base=0x2000
[1s] dltrace_proc:library process=1 path="/lib64/libcudnn.so.8" base=0x2000
[1s] dltrace_proc:function process=1 function=cudaFree layer="runtime" kind="allocate" name="cudaFree"
[2s] dltrace_proc:process process=2 pid=101 parent=1 begin=2s reason=1
[2s] dltrace_proc:library process=2 path="/lib/libcudnn.so.8" base=0x2000
[2s] dltrace_proc:library process=2 library=2 path="/lib/own.so" base=0x3000
# unloaded: one that never called, and one at whose base another one lies by now
[2s] dltrace_proc:library process=2 path="/lib/plugin.so" base=0x4000
[2500ms] dltrace_proc:library process=2 state=1 base=0x4000 size=4K
[2500ms] dltrace_proc:library process=2 state=1 library=3 base=0x3000 size=4K
[3s] dltrace_cuda:free thread=2 function=cudaFree library=1 duration=1ms
[3s] dltrace_cuda:free thread=2 function=cudaFree library=2 duration=1ms
END
same "the child's own" "['own.so', 'plugin.so']" "$(json '[l["library"] for l in rows("libraries", process=2)]')"
same "the parent's id" "['libcudart.so.12', 'own.so']" "$(json 'sorted(b["library"] for b in r["breakdown"])')"
same "covered" symbol "$(json 'row("coverage", library="libcudart.so.12")["covered"]')"
same "told once" "['driver']" "$(json '[c["covered"] for c in rows("coverage", library="libcudnn.so.8")]')"

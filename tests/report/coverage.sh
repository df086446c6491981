# SPDX-License-Identifier: MIT
# The coverage statement from the facts in a trace: CUDA copies with path and version, static ones
# by the library they sit in and by the calls of it that were seen, who goes past dltrace; each of
# these is among the limits, one line a kind. What the trace has no facts about is told by its name.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[1s] dltrace_proc:library process=1 library=1 path="/x/libdltrace.so" flags=2049
[1s] dltrace_proc:library process=1 library=2 path="/x/libcudart-45da57e3.so.12.0.107" flags=2 base=0x1000
[1s] dltrace_proc:library process=1 library=3 path="/x/libcuda.so.1" flags=4 base=0x2000
[1s] dltrace_proc:library process=1 library=4 path="/x/libcudnn_ops.so.9" flags=8 base=0x3000
[1s] dltrace_proc:library process=1 library=5 path="/x/libcublas.so.12" flags=8 base=0x4000
[1s] dltrace_proc:library process=1 library=6 path="/x/deep.so" flags=336 base=0x5000
[1s] dltrace_proc:library process=1 library=7 path="/x/space.so" flags=1040 base=0x6000
[1s] dltrace_proc:library process=1 library=8 path="/x/libc.so.6" flags=1024 base=0x7000
[1s] dltrace_proc:library process=1 library=9 path="/x/deepstatic.so" flags=136 base=0x8000
[1s] dltrace_proc:library process=1 library=10 path="/x/lookup.so" flags=128 base=0x9000
[1s] dltrace_proc:library process=1 library=11 path="/x/new.so" flags=4112 base=0xa000
[1s] dltrace_proc:library process=1 library=12 path="/x/kineto.so" flags=16384 base=0xc000
[1s] dltrace_proc:library process=1 path="/x/libcudnn.so.9" base=0xb000
[1s] dltrace_proc:function process=1 function=cuMemFree_v2 layer="driver" kind="allocate" name="cuMemFree_v2"
[1s] dltrace_proc:function process=1 function=cudaFree layer="runtime" kind="allocate" name="cudaFree"
[1s] dltrace_proc:function process=1 function=cuGetExportTable layer="driver" kind="other" name="cuGetExportTable"
[2s] dltrace_cuda:other thread=1 function=cuGetExportTable library=4 duration=1ms
[2s] dltrace_cuda:other thread=1 function=cuGetExportTable library=4 duration=1ms
[2s] dltrace_cuda:other thread=1 function=cuGetExportTable library=5 duration=1ms result=500
[2s] dltrace_cuda:free thread=1 function=cuMemFree_v2 library=4 duration=1ms
[2s] dltrace_cuda:free thread=1 function=cudaFree library=1 duration=1ms
[2s] dltrace_cuda:free thread=1 function=cudaFree library=1 duration=1ms
[2s] dltrace_proc:object process=1 type=4 id=9 name="cuFuture"
[2s] dltrace_proc:object process=1 type=4 id=10 name="cuFuture_v2"
[3s] dltrace_proc:object process=1 type=4 id=9 name="cuFuture"
[2s] dltrace_proc:process process=2 pid=101 begin=1s
[2s] dltrace_proc:library process=2 path="/x/libcudart.so.13" base=0x1000
[2s] dltrace_proc:library process=2 path="/x/lookup.so" library=1 flags=128 base=0x2000
[3s] dltrace_proc:process process=3 pid=102 begin=1s parent=1 reason=1
[3s] dltrace_proc:object process=3 type=4 id=9 name="cuFuture"
[3s] dltrace_proc:object process=3 type=4 id=10 name="cuFuture_v2"
[3s] dltrace_proc:object process=3 type=4 id=11 name="cuChilds"
END
rows() {
	json "sorted((c['library'] or '', c['kind'], c['covered'], c['calls'], c['version']) for c in rows('coverage', process=$1) if $2)"
}
same "copies of CUDA" "[('libcuda.so.1', 'cuda driver', 'driver', 4, '1'), ('libcudart-45da57e3.so.12.0.107', 'cuda runtime', 'symbol', 2, '12.0.107')]" \
	"$(rows 1 "c['kind'] in ('cuda runtime', 'cuda driver')")"
same "static ones" "[('deepstatic.so', 'static cuda runtime', 'no', None, None), ('libcublas.so.12', 'static cuda runtime', 'driver', 1, '12'), ('libcudnn_ops.so.9', 'static cuda runtime', 'driver', 3, '9')]" \
	"$(rows 1 "'static' in c['kind']")"
same "past dltrace" "['deep.so', 'lookup.so', 'space.so']" "$(json "sorted(c['library'] for c in rows('coverage', process=1, kind='cuda calls', covered='no'))")"
same "heaps" "['deep.so', 'libc.so.6']" "$(json "sorted(c['library'] for c in rows('coverage', process=1, kind='heap', covered='no'))")"
same "a profiler past us" "['kineto.so']" "$(json "[c['library'] for c in rows('coverage', process=1, kind='profiler', covered='no')]")"
same "private tables" "[('libcudnn_ops.so.9', 2)]" \
	"$(json "[(c['library'], c['calls']) for c in rows('coverage', process=1, kind='private table', covered='no')]")"
same "limits" "['deep.so, libc.so.6', 'deep.so, space.so, lookup.so', 'deepstatic.so', 'kineto.so', 'libcudnn_ops.so.9', 'new.so']" \
	"$(json "sorted(l['text'].split(': ')[-1] for l in rows('limits', process=1, kind='uncovered') if 'libraries' in l['text'])")"
same "no CUDA, no fear; by name where no facts are" "[('libcudart.so.13', 'cuda runtime', 'symbol', None, '13')]" "$(rows 2 "c['library']")"
same "functions in no table" "['cuFuture, cuFuture_v2']" "$(json "[l['text'].split(': ')[-1] for l in rows('limits', process=1) if 'looked up' in l['text']]")"
same "its forked child's" "['cuChilds']" "$(json "[l['text'].split(': ')[-1] for l in rows('limits', process=3) if 'looked up' in l['text']]")"
same "a row each" 2 "$(json "len(rows('coverage', process=1, kind='cuda function', covered='no', library=None))")"
same "the GPU itself" "['no'] []" "$(json "[[c['covered'] for c in rows('coverage', process=p, kind='gpu')] for p in (1, 2)]" | sed 's/^\[\(.*\), \(.*\)\]$/\1 \2/')"

# A libdltrace that has no dlsym sees nothing of what is looked up: neither a static runtime's driver nor the rest.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[1s] dltrace_proc:library process=1 library=1 path="/x/libdltrace.so" flags=1
[1s] dltrace_proc:library process=1 library=2 path="/x/libcudnn_ops.so.9" flags=8 base=0x3000
[1s] dltrace_proc:library process=1 library=3 path="/x/libcuda.so.1" flags=4 base=0x2000
END
same "no lookups" "[('libcuda.so.1', 'cuda driver', 'symbol', None, '1'), ('libcudnn_ops.so.9', 'static cuda runtime', 'no', None, '9')]" \
	"$(rows 1 "'cuda' in c['kind']")"

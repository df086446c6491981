# SPDX-License-Identifier: MIT
"""
Prints a text trace with phases, for several tests: a training of 40 steps of 50 ms from 10.5 s on;
before, 4 s of imports and 3 s of compiling; at 14.5 s it ends.
"""
def at(ms): return f"[{int((1000 + ms) * 1000)}us]"
print('dltrace-text 1')
print('[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3" heap=0')
print('[1s] dltrace_proc:library process=1 library=1 path="/lib/libtorch_cpu.so"')
print('[1s] dltrace_proc:function function=sgemm_ layer="blas" kind="compute" name="sgemm_"')
print('[1s] dltrace_proc:function function=malloc layer="heap" kind="allocate" name="malloc"')
print(at(500), 'dltrace_proc:thread process=1 thread=7 tid=107 begin=1500ms')
for i, exe in enumerate(("/usr/bin/g++", "/usr/lib/cc1plus", "/usr/bin/as")):
    print(at(4000 + i), f'dltrace_proc:process process={20 + i} parent={[1, 20, 20][i]} pid={200 + i} parent_pid=100 begin={5000 + i}ms host="h" exe="{exe}"')
    print(at(7000 - i), f'dltrace_proc:exit process={20 + i} how=0 code=0')
# A worker, forked while it trains, which multiplies too.
print(at(11000), 'dltrace_proc:process process=30 parent=1 pid=300 parent_pid=100 begin=12s reason=1 host="h" exe="/usr/bin/python3"')
print(at(11200), 'dltrace_cpu:blas thread=30 function=sgemm_ library=1 m=3 n=3 k=3 duration=1ms')
for ms in range(0, 9500, 100):
    print(at(ms + 1), f'dltrace_heap:alloc thread=1 function=malloc library=1 size=100000 ptr=0x1000')
for i in range(40):
    for k, out in enumerate((512, 256, 10)):
        print(at(9500 + 50 * i + 5 * k + 5), f'dltrace_cpu:blas thread=1 function=sgemm_ library=1 m={out} n=32 k=64 duration=4ms')
        print(at(9500 + 50 * i + 40 - 5 * k), f'dltrace_cpu:blas thread=1 function=sgemm_ library=1 m={out} n=64 k=32 duration=4ms')
print(at(13000), 'dltrace_heap:alloc thread=1 function=malloc library=1 size=12345 ptr=0x0')
# 9.9 of 10 million allocations before the first step; CPU time of one core.
for ms in range(0, 13501, 100):
    calls = 9900000 * min(ms, 9500) // 9500 + 100000 * max(0, ms - 9500) // 4000
    print(at(ms + 1), f'dltrace_sample:process process=1 time={1000 + ms}ms threads=1 user={ms}ms rss_anon=1M allocations={calls} allocated={calls * 10}')
print(at(13501), 'dltrace_proc:exit process=1 how=0 code=0')

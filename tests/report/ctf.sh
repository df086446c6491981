# SPDX-License-Identifier: MIT
# -o r.ctf holds what Trace Compass's UST memory and call stack views look for: events, fields and
# types as LTTng-UST's own wrappers write them, in order of time, by thread.
. "$top_srcdir/tests/lib.sh"
need babeltrace2
cat >t.txt <<'END'
dltrace-text 1
clock_offset 1700000000000000000
host "node\"7"
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/python3" host="node7"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s name="main"
[1s] dltrace_proc:thread thread=2 process=1 tid=101 begin=1s name="w\x1b\xff rker"
[1s] dltrace_proc:function function=malloc layer="heap" name="malloc"
[1s] dltrace_proc:function function=calloc layer="heap" name="calloc"
[1s] dltrace_proc:function function=realloc layer="heap" name="realloc"
[1s] dltrace_proc:function function=memalign layer="heap" name="memalign"
[1s] dltrace_proc:function function=posix_memalign layer="heap" name="posix_memalign"
[1s] dltrace_proc:function function=free layer="heap" name="free"
[1s] dltrace_proc:function function=sgemm_ layer="blas" name="sg emm_"
[1s] dltrace_proc:library process=1 library=1 base=0x10000 size=64M path="/usr/lib/libtorch_cuda.so"
[1200ms] dltrace_heap:alloc thread=1 function=malloc size=64K ptr=0x1000
[1201ms] dltrace_heap:alloc thread=2 function=calloc size=96K ptr=0x2000
[1202ms] dltrace_heap:free thread=1 function=realloc size=64K ptr=0x1000
[1202ms] dltrace_heap:alloc thread=1 function=realloc size=128K ptr=0x3000
[1203ms] dltrace_heap:alloc thread=1 function=memalign size=8K ptr=0x4000
[1204ms] dltrace_heap:alloc thread=1 function=posix_memalign size=16K ptr=0x5000
[1205ms] dltrace_heap:alloc thread=1 function=realloc size=0xffffffffffffffff ptr=0
[1206ms] dltrace_heap:free thread=1 function=free size=8K ptr=0x4000
[1300ms] dltrace_cpu:blas thread=1 function=sgemm_ library=1 duration=97ms
[1400ms] dltrace_cpu:blas thread=1 function=sgemm_ library=1 duration=100ms
# long calls: the sampler tells of the first in time; of the second nobody does
[3600ms] dltrace_sample:thread thread=1 time=3600ms function=sgemm_ since=3s
[3700ms] dltrace_sample:thread thread=1 time=3700ms function=sgemm_ since=3s
[5s] dltrace_heap:alloc thread=2 function=malloc size=64K ptr=0x6000
[7s] dltrace_heap:free thread=2 function=free size=64K ptr=0x6000
[8s] dltrace_sample:thread thread=1 time=8s function=sgemm_ since=3s
[8s] dltrace_cpu:blas thread=1 function=sgemm_ library=1 duration=4294967295
[9s] dltrace_heap:alloc thread=2 function=malloc size=64K ptr=0x6000
[10500ms] dltrace_heap:free thread=2 function=free size=64K ptr=0x6000
[11s] dltrace_cpu:blas thread=1 function=sgemm_ library=1 duration=2900ms
# ten seconds later: beyond what a short time stamp holds
[12s] dltrace_heap:free thread=2 function=free size=96K ptr=0x2000
END
"$REPORT" -q t.txt -o r.ctf 2>err
same "what is said" "dltrace-report: r.ctf: 1 events came too late for their place and stand up to 0.900 s after their time" "$(cat err)"
cat >expected <<'END'
1200000000 malloc 100 100 main: size = 65536, ptr = 0x1000
1201000000 calloc 100 101 w__ rker: nmemb = 1, size = 98304, ptr = 0x2000
1202000000 free 100 100 main: ptr = 0x1000
1202000000 malloc 100 100 main: size = 131072, ptr = 0x3000
1203000000 func_entry 100 100 main: addr = 0x100010, call_site = 0x10000
1203000000 memalign 100 100 main: alignment = 0, size = 8192, ptr = 0x4000
1204000000 posix_memalign 100 100 main: out_ptr = 0x5000, alignment = 0, size = 16384, result = 0
1205000000 realloc 100 100 main: in_ptr = 0x0, size = 18446744073709551615, ptr = 0x0
1206000000 free 100 100 main: ptr = 0x4000
1300000000 func_exit 100 100 main: addr = 0x100010, call_site = 0x10000
1300000000 func_entry 100 100 main: addr = 0x100010, call_site = 0x10000
1400000000 func_exit 100 100 main: addr = 0x100010, call_site = 0x10000
3000000000 func_entry 100 100 main: addr = 0x100010, call_site = 0x0
5000000000 malloc 100 101 w__ rker: size = 65536, ptr = 0x6000
7000000000 free 100 101 w__ rker: ptr = 0x6000
8000000000 func_exit 100 100 main: addr = 0x100010, call_site = 0x10000
9000000000 malloc 100 101 w__ rker: size = 65536, ptr = 0x6000
9000000000 func_entry 100 100 main: addr = 0x100010, call_site = 0x10000
10500000000 free 100 101 w__ rker: ptr = 0x6000
11000000000 func_exit 100 100 main: addr = 0x100010, call_site = 0x10000
12000000000 free 100 101 w__ rker: ptr = 0x2000
END
babeltrace2 --clock-cycles r.ctf >all
sed 's/^\[0*\([0-9]*\)\] (+[^)]*) *\(node_7 \)\?lttng_ust_[a-z_]*:\([a-z_]*\): { cpu_id = 0 }, { vpid = \(-\?[0-9]*\), vtid = \(-\?[0-9]*\), procname = "\([^"]*\)" }, { \(.*\) }$/\1 \3 \4 \5 \6: \7/' all |
	sed 's/0x\([0-9A-F]*\)/0x\L\1/g' >actual
diff expected actual || fail "events differ"
grep -q lttng_ust_libc:malloc all || fail "the provider's name"
same "names of functions" "0000000000100010 T sg_emm_" "$(cat r.ctf/functions.nm)"

# the same declarations as in a trace of the wrappers themselves
babeltrace2 -o ctf-metadata r.ctf/ust >ours
/usr/bin/python3 - "$top_srcdir/tests/report/ust-wrappers.tsdl" <<'END'
import re, sys
def events(path):
    text = re.sub(r"\s+", " ", open(path).read())
    found = {}
    for name, level, fields in re.findall(
            r'event \{ name = "(lttng_ust_(?:libc|cyg_profile):\w+)";.*?loglevel = (\d+); fields := struct \{ (.*?) \}; \};', text):
        found[name] = (level, fields.strip())
    context = re.search(r"event\.context := struct \{ (.*?) \};", text).group(1)
    env = dict(re.findall(r'(\w+) = ("ust"|"lttng-ust"|2|13);', text))
    return found, context, {k: env.get(k) for k in ("domain", "tracer_name", "tracer_major", "tracer_minor")}
ours, theirs = events("ours"), events(sys.argv[1])
assert len(theirs[0]) == 8 and theirs[2]["domain"] == '"ust"', theirs
assert ours == theirs, (ours, theirs)
END

# a second trace has a folder of its own; what was there stays when nothing can be read
"$REPORT" -q t.txt t.txt -o two.ctf
same "events of two" 42 "$(babeltrace2 two.ctf | wc -l)"
[ -s two.ctf/ust-2/metadata ] || fail "no second folder"
exits 4 "$REPORT" -q nothing-here -o none.ctf
[ ! -e none.ctf ] || fail "something is left: $(find none.ctf)"
exits 2 "$REPORT" -q t.txt -f ctf

# ... nor is anything of it with the next export there, but what is not ours
mkdir two.ctf/ust-3 two.ctf/ust-x two.ctf/ust-4
cp two.ctf/ust/* two.ctf/ust-3
: >two.ctf/ust-4/metadata
: >two.ctf/ust-4/index
: >two.ctf/notes
exits 0 "$REPORT" -q t.txt -o two.ctf
same "folders of one" "functions.nm notes ust ust-4 ust-x" "$(echo $(ls two.ctf))"
says "two.ctf/ust-4: not of this report"
rm -r two.ctf/ust-4 two.ctf/ust-x
same "events of one" 21 "$(babeltrace2 two.ctf | wc -l)"
exits 4 "$REPORT" -q nothing-here -o two.ctf
same "what was there before" 21 "$(babeltrace2 two.ctf | wc -l)"
exits 0 "$REPORT" -q t.txt --to 1ns -o two.ctf
same "folders of none" "functions.nm notes" "$(echo $(ls two.ctf))"
"$REPORT" -q t.txt --to 1ns -o filtered.ctf
same "events of no time" 0 "$(babeltrace2 filtered.ctf 2>/dev/null | wc -l)"

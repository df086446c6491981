# SPDX-License-Identifier: MIT
# The page's flame graph of who asked for memory, in a headless Chromium: what it shows are the table's integers, also
# where the page does not have all stacks; by mouse and keys, narrow and dark, with hostile names.
. "$top_srcdir/tests/lib.sh"
"$REPORT" -f html "$top_srcdir/tests/report/training.txt" >/dev/null 2>&1 || skip "the HTML report is not built in"
PYTHONPATH=$top_srcdir/tests/browser python3 -c 'import browser, sys; sys.exit(not browser.program())' ||
	skip "chromium is not installed"

# Two processes. In the first 1300 functions ask, a few for much; half of all is given back, some at once; a GPU, too.
python3 - >t.txt <<'END2'
print("dltrace-text 1\nclock_offset 1700000000000000000")
def event(at, name, text):
    print(f"[{at}ms] {name} {text}")
for p, name in (1, "python3"), (2, "worker"):
    event(1000, "dltrace_proc:process", f'process={p} pid={100 * p} heap=0 threshold=64K begin=1s exe="/bin/{name}" folder="/srv"')
    event(1000, "dltrace_proc:thread", f'thread={p} process={p} tid={100 * p} begin=1s name="{name}"')
    event(1000, "dltrace_proc:library", f'process={p} library=1 base=0x1000 size=409600 path="/opt/libwork.so"')
    event(1000, "dltrace_proc:object", f'process={p} type=13 id=1 name="/srv/models/train.py\\x1fTrainer.fit.<locals>.go"')
    event(1000, "dltrace_proc:object", f'process={p} type=13 id=2 name="/usr/lib/python3/dist-packages/torch/nn/conv.py\\x1f<img src=x onerror=hit()>"')
    frames = [1 << 32, 2 << 56 | 1 << 24 | 10, 2 << 32 | 1, 2 << 56 | 2 << 24 | 20]
    for i in range(3, 1303 if p == 1 else 5):
        frames += [i << 32 | 2, 1 << 56 | 1 << 40 | i]
    for i in range(0, len(frames), 8):
        event(1000, "dltracefull_stack:frames", f"process={p} frames=[{' '.join(hex(f) for f in frames[i:i + 8])}]")
at = 2000
for i in range(3, 1303):
    size = (10 << 20) // i + 70001
    event(at, "dltracefull_stack:alloc", f"thread=1 stack={i} memory=255 size={size} ptr={0x10000 * i}")
    if i % 7 == 0:
        event(at, "dltracefull_stack:free", f"thread=1 memory=255 size={size} ptr={0x10000 * i}")
    at += 1
for i in range(3, 1303, 2):
    if i % 7:
        event(at, "dltracefull_stack:free", f"thread=1 memory=255 size=70001 ptr={0x10000 * i}")
for i, memory, device, size in (3, 0, 0, 5000001), (4, 0, 1, 3000000), (4, 5, 0, 77):
    event(at, "dltracefull_stack:alloc", f"thread=1 stack={i} memory={memory} device={device} size={size}")
event(at, "dltracefull_stack:alloc", "thread=2 stack=3 memory=255 size=90000 ptr=0x10")
END2
"$REPORT" -q t.txt -o r.html -o r.json || [ $? = 1 ] || fail "no report"
PYTHONPATH=$top_srcdir/tests/browser PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/tests/browser/flame.py"

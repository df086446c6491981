# SPDX-License-Identifier: MIT
# What the files that a training reads tell: a pass over them is an epoch, whoever reads them and in
# whatever order; and batches, where nothing else shows the iterations: by pauses, or by the block that each is
# put into. Else nothing is said.
. "$top_srcdir/tests/lib.sh"

# training PYTHON: a text trace of what open(FILE, MS, thread), step(MS) and block(KIB, MS, thread) are called
# with. Two layers forward and back in each step. Threads 2 and 3 are other processes', forked to read.
training() {
	{
		cat <<-'END'
		import random, sys
		random.seed(7)
		events = []
		def open(file, at, thread=1, size=5):
		    folder = file if file >= 200 else 8 if file >= 90 else 9
		    events.append((at, f"dltrace_file:open thread={thread} path={file + 1000} folder={folder} size={size}"))
		def step(at, layers=(16, 48, 48, 16)):
		    for i, n in enumerate(layers):
		        events.append((at + i, f"dltrace_cpu:blas thread=1 function=sgemm_ library=1 duration=9us m=8 n={n} k={i + 20}"))
		def block(size, at, thread=1):
		    events.append((at, f"dltrace_heap:alloc thread={thread} function=malloc library=1 size={size}K ptr=0x1000"))
		def order(files):
		    return random.sample(range(files), files)
		END
		printf '%s\n' "$1"
		cat <<-'END'
		print("dltrace-text 1")
		print('[1s] dltrace_proc:process process=1 pid=100 threshold=64K begin=1s host="h" exe="/usr/bin/python3"')
		print('[1s] dltrace_proc:library process=1 library=1 base=0x1000 size=4096 path="/lib/libtorch_cpu.so"')
		for reader in (2, 3):
		    if any(f"thread={reader}" in event for _, event in events):
		        print(f'[1s] dltrace_proc:process process={reader} parent=1 pid={99 + reader} reason=1 begin=1s host="h" exe="/usr/bin/python3"')
		for at, event in sorted(events):
		    print(f"[{at * 1000 + 2000000}us] {event}")
		print(f"[{max(at for at, _ in events) + 2100}ms] dltrace_proc:exit process=1 how=0 code=0")
		END
	} >"$TMP/training.py"
	python3 "$TMP/training.py" | report_text
}
told() {
	json '[(x["count"], x["epoch_count"]) for x in rows("iterations", process=1)]'
}

# steps FILES BATCH [CONDITION]: 9 of them in 3 epochs, each with so many files before it.
steps() {
	training "
for i in range(9):
    files = order($1) if i % 3 == 0 else files
    for k in range($2):
        open(files[i % 3 * $2 + k], 100 * i + k)
    ${3:-}step(100 * i + 10)"
}

# 12 photos, batches of 4, read right before each step.
steps 12 4
same "by the training itself" "[(9, 3)]" "$(told)"
same "files" "12 36 180" "$(json '"%(files)d %(file_opens)d %(file_bytes)d" % row("processes")')"
same "lengths" "[3, 3, 3]" "$(json '[e["iterations"] for e in r["epochs"]]')"
training 'for i in range(9):
    files = order(12) if i % 3 == 0 else files
    for k in range(12 if i % 3 == 0 else 0):
        open(files[k], 100 * i + k, 2)
    step(100 * i + 50)'
same "ahead, by a worker" "[(9, 3)]" "$(told)"
training 'for k in range(12):
    open(k, k)
for i in range(9):
    for k in range(4):
        open(i % 3 * 4 + k, 100 * i + k + 100)
    step(100 * i + 110)
for i in range(30):
    open(77, 100 * i % 900 + 60)'
same "after a look at all files, with one that is read all the time" "[(9, 3)]" "$(told)"
steps 15 3
same "9 of 15 in each" "[(9, 3)]" "$(told)"
training 'for k in range(12):
    open(k, k)
for i in range(9):
    step(100 * i + 110)'
same "all in memory" "[(9, None)]" "$(told)"
training 'for i in range(9):
    for k in range(4):
        open(random.randrange(12), 100 * i + k)
    step(100 * i + 10)'
same "at random" "[(9, None)]" "$(told)"
# The first iteration does something else: what repeats is one less than the files say.
steps 12 4 "if i: "
same "the first is unlike the others" "[(9, 3)]" "$(told)"

# Nothing of the steps is seen: the distances tell.
read='
for epoch in range(3):
    files = order(12)
    for i in range(12):
        at += 3 + (PAUSE if i % BATCH == 0 else 0) + random.randrange(3)
        open(files[i], at)'
training "at, PAUSE, BATCH = 0, 50, 4
step(0)$read"
same "batches of 4" "[(9, 3)]" "$(told)"
training "at, PAUSE, BATCH = 0, 50, 5
step(0)$read"
same "batches of 5, a smaller last one" "[(9, 3)]" "$(told)"
training "at, PAUSE, BATCH = 0, 2, 4
step(0)$read"
same "no pauses: epochs alone" "[(None, 3)]" "$(told)"
training "at, PAUSE, BATCH = 0, 50, 4
step(0)
for i in (90, 91, 90, 91):
    at += 9
    open(i, at)$read"
same "and settings, twice" "[(9, 3)]" "$(told)"
training "at, PAUSE, BATCH = 0, 50, 4
step(0)
for i in 2 * list(range(200, 280)):
    at += 1
    open(i, at)$read"
same "and a cache with a folder for each" "[(9, 3)]" "$(told)"
training "at, PAUSE, BATCH = 0, 50, 4
step(0)
for i in (90, 90, 90):
    at += 9
    open(i, at)$read"
same "and one as often, in a folder of its own" "[(9, 3)]" "$(told)"
training "at, PAUSE, BATCH = 0, 50, 4
step(0)
open(90, 5, 2)
open(90, 6, 2)$read"
same "and settings, by a child" "[(9, 3)]" "$(told)"
training 'at = 0
step(0)
for epoch in range(2):
    for i in order(12):
        at += 3 if epoch else 90
        open(i, at)'
same "a first epoch that compiles" "[(None, 2)]" "$(told)"
training "at, PAUSE, BATCH = 0, 50, 1
step(0)$read"
same "each like the others" "[(None, 3)]" "$(told)"
training "at, PAUSE, BATCH = 0, 2, 4
step(0)
for i in range(12):
    at += 1
    open(i, at)$read"
same "a quick look before: who knows" "[(None, None)]" "$(told)"

# Blocks come every other iteration, files say that there are more.
training 'step(0)
for i in range(24):
    files = order(32) if i % 8 == 0 else files
    for k in range(4):
        open(files[i % 8 * 4 + k], 100 * i + k + 50)
    for n in range(20 if i % 2 == 0 else 0):
        block(n + 64, 100 * i + 60 + n)'
same "blocks of every other" "[(24, 3)]" "$(told)"

# What repeats is finer than the batches that are read: one of the two is wrong.
training 'for i in range(12):
    files = order(16) if i % 4 == 0 else files
    for k in range(4):
        open(files[i % 4 * 4 + k], 100 * i + k + 50)
    for k in range(3):
        step(100 * i + 60 + 10 * k)'
same "three steps a batch" None "$(json 'rows("iterations", process=1)[0]["count"]')"

# No pauses, but each batch is put into a block of its own: read(FILES, BATCH, KIB) of an example, 3 epochs.
stacks='
at = 0
def read(files, batch, size, each=1, thread=lambda batch: 1, more=0, evaluated=0, used=lambda at: None):
    global at
    for epoch in range(3):
        examples = order(files) + [50 + i for i in range(more)]
        for start in range(0, len(examples), batch):
            part = examples[start:start + batch]
            for file in part:
                for k in range(each):
                    at += 3 + random.randrange(3)
                    open(file + 20 * k, at, thread(start // batch))
            last, at = at + 1, at + 1 + (60 if more and start < files else evaluated)
            if len(part) * size >= 64:
                block(len(part) * size, last, thread(start // batch))
            used(last)
step(0)
'
training "$stacks
read(12, 5, 40)"
same "batches in blocks" "[(9, 3)]" "$(told)"
training "$stacks
read(12, 5, 16)"
same "the last one too small to be told" "[(9, 3)]" "$(told)"
training "$stacks
for i in order(12):
    at += 3
    open(i, at)
read(12, 5, 40)"
same "after a look at all files, too" "[(9, 3)]" "$(told)"
training "$stacks
read(12, 4, 40)
events = [e for e in events if 'heap' not in e[1] or e[0] % 5]"
same "some without a block" "[(None, 3)]" "$(told)"
training "$stacks
read(12, 4, 40)
block(160, at - 6)"
same "and another as large" "[(None, 3)]" "$(told)"
training "$stacks
read(12, 1, 70, each=2)"
same "a block for each example of two files" "[(None, 3)]" "$(told)"
training "$stacks
read(12, 4, 40, more=4, evaluated=20)"
same "an evaluation: some are always last, and take less" "[(None, 3)]" "$(told)"
training "$stacks
read(12, 4, 20, more=4, evaluated=20)"
same "the same by pauses" "[(None, 3)]" "$(told)"
training "$stacks
read(12, 4, 40, more=4, evaluated=60)"
same "some are always last, and take as long" "[(12, 3)]" "$(told)"

# A last batch that is so small that only its way forward is seen; an evaluation of other files.
last='used=lambda at, done=[0]: [step(at, range(16, 144, 16 if done[0] % 3 < 2 else 64)), done.append(done.pop() + 1)]'
training "$stacks
events.clear()
read(12, 5, 40, evaluated=30, $last)"
same "a small last batch" "[(9, 3)]" "$(told)"
training "$stacks
events.clear()
read(8, 4, 40, more=4, evaluated=30, $last)"
same "an evaluation after each epoch" "[(6, 3)]" "$(told)"
same "of a batch" 3 "$(json 'row("iterations")["evaluations"]')"

# Read by others, a batch each; what the training does with it shows when, or only their number is known.
training "$stacks
read(12, 4, 40, thread=lambda batch: 2 + batch % 2, used=lambda at: [block(1000 + k, at + 3 + k) for k in range(2)])"
same "by two workers" "[(9, 3)]" "$(told)"
same "with times" True "$(json 'row("iterations")["median_ns"] > 0')"
training "$stacks
read(12, 4, 40, thread=lambda batch: 2 + batch % 2)
for i in range(9):
    for k in range(2):
        block(1000 + k, at + 10 * i + k)"
same "read far ahead" "[(9, 3)]" "$(told)"
training "$stacks
read(12, 4, 40, thread=lambda batch: 2 + batch % 2)"
same "nothing of the training" "[(9, 3)]" "$(told)"
same "no times then" "None 9" "$(json '"%s %s" % (row("iterations")["median_ns"], sum(e["iterations"] for e in r["epochs"]))')"
training "$stacks
read(12, 4, 40, thread=lambda batch: 2 + batch % 2, more=4)"
same "by two workers, some always last: who knows" "[(None, 3)]" "$(told)"
training "$stacks
read(12, 4, 40, thread=lambda batch: 2 + batch % 2)
open(3, at + 5, 3)"
same "one more that no batch has" "[(None, 3)]" "$(told)"

# More than are kept one by one.
training 'for i in range(2400):
    files = order(12) if i % 3 == 0 else files
    for k in range(4):
        open(files[i % 3 * 4 + k], 20 * i + k)
    step(20 * i + 10)'
same "a long run" "[(2400, 800)]" "$(told)"

# Passes alone divide a process, too, where nothing tells iterations: what came before the first, the first, the others.
training 'for e in range(3):
    for k, file in enumerate(order(12)):
        open(file, 2000 * e + 100 * k + random.randrange(90))'
same "epochs alone" "[(None, 3)]" "$(told)"
same "phases of epochs" "[('start-up', 0.0, 1.0, None), ('warm-up', 1.0, 3.1, None), ('steady', 3.1, 6.2, None)]" \
	"$(json '[(p["phase"], round(p["begin_ns"] / 1e9, 1), round(p["end_ns"] / 1e9, 1), p["iterations"]) for p in r["phases"]]')"
same "all of its life" 1.0 "$(json 'round(sum(p["share"] for p in r["phases"]), 9)')"
# Who reads for another is no measure of what that does: its iterations are.
training 'for i in range(9):
    files = order(12) if i % 3 == 0 else files
    for k in range(12 if i % 3 == 0 else 0):
        open(files[k], 100 * i + k, 2)
    step(100 * i + 50)'
same "phases of a worker are the training's" "[1]" "$(json 'sorted({p["process"] for p in r["phases"]})')"

# Photo by photo: as much memory asked for and as much time after each file, whatever its size, which is what tells it
# from photos that are only read one by one. singly BATCH MS-EACH MS-A-KB SIZES: blocks come after so many files.
singly() {
	training "
at = 0
for e in range(3):
    for i, file in enumerate(order(16)):
        kb = ($4)[file % 4]
        open(file, at, size=kb * 1000)
        for k in range(random.randrange(8, 12) * $1 if (i + 1) % $1 == 0 else 0):
            block(70 + random.randrange(60), at + 5 + k)
        at += random.randrange($2, $2 + $2 // 5) + kb * $3"
}
singly 1 100 0 '100, 200, 400, 300'
same "one a step" "[(48, 3)]" "$(told)"
same "how long they last" True "$(json '100e6 <= row("iterations")["median_ns"] <= 120e6')"
same "of each epoch" "[16, 16, 16]" "$(json '[e["iterations"] for e in r["epochs"]]')"
training "
at = 0
for e in range(3):
    for file in order(16):
        kb = (100, 200, 400, 300)[file % 4]
        open(file, at, size=kb * 1000)
        for layer in range(6):
            for size in range(9): block(70 + 10 * size, at + 15 * layer + size)
        at += random.randrange(100, 120)"
same "six times the same in each" "[(48, 3)]" "$(told)"
singly 4 100 0 '100, 200, 400, 300'
same "read one by one, batches of four" "[(None, 3)]" "$(told)"
singly 1 10 1 '100, 200, 400, 300'
same "what takes its time is reading" "[(None, 3)]" "$(told)"
singly 1 100 0 '100, 100, 100, 100'
same "files of one size" "[(None, 3)]" "$(told)"

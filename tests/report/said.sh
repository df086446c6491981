# SPDX-License-Identifier: MIT
# What a program says of its epochs on its standard output and error tells them, if it fits the iterations;
# none is told wrong by other numbers behind that word.
. "$top_srcdir/tests/lib.sh"

# training PYTHON-STATEMENTS: a text trace; step() trains on a batch, all are alike; say(NUMBER) has it said, as
# changes of the number alone are told; rest(MS).
training() {
	python3 - "$1" <<-'END' | report_text
	import random, sys
	random.seed(2)
	now, last = 1000.0, {}
	print('dltrace-text 1')
	print('[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3" heap=0')
	if "block(" in sys.argv[1]:
	    print('[1s] dltrace_proc:library process=1 library=9 base=0x1000 size=4096 path="/lib/libtorch_cpu.so"')
	def at(): return f"[{int(now * 1000)}us]"
	def rest(ms):
	    global now
	    now += ms
	def call(m, n, k):
	    rest(random.uniform(2, 3))
	    print(at(), f'dltrace_cpu:blas thread=1 function=sgemm_ library=1 m={m} n={n} k={k} duration=1ms')
	def forward(batch=32, layers=((512, 784), (256, 512), (10, 256))):
	    for out, into in layers: call(out, batch, into)
	def step(layers=((512, 784), (256, 512), (10, 256)), batch=32):
	    forward(batch, layers)
	    for out, into in layers[::-1]:
	        call(into, batch, out)
	        call(into, out, batch)
	def block(kib, ms=1):
	    rest(ms)
	    print(at(), f'dltrace_heap:alloc thread=1 function=malloc library=9 size={kib}K ptr=0x1000')
	def blocks(names, last=""):
	    for name in names: block(64 + 8 * ord(name), 2 + random.random())
	def region(ms):
	    rest(ms)
	    print(at(), f'dltrace_cpu:region thread=1 function=GOMP_parallel library=9 duration={ms}ms width=2')
	def say(number, stream="stdout"):
	    rest(0.1)
	    if last.get(stream) != number:
	        print(at(), f'dltrace_mark:range thread=1 begun_by=1 kind=6 payload_type=1 payload={number} domain="{stream}"')
	    last[stream] = number
	exec(sys.argv[1])
	rest(1)
	print(at(), 'dltrace_proc:exit process=1 how=0 code=0')
	END
}
# tells WHAT ITERATIONS-AND-EPOCHS PYTHON-STATEMENTS
tells() {
	training "$3"
	same "$1" "$2" "$(json '"%(count)s %(epoch_count)s" % row("iterations")')"
}

tells "nothing said" "24 None" '
for i in range(24): step()'
tells "at the end of each" "24 3" '
for e in range(3):
    for i in range(8): step()
    say(e + 1)'
same "iterations of each" "[8, 8, 8]" "$(json '[e["iterations"] for e in r["epochs"]]')"
tells "at the begin, from 0" "24 6" '
for e in range(6):
    say(e)
    for i in range(4): step()'
tells "with every fifth step, and with each" "40 2" '
for e in range(2):
    for i in range(20):
        step()
        if i % 5 == 0: say(e + 1)
        say(e + 1, "stderr")'
tells "with every tenth, of a training that is taken up again" "40 2" '
for e in range(2):
    for i in range(20):
        step()
        if i % 10 == 9: say(e + 7)'
tells "from 0 on one stream, from 1 on the other" "18 3" '
for e in range(3):
    say(e, "stderr")
    for i in range(6): step()
    say(e + 1)'
tells "as many as are wanted before, the best one behind" "18 3" '
say(10)
for e in range(3):
    for i in range(6): step()
    say(e + 1)
say(2)'
tells "the last one is cut short" "21 3" '
for e in range(3):
    say(e)
    for i in range(8 if e < 2 else 5): step()'

# A smaller last batch after few whole ones: where the epoch ends tells it.
last='
def epochs(count, whole, rest, say=say):
    for e in range(count):
        for i in range(whole): step()
        rest()
        say(e + 1)
'
tells "after three" "12 3" "$last
epochs(3, 3, lambda: step(batch=20))"
tells "after two" "9 3" "$last
epochs(3, 2, lambda: step(batch=20))"
tells "an evaluation, smaller" "9 3" "$last
epochs(3, 3, lambda: forward(20))"

# What is not sure.
tells "from 0 and from 1 on the same stream" "24 None" '
for e in range(3):
    say(e)
    for i in range(8): step()
    say(e + 1)'
tells "the first ones alone, that were better" "36 None" '
for e in range(12):
    for i in range(3): step()
    if e < 3: say(e + 1)'
tells "some, that were better" "36 None" '
for e in range(12):
    for i in range(3): step()
    if e in (0, 3, 7): say(e + 1)'
tells "all at the end, as one writes a buffer out" "24 None" '
for e in range(4):
    for i in range(6): step()
for e in range(4): say(e + 1)'
tells "twice" "24 None" '
for fold in range(2):
    for e in range(3):
        for i in range(4): step()
        say(e + 1)'
tells "the best one alone" "24 None" '
for e in range(3):
    for i in range(8): step()
say(1)'
tells "one alone" "24 None" '
say(1)
for i in range(24): step()'
tells "tens" "24 None" '
for e in range(4):
    for i in range(6): step()
    say(10 * e)'
tells "a time, too" "24 3" '
for e in range(3):
    for i in range(8): step()
    say(e + 1)
    say(18 + e, "stderr")
    if e == 1: say(3, "stderr")'
tells "two that do not agree" "24 None" '
for i in range(24):
    step()
    say(i // 8 + 1)
    if i % 6 == 5: say(i // 6 + 1, "stderr")'

# Passes over files may be others: what a program calls an epoch is one.
tells "and what else comes in each" "24 4" '
for e in range(4):
    say(e)
    for i in range(6):
        step()
        if i % 3 == 0: step(((100, 100), (50, 100)))'

# A process that does not train tells nothing.
training '
for e in range(4):
    say(e)
    rest(100)'
same "no training" "[]" "$(json 'r["iterations"]')"

# More than are kept.
tells "more than are kept" "10000 None" '
for e in range(5000):
    say(e)
    step()
    step()'

# Blocks of a framework that compiles: two sizes alone, far more of them before the first step. The epochs that it
# says are what is looked at.
compiles='
for i in range(300): block(64 + 8 * ord(random.choice("ab")), 1)
def epochs(count, steps, last="", but="", more="", size="abbabbbaab"):
    for e in range(count):
        for i in range(steps): blocks(but if but and i == steps - 1 else size)
        blocks(last)
        rest(3)
        say(e + 1)
        blocks(more)
'
tells "six steps in each of three epochs" "18 3" "$compiles
epochs(3, 6)"
same "of each" "[6, 6, 6]" "$(json '[e["iterations"] for e in r["epochs"]]')"
# Which of the first epoch's steps took longer is not known: it is no steady one as a whole.
same "what it compiled for" "[('warm-up', 6), ('steady', 12)]" "$(json '[(p["phase"], p["iterations"]) for p in r["phases"] if p["iterations"]]')"
same "one step" True "$(json '20 < row("iterations")["median_ns"] / 1e6 < 30')"
tells "a smaller last batch" "28 4" "$compiles
epochs(4, 7, but='cabbdaabdbc', size='xabbyaabybx')"
tells "an evaluation of a batch in each" "None 3" "$compiles
epochs(3, 6, last='abb')"
tells "of three" "None 3" "$compiles
epochs(3, 6, last=3 * 'abbab')"
tells "more than a step of other sizes" "None 3" "$compiles
epochs(3, 6, last='mnopqrstuv')"
tells "one epoch whose begin is known, two sizes" "None 2" "$compiles
epochs(2, 6)"
tells "five sizes" "12 2" "$compiles
epochs(2, 6, size='abcabdabe')"
tells "a block for each example, too" "18 3" "$compiles
for e in range(3):
    for i in range(24):
        block(900)
        if i % 4 == 3: blocks('abbab')
    rest(3)
    say(e + 1)"
tells "a step that may be two" "None 3" "$compiles
epochs(3, 6, size='abbabb')"
tells "two sizes, one of them another in the last" "None 3" "$compiles
epochs(3, 7, size='abb', but='acc')"
tells "once" "21 3" "$compiles
epochs(3, 7, size='aab', but='aac')"
tells "bursts that fill a part of each epoch" "None None" "$compiles
for e in range(3):
    for i in range(6): blocks('abbabbbaab')
    rest(400)
    say(e + 1)"
tells "in any order" "None 3" "$compiles
for e in range(3):
    for i in range(6): blocks(''.join(random.choice('abc') for n in range(9)))
    say(e + 1)"

# A library has the products of whole batches inside: what can be seen is evaluated one by one.
evaluated='
for e in range(3):
    for i in range(6):
        for k in range(40): region(3)
        blocks("abqwerty")
        if not i: say(e)
    for i in range(12):
        blocks("ab")
        forward(1)'
tells "only what is evaluated calls" "18 3" "$evaluated"
tells "most is in the rounds" "36 3" "$(echo "$evaluated" | sed 's/range(40)/range(0)/')"
tells "nobody says which epoch it is" "36 None" "$(echo "$evaluated" | sed '/say(/d')"

# Layers that are alike leave one thing that comes once in each step: the word for epochs is the second witness.
alike='
for e in range(3):
    for i in range(8):
        for k in range(3): call(256, 32, 256)
        for k in range(3):
            call(256, 256, 32)
            if k < 2: call(32, 256, 256)
    say(e + 1)'
tells "layers that are alike" "24 3" "$alike"
tells "layers that are alike, nothing said" "None None" "$(echo "$alike" | sed '/say(/d')"
tells "layers that are alike, other numbers" "None None" "$(echo "$alike" | sed 's/say(e + 1)/say(3 * e)/')"

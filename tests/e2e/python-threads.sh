# SPDX-License-Identifier: MIT
# dltrace-record --stacks of Python's threads that run the same functions at once: each allocation has the stack that
# sys._getframe says, in generators, recursion, code that is thrown away, with the interpreter and without. With
# whatever free-threaded Python there is, too (python3.13t and later ones), where nothing keeps threads apart.
. "$top_srcdir/tests/lib.sh"

cat >storm.py <<'EOF'
import ctypes, json, random, sys, threading

# The one lets go of the interpreter, the other keeps it. Python without its lock does not ask malloc itself.
libraries = ctypes.CDLL(None), ctypes.PyDLL(None)
for library in libraries:
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]
malloc, malloc_inside, free = libraries[0].malloc, libraries[1].malloc, libraries[0].free
own, sums, lock = threading.local(), {}, threading.Lock()

def note():
    f, stack = sys._getframe(1), []
    while f:
        c = f.f_code
        stack.append("%s:%d %s" % (c.co_filename.rsplit("/", 1)[-1], f.f_lineno, getattr(c, "co_qualname", c.co_name)))
        f = f.f_back
    stack = ";".join(reversed(stack))
    own.counts[stack] = own.counts.get(stack, 0) + 1

def ask(size):
    free((note(), malloc(size))[1])

def either(chance):
    if chance.random() < .5:
        free((note(), malloc(200000))[1])
    else:
        free((note(), malloc_inside(300000))[1])

class Model:
    def forward(self, chance):
        ask(200000)
        sorted([3, 1, 2], key=lambda v: free((note(), malloc_inside(200000))[1]) or v)
        either(chance)

    def steps(self, count, chance):
        for i in range(count):
            ask(200000)
            yield self.forward(chance)
            free((note(), malloc(200000))[1])

def outer(count, chance):
    yield from Model().steps(count, chance)

def deep(count, chance):
    return deep(count - 1, chance) if count else either(chance)

def thrown_away(i, seed):
    program = "\n" * (i % 7) + "def f%d():\n  x = 1\n  return ask(200000)\nf%d()" % (i % 13, i % 13)
    exec(compile(program, "<made %d>" % (seed % 3), "exec"), {"ask": ask})

def work(seed):
    chance, own.counts = random.Random(seed), {}
    for i in range(int(sys.argv[1])):
        for _ in outer(3, chance):
            either(chance)
        deep(chance.randrange(60), chance)
        [ask(200000) for _ in range(2)]
        thrown_away(i, seed)
        try:
            ask(200000)
            raise ValueError
        except ValueError:
            ask(200000)
    with lock:
        for stack, count in own.counts.items():
            sums[stack] = sums.get(stack, 0) + count

own.counts = {}
ask(200000)		# the interpreter is known from the first stack on
sums.update(own.counts)
threads = [threading.Thread(target=work, args=(seed,)) for seed in range(int(sys.argv[2]))]
for t in threads:
    t.start()
work(len(threads))
for t in threads:
    t.join()
json.dump(sums, open("wanted.json", "w"))
print(sum(sums.values()), len(sums))
EOF

cat >compare.py <<'EOF'
import json, re, sys
wanted, got = json.load(open("wanted.json")), {}
for row in json.load(open("r.json"))["memory_stacks"]:
    frames = [f for f in (row.get("stack") or "").split(";") if re.match(r"[^;]*:\d+ ", f)]
    stack = ";".join(frames)
    # Native ones that follow differ by how malloc is called.
    got[stack] = got.get(stack, 0) + row["allocations"]
wrong = [(s, n, got.get(s, 0)) for s, n in wanted.items() if got.get(s, 0) != n]
for s, n, m in wrong[:5]:
    print("%s: %d, reported %d" % (s[-300:], n, m))
sys.exit(bool(wrong))
EOF

# storm ROUNDS THREADS PYTHON ARGUMENT...
storm() {
	rounds=$1 threads=$2
	shift 2
	rm -rf t
	timeout 100 "$RECORD" -q --stacks -o t -- "$@" storm.py $rounds $threads >out || fail "$*: status $?"
	"$REPORT" t -o r.json
	python3 compare.py || fail "$*: not as sys._getframe has it (of $(cat out) allocations, stacks)"
	echo "$*: $(cat out) allocations, stacks"
}

for python in python3 /usr/bin/python3; do
	storm 20 3 $python
done
for python in python3.13t python3.14t python3.15t; do
	command -v $python >/dev/null || continue
	storm 60 7 $python -X gil=0
	storm 20 3 $python -X gil=1
done

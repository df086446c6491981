# SPDX-License-Identifier: MIT
# Iterations of models whose layers are alike: none of their calls comes just once in each, but all of them come in
# the same order; what may as well be a part of an iteration, or an epoch, is not told.
. "$top_srcdir/tests/lib.sh"
need python3

# trains PYTHON: a text trace of what is called, in order.
trains() {
	python3 - "$1" <<-'END'
	import sys
	now = 1000000
	print('dltrace-text 1')
	print('[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3" heap=0')
	print('[1s] dltrace_proc:library process=1 library=5 path="/usr/lib/libtorch_cpu.so"')
	print('[1s] dltrace_proc:function process=1 function=1 kind="allocate" layer="" name="posix_memalign"')
	print('[1s] dltrace_proc:function process=1 function=2 kind="multiply" layer="blas" name="sgemm_"')
	def call(m, n, k):
	    global now
	    now += 300
	    print(f"[{now}us] dltrace_cpu:blas thread=1 function=2 library=5 duration=100us m={m} n={n} k={k}")
	def block(kib):
	    global now
	    now += 5
	    print(f"[{now}us] dltrace_heap:alloc thread=1 function=1 library=5 size={kib * 1024} ptr=0x1000")
	def pause(us):
	    global now
	    now += us
	def forward(layers, batch=32):
	    pause(1000)
	    for i in range(layers):
	        call(256, batch, 256)
	def backward(layers, batch=32):
	    for i in range(layers):
	        if i < layers - 1:
	            call(256, batch, 256)
	        call(256, 256, batch)
	        block(256)
	def step(layers, batch=32):
	    forward(layers, batch)
	    backward(layers, batch)
	    for i in range(layers):
	        block(256)
	    pause(2000)
	exec(sys.argv[1])
	print(f"[{now + 1000}us] dltrace_proc:exit process=1 how=0 code=0")
	END
}

found() {
	same "$1" "$2" "$(json '"%s %s" % (row("iterations")["count"], row("iterations")["epoch_count"])')"
}

for layers in 2 3 4 6 12; do
	trains "for i in range(20): step($layers)" | report_text
	found "$layers layers" "20 None"
done
trains 'for i in range(5): step(3)' | report_text
found "too few" "None None"

# Evaluations go forward only; the first one may be before all else, and the run may be cut.
trains '
for epoch in range(4):
    for i in range(10): step(3)
    for i in range(5): forward(3)' | report_text
found "evaluations" "40 4"
same "how many" 20 "$(json 'row("iterations")["evaluations"]')"
trains '
forward(4); forward(4)
for i in range(15): step(4)
forward(4); call(256, 32, 256)' | report_text
found "cut in the middle" "15 None"

# Every so many steps, whatever the epochs are.
trains '
for i in range(50):
    step(3)
    if i % 7 == 6: forward(3); forward(3)' | report_text
found "evaluations that are not of epochs" "50 None"

# A last batch of another size is one, too.
trains '
for epoch in range(3):
    for i in range(9): step(3)
    step(3, 12)' | report_text
found "last batches" "30 None"
trains '
for epoch in range(3):
    for i in range(9): step(3)
    forward(3, 64); forward(3, 64)' | report_text
found "evaluations of another size" "27 3"

# A head, and layers of several kinds: the finer rounds are layers.
trains '
def layer(batch):
    call(384, batch, 128); call(128, batch, 128); call(512, batch, 128); call(128, batch, 512)
def back(batch):
    for out, into in ((128, 512), (512, 128), (128, 128), (384, 128)):
        call(into, batch, out); call(into, out, batch); block(256)
for epoch in range(3):
    for i in range(12):
        pause(3000)
        for k in range(6): layer(160)
        call(500, 160, 128); call(128, 160, 500); call(128, 500, 160)
        for k in range(6): back(160)
        for k in range(9): block(512)
    for i in range(4):
        pause(3000)
        for k in range(6): layer(160)
        call(500, 160, 128)' | report_text
found "a head" "36 3"

# More calls than times are kept of: the first ones tell what a step is, all of them how many there are.
trains 'for i in range(1500): step(3)' | report_text
found "a long run" "1500 None"
trains '
for i in range(1500): step(3)
call(256, 256, 32)' | report_text
found "a long run that does something else, too" "None None"

# Several batches before the optimiser's step: a batch, or all of these?
for batches in 2 3 4; do
	trains "
for i in range(20):
    for k in range($batches):
        forward(3)
        backward(3)
    for k in range(9): block(256)
    pause(3000)" | report_text
	found "$batches batches a step" "None None"
done

# Experience, then some passes over it: any number of either, and no layers.
trains '
def play(): call(256, 16, 300); call(4, 16, 256); call(256, 16, 301); call(1, 16, 256)
def learn():
    call(256, 80, 300); call(4, 80, 256); call(256, 80, 301); call(1, 80, 256)
    call(256, 80, 1); call(256, 1, 80); call(301, 256, 80); call(256, 80, 4); call(256, 4, 80); call(300, 256, 80)
for i in range(8):
    for k in range(20): pause(900); play()
    for k in range(16): pause(1000); learn(); block(128)' | report_text
found "reinforcement" "None None"

# What only goes forward: a last batch of another size is one, too; more of them may be anything.
infers='
def infer(batch):
    pause(500); call(400, batch, 300); call(350, batch, 400); call(10, batch, 350)
for i in range(30): infer(16)
'
trains "$infers" | report_text
found "inference" "30 None"
trains "${infers}infer(8)" | report_text
found "its last batch" "31 None"
same "which is no evaluation" 0 "$(json 'row("iterations")["evaluations"]')"
trains "${infers}infer(8); infer(8)" | report_text
found "two of another size" "30 None"

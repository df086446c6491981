# SPDX-License-Identifier: MIT
# Batches that are read by new workers in each epoch: by thousands of them in all. What they read for is looked at once,
# which takes a second; again for each of them it would be minutes.
. "$top_srcdir/tests/lib.sh"

# training EPOCHS FILES BATCH: 16 workers in each epoch, a block for each batch, two of the training's own when it is used
training() {
	python3 - "$@" >trace.txt <<-'END'
	import random, sys
	random.seed(7)
	epochs, files, batch = map(int, sys.argv[1:])
	def event(at, thread, what):
	    print(f"[{at + 2000}ms] {what} thread={thread}")
	def block(kib):
	    return f"dltrace_heap:alloc function=malloc library=1 ptr=0x1000 size={kib}K"
	print("dltrace-text 1")
	print('[1s] dltrace_proc:process process=1 pid=100 threshold=64K begin=1s host="h" exe="/usr/bin/python3"')
	print('[1s] dltrace_proc:library process=1 library=1 base=0x1000 size=4096 path="/lib/libtorch_cpu.so"')
	print('[1500ms] dltrace_cpu:blas thread=1 function=sgemm_ library=1 duration=9us m=8 n=16 k=20')
	for reader in range(2, 2 + epochs * 16):
	    print(f'[1s] dltrace_proc:process process={reader} parent=1 pid={99 + reader} reason=1 begin=1s host="h" exe="/usr/bin/python3"')
	at = 0
	for epoch in range(epochs):
	    order = random.sample(range(files), files)
	    for start in range(0, files, batch):
	        reader = 2 + epoch * 16 + start // batch % 16
	        for file in order[start:start + batch]:
	            at += 3 + random.randrange(3)
	            event(at, reader, f"dltrace_file:open path={file + 1000} folder=9 size=5")
	        event(at + 1, reader, block(batch * 40))
	        for k in range(2):
	            event(at + 4 + k, 1, block(1000 + k))
	        at += 10
	print(f"[{at + 2100}ms] dltrace_proc:exit process=1 how=0 code=0")
	END
	(ulimit -t 20 && exec "$REPORT" -q -f json trace.txt >r.json) || fail "dltrace-report: exit status $?"
	json '[(x["count"], x["epoch_count"]) for x in rows("iterations", process=1)]'
}
same "by 6,400 workers" "[(51200, 400)]" "$(training 400 512 4)"
# Of so many files not all are known one by one.
same "of more files than are kept" "[(None, 100)]" "$(training 100 2500 10)"

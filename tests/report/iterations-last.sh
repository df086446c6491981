# SPDX-License-Identifier: MIT
# A last batch of another size on a GPU, which other kernels work on: a step like others, where it trains; an
# evaluation, where it only goes forward. Compilers name thousands of things and try thousands of kernels out, in
# threads of their own and in the middle of the first epoch.
. "$top_srcdir/tests/lib.sh"

# trace EPOCHS STEPS LAST [TRIED]: epochs from 2 s on of so many whole batches, 38 launches each; LAST is what follows
# them: same (nothing), other (as much, by other kernels), forward (three times the first third of that), both,
# later (other, but not in the first epoch). TRIED: kernels
# in the first epoch before that.
trace() {
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3"'
	echo '[1s] dltrace_proc:library process=1 library=1 path="/lib/xla_cuda_plugin.so"'
	echo '[1s] dltrace_proc:function function=cuLaunchKernel layer="driver" kind="launch" name="cuLaunchKernel"'
	for t in 1 50 51; do echo "[1s] dltrace_proc:thread thread=$t process=1 tid=$((100 + t)) begin=1s"; done
	awk -v epochs="$1" -v steps="$2" -v last="$3" -v tried="${4-0}" '
	function launch(thread, shape) {
		printf "[%dus] dltrace_cuda:launch thread=%d function=cuLaunchKernel library=1 duration=5us shape=%d\n", at, thread, shape
		at += 10
	}
	function batch(first, count, more) {
		for (k = 0; k < count; k++)
			launch(1, first + k)
		launch(1, first + 3)
		for (k = 0; k < more; k++)	# what updates weights is the same for all sizes
			launch(1, 91 + k)
		at += 2000
	}
	BEGIN {
		at = 2000000
		for (e = 0; e < epochs; e++) {
			for (s = 0; s < steps; s++)
				batch(1, 29, 8)
			if (!e)
				for (t = 0; t < tried; t++) {
					if (t % 4 == 0)
						printf "[%dus] dltrace_mark:range thread=50 begun_by=1 duration=9us kind=1 domain=\"TSL\" name=\"Pass%d\"\n", at, t
					for (k = 0; k < 3; k++)
						launch(t % 97 ? 50 + t % 2 : 1, 1000 + t)
				}
			if (last == "other" || last == "both" || (last == "later" && e))
				batch(101, 27, 8)
			for (n = 0; n < 3 && (last == "forward" || last == "both"); n++)
				batch(1, 11, 0)
			at += 5000
		}
	}'
}
found() {
	json '"%(how)s %(count)s %(evaluations)s" % row("iterations", process=1)'
}
each_epoch() {
	json '" ".join("%(iterations)d+%(evaluations)d" % e for e in rows("epochs", process=1))'
}

for tried in 0 1200; do
	trace 4 10 same $tried | report_text
	same "whole batches only, $tried" "calls 40 0" "$(found)"
	trace 4 10 other $tried | report_text
	same "another last batch, $tried" "calls 44 0" "$(found)"
	same "another last batch of each epoch, $tried" "11+0 11+0 11+0 11+0" "$(each_epoch)"
	trace 4 10 forward $tried | report_text
	same "three that go forward, $tried" "calls 40 12" "$(found)"
	trace 4 10 both $tried | report_text
	same "another one, and three that go forward, $tried" "calls 44 12" "$(found)"
done
trace 4 10 later | report_text
same "no last batch in the first epoch" "calls 40" "$(found | cut -d' ' -f1,2)"
trace 1 12 other | report_text
same "one epoch" "calls 13" "$(found | cut -d' ' -f1,2)"

# SPDX-License-Identifier: MIT
# Epochs by the workers that are made for each; workers that are made once, before the first iteration, and stay until
# the end say nothing of how many epochs there are (persistent_workers of a DataLoader).
. "$top_srcdir/tests/lib.sh"

# train WORKERS: 60 iterations of two products; WORKERS makes and ends processes before iteration i
train() {
	{
		cat <<-'END'
		dltrace-text 1
		recording command "python3 train.py"
		[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/python3"
		[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s
		[1s] dltrace_proc:library process=1 library=1 path="/usr/lib/libtorch_cpu.so"
		[1s] dltrace_proc:function function=sgemm_ layer="blas" kind="compute" name="sgemm_"
		END
		awk 'function worker(id, at) {
			printf "[%dms] dltrace_proc:process process=%d parent=1 pid=%d reason=1 begin=%dms exe=\"/usr/bin/python3\"\n", at, id, id, at
		}
		function end(id, at) { printf "[%dms] dltrace_proc:exit process=%d\n", at, id }
		BEGIN {
			for (i = 0; i <= 60; i++) {
				at = 1500 + 20 * i
				'"$1"'
				for (k = 0; k < 2 && i < 60; k++)
					printf "[%dms] dltrace_cpu:blas thread=1 function=sgemm_ library=1 duration=3ms m=%d n=64 k=64\n", at + 5 * k + 5, 100 + k
			}
			printf "[%dms] dltrace_proc:exit process=1\n", at + 10
		}'
	} | report_text
	json 'next((i["count"], i["epoch_count"]) for i in r["iterations"] if i["process"] == 1)'
}

same "made for each epoch" "(60, 3)" "$(train 'if (i && i % 20 == 0) end(100 + i / 20, at - 1); if (i % 20 == 0 && i < 60) worker(101 + i / 20, at);')"
same "made once" "(60, None)" "$(train 'if (!i) worker(101, at); if (i == 60) end(101, at)')"
same "made after all of them" "(60, None)" "$(train 'if (i == 60) { worker(101, at); end(101, at + 9) }')"

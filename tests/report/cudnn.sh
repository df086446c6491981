# SPDX-License-Identifier: MIT
# The table `study` says whether cuDNN was used: by who calls CUDA, not by what is loaded.
. "$top_srcdir/tests/report/runs.inc"

# with NAME LIBRARY ID: a run that has the library, which launches a kernel unless its id is 0
with() {
	name=$1 library=$2 id=$3
	run "$name" 500 100 "python3 train.py --model $name"
	echo "[1s] dltrace_proc:library process=1 library=$id size=64M path=\"$library\"" >>"$name.txt"
	[ "$id" = 0 ] ||
		echo "[1060ms] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=$id duration=10us" >>"$name.txt"
}
with used /venv/nvidia/cudnn/lib/libcudnn_cnn.so.9 7
with wheel /venv/torch/lib/libcudnn-f6c54f2f.so.7.6.3 7
with loaded /usr/lib/x86_64-linux-gnu/libcudnn.so.8 0
with other /venv/nvidia/cublas/lib/libcublas.so.12 7
"$REPORT" -q -f json used.txt wheel.txt loaded.txt other.txt >r.json || fail "dltrace-report: $?"
same "who used cuDNN" "{'used': 'used', 'wheel': 'used', 'loaded': 'loaded', 'other': 'no'}" \
	"$(json '{x["model"]: x["cudnn"] for x in r["study"]}')"

# SPDX-License-Identifier: MIT
# The table `study` says whether cuDNN was used: by who launches kernels, not by what is loaded or looks around.
. "$top_srcdir/tests/report/runs.inc"

# with NAME LIBRARY ID: a run that has the library, which launches a kernel unless its id is 0
with() {
	name=$1 library=$2 id=$3
	run "$name" 500 100 "python3 train.py --model $name"
	echo "[1s] dltrace_proc:library process=1 library=$id size=64M path=\"$library\"" >>"$name.txt"
	[ "$id" = 0 ] || cat >>"$name.txt" <<-END
		[1s] dltrace_proc:function process=1 function=cudaLaunchKernel layer="runtime" kind="launch" name="cudaLaunchKernel"
		[1060ms] dltrace_cuda:launch thread=1 function=cudaLaunchKernel library=$id duration=10us
	END
}
with used /venv/nvidia/cudnn/lib/libcudnn_cnn.so.9 7
with wheel /venv/torch/lib/libcudnn-f6c54f2f.so.7.6.3 7
with loaded /usr/lib/x86_64-linux-gnu/libcudnn.so.8 0
with around /venv/nvidia/cudnn/lib/libcudnn_graph.so.9 0
sed -i 's/library=0 size/library=9 size/' around.txt
echo "[1050ms] dltrace_cuda:other thread=1 function=cudaGetDeviceCount library=9 result=100 duration=10us" >>around.txt
with other /venv/nvidia/cublas/lib/libcublas.so.12 7
"$REPORT" -q -f json used.txt wheel.txt loaded.txt around.txt other.txt >r.json || fail "dltrace-report: $?"
same "who used cuDNN" "{'used': 'used', 'wheel': 'used', 'loaded': 'loaded', 'around': 'loaded', 'other': 'no'}" \
	"$(json '{x["model"]: x["cudnn"] for x in r["study"]}')"

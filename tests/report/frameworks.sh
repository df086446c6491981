# SPDX-License-Identifier: MIT
# Frameworks by their libraries: version of the file's name, or of the package beside it where that was there in time.
. "$top_srcdir/tests/lib.sh"
site=$TMP/python3.11/site-packages
mkdir -p "$site/mxnet" "$site/mxnet-1.9.1.dist-info" "$site/torchvision-0.9.dist-info"
# now: the header of a trace that begins after all that is there
now() {
	echo "clock_offset $(date +%s)000000000"
}
cat >trace <<END
dltrace-text 1
$(now)
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="$(hostname)" exe="/usr/bin/python3"
[1s] dltrace_proc:library process=1 path="/lib/libtorch_cpu.so.1.13.0"
[1s] dltrace_proc:library process=1 path="/lib/libtorch_python.so.1.13.0"
[1s] dltrace_proc:library process=1 path="/x/horovod/torch/mpi_lib_v2.so"
[1s] dltrace_proc:process process=2 pid=101 begin=1s host="$(hostname)" exe="/usr/bin/python3"
[1s] dltrace_proc:library process=2 path="$site/mxnet/libmxnet.so"
[1s] dltrace_proc:process process=3 pid=102 begin=1s host="elsewhere" exe="/usr/bin/python3"
[1s] dltrace_proc:library process=3 path="$site/mxnet/libmxnet.so"
[1s] dltrace_proc:process process=4 pid=103 parent=1 begin=1s reason=1 host="$(hostname)" exe="/usr/bin/python3"
[1s] dltrace_proc:process process=5 pid=104 begin=1s exe="/bin/sh"
[1s] dltrace_proc:library process=5 path="/lib/libtorchlight.so.1"
END
report_text <trace
names='[(f["name"], f["version"], f["role"]) for f in row("processes", pid=PID)["frameworks"]]'
frameworks() {
	json "$(echo "$names" | sed "s/PID/$1/")"
}
same "of the name, top first" "[('Horovod', None, 'communication'), ('PyTorch', '1.13.0', 'engine')]" "$(frameworks 100)"
same "of the package" "[('MXNet', '1.9.1', 'engine')]" "$(frameworks 101)"
same "another machine's package is not looked at" "[('MXNet', None, 'engine')]" "$(frameworks 102)"
same "a fork has its parent's" "[('Horovod', None, 'communication'), ('PyTorch', '1.13.0', 'engine')]" "$(frameworks 103)"
same "none" "[]" "$(frameworks 104)"

# Packages of Python; which of several packages tells the version; who works.
mkdir -p "$site/keras-3.15.1.dist-info" "$site/jax-0.10.2.dist-info" "$site/jaxlib-0.9.dist-info" \
	"$site/tensorflow_estimator-2.3.0.dist-info" "$site/tensorflow-cpu-2.3.4.dist-info" "$site/torch-2.11.0+cpu.dist-info" \
	"$site/chainer-7.8.1.dist-info"
processes() {
	cat <<-END
	dltrace-text 1
	$(now)
	[1s] dltrace_proc:function function=posix_memalign name="posix_memalign" layer="heap" kind="allocate"
	[1s] dltrace_proc:function function=malloc name="malloc" layer="heap" kind="allocate"
	END
	for id in 1 2 3 4 5 6; do
		echo "[1s] dltrace_proc:process process=$id pid=10$id begin=1s host=\"$(hostname)\" exe=\"/usr/bin/python3\""
	done
}
processes >trace
cat >>trace <<END
[1s] dltrace_proc:object process=1 type=8 id=1 name="$site/keras"
[1s] dltrace_proc:object process=1 type=8 id=2 name="$site/jax"
[1s] dltrace_proc:library process=1 library=1 path="$site/jaxlib/libjax_common.so"
[1s] dltrace_proc:library process=1 library=2 path="$site/torch/lib/libc10.so"
[1s] dltrace_proc:library process=1 library=3 path="$site/tensorflow/libtensorflow_framework.so.2"
[2s] dltrace_heap:alloc thread=1 function=posix_memalign library=1 size=200M ptr=0x1
[2s] dltrace_heap:alloc thread=1 function=posix_memalign library=2 size=1.5M ptr=0x2
[2s] dltrace_heap:alloc thread=1 function=malloc library=3 size=300M ptr=0x3
[1s] dltrace_proc:object process=2 type=8 id=1 name="$site/chainer"
[1s] dltrace_proc:library process=2 library=1 path="$site/numpy/core/_multiarray_umath.so"
[1s] dltrace_proc:library process=2 library=2 path="$site/torch/lib/libc10.so"
[2s] dltrace_heap:alloc thread=2 function=malloc library=1 size=200M ptr=0x1
[1s] dltrace_proc:library process=3 library=1 path="$site/torch/lib/libtorch_cpu.so"
[1s] dltrace_proc:library process=3 library=2 path="$site/tensorflow/libtensorflow_framework.so.2"
[1s] dltrace_proc:function process=3 function=sgemm_ name="sgemm_" layer="blas" kind="compute"
[2s] dltrace_cpu:blas thread=3 function=sgemm_ library=1 duration=5ms m=4 n=4 k=4
[1s] dltrace_proc:thread thread=31 process=3 begin=1s start_library=2 tid=200
[3s] dltrace_proc:thread_end thread=31 cpu=60ms
[1s] dltrace_proc:library process=4 library=1 path="$site/torch/lib/libtorch_cpu.so"
[1s] dltrace_proc:library process=5 library=1 path="/x/caffe2/python/caffe2_pybind11_state.so"
[1s] dltrace_proc:library process=5 library=2 path="/x/libtorch_cpu.so.1.10.2"
[1s] dltrace_proc:library process=5 library=3 path="/x/libgloo.so"
[1s] dltrace_proc:function process=5 function=4000 name="gloo::allreduce" layer="gloo" kind="communicate"
[2s] dltrace_comm:call thread=5 function=4000 library=2 duration=5ms
[1s] dltrace_proc:library process=6 library=1 path="/x/libtorch_cpu.so.1.10.2"
[1s] dltrace_proc:library process=6 library=2 path="/x/libmxnet.so"
[2s] dltrace_cpu:blas thread=6 function=sgemm_ library=1 duration=5ms m=4 n=4 k=4
END
report_text <trace
names='[(f["name"], f["version"], f["state"]) for f in row("processes", pid=PID)["frameworks"]]'
same "one works, two are only imported" \
	"[('Keras', '3.15.1', None), ('PyTorch', '2.11.0+cpu', 'imported'), ('TensorFlow', '2.3.4', 'imported'), ('JAX', '0.10.2', 'works')]" \
	"$(frameworks 101)"
same "NumPy works for one of Python alone" "[('PyTorch', '2.11.0+cpu', 'imported'), ('Chainer', '7.8.1', 'works')]" "$(frameworks 102)"
same "two work" "[('PyTorch', '2.11.0+cpu', 'works'), ('TensorFlow', '2.3.4', 'works')]" "$(frameworks 103)"
same "nobody knows" "[('PyTorch', '2.11.0+cpu', None)]" "$(frameworks 104)"
same "its own communication" "[('torch.distributed', None, None), ('Caffe2', None, None), ('PyTorch', '1.10.2', 'works')]" "$(frameworks 105)"
same "no blocks were seen" "[('PyTorch', '1.10.2', 'works'), ('MXNet', None, None)]" "$(frameworks 106)"
same "the stack" "Keras 3.15.1 on JAX 0.10.2" "$(json 'row("runs")["framework"]')"
"$REPORT" -q trace >text
sed -n 2p text | grep -q '^Keras 3.15.1, PyTorch 2.11.0+cpu, TensorFlow 2.3.4, JAX 0.10.2, Chainer 7.8.1' || fail "text: $(sed -n 2p text)"
"$REPORT" -q --process 101 trace >text
sed -n 2p text | grep -q '^Keras 3.15.1, JAX 0.10.2, PyTorch 2.11.0+cpu (only imported),' ||
	fail "text: $(sed -n 2p text)"

# spaCy imports PyTorch, and computes by Thinc and BLIS, which are Python and NumPy to see.
report_text <<END
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/python3"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s
[1s] dltrace_proc:function function=malloc name="malloc" layer="heap" kind="allocate"
[1s] dltrace_proc:object process=1 type=8 id=1 name="/x/spacy"
[1s] dltrace_proc:object process=1 type=8 id=2 name="/x/thinc"
[1s] dltrace_proc:library process=1 library=1 path="/x/numpy/core/_multiarray_umath.so"
[1s] dltrace_proc:library process=1 library=2 path="/x/torch/lib/libtorch_cpu.so"
[2s] dltrace_heap:alloc thread=1 function=malloc library=1 size=200M ptr=0x1
END
same "spaCy" "[('spaCy', None, None), ('PyTorch', None, 'imported'), ('Thinc', None, 'works')]" "$(frameworks 100)"
same "its stack" "spaCy on Thinc" "$(json 'row("runs")["framework"]')"

# Each by its own name: what PyTensor compiles lies as Theano's does.
mkdir -p "$site/mindspore-2.10.0.dist-info" "$site/openvino-2026.4.1.dist-info"
while read -r path name; do
	report_text <<-END
	dltrace-text 1
	$(now)
	[1s] dltrace_proc:process process=1 pid=100 begin=1s host="$(hostname)" exe="/usr/bin/python3"
	[1s] dltrace_proc:library process=1 path="$path"
	END
	same "$path" "$name" "$(json '" ".join(f"{f['"'name'"']}-{f['"'version'"']}-{f['"'role'"']}" for f in row("processes", pid=100)["frameworks"])')"
done <<END
$site/mindspore/_c_expression.cpython-310-x86_64-linux-gnu.so MindSpore-2.10.0-engine
/x/oneflow.libs/liboneflow-6f2d67ec.so OneFlow-None-engine
/x/catboost/_catboost.so CatBoost-None-engine
$site/openvino/libs/libopenvino.so.2641 OpenVINO-2026.4.1-runtime
/x/u/.pytensor/compiledir_Linux-x86_64-3.10.13-64/tmp1/m0f.so PyTensor-None-engine
/x/u/.theano/compiledir_Linux-x86_64-3.10.13-64/tmp1/m0f.so Theano-None-engine
END

# What was installed after the process had begun is not what it used: a new version in the place of the old one.
training() {
	cat <<-END
	dltrace-text 1
	$(now)
	[1s] dltrace_proc:process process=1 pid=100 begin=1s host="$(hostname)" exe="/usr/bin/python3"
	[1s] dltrace_proc:library process=1 library=1 path="$site/mxnet/libmxnet.so"
	[1s] dltrace_proc:process process=2 pid=101 begin=1s host="$(hostname)" exe="/usr/bin/python3"
	[1s] dltrace_proc:library process=2 library=1 path="$TMP/current/libtorch_cpu.so.1.13"
	[2s] dltrace_proc:exit process=1
	[2s] dltrace_proc:exit process=2
	END
}
mkdir "$TMP/one" "$TMP/two"
: >"$TMP/one/libtorch_cpu.so.1.13.0"
: >"$TMP/two/libtorch_cpu.so.1.13.1"
for folder in one two; do
	ln -s "$(ls "$TMP/$folder")" "$TMP/$folder/libtorch_cpu.so.1.13"
done
ln -s one "$TMP/current"
training >old
report_text <old
same "before it is replaced" "[('MXNet', '1.9.1', None)] [('PyTorch', '1.13.0', None)]" "$(frameworks 100) $(frameworks 101)"
sleep 2
rmdir "$site/mxnet-1.9.1.dist-info"
mkdir "$site/mxnet-2.0.0.dist-info"
ln -sfn two "$TMP/current"
training >new
report_text <old
same "after that" "[('MXNet', None, None)] [('PyTorch', '1.13', None)]" "$(frameworks 100) $(frameworks 101)"
report_text <new
same "the new one" "[('MXNet', '2.0.0', None)] [('PyTorch', '1.13.1', None)]" "$(frameworks 100) $(frameworks 101)"
"$REPORT" -q -f json --process 100 old new >"$TMP/r.json"
same "no repetitions of each other" "[('MXNet', 1), ('MXNet 2.0.0', 1)]" \
	"$(json 'sorted((x["framework"], sum(y["group"] == x["group"] for y in r["runs"])) for x in r["runs"])')"

# By the names that their libraries have on PyPI.
mkdir -p "$site/mlx-0.32.4.dist-info" "$site/ncnn-1.0.20261020.dist-info" "$site/ai_edge_litert-2.3.0.dist-info" \
	"$site/pytorch_ignite-0.5.5.dist-info" "$site/llama_cpp_python-0.3.34.dist-info"
processes >trace
cat >>trace <<END
[1s] dltrace_proc:library process=1 library=1 path="$site/mlx/lib/libmlx.so"
[1s] dltrace_proc:library process=2 library=1 path="$site/ncnn/ncnn.cpython-311-x86_64-linux-gnu.so"
[1s] dltrace_proc:library process=3 library=1 path="$site/ai_edge_litert/libLiteRt.so"
[1s] dltrace_proc:library process=4 library=1 path="$site/ctranslate2.libs/libctranslate2-a7a60d30.so.4.8.5"
[1s] dltrace_proc:library process=5 library=1 path="$site/llama_cpp/lib/libllama.so"
[1s] dltrace_proc:object process=6 type=8 id=1 name="$site/ignite"
[1s] dltrace_proc:library process=6 library=1 path="/x/libtorch_cpu.so.1.10.2"
END
report_text <trace
names='[(f["name"], f["version"], f["role"]) for f in row("processes", pid=PID)["frameworks"]]'
same "MLX" "[('MLX', '0.32.4', 'engine')]" "$(frameworks 101)"
same "ncnn" "[('ncnn', '1.0.20261020', 'runtime')]" "$(frameworks 102)"
same "LiteRT" "[('LiteRT', '2.3.0', 'runtime')]" "$(frameworks 103)"
same "CTranslate2" "[('CTranslate2', '4.8.5', 'runtime')]" "$(frameworks 104)"
same "llama.cpp" "[('llama.cpp', '0.3.34', 'runtime')]" "$(frameworks 105)"
same "Ignite" "[('Ignite', '0.5.5', 'top'), ('PyTorch', '1.10.2', 'engine')]" "$(frameworks 106)"

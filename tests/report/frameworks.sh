# SPDX-License-Identifier: MIT
# Frameworks by their libraries: version of the file's name, or of the package beside it.
. "$top_srcdir/tests/lib.sh"
site=$TMP/python3.11/site-packages
mkdir -p "$site/mxnet" "$site/mxnet-1.9.1.dist-info" "$site/torchvision-0.9.dist-info"
cat >trace <<END
dltrace-text 1
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
same "of the name, top first" "[('Horovod', None, 'top'), ('PyTorch', '1.13.0', 'engine')]" "$(frameworks 100)"
same "of the package" "[('MXNet', '1.9.1', 'engine')]" "$(frameworks 101)"
same "another machine's package is not looked at" "[('MXNet', None, 'engine')]" "$(frameworks 102)"
same "a fork has its parent's" "[('Horovod', None, 'top'), ('PyTorch', '1.13.0', 'engine')]" "$(frameworks 103)"
same "none" "[]" "$(frameworks 104)"

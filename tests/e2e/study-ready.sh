# SPDX-License-Identifier: MIT
# study run says in a line what keeps a framework from being run, and what to do. No network is needed.
. "$top_srcdir/tests/e2e/study.inc"
cat >copy/environments.tbl <<END
cpu  $version 1
gpu  $version 1
	libraries folder/*
	link libother.so libsome.so.7
	gpu
own  $version 1
	libraries lib/python*/site-packages/pip
	link libother.so __init__.py
END
cat >copy/frameworks.tbl <<END
net      cpu driver:pytorch_job.py alexnet A:-
net-cuda gpu pytorch_job.py        alexnet A:-
only     cpu import:json           -       A:-
ranks    cpu ddp:pytorch_job.py    alexnet A:-
END
# refused MESSAGE ARGUMENT...
refused() {
	message=$1
	shift
	study run --dry-run --models alexnet "$@" 2>err && fail "not refused: $*"
	same "$*" "study: $message" "$(cat err)"
}
refused "net-cuda is not set up: scripts/study/study setup net-cuda" --frameworks net-cuda --device cuda
refused "net: its packages in environments.tbl compute on a CPU only; leave out --device cuda, or take net-cuda" --frameworks net --device cuda
refused "only trains nothing; it can be imported only (make check-frameworks)" --frameworks only
refused "ranks is two ranks, for make check-frameworks (study scale has more of them)" --frameworks ranks
# unknown OPTION VALUE MESSAGE: before anything is trained
unknown() {
	study scale --frameworks net "$1" "$2" 2>err && fail "not refused: $*"
	grep -q "^study scale: error: argument $1: $3" err || fail "$*: $(cat err)"
}
unknown --ranks x "x: numbers as 1,2,4$"
unknown --hosts 1, "1,: numbers as 1,2,4$"
unknown --model vgg16 "invalid choice: 'vgg16'"

# What is linked to the driver's library needs that; a library may be one of the environment, too.
study setup --yes net >out || fail "setup: $(cat out)"
/sbin/ldconfig -p | grep -q libcuda.so.1 ||
	refused "net cannot even be imported without NVIDIA's driver: the loader finds no libcuda.so.1" --frameworks net
touch libcuda.so.1
same "with a driver" "net-alexnet-small-sgd-cpu-1" \
	"$(LD_LIBRARY_PATH=$TMP study run --dry-run --frameworks net --models alexnet --data small --mode sgd --repeats 1)"
study setup --yes net-cuda >out 2>err && fail "made without a library that it links"
same "no library" "study: gpu: the loader knows no libsome.so.7" "$(cat err)"
study setup --yes own >out || fail "setup: $(cat out)"
[ made/own/links/libother.so -ef made/own/lib/python$version/site-packages/pip/__init__.py ] || fail "no link to a file of its own"
exit 0

# SPDX-License-Identifier: MIT
# LD_PRELOAD alone, with no session daemon: a training gives the same output and says nothing else.
. "$top_srcdir/tests/lib.sh"
python=$(python_with_torch)
export LTTNG_HOME=$TMP/nowhere
training="$python $top_srcdir/scripts/train.py --size 64 --batch 4 --iterations 4 --epochs 1 --workers 2"

$training >plain 2>plain.errors
LD_PRELOAD=$DLTRACE_LIB $training >preloaded 2>errors || fail "status $?: $(cat errors)"
cmp plain preloaded || fail "the output differs"
same "lines on standard error" "$(sed 's/[0-9.]* s$//' plain.errors)" "$(sed 's/[0-9.]* s$//' errors)"

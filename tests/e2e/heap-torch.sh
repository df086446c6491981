# SPDX-License-Identifier: MIT
# `import torch`: the black box agrees with glibc's mallinfo2 to the byte, at two moments.
. "$top_srcdir/tests/lib.sh"

python=$(python_with_torch)
GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=131072
export GLIBC_TUNABLES
cat >identity.py <<'PY'
import ctypes, glob, os, subprocess, sys, threading

class Mallinfo2(ctypes.Structure):
    _fields_ = [(n, ctypes.c_size_t) for n in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Mallinfo2
HEADER = open(os.environ["BOX_OFFSETS"]).read().split()
offsets = dict(zip(HEADER[::2], map(int, HEADER[1::2])))
box = glob.glob(os.environ["DLTRACE_BOX"] + "/%d-*.box" % os.getpid())[0]
import mmap, struct
with open(box, "rb") as f:
    view = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)

def word(offset, form="Q"):
    return struct.unpack_from(form, view, offset)[0]

def oracle():
    """No allocation between the two readings that is not of this thread and small."""
    best = None
    for _ in range(5):
        a = totals()
        m = libc.mallinfo2()
        b = totals()
        if a == b:
            return m.uordblks + m.hblkhd - (a[0] + 8 * a[1] + 8 * m.hblks)
    sys.exit("heap never quiet")

def totals():
    first, used = word(offsets["slots_offset"], "I"), word(offsets["slots_used"], "I")
    live = blocks = 0
    for i in range(used):
        allocated, allocations, freed, frees = struct.unpack_from("QQQQ", view, first + 128 * i)
        live += allocated - freed
        blocks += allocations - frees
    return live, blocks

before = oracle()
import torch
torch.ones(300, 300) @ torch.ones(300, 300)
tcaches = threading.active_count()
threads = len(os.listdir("/proc/self/task"))
print(oracle() - before, threads)
PY
cat >offsets.c <<'C'
#include <stddef.h>
#include <stdio.h>
#include "box.h"
int main(void)
{
	printf("slots_offset %zu slots_used %zu\n", offsetof(struct dlt_box_header, slots_offset),
	       offsetof(struct dlt_box_header, slots_used));
	return 0;
}
C
$CC -I"$top_srcdir/tracepoints" -o offsets offsets.c
BOX_OFFSETS=$TMP/offsets.txt
export BOX_OFFSETS
./offsets >"$BOX_OFFSETS"
boxes
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 LD_PRELOAD=$DLTRACE_LIB "$python" identity.py >result
read -r off threads <result
echo "off $off, threads $threads"
same "bytes that glibc and the box differ by" 0 "$off"

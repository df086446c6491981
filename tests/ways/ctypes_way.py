# SPDX-License-Identifier: MIT
"""Calls a stub of the CUDA runtime or driver by ctypes: 5 allocations, 5 frees."""
import ctypes
import sys

cuda = ctypes.CDLL(sys.argv[1])
alloc, free = ("cuMemAlloc_v2", "cuMemFree_v2") if "libcuda.so" in sys.argv[1] else ("cudaMalloc", "cudaFree")
blocks = []
for i in range(5):
    p = ctypes.c_void_p()
    assert getattr(cuda, alloc)(ctypes.byref(p), ctypes.c_size_t(4096)) == 0
    blocks.append(p)
for p in blocks:
    assert getattr(cuda, free)(p) == 0

# SPDX-License-Identifier: MIT
"""What CuPy and cuda-python, and what came with them, do and say without a driver."""
import os
import re

import cupy
from cuda.bindings import driver, runtime


def say(what, function):
    """What it returns or how it fails."""
    try:
        print(what, repr(function()), flush=True)
    except Exception as error:  # pylint: disable=broad-exception-caught
        print(what, type(error).__name__, error, flush=True)


def maps():
    """Which libraries of CUDA are mapped, asked as PyTorch does."""
    with open("/proc/self/maps", encoding="utf-8") as lines:
        names = {os.path.basename(line.split()[-1]) for line in lines if ".so" in line}
    return sorted(name for name in names if re.match("lib(cu|nccl|nv|torch|c10)", name))


say("version", lambda: cupy.__version__)
say("zeros", lambda: cupy.zeros(3))
say("count", cupy.cuda.runtime.getDeviceCount)
say("available", cupy.cuda.is_available)
say("versions", lambda: (cupy.cuda.runtime.runtimeGetVersion(), cupy.cuda.runtime.driverGetVersion()))
say("kernel", cupy.RawKernel('extern "C" __global__ void f() {}', "f").compile)
say("pool", lambda: cupy.get_default_memory_pool().used_bytes())
say("alloc", lambda: cupy.cuda.alloc(100))
say("pinned", lambda: cupy.cuda.alloc_pinned_memory(100))
say("cublas", cupy.cuda.cublas.create)
say("config", cupy.show_config)
say("runtime of cuda-python", runtime.cudaGetDeviceCount)
say("driver of cuda-python", lambda: driver.cuInit(0))
say("maps", maps)

# SPDX-License-Identifier: MIT
"""What PyTorch with CUDA, and what came with it, does and says without a driver."""
import ctypes
import os
import re

import torch
import triton
from torch.profiler import ProfilerActivity, profile


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


def train():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(288, 5))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(3):
        loss = torch.nn.functional.cross_entropy(model(torch.randn(4, 3, 8, 8)), torch.randint(5, (4,)))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item().hex())
    return losses


def profiled():
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as found:
        torch.randn(10, 10) @ torch.randn(10, 10)  # pylint: disable=expression-not-assigned
    return sorted({event.key for event in found.key_averages()})


def exists():
    program = ctypes.CDLL(None)
    return [name for name in ("cudaMalloc", "cudaGetDriverEntryPoint", "cuInit", "cuGetProcAddress_v2", "ncclAllReduce",
                              "MPI_Init", "clEnqueueNDRangeKernel", "nvtxRangePushA") if hasattr(program, name)]


say("version", lambda: (torch.__version__, torch.backends.cudnn.version(), torch.cuda.nccl.version()))
say("available", torch.cuda.is_available)
say("count", torch.cuda.device_count)
say("tensor", lambda: torch.zeros(1, device="cuda"))
say("synchronise", torch.cuda.synchronize)
say("stream", torch.cuda.Stream)
say("event", lambda: torch.cuda.Event().record())
say("pinned", lambda: torch.zeros(4).pin_memory())
say("runtime", lambda: torch.cuda.cudart().cudaMemGetInfo(0))
say("nvtx", lambda: (torch.cuda.nvtx.range_push("x"), torch.cuda.nvtx.range_pop()))
say("training", train)
say("profiler", profiled)
say("triton", lambda: triton.runtime.driver.active)
say("libcudart by ctypes", lambda: ctypes.CDLL(next(n for n in maps() if n.startswith("libcudart"))).cudaGetDeviceCount(
    ctypes.byref(ctypes.c_int())))
say("maps", maps)
say("exists", exists)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Work for a GPU, and what others than dltrace count of it: the programs that gpu-acceptance runs.

Standard output is the result alone, so that runs can be compared bit by bit. --out gets, as JSON, what
was measured: seconds a step, and by --count

  cupti     CUPTI's own records, read here by ctypes: kernels and their time, copies, API calls by name
  profiler  torch.profiler's, from the trace that it exports: kernels and their time, copies
"""
import argparse
import collections
import ctypes
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

SEED = 1


def digest(arrays):
    """Of the bytes of numpy arrays, or of bytes."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(array if isinstance(array, bytes) else array.tobytes())
    return found.hexdigest()


# ---- CUPTI, asked directly ----

MEMCPY, MEMSET, DRIVER, RUNTIME, CONCURRENT_KERNEL = 1, 2, 4, 5, 10  # CUpti_ActivityKind
# interpose/cupti/layout.h
CORRELATION_AT = {MEMCPY: 44, MEMSET: 44, DRIVER: 32, RUNTIME: 32, CONCURRENT_KERNEL: 92}
KERNEL_TIMES_AT = 16  # begin and end, in ns
BUFFER = 8 << 20


def cupti_path():
    """The libcupti that is loaded already, or the newest one beside the frameworks or the toolkit."""
    with open("/proc/self/maps", encoding="utf-8") as lines:
        loaded = [line.split()[-1] for line in lines if "/libcupti.so" in line]
    places = [os.path.join(path, "nvidia", "*", "lib", "libcupti.so.*") for path in sys.path if path]
    places += ["/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.*", "/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.*",
               "/usr/local/cuda*/lib64/libcupti.so.*"]
    found = loaded or [path for place in places for path in sorted(glob.glob(place), reverse=True)]
    return found[0] if found else "libcupti.so"


class Cupti:
    """Counts activity records by kind, and API records by name."""

    KINDS = CONCURRENT_KERNEL, MEMCPY, MEMSET, RUNTIME, DRIVER

    def __init__(self):
        # For good: CUPTI calls the callbacks until the process ends, also when nothing here refers to them any more.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))
        self.lib = ctypes.CDLL(cupti_path())
        self.kinds, self.calls, self.buffers = collections.Counter(), [], {}
        self.call_of, self.work = {}, []  # by correlation id; (what, correlation id)
        self.kernel_ns = 0
        request = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t),
                                   ctypes.POINTER(ctypes.c_size_t))
        complete = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t,
                                    ctypes.c_size_t)
        self.callbacks = request(self.requested), complete(self.completed)
        self.call("cuptiActivityRegisterCallbacks", *self.callbacks)
        for kind in self.KINDS:
            self.call("cuptiActivityEnable", kind)

    def call(self, name, *arguments):
        result = getattr(self.lib, name)(*arguments)
        if result:
            raise RuntimeError(f"{name} returned {result}")

    def requested(self, buffer, size, most):
        memory = ctypes.create_string_buffer(BUFFER + 8)
        begin = (ctypes.addressof(memory) + 7) & ~7  # CUPTI wants 8-byte alignment
        self.buffers[begin] = memory
        buffer[0], size[0], most[0] = begin, BUFFER, 0

    def completed(self, _context, _stream, buffer, _size, valid):
        record = ctypes.c_void_p(None)
        while valid and self.lib.cuptiActivityGetNextRecord(ctypes.c_void_p(buffer), ctypes.c_size_t(valid),
                                                            ctypes.byref(record)) == 0:
            kind, cbid = (ctypes.c_uint32 * 2).from_address(record.value)  # cbid: of API records
            self.kinds[kind] += 1
            if kind in (DRIVER, RUNTIME):
                correlation = ctypes.c_uint32.from_address(record.value + CORRELATION_AT[kind]).value
                self.calls.append((kind, cbid, correlation))
                if kind == RUNTIME or correlation not in self.call_of:  # the outer one, where both have it
                    self.call_of[correlation] = kind, cbid
            elif kind in CORRELATION_AT:
                correlation = ctypes.c_uint32.from_address(record.value + CORRELATION_AT[kind]).value
                self.work.append(("kernels" if kind == CONCURRENT_KERNEL else "copies", correlation))
                if kind == CONCURRENT_KERNEL:
                    begin, end = (ctypes.c_uint64 * 2).from_address(record.value + KERNEL_TIMES_AT)
                    self.kernel_ns += end - begin
        self.buffers.pop(buffer, None)

    def name(self, kind, cbid):
        text = ctypes.c_char_p()
        domain = 1 if kind == DRIVER else 2  # CUpti_CallbackDomain
        if hasattr(self.lib, "cuptiGetCallbackName"):
            self.lib.cuptiGetCallbackName(domain, cbid, ctypes.byref(text))
        return re.sub(r"_v\d{4,5}$", "", (text.value or b"?").decode())

    def finish(self):
        # First: a record of what is called from here on would take a new buffer, at the process's end too.
        for kind in self.KINDS:
            self.call("cuptiActivityDisable", kind)
        self.call("cuptiActivityFlushAll", 1)
        dropped = ctypes.c_size_t()
        self.call("cuptiActivityGetNumDroppedRecords", None, 0, ctypes.byref(dropped))
        calls, outermost = ({"driver": collections.Counter(), "runtime": collections.Counter()} for _ in range(2))
        for kind, cbid, correlation in self.calls:
            layer, name = "driver" if kind == DRIVER else "runtime", self.name(kind, cbid)
            calls[layer][name] += 1
            outermost[layer][name] += self.call_of[correlation] == (kind, cbid)
        by_call = {"kernels": collections.Counter(), "copies": collections.Counter()}
        for what, correlation in self.work:
            call = self.call_of.get(correlation)
            by_call[what][self.name(*call) if call else "?"] += 1
        return {"kernels": self.kinds[CONCURRENT_KERNEL], "copies": self.kinds[MEMCPY] + self.kinds[MEMSET],
                "kernel_ns": self.kernel_ns, "dropped": dropped.value, "calls": calls, "outermost": outermost,
                "by_call": by_call}


class Profiler:
    """torch.profiler, by what it exports."""

    def __init__(self):
        import torch
        from torch.profiler import ProfilerActivity, profile
        if torch.cuda.is_available():
            torch.cuda.init()  # the profiler leaves out a GPU that nobody has asked for yet
        self.profile = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])
        self.profile.start()
        self.begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)

    def stop(self):
        self.profile.stop()

    def finish(self):
        end = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        self.stop()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            self.profile.export_chrome_trace(path)
            with open(path, encoding="utf-8", errors="replace") as file:
                found = json.load(file)
            events = found["traceEvents"] if isinstance(found, dict) else found  # the latter: old and without CUDA
        of = collections.defaultdict(list)
        for event in events:
            of[event.get("cat", "").lower()].append(event)
        kernels = of["kernel"]
        calls = collections.Counter(e["name"] for e in of["cuda_runtime"] + of["cuda_driver"])
        return {"kernels": len(kernels), "copies": len(of["gpu_memcpy"]) + len(of["gpu_memset"]),
                "kernel_ns": round(sum(e["dur"] for e in kernels) * 1000), "calls": {"profiler": calls},
                "begin": self.begin, "end": end}


COUNTERS = {"none": lambda: None, "cupti": Cupti, "profiler": Profiler}


# ---- PyTorch ----

def mobilenet_v2(nn):
    """Sandler and others 2018: inverted residuals."""
    def block(inside, outside, stride, widen):
        hidden, layers = inside * widen, []
        if widen != 1:
            layers += [nn.Conv2d(inside, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6()]
        layers += [nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden),
                   nn.ReLU6(), nn.Conv2d(hidden, outside, 1, bias=False), nn.BatchNorm2d(outside)]
        return Residual(nn.Sequential(*layers)) if stride == 1 and inside == outside else nn.Sequential(*layers)

    Residual = residual_of(nn)
    layers, inside = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU6()], 32
    for widen, outside, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                          (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(count):
            layers.append(block(inside, outside, stride if i == 0 else 1, widen))
            inside = outside
    layers += [nn.Conv2d(320, 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.ReLU6()]
    return nn.Sequential(*layers, *head(nn, 1280))


def resnet50(nn):
    """He and others 2015: bottlenecks."""
    def block(inside, width, stride):
        outside = width * 4
        body = nn.Sequential(nn.Conv2d(inside, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                             nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                             nn.Conv2d(width, outside, 1, bias=False), nn.BatchNorm2d(outside))
        same = stride == 1 and inside == outside
        short = None if same else nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False),
                                                nn.BatchNorm2d(outside))
        return nn.Sequential(Residual(body, short), nn.ReLU())

    Residual = residual_of(nn)
    layers, inside = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), pool_of(nn)()], 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            layers.append(block(inside, width, stride if i == 0 else 1))
            inside = width * 4
    return nn.Sequential(*layers, *head(nn, 2048))


def residual_of(nn):
    class Residual(nn.Module):
        def __init__(self, body, short=None):
            super().__init__()
            self.body, self.short = body, short

        def forward(self, x):
            return self.body(x) + (self.short(x) if self.short else x)
    return Residual


def pool_of(nn):
    class MaxPool(nn.Module):
        """3 x 3, stride 2. The library's adds up gradients in no order: another result every time."""

        def forward(self, x):
            padded = nn.functional.pad(x, (1, 1, 1, 1), value=0.0)  # after ReLU, so 0 is the least
            height, width = x.shape[2] // 2, x.shape[3] // 2
            most = None
            for i in range(3):
                for j in range(3):
                    part = padded[:, :, i:i + 2 * height:2, j:j + 2 * width:2]
                    most = part if most is None else most.maximum(part)
            return most
    return MaxPool


def head(nn, width):
    class Mean(nn.Module):
        def forward(self, x):
            return x.mean((2, 3))
    return Mean(), nn.Linear(width, 3)


MODELS = {"mobilenet_v2": mobilenet_v2, "resnet50": resnet50}


def torch_ready():
    """PyTorch, set to give the same bits every time."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    import torch
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    torch.manual_seed(SEED)
    return torch


class Training:
    """One model in training; each step ends when the GPU has done it."""

    def __init__(self, torch, name, batch, size, device="cuda"):
        self.torch, self.device = torch, device
        self.model = MODELS[name](torch.nn).to(device).train()
        self.optimiser = torch.optim.SGD(self.model.parameters(), lr=0.001, momentum=0.9)
        self.loss_of = torch.nn.CrossEntropyLoss()
        self.photos = [torch.randn(batch, 3, size, size) for _ in range(2)]
        self.labels = torch.arange(batch) % 3
        self.step_s, self.losses = [], []

    def learn(self, photos, labels):
        loss = self.loss_of(self.model(photos), labels)
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return loss

    def step(self, number):
        begin = time.perf_counter()
        loss = self.learn(self.photos[number % 2].to(self.device), self.labels.to(self.device))
        self.losses.append(loss.item())  # waits for the GPU
        self.step_s.append(time.perf_counter() - begin)

    def result(self):
        return digest(p.detach().cpu().numpy() for p in self.model.parameters())


class GraphTraining(Training):
    """A step is captured into a CUDA graph, once, and launched as that."""

    WARM = 3  # steps before the capture, on its stream: libraries ask for their memory then

    def __init__(self, torch, name, batch, size):
        super().__init__(torch, name, batch, size)
        self.now, self.answers = self.photos[0].to(self.device), self.labels.to(self.device)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(self.WARM):
                self.learn(self.now, self.answers)
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.loss = self.learn(self.now, self.answers)

    def step(self, number):
        begin = time.perf_counter()
        self.now.copy_(self.photos[number % 2])
        self.graph.replay()
        self.losses.append(self.loss.item())  # waits for the GPU
        self.step_s.append(time.perf_counter() - begin)


def torch_figures(torch, device="cuda"):
    return {"reserved_bytes": torch.cuda.max_memory_reserved() if device != "cpu" else 0,
            "versions": {"torch": torch.__version__, "cudnn": torch.backends.cudnn.version()}}


def run_torch(args, name=None, device="cuda"):
    torch = torch_ready()
    counter = COUNTERS[args.count]()
    training = (GraphTraining(torch, "mobilenet_v2", args.batch, args.size) if args.work == "torch_graph" else
                Training(torch, name or args.work, args.batch, args.size, device))
    for step in range(args.steps):
        training.step(step)
    if device != "cpu":
        torch.cuda.synchronize()
    result = training.result()
    counted = counter.finish() if counter else {}  # the copies for the result, too: dltrace counts them
    print(args.work, result, *(x.hex() for x in training.losses[-3:]))
    return {"step_s": training.step_s, "counted": counted, **torch_figures(torch, device)}


class Sums:
    """Stands for a training where there is no GPU."""

    def __init__(self):
        self.step_s = []

    def step(self, number):
        begin = time.perf_counter()
        digest([b"%d" % number] * 4000)
        self.step_s.append(time.perf_counter() - begin)


PACES = {  # what a step waits for
    "GPU-bound": lambda: Training(torch_ready(), "resnet50", 64, 224),
    "launch-bound": lambda: Training(torch_ready(), "mobilenet_v2", 2, 64),
    "stub": Sums,
}


def run_paces(args):
    """Steps when it is told to, by lines PACE STEPS; answers with a line, the seconds of each."""
    paces, training = {}, None
    for line in sys.stdin:
        pace, steps = line.split()
        if pace not in paces:
            del training  # its memory on the GPU
            training = PACES[pace]()
            paces[pace] = training.step_s
        begin, counter = len(training.step_s), COUNTERS[args.count]()
        for _ in range(int(steps)):
            training.step(len(training.step_s))
        if counter:
            counter.stop()
        print(json.dumps(training.step_s[begin:]), flush=True)
    return {"step_s": [], "paces_s": paces, "versions": {}}


# ---- others ----

def run_jax(args):
    flags = "--xla_gpu_deterministic_ops=true --xla_gpu_autotune_level=0"
    # XLA makes graphs of its kernels, unless it is told not to.
    graphs = " --xla_gpu_graph_min_graph_size=1" if args.work == "jax_graph" else " --xla_gpu_enable_command_buffer="
    os.environ.setdefault("XLA_FLAGS", flags + graphs)
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    counter = COUNTERS[args.count]()
    import jax
    import numpy
    from jax import lax, numpy as jnp
    if jax.default_backend() not in ("gpu", "cuda"):
        raise RuntimeError(f"JAX uses {jax.default_backend()}, no GPU")
    keys = jax.random.split(jax.random.PRNGKey(SEED), 4)
    shapes = {"a": (32, 3, 3, 3), "b": (64, 32, 3, 3), "c": (64, 3)}
    weights = {name: jax.random.normal(key, shape) * 0.1 for key, (name, shape) in zip(keys, shapes.items())}
    photos = jax.random.normal(keys[3], (args.batch, 3, args.size, args.size))
    labels = jnp.arange(args.batch) % 3

    def loss_of(w):
        x = jax.nn.relu(lax.conv_general_dilated(photos, w["a"], (2, 2), "SAME"))
        x = jax.nn.relu(lax.conv_general_dilated(x, w["b"], (2, 2), "SAME"))
        scores = jax.nn.log_softmax(x.mean((2, 3)) @ w["c"])
        return -scores[jnp.arange(args.batch), labels].mean()

    @jax.jit
    def step(w):
        loss, slopes = jax.value_and_grad(loss_of)(w)
        return loss, jax.tree_util.tree_map(lambda a, b: a - 0.01 * b, w, slopes)

    step_s = []
    for _ in range(args.steps):
        begin = time.perf_counter()
        loss, weights = step(weights)
        loss.block_until_ready()
        step_s.append(time.perf_counter() - begin)
    jax.block_until_ready(weights)
    result = digest(numpy.asarray(weights[name]) for name in sorted(weights)), float(loss).hex()
    counted = counter.finish() if counter else {}
    print(args.work, *result)
    return {"step_s": step_s, "counted": counted, "versions": {"jax": jax.__version__}}


def run_cupy(args):
    counter = COUNTERS[args.count]()
    import cupy
    kernel = cupy.RawKernel('extern "C" __global__ void axpy(int n, float a, const float *x, float *y)'
                            "{ int i = blockDim.x * blockIdx.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }", "axpy")
    n = 1 << 20
    x, y = cupy.arange(n, dtype=cupy.float32), cupy.zeros(n, dtype=cupy.float32)
    square = (cupy.arange(512 * 512, dtype=cupy.float32) % 97).reshape(512, 512)
    step_s = []
    for _ in range(args.steps):
        begin = time.perf_counter()
        kernel(((n + 255) // 256,), (256,), (cupy.int32(n), cupy.float32(0.5), x, y))
        square = square @ square % 97  # cuBLAS
        cupy.cuda.get_current_stream().synchronize()
        step_s.append(time.perf_counter() - begin)
    results = [cupy.asnumpy(y), cupy.asnumpy(square), cupy.asnumpy(x.sum())]
    cupy.cuda.Device().synchronize()
    counted = counter.finish() if counter else {}
    print(args.work, digest(results))
    return {"step_s": step_s, "counted": counted, "versions": {"cupy": cupy.__version__}}


def smi_bytes():
    """nvidia-smi's figure: of this process where it sees it, else of the GPU; and which it is."""
    def ask(query):
        return subprocess.run(["nvidia-smi", query, "--format=csv,noheader,nounits"], capture_output=True, text=True,
                              check=True, timeout=60).stdout.splitlines()
    apps = [line.split(",") for line in ask("--query-compute-apps=pid,used_memory")]
    for pid, used in apps:
        if int(pid) == os.getpid() and used.strip().isdigit():
            return int(used) << 20, "process"
    return int(ask("--query-gpu=memory.used")[0]) << 20, "GPU"


def run_memory(args):
    """Holds 1 GiB, then 5, long enough to be seen from outside."""
    torch = torch_ready()
    held, rows = [], []
    for size in (1 << 30, 4 << 30):
        held.append(torch.empty(size, dtype=torch.uint8, device="cuda").fill_(1))
        torch.cuda.synchronize()
        time.sleep(2.5)
        used, whose = smi_bytes()
        rows.append({"reserved_bytes": torch.cuda.memory_reserved(), "smi_bytes": used, "whose": whose})
    print(args.work, int(held[1][-1]))
    return {"held": rows, "reserved_bytes": torch.cuda.max_memory_reserved(), "step_s": [],
            "versions": {"torch": torch.__version__}}


WORKS = {"mobilenet_v2": run_torch, "resnet50": run_torch, "jax": run_jax, "cupy": run_cupy,
         "torch_graph": run_torch, "jax_graph": run_jax, "memory": run_memory, "paces": run_paces,
         "cpu": lambda args: run_torch(args, "mobilenet_v2", "cpu")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", choices=WORKS)
    parser.add_argument("--out", required=True, help="file for what was measured, JSON")
    parser.add_argument("--count", choices=COUNTERS, default="none")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--size", type=int, default=64)
    args = parser.parse_args()
    measured = WORKS[args.work](args)
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump(measured, file)


if __name__ == "__main__":
    main()

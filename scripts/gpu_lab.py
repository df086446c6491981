#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where gpu-acceptance runs programs, with and without dltrace, and keeps what they left.

A run is made once and shared by all checks that want it, also by checks that run at the same time.
"""
import collections
import concurrent.futures
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import tarfile
import threading
import time

HERE = os.path.dirname(os.path.realpath(__file__))
WORK = os.path.join(HERE, "gpu_work.py")
RUN_LIMIT = 120  # seconds
FIRST_LIMIT = 240  # the first time: gigabytes of libraries come from a cold disk
FIGURES = "work.json"  # what the program itself measured
SAID = 2000  # characters of a failed run's standard error that are kept
MOST_PACKED = 12 << 20  # bytes of what runs left, before they are packed


class Skip(Exception):
    """Why a check can't be made."""


class Wrong(Exception):
    """What does not hold."""


VARIANTS = {
    "bare": None,
    "summary": ["-l", "summary"],
    "calls": ["-l", "calls"],
    "activity": ["-l", "calls", "--gpu=activity"],
}
# Enough work to say something, little enough for a minute each.
SIZES = {
    "mobilenet_v2": ["--steps", "8", "--batch", "8", "--size", "96"],
    "resnet50": ["--steps", "8", "--batch", "8", "--size", "128"],
    "jax": ["--steps", "20", "--batch", "32", "--size", "64"],
    "cupy": ["--steps", "50"],
    "torch_graph": ["--steps", "20", "--batch", "8", "--size", "96"],
    "jax_graph": ["--steps", "20", "--batch", "32", "--size", "64"],
    "memory": [],
    "paces": [],
}
NEEDS = {"mobilenet_v2": "torch", "resnet50": "torch", "memory": "torch", "paces": "torch", "jax": "jax",
         "cupy": "cupy", "torch_graph": "torch", "jax_graph": "jax"}
# Of tests/apps/gpu_work. The stub captures what it does itself, not what it has the driver do (DLTRACE_STUB_OVER).
STUB_WORKS = {"stub": {"env": ["DLTRACE_STUB_OVER=1"], "more": []}, "stub_graph": {"env": [], "more": ["graph"]},
              "paces": None}


class Run:
    """What one run of a program left: out, work (its own figures), report, and the trace as text."""

    def __init__(self, title, folder, status, seconds, work):
        self.title, self.folder, self.status, self.seconds, self.work = title, folder, status, seconds, work
        self.report, self.events = None, None

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as file:
            return file.read()


class Lab:
    """Runs programs, keeps what they left. Any number of threads may ask for runs."""

    paces = "GPU-bound", "launch-bound"  # of gpu_work.py's

    def __init__(self, args, begin):
        self.args, self.deadline = args, begin + args.minutes * 60
        self.record, self.reporter = (os.path.join(args.bin, name) for name in ("dltrace-record", "dltrace-report"))
        self.notes, self.failed, self.children = [], [], set()
        self.compared = None  # Paces, once a check has asked for them
        self.asked, self.number, self.lock = {}, 0, threading.Lock()

    def runs(self):
        """Those that are done and went well."""
        with self.lock:
            asked = list(self.asked.values())
        done = [future.result() for future in asked if future.done()]
        return [run for run in done if isinstance(run, Run)]

    def call(self, command, folder, name, env=None, limit=RUN_LIMIT):
        """Exit status, and seconds; None: it was ended for its time."""
        limit = min(limit, self.deadline - time.monotonic())
        if limit < 10:
            raise Skip("no time left")
        begin = time.monotonic()
        out, err = (os.path.join(folder, name + end) for end in (".out", ".err"))
        with open(out, "wb") as out, open(err, "wb") as err:
            child = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, env=env,
                                     start_new_session=True, cwd=folder)
            self.children.add(child)
            try:
                status = child.wait(limit)
            except subprocess.TimeoutExpired:
                self.kill(child)
                status = None
            self.children.discard(child)
        return status, time.monotonic() - begin

    def end(self):
        """Nothing that was started goes on."""
        self.deadline = 0
        for child in list(self.children):
            self.kill(child)

    def kill(self, child):
        """With all that it started."""
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        self.children.discard(child)

    def command(self, work, count, figures, more):
        return [self.args.python, WORK, work, "--out", figures, "--count", count, *more]

    def prepare(self, work):
        if work not in self.args.works:
            raise Skip(f"{NEEDS[work]} is not installed")

    def run(self, work, variant="bare", count="none", more=None, again=0, limit=RUN_LIMIT):
        """Cached. Raises Skip where the program itself does not run, Wrong where it does only without dltrace."""
        self.prepare(work)
        more = SIZES[work] if more is None else more
        key = (work, variant, count, tuple(more), again)
        with self.lock:
            future = self.asked.get(key)
            mine = future is None
            if mine:
                future = self.asked[key] = concurrent.futures.Future()
        if mine:
            try:
                future.set_result(self.try_run(key, limit))
            except Exception as why:  # others wait for it: whatever it is, they get it
                future.set_result(why)
        run = future.result()
        if isinstance(run, Exception):
            raise run
        return run

    def place(self, key):
        """An empty run, with a folder of its own."""
        work, variant, count, _, again = key
        with self.lock:
            number, self.number = self.number, self.number + 1
        title = "-".join([f"{number:02}", work, variant] + [count] * (count != "none") + [str(again)] * (again > 0))
        folder = os.path.join(self.args.runs, title)
        os.makedirs(folder)
        return Run(title, folder, None, 0, None)

    def whole_command(self, key, folder):
        """The program's, after that of what it runs under."""
        work, variant, count, more, _ = key
        command, trace = self.command(work, count, os.path.join(folder, FIGURES), list(more)), os.path.join(folder, "trace")
        if VARIANTS.get(variant):
            return [self.record, "-q", "--require", *VARIANTS[variant], "-o", trace, "--", *command]
        if variant == "nsys":
            return ["nsys", "profile", "-o", trace, "-t", "cuda", "--force-overwrite=true", *command]
        return command

    def try_run(self, key, limit):
        run = self.place(key)
        run.status, run.seconds = self.call(self.whole_command(key, run.folder), run.folder, "work", limit=limit)
        return self.read(key, run) if run.status == 0 else self.not_well(key, run, limit)

    def read(self, key, run):
        """All that it left."""
        work, variant, *_ = key
        run.work = self.figures(os.path.join(run.folder, FIGURES), work)
        trace = os.path.join(run.folder, "trace")
        if os.path.isdir(trace) and variant in VARIANTS:
            self.read_trace(run, trace)
        return run

    def keep(self, key, run):
        """One that was made elsewhere is among those that were asked for."""
        future = concurrent.futures.Future()
        future.set_result(self.read(key, run))
        with self.lock:
            self.asked[key] = future

    def not_well(self, key, run, limit):
        """Skip where the program does not run without dltrace either."""
        work, variant, count, more, again = key
        said = run.read("work.err").strip()
        self.failed.append({"run": run.title, "status": run.status, "said": said[-SAID:]})
        last = (said.splitlines() or [""])[-1][-200:]
        text = f"{run.title}: {f'over {limit} s' if run.status is None else f'exit status {run.status}'}: {last}"
        if variant in ("bare", "nsys"):
            return Skip(text)
        try:
            self.run(work, "bare", count, list(more), again)
        except Skip as why:
            return Skip(f"{why} (without dltrace too)")
        return Wrong(text)

    def figures(self, path, work):
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def read_trace(self, run, trace):
        for name, options in (("report", ["-q", "-f", "json"]), ("text", ["-q"]), ("dump", ["-q", "--dump"])):
            status, _ = self.call([self.reporter, *options, trace], run.folder, name)
            if status != 0:
                raise Wrong(f"{run.title}: dltrace-report {' '.join(options)}: exit status {status}: "
                            f"{run.read(name + '.err').strip()[-200:]}")
        run.report = json.loads(run.read("report.out"))
        run.events = count_events(os.path.join(run.folder, "dump.out"))
        os.remove(os.path.join(run.folder, "dump.out"))
        if not self.args.keep:
            shutil.rmtree(trace)

    def pack(self, path):
        """One tarball of what runs left, but for traces, as much as fits: the smaller ones first."""
        files, size = [], 0
        for top, folders, names in os.walk(self.args.runs):
            folders[:] = [name for name in folders if name != "trace"]
            files += [os.path.join(top, name) for name in names]
        with tarfile.open(path, "w:gz") as tar:
            for file in sorted(files, key=lambda name: os.lstat(name).st_size):
                size += os.lstat(file).st_size
                if size < MOST_PACKED:
                    tar.add(file, os.path.join("runs", os.path.relpath(file, self.args.runs)))


def own_daemons():
    """Recordings can run at the same time: each has a session daemon of its own (record/daemon.h)."""
    if os.geteuid() != 0:
        return True
    child = os.fork()
    if child == 0:
        os._exit(ctypes.CDLL(None).unshare(0x00020000) != 0)  # CLONE_NEWNS
    return os.waitpid(child, 0)[1] == 0


KERNEL_LAUNCH = re.compile("_*cu(da)?Launch(Cooperative)?(Kernel|Grid)?(ExC|Ex|Async|MultiDevice)*(_ptsz)?")
EVENTS = {"dltrace_proc:function", "dltrace_cuda:launch", "dltrace_cuda:copy", "dltrace_gpu:kernel", "dltrace_gpu:copy",
          "dltrace_gpu:gap", "dltrace_gpu:sync", "dltrace_cuda:sync"}
STREAM_WAITS = "2"  # CUPTI's type of a synchronisation for which no thread waits
CAPTURED = 0x8000  # in `stream`: goes into a graph, is not executed


def count_events(path):
    """Outermost calls that launch or copy, and what CUPTI told, from a trace as text."""
    names, calls = {}, collections.Counter()  # a function may be named after its first call
    found = {"launches": collections.Counter(), "copies": collections.Counter(), "empty_copies": 0, "graphs": 0,
             "kernels": 0, "kernel_ns": 0, "activity_copies": 0, "waits": 0, "waiting_calls": 0, "gaps": []}
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            event = line.split(" ", 2)
            if len(event) < 3 or event[1] not in EVENTS:
                continue
            kind, rest = event[1], event[2]
            f = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', rest))
            if kind == "dltrace_proc:function":
                names[f["function"]] = f["name"].strip('"')
            elif kind == "dltrace_gpu:kernel":
                found["kernels"] += 1
                found["kernel_ns"] += int(f["duration"])
            elif kind == "dltrace_gpu:copy":
                found["activity_copies"] += 1
            elif kind == "dltrace_gpu:sync":
                found["waits"] += f["type"] != STREAM_WAITS
            elif kind == "dltrace_gpu:gap":
                found["gaps"].append(f)
            elif f.get("result") != "0" or int(f.get("stream", "0")) & CAPTURED:
                continue
            elif kind == "dltrace_cuda:sync":
                found["waiting_calls"] += 1
            elif kind == "dltrace_cuda:copy" and f.get("size") == "0":
                found["empty_copies"] += 1  # CUPTI may have no record of it
            else:
                calls[kind, f["function"]] += 1
    for (kind, function), count in calls.items():
        name = names.get(function, "?")
        if kind == "dltrace_cuda:copy":
            found["copies"][name] += count
        elif KERNEL_LAUNCH.fullmatch(name):
            found["launches"][name] += count
        elif "GraphLaunch" in name:
            found["graphs"] += count
    return found


# ---- a machine without a GPU: the stub's own account stands for CUPTI and for the profiler ----

class StubLab(Lab):
    """Runs tests/apps/gpu_work of a build folder instead, on the tests' stand-in for CUDA and its GPU."""

    paces = "stub",

    def prepare(self, work):
        if work not in STUB_WORKS:
            raise Skip("needs a GPU")

    def command(self, work, count, figures, more):
        if work == "paces":
            if count == "profiler":
                raise Skip("torch.profiler: needs a GPU")
            return super().command(work, count, figures, more)
        return ["env", f"DLTRACE_STUB_REPORT={figures}", f"DLTRACE_STUB_GPU_TRUTH={figures}.gpu",
                "DLTRACE_STUB_GPU_NS=30000", *STUB_WORKS[work]["env"],
                os.path.join(self.args.bin, "tests/apps/gpu_work"), "2", "50", *STUB_WORKS[work]["more"]]

    def figures(self, path, work):
        if work == "paces":
            return super().figures(path, work)
        calls = {"runtime": collections.Counter(), "driver": collections.Counter()}
        counted, pieces = {"kernels": 0, "copies": 0, "kernel_ns": 0}, collections.defaultdict(list)
        with open(path, encoding="utf-8") as file:
            for stub, name, count, *_ in map(str.split, file):
                if stub.startswith(("libcudart", "libcuda.")) and int(count):
                    calls["driver" if stub.startswith("libcuda.") else "runtime"][name] += int(count)
        with open(path + ".gpu", encoding="utf-8") as file:
            for line in file:
                what, correlation, _, _, begin, end, *_ = line.rsplit(None, 8)  # what it is, and its name
                kind = "kernels" if what.startswith("0") else "copies"
                pieces[correlation].append(kind)
                counted[kind] += 1
                counted["kernel_ns"] += int(end) - int(begin) if kind == "kernels" else 0
        outermost = {layer: collections.Counter(calls[layer]) for layer in calls}
        outermost["driver"]["cuLaunchKernel"] -= calls["runtime"]["cudaLaunchKernel"]  # DLTRACE_STUB_OVER
        wrong = int(os.environ.get("DLTRACE_SELF_TEST_WRONG", "0"))  # a test wants to see checks fail
        outermost["runtime"]["cudaLaunchKernel"] += wrong
        calls["runtime"]["cudaLaunchKernel"] -= wrong
        calls["driver"]["cuLaunchKernel"] += wrong
        if work == "stub_graph":  # alone has calls that ask for several pieces
            counted["by_call"] = {kind: collections.Counter() for kind in ("kernels", "copies")}
            for kinds in pieces.values():
                for kind in kinds:
                    alone = "cudaLaunchKernel" if kind == "kernels" else "cudaMemcpyAsync"
                    counted["by_call"][kind]["cudaGraphLaunch" if len(kinds) > 1 else alone] += 1
            counted["by_call"]["kernels"]["cudaGraphLaunch"] += wrong
        counted.update(kernels=counted["kernels"] + wrong, calls=calls, outermost=outermost, begin=0, end=0)
        return {"step_s": [0.001] * 8, "counted": counted, "versions": {"stub": "1"}}

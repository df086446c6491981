# SPDX-License-Identifier: MIT
"""dltrace-report against babeltrace2's dummy sink on one core and two, and its memory for a longer trace."""
import os
import shutil
import time

import harness

ONE_CORE = ["taskset", "-c", "0"]
OTHER_CORE = ["taskset", "-c", "1"]
TWO_CORES = ["taskset", "-c", "0,1"]


def spent(bench, *commands):
    """(seconds, peak KiB of one) of commands that run at once, and their children."""
    begin = time.perf_counter()
    devnull = os.open(os.devnull, os.O_WRONLY)
    pids = [os.posix_spawnp(command[0], command, bench.environment(),
                            file_actions=[(os.POSIX_SPAWN_DUP2, devnull, 1), (os.POSIX_SPAWN_DUP2, devnull, 2)])
            for command in commands]
    os.close(devnull)
    ends = [os.wait4(pid, 0) for pid in pids]
    for command, (_, status, _) in zip(commands, ends):
        if os.waitstatus_to_exitcode(status):
            raise harness.Skip(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - begin, max(usage.ru_maxrss for _, _, usage in ends)


def recorded(bench, program, amount):
    """A trace of CUDA calls, and the events that the reader finds in it."""
    command, trace = bench.recorded("calls", [bench.program(program), str(amount)])
    bench.run(command)
    words = bench.run([bench.program("reader"), trace, "fast"]).split()
    return trace, float(words[words.index("events") + 1])


def ctf_folders(trace):
    """babeltrace2 wants the folders that hold metadata."""
    return [path for path, _, names in os.walk(trace) if "metadata" in names]


def run(bench):
    if not shutil.which("babeltrace2") or not shutil.which("taskset"):
        raise harness.Skip("babeltrace2 or taskset is not installed")
    short, few = recorded(bench, "cuda_call", 40 if bench.quick else 1000)
    trace, many = recorded(bench, "cuda_call", 400 if bench.quick else 10000)

    def rate(*command, cores=ONE_CORE, events=many):
        return lambda: {"rate": events / spent(bench, [*cores, *command])[0] / 1e6}
    report = [bench.report, trace, "-o", "-", "-f", "json"]
    two = len(os.sched_getaffinity(0)) > 1

    def at_once():
        """What two cores give at best: cores of a virtual machine may be threads of one."""
        return {"rate": 2 * many / spent(bench, [*ONE_CORE, *report], [*OTHER_CORE, *report])[0] / 1e6}
    by = bench.paired("reader", {
        "babeltrace2 -o dummy": rate("babeltrace2", "-o", "dummy", *ctf_folders(trace)),
        "fast decoder alone": rate(bench.program("reader"), trace, "fast"),
        "dltrace-report": rate(*report),
        "dltrace-report, two cores": rate(*report, cores=TWO_CORES),
        **({"two of them at once": at_once} if two else {})}, times=2)["rate"]
    bench.show(f"a trace of {many:.0f} launches of one kernel", by, "babeltrace2 -o dummy", "M events/s", 2)
    bench.target("reader.ratio", by["dltrace-report"].ratio(by["babeltrace2 -o dummy"]))
    if two:
        bench.target("reader.two", by["dltrace-report, two cores"].ratio(by["babeltrace2 -o dummy"]))
        print(f"  one core's rate that two cores of this machine give at best (two reports at once, each on its own): "
              f"{by['two of them at once'].ratio(by['dltrace-report']).text(2)};\n"
              f"  that one report gets from them: "
              f"{by['dltrace-report, two cores'].ratio(by['dltrace-report']).text(2)}")

    mixed, calls = recorded(bench, "cuda_mix", 2000 if bench.quick else 100000)
    by = bench.paired("reader mixed", {
        "babeltrace2 -o dummy": rate("babeltrace2", "-o", "dummy", *ctf_folders(mixed), events=calls),
        "dltrace-report": rate(bench.report, mixed, "-o", "-", "-f", "json", events=calls)})["rate"]
    bench.show(f"a trace of {calls:.0f} calls, mixed as in trainings", by, "babeltrace2 -o dummy", "M events/s", 2)

    def memory(which):
        return lambda: {"memory": spent(bench, [bench.report, which, "-o", "-", "-f", "json"])[1] / 1024}
    by = bench.paired("reader memory", {f"{few:.0f} events": memory(short), f"{many:.0f} events": memory(trace)})["memory"]
    base, longer = list(by)
    bench.show("dltrace-report's memory", by, base, "MiB", 1)
    bench.target("reader.memory", by[longer].ratio(by[base]))

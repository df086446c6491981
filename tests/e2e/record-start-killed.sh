# SPDX-License-Identifier: MIT
# Who holds the session, a daemon of LTTng's or the sampler is killed at some moment while it comes up: the command runs
# soon, a line says what became of the recording, and nobody is left behind.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need python3

cat >kill.py <<'END'
import os, signal, subprocess, sys, time

def stat(pid):			# name, state, parent, group
    try:
        with open(f"/proc/{pid}/stat") as f:
            head, tail = f.read().rsplit(")", 1)
    except OSError:
        return "", "X", 0, 0
    state, parent, group = tail.split()[:3]
    return head.split("(", 1)[1], state, int(parent), int(group)

def everybody():
    return {int(p): stat(p) for p in os.listdir("/proc") if p.isdigit()}

def below(pid, all):
    return [p for p, s in all.items() if s[2] == pid for p in [p] + below(p, all)]

def run(victim, delay):
    what = f"{victim} killed after {delay:.3f} s"
    begin = time.monotonic()
    recorder = subprocess.Popen([os.environ["RECORD"], "-o", f"t-{victim}-{delay}", "--", "sh", "-c", "exit 5"],
                                stderr=subprocess.PIPE, text=True)
    keepers, found = set(), []
    while not found and recorder.poll() is None:
        all = everybody()
        ours = below(recorder.pid, all)
        keepers |= {p for p in ours if all[p][0] == "dltrace-keeper"}
        found = [p for p in ours if all[p][0] == victim]
    time.sleep(delay)
    try:
        os.kill(found[0], signal.SIGKILL)
    except (IndexError, ProcessLookupError):
        pass
    said = recorder.communicate(timeout=60)[1]
    took = time.monotonic() - begin
    for look in range(20):      # who was killed needs a moment to be gone
        left = {p: s for p, s in everybody().items() if s[3] in keepers and s[1] not in "XZ"}
        if not left:
            break
        time.sleep(0.1)
    if recorder.returncode != 5 or took > 10 or left or not 1 <= said.count("\n") <= 2:
        sys.exit(f"{what}: status {recorder.returncode}, {took:.1f} s, left: {left}\n{said}")

for victim in "dltrace-keeper", "lttng-sessiond", "lttng-consumerd", "dltrace-sampler":
    for step in range(12):
        run(victim, step * 0.012)
END
python3 kill.py || fail "see above"

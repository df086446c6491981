# SPDX-License-Identifier: MIT
# dltrace-record is killed after its command has ended, while it waits for its helpers: they end, the trace can be read,
# and its private folder is gone.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need python3

cat >kill.py <<'END'
import glob, os, signal, subprocess, sys, time

def below(pid):
    try:
        tasks = [open(f"/proc/{pid}/task/{t}/children").read().split() for t in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []
    return [p for task in tasks for child in task for p in [int(child)] + below(int(child))]

def lives(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] not in "XZ"
    except OSError:
        return False

def run(delay):
    trace = f"t{delay}"
    recorder = subprocess.Popen([os.environ["RECORD"], "-q", "-o", trace, "--", "sh", "-c", ": >ended"])
    while not os.path.exists("ended"):
        time.sleep(0.001)
    helpers = below(recorder.pid)
    time.sleep(delay)
    recorder.send_signal(signal.SIGKILL)
    recorder.wait()
    for look in range(100):
        left = [p for p in helpers if lives(p)] + glob.glob(f"/dev/shm/.dltrace-{recorder.pid}-*")
        if not left:
            break
        time.sleep(0.1)
    status = subprocess.run([os.environ["REPORT"], "-q", trace], stdout=subprocess.DEVNULL).returncode
    print(f"killed {delay:.3f} s after the end: {left} stay, the report's status is {status}")
    os.unlink("ended")
    return not left and status in (0, 1)

if not all([run(step * 0.01) for step in range(16)]):
    sys.exit(1)
END
python3 kill.py || fail "see above"

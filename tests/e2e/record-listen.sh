# SPDX-License-Identifier: MIT
# A sampler that does not come to listen: Ctrl-C while the command waits for it ends dltrace-record, and nothing is
# run; after some seconds the command runs without it, and that its first events are missing is said.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need python3

# The sampler is held up from right before it would be told to listen. LTTng waits 5 s for it, then we do.
cat >held.py <<'END'
import os, pty, select, signal, sys, time
record, name, key = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.execv(record, [record, "-q", "-o", name, "--", "sh", "-c", "echo up''on; sleep 1; exit 3"])

def sampler():
    while True:
        for child in open("/proc/%d/task/%d/children" % (pid, pid)).read().split():
            if open("/proc/%s/comm" % child).read().strip() == "dltrace-sampler":
                return int(child)

def is_described():
    try:
        return "\ncommand " in open(name + "/recording").read()
    except FileNotFoundError:
        return False

held = sampler()
while not is_described():
    time.sleep(0.001)
os.kill(held, signal.SIGSTOP)
if key:
    time.sleep(7.5)
    os.write(fd, b"\x03")
    time.sleep(0.2)
    os.kill(held, signal.SIGCONT)
said = b""
while True:
    try:
        some = os.read(fd, 4096)
    except OSError:
        break
    if not some:
        break
    said += some
    if b"upon" in said:
        os.kill(held, signal.SIGCONT)
print(os.waitpid(pid, 0)[1], said.decode().replace("\r", ""), end="")
END
# held NAME KEY: how it ended, and what it said. Where it was held up too late, the command had begun: then once more.
held() {
	for try in 1 2 3 4 5; do
		rm -rf "$1"
		/usr/bin/python3 held.py "$RECORD" "$1" "$2" >out
		said=$(echo $(cat out))
		case $said in
		"768 upon"*) ;;
		*) break ;;
		esac
	done
	echo "$said"
}
same "Ctrl-C before the command" "2 ^C" "$(held typed Ctrl-C)"
same "without a sampler" "768 dltrace-record: dltrace-sampler does not listen yet: the first events are missing upon" "$(held late "")"
grep -q '^note 2 sampler .*first events' late/recording || fail "not in the label"

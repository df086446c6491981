# SPDX-License-Identifier: MIT
"""Several hosts on one machine: network, host name and mounts of their own, joined by a switch. Needs root."""
import contextlib
import os
import shutil
import subprocess
import tempfile
import time

from harness.tables import Wrong

INTERFACE = "v0"  # of each host
RELAY_PORT = 5342


def address(number):
    return f"10.77.0.{number + 1}"


def name(number):
    return f"host{number}"


def check():
    """Whether there can be any."""
    missing = [program for program in ("ip", "unshare", "nsenter") if not shutil.which(program)]
    if missing:
        raise Wrong(f"several hosts need {' and '.join(missing)} (apt-get install iproute2 util-linux)")
    if os.geteuid() != 0 or subprocess.run(["unshare", "-n", "-u", "-m", "true"], check=False,
                                           stderr=subprocess.DEVNULL).returncode:
        raise Wrong("several hosts on one machine are namespaces: run as root (in a container: with CAP_SYS_ADMIN)")


def quietly(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False)
    if done.returncode:
        raise Wrong(f"{' '.join(words)}: {done.stdout.strip()}")


class Hosts:
    """So many of them, each kept by a process that sleeps; a namespace more is the switch between them."""

    def __init__(self, count):
        self.count, self.keepers = count, []
        self.names = tempfile.NamedTemporaryFile("w", prefix="dltrace-hosts-", suffix=".txt", encoding="utf-8")

    def __enter__(self):
        check()
        # Who asks for a host by its name finds it: Gloo takes no answer for an address.
        self.names.writelines(["127.0.0.1 localhost\n"] + [f"{address(n)} {name(n)}\n" for n in range(self.count)])
        self.names.flush()
        try:
            switch = self.keep("unshare -n", "switch")
            quietly(["nsenter", "-t", str(switch), "-n", "ip", "link", "add", "switch", "type", "bridge"])
            quietly(["nsenter", "-t", str(switch), "-n", "ip", "link", "set", "switch", "up"])
            for number in range(self.count):
                self.plug(number, switch)
        except Wrong:
            self.__exit__()
            raise
        return self

    def keep(self, unshare, host):
        """A process in namespaces of its own, which it says when it is there: its id."""
        setup = (f"hostname {host} && mkdir -p /run/lttng && mount -t tmpfs none /run/lttng && "
                 f"mount --bind {self.names.name} /etc/hosts && " if "-u" in unshare else "")
        process = subprocess.Popen([*unshare.split(), "sh", "-c", f"{setup}echo ready && exec sleep 1000000"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
        self.keepers.append(process)
        if process.stdout.readline().strip() != b"ready":
            raise Wrong(f"no namespaces for {host}")
        return process.pid

    def plug(self, number, switch):
        pid, port = self.keep("unshare -n -u -m", name(number)), f"port{number}"
        quietly(["ip", "link", "add", INTERFACE, "netns", str(pid), "type", "veth", "peer", "name", port, "netns", str(switch)])
        quietly(["nsenter", "-t", str(switch), "-n", "ip", "link", "set", port, "master", "switch", "up"])
        inside = ["nsenter", "-t", str(pid), "-n", "ip"]
        quietly([*inside, "addr", "add", f"{address(number)}/24", "dev", INTERFACE])
        for interface in ("lo", INTERFACE):
            quietly([*inside, "link", "set", interface, "up"])

    def on(self, number):
        """The words in front of a command that runs on a host."""
        return ["nsenter", "-t", str(self.keepers[number + 1].pid), "-n", "-u", "-m", f"--wd={os.getcwd()}"]

    @contextlib.contextmanager
    def relay(self, folder):
        """lttng-relayd on the first host, which collects what all of them send to the URL."""
        words = ["lttng-relayd", f"--output={os.path.abspath(folder)}", f"--control-port=tcp://0.0.0.0:{RELAY_PORT}",
                 f"--data-port=tcp://0.0.0.0:{RELAY_PORT + 1}", f"--live-port=tcp://127.0.0.1:{RELAY_PORT + 2}"]
        daemon = subprocess.Popen([*self.on(0), *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.await_relay()
            yield f"net://{address(0)}:{RELAY_PORT}:{RELAY_PORT + 1}"
        finally:
            daemon.terminate()
            daemon.wait()

    def await_relay(self):
        probe = [*self.on(0), "bash", "-c", f": </dev/tcp/{address(0)}/{RELAY_PORT}"]
        for _ in range(100):
            if subprocess.run(probe, stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return
            time.sleep(0.1)
        raise Wrong("lttng-relayd does not start")

    def __exit__(self, *_):
        for process in self.keepers:
            process.kill()
            process.wait()
        self.keepers = []
        self.names.close()

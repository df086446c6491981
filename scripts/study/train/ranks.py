# SPDX-License-Identifier: MIT
"""Starts the ranks of a distributed training that belong to this host, and waits for them.

    ranks.py --ranks 4 --first 2 --here 2 --hosts 10.0.0.1,10.0.0.1,10.0.0.2,10.0.0.2 --way ddp -- python pytorch_job.py ...

Each gets what its framework wants to know of the others: RANK and so on (torchrun's), horovodrun's, or
TF_CONFIG. Horovod's meeting place is kept by rank 0's host; by MPI it is mpirun that starts the ranks of
this one host. Exit status: that of the first that fails, after which the others are ended. It runs in the
environment of the framework: Python 3.6 is enough.
"""
import argparse
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

PORT = 29400  # where rank 0 is found by other hosts; TensorFlow's workers listen at the ports behind it


def free_port(count):
    """The first of so many ports in a row that nobody has, below those that the kernel gives away."""
    for _ in range(1000):
        port = random.randrange(20000, 30000 - count)
        sockets = [socket.socket() for _ in range(count)]
        try:
            for number, one in enumerate(sockets):
                one.bind(("", port + number))
            return port
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    return PORT


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, required=True, help="of all hosts together")
    parser.add_argument("--first", type=int, default=0, help="the first one of this host")
    parser.add_argument("--here", type=int, help="how many this host has (default: all)")
    parser.add_argument("--hosts", default="127.0.0.1", help="addresses, of the host of each rank, separated by commas")
    parser.add_argument("--port", type=int, help="of rank 0 (default: a free one, or %d for several hosts)" % PORT)
    parser.add_argument("--interface", default="lo", help="network interface between the hosts")
    parser.add_argument("--way", choices=sorted(WAYS), default="ddp")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    args.command = args.command[1:] if args.command[:1] == ["--"] else args.command
    args.here = args.ranks if args.here is None else args.here
    args.port = args.port or (free_port(args.ranks) if args.here == args.ranks else PORT)
    hosts = args.hosts.split(",")
    args.hosts = hosts * args.ranks if len(hosts) == 1 else hosts
    if not args.command or len(args.hosts) != args.ranks:
        parser.error("a command, and an address for each rank, are needed")
    return args


def torch(args, rank, local):
    return {"RANK": rank, "WORLD_SIZE": args.ranks, "LOCAL_RANK": local, "LOCAL_WORLD_SIZE": args.here,
            "MASTER_ADDR": args.hosts[0], "MASTER_PORT": args.port, "GLOO_SOCKET_IFNAME": args.interface}


def horovod(args, rank, local):
    hosts = list(dict.fromkeys(args.hosts))
    return {"HOROVOD_RANK": rank, "HOROVOD_SIZE": args.ranks, "HOROVOD_LOCAL_RANK": local,
            "HOROVOD_LOCAL_SIZE": args.here, "HOROVOD_CROSS_RANK": hosts.index(args.hosts[rank]),
            "HOROVOD_CROSS_SIZE": len(hosts), "HOROVOD_HOSTNAME": args.hosts[rank],
            "HOROVOD_GLOO_RENDEZVOUS_ADDR": args.hosts[0], "HOROVOD_GLOO_RENDEZVOUS_PORT": args.port,
            "HOROVOD_GLOO_IFACE": args.interface, "HOROVOD_CONTROLLER": "gloo", "HOROVOD_CPU_OPERATIONS": "gloo"}


def tensorflow(args, rank, local):
    workers = ["%s:%d" % (host, args.port + number) for number, host in enumerate(args.hosts)]
    cluster = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": rank}}
    return dict(torch(args, rank, local), TF_CONFIG=json.dumps(cluster))


WAYS = {"ddp": torch, "horovod": horovod, "tensorflow": tensorflow, "mpi": None}


def mpirun(args):
    """Horovod by MPI. More ranks than cores are fine, so who waits yields, and so is root, as for all other ways."""
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
               OMPI_MCA_hwloc_base_binding_policy="none",
               OMPI_MCA_btl_vader_single_copy_mechanism="none",  # what containers forbid
               HOROVOD_CONTROLLER="mpi", HOROVOD_CPU_OPERATIONS="mpi")
    program = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if not program or args.here != args.ranks:
        sys.exit("ranks.py: by MPI there is one host, which has mpirun (apt-get install openmpi-bin)")
    status = subprocess.call([program, "-n", str(args.ranks)] + args.command, env=env)
    return 128 - status if status < 0 else status


def meeting_place(args):
    """Horovod's server of addresses, in a process of its own that keeps it until it is ended."""
    words = ",".join("%s:%d" % (host, args.hosts.count(host)) for host in dict.fromkeys(args.hosts))
    program = ("import sys, time\n"
               "from horovod.runner.common.util.hosts import get_host_assignments, parse_hosts\n"
               "from horovod.runner.http import http_server\n"
               "server = http_server.RendezvousServer()\n"
               "http_server.find_port = lambda make: (make(('', int(sys.argv[2]))), int(sys.argv[2]))\n"
               "server.start()\n"
               "server.init(get_host_assignments(parse_hosts(sys.argv[1]), int(sys.argv[3])))\n"
               "print('ready', flush=True)\n"
               "time.sleep(1e6)\n")
    process = subprocess.Popen([sys.executable, "-c", program, words, str(args.port), str(args.ranks)],
                               stdout=subprocess.PIPE)
    if process.stdout.readline().strip() != b"ready":
        sys.exit("ranks.py: Horovod's meeting place does not start")
    return process


def wait(processes):
    """The first status that is not 0; then nobody waits for ranks that cannot go on."""
    running = list(processes)
    while running:
        for process in list(running):
            status = process.poll()
            if status is None:
                continue
            running.remove(process)
            if status:
                for other in running:
                    other.send_signal(signal.SIGTERM)
                return 128 - status if status < 0 else status
        time.sleep(0.02)
    return 0


def main():
    args = arguments()
    if args.way == "mpi":
        return mpirun(args)
    place = meeting_place(args) if args.way == "horovod" and args.first == 0 else None
    processes = []
    for local in range(args.here):
        env = dict(os.environ)
        env.update((name, str(value)) for name, value in WAYS[args.way](args, args.first + local, local).items())
        processes.append(subprocess.Popen(args.command, env=env))
    status = wait(processes)
    if place:
        place.kill()
    return status


if __name__ == "__main__":
    sys.exit(main())

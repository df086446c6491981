# SPDX-License-Identifier: MIT
"""Virtual environments: the Pythons of this machine, making one, and running something in it."""
import contextlib
import fcntl
import glob
import os
import re
import shutil
import subprocess
import sys

from harness.tables import Wrong, assignments

# Where Pythons are looked for, best first; {} is the version, as in 3.8.
PLACES = ("/usr/bin/python{}", "/usr/local/bin/python{}", "~/.pyenv/versions/{}.*/bin/python{}",
          "~/.local/share/uv/python/cpython-{}.*/bin/python{}", "~/.local/bin/python{}",
          "/opt/python{}*/bin/python{}", "/opt/python/{}*/bin/python{}", "/opt/*/bin/python{}",
          "~/miniconda3/envs/*/bin/python{}", "~/anaconda3/envs/*/bin/python{}")
# What tells frameworks how many threads to compute with.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TF_NUM_INTRAOP_THREADS",
           "TF_NUM_INTEROP_THREADS")
IMPORT_LIMIT = 600  # s: a first import compiles all Python of it
SYSTEM_PYTHON = "/usr/bin/python3"
# A shim is a script that looks for the real one; only that tells where it is, and whether it is whole.
IDENTIFY = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2], sys.executable)"
DISTRIBUTION = """
import sys
try:
    from importlib.metadata import version
except ImportError:
    import pkg_resources
    version = lambda name: pkg_resources.get_distribution(name).version
print(version(sys.argv[1]))
"""


def folder():
    """Where the environments are."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("DLTRACE_FRAMEWORKS") or os.path.join(cache, "dltrace", "frameworks")


def find_python(version, identify=True):
    """The real path of a Python of this version that can make environments; None without one."""
    candidates = [path for place in PLACES
                  for path in sorted(glob.glob(os.path.expanduser(place).replace("{}", version)), reverse=True)]
    on_path = shutil.which(f"python{version}")
    for path in candidates + ([on_path] if on_path else []):
        if not identify:
            return path
        done = subprocess.run([path, "-c", IDENTIFY], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              universal_newlines=True, check=False)
        found, _, real = done.stdout.strip().partition(" ")
        if done.returncode == 0 and found == version:
            return real
    return None


def place(environment):
    return os.path.join(folder(), environment.name)


def python(environment):
    """What runs a script of this environment."""
    return SYSTEM_PYTHON if environment.python == "system" else os.path.join(place(environment), "bin", "python")


def missing_packages(environment):
    """The Debian packages that it needs and that are not there (none are, where there is no dpkg)."""
    if not environment.debian or not shutil.which("dpkg-query"):
        return []
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *environment.debian],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True, check=False)
    there = {line.split()[0] for line in done.stdout.splitlines() if line.endswith(" installed")}
    return [name for name in environment.debian if name not in there]


def is_there(environment):
    """Whether it was made, of what the table says now."""
    if environment.python == "system":
        return not missing_packages(environment)
    try:
        with open(os.path.join(place(environment), "installed"), encoding="utf-8") as file:
            return file.read() == environment.made_of()
    except OSError:
        return False


def libraries(environment):
    """The environment's folders that the loader looks into."""
    links = [os.path.join(place(environment), "links")] if environment.links else []
    return links + [path for pattern in environment.libraries
                    for path in sorted(glob.glob(os.path.join(glob.escape(place(environment)), pattern)))]


def variables(environment, framework=None, threads=None):
    """os.environ with what runs in the environment; nothing that leads Python to other packages."""
    env = {name: value for name, value in os.environ.items()
           if name not in ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV")}
    env["PYTHONNOUSERSITE"] = "1"
    found = libraries(environment)
    if found:
        env["LD_LIBRARY_PATH"] = ":".join(filter(None, [*found, env.get("LD_LIBRARY_PATH")]))
    for name, value in environment.variables.items():
        env[name] = value.replace("{}", place(environment))
    env.update(framework.variables if framework else {})
    env.update({name: str(threads) for name in THREADS} if threads else {})
    return env


def version(environment, distribution):
    """Of a package in it, as its metadata tells, without what a builder added (1.13.0a0+gitunknown); or None."""
    done = subprocess.run([python(environment), "-W", "ignore", "-c", DISTRIBUTION, distribution],
                          env=variables(environment), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          universal_newlines=True, check=False)
    found = re.match(r"[0-9]+(\.[0-9]+)*", done.stdout)
    return found[0] if found and done.returncode == 0 else None


def obstacle(environment):
    """Why it cannot be made here, and what to do, in one line; None if it can."""
    missing = missing_packages(environment)
    if missing:
        return f"needs Debian's {' '.join(missing)} (apt-get install {' '.join(missing)})"
    if environment.python != "system" and not find_python(environment.python):
        return (f"needs Python {environment.python} with venv (pyenv install {environment.python}, or put a "
                f"python{environment.python} on PATH)")
    return None


def library(environment, name):
    """The path of a shared library of the environment, else of the system, as the loader's cache has it."""
    for where in [*libraries(environment), *os.environ.get("LD_LIBRARY_PATH", "").split(":")]:
        if where and os.path.exists(os.path.join(where, name)):
            return os.path.join(where, name)
    done = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, universal_newlines=True, check=False)
    for line in done.stdout.splitlines():
        if line.split(" ")[0].strip() == name:
            return line.rsplit(" ", 1)[1]
    raise Wrong(f"the loader knows no {name}")


def lacks_driver(framework):
    """Whether it cannot even be imported here, for want of NVIDIA's driver."""
    try:
        return framework.driver and not library(framework.environment, "libcuda.so.1")
    except Wrong:
        return True


@contextlib.contextmanager
def locked(environment):
    """Nobody else makes the same one meanwhile."""
    os.makedirs(folder(), exist_ok=True)
    with open(place(environment) + ".lock", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"{environment.name}: somebody else makes it; waiting", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def clear(environment):
    """Removes an unfinished or old one; never a folder that is something else."""
    where = place(environment)
    if os.path.isdir(where) and os.listdir(where) and not os.path.exists(os.path.join(where, "pyvenv.cfg")):
        raise Wrong(f"{where} exists and is no virtual environment; move it away, or set DLTRACE_FRAMEWORKS")
    shutil.rmtree(where, ignore_errors=True)


def pip(environment, words):
    more, words = assignments(words)
    command = [python(environment), "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-cache-dir",
               "--no-compile", *words]
    env = {**variables(environment), "PYTHONWARNINGS": "ignore", "PIP_ROOT_USER_ACTION": "ignore", **more}
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, check=False)
    if done.returncode:
        sys.stderr.write("".join(f"    {line}\n" for line in done.stdout.splitlines()[-30:]))
        raise Wrong(f"pip could not install {' '.join(words)}")


def fill(environment):
    subprocess.run([find_python(environment.python), "-m", "venv", place(environment)], check=True)
    if environment.pip:
        pip(environment, ["--upgrade", "pip"])  # that of an old Python does not know today's wheels
    for words in environment.pip:
        pip(environment, words)
    links = os.path.join(place(environment), "links")
    for name, old in environment.links:
        os.makedirs(links, exist_ok=True)
        os.symlink(library(environment, old), os.path.join(links, name))


def try_modules(environment):
    """Wrong unless Python finds all that the environment's modules need, libraries of the system too."""
    for module in environment.modules:
        try:
            done = subprocess.run([python(environment), "-W", "ignore", "-c", f"import {module}"],
                                  env=variables(environment), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, universal_newlines=True, errors="replace",
                                  timeout=IMPORT_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            raise Wrong(f"import {module} took more than {IMPORT_LIMIT} s in it") from None
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
            raise Wrong(f"its packages are installed, but import {module} fails: {last}")


def make(environment):
    """Makes it unless it is there; what was begun and not finished is made anew. True if it was made."""
    with locked(environment):
        if is_there(environment):
            return False
        clear(environment)
        try:
            fill(environment)
            try_modules(environment)
        except BaseException:
            shutil.rmtree(place(environment), ignore_errors=True)
            raise
        finished = os.path.join(place(environment), "installed")
        with open(finished + ".tmp", "w", encoding="utf-8") as file:
            file.write(environment.made_of())
        os.rename(finished + ".tmp", finished)
    return True

"""Machines of a cluster in network namespaces of this one: each has an address, a temporary folder and shared memory of
its own, and all of them end with the first process."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HEAD = "10.77.0.1"
PORT = 6379
# It ends with this process, however that ends, and with it everything on its machines.
NETWORK = ["setpriv", "--pdeathsig", "KILL", "unshare", "-n", "-p", "-f", "-m", "--kill-child", "--mount-proc"]


def why_not():
    """Why there can be no such machines here; "" if there can."""
    words = ["ip", "link", "add", "br0", "type", "bridge"]
    try:
        tried = subprocess.run([*NETWORK, *words], capture_output=True, check=False)
    except OSError as error:
        return str(error)
    return tried.stderr.decode().strip() if tried.returncode else ""


class Lab:
    """One network with nothing on it but what the test starts."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self._begun = []
        self.machines = {}
        self._outer = self._hold(NETWORK, "ip link set lo up")
        interfaces = self._in_outer("ip", "-o", "link").stdout.splitlines()
        if len(interfaces) != 1 or ": lo:" not in interfaces[0]:
            raise RuntimeError(f"the network of the tests has more than a loopback: {interfaces}")
        self._in_outer("ip", "link", "add", "br0", "type", "bridge")
        self._in_outer("ip", "link", "set", "br0", "up")

    def machine(self, number):
        """Its address ends with the number; the first is the head."""
        setup = "mkdir -p /tmp/ray && mount -t tmpfs none /tmp/ray && mount -t tmpfs none /dev/shm && ip link set lo up"
        enter = ["nsenter", "-t", str(self._outer), "-n", "-m", "-p", "unshare", "-n", "-m"]
        pid = self._hold(enter, setup)
        link = f"veth{number}"
        self._in_outer("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", str(pid))
        self._in_outer("ip", "link", "set", link, "master", "br0", "up")
        machine = Machine(self, pid, f"10.77.0.{number}", link)
        machine.run("ip", "addr", "add", f"{machine.address}/24", "dev", "eth0")
        machine.run("ip", "link", "set", "eth0", "up")
        self.machines[number] = machine
        return machine

    def cut(self, machine):
        """Pulls the cable."""
        self._in_outer("ip", "link", "set", machine.link, "down")

    def mend(self, machine):
        self._in_outer("ip", "link", "set", machine.link, "up")

    def processes(self):
        """(pid as this process sees it, command line) of all that run there."""
        space = Path(f"/proc/{self._outer}/ns/pid").readlink()
        found = []
        for path in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if path.name.isdecimal() and (path / "ns/pid").readlink() == space:
                    if not (path / "cmdline").read_bytes():
                        continue  # it has ended, and nobody there asks how
                    command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    found.append((int(path.name), command))
        return found

    def close(self):
        for process in self._begun:
            process.kill()
            process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _in_outer(self, *command):
        enter = ["nsenter", "-t", str(self._outer), "-n"]
        return subprocess.run([*enter, *command], check=True, capture_output=True, text=True)

    def _hold(self, enter, setup):
        """The process whose namespaces these are, as this process numbers it."""
        mark = self.folder / f"begun-{len(self._begun)}"
        command = f"{setup} && : > {mark} && exec sleep 100000"
        self._begun.append(subprocess.Popen([*enter, "sh", "-c", command], stdin=subprocess.DEVNULL))
        end = time.monotonic() + 60
        while not mark.exists():
            if time.monotonic() > end or self._begun[-1].poll() is not None:
                raise RuntimeError("no namespace could be made")
            time.sleep(0.02)
        pid = self._begun[-1].pid
        while children := Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            pid = int(children[0])
        return pid


class Machine:
    """One of them: commands run there as on a computer of its own."""

    def __init__(self, lab, pid, address, link):
        self._lab = lab
        self.pid = pid
        self.address = address
        self.link = link
        self.home = lab.folder / address
        self.home.mkdir()
        self.environment = {"HOME": str(self.home), "RAY_DISABLE_IMPORT_WARNING": "1"}

    def start(self, *command, **options):
        enter = ["nsenter", "-t", str(self.pid), "-n", "-m", "-p", "--wd=" + str(options.pop("cwd", Path.cwd()))]
        environment = os.environ | self.environment | options.pop("env", {})
        return subprocess.Popen([*enter, *map(str, command)], env=environment, text=True, **options)

    def run(self, *command, timeout=120, check=True, **options):
        """Return the completed process of a command, with its output."""
        process = self.start(
            *command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
        )
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        if check and process.returncode:
            raise AssertionError(f"{command} ended with {process.returncode}:\n{out}\n{err}")
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def tengen(self, *words, **options):
        return self.run(sys.executable, "-m", "tengen", *words, **options)

    def processes(self):
        space = Path(f"/proc/{self.pid}/ns/net").readlink()
        found = []
        for pid, command in self._lab.processes():
            with contextlib.suppress(OSError):
                if Path(f"/proc/{pid}/ns/net").readlink() == space and pid != self.pid:
                    found.append((pid, command))
        return found

    def kill(self, name, signal_number=signal.SIGKILL):
        """Send a signal to the processes here whose command line contains the name, and return their number."""
        hit = [pid for pid, command in self.processes() if name in command]
        for pid in hit:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal_number)
        return len(hit)

    def listening(self):
        """Ports on which something listens here."""
        lines = self.run("ss", "-Hltn").stdout.splitlines()
        return sorted({int(line.split()[3].rpartition(":")[2]) for line in lines})


class Coordinator:
    """A process on a machine, which has the workers open and runs code with them; see cluster_coordinator.py."""

    def __init__(self, machine, workers):
        self._log = (machine.home / "coordinator.log").open("a+")
        self._process = machine.start(
            sys.executable,
            Path(__file__).with_name("cluster_coordinator.py"),
            workers,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def run(self, code, timeout=300):
        """Run code and return its output."""
        timer = threading.Timer(timeout, self._process.kill)
        timer.start()
        try:
            self._process.stdin.write(json.dumps(textwrap.dedent(code)) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        out, error = json.loads(line) if line else ("", "the coordinator has ended")
        if error:
            self._log.seek(0)
            raise AssertionError(f"{error}\n{out}\n{self._log.read()}")
        return out

    def close(self):
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()
        self._log.close()


class Cluster:
    """A head and nodes in a lab, started as people start them. The coordinator works on the head."""

    def __init__(self, lab, slots=(2, 2)):
        self.lab = lab
        self.token = lab.folder / "token"
        self.head = self._machine(1)
        self.head.tengen("cluster", "token")
        self.head.tengen("cluster", "head", timeout=300)
        self.target = f"{HEAD}:{PORT}"
        self.workers = f"ray:{self.target}"
        self.nodes = []
        self._coordinator = None
        self.grow(*slots)

    def grow(self, *slots):
        """Further nodes, with so many slots each."""
        first = 1 + max(self.lab.machines)
        new = [self._machine(number) for number in range(first, first + len(slots))]
        with ThreadPoolExecutor() as threads:
            list(threads.map(self.join, slots, new))
        self.nodes += new

    def join(self, slots, node):
        node.tengen("cluster", "join", self.target, "--slots", slots, timeout=300)

    def coordinate(self, code, timeout=300):
        """Runs Python on the head, with the workers open as `crew`; what it printed. The same process every time."""
        if self._coordinator is None:
            self._coordinator = Coordinator(self.head, self.workers)
        return self._coordinator.run(code, timeout)

    def disconnect(self):
        if self._coordinator is not None:
            self._coordinator.close()
            self._coordinator = None

    def _machine(self, number):
        machine = self.lab.machine(number)
        paths = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
        machine.environment |= {"TENGEN_CLUSTER_TOKEN": str(self.token), "PYTHONPATH": paths}
        return machine

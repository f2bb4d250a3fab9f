"""Run a command in a network namespace without other machines, and record its connections and file writes."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

TRACED_CALLS = (
    "connect,sendto,sendmsg,sendmmsg,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,"
    "symlink,symlinkat"
)
REPOSITORY = Path(__file__).parent.parent
# A command that prints nothing for so long hangs; the limit only keeps a broken test from waiting forever.
LIMIT_S = 300

_ADDRESS = re.compile(
    r'sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*?(?:inet_addr\("|inet_pton\(AF_INET6, ")([^"]+)'
)
_OPENED = re.compile(r'\b(?:openat\([^,]+, |open\()"([^"]*)", ([A-Z_|]+)')
_MADE = re.compile(r"\b(?:creat|mkdir|mkdirat|rename\w*|link|linkat|symlink\w*)\((.*)\)\s+= 0")
_WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT")
# Device files, pipes and shared memory of this process are no files of the user.
_IGNORED = ("/dev/", "/proc/", "/sys/fs/cgroup", "/tmp/ray")  # Ray keeps its sessions in a folder of its own.


def missing_tools() -> str:
    """Return why commands cannot be traced here, or an empty string if they can."""
    absent = [name for name in ("strace", "unshare", "ip") if not shutil.which(name)]
    if absent:
        return f"{', '.join(absent)} not installed"
    tried = subprocess.run(["unshare", "-n", "strace", "-o", os.devnull, "true"], capture_output=True, check=False)
    return "" if tried.returncode == 0 else f"cannot trace here: {tried.stderr.decode().strip()}"


@dataclass(frozen=True)
class Trace:
    """The effects of one command outside its own process."""

    code: int
    output: str
    contacted: set[str]
    """Addresses beyond this machine, as HOST:PORT."""
    written: set[str]
    """Paths that were written, made or renamed outside `home` and the working folder."""


def run_traced(words: list[str], folder: Path, *, typed: str = "", until: str = "") -> Trace:
    """Run `tengen WORDS` with `folder/home` as the home folder and `folder/work` as the working folder.

    If `until` is given, the command is interrupted as soon as it prints that text.
    """
    home, work, log = folder / "home", folder / "work", folder / "trace"
    for path in (home, work, folder / "tmp"):
        path.mkdir(exist_ok=True)
    environment = {
        # CI is absent on purpose: some libraries report nothing when it is set.
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(folder / "tmp"),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "200",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
    }
    tracer = [
        "strace",
        "-f",
        "--seccomp-bpf",
        "-qqq",
        "-s",
        "400",
        "-o",
        str(log),
        "-e",
        f"trace={TRACED_CALLS}",
        "-e",
        "signal=none",
    ]
    tengen = [sys.executable, "-c", "import tengen.cli; tengen.cli.main()", *words]
    # A shell that starts the tests in the background lets them ignore SIGINT, which commands would inherit.
    inner = 'ip link set lo up && exec env --default-signal=INT "$@"'
    with subprocess.Popen(
        ["unshare", "-n", "sh", "-c", inner, "sh", *tracer, *tengen],
        cwd=work,
        env=environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        output = _converse(process, typed, until)
    contacted, written = _read_log(log, [folder])
    return Trace(process.returncode, output, contacted, written)


def _converse(process: subprocess.Popen[str], typed: str, until: str) -> str:
    if not until:
        return process.communicate(typed, timeout=LIMIT_S)[0]
    printed = []
    for line in process.stdout:
        printed.append(line)
        if until in line:
            break
    os.killpg(process.pid, signal.SIGINT)
    return "".join(printed) + process.communicate(timeout=LIMIT_S)[0]


def _read_log(log: Path, own: list[Path]) -> tuple[set[str], set[str]]:
    contacted, written = set(), set()
    for line in log.read_text(errors="replace").splitlines():
        for port, host in _ADDRESS.findall(line):
            is_loopback = host.startswith("127.") or host in {"::1", "0.0.0.0", "::"}
            if not is_loopback or port == "53":
                contacted.add(f"{host}:{port}")
        paths = []
        if (opened := _OPENED.search(line)) and _WRITES.search(opened[2]) and "= -1" not in line:
            paths = [opened[1]]
        elif made := _MADE.search(line):
            paths = re.findall(r'"([^"]*)"', made[1])
        written.update(
            path for path in paths if path.startswith("/") and not path.startswith((*_IGNORED, *map(str, own)))
        )
    return contacted, written


def list_files(folder: Path) -> set[str]:
    """Return all files below a folder, by their path inside it."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}

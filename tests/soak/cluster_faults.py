"""Everything that may happen to a cluster, one thing after the other, on machines in network namespaces:

    python tests/soak/cluster_faults.py                      every row of the table, some 12 minutes
    python tests/soak/cluster_faults.py --rows worker head   some of them
    python tests/soak/cluster_faults.py --kills 20           a learning run through 20 kills at random instead

Needs root and Ray. The results must equal those of an undisturbed job, no finished chunk may be played again, and no
process may be left.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from cluster_lab import Cluster, Lab
from run_killer import outcome
from soak.kill_resume import learn, tiny_settings

from tengen.runs import Run

TASKS, SECONDS = 16, 2.0
SLOTS = (2, 2)
# Seconds from a fault to the end of the job, whose tasks take 8 in all: until the fault is noticed, 30 where something
# comes back, and for the head the 20 that it is waited for and the start of another cluster.
LIMITS = {"none": 30, "worker": 30, "raylet": 40, "stopped": 60, "mended": 70, "cut": 70, "coordinator": 40}
LIMITS |= {"head": 150}
# Enough chunks that a kill meets some of them.
ITERATIONS = 3
LEARN = {"games_per_iter": 32, "eval_games": 16, "anchor_games": 16, "anchor_every": 1}
LEARN |= {"selfplay": {"parallel": 2, "search": {"visits": 64}}, "player": "NETWORK@32"}


def job(cluster, folder):
    """The coordinator, on its way."""
    words = (__file__, "--job", folder, "--workers", cluster.workers)
    return cluster.head.start(sys.executable, *words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)


def run_job(folder, workers):
    from cluster_tasks import work_slowly

    from tengen.cluster import open_workers

    (folder / "marks").mkdir(exist_ok=True)
    with open_workers(workers) as crew, crew.journal(folder / "parts"):
        print("begun", crew.size, flush=True)
        tasks = [crew.submit(work_slowly, folder / "marks", number, SECONDS) for number in range(TASKS)]
        found = dict(crew.results())
        values = [found[task] for task in tasks]
    print(json.dumps(values), flush=True)


def key_of(folder, number):
    """In the journal."""
    from cluster_tasks import work_slowly

    from tengen.cluster.journal import task_key

    return task_key(work_slowly, (folder / "marks", number, SECONDS))


def marks(folder, kind):
    return [path.name.split("-")[1] for path in (folder / "marks").glob(f"{kind}-*")]


class Faults:
    """Each breaks something when a few tasks are done, and answers what else is to be done before the job is over."""

    def __init__(self, cluster):
        self.cluster = cluster

    def none(self, _job):
        pass

    def worker(self, _job):
        self._hit(self.cluster.nodes[0].kill("ray::tengen"))

    def raylet(self, _job):
        self._hit(self.cluster.nodes[0].kill("raylet/raylet"))

    def stopped(self, _job):
        self._hit(self.cluster.nodes[0].kill("raylet/raylet", signal.SIGSTOP))
        time.sleep(30)
        self.cluster.nodes[0].kill("raylet/raylet", signal.SIGCONT)

    def mended(self, _job):
        self.cluster.lab.cut(self.cluster.nodes[0])
        time.sleep(30)
        self.cluster.lab.mend(self.cluster.nodes[0])

    def cut(self, _job):
        self.cluster.lab.cut(self.cluster.nodes[0])

    def coordinator(self, job):
        self._hit(kill_inside(self.cluster.head, "--job"))
        job.wait()

    def head(self, job):
        self._hit(self.cluster.head.kill("gcs_server"))
        self.cluster.head.kill("raylet/raylet")
        job.wait(120)

    @staticmethod
    def _hit(count):
        """A fault that met nothing shows nothing."""
        if not count:
            raise RuntimeError("there was nothing to kill")


def kill_inside(machine, name):
    hit = [pid for pid, command in machine.processes() if name in command and "nsenter" not in command]
    for pid in hit:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(hit)


def restart(cluster):
    """The machines as they were before."""
    for machine in (*cluster.nodes, cluster.head):
        cluster.lab.mend(machine)
        machine.tengen("cluster", "stop", check=False)
        machine.kill("ray")
    cluster.head.tengen("cluster", "head", timeout=300)
    for slots, node in zip(SLOTS, cluster.nodes, strict=True):
        cluster.join(slots, node)


def wait_for(condition, seconds, process):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end and process.poll() is None:
        time.sleep(0.1)


def row(cluster, name, folder):
    folder.mkdir()
    faults = Faults(cluster)
    process = job(cluster, folder)
    wait_for(lambda: len(marks(folder, "done")) >= 5, 200, process)
    kept = {path.name for path in (folder / "parts").glob("*")}
    finished = [str(number) for number in range(TASKS) if key_of(folder, number) in kept]
    broken = time.monotonic()
    getattr(faults, name)(process)
    again = 0
    while True:
        try:
            out, _ = process.communicate(timeout=240)
        except subprocess.TimeoutExpired:
            process.kill()
            out = ""
        lines = out.splitlines()
        if lines and lines[-1].startswith("["):
            break
        again += 1
        if again > 3:
            break
        if name == "head":
            restart(cluster)
        process = job(cluster, folder)
    seconds = time.monotonic() - broken
    values = json.loads(lines[-1]) if lines and lines[-1].startswith("[") else None
    begun, done = marks(folder, "begun"), marks(folder, "done")
    twice = sorted({number for number in done if done.count(number) > 1})
    wasted = [number for number in finished if begun.count(number) > 1]
    good = values == [number * number for number in range(TASKS)] and not wasted and seconds < LIMITS[name]
    left = [
        command for machine in cluster.lab.machines.values() for _, command in machine.processes() if "--job" in command
    ]
    print(
        f"{name:<12} {'good' if good and not left else 'BAD':<5} {seconds:6.1f} s from the fault to the end (of "
        f"{LIMITS[name]} s), {len(begun) - TASKS} attempts too many, finished twice: {len(twice)}, of {len(finished)} "
        f"finished before played again: {len(wasted)}, coordinators started again: {again}, left: {len(left)}",
        flush=True,
    )
    return good and not left


def run_learn(folder, workers):
    """What `tengen learn` does, with a line for every chunk that is sent and for every one that is kept."""
    from tengen.cluster import ray_spec
    from tengen.cluster.journal import Journal

    def noted(method, word, key_of):
        def call(self, *args):
            if word == "sent" and key_of(args):
                note(word, key_of(args))
            method(self, *args)
            if word == "kept":
                note(word, key_of(args))

        return call

    def note(word, key):
        with folder.with_suffix(".chunks").open("a") as file:
            file.write(f"{word} {key}\n")

    def open_noted(text, opener=ray_spec.open_ray):
        crew = opener(text)
        type(crew)._send = noted(type(crew)._send, "sent", lambda args: args[0].key)
        return crew

    Journal.write = noted(Journal.write, "kept", lambda args: args[0])
    ray_spec.open_ray = open_noted
    print("begun", flush=True)
    learn(folder, ITERATIONS, workers, settings=tiny_settings(**LEARN))


def played_again(folder):
    """Chunks that were sent after they had been kept, and how many were kept in all."""
    kept, again = set(), []
    for line in folder.with_suffix(".chunks").read_text().splitlines():
        word, key = line.split()
        if word == "kept":
            kept.add(key)
        elif key in kept:
            again.append(key)
    return again, len(kept)


class RandomKills:
    """Learning runs, one after the other until all kills are spent, and each through some of them."""

    VICTIMS = ("worker", "worker", "node", "node", "coordinator", "coordinator", "head")

    def __init__(self, cluster, folder, kills, seed):
        self.cluster = cluster
        self.folder = folder
        self.kills = kills
        self.counts = dict.fromkeys(self.VICTIMS, 0)
        self.chunks = 0
        self._rng = random.Random(seed)
        self._log = (folder / "coordinators.log").open("a+")

    def run(self):
        wanted, good, number = None, True, 0
        while sum(self.counts.values()) < self.kills:
            number += 1
            run = self.folder / f"run-{number}"
            self._run_through(run)
            if wanted is None:
                wanted = outcome(learn(self.folder / "undisturbed", ITERATIONS, settings=tiny_settings(**LEARN)))
            same = outcome(Run.open(run)) == wanted and Run.open(run).verify() == []
            again, kept = played_again(run)
            self.chunks += kept
            good &= same and not again
            print(
                f"run {number}: {'the same bytes' if same else 'OTHER BYTES'}, {kept} chunks, {len(again)} of them "
                f"played again after they were finished",
                flush=True,
            )
        kills = ", ".join(f"{count} of a {victim}" for victim, count in self.counts.items())
        print(f"{'good' if good else 'BAD'}: {sum(self.counts.values())} kills ({kills}), {self.chunks} chunks")
        return good

    def _run_through(self, run):
        """Until the run is complete."""
        process = None
        while True:
            if process is None:
                words = (__file__, "--learn", run, "--workers", self.cluster.workers)
                process = self.cluster.head.start(
                    sys.executable, *words, stdout=self._log, stderr=self._log, stdin=subprocess.DEVNULL
                )
            try:
                code = process.wait(self._rng.uniform(2.0, 10.0))
            except subprocess.TimeoutExpired:
                if sum(self.counts.values()) < self.kills and self._kill(process):
                    process = None
                continue
            if code == 0:
                return
            self._log.seek(0)
            raise RuntimeError(f"a coordinator ended with {code}:\n{self._log.read()[-3000:]}")

    def _kill(self, process):
        """Whether the coordinator is gone too."""
        victim = self._rng.choice(self.VICTIMS)
        node = self._rng.choice(self.cluster.nodes)
        began = time.monotonic()
        if victim == "worker":
            hit = 0
            while not hit and time.monotonic() < began + 10 and process.poll() is None:  # until one has a task
                hit = node.kill("ray::tengen")
        elif victim == "node":
            hit = node.kill("raylet/raylet")
            node.tengen("cluster", "stop", check=False)
            self.cluster.join(SLOTS[self.cluster.nodes.index(node)], node)
        elif victim == "head":
            hit = self.cluster.head.kill("gcs_server")
            process.wait(180)
        else:
            hit = kill_inside(self.cluster.head, "--learn")
            process.wait()
        if not hit:
            return False
        self.counts[victim] += 1
        seconds = time.monotonic() - began
        print(f"{sum(self.counts.values())} of {self.kills}: {victim}, {hit} processes, {seconds:.1f} s", flush=True)
        if victim == "head":
            restart(self.cluster)
        return victim in ("head", "coordinator")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="*", default=list(LIMITS), choices=list(LIMITS))
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--learn", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--workers", default="inline")
    given = parser.parse_args()
    if given.job:
        run_job(given.job, given.workers)
        return
    if given.learn:
        run_learn(given.learn, given.workers)
        return
    with tempfile.TemporaryDirectory() as folder, Lab(folder) as lab:
        cluster = Cluster(lab, SLOTS)
        if given.kills:
            good = RandomKills(cluster, Path(folder), given.kills, given.seed).run()
        else:
            good = True
            for name in given.rows:
                good &= row(cluster, name, Path(folder) / name)
                if name not in ("none", "worker", "coordinator"):
                    restart(cluster)
        for machine in (*cluster.nodes, cluster.head):
            machine.tengen("cluster", "stop", check=False)
        left = [command for machine in lab.machines.values() for _, command in machine.processes()]
        print(f"processes left on the machines: {len(left)} {left[:3]}")
    sys.exit(not good or bool(left))


if __name__ == "__main__":
    main()

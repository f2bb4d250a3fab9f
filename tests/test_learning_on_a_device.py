"""Training and self-play on a device that is not the processor: a stand-in for a GPU."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from learning_runs import learn_words

from tengen.runs import Run

pytest.importorskip("torch")

import stand_in_device

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not stand_in_device.is_possible(), reason="this PyTorch takes no devices that are made in Python"
    ),
]
TESTS = Path(__file__).parent
FEW = [
    word
    for change in ("bootstrap_games=0", "games_per_iter=2", "eval_games=2", "anchor=", "selfplay.search.visits=6")
    for word in ("--set", change)
]
"""Settings of a run whose only games are evaluated on the device."""

CALCULATIONS = """
import json, sys
import stand_in_device
counts = stand_in_device.install()
from pathlib import Path
import numpy as np, tengen, torch
from learning_helpers import tiny
from tengen.evaluators.device_network import DeviceNetwork
from tengen.nets import Checkpoint, save_checkpoint

game = tengen.game("connect_four")
file = Path(sys.argv[1])
file.write_bytes(save_checkpoint(Checkpoint(tiny(game), game.id, {})))
features = np.random.default_rng(1).random((20, *game.shape), np.float32)
truth = DeviceNetwork(file, torch.device("cpu")).launch([features]).finish()
found = {}
for half in (False, True):
    network = DeviceNetwork(file, torch.device("card"), half=half)
    counts.clear()
    outputs = network.launch([features[:5], features[5:]]).finish()
    worst = max(float(np.abs(output - truth[name]).max()) for name, output in outputs.items())
    found["half" if half else "full"] = {"worst": worst, **counts}
try:
    network._module(torch.from_numpy(features))
except RuntimeError as error:
    found["wrong device"] = str(error)
print(json.dumps(found))
"""

TRAININGS = """
import dataclasses, json, threading
from collections import Counter
import stand_in_device
counts = stand_in_device.install()
import tengen, torch
from learning_helpers import quick_games, tiny
from tengen.learning import TrainSettings, samples_of, train, training
from tengen.learning.batches import Symmetries
from tengen.nets import devices

game, found = tengen.game("connect_four"), {}
samples = samples_of(game, quick_games(game, 4))
settings = TrainSettings(steps=3, batch_size=16, threads=1, average=0.9)
found["processor"] = train(game, tiny(game), samples, settings).metrics
trained = train(game, tiny(game), samples, dataclasses.replace(settings, device="card"))
found["card"] = trained.metrics
again = train(game, trained.network, samples, settings, state=trained.state)
found["continued"] = again.metrics

apply_random, prepared_by, pinned_by = Symmetries.apply_random, Counter(), Counter()

def watched(*args):
    prepared_by[threading.current_thread().name] += 1
    return apply_random(*args)

def pin_memory(tensor):
    pinned_by[threading.current_thread().name] += 1
    return tensor.clone()

def count_transfers(steps, device="card"):
    counts.clear()
    train(game, tiny(game), samples, dataclasses.replace(settings, device=device, steps=steps, average=0.0))
    return Counter(counts)

Symmetries.apply_random = watched
found["two steps"] = count_transfers(4) - count_transfers(2)
found["prepared by"] = dict(prepared_by)
count_transfers(3, "cpu")
found["prepared by, with the processor"] = dict(prepared_by)
devices._PINNING, torch.Tensor.pin_memory = {"card"}, pin_memory
found["two pinned steps"] = count_transfers(4) - count_transfers(2)
found["pinned by"] = dict(pinned_by)

training._MIXED = {"card"}
counts.clear()
more = dataclasses.replace(settings, steps=10)
found["mixed"] = train(game, tiny(game), samples, dataclasses.replace(more, device="card")).metrics
found["halves"] = counts["half"]
found["not mixed"] = train(game, tiny(game), samples, more).metrics
found["threads"] = [thread.name for thread in threading.enumerate() if "prefetch" in thread.name]
found["arrays"] = len(samples.arrays)
print(json.dumps(found))
"""


def environment(folder):
    return os.environ | {"PYTHONPATH": f"{TESTS}:{os.environ.get('PYTHONPATH', '')}", "TENGEN_DATA": str(folder)}


def run_script(script, folder, *words):
    done = subprocess.run(
        [sys.executable, "-c", script, *words], check=False, capture_output=True, text=True, env=environment(folder)
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_device_calculates_as_the_processor_does(tmp_path):
    found = run_script(CALCULATIONS, tmp_path, tmp_path / "net.safetensors")
    assert found["full"] == {"worst": pytest.approx(0.0, abs=1e-6), "up": 1, "down": 2}
    assert 0 < found["half"].pop("worst") < 0.01
    assert found["half"] == {"up": 1, "down": 2, "half": 11}
    assert "all tensors to be on the same device" in found["wrong device"]


def test_a_device_trains_as_the_processor_does(tmp_path):
    found = run_script(TRAININGS, tmp_path)
    assert found["card"] == pytest.approx(found["processor"], rel=1e-5)
    assert found["continued"]["loss"] < found["card"]["loss"]
    # A step transfers its batch, and back the figures and the norm of the gradient.
    arrays = found["arrays"]
    assert found["two steps"] == {"up": 2 * arrays, "down": 4}
    assert found["prepared by"] == {"prefetch_0": 6}
    assert found["prepared by, with the processor"] == {"prefetch_0": 6, "MainThread": 3}
    assert found["two pinned steps"] == {"up": 2 * arrays, "down": 4, "non-blocking": 2 * arrays}
    assert found["pinned by"] == {"prefetch_0": 6 * arrays}
    assert found["halves"] > 0
    assert found["mixed"] == pytest.approx(found["not mixed"], rel=0.02)
    assert found["mixed"] != pytest.approx(found["not mixed"], rel=1e-5)
    assert found["threads"] == []


def test_a_run_on_a_device_continues_after_a_kill(tmp_path):
    words = [str(word) for word in learn_words(tmp_path / "run", *FEW, "--device", "card", "--no-final-match")]
    command = [sys.executable, TESTS / "stand_in_device.py", "tengen", *words]
    given = {"env": environment(tmp_path), "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, **given) as started:
        deadline = time.monotonic() + 300
        while not list((tmp_path / "run").glob("steps/*-train")) and time.monotonic() < deadline:
            assert started.poll() is None, started.stderr.read()
            time.sleep(0.02)
        started.send_signal(signal.SIGKILL)
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, **given)
    assert done.returncode == 0, done.stderr
    assert "0 of 1 iterations are complete; going on" in done.stdout
    assert "iteration 1  train" not in done.stdout
    run = Run.open(tmp_path / "run")
    assert run.settings["learn"]["train"]["device"] == "card"
    assert [step.metrics["games"] for step in run.steps("self-play")] == [2]
    assert len(run.steps("train")) == len(run.steps("arena")) == 1
    assert list((tmp_path / "servers").iterdir()) == []

"""Caches of samples: used again only for the same, made anew when damaged, whole or absent whenever a process stops."""

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from tengen.labs.matgo.cache import CacheError, open_cache, shuffled
from tengen.runs import RunBusy

BACKENDS = ("jsonl", "lmdb")


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text("".join(f'{{"game": {i}}}\n' for i in range(50)))
    return path


class Maker:
    """A sample for each line, `width` times; counts how often it was asked."""

    def __init__(self, path, width=1):
        self.path, self.width, self.calls = path, width, 0

    def __call__(self, tally):
        self.calls += 1
        for line in self.path.read_text().splitlines():
            tally["games"] += 1
            yield from [[json.loads(line)["game"], "맞고", 0.1]] * self.width


def opened(folder, maker, backend="jsonl", settings=None, encoder="v1", **more):
    return open_cache(folder, backend, [maker.path], settings or {"width": maker.width}, encoder, maker, **more)


@pytest.mark.parametrize("backend", [*BACKENDS, "none"])
def test_every_pass_gives_what_was_made(log, tmp_path, backend):
    maker = Maker(log)
    expected = [[i, "맞고", 0.1] for i in range(50)]
    with opened(tmp_path / "cache", maker, backend) as cache:
        assert list(cache) == expected
        assert list(zip(cache, cache, strict=True)) == [(sample, sample) for sample in expected]
        assert (cache.count, cache.tally) == (50, {"games": 50})
    assert maker.calls == (3 if backend == "none" else 1)
    assert (tmp_path / "cache").exists() == (backend != "none")


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_same_is_used_again(log, tmp_path, backend):
    maker = Maker(log)
    with opened(tmp_path / "cache", maker, backend) as first:
        assert not first.reused
        assert "holds none yet" in first.note
        samples = list(first)
    moved = log.rename(tmp_path / "elsewhere").rename(log)
    assert moved == log
    with opened(tmp_path / "cache", maker, backend) as second:
        assert second.reused
        assert list(second) == samples
        assert second.tally == first.tally
    assert maker.calls == 1


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("append", "games.jsonl has"),
        ("edit", "games.jsonl has another content"),
        ("settings", "width is 2, was 1"),
        ("more settings", "depth is 3, was not there"),
        ("encoder", "the encoder is v2, was v1"),
        ("name", "input other.jsonl is in the place of games.jsonl"),
        ("rebuild", "asked for anew"),
        ("backend", "the back end is"),
    ],
)
def test_what_differs_is_made_anew_and_said(log, tmp_path, backend, change, reason):
    maker = Maker(log)
    opened(tmp_path / "cache", maker, backend).__exit__(None, None, None)
    options = {"backend": backend}
    text = log.read_text()
    if change == "append":
        log.write_text(text + '{"game": 50}\n')
    elif change == "edit":
        log.write_text(text.replace("49", "94"))
    elif change == "settings":
        maker.width = 2
    elif change == "more settings":
        options["settings"] = {"width": 1, "depth": 3}
    elif change == "encoder":
        options["encoder"] = "v2"
    elif change == "name":
        maker.path = log.rename(tmp_path / "other.jsonl")
    elif change == "rebuild":
        options["rebuild"] = True
    else:
        options["backend"] = BACKENDS[1 - BACKENDS.index(backend)]
    with opened(tmp_path / "cache", maker, **options) as cache:
        assert not cache.reused
        assert reason in cache.note
        assert list(cache) == list(maker(Counter()))
    with opened(tmp_path / "cache", maker, **options | {"rebuild": False}) as cache:
        assert cache.reused
    assert len(list((tmp_path / "cache").glob("samples-*"))) == 1


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_damage_is_noticed_and_mended(log, tmp_path, backend):
    """Mutations of the two files: a flipped, lost or added byte, a cut, an emptied file, a file that is gone."""
    folder, maker, rng = tmp_path / "cache", Maker(log), random.Random(1)
    with opened(folder, maker, backend) as cache:
        expected = list(cache)
    made = maker.calls
    for number in range(120):
        victim = rng.choice([folder / "cache.json", *folder.glob("samples-*")])
        data = bytearray(victim.read_bytes())
        at = rng.randrange(len(data))
        kind = rng.randrange(6)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[at]
        elif kind == 2:
            data.insert(at, rng.randrange(256))
        elif kind == 3:
            del data[at:]
        elif kind == 4:
            data = bytearray()
        victim.unlink() if kind == 5 else victim.write_bytes(data)
        with opened(folder, maker, backend) as cache:
            assert not cache.reused, (number, kind, victim)
            assert list(cache) == expected
        assert maker.calls == made + number + 1
    assert log.read_text().count("\n") == 50


def test_nothing_of_the_users_is_touched(log, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "letter.txt").write_text("dear")
    with pytest.raises(CacheError, match=r"own holds other files than a cache's \(letter.txt\)"):
        opened(own, Maker(log))
    assert [path.name for path in own.iterdir()] == ["letter.txt"]
    with pytest.raises(CacheError, match=r"games.jsonl is a file, and a cache of samples is a folder"):
        opened(log, Maker(log))
    (own / "letter.txt").rename(own / "cache.json")
    with opened(own, Maker(log)) as cache:
        assert "damaged" in cache.note
    assert [path.read_text() for path in (own / "quarantine").iterdir()] == ["dear"]


def test_inputs_must_stay_as_they_are(log, tmp_path):
    class Meddler(Maker):
        def __call__(self, tally):
            yield from super().__call__(tally)
            log.write_text(log.read_text() + '{"game": 0}\n')

    with pytest.raises(CacheError, match=r"inputs changed while samples were made of them: .*games.jsonl"):
        opened(tmp_path / "cache", Meddler(log))
    assert not (tmp_path / "cache" / "cache.json").exists()
    with pytest.raises(CacheError, match="changed between passes"):
        list(opened(None, Meddler(log)))


def test_a_failed_making_leaves_nothing(log, tmp_path):
    def fail(tally):
        yield 1
        raise RuntimeError("no more")

    folder = tmp_path / "cache"
    with opened(folder, Maker(log)) as cache:
        expected = list(cache)
    with pytest.raises(RuntimeError, match="no more"):
        open_cache(folder, "jsonl", [log], {}, "v1", fail)
    with opened(folder, Maker(log)) as cache:
        assert cache.reused
        assert list(cache) == expected
    assert sorted(path.name.split("-")[0] for path in folder.iterdir()) == ["cache.json", "lock", "samples"]


def test_a_reader_keeps_what_another_process_replaces(log, tmp_path):
    for backend in BACKENDS:
        with opened(tmp_path / backend, Maker(log), backend) as old:
            with opened(tmp_path / backend, Maker(log, 2), backend) as new:
                assert sum(1 for _ in new) == 100
            assert sum(1 for _ in old) == 50


def test_two_do_not_make_one_cache_at_once(log, tmp_path):
    folder = tmp_path / "cache"

    def nested(tally):
        with pytest.raises(RunBusy, match=r"cache is being written by"):
            opened(folder, Maker(log))
        yield 1

    open_cache(folder, "jsonl", [log], {}, "v1", nested).__exit__(None, None, None)


def test_lmdb_says_what_is_missing_or_full(log, tmp_path, monkeypatch):
    with pytest.raises(CacheError, match="no room after"):
        opened(tmp_path / "small", Maker(log, 1000), "lmdb", largest_gb=1e-4)
    assert not list((tmp_path / "small").glob("samples-*"))
    monkeypatch.setitem(sys.modules, "lmdb", None)
    with pytest.raises(CacheError, match=r"install .tengen-games\[lmdb\]"):
        opened(tmp_path / "cache", Maker(log), "lmdb")
    with pytest.raises(CacheError, match=r"'tape' and must be jsonl, lmdb, none"):
        opened(tmp_path / "cache", Maker(log), "tape")


_SLOW = """
import sys, time
from pathlib import Path
from tengen.labs.matgo.cache import open_cache
folder, log, backend = sys.argv[1:]
def make(tally):
    for number in range(3000):
        if number % 100 == 0:
            print(number, flush=True)
            time.sleep(0.001)
        yield [number] * 20
with open_cache(Path(folder), backend, [Path(log)], {}, "v1", make) as cache:
    print(cache.reused, sum(1 for _ in cache), flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_killed_making_is_whole_or_absent(log, tmp_path, backend):
    folder, rng = tmp_path / "cache", random.Random(3)
    command = [sys.executable, "-c", _SLOW, str(folder), str(log), backend]
    for _ in range(6):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for _ in range(rng.randrange(1, 30)):
            process.stdout.readline()
        time.sleep(rng.random() / 50)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert answer[-1] == "3000"
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert answer == ["True", "3000"]
    assert sorted(path.name.split("-")[0] for path in folder.iterdir()) == ["cache.json", "lock", "samples"]


@pytest.mark.parametrize("buffer", [0, 1, 2, 7, 100, 1000])
def test_shuffling_keeps_every_sample(buffer):
    order = list(shuffled(range(100), buffer, 5))
    assert sorted(order) == list(range(100))
    assert (order == list(range(100))) == (buffer < 2)
    assert order == list(shuffled(range(100), buffer, 5))
    assert buffer < 2 or order != list(shuffled(range(100), buffer, 6))


def test_shuffling_holds_no_more_than_its_buffer():
    taken = []
    stream = shuffled((taken.append(i) or i for i in range(1000)), 10, 0)
    for given, _ in enumerate(stream):
        assert len(taken) <= min(1000, given + 12)
    assert given == 999

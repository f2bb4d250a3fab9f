"""Packed samples: the same as those that are not packed, whatever file they come from."""

import io
import zlib

import numpy as np
import pytest
import shipped_games
from learning_helpers import damaged, quick_games

import tengen
from tengen.learning import PackedSamples, Samples, SamplesError, load_packed, pack, samples_of, save_packed
from tengen.learning.planes import PackedPlanes

PYRGA = tengen.game("pyrga")


@pytest.fixture(scope="module")
def records():
    return quick_games(PYRGA, 6, visits=6)


def unpacked(packed):
    return packed.take(np.arange(len(packed)))


def assert_equal(found, wanted):
    assert found.arrays.keys() == wanted.arrays.keys()
    for name, array in wanted.arrays.items():
        np.testing.assert_array_equal(found.arrays[name], array, err_msg=name)
        assert found.arrays[name].dtype == array.dtype, name


@pytest.mark.parametrize("name", shipped_games.NAMES)
def test_packed_samples_are_the_same_in_every_game(name, tmp_path):
    game = shipped_games.small_game(name)
    records = quick_games(game, 2, visits=4)
    samples, packed = samples_of(game, records), pack(game, records)
    packed.check(game)
    rows = np.random.default_rng(1).integers(len(samples), size=40)
    assert_equal(packed.take(rows), samples.take(rows))
    path = tmp_path / "packed.npz"
    path.write_bytes(save_packed(packed))
    assert_equal(load_packed(path).take(rows), samples.take(rows))


def test_a_file_is_small_and_the_same_every_time(records):
    samples, packed = samples_of(PYRGA, records), pack(PYRGA, records)
    data = save_packed(packed)
    assert data == save_packed(pack(PYRGA, records)) == save_packed(load_packed(data))
    assert data == save_packed(PackedSamples.of(samples))
    assert len(data) < sum(array.nbytes for array in samples.arrays.values()) / 8


def test_joined_samples_are_one_after_the_other(records, tmp_path):
    whole = pack(PYRGA, records)
    path = tmp_path / "packed.npz"
    path.write_bytes(save_packed(pack(PYRGA, records[2:4])))
    parts = [pack(PYRGA, records[:2]), load_packed(path), pack(PYRGA, records[4:])]
    joined = PackedSamples.join([PackedSamples.join(parts[:2]), parts[2]])
    rows = np.random.default_rng(2).permutation(len(whole))
    assert_equal(joined.take(rows), whole.take(rows))
    assert save_packed(joined) == save_packed(whole)
    np.testing.assert_array_equal(joined.column("result"), whole.column("result"))
    assert np.isnan(joined.column("unknown")).all()


def test_every_number_comes_back():
    """Planes of zeros and ones, of one number, of numbers that 16 bits hold, and of others; and those of two kinds."""
    rng = np.random.default_rng(3)
    kinds = [
        rng.integers(0, 2, (9, 7, 7)),
        np.broadcast_to(rng.random((9, 1, 1)), (9, 7, 7)),
        rng.integers(-9, 9, (9, 7, 7)) / 8,
        rng.random((9, 7, 7)),
        np.full((9, 7, 7), np.nan),
        np.full((9, 7, 7), 1e30),
    ]
    one = np.stack(kinds, axis=1).astype(np.float32)
    other = one[:, ::-1].copy()
    shape, rows = one.shape[1:], np.array([8, 0, 0, 3])
    packed = [PackedPlanes.of(one), PackedPlanes.of(other)]
    np.testing.assert_array_equal(packed[0].take(rows, shape), one[rows])
    joined = PackedPlanes.join(packed, 49)
    both = np.concatenate([one, other])
    np.testing.assert_array_equal(joined.take(np.arange(18), shape), both)
    assert packed[0].bits.shape == (9, 7)
    assert [part.shape[1] for part in (packed[0].numbers, packed[0].halves, packed[0].singles)] == [2, 1, 2]


def test_files_of_earlier_versions_are_read(records):
    """Features compressed by zlib one by one, and no labels of further targets."""
    samples = samples_of(PYRGA, records)
    planes = [zlib.compress(each.tobytes(), 1) for each in samples.features]
    named = [np.flatnonzero(each) for each in samples.policy]
    old = {
        "shape": np.array(samples.features.shape[1:]),
        "labels": np.array([samples.policy.shape[1]]),
        "planes": np.frombuffer(b"".join(planes), np.uint8),
        "planes_ends": np.cumsum([len(each) for each in planes]),
        "moves": np.concatenate(named).astype(np.uint16),
        "shares": np.concatenate([row[at] for row, at in zip(samples.policy, named, strict=True)]),
        "moves_ends": np.cumsum([len(each) for each in named]),
    }
    old |= {name: getattr(samples, name) for name in ("result", "search_value", "moves_left", "aux", "hidden_labels")}
    buffer = io.BytesIO()
    np.savez(buffer, **old)
    found = load_packed(buffer.getvalue())
    wanted = {name: array for name, array in samples.arrays.items() if name not in samples.further}
    assert_equal(unpacked(found), Samples.of_arrays(wanted))
    # Joined with samples of this version, they lack what only those have.
    joined = PackedSamples.join([found, PackedSamples.of(samples)])
    assert_equal(joined.take(np.arange(len(samples))), Samples.of_arrays(wanted))


def test_damaged_files_are_refused_or_equal(records, tmp_path):
    packed = pack(PYRGA, records[:1])
    data, wanted = save_packed(packed), unpacked(packed)
    path = tmp_path / "packed.npz"
    refused = 0
    for number, copy in enumerate(damaged(data, 300)):
        path.write_bytes(copy)
        try:
            found = load_packed(path if number % 2 else copy)
        except SamplesError:
            refused += 1
        else:
            assert_equal(unpacked(found), wanted)
    assert refused > 250


def test_files_that_do_not_fit_are_refused(records, tmp_path):
    packed = pack(PYRGA, records[:2])
    with pytest.raises(SamplesError, match="planes"):
        packed.check(tengen.game("go", size=5))
    with pytest.raises(SamplesError, match="no samples"):
        PackedSamples.join([])
    with pytest.raises(SamplesError, match="no decision"):
        pack(PYRGA, [])
    with pytest.raises(SamplesError, match="different games"):
        PackedSamples.join([packed, pack(tengen.game("pig"), quick_games("pig", 1))])
    with pytest.raises(FileNotFoundError):
        load_packed(tmp_path / "none.npz")
    arrays = packed.arrays()
    wrong = {
        "bits": arrays["bits"][:-1],
        "layout": arrays["layout"][:-1],
        "dense.result": arrays["dense.result"][:-1],
        "sparse.policy.labels": arrays["sparse.policy.labels"][:-1],
        "sparse.policy.ends": arrays["sparse.policy.ends"][::-1],
        "labels": np.array([3]),
    }
    for name, array in wrong.items():
        buffer = io.BytesIO()
        np.savez(buffer, **(arrays | {name: array}))
        with pytest.raises(SamplesError, match="fit together"):
            load_packed(buffer.getvalue())

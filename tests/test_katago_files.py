"""KataGo's network files: every version and kind of block is read, and what is damaged is refused in words."""

import gzip
import random
import zlib

import numpy as np
import pytest
from katago_samples import KINDS, sample, write, write_file

from tengen.nets.katago import KataGoFileError, read_network
from tengen.nets.katago.description import count_blocks

VERSIONS = range(8, 18)


def flat(part):
    """Everything that a part holds, arrays as lists."""
    if isinstance(part, np.ndarray):
        return part.tolist()
    if isinstance(part, tuple):
        return [flat(each) for each in part]
    if hasattr(part, "__dataclass_fields__"):
        return {name: flat(value) for name, value in vars(part).items()}
    return part


def kinds_of(version):
    return KINDS if version >= 15 else KINDS[:2]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["net.bin.gz", "net.txt.gz", "net.bin", "net.txt"])
def test_what_is_written_is_read(version, name, tmp_path):
    network = sample(version, kinds_of(version), seed=version, metadata=version in (15, 17), tip="batch")
    assert flat(read_network(write_file(tmp_path / name, network))) == flat(network)


@pytest.mark.parametrize("tip", ["rms", "spatial"])
def test_rms_norms_at_the_tip_are_read(tip):
    network = sample(17, ["feed-forward"], tip=tip, outputs=4)
    assert flat(read_network(write(network))) == flat(network)


def test_blocks_and_parameters_are_counted():
    network = sample(15, ["ordinary", "nested", "feed-forward"])
    assert count_blocks(network.trunk.blocks) == {
        "ordinary": 2,
        "nested bottleneck": 1,
        "attention": 1,
        "pooling": 1,
        "feed-forward": 2,
    }
    plain = sample(8, ["ordinary"])
    arrays = []

    def collect(value, inside=""):
        if isinstance(value, dict):
            for key, part in value.items():
                collect(part, key)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for part in value:
                collect(part)
        elif isinstance(value, list) and inside not in ("mean", "variance", "dilation"):
            arrays.append(np.size(value))

    collect(flat(plain))
    assert plain.count_parameters() == sum(arrays)


def test_windows_line_ends_and_extra_spaces_are_read():
    data = write(sample(8), binary=False)
    assert flat(read_network(data.replace(b"\n", b" \r\n "))) == flat(read_network(data))


# Damage.


def refused(data):
    with pytest.raises(KataGoFileError) as caught:
        read_network(data)
    return str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    for path in (tmp_path / "none.bin.gz", tmp_path):
        with pytest.raises(KataGoFileError, match=path.name):
            read_network(path)


def test_the_file_and_the_layer_are_named(tmp_path):
    data = write(sample(8))
    path = tmp_path / "cut.bin"
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(KataGoFileError, match=r"cut\.bin: .*(in |ends).*near byte"):
        read_network(path)


def changed(data, old, new, count=1):
    assert old in data
    return data.replace(old, new, count)


DATA = write(sample(17, KINDS, seed=1), binary=False)
CHANGES = [
    (b"sample-1\n17\n", b"sample-1\n18\n", "version 18; versions 8 to 17"),
    (b"sample-1\n17\n", b"sample-1\n7\n", "version 7; versions 8 to 17"),
    (b"sample-1\n17\n", b"sample-1\nx\n", "'x' and must be a whole number"),
    (b"\n22\n19\n", b"\n21\n19\n", "is 21 and must be 22"),
    (b"\n15.0\n", b"\n-15.0\n", "td_score"),
    (b"\n15.0\n", b"\nnan\n", "td_score"),
    (b"trunk\n7\n", b"trunk\n0\n", "number of blocks is 0"),
    (b"trunk\n7\n", b"trunk\n99999\n", "number of blocks is 99999"),
    (b"trunk\n7\n6\n", b"trunk\n7\n999999\n", "trunk channels is 999,999"),
    (b"trunk\n7\n6\n", b"trunk\n7\n7\n", "must be 7"),
    (b"ordinary_block", b"extraordinary_block", "no kind of block is called 'extraordinary_block'"),
    (b"transformer_ffn_block\n", b"transformer_ffn_block\nx\n4\n7\n0\n", "not SwiGLU"),
    (b"ACTIVATION_", b"ACTIVATION_LEAKY_", "no activation is called"),
    (b"\n5\n5\n22\n6\n", b"\n5\n4\n22\n6\n", "must be odd"),
    (b"\n5\n5\n22\n6\n", b"\n5\n5\n22\n99999999\n", "output channels"),
]


@pytest.mark.parametrize(("old", "new", "words"), CHANGES)
def test_errors_say_what_would_be_right(old, new, words):
    assert words in refused(changed(DATA, old, new))


def test_odd_contents_are_refused():
    data = write(sample(8))
    assert "ends" in refused(b"")
    assert "ends" in refused(gzip.compress(b""))
    assert "no network" in refused(b"<!DOCTYPE html> " + data)
    assert "goes on" in refused(data + b"more")
    assert "damaged" in refused(gzip.compress(data)[:-9])
    assert "damaged" in refused(gzip.compress(data)[:-8] + b"\0" * 8)
    assert "not finite" in refused(changed(data, b"@BIN@", b"@BIN@" + np.float32("nan").tobytes()))
    assert "3 weights are due, but there are 2" in refused(write(sample(8), binary=False)[:-20])
    assert "empty space" in refused(b" " * 100_000 + data)


@pytest.mark.slow
def test_a_bomb_does_no_harm():
    """A few kilobytes that would be gigabytes of spaces, of one word or of weights."""
    head = write(sample(8)).partition(b"conv")[0]
    for filling in (b" ", b"x", b"conv\n25\n25\n22\n6\n1\n1\n@BIN@", b"0 "):
        squeezed = zlib.compressobj(9, wbits=31)
        bomb = squeezed.compress(head + filling)
        for _ in range(64):
            bomb += squeezed.compress(b"\0" * (1 << 20) if b"BIN" in filling else filling * (1 << 20))
        refused(bomb + squeezed.flush())


@pytest.mark.slow
def test_damaged_files_are_refused_or_read_but_never_worse():
    """A thousand files with bytes changed, cut out, doubled or put elsewhere."""
    rng = random.Random(0)
    originals = [
        write(sample(8, seed=2)),
        write(sample(8, seed=2), binary=False),
        write(sample(17, KINDS, seed=3, tip="rms", metadata=True)),
        gzip.compress(write(sample(12, seed=4))),
    ]
    read, errors = 0, []
    for number in range(1000):
        data = bytearray(originals[number % len(originals)])
        for _ in range(rng.randint(1, 3)):
            mutate(data, rng)
        try:
            read_network(bytes(data))
            read += 1
        except KataGoFileError as error:
            errors.append(str(error))
    assert read < 900
    assert all(error.startswith("the network: ") and "near byte" in error for error in errors)


def mutate(data, rng):
    at, size = rng.randrange(len(data)), rng.randint(1, 40)
    kind = rng.randrange(6)
    if kind == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del data[at : at + size]
    elif kind == 2:
        data[at:at] = data[at : at + size]
    elif kind == 3:
        del data[at:]
        data += b" " * (not data)
    elif kind == 4:
        data[at : at + size] = rng.randbytes(size)
    else:
        # Numbers in the text are what sizes are made of.
        data[at:at] = rng.choice([b"9", b"999999999", b"-1", b"1e999", b"nan", b"\n0\n", b"@BIN@"])
